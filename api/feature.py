"""The one seam between the core of the service and what is optional.

A feature is a folder in `api/features` whose `__init__.py` declares it. The core never imports a feature:
where something may be added, it has a `Hook`, which is beside the code that calls it and says with which
arguments. A feature names the functions with which it answers hooks, its operations and its jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Concatenate, Generic, NamedTuple, ParamSpec, Protocol, TypeVar
from uuid import UUID

from sqlalchemy import Table

from api.context import Context, ReceiptSigner
from api.core.config import Settings
from api.core.errors import ProblemType, ServiceError
from api.core.shares import Resource

if TYPE_CHECKING:  # a worker needs neither
    from click import Command
    from flask import Blueprint

SECOND, MINUTE, HOUR = 1.0, 60.0, 3600.0  # pauses of jobs

P = ParamSpec("P")
R = TypeVar("R")


class HookAnswer(NamedTuple):
    """The function of a feature that a hook calls."""

    hook: Hook[Any, Any]
    function: Callable[..., Any]


class Hook(Generic[P, R]):
    """A place where the core asks the features that are there; each answers with an R."""

    def __call__(self, context: Context, *args: P.args, **more: P.kwargs) -> list[R]:
        """Call the functions of all features, in the order of the features; return what they return."""
        return [function(context, *args, **more) for function in context.hooks.get(self, ())]

    def by(self, function: Callable[Concatenate[Context, P], R]) -> HookAnswer:
        """Let a feature answer with this function."""
        return HookAnswer(self, function)


class Due(NamedTuple):
    """Rows that wait for a worker, under the name that metrics show.

    `rows` follows FROM in a query for those that are due at the time `now()`, such as `outages WHERE NOT
    settled`; `since` is when one of them was due, in the same query. Citus cannot answer some (`cluster`).
    """

    name: str
    rows: str
    since: str = "NULL::timestamptz"
    cluster: bool = True


class Runner(Protocol):
    """A part of a worker that runs in a thread of its own.

    When something is due for it, it hears of it.
    """

    due: Due | None

    def run(self) -> None:
        """Work until `stop`; then finish what is begun."""

    def stop(self) -> None:
        """Begin nothing more; may be called from any thread."""

    def hear(self, app: UUID | None) -> None:
        """Look at once for entries of an app, or for what was queued to be sent; from any thread."""


Contexts = Callable[[], AbstractContextManager[Context]]
"""Opens the context of one job."""


class Job(NamedTuple):
    """Work that a worker repeats, with a pause of so many seconds, in so many threads at most.

    What is `due` is asked at every pause; without it, the work itself looks.
    """

    work: Callable[[Context], object]
    pause: float
    due: Due | None = None
    threads: int = 1


class Failed(Exception):
    """What a check looked at does not work; the message says why, without secrets."""


class Check(NamedTuple):
    """Something that operators can check: `find` returns how it is, or None if it is not used.

    It raises Failed, or an error that says that it does not work. One that `needs_database` is not asked
    while the database does not answer: a dead network is waited for once. Where its `setting` is not set, it
    is not used.
    """

    name: str
    find: Callable[[Settings], str | None]
    needs_database: bool = False
    setting: str = ""


class Wording(NamedTuple):
    """An event as players are told of it: a sentence, and what the page where they choose calls its kind.

    What `decides` a game is mailed even if the player has not visited since the last mail.
    """

    said: str
    called: str
    decides: bool = False


class EventType(NamedTuple):
    """Something of which apps are notified, and perhaps players.

    `shape` is the type of what a notice says, `example` an object of it, and those `on_request` go only to
    whoever names the event. `told`: the player whom a notice is about is told so, while the game goes on.
    """

    name: str
    about: str
    shape: type[Any]
    example: Mapping[str, object]
    on_request: bool = False
    told: Wording | None = None


class RateLimits(Protocol):
    """What counts the requests of one web process, and refuses those of callers who ask for too much.

    What it knows of a request is in the environment of WSGI: under `card_referee.limits` itself, if the
    request is limited, and under `card_referee.wait` the seconds for which a refused caller should wait.
    """

    def count_address(self, environ: dict[str, Any], *, checks: bool = False) -> None:
        """Count a request whose caller is still unknown. Those that check the server are counted apart."""

    def count_caller(self, environ: dict[str, Any], credential: object | None, cost: int) -> None:
        """Count a request for its caller, and its cost beyond 1 for the address. Raises TooManyRequests."""

    def count(self, name: str, rate: str | None, caller: str) -> None:
        """Count a request of a kind that has a limit of its own. Raises TooManyRequests."""

    def headers(self, environ: dict[str, Any]) -> list[tuple[str, str]]:
        """Return the headers with the quota of a request's caller."""


@dataclass(frozen=True, eq=False)
class Feature:
    """What a feature declares.

    Its `tables` say who may do what with them. `routes` are the names of its modules with a `blueprint` of
    operations or pages; they are imported when requests are served. `problems` are the errors of its own that
    they answer. `events` are those of which it notifies others; `sends` is the name of its module that
    describes how notices are sent, for the specification. `resources` are what strangers share in it.
    With `commands` its module of that name has COMMANDS for operators. `limits` makes what limits requests,
    and `signer` what signs receipts. `prepare` is what `migrate` does for the
    feature when the schema is there, and the restoration of a backup is noted. `needs` are the names of other
    features whose modules it imports, or whose operations its pages ask.
    """

    name: str
    needs: Sequence[str] = ()
    tables: Sequence[Table] = ()
    routes: Sequence[str] = ()
    problems: Sequence[type[ServiceError]] = ()
    answers: Sequence[HookAnswer] = ()
    events: Sequence[EventType] = ()
    sends: str | None = None
    jobs: Sequence[Job] = ()
    runners: Sequence[Callable[[Settings, Contexts], Runner]] = ()
    checks: Sequence[Check] = ()
    resources: Sequence[Resource] = ()
    commands: bool = False
    limits: Callable[[Settings], RateLimits] | None = None
    signer: Callable[[], ReceiptSigner] | None = None
    prepare: Callable[[Settings], None] | None = None

    def blueprints(self) -> list[Blueprint]:
        """Import the feature's operations."""
        return [import_module(f"api.features.{self.name}.{module}").blueprint for module in self.routes]


@dataclass(frozen=True, eq=False)
class Features:
    """The features of one service."""

    chosen: Sequence[Feature] = ()
    hooks: Mapping[Hook[Any, Any], Sequence[Callable[..., Any]]] = field(init=False)

    def __post_init__(self) -> None:
        """Find what answers each hook. Raises ValueError for a feature without another that it needs."""
        names = {feature.name for feature in self.chosen}
        for feature in self.chosen:
            if missing := sorted({*feature.needs} - names):
                raise ValueError(f"The feature {feature.name} needs {', '.join(missing)}.")
        hooks: dict[Hook[Any, Any], list[Callable[..., Any]]] = {}
        for answer in self._answers():
            hooks.setdefault(answer.hook, []).append(answer.function)
        object.__setattr__(self, "hooks", hooks)

    def _answers(self) -> Iterable[HookAnswer]:
        for feature in self.chosen:
            yield from feature.answers

    @property
    def names(self) -> list[str]:
        """The names of all features."""
        return [feature.name for feature in self.chosen]

    def limits(self, settings: Settings) -> RateLimits | None:
        """Make what limits the requests of one web process, if a feature does."""
        made = (feature.limits(settings) for feature in self.chosen if feature.limits)
        return next(made, None)

    def signer(self) -> ReceiptSigner | None:
        """Make what signs receipts for one web process, if a feature does."""
        return next((feature.signer() for feature in self.chosen if feature.signer), None)

    def prepare(self, settings: Settings) -> None:
        """Prepare the database for all features, as the owner."""
        for feature in self.chosen:
            if feature.prepare:
                feature.prepare(settings)

    @property
    def problems(self) -> list[ProblemType]:
        """The problem types of all features."""
        return [error.problem for feature in self.chosen for error in feature.problems]

    @property
    def events(self) -> list[EventType]:
        """The events of all features."""
        return [event for feature in self.chosen for event in feature.events]

    @property
    def resources(self) -> list[Resource]:
        """What strangers share in all features."""
        return [resource for feature in self.chosen for resource in feature.resources]

    @property
    def jobs(self) -> list[Job]:
        """The jobs of all features."""
        return [job for feature in self.chosen for job in feature.jobs]

    def due(self, settings: Settings) -> list[Due]:
        """Return what waits for the jobs and runners of all features."""

        def nowhere() -> AbstractContextManager[Context]:
            raise RuntimeError("this runner does not run")

        dues = [job.due for job in self.jobs] + [each.due for each in self.runners(settings, nowhere)]
        return [due for due in dues if due]

    def runners(self, settings: Settings, contexts: Contexts) -> list[Runner]:
        """Make the runners of all features for one worker."""
        return [make(settings, contexts) for feature in self.chosen for make in feature.runners]

    def sent(self) -> list[Any]:
        """Import the modules that describe what is sent to others: `webhooks(ref)` and `PARAMETERS`."""
        names = [f"api.features.{each.name}.{each.sends}" for each in self.chosen if each.sends]
        return [import_module(name) for name in names]

    def blueprints(self) -> list[Blueprint]:
        """Import the operations of all features."""
        return [blueprint for feature in self.chosen for blueprint in feature.blueprints()]

    def commands(self) -> list[Command]:
        """Import the commands of all features."""
        modules = [f"api.features.{each.name}.commands" for each in self.chosen if each.commands]
        return [command for module in modules for command in import_module(module).COMMANDS]
