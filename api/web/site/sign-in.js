// @ts-check
// Signing in: asks for an address, or uses the link in a mail. At once in the browser that asked for it; elsewhere it asks.

import {account} from "../game/account.js";
import {client} from "../game/client.js";
import {$, bdi, fill, h, text} from "../table/dom.js";
import {askedHere, askedLately, askForLink, countGames, guestsHere, moveAccount, mustSignInAgain, signIn, signInAgain} from "./signing-in.js";
import {moment, pieces, t, tn} from "../texts.js";

const NEXT = "/games";
let link = null;

const failed = error => {
	const isTyped = link?.isTyped && error.status === 404;
	text($("trouble"), isTyped ? t("This is not the code of your newest mail, or it no longer works: it lasts for ten minutes, and for five tries.")
		: error.status === 404 ? t("This link has expired or was used before. Ask for another one.") : error.message);
	if (error.status === 404) showForm();
};

/** Only pages of this site: what follows a link in a mail must not lead elsewhere. */
const page = address => (/^\/(games|settings|table\/[0-9a-f-]{36})?$/.test(address ?? "") ? address : NEXT);

function showForm() {
	$("ask").hidden = false;
	$("use").hidden = true;
	$("type").hidden = !askedLately();
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
	const {address, player, restores, guest} = await client().json(`/v1/sign-ins/${id}/preview`, {method: "POST", body: {code}});
	if (restores) return offerUndo(address, player);
	if (asked?.move && account()) return move();
	link.isNew = !player;
	link.guests = await guestsToAsk(guest, asked?.next);
	if (asked && player && !link.guests.length) return use();
	const here = account();
	fill($("state"), ...(player ? pieces("Sign in as {name} ({address})?", {name: bdi(player.name), address}) : [t("A new account with the address {address}.", {address})]));
	$("ask").hidden = true;
	$("type").hidden = true;
	$("use").hidden = false;
	drawGuests();
	text($("here"), player ? t("Sign in on this device") : t("Create my account"));
	$("move").hidden = !here || Boolean(player);
	if (here) fill($("move"), ...pieces("Use this address for {name}’s account", {name: bdi(here.player.name)}));
}

/** The guests who can come along: the one of the link, and those of this device with a game, each with the number of games. */
async function guestsToAsk(carried, next) {
	const here = await guestsHere(next);
	const others = await Promise.all(here.filter(({player}) => player.id !== carried?.player.id)
		.map(async one => ({...one, games: await countGames(one, link.isNew)})));
	const first = carried ? [{...carried, token: here.find(({player}) => player.id === carried.player.id)?.token, isCarried: true}] : [];
	return [...first, ...others.filter(({games}) => games)].map(one => ({...one, isWanted: true}));
}

/** Name the guests, and ask for each whether it comes along; without one, a new account needs a name. */
function drawGuests() {
	const wantsName = () => link.isNew && !link.guests.some(({isWanted}) => isWanted);
	const draw = () => {
		$("name-row").hidden = !wantsName();
		$("name").required = wantsName();
	};
	$("guests").hidden = !link.guests.length;
	fill($("guest-list"), ...link.guests.map(one => {
		const words = one.isCarried && !one.token ? tn("{name}, who asked for this link on another device: {n} game", "{name}, who asked for this link on another device: {n} games", one.games, {name: "{name}"})
			: tn("{name}, a guest on this device: {n} game", "{name}, a guest on this device: {n} games", one.games, {name: "{name}"});
		const box = h("input", {type: "checkbox", onchange: () => {
			one.isWanted = box.checked;
			draw();
		}});
		box.checked = one.isWanted;
		return h("label.check", box, h("span", ...pieces(words, {name: bdi(one.player.name)})));
	}));
	draw();
}

function offerUndo(address, player) {
	fill($("state"), ...pieces("Undo the change of address? The account of {name} gets {address} back, and all other devices are signed out.",
		{name: bdi(player.name), address}));
	$("use").hidden = false;
	for (const other of ["ask", "type", "guests", "name-row", "move", "done"]) $(other).hidden = true;
	$("name").required = false;
	text($("here"), t("Undo the change"));
}

async function use() {
	const name = $("name").value.trim() || undefined;
	const wanted = (link.guests ?? []).filter(({isWanted}) => isWanted);
	const adopt = wanted.some(({isCarried}) => isCarried);
	await signIn(link.id, link.code, {name, adopt, guests: wanted.filter(({token}) => token), isNew: link.isNew});
	location.replace(page(link.asked?.next));
}

async function move() {
	try {
		const {address} = await moveAccount(link.id, link.code);
		$("use").hidden = true;
		text($("state"), t("The address of your account is now {address}.", {address}));
		$("done").hidden = false;
	} catch (error) {
		if (!mustSignInAgain(error)) throw error;
		text($("state"), await signInAgain(client(account().token)));
	}
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
	$("type").hidden = false;
	$("typed").focus();
	text($("state"), t("A link is on its way to {address}. Open it before {time}, here or on another device, or type the code in the mail.", {address, time: moment(until)}));
}));
$("type").addEventListener("submit", once($("type"), async () => {
	const asked = askedLately();
	link = {id: asked?.id, code: $("typed").value.replace(/\s/g, ""), asked, isTyped: true};
	$("typed").value = "";
	await open();
}));
$("use").addEventListener("submit", once($("use"), use));
$("move").addEventListener("click", once($("use"), move));
addEventListener("hashchange", () => location.hash && arrive());
arrive();
