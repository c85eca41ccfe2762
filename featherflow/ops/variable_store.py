"""The variables that `get_variable` made in a graph, by name: made once, shared after."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import name_scope
from featherflow.graph.operation import creation_site
from featherflow.ops import init_ops, variables
from featherflow.ops.core_array_ops import slice_ as slice_tensor
from featherflow.ops.regularization import add_regularizer
from featherflow.ops.variable_messages import SaveSliceInfo
from featherflow.ops.variable_slices import PartitionedVariable


@dataclass(frozen=True)
class PartitionInfo:
    """Which part of a whole variable an initialiser makes.

    Attributes:
      full_shape: the whole's shape.
      var_offset: where the part begins, in each dimension.
    """

    full_shape: list[int]
    var_offset: list[int]


@dataclass(frozen=True)
class VariableRequest:
    """What `get_variable` was asked for, the scope's defaults filled in."""

    name: str
    shape: Any = None
    dtype: DType = dtypes.float32
    initializer: Any = None
    regularizer: Any = None
    reuse: Any = None
    trainable: bool | None = None
    collections: Any = None
    caching_device: Any = None
    partitioner: Any = None
    validate_shape: bool = True
    use_resource: bool | None = None
    constraint: Any = None
    synchronization: Any = variables.variable_base.VariableSynchronization.AUTO
    aggregation: Any = variables.variable_base.VariableAggregation.NONE

    def without_partitioner(self) -> VariableRequest:
        """The same request for one whole variable."""
        return replace(self, partitioner=None)


class VariableStore:
    """Variables by full name, partitioned ones, and how often each scope was opened."""

    def __init__(self) -> None:
        self.variables: dict[str, Any] = {}
        self.partitioned: dict[str, PartitionedVariable] = {}

    def get(self, request: VariableRequest, custom_getter: Callable[..., Any] | None) -> Any:
        """The variable asked for: found, or made."""
        if custom_getter is None:
            return self._get(request)
        arguments = {field: getattr(request, field) for field in request.__dataclass_fields__}
        if not _accepts(custom_getter, "constraint"):
            del arguments["constraint"]

        def getter(name: str, *args: Any, **kwargs: Any) -> Any:
            names = [field for field in request.__dataclass_fields__ if field != "name"]
            given = dict(zip(names, args), **kwargs)
            if given.get("dtype") is not None:
                given["dtype"] = dtypes.as_dtype(given["dtype"])
            else:
                given["dtype"] = dtypes.float32
            return self._get(VariableRequest(name, **given))

        return custom_getter(getter, **arguments)

    def _get(self, request: VariableRequest) -> Any:
        is_scalar = isinstance(request.shape, (list, tuple)) and not request.shape
        if request.partitioner is None or is_scalar:
            if f"{request.name}/part_0" in self.variables and request.name not in self.variables:
                raise ValueError(
                    f"No partitioner was provided, but a partitioned version of the variable was "
                    f"found: {request.name}/part_0."
                )
            return self._get_single(request.without_partitioner(), None)
        if not callable(request.partitioner):
            raise ValueError(f"Partitioner must be callable, but received: {request.partitioner}")
        return self._get_partitioned(request)

    # --- one variable -----------------------------------------------------------------

    def _get_single(self, request: VariableRequest, part: PartitionInfo | None) -> Any:
        initializer = request.initializer
        from_value = initializer is not None and not callable(initializer)
        if request.shape is not None and from_value:
            raise ValueError("If initializer is a constant, do not specify shape.")
        shape = TensorShape(request.shape)
        if request.name in self.variables:
            return self._share(request, shape)
        if request.reuse is True:
            raise ValueError(
                f"Variable {request.name} does not exist, or was not created with "
                "tf.get_variable(). Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"
            )
        if initializer is None:
            initializer = default_initializer(request.name, request.dtype)
        variable = self._make(request, initializer, from_value, shape, part)
        self.variables[request.name] = variable
        if request.regularizer is not None:
            add_regularizer(variable, request.regularizer)
        return variable

    def _share(self, request: VariableRequest, shape: TensorShape) -> Any:
        name, found = request.name, self.variables[request.name]
        if not request.reuse:
            raise ValueError(
                f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
                f"reuse=tf.AUTO_REUSE in VarScope? Originally defined at {creation_site(found.op)}"
            )
        if not shape.is_compatible_with(found.get_shape()):
            raise ValueError(
                f"Trying to share variable {name}, but specified shape {shape} and found shape "
                f"{found.get_shape()}."
            )
        if not request.dtype.is_compatible_with(found.dtype):
            raise ValueError(
                f"Trying to share variable {name}, but specified dtype {request.dtype.name} and "
                "found "
                f"dtype {found.dtype.name}."
            )
        return found

    def _make(
        self,
        request: VariableRequest,
        initializer: Any,
        from_value: bool,
        shape: TensorShape,
        part: PartitionInfo | None,
    ) -> Any:
        if from_value:
            value, dtype = initializer, None
        else:
            value, dtype = _initial_value(request, initializer, shape, part), request.dtype
        # Made outside control flow and control dependencies, so that the whole graph can use it.
        with get_default_graph().control_dependencies(None):
            return variables.Variable(
                initial_value=value,
                name=request.name,
                trainable=request.trainable,
                collections=request.collections,
                caching_device=request.caching_device,
                dtype=None if dtype is None else dtype.base_dtype,
                validate_shape=request.validate_shape,
                constraint=request.constraint,
                use_resource=request.use_resource,
                synchronization=request.synchronization,
                aggregation=request.aggregation,
            )

    # --- parts ------------------------------------------------------------------------

    def _get_partitioned(self, request: VariableRequest) -> PartitionedVariable:
        name = request.name
        if name in self.variables:
            raise ValueError(
                "A partitioner was provided, but an unpartitioned version of the variable was "
                "found: "
                f"{name}. Perhaps a variable of the same name was already created without one?"
            )
        initializer = request.initializer
        from_value = initializer is not None and not callable(initializer)
        given: Any = initializer
        shape = TensorShape(given.shape if from_value else request.shape)
        if name in self.partitioned:
            return self._share_partitioned(request, shape)
        if request.reuse is True:
            raise ValueError(
                f"PartitionedVariable {name} does not exist, or was not created with "
                "tf.get_variable(). Did you mean to set reuse=False or reuse=tf.AUTO_REUSE?"
            )
        partitions = checked_partitions(request, shape)
        parts = []
        for index, (offset, size) in enumerate(slices_of(shape.as_list(), partitions)):
            part_name, value = f"{name}/part_{index}", initializer
            if from_value:
                with name_scope(f"{part_name}/PartitionedInitializer"):
                    value = slice_tensor(initializer, offset, size)
            part_request = replace(
                request.without_partitioner(),
                name=part_name,
                shape=None if from_value else size,
                initializer=value,
            )
            variable = self._get_single(part_request, PartitionInfo(shape.as_list(), offset))
            variable._save_slice_info = SaveSliceInfo(name, shape.as_list(), offset, size)
            parts.append(variable)
        result = PartitionedVariable(name, shape, request.dtype, parts, partitions)
        self.partitioned[name] = result
        return result

    def _share_partitioned(self, request: VariableRequest, shape: TensorShape) -> Any:
        found = self.partitioned[request.name]
        if not request.reuse:
            raise ValueError(
                f"Partitioned variable with name {request.name} already exists. Did you mean to "
                "set "
                "reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
            )
        if not shape.is_compatible_with(found.shape):
            raise ValueError(
                f"Trying to reuse partitioned variable {request.name}, but specified shape "
                f"{shape} and "
                f"found shape {found.shape}."
            )
        return found


def _accepts(function: Callable[..., Any], name: str) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return any(
        parameter.name == name or parameter.kind is parameter.VAR_KEYWORD
        for parameter in parameters
    )


def default_initializer(name: str, dtype: DType) -> Any:
    """Glorot's uniform numbers for floats, zeros for what has a zero."""
    if dtype.is_floating:
        return init_ops.GlorotUniform()
    if dtype.is_integer or dtype.is_bool or dtype is dtypes.string:
        return init_ops.Zeros()
    raise ValueError(f"An initializer for variable {name} of {dtype.name} is required.")


def _initial_value(
    request: VariableRequest, initializer: Any, shape: TensorShape, part: PartitionInfo | None
) -> Any:
    """The initialiser as a function without arguments."""
    if inspect.isclass(initializer):
        initializer = initializer()
    if shape.is_fully_defined():
        arguments: dict[str, Any] = {}
        if _accepts(initializer, "partition_info") and part is not None:
            arguments["partition_info"] = part
        if _accepts(initializer, "dtype"):
            arguments["dtype"] = request.dtype.base_dtype
        if not inspect.signature(initializer).parameters:
            return initializer
        return functools.partial(initializer, shape.as_list(), **arguments)
    needed = [
        parameter
        for parameter in inspect.signature(initializer).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    if needed:
        raise ValueError(
            f"Variable {request.name}: the initializer passed is not valid. It should be a "
            "callable "
            "with no arguments and the shape should not be provided, or an initializer and `shape` "
            f"should be fully defined; received shape {shape}."
        )
    return initializer


# --- partitions -----------------------------------------------------------------------


def checked_partitions(request: VariableRequest, shape: TensorShape) -> list[int]:
    """What the partitioner says: the number of parts for each axis, above 1 for one at most."""
    if not shape.is_fully_defined():
        raise ValueError(
            "Shape of a new partitioned variable "
            f"({request.name}) must be fully defined, but instead was {shape}."
        )
    if not shape.rank or any(size < 1 for size in shape.as_list()):
        raise ValueError(
            f"A partitioned Var must have rank at least 1 and no empty axis, shape: {shape}"
        )
    partitions = request.partitioner(shape=shape, dtype=request.dtype)
    if not isinstance(partitions, (list, tuple)) or len(partitions) != shape.rank:
        raise ValueError(
            "Partitioner must return a list with one number for each axis, received "
            f"{partitions!r} "
            f"for shape {shape}."
        )
    if any(count < 1 for count in partitions):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {partitions}.")
    if sum(count > 1 for count in partitions) > 1:
        raise ValueError(f"Can only slice a variable along one dimension: {shape}, {partitions}")
    return list(partitions)


def slices_of(shape: list[int], partitions: list[int]) -> list[tuple[list[int], list[int]]]:
    """Offset and size of each part; the first parts take what does not divide evenly."""
    axis = next((index for index, count in enumerate(partitions) if count > 1), 0)
    size, excess = divmod(shape[axis], partitions[axis])
    result = []
    start = 0
    for index in range(partitions[axis]):
        length = size + (index < excess)
        offset = [0] * len(shape)
        offset[axis] = start
        part = list(shape)
        part[axis] = length
        result.append((offset, part))
        start += length
    return result
