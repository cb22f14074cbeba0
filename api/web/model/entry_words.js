// Written by `make generate` from referee/log/entries.py.
import {mark} from "../texts.js";

export const ENTRY_WORDS = {
created:mark("A game of {ruleset} is set up."),
joined:mark("{newcomer} sits down."),
left:mark("{newcomer} leaves, and the seat is free again."),
revealed:mark("{who} reveals the entropy of the seat."),
forfeited:mark("{who} has not revealed in time."),
started:mark("The cards are dealt."),
moved:mark("{who} moves."),
said:mark("{who}: {text}"),
take_back_requested:mark("{who} asks to take back move {of}."),
take_back_agreed:mark("{who} agrees to take back move {of}."),
take_back_refused:mark("{who} does not agree to take back move {of}."),
vacation_taken:mark("{who} is away until {vacation.until}."),
nudged:mark("{who} nudges {nudge.seat}."),
key_retired:mark("{who} acts without a key from now on."),
replacement_agreed:mark("{who} agrees that {newcomer} take over the seat of {replacement.seat}."),
pause_agreed:mark("{who} agrees to a pause."),
ending_agreed:mark("{who} agrees to end the game by {ending}."),
paused:mark("The game is paused."),
resumed:mark("{who} ends the pause."),
time_returned:mark("The server was down since {since}: every clock gets the time back."),
time_added:mark("{director} gives {added.seat} more time."),
resigned:mark("{who} gives up."),
timed_out:mark("{who} runs out of time."),
dropped:mark("{who} has missed too many turns and is out."),
drawn:mark("All players agree to a draw."),
adjudicated:mark("{director} decides the game."),
finished:mark("The game is over."),
cancelled:mark("The game is called off."),
taken_back:mark("{who} takes move {of} back."),
timeout_undone:mark("{director} undoes the time-out of {undone.seat}: move {of} does not count."),
};
export const HANDED_OVER = {
joined:mark("{newcomer} takes this seat."),
left:mark("The seat of {newcomer} changes hands."),
};
/** Types of entries after which the legal moves are as before. */
export const ASIDE = ["said", "take_back_requested", "take_back_agreed", "take_back_refused", "vacation_taken", "nudged", "key_retired", "replacement_agreed", "pause_agreed", "ending_agreed", "time_returned", "time_added"];
