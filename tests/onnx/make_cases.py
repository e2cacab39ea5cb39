#!/usr/bin/env python3
"""Writes data/: small ONNX models with many operators each, their inputs, and what ONNX Runtime makes of these (pip install numpy onnx onnxruntime).

NAME.onnx holds what is expected as constants that are graph outputs: "y.expected" is what "y" must be. NAME.npz holds one record.
"""
import os
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int64): TensorProto.INT64, np.dtype(np.int32): TensorProto.INT32,
         np.dtype(np.bool_): TensorProto.BOOL, np.dtype(np.uint8): TensorProto.UINT8, np.dtype(np.int8): TensorProto.INT8}


class Fixed:
    """An input that is an initializer."""

    def __init__(self, value, dtype=None):
        self.value = np.asarray(value, dtype)


class Family:
    def __init__(self, name, opset=21):
        self.name, self.opset = name, opset
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
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=min(10, 6 if self.opset < 13 else 10))

    def write(self):
        bare = self.model()
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = ort.InferenceSession(bare.SerializeToString(), options)
        values = session.run(None, self.inputs)
        expected = [numpy_helper.from_array(value, name + ".expected") for name, value in zip(self.outputs, values)]
        with open(os.path.join(HERE, self.name + ".onnx"), "wb") as file:
            file.write(self.model(expected).SerializeToString())
        np.savez_compressed(os.path.join(HERE, self.name + ".npz"), **{name: value[None] for name, value in self.inputs.items()})


def elementwise():
    f = Family("elementwise")
    x, y = f.values(2, 3, 4), f.values(3, 1)
    for op in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Sum", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal", "PRelu"):
        f.case(op, x, y)
    f.case("Add", np.array([-np.inf, 1], np.float32), np.array([1, 2], np.float32), name="infinite")
    f.case("Pow", np.abs(x), Fixed(np.float32(2.5)))
    f.case("Pow", x, Fixed(np.float32(2)))
    f.case("Div", np.array([7, -7, 9], np.int64), Fixed([2, 2, -4], np.int64), name="integers")
    f.case("Mul", np.array([7, -7, 9], np.int32), Fixed([2, 2, -4], np.int32), name="int32")
    for op in ("Abs", "Neg", "Exp", "Sin", "Cos", "Floor", "Ceil", "Round", "Sign", "Sigmoid", "Tanh", "Relu", "HardSwish", "Erf", "Reciprocal", "Softplus",
               "LeakyRelu", "HardSigmoid", "Elu", "Gelu"):
        f.case(op, x * 3)
    f.case("Sqrt", np.abs(x))
    f.case("Log", np.abs(x))
    f.case("LeakyRelu", x, alpha=0.3)
    f.case("HardSigmoid", x, alpha=1.0 / 6, beta=0.4)
    f.case("Elu", x, alpha=2.0)
    f.case("Gelu", x, approximate="tanh")
    f.case("Clip", x, Fixed(np.float32(-0.5)), Fixed(np.float32(0.7)))
    f.case("Clip", x, None, Fixed(np.float32(0.1)), name="upper")
    f.case("Clip", x, Fixed(np.float32(0.1)), name="lower")
    truth = np.array([True, False, True, True])
    f.case("And", truth, np.array([True, True, False, False]))
    f.case("Or", truth, np.array([False, False, False, True]))
    f.case("Not", truth)
    f.case("Where", truth, x, Fixed(np.float32(-9)))
    f.case("Round", np.array([0.5, 1.5, 2.5, -0.5, -1.5], np.float32), name="ties")
    return f


def shapes():
    f = Family("shapes")
    x = f.values(2, 3, 4)
    f.case("Reshape", x, Fixed([0, -1], np.int64))
    f.case("Reshape", x, Fixed([4, 6], np.int64))
    f.case("Reshape", f.values(2, 0, 3), Fixed([0, 3, 2], np.int64), allowzero=1)
    for axis in (0, 1, 2, -1):
        f.case("Flatten", x, axis=axis)
    f.case("Squeeze", f.values(1, 3, 1), Fixed([0], np.int64))
    f.case("Squeeze", f.values(1, 3, 1))
    f.case("Unsqueeze", x, Fixed([0, -1], np.int64))
    f.case("Identity", x)
    f.case("Dropout", x)
    for code, kind in ((TensorProto.INT64, "int64"), (TensorProto.BOOL, "bool"), (TensorProto.FLOAT16, "half"), (TensorProto.INT32, "int32")):
        f.case("Cast", x * 5, to=code, name="Cast_" + kind)
    f.case("Shape", x)
    f.case("Shape", x, start=1, end=-1)
    f.case("Size", x)
    f.case("Expand", f.values(3, 1), Fixed([2, 1, 4], np.int64))
    f.case("ConstantOfShape", Fixed([2, 3], np.int64), value=helper.make_tensor("v", TensorProto.INT32, [1], [7]))
    f.case("ConstantOfShape", Fixed([2], np.int64))
    f.case("Range", Fixed(np.float32(1)), Fixed(np.float32(6)), Fixed(np.float32(1.5)))
    f.case("Tile", x, Fixed([1, 2, 3], np.int64))
    return f


def movement():
    f = Family("movement")
    x = f.values(2, 3, 4, 5)
    f.case("Transpose", x)
    f.case("Transpose", x, perm=[0, 2, 3, 1])
    f.case("Concat", x, f.values(2, 2, 4, 5), axis=1)
    f.case("Concat", x, f.values(2, 3, 4, 1), axis=-1)
    f.case("Split", x, Fixed([1, 3], np.int64), axis=2, count=2)
    f.case("Split", x, axis=3, count=3, num_outputs=3)
    f.case("Slice", x, Fixed([1, 0], np.int64), Fixed([3, -1], np.int64), Fixed([2, 3], np.int64))
    f.case("Slice", x, Fixed([-1], np.int64), Fixed([-(2**62)], np.int64), Fixed([3], np.int64), Fixed([-2], np.int64))
    f.case("Slice", x, Fixed([0], np.int64), Fixed([2**62], np.int64), Fixed([1], np.int64), Fixed([2], np.int64))
    f.case("Slice", x, Fixed([0, 1], np.int64), Fixed([1, 9], np.int64), name="first_axes")
    f.case("Gather", x, Fixed([[0, -1], [2, 1]], np.int64), axis=1)
    f.case("Gather", x, Fixed(-2, np.int64), axis=3)
    f.case("Gather", x, np.array([1, 0], np.int64), axis=0)
    f.case("Pad", x, Fixed([0, 1, 2, 0, 0, 0, 1, 3], np.int64))
    f.case("Pad", x, Fixed([1, 2], np.int64), Fixed(np.float32(4)), Fixed([-1], np.int64))
    f.case("Pad", x, Fixed([0, 0, 2, 1, 0, 0, 1, 2], np.int64), mode="reflect")
    return f


def reduction():
    f = Family("reduction")
    x = f.values(2, 3, 4, 5)
    for op in ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd"):
        f.case(op, x, Fixed([2, -1], np.int64))
        f.case(op, x, Fixed([1], np.int64), keepdims=0)
        f.case(op, x)
    f.case("ReduceSum", x, noop_with_empty_axes=1, name="noop")
    f.case("ArgMax", x, axis=1)
    f.case("ArgMin", x, axis=-1, keepdims=0)
    f.case("GlobalAveragePool", x)
    f.case("GlobalMaxPool", x)
    f.case("Softmax", x)
    f.case("Softmax", x, axis=1)
    f.case("LogSoftmax", x, axis=2)
    f.case("LogSoftmax", x)
    return f


def convolution():
    f = Family("convolution")
    x = f.values(2, 4, 7, 9)
    f.case("Conv", x, f.fixed(6, 4, 3, 3), f.fixed(6), pads=[1, 1, 1, 1])
    f.case("Conv", x, f.fixed(6, 4, 3, 2), pads=[1, 0, 2, 1], strides=[2, 3], name="uneven")
    f.case("Conv", x, f.fixed(6, 2, 3, 3), f.fixed(6), group=2, dilations=[2, 3], name="grouped")
    f.case("Conv", x, f.fixed(4, 1, 3, 3), f.fixed(4), group=4, pads=[1, 1, 1, 1], strides=[2, 2], name="depthwise")
    f.case("Conv", x, f.fixed(8, 1, 3, 3), group=4, name="multiplied")
    f.case("Conv", x, f.fixed(5, 4, 1, 1), f.fixed(5), kernel_shape=[1, 1], name="pointwise")
    f.case("Conv", x, f.fixed(5, 4, 4, 4), auto_pad="SAME_UPPER", strides=[2, 2], name="upper")
    f.case("Conv", x, f.fixed(5, 4, 4, 4), auto_pad="SAME_LOWER", strides=[1, 2], name="lower")
    f.case("Conv", x, f.fixed(5, 4, 4, 4), auto_pad="VALID", name="valid")
    f.case("Conv", x, f.values(5, 4, 3, 3), f.values(5), name="fed")
    f.case("Conv", f.values(1, 3, 11), f.fixed(4, 3, 3), f.fixed(4), pads=[2, 1], strides=[2], name="one_axis")
    f.case("ConvTranspose", x, f.fixed(4, 3, 3, 3), f.fixed(3), strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 0])
    f.case("ConvTranspose", x, f.fixed(4, 3, 2, 2), strides=[2, 2], group=2, name="transposed_groups")
    f.case("ConvTranspose", x, f.fixed(4, 1, 3, 3), group=4, dilations=[2, 1], pads=[0, 1, 2, 0], name="transposed_depthwise")
    f.case("ConvTranspose", f.values(1, 3, 5), f.fixed(3, 2, 4), strides=[3], name="transposed_one_axis")
    return f


def pooling():
    f = Family("pooling")
    x = f.values(2, 3, 7, 9)
    f.case("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    f.case("MaxPool", x, kernel_shape=[2, 3], strides=[2, 2], ceil_mode=1, name="ceil")
    f.case("MaxPool", x, kernel_shape=[2, 2], dilations=[2, 3], name="dilated")
    f.case("MaxPool", x, kernel_shape=[3, 3], auto_pad="SAME_LOWER", strides=[2, 2], name="same")
    f.case("MaxPool", f.values(1, 2, 9), kernel_shape=[3], name="one_axis")
    f.case("MaxPool", f.values(1, 2, 4, 5, 6), kernel_shape=[2, 2, 3], strides=[1, 2, 1], name="three_axes")
    f.case("AveragePool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    f.case("AveragePool", x, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1], count_include_pad=1, name="with_border")
    f.case("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1, name="average_ceil")
    f.case("AveragePool", x, kernel_shape=[2, 2], dilations=[2, 2], name="average_dilated")
    f.case("AveragePool", f.values(1, 2, 9), kernel_shape=[4], strides=[2], name="average_one_axis")
    return f


def matrices():
    f = Family("matrices")
    a, b = f.values(3, 4), f.values(4, 5)
    f.case("Gemm", a, f.fixed(5, 4), f.fixed(5), transB=1)
    f.case("Gemm", a, Fixed(b), f.fixed(3, 1), alpha=0.5, beta=2.0)
    f.case("Gemm", f.values(4, 3), b, transA=1, name="fed")
    f.case("Gemm", a, b, f.fixed(1), name="scalar")
    f.case("MatMul", a, Fixed(b))
    f.case("MatMul", f.values(2, 1, 3, 4), f.values(5, 4, 2))
    g = f.values(2, 3, 4, 5)
    f.case("BatchNormalization", g, f.fixed(3), f.fixed(3), f.fixed(3), Fixed(np.abs(f.values(3))), epsilon=0.01)
    f.case("InstanceNormalization", g, f.fixed(3), f.fixed(3))
    f.case("LayerNormalization", g, f.fixed(5), f.fixed(5))
    f.case("LayerNormalization", g, f.fixed(4, 5), axis=2, epsilon=0.1)
    return f


def resizing():
    f = Family("resizing")
    x = f.values(1, 2, 4, 5)
    scales = Fixed([1, 1, 2, 1.7], np.float32)
    sizes = Fixed([1, 2, 3, 11], np.int64)
    for coordinate in ("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners", "half_pixel_symmetric"):
        f.case("Resize", x, None, scales, mode="linear", coordinate_transformation_mode=coordinate, name="linear_" + coordinate)
        f.case("Resize", x, None, None, sizes, mode="linear", coordinate_transformation_mode=coordinate, name="sized_" + coordinate)
        f.case("Resize", x, None, scales, mode="nearest", coordinate_transformation_mode=coordinate, name="nearest_" + coordinate)
    for nearest in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
        f.case("Resize", x, None, None, sizes, mode="nearest", nearest_mode=nearest, name=nearest)
    f.case("Resize", x, None, Fixed([2, 2], np.float32), axes=[2, 3], name="axes")
    return f


def quantizing():
    """Operators that the reader cannot fold, since their scales are inputs."""
    f = Family("quantizing")
    x = f.values(2, 3, 4)
    scale = np.array([0.1, 0.02, 0.3], np.float32)
    f.case("QuantizeLinear", x, np.float32(0.05), Fixed(np.uint8(100)))
    f.case("QuantizeLinear", x, scale, Fixed([3, -5, 0], np.int8), axis=1, name="channels")
    codes = f.rng.integers(-128, 128, (2, 3, 4)).astype(np.int8)
    f.case("DequantizeLinear", codes, np.float32(0.05), Fixed(np.int8(-3)))
    f.case("DequantizeLinear", codes, scale, axis=1, name="dequantized_channels")
    return f


def early():
    """Forms of operator set 9, whose attributes became inputs later, and whose softmax takes all axes from one on."""
    f = Family("early", opset=9)
    x = f.values(2, 3, 4)
    f.case("Softmax", x)
    f.case("LogSoftmax", x, axis=0)
    f.case("Clip", x, min=-0.5, max=0.25)
    f.case("Squeeze", f.values(1, 3, 1), axes=[2])
    f.case("Unsqueeze", x, axes=[0, 2])
    f.case("Slice", x, starts=[0, 1], ends=[1, 3], axes=[0, 2])
    f.case("Split", x, axis=1, split=[1, 2], count=2)
    f.case("ReduceMean", x, axes=[1], keepdims=0)
    f.case("Pad", x, pads=[0, 1, 1, 0, 0, 2])
    f.case("Upsample", f.values(1, 2, 3, 4), Fixed([1, 1, 2, 3], np.float32), mode="nearest")
    f.case("Upsample", f.values(1, 2, 3, 4), Fixed([1, 1, 2, 2], np.float32), mode="linear")
    f.case("Dropout", x)
    return f


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
    path = os.path.join(HERE, "network.onnx")
    onnx.save(network(), path)
    kinds = {"qdq_uint8": {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8},
             "qdq_channels": {"activation_type": QuantType.QInt8, "weight_type": QuantType.QInt8, "per_channel": True},
             "qdq_int16": {"activation_type": QuantType.QInt16, "weight_type": QuantType.QInt8, "per_channel": True}}
    expected = {}
    for name in ["network", *kinds]:
        target = os.path.join(HERE, name + ".onnx")
        if name in kinds:
            quantize_static(path, target, Digits(pictures), quant_format=QuantFormat.QDQ, **kinds[name])
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = ort.InferenceSession(target, options)
        expected[name] = np.concatenate([session.run(None, {"image": picture[None]})[0] for picture in pictures[:4]])
    np.savez_compressed(os.path.join(HERE, "pictures.npz"), image=pictures[:4, None])
    results = [numpy_helper.from_array(value, name) for name, value in expected.items()]
    known = [helper.make_tensor_value_info(each.name, each.data_type, each.dims) for each in results]
    onnx.save(helper.make_model(helper.make_graph([], "scores", [], known, results), opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
              os.path.join(HERE, "network_scores.onnx"))


def main():
    os.makedirs(HERE, exist_ok=True)
    if not sys.argv[1:] or "network" in sys.argv[1:]:
        write_network()
    families = (elementwise, shapes, movement, reduction, convolution, pooling, matrices, resizing, quantizing, early)
    for family in families:
        if not sys.argv[1:] or family.__name__ in sys.argv[1:]:
            family().write()


main()
