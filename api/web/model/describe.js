// @ts-check
// A move in words.

import {fieldsOf, named, zonesOf} from "./compose.js";
import {words} from "./words.js";

/** @import {Move, Table} from "../types.d.ts" */

/** A move in words: "Play 3♣ 3♦".
 * @param {Move} move  @param {Table} table */
export function describe(move, table, say) {
	const {type, ...rest} = move;
	const parts = [words(type).replace(/^./, first => first.toUpperCase())];
	const fields = fieldsOf(table.specs[type]).filter(([name]) => name in rest);
	const zoned = new Set(fields.filter(([, , kind]) => kind === "zone")
		.flatMap(([, schema]) => named(schema["x-zone"]?.[0] ?? "")));
	for (const [name, schema, kind] of fields) {
		const value = rest[name];
		if (kind === "card" || kind === "cards") parts.push([value].flat().map(say.card).join(" "));
		else if (kind === "zone") parts.push(say.zone(zonesOf(schema, move, table)[0]));
		else if (zoned.has(name)) continue;
		else if (kind === "seat") parts.push(say.seat(value));
		else if (schema["x-role"] === "suit") parts.push(say.suit(value));
		else if (kind === "flag") parts.push(value ? `and ${words(name)}` : "");
		else if (kind === "text") parts.push(`“${value}”`);
		else if (kind === "place") parts.push(`at ${value}`);
		else parts.push(fields.length > 1 ? `${words(name)} ${value}` : String(value));
	}
	return parts.filter(Boolean).join(" ");
}
