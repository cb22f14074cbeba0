// @ts-check
// The choice of a language at the foot of a page; the server reads it from a cookie.

import {$} from "../table/dom.js";

const YEAR = 365 * 24 * 60 * 60; // seconds

$("language").onchange = () => {
	document.cookie = `language=${$("language").value}; path=/; max-age=${YEAR}; samesite=lax`;
	location.reload();
};
