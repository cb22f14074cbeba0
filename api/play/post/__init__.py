"""What players of long games leave behind: standing orders and vacations."""
