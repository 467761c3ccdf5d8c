"""Programs with Python's operators.

    >>> from babycuda.build import array, program, sync, tid
    >>> A = array("A", length=64)
    >>> ring = program(A[tid].set(tid), sync(), A[(tid + 1) % 64].get("x", lambda x: A[tid].set(x)), threads=64)

Arithmetic is that of naturals: ``-`` stops at 0, ``//`` and ``%`` are total. ``&``, ``|``, ``^``, ``<<`` and ``>>`` of
numbers are those of ``u32`` (`Expr.machine` has other types); ``&``, ``|`` and ``~`` of conditions are and, or and not.
Comparisons make conditions, and conditions have no truth value: Python's ``and``, ``or``, ``not`` and ``if`` refuse them.
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, List, Optional, Sequence, Union

from . import _call, _native
from ._errors import UsageError
from ._program import Program

__all__ = [
    "Array", "Condition", "Expr", "Param", "Statement", "array", "cast", "false", "for_", "if_", "maximum", "minimum",
    "param", "program", "select", "seq", "skip", "sync", "tid", "true", "var",
]  # fmt: skip

#: What stands for a number: an expression, a natural, or the name of a variable.
Number = Union["Expr", "Param", int, str]


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

    def same(self, other: Union["Expr", "Param"]) -> bool:
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
        if isinstance(value, (Condition, Statement, Array)):
            raise UsageError(f"a number is expected, not {value!r}")
        number = _call.integer("a number", value)
        if number < 0:
            raise UsageError("a number of the calculus is a natural, and this one is negative")
        return Expr(_native.Expr.number(_call.digits("a number", number)))


def _operator(op: str, left: Number, right: Number) -> Expr:
    return Expr(_native.Expr.operator(op, Expr.of(left)._native, Expr.of(right)._native))


def _compare(op: str, left: Number, right: Number) -> "Condition":
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


class Statement:
    """A statement."""

    def __init__(self, native: _native.Statement) -> None:
        self._native = native

    def __eq__(self, other: object) -> bool:
        return self._native.same(other._native) if isinstance(other, Statement) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return str(self._native)

    def __repr__(self) -> str:
        return f"<Statement {self}>"


#: A statement, several in order, or nothing.
Block = Union[Statement, Iterable[Statement], None]
#: The same, as a function of the variable that it is about.
Body = Union[Block, Callable[[Expr], Block]]


def _name(text: Any) -> str:
    name = _call.text("a name", text)
    try:
        name.encode()
    except UnicodeEncodeError:
        raise UsageError("a name has half a character") from None
    return name


def seq(*statements: Block) -> Statement:
    """One statement after the other."""
    flat: List[_native.Statement] = []
    for one in statements:
        if isinstance(one, Statement):
            flat.append(one._native)
        elif isinstance(one, (str, bytes, Expr, Condition)):
            raise UsageError(f"a statement is expected, not {one!r}")
        elif one is not None:
            try:
                flat.extend(seq(inner)._native for inner in one)
            except TypeError:
                raise UsageError(f"a statement is expected, not {one!r}") from None
    return Statement(flat[0] if len(flat) == 1 else _native.Statement.sequence(flat))


def _body(body: Body, name: str) -> _native.Statement:
    made = body(var(name)) if callable(body) else body
    return seq(made)._native


class Cell:
    """A cell of an array, to be read, written or updated."""

    def __init__(self, array: str, index: Number) -> None:
        self._array, self._index = array, Expr.of(index)

    def set(self, value: Number) -> Statement:
        """``A[n] := m``"""
        return Statement(_native.Statement.write(self._array, self._index._native, Expr.of(value)._native))

    def get(self, name: str, body: Body = None) -> Statement:
        """``let x = A[n] in b``; the body may be a function of the variable."""
        name = _name(name)
        return Statement(_native.Statement.read(name, self._array, self._index._native, _body(body, name)))

    def atomic(
        self,
        op: str,
        operand: Number,
        name: str = "_",
        body: Body = None,
        *,
        expected: Optional[Number] = None,
        scope: str = "device",
    ) -> Statement:
        """``let x = atomic A[n] add m in b``: ``x`` is the value before. ``cas`` has an ``expected`` value."""
        name, old = _name(name), None if expected is None else Expr.of(expected)._native
        made = _native.Statement.atomic(
            name, self._array, self._index._native, op, Expr.of(operand)._native, old, scope, _body(body, name)
        )
        return Statement(made)

    def __repr__(self) -> str:
        return f"<Cell {self._array}[{self._index}]>"


class Array:
    """An array, with its declaration."""

    def __init__(self, name: str, declaration: str) -> None:
        self.name, self.declaration = name, declaration

    def __getitem__(self, index: Number) -> Cell:
        return Cell(self.name, index)

    __iter__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Array {self.declaration}>"


class Param(_Operators):
    """A parameter, with its declaration. It is a number. (A class below `Expr` would turn comparisons around.)"""

    def __init__(self, name: str, declaration: str) -> None:
        super().__init__(_native.Expr.var(name))
        self.name, self.declaration = name, declaration


def array(
    name: str,
    *,
    space: str = "shared",
    length: Optional[int] = None,
    type: Optional[str] = None,
    contents: Union[str, Sequence[int], None] = None,
) -> Array:
    """An array: ``space`` is ``shared`` or ``global``; ``contents`` are ``any``, ``fill 0``, ``opaque``, or numbers."""
    if space not in ("shared", "global"):
        raise UsageError(f"space: shared or global, not {space!r}")
    text = f"{space} {_quoted(name)}"
    if length is not None:
        text += f"[{_call.within('length', length, 0, 2**64 - 1)}]"
    if type is not None:
        text += f": {_word(type)}"
    if isinstance(contents, str):
        text += f" = {_line(contents)}"
    elif contents is not None:
        text += " = [" + ", ".join(_call.digits("contents", k) for k in contents) + "]"
    return Array(name, text)


def param(name: str, type: Optional[str] = None, value: Optional[int] = None) -> Param:
    """A parameter: the same number for all threads, of a machine type such as ``u32``, or any natural."""
    text = f"param {_quoted(name)}"
    text += "" if type is None else f": {_word(type)}"
    text += "" if value is None else f" = {_call.digits('value', value)}"
    return Param(name, text)


def _quoted(name: Any) -> str:
    name = _name(name)
    if not name or any(c in name for c in "`\\\n\r"):
        raise UsageError(f"{name!r} is no name")
    return f"`{name}`"


def _word(text: Any) -> str:
    word = _call.text("a type", text)
    if not word.isalnum():
        raise UsageError(f"{word!r} is no type")
    return word


def _line(text: Any) -> str:
    line = _call.text("a declaration", text)
    if any(c in line for c in ";/\n\r"):
        raise UsageError(f"{line!r} is more than one declaration")
    return line


def var(name: str) -> Expr:
    """A variable: of a loop, of a read, a parameter, or one that the launch gives (``tid``, ``blockIdx.x``)."""
    return Expr(_native.Expr.var(_name(name)))


#: The thread's index in its block.
tid: Expr = var("tid")
#: The condition that always holds, and the one that never does.
true: Condition = Condition.of(True)
false: Condition = Condition.of(False)


def minimum(left: Number, right: Number) -> Expr:
    """The smaller of two numbers."""
    return _operator("min", left, right)


def maximum(left: Number, right: Number) -> Expr:
    """The larger of two numbers."""
    return _operator("max", left, right)


def cast(source: str, target: str, value: Number) -> Expr:
    """The value, of one machine type, as another."""
    return Expr(_native.Expr.cast(source, target, Expr.of(value)._native))


def select(condition: Union[Condition, bool], then: Number, otherwise: Number) -> Expr:
    """One of two values."""
    made = _native.Expr.select(Condition.of(condition)._native, Expr.of(then)._native, Expr.of(otherwise)._native)
    return Expr(made)


def skip() -> Statement:
    """The statement that does nothing."""
    return Statement(_native.Statement.skip())


def sync(scope: str = "block") -> Statement:
    """A barrier: of the ``block``, a ``warp``, a ``tile8``, or the ``grid``."""
    return Statement(_native.Statement.barrier(scope))


def if_(condition: Union[Condition, bool], then: Block, otherwise: Block = None) -> Statement:
    """``if c {b} else {b}``"""
    made = _native.Statement.branch(Condition.of(condition)._native, seq(then)._native, seq(otherwise)._native)
    return Statement(made)


def for_(name: str, lower: Number, upper: Number, body: Body, *, together: Optional[bool] = None) -> Statement:
    """``for x in n..m {b}``; the body may be a function of the variable.

    ``together``: the threads of a block run it together (``forS``), as they must where it has barriers; without, this is
    so exactly where it has one.
    """
    name = _name(name)
    inside = _body(body, name)
    together = inside.has_barrier() if together is None else together
    made = _native.Statement.repeat(together, name, Expr.of(lower)._native, Expr.of(upper)._native, inside)
    return Statement(made)


def program(
    *body: Block,
    name: Optional[str] = None,
    threads: Optional[_call.Dim] = None,
    grid: Optional[_call.Dim] = None,
    warp: Optional[int] = None,
    params: Iterable[Param] = (),
    arrays: Iterable[Array] = (),
    assume: Iterable[Union[Condition, str]] = (),
) -> Program:
    """The program of these statements: it is what `babycuda.parse` makes of its text.

    Without ``threads``, any number is meant; without ``grid``, one block. Without ``arrays``, every array that is used is
    shared, of undefined contents.
    """
    lines = [] if name is None else [f"kernel {_quoted(name)}"]
    for word, extents in (("block", _call.dim("threads", threads)), ("grid", _call.dim("grid", grid))):
        lines += [] if extents is None else [f"{word} {', '.join(map(str, extents))}"]
    lines += [] if warp is None else [f"warp {_call.within('warp', warp, 0, 2**32 - 1)}"]
    for declared, kind in ((params, Param), (arrays, Array)):
        for one in declared:  # type: ignore[attr-defined]
            if not isinstance(one, kind):
                raise UsageError(f"{one!r} is no {kind.__name__}")
            lines.append(one.declaration)
    for condition in assume:
        lines.append(f"assume {condition if isinstance(condition, Condition) else _line(condition)}")
    header = "".join(f"{line};\n" for line in lines)
    return Program(_native.program(header, seq(*body)._native))
