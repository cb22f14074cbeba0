// @ts-check
// The games in which this device has a seat without an account: as its guest, or by the token of one game.

import {client} from "../game/client.js";
import {known} from "../game/guests.js";
import {forget, keepToken, myGames, read, tokenOf} from "../game/storage.js";

const MOST = 12; // games that are asked for one by one

/** The games of this device with the id of who plays there, newest first: those that are not over, or those that are.
 * @param {{over?: boolean}} [which]  @returns {Promise<[any, string][]>} */
export async function ofDevice({over = false} = {}) {
	const me = known();
	const status = over ? "finished,cancelled" : "running,open";
	const {items} = me ? await client(me.token).json(`/v1/games?status=${status}&limit=200`).catch(() => ({items: []})) : {items: []};
	const mine = items.filter(({id}) => !read(tokenOf(id)) || read(tokenOf(id)) === me.token);
	for (const {id} of mine) keepToken(id, me.token); // one who looked for players was perhaps not here when their game began
	const others = myGames().filter(id => read(tokenOf(id)) !== me?.token).slice(0, MOST);
	const found = await Promise.all(others.map(id => client(read(tokenOf(id))).json(`/v1/games/${id}`).catch(error => {
		if (error.status === 401) forget(tokenOf(id)); // no longer valid
		return null;
	})));
	const seated = found.filter(game => game?.viewer.seats.length && ["finished", "cancelled"].includes(game.status) === over);
	return [...mine.map(game => [game, me.player.id]), ...seated.map(game => [game, game.seats[game.viewer.seats[0]].player?.id])];
}
