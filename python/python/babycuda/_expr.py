"""Expressions and conditions with Python's operators."""

from __future__ import annotations

from typing import Any, Union

from . import _call, _native
from ._errors import UsageError

#: What stands for a number: an expression, a natural, or the name of a variable.
Number = Union["_Operators", int, str]


class _NoTruth:
    def __bool__(self) -> bool:
        raise TypeError("this is part of a program, and has no truth value here: use &, | and ~, and if_(...)")


class _Operators(_NoTruth):
    """What expressions and parameters have in common."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, native: _native.Expr) -> None:
        self._native = native

    def machine(self, op: str, other: Number, type: str = "u32") -> "Expr":
        """An operator of machine integers: ``add sub mul div rem min max and or xor shl shr``."""
        return _operator(f"{op}.{type}", self, other)

    def compare(self, op: str, other: Number, type: str) -> "Condition":
        """A comparison of machine integers: ``eq ne lt le gt ge``."""
        return _compare(f"{op}.{type}", self, other)

    def same(self, other: "_Operators") -> bool:
        """Is it the same expression? (``==`` makes a condition.)"""
        return isinstance(other, _Operators) and self._native.same(other._native)

    def __add__(self, other: Number) -> "Expr":
        return _operator("+", self, other)

    def __radd__(self, other: Number) -> "Expr":
        return _operator("+", other, self)

    def __sub__(self, other: Number) -> "Expr":
        return _operator("-", self, other)

    def __rsub__(self, other: Number) -> "Expr":
        return _operator("-", other, self)

    def __mul__(self, other: Number) -> "Expr":
        return _operator("*", self, other)

    def __rmul__(self, other: Number) -> "Expr":
        return _operator("*", other, self)

    def __floordiv__(self, other: Number) -> "Expr":
        return _operator("/", self, other)

    def __rfloordiv__(self, other: Number) -> "Expr":
        return _operator("/", other, self)

    def __truediv__(self, other: Number) -> "Expr":
        raise TypeError("numbers of the calculus are naturals: write //")

    __rtruediv__ = __truediv__

    def __mod__(self, other: Number) -> "Expr":
        return _operator("%", self, other)

    def __rmod__(self, other: Number) -> "Expr":
        return _operator("%", other, self)

    def __and__(self, other: Number) -> "Expr":
        return _operator("and.u32", self, other)

    def __rand__(self, other: Number) -> "Expr":
        return _operator("and.u32", other, self)

    def __or__(self, other: Number) -> "Expr":
        return _operator("or.u32", self, other)

    def __ror__(self, other: Number) -> "Expr":
        return _operator("or.u32", other, self)

    def __xor__(self, other: Number) -> "Expr":
        return _operator("xor.u32", self, other)

    def __rxor__(self, other: Number) -> "Expr":
        return _operator("xor.u32", other, self)

    def __lshift__(self, other: Number) -> "Expr":
        return _operator("shl.u32", self, other)

    def __rlshift__(self, other: Number) -> "Expr":
        return _operator("shl.u32", other, self)

    def __rshift__(self, other: Number) -> "Expr":
        return _operator("shr.u32", self, other)

    def __rrshift__(self, other: Number) -> "Expr":
        return _operator("shr.u32", other, self)

    def __eq__(self, other: Number) -> "Condition":  # type: ignore[override]
        return _compare("==", self, other)

    def __ne__(self, other: Number) -> "Condition":  # type: ignore[override]
        return _compare("!=", self, other)

    def __lt__(self, other: Number) -> "Condition":
        return _compare("<", self, other)

    def __le__(self, other: Number) -> "Condition":
        return _compare("<=", self, other)

    def __gt__(self, other: Number) -> "Condition":
        return _compare(">", self, other)

    def __ge__(self, other: Number) -> "Condition":
        return _compare(">=", self, other)

    def __str__(self) -> str:
        return str(self._native)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"


class Expr(_Operators):
    """A number, as an expression."""

    @staticmethod
    def of(value: Number) -> "Expr":
        """The expression that a value stands for: of a string the variable."""
        if isinstance(value, Expr):
            return value
        if isinstance(value, Param):
            return Expr(value._native)
        if isinstance(value, str):
            return Expr(_native.Expr.var(_name(value)))
        number = _call.integer("a number", value)
        if number < 0:
            raise UsageError("a number of the calculus is a natural, and this one is negative")
        return Expr(_native.Expr.number(_call.digits("a number", number)))


def _operator(op: str, left: Number, right: Number) -> Expr:
    op = _call.text("an operator", op)
    return Expr(_native.Expr.operator(op, Expr.of(left)._native, Expr.of(right)._native))


def _compare(op: str, left: Number, right: Number) -> "Condition":
    op = _call.text("an operator", op)
    return Condition(_native.Condition.compare(op, Expr.of(left)._native, Expr.of(right)._native))


class Condition(_NoTruth):
    """A condition."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, native: _native.Condition) -> None:
        self._native = native

    @staticmethod
    def of(value: Union["Condition", bool]) -> "Condition":
        """The condition that a value stands for."""
        if isinstance(value, Condition):
            return value
        if isinstance(value, bool):
            return Condition(_native.Condition.truth(value))
        raise UsageError(f"a condition is expected, not {value!r}")

    def same(self, other: "Condition") -> bool:
        """Is it the same condition?"""
        return isinstance(other, Condition) and self._native.same(other._native)

    def __and__(self, other: Union["Condition", bool]) -> "Condition":
        return Condition(_native.Condition.connective(True, self._native, Condition.of(other)._native))

    def __rand__(self, other: bool) -> "Condition":
        return Condition.of(other) & self

    def __or__(self, other: Union["Condition", bool]) -> "Condition":
        return Condition(_native.Condition.connective(False, self._native, Condition.of(other)._native))

    def __ror__(self, other: bool) -> "Condition":
        return Condition.of(other) | self

    def __invert__(self) -> "Condition":
        return Condition(_native.Condition.negation(self._native))

    def __eq__(self, other: object) -> bool:
        raise TypeError("conditions are not compared: a.same(b) says whether they are the same")

    __ne__ = __eq__

    def __str__(self) -> str:
        return str(self._native)

    def __repr__(self) -> str:
        return f"<Condition {self}>"


class Param(_Operators):
    """A parameter, with its declaration. It is a number. (A class below `Expr` would turn comparisons around.)"""

    def __init__(self, name: str, declaration: str) -> None:
        super().__init__(_native.Expr.var(name))
        self.name, self.declaration = name, declaration


def _name(text: Any) -> str:
    return _call.text("a name", text)
