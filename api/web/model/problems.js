// @ts-check
// Problems of the API in the reader's language, by their ids; the sentences of the API itself are English.

import {t} from "../texts.js";

/** @type {Record<string, string>} */
export const PROBLEMS = {
	"malformed-request": t("The request is malformed"),
	"unauthorized": t("A valid token is needed"),
	"forbidden": t("The caller may not do this"),
	"not-found": t("Not found"),
	"seat-taken": t("The seat is taken"),
	"game-not-open": t("The game's status does not allow this"),
	"game-over": t("The game is over"),
	"conflict": t("Not possible in the current state"),
	"ruleset-not-installed": t("The ruleset of this game is not installed"),
	"stale-version": t("The game has changed"),
	"object-changed": t("The object has changed"),
	"illegal-move": t("The referee refuses the move"),
	"invalid-options": t("The options are invalid"),
	"unknown-player": t("The player is unknown"),
	"invalid-record": t("The record is invalid"),
	"commitment-known": t("The game already exists on this server"),
	"limit-reached": t("The app has as many of these as it may have"),
	"rate-limited": t("Too many requests"),
	"overloaded": t("The server is overloaded"),
	"took-too-long": t("The work takes too long"),
	"database-unavailable": t("The database does not answer"),
	"content-too-large": t("The body is too large"),
	"internal-error": t("Internal server error"),
	"sign-in-again": t("A recent sign-in is needed"),
};
