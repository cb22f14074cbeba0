"""Games: create, act, look, list, what is due; thin around `referee.table`."""
