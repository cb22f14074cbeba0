// @ts-check
// A shared worker for the streams of all tabs: browsers allow six connections to a server.
// A tab sends {game, token, origin, after} to follow a game, {stop: true} to leave; it is sent {entry}, {note}, {over, status}.
// Tabs of one game and token share a stream; beyond a few streams, games are polled.

import {client} from "./client.js";
import {follow} from "./feed.js";

const STREAMS = 3; // connections that stay open; the rest of six is for requests
const shared = new Map(); // game and token → {ports, entries, controller}

/** @type {any} */ (self).onconnect = ({ports: [port]}) => connect(port);

export function connect(port) {
	let mine = null;
	const leave = () => {
		if (!mine) return;
		const {channel, key} = mine;
		channel.ports.delete(port);
		if (!channel.ports.size) {
			channel.controller.abort();
			shared.delete(key);
		}
		mine = null;
	};
	port.onmessage = ({data}) => {
		leave();
		if (data.stop) return;
		const key = `${data.origin} ${data.game} ${data.token}`;
		const channel = shared.get(key) ?? begin(key, data);
		channel.ports.set(port, data.after);
		for (const entry of channel.entries) send(channel, port, entry);
		mine = {channel, key};
	};
}

function send(channel, port, entry) {
	const seen = channel.ports.get(port);
	if (entry.seq <= seen) return;
	if (entry.seq > seen + 1) return port.postMessage({gap: seen}); // it loads what it has missed
	channel.ports.set(port, entry.seq);
	port.postMessage({entry});
}

function begin(key, {game, token, origin, after}) {
	const controller = new AbortController();
	const channel = {ports: new Map(), entries: [], controller};
	shared.set(key, channel);
	run(channel, client(token, origin), game, after).then(
		() => all(channel, {over: true}),
		error => controller.signal.aborted || all(channel, {over: true, status: error.status ?? 0}),
	).finally(() => shared.get(key) === channel && shared.delete(key));
	return channel;
}

function run(channel, api, game, after) {
	const take = entry => {
		channel.entries = [...channel.entries.slice(-199), entry];
		for (const port of channel.ports.keys()) send(channel, port, entry);
	};
	const mayStream = () => {
		channel.streams = false;
		return (channel.streams = [...shared.values()].filter(({streams}) => streams).length < STREAMS);
	};
	return follow(api, game, after, {take, note: text => all(channel, {note: text}), signal: channel.controller.signal, mayStream});
}

function all(channel, message) {
	for (const port of channel.ports.keys()) port.postMessage(message);
}
