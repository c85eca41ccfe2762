"""Tests of ops: rows in `cases/`, properties derived from them in `test_op_properties.py`."""
