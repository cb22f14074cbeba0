"""What every part of the service uses: settings, errors, callers, ids, paging, JSON."""

VERSION = "0.2.0"
"""The version of the API."""
