// @ts-check
// The JSON types of what logs and records contain: a boolean is no number, and numbers have no fraction.

import {DECLARED} from "./declared.js";

const isObject = value => value !== null && typeof value === "object" && !Array.isArray(value);
const isWhole = value => (typeof value === "number" ? Number.isSafeInteger(value)
	: value === null || typeof value !== "object" || Object.values(value).every(isWhole));
const WORDS = {
	text: value => typeof value === "string",
	integer: Number.isSafeInteger,
	boolean: value => typeof value === "boolean",
	entry: () => true, // is checked when it is read
};
// A shape is a word, or an object with one of these members.
const SHAPES = {
	maybe: (inner, value) => value === null || isTyped(inner, value),
	one: (words, value) => words.includes(value),
	list: (inner, value) => Array.isArray(value) && value.every(item => isTyped(inner, item)),
	map: (inner, value) => isObject(value) && Object.values(value).every(item => isTyped(inner, item)),
	fields: (fields, value) => isObject(value)
		&& Object.keys(value).every(name => Object.hasOwn(fields, name) && isTyped(fields[name], value[name])),
	known: (fields, value) => isObject(value) && isWhole(value)
		&& Object.keys(fields).every(name => !Object.hasOwn(value, name) || isTyped(fields[name], value[name])),
};

function isTyped(shape, value) {
	if (typeof shape === "string") return WORDS[shape](value);
	const [[name, inner]] = Object.entries(shape);
	return SHAPES[name](inner, value);
}

const fieldsOf = shape => (shape.maybe ?? shape).fields;
const inside = Object.entries(DECLARED.members).filter(([, shape]) => fieldsOf(shape));
/** The members of members that are objects with certain members only. */
export const INNER = Object.fromEntries(inside.map(([name, shape]) => [name, Object.keys(fieldsOf(shape))]));

const mistyped = shapes => value => Object.keys(value).find(name => Object.hasOwn(shapes, name) && !isTyped(shapes[name], value[name]));
/** The name of the first member with a value of another type. */
export const mistypedInEntry = mistyped(DECLARED.members);
export const mistypedInRecord = mistyped(DECLARED.record);

/** Read JSON that has no number with a fraction or an exponent: once read, `1.0` cannot be told from `1`. */
export function readStrictly(content) {
	const value = JSON.parse(content);
	if (/\d[.eE]/.test(content.replace(/"(?:[^"\\]|\\.)*"/g, '""'))) throw new Error("It has a number with a fraction or an exponent.");
	return value;
}
