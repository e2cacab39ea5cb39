"""The commands of the program as functions.

Every function takes the command's options as keyword arguments: `per_record=True` is --per-record, `records="5:7"` is --records 5:7, a list
repeats the option, a dict is KEY=VALUE (`min={"sqnr": 20}`), a result stands for a file with its JSON (`baseline=result`). What an option
means tells `visqerror COMMAND --help`; one that does not exist raises UsageError. Results are dicts; errors are exceptions (errors.py).
"""

from __future__ import annotations

import glob
import json
import os
import tempfile
from typing import Any, Optional, Union

from . import program
from .data import Data, data_name, data_path
from .errors import BY_EXIT_CODE, Fault
from .maps import FeatureMaps, read_maps
from .result import Result
from .surroundings import in_notebook
from .words import argument_words, option_words, rename_data

Path = Union[str, "os.PathLike[str]"]

_DRAWS_PAGE = {"compare", "merge"}  # by --write html
_DRAWS_FILES = {"accumulate", "diagnose", "distribution", "partial", "recommend", "report"}  # below -o
_CHANGED = {"diff"}  # their exit code 1 is an answer, not a failure


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _call(command: str, arguments: list[Any], options: dict[str, Any], data: Optional[Data] = None) -> Result:
    if "json" in options:
        raise TypeError(f"{command}: the function returns what --json writes; result.save(path) writes it")
    with tempfile.TemporaryDirectory(prefix="visqerror-") as folder:
        words = [command, *argument_words(arguments, folder)]
        path = name = ""
        if data is not None:
            path = data_path(data, folder)
            name = data_name(data, path)
            words.append(f"--data={path}")
        drawn = os.path.join(folder, "drawn")
        if command in _DRAWS_PAGE and in_notebook():
            words.append(f"--write=html={drawn}.html")
        out = options.get("out")
        if command in _DRAWS_FILES and out is None and (in_notebook() or command == "report"):
            words.append(f"--out={drawn}")
            out = drawn
        outcome = program.call([*words, *option_words(options, folder, (name, path)), "--json=-"])
        content = _content(outcome)
        pages = [_text(path) for path in _made(out, drawn, ".html")] if command != "distribution" else []
        pictures = [_text(path) for path in _made(out, drawn, ".svg")]
    result = Result(content, pages, pictures) if content is not None else None
    if result is not None:
        rename_data(result, path, name)  # files of arrays are gone
    _raise_for(command, outcome, result)
    if result is None:
        raise Fault(f"{command}: wrote no JSON", outcome.exit_code)
    return result


def _content(outcome: program.Outcome) -> Optional[dict[str, Any]]:
    try:
        content = json.loads(outcome.stdout)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def _made(out: Optional[Path], drawn: str, ending: str) -> list[str]:
    """Files of a kind that the command drew, be it where the user wants them or for us."""
    if out is not None and os.fspath(out).endswith(ending):
        return [os.fspath(out)]
    folder = sorted(glob.glob(os.path.join(glob.escape(os.fspath(out)), "*" + ending))) if out is not None else []
    return [path for path in [drawn + ending, *folder] if os.path.isfile(path)]


def _raise_for(command: str, outcome: program.Outcome, result: Optional[Result]) -> None:
    if outcome.exit_code == 0 or (outcome.exit_code == 1 and command in _CHANGED):
        return
    raise BY_EXIT_CODE.get(outcome.exit_code, Fault)(outcome.message, outcome.exit_code, result)


def accumulate(fp32: Path, quant: Path, data: Optional[Data] = None, **options: Any) -> Result:
    """How does error grow through the graph?"""
    return _call("accumulate", [fp32, quant], options, data)


def badcase(fp32: Path, quant: Path, data: Optional[Data] = None, **options: Any) -> Result:
    """Which records are worst?"""
    return _call("badcase", [fp32, quant], options, data)


def check(model: Path, quant: Optional[Path] = None, **options: Any) -> Result:
    """Is the model built well? No data needed. Of two models, the first is the reference."""
    return _call("check", [model, quant], options)


def compare(fp32: Path, quant: Optional[Path] = None, data: Optional[Data] = None, **options: Any) -> Result:
    """How far is each feature map off? One model: its fake quantization against its integer execution. Also two dumps of feature maps."""
    return _call("compare", [fp32, quant], options, data)


def diagnose(fp32: Path, quant: Path, data: Optional[Data] = None, **options: Any) -> Result:
    """Why does it lose accuracy, and what is the cheapest fix?"""
    return _call("diagnose", [fp32, quant], options, data)


def diff(old: Union[Path, Result], new: Union[Path, Result], **options: Any) -> Result:
    """Two results of compare: what got worse, and by how much? `result["nodes"]["worse"]` counts the nodes that did."""
    return _call("diff", [old, new], options)


def distribution(fp32: Path, quant: Path, data: Optional[Data] = None, **options: Any) -> Result:
    """What do the values look like? Histograms and box plots, before and after."""
    return _call("distribution", [fp32, quant], options, data)


def dot(file: Path, model: Optional[Path] = None, **options: Any) -> str:
    """A picture from a visq.json file, in Graphviz' language. With `out`, it stands in that file, and the text is empty."""
    with tempfile.TemporaryDirectory(prefix="visqerror-") as folder:
        outcome = program.call(["dot", *argument_words([file, model], folder), *option_words(options, folder)])
    _raise_for("dot", outcome, None)
    return outcome.stdout.decode()


def extract(fp32: Path, quant: Path, nodes: str, out: Path, data: Optional[Data] = None, **options: Any) -> Result:
    """Give me just this node: a pair of small models, its inputs and both outputs, in the folder `out`."""
    return _call("extract", [fp32, quant], {"nodes": nodes, "out": out, **options}, data)


def inspect(model: Path, **options: Any) -> Result:
    """What is in this model? Operators, tensors, quantization, multiply-adds, bytes."""
    return _call("inspect", [model], options)


def merge(*results: Union[Path, Result], **options: Any) -> Result:
    """Results of runs over parts of the records (`per_record=True`), joined into one."""
    return _call("merge", list(results), options)


def ops(**options: Any) -> Result:
    """Which operators can be run, on which types, in which modes?"""
    return _call("ops", [], options)


def partial(fp32: Path, quant: Path, data: Optional[Data] = None, **options: Any) -> Result:
    """How many nodes must stay float?"""
    return _call("partial", [fp32, quant], options, data)


def profile(model: Path, quant: Optional[Path] = None, data: Optional[Data] = None, **options: Any) -> Result:
    """What are the numbers of every tensor? Statistics, histograms, time."""
    return _call("profile", [model, quant], options, data)


def recommend(fp32: Path, quant: Path, data: Optional[Data] = None, **options: Any) -> Result:
    """What is the cheapest set of fixes?"""
    return _call("recommend", [fp32, quant], options, data)


def report(fp32: Path, quant: Path, data: Optional[Data] = None, **options: Any) -> Result:
    """Everything, in one HTML page: `result.pages[0]`, and in the file that `out` names."""
    return _call("report", [fp32, quant], options, data)


def run(model: Path, data: Optional[Data] = None, **options: Any) -> FeatureMaps:
    """What does the model compute? The feature maps as arrays (needs h5py); `out` keeps the HDF5 file as well."""
    with tempfile.TemporaryDirectory(prefix="visqerror-") as folder:
        path = os.fspath(options.pop("out", os.path.join(folder, "maps.h5")))
        return read_maps(path, _call("run", [model], {**options, "out": path}, data))


def sensitivity(fp32: Path, quant: Path, data: Optional[Data] = None, **options: Any) -> Result:
    """Which node alone hurts the output?"""
    return _call("sensitivity", [fp32, quant], options, data)
