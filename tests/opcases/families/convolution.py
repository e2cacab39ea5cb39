"""Convolutions, pooling, fully connected, matrix products."""

import numpy as np

from generator.case import each, graph_case
from generator.model import Graph
from generator.tensors import Tensor, bias, const, plain, weights, x, y

SAME, VALID = 0, 1
NONE, RELU, RELU_N1_TO_1, RELU6 = 0, 1, 2, 3
TYPES = "float int8 uint8 int16 hybrid"
INT32 = 2

# name: input, filter (out, height, width), padding, stride (h, w), dilation (h, w), activation
CONV = {
    "valid_2x3": ((2, 5, 6, 3), (4, 2, 3), VALID, (1, 1), (1, 1), NONE),
    "same_4x2": ((1, 5, 4, 2), (3, 4, 2), SAME, (1, 1), (1, 1), NONE),
    "stride_2x1_same": ((1, 6, 5, 2), (3, 3, 3), SAME, (2, 1), (1, 1), RELU),
    "stride_2x3_valid": ((2, 7, 9, 2), (2, 3, 2), VALID, (2, 3), (1, 1), RELU6),
    "dilation_2x1_same": ((1, 6, 5, 2), (2, 3, 3), SAME, (1, 1), (2, 1), NONE),
    "dilation_2x3_valid": ((1, 8, 9, 1), (3, 2, 3), VALID, (1, 1), (2, 3), RELU_N1_TO_1),
    "dilation_stride": ((1, 9, 9, 1), (2, 3, 3), VALID, (2, 2), (2, 2), NONE),
    "stride_beyond_kernel": ((1, 8, 7, 3), (2, 1, 1), SAME, (3, 2), (1, 1), NONE),
    "whole_image": ((2, 3, 4, 3), (5, 3, 4), VALID, (1, 1), (1, 1), NONE),
    "one_pixel_same": ((1, 1, 1, 4), (3, 5, 3), SAME, (2, 2), (1, 1), RELU),
}


def conv_options(padding, stride, dilation, activation):
    return dict(padding=padding, stride_h=stride[0], stride_w=stride[1], dilation_h_factor=dilation[0], dilation_w_factor=dilation[1], fused_activation_function=activation)


def conv_2d():
    for name, (shape, (out, h, w), *rest) in CONV.items():
        yield from each(TYPES, "CONV_2D", name, [x(*shape), weights(out, h, w, shape[3]), bias(out)], **conv_options(*rest))
    plain_options = conv_options(SAME, (1, 1), (1, 1), NONE)
    grouped = [x(2, 4, 4, 6), weights(9, 3, 3, 2), bias(9)]
    yield from each("float int8 int16", "CONV_2D", "groups3", grouped, **plain_options)
    yield from each("int8_tensor int16_tensor hybrid_tensor int4 int4_tensor", "CONV_2D", "types", [x(2, 4, 5, 5), weights(3, 3, 2, 5), bias(3)], **plain_options)
    yield from each("int16_bias32", "CONV_2D", "types", [x(2, 4, 5, 5), weights(3, 3, 2, 5), bias(3)], quantized_bias_type=INT32, **plain_options)
    yield from each("int8 uint8 int16", "CONV_2D", "saturates", [x(1, 4, 4, 8), weights(4, 3, 3, 8), bias(4)], [y(spans=(-0.5, 2))], **plain_options)
    uneven = weights(values=np.random.default_rng(7).uniform(-1, 1, (4, 2, 2, 3)) * np.array([0.001, 1, 50, 3]).reshape(4, 1, 1, 1))
    yield from each("int8 int16 hybrid", "CONV_2D", "uneven_channels", [x(1, 4, 4, 3), uneven, bias(4)], **plain_options)
    yield from each("float", "CONV_2D", "no_batch", [x(0, 4, 4, 2), weights(3, 2, 2, 2), bias(3)], **plain_options)


def depthwise():
    for name, (shape, (_, h, w), *rest) in CONV.items():
        channels = shape[3]
        yield from each(TYPES, "DEPTHWISE_CONV_2D", name, [x(*shape), weights(1, h, w, channels, axis=3), bias(channels)], depth_multiplier=1, **conv_options(*rest))
    options = conv_options(SAME, (1, 1), (1, 1), NONE)
    for multiplier in (3, 4):
        filter = weights(1, 3, 2, 2 * multiplier, axis=3)
        yield from each("float int8 uint8 int16 hybrid", "DEPTHWISE_CONV_2D", f"multiplier{multiplier}", [x(2, 4, 5, 2), filter, bias(2 * multiplier)], depth_multiplier=multiplier, **options)
    yield from each("int8_tensor int16_tensor hybrid_tensor", "DEPTHWISE_CONV_2D", "types", [x(1, 4, 5, 5), weights(1, 3, 3, 5, axis=3), bias(5)], depth_multiplier=1, **options)
    yield from each("uint8 int16", "DEPTHWISE_CONV_2D", "without_bias", [x(1, 4, 5, 5), weights(1, 3, 3, 5, axis=3)], depth_multiplier=1, **options)
    yield from each("float int8", "DEPTHWISE_CONV_2D", "many_channels", [x(1, 3, 3, 37), weights(1, 3, 3, 37, axis=3), bias(37)], depth_multiplier=1, **options)


# name: input, filter (out, h, w), output, padding, stride, activation
TRANSPOSED = {
    "same_stride2x3": ((2, 3, 2, 3), (4, 3, 3), (2, 6, 6, 4), SAME, (2, 3), NONE),
    "valid_stride1": ((1, 3, 4, 2), (3, 2, 3), (1, 4, 6, 3), VALID, (1, 1), NONE),
    "kernel_4x1": ((1, 4, 3, 2), (2, 4, 1), (1, 8, 6, 2), SAME, (2, 2), NONE),
    "valid_odd": ((2, 2, 3, 2), (3, 3, 2), (2, 5, 7, 3), VALID, (2, 2), RELU),
    "relu6": ((1, 3, 3, 4), (2, 3, 3), (1, 6, 6, 2), SAME, (2, 2), RELU6),
}


def transpose_conv():
    for name, (shape, (out, h, w), size, padding, stride, activation) in TRANSPOSED.items():
        options = dict(padding=padding, stride_h=stride[0], stride_w=stride[1], fused_activation_function=activation)
        schemes = "float int8 uint8 int16"
        yield from each(schemes, "TRANSPOSE_CONV", name, [plain(size), weights(out, h, w, shape[3]), x(*shape), bias(out)], **options)
    options = dict(padding=SAME, stride_h=2, stride_w=1)
    yield from each("float int8_tensor int16_tensor", "TRANSPOSE_CONV", "without_bias", [plain((1, 4, 5, 2)), weights(2, 3, 2, 3), x(1, 2, 5, 3)], **options)
    yield from each("int16_bias32", "TRANSPOSE_CONV", "bias32", [plain((1, 4, 5, 2)), weights(2, 3, 2, 3), x(1, 2, 5, 3), bias(2)], quantized_bias_type=INT32, **options)


def conv_3d():
    cases_3d = {
        "valid": ((2, 3, 4, 5, 2), (2, 2, 3, 2, 3), VALID, (1, 1, 1), (1, 1, 1), NONE),
        "same_stride2": ((1, 4, 5, 3, 2), (3, 2, 3, 2, 2), SAME, (2, 2, 2), (1, 1, 1), RELU),
        "dilation_1x2x2": ((1, 3, 6, 6, 1), (2, 2, 2, 1, 3), SAME, (1, 1, 1), (1, 2, 2), RELU6),
        "same_even": ((1, 2, 3, 4, 1), (2, 4, 2, 1, 2), SAME, (1, 2, 1), (1, 1, 1), RELU_N1_TO_1),
    }
    for name, (shape, filter, padding, stride, dilation, activation) in cases_3d.items():
        options = dict(padding=padding, stride_d=stride[0], stride_h=stride[1], stride_w=stride[2], fused_activation_function=activation,
                       dilation_d_factor=dilation[0], dilation_h_factor=dilation[1], dilation_w_factor=dilation[2])
        yield from each("float", "CONV_3D", name, [x(*shape), weights(*filter), bias(filter[4])], **options)
    yield from each("float", "CONV_3D", "without_bias", [x(1, 3, 3, 3, 2), weights(2, 2, 2, 2, 2)], padding=VALID, stride_d=1, stride_h=1, stride_w=1)
    transposed = {
        "same_stride2": ((1, 2, 2, 3, 3), (2, 3, 2, 2, 3), (1, 4, 4, 6, 2), SAME, (2, 2, 2)),
        "valid_batch2": ((2, 2, 2, 2, 1), (2, 2, 2, 3, 1), (2, 3, 3, 3, 3), VALID, (1, 1, 1)),
        "same_stride_3x1x2": ((1, 2, 3, 2, 2), (3, 2, 3, 1, 2), (1, 6, 3, 4, 1), SAME, (3, 1, 2)),
    }
    for name, (shape, filter, size, padding, stride) in transposed.items():
        options = dict(padding=padding, stride_d=stride[0], stride_h=stride[1], stride_w=stride[2])
        yield from each("float", "CONV_3D_TRANSPOSE", name, [plain(size), weights(*filter), x(*shape), bias(filter[3])], **options)
        yield from each("float", "CONV_3D_TRANSPOSE", f"{name}_without_bias", [plain(size), weights(*filter), x(*shape)], **options)


POOLS = {
    "valid_2x3": ((2, 5, 7, 3), (2, 3), VALID, (1, 1), NONE), "same_4x4": ((1, 5, 6, 2), (4, 4), SAME, (2, 3), NONE),
    "same_3x1": ((2, 4, 4, 1), (3, 1), SAME, (1, 2), RELU), "valid_relu6": ((1, 6, 6, 4), (3, 3), VALID, (3, 3), RELU6),
    "same_n1_to_1": ((1, 5, 5, 2), (2, 2), SAME, (2, 2), RELU_N1_TO_1), "beyond_image": ((1, 2, 3, 2), (5, 5), SAME, (1, 1), NONE),
    "one_by_one": ((1, 3, 3, 5), (1, 1), VALID, (2, 2), NONE),
}


def pooling():
    for op, schemes in {"AVERAGE_POOL_2D": "float int8 uint8 int16", "MAX_POOL_2D": "float int8 uint8 int16", "L2_POOL_2D": "float"}.items():
        for name, (shape, (h, w), padding, stride, activation) in POOLS.items():
            options = dict(padding=padding, filter_height=h, filter_width=w, stride_h=stride[0], stride_w=stride[1], fused_activation_function=activation)
            source = x(*shape)
            yield from each(schemes, op, name, [source], [y(like=source)] if activation == NONE else None, **options)


def fully_connected():
    op = "FULLY_CONNECTED"
    for name, code in {"relu": RELU, "n1_to_1": RELU_N1_TO_1, "relu6": RELU6}.items():
        yield from each(TYPES, op, name, [x(3, 7), weights(5, 7), bias(5)], fused_activation_function=code)
    every = "float int8 int8_tensor uint8 int16 int16_tensor hybrid hybrid_tensor hybrid_int4 hybrid_int4_tensor int4"
    yield from each(every, op, "batch2", [x(2, 10), weights(6, 10), bias(6)])
    yield from each("float int8 uint8 int16 hybrid", op, "without_bias", [x(4, 6), weights(3, 6), None])
    yield from each("float int8 int16 hybrid", op, "rank4_kept", [x(2, 1, 3, 4), weights(5, 4), bias(5)], keep_num_dims=True)
    yield from each("float int8", op, "rank4_flattened", [x(2, 1, 3, 4), weights(5, 4), bias(5)])
    yield from each("float int8", op, "rank1", [x(6), weights(4, 6), bias(4)])
    yield from each("hybrid hybrid_tensor hybrid_int4_tensor", op, "asymmetric", [x(3, 8, low=0.5, high=4), weights(5, 8), bias(5)], asymmetric_quantize_inputs=True)
    yield from each("hybrid", op, "zero_row", [x(values=[[0, 0, 0, 0], [1, -2, 0.5, 4]]), weights(3, 4), bias(3)])
    yield from each("hybrid", op, "zero_row_asymmetric", [x(values=[[0, 0, 0, 0], [1, -2, 0.5, 4]]), weights(3, 4), bias(3)], asymmetric_quantize_inputs=True)
    yield from each("int16_bias32", op, "bias32", [x(2, 9), weights(3, 9), bias(3)], quantized_bias_type=INT32)
    yield from each("int4 hybrid_int4_tensor", op, "odd_rows", [x(3, 5), weights(3, 5), bias(3)])
    yield from each("float int8", op, "one_by_one", [x(1, 1), weights(1, 1), bias(1)])
    yield from each("float", op, "no_batch", [x(0, 4), weights(3, 4), bias(3)])
    yield from each("int8 uint8", op, "saturates", [x(4, 12), weights(6, 12), bias(6)], [y(spans=(-1, 2))])
    second = x(4, 6, low=-1, high=1)
    yield from each("float int8", op, "weights_input", [x(3, 6), second, None])
    scales = Tensor("const", (4, 2), use="plain", type="float16", low=0.02, high=0.2)
    blocks = Tensor("const", (4, 64), use="plain", type="int4", low=-7, high=7, block=32, block_scales=scales)


def matmul():
    op = "BATCH_MATMUL"
    shapes = {"rank3": ((2, 3, 4), (2, 4, 5)), "broadcast": ((1, 2, 3, 4), (3, 1, 4, 2)), "left_row": ((1, 6), (6, 3)), "rank4_rank2": ((2, 2, 3, 4), (4, 3))}
    for name, (a, b) in shapes.items():
        for adj_x, adj_y in ((False, False), (True, False), (False, True), (True, True)):
            first = (*a[:-2], a[-1], a[-2]) if adj_x else a
            second = (*b[:-2], b[-1], b[-2]) if adj_y else b
            suffix = ("_adj_x" if adj_x else "") + ("_adj_y" if adj_y else "")
            yield from each("float int8 int16" if name == "rank3" else "float int8", op, name + suffix, [x(*first), x(*second)], adj_x=adj_x, adj_y=adj_y)
    yield from each("float int8", op, "const_right", [x(3, 2, 4), const(shape=(3, 4, 5))])
    yield from each("float int8 int16", op, "const_left", [const(shape=(2, 5, 4)), x(2, 4, 3)])
    for asymmetric in (False, True):
        name = "asymmetric" if asymmetric else "symmetric"
        yield from each("hybrid_tensor", op, f"{name}_adj_y", [x(2, 3, 8, low=-1, high=4), weights(2, 5, 8)], adj_y=True, asymmetric_quantize_inputs=asymmetric)
        yield from each("hybrid_tensor", op, name, [x(2, 3, 8, low=-1, high=4), weights(2, 8, 5)], asymmetric_quantize_inputs=asymmetric)
    yield from each("int8", op, "saturates", [x(2, 6, 8), x(2, 8, 3)], [y(spans=(-2, 5))])


def chains():
    for scheme in ("int8", "int16"):
        graph = Graph()
        a = graph.op("CONV_2D", [x(1, 6, 6, 2), weights(4, 3, 3, 2), bias(4)], y(), **conv_options(SAME, (1, 1), (1, 1), RELU))
        b = graph.op("DEPTHWISE_CONV_2D", [a, weights(1, 3, 3, 4, axis=3), bias(4)], y(), depth_multiplier=1, **conv_options(SAME, (2, 2), (1, 1), NONE))
        c = graph.op("AVERAGE_POOL_2D", [b], y(like=b), padding=VALID, filter_height=3, filter_width=3, stride_h=1, stride_w=1)
        graph.outputs = [graph.op("FULLY_CONNECTED", [c, weights(3, 4), bias(3)], y())]
        yield graph_case("CONV_2D+DEPTHWISE_CONV_2D+AVERAGE_POOL_2D+FULLY_CONNECTED", "network", graph, scheme)


def cases():
    for part in (conv_2d, depthwise, transpose_conv, conv_3d, pooling, fully_connected, matmul, chains):
        yield from part()
