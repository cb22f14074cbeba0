"""Pages, documentation and operations."""
