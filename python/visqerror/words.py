"""Python's arguments as words of the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from .result import Result


def _text(value: Any, folder: str) -> str:
    """A value as the program reads it. A result becomes a file in the folder."""
    if isinstance(value, Result):
        path = os.path.join(folder, f"result{len(os.listdir(folder))}.json")
        value.save(path)
        return path
    return os.fspath(value) if isinstance(value, (str, os.PathLike)) else repr(value)


def _values(value: Any, folder: str) -> list[str]:
    if isinstance(value, Mapping) and not isinstance(value, Result):
        return [f"{key}={_text(each, folder)}" for key, each in value.items()]
    if isinstance(value, Iterable) and not isinstance(value, (str, os.PathLike, Result)):
        return [_text(each, folder) for each in value]
    return [_text(value, folder)]


def option_words(options: Mapping[str, Any], folder: str) -> list[str]:
    """`per_record=True` is --per-record; a list repeats its option; a dict is KEY=VALUE, repeated; None and False leave an option out."""
    words: list[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        words += [flag] if value is True else [f"{flag}={each}" for each in _values(value, folder)]
    return words


def argument_words(arguments: Iterable[Any], folder: str) -> list[str]:
    """Arguments without a name. A file whose name begins with a hyphen is no option."""
    texts = [_text(each, folder) for each in arguments if each is not None]
    return [os.path.join(os.curdir, text) if text.startswith("-") else text for text in texts]
