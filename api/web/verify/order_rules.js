// The order of a log's entries and times, and that the record ends as its log does.

import {moment} from "./table_rules.js";
import {canonical, checked, fault} from "./verify.js";

export const verifyOrder = record => [checked("times", () => wrongTime(record)), checked("order", () => wrongOrder(record))];

function wrongTime({entries = []}) {
	let before = -Infinity;
	for (const {seq, at, looks = []} of entries) {
		const time = moment(at);
		if (time < before || looks.some(look => look.at > at)) return fault("something in it is later than it", seq);
		before = time;
	}
	return null;
}

// By the first letters of their types.
const ORDER = /^crea( (join|left|reve|said))*(( forf)* canc( said)*| star( (?!crea|reve|forf|star|canc|resi|time|fini)\w+)*( canc( said)*|( resi|( time)+)?( said)* fini( said)*)?)?$/;

function wrongOrder({ended = null, entries = []}) {
	const goesOn = entries[0]?.pace?.on_timeout === "random_move"; // for who is late
	const types = entries.map(({type}) => (goesOn && type === "timed_out" ? "move" : type.slice(0, 4)));
	if (!ORDER.test(types.join(" "))) return fault("entries stand where they cannot");
	const ends = entries.filter((_, i) => /resi|time|canc/.test(types[i]));
	const seats = ends.map(end => end.seat);
	const due = {type: ends[0]?.type, seat: seats[0], ...(ends[1] && {seats})};
	const isSame = Object.keys(due).every(name => canonical(ended?.[name] ?? null) === canonical(due[name] ?? null));
	return isSame && new Set(seats).size === seats.length ? null : fault("the record does not end as its log does");
}
