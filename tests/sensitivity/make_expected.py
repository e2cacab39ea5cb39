#!/usr/bin/env python3
"""Makes one_quantized.json: what LiteRT computes where exactly one thing of examples/digits is quantized. make_expected.py [--out FILE]

Every case is fp32.tflite with one edit, run by LiteRT's reference kernels on the first records of data.h5:
  activation  QUANTIZE and DEQUANTIZE, with the scale and zero point of int8.tflite, between one feature map and all its readers
  input       the same, between a feature map and one operator that reads it
  weight      an operator's weights and bias replaced by what int8.tflite stores of them, dequantized
Stored per case: the mean squared difference of each record's logits (behind them, SOFTMAX leaves almost nothing of small differences) to
those of the untouched fp32.tflite.
Needs numpy, flatbuffers, h5py and ai-edge-litert 2.3; the same versions give the same bytes."""

import argparse
import copy
import json
import pathlib

import flatbuffers
import h5py
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

HERE = pathlib.Path(__file__).resolve().parent
DIGITS = HERE.parent.parent / "examples" / "digits"
RECORDS = 8
MEASURED = "logits/MatMul"


def read(name):
    data = (DIGITS / name).read_bytes()
    return schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(data, 0))


def write(model):
    builder = flatbuffers.Builder(1 << 16)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def by_name(model):
    return {text(t.name): i for i, t in enumerate(model.subgraphs[0].tensors)}


def operator_code(model, builtin):
    for i, code in enumerate(model.operatorCodes):
        if code.builtinCode == builtin:
            return i
    code = schema.OperatorCodeT()
    code.builtinCode, code.deprecatedBuiltinCode, code.version = builtin, min(builtin, 127), 1
    model.operatorCodes.append(code)
    return len(model.operatorCodes) - 1


def add_tensor(graph, like, kind, name):
    tensor = schema.TensorT()
    tensor.shape, tensor.type, tensor.name, tensor.buffer = like.shape, kind, name, 0
    graph.tensors.append(tensor)
    return len(graph.tensors) - 1


def round_after(model, index, grid, readers):
    """Puts QUANTIZE and DEQUANTIZE behind tensor `index`, in front of these readers (None: of all, and of the graph's output)."""
    graph = model.subgraphs[0]
    stored = add_tensor(graph, graph.tensors[index], schema.TensorType.INT8, "stored")
    graph.tensors[stored].quantization = grid
    real = add_tensor(graph, graph.tensors[index], schema.TensorType.FLOAT32, "rounded")
    for i, op in enumerate(graph.operators):
        if readers is None or i in readers:
            op.inputs = [real if t == index else t for t in op.inputs]
    if readers is None:
        graph.outputs = [real if t == index else t for t in graph.outputs]
    pair = []
    for builtin, source, target in ((schema.BuiltinOperator.QUANTIZE, index, stored), (schema.BuiltinOperator.DEQUANTIZE, stored, real)):
        op = schema.OperatorT()
        op.opcodeIndex, op.inputs, op.outputs = operator_code(model, builtin), [source], [target]
        pair.append(op)
    makers = [i for i, op in enumerate(graph.operators) if index in list(op.outputs)]
    place = makers[0] + 1 if makers else 0
    graph.operators[place:place] = pair


def dequantized(model, index, scale=None):
    tensor = model.subgraphs[0].tensors[index]
    kind = {schema.TensorType.INT8: np.int8, schema.TensorType.INT32: np.int32}[tensor.type]
    q = np.frombuffer(bytes(model.buffers[tensor.buffer].data), kind).reshape(tensor.shape).astype(np.float64)
    scales = np.asarray(tensor.quantization.scale if scale is None else scale, np.float64)
    if scales.size > 1:
        shape = [1] * q.ndim
        shape[tensor.quantization.quantizedDimension if scale is None else 0] = scales.size
        scales = scales.reshape(shape)
    return (q * scales).astype(np.float32)


def replace_weights(model, op, twin, twin_op):
    graph, twin_graph = model.subgraphs[0], twin.subgraphs[0]
    scales = [twin_graph.tensors[t].quantization.scale for t in twin_op.inputs]
    for slot in (1, 2):
        if slot >= len(op.inputs) or op.inputs[slot] < 0:
            continue
        scale = None if slot == 1 else np.asarray(scales[0], np.float64)[0] * np.asarray(scales[1], np.float64)
        values = dequantized(twin, twin_op.inputs[slot], scale)
        buffer = schema.BufferT()
        buffer.data = np.frombuffer(values.tobytes(), np.uint8)
        model.buffers.append(buffer)
        graph.tensors[op.inputs[slot]].buffer = len(model.buffers) - 1


def records():
    with h5py.File(DIGITS / "data.h5") as file:
        return [file[f"value/{r}/0"][()].astype(np.float32) for r in range(RECORDS)]


def outputs(model):
    interpreter = Interpreter(model_content=write(model), experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    detail = interpreter.get_input_details()[0]
    result = []
    for record in records():
        interpreter.set_tensor(detail["index"], record.reshape(detail["shape"]))
        interpreter.invoke()
        result.append(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).astype(np.float64))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "one_quantized.json")
    arguments = parser.parse_args()
    fp32, int8 = read("fp32.tflite"), read("int8.tflite")
    names, twin_names = by_name(fp32), by_name(int8)
    fp32.subgraphs[0].outputs = [names[MEASURED]]
    reference = outputs(fp32)
    twin_ops = {op.outputs[0]: op for op in int8.subgraphs[0].operators}
    graph, twin_graph = fp32.subgraphs[0], int8.subgraphs[0]
    cases = []

    def add(kind, name, model):
        if name == "Identity":  # behind what is measured
            return
        errors = [float(np.mean((a - b) ** 2)) for a, b in zip(reference, outputs(model))]
        cases.append({"type": kind, "name": name, "mse": [float(f"{e:.6g}") for e in errors]})

    for name, index in names.items():
        twin_index = twin_names.get(name)
        maps = [t for op in graph.operators for t in op.outputs] + list(graph.inputs)
        if twin_index is None or index not in maps or twin_graph.tensors[twin_index].type != schema.TensorType.INT8:
            continue
        grid = twin_graph.tensors[twin_index].quantization
        model = copy.deepcopy(fp32)
        round_after(model, index, grid, None)
        add("activation", name, model)
        for i, op in enumerate(graph.operators):
            if index in list(op.inputs):
                model = copy.deepcopy(fp32)
                round_after(model, index, grid, [i])
                slot = list(op.inputs).index(index)
                add(f"input-{slot}", text(graph.tensors[op.outputs[0]].name), model)
    for i, op in enumerate(graph.operators):
        twin_op = twin_ops.get(twin_names.get(text(graph.tensors[op.outputs[0]].name)))
        if twin_op is None or len(op.inputs) < 3 or fp32.buffers[graph.tensors[op.inputs[1]].buffer].data is None:
            continue
        model = copy.deepcopy(fp32)
        replace_weights(model, model.subgraphs[0].operators[i], int8, twin_op)
        add("weight", text(graph.tensors[op.outputs[0]].name), model)
    lines = ",\n".join("  " + json.dumps(case) for case in cases)
    arguments.out.write_text('{"records": %d, "measured": "%s", "cases": [\n%s\n]}\n' % (RECORDS, MEASURED, lines))
    print(f"{len(cases)} cases")


if __name__ == "__main__":
    main()
