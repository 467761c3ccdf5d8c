"""Runs of kernels: what each thread does, phase by phase."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Mapping, Optional, Sequence, Tuple, Union

from . import _call, _native
from ._errors import UsageError
from ._html import badge, escape, pre, table


@dataclass(frozen=True)
class Event:
    """An access of a thread: ``mode`` is ``rd``, ``wr`` (with its ``value``) or ``at``."""

    thread: int
    mode: str
    cell: str
    value: Optional[int] = None


@dataclass(frozen=True)
class Phase:
    """What happens between two barriers."""

    number: int
    racy: bool
    accesses: Tuple[Event, ...]

    @staticmethod
    def _all(document: Mapping[str, Any]) -> Tuple["Phase", ...]:
        """The phases of the history in a run's document."""
        history = document["history"]["content"]

        def phase(number: int, last: Mapping[str, Any]) -> "Phase":
            # What stands before barriers of narrower scopes than the block comes first.
            stages = history.get("stages", {}).get(str(number), [])
            found = [event for part in [*(s.get("threads", {}) for s in stages), last] for event in _events(part)]
            return Phase(number, number in document["racy_phases"], tuple(found))

        return tuple(phase(number, form) for number, form in enumerate(history["phases"]))


def _place(cell: str) -> Tuple[str, int]:
    array, _, index = cell.rpartition("[")
    return array, _call.number(index[:-1])


def _events(threads: Mapping[str, Any]) -> Iterator[Event]:
    """The accesses of threads: reads, writes and atomic updates of each."""
    for i, accesses in sorted((int(i), accesses) for i, accesses in threads.items()):
        yield from (Event(i, "rd", cell) for cell in sorted(accesses.get("reads", ()), key=_place))
        writes = accesses.get("writes", {})
        yield from (Event(i, "wr", cell, _call.value(writes[cell])) for cell in sorted(writes, key=_place))
        yield from (Event(i, "at", cell) for cell in sorted(accesses.get("atomics", ()), key=_place))


@dataclass(frozen=True)
class RunRace:
    """Two accesses of one phase to one cell that clash: each a thread and a mode."""

    phase: int
    cell: str
    first: Tuple[int, str]
    second: Tuple[int, str]

    @staticmethod
    def _of(form: Mapping[str, Any]) -> "RunRace":
        def side(given: Any) -> Tuple[int, str]:
            thread, mode = given
            return thread, mode if isinstance(mode, str) else "at"

        cell = form["cell"]
        cell = cell if isinstance(cell, str) else f"{cell['array']}[{cell['index']}]"
        return RunRace(form["phase"], cell, side(form["first"]), side(form["second"]))


@dataclass(frozen=True, repr=False)
class Run:
    """The run of one block, or of all blocks where they run together."""

    block: int
    #: ``done``, ``diverged`` or ``stuck``.
    outcome: str
    reason: Optional[str]
    phases: Tuple[Phase, ...]
    races: Tuple[RunRace, ...]
    #: Why the kernel may have no such run, where that is so.
    doubt: Optional[str]
    #: The run as ``babycuda run --format json`` has it.
    document: Dict[str, Any]
    text: str

    @staticmethod
    def _of(form: Mapping[str, Any]) -> "Run":
        document = form["document"]
        phases = Phase._all(document)
        doubt = document["guesses"] or document["unordered"]
        races = tuple(map(RunRace._of, form["races"]))
        return Run(
            document["block"], document["outcome"], document["reason"], phases, races, doubt, document, form["human"]
        )

    def __repr__(self) -> str:
        return f"<Run of block {self.block}: {self.outcome}, {len(self.phases)} phases, {len(self.races)} races>"


class History:
    """What a kernel does at one launch, in the reference semantics."""

    def __init__(self, form: Mapping[str, Any]) -> None:
        #: The kernel.
        self.name: str = form["name"]
        #: One for each block.
        self.runs: Tuple[Run, ...] = tuple(map(Run._of, form["runs"]))
        #: Races between blocks: ``count``, and the first of them in words; ``None``: there are none.
        self.across_blocks: Optional[Dict[str, Any]] = form["across"]
        self._status: int = form["status"]
        self._text: str = "".join(run.text for run in self.runs) + form["across_text"]

    @property
    def verdict(self) -> str:
        """``drf``, ``racy`` or ``divergent`` of this run; ``unknown`` where it decides nothing."""
        if self._status == 1:
            return "racy" if self.races or self.across_blocks else "divergent"
        return "drf" if self._status == 0 else "unknown"

    @property
    def racy(self) -> bool:
        """Has it a race?"""
        return self.verdict == "racy"

    @property
    def phases(self) -> Tuple[Phase, ...]:
        """The phases of all blocks, block after block."""
        return tuple(phase for run in self.runs for phase in run.phases)

    @property
    def races(self) -> Tuple[RunRace, ...]:
        """The races within blocks, block after block."""
        return tuple(race for run in self.runs for race in run.races)

    @property
    def racy_cells(self) -> Tuple[str, ...]:
        """The cells of these races."""
        return tuple(dict.fromkeys(race.cell for race in self.races))

    def json(self) -> str:
        """The runs, as ``babycuda run --format json`` has them."""
        return json.dumps([run.document for run in self.runs])

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<History of {self.name}: {self.verdict}, {len(self.runs)} blocks, {len(self.phases)} phases>"

    def _repr_html_(self) -> str:
        page = f"<p>kernel {escape(self.name)}: {badge(self.verdict)}</p>"
        most = 200
        for run in self.runs:
            page += f"<p>block {run.block}: {escape(run.reason or run.outcome)}</p>"
            racing = {(race.phase, race.cell, *side) for race in run.races for side in (race.first, race.second)}
            rows = []
            for phase in run.phases:
                for event in phase.accesses:
                    hit = (phase.number, event.cell, event.thread, event.mode) in racing
                    value = "" if event.value is None else f" := {event.value}"
                    what = escape(f"{event.mode} {event.cell}{value}")
                    rows.append((str(phase.number), str(event.thread), f"<b>{what}</b>" if hit else what, badge("racy") if hit else ""))
            page += table(("phase", "thread", "access", ""), rows[:most])
            page += f"<p>and {len(rows) - most} more accesses</p>" if len(rows) > most else ""
        return page + (pre(json.dumps(self.across_blocks)) if self.across_blocks else "")


def launched(options: Dict[str, Any], threads: Optional[_call.Dim]) -> Dict[str, Any]:
    """The keywords, where ``threads`` stands for ``block``."""
    if threads is not None:
        if options.get("block") is not None:
            raise UsageError("threads and block are the same: give one")
        options["block"] = threads
    return options


def run(
    source: Any,
    *,
    threads: Optional[_call.Dim] = None,
    language: Optional[str] = None,
    kernel: Optional[str] = None,
    block: Optional[_call.Dim] = None,
    grid: Optional[_call.Dim] = None,
    warp: Optional[int] = None,
    params: Optional[Mapping[str, int]] = None,
    choose: str = "smallest",
    contents: Optional[Mapping[str, Sequence[int]]] = None,
    time_limit: float = 600.0,
    memory_limit: int = 4096,
    defines: Union[Mapping[str, Any], _call.Texts] = (),
    undefines: _call.Texts = (),
    includes: _call.Texts = (),
    standard: Optional[str] = None,
    parser: str = "auto",
    overflow: Optional[str] = None,
    **values: int,
) -> History:
    """The history of a kernel at one launch.

    ``threads`` (or ``block``), ``grid`` and every parameter that the kernel mentions must be known. ``choose`` settles what
    the calculus leaves open: ``smallest``, ``first`` or ``seed:N``; ``contents={"A": [7, 8]}`` is what the host stored in
    arrays whose contents are open. All other keywords are as of `check`.
    """
    options = _call.options(launched(_call.keywords(locals()), threads), values)
    found = _call.loads(_native.run(_call.source(source, language), options))
    if len(found) != 1:
        names = ", ".join(form["name"] for form in found)
        raise UsageError(f"there are {len(found)} kernels ({names}): name one with kernel=")
    return History(found[0])
