"""The transparency log over all games: a leaf for every game that is created, and for every end.

The transaction that creates or ends a game queues its leaf, and the job worker adds queued leaves to the tree
in batches. So moves do not wait for each other, and nothing that was committed is lost. For a few seconds in
between, the merge delay, a game has no proof yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from uuid import UUID

import referee
import referee.proofs
from api.context import Context
from api.core.config import Settings
from api.core.errors import BadRequest, NotFound, Unavailable
from api.core.json import loads
from api.feature import Failed
from api.features.proofs import answers, keys, store
from api.games.answers_of_logs import GameInclusion, GameLeaf
from api.games.game import Game
from api.store.database.session import Database, Session

NAME = "games"  # name of the log, after the server's name
BATCH = 1000
WIDTH = 256  # hashes in a tile
HASH = 32
ENTRIES = "entries"
BEHIND = timedelta(minutes=15)  # in which witnesses cosign
HEADS = 100  # that are compared to find the one with the most cosignatures


class Tiles:
    """The tiles of the tree that were read, and those that change."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._read: dict[tuple[int, int], bytes] = {}
        self.changed: dict[tuple[int, int], bytes] = {}

    def hashes(self, level: int, number: int) -> bytes:
        """Return the hashes of a tile."""
        place = level, number
        if place not in self._read:
            self._read[place] = store.tile(self._session, level, number)
        return self._read[place]

    def add(self, level: int, index: int, hash_: bytes) -> None:
        """Append a hash to its level, and one to the next level if a tile is now full."""
        place = level, index // WIDTH
        hashes = self.hashes(*place) + hash_
        self._read[place] = self.changed[place] = hashes
        if len(hashes) == WIDTH * HASH:
            self.add(level + 1, place[1], self._folded(*place, WIDTH, 0))

    def node(self, level: int, index: int) -> bytes:
        """Return the hash over the complete subtree of 2**level leaves at this place."""
        tile, height = divmod(level, 8)
        number, place = divmod(index << height, WIDTH)
        return self._folded(tile, number, 1 << height, place)

    def _folded(self, tile: int, number: int, count: int, place: int) -> bytes:
        hashes = self.hashes(tile, number)
        level = [hashes[HASH * n : HASH * (n + 1)] for n in range(place, place + count)]
        while len(level) > 1:
            level = [referee.proofs.node_hash(*pair) for pair in zip(level[::2], level[1::2], strict=True)]
        return level[0]


def integrate(context: Context) -> int:
    """Add queued leaves to the tree, at most a batch; return how many."""
    session = context.session
    if not store.is_queued(session):
        return 0
    with session.transaction():
        waiting = store.queued(session, BATCH)
        if not waiting:
            return 0
        leaves = []
        for one in waiting:
            commitment = loads(one.created)["commitment"]
            data = referee.proofs.leaf(loads(one.public), commitment, one.hash.hex(), one.imported)
            leaves.append((one.game_id, one.ended, bytes.fromhex(commitment), data))
        _append(context, leaves, [one.id for one in waiting])
    return len(leaves)


def _append(context: Context, new: Sequence[tuple[UUID, bool, bytes, bytes]], done: Sequence[int]) -> None:
    """Add leaves in the open transaction, in which nobody else does; `done` are theirs in the queue."""
    session = context.session
    size, _ = _head(context)
    tiles = Tiles(session)
    leaves = [store.Leaf(number, *one) for number, one in enumerate(new, size)]
    for leaf in leaves:
        tiles.add(0, leaf.number, referee.proofs.leaf_hash(leaf.data))
    root = referee.proofs.tree_root(size + len(leaves), tiles.node)
    store.append(session, leaves, done, tiles.changed, root, context.now())


def integrate_all(context: Context) -> int:
    """Add all queued leaves; return how many."""
    added = 0
    while more := integrate(context):
        added += more
    return added


# --- what is published ------------------------------------------------------------------------------


def checkpoint(context: Context, cosigned: int = 0) -> str:
    """Return the newest size and root of the tree, signed, with its cosignatures.

    At least so many witnesses have cosigned it. Raises NotFound, and Unavailable without a key.
    """
    head = _head(context)
    if cosigned:
        size = store.newest_cosigned(context.session, cosigned)
        root = size and store.root_of(context.session, size)
        if not size or not root:
            raise NotFound(f"No checkpoint was cosigned by {cosigned} witnesses.")
        head = size, root
    note = _signed(context, *head)
    if note is None:
        raise Unavailable("The server has no key to sign with.")
    return note


def check(settings: Settings) -> str:
    """Return how far witnesses are. Raises Failed if they have not signed for long."""
    with closing(Database(settings)) as database, closing(Session(database)) as session:
        size, cosigned = store.size_since(session, BEHIND), store.newest_cosigned(session, 1) or 0
    if cosigned < size:
        raise Failed(
            f"The newest checkpoint with a cosignature has {cosigned} leaves; {size} are old enough."
        )
    return f"{cosigned} leaves are cosigned"


def accept_cosignatures(context: Context, note: str) -> answers.Cosignatures:
    """Keep the cosignatures of this server's witnesses under a checkpoint; return how many it has.

    Raises BadRequest, and NotFound if this server has never signed such a tree.
    """
    try:
        head = referee.proofs.read_receipt(note)
    except referee.Malformed as error:
        raise BadRequest({"checkpoint": [f"It cannot be read: {error}."]}) from None
    root = store.root_of(context.session, head.size)
    ours = _signed(context, head.size, head.root)
    if root != head.root or ours is None or referee.proofs.read_receipt(ours).origin != head.origin:
        raise NotFound("This server's log of all games never had this size and root.")
    accepted = []
    for vkey in context.settings.witnesses:
        if (cosignature := referee.proofs.cosigned(head, referee.proofs.read_witness(vkey))) is not None:
            at, line = cosignature
            accepted.append(store.Cosignature(vkey, line, datetime.fromtimestamp(at, UTC)))
    if not accepted:
        raise BadRequest({"checkpoint": ["No witness that this server accepts has cosigned it."]})
    store.add_cosignatures(context.session, head.size, accepted)
    return {"size": head.size, "cosignatures": len(store.cosignatures(context.session, head.size))}


def _head(context: Context) -> tuple[int, bytes]:
    return store.head(context.session) or (0, referee.proofs.EMPTY_TREE)


def _signed(context: Context, size: int, root: bytes) -> str | None:
    if context.signer is None:  # jobs sign nothing
        return None
    note = context.signer.checkpoint(context.session, context.now(), NAME, size, root)
    return note and note + "".join(store.cosignatures(context.session, size))


def tile(context: Context, path: str) -> tuple[bytes, bool]:
    """Return the tile or bundle of entries at a path of C2SP's tlog-tiles, and whether it is full.

    Raises NotFound if it does not exist, or not yet.
    """
    kind, _, rest = path.partition("/")
    rest, _, partial = rest.partition(".p/")
    width = int(partial or WIDTH)
    number = int("".join(part.removeprefix("x") for part in rest.split("/")))
    if partial and not 0 < width < WIDTH:
        raise NotFound("A partial tile has 1 to 255 hashes.")
    if kind == ENTRIES:
        data = store.entries(context.session, number * WIDTH, width)
        if len(data) < width:
            raise NotFound("There are fewer entries.")
        return b"".join(len(one).to_bytes(2, "big") + one for one in data), not partial
    hashes = store.tile(context.session, int(kind), number)[: width * HASH]
    if len(hashes) < width * HASH:
        raise NotFound("There are fewer hashes.")
    return hashes, not partial


def consistency(context: Context, first: int, second: int | None) -> answers.Consistency:
    """Prove that the tree of one size begins with the tree of another. Raises NotFound."""
    second = _size(context, second)
    if first > second:
        raise NotFound(f"The tree of {first} leaves is not before that of {second}.")
    proof = referee.proofs.prove_consistency(first, second, Tiles(context.session).node)
    return {"first": first, "second": second, "proof": [hash_.hex() for hash_ in proof]}


def _size(context: Context, size: int | None) -> int:
    newest, _ = _head(context)
    if size is not None and size > newest:
        raise NotFound(f"The tree has {newest} leaves.")
    return newest if size is None else size


def _best_head(context: Context, leaves: int) -> tuple[int, bytes]:
    """Return the head with these leaves that most witnesses have cosigned, otherwise the newest."""
    size = store.best_cosigned(context.session, leaves, HEADS) if leaves else None
    root = size and store.root_of(context.session, size)
    return (size, root) if size and root else _head(context)


def of_game(context: Context, game: Game) -> GameInclusion:
    """Return a root, signed if there is a key, and the proofs of a game's leaves."""
    # If it was imported, its commitment may also be that of a game dealt here whose app was deleted.
    origin = "imported" if game.imported_by else None
    return proofs(context, bytes.fromhex(referee.commitment(game.seed)), origin)


def proofs(context: Context, commitment: bytes, origin: str | None = None) -> GameInclusion:
    """Return a root, signed if there is a key, and the proofs of the leaves of a commitment and an origin."""
    found = store.leaves_of(context.session, commitment)
    leaves_of = [(number, data) for number, data in found if loads(data.decode()).get("origin") == origin]
    numbers = {
        data: number for number, data in reversed(leaves_of)
    }  # a game may have been imported more than once
    numbers = dict(sorted(numbers.items(), key=lambda one: one[1]))
    size, root = _best_head(context, max(numbers.values(), default=-1) + 1)
    tiles = Tiles(context.session)
    leaves: list[GameLeaf] = [
        {
            "index": number,
            "data": data.decode(),
            "proof": [h.hex() for h in referee.proofs.prove_inclusion(number, size, tiles.node)],
        }
        for data, number in numbers.items()
        if number < size
    ]
    return {
        "checkpoint": _signed(context, size, root),
        "size": size,
        "root": root.hex(),
        "leaves": leaves,
        "keys": keys.show_all(context.session),
    }
