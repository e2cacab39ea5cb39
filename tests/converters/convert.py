#!/usr/bin/env python3
"""Converts networks by every converter that is installed here: convert.py OUT [--converters NAME…] [--networks GLOB…]

OUT/CONVERTER/NETWORK/ gets RECIPE.tflite or RECIPE.circle, data.h5 (three records in the order of that converter's model inputs) and, where
PyTorch is the judge, torch.npz (its outputs). OUT/CONVERTER/log.csv: network, recipe, what the converter said where it failed. What is there
already is left as it is. Needs torch, h5py, numpy; each converter its own package (README.md)."""

import argparse
import csv
import fnmatch
import importlib
import pathlib
import signal
import sys
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
CONVERTERS = ("litert_torch_maps", "tico_maps", "onnx_maps", "onnx2tf_maps", "keras_maps")
PATIENCE = 900  # seconds for all recipes of one network, on a machine that does other things too


def convert(converter, name, folder):
    """[(recipe, "" or what went wrong)]"""

    def late(*_):
        raise TimeoutError(f"took more than {PATIENCE} s")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    rows = []
    try:
        for recipe, make in converter.recipes(name, folder):
            try:
                make()
                rows.append((recipe, ""))
            except TimeoutError:
                raise
            except Exception as error:  # noqa: BLE001: converters raise whatever they like
                rows.append((recipe, said(error)))
    except Exception as error:  # noqa: BLE001
        rows.append(("float", said(error)))
    finally:
        signal.alarm(0)
    return rows


def said(error):
    lines = str(error).strip().splitlines() or traceback.format_exception_only(error)
    return f"{type(error).__name__}: {lines[0][:160]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--converters", nargs="+", default=CONVERTERS, choices=CONVERTERS)
    parser.add_argument("--networks", nargs="+", default=["*"])
    arguments = parser.parse_args()
    for each in arguments.converters:
        try:
            converter = importlib.import_module(each)
        except ImportError as error:
            print(f"{each}: left out: {error}")
            continue
        folder = arguments.out / each
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "log.csv").open("a", newline="") as log:
            for name in converter.networks():
                if (folder / name).exists() or not any(fnmatch.fnmatch(name, glob) for glob in arguments.networks):
                    continue
                (folder / name).mkdir()
                for recipe, problem in convert(converter, name, folder / name):
                    csv.writer(log).writerow([name, recipe, problem])
                    print(f"{each} {name} {recipe}: {problem or 'ok'}", flush=True)
                log.flush()


if __name__ == "__main__":
    main()
