"""What can be computed: one file per family of ops, one block per op.

Importing any family attaches Python's operators to Tensor.
"""

from featherflow.ops import operators as operators
