"""tf.contrib.layers: functions that make a layer and its variables.

The namespace holds re-exports only.
"""

from featherflow._namespaces import lazy_namespace

__getattr__, __dir__ = lazy_namespace("contrib.layers", globals())
