// @ts-check
// The settings of the account on this device; each change is stored at once.

import {account, signedIn, signedOut} from "../game/account.js";
import {client} from "../game/client.js";
import {$, ask, bdi, fill, h, patch, text} from "../table/dom.js";
import {moment} from "../model/words.js";
import {begin as beginNotices} from "./settings-notices.js";
import {askForLink, signOut} from "./signing-in.js";

const me = account();
const api = client(me?.token);
const failed = error => (error.status === 401 ? left() : text($("trouble"), error.message));

/** Do something, and say that it is done. */
async function act(action, done = "Saved.") {
	text($("trouble"), "");
	text($("state"), "");
	try {
		const said = await action();
		text($("state"), said ?? done);
	} catch (error) {
		failed(error);
	}
}

function left() {
	signedOut();
	$("whole").hidden = true;
	fill($("state"), h("a", {href: "/sign-in#next=/settings"}, "Sign in"), " to change your settings.");
}

async function drawDevices() {
	const {items} = await api.json("/v1/me/tokens?limit=200");
	patch($("devices"), items, ({id}) => id, ({id, device, current, created_at: since}) => h("li",
		h("span", bdi(device ?? "a device"), current ? " (this one)" : "", h("span.status", `, since ${moment(since)}`)),
		current ? null : h("button", {onclick: () => act(() => revoke(id), "Signed out there.")}, "Sign out")));
}

async function revoke(id) {
	await api.json(`/v1/me/tokens/${id}`, {method: "DELETE"});
	await drawDevices();
}

async function rename() {
	const player = await api.json("/v1/me", {method: "PATCH", body: {name: $("name").value.trim()}});
	signedIn(me.token, player);
	return "Your name is changed. Games that you have joined keep the one that you had.";
}

async function readdress() {
	const address = $("address").value.trim();
	const until = await askForLink(address, {move: true, next: "/settings"});
	return `A link is on its way to ${address}. Open it in this browser before ${moment(until)}; until then you have your present address.`;
}

async function end() {
	const sure = await ask(document.body, "Delete your account?", [
		h("p", "This cannot be undone. The logs of your games, with your name in them, stay."),
	], [["", "Keep it"], ["yes", "Delete"]]);
	if (!sure) return "";
	await api.json("/v1/me", {method: "DELETE"});
	left();
	return "Your account is deleted.";
}

async function begin() {
	const [{player}, preferences] = await Promise.all([api.json("/v1/me"), api.json("/v1/me/preferences"), drawDevices()]);
	$("name").value = player.name;
	$("address").value = preferences.email?.address ?? "";
	await beginNotices(api, preferences, player, act);
	$("whole").hidden = false;
}

for (const [form, action] of /** @type {[string, () => Promise<string>][]} */ ([["rename", rename], ["readdress", readdress]])) {
	$(form).addEventListener("submit", event => {
		event.preventDefault();
		act(action);
	});
}
$("out").addEventListener("click", () => act(() => signOut().then(left)));
$("out-everywhere").addEventListener("click", () => act(() => api.json("/v1/me/tokens", {method: "DELETE"}).then(left), "Signed out everywhere."));
$("delete").addEventListener("click", () => act(end));
if (me) begin().catch(failed);
else left();
