"""Measure what the page My games asks for, with many accounts and games.

Each request is made in this process, on a real PostgreSQL, as an account with the usual number of games and
as one with 250 more. The games are copies of real ones (`bench.growth`), a quarter of them running.

    python -m bench.my_games [GAMES [ACCOUNTS [ROUNDS]]]
"""

from __future__ import annotations

import logging
import os
import statistics
import sys

import structlog

from api.run.embedded.postgres import supervise
from bench.growth import Service, fill, service
from tests.servers.serving import free_directory

GAMES, ACCOUNTS, ROUNDS = 50_000, 10_000, 50
BUSY_EVERY = 200  # games of which one has the busy account
REQUESTS = {
    "my turn": "/v1/me/turns?limit=200",
    "running and open": "/v1/games?status=running,open&limit=200",
    "finished": "/v1/games?status=finished,cancelled&sort=-finished_at&limit=20",
    "invitations": "/v1/me/invitations",
}
SEAT = """
CREATE TEMPORARY TABLE accounts AS
    SELECT n - 1 AS number, uuidv7() AS id FROM generate_series(1, {accounts}) n;
INSERT INTO players (id, app_id, name, created_at)
    SELECT a.id, p.app_id, 'Account ' || a.number, now()
    FROM accounts a, (SELECT app_id FROM players LIMIT 1) p;
CREATE TEMPORARY TABLE seated AS
    SELECT s.game_id, s.player_id AS old, a.id AS new
    FROM game_seats s JOIN (SELECT id, row_number() OVER (ORDER BY id) AS n FROM games) g ON g.id = s.game_id
    JOIN accounts a ON a.number =
        CASE WHEN g.n % {every} = 0 AND s.seat = 0 THEN 0 ELSE (g.n * 3 + s.seat) % {accounts} END;
UPDATE game_seats t SET player_id = new FROM seated s WHERE t.game_id = s.game_id AND t.player_id = old;
UPDATE turns t SET player_id = new FROM seated s WHERE t.game_id = s.game_id AND t.player_id = old;
UPDATE player_games t SET player_id = new FROM seated s WHERE t.game_id = s.game_id AND t.player_id = old;
CREATE TEMPORARY TABLE names AS
    SELECT game_id, array_agg(old::text ORDER BY old) AS old, array_agg(new::text ORDER BY old) AS new
    FROM seated GROUP BY game_id;
UPDATE games g SET seats = replace(replace(replace(seats, old[1], new[1]), old[2], new[2]), old[3], new[3]),
    sitting = replace(replace(replace(sitting, old[1], new[1]), old[2], new[2]), old[3], new[3])
FROM names n WHERE n.game_id = g.id
"""


def seat_accounts(made: Service, accounts: int) -> list[str]:
    """Give every seat to one of the accounts; return tokens of the busy one and of another one."""
    made.sql.execute("SET session_replication_role = replica")
    for statement in SEAT.format(accounts=accounts, every=BUSY_EVERY).split(";\n"):
        made.sql.execute(statement)
    made.sql.execute("SET session_replication_role = origin")
    made.sql.execute("VACUUM ANALYZE")
    rows = made.sql.execute("SELECT id FROM accounts WHERE number IN (0, 17) ORDER BY number").fetchall()
    return [made.call("POST", f"/v1/players/{player}/tokens")["token"] for (player,) in rows]


def main() -> None:
    """Print a line for each request: how many items, and milliseconds of both accounts."""
    games, accounts, rounds = (*map(int, sys.argv[1:]), *(GAMES, ACCOUNTS, ROUNDS)[len(sys.argv) - 1 :])
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with free_directory() as directory, supervise(directory) as server:
        assert server is not None
        with service(server, "bench") as made:
            fill(made, games)
            busy, usual = seat_accounts(made, accounts)
            print(f"{games} games, {accounts} accounts, load {os.getloadavg()[0]:.1f}, milliseconds:")
            print(f"{'':20}{'items':>7}{'median':>8}{'worst':>8}   {'items':>7}{'median':>8}{'worst':>8}")
            for name, path in REQUESTS.items():
                line = f"{name:20}"
                for token in (usual, busy):
                    answer = made.client.get(path, headers={"Authorization": f"Bearer {token}"})
                    times = [made.timed("GET", path, token=token) for _ in range(rounds)]
                    items = len(answer.json["items"])
                    line += f"{items:>7}{statistics.median(times):>8.1f}{max(times):>8.1f}   "
                print(line)


if __name__ == "__main__":
    main()
