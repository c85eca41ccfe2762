"""AutoGraph: Python's control flow over tensors, as nodes of a graph; see README.md here.

    if x > 0:            ag__.if_stmt(x > 0, body, orelse, get_state, set_state, names, nouts)
        y = x

The source of a function is rewritten by `diastatic-malt` into calls of our operators. An operator
looks at its values when the function is traced: Python values go on as Python, symbolic tensors
become `tf.cond` and `tf.while_loop`.
"""

from __future__ import annotations

from featherflow.functions.autograph.conversion import convert

__all__ = ["convert"]
