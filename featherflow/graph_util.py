# ruff: noqa
"""tf.graph_util: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.graph.importer import import_graph_def as import_graph_def
    from featherflow.graph.subgraph_extraction import extract_sub_graph as extract_sub_graph
    from featherflow.graph.subgraph_extraction import remove_training_nodes as remove_training_nodes
    from featherflow.graph.subgraph_extraction import (
        tensor_shape_from_node_def_name as tensor_shape_from_node_def_name,
    )
    from featherflow.graph.variable_freezing import (
        convert_variables_to_constants as convert_variables_to_constants,
    )

__getattr__, __dir__ = lazy_namespace("graph_util", globals())
