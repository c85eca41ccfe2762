"""tf.contrib.seq2seq: decoders, attention and beam search.

The namespace holds re-exports only.
"""

from featherflow._namespaces import lazy_namespace

__getattr__, __dir__ = lazy_namespace("contrib.seq2seq", globals())
