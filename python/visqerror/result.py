"""Results: the program's JSON as a dict that knows its tables, and shows itself in a notebook."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from typing import Any

from .show import html_of

MAIN_TABLE = {
    "accumulate": "nodes", "badcase": "cases", "check": "findings", "compare": "nodes", "diagnose": "findings", "diff": "differences",
    "distribution": "distributions", "inspect": "types", "ops": "operators", "partial": "steps", "recommend": "front",
    "sensitivity": "nodes",
}  # fmt: skip
"""Of each command, the list in its JSON that answers its question."""


def flat(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A row without objects in it: a metric is called by its name, all else by its path ("quantized.name"). A metric that the JSON cannot
    hold is inf (no error at all) or nan (undefined), as `state` says."""
    cells: dict[str, Any] = {}
    states = row.get("state") or {}
    for key, value in row.items():
        if key == "metrics" and isinstance(value, Mapping):
            undefined = {name: math.inf if states.get(name) == "inf" else math.nan for name, number in value.items() if number is None}
            cells.update({prefix + name: number for name, number in {**value, **undefined}.items()})
        elif key == "state":
            continue
        elif isinstance(value, Mapping):
            cells.update(flat(value, f"{prefix}{key}."))
        else:
            cells[prefix + key] = value
    return cells


class Result(dict):  # type: ignore[type-arg]
    """What a command found, as its JSON Schema (schema/COMMAND.schema.json) describes it.

    `pages` holds HTML pages and `pictures` SVG pictures that were made of it: those that `out` or `write` named, and in a notebook
    those that the command can make.
    """

    def __init__(self, content: Mapping[str, Any], pages: list[str] | None = None, pictures: list[str] | None = None) -> None:
        super().__init__(content)
        self.pages = pages or []
        self.pictures = pictures or []

    @property
    def command(self) -> str:
        """The command that made it."""
        return str(self.get("schema", "")).removeprefix("visq.").partition("/")[0]

    def rows(self, table: str | None = None) -> list[dict[str, Any]]:
        """A table of the result, one flat dict per row. `table`: a key of the JSON; default: the one that answers the question."""
        if self.command == "report" and "compare" in self:
            return Result(self["compare"]).rows(table)
        if self.command == "profile" and table is None:
            return [{"model": model["file"], **flat(row)} for model in self["models"] for row in model["rows"]]
        rows = self[table or MAIN_TABLE[self.command]]
        if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
            raise ValueError(f"{table} is no table; tables: {', '.join(self.tables())}")
        return [flat(row) for row in rows]

    def tables(self) -> list[str]:
        """The keys that rows() and to_dataframe() take."""
        return [key for key, value in self.items() if isinstance(value, list) and value and isinstance(value[0], Mapping)]

    def to_dataframe(self, table: str | None = None) -> Any:
        """rows() as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows(table))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the JSON, for `baseline`, `diff` and `merge`."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self, file, indent=2, ensure_ascii=False)
            file.write("\n")

    def _repr_html_(self) -> str:
        return html_of(self)
