"""`referee-api check` names what was never set up or tried, or ends soon, and waits for nothing twice."""

from __future__ import annotations

import json
import socket
import ssl
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from api.core import release
from api.core.clock import utc_now
from api.core.config import Settings, started
from api.run import check
from tests.servers.serving import free_port

RECORD = "INSERT INTO backups (written_at, bytes, kind) VALUES (now() - %s, 1, %s)"


def found(settings: Settings) -> dict[str, tuple[bool | None, str]]:
    """Return what is reported."""
    lines: list[dict[str, Any]] = []
    fine = check.run(settings, lambda line: lines.append(json.loads(line)))
    assert fine == all(line["ok"] is not False for line in lines)
    return {line["check"]: (line["ok"], line["detail"]) for line in lines}


def test_what_was_never_done_is_a_fault(settings: Settings, sql: psycopg.Connection) -> None:
    said = found(settings)
    for name, words in (
        ("backup", "No backup was ever made"),
        ("restore", "Nobody has tried to restore a backup"),
        ("alerts", "METRICS_TOKEN is not set"),
        ("mail server", "SMTP_URL, MAIL_FROM, PUBLIC_URL not set"),
    ):
        assert said[name][0] is False, name
        assert words in said[name][1]
    for kind in ("backup", "restore"):
        sql.execute(RECORD, (timedelta(hours=1), kind))
    watched = replace(settings, metrics_token="a-token-of-a-test", worker_health_port=8090)
    said = found(watched)
    assert [said[name][0] for name in ("backup", "restore", "alerts")] == [True] * 3
    sql.execute("UPDATE backups SET written_at = written_at - interval '10 days'")
    said = found(watched)
    assert [said[name][0] for name in ("backup", "restore", "alerts")] == [False, False, True]
    assert said["disk of the database"][0] is True
    assert "MiB" in said["disk of the database"][1]


def test_a_dead_network_is_asked_once(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def connect(address: str, **more: object) -> None:
        asked.append(address)
        raise psycopg.OperationalError("timeout expired")

    monkeypatch.setattr(psycopg, "connect", connect)
    away = "postgresql+psycopg://{}@10.255.255.1/cards"
    names = ("database_url", "owner_database_url", "worker_database_url")
    dead = replace(settings, **{name: away.format(name) for name in names})
    said = found(dead)
    assert len(asked) == 3, "one for each login, at the same time"
    needing = [name for name, (_, detail) in said.items() if detail.startswith("Not looked at")]
    assert {"schema", "rights", "keys", "clock", "worker", "backup", "restore"} <= {*needing}
    assert "timeout expired" in said["database"][1]


@contextmanager
def served(folder: Path, days: float) -> Iterator[tuple[str, ssl.SSLContext]]:
    """Serve TLS with a certificate that ends in so many days; yield its address and who trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.OID_COMMON_NAME, "x")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(utc_now() - timedelta(days=1))
        .not_valid_after(utc_now() + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    both = folder / "both.pem"
    both.write_bytes(made.public_bytes(pem) + key.private_bytes(pem, *form))
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(both)
    with socket.create_server(("localhost", free_port())) as listener:

        def answer() -> None:
            with suppress(OSError):
                while True:
                    client, _ = listener.accept()
                    with suppress(OSError), own.wrap_socket(client, server_side=True) as secure:
                        secure.recv(1)

        threading.Thread(target=answer, daemon=True).start()
        yield f"https://localhost:{listener.getsockname()[1]}", ssl.create_default_context(cafile=both)


def test_a_certificate_that_ends_soon_is_a_fault(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for days, words in ((40, "ends in 40 days"), (5, "The certificate of localhost ends in 5 days.")):
        with served(tmp_path, days) as (address, trusting):
            monkeypatch.setattr(ssl, "create_default_context", lambda trusting=trusting: trusting)
            said = found(replace(settings, public_url=address))
            assert said["certificate"] == (days == 40, words)
            monkeypatch.undo()
            strange = found(replace(settings, public_url=address))["certificate"]
            assert strange[0] is False
            assert "cannot be reached safely" in strange[1]


def test_a_build_says_which_commit_it_is(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is written by `deploy/install.sh`, and is in the package."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    release.commit.cache_clear()
    assert release.build() == release.release()
    place = tmp_path / "share" / "card-referee"
    place.mkdir(parents=True)
    (place / "commit").write_text("0123456789ab-dirty\n")
    release.commit.cache_clear()
    assert release.build() == f"{release.release()} (0123456789ab-dirty)"
    assert release.build() in found(settings)["settings"][1]
    assert release.build() in started("web server", settings)
    release.commit.cache_clear()
