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
from ._expr import Condition, Expr, Number, Param, _name, _operator
from ._program import Program

__all__ = [
    "Array", "Condition", "Expr", "Param", "Statement", "array", "cast", "false", "for_", "if_", "maximum", "minimum",
    "param", "program", "select", "seq", "skip", "sync", "tid", "true", "var",
]  # fmt: skip

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
        op, scope = _call.text("an operator", op), _call.text("scope", scope)
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

    __iter__ = None

    def __repr__(self) -> str:
        return f"<Array {self.declaration}>"


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
    source, target = _call.text("a type", source), _call.text("a type", target)
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
    return Statement(_native.Statement.barrier(_call.text("scope", scope)))


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
        for one in declared:
            if not isinstance(one, kind):
                raise UsageError(f"{one!r} is no {kind.__name__}")
            lines.append(one.declaration)
    for condition in assume:
        lines.append(f"assume {condition if isinstance(condition, Condition) else _line(condition)}")
    header = "".join(f"{line};\n" for line in lines)
    return Program(_native.program(header, seq(*body)._native))
