// @ts-check
// A card that is pulled from the hand onto the felt, or onto another card, is chosen there, and played if nothing else is to be
// chosen.

/** @import {TableApp} from "../table/app.js" */

const FAR = 12; // pixels from which a press is a pull

/** @param {TableApp} app */
export function letDrag({view, bar}) {
	/** @type {{card: HTMLElement, id: number, x: number, y: number, isPulled: boolean} | null} */
	let held = null;
	view.hand.addEventListener("pointerdown", event => {
		const card = /** @type {Element} */ (event.target).closest("button.card:not([aria-disabled])");
		const isPull = card instanceof HTMLElement && event.isPrimary && event.button === 0;
		held = isPull ? {card, id: event.pointerId, x: event.clientX, y: event.clientY, isPulled: false} : null;
		held?.card.setPointerCapture(event.pointerId); // a quick pull leaves the hand at once
	});
	view.hand.addEventListener("pointermove", ({pointerId, clientX, clientY}) => {
		if (held?.id !== pointerId) return;
		const [x, y] = [clientX - held.x, clientY - held.y];
		if (!held.isPulled && Math.hypot(x, y) < FAR) return;
		held.isPulled = true;
		held.card.classList.add("pulled");
		held.card.style.translate = `${x}px ${y}px`;
	});
	const drop = ({pointerId, clientX, clientY, type}) => {
		if (!held || held.id !== pointerId) return;
		const {card, isPulled} = held;
		held = null;
		card.classList.remove("pulled");
		card.style.removeProperty("translate");
		if (!isPulled) return;
		const root = /** @type {Document | ShadowRoot} */ (card.getRootNode());
		const felt = root.elementsFromPoint(clientX, clientY).find(one => one.closest(".felt, .own-zones"));
		if (felt && type === "pointerup") {
			chooseAlone(card);
			/** @type {HTMLElement | null | undefined} */ (felt.closest("[data-zone]")?.querySelector(".into.lit"))?.click();
			/** @type {HTMLElement | null} */ (felt.closest("button.card:not([aria-disabled], [aria-pressed=true])"))?.click();
			bar.send();
		}
		const isOver = new AbortController(); // the pull itself is no tap
		addEventListener("click", event => event.stopPropagation(), {capture: true, once: true, signal: isOver.signal});
		setTimeout(() => isOver.abort());
	};
	view.hand.onpointerup = view.hand.onpointercancel = drop;
}

/** Choose a card without the others of its rank, which a tap takes with it.
 * @param {HTMLElement} card */
function chooseAlone(card) {
	const chosen = () => [.../** @type {NodeListOf<HTMLElement>} */ (card.parentElement?.querySelectorAll("button.card[aria-pressed=true]"))];
	const before = chosen();
	if (before.includes(card)) return;
	card.click();
	for (const other of chosen()) if (other !== card && !before.includes(other)) other.click();
}
