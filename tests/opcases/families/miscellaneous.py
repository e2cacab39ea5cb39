"""Non-maximum suppression, random numbers, Fourier transform and complex numbers, hashing, custom operators, blockwise weights, inputs whose
shape changes."""

import numpy as np
from flatbuffers import flexbuffers

from generator.case import each, graph_case
from generator.model import Graph
from generator.tensors import Tensor, bias, const, plain, plain_input, plain_y, weights, x, y


def suppression():
    rng = np.random.default_rng(5)
    corners = [np.float32(np.concatenate([c := rng.uniform(0, 4, (12, 2)), c + rng.uniform(0.3, 3, (12, 2))], axis=1)) for _ in range(2)]
    corners[1][:4] = corners[1][:4, [2, 3, 0, 1]]  # any two opposite corners are allowed
    scores = [np.float32(rng.permutation(12) / 12) for _ in range(2)]
    for name, most, overlap, least in (("few", 4, 0.3, 0.2), ("all", 12, 0.9, -1.0), ("none_overlap", 12, 0.0, 0.0), ("none_good", 3, 0.5, 2.0)):
        inputs = [x(records=corners), x(records=scores), plain(most), plain(overlap, "float32"), plain(least, "float32")]
        yield from each("float", "NON_MAX_SUPPRESSION_V4", name, inputs, [plain_y("int32"), plain_y("int32")])
        for sigma in (0.0, 0.3):
            yield from each("float", "NON_MAX_SUPPRESSION_V5", f"{name}_sigma{sigma}", [*inputs, plain(sigma, "float32")], [plain_y("int32"), y(), plain_y("int32")])
    most = plain_input("int32", records=[np.array(3), np.array(6)])
    inputs = [x(records=corners), x(records=scores), most, plain(0.5, "float32"), plain(0.0, "float32")]
    yield from each("float", "NON_MAX_SUPPRESSION_V4", "size_input", inputs, [plain_y("int32"), plain_y("int32")])


def random_numbers():
    for seeds in ((7, 9), (0, 3), (123456, 0)):
        for op in ("RANDOM_UNIFORM", "RANDOM_STANDARD_NORMAL"):
            for shape in ((2, 3), (9,)):
                yield from each("float", op, f"seed{seeds[0]}_{seeds[1]}_rank{len(shape)}", [plain_input("int32", records=[np.array(shape)] * 2)], seed=seeds[0], seed2=seeds[1])
        for out in ("int32", "int64"):
            yield from each("float", "MULTINOMIAL", f"seed{seeds[0]}_{seeds[1]}_{out}", [x(3, 4), plain(6)], [plain_y(out)], seed=seeds[0], seed2=seeds[1])


def complex_numbers():
    for name, shape, size in (("whole", (2, 4, 8), (4, 8)), ("longer", (3, 5), (4, 16)), ("shorter", (5, 9), (2, 4)), ("row", (1, 12), (1, 8)), ("column", (8, 2), (8, 2)), ("one", (2, 2), (1, 1))):
        graph = Graph()
        spectrum = graph.op("RFFT2D", [x(*shape), plain(size)], plain_y("complex64"))
        graph.outputs = [graph.op(op, [spectrum], plain_y("float32")) for op in ("REAL", "IMAG", "COMPLEX_ABS")]
        yield graph_case("RFFT2D+REAL+IMAG+COMPLEX_ABS", name, graph)
    graph = Graph()
    numbers = graph.op("CAST", [x(2, 3)], plain_y("complex64"), in_data_type=0, out_data_type=8)
    graph.outputs = [graph.op(op, [numbers], plain_y("float32")) for op in ("REAL", "IMAG", "COMPLEX_ABS")]
    yield graph_case("REAL+IMAG+COMPLEX_ABS", "of_cast", graph)


def hashing():
    seeds = const(np.float32([[0.3, -1.2, 2.0], [0.1, 5.5, -0.7]]))
    for type in ("int32", "float32", "int64"):
        for kind, name in ((1, "sparse"), (2, "dense")):
            items = plain_input(type, 4, 2, low=-90, high=90)
            yield from each("float", "LSH_PROJECTION", f"{name}_{type}", [seeds, items], [plain_y("int32")], type=kind)
            weighted = [seeds, items, const([0.5, 2.0, 1.0, 0.25])]
            yield from each("float", "LSH_PROJECTION", f"{name}_{type}_weighted", weighted, [plain_y("int32")], type=kind)


def detections():
    rng = np.random.default_rng(8)
    anchors = const(np.float32(np.concatenate([rng.uniform(0, 1, (10, 2)), rng.uniform(0.2, 0.5, (10, 2))], axis=1)))
    for name, regular, classes, detections in (("fast", False, 3, 4), ("fast_two_per_box", False, 3, 6), ("regular", True, 2, 5)):
        options = dict(max_detections=detections, max_classes_per_detection=2 if "two" in name else 1, detections_per_class=3, use_regular_nms=regular, num_classes=classes,
                       nms_score_threshold=0.15, nms_iou_threshold=0.4, y_scale=10.0, x_scale=10.0, h_scale=5.0, w_scale=5.0)
        inputs = [x(1, 10, 4, low=-1, high=1), x(1, 10, classes + 1, low=0, high=1), anchors]
        yield from each("float", "TFLite_Detection_PostProcess", name, inputs, [y() for _ in range(4)], custom=bytes(flexbuffers.Dumps(options)))
    reference = x(4, 5, low=-1, high=2)
    options = bytes(flexbuffers.Dumps(dict(tolerance=5.0, log_if_failed=False)))
    yield from each("int8 uint8", "NumericVerify", "rank2", [reference, plain_input("float32", 4, 5)], [plain_y("float32")], custom=options, twin=False)


def blockwise(rows, columns, block):
    """int4 weights with a float16 scale per block of a row."""
    rng = np.random.default_rng(rows)
    stored = rng.integers(-7, 8, (rows, columns)).astype(np.int8)
    scales = rng.uniform(0.02, 0.2, (rows, columns // block)).astype(np.float16)
    tensor = Tensor("const", stored.shape, use="plain", type="int4", block=block, block_scales=plain(scales, "float16"))
    tensor.stored, tensor.real = stored, (stored * np.repeat(scales.astype(np.float32), block, axis=1)).astype(np.float32)
    return tensor


def blocks():
    for name, rows, columns, batch in (("batch1", 8, 32, 1), ("batch2", 4, 96, 2), ("batch5", 12, 64, 5)):
        yield from each("hybrid", "FULLY_CONNECTED", f"blockwise_{name}", [x(batch, columns), blockwise(rows, columns, 32), None], resolver="optimized")


def changing_shapes():
    def changing(*shapes, **more):
        rng = np.random.default_rng(len(shapes[0]))
        records = [np.float32(rng.uniform(-2, 2, s)) for s in shapes]
        return x(records=records, signature=tuple(-1 if a != b else a for a, b in zip(*shapes)), **more)

    yield from each("float", "ADD", "changing_shape", [changing((2, 3), (4, 3)), const(shape=(3,))])
    yield from each("float int8", "CONV_2D", "changing_shape", [changing((1, 4, 5, 2), (3, 6, 5, 2)), weights(3, 3, 3, 2), bias(3)], padding=0, stride_h=2, stride_w=1)
    yield from each("float", "RESHAPE", "changing_shape", [changing((2, 6), (5, 6)), plain([-1, 3])], new_shape=[-1, 3])
    graph = Graph()
    source = changing((2, 3, 4), (3, 3, 4))
    rows = graph.op("SLICE", [source, plain([1, 0, 0]), plain([-1, 2, 3])], y())
    total = graph.op("MEAN", [rows, plain([0])], y(), keep_dims=False)
    graph.outputs = [graph.op("SOFTMAX", [total], y(), beta=1.0), graph.op("SHAPE", [rows], plain_y("int32"), out_type=2)]
    yield graph_case("SLICE+MEAN+SOFTMAX", "changing_shape", graph)


def cases():
    for part in (suppression, random_numbers, complex_numbers, hashing, detections, blocks, changing_shapes):
        yield from part()
