"""tf.function: a Python function that is traced into a graph for each kind of arguments."""

from __future__ import annotations

import functools
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from featherflow.eager.eager_tensor import EagerTensor
from featherflow.eager.execute import CacheInfo
from featherflow.framework import nest
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.functions import arguments as arguments_module
from featherflow.functions.arguments import Arguments, Signature, TensorKey
from featherflow.functions.concrete_function import ConcreteFunction
from featherflow.functions.run_eagerly import functions_run_eagerly
from featherflow.functions.tracing import VariableWatch, trace
from featherflow.graph.tensor import Tensor

#: Traces that one tf.function keeps; the least recently used goes first.
MAX_TRACES = 256


class Function:
    """What `tf.function` returns; see there."""

    def __init__(
        self,
        python_function: Callable[..., Any],
        name: str,
        input_signature: Sequence[Any] | None = None,
        autograph: bool = True,
        jit_compile: bool | None = None,
        reduce_retracing: bool = False,
        experimental_implements: str | None = None,
        experimental_autograph_options: Any = None,
    ) -> None:
        self._python_function = python_function
        self._name = name
        self._input_signature = None if input_signature is None else tuple(input_signature)
        self._autograph = autograph
        self._jit_compile = jit_compile
        self._reduce_retracing = reduce_retracing
        self._implements = experimental_implements
        self._options = experimental_autograph_options
        self._signature = Signature(python_function)
        self._lock = threading.RLock()
        self._traces: OrderedDict[Any, ConcreteFunction] = OrderedDict()
        self._fast: dict[Any, ConcreteFunction] = {}
        self._relaxed: dict[Any, list[Any]] = {}
        self._hits = self._misses = self._trace_count = 0
        self._variables = VariableWatch()
        self._by_instance: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        functools.update_wrapper(self, python_function, updated=())

    # --- calls ------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the trace for these arguments, made now if it is the first such call."""
        if not kwargs:  # tensors by position: no structure to look into
            key: Any = []
            for value in args:
                if value.__class__ is not EagerTensor:
                    break
                array = value._value
                key.append((value._dtype, getattr(array, "shape", None)))
            else:
                concrete = self._fast.get(tuple(key))
                if concrete is not None and not functions_run_eagerly():
                    self._hits += 1
                    return concrete.call_flat(args)
        if functions_run_eagerly():
            return self._python_function(*args, **kwargs)
        return self._call(args, kwargs)

    def _call(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        arguments = self._arguments(args, kwargs)
        concrete = self._concrete(arguments)
        plain = not kwargs and len(args) == len(arguments.leaves) and self._input_signature is None
        if plain and all(value.__class__ is EagerTensor for value in args):
            if len(self._fast) >= MAX_TRACES:
                self._fast.clear()
            key = tuple((value._dtype, getattr(value._value, "shape", None)) for value in args)
            self._fast[key] = concrete
        return concrete.call_flat(arguments.tensors)

    def _arguments(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Arguments:
        bound = self._signature.bind(args, kwargs)
        if self._input_signature is not None:
            bound = self._as_signed(*bound)
        arguments = arguments_module.flatten(bound)
        return arguments

    def _as_signed(self, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        """The arguments as tensors that the input signature describes.

        Raises:
          TypeError: they do not fit it.
        """
        specs = self._input_signature
        assert specs is not None
        rest = args[len(specs) :]
        if len(args) < len(specs):
            raise TypeError(
                f"{self._name}: the input_signature has {len(specs)} arguments, received "
                f"{len(args)}."
            )
        packed = [self._bound(spec, value) for spec, value in zip(specs, args)]
        return (*packed, *rest), kwargs

    def _bound(self, spec: Any, value: Any) -> Any:
        """An argument as its spec, or the specs in its structure, say.

        Raises:
          TypeError: it has another structure.
        """
        if not nest.is_nested(spec):
            return self._signed(spec, value)
        if not nest.is_nested(value) or len(value) != len(spec):
            raise TypeError(
                "Structure of Python function inputs does not match input_signature: "
                f"received {value!r}, expected {spec!r}."
            )
        if isinstance(spec, dict):
            return {key: self._bound(spec[key], value[key]) for key in spec}
        items = [self._bound(inner, item) for inner, item in zip(spec, value)]
        return nest.pack_sequence_as(value, items)

    def _signed(self, spec: Any, value: Any) -> Any:
        if not arguments_module.is_spec(spec):
            return value
        if arguments_module.is_spec(value):
            return value
        if not isinstance(value, Tensor):
            try:
                value = convert_to_tensor(value, dtype=spec.dtype)
            except (TypeError, ValueError) as error:
                raise TypeError(
                    f"{self._name}: cannot convert {value!r} to the {spec.dtype.name} tensor of the"
                    " "
                    f"input_signature: {error}"
                ) from None
        if value.dtype.base_dtype is not spec.dtype or not spec.shape.is_compatible_with(
            value.shape
        ):
            raise TypeError(
                f"Binding inputs to tf.function failed: {self._name} received a {value.dtype.name} "
                f"tensor of shape {value.shape}, where its input_signature has {spec!r}."
            )
        return value

    # --- traces -----------------------------------------------------------------------------------

    def _concrete(self, arguments: Arguments) -> ConcreteFunction:
        keys = self._keys(arguments)
        key = (_structure_key(arguments.structure), tuple(keys))
        with self._lock:
            known = self._traces.get(key)
            if known is not None:
                self._hits += 1
                self._traces.move_to_end(key)
                return known
            if self._reduce_retracing:
                keys = self._relax(arguments, keys)
                key = (key[0], tuple(keys))
                known = self._traces.get(key)
                if known is not None:
                    self._hits += 1
                    return known
            self._misses += 1
            concrete = self._trace(arguments, keys)
            self._traces[key] = concrete
            while len(self._traces) > MAX_TRACES:
                self._traces.popitem(last=False)
                self._fast.clear()
            return concrete

    def _keys(self, arguments: Arguments) -> list[Any]:
        """What traces tell apart; of tensors in an input signature what that says of them."""
        if self._input_signature is None:
            return arguments.keys
        specs = nest.flatten(list(self._input_signature), expand_composites=True)
        signed = [
            arguments_module.key_of(spec, {}) if arguments_module.is_spec(spec) else key
            for spec, key in zip(specs, arguments.keys)
        ]
        return [*signed, *arguments.keys[len(signed) :]]

    def _relax(self, arguments: Arguments, keys: list[Any]) -> list[Any]:
        """More general keys, if calls of this form have had other shapes before."""
        form = (
            _structure_key(arguments.structure),
            tuple(key.dtype if key.__class__ is TensorKey else key for key in keys),
        )
        before = self._relaxed.get(form)
        if before is not None:
            keys = [
                old.relaxed(new) if new.__class__ is TensorKey else new
                for old, new in zip(before, keys)
            ]
        self._relaxed[form] = keys
        return keys

    def _trace(self, arguments: Arguments, keys: list[Any]) -> ConcreteFunction:
        args, kwargs = arguments.structure
        names = self._signature.names(args, kwargs)
        self._trace_count += 1
        concrete, made = trace(self, arguments, keys, names, self._variables)
        if made:  # the trace that is kept is one that finds the variables there
            self._trace_count += 1
            concrete, _ = trace(self, arguments, keys, names, self._variables.closed())
        return concrete

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for arguments of which tensors may be given as tf.TensorSpec.

        Raises:
          TypeError: they are not arguments of the function.
        """
        if self._input_signature is not None and not args and not kwargs:
            args = self._input_signature
        return self._concrete(self._arguments(args, kwargs))

    # --- what it is -------------------------------------------------------------------------------

    @property
    def python_function(self) -> Callable[..., Any]:
        """The function that is traced."""
        return self._python_function

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        """The signature that was given."""
        return self._input_signature

    @property
    def function_spec(self) -> Signature:
        """How the function takes its arguments."""
        return self._signature

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    def experimental_get_tracing_count(self) -> int:
        """How often the Python function has been traced."""
        return self._trace_count

    def cache_info(self) -> CacheInfo:
        """Calls that found their trace, calls that made one, the bound and the number of traces."""
        return CacheInfo(self._hits, self._misses, MAX_TRACES, len(self._traces))

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of all traces, one below the other."""
        return "\n\n".join(item.pretty_printed_signature(verbose) for item in self._traces.values())

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        return list(self._traces.values())

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """The function of one object: its traces go with the object."""
        if instance is None:
            return self
        try:
            known = self._by_instance.get(instance)
        except TypeError:  # it cannot be hashed, or not be referred to weakly
            return self._bound_to(instance)
        if known is None:
            known = self._by_instance[instance] = self._bound_to(instance)
        return known

    def _bound_to(self, instance: Any) -> Function:
        return Function(
            _WeakMethod(self._python_function, instance),
            self._name,
            self._input_signature,
            self._autograph,
            self._jit_compile,
            self._reduce_retracing,
            self._implements,
            self._options,
        )

    def __repr__(self) -> str:
        return f"<tf.function {self._name} at {hex(id(self))}>"


class _WeakMethod:
    """A method bound to an object that it does not keep alive."""

    def __init__(self, function: Callable[..., Any], instance: Any) -> None:
        self.__func__ = function
        try:
            self._reference: Callable[[], Any] = weakref.ref(instance)
        except TypeError:
            self._reference = lambda: instance
        self.__wrapped__ = (
            function.__get__(_Stand(), None) if hasattr(function, "__get__") else function
        )
        self.__name__ = getattr(function, "__name__", "method")
        self.__doc__ = function.__doc__

    @property
    def __self__(self) -> Any:
        return self._reference()

    def bound(self) -> Callable[..., Any]:
        """The method as Python has it."""
        return self.__func__.__get__(self._reference())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__func__(self._reference(), *args, **kwargs)


class _Stand:
    """Stands for the object where only the signature of its method is looked at."""


def _structure_key(structure: Any) -> Any:
    """The form of nested arguments, hashable: types of sequences, keys of dicts."""
    if isinstance(structure, dict):
        items = tuple((key, _structure_key(structure[key])) for key in sorted(structure, key=str))
        return type(structure), items
    if isinstance(structure, (list, tuple)):
        return type(structure), tuple(map(_structure_key, structure))
    return type(structure) if nest.is_nested(structure) else None


@export("function")
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """A function that runs as a graph: `func` is traced once for each kind of arguments.

        @tf.function
        def step(x):
            return tf.nn.relu(x @ w)

    A call finds its trace by the dtypes and shapes of tensors, and by the values of everything
    else. So Python code (prints, appends, branches on Python values) runs when a trace is made and
    not in each call. Variables are read and changed in each call, in the order of the code. A
    variable may be made in the first call only. See docs/graphs_and_functions.md.

    Args:
      func: what to trace; None returns a decorator.
      input_signature: a tf.TensorSpec for each argument: one trace serves all that fit it.
      autograph: whether `if`, `while`, `for`, … over tensors become nodes of the graph.
      jit_compile: accepted: all traces may be compiled.
      reduce_retracing: traces for unknown dimensions where calls have differed in them.
      experimental_implements, experimental_attributes: names for exporters.
      experimental_relax_shapes: an old name of `reduce_retracing`.
      experimental_autograph_options, experimental_compile: accepted.
      experimental_follow_type_hints: accepted.
    Returns:
      A callable with `get_concrete_function`, `experimental_get_tracing_count`, `cache_info`, ….

    >>> import featherflow as tf
    >>> from featherflow.eager.context import eager_mode
    >>> square = tf.function(lambda x: x * x)
    >>> with eager_mode():
    ...     float(square(tf.constant(3.0)))
    9.0
    """

    def decorated(python_function: Callable[..., Any]) -> Function:
        if not callable(python_function):
            raise TypeError(f"tf.function needs a callable, received {python_function!r}.")
        return Function(
            python_function,
            getattr(python_function, "__name__", type(python_function).__name__),
            input_signature,
            autograph,
            jit_compile,
            reduce_retracing or bool(experimental_relax_shapes),
            experimental_implements,
            experimental_autograph_options,
        )

    return decorated if func is None else decorated(func)
