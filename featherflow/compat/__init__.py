"""Compatibility: `compat.v1` and `compat.v2`, and conversions of strings."""

from featherflow._namespaces import lazy_namespace

__getattr__, __dir__ = lazy_namespace("compat", globals())
