#!/usr/bin/env python3
"""What recommend promises against what the real AI Edge Quantizer and LiteRT make of its recipes, network by network.

    pip install ai-edge-quantizer ai-edge-litert flatbuffers numpy h5py
    python tests/recommend/check_promises.py BINARY FOLDER...        (folders that hold fp32.tflite and data.h5)

Each network gets a twin from the quantizer itself, with everything in int8 (or weights only, for int4 in blocks), then one recommendation per
goal. Prints a table; exit status 1 where a model is more than 2 dB worse than was promised, as LiteRT runs it by default (XNNPACK). The same
file by LiteRT's reference kernels, which round otherwise, stands beside: so much is up to the device. They do not know int4 in blocks."""
import json
import pathlib
import subprocess
import sys
import tempfile

import check_recipe as check
from ai_edge_litert.interpreter import OpResolverType

DEFAULT = OpResolverType.AUTO
MOST_RECORDS = 16
GOALS = [("float32", []), ("float32", ["--target", "sqnr=+6"]), ("int16", []), ("int16", ["--target", "sqnr=500"]),
         ("int4", []), ("int4", ["--target", "sqnr=-6"]), ("int4-block32", [])]


def measured(reference, model, records, kernels):
    return check.worst_sqnr(reference, check.outputs_of(model, records, kernels))


def first_line(error):
    return str(error).strip().splitlines()[0]


def goal_words(options, twin):
    """The goal, with a target relative to the twin's own quality."""
    if not options or not options[1][5] in "+-":
        return options
    return [options[0], f"sqnr={twin + float(options[1][5:]):.1f}"]


def promised(binary, fp32, twin, data, records, to, options, folder):
    process = subprocess.run(
        [binary, "recommend", fp32, twin, "-d", data, "--quiet", "--records", str(records), "--to", to, "--write",
         f"aeq={folder / 'recipe.json'}", "--json", folder / "result.json", *options], capture_output=True, text=True)
    if process.returncode != 0:
        return process.stderr.strip().splitlines()[-1], None
    return json.loads((folder / "result.json").read_text()), json.loads((folder / "recipe.json").read_text())


def rows_of(binary, network, folder):
    fp32_path, data = network / "fp32.tflite", network / "data.h5"
    fp32 = check.in_todays_form(fp32_path.read_bytes())
    (folder / "fp32.tflite").write_bytes(fp32)
    records = check.read_records(data)[:MOST_RECORDS]
    reference = check.outputs_of(fp32, records)
    twins = {}
    for to, options in GOALS:
        kind = "dynamic" if "block" in to else "static"
        if kind not in twins:
            try:
                made = check.quantized(fp32, records, check.EVERYTHING_INT8 if kind == "static" else check.WEIGHTS_INT8)
                twins[kind] = (len(made), measured(reference, made, records, DEFAULT))
            except (RuntimeError, ValueError) as error:
                yield [network.name, to, f"no twin to start from: {first_line(error)}"]
                continue
            (folder / f"{kind}.tflite").write_bytes(made)
        size, twin = twins[kind]
        found, recipe = promised(binary, folder / "fp32.tflite", folder / f"{kind}.tflite", data, len(records), to,
                                 goal_words(options, twin), folder)
        if recipe is None:
            yield [network.name, to, found]
            continue
        try:
            made = check.quantized(fp32, records, recipe)
            delivered = [measured(reference, made, records, kernels) for kernels in (DEFAULT, OpResolverType.BUILTIN_REF)]
        except (RuntimeError, ValueError) as error:
            yield [network.name, to, f"the quantizer says: {first_line(error)}"]
            continue
        yield [network.name, to, " ".join(goal_words(options, twin)) or "default", len(found["layers"]), twin, found["unrepaired_sqnr"], *delivered,
               found["front"][found["chosen"]]["added_bytes"], len(made) - size]


def main():
    binary, *networks = sys.argv[1:]
    failed, count = 0, 0
    print("| network | to | goal | operators | twin dB | promised dB | delivered dB | reference kernels | bytes promised | "
          "file grew by |\n|---|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for network in map(pathlib.Path, networks):
        with tempfile.TemporaryDirectory() as name:
            for row in rows_of(binary, network, pathlib.Path(name)):
                if len(row) == 3:
                    print(f"| {row[0]} | {row[1]} | {row[2]} |")
                    continue
                short = row[6] < row[5] - check.ALLOWED_LOSS
                failed, count = failed + short, count + 1
                numbers = " | ".join(f"{value:.1f}" for value in row[4:8])
                print(f"| {' | '.join(map(str, row[:4]))} | {numbers}{' **short**' if short else ''} | {row[8]} | {row[9]} |", flush=True)
    print(f"{count} recommendations, {failed} deliver more than {check.ALLOWED_LOSS} dB less than promised")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
