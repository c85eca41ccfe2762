"""Rows of the static-shape tables, one module a family; `static_shapes.py` says what a row is."""
