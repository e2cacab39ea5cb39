"""Operators that move, select or repeat elements."""

import numpy as np

from generator.case import each, graph_case
from generator.model import Graph
from generator.tensors import const, plain, plain_input, plain_y, x, y

ALL = "float int8 uint8 int16"
INTEGERS = ("int32", "int64")


def moving(op, name, inputs, schemes=ALL, outputs=None, **options):
    """`inputs` name what moves by None."""
    yield from each(schemes, op, name, inputs, outputs, moves=True, **options)


def typed(op, name, types, shape, others=(), count=1, first=False, **options):
    """The same on types that are never quantized."""
    for type in types:
        source = plain_input(type, *shape, low=0 if type[0] == "u" else -50, high=50)
        inputs = [*others, source] if first else [source, *others]
        yield from each("float", op, f"{name}_of_{type}", inputs, [plain_y(type) for _ in range(count)], **options)


def reshaping():
    yield from moving("RESHAPE", "to_rank1", [x(2, 3, 4), plain([24])], new_shape=[24])
    yield from moving("RESHAPE", "minus_one_first", [x(2, 3, 4), plain([-1, 6])], "float int8", new_shape=[-1, 6])
    yield from moving("RESHAPE", "to_rank0", [x(1, 1), plain(np.zeros(0, np.int32))], "float int8")
    yield from moving("RESHAPE", "options_only", [x(4, 3)], "float int8", new_shape=[2, -1, 3])
    yield from moving("RESHAPE", "no_elements", [x(0, 3), plain([3, 0])], "float")
    yield from typed("RESHAPE", "rank5", ("bool", "int8", "int16", *INTEGERS), (4, 3), [plain([1, 2, 2, 1, 3])])
    yield from moving("RESHAPE", "shape_input", [x(2, 6), plain_input("int32", records=[np.array([3, 4]), np.array([-1, 2])])], "float int8")
    yield from moving("SQUEEZE", "all", [x(1, 3, 1, 2, 1)])
    yield from moving("SQUEEZE", "negative", [x(1, 3, 1, 2, 1)], "float int8", squeeze_dims=[-1, 0])
    yield from moving("SQUEEZE", "to_rank0", [x(1, 1, 1)], "float")
    yield from typed("SQUEEZE", "one", INTEGERS, (2, 1, 3, 1), squeeze_dims=[1])
    for axis in (0, 2, -1, -3):
        yield from moving("EXPAND_DIMS", f"axis{axis}", [x(2, 5), plain(axis)], ALL if axis == -1 else "float int8")
    yield from moving("EXPAND_DIMS", "rank0", [x(), plain([0])], "float")
    yield from typed("EXPAND_DIMS", "i64_axis", INTEGERS, (3, 2), [plain(-2, "int64")])


def slicing():
    yield from moving("SLICE", "rank3", [x(4, 5, 6), plain([1, 0, 2]), plain([2, 5, 3])])
    yield from moving("SLICE", "rank5", [x(2, 3, 2, 4, 3), plain([0, 1, 0, 1, 2]), plain([2, -1, 1, 2, -1])], "float int8")
    yield from moving("SLICE", "empty", [x(4, 5), plain([4, 0]), plain([0, 5])], "float")
    yield from moving("SLICE", "i64_rank4", [x(2, 3, 4, 2), plain([0, 1, 3, 0], "int64"), plain([-1, 2, 1, 2], "int64")], "float int16")
    yield from moving("SLICE", "begin_input", [x(5, 4), plain_input("int32", records=[np.array([0, 1]), np.array([3, 2])]), plain([-1, 2])], "float int8")
    yield from typed("SLICE", "rank2", ("bool", "uint8", *INTEGERS), (4, 6), [plain([1, 2]), plain([2, 3])])
    words = plain_input("string", 2, 3, records=[np.array([[b"a", b"bb", b""], [b"d", b"e", b"f"]], object), np.array([[b"x", b"y", b"z"], [b"", b"1", b"22"]], object)])
    yield from each("float", "SLICE", "strings", [words, plain([0, 1]), plain([2, 2])], [plain_y("string")])
    # name: shape, begin, end, strides, masks (begin, end, ellipsis, new axis, shrink)
    strided = {
        "step2": ((5, 7), (0, 1), (5, 7), (2, 3), {}),
        "begin_mask": ((4, 5), (3, 2), (4, 4), (1, 1), {"begin_mask": 1}),
        "both_masks": ((4, 5, 3), (2, 2, 1), (3, 3, 2), (1, 2, 1), {"begin_mask": 5, "end_mask": 2}),
        "negative_step_all": ((4, 5), (-1, -1), (-6, -6), (-1, -2), {}),
        "negative_step_end_mask": ((4, 5), (2, 4), (0, 0), (-1, -1), {"end_mask": 3}),
        "out_of_range": ((3, 4), (-9, 1), (9, 99), (1, 1), {}),
        "empty": ((3, 4), (2, 0), (1, 4), (1, 1), {}),
        "shrink_negative": ((3, 4, 2), (-1, 0, 0), (0, 4, 2), (1, 1, 1), {"shrink_axis_mask": 1}),
        "shrink_two": ((3, 4, 2), (1, 0, 1), (2, 4, 2), (1, 1, 1), {"shrink_axis_mask": 5}),
        "new_axis_first": ((3, 4), (0, 1, 0), (0, 3, 4), (1, 1, 1), {"new_axis_mask": 1}),
        "new_axis_last": ((3, 4), (1, 0, 0), (3, 4, 0), (1, 2, 1), {"new_axis_mask": 4}),
        "ellipsis_front": ((2, 3, 4, 2), (0, 1), (0, 2), (1, 1), {"ellipsis_mask": 1}),
        "ellipsis_middle": ((2, 3, 4, 2), (1, 0, 1), (2, 0, 2), (1, 1, 1), {"ellipsis_mask": 2}),
        "ellipsis_last": ((2, 3, 4), (1, 0), (2, 0), (1, 1), {"ellipsis_mask": 2, "shrink_axis_mask": 1}),
        "ellipsis_new_axis": ((2, 3, 4), (0, 0, 1), (0, 0, 3), (1, 1, 1), {"ellipsis_mask": 1, "new_axis_mask": 2}),
        "offset_negative": ((6, 6), (-4, 1), (2, 3), (1, 1), {"offset": True}),
        "rank1_fewer": ((4, 3, 2), (1,), (-1,), (1,), {}),
        "rank5": ((2, 2, 3, 2, 4), (0, 1, 0, 0, 1), (2, 2, 3, 2, 4), (1, 1, 2, 1, 2), {}),
    }
    for name, (shape, begin, end, strides, masks) in strided.items():
        indices = [plain(begin), plain(end), plain(strides)]
        yield from moving("STRIDED_SLICE", name, [x(*shape), *indices], ALL if name == "step2" else "float int8", **masks)
    yield from typed("STRIDED_SLICE", "step2", ("int8", "uint8", "int16", "bool", *INTEGERS), (5, 4), [plain([0, 1]), plain([5, 4]), plain([2, 2])])
    yield from moving("STRIDED_SLICE", "end_input", [x(5, 4), plain([0, 0]), plain_input("int32", records=[np.array([2, 4]), np.array([5, 3])]), plain([1, 1])], "float int8")
    yield from moving("DYNAMIC_UPDATE_SLICE", "rank3", [x(3, 4, 2), x(1, 2, 2), plain([1, 1, 0])], "float")
    one = x(4, 5)
    yield from moving("DYNAMIC_UPDATE_SLICE", "start_from_data", [one, x(2, 2, like=one), plain_input("int32", records=[np.array([1, 1]), np.array([3, -2])])], "float int8")
    for type in ("int8", "bool", *INTEGERS):
        yield from each("float", "DYNAMIC_UPDATE_SLICE", type, [plain_input(type, 4, 5, high=1), plain_input(type, 2, 3, high=1), plain([2, 1], "int64")], [plain_y(type)])


def joining():
    for axis in (0, 1, -1):
        first = x(2, 3, 4)
        more = {0: (1, 3, 4), 1: (2, 2, 4), -1: (2, 3, 5)}[axis]
        yield from moving("CONCATENATION", f"axis{axis}", [first, x(*more, like=first)], ALL, axis=axis)
    yield from each("uint8", "CONCATENATION", "other_scales", [x(2, 3), x(2, 4, low=-1, high=6), x(2, 1, low=0, high=1)], [y(spans=(-3, 6))], axis=1)
    one = x(3, 4)
    yield from moving("CONCATENATION", "one_input", [one], "float int8", axis=0)
    yield from moving("CONCATENATION", "with_empty", [x(3, 4), x(0, 4)], "float", axis=0)
    yield from moving("CONCATENATION", "const_first", [const(shape=(2, 2)), x(2, 3)], "float", axis=-1)
    for type in ("bool", "int8", "uint8", "int16", *INTEGERS):
        yield from each("float", "CONCATENATION", type, [plain_input(type, 2, 3, high=1), plain_input(type, 2, 1, high=1)], [plain_y(type)], axis=1)
    for axis in (0, 1, 2, -1):
        first = x(3, 4)
        yield from moving("PACK", f"axis{axis}", [first, x(3, 4, like=first), x(3, 4, like=first)], ALL if axis == 1 else "float int8", values_count=3, axis=axis)
    for type in ("int8", "uint8", "int16", *INTEGERS):
        yield from each("float", "PACK", type, [plain_input(type, 2), plain_input(type, 2)], [plain_y(type)], values_count=2, axis=0)
    for axis, count in ((0, 2), (1, 3), (-1, 4), (-2, 3)):
        source = x(2, 3, 4)
        yield from moving("UNPACK", f"axis{axis}", [source], ALL if axis == 1 else "float int8", [y(like=source) for _ in range(count)], num=count, axis=axis)
    yield from typed("UNPACK", "rank1", ("bool", "int8", "uint8", "int16", "int32"), (3,), count=3, num=3, axis=0)
    for axis, count in ((0, 2), (1, 3), (-1, 2)):
        source = x(4, 3, 2)
        yield from moving("SPLIT", f"axis{axis}", [plain(axis), source], ALL if axis == 1 else "float int8", [y(like=source) for _ in range(count)], num_splits=count)
    yield from typed("SPLIT", "middle", ("int8", "uint8", "int16", *INTEGERS), (2, 4), [plain(1)], 2, True, num_splits=2)
    for name, axis, sizes in (("axis0", 0, (1, 3)), ("last", 2, (2, 1, 2)), ("negative_minus_one", -2, (1, -1, 1))):
        source = x(4, 4, 5)
        yield from moving("SPLIT_V", name, [source, plain(sizes), plain(axis)], ALL if axis == 2 else "float int8", [y(like=source) for _ in sizes], num_splits=len(sizes))
    yield from typed("SPLIT_V", "i64_sizes", ("int8", "uint8", "int16", *INTEGERS), (2, 5), [plain((2, 3), "int64"), plain(1)], 2, num_splits=2)


def gathering():
    indices = [2, 0, 2, 1]
    for axis in (0, 1, 2, -1, -3):
        yield from moving("GATHER", f"axis{axis}", [x(3, 4, 5), plain(indices)], ALL if axis == 2 else "float int8", axis=axis)
    yield from moving("GATHER", "rank0_index", [x(3, 4), plain(1)], "float int8", axis=1)
    yield from moving("GATHER", "batch1", [x(2, 3, 4), plain([[0, 2], [1, 1]])], "float int8", axis=1, batch_dims=1)
    yield from moving("GATHER", "batch1_later_axis", [x(2, 3, 4), plain([[0, 3], [1, 1]])], "float int8", axis=2, batch_dims=1)
    yield from moving("GATHER", "batch2", [x(2, 2, 4), plain([[[0, 3], [1, 1]], [[2, 2], [0, 1]]])], "float", axis=2, batch_dims=2)
    yield from moving("GATHER", "no_indices", [x(3, 4), plain(np.zeros(0, np.int32))], "float", axis=0)
    yield from moving("GATHER", "i16_indices", [x(3, 4), plain([2, 0], "int16")], "float int8", axis=0)
    yield from typed("GATHER", "rank2_indices", ("bool", "int8", "uint8", "int16", *INTEGERS), (5, 2), [plain([[0, 4], [3, 3]], "int64")], axis=0)
    yield from moving("GATHER_ND", "rows_of_rank3", [x(3, 4, 5), plain([[2, 1], [0, 3]])])
    yield from moving("GATHER_ND", "scalars", [x(3, 4), plain([[[2, 1]], [[0, 3]]])], "float int8")
    yield from moving("GATHER_ND", "whole", [x(3, 4), plain(np.zeros((2, 0), np.int32))], "float")
    yield from moving("GATHER_ND", "index_input", [x(5, 2), plain_input("int64", 3, 1, high=4)], "float int8")
    yield from typed("GATHER_ND", "i16_index", ("bool", "int8", "uint8", "int16", *INTEGERS), (4, 3), [plain([[1, 2], [3, 0]], "int16")])
    for op in ("TILE",):
        yield from moving(op, "rank2", [x(2, 3), plain([2, 3])], "float int8")
        yield from moving(op, "rank4", [x(1, 2, 1, 3), plain([2, 1, 3, 1], "int64")], "float")
        yield from moving(op, "zero", [x(2, 3), plain([0, 2])], "float")
        yield from typed(op, "rank3", ("bool", *INTEGERS), (1, 2, 2), [plain([3, 1, 2])])
    yield from moving("BROADCAST_TO", "rank2_to_4", [x(3, 1), plain([2, 1, 3, 4])])
    yield from moving("BROADCAST_TO", "rank0", [x(), plain([2, 3])], "float")
    yield from moving("BROADCAST_TO", "shape_input", [x(1, 3), plain_input("int64", records=[np.array([2, 3]), np.array([4, 3])])], "float int8")
    yield from typed("BROADCAST_TO", "row", ("bool", "uint8", "int16", *INTEGERS), (3,), [plain([2, 3], "int64")])


def transposing():
    for name, shape, order in (("rank3", (2, 3, 4), (2, 0, 1)), ("rank4", (2, 3, 1, 4), (3, 1, 0, 2)), ("rank6", (1, 2, 3, 1, 2, 2), (5, 3, 1, 0, 4, 2)), ("rank1", (5,), (0,))):
        yield from moving("TRANSPOSE", name, [x(*shape), plain(order)], ALL if name == "rank4" else "float int8")
    yield from moving("TRANSPOSE", "negative", [x(2, 3, 4), plain((-1, 0, -2))], "float int8")
    yield from moving("TRANSPOSE", "no_elements", [x(2, 0, 4), plain((2, 0, 1))], "float")
    yield from typed("TRANSPOSE", "rank3", ("bool", "uint8", "int8", "int16", *INTEGERS), (2, 3, 2), [plain((1, 2, 0))])
    yield from moving("REVERSE_V2", "rank3_last", [x(2, 3, 4), plain([2])])
    yield from moving("REVERSE_V2", "rank4_middle", [x(2, 3, 4, 2), plain([1, 2])], "float int8")
    yield from moving("REVERSE_V2", "all", [x(2, 3), plain([0, 1])], "float int8")
    yield from typed("REVERSE_V2", "rank2", ("bool", "uint8", "int16", *INTEGERS), (3, 4), [plain([1])])
    for seq, batch in ((1, 0), (0, 1), (2, 0), (1, 3)):
        shape = (3, 4, 2, 2)
        lengths = plain(np.resize([2, 1, 2, 2], shape[batch]))
        yield from moving("REVERSE_SEQUENCE", f"seq{seq}_batch{batch}", [x(*shape), lengths], "float uint8" if batch == 0 else "float", seq_dim=seq, batch_dim=batch)
    yield from typed("REVERSE_SEQUENCE", "i64_lengths", ("uint8", "int16", *INTEGERS), (2, 5), [plain([0, 4], "int64")], seq_dim=1, batch_dim=0)


def padding():
    pads = {"rank1": ((6,), [[2, 1]]), "rank3": ((2, 3, 2), [[0, 1], [2, 0], [1, 1]]), "rank4_batch": ((1, 2, 3, 2), [[1, 0], [0, 2], [1, 1], [0, 3]]), "nothing": ((2, 3), [[0, 0], [0, 0]])}
    for name, (shape, amounts) in pads.items():
        yield from moving("PAD", name, [x(*shape), plain(amounts)], ALL if name == "rank3" else "float int8")
        source = x(*shape)
        yield from moving("PADV2", name, [source, plain(amounts), const(1.5, like=source)], ALL if name == "rank3" else "float int8", [y(like=source)])
    yield from moving("PAD", "i64", [x(2, 3), plain([[1, 2], [0, 1]], "int64")], "float int16")
    yield from moving("PAD", "pads_input", [x(2, 2), plain_input("int32", records=[np.array([[1, 0], [0, 1]]), np.array([[0, 0], [2, 2]])])], "float int8")
    yield from typed("PAD", "rank2", ("bool", *INTEGERS), (2, 3), [plain([[1, 0], [0, 2]])])
    for type in INTEGERS:
        yield from each("float", "PADV2", type, [plain_input(type, 2, 3), plain([[1, 0], [0, 2]]), plain(-7, type)], [plain_y(type)])
    for mode, name in ((0, "reflect"), (1, "symmetric")):
        yield from moving("MIRROR_PAD", f"{name}_rank3", [x(3, 4, 3), plain([[1, 2], [0, 3], [2, 0]])], "float int8 uint8 int16", mode=mode)
        yield from moving("MIRROR_PAD", f"{name}_rank1", [x(5), plain([[4, 3]], "int64")], "float int8", mode=mode)
        yield from typed("MIRROR_PAD", name, INTEGERS, (3, 3), [plain([[2, 1], [1, 2]])], mode=mode)


def blocks():
    for block in (2, 3):
        yield from moving("SPACE_TO_DEPTH", f"batch2_block{block}", [x(2, 2 * block, block, 3)], "float int8 uint8", block_size=block)
        yield from moving("DEPTH_TO_SPACE", f"batch2_block{block}", [x(2, 2, 3, 2 * block * block)], "float int8 uint8", block_size=block)
    yield from typed("SPACE_TO_DEPTH", "block2", INTEGERS, (1, 4, 2, 1), block_size=2)
    yield from typed("DEPTH_TO_SPACE", "block2", INTEGERS, (1, 2, 1, 4), block_size=2)
    yield from moving("SPACE_TO_BATCH_ND", "uneven", [x(2, 4, 3, 2), plain([2, 3]), plain([[1, 1], [2, 1]])], "float int8 uint8 int16")
    yield from moving("SPACE_TO_BATCH_ND", "rank3", [x(2, 5, 3), plain([3]), plain([[1, 0]])], "float int8")
    yield from moving("BATCH_TO_SPACE_ND", "cropped", [x(6, 3, 2, 2), plain([2, 3]), plain([[1, 2], [0, 3]])], "float int8 uint8 int16")
    yield from moving("BATCH_TO_SPACE_ND", "rank3", [x(6, 2, 3), plain([3]), plain([[0, 1]])], "float int8")
    yield from typed("SPACE_TO_BATCH_ND", "plain", INTEGERS, (1, 4, 2, 1), [plain([2, 2]), plain([[0, 0], [0, 0]])])
    yield from typed("BATCH_TO_SPACE_ND", "plain", INTEGERS, (4, 2, 1, 1), [plain([2, 2]), plain([[0, 0], [0, 0]])])


def chains():
    graph = Graph()
    source = x(2, 3, 4)
    turned = graph.op("TRANSPOSE", [source, plain((2, 0, 1))], y(like=source))
    sliced = graph.op("SLICE", [turned, plain((1, 0, 0)), plain((3, 2, 2))], y(like=source))
    joined = graph.op("CONCATENATION", [sliced, sliced], y(like=source), axis=1)
    graph.outputs = [joined, sliced]
    yield graph_case("TRANSPOSE+SLICE+CONCATENATION", "chain", graph, "int8", moves=True)


def cases():
    for part in (reshaping, slicing, joining, gathering, transposing, padding, blocks, chains):
        yield from part()
