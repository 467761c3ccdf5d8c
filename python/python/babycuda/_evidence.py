"""What a verdict rests on: races with their witnesses, divergences, fixes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from . import _call, _native
from ._errors import UsageError


@dataclass(frozen=True)
class Launch:
    """The extents of a block and of the grid, and how many threads a warp has."""

    block: Tuple[int, int, int]
    grid: Tuple[int, int, int]
    warp: int = 32

    @staticmethod
    def _of(form: Mapping[str, Any]) -> "Launch":
        return Launch(tuple(form["block"]), tuple(form["grid"]), form.get("warp") or 32)


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
        iteration, reads = _call.values(form["iteration"]), _call.values(form.get("reads", {}))
        return Access(thread, block, form["mode"], form["line"], form["column"], iteration, reads)

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
        host = {array: {_call.number(i): _call.value(k) for i, k in cells.items()} for array, cells in form["host"].items()}
        return Race(
            form["array"], form["kind"], form["code"], form["phase"], _call.value(form["index"]), form["cell"],
            form["certainty"], form["evaluator"], host, Access._of(form["first"]), Access._of(form["second"]),
            Launch._of(form["launch"]), _call.values(form["parameters"]), form.get("benign"), message,
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
            return Stop(tuple(side["thread"]), tuple(side["block"]), side["at"], side["line"], side["column"])

        return Divergence(
            form["code"], form["phase"], form.get("scope", "block"), form["certainty"], stop(form["first"]),
            stop(form["second"]), Launch._of(form["launch"]), _call.values(form["parameters"]), message,
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


def explain(code: str) -> Dict[str, Any]:
    """What a code means: ``title``, ``meaning``, a minimal ``kernel`` that gets it, how to ``repair`` it."""
    found = _native.explain(_call.text("code", code)) if code else None
    if found is None:
        raise UsageError(f"no code is named {code!r}")
    return dict(_call.loads(found))


def codes() -> List[str]:
    """The codes that there are."""
    return [entry["id"] for entry in _call.loads(_native.explain("") or "[]")]
