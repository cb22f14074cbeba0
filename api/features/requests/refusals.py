"""A log of an app's refused requests, for those who find out what is wrong with them."""

from __future__ import annotations

import contextlib
import time
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg

from api.context import Context
from api.core.callers import PLAYER
from api.core.paging import Page, PageOf, uuid_page
from api.features.requests import answers, store
from api.features.requests.store import Refusal
from api.http.answers import shown

MINUTE, MOST = 60.0, 20  # so many refusals of an app are noted by a process in a minute
MOST_APPS = 10_000
LONGEST = 300  # characters of a path or a detail
SECRET = ("illegal-move", "signature-needed")  # the details could tell the app what a player holds


class Refusals:
    """Notes the refused requests of one process, and how many they were in this minute, by app."""

    def __init__(self) -> None:
        self._counts: dict[UUID, tuple[float, int]] = {}

    def record(
        self, context: Context, request_id: str, method: str, path: str, problem: tuple[int, str, str]
    ) -> None:
        """Store a refusal, given its status, problem type and detail, unless there were too many.

        What players send with their own tokens is noted without details. If it cannot be stored, it is lost.
        """
        caller = context.caller
        if caller.app_id is None or caller.credential_id is None or not self._has_room(caller.app_id):
            return
        status, slug, detail = problem
        of_player = caller.kind == PLAYER and not caller.by_app
        refusal = Refusal(
            id=context.new_id(),
            app_id=caller.app_id,
            at=context.now(),
            request_id=request_id,
            method=method,
            path=path[:LONGEST],
            status=status,
            problem=slug,
            detail=None if of_player or slug in SECRET else detail[:LONGEST],
            credential_id=caller.credential_id,
            player_id=caller.player_id,
        )
        with contextlib.suppress(psycopg.Error):
            store.insert(context.session, refusal)

    def _has_room(self, app_id: UUID) -> bool:
        now = time.monotonic()
        until, count = self._counts.get(app_id, (0.0, 0))
        if until <= now:
            until, count = now + MINUTE, 0
        if len(self._counts) >= MOST_APPS:
            self._counts.clear()
        self._counts[app_id] = until, count + 1
        return count < MOST


_refusals = Refusals()


def record(context: Context, request_id: str, method: str, path: str, problem: tuple[int, str, str]) -> None:
    """Note a refused request of this process."""
    _refusals.record(context, request_id, method, path, problem)


def page(context: Context, chosen: Page, filters: dict[str, Any]) -> PageOf[answers.RefusedRequest]:
    """List the app's refused requests, newest first."""
    names = {"problem": "problem", "player": "player_id", "key": "credential_id"}
    conditions = {names[name]: value for name, value in filters.items()}
    rows = store.page(context.session, context.app_id, conditions, chosen.before, chosen.limit + 1)
    return uuid_page(rows, chosen, show)


def show(refusal: Refusal) -> answers.RefusedRequest:
    """Return the form of a refused request in answers."""
    problem, who = f"/problems/{refusal.problem}", refusal.credential_id
    return shown(answers.RefusedRequest, refusal, problem=problem, credential=who, player=refusal.player_id)


def prune(context: Context) -> int:
    """Delete old refusals; return how many."""
    return store.prune(context.session, context.now() - timedelta(days=context.settings.refusal_days))
