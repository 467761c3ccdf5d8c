"""Random kernels of which it is known what is true, and a fuzzer of tools that look for races."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _call, _native
from ._errors import UsageError
from ._html import badge, escape, pre, table
from ._program import Program, parse


@dataclass(frozen=True)
class Launch:
    """What a tool is asked about: the launch, and what the host stored in the first cells of ``d``.

    ``d`` is ``None`` where the tool is to speak of all contents.
    """

    block: Tuple[int, int, int]
    grid: Tuple[int, int, int]
    warp: int = 32
    d: Optional[Tuple[int, ...]] = None

    def __post_init__(self) -> None:
        for name in ("block", "grid"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "d", None if self.d is None else tuple(self.d))


@dataclass(frozen=True, repr=False)
class Sample:
    """A random kernel, or a random program of the calculus."""

    #: CUDA C, OpenCL C, or the text of a program.
    source: str
    profile: str
    #: ``None``: the program leaves it open.
    launch: Optional[Launch]
    #: What its run does at this launch: ``drf``, ``racy``, ``divergent``, or ``unknown``. Of a kernel that depends on
    #: what the host stored it is the worst that happens.
    truth: str

    @staticmethod
    def _of(form: Mapping[str, Any]) -> "Sample":
        at = form["launch"]
        launch = None if at is None else Launch(at["block"], at["grid"], at["warp"], form["d"])
        return Sample(form["source"], form["profile"], launch, form["truth"])

    def program(self) -> Program:
        """The program; of a kernel there is none."""
        if self.profile != "programs":
            raise UsageError("a kernel is no program of the calculus")
        return parse(self.source)

    def __str__(self) -> str:
        return self.source

    def __repr__(self) -> str:
        return f"<Sample of {self.profile}: {self.truth}>"

    def _repr_html_(self) -> str:
        return badge(self.truth) + pre(self.source)


def profiles() -> List[str]:
    """The profiles of `generate`: programs, all kernels in turn, and each kind of kernel by itself."""
    return ["programs", "kernels", *_native.fragments()]


def generate(
    profile: str = "kernels", seed: int = 0, n: int = 1, *, first: int = 0, language: str = "cuda"
) -> Tuple[Sample, ...]:
    """``n`` random kernels of a profile, the same for the same seed (in this version of the package)."""
    seed, first = _call.within("seed", seed, 0, 2**64 - 1), _call.within("first", first, 0, 2**63)
    n = _call.within("n", n, 0, 10**6)
    found = _native.generate(_call.text("profile", profile), seed, first, n, _call.text("language", language))
    return tuple(map(Sample._of, _call.loads(found)))


_TRUTH = {"race-free": "drf"}


@dataclass(frozen=True, repr=False)
class Finding:
    """A kernel, made small, of which the tool does not say what is true."""

    tool: str
    #: ``missed-race``, ``missed-divergence``, ``false-alarm``, ``crash`` or ``time-out``.
    kind: str
    source: Optional[str]
    launch: Optional[Launch]
    truth: str
    #: What the tool said.
    words: str
    #: How many kernels became this one.
    times: int
    document: Dict[str, Any]

    @staticmethod
    def _of(form: Mapping[str, Any]) -> "Finding":
        found, at = form["finding"], form["launch"]
        launch = None if at is None else Launch(at["block"], at["grid"], at["warp"], found["d"])
        return Finding(
            found["tool"], found["class"], form["source"], launch, _TRUTH.get(found["truth"], found["truth"]), found["words"], found["times"], found
        )

    def __str__(self) -> str:
        return f"{self.kind}: it is {self.truth} at {self.launch}\n{self.source}"

    def __repr__(self) -> str:
        return f"<Finding {self.kind}: it is {self.truth}, {self.times} kernels>"


class Campaign(Sequence[Finding]):
    """What a tool said of many kernels: a sequence of its disagreements with what is true."""

    def __init__(self, form: Mapping[str, Any]) -> None:
        self.document: Dict[str, Any] = dict(form["found"])
        self.findings: Tuple[Finding, ...] = tuple(map(Finding._of, form["findings"]))
        #: How many kernels of which kind, and what is true of them.
        self.kernels: Dict[str, int] = dict(self.document["kernels"])
        #: What the answers of each tool come to: how often.
        self.answers: Dict[str, Dict[str, int]] = {
            tool: dict(row["classes"]) for tool, row in self.document["tools"].items()
        }

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, key: Any) -> Any:
        return self.findings[key]

    def __repr__(self) -> str:
        return f"<Campaign of {sum(self.kernels.values())} kernels: {len(self.findings)} disagreements, {self.answers}>"

    def _repr_html_(self) -> str:
        rows = [(escape(f.tool), escape(f.kind), badge(f.truth), pre(f.source or "")) for f in self.findings]
        return f"<p>{escape(repr(self))}</p>" + table(("tool", "what", "truth", "kernel"), rows)


#: A tool: a function of a text and its launch that says ``racy``, ``drf`` or ``unknown``; or the name of a tool of this
#: library; or a command with ``{file}`` in it.
Tool = Union[str, Callable[[str, Launch], str]]


def fuzz(
    tool: Tool,
    *,
    programs: int = 1000,
    seed: int = 0,
    profiles: Union[str, Sequence[str], None] = None,
    about: str = "inputs",
    divergence: bool = False,
    coverage: bool = False,
    language: str = "cuda",
    jobs: Optional[int] = None,
    time: Optional[float] = None,
    timeout: float = 10.0,
    ignore_benign: bool = False,
    racy_when: Optional[str] = None,
    divergent_when: Optional[str] = None,
    free_when: Optional[str] = None,
    out: Union[str, "os.PathLike[str]", None] = None,
) -> Campaign:
    """Asks a tool about random kernels of which it is known what is true, and makes each disagreement small.

    A function gets the text and a `Launch`, and says ``"racy"``, ``"drf"`` or ``"unknown"``. An exception that it raises
    is a crash of the tool; any other answer is a `UsageError`. ``about="run"``: the tool speaks of one run, with the
    contents ``launch.d``; else of all contents. ``divergence``: an alarm may also mean a barrier divergence.

    ``profiles``: only kernels of these; one may be what is true of all: ``racy``, ``race-free``, ``divergent``, ``typed``,
    ``untyped``, ``almost-typed``, ``relative``, ``paper``, ``scoped``. ``coverage``: most are made of those that used a rule
    as none before them did. ``jobs``: kernels at once (a function: 1). ``time``: no batch of 16 kernels is begun after so many
    seconds.
    ``timeout``: seconds for one question to a command. ``out``: the folder of the campaign, which goes on from it.
    ``racy_when``, ``divergent_when`` and ``free_when``: what a command prints.
    """
    if callable(tool):
        name, function = getattr(tool, "__qualname__", None) or type(tool).__name__, tool
    else:
        name, function = _call.text("tool", tool), None
    if about not in ("inputs", "run"):
        raise UsageError(f"about: inputs or run, not {about!r}")
    if language not in ("cuda", "opencl"):
        raise UsageError(f"language: cuda or opencl, not {language!r}")
    jobs = (1 if function is not None else os.cpu_count() or 1) if jobs is None else jobs
    asked = {
        "name": name,
        "programs": _call.within("programs", programs, 0, 10**12),
        "seed": _call.within("seed", seed, 0, 2**64 - 1),
        "profiles": _call.texts("profiles", profiles),
        "coverage": bool(coverage),
        "jobs": _call.within("jobs", jobs, 1, 256),
        "time": None if time is None else _call.seconds("time", time),
        "timeout": _call.seconds("timeout", timeout),
        "ignore_benign": bool(ignore_benign),
        "about_run": about == "run",
        "divergence": bool(divergence),
        "opencl": language == "opencl",
        "racy_when": None if racy_when is None else _call.text("racy_when", racy_when),
        "divergent_when": None if divergent_when is None else _call.text("divergent_when", divergent_when),
        "free_when": None if free_when is None else _call.text("free_when", free_when),
    }
    folder = tempfile.mkdtemp(prefix="babycuda-fuzz-")
    try:
        asked["scratch"] = os.path.join(folder, "scratch")
        asked["out"] = os.path.join(folder, "out") if out is None else _call.text("out", os.fspath(out))
        return Campaign(_call.loads(_native.fuzz(function, json.dumps(asked))))
    finally:
        # Where somebody interrupted it, the last kernels may still be written.
        shutil.rmtree(folder, ignore_errors=True)
