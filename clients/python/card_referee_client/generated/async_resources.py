"""Generated from the specification by `generate.py`."""

from __future__ import annotations


from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast


from card_referee_client import core
from card_referee_client.core import OMITTED
from card_referee_client.generated import types


class Log:
    """Operations of `log`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    async def checkpoint(self) -> str:
        """Return the signed size and root of the log of all games.

        Every game that is created and every end of a game is a leaf of this log, which identifies the game by its commitment. Paths and formats are those of C2SP's tlog-tiles (`c2sp.org/tlog-tiles`), hashes those of RFC 9162. A leaf is added some seconds after its event. Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.
        """
        return cast("str", await self._transport.call("GET", "/v1/log/checkpoint", media="text/plain"))

    async def tile(self, tile: str) -> bytes:
        """Return a tile of hashes or a bundle of entries of the log of all games.

        Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.
        """
        return cast(
            "bytes",
            await self._transport.call(
                "GET", f"/v1/log/tile/{self._transport.quote(tile)}", media="application/octet-stream"
            ),
        )

    async def prove_inclusion(self, *, index: int | None = None, size: int | None = None) -> types.Inclusion:
        """Prove that a leaf is in the log of all games.

        Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.

        index: The number of the leaf, from 0.
        size: The size of the tree; the newest by default.
        """
        return cast(
            "types.Inclusion",
            await self._transport.call(
                "GET", "/v1/log/proofs/inclusion", query={"index": index, "size": size}
            ),
        )

    async def prove_consistency(
        self, *, first: int | None = None, second: int | None = None
    ) -> types.Consistency:
        """Prove that the log of all games has only grown from one size to another.

        Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.

        first: The size of the smaller tree.
        second: The size of the larger tree; the newest by default.
        """
        return cast(
            "types.Consistency",
            await self._transport.call(
                "GET", "/v1/log/proofs/consistency", query={"first": first, "second": second}
            ),
        )

    async def keys(self, *, game: str | None = None) -> types.LogKeyList:
        """List the current and former keys that sign receipts, newest first.

        A receipt is a C2SP checkpoint (`c2sp.org/tlog-checkpoint`): its origin is the key's name, a slash and the game's id. `referee verify --receipts` compares receipts with a record. Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.

        game: The game whose receipts are to be checked. Behind one address there may be several servers with keys of their own; with this parameter, the server that has the game answers.
        """
        return cast(
            "types.LogKeyList", await self._transport.call("GET", "/v1/log-keys", query={"game": game})
        )


class GamesSeats:
    """Operations of `games seats`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    async def create_guest(
        self,
        game: str,
        seat: int,
        *,
        invite: str,
        name: str,
        entropy: str = OMITTED,
        public_key: str = OMITTED,
        commitment: str = OMITTED,
        idempotency_key: str | None = None,
    ) -> types.NewSeatGuest:
        """Take an open seat as a guest, with only its invite code.

        The code can be used once; only the same request with the same `Idempotency-Key` gets its answer again. The token in the answer plays for this seat. It ends with the game, or when its holder leaves the seat. After that, every request with it is answered with 401, with two exceptions: for another hour it can read the finished game (the game, its log, record, verification and dispute report), and a request that was made before the end can be repeated with its `Idempotency-Key` and gets its first answer. Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.

        entropy: Default: "".
        public_key: An Ed25519 key: from now on, actions of the seat must be signed with it.
        commitment: SHA-256 of the entropy that the seat will reveal, in games whose `entropy` is `commit`.
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.NewSeatGuest",
            await self._transport.call(
                "POST",
                f"/v1/games/{self._transport.quote(game)}/seats/{self._transport.quote(seat)}/guest",
                body={
                    "invite": invite,
                    "name": name,
                    "entropy": entropy,
                    "public_key": public_key,
                    "commitment": commitment,
                },
                idempotency_key=idempotency_key,
            ),
        )

    async def show_invitation(self, game: str, seat: int, *, invite: str) -> types.Invitation:
        """Show which game an invite code is for, before the seat is taken.

        Nothing is changed, and the code remains valid. If `entropy` is `commit`, the seat must be taken with a `commitment`. The other players are not shown. Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.
        """
        return cast(
            "types.Invitation",
            await self._transport.call(
                "POST",
                f"/v1/games/{self._transport.quote(game)}/seats/{self._transport.quote(seat)}/invitation",
                body={"invite": invite},
            ),
        )

    async def replace_player(
        self,
        game: str,
        seat: int,
        *,
        player: str = OMITTED,
        bot: Literal["random", "cautious"] = OMITTED,
        signed: types.Signed | Mapping[str, Any] | None = OMITTED,
        idempotency_key: str | None = None,
    ) -> types.Game:
        """Hand a seat of a running game over to another player or to a bot.

        An app can do this for any seat. A call by a player is an agreement; the seat is handed over when all other seats that are held by players have agreed to the same. Players can do this only for a seat that has timed out, or whose turn has lasted for a week. Repeating the call changes nothing. Called with an app key with scope `write` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        signed: Required if the seat has a public key.
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Game",
            await self._transport.call(
                "PUT",
                f"/v1/games/{self._transport.quote(game)}/seats/{self._transport.quote(seat)}/player",
                body={"player": player, "bot": bot, "signed": signed},
                idempotency_key=idempotency_key,
            ),
        )

    async def take(
        self,
        game: str,
        seat: int,
        *,
        invite: str = OMITTED,
        entropy: str = OMITTED,
        commitment: str = OMITTED,
        player: str = OMITTED,
        public_key: str = OMITTED,
        idempotency_key: str | None = None,
    ) -> types.Game:
        """Take an open seat.

        If the player may not see the game otherwise, the seat's invite code is needed. Repeating the call as the same player changes nothing. Called with an app key with scope `write` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        commitment: SHA-256 of the entropy that the seat will reveal, in games whose `entropy` is `commit`.
        public_key: An Ed25519 key: from now on, actions of the seat must be signed with it.
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Game",
            await self._transport.call(
                "PUT",
                f"/v1/games/{self._transport.quote(game)}/seats/{self._transport.quote(seat)}",
                body={
                    "invite": invite,
                    "entropy": entropy,
                    "commitment": commitment,
                    "player": player,
                    "public_key": public_key,
                },
                idempotency_key=idempotency_key,
            ),
        )

    async def leave(self, game: str, seat: int) -> None:
        """Leave a seat before the game starts.

        Called with an app key with scope `write` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).
        """
        await self._transport.call(
            "DELETE", f"/v1/games/{self._transport.quote(game)}/seats/{self._transport.quote(seat)}"
        )


class GamesOrders:
    """Operations of `games orders`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    async def get(self, game: str, *, seat: int | None = None) -> types.Orders:
        """Show my standing orders; nobody else can see them.

        Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        seat: The seat, if the caller holds or acts for several.
        """
        return cast(
            "types.Orders",
            await self._transport.call(
                "GET", f"/v1/games/{self._transport.quote(game)}/orders", query={"seat": seat}
            ),
        )

    async def set(
        self,
        game: str,
        *,
        orders: Sequence[types.NewOrder | Mapping[str, Any]],
        seat: int | None = OMITTED,
        signed: types.Signed | Mapping[str, Any] | None = OMITTED,
        version: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> types.Orders:
        """Store moves to be made automatically, replacing the previous orders.

        When it is my turn, the first order whose condition holds is played, immediately if it is my turn now. A move that I make in another way does not change the orders. If the move of an order is not legal, all orders are cancelled, unless the order says otherwise. Repeated orders end after a hundred moves. With the ETag of my orders in `If-Match`, nothing is overwritten that another device has stored. Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        signed: Required if the seat has a public key.
        version: act only if the game still has this version (or this ETag or hash).
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Orders",
            await self._transport.call(
                "PUT",
                f"/v1/games/{self._transport.quote(game)}/orders",
                body={"seat": seat, "signed": signed, "orders": orders},
                version=version,
                idempotency_key=idempotency_key,
            ),
        )

    async def delete(self, game: str, *, seat: int | None = None, version: int | str | None = None) -> None:
        """Delete my standing orders and automatic moves.

        Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        seat: The seat, if the caller holds or acts for several.
        version: act only if the game still has this version (or this ETag or hash).
        """
        await self._transport.call(
            "DELETE", f"/v1/games/{self._transport.quote(game)}/orders", query={"seat": seat}, version=version
        )


class Games:
    """Operations of `games`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport
        self.seats = GamesSeats(transport)
        self.orders = GamesOrders(transport)

    async def inclusion(self, game: str) -> types.GameInclusion:
        """Prove that a game is in the log of all games, with its start and its end.

        Called with an app key with scope `read` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.
        """
        return cast(
            "types.GameInclusion",
            await self._transport.call("GET", f"/v1/games/{self._transport.quote(game)}/inclusion"),
        )

    async def create(
        self,
        *,
        ruleset: str,
        seats: Sequence[types.NewSeat | Mapping[str, Any]],
        options: Mapping[str, Any] = OMITTED,
        visibility: Literal["public", "unlisted", "private"] = OMITTED,
        pace: types.NewPace | Mapping[str, Any] | None = OMITTED,
        series_games: int | None = OMITTED,
        seats_private: bool = OMITTED,
        distinct_players: bool = OMITTED,
        test_clock: str | None = OMITTED,
        entropy: Literal["given", "commit"] = OMITTED,
        reveal_within: str | None = OMITTED,
        beacon: bool = OMITTED,
        external_id: str | None = OMITTED,
        metadata: Mapping[str, str | None] | None = OMITTED,
        title: str | None = OMITTED,
        webhook: types.GameWebhook | Mapping[str, Any] | None = OMITTED,
        idempotency_key: str | None = None,
    ) -> types.Game:
        """Create a game.

        It starts automatically when every seat is taken. Open seats have an invite code, which is shown only to the creator. A guest of this server can take only one seat, their own. Called with an app key with scope `write` or the token of a guest of this server.

        visibility: Default: "private".
        series_games: Start a series with this number of games.
        seats_private: Only players can act for their seats; no app key can act for them. Default: false.
        distinct_players: Allow each player only one seat. Default: false.
        test_clock: Use the time of a test clock of the app instead of real time.
        entropy: Seats give their entropy when joining, or join with its hash and reveal it later. Default: "given".
        reveal_within: With `commit`: the time to reveal, one hour by default. A player who does not reveal in time forfeits the seat, and the game is cancelled.
        beacon: Use the server's public beacon: its first round after all seats are settled affects the deal. Default: false.
        external_id: The app's own id, unique among its objects of this kind.
        metadata: Any data of the app; a value of null removes the key.
        title: The title, visible to everybody who sees the object.
        webhook: A webhook for this game only, until it is over.
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Game",
            await self._transport.call(
                "POST",
                "/v1/games",
                body={
                    "ruleset": ruleset,
                    "options": options,
                    "seats": seats,
                    "visibility": visibility,
                    "pace": pace,
                    "series_games": series_games,
                    "seats_private": seats_private,
                    "distinct_players": distinct_players,
                    "test_clock": test_clock,
                    "entropy": entropy,
                    "reveal_within": reveal_within,
                    "beacon": beacon,
                    "external_id": external_id,
                    "metadata": metadata,
                    "title": title,
                    "webhook": webhook,
                },
                idempotency_key=idempotency_key,
            ),
        )

    def list(
        self,
        *,
        external_id: str | None = None,
        metadata: str | None = None,
        limit: int | None = None,
        sort: Literal["created_at", "-created_at", "finished_at", "-finished_at"] | None = None,
        status: Literal["open", "running", "finished", "cancelled"]
        | Sequence[Literal["open", "running", "finished", "cancelled"]]
        | None = None,
        ruleset: str | Sequence[str] | None = None,
        player: str | Sequence[str] | None = None,
        to_act: str | Sequence[str] | None = None,
        winner: Sequence[str] | None = None,
        title: Sequence[str] | None = None,
        reason: Sequence[str] | None = None,
        visibility: Literal["public", "unlisted", "private"]
        | Sequence[Literal["public", "unlisted", "private"]]
        | None = None,
        test_clock: str | Sequence[str] | None = None,
        origin: Literal["dealt", "imported"] | Sequence[Literal["dealt", "imported"]] | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        updated_after: str | None = None,
        updated_before: str | None = None,
        finished_after: str | None = None,
        finished_before: str | None = None,
    ) -> core.AsyncListing[types.GameSummary]:
        """Find games.

        Lists the caller's own games; with visibility `public`, or without a token, everyone's public games. The newest come first, unless `sort` says otherwise. A cursor is valid only for the same filters and the same sort. Called with an app key with scope `read` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.

        external_id: Only objects with this id of the app's own.
        metadata: Only objects with this pair in their metadata: a key, a colon, the value.
        limit: The maximum number of items on a page.
        sort: The order; `-` puts the latest first. By `finished_at`, cancelled games are sorted by end too, running games as if they ended last. By default, the newest come first.
        status: Only games of these statuses.
        ruleset: Only games of these rulesets.
        player: Only games in which one of these players has a seat.
        to_act: Only games that wait for one of these players.
        winner: Only games that one of these players has won.
        title: Only games with one of these titles. Repeat the parameter for several titles.
        reason: Only games whose result has one of these reasons.
        visibility: Only games of these visibilities; `public` alone finds everyone's.
        test_clock: Only games on these test clocks.
        origin: Only games that were dealt here, or only imported ones.
        created_after: Only games created at this time or later.
        created_before: Only games created before this time.
        updated_after: Only games changed at this time or later.
        updated_before: Only games changed before this time.
        finished_after: Only games that were finished at this time or later.
        finished_before: Only games that were finished before this time.
        """
        return core.AsyncListing(
            self._transport,
            "/v1/games",
            {
                "external_id": external_id,
                "metadata": metadata,
                "limit": limit,
                "sort": sort,
                "status": status,
                "ruleset": ruleset,
                "player": player,
                "to_act": to_act,
                "winner": winner,
                "title": title,
                "reason": reason,
                "visibility": visibility,
                "test_clock": test_clock,
                "origin": origin,
                "created_after": created_after,
                "created_before": created_before,
                "updated_after": updated_after,
                "updated_before": updated_before,
                "finished_after": finished_after,
                "finished_before": finished_before,
            },
        )

    async def get(self, game: str, *, version: int | None = None) -> types.Game:
        """Show a game as the caller sees it, now or at an older version.

        Called with an app key with scope `read` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.

        version: The game as it was at this version.
        """
        return cast(
            "types.Game",
            await self._transport.call(
                "GET", f"/v1/games/{self._transport.quote(game)}", query={"version": version}, cached=True
            ),
        )

    async def update(
        self,
        game: str,
        *,
        external_id: str | None = OMITTED,
        metadata: Mapping[str, str | None] | None = OMITTED,
        title: str | None = OMITTED,
    ) -> types.Game:
        """Change a game's title, external id or metadata.

        This does not change the game itself or its version. Only the named keys of the metadata change; a key whose value is null or empty is removed. Called with an app key with scope `write`.

        external_id: The app's own id, unique among its objects of this kind.
        metadata: Any data of the app; a value of null removes the key.
        title: The title, visible to everybody who sees the object.
        """
        return cast(
            "types.Game",
            await self._transport.call(
                "PATCH",
                f"/v1/games/{self._transport.quote(game)}",
                body={"external_id": external_id, "metadata": metadata, "title": title},
            ),
        )

    async def rematch(
        self, game: str, *, seats: Literal["rotated", "same"] = OMITTED, idempotency_key: str | None = None
    ) -> types.Game:
        """Create a rematch: a new game with the same players.

        The ruleset, options, pace, title and metadata are the same; the external id is not copied. Both games refer to each other and form a series. A game can have only one rematch. Called with an app key with scope `write`.

        seats: Whether everybody moves up by one seat or keeps their seat. Default: "rotated".
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Game",
            await self._transport.call(
                "POST",
                f"/v1/games/{self._transport.quote(game)}/rematch",
                body={"seats": seats},
                idempotency_key=idempotency_key,
            ),
        )

    async def series(self, series: str) -> types.Series:
        """Show the games of a series that the caller may see, and the score.

        Called with an app key with scope `read` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).
        """
        return cast(
            "types.Series", await self._transport.call("GET", f"/v1/series/{self._transport.quote(series)}")
        )

    async def cancel(self, game: str, *, idempotency_key: str | None = None) -> types.Moved:
        """Cancel a game that is not over; nobody wins.

        Called with an app key with scope `write`.

        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Moved",
            await self._transport.call(
                "POST",
                f"/v1/games/{self._transport.quote(game)}/cancellation",
                idempotency_key=idempotency_key,
            ),
        )

    async def record(self, game: str) -> types.GameRecord:
        """Export a game: complete when it is over, before that only what the caller may see.

        Called with an app key with scope `read` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.
        """
        return cast(
            "types.GameRecord",
            await self._transport.call("GET", f"/v1/games/{self._transport.quote(game)}/record"),
        )

    async def verify(self, game: str) -> types.Verification:
        """Verify a game.

        The log is replayed from its seed: numbers, hashes, sealed parts, commitment, shuffles, verdicts, transfers, result, and the stored position. Each check says whether it holds, or which entry fails first. Called with an app key with scope `read` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.
        """
        return cast(
            "types.Verification",
            await self._transport.call("GET", f"/v1/games/{self._transport.quote(game)}/verification"),
        )

    async def dispute_report(self, game: str, *, seat: int | None = None) -> str:
        """Return a report of a finished game, for a person who has to settle a dispute.

        A self-contained HTML page: the game and its log, every move with its time, what one seat saw, which moves it could not have made instead and by which rule, how each deadline was calculated, who agreed to take-backs, and what was verified. Called with an app key with scope `read` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.

        seat: The seat, if the caller holds or acts for several.
        """
        return cast(
            "str",
            await self._transport.call(
                "GET",
                f"/v1/games/{self._transport.quote(game)}/dispute-report",
                query={"seat": seat},
                media="text/html",
            ),
        )

    async def legal_moves(self, game: str, *, seat: int | None = None) -> types.LegalMoves:
        """List a seat's legal moves in the current position.

        Called with an app key with scope `write` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        seat: The seat, if the caller holds or acts for several.
        """
        return cast(
            "types.LegalMoves",
            await self._transport.call(
                "GET",
                f"/v1/games/{self._transport.quote(game)}/legal-moves",
                query={"seat": seat},
                cached=True,
            ),
        )

    async def move(
        self,
        game: str,
        move: Mapping[str, Any],
        *,
        seat: int | None = OMITTED,
        signed: types.Signed | Mapping[str, Any] | None = OMITTED,
        dry_run: bool | None = None,
        version: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> types.Moved:
        """Make a move.

        Called with an app key with scope `write` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        signed: Required if the seat has a public key.
        dry_run: Use `try_move` instead. With `true`, the move is only judged, as by `try_move`.
        version: act only if the game still has this version (or this ETag or hash).
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Moved",
            await self._transport.call(
                "POST",
                f"/v1/games/{self._transport.quote(game)}/moves",
                query={"dry_run": dry_run},
                body={"seat": seat, "signed": signed, "move": move},
                version=version,
                idempotency_key=idempotency_key,
            ),
        )

    async def try_move(
        self,
        game: str,
        move: Mapping[str, Any],
        *,
        seat: int | None = OMITTED,
        signed: types.Signed | Mapping[str, Any] | None = OMITTED,
        version: int | str | None = None,
    ) -> types.DryRun:
        """Judge a move without making it.

        An illegal move is a normal answer here, not an error. Nothing is changed, so no `Idempotency-Key` is needed. Called with an app key with scope `write` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        signed: Required if the seat has a public key.
        version: act only if the game still has this version (or this ETag or hash).
        """
        return cast(
            "types.DryRun",
            await self._transport.call(
                "POST",
                f"/v1/games/{self._transport.quote(game)}/moves/dry-run",
                body={"seat": seat, "signed": signed, "move": move},
                version=version,
            ),
        )

    async def resign(
        self,
        game: str,
        *,
        seat: int | None = OMITTED,
        signed: types.Signed | Mapping[str, Any] | None = OMITTED,
        version: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> types.Moved:
        """Resign: the seat's team loses, and the game is over.

        Called with an app key with scope `write` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        signed: Required if the seat has a public key.
        version: act only if the game still has this version (or this ETag or hash).
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Moved",
            await self._transport.call(
                "POST",
                f"/v1/games/{self._transport.quote(game)}/resignation",
                body={"seat": seat, "signed": signed},
                version=version,
                idempotency_key=idempotency_key,
            ),
        )

    async def send_message(
        self, game: str, *, text: str, seat: int | None = OMITTED, idempotency_key: str | None = None
    ) -> types.Said:
        """Post a chat message, visible to everybody who can see the game.

        No messages are possible after the end of the game. Called with an app key with scope `write` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Said",
            await self._transport.call(
                "POST",
                f"/v1/games/{self._transport.quote(game)}/messages",
                body={"seat": seat, "text": text},
                idempotency_key=idempotency_key,
            ),
        )

    async def take_vacation(
        self,
        game: str,
        *,
        days: int,
        seat: int | None = OMITTED,
        signed: types.Signed | Mapping[str, Any] | None = OMITTED,
        idempotency_key: str | None = None,
    ) -> types.Moved:
        """Take days of vacation in a game whose pace allows them.

        They begin now, or at the end of the current vacation. The seat's time does not run during them: a running deadline is moved. A day is 24 hours. Called with an app key with scope `write` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        signed: Required if the seat has a public key.
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Moved",
            await self._transport.call(
                "POST",
                f"/v1/games/{self._transport.quote(game)}/vacation",
                body={"seat": seat, "signed": signed, "days": days},
                idempotency_key=idempotency_key,
            ),
        )

    async def pause(
        self,
        game: str,
        *,
        seat: int | None = OMITTED,
        signed: types.Signed | Mapping[str, Any] | None = OMITTED,
        idempotency_key: str | None = None,
    ) -> types.Moved:
        """Agree to pause a game with deadlines.

        The pause begins when all seats that are held by players have agreed; any other action in the game before that ends the agreement. During the pause all clocks stand still, and nobody can move. Called with an app key with scope `write` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        signed: Required if the seat has a public key.
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Moved",
            await self._transport.call(
                "POST",
                f"/v1/games/{self._transport.quote(game)}/pause",
                body={"seat": seat, "signed": signed},
                idempotency_key=idempotency_key,
            ),
        )

    async def resume(
        self,
        game: str,
        *,
        seat: int | None = OMITTED,
        signed: types.Signed | Mapping[str, Any] | None = OMITTED,
        idempotency_key: str | None = None,
    ) -> types.Moved:
        """End a pause, as any seat may. The seats to act have as much time as before it.

        Called with an app key with scope `write` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        signed: Required if the seat has a public key.
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Moved",
            await self._transport.call(
                "POST",
                f"/v1/games/{self._transport.quote(game)}/resumption",
                body={"seat": seat, "signed": signed},
                idempotency_key=idempotency_key,
            ),
        )

    async def nudge(
        self, game: str, *, seat: int | None = OMITTED, idempotency_key: str | None = None
    ) -> types.Moved:
        """Remind the players for whom the game is waiting to move.

        Possible when their turn has lasted for a day, and then once a day, whoever asks. It is recorded in the log. Called with an app key with scope `write` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Moved",
            await self._transport.call(
                "POST",
                f"/v1/games/{self._transport.quote(game)}/nudges",
                body={"seat": seat},
                idempotency_key=idempotency_key,
            ),
        )

    async def ask_take_back(
        self,
        game: str,
        *,
        seat: int | None = OMITTED,
        signed: types.Signed | Mapping[str, Any] | None = OMITTED,
        idempotency_key: str | None = None,
    ) -> types.Moved:
        """Ask to take back the seat's last move, with everything after it.

        Refused if chance was drawn or a hidden card was shown by this move or since. The move is taken back when all seats that are held by players have agreed; the next other action in the game ends the request. Orders whose moves are taken back are orders again. The orders of the seat that asked rest until it has moved. Called with an app key with scope `write` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        signed: Required if the seat has a public key.
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Moved",
            await self._transport.call(
                "POST",
                f"/v1/games/{self._transport.quote(game)}/take-back",
                body={"seat": seat, "signed": signed},
                idempotency_key=idempotency_key,
            ),
        )

    async def answer_take_back(
        self,
        game: str,
        *,
        agree: bool,
        seat: int | None = OMITTED,
        signed: types.Signed | Mapping[str, Any] | None = OMITTED,
        idempotency_key: str | None = None,
    ) -> types.Moved:
        """Agree or refuse to take back the move.

        If this is the last seat to agree, the answer has the entry that takes the move back. Called with an app key with scope `write` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        signed: Required if the seat has a public key.
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Moved",
            await self._transport.call(
                "POST",
                f"/v1/games/{self._transport.quote(game)}/take-back/answer",
                body={"seat": seat, "signed": signed, "agree": agree},
                idempotency_key=idempotency_key,
            ),
        )

    async def set_automatic(
        self,
        game: str,
        *,
        seat: int | None = OMITTED,
        signed: types.Signed | Mapping[str, Any] | None = OMITTED,
        always_pass: bool = OMITTED,
        only_move: bool = OMITTED,
        version: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> types.Orders:
        """Set what is done at each of my turns to which no order applies.

        The entries have `order: true`, like those of orders, so everybody sees that the move was automatic, and with `only_move` that it was the only legal one. This ends after a hundred moves. Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        signed: Required if the seat has a public key.
        always_pass: Pass whenever the rules allow it. Default: false.
        only_move: Make the move if only one is legal; not in rulesets whose lists are not `complete`. Default: false.
        version: act only if the game still has this version (or this ETag or hash).
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Orders",
            await self._transport.call(
                "PUT",
                f"/v1/games/{self._transport.quote(game)}/automatic",
                body={"seat": seat, "signed": signed, "always_pass": always_pass, "only_move": only_move},
                version=version,
                idempotency_key=idempotency_key,
            ),
        )

    async def reveal_entropy(
        self, game: str, *, entropy: str, seat: int | None = OMITTED, idempotency_key: str | None = None
    ) -> types.Moved:
        """Reveal the entropy to which a seat has committed.

        In games whose `entropy` is `commit`, after all seats are taken and before `reveal_by`. The cards are dealt when the last seat has revealed and, with a beacon, its round has been published. Bots have nothing to reveal. Called with an app key with scope `write` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Moved",
            await self._transport.call(
                "POST",
                f"/v1/games/{self._transport.quote(game)}/entropy",
                body={"seat": seat, "entropy": entropy},
                idempotency_key=idempotency_key,
            ),
        )

    def events(
        self,
        game: str,
        *,
        after: int | None = None,
        limit: int | None = None,
        wait: str | None = None,
        type: Sequence[
            Literal[
                "created",
                "joined",
                "left",
                "revealed",
                "forfeited",
                "started",
                "moved",
                "said",
                "take_back_requested",
                "take_back_agreed",
                "take_back_refused",
                "vacation_taken",
                "nudged",
                "replacement_agreed",
                "pause_agreed",
                "paused",
                "resumed",
                "time_returned",
                "time_added",
                "pace_changed",
                "resigned",
                "timed_out",
                "finished",
                "cancelled",
                "taken_back",
                "timeout_undone",
                "imported",
            ]
        ]
        | None = None,
        seat: int | None = None,
        since: str | None = None,
    ) -> core.AsyncListing[types.Entry]:
        """Read the log, oldest entry first.

        As JSON one page at a time; with `wait`, an empty page waits for the next entry. As `application/x-ndjson` all entries after `after`, or as many as `limit` says, one per line. As `text/event-stream` live: first the event `view` with the game as the caller sees it, then every entry as it is committed, with its seq as the event's id and its type as the event's name. With `Last-Event-ID` (or `after`) the stream starts after that entry, without a view. The stream ends when the token is revoked or expires, and when the game ends; resuming it then is answered with 204. Called with an app key with scope `read` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.

        after: Only entries after this seq.
        limit: The maximum number of items on a page. As NDJSON, the maximum number of lines; by default, all.
        wait: If there is no entry yet, wait for one, up to this long (limited by the server).
        type: Only entries of these types.
        seat: Only entries whose `seat` is this one.
        since: Only entries at this time or later.
        """
        return core.AsyncListing(
            self._transport,
            f"/v1/games/{self._transport.quote(game)}/events",
            {"after": after, "limit": limit, "wait": wait, "type": type, "seat": seat, "since": since},
        )

    def follow(
        self,
        game: str,
        *,
        after: str | int | None = None,
        type: Sequence[
            Literal[
                "created",
                "joined",
                "left",
                "revealed",
                "forfeited",
                "started",
                "moved",
                "said",
                "take_back_requested",
                "take_back_agreed",
                "take_back_refused",
                "vacation_taken",
                "nudged",
                "replacement_agreed",
                "pause_agreed",
                "paused",
                "resumed",
                "time_returned",
                "time_added",
                "pace_changed",
                "resigned",
                "timed_out",
                "finished",
                "cancelled",
                "taken_back",
                "timeout_undone",
                "imported",
            ]
        ]
        | None = None,
        seat: int | None = None,
    ) -> core.AsyncEvents[types.Entry]:
        """Follow the stream, which resumes by itself after interruptions.

        Read the log, oldest entry first.

        As JSON one page at a time; with `wait`, an empty page waits for the next entry. As `application/x-ndjson` all entries after `after`, or as many as `limit` says, one per line. As `text/event-stream` live: first the event `view` with the game as the caller sees it, then every entry as it is committed, with its seq as the event's id and its type as the event's name. With `Last-Event-ID` (or `after`) the stream starts after that entry, without a view. The stream ends when the token is revoked or expires, and when the game ends; resuming it then is answered with 204. Called with an app key with scope `read` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.

        after: the id of the last event that you know.
        type: Only entries of these types.
        seat: Only entries whose `seat` is this one.
        """
        return core.AsyncEvents(
            self._transport,
            f"/v1/games/{self._transport.quote(game)}/events",
            {"type": type, "seat": seat},
            after,
            resumes=True,
        )


class Records:
    """Operations of `records`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        format: Literal["card-referee/1"],
        ruleset: str,
        seats: int,
        seed: str | None,
        moves: Sequence[Mapping[str, Any]],
        version: int | None = OMITTED,
        options: Mapping[str, Any] = OMITTED,
        entropy: Sequence[str] = OMITTED,
        result: Mapping[str, Any] | None = OMITTED,
        visibility: Literal["public", "unlisted", "private"] | None = None,
        idempotency_key: str | None = None,
    ) -> types.Game:
        """Import a record.

        The log and the moves are verified first; if anything fails, the whole record is refused with the first fault. A finished record becomes a finished game; another one continues, without players and deadlines. The game shows that it was imported, and by which app. Players of other apps appear in it only by name. Importing the same record again returns the same game (200). A game that was dealt here, or that another app has imported, is refused (409). Called with an app key with scope `write`.

        ruleset: The id of a ruleset.
        seed: Null in the record of a running game, which cannot be replayed.
        version: The version of the ruleset; by default, the newest.
        entropy: One for each seat.
        visibility: Who can see the game.
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Game",
            await self._transport.call(
                "POST",
                "/v1/records",
                query={"visibility": visibility},
                body={
                    "format": format,
                    "ruleset": ruleset,
                    "version": version,
                    "seats": seats,
                    "options": options,
                    "seed": seed,
                    "entropy": entropy,
                    "moves": moves,
                    "result": result,
                },
                idempotency_key=idempotency_key,
            ),
        )


class Rulesets:
    """Operations of `rulesets`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    async def list(self) -> types.RulesetList:
        """List the available rulesets.

        Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.
        """
        return cast("types.RulesetList", await self._transport.call("GET", "/v1/rulesets"))

    async def get(
        self,
        ruleset: Literal[
            "cats_and_dogs", "truco", "landlord", "pies", "bisca", "dog_cards", "mau_mau", "pedro", "palace"
        ],
    ) -> types.Ruleset:
        """Describe a ruleset: seats, options, moves, zones, and the rules with their ids.

        Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.
        """
        return cast(
            "types.Ruleset",
            await self._transport.call("GET", f"/v1/rulesets/{self._transport.quote(ruleset)}"),
        )


class Referee:
    """Operations of `referee`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    async def judge(
        self,
        *,
        seat: int,
        move: Any,
        position: types.AnyPosition | Mapping[str, Any] = OMITTED,
        record: types.AnyRecord | Mapping[str, Any] = OMITTED,
        chance: Sequence[Mapping[str, Any]] = OMITTED,
        seed: str = OMITTED,
    ) -> types.Judged:
        """Judge a move in a position, or at the end of a record.

        An illegal move is a normal answer here, not an error. For a legal move, the answer has the next position. Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.
        """
        return cast(
            "types.Judged",
            await self._transport.call(
                "POST",
                "/v1/referee/verdicts",
                body={
                    "position": position,
                    "record": record,
                    "seat": seat,
                    "move": move,
                    "chance": chance,
                    "seed": seed,
                },
            ),
        )

    async def legal_moves(
        self, *, position: types.AnyPosition | Mapping[str, Any], seat: int
    ) -> types.PositionMoves:
        """List the legal moves of a seat in a position.

        Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.
        """
        return cast(
            "types.PositionMoves",
            await self._transport.call(
                "POST", "/v1/referee/legal-moves", body={"position": position, "seat": seat}
            ),
        )

    async def replay(
        self,
        *,
        format: Literal["card-referee/1"],
        ruleset: str,
        seats: int,
        seed: str | None,
        moves: Sequence[Mapping[str, Any]],
        version: int | None = OMITTED,
        options: Mapping[str, Any] = OMITTED,
        entropy: Sequence[str] = OMITTED,
        result: Mapping[str, Any] | None = OMITTED,
    ) -> types.Replayed:
        """Replay a record: every verdict, the final position, the result.

        Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.

        ruleset: The id of a ruleset.
        seed: Null in the record of a running game, which cannot be replayed.
        version: The version of the ruleset; by default, the newest.
        entropy: One for each seat.
        """
        return cast(
            "types.Replayed",
            await self._transport.call(
                "POST",
                "/v1/referee/replays",
                body={
                    "format": format,
                    "ruleset": ruleset,
                    "version": version,
                    "seats": seats,
                    "options": options,
                    "seed": seed,
                    "entropy": entropy,
                    "moves": moves,
                    "result": result,
                },
            ),
        )


class WebhooksDeliveries:
    """Operations of `webhooks deliveries`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        webhook: str,
        *,
        limit: int | None = None,
        status: Literal["pending", "delivered", "failed", "skipped"] | None = None,
        event: Literal[
            "game.created",
            "seat.joined",
            "seat.left",
            "seat.replaced",
            "reveal.due",
            "seat.revealed",
            "seat.forfeited",
            "game.started",
            "turn.began",
            "turn.warning",
            "turn.timed_out",
            "turn.nudged",
            "deadline.moved",
            "clocks.changed",
            "move.made",
            "take_back.requested",
            "take_back.answered",
            "move.taken_back",
            "vacation.taken",
            "pause.agreed",
            "game.paused",
            "game.resumed",
            "replacement.agreed",
            "seat.resigned",
            "game.finished",
            "game.cancelled",
            "game.imported",
            "message.posted",
            "orders.cancelled",
            "mail.failed",
            "webhook.created",
            "webhook.changed",
            "webhook.secret_replaced",
            "webhook.disabled",
            "webhook.enabled",
            "webhook.ended",
            "webhook.deleted",
            "webhook.test",
        ]
        | None = None,
    ) -> core.AsyncListing[types.Delivery]:
        """List the deliveries of the last 30 days, newest first, with each attempt's request and answer.

        Called with an app key with scope `read`.

        limit: The maximum number of items on a page.
        status: Only deliveries with this status.
        event: Only deliveries of this event.
        """
        return core.AsyncListing(
            self._transport,
            f"/v1/webhooks/{self._transport.quote(webhook)}/deliveries",
            {"limit": limit, "status": status, "event": event},
        )

    async def get(self, webhook: str, delivery: str) -> types.Delivery:
        """Show a delivery, for example one that was sent again, with each attempt's request and answer.

        Called with an app key with scope `read`.
        """
        return cast(
            "types.Delivery",
            await self._transport.call(
                "GET",
                f"/v1/webhooks/{self._transport.quote(webhook)}/deliveries/{self._transport.quote(delivery)}",
            ),
        )

    async def retry(
        self, webhook: str, delivery: str, *, idempotency_key: str | None = None
    ) -> types.Delivery:
        """Send a delivery again now, whatever its status.

        Called with an app key with scope `write`.

        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Delivery",
            await self._transport.call(
                "POST",
                f"/v1/webhooks/{self._transport.quote(webhook)}/deliveries/{self._transport.quote(delivery)}/retry",
                idempotency_key=idempotency_key,
            ),
        )

    async def skip(
        self, webhook: str, delivery: str, *, idempotency_key: str | None = None
    ) -> types.Delivery:
        """Skip a delivery that the receiver keeps refusing, so that later ones of its game can continue.

        Called with an app key with scope `write`.

        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Delivery",
            await self._transport.call(
                "POST",
                f"/v1/webhooks/{self._transport.quote(webhook)}/deliveries/{self._transport.quote(delivery)}/skip",
                idempotency_key=idempotency_key,
            ),
        )


class Webhooks:
    """Operations of `webhooks`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport
        self.deliveries = WebhooksDeliveries(transport)

    async def create(
        self,
        *,
        url: str,
        events: Sequence[
            Literal[
                "game.created",
                "seat.joined",
                "seat.left",
                "seat.replaced",
                "reveal.due",
                "seat.revealed",
                "seat.forfeited",
                "game.started",
                "turn.began",
                "turn.warning",
                "turn.timed_out",
                "turn.nudged",
                "deadline.moved",
                "clocks.changed",
                "move.made",
                "take_back.requested",
                "take_back.answered",
                "move.taken_back",
                "vacation.taken",
                "pause.agreed",
                "game.paused",
                "game.resumed",
                "replacement.agreed",
                "seat.resigned",
                "game.finished",
                "game.cancelled",
                "game.imported",
                "message.posted",
                "orders.cancelled",
                "mail.failed",
                "webhook.created",
                "webhook.changed",
                "webhook.secret_replaced",
                "webhook.disabled",
                "webhook.enabled",
                "webhook.ended",
                "webhook.deleted",
            ]
        ] = OMITTED,
        include: Sequence[Literal["entry"]] = OMITTED,
        external_id: str | None = OMITTED,
        metadata: Mapping[str, str | None] | None = OMITTED,
        game: str | None = OMITTED,
        idempotency_key: str | None = None,
    ) -> types.WebhookSecret:
        """Create a webhook.

        The secret is shown only once. Notifications are signed according to Standard Webhooks, delivered at least once, and repeated with growing pauses for more than a day. They are sent in order for each game; chat messages have an order of their own, so a refused chat message does not delay a turn. A webhook with a `game` gets notifications of that game only, and ends with it. Called with an app key with scope `write`.

        include: What notifications include: `entry` is the log entry, as it is shown without a seat.
        external_id: The app's own id, unique among its objects of this kind.
        metadata: Any data of the app; a value of null removes the key.
        game: Only notices of this game of the app, until it is over.
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.WebhookSecret",
            await self._transport.call(
                "POST",
                "/v1/webhooks",
                body={
                    "url": url,
                    "events": events,
                    "include": include,
                    "external_id": external_id,
                    "metadata": metadata,
                    "game": game,
                },
                idempotency_key=idempotency_key,
            ),
        )

    def list(
        self,
        *,
        external_id: str | None = None,
        metadata: str | None = None,
        limit: int | None = None,
        game: str | None = None,
    ) -> core.AsyncListing[types.Webhook]:
        """List the app's webhooks, newest first, without their secrets; includes those of finished games.

        Called with an app key with scope `read`.

        external_id: Only objects with this id of the app's own.
        metadata: Only objects with this pair in their metadata: a key, a colon, the value.
        limit: The maximum number of items on a page.
        game: Only webhooks that are bound to this game.
        """
        return core.AsyncListing(
            self._transport,
            "/v1/webhooks",
            {"external_id": external_id, "metadata": metadata, "limit": limit, "game": game},
        )

    async def get(self, webhook: str) -> types.Webhook:
        """Show a webhook.

        Called with an app key with scope `read`.
        """
        return cast(
            "types.Webhook",
            await self._transport.call("GET", f"/v1/webhooks/{self._transport.quote(webhook)}"),
        )

    async def update(
        self,
        webhook: str,
        *,
        url: str = OMITTED,
        events: Sequence[
            Literal[
                "game.created",
                "seat.joined",
                "seat.left",
                "seat.replaced",
                "reveal.due",
                "seat.revealed",
                "seat.forfeited",
                "game.started",
                "turn.began",
                "turn.warning",
                "turn.timed_out",
                "turn.nudged",
                "deadline.moved",
                "clocks.changed",
                "move.made",
                "take_back.requested",
                "take_back.answered",
                "move.taken_back",
                "vacation.taken",
                "pause.agreed",
                "game.paused",
                "game.resumed",
                "replacement.agreed",
                "seat.resigned",
                "game.finished",
                "game.cancelled",
                "game.imported",
                "message.posted",
                "orders.cancelled",
                "mail.failed",
                "webhook.created",
                "webhook.changed",
                "webhook.secret_replaced",
                "webhook.disabled",
                "webhook.enabled",
                "webhook.ended",
                "webhook.deleted",
            ]
        ] = OMITTED,
        include: Sequence[Literal["entry"]] = OMITTED,
        enabled: bool = OMITTED,
        external_id: str | None = OMITTED,
        metadata: Mapping[str, str | None] | None = OMITTED,
    ) -> types.Webhook:
        """Change, disable or enable a webhook.

        A disabled webhook gets no notifications, and what is queued for it is given up. What it misses is kept for 30 days and can be delivered later. A webhook that has failed for five days, or answers 410, is disabled automatically. Called with an app key with scope `write`.

        include: What notifications include: `entry` is the log entry, as it is shown without a seat.
        external_id: The app's own id, unique among its objects of this kind.
        metadata: Any data of the app; a value of null removes the key.
        """
        return cast(
            "types.Webhook",
            await self._transport.call(
                "PATCH",
                f"/v1/webhooks/{self._transport.quote(webhook)}",
                body={
                    "url": url,
                    "events": events,
                    "include": include,
                    "enabled": enabled,
                    "external_id": external_id,
                    "metadata": metadata,
                },
            ),
        )

    async def delete(self, webhook: str) -> None:
        """Delete a webhook and everything queued for it.

        Called with an app key with scope `write`.
        """
        await self._transport.call("DELETE", f"/v1/webhooks/{self._transport.quote(webhook)}")

    async def replace_secret(
        self, webhook: str, *, overlap: str = OMITTED, idempotency_key: str | None = None
    ) -> types.WebhookSecret:
        """Replace a webhook's secret; the new one is shown only once.

        During `overlap`, notifications have two signatures, one with each secret; either of them is valid. Called with an app key with scope `write`.

        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.WebhookSecret",
            await self._transport.call(
                "POST",
                f"/v1/webhooks/{self._transport.quote(webhook)}/secret",
                body={"overlap": overlap},
                idempotency_key=idempotency_key,
            ),
        )

    async def test(self, webhook: str, *, idempotency_key: str | None = None) -> types.Delivery:
        """Queue a test event, `webhook.test`.

        Called with an app key with scope `write`.

        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Delivery",
            await self._transport.call(
                "POST", f"/v1/webhooks/{self._transport.quote(webhook)}/test", idempotency_key=idempotency_key
            ),
        )

    async def retry_missed(
        self, webhook: str, *, since: str = OMITTED, idempotency_key: str | None = None
    ) -> types.Queued:
        """Deliver what failed, and what was missed while the webhook was disabled.

        Sends everything of the last 30 days that was neither delivered nor skipped, or only what is newer than a time. The order within each game is kept. Called with an app key with scope `write`.

        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Queued",
            await self._transport.call(
                "POST",
                f"/v1/webhooks/{self._transport.quote(webhook)}/retry-missed",
                body={"since": since},
                idempotency_key=idempotency_key,
            ),
        )


class Guests:
    """Operations of `guests`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        name: str,
        external_id: str | None = OMITTED,
        metadata: Mapping[str, str | None] | None = OMITTED,
        idempotency_key: str | None = None,
    ) -> types.NewGuest:
        """Create a guest of this server, if it accepts guests (`GUESTS`).

        The token is valid for 30 days. An `Idempotency-Key` must be hard to guess, such as a UUID, because a repeated request is recognized by nothing else. A guest may create games with bots, open seats and one seat of their own, and sees the invite codes of the open seats. Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.

        external_id: The app's own id, unique among its objects of this kind.
        metadata: Any data of the app; a value of null removes the key.
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.NewGuest",
            await self._transport.call(
                "POST",
                "/v1/guests",
                body={"name": name, "external_id": external_id, "metadata": metadata},
                idempotency_key=idempotency_key,
            ),
        )


class Keys:
    """Operations of `keys`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        scopes: Sequence[Literal["read", "write", "audit", "keys"]] = OMITTED,
        expires_in: str | None = OMITTED,
        idempotency_key: str | None = None,
    ) -> types.NewKeyShown:
        """Create another key of this app, shown only once.

        It can have the scopes of the calling key, or fewer, and expires no later than that key; without `expires_in`, at the same time. Called with an app key with scope `keys`.

        scopes: Default: ["read", "write"].
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.NewKeyShown",
            await self._transport.call(
                "POST",
                "/v1/keys",
                body={"scopes": scopes, "expires_in": expires_in},
                idempotency_key=idempotency_key,
            ),
        )

    def list(self, *, limit: int | None = None) -> core.AsyncListing[types.Key]:
        """List the app's keys, newest first, without the keys themselves.

        Called with an app key with scope `read`.

        limit: The maximum number of items on a page.
        """
        return core.AsyncListing(self._transport, "/v1/keys", {"limit": limit})

    async def revoke(self, key: str, *, keep_tokens: bool | None = None) -> None:
        """Revoke a key permanently, with every key and player token that was created with it.

        Its scopes must be among those of the calling key, it must not expire later than that key, and the calling key must not have been created with it. Called with an app key with scope `keys`.

        keep_tokens: Keep the player tokens that were created with the key.
        """
        await self._transport.call(
            "DELETE", f"/v1/keys/{self._transport.quote(key)}", query={"keep_tokens": keep_tokens}
        )


class MePreferences:
    """Operations of `me preferences`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    async def get(self) -> types.Preferences:
        """Show which notifications I get about my games, and how.

        Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).
        """
        return cast("types.Preferences", await self._transport.call("GET", "/v1/me/preferences"))

    async def update(
        self,
        *,
        frequency: Literal["until_visit", "each", "daily", "never"] = OMITTED,
        mail: Sequence[
            Literal[
                "reveal.due",
                "turn.began",
                "turn.warning",
                "turn.nudged",
                "turn.timed_out",
                "orders.cancelled",
                "game.started",
                "game.finished",
                "game.cancelled",
                "seat.resigned",
                "take_back.requested",
                "replacement.agreed",
                "seat.replaced",
                "pause.agreed",
                "game.paused",
                "game.resumed",
                "vacation.taken",
                "deadline.moved",
                "message.posted",
            ]
        ] = OMITTED,
        push: Sequence[
            Literal[
                "reveal.due",
                "turn.began",
                "turn.warning",
                "turn.nudged",
                "turn.timed_out",
                "orders.cancelled",
                "game.started",
                "game.finished",
                "game.cancelled",
                "seat.resigned",
                "take_back.requested",
                "replacement.agreed",
                "seat.replaced",
                "pause.agreed",
                "game.paused",
                "game.resumed",
                "vacation.taken",
                "deadline.moved",
                "message.posted",
            ]
        ] = OMITTED,
        time_zone: str = OMITTED,
        digest_at: str = OMITTED,
        sleep: types.Sleep | Mapping[str, Any] | None = OMITTED,
        days_off: Sequence[
            Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        ] = OMITTED,
    ) -> types.Preferences:
        """Change which notifications I get about my games, and how.

        `until_visit`: one mail ten minutes after an event, unless I have visited since; until my next visit, no other mail except about turns, seats and results. A visit is any request with my token, or on my behalf. `each`: one mail for each event, at once. `daily`: one mail a day, at `digest_at` in my `time_zone`, with what is still true then. `never`: no mail. Warnings that a deadline is near are always sent at once. Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).
        """
        return cast(
            "types.Preferences",
            await self._transport.call(
                "PATCH",
                "/v1/me/preferences",
                body={
                    "frequency": frequency,
                    "mail": mail,
                    "push": push,
                    "time_zone": time_zone,
                    "digest_at": digest_at,
                    "sleep": sleep,
                    "days_off": days_off,
                },
            ),
        )


class MeEmail:
    """Operations of `me email`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    async def set(self, *, address: str) -> types.Preferences:
        """Set my e-mail address, replacing the previous one.

        A link is sent to it; nothing else is sent until the link has been confirmed. Guests cannot have an address. Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).
        """
        return cast(
            "types.Preferences", await self._transport.call("PUT", "/v1/me/email", body={"address": address})
        )

    async def delete(self) -> None:
        """Delete my e-mail address.

        Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).
        """
        await self._transport.call("DELETE", "/v1/me/email")


class MeNotices:
    """Operations of `me notices`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, limit: int | None = None) -> core.AsyncListing[types.PlayerNotice]:
        """List the notifications to me and their status, newest first.

        Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        limit: The maximum number of items on a page.
        """
        return core.AsyncListing(self._transport, "/v1/me/notices", {"limit": limit})

    async def retry(self, notice: str, *, idempotency_key: str | None = None) -> types.PlayerNotice:
        """Send a notification now, even if it failed or was sent before.

        Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.PlayerNotice",
            await self._transport.call(
                "POST",
                f"/v1/me/notices/{self._transport.quote(notice)}/retry",
                idempotency_key=idempotency_key,
            ),
        )


class MePushSubscriptions:
    """Operations of `me push subscriptions`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    async def list(self) -> types.PushSubscriptions:
        """List the browsers that receive my push messages, and the key for subscribing.

        `key` is the `applicationServerKey` for `PushManager.subscribe`; it is different for every player. Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).
        """
        return cast("types.PushSubscriptions", await self._transport.call("GET", "/v1/me/push-subscriptions"))

    async def create(
        self,
        *,
        endpoint: str,
        keys: types.PushKeys | Mapping[str, Any],
        expirationTime: Any = OMITTED,
        idempotency_key: str | None = None,
    ) -> types.PushSubscription:
        """Send my push messages to one more browser.

        The body is the result of the browser's `PushSubscription.toJSON()`. A message is JSON with `title`, `url`, `tag`, and the content of webhooks (`type`, `timestamp`, `data`). When the push service answers 404 or 410, the browser is removed. Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.PushSubscription",
            await self._transport.call(
                "POST",
                "/v1/me/push-subscriptions",
                body={"endpoint": endpoint, "keys": keys, "expirationTime": expirationTime},
                idempotency_key=idempotency_key,
            ),
        )

    async def delete(self, subscription: str) -> None:
        """Stop sending push messages to a browser.

        Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).
        """
        await self._transport.call(
            "DELETE", f"/v1/me/push-subscriptions/{self._transport.quote(subscription)}"
        )


class MeCalendar:
    """Operations of `me calendar`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    async def get(self) -> types.CalendarAddress:
        """Show the address of the calendar of my deadlines.

        Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).
        """
        return cast("types.CalendarAddress", await self._transport.call("GET", "/v1/me/calendar"))

    async def replace(self) -> types.CalendarAddress:
        """Create a new address for the calendar of my deadlines (iCalendar); the old one stops working.

        Calendar programs read it without a token: the address is the secret. Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).
        """
        return cast("types.CalendarAddress", await self._transport.call("PUT", "/v1/me/calendar"))

    async def delete(self) -> None:
        """Delete the address of my calendar.

        Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).
        """
        await self._transport.call("DELETE", "/v1/me/calendar")


class Me:
    """Operations of `me`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport
        self.preferences = MePreferences(transport)
        self.email = MeEmail(transport)
        self.notices = MeNotices(transport)
        self.push_subscriptions = MePushSubscriptions(transport)
        self.calendar = MeCalendar(transport)

    async def get(self) -> types.Me:
        """Return the owner of the token.

        Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).
        """
        return cast("types.Me", await self._transport.call("GET", "/v1/me"))

    def former_games(self, *, limit: int | None = None) -> core.AsyncListing[types.GameSummary]:
        """List the games in which I handed my seat over and have no seat now, newest first.

        A private game is shown as it was when I left. A page may have fewer games than its `limit`: an app that acts for me does not see games that are private to the players' own tokens. Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        limit: The maximum number of items on a page.
        """
        return core.AsyncListing(self._transport, "/v1/me/former-games", {"limit": limit})

    def turns(self, *, limit: int | None = None, wait: str | None = None) -> core.AsyncListing[types.Turn]:
        """List the games in which it is my turn, the earliest deadline first.

        With `wait`, an empty first page waits until there is such a game. As `text/event-stream` it is live: the event `turns` has the first page, and is sent again after each change. Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        limit: The maximum number of items on a page.
        wait: If no game is waiting, wait for one, up to this long (limited by the server).
        """
        return core.AsyncListing(self._transport, "/v1/me/turns", {"limit": limit, "wait": wait})

    def follow_turns(self, *, cursor: str | None = None) -> core.AsyncEvents[types.TurnList]:
        """Follow the stream, which resumes by itself after interruptions.

        List the games in which it is my turn, the earliest deadline first.

        With `wait`, an empty first page waits until there is such a game. As `text/event-stream` it is live: the event `turns` has the first page, and is sent again after each change. Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        cursor: the id of the last event that you know.
        """
        return core.AsyncEvents(self._transport, "/v1/me/turns", {}, cursor, resumes=False)

    async def take_vacation(self, *, days: int, idempotency_key: str | None = None) -> types.VacationsTaken:
        """Take days of vacation in all of my running games that have deadlines.

        This is a single change: it is made completely or not at all. Games in which it is not possible are listed with the reason. Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.VacationsTaken",
            await self._transport.call(
                "POST", "/v1/me/vacation", body={"days": days}, idempotency_key=idempotency_key
            ),
        )

    def events(
        self,
        *,
        limit: int | None = None,
        wait: str | None = None,
        player: Sequence[str] | None = None,
        ruleset: Sequence[str] | None = None,
        type: Sequence[
            Literal[
                "created",
                "joined",
                "left",
                "revealed",
                "forfeited",
                "started",
                "moved",
                "said",
                "take_back_requested",
                "take_back_agreed",
                "take_back_refused",
                "vacation_taken",
                "nudged",
                "replacement_agreed",
                "pause_agreed",
                "paused",
                "resumed",
                "time_returned",
                "time_added",
                "pace_changed",
                "resigned",
                "timed_out",
                "finished",
                "cancelled",
                "taken_back",
                "timeout_undone",
                "imported",
            ]
        ]
        | None = None,
        move_type: Sequence[str] | None = None,
    ) -> core.AsyncListing[types.FeedEntry]:
        """Read the entries of all games in which I have a seat, oldest first.

        Otherwise like `/v1/events`. If I take a seat later, earlier entries are only in the log of that game. Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        limit: The maximum number of items on a page. As NDJSON, the maximum number of lines; by default, all.
        wait: If there is nothing yet, wait for up to this long (limited by the server).
        player: Only games in which one of these players has a seat.
        ruleset: Only games of these rulesets.
        type: Only entries of these types.
        move_type: Only moves of these types.
        """
        return core.AsyncListing(
            self._transport,
            "/v1/me/events",
            {
                "limit": limit,
                "wait": wait,
                "player": player,
                "ruleset": ruleset,
                "type": type,
                "move_type": move_type,
            },
        )

    def follow(
        self,
        *,
        cursor: str | None = None,
        player: Sequence[str] | None = None,
        ruleset: Sequence[str] | None = None,
        type: Sequence[
            Literal[
                "created",
                "joined",
                "left",
                "revealed",
                "forfeited",
                "started",
                "moved",
                "said",
                "take_back_requested",
                "take_back_agreed",
                "take_back_refused",
                "vacation_taken",
                "nudged",
                "replacement_agreed",
                "pause_agreed",
                "paused",
                "resumed",
                "time_returned",
                "time_added",
                "pace_changed",
                "resigned",
                "timed_out",
                "finished",
                "cancelled",
                "taken_back",
                "timeout_undone",
                "imported",
            ]
        ]
        | None = None,
        move_type: Sequence[str] | None = None,
    ) -> core.AsyncEvents[types.FeedEntry]:
        """Follow the stream, which resumes by itself after interruptions.

        Read the entries of all games in which I have a seat, oldest first.

        Otherwise like `/v1/events`. If I take a seat later, earlier entries are only in the log of that game. Called with a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        cursor: the id of the last event that you know.
        player: Only games in which one of these players has a seat.
        ruleset: Only games of these rulesets.
        type: Only entries of these types.
        move_type: Only moves of these types.
        """
        return core.AsyncEvents(
            self._transport,
            "/v1/me/events",
            {"player": player, "ruleset": ruleset, "type": type, "move_type": move_type},
            cursor,
            resumes=True,
        )


class PlayersTokens:
    """Operations of `players tokens`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, player: str, *, expires_in: str | None = OMITTED, idempotency_key: str | None = None
    ) -> types.NewTokenShown:
        """Create a token for a player, shown only once.

        Called with an app key with scope `write`.

        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.NewTokenShown",
            await self._transport.call(
                "POST",
                f"/v1/players/{self._transport.quote(player)}/tokens",
                body={"expires_in": expires_in},
                idempotency_key=idempotency_key,
            ),
        )

    def list(self, player: str, *, limit: int | None = None) -> core.AsyncListing[types.Token]:
        """List a player's tokens, newest first, without the tokens themselves.

        Called with an app key with scope `read`.

        limit: The maximum number of items on a page.
        """
        return core.AsyncListing(
            self._transport, f"/v1/players/{self._transport.quote(player)}/tokens", {"limit": limit}
        )

    async def revoke(self, player: str, token: str) -> None:
        """Revoke a token permanently.

        Called with an app key with scope `write`.
        """
        await self._transport.call(
            "DELETE", f"/v1/players/{self._transport.quote(player)}/tokens/{self._transport.quote(token)}"
        )


class Players:
    """Operations of `players`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport
        self.tokens = PlayersTokens(transport)

    async def create(
        self,
        *,
        name: str,
        external_id: str | None = OMITTED,
        metadata: Mapping[str, str | None] | None = OMITTED,
        idempotency_key: str | None = None,
    ) -> types.Player:
        """Create a player.

        Called with an app key with scope `write`.

        external_id: The app's own id, unique among its objects of this kind.
        metadata: Any data of the app; a value of null removes the key.
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.Player",
            await self._transport.call(
                "POST",
                "/v1/players",
                body={"name": name, "external_id": external_id, "metadata": metadata},
                idempotency_key=idempotency_key,
            ),
        )

    def list(
        self, *, external_id: str | None = None, metadata: str | None = None, limit: int | None = None
    ) -> core.AsyncListing[types.Player]:
        """List the app's players, newest first.

        Called with an app key with scope `read`.

        external_id: Only objects with this id of the app's own.
        metadata: Only objects with this pair in their metadata: a key, a colon, the value.
        limit: The maximum number of items on a page.
        """
        return core.AsyncListing(
            self._transport, "/v1/players", {"external_id": external_id, "metadata": metadata, "limit": limit}
        )

    async def get(self, player: str) -> types.Player:
        """Show a player.

        An app can read its own players, a player only themselves. Called with an app key with scope `read` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).
        """
        return cast(
            "types.Player", await self._transport.call("GET", f"/v1/players/{self._transport.quote(player)}")
        )

    async def update(
        self,
        player: str,
        *,
        name: str = OMITTED,
        external_id: str | None = OMITTED,
        metadata: Mapping[str, str | None] | None = OMITTED,
    ) -> types.Player:
        """Change a player's name, external id or metadata.

        Existing games keep the name that the player had when joining. Only the named keys of the metadata change. Called with an app key with scope `write`.

        external_id: The app's own id, unique among its objects of this kind.
        metadata: Any data of the app; a value of null removes the key.
        """
        return cast(
            "types.Player",
            await self._transport.call(
                "PATCH",
                f"/v1/players/{self._transport.quote(player)}",
                body={"name": name, "external_id": external_id, "metadata": metadata},
            ),
        )

    async def delete(self, player: str) -> None:
        """Delete a player and revoke their tokens.

        Called with an app key with scope `write`.
        """
        await self._transport.call("DELETE", f"/v1/players/{self._transport.quote(player)}")

    async def statistics(self, player: str, *, against: str | None = None) -> types.Statistics:
        """Count a player's games, in total and for each ruleset.

        An app can read its own players, a player only themselves. Only games that were dealt here and finished, without a test clock, count; with `against`, only those that both players have finished. Called with an app key with scope `read` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        against: Only games that this other player of the app has finished as well.
        """
        return cast(
            "types.Statistics",
            await self._transport.call(
                "GET", f"/v1/players/{self._transport.quote(player)}/statistics", query={"against": against}
            ),
        )


class TestClocks:
    """Operations of `test clocks`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, name: str | None = OMITTED, time: str | None = OMITTED, idempotency_key: str | None = None
    ) -> types.TestClock:
        """Create a test clock.

        Games that are created with its id as `test_clock` use its time: deadlines, reserves and vacations pass when the clock is advanced. Every answer that shows such a game says so permanently, including its log and its verification. Existing games cannot be put on a test clock. Called with an app key with scope `write`.

        name: The subject of the test.
        time: The time that the clock shows.
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.TestClock",
            await self._transport.call(
                "POST", "/v1/test-clocks", body={"name": name, "time": time}, idempotency_key=idempotency_key
            ),
        )

    def list(self, *, limit: int | None = None) -> core.AsyncListing[types.TestClock]:
        """List the app's test clocks, newest first.

        Called with an app key with scope `read`.

        limit: The maximum number of items on a page.
        """
        return core.AsyncListing(self._transport, "/v1/test-clocks", {"limit": limit})

    async def get(self, test_clock: str) -> types.TestClock:
        """Show a test clock.

        Called with an app key with scope `read`.
        """
        return cast(
            "types.TestClock",
            await self._transport.call("GET", f"/v1/test-clocks/{self._transport.quote(test_clock)}"),
        )

    async def delete(self, test_clock: str) -> None:
        """Delete a test clock and cancel its games that are not over.

        Called with an app key with scope `write`.
        """
        await self._transport.call("DELETE", f"/v1/test-clocks/{self._transport.quote(test_clock)}")

    async def advance(
        self, test_clock: str, *, to: str = OMITTED, by: str = OMITTED, idempotency_key: str | None = None
    ) -> types.TestClock:
        """Advance a test clock to a time or by a duration.

        Deadlines and warnings on the way are handled one after the other, each at its own time, with the resulting moves of bots and notifications to webhooks. When this is answered, all of it has been done, or nothing. A step with more than 500 deadlines and warnings is refused: use smaller steps. Called with an app key with scope `write`.

        to: The time to which to advance.
        by: The duration by which to advance.
        idempotency_key: made for each call; pass your own to repeat a call after a restart.
        """
        return cast(
            "types.TestClock",
            await self._transport.call(
                "POST",
                f"/v1/test-clocks/{self._transport.quote(test_clock)}/advance",
                body={"to": to, "by": by},
                idempotency_key=idempotency_key,
            ),
        )


class System:
    """Operations of `system`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    async def health(self) -> types.Health:
        """Check that the process is alive.

        Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.
        """
        return cast("types.Health", await self._transport.call("GET", "/healthz"))

    async def ready(self) -> types.Health:
        """Check that the service is ready: the database answers, has disk space and the right schema.

        Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.
        """
        return cast("types.Health", await self._transport.call("GET", "/readyz"))

    async def metrics(self) -> str:
        """Return metrics for Prometheus: requests, moves, subscribers, queues; no names, no ids.

        Called with the token in the setting METRICS_TOKEN; without that setting the answer is 404.
        """
        return cast("str", await self._transport.call("GET", "/metrics", media="text/plain"))

    async def openapi(self) -> types.Specification:
        """Return this specification as JSON.

        Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.
        """
        return cast("types.Specification", await self._transport.call("GET", "/openapi.json"))

    async def openapi_yaml(self) -> str:
        """Return this specification.

        Called with an app key or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`) or no token at all.
        """
        return cast("str", await self._transport.call("GET", "/openapi.yaml", media="application/yaml"))


class Events:
    """Operations of `events`."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | None = None,
        wait: str | None = None,
        player: Sequence[str] | None = None,
        ruleset: Sequence[str] | None = None,
        type: Sequence[
            Literal[
                "created",
                "joined",
                "left",
                "revealed",
                "forfeited",
                "started",
                "moved",
                "said",
                "take_back_requested",
                "take_back_agreed",
                "take_back_refused",
                "vacation_taken",
                "nudged",
                "replacement_agreed",
                "pause_agreed",
                "paused",
                "resumed",
                "time_returned",
                "time_added",
                "pace_changed",
                "resigned",
                "timed_out",
                "finished",
                "cancelled",
                "taken_back",
                "timeout_undone",
                "imported",
            ]
        ]
        | None = None,
        move_type: Sequence[str] | None = None,
    ) -> core.AsyncListing[types.FeedEntry]:
        """Read the entries of all games of the app that the caller may see, oldest first.

        Each entry is what the caller sees in the log of its game. The order is the same for everybody and never changes, and entries of one game are in order. A reader who continues after a `cursor` misses nothing, even entries that were committed late: an entry is shown only when nothing can come before it any more. As JSON one page at a time; with `wait`, an empty page waits. As `application/x-ndjson` everything, or as many items as `limit` says, one per line. As `text/event-stream` everything, then live: the item's cursor is the event's id, the entry's type its name; the stream continues after `Last-Event-ID`, or `cursor`. If the next entries belong to archived games, the request is refused (410), with the `cursor` after these. It is also refused (410) if a backup was restored that does not have all entries before the cursor. Called with an app key with scope `read` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        limit: The maximum number of items on a page. As NDJSON, the maximum number of lines; by default, all.
        wait: If there is nothing yet, wait for up to this long (limited by the server).
        player: Only games in which one of these players has a seat.
        ruleset: Only games of these rulesets.
        type: Only entries of these types.
        move_type: Only moves of these types.
        """
        return core.AsyncListing(
            self._transport,
            "/v1/events",
            {
                "limit": limit,
                "wait": wait,
                "player": player,
                "ruleset": ruleset,
                "type": type,
                "move_type": move_type,
            },
        )

    def follow(
        self,
        *,
        cursor: str | None = None,
        player: Sequence[str] | None = None,
        ruleset: Sequence[str] | None = None,
        type: Sequence[
            Literal[
                "created",
                "joined",
                "left",
                "revealed",
                "forfeited",
                "started",
                "moved",
                "said",
                "take_back_requested",
                "take_back_agreed",
                "take_back_refused",
                "vacation_taken",
                "nudged",
                "replacement_agreed",
                "pause_agreed",
                "paused",
                "resumed",
                "time_returned",
                "time_added",
                "pace_changed",
                "resigned",
                "timed_out",
                "finished",
                "cancelled",
                "taken_back",
                "timeout_undone",
                "imported",
            ]
        ]
        | None = None,
        move_type: Sequence[str] | None = None,
    ) -> core.AsyncEvents[types.FeedEntry]:
        """Follow the stream, which resumes by itself after interruptions.

        Read the entries of all games of the app that the caller may see, oldest first.

        Each entry is what the caller sees in the log of its game. The order is the same for everybody and never changes, and entries of one game are in order. A reader who continues after a `cursor` misses nothing, even entries that were committed late: an entry is shown only when nothing can come before it any more. As JSON one page at a time; with `wait`, an empty page waits. As `application/x-ndjson` everything, or as many items as `limit` says, one per line. As `text/event-stream` everything, then live: the item's cursor is the event's id, the entry's type its name; the stream continues after `Last-Event-ID`, or `cursor`. If the next entries belong to archived games, the request is refused (410), with the `cursor` after these. It is also refused (410) if a backup was restored that does not have all entries before the cursor. Called with an app key with scope `read` or a player token (or an app key with scope `write` that names the player in `Card-Referee-Player`).

        cursor: the id of the last event that you know.
        player: Only games in which one of these players has a seat.
        ruleset: Only games of these rulesets.
        type: Only entries of these types.
        move_type: Only moves of these types.
        """
        return core.AsyncEvents(
            self._transport,
            "/v1/events",
            {"player": player, "ruleset": ruleset, "type": type, "move_type": move_type},
            cursor,
            resumes=True,
        )


class Resources:
    """The resources of the API."""

    def __init__(self, transport: core.AsyncTransport) -> None:
        self.log = Log(transport)
        self.games = Games(transport)
        self.records = Records(transport)
        self.rulesets = Rulesets(transport)
        self.referee = Referee(transport)
        self.webhooks = Webhooks(transport)
        self.guests = Guests(transport)
        self.keys = Keys(transport)
        self.me = Me(transport)
        self.players = Players(transport)
        self.test_clocks = TestClocks(transport)
        self.system = System(transport)
        self.events = Events(transport)
