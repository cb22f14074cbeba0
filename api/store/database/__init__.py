"""Connections, transactions, publish and subscribe, encryption of columns."""
