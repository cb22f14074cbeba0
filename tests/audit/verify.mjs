// Reads records as lines of JSON, and answers each with a line of JSON: the findings of the page's verifier.
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";
import { verdictOf, verifyBundle } from "../../api/web/evidence/bundle.js";
import { deal, givenIn } from "../../api/web/evidence/deal.js";
import { fairness } from "../../api/web/evidence/fair.js";
import { canonical, sha256 } from "../../api/web/verify/encoding.js";
import { mistypedInEntry, readStrictly } from "../../api/web/verify/shapes.js";
import { verifySignatures } from "../../api/web/verify/signatures.js";
import { verifyTable } from "../../api/web/verify/table_rules.js";
import { traces } from "../../api/web/verify/traces.js";
import { verify } from "../../api/web/verify/verify.js";

for (let length = 0; length < 200; length++) {
  const data = Uint8Array.from({ length }, (_, i) => i * 7 + length);
  const due = createHash("sha256").update(data).digest("hex");
  if (Buffer.from(sha256(data)).toString("hex") !== due) throw new Error(`SHA-256 is wrong at length ${length}`);
}

// As in the page: first the log's hashes and shuffles, then the rules for every table.
async function all(record) {
  const checks = [...verify(record).checks, ...verifyTable(record), ...await verifySignatures(record)];
  return { ok: checks.every((check) => check.ok), checks };
}

// Questions are JSON; records are read as the page reads them.
async function answer(line) {
  if (line.startsWith('{"canonical"')) return canonical(JSON.parse(line).canonical);
  if (line.startsWith('{"typed"')) return !mistypedInEntry(JSON.parse(line).typed);
  if (line.startsWith('{"traces"')) return traces(JSON.parse(line).traces);
  if (line.startsWith('{"bundle"')) {
    const { bundle, policy } = JSON.parse(line);
    return verifyBundle(bundle, policy ?? "").catch((error) => error.message);
  }
  if (line.startsWith('{"verdict"')) {
    try {
      const { verdict, policy } = readStrictly(line);
      return verdictOf(await verifyBundle(verdict, policy ?? ""));
    } catch {
      return "contradicted"; // the page says why it cannot be read
    }
  }
  if (line.startsWith('{"fair"')) {
    const { fair, policy, game } = JSON.parse(line);
    const time = (at) => `${at.slice(0, 16).replace("T", " ")} UTC`;
    return fairness(await verifyBundle(fair, policy ?? ""), fair.record, game, time);
  }
  if (line.startsWith('{"dealt"')) {
    const { dealt, given } = JSON.parse(line);
    try {
      return deal(dealt, given ?? givenIn(dealt));
    } catch (error) {
      return { refused: error.message };
    }
  }
  try {
    return await all(readStrictly(line));
  } catch (error) {
    return { ok: false, checks: [{ name: "read", ok: false, detail: error.message, seq: null }] };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await answer(line)));
}
