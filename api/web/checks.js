// The verify button: the record is fetched, then judged here, by code that never asks the server again.

import { element } from "./cards.js";
import { verify } from "./verify.js";

const NAMES = {
  sequence: "No entry is missing",
  chain: "Every hash fits its entry and the one before",
  result: "The result is the one that the log ends with",
  commitment: "The seed is the one promised before the deal",
  sealed: "What was hidden is what had been sealed",
  moves: "The moves are those of the log",
  chance: "Shuffles follow from the seed and the players' entropy",
  dealt: "Every card was dealt as shuffled",
  watched: "The log is the one that this page has shown",
};

/** Fetch the record, check it, and list what holds; `watched` are the entries that the page has, by seq. */
export async function showChecks(api, button, verdict, list, watched) {
  button.disabled = true;
  verdict.textContent = "Checking …";
  list.replaceChildren();
  try {
    const record = await api.json("/record");
    const found = verify(record);
    const checks = [...found.checks, sameAs(record.entries, watched)];
    const failed = checks.filter((check) => !check.ok).length;
    verdict.textContent = failed ? `${failed} of ${checks.length} checks fail.` : `All ${checks.length} checks hold.`;
    list.replaceChildren(...checks.map(line), ...(record.seed == null ? [still()] : []));
  } catch (error) {
    verdict.textContent = `It could not be checked: ${error.message}`;
  } finally {
    button.disabled = false;
  }
}

function sameAs(entries, watched) {
  const other = [...watched.values()].find(({ seq, hash }) => entries[seq - 1]?.hash !== hash);
  const detail = other ? "another hash was shown here" : `${watched.size} entries compared`;
  return { name: "watched", ok: !other, detail, seq: other?.seq ?? null };
}

function line({ name, ok, detail, seq }) {
  const where = !ok && seq ? `entry ${seq}: ` : "";
  return element("li", { class: ok ? "holds" : "fails", "data-check": name },
    element("span", { class: "unseen" }, ok ? "holds: " : "fails: "), NAMES[name] ?? name,
    element("span", { class: "status" }, ` – ${where}${detail}`));
}

function still() {
  return element("li", { class: "open" },
    "Seed, sealed parts and shuffles can be checked once the game is over and its seed is public.");
}
