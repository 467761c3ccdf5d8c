"""Derivations, types, and all techniques side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

from . import _call, _native
from ._errors import UsageError
from ._history import launched
from ._html import badge, escape, page, pre, table
from ._program import Protocol, parse_protocol


class Derivation:
    """The derivation of a judgment, which a checker of its own has seen, in each of its forms."""

    def __init__(self, source: str, options: str, judgment: str) -> None:
        self._asked = (source, options, judgment)
        self.judgment = judgment
        #: Indented text, one line for each rule.
        self.text: str = self._form("text")

    def _form(self, form: str) -> str:
        return _native.derive(*self._asked, form)

    @property
    def html(self) -> str:
        """A web page: the tree folds and unfolds, and each rule says what stands for its letters."""
        return self._form("html")

    @property
    def svg(self) -> str:
        """A picture as wide as a page."""
        return self._form("svg")

    @property
    def latex(self) -> str:
        """A document for LaTeX."""
        return self._form("latex")

    @property
    def coq(self) -> str:
        """A term that Coq checks: of runs and types."""
        return self._form("coq")

    def json(self) -> str:
        """The document that ``babycuda verify`` checks."""
        return self._form("json")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        lines = len(self.text.splitlines())
        return f"<Derivation of a {self.judgment}: {lines} lines>"

    def _repr_html_(self) -> str:
        return page(self.html)


def derive(
    source: Any,
    judgment: str = "run",
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
) -> Derivation:
    """The derivation of a ``run``, of a ``type``, or of the accesses of a protocol (``map``); keywords as of `run`."""
    asked = _call.options(launched(_call.keywords(locals()), threads), values)
    return Derivation(_call.source(source, language), asked, _call.text("judgment", judgment))


@dataclass(frozen=True, repr=False)
class Typing:
    """The memory access protocol of a kernel, or the rule that rejects it."""

    name: str
    #: Has it a type?
    typed: bool
    #: The protocol; ``None``: it is rejected, or not translated.
    text: Optional[str]
    #: The arrays of the host that the type is relative to.
    inputs: Tuple[str, ...]
    #: The rule that rejects it, and the number and the words of the premise that fails.
    rule: Optional[str]
    premise: Optional[int]
    premise_text: Optional[str]
    variable: Optional[str]
    line: Optional[int]
    column: Optional[int]
    reason: Optional[str]
    document: Dict[str, Any]
    _human: str
    #: The protocol with the declarations of the kernel.
    _map: Optional[str]

    @staticmethod
    def _of(form: Dict[str, Any]) -> "Typing":
        human, whole = form.pop("human"), form.pop("map", None)
        rejected: Mapping[str, Any] = form.get("rejection") or {}
        reason = rejected.get("message") or form.get("unsupported")
        return Typing(
            form["name"], form["typed"], form.get("protocol"), tuple(form.get("inputs", ())), rejected.get("rule"),
            rejected.get("premise"), rejected.get("premise_text"), rejected.get("variable"),
            rejected.get("line", form.get("line")), rejected.get("column", form.get("column")), reason, form, human, whole,
        )  # fmt: skip

    def __bool__(self) -> bool:
        raise TypeError("a type is no truth value: ask for .typed")

    def __str__(self) -> str:
        return self._human.rstrip()

    def __repr__(self) -> str:
        said = self.text if self.typed else f"{self.rule or 'not translated'}: {self.reason}"
        return f"<Typing of {self.name}: {said}>"

    def _repr_html_(self) -> str:
        return pre(str(self))


def type(
    source: Any,
    *,
    language: Optional[str] = None,
    kernel: Optional[str] = None,
    time_limit: float = 600.0,
    memory_limit: int = 4096,
    defines: Union[Mapping[str, Any], _call.Texts] = (),
    undefines: _call.Texts = (),
    includes: _call.Texts = (),
    standard: Optional[str] = None,
    parser: str = "auto",
    overflow: Optional[str] = None,
    **others: Any,
) -> Typing:
    """The type of a kernel: its protocol, or the rule and the premise that reject it, with their place."""
    if others:
        raise UsageError(f"`{min(others)}` is no keyword here: a type is about all launches and parameters")
    found = _call.loads(_native.types(_call.source(source, language), _call.options(_call.keywords(locals()), {})))
    if len(found) != 1:
        names = ", ".join(form["name"] for form in found)
        raise UsageError(f"there are {len(found)} kernels ({names}): name one with kernel=")
    return Typing._of(found[0])


def protocol(source: Any, *, language: Optional[str] = None, **options: Any) -> Protocol:
    """The memory access protocol of a kernel.

    Raises `UsageError` with the rule and the place where it has none; `type` has them as data.
    """
    found = type(source, language=language, **options)
    if found._map is None:
        raise UsageError(found.reason or "it has no type", line=found.line, column=found.column, rendered=str(found))
    return parse_protocol(found._map)


@dataclass(frozen=True, repr=False)
class Answer:
    """What a technique says of a kernel: ``refused`` where it does not look at it."""

    technique: str
    verdict: str
    reason: Optional[str]
    races: Tuple[Dict[str, Any], ...]
    assumptions: Tuple[str, ...]
    seconds: float
    #: ``misses a race``, ``false alarm``, …: how it contradicts what is true.
    contradicts: Optional[str]
    #: Does that refute what the technique claims of this kernel?
    refutes_a_claim: bool

    @staticmethod
    def _of(form: Mapping[str, Any]) -> "Answer":
        return Answer(
            form["technique"], form["verdict"], form["reason"], tuple(form["races"]), tuple(form["assumptions"]),
            form["seconds"], form["contradicts"], form["refutes_a_claim"],
        )  # fmt: skip

    def __repr__(self) -> str:
        wrong = f", {self.contradicts}" if self.contradicts else ""
        return f"<Answer {self.technique}: {self.verdict}{wrong}>"


@dataclass(frozen=True, repr=False)
class Comparison:
    """All techniques on a kernel at one launch, beside what is true."""

    name: str
    block: Tuple[int, int, int]
    grid: Tuple[int, int, int]
    #: Its ``technique`` says how that is known.
    truth: Answer
    answers: Tuple[Answer, ...]
    #: Parameters that have no value, where what runs the kernel needs one.
    open: Tuple[str, ...]
    document: Dict[str, Any]
    _human: str

    def __getitem__(self, technique: str) -> Answer:
        for answer in self.answers:
            if answer.technique == technique:
                return answer
        raise KeyError(technique)

    def __str__(self) -> str:
        return self._human.rstrip()

    def __repr__(self) -> str:
        said = ", ".join(f"{answer.technique} {answer.verdict}" for answer in self.answers)
        return f"<Comparison of {self.name}: truth {self.truth.verdict}; {said}>"

    def _repr_html_(self) -> str:
        both = (self.truth, *self.answers)
        rows = [
            (escape("truth" if a is self.truth else a.technique), badge(a.verdict), escape(a.contradicts or ""), escape(a.reason or ""))
            for a in both
        ]
        return f"<p>kernel {escape(self.name)}</p>" + table(("technique", "verdict", "", "reason"), rows)


def compare(
    source: Any,
    *,
    threads: Optional[_call.Dim] = None,
    language: Optional[str] = None,
    kernel: Optional[str] = None,
    block: Optional[_call.Dim] = None,
    grid: Optional[_call.Dim] = None,
    warp: Optional[int] = None,
    params: Optional[Mapping[str, int]] = None,
    timeout: float = 10.0,
    time_limit: float = 600.0,
    memory_limit: int = 4096,
    defines: Union[Mapping[str, Any], _call.Texts] = (),
    undefines: _call.Texts = (),
    includes: _call.Texts = (),
    standard: Optional[str] = None,
    parser: str = "auto",
    overflow: Optional[str] = None,
    **values: int,
) -> Tuple[Comparison, ...]:
    """What each technique says of the kernels of a text, beside what is true.

    Without ``threads``: 32; without ``grid``: one block. Keywords as of `check`; only CUDA C and OpenCL C have techniques.
    """
    options = _call.options(launched(_call.keywords(locals()), threads), values)
    found = _call.loads(_native.compared(_call.source(source, language), options))
    comparisons = []
    for form in found:
        human, undecided = form.pop("human"), tuple(form.pop("open"))
        block, grid = tuple(form["block"]), tuple(form["grid"])
        answers = tuple(map(Answer._of, form["answers"]))
        comparisons.append(
            Comparison(form["name"], block, grid, Answer._of(form["truth"]), answers, undecided, form, human)  # type: ignore[arg-type]
        )
    return tuple(comparisons)
