"""The types of requests and answers, which are dictionaries."""

from card_referee_client.generated.types import *  # noqa: F403
