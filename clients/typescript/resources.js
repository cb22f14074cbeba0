// Writes src/resources.ts, a method for each operation of the specification, named by clients/operations.yaml, and src/problems.ts, an
// error for each type of problem.
import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "yaml";

const METHODS = ["get", "post", "put", "patch", "delete"];
const STREAM = "text/event-stream";
const SINCE = ["after", "cursor", "limit", "since"]; // how a page begins, which a stream does itself

/** Write the module of the resources. */
export function writeResources(specification, names, file) {
  const spec = parse(readFileSync(specification, "utf8"));
  const named = parse(readFileSync(names, "utf8"));
  const tree = {};
  for (const [path, item] of Object.entries(spec.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      const place = dotted(operation, named).split(".");
      const last = camel(place.pop());
      const resource = place.reduce((inner, name) => (inner[camel(name)] ??= {}), tree);
      for (const [name, text] of written(spec, path, method, operation, last)) resource[name] = text;
    }
  }
  const head = [
    "// Written by resources.js from the specification.",
    'import { Calls, type Answered, type Call, type Listing, type Parts } from "./calls.js";',
    'import type { StreamEvent } from "./streams.js";',
    'import type { components } from "./api.js";',
    "",
    "/** Return the resources of the API; each method is an operation. */",
    "export function resources(calls: Calls) {",
    "  return ",
  ];
  writeFileSync(file, `${head.join("\n")}${block(tree, "  ")};\n}\n`);
}

/** Return the resource and the method of an operation, as clients/operations.yaml says. */
function dotted({ operationId: id, tags: [tag] }, named) {
  if (id in named.operations) return named.operations[id];
  const resource = named.tags[tag] ?? tag.replaceAll(" ", "_");
  const noun = resource.split(".").pop().replace(/s$/, "");
  return `${resource}.${id.replace(new RegExp(`_${noun}s?$`), "")}`;
}

/** Write the module of the errors. */
export function writeProblems(specification, file) {
  const schemas = Object.entries(parse(readFileSync(specification, "utf8")).components.schemas);
  const known = schemas.filter(([name, schema]) => name.endsWith("Problem") && schema.properties?.type?.const !== undefined);
  const classes = known.map(([schema, { description }]) => {
    const name = schema.replace(/Problem$/, "");
    const problem = `Problem & components["schemas"]["${schema}"]`;
    return `/** ${description} */\nexport class ${name} extends ApiError {\n  override readonly name = "${name}";\n  declare readonly problem: ${problem};\n}\n`;
  });
  const table = known.map(([schema, { properties }]) => `  "${properties.type.const}": ${schema.replace(/Problem$/, "")},`);
  const head = [
    "// Written by resources.js from the specification.",
    'import { ApiError, type Problem } from "./errors.js";',
    'import type { components } from "./api.js";',
    "",
  ];
  head.splice(3, 0, "export { ApiError };");
  const last = ["export const BY_TYPE: Readonly<Record<string, typeof ApiError>> = {", ...table, "};", ""];
  writeFileSync(file, [...head, ...classes, "/** The error of each type of problem. */", ...last].join("\n"));
}

/** Return the methods of an operation: its call, and `follow` if it can be followed. */
function written(spec, path, method, operation, name) {
  const id = operation.operationId;
  const parameters = (operation.parameters ?? []).map((one) => resolved(spec, one, "parameters"));
  const places = parameters.filter((one) => one.in === "path").map((one) => one.name);
  const query = parameters.filter((one) => one.in === "query").map((one) => one.name);
  const given = places.map((each) => `${camel(each)}: ${typed(parameters.find((one) => one.name === each))}`);
  const target = `\`${path.replace(/\{(\w+)\}/g, (_, each) => `\${encodeURIComponent(${camel(each)})}`)}\``;
  const optional = needs(spec, operation) ? "" : " = {}";
  const takes = [...given, `call: Call<"${id}">${optional}`].join(", ");
  const about = ["/**", ` * ${operation.summary}.`, " */"];
  const listed = JSON.stringify(query);
  const page = pageOf(spec, operation);
  const text = page && method === "get"
    ? `(${[...given, `call: Parts<"${id}"> = {}`].join(", ")}): Listing<"${id}"> => calls.list(${target}, call)`
    : `(${takes}): Promise<Answered<"${id}">> => calls.call("${method.toUpperCase()}", ${target}, ${listed}, call)`;
  const found = [[name, [...about, text]]];
  const stream = operation.responses["200"]?.content?.[STREAM]?.schema;
  if (stream !== undefined) {
    const item = stream["x-itemSchema"].$ref.split("/").at(-1);
    const filters = query.filter((each) => !SINCE.includes(each)).map((each) => `"${each}"`).join(" | ") || "never";
    const call = `call: Pick<Parts<"${id}">, ${filters}> & { after?: string | number; signal?: AbortSignal } = {}`;
    const events = `AsyncGenerator<StreamEvent<components["schemas"]["${item}"]>, void, undefined>`;
    const told = ["/**", " * Follow the stream, which resumes by itself after interruptions.", " */"];
    const follow = ["list", "events"].includes(name) ? "follow" : `follow${name[0].toUpperCase()}${name.slice(1)}`;
    found.push([follow, [...told, `(${[...given, call].join(", ")}): ${events} => calls.follow(${target}, call)`]]);
  }
  return found;
}

/** Return whether an operation has something that must be given. */
function needs(spec, operation) {
  const body = operation.requestBody?.content?.["application/json"]?.schema;
  const members = body && resolved(spec, body, "schemas");
  return members !== undefined && (members.oneOf !== undefined || (members.required ?? []).length > 0);
}

/** Return whether an operation answers with a page of a list. */
function pageOf(spec, operation) {
  const schema = operation.responses["200"]?.content?.["application/json"]?.schema;
  const members = schema && resolved(spec, schema, "schemas").properties;
  return Boolean(members?.items && members?.next);
}

function resolved(spec, value, part) {
  return value.$ref === undefined ? value : spec.components[part][value.$ref.split("/").at(-1)];
}

function typed(parameter) {
  return parameter.schema.type === "integer" ? "number" : "string";
}

function camel(name) {
  return name.replace(/[_ -](\w)/g, (_, letter) => letter.toUpperCase());
}

/** Return the text of an object: resources inside it, and methods. */
function block(tree, indent) {
  const lines = Object.entries(tree).map(([name, value]) => {
    if (!Array.isArray(value)) return `${indent}  ${name}: ${block(value, `${indent}  `)},`;
    const text = value.at(-1);
    return [...value.slice(0, -1), `${name}: ${text},`].map((line) => `${indent}  ${line}`).join("\n");
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}
