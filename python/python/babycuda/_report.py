"""Can a kernel race? Verdicts with their evidence."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union, overload

from . import _call, _native
from ._errors import UsageError
from ._html import badge, escape, pre, table

_BAD = {"drf": 0, "unknown": 1, "divergent": 2, "racy": 3}


@dataclass(frozen=True)
class Launch:
    """The extents of a block and of the grid, and how many threads a warp has."""

    block: Tuple[int, int, int]
    grid: Tuple[int, int, int]
    warp: int = 32

    @staticmethod
    def _of(form: Mapping[str, Any]) -> "Launch":
        return Launch(tuple(form["block"]), tuple(form["grid"]), form.get("warp") or 32)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Access:
    """One side of a race: who does what, where. ``mode`` is ``rd``, ``wr`` or ``at`` (an atomic update)."""

    thread: Tuple[int, int, int]
    block: Tuple[int, int, int]
    mode: str
    line: Optional[int]
    column: Optional[int]
    #: What the loops around it count, in the witness.
    iteration: Dict[str, int] = field(default_factory=dict)
    #: What the thread has to have read.
    reads: Dict[str, int] = field(default_factory=dict)

    @staticmethod
    def _of(form: Mapping[str, Any]) -> "Access":
        thread, block = tuple(form["thread"]), tuple(form["block"])
        iteration, reads = dict(form["iteration"]), dict(form.get("reads", {}))
        return Access(thread, block, form["mode"], form["line"], form["column"], iteration, reads)  # type: ignore[arg-type]

    def __str__(self) -> str:
        place = "" if self.line is None else f" at {self.line}:{self.column}"
        return f"thread {self.thread} of block {self.block} {self.mode}{place}"


@dataclass(frozen=True, repr=False)
class Race:
    """A race, and a witness of it: a launch, parameters and two threads with which it is there."""

    array: str
    #: ``ww``, ``rw`` or ``at``.
    kind: str
    #: What `babycuda.explain` explains.
    code: str
    #: The phase, from 0; ``None``: the threads are of different blocks, or it is not known.
    phase: Optional[int]
    index: int
    #: The cell as the source has it.
    cell: str
    #: ``replayed``, ``provable`` or ``potential``.
    certainty: str
    evaluator: Optional[str]
    #: What the host stored, where the race rests on it: by arrays and indices.
    host: Dict[str, Dict[int, int]]
    first: Access
    second: Access
    launch: Launch
    parameters: Dict[str, int]
    #: What both threads store, where that is the same value in every run.
    benign: Optional[Dict[str, Any]]
    #: All of it in one line.
    message: str

    @staticmethod
    def _of(form: Mapping[str, Any], message: str) -> "Race":
        host = {array: {int(i): k for i, k in cells.items()} for array, cells in form["host"].items()}
        return Race(
            form["array"], form["kind"], form["code"], form["phase"], form["index"], form["cell"],
            form["certainty"], form["evaluator"], host, Access._of(form["first"]), Access._of(form["second"]),
            Launch._of(form["launch"]), dict(form["parameters"]), form.get("benign"), message,
        )  # fmt: skip

    @property
    def cause(self) -> str:
        """What makes it a race, and how such races are repaired in general; `Kernel.fix` is about this one."""
        known = explain(self.code)
        return f"{known['title']}: {known['repair']}"

    def __repr__(self) -> str:
        return f"<Race {self.code}: {self.message}>"


@dataclass(frozen=True)
class Stop:
    """Where a thread stops: ``at`` a ``barrier`` or the ``end``."""

    thread: Tuple[int, int, int]
    block: Tuple[int, int, int]
    at: str
    line: Optional[int]
    column: Optional[int]


@dataclass(frozen=True, repr=False)
class Divergence:
    """Two threads that wait at different barriers, or one at a barrier that the other never reaches."""

    code: str
    phase: int
    scope: str
    certainty: str
    first: Stop
    second: Stop
    launch: Launch
    parameters: Dict[str, int]
    message: str

    @staticmethod
    def _of(form: Mapping[str, Any], message: str) -> "Divergence":
        def stop(side: Mapping[str, Any]) -> Stop:
            return Stop(tuple(side["thread"]), tuple(side["block"]), side["at"], side["line"], side["column"])  # type: ignore[arg-type]

        return Divergence(
            form["code"], form["phase"], form.get("scope", "block"), form["certainty"], stop(form["first"]),
            stop(form["second"]), Launch._of(form["launch"]), dict(form["parameters"]), message,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<Divergence {self.code}: {self.message}>"


@dataclass(frozen=True)
class Edit:
    """What is to stand in a part of the text, from ``start`` to ``end``: line, column, and bytes of UTF-8 before it."""

    start: Tuple[int, int, int]
    end: Tuple[int, int, int]
    text: str


@dataclass(frozen=True)
class Fix:
    """Edits that make a racy kernel race-free: applied to a copy and checked with the same options."""

    title: str
    edits: Tuple[Edit, ...]

    @staticmethod
    def _of(form: Optional[Mapping[str, Any]]) -> "Optional[Fix]":
        def place(at: Mapping[str, int]) -> Tuple[int, int, int]:
            return at["line"], at["column"], at["offset"]

        if form is None:
            return None
        return Fix(form["title"], tuple(Edit(place(e["start"]), place(e["end"]), e["text"]) for e in form["edits"]))

    def apply(self, source: str) -> str:
        """The text with all edits; it must be the one that was checked."""
        text = source.encode("utf-8", "surrogatepass")
        for edit in reversed(self.edits):
            start, end = edit.start[2], edit.end[2]
            if end > len(text):
                raise UsageError("this is not the text that was checked")
            text = text[:start] + edit.text.encode() + text[end:]
        return text.decode("utf-8", "surrogatepass")


@dataclass(frozen=True, repr=False)
class Kernel:
    """The verdict on one kernel."""

    name: str
    #: ``drf``, ``racy``, ``divergent`` or ``unknown``.
    verdict: str
    #: Why it is unknown.
    reason: Optional[str]
    code: Optional[str]
    #: For which launches and parameters it holds: ``block``, ``grid``, ``fixed``, ``assumptions``, …
    scope: Optional[Dict[str, Any]]
    #: What the verdict assumes of parameters and extents.
    assumptions: Tuple[str, ...]
    #: What was assumed or simplified when the kernel was read.
    notes: Tuple[str, ...]
    remarks: Tuple[str, ...]
    method: str
    races: Tuple[Race, ...]
    divergences: Tuple[Divergence, ...]
    fix: Optional[Fix]
    #: What launches and parameters satisfy, or must satisfy.
    contract: Optional[Dict[str, Any]]
    benign_only: bool
    #: The kernel as the document of the report has it.
    document: Dict[str, Any]

    @staticmethod
    def _of(form: Dict[str, Any], messages: Sequence[str]) -> "Kernel":
        scope, races = form["scope"], form["races"]
        own, others = messages[: len(races)], messages[len(races) :]
        return Kernel(
            form["name"], form["verdict"], form["reason"], form.get("code"), scope,
            tuple(scope["assumptions"]) if scope else (), tuple(note["message"] for note in form["notes"]),
            tuple(form.get("remarks", ())), form["method"],
            tuple(Race._of(race, said) for race, said in zip(races, own)),
            tuple(Divergence._of(one, said) for one, said in zip(form["divergences"], others)),
            Fix._of(form.get("fix")), form.get("contract"), form.get("benign_only", False), form,
        )  # fmt: skip

    @property
    def race_free(self) -> bool:
        """Is it known that it has no race and no divergence, for everything in ``scope``?"""
        return self.verdict == "drf"

    @property
    def racy(self) -> bool:
        """Is it known that it has a race?"""
        return self.verdict == "racy"

    def __bool__(self) -> bool:
        raise TypeError("a verdict is no truth value: ask for .race_free or .verdict")

    def __repr__(self) -> str:
        why = f": {self.reason}" if self.reason else ""
        found = f", {len(self.races)} races" if self.races else ""
        fix = f", fix: {self.fix.title!r}" if self.fix else ""
        return f"<Kernel {self.name}: {self.verdict}{why}{found}{fix}>"


class Report(Sequence[Kernel]):
    """The verdicts on all kernels of a text: a sequence of `Kernel`, and as a whole the worst of them."""

    def __init__(self, native: _native.Checked) -> None:
        self._native = native
        self._json = native.json()
        #: The document that ``babycuda check --format json`` prints.
        self.document: Dict[str, Any] = json.loads(self._json)
        #: The text that was checked.
        self.source: str = native.text
        pairs = zip(self.document["kernels"], native.messages())
        self.kernels: Tuple[Kernel, ...] = tuple(Kernel._of(form, messages) for form, messages in pairs)

    @property
    def verdict(self) -> str:
        """The worst verdict: ``racy``, ``divergent``, ``unknown``, ``drf``. Of no kernel nothing is known."""
        worst = self._worst
        return "unknown" if worst is None else worst.verdict

    @property
    def _worst(self) -> Optional[Kernel]:
        return max(self.kernels, key=lambda kernel: _BAD.get(kernel.verdict, 1), default=None)

    @property
    def race_free(self) -> bool:
        """Is every kernel known to be race-free?"""
        return self.verdict == "drf"

    @property
    def racy(self) -> bool:
        """Is some kernel known to have a race?"""
        return self.verdict == "racy"

    @property
    def reason(self) -> Optional[str]:
        """Why it is unknown."""
        return "there is no kernel" if self._worst is None else self._worst.reason

    @property
    def races(self) -> Tuple[Race, ...]:
        """The races of all kernels."""
        return tuple(race for kernel in self.kernels for race in kernel.races)

    @property
    def divergences(self) -> Tuple[Divergence, ...]:
        """The divergences of all kernels."""
        return tuple(one for kernel in self.kernels for one in kernel.divergences)

    @property
    def fix(self) -> Optional[Fix]:
        """The first fix that there is."""
        return next((kernel.fix for kernel in self.kernels if kernel.fix), None)

    @property
    def assumptions(self) -> Tuple[str, ...]:
        """What some verdict assumes."""
        return tuple(dict.fromkeys(text for kernel in self.kernels for text in kernel.assumptions))

    @property
    def contract(self) -> Optional[Dict[str, Any]]:
        """The first contract that there is."""
        return next((kernel.contract for kernel in self.kernels if kernel.contract), None)

    @property
    def status(self) -> int:
        """The exit status of the program: 0 race-free, 1 a race or divergence, 3 unknown."""
        return self._native.status

    def fixed(self) -> Optional[str]:
        """The text with the first fix applied; ``None``: there is none."""
        return self.fix.apply(self.source) if self.fix else None

    def json(self) -> str:
        """What ``babycuda check --format json`` prints."""
        return self._json

    def sarif(self) -> str:
        """For code scanning services."""
        return self._native.sarif()

    def short(self) -> str:
        """One line for each finding, as compilers print."""
        return self._native.short()

    def human(self, *, colour: bool = False) -> str:
        """The report for people, with excerpts of the source; with codes for the colours of a terminal."""
        return self._native.human(colour)

    def __str__(self) -> str:
        return self.human()

    def __bool__(self) -> bool:
        raise TypeError("a verdict is no truth value: ask for .race_free or .verdict")

    def __len__(self) -> int:
        return len(self.kernels)

    def __iter__(self) -> Iterator[Kernel]:
        return iter(self.kernels)

    @overload
    def __getitem__(self, key: Union[int, str]) -> Kernel: ...
    @overload
    def __getitem__(self, key: slice) -> Tuple[Kernel, ...]: ...
    def __getitem__(self, key: Union[int, str, slice]) -> Union[Kernel, Tuple[Kernel, ...]]:
        """By number, or by name."""
        if isinstance(key, str):
            found = [kernel for kernel in self.kernels if kernel.name == key]
            if not found:
                raise KeyError(key)
            return found[0]
        return self.kernels[key]

    def __repr__(self) -> str:
        kernels = ", ".join(map(repr, self.kernels))
        return f"<Report {self.verdict}: [{kernels}]>"

    def _repr_html_(self) -> str:
        def evidence(kernel: Kernel) -> str:
            said = [one.message for one in (*kernel.races[:5], *kernel.divergences[:5])]
            said += [kernel.reason] if kernel.reason else []
            said += [f"fix: {kernel.fix.title}"] if kernel.fix else []
            return "<br>".join(map(escape, said))

        rows = [(escape(k.name), badge(k.verdict), evidence(k)) for k in self.kernels]
        return table(("kernel", "verdict", "evidence"), rows) + pre(self.human())


def check(source: Any, *, language: Optional[str] = None, **options: Any) -> Report:
    """Can the kernels of a text race?

    ``source`` is CUDA C, OpenCL C, BabyCUDA, a memory access protocol, or a `Program` or `Protocol`. Every keyword that
    is not one of these is a parameter of the kernel with its value: ``check(source, block=256, n=1024)``. A parameter
    that is called as a keyword stands in ``params={"block": 3}``.

    - ``kernel``: only the kernel of this name. ``block``, ``grid``, ``warp``: the launch; without, all launches.
    - ``assume``: conditions in the language of the text. ``contract``: ``source``, ``infer`` or ``none``.
    - ``timeout``: seconds for one question to a solver; ``time_limit``, ``memory_limit``: seconds and megabytes for the
      call. What is not decided by then is unknown.
    - ``solver``: ``builtin``, ``z3``, ``cvc5``, or several. ``method``: ``auto``, ``enumerate`` or ``smt``.
    - ``language``: ``cuda``, ``opencl``, ``babycuda``, ``map`` or ``json``; without, the text tells.
    - ``defines={"N": 4}``, ``undefines``, ``includes``, ``standard``, ``parser``, ``overflow``: how C is read.
    - ``array``, ``max_races``, ``fix_time``, ``certainty``, ``ignore_benign``: as of the program ``babycuda check``.

    Raises `ParseError`, `UsageError`, or `LimitError`; a verdict that is not known is ``unknown`` with its ``reason``.
    """
    return Report(_native.check(_call.source(source, language), _options(options)))


def check_file(path: Any, *, language: Optional[str] = None, **options: Any) -> Report:
    """The same of a file; its ending says the language, and its folder is where ``#include`` looks."""
    return Report(_native.check(_call.file(path, language), _options(options)))


def explain(code: str) -> Dict[str, Any]:
    """What a code means: ``title``, ``meaning``, a minimal ``kernel`` that gets it, how to ``repair`` it."""
    found = _native.explain(_call.text("code", code)) if code else None
    if found is None:
        raise UsageError(f"no code is named {code!r}")
    return dict(json.loads(found))


def codes() -> List[str]:
    """The codes that there are."""
    return [entry["id"] for entry in json.loads(_native.explain("") or "[]")]


#: The keywords of `check`; all others are parameters of kernels.
_KEYWORDS = frozenset((*_call.DEFAULTS, "solver")) - {"solvers", "choose", "contents"}


def _options(given: Mapping[str, Any], keywords: frozenset = _KEYWORDS) -> str:  # type: ignore[type-arg]
    own = {name: value for name, value in given.items() if name in keywords}
    return _call.options(own, {name: value for name, value in given.items() if name not in keywords})
