"""Queues that give the rows of a tensor again and again: where TF1's input pipelines start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import GraphKeys, control_dependencies, name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.assert_ops import assert_
from featherflow.ops.cast_ops import cast
from featherflow.ops.constant_ops import constant
from featherflow.ops.file_ops import matching_files
from featherflow.ops.gather_ops import gather
from featherflow.ops.identity_ops import identity
from featherflow.ops.queues import FIFOQueue
from featherflow.ops.random_ops import random_shuffle
from featherflow.ops.range_ops import range_
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import size
from featherflow.ops.summary_ops import scalar_summary
from featherflow.ops.variables import Variable as make_variable
from featherflow.train.queue_runner import QueueRunner, add_queue_runner

_NO_STRINGS = "string_input_producer requires a non-null input tensor"


@export_v1("train.match_filenames_once")
def match_filenames_once(pattern: Any, name: str | None = None) -> Any:
    """A local variable with the names of the files that match, as they are when it is set.

    Args:
      pattern: glob patterns, a string scalar or vector.
      name: of the variable.
    Returns:
      The variable, which `local_variables_initializer` sets.
    """
    with name_scope(name, "matching_filenames", [pattern]) as scope:
        return make_variable(
            matching_files(pattern),
            name=scope,
            trainable=False,
            validate_shape=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )


@export_v1("train.limit_epochs")
def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Any:
    """The tensor, for `num_epochs` runs; then OutOfRangeError.

    The runs are counted by a local variable, which `local_variables_initializer` sets.

    Args:
      tensor: any.
      num_epochs: how many runs; None for no end.
      name: of the scope.
    Raises:
      ValueError: there would be no run.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with name_scope(name, "limit_epochs", [tensor]) as scope:
        epochs: Any = make_variable(
            constant(0, dtype=dtypes.int64),
            name="epochs",
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )
        with control_dependencies([epochs.count_up_to(num_epochs)]):
            return identity(tensor, name=scope)


@export_v1("train.input_producer")
def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Operation | None = None,
) -> FIFOQueue:
    """A queue of the rows of a tensor, filled by a QueueRunner.

    Args:
      input_tensor: `[rows, …]`.
      element_shape: of a row, where the tensor's static shape does not say it.
      num_epochs: how often each row comes; None for no end.
      shuffle: whether the rows are mixed anew in each epoch.
      seed: of the order.
      capacity: of the queue.
      shared_name: sessions with the same one share the queue.
      summary_name: of a summary of how full the queue is; None for none.
      name: of the queue and its scope.
      cancel_op: what the QueueRunner runs when it must stop.
    Raises:
      ValueError: the shape of a row is not known.
    """
    with name_scope(name, "input_producer", [input_tensor]):
        tensor = convert_to_tensor(input_tensor, name="input_tensor")
        row_shape = tensor.get_shape()[1:].merge_with(TensorShape(element_shape))
        if not row_shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be "
                "specified"
            )
        if shuffle:
            tensor = random_shuffle(tensor, seed=seed)
        tensor = limit_epochs(tensor, num_epochs)
        queue = FIFOQueue(
            capacity,
            [tensor.dtype.base_dtype],
            shapes=[row_shape],
            shared_name=shared_name,
            name=name,  # type: ignore[arg-type]
        )
        enqueue = queue.enqueue_many([tensor])
        add_queue_runner(QueueRunner(queue, [enqueue], cancel_op=cancel_op))
        if summary_name is not None:
            fullness = cast(queue.size(), dtypes.float32) * (1.0 / capacity)
            scalar_summary(summary_name, fullness)
        return queue


@export_v1("train.string_input_producer")
def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Operation | None = None,
) -> FIFOQueue:
    """A queue of strings, names of files for instance.

    Args:
      string_tensor: a vector of strings.
      num_epochs, shuffle, seed, capacity, shared_name, name, cancel_op: as for `input_producer`.
    Raises:
      ValueError: the vector is an empty list.
      InvalidArgumentError: (in the run) the vector is empty.
    """
    if not isinstance(string_tensor, Tensor) and len(string_tensor) == 0:
        raise ValueError(_NO_STRINGS)
    with name_scope(name, "input_producer", [string_tensor]) as scope:
        strings = convert_to_tensor(string_tensor, dtype=dtypes.string)
        is_there: Any = size(strings) > 0  # type: ignore[operator]
        with control_dependencies([assert_(is_there, [_NO_STRINGS])]):
            strings = identity(strings)
        return input_producer(
            strings,
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            _fullness_name(capacity),
            scope,
            cancel_op,
        )


@export_v1("train.range_input_producer")
def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> FIFOQueue:
    """A queue of the integers from 0 to `limit` − 1.

    Args:
      limit: an int32 scalar.
      num_epochs, shuffle, seed, capacity, shared_name, name: as for `input_producer`.
    """
    with name_scope(name, "input_producer", [limit]) as scope:
        return input_producer(
            range_(limit),
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            _fullness_name(capacity),
            scope,
        )


@export_v1("train.slice_input_producer")
def slice_input_producer(
    tensor_list: Sequence[Any],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """The same row of several tensors, another one in each run.

    Args:
      tensor_list: tensors `[rows, …]`.
      num_epochs, shuffle, seed, capacity, shared_name, name: as for `input_producer`.
    Raises:
      ValueError: there is no tensor.
    """
    with name_scope(name, "input_producer", list(tensor_list)):
        tensors = [convert_to_tensor(tensor) for tensor in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        rows = shape_of(tensors[0])[0]
        queue = range_input_producer(rows, num_epochs, shuffle, seed, capacity, shared_name)
        index = queue.dequeue()
        return [gather(tensor, index) for tensor in tensors]


def _fullness_name(capacity: int) -> str:
    return f"fraction_of_{capacity}_full"
