"""The exceptions of the package."""

from __future__ import annotations

from typing import Optional

__all__ = ["Error", "InternalError", "LimitError", "ParseError", "UsageError"]


class Error(Exception):
    """Whatever goes wrong in this package. A verdict that is not known is no error: see ``reason``.

    ``message`` says what is wrong, ``line`` and ``column`` where in the text (from 1, ``None``: nowhere),
    ``help`` what would help, and ``rendered`` is all of it with an excerpt of the text.
    """

    message: str
    line: Optional[int]
    column: Optional[int]
    help: Optional[str]
    rendered: str

    def __init__(
        self,
        message: str,
        *,
        line: Optional[int] = None,
        column: Optional[int] = None,
        help: Optional[str] = None,
        rendered: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.help = help
        self.rendered = message if rendered is None else rendered.rstrip()

    def __str__(self) -> str:
        place = "" if self.line is None else f"{self.line}:{self.column}: "
        help = "" if self.help is None else f" (help: {self.help})"
        return f"{place}{self.message}{help}"

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return _again, (type(self), self.message, self.line, self.column, self.help, self.rendered)


def _again(kind, message, line, column, help, rendered):  # type: ignore[no-untyped-def]
    return kind(message, line=line, column=column, help=help, rendered=rendered)


class ParseError(Error):
    """The text is not of its language, or mentions what it does not declare."""


class UsageError(Error):
    """A call asks for what there is not: a wrong name, a wrong type, a launch that is left open."""


class LimitError(Error):
    """A limit passed: of the time or the memory of the call, or of the language (depth, length)."""


class InternalError(Error):
    """A defect of babycuda."""
