"""`referee witness --timestamp-authority`: a checkpoint is time-stamped, and the stamp is checked offline."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

import witness.cli  # noqa: F401  (gives `referee` its commands)
from tests.servers.commands import run
from tests.servers.serving import TIMEOUT, Server
from tests.support.callers import Caller, new_game, play_on

CONFIGURATION = """
[tsa]
default_tsa = authority
[authority]
serial = {folder}/serial
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
certs = {folder}/root.pem
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256
ess_cert_id_alg = sha256
[ca]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
subjectKeyIdentifier = hash
[leaf]
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
"""


def openssl(*words: object) -> bytes:
    done = subprocess.run(
        ["openssl", *map(str, words)], capture_output=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def make_authority(folder: Path) -> Path:
    """Create a root certificate and that of an authority under it; return the folder."""
    folder.mkdir()
    settings = folder / "openssl.cnf"
    settings.write_text(CONFIGURATION.format(folder=folder))
    (folder / "serial").write_text("01")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc")
    for name, subject in (("root", "/CN=Root"), ("tsa", "/O=Example/CN=Authority")):
        files = ("-keyout", folder / f"{name}.key", "-subj", subject)
        openssl("req", "-new", *key, *files, "-out", folder / f"{name}.csr")
    extensions = ("-extfile", settings, "-extensions")
    root = folder / "root"
    openssl(
        *("x509", "-req", "-in", f"{root}.csr", "-signkey", f"{root}.key", "-out", f"{root}.pem"),
        *(*extensions, "ca", "-days", 2),
    )
    openssl(
        *("x509", "-req", "-in", folder / "tsa.csr", "-CA", f"{root}.pem", "-CAkey", f"{root}.key"),
        *(*extensions, "leaf", "-days", 2, "-set_serial", 7, "-out", folder / "tsa.pem"),
    )
    return folder


class Authority(HTTPServer):
    """A time-stamp authority that uses `openssl ts`; it can be made to repeat an earlier answer."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Stamping)
        self.folder = folder
        self.replays: bytes | None = None  # its answer to any request
        self.url = f"http://127.0.0.1:{self.server_port}/"


class Stamping(BaseHTTPRequestHandler):
    server: Authority

    def do_POST(self) -> None:
        assert self.headers["Content-Type"] == "application/timestamp-query"
        query = self.server.folder / "query.tsq"
        query.write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
        answer = self.server.replays
        if answer is None:
            out = self.server.folder / "answer.tsr"
            settings = ("-config", self.server.folder / "openssl.cnf")
            openssl("ts", "-reply", *settings, "-queryfile", query, "-out", out)
            answer = out.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "application/timestamp-reply")
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def authority(tmp_path: Path) -> Iterator[Authority]:
    made = Authority(make_authority(tmp_path / "authority"))
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def test_a_checkpoint_is_stamped_and_the_stamp_checked_offline(
    server: Server, authority: Authority, tmp_path: Path
) -> None:
    roots = str(authority.folder / "root.pem")
    asked = ("witness", server.url, "--state", str(tmp_path / "witness.json"))
    asked += ("--timestamp-authority", authority.url, "--timestamp-roots", roots)
    done = run(*asked)
    assert done.returncode == 0, done.stderr
    (answer,) = tmp_path.glob("witness-*.tsr")
    note = answer.with_suffix(".note")
    assert note.read_text() == done.stdout
    assert f": {answer}" in done.stderr

    held = run("timestamp", str(note), str(answer), "--roots", roots)
    assert held.returncode == 0, held.stderr
    size = done.stdout.splitlines()[1]
    assert f"had {size} leaves at 20" in held.stdout
    openssl("ts", "-verify", "-data", note, "-in", answer, "-CAfile", roots)  # a public check

    other, broken = tmp_path / "other.note", tmp_path / "broken.tsr"
    other.write_text(done.stdout.replace(f"\n{size}\n", f"\n{size}0\n", 1))
    broken.write_bytes(answer.read_bytes()[:-20] + bytes(20))
    stranger = make_authority(tmp_path / "stranger") / "root.pem"
    for wrong in (
        (other, answer, roots),
        (note, answer, stranger),
        (note, broken, roots),
        (note, note, roots),
        (note, answer, note),
    ):
        checkpoint, stamp, trusted = map(str, wrong)
        assert_fails(run("timestamp", checkpoint, stamp, "--roots", trusted))

    # An answer to another request is not accepted, even by the same witness.
    for replayed in (answer.read_bytes(), b"<html>"):
        authority.replays = replayed
        assert_fails(run(*asked))
    assert run(*asked[:-2]).returncode == 2


def assert_fails(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 1, done.stdout
    assert done.stderr.startswith("FAIL")


def test_a_bundle_is_stamped_by_an_authority_of_ones_choice(
    host: Caller, four: list[Caller], worker: Callable[[], None], authority: Authority, tmp_path: Path
) -> None:
    game = play_on(four, new_game(host, four[:2]))
    worker()
    roots, bundle, stamped = str(authority.folder / "root.pem"), tmp_path / "bundle", tmp_path / "stamped"
    bundle.write_bytes(host.get(f"/v1/games/{game['id']}/bundle").data)
    asked = ("--timestamp-authority", authority.url, "--timestamp-roots", roots)
    done = run("stamp", str(bundle), *asked)
    assert done.returncode == 0, done.stderr
    stamped.write_text(done.stdout)
    checked = ("verify", str(stamped), "--timestamp-roots")
    assert "ok    timestamp [time-stamp authority]" in run(*checked, roots).stdout
    assert "-     timestamp [" in run("verify", str(stamped)).stdout
    stranger = make_authority(tmp_path / "stranger") / "root.pem"
    assert "FAIL  timestamp [" in run(*checked, str(stranger)).stdout
    other = play_on(four, new_game(host, four[:2]))
    worker()
    data = {**json.loads(done.stdout), "record": host.get(f"/v1/games/{other['id']}/record").json}
    stamped.write_text(json.dumps(data))
    assert "FAIL  timestamp [" in run(*checked, roots).stdout
