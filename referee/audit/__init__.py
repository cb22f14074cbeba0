"""Verification of many records: folders and archives, on all cores or many machines."""

from referee.audit.command import is_archive, verify_archive
from referee.audit.marks import EndMark

__all__ = ["EndMark", "is_archive", "verify_archive"]
