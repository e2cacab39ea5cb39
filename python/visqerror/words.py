"""Python's arguments as words of the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from .result import Result


def rename_data(content: dict[str, Any], old: str, new: str) -> None:
    """Calls the data of a result by another name."""
    data = content.get("data")
    if isinstance(data, dict) and data.get("file") == old:
        content["data"] = {**data, "file": new}


def _text(value: Any, folder: str, stand_in: tuple[str, str] = ("", "")) -> str:
    """A value as the program reads it. A result becomes a file in the folder; its data get the name that they have in this run."""
    if isinstance(value, Result):
        path = os.path.join(folder, f"result{len(os.listdir(folder))}.json")
        content = Result(value)
        rename_data(content, *stand_in)
        content.save(path)
        return path
    return os.fspath(value) if isinstance(value, (str, os.PathLike)) else repr(value)


def _values(value: Any, folder: str, stand_in: tuple[str, str]) -> list[str]:
    if isinstance(value, Mapping) and not isinstance(value, Result):
        return [f"{key}={_text(each, folder)}" for key, each in value.items()]
    if isinstance(value, Iterable) and not isinstance(value, (str, os.PathLike, Result)):
        return [_text(each, folder) for each in value]
    return [_text(value, folder, stand_in)]


def option_words(options: Mapping[str, Any], folder: str, stand_in: tuple[str, str] = ("", "")) -> list[str]:
    """`per_record=True` is --per-record; a list repeats its option; a dict is KEY=VALUE, repeated; None and False leave an option out.

    `stand_in`: what results call the data of this run, and their path in it.
    """
    words: list[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        words += [flag] if value is True else [f"{flag}={each}" for each in _values(value, folder, stand_in)]
    return words


def argument_words(arguments: Iterable[Any], folder: str) -> list[str]:
    """Arguments without a name. A file whose name begins with a hyphen is no option."""
    texts = [_text(each, folder) for each in arguments if each is not None]
    return [os.path.join(os.curdir, text) if text.startswith("-") else text for text in texts]
