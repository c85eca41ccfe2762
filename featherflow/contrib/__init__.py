"""tf.contrib: what TF1 programs took most often from outside the core.

The namespace holds re-exports only; each name is defined in a module of this folder.
"""

from featherflow._namespaces import lazy_namespace

__getattr__, __dir__ = lazy_namespace("contrib", globals())
