"""A family of cases: one ONNX model of many operators, its inputs, and what ONNX Runtime makes of these."""
import os

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
HERE = os.path.join(DATA, "families")
TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int64): TensorProto.INT64, np.dtype(np.int32): TensorProto.INT32,
         np.dtype(np.bool_): TensorProto.BOOL, np.dtype(np.uint8): TensorProto.UINT8, np.dtype(np.int8): TensorProto.INT8,
         np.dtype(np.int16): TensorProto.INT16, np.dtype(np.uint16): TensorProto.UINT16, np.dtype(np.uint32): TensorProto.UINT32,
         np.dtype(np.uint64): TensorProto.UINT64, np.dtype(np.float64): TensorProto.DOUBLE, np.dtype(np.float16): TensorProto.FLOAT16}


class Fixed:
    """An input that is an initializer."""

    def __init__(self, value, dtype=None):
        self.value = np.asarray(value, dtype)


class Family:
    """`by_reference`: of what ONNX Runtime lacks; the standard's reference evaluator gives the values."""

    def __init__(self, name, opset=21, by_reference=False):
        self.name, self.opset, self.by_reference = name, opset, by_reference
        self.rng = np.random.default_rng(7)
        self.nodes, self.constants, self.inputs, self.outputs = [], [], {}, []
        self.fed, self.kept = {}, []

    def values(self, *shape):
        return self.rng.standard_normal(shape).astype(np.float32)

    def fixed(self, *shape):
        return Fixed(self.values(*shape))

    def case(self, op, *inputs, count=1, name=None, **attributes):
        case = f"{len(self.nodes):02d}_{name or op}"
        names = []
        for position, value in enumerate(inputs):
            if value is None:
                names.append("")
                continue
            names.append(f"{case}_in{position}")
            if isinstance(value, Fixed):
                self.constants.append(numpy_helper.from_array(value.value, names[-1]))
            else:
                names[-1] = self.fed.setdefault(id(value), names[-1])  # one input for what is the same array
                self.kept.append(value)
                self.inputs[names[-1]] = np.asarray(value)
        outputs = [f"{case}_out{position}" for position in range(count)]
        self.nodes.append(helper.make_node(op, names, outputs, **attributes))
        self.outputs += outputs

    def model(self, extra=()):
        feeds = [helper.make_tensor_value_info(name, TYPES[value.dtype], value.shape) for name, value in self.inputs.items()]
        results = [onnx.ValueInfoProto(name=name) for name in self.outputs]
        known = [helper.make_tensor_value_info(each.name, each.data_type, each.dims) for each in extra]
        graph = helper.make_graph(self.nodes, self.name, feeds, results + known, self.constants + list(extra))
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)], ir_version=min(10, 6 if self.opset < 13 else 10))

    def evaluate(self, model):
        if self.by_reference:
            return ReferenceEvaluator(model).run(None, self.inputs)
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        return ort.InferenceSession(model.SerializeToString(), options).run(None, self.inputs)

    def write(self):
        values = self.evaluate(self.model())
        expected = [numpy_helper.from_array(np.asarray(value), name + ".expected") for name, value in zip(self.outputs, values)]
        with open(os.path.join(HERE, self.name + ".onnx"), "wb") as file:
            file.write(self.model(expected).SerializeToString())
        np.savez_compressed(os.path.join(HERE, "inputs", self.name + ".npz"), **{name: value[None] for name, value in self.inputs.items()})
