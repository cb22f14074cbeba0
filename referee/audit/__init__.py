"""Verification of many records: folders and archives, on all cores or many machines."""

from referee.audit.command import is_archive, verify_archive

__all__ = ["is_archive", "verify_archive"]
