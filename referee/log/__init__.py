"""What is written down of a game: entries, the chain of hashes, records, clocks, receipts and trees."""
