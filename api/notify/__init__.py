"""Webhooks and what is delivered to them."""
