"""Can a kernel race? Verdicts with their evidence."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping, Optional, Sequence, Tuple, Union, overload

from . import _call, _native
from ._evidence import Divergence, Fix, Kernel, Race
from ._html import badge, escape, pre, table

_BAD = {"drf": 0, "unknown": 1, "divergent": 2, "racy": 3}


class Report(Sequence[Kernel]):
    """The verdicts on all kernels of a text: a sequence of `Kernel`, and as a whole the worst of them."""

    def __init__(self, native: _native.Checked) -> None:
        self._native = native
        self._json = native.json()
        #: The document that ``babycuda check --format json`` prints.
        self.document: Dict[str, Any] = _call.loads(self._json)
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
            said = [race.message for race in kernel.races[:5]]
            said += [one.message for one in kernel.divergences[:5]]
            said += [kernel.reason] if kernel.reason else []
            said += [f"fix: {kernel.fix.title}"] if kernel.fix else []
            return "<br>".join(map(escape, said))

        rows = [(escape(k.name), badge(k.verdict), evidence(k)) for k in self.kernels]
        return table(("kernel", "verdict", "evidence"), rows) + pre(self.human())


#: Strings; one alone is a list of one.


def check(
    source: Any,
    *,
    language: Optional[str] = None,
    kernel: Optional[str] = None,
    block: Optional[_call.Dim] = None,
    grid: Optional[_call.Dim] = None,
    warp: Optional[int] = None,
    params: Optional[Mapping[str, int]] = None,
    assume: _call.Texts = (),
    contract: Optional[str] = "auto",
    solver: Optional[_call.Texts] = None,
    method: str = "auto",
    timeout: float = 10.0,
    time_limit: float = 600.0,
    memory_limit: int = 4096,
    max_races: int = 20,
    fix_time: Optional[float] = None,
    certainty: bool = False,
    array: Optional[str] = None,
    ignore_benign: bool = False,
    defines: Union[Mapping[str, Any], _call.Texts] = (),
    undefines: _call.Texts = (),
    includes: _call.Texts = (),
    standard: Optional[str] = None,
    parser: str = "auto",
    overflow: Optional[str] = None,
    **values: int,
) -> Report:
    """Can the kernels of a text race?

    ``source`` is CUDA C, OpenCL C, BabyCUDA, a memory access protocol, or a `Program` or `Protocol`. Every keyword that
    is not one of these is a parameter of the kernel with its value: ``check(source, block=256, n=1024)``. A parameter
    that is called as a keyword stands in ``params={"block": 3}``.

    - ``kernel``: only the kernel of this name. ``block``, ``grid``, ``warp``: the launch; without, all launches.
    - ``assume``: conditions in the language of the text. ``contract``: ``source``, ``infer`` or ``none``; by default ``source``
      without ``block``, and ``none`` with it.
    - ``timeout``: seconds for one question to a solver; ``time_limit``, ``memory_limit``: seconds and megabytes for the
      call. What is not decided by then is unknown.
    - ``solver``: ``builtin``, ``z3``, ``cvc5``, or several. ``method``: ``auto``, ``enumerate`` or ``smt``.
    - ``language``: ``cuda``, ``opencl``, ``babycuda``, ``map`` or ``json``; without, the text tells.
    - ``defines={"N": 4}``, ``undefines``, ``includes``, ``standard``, ``parser``, ``overflow``: how C is read.
    - ``array``, ``max_races``, ``fix_time``, ``certainty``, ``ignore_benign``: as of the program ``babycuda check``.

    Raises `ParseError`, `UsageError`, or `LimitError`; a verdict that is not known is ``unknown`` with its ``reason``.
    """
    options = _call.options(_call.keywords(locals()), values)
    return Report(_native.check(_call.source(source, language), options))


def check_file(
    path: Any,
    *,
    language: Optional[str] = None,
    kernel: Optional[str] = None,
    block: Optional[_call.Dim] = None,
    grid: Optional[_call.Dim] = None,
    warp: Optional[int] = None,
    params: Optional[Mapping[str, int]] = None,
    assume: _call.Texts = (),
    contract: Optional[str] = "auto",
    solver: Optional[_call.Texts] = None,
    method: str = "auto",
    timeout: float = 10.0,
    time_limit: float = 600.0,
    memory_limit: int = 4096,
    max_races: int = 20,
    fix_time: Optional[float] = None,
    certainty: bool = False,
    array: Optional[str] = None,
    ignore_benign: bool = False,
    defines: Union[Mapping[str, Any], _call.Texts] = (),
    undefines: _call.Texts = (),
    includes: _call.Texts = (),
    standard: Optional[str] = None,
    parser: str = "auto",
    overflow: Optional[str] = None,
    **values: int,
) -> Report:
    """The same of a file; its ending says the language, and its folder is where ``#include`` looks."""
    options = _call.options(_call.keywords(locals()), values)
    return Report(_native.check(_call.file(path, language), options))
