"""Small pages for notebooks."""

from __future__ import annotations

from html import escape as escape
from typing import Iterable, Sequence

_COLOURS = {"drf": "#1a7f37", "racy": "#cf222e", "divergent": "#cf222e", "unknown": "#9a6700"}


def badge(verdict: str) -> str:
    """A verdict in its colour."""
    colour = _COLOURS.get(verdict, "#57606a")
    return f'<b style="color:{colour}">{escape(verdict)}</b>'


def page(document: str) -> str:
    """A whole page within another one, whose styles and scripts it does not touch."""
    return (
        f'<iframe srcdoc="{escape(document)}" sandbox="allow-scripts" title="derivation" '
        'style="width: 100%; height: 32em; border: 0"></iframe>'
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML already."""
    heads = "".join(f'<th style="text-align:left">{escape(cell)}</th>' for cell in head)
    lines = "".join("<tr>" + "".join(f'<td style="text-align:left">{c}</td>' for c in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"


def pre(text: str) -> str:
    """A text as it is."""
    return f'<pre style="line-height:1.25">{escape(text)}</pre>'
