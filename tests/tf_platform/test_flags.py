"""tf.flags: what a command line means, as TensorFlow 2.21 reads it."""

from __future__ import annotations

import enum
import sys
from pathlib import Path

import pytest

from featherflow.platform import app, flags
from featherflow.platform.flag_values import (
    DuplicateFlagError,
    Error,
    FlagValues,
    IllegalFlagValueError,
    UnrecognizedFlagError,
)


@pytest.fixture
def values(monkeypatch: pytest.MonkeyPatch) -> FlagValues:
    """A program's flags, and a command line that gives none of them."""
    monkeypatch.setattr(sys, "argv", ["prog"])
    values = FlagValues()
    flags.DEFINE_string("name", "bob", "who", flag_values=values)
    flags.DEFINE_integer("n", 3, "count", flag_values=values)
    flags.DEFINE_float("lr", 0.1, "rate", flag_values=values)
    flags.DEFINE_boolean("train", False, "whether", flag_values=values)
    flags.DEFINE_bool("fast", True, "whether", flag_values=values)
    flags.DEFINE_enum("mode", "a", ["a", "b"], "which", flag_values=values)
    flags.DEFINE_list("units", "1,2", "sizes", flag_values=values)
    flags.DEFINE_multi_string("m", None, "many", flag_values=values)
    flags.DEFINE_spaceseplist("sp", "a b", "words", flag_values=values)
    return values


def test_defaults(values: FlagValues) -> None:
    assert values.flag_values_dict() == {
        "name": "bob",
        "n": 3,
        "lr": 0.1,
        "train": False,
        "fast": True,
        "mode": "a",
        "units": ["1", "2"],
        "m": None,
        "sp": ["a", "b"],
    }


def test_first_access_reads_the_command_line(values: FlagValues, monkeypatch) -> None:
    monkeypatch.setattr(sys, "argv", ["prog", "--name=alice", "pos"])
    assert not values.is_parsed()
    assert values.name == "alice"
    assert values.is_parsed()
    monkeypatch.setattr(sys, "argv", ["prog", "--name=carol"])
    assert values.name == "alice"
    values.unparse_flags()
    assert values.name == "carol"


@pytest.mark.parametrize(
    ("argument", "name", "expected"),
    [
        ("--n=5", "n", 5),
        ("--n 5", "n", 5),
        ("-n=5", "n", 5),
        ("-n 5", "n", 5),
        ("--n=-5", "n", -5),
        ("--n=0x10", "n", 16),
        ("--lr=1e-3", "lr", 0.001),
        ("--train", "train", True),
        ("--train=true", "train", True),
        ("--train=1", "train", True),
        ("--notrain", "train", False),
        ("--nofast", "fast", False),
        ("--fast=False", "fast", False),
        ("--mode=b", "mode", "b"),
        ("--units=7,8", "units", ["7", "8"]),
        ("--units=", "units", []),
        ("--m=x --m=y", "m", ["x", "y"]),
        ("--name=", "name", ""),
        ("--name=a=b", "name", "a=b"),
        ("--n=1 --n=2", "n", 2),
    ],
)
def test_values(values: FlagValues, argument: str, name: str, expected: object) -> None:
    assert values(["prog", *argument.split(" ")]) == ["prog"]
    assert getattr(values, name) == expected


def test_what_is_no_flag_is_left(values: FlagValues) -> None:
    rest = values(["prog", "a", "--train", "b", "-", "--", "--n=9"])
    assert rest == ["prog", "a", "b", "-", "--n=9"]
    assert (values.train, values.n) == (True, 3)
    assert values(["prog", "--bad", "--n=9", "x"], known_only=True) == ["prog", "--bad", "x"]


@pytest.mark.parametrize(
    ("argument", "error", "message"),
    [
        ("--unknown=1", UnrecognizedFlagError, "Unknown command line flag 'unknown'"),
        ("--mod=a", UnrecognizedFlagError, "Did you mean: mode"),
        ("--n=abc", IllegalFlagValueError, r"flag --n=abc: invalid literal for int\(\)"),
        ("--lr=abc", IllegalFlagValueError, "flag --lr=abc: could not convert string to float"),
        ("--mode=c", IllegalFlagValueError, r"flag --mode=c: value should be one of <a\|b>"),
        ("--train=maybe", IllegalFlagValueError, "Non-boolean argument to boolean flag"),
        ("--n", Error, "Missing value for flag --n"),
    ],
)
def test_errors(values: FlagValues, argument: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        values(["prog", argument])


def test_setting(values: FlagValues) -> None:
    values.n = 11
    assert values.n == 11
    with pytest.raises(UnrecognizedFlagError):
        values.other = 1
    values.set_default("n", "4")
    assert values["n"].default == 4
    assert values.get_flag_value("m", "none") == "none"
    assert ("n" in values, "other" in values, len(values)) == (True, False, 9)
    assert list(values)[:2] == ["name", "n"]
    del values.n
    assert "n" not in values
    with pytest.raises(AttributeError):
        _ = values.n


def test_old_spellings(values: FlagValues) -> None:
    """TensorFlow 1 named the parameters otherwise, and programs print all flags like this."""
    flags.DEFINE_integer(
        flag_name="old", default_value=3, docstring="an old one", flag_values=values
    )
    assert (values.old, values["old"].help) == (3, "an old one")
    assert getattr(values, "__flags")["old"].value == 3


def test_duplicates_name_both_places(values: FlagValues) -> None:
    with pytest.raises(DuplicateFlagError, match=r"The flag 'n' is defined twice. First from .*"):
        flags.DEFINE_string("n", "", "again", flag_values=values)


def test_bounds(values: FlagValues) -> None:
    with pytest.raises(IllegalFlagValueError, match="7 is not integer >= 8"):
        flags.DEFINE_integer("b", 7, "", lower_bound=8, flag_values=values)
    flags.DEFINE_float("f", 0.5, "", lower_bound=0.0, upper_bound=1.0, flag_values=values)
    with pytest.raises(IllegalFlagValueError, match=r"2.0 is not number >= 0.0 and <= 1.0"):
        values(["prog", "--f=2"])


def test_other_kinds(values: FlagValues) -> None:
    color = enum.Enum("color", ["RED", "BLUE"])
    flags.DEFINE_enum_class("color", color.RED, color, "", flag_values=values)
    flags.DEFINE_multi_integer("i", [1], "", flag_values=values)
    flags.DEFINE_multi_float("g", None, "", flag_values=values)
    flags.DEFINE_multi_enum("e", [], ["x", "y"], "", flag_values=values)
    flags.DEFINE_alias("colour", "color", flag_values=values)
    values(["prog", "--colour=blue", "--i=3", "--i=4", "--g=1", "--e=y"])
    assert (values.color, values.i, values.g, values.e) == (color.BLUE, [3, 4], [1.0], ["y"])


def test_short_names_and_holders(values: FlagValues) -> None:
    holder = flags.DEFINE_integer("depth", 2, "", short_name="d", flag_values=values)
    values(["prog", "-d", "7"])
    assert (holder.name, holder.value, holder.default, holder.present) == ("depth", 7, 2, 1)


def test_requirements(values: FlagValues) -> None:
    flags.DEFINE_string("must", None, "", flag_values=values)
    flags.mark_flag_as_required("must", flag_values=values)
    with pytest.raises(IllegalFlagValueError, match="Flag --must must have a value other than"):
        values(["prog"])
    assert values(["prog", "--must=1"]) == ["prog"]
    flags.register_validator("n", lambda n: n < 100, "too big", flag_values=values)
    with pytest.raises(IllegalFlagValueError, match="flag --n=1000: too big"):
        values(["prog", "--n=1000"])
    with pytest.raises(IllegalFlagValueError, match="too big"):
        values.n = 1000
    with pytest.raises(ValueError, match="required flag has no default"):
        flags.DEFINE_string("r", "x", "", required=True, flag_values=values)


def test_exclusive_flags(values: FlagValues) -> None:
    for name in ("x", "y"):
        flags.DEFINE_string(name, None, "", flag_values=values)
    flags.mark_flags_as_mutual_exclusive(["x", "y"], required=True, flag_values=values)
    values(["prog", "--x=1"])
    with pytest.raises(IllegalFlagValueError, match="given: x, y"):
        values(["prog", "--y=1"])


def test_flag_files(values: FlagValues, tmp_path: Path) -> None:
    path = tmp_path / "flags"
    path.write_text("# comment\n--n=8\n\n--train\n")
    assert values(["prog", f"--flagfile={path}", "x"]) == ["prog", "x"]
    assert (values.n, values.train) == (8, True)
    path.write_text(values.flags_into_string())
    values.unparse_flags()
    values(["prog", f"--flagfile={path}"])
    assert (values.n, values.train, values.units, values.fast) == (8, True, ["1", "2"], True)
    with pytest.raises(Error, match="Cannot open flag file"):
        values(["prog", f"--flagfile={tmp_path / 'none'}"])


def test_help(values: FlagValues, capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        values(["prog", "--help"])
    assert stop.value.code == 1
    text = capsys.readouterr().out
    assert "  --[no]train: whether\n    (default: 'false')\n    (a boolean)" in text
    assert "  --m: many\n    (a string; repeat" in text


def test_app_run(values: FlagValues, monkeypatch) -> None:
    monkeypatch.setattr(app, "FLAGS", values)
    seen = []

    def main(argv: list[str]) -> int:
        seen.append((argv, values.n))
        return 3

    with pytest.raises(SystemExit) as stop:
        app.run(main, argv=["prog", "--n=22", "y", "--huh"])
    assert (stop.value.code, seen) == (3, [(["prog", "y", "--huh"], 22)])
    monkeypatch.setattr(sys, "argv", ["prog", "z"])
    monkeypatch.setattr(sys.modules["__main__"], "main", main, raising=False)
    with pytest.raises(SystemExit):
        app.run()
    assert seen[-1][0] == ["prog", "z"]
