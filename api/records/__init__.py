"""Games as records: export and verification."""
