"""Sparse constants: the values and the table that says where they stand."""

import dataclasses

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from .tensors import Tensor


def dimension(dense_size=None, segments=None, indices=None):
    result = schema.DimensionMetadataT()
    if dense_size is not None:
        result.format, result.denseSize = schema.DimensionType.DENSE, dense_size
        return result
    result.format = schema.DimensionType.SPARSE_CSR
    for name, values in (("Segments", segments), ("Indices", indices)):
        vector = schema.Int32VectorT()
        vector.values = [int(v) for v in values]
        setattr(result, f"array{name}", vector)
        setattr(result, f"array{name}Type", schema.SparseIndexVector.Int32Vector)
    return result


@dataclasses.dataclass
class Sparse:
    """Compressed rows of a matrix, optionally of blocks within the columns."""

    dense: np.ndarray
    block: int = 1

    def __post_init__(self):
        rows, columns = self.dense.shape
        blocks = self.dense.reshape(rows, columns // self.block, self.block)
        used = [np.flatnonzero(blocks[r].any(axis=1)) for r in range(rows)]
        self.segments = np.cumsum([0, *(len(u) for u in used)])
        self.indices = np.concatenate(used)
        self.values = np.concatenate([blocks[r][u].ravel() for r, u in enumerate(used)]).astype(self.dense.dtype)

    def table(self):
        result = schema.SparsityParametersT()
        result.dimMetadata = [dimension(self.dense.shape[0]), dimension(segments=self.segments, indices=self.indices)]
        result.traversalOrder = [0, 1]
        if self.block > 1:
            result.dimMetadata.append(dimension(self.block))
            result.traversalOrder, result.blockMap = [0, 1, 2], [1]
        return result


def sparse_const(dense, type="float32", block=1, **more):
    dense = np.asarray(dense)
    tensor = Tensor("const", dense.shape, use="plain", type=type, **more)
    tensor.stored = tensor.real = dense
    tensor.sparsity = Sparse(dense, block)
    return tensor
