// @ts-check
// The reference, drawn by Swagger UI. Tokens stay in this page's memory.
const {SwaggerUIBundle} = /** @type {any} */ (window);

SwaggerUIBundle({
	url: "/openapi.yaml",
	domNode: document.getElementById("reference"),
	presets: [SwaggerUIBundle.presets.apis],
	deepLinking: true,
	validatorUrl: null, // would call another server
	persistAuthorization: false,
	defaultModelsExpandDepth: 0,
	docExpansion: "list",
});

// What the viewer lacks: names, levels of headings; it has links in buttons.
const LEVELS = {H3: 2, H4: 3, H5: 4};
function mend() {
	for (const [part, name] of [[".information-container", "About"], [".schemes-server-container", "Server"]]) {
		const region = document.querySelector(part);
		region?.setAttribute("role", "region");
		region?.setAttribute("aria-label", name);
	}
	document.getElementById("servers")?.setAttribute("aria-label", "Server");
	for (const link of document.querySelectorAll(".opblock-summary-control a[href]")) link.removeAttribute("href");
	for (const heading of document.querySelectorAll(":is(h3, h4, h5):not([aria-level])")) {
		heading.setAttribute("role", "heading");
		heading.setAttribute("aria-level", LEVELS[heading.tagName]);
	}
}
new MutationObserver(mend).observe(/** @type {HTMLElement} */ (document.getElementById("reference")), {childList: true, subtree: true});
