#!/usr/bin/env python3
"""What LiteRT says about the tokens of examples/decoder, for tokens_command_test.cpp: the mean loss and the best token after each.

Usage: tokens_litert.py MODEL TOKENS.npy PROMPT   (pip install numpy ai-edge-litert)
"""
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

model, tokens, prompt = sys.argv[1], np.load(sys.argv[2]), int(sys.argv[3])
interpreter = Interpreter(model, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
prefill = next(name for name in interpreter.get_signature_list() if name.startswith("prefill"))
runners = {name: interpreter.get_signature_runner(name) for name in (prefill, "decode")}
rows = runners[prefill].get_input_details()["tokens"]["shape"][-1]
losses, best = [], []
for sequence in tokens:
    caches = {name: np.zeros(info["shape"], info["dtype"]) for name, info in runners["decode"].get_input_details().items() if "cache" in name}
    for first in range(0, prompt, rows):
        out = runners[prefill](tokens=sequence[None, first:first + rows], input_pos=np.arange(first, first + rows, dtype=np.int32), **caches)
        caches = {name: out[name] for name in caches}
    for position in range(prompt, len(sequence)):
        out = runners["decode"](tokens=sequence[None, position:position + 1], input_pos=np.array([position], np.int32), **caches)
        caches = {name: out[name] for name in caches}
        logits = out["logits"].reshape(-1).astype(np.float64)
        best.append(int(logits.argmax()))
        if position + 1 < len(sequence):
            losses.append(np.log(np.exp(logits - logits.max()).sum()) + logits.max() - logits[sequence[position + 1]])
print("perplexity", repr(float(np.exp(np.mean(losses)))), "of", len(losses))
print("best", best)
