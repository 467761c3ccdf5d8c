"""Can this GPU kernel race? Answers with evidence.

    >>> import babycuda
    >>> report = babycuda.check("__global__ void k(int *a) { a[threadIdx.x / 2] = threadIdx.x; }", block=256)
    >>> report.verdict
    'racy'

`check` decides, `run` shows a history, `derive` a derivation, `type` and `protocol` a memory access protocol, `compare` what
published techniques say, `generate` and `fuzz` make random kernels of which it is known what is true. `babycuda.build`
builds programs with operators.
"""

from __future__ import annotations

from . import build
from ._errors import Error, InternalError, LimitError, ParseError, UsageError
from ._evidence import Access, Divergence, Edit, Fix, Kernel, Launch, Race, Stop, codes, explain
from ._history import Event, History, Phase, Run, RunRace, run
from ._judge import Answer, Comparison, Derivation, Typing, compare, derive, protocol, type
from ._native import __version__
from ._program import Program, Protocol, parse, parse_protocol
from ._random import Campaign, Finding, Sample, fuzz, generate, profiles
from ._random import Launch as ToolLaunch
from ._report import Report, check, check_file

# `type` is there as `babycuda.type`; with a star it would hide Python's own.
__all__ = [
    "Access", "Answer", "Campaign", "Comparison", "Derivation", "Divergence", "Edit", "Error", "Event", "Finding", "Fix",
    "History", "InternalError", "Kernel", "Launch", "LimitError", "ParseError", "Phase", "Program", "Protocol", "Race",
    "Report", "Run", "RunRace", "Sample", "Stop", "ToolLaunch", "Typing", "UsageError", "__version__", "build", "check",
    "check_file", "codes", "compare", "derive", "explain", "fuzz", "generate", "parse", "parse_protocol", "profiles",
    "protocol", "run",
]  # fmt: skip
