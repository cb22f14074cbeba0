// @ts-check
// Signing in: asks for an address, or uses the link in a mail. At once in the browser that asked for it; elsewhere it asks.

import {account} from "../game/account.js";
import {client} from "../game/client.js";
import {$, bdi, fill, text} from "../table/dom.js";
import {askedHere, askForLink, guestHere, moveAccount, mustSignInAgain, signIn, signInAgain} from "./signing-in.js";
import {moment, pieces, t} from "../texts.js";

const NEXT = "/games";
let link = null;

const failed = error => {
	text($("trouble"), error.status === 404
		? t("This link has expired or was used before. Ask for another one.") : error.message);
	if (error.status === 404) showForm();
};

/** Only pages of this site: what follows a link in a mail must not lead elsewhere. */
const page = address => (/^\/(games|settings|table\/[0-9a-f-]{36})?$/.test(address ?? "") ? address : NEXT);

function showForm() {
	$("ask").hidden = false;
	$("use").hidden = true;
	$("address")?.focus(); // there is none on a server that sends no mail
}

async function arrive() {
	const given = new URLSearchParams(location.hash.slice(1));
	const [id, code, next] = ["id", "code", "next"].map(name => given.get(name));
	history.replaceState(null, "", location.pathname); // the code is not to stay in the address bar
	text($("trouble"), "");
	if (id && code) {
		link = {id, code, asked: askedHere(id)};
		return open().catch(failed);
	}
	link = {next: page(next)};
	if (account()) return showAccount();
	showForm();
}

function showAccount() {
	fill($("state"), ...pieces("You are signed in as {name}.", {name: bdi(account().player.name)}));
	$("done").hidden = false;
}

async function open() {
	const {id, code, asked} = link;
	const {address, player, restores} = await client().json(`/v1/sign-ins/${id}/preview`, {method: "POST", body: {code}});
	if (restores) return offerUndo(address, player);
	if (asked?.move && account()) return move();
	link.isNew = !player;
	link.guest = asked && !player ? await guestHere(asked.next) : null;
	if (asked && (player || link.guest)) return use();
	const here = account();
	fill($("state"), ...(player ? pieces("Sign in as {name} ({address})?", {name: bdi(player.name), address}) : [t("A new account with the address {address}.", {address})]));
	$("use").hidden = false;
	$("name-row").hidden = Boolean(player || link.guest);
	$("name").required = !player && !link.guest;
	text($("here"), player ? t("Sign in on this device") : t("Create my account"));
	$("move").hidden = !here || Boolean(player);
	if (here) fill($("move"), ...pieces("Use this address for {name}’s account", {name: bdi(here.player.name)}));
}

function offerUndo(address, player) {
	fill($("state"), ...pieces("Undo the change of address? The account of {name} gets {address} back, and all other devices are signed out.",
		{name: bdi(player.name), address}));
	$("use").hidden = false;
	for (const other of ["ask", "name-row", "move", "done"]) $(other).hidden = true;
	$("name").required = false;
	text($("here"), t("Undo the change"));
}

async function use() {
	const name = $("name").value.trim() || undefined;
	await signIn(link.id, link.code, name, link.guest, link.isNew);
	location.replace(page(link.asked?.next));
}

async function move() {
	let moved;
	try {
		moved = await moveAccount(link.id, link.code);
	} catch (error) {
		if (!mustSignInAgain(error)) throw error;
		text($("state"), await signInAgain(client(account().token)));
		return;
	}
	const {address} = moved;
	$("use").hidden = true;
	text($("state"), t("The address of your account is now {address}.", {address}));
	$("done").hidden = false;
}

/** Run an action with the buttons of a form disabled. */
const once = (form, action) => async event => {
	event.preventDefault();
	const buttons = form.querySelectorAll("button");
	for (const button of buttons) button.disabled = true;
	text($("trouble"), "");
	await action().catch(failed);
	for (const button of buttons) button.disabled = false;
};

$("ask").addEventListener("submit", once($("ask"), async () => {
	const address = $("address").value.trim();
	const until = await askForLink(address, {next: link.next});
	$("ask").hidden = true;
	text($("state"), t("A link is on its way to {address}. Open it in this browser before {time}.", {address, time: moment(until)}));
}));
$("use").addEventListener("submit", once($("use"), use));
$("move").addEventListener("click", once($("use"), move));
addEventListener("hashchange", () => location.hash && arrive());
arrive();
