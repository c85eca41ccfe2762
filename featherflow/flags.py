# ruff: noqa
"""tf.flags: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.platform.flag_values import DuplicateFlagError as DuplicateFlagError
    from featherflow.platform.flag_values import Error as Error
    from featherflow.platform.flag_values import Flag as Flag
    from featherflow.platform.flag_values import FlagValues as FlagValues
    from featherflow.platform.flag_values import IllegalFlagValueError as IllegalFlagValueError
    from featherflow.platform.flag_values import UnparsedFlagAccessError as UnparsedFlagAccessError
    from featherflow.platform.flag_values import UnrecognizedFlagError as UnrecognizedFlagError
    from featherflow.platform.flag_values import ValidationError as ValidationError
    from featherflow.platform.flags import DEFINE_alias as DEFINE_alias
    from featherflow.platform.flags import DEFINE_bool as DEFINE_bool
    from featherflow.platform.flags import DEFINE_boolean as DEFINE_boolean
    from featherflow.platform.flags import DEFINE_enum as DEFINE_enum
    from featherflow.platform.flags import DEFINE_enum_class as DEFINE_enum_class
    from featherflow.platform.flags import DEFINE_float as DEFINE_float
    from featherflow.platform.flags import DEFINE_integer as DEFINE_integer
    from featherflow.platform.flags import DEFINE_list as DEFINE_list
    from featherflow.platform.flags import DEFINE_multi_enum as DEFINE_multi_enum
    from featherflow.platform.flags import DEFINE_multi_float as DEFINE_multi_float
    from featherflow.platform.flags import DEFINE_multi_integer as DEFINE_multi_integer
    from featherflow.platform.flags import DEFINE_multi_string as DEFINE_multi_string
    from featherflow.platform.flags import DEFINE_spaceseplist as DEFINE_spaceseplist
    from featherflow.platform.flags import DEFINE_string as DEFINE_string
    from featherflow.platform.flags import FLAGS as FLAGS
    from featherflow.platform.flags import FlagHolder as FlagHolder
    from featherflow.platform.flags import mark_flag_as_required as mark_flag_as_required
    from featherflow.platform.flags import (
        mark_flags_as_mutual_exclusive as mark_flags_as_mutual_exclusive,
    )
    from featherflow.platform.flags import mark_flags_as_required as mark_flags_as_required
    from featherflow.platform.flags import register_validator as register_validator
    from featherflow.platform.flags import validator as validator

__getattr__, __dir__ = lazy_namespace("flags", globals())
