"""Activations of a PyTorch module as a dump of feature maps: the float reference of a device's dump, or of a converted model."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Optional

import numpy as np

from .data import file_name

Rename = Callable[[str], Optional[str]]


class Hook:
    """Writes what every submodule of a module returns, one folder per call of the module, `FOLDER/RECORD/NAME.npy`.

    A submodule is called as in `module.named_modules()` ("layer1.0.conv1"; a second tensor "layer1.0.conv1:1", a second call in the same
    record "layer1.0.conv1@1"; the module itself "output", what it is called with "input", "input:1" …). `names` says what the other model
    calls it: a dict, or a function that returns a name, or None to leave the map out. `nhwc` writes maps of rank 4 with their channels
    last, as TFLite and circle have them. FOLDER/maps.tsv tells the whole names, in the order of the calls, and where channels stand.
    """

    def __init__(self, module: Any, folder: str, names: Mapping[str, str] | Rename | None, nhwc: bool) -> None:
        self.folder = folder
        self._rename: Rename = names if callable(names) else (lambda name: names.get(name) if names else name)
        self._nhwc = nhwc
        self._record = 0
        self._calls: dict[str, int] = {}
        self._layouts: dict[str, str] = {}
        self._handles = [module.register_forward_pre_hook(lambda _module, inputs: self._take("input", inputs))]
        self._handles += [part.register_forward_hook(self._taker(name)) for name, part in module.named_modules() if name]
        self._handles.append(module.register_forward_hook(self._finish))

    def _taker(self, name: str) -> Callable[..., None]:
        return lambda _module, _inputs, output: self._take(name, output)

    def _finish(self, _module: Any, _inputs: Any, output: Any) -> None:
        self._take("output", output)
        self._record += 1
        self._calls.clear()
        self._write_table()

    def _take(self, name: str, output: Any) -> None:
        turn = self._calls.get(name, 0)
        self._calls[name] = turn + 1
        tensors = output if isinstance(output, (list, tuple)) else output.values() if isinstance(output, Mapping) else [output]
        for position, tensor in enumerate(tensors):
            if hasattr(tensor, "detach"):
                self._write(name + (f"@{turn}" if turn else "") + (f":{position}" if position else ""), tensor)

    def _write(self, name: str, tensor: Any) -> None:
        renamed = self._rename(name)
        if renamed is None:
            return
        array = tensor.detach().cpu().float().numpy() if tensor.is_floating_point() else tensor.detach().cpu().numpy()
        if self._nhwc and array.ndim == 4:
            array = np.ascontiguousarray(array.transpose(0, 2, 3, 1))
        place = os.path.join(self.folder, str(self._record))
        os.makedirs(place, exist_ok=True)
        np.save(os.path.join(place, file_name(renamed) + ".npy"), array)
        self._layouts[renamed] = ("nhwc" if self._nhwc else "nchw") if array.ndim == 4 else ""

    def _write_table(self) -> None:
        lines = ["name\tlayout", *(f"{name}\t{layout}" for name, layout in self._layouts.items() if not set(name) & set("\t\r\n"))]
        if os.path.isdir(self.folder):
            with open(os.path.join(self.folder, "maps.tsv"), "w", encoding="utf-8", newline="\n") as table:
                table.write("\n".join(lines) + "\n")

    def close(self) -> None:
        """Takes the hooks off the module."""
        for handle in self._handles:
            handle.remove()

    def __enter__(self) -> Hook:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def hook(module: Any, folder: str | os.PathLike[str], names: Mapping[str, str] | Rename | None = None, nhwc: bool = True) -> Hook:
    """Dumps a PyTorch module's activations while the `with` block runs; each call of the module is a record.

        with visqerror.hook(network, "dump"):
            for image in images:
                network(image)
        visqerror.compare("dump", "quant.tflite")

    The model is run on what the module was called with. `names` is needed only where neither names nor values tell which map is which.

    See Hook for the layout and the names.
    """
    return Hook(module, os.fspath(folder), names, nhwc)
