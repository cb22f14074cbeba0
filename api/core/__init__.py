"""What every part of the service uses: settings, the request's context, errors, paging, JSON."""

VERSION = "1.1.0"
"""The version of the API."""
