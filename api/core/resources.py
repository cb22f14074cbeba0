"""What strangers share, and what happens when it is full: the table of SECURITY.md.

For each there is a test of the loudest party beside an innocent one (`pytest.mark.beside`).
"""

from __future__ import annotations

from api.core.shares import Resource

WEBHOOK_SLOTS = Resource(
    "webhook slots", "128 runs of a worker", "apps; their webhooks", "its deliveries wait", others=3
)
RECEIVER_SLOTS = Resource(
    "receiver slots", "the same 128 runs", "hosts that receive", "deliveries to the host wait", others=3
)
SENDER_SLOTS = Resource(
    "mail and push slots", "8 players of each channel in a worker", "apps; their players", "its notices wait"
)

RESOURCES = (WEBHOOK_SLOTS, RECEIVER_SLOTS, SENDER_SLOTS)
