"""What a case is, how it is measured, and how it is stored."""

import dataclasses, json
import h5py
import numpy as np
import litert
from meanings import FIX, SAID

RECORDS = 64  # of data.h5
REAL, MILD = 5, 2  # points of the score that a real and a mild damage cost
APART = 6  # dB: twins keep their score, but give another model's outputs
CASES = {}  # name -> (Truth, function)


@dataclasses.dataclass
class Task:
    """Inputs by name, what is wanted, and the measure: acc, r2 or r2log (of the logarithms), in points up to 100."""

    inputs: dict
    target: np.ndarray
    metric: str = "acc"
    first: int = 0  # column of the output that the measure begins with
    post: object = None  # from the output to what is measured

    def score(self, outputs):
        outputs = outputs if self.post is None else self.post(outputs)
        if self.metric == "acc":
            flat = outputs.reshape(len(outputs), -1)[:, self.first :]
            return 100 * float((np.argmax(flat, 1) == self.target).mean()) if np.isfinite(flat).all() else 0.0
        wanted, found = self.target.astype(float).ravel(), outputs.astype(float).ravel()
        if self.metric == "r2log":
            wanted, found = np.log(wanted), np.log(np.maximum(found, self.target.min() / 10))
        r2 = 1 - ((wanted - found) ** 2).sum() / ((wanted - wanted.mean()) ** 2).sum()
        return 100 * float(max(r2, 0)) if np.isfinite(r2) else 0.0


@dataclasses.dataclass
class Pair:
    """The two models, the data that the user has, and the right ones."""

    fp32: bytes
    quant: bytes
    task: Task  # as it should be
    given: Task = None  # as the user has it, where that is wrong
    fix: bytes = None  # the quantized model after the right fix
    fix_fp32: bytes = None  # its float model, where the fix lies in the network
    fix_task: Task = None  # its data, where the fix lies before the network


@dataclasses.dataclass
class Truth:
    """What is true of a case, and by which meanings (meanings.py) a finding says so."""

    name: str
    group: str
    cause: str
    fix: str = "-"
    said: str = "-"  # a key of SAID
    place: str = r"\*"  # nodes, a regular expression; * is the whole model
    fixed_by: str = "-"  # a key of FIX
    float_at: str = ""  # where "in float" would be right, a regular expression
    nothing_wrong: bool = False


def case(*truth, **more):
    """Registers a function that makes a Pair."""

    def register(function):
        CASES[truth[0]] = Truth(*truth, **more), function
        return function

    return register


def sqnr(wanted, found):
    """dB over all records; None where shapes differ."""
    if wanted.shape != found.shape:
        return None
    noise, signal = ((wanted.astype(float) - found) ** 2).sum(), (wanted.astype(float) ** 2).sum()
    return (
        float(np.clip(10 * np.log10(signal / noise), -300, 300))
        if noise > 0 and signal > 0 and np.isfinite(noise)
        else -300.0 if noise else 300.0
    )


def tried(model, task, wanted=None):
    """(score, dB against `wanted`, outputs) of a model, with nothing where it does not take the data."""
    try:
        outputs = litert.run(model, task.inputs)
    except (ValueError, RuntimeError, StopIteration):
        return None, None, None
    return task.score(outputs), None if wanted is None else sqnr(wanted, outputs), outputs


def measure(pair):
    """Scores in points and outputs' SQNR in dB, all in LiteRT, of the models as given, with right data, and after the fix."""
    given = pair.given or pair.task
    right, _, right_outputs = tried(pair.fp32, pair.task)
    fp32, _, outputs = tried(pair.fp32, given)
    quant, quant_db, _ = tried(pair.quant, given, outputs)
    found = {"fp32_right": right, "fp32": fp32, "quant": quant, "quant_sqnr": quant_db}
    if pair.fix:
        task = pair.fix_task or pair.task
        wanted = tried(pair.fix_fp32, task)[2] if pair.fix_fp32 else right_outputs
        found["fix"], found["fix_sqnr"], _ = tried(pair.fix, task, wanted)
    return {k: None if v is None else round(v, 2) for k, v in found.items()}


def damage(truth, found):
    """real, mild or none: by the points lost; where twins keep them, by the outputs that a right twin would have. QAT damages nothing."""
    if found["quant"] is None:
        return "real"
    lost = found["fp32_right"] - found["quant"]
    if lost < REAL and truth.group == "twin" and not truth.nothing_wrong:
        better = (found.get("fix_sqnr") or 0) - (-300 if found["quant_sqnr"] is None else found["quant_sqnr"])
        return "real" if better >= APART else "none"
    return "real" if lost >= REAL else "mild" if lost >= MILD else "none"


def write_data(path, model, inputs):
    arrays = litert.in_order(model, inputs)
    with h5py.File(path, "w") as f:
        for k in range(min(RECORDS, len(arrays[0]))):
            for i, values in enumerate(arrays):
                f.create_dataset(f"value/{k}/{i}", data=values[k : k + 1])


def store(folder, truth, pair):
    """Writes a case's folder, measured; gives what case.json says."""
    folder.mkdir(parents=True, exist_ok=True)
    given = pair.given or pair.task
    for name, content in (("fp32", pair.fp32), ("quant", pair.quant), ("fix", pair.fix), ("fix_fp32", pair.fix_fp32)):
        if content:
            (folder / f"{name}.tflite").write_bytes(content)
    write_data(folder / "data.h5", pair.fp32, given.inputs)
    if pair.fix_task:
        write_data(folder / "fix_data.h5", pair.fix, pair.fix_task.inputs)
    if given.metric == "acc" and given.first == 0:  # where the whole output is scores, as --labels takes it
        np.save(folder / "labels.npy", given.target[:RECORDS].astype(np.int64))
    found = measure(pair)
    facts = {
        **dataclasses.asdict(truth),
        "metric": given.metric,
        "records_measured": len(given.target),
        "measured": found,
        "damage": damage(truth, found),
    }
    (folder / "case.json").write_text(json.dumps(facts, indent=1) + "\n")
    return facts


def manifest_row(facts):
    """The columns of a manifest, meanings written out."""
    return [
        facts["name"],
        facts["group"],
        facts["metric"],
        facts["cause"],
        facts["fix"],
        facts["damage"],
        SAID[facts["said"]],
        facts["place"],
        FIX[facts["fixed_by"]],
        facts["float_at"],
    ]
