// Creates dist/: types and methods from the specification, then JavaScript and declarations. npm runs this at `npm install` and `npm pack`.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

const specification = "../../openapi.yaml";
const tools = "node_modules/.bin/";

const run = (program, ...words) => execFileSync(program, words, { stdio: ["ignore", 2, 2] });

// npm links a folder outside the project without installing its dependencies.
if (!existsSync(tools + "tsc")) run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock");
run(tools + "openapi-typescript", specification, "--output", "src/api.ts");
const { writeProblems, writeResources } = await import("./resources.js"); // whose packages may just have been installed
writeResources(specification, "../operations.yaml", "src/resources.ts");
writeProblems(specification, "src/problems.ts");
run(tools + "tsc", "--project", ".");
