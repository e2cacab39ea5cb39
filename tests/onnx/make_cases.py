#!/usr/bin/env python3
"""Writes data/: small ONNX models with many operators each, their inputs, and what ONNX Runtime makes of these (pip install numpy onnx onnxruntime).

Each file of families/ makes data/families/NAME.onnx, which holds what is expected as constants that are graph outputs: "y.expected" is what "y"
must be. inputs/NAME.npz holds one record. Arguments: the names of families, or network; none: all.
"""
import importlib
import os
import sys

import family
import network_cases


def main():
    os.makedirs(os.path.join(family.HERE, "inputs"), exist_ok=True)
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "families")
    names = sorted(name[:-3] for name in os.listdir(folder) if name.endswith(".py"))
    wanted = sys.argv[1:] or [*names, "network"]
    if "network" in wanted:
        network_cases.write_network()
    for name in names:
        if name in wanted:
            importlib.import_module("families." + name).cases().write()


main()
