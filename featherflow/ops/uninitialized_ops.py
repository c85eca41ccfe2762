"""Which variables are not initialised: as names, or as an error."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.comparison_ops import logical_not
from featherflow.ops.constant_ops import constant_v1
from featherflow.ops.masking_ops import boolean_mask
from featherflow.ops.pack_ops import stack
from featherflow.ops.ref_variable_ops import is_variable_initialized
from featherflow.ops.shape_ops import rank_internal
from featherflow.ops.variables import global_variables, local_variables


@export_v1("report_uninitialized_variables")
def report_uninitialized_variables(
    var_list: Any = None, name: str = "report_uninitialized_variables"
) -> Tensor:
    """The names of the variables that are not initialised.

    Args:
      var_list: variables; None takes all global and local ones.
      name: of the scope of the nodes.
    Returns:
      A vector of strings.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     weight = tf.Variable(1.0, name="weight")
    ...     missing = tf.report_uninitialized_variables()
    ...     print(sess.run(missing), sess.run(weight.initializer), sess.run(missing))
    [b'weight'] None []
    """
    if var_list is None:
        var_list = global_variables() + local_variables()
    with name_scope(name):
        flags = [is_variable_initialized(variable) for variable in var_list]
        with get_default_graph().device("/cpu:0"):  # strings are there in any case
            if not var_list:
                return constant_v1([], dtype=dtypes.string)
            is_missing = logical_not(stack(flags))
            names = constant_v1([variable.op.name for variable in var_list])
            return boolean_mask(names, is_missing)


@export_v1("assert_variables_initialized")
def assert_variables_initialized(var_list: Any = None) -> Tensor | None:
    """A tensor that cannot be computed unless the variables are initialised.

    `report_uninitialized_variables` says which are not.

    Args:
      var_list: variables; None takes all global and local ones.
    Returns:
      The ranks of the variables, which take their values to know; None if there are no variables.
    Raises:
      FailedPreconditionError: (in the run) a variable is not initialised.
    """
    if var_list is None:
        var_list = global_variables() + local_variables()
    ranks = []
    for variable in var_list:
        with get_default_graph().colocate_with(variable):
            ranks.append(rank_internal(variable, optimize=False))
    if not ranks:
        return None
    return ranks[0] if len(ranks) == 1 else stack(ranks)
