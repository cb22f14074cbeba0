"""What every part of the service uses: settings, errors, callers, ids, paging, JSON."""

VERSION = "1.1.0"
"""The version of the API."""
