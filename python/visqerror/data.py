"""Test data from Python: arrays become the files that the program reads (.npy, no other package)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np

Record = Union[Any, Mapping[str, Any], Sequence[Any]]
"""One record: the array of the only input, a dict of arrays by input name, or arrays in the order of the inputs."""

Data = Union[str, "os.PathLike[str]", np.ndarray, Mapping[str, Any], Iterable[Record]]
"""What `data` may be: a path; an array, batch first; a dict of such arrays by input name; an iterable of records."""


def _array(values: Any) -> np.ndarray:
    """Anything that NumPy takes; tensors of PyTorch are taken off their graph and device first."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    if np.ma.is_masked(values):
        raise ValueError("data: an array has masked values, which no file of test data can hold; fill them")
    array = np.asarray(values, order="C")
    if array.dtype.hasobject or array.dtype.names is not None:
        raise TypeError(f"data: {type(values).__name__} is no array of numbers")
    return array


def file_name(name: str) -> str:
    """A tensor's name as the program looks for it among files."""
    return name.replace("/", "_").replace(":", "_")


_LONGEST_NAME = 255
"""Bytes of a folder's name on usual file systems."""


def _folders(names: Iterable[Any]) -> dict[Any, str]:
    """The folder of each input, one of its own below that of the data."""
    folders: dict[Any, str] = {}
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"data: an input is called {name!r}, which is no string")
        folder = file_name(name)
        if folder in ("", ".", "..") or "\0" in folder:
            raise ValueError(f"data: {name!r} is no name of an input")
        if len(folder.encode(errors="surrogatepass")) > _LONGEST_NAME:
            raise ValueError(f"data: the name {name[:20]!r}… is too long for a folder; give the inputs as a list, in the model's order")
        folders[name] = folder
    shared = [name for name in folders if list(folders.values()).count(folders[name]) > 1]
    if shared:
        raise ValueError(f"data: the inputs {shared} would share a folder; give them as a list, in the model's order")
    return folders


def _by_input(record: Record) -> dict[str, np.ndarray]:
    """A record's arrays by the folder of their input; the only array of a record has none."""
    if isinstance(record, Mapping):
        return {folder: _array(record[name]) for name, folder in _folders(record).items()}
    if isinstance(record, (list, tuple)):
        return {str(position): _array(values) for position, values in enumerate(record)}
    return {"": _array(record)}


def _save(folder: str, records: Iterable[dict[str, np.ndarray]]) -> str:
    names: set[str] | None = None
    for index, record in enumerate(records):
        if names is None:
            names = set(record)
            for name in names:
                os.makedirs(os.path.join(folder, name), exist_ok=True)
        if set(record) != names:
            raise ValueError(f"data: record {index} has the inputs {sorted(record)}, record 0 has {sorted(names)}")
        for name, array in record.items():
            np.save(os.path.join(folder, name, f"{index}.npy"), array)
    if names is None:
        raise ValueError("data: there are no records")
    return folder


def _slices(arrays: Mapping[str, Any]) -> Iterable[dict[str, np.ndarray]]:
    batches = {folder: _array(arrays[name]) for name, folder in _folders(arrays).items()}
    counts = {name: len(batch) if batch.ndim else 0 for name, batch in batches.items()}
    if len(set(counts.values())) > 1:
        raise ValueError(f"data: the inputs' batches differ in size: {counts}")
    for index in range(next(iter(counts.values()), 0)):
        yield {name: batch[index] for name, batch in batches.items()}


def data_path(data: Data, folder: str) -> str:
    """A path that the program reads; files are written below `folder` where `data` is no path."""
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    folder = os.path.join(folder, "data")
    os.mkdir(folder)
    if isinstance(data, Mapping):
        return _save(folder, _slices(data))
    if isinstance(data, np.ndarray) or hasattr(data, "detach"):
        path = os.path.join(folder, "data.npy")
        np.save(path, _array(data))
        return path
    if not isinstance(data, Iterable):
        raise TypeError(f"data: {type(data).__name__} is neither a path nor arrays")
    return _save(folder, map(_by_input, data))


def data_name(data: Data, path: str) -> str:
    """What a result calls its data: their path, or for arrays, whose files do not stay, a name that the same arrays get again."""
    if isinstance(data, (str, os.PathLike)):
        return path
    top = Path(path)
    content = hashlib.sha256()
    for file in sorted(top.rglob("*.npy")) if top.is_dir() else [top]:
        content.update(file.relative_to(top).as_posix().encode() + b"\0" + file.read_bytes())
    return "arrays-" + content.hexdigest()[:16]
