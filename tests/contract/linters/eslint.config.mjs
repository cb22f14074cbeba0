// Rules for the pages' scripts; what types can tell, `tsc` says.
export default [{
	files: ["**/*.js"],
	linterOptions: {reportUnusedDisableDirectives: "error"},
	rules: {
		"array-callback-return": "error", "arrow-parens": ["error", "as-needed"], camelcase: ["error", {properties: "never", allow: ["^[a-z]+(_[a-z]+)+$"]}],
		"class-methods-use-this": "off", complexity: ["error", 24], "consistent-return": "off", curly: ["error", "multi-line"], "default-case-last": "error",
		eqeqeq: ["error", "always", {null: "ignore"}], "max-lines": ["error", 400], "max-params": ["error", 6], "no-console": "error", "no-constant-condition": ["error", {checkLoops: false}],
		"no-duplicate-imports": "error", "no-empty": "error", "no-eval": "error", "no-implied-eval": "error", "no-fallthrough": "error", "no-loop-func": "off",
		"no-new-func": "error", "no-promise-executor-return": "off", "no-redeclare": "error", "no-return-assign": "off", "no-self-compare": "error",
		"no-shadow-restricted-names": "error", "no-sparse-arrays": "off", "no-template-curly-in-string": "error", "no-throw-literal": "error",
		"no-underscore-dangle": ["error", {allow: ["_", "__"]}], "no-unreachable": "error", "no-unused-vars": ["error", {argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true}],
		"no-unused-expressions": ["error", {allowShortCircuit: true, allowTernary: true}], "no-use-before-define": ["error", {functions: false, classes: false, variables: false}],
		"no-useless-catch": "error", "no-useless-concat": "error", "no-useless-return": "error", "no-var": "error", "object-shorthand": "error",
		"prefer-arrow-callback": "error", "prefer-const": ["error", {destructuring: "all"}], "prefer-object-spread": "error", "prefer-template": "error",
		quotes: ["error", "double", {avoidEscape: true, allowTemplateLiterals: true}], semi: "error", "spaced-comment": "error", "valid-typeof": "error",
	},
}, {
	files: ["**/verify/**"], // one check is one function, read from top to bottom
	rules: {complexity: "off"},
}];
