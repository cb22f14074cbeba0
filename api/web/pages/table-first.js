// @ts-check
// A part of the page itself, so it imports nothing: asks for the game of a table, and for all that is shown first, while the
// scripts are on their way, which takes seconds on a slow line. `client.js` takes the responses.

/** @type {Map<string, Promise<Response>>} by token and path */
const asked = new Map();
/** @type {any} */ (globalThis).askedFirst = asked;

const game = `/v1/games/${location.pathname.split("/")[2].toLowerCase()}`;
const given = new URLSearchParams(location.hash.slice(1));
const token = stored(`token:${game.slice(10)}`) || given.get("token") || given.get("watch") || JSON.parse(stored("account") || "null")?.token || "";
const language = document.documentElement.lang;

if (token || !given.get("mail")) keep(game, token, begin()); // the link of a mail brings a token

/** The game; whoever takes it finds the rest asked for. */
async function begin() {
	const response = await ask(game);
	if (!response.ok) return response;
	const {status, ruleset, version, paused, viewer: {seats: [seat]}} = await response.clone().json();
	ahead(`/v1/rulesets/${ruleset}${language === "en" ? "" : `?language=${language}`}`, "");
	ahead(`${game}/events?after=${Math.max(0, version - 80)}&limit=120`);
	if (seat !== undefined && status === "running" && !paused) ahead(`${game}/legal-moves?seat=${seat}`);
	return response;
}

/** @param {string} path */
function ask(path, as = token) {
	const headers = {Accept: "application/json", "Accept-Language": language, ...as && {Authorization: `Bearer ${as}`}};
	return fetch(path, {headers, credentials: "omit", cache: "no-store"});
}

/** @param {string} path */
function ahead(path, as = token) {
	keep(path, as, ask(path, as));
}

/** @param {string} path  @param {string} as  @param {Promise<Response>} found */
function keep(path, as, found) {
	found.catch(() => {}); // whoever takes it hears of it
	asked.set(`${as} ${path}`, found);
}

/** @param {string} name */
function stored(name) {
	for (const get of [() => sessionStorage, () => localStorage]) {
		try {
			const found = get().getItem(`card-referee:${name}`);
			if (found) return found;
		} catch {
			// The browser keeps nothing.
		}
	}
	return "";
}
