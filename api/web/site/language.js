// The choice of a language at the foot of a page; the server reads it from a cookie.

const YEAR = 365 * 24 * 60 * 60; // seconds

document.querySelector("#language").onchange = ({target}) => {
	document.cookie = `language=${target.value}; path=/; max-age=${YEAR}; samesite=lax`;
	location.reload();
};
