#!/usr/bin/env python3
"""Hands recommend's recipe to the real AI Edge Quantizer and measures the model that it makes. The quantized twin that recommend looks at is
the quantizer's own, with everything in int8.

    pip install ai-edge-quantizer ai-edge-litert flatbuffers numpy h5py
    python tests/recommend/check_recipe.py BINARY FP32 DATA.h5 [recommend's options, such as --target sqnr=30]

Exit status 0 if the new model is at most 2 dB worse than recommend simulated. SQNR is that of the worst output over all
records, both models run by LiteRT."""
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter
from ai_edge_quantizer import quantizer

from litert_runs import outputs_of, read_records, worst_sqnr

ALLOWED_LOSS = 2.0  # dB


def in_todays_form(model):
    """The quantizer calibrates by signature, and knows an operator by the newer of the two fields that may hold its code: a model without
    gets them."""
    tree = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(bytearray(model)))
    for code in tree.operatorCodes:
        code.builtinCode = max(code.builtinCode, code.deprecatedBuiltinCode)
    if not tree.signatureDefs:
        add_signature(tree)
    builder = flatbuffers.Builder(len(model) + 1024)
    builder.Finish(tree.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def add_signature(tree):
    signature = schema.SignatureDefT()
    signature.signatureKey, signature.subgraphIndex = b"main", 0

    def entries(prefix, tensors):
        maps = []
        for i, tensor in enumerate(tensors):
            entry = schema.TensorMapT()
            entry.name, entry.tensorIndex = f"{prefix}{i}".encode(), int(tensor)
            maps.append(entry)
        return maps

    signature.inputs = entries("input_", tree.subgraphs[0].inputs)
    signature.outputs = entries("output_", tree.subgraphs[0].outputs)
    tree.signatureDefs = [signature]


def calibration_data(fp32, records):
    runner = Interpreter(model_content=fp32)
    key = next(iter(runner.get_signature_list()))
    details = runner.get_signature_runner(key).get_input_details()
    order = [d["name"] for d in runner.get_input_details()]
    names = sorted(details, key=lambda name: order.index(details[name]["name"]))
    return {key: [dict(zip(names, [v.astype(np.float32) for v in record])) for record in records]}


WEIGHTS_INT8 = [{
    "regex": ".*", "operation": "*", "algorithm_key": "min_max_uniform_quantize",
    "op_config": {
        "weight_tensor_config": {"num_bits": 8, "symmetric": True, "granularity": "CHANNELWISE", "dtype": "INT"},
        "compute_precision": "INTEGER", "explicit_dequantize": False, "skip_checks": False, "min_weight_elements": 0}}]
EVERYTHING_INT8 = [{**WEIGHTS_INT8[0], "op_config": {
    **WEIGHTS_INT8[0]["op_config"],
    "activation_tensor_config": {"num_bits": 8, "symmetric": False, "granularity": "TENSORWISE", "dtype": "INT"}}}]


def quantized(fp32, records, recipe):
    tool = quantizer.Quantizer(fp32)
    tool.load_quantization_recipe(recipe)
    with contextlib.redirect_stdout(io.StringIO()):  # it reports sizes
        calibration = tool.calibrate(calibration_data(fp32, records)) if tool.need_calibration else None
        return bytes(tool.quantize(calibration).quantized_model)


def main():
    binary, fp32_path, data_path, *options = sys.argv[1:]
    fp32 = in_todays_form(pathlib.Path(fp32_path).read_bytes())
    records = read_records(data_path)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "int8.tflite").write_bytes(quantized(fp32, records, EVERYTHING_INT8))
        subprocess.run([binary, "recommend", fp32_path, folder / "int8.tflite", "-d", data_path, "--quiet", "--records", str(len(records)),
                        "--write", f"aeq={folder / 'recipe.json'}", "--json", folder / "result.json", *options], check=True,
                       stdout=subprocess.DEVNULL)
        found = json.loads((folder / "result.json").read_text())
        made = quantized(fp32, records, json.loads((folder / "recipe.json").read_text()))
    predicted, reference = found["unrepaired_sqnr"], outputs_of(fp32, records)
    measured = worst_sqnr(reference, outputs_of(made, records))
    print(f"{len(found['layers'])} operators in {found['to']}: recommend simulated {predicted:.1f} dB, the quantizer's model has {measured:.1f} dB")
    sys.exit(bool(measured < predicted - ALLOWED_LOSS))


if __name__ == "__main__":
    main()
