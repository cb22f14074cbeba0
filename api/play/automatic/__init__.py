"""What happens in games without a request: bots, standing orders, deadlines."""
