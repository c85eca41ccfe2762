"""one_hot_encoding and embed_sequence: indices as vectors."""

from __future__ import annotations

from typing import Any

from featherflow.contrib.framework.argument_scopes import add_arg_scope
from featherflow.contrib.framework.framework_variables import model_variable
from featherflow.contrib.layers.layer_variables import collected
from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import to_int64
from featherflow.ops.embedding_ops import embedding_lookup
from featherflow.ops.one_hot_ops import one_hot
from featherflow.ops.variable_scope import variable_scope


@export_v1("contrib.layers.one_hot_encoding", "contrib.slim.one_hot_encoding")
@add_arg_scope
def one_hot_encoding(
    labels: Any,
    num_classes: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Any:
    """`on_value` at the index that a label says, `off_value` elsewhere.

    Args:
      labels: integers `[batch]`.
      num_classes: the length of the vectors.
      on_value, off_value: the values.
      outputs_collections: names of collections for the output.
      scope: the name scope.
    """
    with name_scope(scope, "OneHotEncoding", [labels, num_classes]):
        labels = convert_to_tensor(labels)
        if labels.dtype is dtypes.int32:
            labels = to_int64(labels)
        outputs = one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return collected(outputs, outputs_collections)


@export_v1("contrib.layers.embed_sequence", "contrib.slim.embed_sequence")
def embed_sequence(
    ids: Any,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Tensor:
    """embeddings[ids], of the variable `embeddings` `[vocab_size, embed_dim]`.

    Args:
      ids: integers of any shape.
      vocab_size, embed_dim: the shape of the variable; needed unless it is shared.
      unique: accepted for compatibility: whether each id is looked up once.
      initializer, regularizer, trainable: of the variable.
      scope: a variable scope or its name; None takes "EmbedSequence".
      reuse: whether to share the variable of an earlier call.
    Raises:
      ValueError: a size is missing.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            f"Must specify vocab size and embedding dimension when not reusing. "
            f"Got vocab_size={vocab_size} and embed_dim={embed_dim}"
        )
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        shape = [vocab_size, embed_dim] if vocab_size and embed_dim else None
        embeddings = model_variable(
            "embeddings",
            shape=shape,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        return embedding_lookup(embeddings, ids)
