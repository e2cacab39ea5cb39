"""What a notebook shows of a result: its verdict, its tables, its pictures."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .result import Result

_LONGEST = 12
"""Rows of a table that are shown."""

_COLUMNS = {
    "compare": ["name", "op", "sqnr", "cosine", "mse", "differing_share", "verdict"],
    "diagnose": ["severity", "cause", "tensor", "op", "fix", "gain_db"],
    "sensitivity": ["rank", "op_name", "op_type", "mse", "sqnr", "cosine"],
    "check": ["severity", "kind", "name", "text"],
    "diff": ["name", "metric", "old.value", "new.value", "change", "relative"],
}
"""Of each command, the columns that are shown first to last; without an entry, those that hold a number or a text."""


_NAMES = ("name", "tensor", "op_name")
"""Columns of names: people are shown the short one, with the whole one under the pointer."""


def _cell(value: Any) -> str:
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.4g}"
    return "" if value is None else escape(str(value))


def _named_cell(row: dict[str, Any], column: str) -> str:
    if column not in _NAMES or not row.get("display"):
        return f"<td>{_cell(row.get(column))}</td>"
    return f'<td title="{_cell(row.get(column))}">{_cell(row["display"])}</td>'


def _table(rows: list[dict[str, Any]], wanted: list[str] | None) -> str:
    if not rows:
        return "<p>none</p>"
    columns = wanted or [name for name in rows[0] if not any(isinstance(row.get(name), (list, dict)) for row in rows)]
    columns = [name for name in columns if name != "display" and any(row.get(name) is not None for row in rows)]
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(_named_cell(row, name) for name in columns) + "</tr>" for row in rows[:_LONGEST])
    more = f"<p>… {len(rows) - _LONGEST} more</p>" if len(rows) > _LONGEST else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _worst_first(command: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if command != "compare":
        return rows  # the program put them in order
    return sorted(rows, key=lambda row: math.inf if row.get("sqnr") is None or math.isnan(row["sqnr"]) else row["sqnr"])


def _models(result: Result) -> str:
    models = result.get("models")
    if not isinstance(models, dict):
        return ""
    return " · ".join(escape(str(model.get("file"))) for model in models.values() if isinstance(model, dict))


def html_of(result: Result) -> str:
    """The whole of it. Pages are put into frames of their own: their styles and scripts stay there."""
    shown = type(result)(result["compare"]) if result.command == "report" and "compare" in result else result
    parts = [f"<p><b>visqerror {escape(result.command)}</b> {_models(shown)}</p>"]
    verdict = shown.get("verdict")
    if isinstance(verdict, dict) and verdict.get("sentence"):
        parts.append(f"<p>Verdict: {escape(verdict['sentence'])}</p>")
    columns = _COLUMNS.get(shown.command)
    try:
        parts.append(_table(_worst_first(shown.command, shown.rows()), columns))
    except KeyError:  # a result without a table
        parts.append("<p>" + ", ".join(escape(key) for key in shown) + "</p>")
    parts += [f"<div>{picture}</div>" for picture in result.pictures]
    for page in result.pages:
        parts.append(f'<iframe srcdoc="{escape(page)}" style="width:100%;height:600px;border:1px solid #ccc"></iframe>')
    return "\n".join(parts)
