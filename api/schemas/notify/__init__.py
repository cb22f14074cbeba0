"""Notices to apps: their content, webhooks and deliveries."""
