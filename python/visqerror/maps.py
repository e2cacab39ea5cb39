"""Feature maps: what `run` computed, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .result import Result


class FeatureMaps(Result):
    """The result of `run`, with the maps themselves: `maps["conv1/Relu"]` is that tensor of the first record.

    Keys of the JSON ("mode", "feature_maps", …) are found as in every result; tensors by name where no key is called so, or by `records`.
    """

    records: dict[int, dict[str, np.ndarray]]
    """The maps of every record by the tensor's name (`#index` where it has none, `NAME#index` where two have the same)."""
    scales: dict[str, tuple[np.ndarray, np.ndarray]]
    """(scale, zero point) of quantized tensors: `mode="integer"` gives stored integers."""

    def __init__(self, content: Mapping[str, Any], records: dict[int, dict[str, np.ndarray]], scales: dict[str, Any]) -> None:
        super().__init__(content)
        self.records = records
        self.scales = scales

    def __missing__(self, name: str) -> np.ndarray:
        for maps in self.records.values():
            if name in maps:
                return maps[name]
        raise KeyError(name)

    def stacked(self, name: str) -> np.ndarray:
        """A tensor over all records, records first."""
        return np.stack([maps[name] for maps in self.records.values()])

    def rows(self, table: str | None = None) -> list[dict[str, Any]]:
        if table is not None:
            return super().rows(table)
        first = next(iter(self.records.values()), {})
        return [{"name": name, "dtype": str(array.dtype), "shape": str(array.shape)} for name, array in first.items()]


def _names(group: Any) -> dict[str, str]:
    """What each dataset is called, by its tensor's index."""
    plain = {index: str(dataset.attrs.get("name", "")) for index, dataset in group.items()}
    twice = {name for name in plain.values() if name == "" or list(plain.values()).count(name) > 1}
    return {index: f"{name}#{index}" if name in twice else name for index, name in plain.items()}


def read_maps(path: str, content: Mapping[str, Any]) -> FeatureMaps:
    """Reads what `visqerror run -o` wrote."""
    import h5py

    records: dict[int, dict[str, np.ndarray]] = {}
    scales: dict[str, Any] = {}
    with h5py.File(path, "r") as file:
        for record in sorted(file["value"], key=int):
            group = file["value"][record]
            names = _names(group)
            records[int(record)] = {names[index]: group[index][()] for index in sorted(group, key=int)}
            for index, dataset in group.items():
                if "scale" in dataset.attrs:
                    scales[names[index]] = (dataset.attrs["scale"], dataset.attrs["zero_point"])
    return FeatureMaps(content, records, scales)
