// @ts-check
// The app from which somebody came: a link to a page of this site can have its address in the fragment (`return`).

const NAME = "card-referee:return";

/**
 * Keep the address that a link brings for this tab, if it is a page of the web; return the one that is kept, or null.
 * @param {URLSearchParams} given
 */
export function returnAddress(given) {
	try {
		const brought = given.get("return");
		if (brought && isPage(brought)) sessionStorage.setItem(NAME, brought);
		const kept = sessionStorage.getItem(NAME);
		return kept ? new URL(kept) : null;
	} catch {
		return null; // the browser keeps nothing
	}
}

/** @param {string} address */
function isPage(address) {
	const url = URL.canParse(address) ? new URL(address) : null;
	return url !== null && (url.protocol === "https:" || (url.protocol === "http:" && ["localhost", "127.0.0.1"].includes(url.hostname)));
}
