"""The errors of the API: `ApiError`, and one for each type of problem."""

from card_referee_client.api_error import ApiError as ApiError
from card_referee_client.generated.errors import *  # noqa: F403
