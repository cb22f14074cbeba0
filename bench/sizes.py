"""Measure how many bytes a move, a game and a delivery take in the database, with its indexes.

GAMES games of each of some rulesets are played over HTTP to their end, with a webhook for everything, whose
receiver answers at once. The database is measured before and after, as autovacuum would leave it.

    python -m bench.sizes [GAMES]
"""

from __future__ import annotations

import sys
import time

from bench.deliveries import receiving
from bench.http import served
from bench.http.served import Api

GAMES = 100
# The first ones fill what every table takes at least, and their line is not printed.
RULESETS = (("cats_and_dogs", 3), ("cats_and_dogs", 3), ("pedro", 4), ("pies", 4), ("mau_mau", 4))
SIZES = """
    SELECT c.relname, coalesce(
        (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree(c.oid)),
        pg_total_relation_size(c.oid))::bigint
    FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
"""
UNSENT = "SELECT (SELECT count(*) FROM outbox WHERE next_at IS NOT NULL), (SELECT count(*) FROM tree_queue)"


def sizes(api: Api) -> dict[str, int]:
    """Wait until everything is sent, and return the bytes of each table."""
    while any(api.sql.execute(UNSENT).fetchall()[0]):
        time.sleep(0.5)
    time.sleep(2)  # what is not announced yet
    api.sql.execute("VACUUM ANALYZE")
    return dict(api.sql.execute(SIZES).fetchall())


def counted(api: Api, table: str) -> int:
    """Count the rows of a table."""
    return int(api.sql.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0])


def measure(api: Api, ruleset: str, seats: int, games: int, shown: bool) -> None:
    """Play games, and print a line if it is to be shown."""
    players = api.players(seats)
    before, entries, deliveries = sizes(api), counted(api, "entries"), counted(api, "deliveries")
    for _ in range(games):
        game = api.new_game(ruleset, players)
        for seat, move in game.moves:
            api.call("POST", f"/v1/games/{game.id}/moves", {"seat": seat, "move": move})
    after = sizes(api)
    grown = {table: after[table] - before[table] for table in after}
    entries, deliveries = counted(api, "entries") - entries, counted(api, "deliveries") - deliveries
    of_moves, of_deliveries = grown.pop("entries"), grown.pop("deliveries")
    rest = sum(grown.values())
    figures = (
        *(entries / games, of_moves / entries, rest / games, (of_moves + rest) / games),
        *(deliveries / games, of_deliveries / max(deliveries, 1)),
    )
    if shown:
        print(f"{ruleset:<14}", *(f"{round(each):>10,}" for each in figures), flush=True)


def main() -> None:
    """Measure, and print the table."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else GAMES
    heads = ("entries", "an entry", "the rest", "a game", "deliveries", "each")
    print(f"{'bytes':<14}", *(f"{head:>10}" for head in heads))
    with served.api(ALLOW_PRIVATE_WEBHOOKS="true") as api, receiving(0.0) as receiver:
        api.call("POST", "/v1/webhooks", {"url": f"http://127.0.0.1:{receiver.port}/in"})
        for number, (ruleset, seats) in enumerate(RULESETS):
            measure(api, ruleset, seats, games, shown=number > 0)


if __name__ == "__main__":
    main()
