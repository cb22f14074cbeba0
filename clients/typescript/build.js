// Creates dist/: types and methods from the specification, then JavaScript and declarations. `make packages` runs this before `npm pack`.
import { execFileSync } from "node:child_process";
import { writeProblems, writeResources } from "./resources.js";

const specification = "../../openapi.yaml";
const tools = "node_modules/.bin/";

const run = (program, ...words) => execFileSync(program, words, { stdio: ["ignore", 2, 2] });

run(tools + "openapi-typescript", specification, "--output", "src/api.ts");
writeResources(specification, "../operations.yaml", "src/resources.ts");
writeProblems(specification, "src/problems.ts");
run(tools + "tsc", "--project", ".");
