"""The course of a log: what links its entries, who holds which seat, and who gives up."""
