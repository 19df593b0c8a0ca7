"""One way to refuse a wrong argument: a rule for each parameter, an error that says what was wanted and what came.

A rule is a value that is called with the name of a parameter and what was given. It returns nothing, or raises
SettingsError. `Fields` makes of the rules of a class one expression, since values are made by the thousand.
"""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar

from sixprime.errors import SettingsError

if TYPE_CHECKING:
    from types import EllipsisType

    from numpy.typing import DTypeLike, NDArray

T = TypeVar("T")

_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 60


def shown(value: object) -> str:
    """What was given, in a few words even if it is long, deep or cannot be shown."""
    try:
        return _REPR.repr(value)
    except Exception:  # whatever a foreign `__repr__` raises, and Python for an integer of many digits
        return f"a value of type {type(value).__name__}"


def one_of(kind: type) -> str:
    """What a message calls a value of a class."""
    return f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"


def refuse(name: str, wanted: str, given: object) -> NoReturn:
    """Raises the SettingsError of a parameter."""
    raise SettingsError(f"{name} must be {wanted}. Got {shown(given)} instead.")


class Rule(Protocol):
    """What a parameter may be. Called, it raises SettingsError; `test` is Python, with `names`, for the plain values
    that it allows, not for all of them: what is not plain is looked at by the call."""

    def __call__(self, name: str, given: Any, /) -> None: ...

    def test(self, given: str, names: dict[str, object]) -> str: ...

    def plain(self, given: Any) -> Any:
        """What is kept of something that it allows: Python's own number for one of NumPy, so that values are equal,
        hashed, written and read again whoever made them."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number of a range, which no truth value is; of Python or NumPy."""

    least: int
    most: int
    power: bool = False

    def __call__(self, name: str, given: Any, /) -> None:
        """Raises SettingsError."""
        try:
            number = None if isinstance(given, bool) else index(given)
        except TypeError:
            number = None
        if number is None or not self.least <= number <= self.most or (self.power and number & (number - 1)):
            kind = "a power of two" if self.power else "a whole number"
            refuse(name, f"{kind} from {self.least} to {self.most}", given)

    def test(self, given: str, names: dict[str, object]) -> str:
        """As `Rule` says."""
        power = f" and not {given} & ({given} - 1)" if self.power else ""
        return f"type({given}) is int and {self.least} <= {given} <= {self.most}{power}"

    def plain(self, given: Any) -> int:
        """As `Rule` says."""
        return index(given)


@dataclass(frozen=True, slots=True)
class Real:
    """A number from `least` to `most`, or only above `least`; no truth value, and no array of one."""

    least: float
    most: float
    above: bool = False

    def __call__(self, name: str, given: Any, /) -> None:
        """Raises SettingsError."""
        try:
            kind = getattr(getattr(given, "dtype", None), "kind", "")
            number = not isinstance(given, (bool, str, bytes)) and kind != "b" and not getattr(given, "ndim", 0)
            fits = number and self.least <= float(given) <= self.most
        except (TypeError, ValueError, OverflowError):
            fits = False
        if not fits or (self.above and given == self.least):
            span = f"above {self.least:g} and at most" if self.above else f"from {self.least:g} to"
            refuse(name, f"a number {span} {self.most:g}", given)

    def test(self, given: str, names: dict[str, object]) -> str:
        """As `Rule` says."""
        return f"type({given}) is float and {self.least} {'<' if self.above else '<='} {given} <= {self.most}"

    def plain(self, given: Any) -> float:
        """As `Rule` says."""
        return given if type(given) in (int, float) else float(given)


@dataclass(frozen=True, slots=True)
class Instance:
    """A value of a class, or of one of several; words: what the message calls it."""

    kinds: type | tuple[type, ...]
    words: str = ""

    def __call__(self, name: str, given: Any, /) -> None:
        """Raises SettingsError."""
        if not isinstance(given, self.kinds):
            kinds = self.kinds if isinstance(self.kinds, tuple) else (self.kinds,)
            refuse(name, self.words or " or ".join(map(one_of, kinds)), given)

    def test(self, given: str, names: dict[str, object]) -> str:
        """As `Rule` says."""
        name = f"kind{len(names)}"
        names[name] = self.kinds
        return f"isinstance({given}, {name})"

    def plain(self, given: Any) -> Any:
        """As `Rule` says."""
        return given


class OneOf:
    """One of a few words."""

    def __init__(self, *words: str) -> None:
        self._words = words

    def __call__(self, name: str, given: Any, /) -> None:
        """Raises SettingsError."""
        if not isinstance(given, str) or given not in self._words:
            refuse(name, " or ".join((", ".join(self._words[:-1]), self._words[-1])), given)

    def test(self, given: str, names: dict[str, object]) -> str:
        """As `Rule` says."""
        return f"type({given}) is str and {given} in {self._words!r}"

    def plain(self, given: str) -> str:
        """As `Rule` says."""
        return given


@dataclass(frozen=True, slots=True)
class Maybe:
    """None, or what another rule asks for."""

    rule: Rule

    def __call__(self, name: str, given: Any, /) -> None:
        """Raises SettingsError."""
        if given is not None:
            self.rule(name, given)

    def test(self, given: str, names: dict[str, object]) -> str:
        """As `Rule` says."""
        return f"({given} is None or {self.rule.test(given, names)})"

    def plain(self, given: Any) -> Any:
        """As `Rule` says."""
        return None if given is None else self.rule.plain(given)


@dataclass(frozen=True, slots=True)
class Pair:
    """A tuple of two values of a rule."""

    rule: Rule

    def __call__(self, name: str, given: Any, /) -> None:
        """Raises SettingsError."""
        if not isinstance(given, tuple) or len(given) != 2:
            refuse(name, "a tuple of two", given)
        self.rule(f"{name}[0]", given[0])
        self.rule(f"{name}[1]", given[1])

    def test(self, given: str, names: dict[str, object]) -> str:
        """As `Rule` says."""
        both = (self.rule.test(f"{given}[{place}]", names) for place in (0, 1))
        return f"type({given}) is tuple and len({given}) == 2 and {' and '.join(both)}"

    def plain(self, given: tuple[Any, Any]) -> tuple[Any, Any]:
        """As `Rule` says."""
        return self.rule.plain(given[0]), self.rule.plain(given[1])


@dataclass(frozen=True, slots=True)
class Several:
    """A tuple of at most so many values of a rule."""

    rule: Rule
    most: int

    def __call__(self, name: str, given: Any, /) -> None:
        """Raises SettingsError."""
        if not isinstance(given, tuple) or len(given) > self.most:
            refuse(name, f"a tuple of at most {self.most}", given)
        for place, item in enumerate(given):
            self.rule(f"{name}[{place}]", item)

    def test(self, given: str, names: dict[str, object]) -> str:
        """As `Rule` says."""
        return f"type({given}) is tuple and not {given}"

    def plain(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """As `Rule` says."""
        return tuple(self.rule.plain(each) for each in given)


FLAG = Instance(bool, "True or False")
TEXT = Instance(str, "a text")
SEED = Whole(0, 2**63 - 1)
FINITE = Real(-1e300, 1e300)
"""Any number that is finite; no value of ours comes near its limits."""
CALL = Maybe(Instance(Callable, "a function"))  # type: ignore[arg-type]


def encodable(name: str, given: Any) -> None:
    """Raises SettingsError for what is no text, and for one of bytes that are no UTF-8."""
    TEXT(name, given)
    try:
        given.encode()
    except UnicodeEncodeError:
        refuse(name, "a text in UTF-8", given)


def path(given: Any) -> str:
    """The name of a file. Raises SettingsError."""
    try:
        return os.fsdecode(given)
    except TypeError:
        refuse("path", "the name of a file", given)


def sequence(name: str, given: Iterable[T], words: str) -> list[T]:
    """The items of a sequence, not looked at. Raises SettingsError."""
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable) or getattr(given, "ndim", 1) == 0:
        refuse(name, f"a sequence, each item {words}", given)
    return list(given)


def each(name: str, given: Iterable[T], rule: Rule, words: str) -> list[T]:
    """The items of a sequence, each as a rule wants it. Raises SettingsError."""
    items = sequence(name, given, words)
    for place, item in enumerate(items):
        rule(f"{name}[{place}]", item)
    return items


def listed(name: str, given: Iterable[Any], kind: type[T], words: str = "") -> list[T]:
    """The items of a sequence, all of one class. Raises SettingsError."""
    words = words or one_of(kind)
    return each(name, given, Instance(kind, words), words)


def array(name: str, given: Any, kind: DTypeLike, *shape: int | EllipsisType | None) -> NDArray[Any]:
    """An array of a type and shape, contiguous; None: of any length, ... before all: any number of axes more. Raises
    SettingsError, for fractions in place of whole numbers and for truth values in place of numbers, too."""
    import numpy as np

    if (
        type(given) is np.ndarray
        and given.dtype.type is kind
        and given.dtype.isnative
        and given.flags.c_contiguous
        and _fits(given.shape, shape)
    ):
        return given
    try:
        own = np.asarray(given)
        found = np.ascontiguousarray(own.astype(kind, casting="same_kind" if own.size else "unsafe", copy=False))
        truths = own.dtype.kind == "b" and found.dtype.kind != "b"
    except (TypeError, ValueError, OverflowError):
        found, truths = None, False
    if found is None or truths or not _fits(found.shape, shape):
        lengths = ", ".join("N" if each is None else "..." if each is ... else str(each) for each in shape)
        refuse(name, f"{np.dtype(kind)}[{lengths}]", given)
    return found


def _fits(have: tuple[int, ...], want: tuple[int | EllipsisType | None, ...]) -> bool:
    """Whether an array has one of the shapes that are wanted."""
    if want[:1] == (...,):
        want = want[1:]
        have = have[len(have) - len(want) :] if len(have) >= len(want) else ()
    return len(have) == len(want) and all(one is None or one == other for one, other in zip(want, have, strict=True))


class Fields:
    """The rules of the fields of a class. Called with a new value, it raises SettingsError for the first broken one,
    and keeps what is `plain` of the others."""

    def __init__(self, **rules: Rule) -> None:
        self._rules = rules
        names: dict[str, object] = {}
        tests = " and ".join(rule.test(f"value.{name}", names) for name, rule in rules.items())
        self._sound: Callable[[object], bool] = eval(f"lambda value: {tests}", names)

    def __call__(self, value: object) -> None:
        """Raises SettingsError."""
        if not self._sound(value):
            for name, rule in self._rules.items():
                given = getattr(value, name)
                rule(name, given)
                object.__setattr__(value, name, rule.plain(given))


_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "nothing",
}
_LIMITS = {">=": "of at least", "<=": "of at most", ">": "above", "<": "below"}


def wanted(said: str) -> str:
    """What msgspec says of a value that was sent, with the name of the field and what it has to be."""
    what, _, where = said.partition(" - at ")
    place = re.sub(r"\.?\[(\d+|\.\.\.)\]", "", where.strip("`").removeprefix("$").removeprefix("."))
    if missing := re.fullmatch(r"Object missing required field `(\w+)`", what):
        return f"{'.'.join(filter(None, (place, missing[1])))} is missing."
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", what, re.DOTALL):
        return f"there is no {shown('.'.join(filter(None, (place, unknown[1]))))}."
    if invalid := re.fullmatch(r"Invalid enum value (.+)", what, re.DOTALL):
        return f"{place} cannot be {invalid[1]}."
    if not what.startswith("Expected "):
        return f"{place or 'what is sent'}: {what[:1].lower()}{what[1:]}."
    wish = what.removeprefix("Expected ").partition(", got ")[0]
    wish = re.sub(
        r"`([^`]+)`", lambda found: " or ".join(_TYPES.get(each, each) for each in found[1].split(" | ")), wish
    )
    wish = re.sub(r"[<>]=?", lambda found: _LIMITS[found[0]], wish).replace("of length of", "of a length of")
    return f"{place or 'what is sent'} must be {wish}."
