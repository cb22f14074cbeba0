"""Export and import of records, and verification of stored logs."""
