# ruff: noqa
"""tf.strings: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.print_ops import format_ as format
    from featherflow.ops.regex_ops import regex_full_match as regex_full_match
    from featherflow.ops.regex_ops import regex_replace as regex_replace
    from featherflow.ops.string_hash_ops import string_to_hash_bucket as to_hash_bucket
    from featherflow.ops.string_hash_ops import string_to_hash_bucket_fast as to_hash_bucket_fast
    from featherflow.ops.string_hash_ops import (
        string_to_hash_bucket_strong as to_hash_bucket_strong,
    )
    from featherflow.ops.string_join_ops import reduce_join as reduce_join
    from featherflow.ops.string_join_ops import string_join as join
    from featherflow.ops.string_join_ops import unsorted_segment_join as unsorted_segment_join
    from featherflow.ops.string_ngrams import ngrams as ngrams
    from featherflow.ops.string_number_ops import as_string as as_string
    from featherflow.ops.string_number_ops import string_to_number as to_number
    from featherflow.ops.string_ops import string_length_v1 as length
    from featherflow.ops.string_ops import string_lower as lower
    from featherflow.ops.string_ops import string_strip as strip
    from featherflow.ops.string_ops import string_upper as upper
    from featherflow.ops.string_ops import substr as substr
    from featherflow.ops.string_splits import bytes_split as bytes_split
    from featherflow.ops.string_splits import split as split
    from featherflow.ops.unicode_ops import unicode_script as unicode_script
    from featherflow.ops.unicode_ops import unicode_transcode as unicode_transcode
    from featherflow.ops.unicode_text import unicode_decode as unicode_decode
    from featherflow.ops.unicode_text import (
        unicode_decode_with_offsets as unicode_decode_with_offsets,
    )
    from featherflow.ops.unicode_text import unicode_encode as unicode_encode
    from featherflow.ops.unicode_text import unicode_split as unicode_split
    from featherflow.ops.unicode_text import (
        unicode_split_with_offsets as unicode_split_with_offsets,
    )

__getattr__, __dir__ = lazy_namespace("strings", globals())
