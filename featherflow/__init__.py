"""featherflow: TensorFlow's system in readable Python.

    import featherflow as tf

Names are resolved when they are used; `_index.py` tells where each of them is defined.
"""

from typing import Any

from featherflow._namespaces import lazy_namespace
from featherflow._version import VERSION as __version__
from featherflow.framework import dispatch as _dispatch

_resolve, __dir__ = lazy_namespace("", globals())


def __getattr__(name: str) -> Any:
    return _resolve(name)


def _default_context() -> Any:
    from featherflow.eager.default_context import default_context

    return default_context()


_dispatch.set_default_factory(_default_context)
newaxis = None

__all__ = ["__version__", "newaxis"]
