"""A real mail server that keeps the mail it gets, and can be told to refuse it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any, cast

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword


@dataclass
class Mailbox:
    """A mail server; `answers` are given to the next mails instead of accepting them."""

    url: str = ""
    mails: list[EmailMessage] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    to_recipient: str = "250 OK"
    to_mail: str = "250 OK"
    logins: list[bytes] = field(default_factory=list)

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if self.to_recipient.startswith("250"):
            envelope.rcpt_tos.append(address)
        return self.to_recipient

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.to_mail.startswith("250"):
            self.mails.append(cast(EmailMessage, message_from_bytes(envelope.content, policy=default)))
            self.recipients += envelope.rcpt_tos
        return self.to_mail

    def log_in(self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        assert isinstance(data, LoginPassword)
        self.logins.append(data.password)
        return AuthResult(success=data.password == b"pass word")

    def text(self) -> str:
        """Return the text of the newest mail."""
        return self.texts()[-1]

    def texts(self, kind: str = "plain") -> list[str]:
        """Return the text of each mail, or its page (`html`)."""
        bodies = [mail.get_body((kind,)) for mail in self.mails]
        return [str(body.get_content()) for body in bodies if body is not None]


class OnAnyPort(Controller):
    """A controller for any port; aiosmtpd's own connects to its port before it knows which one it got."""

    def _trigger_server(self) -> None:
        assert self.server is not None
        self.port = self.server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
        super()._trigger_server()


@contextmanager
def mail_server() -> Iterator[Mailbox]:
    box = Mailbox()
    controller = OnAnyPort(
        box,
        hostname="127.0.0.1",
        port=0,
        authenticator=box.log_in,
        auth_require_tls=False,
    )
    controller.start()
    box.url = f"smtp://127.0.0.1:{controller.port}"
    try:
        yield box
    finally:
        controller.stop()
