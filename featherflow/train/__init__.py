"""tf.train: optimisers, the global step, and what training loops need.

The namespace holds re-exports only; each name is defined in a module of this folder or of `ops/`.
"""

from featherflow._namespaces import lazy_namespace

__getattr__, __dir__ = lazy_namespace("train", globals())
