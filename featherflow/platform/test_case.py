"""tf.test.TestCase: unittest's, with sessions, seeds, arrays, messages and threads."""

from __future__ import annotations

import os
import random
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

import numpy as np

from featherflow.framework import dispatch
from featherflow.framework.device import canonical_name
from featherflow.framework.errors import InvalidArgumentError, OpError
from featherflow.framework.exports import export
from featherflow.graph.default_graph import reset_default_graph
from featherflow.graph.graph import Graph
from featherflow.graph.graph_api import DEFAULT_GRAPH_SEED, set_random_seed
from featherflow.platform.array_assertions import ArrayAssertions
from featherflow.platform.checked_thread import CheckedThread
from featherflow.platform.container_assertions import ContainerAssertions
from featherflow.platform.test_folders import TemporaryDirectory, TemporaryFile, get_temp_dir
from featherflow.runtime.session import Session, get_default_session

_SHAPE_ERRORS = r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes"


@export("test.TestCase")
class TestCase(ArrayAssertions, ContainerAssertions):
    """A test that builds a graph: `setUp` gives it an empty one, and sets all seeds.

    >>> import featherflow as tf
    >>> class SquareTest(tf.test.TestCase):
    ...     def testSquare(self):
    ...         with self.session():
    ...             self.assertAllClose(tf.square([2.0, 3.0]).eval(), [4.0, 9.0])
    >>> SquareTest("testSquare").run().wasSuccessful()
    True
    """

    #: Not a class of tests by itself, as pytest would take it for.
    __test__ = False

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._threads: list[CheckedThread] = []
        self._temp_dir: str | None = None
        self._properties: dict[str, Any] = {}
        self._cached_session: Session | None = None
        self._cached_arguments: tuple[Any, Any, bool] | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__test__ = True

    def setUp(self) -> None:
        """Sets the seeds of Python, NumPy and the graph, and starts an empty default graph."""
        self._close_cached_session()
        random.seed(DEFAULT_GRAPH_SEED)
        np.random.seed(DEFAULT_GRAPH_SEED)
        if dispatch.entered_contexts():
            self.enterContext(Graph().as_default())
        else:
            reset_default_graph()
        set_random_seed(DEFAULT_GRAPH_SEED)

    def tearDown(self) -> None:
        """Closes the cached session, and fails if a thread was not joined."""
        for thread in self._threads:
            thread.check_termination()
        self._close_cached_session()

    # --- sessions ---------------------------------------------------------------------------------

    @contextmanager
    def session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Session]:
        """A new session, the default one in the block as its graph is.

        Args:
          graph: None takes the default graph.
          config: a ConfigProto; None takes one that falls back to the CPU unless `force_gpu`.
          use_gpu: whether ops may be placed on a GPU.
          force_gpu: whether ops are asked for on a GPU.
        """
        with (
            self._new_session(graph, config, force_gpu) as session,
            self._as_default(session, use_gpu, force_gpu),
        ):
            yield session

    @contextmanager
    def cached_session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Session]:
        """As `session`, but one session for the whole test: it keeps variables between blocks.

        Raises:
          ValueError: the arguments are not those of the first time.
        """
        arguments = (graph, config, force_gpu)
        session = self._cached_session
        if session is None:
            session = self._cached_session = self._new_session(*arguments)
            self._cached_arguments = arguments
        elif self._cached_arguments != arguments:
            raise ValueError(
                "The cached session of this test was made with other arguments (graph, config or "
                "force_gpu). Use self.session() where they differ."
            )
        with self._as_default(session, use_gpu, force_gpu):
            yield session

    def test_session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> AbstractContextManager[Session]:
        """An old spelling: `cached_session` where no graph is given, else `session`.

        Unlike that it takes other arguments the second time, and passes over them.
        """
        if self.id().endswith(".test_session"):  # unittest takes it for a test
            self.skipTest("Not a test.")
        if graph is not None:
            return self.session(graph, config, use_gpu, force_gpu)
        if self._cached_arguments is not None:
            _, config, force_gpu = self._cached_arguments
            graph = self._cached_arguments[0]
        return self.cached_session(graph, config, use_gpu, force_gpu)

    #: Nor is pytest to take it for one.
    test_session.__test__ = False  # type: ignore[attr-defined]

    @staticmethod
    def _new_session(graph: Graph | None, config: Any, force_gpu: bool) -> Session:
        if config is None:
            from featherflow.protos import config_pb2

            config = config_pb2.ConfigProto(allow_soft_placement=not force_gpu)
        return Session(graph=graph, config=config)

    @staticmethod
    @contextmanager
    def _as_default(session: Session, use_gpu: bool, force_gpu: bool) -> Iterator[None]:
        with ExitStack() as stack:
            stack.enter_context(session.graph.as_default())
            stack.enter_context(session.as_default())
            if force_gpu:
                stack.enter_context(session.graph.device("/device:GPU:0"))
            elif not use_gpu:
                stack.enter_context(session.graph.device("/device:CPU:0"))
            yield

    def _close_cached_session(self) -> None:
        if self._cached_session is not None:
            self._cached_session.close()
        self._cached_session = self._cached_arguments = None

    def evaluate(self, tensors: Any) -> Any:
        """The values of a nest of tensors, in the default session or else in the cached one."""
        session = get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.test_session() as cached:
            return cached.run(tensors)

    # --- threads, folders, streams ----------------------------------------------------------------

    def checkedThread(
        self,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> CheckedThread:
        """A thread whose failure is the test's; it must be started and joined."""
        thread = CheckedThread(self, target, args, kwargs)
        self._threads.append(thread)
        return thread

    def get_temp_dir(self) -> str:
        """A folder of this test, empty at first."""
        if self._temp_dir is None:
            self._temp_dir = tempfile.mkdtemp(dir=get_temp_dir())
        return self._temp_dir

    def create_tempdir(self, name: str | None = None, cleanup: Any = None) -> TemporaryDirectory:
        """A folder in that of this test; its `full_path`, `create_file` and `mkdir` are of use."""
        path = os.path.join(self.get_temp_dir(), name) if name else None
        if path is None:
            path = tempfile.mkdtemp(dir=self.get_temp_dir())
        os.makedirs(path, exist_ok=True)
        return TemporaryDirectory(path)

    def create_tempfile(
        self,
        file_path: str | None = None,
        content: str | bytes | None = None,
        mode: str = "w",
        encoding: str = "utf8",
        errors: str = "strict",
        cleanup: Any = None,
    ) -> TemporaryFile:
        """A file in the folder of this test; its `full_path` and `read_text` are of use."""
        folder = TemporaryDirectory(self.get_temp_dir())
        return folder.create_file(file_path, content, mode, encoding, errors)

    @contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[Any]:
        """What the block writes to a stream of the process; `contents()` of the value gives it."""
        descriptor, saved = stream.fileno(), os.dup(stream.fileno())
        path = os.path.join(tempfile.mkdtemp(dir=self.get_temp_dir()), "captured")
        try:
            with open(path, "wb") as file:
                os.dup2(file.fileno(), descriptor)
                yield _CapturedWrites(path, stream)
        finally:
            stream.flush()
            os.dup2(saved, descriptor)
            os.close(saved)

    def record_property(self, property_name: str, property_value: Any) -> None:
        """Notes a fact of the test."""
        self._properties[property_name] = property_value

    def get_recorded_properties(self, subtest: Any = None) -> dict[str, Any]:
        """The facts that the test has noted."""
        return dict(self._properties)

    # --- errors -----------------------------------------------------------------------------------

    @contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """The block raises an exception that a function accepts, or a regular expression matches.

        Of an error of an op the names of the op are matched as well.
        """
        accepts = expected_err_re_or_predicate
        if not callable(accepts):
            accepts = _matching(expected_err_re_or_predicate)
        try:
            yield
        except Exception as error:  # one of another type is a failure of the test as well
            if not (isinstance(error, exception_type) and accepts(error)):
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error
        else:
            self.fail(f"{getattr(exception_type, '__name__', exception_type)} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """`assertRaisesWithPredicateMatch` of `tf.errors.OpError`."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: Any = InvalidArgumentError
    ) -> Any:
        """The block raises an error about shapes that do not fit each other."""
        return self.assertRaisesWithPredicateMatch(exception_type, _SHAPE_ERRORS)

    # --- devices and messages ---------------------------------------------------------------------

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:
        """Two devices are the same, however they are spelt."""
        first, second = canonical_name(device1), canonical_name(device2)
        self.assertEqual(first, second, f"Devices {first} and {second} are not equal. {msg or ''}")

    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Any,
        validate_message: Any,
        msg: str | None = None,
        relative_tolerance: float | None = None,
    ) -> None:
        """Two protocol messages are equal; the first may be given as text.

        Args:
          expected_message_maybe_ascii: a message, or its text.
          validate_message: a message.
          msg: what the failure says first.
          relative_tolerance: the one within which floats are equal; None compares them exactly.
        """
        from google.protobuf import text_format

        expected = expected_message_maybe_ascii
        if isinstance(expected, (str, bytes)):
            expected = type(validate_message)()
            text_format.Merge(expected_message_maybe_ascii, expected)
        self.assertIs(type(expected), type(validate_message), msg)
        texts = text_format.MessageToString(expected), text_format.MessageToString(validate_message)
        if relative_tolerance is not None:
            self._assert_texts_near(*texts, relative_tolerance, msg)
        elif expected != validate_message:
            self.assertMultiLineEqual(*texts, msg)
            self.fail(self._formatMessage(msg, "the messages differ"))

    assertProtoEqualsV2 = assertProtoEquals

    def _assert_texts_near(self, first: str, second: str, tolerance: float, msg: Any) -> None:
        """Texts are equal but for numbers, which are equal within a tolerance."""
        number = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:e[-+]?\d+)?")
        self.assertMultiLineEqual(number.sub("0", first), number.sub("0", second), msg)
        pairs = zip(number.findall(first), number.findall(second))
        for expected, actual in pairs:
            bound = tolerance * abs(float(expected))
            self.assertNear(float(expected), float(actual), bound, msg)

    def assertProtoEqualsVersion(
        self,
        expected: str,
        actual: Any,
        producer: int = 2474,
        min_consumer: int = 0,
        msg: str | None = None,
    ) -> None:
        """`assertProtoEquals` of a GraphDef's text, to which these versions are added."""
        versions = f"versions {{ producer: {producer} min_consumer: {min_consumer} }};\n"
        self.assertProtoEquals(versions + expected, actual, msg=msg)


class _CapturedWrites:
    """What has been written to a stream since a block began."""

    def __init__(self, path: str, stream: Any) -> None:
        self._path, self._stream = path, stream

    def contents(self) -> str:
        """The text so far."""
        self._stream.flush()
        with open(self._path, encoding="utf-8") as file:
            return file.read()


def _matching(pattern: str) -> Callable[[BaseException], bool]:
    def accepts(error: BaseException) -> bool:
        text = error.message if isinstance(error, OpError) else str(error)
        op = error.op if isinstance(error, OpError) else None
        if op is not None:
            text += f"\nCaused by: {op.name}"
        return re.search(pattern, text) is not None

    return accepts
