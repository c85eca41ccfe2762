"""tf.metrics of TF1: measures that local variables keep from step to step.

The namespace holds re-exports only; each name is defined in a module of this folder.
"""

from featherflow._namespaces import lazy_namespace

__getattr__, __dir__ = lazy_namespace("metrics", globals())
