"""What can be computed: one file per family of ops, one block per op."""
