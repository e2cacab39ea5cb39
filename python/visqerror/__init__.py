"""visqerror: which layer of a quantized network lost the accuracy, why, and what is the cheapest fix?

    import visqerror
    result = visqerror.compare("fp32.tflite", "int8.tflite", images)   # images: a path, an array (batch first), records …
    result["outputs"][0]["metrics"]["sqnr"]
    result.to_dataframe().sort_values("sqnr")

Each command of the program is a function (commands.py says how options are given); it runs the program, and nothing is computed here.
"""

from .commands import (
    accumulate, badcase, check, compare, diagnose, diff, distribution, dot, extract, inspect, merge, ops, partial, profile, recommend,
    report, run, sensitivity,
)  # fmt: skip
from .errors import ConditionFailed, Fault, Incomplete, InputError, UsageError, VisqError, VisqWarning
from .maps import FeatureMaps
from .program import binary, version
from .result import Result
from .torch_hook import Hook, hook

runall = report

__all__ = [
    "accumulate", "badcase", "binary", "check", "compare", "ConditionFailed", "diagnose", "diff", "distribution", "dot", "extract", "Fault",
    "FeatureMaps", "Hook", "hook", "Incomplete", "InputError", "inspect", "merge", "ops", "partial", "profile", "recommend", "report",
    "Result", "run", "runall", "sensitivity", "UsageError", "version", "VisqError", "VisqWarning",
]  # fmt: skip
