// Written by `make generate` from referee/verification/findings.py and referee/texts/fairness.py.
import {mark} from "../texts.js";

/** Who guarantees what mathematics does not. */
export const GUARANTORS = {
signatures:"players' keys",
receipts:"the server's key",
inclusion:"the server's key",
witnessed:"witnesses",
clock:"nobody",
others:"nobody",
};
export const FAIR = {
proved:mark("{game} is fair: proved by {by}."),
consistent:mark("{game} is consistent; nobody vouches for it: no key was given to trust, so anybody could have written it."),
keys:mark("{game} is signed with a key that nobody you trust endorses: fetch the server’s keys (/v1/log-keys)."),
lacks_inclusion:mark("{game} is not in the log of all games yet: fetch it again after {until}."),
lacks_witnessed:mark("{game} lacks a witness: fetch it again after {until}."),
lacks_receipts:mark("{game} lacks the receipt of its last entry: fetch it again."),
unseeded:mark("{game} hides its seed: whoever hides it may have rigged the deal."),
receipts:mark("{game} is contradicted by {receipt}."),
signatures:mark("{game} is contradicted by the own key of a player."),
inclusion:mark("{game} is contradicted by the server’s log of all games."),
by_entry:mark("{game} is contradicted by its own log at entry {entry} (check “{check}”)."),
by_record:mark("{game} is contradicted by its own record (check “{check}”)."),
server:mark("the server’s key"),
quorum:mark("{n} of the witnesses {names}"),
witness:mark("the witness {names}"),
servers_receipt:mark("the server’s receipt"),
and:mark("{others} and {last}"),
};
export const UNKNOWABLE = {
who:mark("Who chose the moves: the player, a friend, or a program."),
talk:mark("Whether players told each other their cards outside of the game."),
names:mark("Who is behind a name, and whether two players are the same person."),
looks:mark("Whether the operator of the server looked at hands while the game ran."),
times:mark("Whether the times are right: they are the server’s word, and witnesses only limit it."),
rewritten:mark("Whether a game of which nobody kept a receipt, and which no witness saw, is the one that was played."),
seeds:mark("In a game without commitments of the seats: whether the operator tried seeds until a deal suited."),
};
