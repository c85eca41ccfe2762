"""tf.contrib.framework: arg_scope, and variables by name and collection.

The namespace holds re-exports only.
"""

from featherflow._namespaces import lazy_namespace

__getattr__, __dir__ = lazy_namespace("contrib.framework", globals())
