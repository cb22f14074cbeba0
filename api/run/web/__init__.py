"""The web server: its web and compute processes, how they wait, and how they end."""
