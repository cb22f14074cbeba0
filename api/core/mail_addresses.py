"""Forms of a mail address: as mail servers get it, and as it is counted."""

from __future__ import annotations

import idna


def ascii_form(address: str) -> str:
    """Return an address with its domain in ASCII (RFC 5891). Raises ValueError if that is no domain."""
    local, _, domain = address.rpartition("@")
    if not domain.isascii():
        domain = idna.encode(domain, uts46=True).decode()
    return f"{local}@{domain}"


def account_form(address: str) -> str:
    """Return the form that is equal for all spellings of the address of one account."""
    return ascii_form(address).casefold()


def counted_form(address: str) -> str:
    """Return the form that is equal for addresses of one mailbox.

    Capitals, dots, and what follows a plus sign make no difference in many mailboxes. Where they do, a few
    people share a limit.
    """
    local, _, domain = ascii_form(address).casefold().rpartition("@")
    return f"{local.partition('+')[0].replace('.', '')}@{domain}"
