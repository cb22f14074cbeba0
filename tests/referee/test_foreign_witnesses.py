"""Witnesses of others: a checkpoint of a public log, cosigned by four witnesses that others wrote and run."""

from __future__ import annotations

import pytest

from referee.engine.verdicts import Malformed
from referee.proofs.policy import read_policy
from referee.proofs.promises import cosigners, witnessed_at
from referee.proofs.receipts import read_receipt, read_vkey, signer

LOG = "arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f"
WITNESSES = (
    "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2",
    "transparency.dev/DEV:witness-little-garden+d8042a87+BCtusOxINQNUTN5Oj8HObRkh2yHf/MwYaGX4CPdiVEPM",
    "witness1.smartit.nu/witness1+a48c820f+BPSFWg9G6KPiO7QPryYO5Xq4oYJJ+kAvLKLSimDhoxMO",
    "witness.stagemole.eu+67f7aea0+BEqSG3yu9YrmcM3BHvQYTxwFj3uSWakQepafafpUqklv",
)
ANOTHER = "witness.navigli.sunlight.geomys.org+a3e00fe2+BNy/co4C1Hn1p+INwJrfUlgz7W55dSZReusH/GhUhJ/G"
# As it was served in May 2026. The first line below the text is a signature of another kind, to be ignored.
CHECKPOINT = """\
arche2025h1.staging.ct.transparency.dev
1432088532
U7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=

— arche2025h1.staging.ct.transparency.dev zTM8sQAAAZ5W0WdjBAMARjBEAiBjW5IQf9pvsYLfQFX6hoGREPMHbdQ3urbllzalApkptQIgIpwtEroeW2BXaHAI4kJXFbon5Ch9MNL5zRNZ55lvGt0=
— arche2025h1.staging.ct.transparency.dev ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=
— transparency.dev/DEV:witness-little-garden 2AQqhwAAAABqEiEgzgFIqqhbUoDwjMWE6UP8nd8/KYTzwZ2rhIgcqoXHAwVkjZr4AscylP3v7sEodkRAErumC2q44vdgJY096st5BQ==
— witness1.smartit.nu/witness1 pIyCDwAAAABqEiEghIp82KWebrw7/oHQwlTAm3g2RKS4+eebl8eO0WH+/iEcxZ75W3u5hNI7TOQtmJbqmNWVuE0tgh0XwzdZsDsUAQ==
— remora.n621.de 2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB0DrAWfBw==
— witness.stagemole.eu Z/euoAAAAABqEiEgw0i+7g2ENfDAWHmtRzCfKTHSDwYDJA2NmKeGi9Y8FtEyOUvVr+AJmIY/2TUFucgKi7lI7cUiOvKFYe/TmN9DAg==
"""  # noqa: E501


def policy(threshold: int, *vkeys: str) -> str:
    listed = "".join(f"witness w{number} {vkey}\n" for number, vkey in enumerate(vkeys))
    names = " ".join(f"w{number}" for number in range(len(vkeys)))
    return f"log {LOG}\n{listed}group some {threshold} {names}\nquorum some\n"


def test_cosignatures_of_others_are_checked() -> None:
    checkpoint = read_receipt(CHECKPOINT)
    assert signer(checkpoint, [read_vkey(LOG)])
    four = read_policy(policy(4, *WITNESSES))
    assert sorted(cosigners(checkpoint, four)) == ["w0", "w1", "w2", "w3"]
    seen = witnessed_at(checkpoint, four)
    assert seen is not None
    assert seen.isoformat() == "2026-05-23T21:50:24+00:00"


def test_a_quorum_of_others_is_counted() -> None:
    checkpoint = read_receipt(CHECKPOINT)
    assert witnessed_at(checkpoint, read_policy(policy(2, *WITNESSES[:2], ANOTHER)))
    assert witnessed_at(checkpoint, read_policy(policy(2, WITNESSES[0], ANOTHER))) is None


@pytest.mark.parametrize("place", range(4))
def test_a_cosignature_of_another_checkpoint_is_none(place: int) -> None:
    changed = read_receipt(CHECKPOINT.replace("1432088532", "1432088533"))
    assert signer(changed, [read_vkey(LOG)]) is None
    assert cosigners(changed, read_policy(policy(1, WITNESSES[place]))) == {}


# What readers of others refuse in a policy.
@pytest.mark.parametrize(
    "text",
    [
        "quorum none\r\n",
        "quorum none\n\x01",
        "quibble w\nquorum none\n",
        "log\nquorum none\n",
        f"log {LOG}\nlog {LOG} https://log.example.com/\nquorum none\n",
        f"witness w {LOG}\nquorum w\n",  # no key of a witness
        f"witness none {ANOTHER}\nquorum none\n",
        f"witness w {ANOTHER} https://w.example.com/ # a comment\nquorum w\n",
        f"witness w {ANOTHER}\ngroup w any w\nquorum w\n",
        f"witness w {ANOTHER}\ngroup g 1\nquorum w\n",
        f"witness w {ANOTHER}\ngroup g 0 w\nquorum g\n",
        f"witness w {ANOTHER}\ngroup g -1 w\nquorum g\n",
        f"witness w {ANOTHER}\ngroup g +1 w\nquorum g\n",
        f"witness w {ANOTHER}\ngroup g 2 w\nquorum g\n",
        f"group g any w\nwitness w {ANOTHER}\nquorum g\n",
        f"witness w {ANOTHER}\ngroup g any none w\nquorum g\n",
        f"witness w {ANOTHER}\ngroup g all w w\nquorum g\n",
        f"witness w {ANOTHER}\ngroup g any w\ngroup h any w\nquorum h\n",  # counted twice
        f"witness w {ANOTHER}\ngroup g any w\ngroup h any g w\nquorum h\n",
        f"witness w {ANOTHER}\n",
        f"witness w {ANOTHER}\nquorum w\nquorum w\n",
        f"quorum w\nwitness w {ANOTHER}\n",
        "quorum\n",
    ],
)
def test_a_policy_that_others_refuse_is_refused(text: str) -> None:
    with pytest.raises(Malformed):
        read_policy(text)
