// @ts-check
// The settings of the account on this device; each change is stored at once.

import {account, signedIn, signedOut} from "../game/account.js";
import {client} from "../game/client.js";
import {$, ask, bdi, fill, h, patch, text} from "../table/dom.js";
import {begin as beginNotices} from "./settings-notices.js";
import {askForLink, mustSignInAgain, signInAgain, signOut} from "./signing-in.js";
import {moment, pieces, t} from "../texts.js";

const me = account();
const api = client(me?.token);
const failed = error => (error.status === 401 ? left() : text($("trouble"), error.message));

/** Do something, and say that it is done. */
async function act(action, done = t("Saved.")) {
	text($("trouble"), "");
	text($("state"), "");
	try {
		const said = await action();
		text($("state"), said ?? done);
	} catch (error) {
		if (mustSignInAgain(error)) text($("state"), await signInAgain(api).catch(failed) ?? "");
		else failed(error);
	}
}

function left() {
	signedOut();
	$("whole").hidden = true;
	fill($("state"), ...pieces("{link} to change your settings.", {link: h("a", {href: "/sign-in#next=/settings"}, t("Sign in"))}));
}

async function drawDevices() {
	const {items} = await api.json("/v1/me/tokens?limit=200");
	patch($("devices"), items, ({id}) => id, ({id, device, current, watch, game, created_at: since}) => {
		const name = game ? h("a", {href: `/table/${game}`}, watch ? t("a link to watch a game") : t("the link of a mail")) : bdi(device ?? t("a device"));
		const end = watch ? h("button", {onclick: () => act(() => revoke(id), t("The link no longer works."))}, t("Revoke"))
			: h("button", {onclick: () => act(() => revoke(id), t("Signed out there."))}, t("Sign out"));
		return h("li", h("span", name, current ? ` (${t("this one")})` : "", h("span.status", ", ", t("since {time}", {time: moment(since)}))), current ? null : end);
	});
}

async function revoke(id) {
	await api.json(`/v1/me/tokens/${id}`, {method: "DELETE"});
	await drawDevices();
}

async function rename() {
	const player = await api.json("/v1/me", {method: "PATCH", body: {name: $("name").value.trim()}});
	signedIn(me.token, player);
	return t("Your name is changed. Games that you have joined keep the one that you had.");
}

async function readdress() {
	const address = $("address").value.trim();
	const until = await askForLink(address, {move: true, next: "/settings"});
	return t("A link is on its way to {address}. Open it in this browser before {time}; until then you have your present address.", {address, time: moment(until)});
}

async function end() {
	const sure = await ask(document.body, t("Delete your account?"), [
		h("p", t("This cannot be undone. The logs of your games stay, without your name and your messages.")),
	], [["", t("Keep it")], ["yes", t("Delete")]]);
	if (!sure) return "";
	await api.json("/v1/me", {method: "DELETE"});
	left();
	return t("Your account is deleted.");
}

/** Say why no mail comes, and what to do. */
function drawRefusal(email) {
	const since = email?.refused_at;
	$("refused").hidden = !since;
	text($("refused"), since ? t("No mail has been sent since {time}, because the mail server says that the address does not exist. To get mail again, change the address, or confirm this one by “Change my address”.",
		{time: moment(since)}) : "");
}

async function begin() {
	const [{player}, preferences] = await Promise.all([api.json("/v1/me"), api.json("/v1/me/preferences"), drawDevices()]);
	$("name").value = player.name;
	$("address").value = preferences.email?.address ?? "";
	drawRefusal(preferences.email);
	await beginNotices(api, preferences, player, act);
	$("whole").hidden = false;
}

for (const [form, action] of /** @type {[string, () => Promise<string>][]} */ ([["rename", rename], ["readdress", readdress]])) {
	$(form).addEventListener("submit", event => {
		event.preventDefault();
		act(action);
	});
}
$("out").addEventListener("click", () => signOut().then(left, failed));
$("out-everywhere").addEventListener("click", () => act(() => api.json("/v1/me/tokens", {method: "DELETE"}).then(left), t("Signed out everywhere.")));
$("delete").addEventListener("click", () => act(end));
if (me) begin().catch(failed);
else left();
