"""Resources: state that outlives a step, kept by a session under (container, name).

The value of a resource handle, and of a ref tensor, is the resource object itself: reading a
variable is one attribute access. Objects that die with the step (TensorArrays, stacks) are kept by
nobody but the step's own edges.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import FailedPreconditionError, NotFoundError
from featherflow.framework.tensor_shape import TensorShape


class VariableCell:
    """The storage of one variable: an array, or None before it is initialised.

    A ref variable is changed in place, so that every Identity of it sees the change, as in
    TensorFlow. A resource variable is changed in place only while nobody else holds its array
    (`is_shared`); otherwise the array is replaced, so that values read before stay as they were.
    """

    __slots__ = ("dtype", "lock", "name", "shape", "value")

    def __init__(self, name: str, dtype: DType, shape: TensorShape) -> None:
        self.name = name
        self.dtype = dtype
        self.shape = shape
        self.value: np.ndarray | None = None
        self.lock = threading.Lock()

    def read(self) -> np.ndarray:
        """The array itself: to be read only, and not to be kept beyond the step.

        Raises:
          FailedPreconditionError: the variable is not initialised.
        """
        value = self.value
        if value is None:
            raise FailedPreconditionError(
                None,
                None,
                f"Attempting to use uninitialized value {self.name}",
                remedy="Run its initializer first: sess.run(tf.global_variables_initializer()).",
            )
        return value

    def is_shared(self) -> bool:
        """Whether anyone but this cell holds the array, a view of it counted."""
        # The cell's own reference, and the argument of getrefcount.
        return sys.getrefcount(self.value) > 2

    def __repr__(self) -> str:
        return f"<VariableCell {self.name} {self.dtype.name}{self.shape}>"


class ResourceManager:
    """The resources of a session by container, kind and name."""

    def __init__(self) -> None:
        self._resources: dict[tuple[str, type, str], Any] = {}
        self._lock = threading.RLock()

    def lookup_or_create(
        self, container: str, name: str, kind: type, create: Callable[[], Any]
    ) -> Any:
        """The resource, made by `create()` if it is not there yet."""
        key = (container, kind, name)
        resource = self._resources.get(key)
        if resource is None:
            with self._lock:
                resource = self._resources.get(key)
                if resource is None:
                    resource = self._resources[key] = create()
        return resource

    def lookup(self, container: str, name: str, kind: type) -> Any:
        """The resource.

        Raises:
          NotFoundError: it was never made, or it was destroyed.
        """
        resource = self._resources.get((container, kind, name))
        if resource is None:
            raise NotFoundError(
                None,
                None,
                f"Resource {container or 'localhost'}/{name}/{kind.__name__} does not exist.",
            )
        return resource

    def delete(self, resource: Any) -> bool:
        """Forgets a resource; False if it was not there."""
        with self._lock:
            keys = [key for key, value in self._resources.items() if value is resource]
            for key in keys:
                del self._resources[key]
        return bool(keys)

    def clear(self, containers: list[str] | None = None) -> None:
        """Forgets all resources, or those of the containers named."""
        with self._lock:
            if containers is None:
                self._resources.clear()
                return
            for key in [key for key in self._resources if key[0] in containers]:
                del self._resources[key]

    def __len__(self) -> int:
        return len(self._resources)
