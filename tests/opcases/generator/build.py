"""From a case to what the file holds: the model's bytes, the inputs, LiteRT's results."""

import zlib

import numpy as np

from .case import scheme_of, uses_quantization
from .litert import Session
from .model import write
from .twin import fake_quantized, must_be_stored


def as_entry(array, type=None):
    """An array as a map of type, shape and bytes. Complex, float16 and bool as numpy lays them out."""
    array = np.asarray(array)
    if array.dtype.kind in "OSU":
        return {"type": "string", "shape": list(array.shape), "strings": [v.encode() if isinstance(v, str) else bytes(v) for v in array.ravel()]}
    return {"type": type or str(array.dtype), "shape": list(array.shape), "data": np.ascontiguousarray(array).tobytes()}


def resolve_bodies(case, scheme, rng):
    """Tensors of the called subgraphs."""
    for graph in case.graphs[1:]:
        for tensor in graph.tensors():
            if tensor.role != "input":
                tensor.resolve(scheme, rng, case.records)
            elif not tensor.type:
                tensor.type = scheme.activation
                if tensor.spans is not None:
                    tensor.set_range(*tensor.spans)


def build(case):
    """(entry of the case file, whether anything is quantized)"""
    rng = np.random.default_rng(zlib.crc32(case.key.encode()))
    scheme = scheme_of(case)
    fake = fake_quantized(case, scheme, rng)
    resolve_bodies(case, scheme, rng)
    main = case.graphs[0]
    session = Session(write(case.graphs), case.resolver)
    feeds = [[t.stored[r] for t in main.inputs] for r in range(case.records)]
    value = [session.run(feed) for feed in feeds]
    shapes = session.shapes()
    for tensor in main.tensors():
        if tensor.role == "result":
            tensor.shape = shapes.get(tensor.index, ())
    entry = {
        "model": write(case.graphs),
        "moves": case.moves,
        "inputs": [[as_entry(v) for v in feed] for feed in feeds],
        "value": [[as_entry(v) for v in record] for record in value],
    }
    if fake is not None and uses_quantization(case):
        pairs = [(v, f, t) for r in range(case.records) for v, f, t in zip(value[r], fake[r], main.outputs, strict=True)]
        if any(must_be_stored(case, v, np.asarray(f), t) for v, f, t in pairs):
            entry["fake"] = [[as_entry(f) for f in record] for record in fake]
    return entry, uses_quantization(case)
