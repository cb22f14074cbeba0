"""Verification of many records: folders and archives, on all cores or many machines."""
