"""Time-stamps (RFC 3161): an independent authority confirms when a checkpoint existed.

Uses `rfc3161-client` (extra `timestamps`), which is imported only when it is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, Protocol

CERTIFICATES = 0xA0  # the tag of the certificates in CMS


class Certificate(Protocol):
    """A certificate, as `cryptography` reads it."""

    @property
    def issuer(self) -> object:
        """The name of who issued it."""

    @property
    def subject(self) -> object:
        """The name of whose it is."""


class Unstamped(Exception):
    """There is no valid time-stamp; the message says why."""


class Stamp(NamedTuple):
    """A time-stamp that was checked: the authority's answer (DER), and the time in it."""

    answer: bytes
    at: datetime


def read_certificates(path: Path) -> Sequence[Certificate]:
    """Read certificates in PEM. Raises Unstamped if there are none."""
    from cryptography.x509 import load_pem_x509_certificates

    try:
        return load_pem_x509_certificates(path.read_bytes())
    except (OSError, ValueError) as error:
        raise Unstamped(f"{path} has no certificates: {error}.") from None


def check_stamp(
    note: bytes, answer: bytes, trusted: Sequence[Certificate], *, nonce: int | None = None
) -> Stamp:
    """Check offline that an authority's answer is for this note and signed under a trusted certificate.

    A certificate that is its own issuer is a root; the others may be intermediate. If there is a `nonce`, the
    answer must repeat it. Raises Unstamped.
    """
    client = library()
    verifier = client.VerifierBuilder(
        roots=[each for each in trusted if each.issuer == each.subject],
        intermediates=[each for each in trusted if each.issuer != each.subject],
        nonce=nonce,
    )
    try:
        response = client.decode_timestamp_response(_in_order(answer))
        verifier.build().verify_message(response, note)
        return Stamp(answer, response.tst_info.gen_time)
    except (client.VerificationError, ValueError) as error:
        raise Unstamped(f"The time-stamp does not hold: {error}.") from None


def _in_order(answer: bytes) -> bytes:
    """Return an answer with its certificates in the order of DER, in which the library expects them.

    Authorities that send their root certificate too, and OpenSSL among them, do not keep that order; nothing
    that is signed depends on it.
    """
    try:
        response = _elements(answer, 0, len(answer))[0]
        token = _elements(answer, *response.content)[1]
        signed = _elements(answer, *_elements(answer, *token.content)[1].content)[0]
        parts = [part for part in _elements(answer, *signed.content) if part.tag == CERTIFICATES]
        for part in parts:
            own = sorted(answer[one.start : one.content[1]] for one in _elements(answer, *part.content))
            answer = answer[: part.content[0]] + b"".join(own) + answer[part.content[1] :]
    except IndexError:
        pass  # the library says what is wrong
    return answer


class Element(NamedTuple):
    """An element of DER: its tag, where it starts, and where its content starts and ends."""

    tag: int
    start: int
    content: tuple[int, int]


def _elements(data: bytes, start: int, end: int) -> list[Element]:
    """Return the elements between two places. Raises IndexError if they cannot be read."""
    elements = []
    while start < end:
        length, begin = data[start + 1], start + 2
        if length > 0x80:
            begin += length & 0x7F
            length = int.from_bytes(data[start + 2 : begin], "big")
        if begin + length > end:
            raise IndexError
        elements.append(Element(data[start], start, (begin, begin + length)))
        start = begin + length
    return elements


def library() -> ModuleType:
    """Return rfc3161-client. Raises Unstamped if it is not installed."""
    try:
        import rfc3161_client
    except ImportError:
        raise Unstamped("Time-stamps need rfc3161-client: pip install 'card-referee[timestamps]'.") from None
    return rfc3161_client
