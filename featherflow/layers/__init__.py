"""tf.layers: layers with variables of their own, as objects and as functions.

The namespace holds re-exports only; each name is defined in a module of this folder.
"""

from featherflow._namespaces import lazy_namespace

__getattr__, __dir__ = lazy_namespace("layers", globals())
