"""tf.test.StubOutForTesting: attributes replaced for a while."""

from __future__ import annotations

import inspect
from typing import Any

from featherflow.framework.exports import export_v1


@export_v1("test.StubOutForTesting")
class StubOutForTesting:
    """Replaces attributes of modules and classes, and puts them back.

    >>> import featherflow as tf
    >>> class Holder:
    ...     value = 1
    >>> with tf.test.StubOutForTesting() as stubs:
    ...     stubs.Set(Holder, "value", 2)
    ...     Holder.value
    2
    >>> Holder.value
    1
    """

    def __init__(self) -> None:
        self._cache: list[tuple[Any, str, Any]] = []
        self._smart: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.CleanUp()

    def __del__(self) -> None:
        self.CleanUp()

    def CleanUp(self) -> None:
        """Puts everything back."""
        self.SmartUnsetAll()
        self.UnsetAll()

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:
        """Replaces `parent.child_name`, which `UnsetAll` puts back."""
        self._replace(self._cache, parent, child_name, new_child)

    def UnsetAll(self) -> None:
        """Puts back what `Set` replaced, the last first."""
        self._restore(self._cache)

    def SmartSet(self, obj: Any, attr_name: str, new_attr: Any) -> None:
        """Replaces an attribute where it is defined: in `obj`, or in a base of its class.

        Raises:
          AttributeError: there is none.
        """
        owner = obj
        if not inspect.ismodule(obj) and attr_name not in vars(obj):
            classes = inspect.getmro(obj if isinstance(obj, type) else type(obj))
            owner = next((item for item in classes if attr_name in vars(item)), None)
        if owner is None or not hasattr(owner, attr_name):
            raise AttributeError(f"Attribute {attr_name!r} not found.")
        self._replace(self._smart, owner, attr_name, new_attr)

    def SmartUnsetAll(self) -> None:
        """Puts back what `SmartSet` replaced, the last first."""
        self._restore(self._smart)

    @staticmethod
    def _replace(cache: list[tuple[Any, str, Any]], owner: Any, name: str, value: Any) -> None:
        # What is stored, not what it gives: a classmethod must come back as one.
        stored = vars(owner).get(name, getattr(owner, name))
        cache.append((owner, name, stored))
        setattr(owner, name, value)

    @staticmethod
    def _restore(cache: list[tuple[Any, str, Any]]) -> None:
        while cache:
            owner, name, value = cache.pop()
            setattr(owner, name, value)
