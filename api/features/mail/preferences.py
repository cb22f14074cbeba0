"""Which notices a player wants, how often, and in which time zone."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any, NamedTuple, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from api.core import languages
from api.core.json import loads, stored
from api.features.mail.kinds import URGENT, usual
from api.features.mail.phrases import mark, write_time

NEVER, EACH, UNTIL_VISIT = "never", "each", "until_visit"
FREQUENCIES = (UNTIL_VISIT, EACH, NEVER)
GRACE = timedelta(minutes=10)  # delay before a mail: a player at the table sees the turn anyway


class Preferences(NamedTuple):
    """Which notices a player wants by `mail`, and how often, and which by `push`, immediately.

    Push messages wait for the end of `push_quiet`.
    """

    frequency: str
    mail: tuple[str, ...]
    push: tuple[str, ...]
    time_zone: str = "UTC"
    push_quiet: dict[str, str] | None = None
    language: str = languages.ENGLISH

    @classmethod
    def usual(cls) -> Self:
        """Return the preferences of a player who has not chosen."""
        return cls(UNTIL_VISIT, usual(), usual())

    @classmethod
    def read(cls, chosen: str) -> Self:
        """Return preferences from their stored form, with defaults for what was not chosen."""
        return cls.usual().changed(loads(chosen))

    def changed(self, changes: dict[str, Any]) -> Self:
        """Return these preferences with changes."""
        lists = {name: tuple(value) for name, value in changes.items() if isinstance(value, list)}
        return self._replace(**{**changes, **lists})

    def stored(self) -> str:
        """Return their stored form: what is not as it is by default."""
        defaults = Preferences.usual().to_json()
        return stored({name: value for name, value in self.to_json().items() if value != defaults[name]})

    def to_json(self) -> Any:
        """Return their form in answers."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in self._asdict().items()}

    def mail_at(self, event: str, now: datetime) -> datetime | None:
        """Return when to mail something that happens now, or None if the player does not want it."""
        if self.frequency == NEVER or event not in self.mail:
            return None
        return now if self.frequency == EACH or event in URGENT else now + GRACE

    def push_at(self, now: datetime) -> datetime:
        """Return when to send a push message: now, or at the end of the quiet hours."""
        if self.push_quiet is None:
            return now
        there = now.astimezone(self.zone)
        since, until = (time.fromisoformat(self.push_quiet[name]) for name in ("from", "until"))
        at = there.time()
        if not (since <= at < until if since < until else at >= since or at < until):
            return now
        day = there.date() + timedelta(days=0 if at < until else 1)
        return max(now, datetime.combine(day, until, self.zone).astimezone(UTC))

    @property
    def zone(self) -> ZoneInfo:
        """Return the player's time zone, or UTC if this machine no longer knows it."""
        try:
            return ZoneInfo(self.time_zone)
        except (ZoneInfoNotFoundError, ValueError):
            return ZoneInfo("UTC")

    def local(self, at: datetime) -> str:
        """Return a time in words, in the player's time zone; a time that comes twice says which one it is."""
        there = at.astimezone(self.zone)
        twice = there.replace(fold=0).utcoffset() != there.replace(fold=1).utcoffset()
        said = write_time(there, mark("EEEE, d MMMM y, HH:mm"))
        return f"{said}{f' {there:%Z}' if twice else ''} ({there.tzinfo})"

    def short(self, at: datetime) -> str:
        """Return a time for a subject, in the player's time zone."""
        return write_time(at.astimezone(self.zone), mark("EEE d MMM, HH:mm"))
