"""A network as ONNX, and what ONNX Runtime's quantizer makes of it."""
import os

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static

from family import DATA


class Digits(CalibrationDataReader):
    """Random pictures in place of digits."""

    def __init__(self, pictures):
        self.left = [{"image": picture[None]} for picture in pictures]

    def get_next(self):
        return self.left.pop() if self.left else None


def network():
    """A small network with all that quantizers fold: Conv and Relu, depthwise Conv and Clip, pools, Concat, a residual, Gemm, Softmax."""
    rng = np.random.default_rng(11)
    weights = {"w1": (8, 1, 3, 3), "b1": (8,), "w2": (8, 1, 3, 3), "b2": (8,), "w3": (8, 8, 1, 1), "w4": (5, 16), "b4": (5,)}
    constants = [numpy_helper.from_array((0.5 * rng.standard_normal(shape)).astype(np.float32), name) for name, shape in weights.items()]
    constants += [numpy_helper.from_array(np.float32(0), "zero"), numpy_helper.from_array(np.float32(6), "six")]
    node = helper.make_node
    nodes = [node("Conv", ["image", "w1", "b1"], ["conv1"], pads=[1, 1, 1, 1]), node("Relu", ["conv1"], ["relu1"]),
             node("MaxPool", ["relu1"], ["pool1"], kernel_shape=[2, 2], strides=[2, 2]),
             node("Conv", ["pool1", "w2", "b2"], ["conv2"], pads=[1, 1, 1, 1], group=8), node("Clip", ["conv2", "zero", "six"], ["clip2"]),
             node("Conv", ["clip2", "w3"], ["conv3"]), node("Add", ["conv3", "pool1"], ["sum"]),
             node("Concat", ["sum", "clip2"], ["both"], axis=1), node("GlobalAveragePool", ["both"], ["mean"]), node("Flatten", ["mean"], ["flat"]),
             node("Gemm", ["flat", "w4", "b4"], ["logits"], transB=1), node("Softmax", ["logits"], ["scores"], axis=1)]
    feed = [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 1, 8, 8])]
    result = [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", 5])]
    return helper.make_model(helper.make_graph(nodes, "network", feed, result, constants), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def write_network():
    """network.onnx, what ONNX Runtime's quantizer makes of it, pictures, and what ONNX Runtime makes of these."""
    rng = np.random.default_rng(3)
    pictures = rng.random((16, 1, 8, 8)).astype(np.float32)
    path = os.path.join(DATA, "network.onnx")
    onnx.save(network(), path)
    kinds = {"qdq_uint8": {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8},
             "qdq_channels": {"activation_type": QuantType.QInt8, "weight_type": QuantType.QInt8, "per_channel": True},
             "qdq_int16": {"activation_type": QuantType.QInt16, "weight_type": QuantType.QInt8, "per_channel": True}}
    kinds |= {"qoperators_uint8": kinds["qdq_uint8"], "qoperators_channels": kinds["qdq_channels"], "dynamic": {"weight_type": QuantType.QInt8}}
    expected = {}
    for name in ["network", *kinds]:
        target = os.path.join(DATA, name + ".onnx")
        if name == "dynamic":
            quantize_dynamic(path, target, **kinds[name])
        elif name in kinds:
            form = QuantFormat.QOperator if name.startswith("qoperators") else QuantFormat.QDQ
            quantize_static(path, target, Digits(pictures), quant_format=form, **kinds[name])
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = ort.InferenceSession(target, options)
        expected[name] = np.concatenate([session.run(None, {"image": picture[None]})[0] for picture in pictures[:4]])
    np.savez_compressed(os.path.join(DATA, "pictures.npz"), image=pictures[:4, None])
    results = [numpy_helper.from_array(value, name) for name, value in expected.items()]
    known = [helper.make_tensor_value_info(each.name, each.data_type, each.dims) for each in results]
    onnx.save(helper.make_model(helper.make_graph([], "scores", [], known, results), opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
              os.path.join(DATA, "network_scores.onnx"))
