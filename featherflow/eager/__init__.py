"""Eager execution: an op that is called runs now, on the kernels that sessions use."""
