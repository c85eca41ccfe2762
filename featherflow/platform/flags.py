"""tf.flags: what a program's command line may say. `tf.flags.FLAGS.name` is what it said."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from featherflow.framework.exports import export_v1, export_value
from featherflow.platform import flag_kinds
from featherflow.platform.flag_kinds import FlagKind
from featherflow.platform.flag_values import Flag, FlagValues, ValidationError

FLAGS = FlagValues()
export_value(__name__, "FLAGS", "flags.FLAGS", "app.flags.FLAGS", v1_only=True)

#: Names of parameters in TensorFlow before 1.5.
_OLD_KEYWORDS = {"flag_name": "name", "default_value": "default", "docstring": "help"}


@export_v1("flags.FlagHolder", "app.flags.FlagHolder")
class FlagHolder:
    """What `DEFINE_…` returns: the flag, whose `value` is read when it is asked for."""

    def __init__(self, flag_values: FlagValues, flag: Flag) -> None:
        self._flag_values = flag_values
        self._flag = flag

    @property
    def name(self) -> str:
        """The flag's name."""
        return self._flag.name

    @property
    def default(self) -> Any:
        """The flag's default."""
        return self._flag.default

    @property
    def value(self) -> Any:
        """The flag's value."""
        return getattr(self._flag_values, self._flag.name)

    @property
    def present(self) -> int:
        """How often the command line gives the flag."""
        return self._flag.present


def _public(function: Callable[..., FlagHolder]) -> Callable[..., FlagHolder]:
    """Exports a DEFINE function, and lets it take the old names of its parameters."""

    @functools.wraps(function)
    def define(*args: Any, **kwargs: Any) -> FlagHolder:
        renamed = {_OLD_KEYWORDS.get(name, name): value for name, value in kwargs.items()}
        return function(*args, **renamed)

    name = function.__name__
    return export_v1(f"flags.{name}", f"app.flags.{name}")(define)


def _define(
    kind: FlagKind,
    name: str,
    default: Any,
    help: str | None,
    flag_values: FlagValues = FLAGS,
    module_name: str | None = None,
    required: bool = False,
    short_name: str | None = None,
) -> FlagHolder:
    """Defines a flag; the parameters after `help` are those of every DEFINE function."""
    if required and default is not None:
        raise ValueError(f"A required flag has no default: flag --{name} has {default!r}.")
    module = module_name or sys._getframe(3).f_code.co_filename
    flag = Flag(name, kind, default, help, module, short_name)
    flag_values.define(flag)
    if required:
        mark_flag_as_required(name, flag_values)
    return FlagHolder(flag_values, flag)


# --- single values --------------------------------------------------------------------------------


@_public
def DEFINE_string(name: str, default: Any, help: str | None = None, **facts: Any) -> FlagHolder:
    """Defines `--name=text`."""
    return _define(flag_kinds.STRING, name, default, help, **facts)


@_public
def DEFINE_boolean(name: str, default: Any, help: str | None = None, **facts: Any) -> FlagHolder:
    """Defines `--name`, `--noname`, `--name=true`."""
    return _define(flag_kinds.BOOLEAN, name, default, help, **facts)


@_public
def DEFINE_bool(name: str, default: Any, help: str | None = None, **facts: Any) -> FlagHolder:
    """Defines `--name`, `--noname`, `--name=true`."""
    return _define(flag_kinds.BOOLEAN, name, default, help, **facts)


@_public
def DEFINE_integer(
    name: str,
    default: Any,
    help: str | None = None,
    lower_bound: int | None = None,
    upper_bound: int | None = None,
    **facts: Any,
) -> FlagHolder:
    """Defines `--name=3`; bounds are inclusive."""
    return _define(flag_kinds.integer(lower_bound, upper_bound), name, default, help, **facts)


@_public
def DEFINE_float(
    name: str,
    default: Any,
    help: str | None = None,
    lower_bound: float | None = None,
    upper_bound: float | None = None,
    **facts: Any,
) -> FlagHolder:
    """Defines `--name=0.5`; bounds are inclusive."""
    return _define(flag_kinds.float_number(lower_bound, upper_bound), name, default, help, **facts)


@_public
def DEFINE_enum(
    name: str,
    default: Any,
    enum_values: Sequence[str],
    help: str | None = None,
    case_sensitive: bool = True,
    **facts: Any,
) -> FlagHolder:
    """Defines `--name=value` for one of `enum_values`."""
    return _define(
        flag_kinds.one_of(list(enum_values), case_sensitive), name, default, help, **facts
    )


@_public
def DEFINE_enum_class(
    name: str,
    default: Any,
    enum_class: Any,
    help: str | None = None,
    case_sensitive: bool = False,
    **facts: Any,
) -> FlagHolder:
    """Defines `--name=member` for the members of an Enum."""
    return _define(flag_kinds.member_of(enum_class, case_sensitive), name, default, help, **facts)


# --- lists ----------------------------------------------------------------------------------------


@_public
def DEFINE_list(name: str, default: Any, help: str | None = None, **facts: Any) -> FlagHolder:
    """Defines `--name=a,b,c`."""
    return _define(flag_kinds.LIST, name, default, help, **facts)


@_public
def DEFINE_spaceseplist(
    name: str, default: Any, help: str | None = None, **facts: Any
) -> FlagHolder:
    """Defines `--name="a b c"`."""
    return _define(flag_kinds.SPACE_LIST, name, default, help, **facts)


@_public
def DEFINE_multi_string(
    name: str, default: Any, help: str | None = None, **facts: Any
) -> FlagHolder:
    """Defines `--name=a --name=b`."""
    return _define(flag_kinds.repeated(flag_kinds.STRING), name, default, help, **facts)


@_public
def DEFINE_multi_integer(
    name: str, default: Any, help: str | None = None, **facts: Any
) -> FlagHolder:
    """Defines `--name=1 --name=2`."""
    return _define(flag_kinds.repeated(flag_kinds.integer()), name, default, help, **facts)


@_public
def DEFINE_multi_float(
    name: str, default: Any, help: str | None = None, **facts: Any
) -> FlagHolder:
    """Defines `--name=0.1 --name=0.2`."""
    return _define(flag_kinds.repeated(flag_kinds.float_number()), name, default, help, **facts)


@_public
def DEFINE_multi_enum(
    name: str,
    default: Any,
    enum_values: Sequence[str],
    help: str | None = None,
    case_sensitive: bool = True,
    **facts: Any,
) -> FlagHolder:
    """Defines `--name=a --name=b` for some of `enum_values`."""
    kind = flag_kinds.repeated(flag_kinds.one_of(list(enum_values), case_sensitive))
    return _define(kind, name, default, help, **facts)


@_public
def DEFINE_alias(name: str, original_name: str, flag_values: FlagValues = FLAGS) -> FlagHolder:
    """Defines `--name` as another name of `--original_name`."""
    flag_values.define_alias(name, original_name)
    return FlagHolder(flag_values, flag_values[original_name])


# --- what values must fulfil ----------------------------------------------------------------------


@export_v1("flags.register_validator", "app.flags.register_validator")
def register_validator(
    flag_name: str,
    checker: Callable[[Any], Any],
    message: str = "Flag validation failed",
    flag_values: FlagValues = FLAGS,
) -> None:
    """`checker(value)` must be true, or the command line is refused with `message`."""
    flag_values[flag_name].validators.append((checker, message))


@export_v1("flags.validator", "app.flags.validator")
def validator(
    flag_name: str, message: str = "Flag validation failed", flag_values: FlagValues = FLAGS
) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """`register_validator` as a decorator."""

    def register(checker: Callable[[Any], Any]) -> Callable[[Any], Any]:
        register_validator(flag_name, checker, message, flag_values)
        return checker

    return register


@export_v1("flags.mark_flag_as_required", "app.flags.mark_flag_as_required")
def mark_flag_as_required(flag_name: str, flag_values: FlagValues = FLAGS) -> None:
    """The command line must give the flag."""
    register_validator(
        flag_name,
        lambda value: value is not None,
        f"Flag --{flag_name} must have a value other than None.",
        flag_values,
    )


@export_v1("flags.mark_flags_as_required", "app.flags.mark_flags_as_required")
def mark_flags_as_required(flag_names: Iterable[str], flag_values: FlagValues = FLAGS) -> None:
    """The command line must give all these flags."""
    for flag_name in flag_names:
        mark_flag_as_required(flag_name, flag_values)


@export_v1("flags.mark_flags_as_mutual_exclusive", "app.flags.mark_flags_as_mutual_exclusive")
def mark_flags_as_mutual_exclusive(
    flag_names: Sequence[str], required: bool = False, flag_values: FlagValues = FLAGS
) -> None:
    """At most one of these flags may have a value; exactly one if `required`."""

    def check(values: dict[str, Any]) -> None:
        given = [name for name, value in values.items() if value is not None]
        if len(given) > 1 or (required and not given):
            count = "Exactly" if required else "At most"
            names = ", ".join(flag_names)
            raise ValidationError(
                f"{count} one of ({names}) must have a value other than None; given: "
                f"{', '.join(given) or 'none'}."
            )

    flag_values.add_group_check(check, flag_names)
