"""TF1's API: its signatures, its names."""

from featherflow._namespaces import lazy_namespace
from featherflow._version import VERSION as __version__

__getattr__, __dir__ = lazy_namespace("", globals(), api="v1")

newaxis = None

__all__ = ["__version__", "newaxis"]
