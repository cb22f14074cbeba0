"""Shapes: what is accepted (marshmallow, enforced) and what is answered (JSON Schema, tested)."""
