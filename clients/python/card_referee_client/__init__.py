"""Client for Card Referee: a REST game-state API with a rule referee.

`CardReferee` and `AsyncCardReferee` have a method for each operation of the API. Answers are plain
dictionaries, typed in `card_referee_client.types`; requests take plain dictionaries as well.
"""

from card_referee_client import errors, types
from card_referee_client.api_error import ApiError
from card_referee_client.client import AsyncCardReferee, CardReferee
from card_referee_client.core import AsyncListing, Listing
from card_referee_client.signing import sign_action
from card_referee_client.streams import Event
from card_referee_client.webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "ApiError",
    "AsyncCardReferee",
    "AsyncListing",
    "CardReferee",
    "Event",
    "Listing",
    "WebhookVerificationError",
    "errors",
    "sign_action",
    "types",
    "verify_webhook",
]
