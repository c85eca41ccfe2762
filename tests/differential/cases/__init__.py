"""The programs, one module per family; see ``case.py`` for what a case is."""
