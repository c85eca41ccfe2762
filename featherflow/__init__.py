"""featherflow: TensorFlow's system in readable Python.

    import featherflow as tf

Names are resolved when they are used; `_index.py` tells where each of them is defined.
"""

from typing import Any

from featherflow._namespaces import lazy_namespace
from featherflow._version import VERSION as __version__
from featherflow.graph import default_graph as _default_graph  # noqa: F401  (ops go to it)

_resolve, __dir__ = lazy_namespace("", globals())


def __getattr__(name: str) -> Any:
    return _resolve(name)


newaxis = None

__all__ = ["__version__", "newaxis"]
