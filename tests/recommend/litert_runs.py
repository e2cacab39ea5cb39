"""Models run by LiteRT on the records of a visqerror data file, and how far their outputs are apart."""
import h5py
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType


def read_records(path):
    with h5py.File(path) as file:
        group = file["value"]
        return [[group[record][str(i)][()] for i in range(len(group[record]))] for record in sorted(group, key=int)]


def to_type(values, detail):
    """An input as the model stores it."""
    scale, zero_point = detail["quantization"]
    if detail["dtype"] == np.float32 or scale == 0:
        return values.astype(detail["dtype"])
    limits = np.iinfo(detail["dtype"])
    return np.clip(np.round(values / scale) + zero_point, limits.min, limits.max).astype(detail["dtype"])


def to_real(values, detail):
    scale, zero_point = detail["quantization"]
    return values.astype(np.float64) if scale == 0 else (values.astype(np.float64) - zero_point) * scale


def outputs_of(model, records, kernels=OpResolverType.AUTO, sequence_length=0):
    """State that the model keeps starts afresh every `sequence_length` records; 0: once."""
    interpreter = Interpreter(model_content=model, experimental_op_resolver_type=kernels)
    interpreter.allocate_tensors()
    results = []
    for i, record in enumerate(records):
        if sequence_length > 0 and i % sequence_length == 0:
            interpreter.reset_all_variables()
        for detail, values in zip(interpreter.get_input_details(), record):
            interpreter.set_tensor(detail["index"], to_type(values, detail))
        interpreter.invoke()
        results.append([to_real(interpreter.get_tensor(d["index"]), d) for d in interpreter.get_output_details()])
    return results


def worst_sqnr(reference, other):
    worst = np.inf
    for k in range(len(reference[0])):
        f = np.concatenate([record[k].ravel() for record in reference])
        q = np.concatenate([record[k].ravel() for record in other])
        worst = min(worst, 10 * np.log10((f**2).sum() / max(((f - q) ** 2).sum(), 1e-300)))
    return worst
