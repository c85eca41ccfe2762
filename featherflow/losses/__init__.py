"""tf.losses of TF1: losses that weigh examples, and that collections keep.

The namespace holds re-exports only; each name is defined in a module of this folder.
"""

from featherflow._namespaces import lazy_namespace

__getattr__, __dir__ = lazy_namespace("losses", globals())
