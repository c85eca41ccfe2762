"""Functions that act on the default graph: scopes, collections, seeds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from featherflow.framework.exports import export, export_v1
from featherflow.graph.default_graph import get_default_graph, graph_of

#: The seed of a graph whose ops are given seeds while it has none.
DEFAULT_GRAPH_SEED = 87654321
_MAX_SEED = 2**31 - 1


@export_v1("GraphKeys")
class GraphKeys:
    """Names of the collections that the library itself uses."""

    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    BIASES = "biases"
    WEIGHTS = "weights"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVERS = "savers"
    SAVEABLE_OBJECTS = "saveable_objects"
    REGULARIZATION_LOSSES = "regularization_losses"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"
    # An old name of GLOBAL_VARIABLES.
    VARIABLES = "variables"


@export_v1("name_scope")
class name_scope:
    """Prefixes the names of nodes made inside the block.

    Args:
      name: the scope; ending in "/" it re-enters that scope; "" leaves all scopes.
      default_name: used where `name` is None.
      values: tensors that the block works on; their graph becomes the default one.
    """

    def __init__(
        self, name: str | None, default_name: str | None = None, values: Any = None
    ) -> None:
        if not (default_name is None or isinstance(default_name, str)):
            raise TypeError(
                f"`default_name` type ({type(default_name)}) is not a string type. You likely "
                "meant to "
                "pass this into the `values` kwarg."
            )
        self._name = default_name if name is None else name
        self._default_name = default_name
        self._values = values
        if self._name is None and values is not None:
            raise ValueError(
                f"At least one of name ({name}) and default_name ({default_name}) must be provided."
            )
        self._entered: list[AbstractContextManager[Any]] = []

    @property
    def name(self) -> str | None:
        """The name asked for."""
        return self._name

    def __enter__(self) -> str:
        graph = graph_of(self._values or ())
        graph_context: Any = graph.as_default() if self._values else nullcontext()
        graph_context.__enter__()
        scope = graph.name_scope(self._name)
        try:
            entered = scope.__enter__()
        except BaseException:
            graph_context.__exit__(None, None, None)
            raise
        self._entered += [graph_context, scope]
        return entered

    def __exit__(self, *exception: Any) -> None:
        self._entered.pop().__exit__(*exception)
        self._entered.pop().__exit__(*exception)


@export("name_scope")
class name_scope_v2(name_scope):
    """Prefixes the names of nodes made inside the block; `name` must be given."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError(f"name for name_scope must be a string, received {name!r}.")
        super().__init__(name)


@export("device")
def device_v2(device_name: Any) -> AbstractContextManager[None]:
    """`device` under TF2's name of the argument."""
    return device(device_name)


@export_v1("device")
def device(device_name_or_function: Any) -> AbstractContextManager[None]:
    """Asks for a device for the nodes made inside the block.

    Args:
      device_name_or_function: "/cpu:0", a DeviceSpec, a function of the node that returns one, or
        None to leave the device scopes around.
    """
    return get_default_graph().device(device_name_or_function)


@export("control_dependencies")
def control_dependencies(control_inputs: Any) -> AbstractContextManager[None]:
    """Nodes made inside the block run after `control_inputs`; None leaves such blocks around."""
    return get_default_graph().control_dependencies(control_inputs)


@export_v1("colocate_with")
def colocate_with(op: Any, ignore_existing: bool = False) -> AbstractContextManager[None]:
    """Nodes made inside the block are placed where `op` is."""
    return get_default_graph().colocate_with(op, ignore_existing)


@export_v1("container")
def container(container_name: str) -> AbstractContextManager[str]:
    """Resources made inside the block live in the container."""
    return get_default_graph().container(container_name)


@export_v1("op_scope")
@contextmanager
def op_scope(values: Any, name: str | None, default_name: str | None = None) -> Iterator[str]:
    """An old spelling of `name_scope`."""
    with name_scope(name, default_name, values) as scope:
        yield scope


@export_v1("add_to_collection")
def add_to_collection(name: Any, value: Any) -> None:
    """Appends `value` to a collection of the default graph."""
    get_default_graph().add_to_collection(name, value)


@export_v1("add_to_collections")
def add_to_collections(names: Any, value: Any) -> None:
    """Appends `value` to each of several collections."""
    get_default_graph().add_to_collections(names, value)


@export_v1("get_collection")
def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """The items of a collection; with `scope`, those whose names match it as a regex."""
    return get_default_graph().get_collection(key, scope)


@export_v1("get_collection_ref")
def get_collection_ref(key: Any) -> list[Any]:
    """The list of a collection itself."""
    return get_default_graph().get_collection_ref(key)


@export_v1("set_random_seed", "random.set_random_seed")
def set_random_seed(seed: int | None) -> None:
    """Sets the graph-level seed of the default graph, from which ops without one take theirs."""
    get_default_graph().seed = seed


@export_v1("get_seed", "random.get_seed")
def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The two seeds of a random op.

    With neither set the op draws its own: (None, None). With the graph's alone, the number of
    earlier calls of this kind in the graph tells the ops apart. A pair of zeros would mean "draw
    your own", so it becomes (0, 2³¹ − 1).
    """
    graph = get_default_graph()
    graph_seed = graph.seed
    if graph_seed is not None:
        seeds = graph_seed, graph._next_op_seed() if op_seed is None else op_seed
    elif op_seed is not None:
        seeds = DEFAULT_GRAPH_SEED, op_seed
    else:
        return None, None
    first, second = (seed % _MAX_SEED for seed in seeds)
    return (0, _MAX_SEED) if (first, second) == (0, 0) else (first, second)


@export("random.set_seed")
def set_seed(seed: int | None) -> None:
    """`set_random_seed` under TF2's name."""
    set_random_seed(seed)


@export("get_current_name_scope")
def get_current_name_scope() -> str:
    """The name scope around, without a closing "/"; "" outside of all."""
    return get_default_graph().get_name_scope()


@export("inside_function")
def inside_function() -> bool:
    """Whether ops that are called now become nodes of a function."""
    return get_default_graph().building_function


@export("init_scope")
@contextmanager
def init_scope() -> Iterator[None]:
    """Ops called inside of the block are made outside of functions, branches and loops.

    The name scope stays; control dependencies do not. Variables are initialised there.
    """
    graph = get_default_graph()
    scope = graph.get_name_scope()
    while graph.building_function:
        graph = graph.outer_graph  # type: ignore[attr-defined]
    with (
        graph.as_default(),
        graph.control_dependencies(None),
        graph.name_scope(f"{scope}/" if scope else None),
    ):
        yield
