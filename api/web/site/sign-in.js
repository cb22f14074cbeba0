// @ts-check
// Signing in: asks for an address, or uses the link in a mail. At once in the browser that asked for it; elsewhere it asks.

import {account} from "../game/account.js";
import {client} from "../game/client.js";
import {$, bdi, fill, text} from "../table/dom.js";
import {moment} from "../model/words.js";
import {askedHere, askForLink, guestHere, moveAccount, signIn} from "./signing-in.js";

const NEXT = "/games";
let link = null;

const failed = error => {
	text($("trouble"), error.status === 404
		? "This link has expired or was used before. Ask for another one." : error.message);
	if (error.status === 404) showForm();
};

/** Only pages of this site: what follows a link in a mail must not lead elsewhere. */
const page = address => (/^\/(games|settings|table\/[0-9a-f-]{36})?$/.test(address ?? "") ? address : NEXT);

function showForm() {
	$("ask").hidden = false;
	$("use").hidden = true;
	$("address").focus();
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
	fill($("state"), "You are signed in as ", bdi(account().player.name), ".");
	$("done").hidden = false;
}

async function open() {
	const {id, code, asked} = link;
	const {address, player} = await client().json(`/v1/sign-ins/${id}/preview`, {method: "POST", body: {code}});
	if (asked?.move && account()) return move();
	link.guest = asked && !player ? await guestHere(asked.next) : null;
	if (asked && (player || link.guest)) return use();
	const here = account();
	fill($("state"), ...(player ? ["Sign in as ", bdi(player.name), ` (${address})?`] : [`A new account with the address ${address}.`]));
	$("use").hidden = false;
	$("name-row").hidden = Boolean(player || link.guest);
	$("name").required = !player && !link.guest;
	text($("here"), player ? "Sign in on this device" : "Create my account");
	$("move").hidden = !here || Boolean(player);
	if (here) fill($("move"), "Use this address for ", bdi(here.player.name), "’s account");
}

async function use() {
	const name = $("name").value.trim() || undefined;
	await signIn(link.id, link.code, name, link.guest);
	location.replace(page(link.asked?.next));
}

async function move() {
	const {address} = await moveAccount(link.id, link.code);
	$("use").hidden = true;
	text($("state"), `The address of your account is now ${address}.`);
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
	text($("state"), `A link is on its way to ${address}. Open it in this browser before ${moment(until)}.`);
}));
$("use").addEventListener("submit", once($("use"), use));
$("move").addEventListener("click", once($("use"), move));
addEventListener("hashchange", () => location.hash && arrive());
arrive();
