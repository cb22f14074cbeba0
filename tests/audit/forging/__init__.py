"""Forgers of records, who own the database and the seed and can make every hash fit.

`deeds` follow from the declarations of entries; `invented` entries and `votes` from tables; `told` are the
lies that no table can tell. `unfound` lists those that nobody can find in a record alone.
"""
