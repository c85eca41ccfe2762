"""Session and InteractiveSession: what a program runs a graph with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from featherflow.framework import dispatch, mode
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export_v1
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph import Graph
from featherflow.graph.tensor import Tensor, default_session_stack
from featherflow.runtime import direct_session, session_factory
from featherflow.runtime.fetches import (
    FetchMapper,
    feed_value,
    flatten_feeds,
    not_fetchable_error,
    partial_run_feeds,
)
from featherflow.runtime.session_factory import SessionOptions

session_factory.register_session_factory("direct", direct_session.DirectSessionFactory())


class BaseSession:
    """Runs parts of one graph; holds its variables and plans until it is closed."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        if graph is None:
            if dispatch.executing_eagerly():
                mode.tf1_name_used("Session")
            # Where ops run at once a session has a graph of its own, to build in `with session:`.
            graph = Graph() if dispatch.executing_eagerly() else get_default_graph()
        elif not isinstance(graph, Graph):
            raise TypeError(
                f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"'
            )
        if not isinstance(target, (str, bytes)):
            raise TypeError(
                f'Argument `target` must be a string, but got "{type(target).__name__}"'
            )
        target_text = target if isinstance(target, str) else target.decode()
        if config is not None and type(config).__name__ != "ConfigProto":
            raise TypeError(
                f'Argument `config` must be a tf.ConfigProto, but got "{type(config).__name__}"'
            )
        self._graph = graph
        self._target = target_text
        self._config = config
        self._closed = False
        self._session = session_factory.new_session(SessionOptions(target_text, config), graph)

    @property
    def graph(self) -> Graph:
        """The graph that the session runs."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as a GraphDef message."""
        return self._graph.as_graph_def(add_shapes=False)

    @property
    def sess_str(self) -> bytes:
        """The target."""
        return self._target.encode()

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs what `fetches` need, once; returns their values in the same structure.

        Args:
          fetches: a Tensor, Operation, variable or name, or any nesting of lists, tuples,
            namedtuples, dicts and attrs classes of these. Operations give None.
          feed_dict: tensor → value: the value takes the tensor's place. Any tensor may be fed.
          options: RunOptions: `trace_level`, `timeout_in_ms`.
          run_metadata: a RunMetadata that receives step statistics and partition graphs.
        Returns:
          NumPy arrays (NumPy scalars for rank 0), which the caller owns.
        Raises:
          RuntimeError: the session is closed.
          TypeError, ValueError: fetches or feeds do not fit the graph.
          tf.errors.OpError: an op failed.
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if fetches.__class__ is Tensor and fetches._op.graph is self._graph:
            # The common call, kept short: see benchmarks/README.md, "one add".
            if self._graph._unfetchable and fetches._op in self._graph._unfetchable:
                raise not_fetchable_error(fetches)
            tensors, values = self._feeds(feed_dict)
            plan = self._session.prepare(tuple(tensors), (fetches,), ())
            return _public(self._session.run(plan, values, options, run_metadata)[0])
        if not self._graph._operations:
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before calling run()."
            )
        mapper = FetchMapper(self._graph, fetches)
        tensors, values = self._feeds(feed_dict)
        plan = self._session.prepare(
            tuple(tensors), tuple(mapper.tensors), tuple(mapper.operations)
        )
        results = self._session.run(plan, values, options, run_metadata)
        return mapper.restore([_public(value) for value in results])

    def _feeds(self, feed_dict: Any) -> tuple[list[Tensor], list[Any]]:
        if not feed_dict:
            return [], []
        graph = self._graph
        if feed_dict.__class__ is dict and not graph._unfeedable:
            tensors, values = [], []
            for key, value in feed_dict.items():
                if key.__class__ is not Tensor or key._op.graph is not graph:
                    break
                tensors.append(key)
                values.append(feed_value(key, value))
            else:
                return tensors, values
        return flatten_feeds(self._graph, feed_dict)

    # --- runs prepared once -----------------------------------------------------------------------

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """A function that runs `fetches` with positional values for `feed_list`.

        Args:
          fetches: as for `run`.
          feed_list: tensors, or names of tensors.
          accept_options: the function takes `options` and `run_metadata` as `run` does.
        Returns:
          A function of as many values as `feed_list` has.
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError(
                f"Argument `feed_list` must be a list or tuple. Received: feed_list={feed_list}"
            )
        mapper = FetchMapper(self._graph, fetches)
        feeds = tuple(
            self._graph.as_graph_element(item, allow_operation=False) for item in feed_list or ()
        )
        plan = self._session.prepare(feeds, tuple(mapper.tensors), tuple(mapper.operations))

        def run_prepared(*args: Any, **kwargs: Any) -> Any:
            if self._closed:
                raise RuntimeError("Attempted to use a closed Session.")
            if len(args) != len(feeds):
                raise InvalidArgumentError(
                    None, None, f"Expected {len(feeds)} values for feed_list, received {len(args)}"
                )
            options = kwargs.get("options") if accept_options else None
            metadata = kwargs.get("run_metadata") if accept_options else None
            values = [feed_value(tensor, value) for tensor, value in zip(feeds, args)]
            results = self._session.run(plan, values, options, metadata)
            return mapper.restore([_public(value) for value in results])

        return run_prepared

    def _make_callable_from_options(self, callable_options: Any) -> Callable[..., Any]:
        """A function for a CallableOptions message; returns the fetches as a list.

        It takes `run_metadata`; timeout and tracing are those of the message.
        """
        fetches = [*callable_options.fetch, *callable_options.target]
        run = self.make_callable(fetches, list(callable_options.feed), accept_options=True)
        has_options = callable_options.HasField("run_options")
        run_options = callable_options.run_options if has_options else None
        count = len(callable_options.fetch)

        def run_with_options(*args: Any, run_metadata: Any = None) -> list[Any]:
            return run(*args, options=run_options, run_metadata=run_metadata)[:count]

        return run_with_options

    # --- a run in several calls -------------------------------------------------------------------

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> str:
        """Prepares a run whose feeds and fetches come in several calls of `partial_run`.

        Args:
          fetches: everything that will be fetched, as for `run`.
          feeds: the tensors that will be fed.
        Returns:
          A handle for `partial_run`.
        Raises:
          tf.errors.InvalidArgumentError: there is nothing to fetch.
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        mapper = FetchMapper(self._graph, fetches)
        tensors = partial_run_feeds(self._graph, feeds)
        return self._session.partial_run_setup(
            tuple(tensors), tuple(mapper.tensors), tuple(mapper.operations)
        )

    def partial_run(self, handle: str, fetches: Any, feed_dict: Any = None) -> Any:
        """Continues a run: takes some more feeds, returns some more fetches.

        Nodes run once for each handle: what an earlier call has computed is not computed again.

        Args:
          handle: what `partial_run_setup` returned.
          fetches: some of those set up, each once.
          feed_dict: values for some of the feeds set up, each once.
        Raises:
          tf.errors.InvalidArgumentError: a feed or fetch was not set up, comes twice, or depends on
            feeds that have not come.
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        mapper = FetchMapper(self._graph, fetches)
        if mapper.operations:
            raise RuntimeError(
                "partial_run() requires empty `target_list`. Received: "
                f"target_list={mapper.operations} (non-empty)"
            )
        tensors, values = self._feeds(feed_dict)
        results = self._session.partial_run(handle, dict(zip(tensors, values)), mapper.tensors)
        return mapper.restore([_public(value) for value in results])

    # --- devices and the end ----------------------------------------------------------------------

    def list_devices(self) -> list[Any]:
        """The devices that the session may use."""
        return self._session.list_devices()

    def close(self) -> None:
        """Cancels what runs, and frees variables, plans and threads."""
        if not self._closed:
            self._closed = True
            self._session.close()

    def as_default(self) -> Any:
        """`with sess.as_default():` makes it the session of `eval` and `Operation.run`."""
        return _default_session(self)

    def __del__(self) -> None:
        session = getattr(self, "_session", None)
        if session is not None and not self._closed:
            self._closed = True
            session.close()


@contextmanager
def _default_session(session: BaseSession) -> Iterator[BaseSession]:
    stack = default_session_stack()
    stack.append(session)
    try:
        yield session
    finally:
        stack.remove(session)


def _public(value: Any) -> Any:
    """Rank 0 leaves a session as a NumPy scalar, strings as bytes, as in TensorFlow."""
    if getattr(value, "shape", None) == ():
        return value[()]
    return value


@export_v1("Session")
class Session(BaseSession):
    """A session; as a context manager it is the default session, its graph the default graph.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     print(sess.run(tf.constant(2.0) * 3.0))
    6.0
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._entered: list[Any] = []

    def __enter__(self) -> Session:
        graph_context = self._graph.as_default()
        session_context = self.as_default()
        graph_context.__enter__()
        self._entered.append((graph_context, session_context))
        return session_context.__enter__()

    def __exit__(self, *exception: Any) -> None:
        graph_context, session_context = self._entered.pop()
        session_context.__exit__(*exception)
        graph_context.__exit__(*exception)
        self.close()

    @staticmethod
    def reset(target: str, containers: list[str] | None = None, config: Any = None) -> None:
        """Clears resource containers of a target; local sessions share none.

        Args:
          target: a server.
          containers: names of containers; None clears all.
          config: a ConfigProto.
        """
        if target:
            session_factory.reset(SessionOptions(target, config), containers)


@export_v1("InteractiveSession")
class InteractiveSession(BaseSession):
    """A session that is the default one, with its graph, from its making until it is closed."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._contexts = [self.as_default()]
        if graph is not None:
            self._contexts.insert(0, graph.as_default())
        for context in self._contexts:
            context.__enter__()

    def close(self) -> None:
        """Closes the session and leaves its defaults."""
        contexts, self._contexts = getattr(self, "_contexts", []), []
        for context in reversed(contexts):
            context.__exit__(None, None, None)
        super().close()


@export_v1("get_default_session")
def get_default_session() -> BaseSession | None:
    """The session of the innermost `with sess:` block, or None."""
    stack = default_session_stack()
    return stack[-1] if stack else None
