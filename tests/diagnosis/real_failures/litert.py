"""What LiteRT gives for a model."""

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType


def inputs_of(model_bytes):
    return Interpreter(model_content=model_bytes).get_input_details()


def slot(detail, inputs):
    """The array in `inputs` that an input of a converted model takes: by name, else by shape."""
    for name, values in inputs.items():
        if name in detail["name"]:
            return values
    return next(v for v in inputs.values() if v.shape[1:] == tuple(detail["shape"][1:]))


def in_order(model_bytes, inputs):
    """The arrays of `inputs` in the order of the converted model's inputs."""
    return [slot(d, inputs) for d in inputs_of(model_bytes)]


def stored(values, detail):
    """Real values as what the input stores."""
    if detail["dtype"] == values.dtype:
        return values
    scale, zero = detail["quantization"]
    limits = np.iinfo(detail["dtype"])
    return np.clip(np.round(values / scale) + zero, limits.min, limits.max).astype(detail["dtype"])


def prepared(model_bytes):
    """An interpreter; where XNNPACK refuses the model's scales, one with LiteRT's own kernels."""
    try:
        interpreter = Interpreter(model_content=model_bytes, num_threads=1)
        interpreter.allocate_tensors()
    except RuntimeError:
        plain = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
        interpreter = Interpreter(model_content=model_bytes, num_threads=1, experimental_op_resolver_type=plain)
        interpreter.allocate_tensors()
    return interpreter


def run(model_bytes, inputs, kernels=prepared):
    """The first output of every record, in real values, as LiteRT computes them. `kernels` makes the interpreter."""
    interpreter = kernels(model_bytes)
    details, out = interpreter.get_input_details(), interpreter.get_output_details()[0]
    arrays = [slot(d, inputs) for d in details]
    results = []
    for k in range(len(arrays[0])):
        interpreter.reset_all_variables()
        for detail, values in zip(details, arrays):
            interpreter.set_tensor(detail["index"], stored(values[k : k + 1], detail))
        interpreter.invoke()
        results.append(interpreter.get_tensor(out["index"])[0].copy())
    results = np.array(results)
    scale, zero = out["quantization"]
    return results if results.dtype == np.float32 else (results.astype(np.float32) - zero) * np.float32(scale)
