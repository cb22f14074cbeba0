"""Backups with pgBackRest, as docs/guides/deployment.md describes them and `deploy/pgbackrest` sets them up.

It is run on the newest PostgreSQL here that the installed pgBackRest knows (`apt install pgbackrest`).
PGBACKREST names another one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from api.app import create_app
from api.callers import app_keys
from api.run.embedded.accounts import run_as
from api.run.embedded.postgres import Postgres
from tests.servers.clusters import (
    LOCALE,
    OLDER_LOCALE,
    OWNER,
    Cluster,
    clusters,
    installed,
    prepare,
    settings,
)
from tests.servers.receiver import eventually
from tests.servers.serving import free_directory, run

pytestmark = pytest.mark.long

DEPLOY = Path(__file__).parents[2] / "deploy" / "pgbackrest"
PROGRAM = os.environ.get("PGBACKREST") or shutil.which("pgbackrest")
KNOWN = {(2, 57): 18, (2, 54): 17, (2, 48): 16, (2, 41): 15}  # which release knows which PostgreSQL first
GAME = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}, {"bot": "random"}]}
PASSWORD = "a password of the repository"


@dataclass
class Backups:
    """A running server whose WAL is archived, and the program, which runs with the server's rights."""

    cluster: Cluster
    program: Path

    def __call__(self, *words: str) -> str:
        """Run pgBackRest, and return what it prints."""
        status, said = run_as(self.cluster.account, [self.program, "--stanza=card-referee", *words])
        assert status == 0, said
        return said

    def start(self) -> None:
        """Start the server with the settings of the recipe."""
        text = (DEPLOY / "postgresql.conf").read_text()
        options = dict(re.findall(r"^(\w+) = '?(.+?)'?$", text, re.MULTILINE))
        options["archive_command"] = options["archive_command"].replace("pgbackrest", str(self.program), 1)
        self.cluster.start(**options)

    def play(self) -> None:
        """Let an app of its own play a game to its end."""
        own = settings(self.cluster)
        app = create_app(own)
        _, key = app_keys.create(own, "host", ["read", "write"], None)
        headers = {"Authorization": f"Bearer {key}"}
        assert app.test_client().post("/v1/games", json=GAME, headers=headers).status_code == 201
        app.extensions["card_referee"].database.close()


def newest_known() -> int:
    """Return the newest PostgreSQL that is here and that this pgBackRest knows."""
    if PROGRAM is None:
        pytest.skip("pgBackRest is not installed here (apt install pgbackrest)")
    said = subprocess.check_output([PROGRAM, "version"], text=True)
    release = tuple(map(int, said.split()[-1].split(".")[:2]))
    known = max((major for since, major in KNOWN.items() if release >= since), default=0)
    majors = [major for major in installed() if major <= known]
    if not majors:
        pytest.skip(f"{said.strip()} knows no PostgreSQL that is installed here")
    return max(majors)


@pytest.fixture
def backups(postgres: Postgres) -> Iterator[Backups]:
    major = newest_known()
    with clusters(postgres, "server") as (cluster,):
        cluster.programs = installed()[major]
        place = cluster.directory / "pgbackrest"
        for name in ("repo", "spool", "log", "lock", "try", "conf.d"):
            (place / name).mkdir(parents=True)
        config, program = place / "pgbackrest.conf", place / "bin" / "pgbackrest"
        replaced = {"repo1-path": place / "repo", "spool-path": place / "spool", "pg1-path": cluster.data}
        text = (DEPLOY / "pgbackrest.conf").read_text()
        for name, path in replaced.items():
            text, number = re.subn(rf"^{name}=.*$", f"{name}={path}", text, flags=re.MULTILINE)
            assert number == 1
        (place / "conf.d" / "cipher.conf").write_text(f"[global]\nrepo1-cipher-pass={PASSWORD}\n")
        more = f"log-path={place}/log\nlock-path={place}/lock\n"
        text = text.replace(
            "[card-referee]\n", f"{more}[card-referee]\npg1-socket-path={cluster.directory}\n"
        )
        config.write_text(f"{text}pg1-user={OWNER}\n")
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec {PROGRAM} --config-path={place} "$@"\n')
        program.chmod(0o755)
        if cluster.account is not None:
            for path in (place, *place.rglob("*")):
                os.chown(path, cluster.account.uid, cluster.account.gid)
        cluster.make(*(LOCALE if major >= 17 else OLDER_LOCALE))
        made = Backups(cluster, program)
        cluster.start()
        prepare(cluster)
        made("stanza-create")
        cluster.stop()
        made.start()
        yield made


def test_backups_restores_and_a_point_in_time(backups: Backups) -> None:
    cluster = backups.cluster
    backups("check")
    backups.play()
    backups("backup", "--type=full")
    backups.play()
    backups("backup", "--type=incr")
    (info,) = json.loads(backups("info", "--output=json"))
    assert [each["type"] for each in info["backup"]] == ["full", "incr"]
    assert info["cipher"] == "aes-256-cbc"
    backups.play()
    then = cluster.ask("SELECT clock_timestamp()::text")
    app_keys.create(settings(cluster), "too late", ["read"], None)
    cluster.ask("SELECT pg_switch_wal()")

    assert "3 games verified, and every log holds" in tried(backups)
    assert not [*(backups.program.parents[1] / "try").iterdir()]
    assert cluster.answers()

    cluster.stop()
    backups("restore", "--type=time", f"--target={then}", "--target-action=promote")
    backups.start()
    assert eventually(lambda: cluster.ask("SELECT pg_is_in_recovery()") is False)
    assert cluster.ask("SELECT string_agg(name, ' ') FROM apps") == "host"
    environment = settings(cluster).environment()
    assert run("migrate", **environment).returncode == 0
    assert "3 games verified, and every log holds" in run("verify", **environment).stdout
    checked = [json.loads(line) for line in run("check", **environment).stdout.splitlines()]
    fine = {each["check"] for each in checked if each["ok"]}
    assert fine >= {"database", "schema", "rights", "keys"}, checked

    backups("backup", "--type=full")  # of the new timeline
    backups("expire", "--repo1-retention-full=1")
    (info,) = json.loads(backups("info", "--output=json"))
    assert [each["type"] for each in info["backup"]] == ["full"]
    assert "3 games verified, and every log holds" in tried(backups)


ASKED = """#!/bin/sh
echo "$DATABASE_URL" >{0}/asked.new && mv {0}/asked.new {0}/asked
until [ -e {0}/said ]; do sleep 0.1; done
cat {0}/said
"""


def tried(backups: Backups) -> str:
    """Restore beside the database as the timer does, and return what is said.

    We verify for it: the server's account may not reach this interpreter.
    """
    place, own = backups.program.parents[1], settings(backups.cluster)
    (asked, said), program = (
        (place / "try" / name for name in ("asked", "said")),
        place / "bin" / "referee-api",
    )
    program.write_text(ASKED.format(place / "try"))
    program.chmod(0o755)
    words = (
        f"PATH={place}/bin:{os.environ['PATH']}",
        f"PROGRAMS={backups.cluster.programs}",
        f"REFEREE_API={program}",
    )
    with ThreadPoolExecutor(1) as apart:
        done = apart.submit(
            run_as, backups.cluster.account, ["env", *words, DEPLOY / "try-restore.sh", place / "try"]
        )
        assert eventually(lambda: asked.exists() or done.done())
        if asked.exists():
            address = asked.read_text().strip()
            copy = own.environment() | dict.fromkeys(("DATABASE_URL", "MIGRATION_DATABASE_URL"), address)
            verified = run("verify", **copy)
            said.write_text(verified.stdout + verified.stderr)
        status, words_of_it = done.result()
    assert status == 0, words_of_it
    for file in (asked, said):
        file.unlink()
    return words_of_it


def test_the_units_are_valid_and_restricted() -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed here")
    with free_directory() as directory:
        for unit in (*DEPLOY.glob("*.service"), *DEPLOY.glob("*.timer")):
            ours = re.sub(r"=(/usr|/opt)/\S+", "=/bin/true", unit.read_text())
            (directory / unit.name.replace("@", "@full")).write_text(ours)
            (directory / unit.name.replace("@", "@incr")).write_text(ours)
        for copy in sorted(directory.iterdir()):
            checked = subprocess.run([analyze, "verify", copy], capture_output=True, text=True)
            assert (checked.returncode, checked.stderr) == (0, ""), copy.name
            if copy.suffix == ".service":
                exposure = [analyze, "security", "--offline=yes", "--threshold=40", str(copy)]
                assert subprocess.run(exposure, capture_output=True).returncode == 0, copy.name
