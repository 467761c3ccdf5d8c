"""What the keywords of a call become: JSON for the native part."""

from __future__ import annotations

import json
import operator
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ._errors import UsageError

#: The extents of a block or a grid: ``256``, ``(16, 16)``, ``(8, 8, 4)``.
Dim = Union[int, Sequence[int]]
#: Texts, or one.
Texts = Union[str, Sequence[Any]]

#: What every call that reads kernels takes, with what holds where nothing is said.
DEFAULTS: Dict[str, Any] = {
    "kernel": None,
    "block": None,
    "grid": None,
    "warp": None,
    "params": {},
    "assume": [],
    "contract": "auto",
    "solvers": [],
    "method": "auto",
    "timeout": 10.0,
    "time_limit": 600.0,
    "memory_limit": 4096,
    "max_races": 20,
    "fix_time": None,
    "certainty": False,
    "array": None,
    "ignore_benign": False,
    "defines": [],
    "undefines": [],
    "includes": [],
    "standard": None,
    "parser": "auto",
    "overflow": None,
    "choose": "smallest",
    "contents": [],
}


def integer(what: str, value: Any) -> int:
    """An integer of any kind that Python has, but no truth value."""
    if isinstance(value, bool):
        raise UsageError(f"{what}: an integer is expected, not {value!r}")
    try:
        return operator.index(value)
    except TypeError:
        raise UsageError(f"{what}: an integer is expected, not {value!r}") from None


def within(what: str, value: Any, least: int, most: int) -> int:
    """An integer of a range."""
    number = integer(what, value)
    if not least <= number <= most:
        raise UsageError(f"{what}: from {least} to {most}, not {number}")
    return number


def dim(what: str, value: Optional[Dim]) -> Optional[List[int]]:
    """The three extents that a number or a sequence of numbers stands for."""
    if value is None:
        return None
    if isinstance(value, (str, bytes)):
        raise UsageError(f"{what}: an integer or up to three, not {value!r}")
    try:
        parts = list(value)  # type: ignore[arg-type]
    except TypeError:
        parts = [value]  # type: ignore[list-item]
    if not 1 <= len(parts) <= 3:
        raise UsageError(f"{what}: up to three extents, not {len(parts)}")
    numbers = [within(what, part, 0, 2**32 - 1) for part in parts]
    return numbers + [1] * (3 - len(numbers))


def digits(what: str, value: Any) -> str:
    """An integer in decimal; one that is too long for any program is refused."""
    number = integer(what, value)
    if number.bit_length() > 200_000:
        raise UsageError(f"{what}: an integer with too many digits")
    return f"{number:d}" if number.bit_length() < 12_000 else _long(number)


def _long(number: int) -> str:
    """As ``str``, which may refuse long numbers."""
    sign, number = ("-", -number) if number < 0 else ("", number)
    parts: List[str] = []
    while number >= 10**1000:
        number, rest = divmod(number, 10**1000)
        parts.append(f"{rest:01000d}")
    return sign + str(number) + "".join(reversed(parts))


def text(what: str, value: Any) -> str:
    """A string."""
    if not isinstance(value, str):
        raise UsageError(f"{what}: a string is expected, not {value!r}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        # JSON and the native part have Unicode only.
        raise UsageError(f"{what}: a lone surrogate, {value[error.start]!r}, at {error.start}") from None
    return value


def number(numeral: str) -> int:
    """As ``int``, which may refuse long numerals."""
    if len(numeral) <= 4000:
        return int(numeral)
    sign, numeral = (-1, numeral[1:]) if numeral.startswith("-") else (1, numeral)
    value = 0
    for start in range(0, len(numeral), 1000):
        part = numeral[start : start + 1000]
        value = value * 10 ** len(part) + int(part)
    return sign * value


def value(form: Any) -> int:
    """An integer of a document, which is a string where it is long."""
    return number(form) if isinstance(form, str) else int(form)


def values(form: Mapping[str, Any]) -> Dict[str, int]:
    """The integers of an object."""
    return {name: value(k) for name, k in form.items()}


def loads(document: str) -> Any:
    """As ``json.loads``, with integers of any length."""
    return json.loads(document, parse_int=number)


def texts(what: str, value: Any) -> List[str]:
    """Strings; one alone is a list of one."""
    if value is None:
        return []
    if isinstance(value, (str, os.PathLike)):
        value = [value]
    try:
        return [text(what, os.fspath(one) if isinstance(one, os.PathLike) else one) for one in value]
    except TypeError:
        raise UsageError(f"{what}: strings are expected, not {value!r}") from None


def seconds(what: str, value: Any) -> float:
    """A number of seconds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UsageError(f"{what}: a number of seconds is expected, not {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not 0 <= number <= 86_400:
        raise UsageError(f"{what}: above 0 and at most 86400 seconds, not {value!r}")
    return number


def _defines(value: Any) -> List[str]:
    if value is None:
        return []
    if isinstance(value, Mapping):
        pairs = value.items()
        return [text("defines", name) if body is None else f"{text('defines', name)}={body}" for name, body in pairs]
    return texts("defines", value)


def _contents(value: Any) -> List[Tuple[str, str, str]]:
    found = []
    try:
        for array, cells in dict(value).items():
            items: Iterable[Tuple[Any, Any]] = cells.items() if isinstance(cells, Mapping) else enumerate(cells)
            for index, k in items:
                found.append((text("contents", array), digits("contents", index), digits("contents", k)))
    except (TypeError, ValueError):
        wanted = "{'A': {0: 7}} or {'A': [7, 8]}"
        raise UsageError(f"contents: {wanted} is expected, not {value!r}") from None
    return found


def options(given: Mapping[str, Any], params: Mapping[str, Any]) -> str:
    """The keywords of a call as the native part reads them. What is no keyword is a parameter of the kernel."""
    asked = dict(DEFAULTS)
    values = dict(params)
    for name, value in given.items():
        if name in ("block", "grid"):
            value = dim(name, value)
        elif name == "params":
            for param, k in dict(value or {}).items():
                if values.setdefault(text("params", param), k) is not k:
                    raise UsageError(f"parameter `{param}` has two values")
            continue
        elif name == "warp":
            value = None if value is None else within(name, value, 0, 2**32 - 1)
        elif name in ("memory_limit", "max_races"):
            value = within(name, value, 1, 2**32 - 1)
        elif name in ("timeout", "time_limit"):
            value = seconds(name, value)
        elif name == "fix_time":
            value = None if value is None else seconds(name, value)
        elif name == "defines":
            value = _defines(value)
        elif name in ("assume", "undefines", "includes"):
            value = texts(name, value)
        elif name == "solver":
            name, value = "solvers", texts(name, value)
        elif name == "contents":
            value = _contents(value or {})
        elif name == "contract":
            value = "none" if value is None else text(name, value)
        elif name in ("certainty", "ignore_benign"):
            value = bool(value)
        elif value is not None:
            value = text(name, value)
        asked[name] = value
    if asked["contract"] == "auto":
        # Who says the block has said which launches are meant.
        asked["contract"] = "source" if asked["block"] is None else "none"
    asked["params"] = {name: digits(f"parameter `{name}`", k) for name, k in values.items()}
    return json.dumps(asked)


def keywords(given: Mapping[str, Any]) -> Dict[str, Any]:
    """What of the arguments of a function are keywords for `options`."""
    others = ("source", "path", "language", "judgment", "threads", "values", "others")
    return {name: value for name, value in given.items() if name not in others}


def source(given: Any, language: Optional[str], path: Optional[str] = None) -> str:
    """A text as the native part reads it: a string, a program, or a path."""
    own = getattr(given, "_source", None)
    if own is not None:
        given, language = own
    elif isinstance(given, os.PathLike):
        return file(given, language)
    elif not isinstance(given, str):
        raise UsageError(f"a text is expected, or a program, not {type(given).__name__}")
    elif "\n" not in given and given.endswith((".cu", ".cuh", ".cl", ".bcuda", ".map")):
        raise UsageError(f"{given!r} is a path, and a text is expected", help="check_file(path) reads a file")
    language = None if language is None else text("language", language)
    return json.dumps({"text": text("source", given), "path": text("path", path or "-"), "language": language})


def file(path: Any, language: Optional[str]) -> str:
    """A file as the native part reads it."""
    try:
        name = os.fspath(path)
    except TypeError:
        raise UsageError(f"a path is expected, not {path!r}") from None
    if not isinstance(name, str):
        raise UsageError(f"a path is a string, not {name!r}")
    if name == "-":
        name = "./-"
    language = None if language is None else text("language", language)
    return json.dumps({"text": None, "path": text("path", name), "language": language})
