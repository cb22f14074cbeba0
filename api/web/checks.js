// What holds: by the code in this page, which fetches the record and asks no more; and by the server.

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

/** Fetch the record and check it here; `watched` are the entries that the page has shown, by seq. */
export const verifyHere = (api, watched, where) => show(where, async () => {
  const record = await api.json("/record");
  const { checks } = verify(record);
  return { checks: [...checks, sameAs(record.entries, watched)], open: record.seed == null };
});

/** Let the server check its log, the rules included. */
export const verifyThere = (api, where) => show(where, () => api.json("/verification"));

async function show({ button, verdict, list }, find) {
  button.disabled = true;
  verdict.textContent = "Checking …";
  list.replaceChildren();
  try {
    const { checks, open } = await find();
    const failed = checks.filter((check) => !check.ok).length;
    verdict.textContent = failed ? `${failed} of ${checks.length} checks fail.` : `All ${checks.length} checks hold.`;
    list.replaceChildren(...checks.map(line), ...(open ? [still()] : []));
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
