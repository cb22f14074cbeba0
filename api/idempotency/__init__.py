"""Idempotency keys: what a request has done is kept, and returned to who repeats it."""
