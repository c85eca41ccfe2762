"""FlagValues: the flags of a program and their values, read from the command line once."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.platform.flag_kinds import FlagKind


@export_v1("flags.Error", "app.flags.Error")
class Error(Exception):
    """Something is wrong with a flag."""


@export_v1("flags.DuplicateFlagError", "app.flags.DuplicateFlagError")
class DuplicateFlagError(Error):
    """A flag is defined twice."""


@export_v1("flags.IllegalFlagValueError", "app.flags.IllegalFlagValueError")
class IllegalFlagValueError(Error):
    """A flag was given a value that it cannot have."""


@export_v1("flags.ValidationError", "app.flags.ValidationError")
class ValidationError(Error):
    """A validator refused a value."""


@export_v1("flags.UnparsedFlagAccessError", "app.flags.UnparsedFlagAccessError")
class UnparsedFlagAccessError(Error):
    """A flag was read before the command line was."""


@export_v1("flags.UnrecognizedFlagError", "app.flags.UnrecognizedFlagError")
class UnrecognizedFlagError(Error):
    """The command line has a flag that no module defines; `flagname` and `flagvalue` say which."""

    def __init__(self, flagname: str, flagvalue: Any = "", suggestions: Sequence[str] = ()) -> None:
        self.flagname = flagname
        self.flagvalue = flagvalue
        hint = f". Did you mean: {', '.join(suggestions)} ?" if suggestions else ""
        super().__init__(f"Unknown command line flag '{flagname}'{hint}")


@export_v1("flags.Flag", "app.flags.Flag")
class Flag:
    """One flag.

    Attributes:
      name, short_name: `--name`, `-short_name`.
      kind: how text becomes a value.
      default, value: converted; None where there is none.
      present: how often the command line has given it.
      help: what it is for.
      module: the file that defines it.
    """

    def __init__(
        self,
        name: str,
        kind: FlagKind,
        default: Any,
        help: str | None,
        module: str,
        short_name: str | None = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.help = help or "(no help available)"
        self.module = module
        self.short_name = short_name
        self.present = 0
        self.validators: list[tuple[Callable[[Any], Any], str]] = []
        self.default = self.value = self.converted(default)

    def converted(self, value: Any) -> Any:
        """`value` as the flag keeps it.

        Raises:
          IllegalFlagValueError: the flag cannot have it.
        """
        if value is None:
            return None
        try:
            return self.kind.convert(value)
        except (TypeError, ValueError) as error:
            raise IllegalFlagValueError(f"flag --{self.name}={value}: {error}") from None

    def parse(self, text: Any) -> None:
        """Takes a value from the command line."""
        value = self.converted(text)
        if self.kind.repeats and self.present:
            value = [*self.value, *value]
        self.value = value
        self.present += 1

    def unparse(self) -> None:
        """Back to the default."""
        self.value, self.present = self.default, 0

    def validate(self) -> None:
        """Raises IllegalFlagValueError if a validator refuses the value."""
        for checker, message in self.validators:
            try:
                accepted = checker(self.value)
            except ValidationError as error:
                accepted, message = False, str(error)
            if not accepted:
                raise IllegalFlagValueError(f"flag --{self.name}={self.value}: {message}")

    def serialize(self) -> str:
        """The flag as the command line gives it."""
        if self.value is None:
            return ""
        if self.kind.is_boolean:
            return f"--{self.name}" if self.value else f"--no{self.name}"
        values = self.value if self.kind.repeats else [self.value]
        return "\n".join(f"--{self.name}={self.kind.to_text(value)}" for value in values)


@export_v1("flags.FlagValues", "app.flags.FlagValues")
class FlagValues:
    """The flags by name: `FLAGS.batch_size`. The first value read reads the command line."""

    def __init__(self) -> None:
        self.__dict__["_flag_of"] = {}
        self.__dict__["_parsed"] = False
        self.__dict__["_group_checks"] = []

    # --- reading and setting ----------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name == "__flags":  # programs of TensorFlow 1 print all flags through it
            return self._flags()
        flag = self.__dict__["_flag_of"].get(name)
        if flag is None:
            raise AttributeError(name)
        if not self._parsed:
            self(sys.argv)
        return flag.value

    def __setattr__(self, name: str, value: Any) -> None:
        flag = self._flag_of.get(name)
        if flag is None:
            raise UnrecognizedFlagError(name, value, self._near(name))
        flag.value = value
        flag.validate()

    def __delattr__(self, name: str) -> None:
        if name not in self._flag_of:
            raise AttributeError(name)
        flag = self._flag_of[name]
        for key in [key for key, other in self._flag_of.items() if other is flag]:
            del self._flag_of[key]

    def __getitem__(self, name: str) -> Flag:
        return self._flag_of[name]

    def __contains__(self, name: object) -> bool:
        return name in self._flag_of

    def __iter__(self) -> Iterator[str]:
        return iter(self._flag_of)

    def __len__(self) -> int:
        return len(self._flag_of)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._flag_of]

    def _flags(self) -> dict[str, Flag]:
        return self._flag_of

    def flag_values_dict(self) -> dict[str, Any]:
        """Name → value of all flags."""
        return {name: flag.value for name, flag in self._flag_of.items()}

    def get_flag_value(self, name: str, default: Any) -> Any:
        """The value of a flag; `default` if it has none or does not exist."""
        value = getattr(self, name, None)
        return default if value is None else value

    def set_default(self, name: str, value: Any) -> None:
        """Gives a flag another default."""
        flag = self._flag_of.get(name)
        if flag is None:
            raise UnrecognizedFlagError(name, value, self._near(name))
        flag.default = flag.converted(value)
        if not flag.present:
            flag.value = flag.default

    # --- defining ---------------------------------------------------------------------------------

    def define(self, flag: Flag) -> None:
        """Adds a flag.

        Raises:
          DuplicateFlagError: its name is taken.
        """
        for name in filter(None, (flag.name, flag.short_name)):
            first = self._flag_of.get(name)
            if first is not None:
                raise DuplicateFlagError(
                    f"The flag '{name}' is defined twice. First from {first.module}, second from "
                    f"{flag.module}. Description from first occurrence: {first.help}"
                )
            self._flag_of[name] = flag

    def define_alias(self, name: str, original: str) -> None:
        """`--name` stands for `--original` too."""
        self._flag_of[name] = self._flag_of[original]

    def add_group_check(self, check: Callable[[dict[str, Any]], Any], names: Sequence[str]) -> None:
        """`check({name: value, …})` raises ValidationError if values do not go together."""
        self._group_checks.append((check, tuple(names)))

    # --- the command line -------------------------------------------------------------------------

    def __call__(self, argv: Sequence[str], known_only: bool = False) -> list[str]:
        """Reads a command line; returns the program's name and what is no flag.

        Args:
          argv: the program's name, then its arguments; "--" ends the flags.
          known_only: leave flags that nobody defines among the rest.
        Raises:
          UnrecognizedFlagError: a flag is not defined.
          IllegalFlagValueError: a value does not fit its flag.
        """
        if isinstance(argv, str) or not argv:
            raise TypeError("argv should be a list of strings that starts with the program's name.")
        for flag in self._flag_of.values():
            if flag.kind.repeats:
                flag.present = 0  # a list starts anew with each command line
        rest = self._read(_expand_flag_files(list(argv[1:])), known_only)
        self.__dict__["_parsed"] = True
        self.validate_all_flags()
        return [argv[0], *rest]

    def _read(self, arguments: list[str], known_only: bool) -> list[str]:
        rest: list[str] = []
        position = 0
        while position < len(arguments):
            argument = arguments[position]
            position += 1
            if argument == "--":
                return rest + arguments[position:]
            if not argument.startswith("-") or argument == "-":
                rest.append(argument)
                continue
            name, equals, text = argument.lstrip("-").partition("=")
            flag = self._flag_of.get(name)
            if flag is not None and (equals or flag.kind.is_boolean):
                flag.parse(text if equals else True)
            elif flag is not None:
                if position == len(arguments):
                    raise Error(f"Missing value for flag {argument}")
                flag.parse(arguments[position])
                position += 1
            elif self._is_negation(name) and not equals:
                self._flag_of[name[2:]].parse(False)
            elif name in ("help", "h", "helpfull"):
                self._print_help()
            elif known_only:
                rest.append(argument)
            else:
                raise UnrecognizedFlagError(name, argument, self._near(name))
        return rest

    def _is_negation(self, name: str) -> bool:
        flag = self._flag_of.get(name[2:]) if name.startswith("no") else None
        return flag is not None and flag.kind.is_boolean

    def _near(self, name: str) -> list[str]:
        return difflib.get_close_matches(name, self._flag_of, 3)

    def validate_all_flags(self) -> None:
        """Raises IllegalFlagValueError if a validator refuses a value."""
        for flag in dict.fromkeys(self._flag_of.values()):
            flag.validate()
        for check, names in self._group_checks:
            try:
                check({name: self._flag_of[name].value for name in names})
            except ValidationError as error:
                raise IllegalFlagValueError(str(error)) from None

    def is_parsed(self) -> bool:
        """Whether the command line was read."""
        return self._parsed

    def mark_as_parsed(self) -> None:
        """The values as they are count as read."""
        self.__dict__["_parsed"] = True

    def unparse_flags(self) -> None:
        """All flags have their defaults again, and the command line is read anew."""
        for flag in self._flag_of.values():
            flag.unparse()
        self.__dict__["_parsed"] = False

    # --- text -------------------------------------------------------------------------------------

    def flags_into_string(self) -> str:
        """The values as the lines of a flag file."""
        flags = dict.fromkeys(self._flag_of[name] for name in sorted(self))
        lines = [flag.serialize() for flag in flags]
        return "".join(f"{line}\n" for line in lines if line)

    def main_module_help(self) -> str:
        """What the program's flags are for."""
        lines = [f"\n{os.path.basename(sys.argv[0])}:"]
        for flag in dict.fromkeys(self._flag_of[name] for name in sorted(self)):
            dashes = f"-{flag.short_name},--" if flag.short_name else "--"
            negation = "[no]" if flag.kind.is_boolean else ""
            lines.append(f"  {dashes}{negation}{flag.name}: {flag.help}")
            if flag.default is not None:
                lines.append(f"    (default: {flag.kind.to_text(flag.default)!r})")
            lines.append(f"    ({flag.kind.description})")
        return "\n".join(lines)

    def _print_help(self) -> None:
        main = sys.modules.get("__main__")
        print((getattr(main, "__doc__", None) or "").strip())
        print(self.main_module_help())
        raise SystemExit(1)  # as TensorFlow's does


def _expand_flag_files(arguments: list[str]) -> list[str]:
    """`--flagfile=path` stands for the lines of that file."""
    expanded: list[str] = []
    for position, argument in enumerate(arguments):
        if argument == "--":
            return expanded + arguments[position:]
        name, equals, path = argument.lstrip("-").partition("=")
        if not (argument.startswith("-") and name == "flagfile" and equals):
            expanded.append(argument)
            continue
        try:
            with open(os.path.expanduser(path)) as file:
                lines = [line.strip() for line in file]
        except OSError as error:
            raise Error(f"Cannot open flag file {path}: {error.strerror}") from None
        expanded += _expand_flag_files(
            [line for line in lines if line and not line.startswith(("#", "//"))]
        )
    return expanded
