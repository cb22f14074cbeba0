// The reference, drawn by the bundled Swagger UI from our own spec. Tokens stay in this page's memory.
window.SwaggerUIBundle({
  url: "/openapi.yaml",
  domNode: document.getElementById("reference"),
  presets: [window.SwaggerUIBundle.presets.apis],
  deepLinking: true,
  validatorUrl: null, // would ask a server elsewhere
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
});
