"""A player who decides by the accessibility tree alone: names, roles and states, as a screen reader does."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Error, Page

from tests.browser.player import PATIENCE, Player

HELP = ("Clear", "Tip", "Say")
TALK = "Say"
RECORD_WHAT_IS_SAID = """() => {
    window.heard = [];
    const region = document.querySelector("[role=log][aria-live=polite]");
    new MutationObserver(changes => changes.forEach(({addedNodes}) =>
        addedNodes.forEach(node => window.heard.push(node.textContent)))).observe(region, {childList: true});
}"""
# What a screen reader does with an element on which its user presses Enter.
ACTIVATE = "function () { this.focus(); this.click(); }"


@dataclass
class Node:
    """A node of the accessibility tree with its descendants that are not ignored."""

    role: str
    name: str
    element: int
    states: dict[str, Any]
    children: list[Node] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.walk()

    def find(self, role: str, name: str = "") -> list[Node]:
        return [node for node in self.walk() if node.role == role and node.name.startswith(name)]

    def text(self) -> str:
        return "".join(node.name for node in self.walk() if node.role == "StaticText")

    @property
    def is_toggle(self) -> bool:
        return "pressed" in self.states

    @property
    def is_free(self) -> bool:
        return not self.states.get("disabled") and self.states.get("pressed") != "true"


class Listener(Player):
    """Plays by what the accessibility tree says; only its waiting looks at the page."""

    def __init__(self, page: Page, choices: random.Random) -> None:
        super().__init__(page, choices)
        self.tools = page.context.new_cdp_session(page)
        page.get_by_role("log", name="What happens").wait_for(state="attached")
        page.evaluate(RECORD_WHAT_IS_SAID)

    def tree(self) -> Node:
        nodes = self.tools.send("Accessibility.getFullAXTree")["nodes"]
        by_id = {node["nodeId"]: node for node in nodes}

        def read(node: dict[str, Any]) -> list[Node]:
            inner = [made for each in node.get("childIds", ()) if each in by_id for made in read(by_id[each])]
            if node["ignored"]:
                return inner
            states = {each["name"]: each["value"].get("value") for each in node.get("properties", ())}
            role, name = (node.get(part, {}).get("value", "") for part in ("role", "name"))
            return [Node(role, name, node.get("backendDOMNodeId", 0), states, inner)]

        return read(nodes[0])[0]

    def statuses(self) -> list[str]:
        return [node.text() for node in self.tree().find("status")]

    def heard(self) -> list[str]:
        """Return what the live region has said since the beginning."""
        found: list[str] = self.page.evaluate("window.heard")
        return found

    def over(self) -> bool:
        return "The game is over." in self.statuses()

    def check_silence(self) -> None:
        """Allow reasons: a card that has the focus and cannot be played says why."""

    def press(self, node: Node) -> None:
        found = self.tools.send("DOM.resolveNode", {"backendNodeId": node.element})
        self.tools.send(
            "Runtime.callFunctionOn",
            {"functionDeclaration": ACTIVATE, "objectId": found["object"]["objectId"]},
        )

    def step(self) -> bool:
        """Do one thing; return True if it sent a move. What others' moves took away is looked for again."""
        try:
            return self.step_in(self.tree())
        except Error as error:
            if "No node with given id" not in str(error):
                raise
            return False

    def step_in(self, tree: Node) -> bool:
        [bar] = tree.find("group", "Your move")
        kinds = [node for group in bar.find("group", "Kinds of moves") for node in group.find("button")]
        kinds = [node for node in kinds if node.name != TALK]
        fields = [group for group in bar.find("group") if group is not bar and group.name != "Kinds of moves"]
        inside = {id(node) for group in fields for node in group.find("button")} | {
            id(node) for node in kinds
        }
        others = [node for node in bar.find("button") if id(node) not in inside and node.is_free]
        sliders = [node for node in others if node.name.startswith("One ")]
        send = [node for node in others if node.name not in HELP and node not in sliders]
        if send:
            self.press(self.choices.choice(send))
            return True
        for group in fields:
            values = group.find("button")
            if values and all(node.is_free for node in values):
                self.press(self.choices.choice(values))
                return False
        if sliders:
            self.press(next(node for node in sliders if node.name == "One more"))
            return False
        return self.choose_card_or_kind(tree, others, kinds)

    def choose_card_or_kind(self, tree: Node, others: list[Node], kinds: list[Node]) -> bool:
        elsewhere = ("Your move", "Replay", "Log and more")
        parts = [part for part in tree.walk() if part.name in elsewhere]
        skipped = {id(node) for part in parts for node in part.walk()}
        table = [node for node in tree.find("button") if node.is_toggle and id(node) not in skipped]
        toggles = [node for node in table if node.is_free]
        cards = [node for node in toggles if not node.name.startswith("Choose ")]
        targets = [node for node in toggles if node.name.startswith("Choose ")]
        picked = any(node.states.get("pressed") == "true" for node in table)
        hints = [node for node in others if node.name == "Tip"]
        direct = [node for node in kinds if not node.is_toggle and node.is_free]
        fielded = [node for node in kinds if node.is_toggle and node.is_free]
        if picked and targets:
            self.press(self.choices.choice(targets))
        elif self.tries >= PATIENCE and picked:  # the tip is a move without cards
            self.press(next(node for node in others if node.name == "Clear"))
        elif self.tries >= PATIENCE and direct:
            self.press(self.choices.choice(direct))
            return True
        elif hints and cards and self.tries < PATIENCE and (picked or self.choices.random() < 0.7):
            self.press(hints[0])
        elif cards and (picked or not kinds or self.choices.random() < 0.5):
            self.press(self.choices.choice(cards))
        elif direct and (not fielded or self.choices.random() < 0.5):
            self.press(self.choices.choice(direct))
            return True
        elif fielded:
            self.press(self.choices.choice(fielded))
        elif cards:
            self.press(self.choices.choice(cards))
        return False
