// The types of the pages. Shapes of the API come from openapi.yaml: `make lint` writes build/web/api.d.ts from it. A page knows no game,
// so what differs from game to game (moves, cards, facts) has the shape that all games share.

import type {components} from "../../build/web/api";
import type {TableApp} from "./table/app.js";

type Api = components["schemas"];
type NameOfAny<T> = T extends unknown ? keyof T : never;
type Member<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;

/** One shape for several: what all have is there, the rest may be. */
type OneOf<T> = {[K in keyof T]: T[K]} & {[K in NameOfAny<T>]?: Member<T, K>};

export type Move = {type: string, [field: string]: any};
export type Verdict = Api["Verdict"];
export type Result = Api["Result"];
export type Pace = Api["Pace"];
export type Transfer = {from: string | null, to: string | null, cards: (string | null)[]};

/** A tip, with where its cards go. */
export type Suggestion = {version: number, move: Move | null, transfers: Transfer[]};

export type Cards = (string | null)[];

export interface View {
	phase: string;
	to_act: number[];
	scores: number[];
	result: Result | null;
	zones: Record<string, Cards | Api["Hidden"]>;
	facts: Record<string, any>;
}

export type Viewer = Api["Game"]["viewer"] & {whole?: boolean};
export type Seat = Api["Seat"];

/** A game at one version. That of a record has no id and fewer members. */
export type Game = Omit<Api["Game"], "view" | "viewer"> & {view: View | null, viewer: Viewer};

type Share = {move?: Move, text?: string, transfers?: Transfer[]};
export type Entry = Omit<OneOf<Api["Entry"]>, "seat" | "move" | "transfers" | "private" | "result" | "of" | "scores"> & {
	seat: number;
	move?: Move;
	transfers?: Transfer[];
	private?: Record<string, Share>;
	scores?: number[];
	result?: Result;
	of?: number;
	order?: boolean;
};

/** A field of a move, as a JSON Schema with the role that the field has at the table. */
export interface Field {
	type?: string;
	enum?: any[];
	minimum?: number;
	maxLength?: number;
	maximum?: number;
	minItems?: number;
	"x-zone"?: string[];
	"x-role"?: string;
	"x-base"?: number;
	"x-words"?: string | Record<string, string>;
	"x-private"?: boolean;
}
export interface MoveSpec {
	properties: Record<string, Field>;
	required?: string[];
}
export type Card = Api["Ruleset"]["cards"][number];
export type Catalogue = Map<string, Card>;
export type Ruleset = Omit<Api["Ruleset"], "moves" | "facts"> & {moves: Record<string, MoveSpec>, facts: Record<string, Field>, guided?: string};

export type LegalMoves = Omit<Api["LegalMoves"], "moves"> & {moves: Move[]};

/** What a player can choose from: the listed moves, whether these are all, and where the cards lie. */
export interface Table {
	moves: Move[];
	complete: boolean;
	specs: Record<string, MoveSpec>;
	seat: number;
	zones: View["zones"];
	/** the kinds of moves of this phase */
	kinds?: string[];
	ranks?: Record<string, string>;
}

/** A move for a later turn. */
export interface Order {
	move: Move;
}

/** A tapped card. */
export interface Pick {
	zone: string;
	index: number;
	card: string | null;
}
/** What a player has chosen so far. */
export interface Choice {
	type: string | null;
	picks: readonly Pick[];
	values: Readonly<Record<string, any>>;
}
/** What a field of a move is for: it decides how it is chosen. */
export type Kind = "place" | "cards" | "card" | "zone" | "seat" | "choice" | "flag" | "text" | "number";
export type NamedField = [name: string, schema: Field, kind: Kind];

/** Words, and things with a way of their own to be shown. */
export type Part = string | {name: string} | {said: string} | {suit: string} | {time: string} | {cards: Cards};

/** A zone as the table draws it. */
export interface Zone {
	name: string;
	base: string;
	label: string;
	seat: number | null;
	cards: Cards;
	count: number;
	ordered: boolean;
	kind: string;
}

/** A seat that another player keeps in a new game, to play again. */
export interface Offer {
	name: string;
	player?: string;
	game: string;
	seat: number;
	invite?: string;
	faces?: string[]; // of who has agreed, by the ids of players
}

/** An item of the menu: its group, its words, if it is possible now, and what it does. */
export type Item = [group: "table" | "look" | "device" | "leave", label: any, run: () => unknown];

/** What a tap or a button asks for: one member. */
export interface Act {
	open?: Zone;
	run?: () => unknown;
	invite?: string;
	send?: Move;
	lay?: Move;
	remove?: number;
	card?: Pick;
	isSent?: boolean;
	why?: Pick | null;
	soon?: boolean;
	type?: string;
	values?: Record<string, any>;
	put?: boolean;
	clear?: boolean;
	tip?: boolean;
}

/** Where the table has its game from: the server, or a record. What a record cannot do is missing there. */
export interface Source {
	newest: Game;
	ruleset: Ruleset;
	api: {origin: string, token: string} & Record<string, any>;
	begin(): Promise<Game>;
	at(version: number): Promise<Game>;
	refresh?(): Promise<Game>;
	entries(after: number, limit?: number): Promise<Entry[]>;
	legal?(seat: number): Promise<LegalMoves | null>;
	[more: string]: any;
}

/** What a page may want to know of its table. */
export interface Listener {
	onEntry?(entry: Entry): void;
	onVersion?(app: TableApp): void;
	onTrouble?(status?: number, message?: string): void;
	onEnd?(game: Game): void;
}

/** The scores after an entry; a hand may end there. */
export interface Scoring {
	seq: number;
	scores: number[];
	isHand: boolean;
}

/** A fault that a check has found in a log, and the entry that has it. */
export interface Fault {
	detail: string;
	seq: number | null;
}

/** An element of a form, whichever it is. */
export type Control = HTMLInputElement & Pick<HTMLDialogElement, "showModal" | "close"> & {elements: any, options: HTMLOptionsCollection, tBodies: HTMLCollectionOf<HTMLTableSectionElement>, href: string};
