"""Every list of games is read from an index in its order; `tests.campaigns.search` measures this at scale."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from api.core.config import Settings
from api.features.search.filters import PARAMETERS
from api.features.search.store import Search
from api.store.database.session import Database
from tests.campaigns.search import APP, FILTERS, Explaining, List, explain, fill, lists

# Filters that match few rows, which are then sorted: names, clocks, turns, several players.
FEW = {"external_id", "test_clock", "to_act", "player,", "winner,"}


@pytest.fixture
def session(settings: Settings, sql: psycopg.Connection) -> Iterator[Explaining]:
    fill(sql, 1000)
    database = Database(settings)
    made = Explaining(database, APP)
    # Sequential scans remain only where no index can be used.
    made.connection.execute("SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off")
    yield made
    made.close()
    database.close()


def unserved(session: Explaining, filters: set[str]) -> list[str]:
    """Return the lists that no index returns in order."""
    wanted = [one for one in lists(1) if one.scope != "quiet player" and filters.issuperset(one.filters)]
    assert len(wanted) >= 15 * len(filters) - 15
    plans = [(one, explain(session, one)) for one in wanted]
    return [str(one) for one, plan in plans if plan.scans or plan.sorts]


def test_every_filter_is_tried() -> None:
    tried = {name for members in FILTERS.values() for name in members}
    assert {*PARAMETERS, "external_id"} == tried, "add an example to the declaration of the filter"


def test_an_index_serves_every_list_in_its_order(session: Explaining, sql: psycopg.Connection) -> None:
    assert unserved(session, FILTERS.keys() - FEW) == []
    sql.execute("DROP INDEX games_by_end, player_games_by_creation, games_public_by_end")
    lost = unserved(session, {"status"})
    assert {name.partition(":")[0] for name in lost} == {"app", "busy player", "public"}
    assert "app: status by -finished_at" in lost


def test_lists_of_several_players_are_merged_from_an_index_for_each(session: Explaining) -> None:
    """Their games are merged, so only the games that are shown are read."""
    session.connection.execute("RESET enable_sort")
    indexes = {
        "newest": "player_games_of_player",
        "-created_at": "player_games_by_creation",
        "finished_at": "player_games_by_end",
    }
    for several in ("player,", "winner,"):
        wanted = [one for one in lists(1) if one.scope == "app" and one.filters == (several,)]
        plans = {one.order: explain(session, one) for one in wanted}
        for order, index in indexes.items():
            assert plans[order].indexes.count(index) == 2, (several, order)
            read = [node for node in plans[order].nodes if node.get("Index Name") == "games_pkey"]
            assert [node["Actual Loops"] <= 51 for node in read] == [True], (several, order)


def test_a_move_writes_to_no_index_of_its_game(sql: psycopg.Connection) -> None:
    """No index of the table contains what a move changes, so the row is updated in place."""
    rows = sql.execute(
        "SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid"
        " AND (a.attnum = ANY (i.indkey) OR pg_get_expr(i.indpred, i.indrelid) LIKE '%' || a.attname || '%')"
        " WHERE i.indrelid = 'games'::regclass"
    )
    indexed = {name for (name,) in rows}
    assert not indexed & {"version", "seats", "head", "drawn", "position", "result", "updated_at"}
    assert "ended_at" in indexed


def test_a_list_of_ended_games_reads_no_running_ones(session: Explaining) -> None:
    """They are at one end of the order, perhaps a quarter of all games, and the ended ones at the other."""
    ended = {("status",), ("reason",), ("winner",), ("finished_before",)}
    wanted = [one for one in lists(1) if one.filters in ended and one.order.endswith("finished_at")]
    assert {one.scope for one in wanted} == {"app", "busy player", "quiet player", "public"}
    for one in wanted:
        if one.scope != "quiet player":
            bounds = [node["Index Cond"] for node in explain(session, one).nodes if "_by_end" in _index(node)]
            assert [bound for bound in bounds if "ended_at <" in bound], one
    going_on = List("app", ("running",), "finished_at", Search(app_id=APP, status=["running", "open"]))
    (bound,) = [n["Index Cond"] for n in explain(session, going_on).nodes if "_by_end" in _index(n)]
    assert "ended_at = 'infinity'" in bound


def _index(node: dict[str, Any]) -> str:
    return str(node.get("Index Name", ""))
