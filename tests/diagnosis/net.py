"""A TFLite model that can be edited tensor by tensor, and run by LiteRT: what plant_faults.py is made of."""
import math
import flatbuffers
import h5py
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

DTYPES = {schema.TensorType.FLOAT32: np.float32, schema.TensorType.INT8: np.int8, schema.TensorType.UINT8: np.uint8,
          schema.TensorType.INT16: np.int16, schema.TensorType.INT32: np.int32, schema.TensorType.INT64: np.int64}
OP_NAMES = {v: k for k, v in vars(schema.BuiltinOperator).items() if isinstance(v, int)}
LAYERS = {"CONV_2D": (0, 1, 2), "DEPTHWISE_CONV_2D": (0, 1, 2), "FULLY_CONNECTED": (0, 1, 2), "TRANSPOSE_CONV": (2, 1, 3)}  # data, weight, bias
# Operators whose integer kernels hand stored integers on: inputs and outputs share a grid.
TIED = {"RESHAPE", "SQUEEZE", "EXPAND_DIMS", "PAD", "PADV2", "MIRROR_PAD", "MAX_POOL_2D", "AVERAGE_POOL_2D", "TRANSPOSE", "STRIDED_SLICE", "SLICE",
        "SPLIT", "SPLIT_V", "UNPACK", "PACK", "CONCATENATION", "GATHER", "RESIZE_NEAREST_NEIGHBOR", "RESIZE_BILINEAR", "SPACE_TO_DEPTH",
        "DEPTH_TO_SPACE", "MAXIMUM", "MINIMUM", "TILE", "REVERSE_V2", "BATCH_TO_SPACE_ND", "SPACE_TO_BATCH_ND", "BROADCAST_TO", "REDUCE_MAX"}
FIXED = {"SOFTMAX", "LOGISTIC", "TANH", "L2_NORMALIZATION", "LOG_SOFTMAX"}  # output grids that kernels demand
STATEFUL = {"UNIDIRECTIONAL_SEQUENCE_LSTM", "LSTM", "SVDF", "WHILE", "IF"}


class Net:
    """Subgraph 0 of a model. Tensors and operators go by index."""

    def __init__(self, content):
        self.model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(content, 0))
        for buffer in self.model.buffers:  # large models keep their constants behind the flatbuffer
            if buffer.offset and buffer.size:
                buffer.data = np.frombuffer(content, np.uint8, buffer.size, buffer.offset)
                buffer.offset = buffer.size = 0
        self.graph = self.model.subgraphs[0]
        self.tensors, self.ops = self.graph.tensors, self.graph.operators
        codes = self.model.operatorCodes
        self.types = [OP_NAMES.get(max(codes[o.opcodeIndex].builtinCode, codes[o.opcodeIndex].deprecatedBuiltinCode), "?") for o in self.ops]
        self.maker = {t: k for k, o in enumerate(self.ops) for t in o.outputs}
        self.readers = {}
        for k, o in enumerate(self.ops):
            for t in set(int(t) for t in o.inputs if t >= 0):
                self.readers.setdefault(t, []).append(k)
        self.uses = {}
        for t in self.tensors:
            self.uses[t.buffer] = self.uses.get(t.buffer, 0) + 1

    def copy(self):
        return Net(self.bytes())

    def bytes(self):
        builder = flatbuffers.Builder(1 << 20)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def name(self, t):
        name = self.tensors[t].name
        return name.decode() if isinstance(name, bytes) else name

    def dtype(self, t):
        return DTYPES.get(self.tensors[t].type)

    def data(self, t):
        raw = self.model.buffers[self.tensors[t].buffer].data
        if raw is None or len(raw) == 0 or self.dtype(t) is None:
            return None
        shape = self.tensors[t].shape
        return np.frombuffer(bytes(bytearray(raw)), self.dtype(t)).reshape(shape if shape is not None else []).copy()

    def set_data(self, t, values):
        """Stores an array; other tensors that shared the buffer keep theirs."""
        tensor = self.tensors[t]
        if self.uses[tensor.buffer] > 1:
            self.uses[tensor.buffer] -= 1
            self.model.buffers.append(schema.BufferT())
            tensor.buffer = len(self.model.buffers) - 1
            self.uses[tensor.buffer] = 1
        self.model.buffers[tensor.buffer].data = np.frombuffer(np.ascontiguousarray(values, self.dtype(t)).tobytes(), np.uint8)

    def scale(self, t):
        q = self.tensors[t].quantization
        return None if q is None or q.scale is None or len(q.scale) == 0 else np.array(q.scale, np.float64)

    def zero(self, t):
        q = self.tensors[t].quantization
        return np.array(q.zeroPoint, np.int64) if q.zeroPoint is not None and len(q.zeroPoint) else np.zeros(len(q.scale), np.int64)

    def axis(self, t):
        return int(self.tensors[t].quantization.quantizedDimension)

    def set_grid(self, t, scale, zero=None):
        q = self.tensors[t].quantization
        q.scale = np.atleast_1d(np.asarray(scale, np.float32))
        q.zeroPoint = np.atleast_1d(np.asarray(zero if zero is not None else np.zeros(len(q.scale)), np.int64))
        if len(q.scale) == 1:
            q.quantizedDimension = 0
        q.min = q.max = None

    def quantized(self, t):
        return self.scale(t) is not None and self.dtype(t) in (np.int8, np.uint8, np.int16)

    def maps(self):
        """Quantized feature maps, graph inputs first."""
        return [t for t in list(self.graph.inputs) + [t for o in self.ops for t in o.outputs] if self.quantized(t)]

    def codes(self, t):
        info = np.iinfo(self.dtype(t))
        return (-32767, 32767) if self.dtype(t) is np.int16 else (int(info.min), int(info.max))

    def range(self, t):
        low, high = self.codes(t)
        return tuple((np.array([low, high]) - self.zero(t)[0]) * self.scale(t)[0])

    # Layers: operators with weights and, mostly, a bias.
    def layers(self):
        return [k for k, kind in enumerate(self.types) if kind in LAYERS]

    def slot(self, op, which):
        index = LAYERS[self.types[op]][which]
        inputs = self.ops[op].inputs
        return int(inputs[index]) if len(inputs) > index else -1

    def channel_axis(self, op):
        return 3 if self.types[op] == "DEPTHWISE_CONV_2D" else 0

    def weight_view(self, op, values):
        """Weights with the output channel first."""
        return np.moveaxis(values, self.channel_axis(op), 0)

    def real(self, t):
        values = self.data(t)
        if values is None or self.scale(t) is None:
            return values
        scale, zero = self.scale(t), self.zero(t)
        if len(scale) > 1:
            shape = [1] * values.ndim
            shape[self.axis(t)] = -1
            scale, zero = scale.reshape(shape), zero.reshape(shape)
        return (values.astype(np.float64) - zero) * scale

    def accumulator(self, op):
        """Input scale times weight scale: how kernels read a bias."""
        return self.scale(self.slot(op, 0))[0] * self.scale(self.slot(op, 1))

    def bias(self, op):
        t = self.slot(op, 2)
        codes = self.data(t) if t >= 0 else None
        return None if codes is None else (codes if self.scale(self.slot(op, 1)) is None else codes.astype(np.float64) * self.accumulator(op))

    def set_bias(self, op, values, stated=1.0):
        t, scale = self.slot(op, 2), self.accumulator(op) * stated
        info = np.iinfo(self.dtype(t))
        limit = min(info.max, 2 ** 62)
        with np.errstate(all="ignore"):
            codes = np.clip(np.nan_to_num(np.round(values / scale)), -limit, limit)
        self.set_data(t, codes.astype(self.dtype(t)))
        self.set_grid(t, scale)

    def set_weights(self, op, values, per_channel):
        """Quantizes real weights symmetrically (uint8: with zero point 128)."""
        t = self.slot(op, 1)
        first = self.weight_view(op, values)
        reach = np.abs(first).reshape(len(first), -1).max(1)
        scale = np.maximum(reach if per_channel else [reach.max()], 1e-12) / 127
        zero = 128 if self.dtype(t) is np.uint8 else 0
        codes = np.round(first / scale.reshape([-1] + [1] * (first.ndim - 1))) + zero
        self.set_data(t, np.moveaxis(np.clip(codes, 1 if zero else -127, 255 if zero else 127), 0, self.channel_axis(op)))
        self.set_grid(t, scale, np.full(len(scale), zero))
        if per_channel:
            self.tensors[t].quantization.quantizedDimension = self.channel_axis(op)

    def groups(self, without=-1):
        """Feature maps that must share a grid; `without`: an operator that ties nothing."""
        parent = {t: t for t in self.maps()}

        def find(t):
            while parent[t] != t:
                t = parent[t]
            return t
        for k, o in enumerate(self.ops):
            if self.types[k] in TIED and k != without:
                members = [t for t in list(o.inputs) + list(o.outputs) if t in parent]
                for t in members[1:]:
                    a, b = sorted((find(members[0]), find(t)), key=self.position)
                    parent[b] = a
        groups = {}
        for t in parent:
            groups.setdefault(find(t), []).append(t)
        return [sorted(g, key=self.position) for g in groups.values()]

    def position(self, t):
        return self.maker.get(t, -1)

    def free(self, group):
        """True where a new grid breaks no kernel's demand."""
        for t in group:
            if self.types[self.maker[t]] in FIXED | STATEFUL if t in self.maker else False:
                return False
            if any(self.types[k] in STATEFUL for k in self.readers.get(t, [])) or self.tensors[t].isVariable:
                return False
            for k in self.readers.get(t, []) + ([self.maker[t]] if t in self.maker else []):
                if self.types[k] in TIED and any(self.quantized(c) and self.data(c) is not None for c in self.ops[k].inputs if c >= 0):
                    return False
        return True

    def regrid(self, group, scale, zero, follow=True):
        """A new grid for a group; biases of the layers that read it keep their real values."""
        readers = [k for k in self.layers() if self.slot(k, 0) in group and self.quantized(self.slot(k, 1))]
        biases = {k: self.bias(k) for k in readers} if follow else {}
        for t in group:
            self.set_grid(t, [scale], [zero])
        for k, values in biases.items():
            if values is not None:
                self.set_bias(k, values)

    def grid_for(self, t, low, high):
        low, high = min(low, 0.0), max(high, 0.0)
        least, most = self.codes(t)
        if self.dtype(t) is np.int16:
            return max(-low, high, 1e-9) / 32767, 0
        scale = max(high - low, 1e-9) / (most - least)
        return scale, int(np.clip(round(least - low / scale), least, most))


def to_uint8(net):
    """An int8 model with one scale per weight tensor, in the older type. Kernels take the same numbers, moved by 128."""
    for t, tensor in enumerate(net.tensors):
        if tensor.type != schema.TensorType.INT8:
            continue
        values = net.data(t)
        tensor.type = schema.TensorType.UINT8
        if values is not None:
            net.set_data(t, values.astype(np.int16) + 128)
        if net.scale(t) is not None:
            net.set_grid(t, net.scale(t), net.zero(t) + 128)
    for code in net.model.operatorCodes:
        code.version = min(code.version, 1)


class Runner:
    """Runs a model by LiteRT's reference kernels."""

    def __init__(self, content, keep=False):
        for kernels in (litert.OpResolverType.BUILTIN_REF, litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES):
            try:
                self.it = litert.Interpreter(model_content=content, num_threads=1, experimental_preserve_all_tensors=keep,
                                             experimental_op_resolver_type=kernels)
                break
            except ValueError:  # an operator without reference kernel
                if kernels != litert.OpResolverType.BUILTIN_REF:
                    raise
        self.it.allocate_tensors()

    def run(self, record, keep=None):
        """Outputs as real values, and those of the tensors `keep`."""
        resized = False
        for detail, values in zip(self.it.get_input_details(), record):
            if list(detail["shape"]) != list(values.shape):
                self.it.resize_tensor_input(detail["index"], values.shape)
                resized = True
        if resized:
            self.it.allocate_tensors()
        for detail, values in zip(self.it.get_input_details(), record):
            scale, zero = detail["quantization"]
            if detail["dtype"] != np.float32 and scale:
                info = np.iinfo(detail["dtype"])
                values = np.clip(np.round(values / np.float32(scale)) + zero, info.min, info.max)
            self.it.set_tensor(detail["index"], values.astype(detail["dtype"]))
        self.it.invoke()
        outputs = [self.real(d) for d in self.it.get_output_details()]
        return outputs if keep is None else (outputs, {t: self.real(d) for t, d in keep.items()})

    def real(self, detail):
        values = self.it.get_tensor(detail["index"]).astype(np.float64)
        scale, zero = detail["quantization"]
        return values if detail["dtype"] == np.float32 or not scale else (values - zero) * np.float64(scale)


def outputs_of(content, records):
    runner = Runner(content)
    runs = [runner.run(r) for r in records]
    return [np.concatenate([r[k].ravel() for r in runs]) for k in range(len(runs[0]))]


def maps_of(content, records):
    """Every feature map that LiteRT can show, over all records."""
    runner = Runner(content, keep=True)
    net = Net(content)
    details = {d["index"]: d for d in runner.it.get_tensor_details() if d["index"] < len(net.tensors)}
    wanted = {t: details[t] for t in set(list(net.graph.inputs) + list(net.maker)) if t in details and details[t]["dtype"] != np.object_}
    sums = {}
    for record in records:
        for t, values in runner.run(record, wanted)[1].items():
            sums.setdefault(t, []).append(values)
    return sums


def sqnr(wanted, found):
    """Per output, in dB, -100..200."""
    result = []
    for f, q in zip(wanted, found):
        q = np.nan_to_num(q, nan=0, posinf=0, neginf=0)
        signal, noise = float((f * f).sum()), float(((f - q) ** 2).sum())
        result.append(200.0 if noise == 0 else -100.0 if signal == 0 else max(-100.0, 10 * math.log10(signal / noise)))
    return result


def read_data(path, limit):
    with h5py.File(path) as f:
        names = sorted(f["value"], key=int)[:limit]
        return [[f["value"][n][k][()] for k in sorted(f["value"][n], key=int)] for n in names]


def write_data(path, records):
    with h5py.File(path, "w") as f:
        for k, record in enumerate(records):
            for i, values in enumerate(record):
                f[f"value/{k}/{i}"] = values
