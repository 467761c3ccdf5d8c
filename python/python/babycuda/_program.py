"""Programs of the calculus and memory access protocols, read from text or built."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from . import _call, _native
from ._errors import UsageError
from ._html import pre


class _Code:
    """What `Program` and `Protocol` have in common."""

    _language = ""

    def __init__(self, native: _native.Code, text: Optional[str] = None) -> None:
        self._native = native
        self._text = str(native) if text is None else text

    @property
    def _source(self) -> Tuple[str, str]:
        return self._text, self._language

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self._native.name

    @property
    def params(self) -> Dict[str, str]:
        """The parameters with their types, ``nat`` for naturals."""
        return {name: domain for name, domain, _ in self._native.params}

    @property
    def arrays(self) -> Dict[str, str]:
        """The arrays with their declarations."""
        return dict(self._native.arrays)

    @property
    def body(self) -> str:
        """The code without its declarations."""
        return self._native.body

    def json(self) -> str:
        """The document of ``schemas/program.json`` or ``schemas/map.json``."""
        return self._native.json()

    @property
    def document(self) -> Dict[str, Any]:
        """The same as a dictionary; of a program that nests too deeply for Python's JSON, a `UsageError`."""
        try:
            return dict(_call.loads(self.json()))
        except RecursionError:
            raise UsageError("this program nests too deeply for a dictionary") from None

    def __eq__(self, other: object) -> bool:
        """The same code and declarations, wherever they stand?"""
        return self._native.same(other._native) if isinstance(other, _Code) else NotImplemented

    def __hash__(self) -> int:
        return self._native.hash()

    def __str__(self) -> str:
        return str(self._native)

    def __repr__(self) -> str:
        text = " ".join(str(self).split())
        text = text if len(text) <= 72 else text[:69] + "..."
        return f"<{type(self).__name__} {text}>"

    def _repr_html_(self) -> str:
        return pre(str(self))

    def __reduce__(self) -> Any:
        return parse, (str(self),)


class Program(_Code):
    """A program of the calculus BabyCUDA: `parse` reads one, `babycuda.build.program` builds one."""

    _language = "babycuda"


class Protocol(_Code):
    """A memory access protocol (MAP) with its declarations: where arrays are accessed, never what they hold."""

    _language = "map"

    def __reduce__(self) -> Any:
        return parse_protocol, (str(self),)


def parse(text: str) -> Program:
    """The program that a text in the paper's syntax denotes, or a JSON document of one.

    Raises `ParseError` with the place of the first thing that is wrong.
    """
    text = _call.text("text", text)
    native = _native.parse_code(text, "json" if text.lstrip().startswith("{\"") else "babycuda")
    if native.is_protocol:
        raise UsageError("this is a protocol: parse_protocol reads it")
    return Program(native, None if text.lstrip().startswith("{") else text)


def parse_protocol(text: str) -> Protocol:
    """The memory access protocol that a text denotes, or a JSON document of one."""
    text = _call.text("text", text)
    native = _native.parse_code(text, "json" if text.lstrip().startswith("{\"") else "map")
    if not native.is_protocol:
        raise UsageError("this is a program: parse reads it")
    return Protocol(native, None if text.lstrip().startswith("{") else text)
