"""The written form of games: entries, the chain of hashes, records, clocks, receipts and trees."""
