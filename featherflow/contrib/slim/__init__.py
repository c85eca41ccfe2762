"""tf.contrib.slim: arg_scope, and the layers and losses that programs take through it.

The namespace holds re-exports only.
"""

from featherflow._namespaces import lazy_namespace

__getattr__, __dir__ = lazy_namespace("contrib.slim", globals())
