"""The page of each game, docs/reference/games/<ruleset>.md: what programs and researchers need to know of it.

It comes from the declarations, rules, scenarios and golden records of the game, and docs/guides/library.md.
"""

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import yaml

import referee
import referee.texts
from referee.positions import EVERYONE, NOBODY, OWNER, layout

ROOT = Path(__file__).parents[2]
LIBRARY = "../../guides/library.md"
SHOWN, LONGEST = 8, 105  # moves of the sample game; characters of a shape
SEEN = {EVERYONE: "everybody", NOBODY: "nobody", OWNER: "its owner"}


def files() -> Iterator[tuple[Path, str]]:
    """Yield the page of each game with its text."""
    for rules in referee.newest():
        yield ROOT / f"docs/reference/games/{rules.ID}.md", page(rules)


def page(rules: Any) -> str:
    """Return a game's page."""
    seats = 4 if 4 in rules.SEATS else rules.SEATS[0]
    match = referee.Match(rules.ID, seats, seed=7)
    module = f"{rules.__name__.replace('.', '/')}.py"
    declared = layout(rules.State).zones
    zones = (f"`{name}`: {SEEN.get(of.seen, f'the seat in `{of.seen}`')}" for name, of in declared.items())
    ends = (f"`{reason}`: {says}" for reason, says in rules.REASONS.items())
    paid = "what its `payoffs` says" if hasattr(rules, "payoffs") else "1 to each winner, -1 to each loser"
    listed = "All legal moves are" if rules.COMPLETE else "Of moves with equivalent cards, one is"
    parts = [
        f"# {rules.NAME} for programs",
        "*For researchers and authors of bots, to look things up.*",
        referee.texts.guide(rules.ID, rules.VERSION).summary,
        f"- **Ruleset**: `{rules.ID}`, version {rules.VERSION}, in [`{module}`](../../../{module})",
        f"- **It ends with**: {'; '.join(ends)}",
        f"- **It pays** {paid}. The sums are those of golden records; 0 everywhere means zero-sum.",
        f"- **Who sees what**: {'; '.join(zones)}",
        f"- **Bots**: {_strength(rules)}",
        _table("seats", "teams", "actions", "numbers observed", "sum of payoffs", rows=_tables(rules)),
        "## Options",
        _table("option", "normally", "may be", "about", rows=_options(rules)) or "None.",
        f"## Moves\n{listed} listed.",
        _table("move", "in phase", "field", "is", rows=_moves(rules)),
        f"## Actions\nWith {seats} seats and the normal options; see [the library]({LIBRARY}#actions).",
        _table("action", "first", "last", rows=_actions(match.actions)),
        f"## Observation\n`match.observation(seat)` with {seats} seats:",
        _table("from", "numbers", "part", "what they say", rows=_observation(match)),
        f'## A sample game\n`Match("{rules.ID}", {seats}, seed=7)`, legal actions from `random.Random(1)`:',
        "\n".join(_sample(match)),
        "## Rules\nWith the function that states a rule, if it has a name, and the scenarios that show it.",
        "\n".join(_rules(rules)),
    ]
    return "\n\n".join(parts).replace("\n\n- **", "\n- **").replace("\n- **", "\n\n- **", 1) + "\n"


def _table(*heads: str, rows: Iterable[Iterable[Any]]) -> str:
    """Return a Markdown table, or nothing if it has no rows."""
    shown = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    lines = [heads, ["---"] * len(heads), *shown] if shown else []
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _strength(rules: Any) -> str:
    text = (ROOT / "docs/guides/library.md").read_text("utf-8")
    found = re.search(rf"^\| `{rules.ID}` \| (.+) \| \d+ \| (.+) \| \d+ \|$", text, re.MULTILINE)
    leads = f"leads `cautious` by {found[1]}, `random` by {found[2]}" if found else "was not measured"
    return f"`skilled-1` {leads}; see [strengths]({LIBRARY}#strengths)"


def _tables(rules: Any) -> Iterator[tuple[Any, ...]]:
    teams, sums = defaultdict(list), defaultdict(set)
    for kind in referee.texts.teams(rules):
        chosen = "".join(f"`{name}`: " for name in kind["options"])
        teams[kind["seats"]].append(chosen + " – ".join("+".join(map(str, team)) for team in kind["teams"]))
    for file in (ROOT / "tests/records" / rules.ID).glob("*.json"):
        record = json.loads(file.read_text("utf-8"))
        if record["version"] == rules.VERSION and (record["result"] or {}).get("reason") in rules.REASONS:
            sums[record["seats"]].add(sum(referee.payoffs(referee.replay(referee.read_record(record)).state)))
    for seats in rules.SEATS:
        match = referee.Match(rules.ID, seats, seed=0)
        found = ", ".join(f"{each:g}" for each in sorted(sums[seats]))
        yield seats, "; ".join(teams[seats]) or "none", match.actions.n, match.observer.size, found or "?"


def _options(rules: Any) -> Iterator[tuple[str, ...]]:
    for name, option in rules.options(max(rules.SEATS)).items():
        yield f"`{name}`", f"`{json.dumps(option.default)}`", option.kind.what, option.doc


def _moves(rules: Any) -> Iterator[tuple[str, ...]]:
    for name, fields in rules.MOVES.items():
        phases = ", ".join(f"`{phase}`" for phase, moves in rules.PHASES.items() if name in moves)
        phases += ", also out of turn" * (name in {block.name for block in rules.BLOCKS if block.out_of_turn})
        said = {key: f.doc + " (optional)" * f.optional + " (secret)" * f.secret for key, f in fields.items()}
        yield from ((f"`{name}`", phases, f"`{key}`", says) for key, says in said.items())
        if not fields:
            yield f"`{name}`", phases, "", ""


def _actions(actions: referee.Actions) -> Iterator[tuple[Any, ...]]:
    described = ((number, actions.describe(number)) for number in range(actions.n))
    for _, group in groupby(described, key=lambda each: each[1].partition(" ")[0]):
        (first, begins), *_, (last, ends) = [*group] * 2
        yield first if first == last else f"{first} to {last}", f"`{begins}`", f"`{ends}`"


def _observation(match: referee.Match) -> Iterator[tuple[Any, ...]]:
    for _, group in groupby(match.observer.layout, key=lambda part: (part.name.partition(".")[0], part.says)):
        first, *_, last = [*group] * 2
        several = first is not last
        says = first.says if len(first.says) <= LONGEST else first.says[:LONGEST].rpartition(",")[0] + ", …"
        name = f"`{first.name}` to `{last.name}`" if several else f"`{first.name}`"
        yield first.start, f"{first.size}{' each' * several}", name, says


def _sample(match: referee.Match) -> Iterator[str]:
    choose = random.Random(1)
    for number in range(1, SHOWN + 1):
        seat, taken, done = match.to_act[0], list[int](), False
        while not done:
            taken.append(choose.choice(match.legal_actions(seat)))
            done = match.act(seat, taken[-1])
        words = " ".join(f"`{match.actions.describe(action)}`" for action in taken)
        yield f"{number}. Seat {seat}: {words} ({', '.join(map(str, taken))})"


def _rules(rules: Any) -> Iterator[str]:
    shown = defaultdict(set)
    for file in (ROOT / "tests/scenarios" / rules.ID).glob("*.yaml"):
        for document in yaml.load_all(file.read_text("utf-8"), yaml.CSafeLoader):
            for name in [*document.get("rules", []), *(step.get("illegal") for step in document["steps"])]:
                shown[name].add(f"[{file.stem}](../../../{file.relative_to(ROOT)})")
    code = {rule.id: rule.stated.__name__ for block in rules.BLOCKS for rule in block.rules}
    for rule in referee.texts.rules(rules.ID, rules.VERSION):
        marks = ["refuses"] * rule.refuses + [rule.origin or ""]
        named = code.get(rule.id, "").startswith("_") and not rule.id.startswith("common.")
        stated = f" Code: `{code[rule.id]}`." if named else ""
        scenarios = f" Scenarios: {', '.join(sorted(shown[rule.id]))}." if shown[rule.id] else ""
        yield f"- `{rule.id}` ({', '.join(marks)}) — {rule.text}{stated}{scenarios}"
