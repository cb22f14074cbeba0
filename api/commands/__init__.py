"""What the command line does, one file a group of commands."""
