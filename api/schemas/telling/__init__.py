"""Notices to apps: what they hold, where they go, and what became of them."""
