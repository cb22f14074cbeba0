"""Documents on four shelves (start, guides, reference, explanation), and what writes parts of them."""
