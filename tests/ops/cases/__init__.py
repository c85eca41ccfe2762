"""One module of rows (`CASES`) per family of ops."""
