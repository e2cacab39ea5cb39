#!/usr/bin/env python3
"""Plant faults in quantized models: plant_faults.py CASES --bases FOLDER… [--only TEXT] [--each N] [--seed N]

A base is a folder with fp32.tflite, quant.tflite and data.h5 (beside it may lie NET.early.tflite and NET.later.tflite, see make_bases.py), or
FOLDER=FP32,QUANT where the files have other names. Each case is a folder as tools/check_diagnosis.py of the shared files wants it. LiteRT's
reference kernels measure every case before and after; a fault that costs no output 4 dB is dropped.
Needs ai-edge-litert, flatbuffers, h5py, numpy."""
import argparse, json, os, pathlib, signal, sys, zlib
import numpy as np
import clean_pairs, fault_biases, fault_ranges, fault_weights  # each adds its faults to CAUSES
from net import outputs_of, read_data, write_data
from pair import ALONE, CAUSES, LEAST, MOST, Pair, Unsuitable, shuffled


def rounded_weights(pair, net, fp32, layers, wanted):
    """What the float model loses with this one layer's rounded weights."""
    mixed, (op, f) = fp32.copy(), layers
    slot = mixed.slot(f, 1)
    mixed.set_data(slot, net.real(net.slot(op, 1)).reshape(mixed.data(slot).shape))
    return pair.measure(mixed, wanted)


def attempt(pair, fault, strength):
    """The damaged models and what they cost, or None."""
    net, fp32 = pair.quant.copy(), pair.fp32.copy()
    details = fault.edit(net, fp32, strength)
    if details is None:
        return None
    wanted = outputs_of(fp32.bytes(), pair.records) if fault.fp32_changes else pair.wanted
    if not all(np.isfinite(w).all() for w in wanted):
        return None
    before = details.pop("_before", None)
    before = details.pop("_before_sqnr", pair.before) if before is None else pair.measure(before, wanted)
    after = pair.measure(net, wanted)
    drops = [b - a for b, a in zip(before, after)]
    if fault.rounded:
        alone = rounded_weights(pair, net, fp32, fault.rounded, wanted)
        if alone[int(np.argmax(drops))] > max(after) + ALONE:
            return None
    return {"net": net, "fp32": fp32, "before": before, "after": after, "drop": max(drops), "least": min(drops), "details": details}


def search(pair, fault, target, is_clean):
    """The weakest strength that costs at least `target` dB, or at least LEAST."""
    found = None
    for strength in fault.strengths:
        try:
            result = attempt(pair, fault, strength)
        except (RuntimeError, ValueError, OverflowError) as e:
            if os.environ.get("PLANT_VERBOSE"):
                print("   ", type(e).__name__, str(e)[:150].replace("\n", " "), flush=True)
            continue
        if result is None:
            continue
        if is_clean:
            if result["drop"] < 1 or fault.strengths == [1]:
                return result
            continue
        if result["drop"] >= LEAST and (found is None or result["drop"] > found["drop"]):
            found = result
        if found and found["drop"] >= target:
            break
    return found


def neighbours(net, tensor):
    near = []
    if tensor in net.maker:
        near += [int(t) for t in net.ops[net.maker[tensor]].inputs if t >= 0 and net.data(int(t)) is None]
    for k in net.readers.get(tensor, []):
        near += [int(t) for t in net.ops[k].outputs]
    return near


def save(folder, pair, fault, result, cause, name):
    folder.mkdir(parents=True)
    net = result["net"]
    (folder / "fp32.tflite").write_bytes(result["fp32"].bytes())
    (folder / "quant.tflite").write_bytes(net.bytes())
    write_data(folder / "data.h5", pair.records)
    names = lambda tensors: [net.name(t) for t in dict.fromkeys(tensors)]
    truth = {"cause": cause, "base": pair.name, "variant": name,
             "severity": {"before": {"sqnr": [round(v, 3) for v in result["before"]]}, "after": {"sqnr": [round(v, 3) for v in result["after"]]},
                          "drop_db": round(result["drop"], 4)},
             "tensor": None, "also_ok": [], "near": [], "also_cause": fault.also_cause, "details": result["details"]}
    if fault.tensor is not None:
        maker = net.maker.get(fault.tensor, -1)
        truth |= {"tensor": net.name(fault.tensor), "also_ok": names(fault.also), "near": names(neighbours(net, fault.tensor)), "node": maker,
                  "operator": net.types[maker] if maker >= 0 else "INPUT"}
    (folder / "truth.json").write_text(json.dumps(truth, indent=1))


def plant(load, key, out, seed, limit):
    """One case in a process of its own, since a damaged model may end it. True if there is one."""
    cause, name, function = CAUSES[key]
    child = os.fork()
    if child == 0:
        signal.alarm(limit)
        status = 1
        try:
            pair = load()
            rng = np.random.default_rng([seed, zlib.crc32(key.encode())])
            target = LEAST + rng.exponential(3.0)
            best, chosen = None, None
            for tries, fault in enumerate(function(pair, rng)):
                if tries >= 10:
                    break
                result = search(pair, fault, target, cause == "CLEAN")
                if result and (best is None or abs(result["drop"] - target) < abs(best["drop"] - target)):
                    best, chosen = result, fault
                if best and (cause == "CLEAN" or best["drop"] <= MOST):
                    break
            if best:
                k = 1
                while (out / f"{cause.lower()}-{pair.name}-{name}-{k}").exists():
                    k += 1
                save(out / f"{cause.lower()}-{pair.name}-{name}-{k}", pair, chosen, best, cause, name)
                print(f"{cause:20s} {pair.name:28s} {name:14s} {best['drop']:6.2f} dB", flush=True)
                status = 0
        except Unsuitable as e:
            if os.environ.get("PLANT_VERBOSE"):
                print(key, e)
        except Exception as e:
            print(f"    {key}: {type(e).__name__} {str(e)[:200]}", flush=True)
            if os.environ.get("PLANT_VERBOSE"):
                raise
        finally:
            sys.stdout.flush()
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def find_bases(arguments):
    """(name, loader) of every base that the arguments name."""
    bases = []
    for argument in arguments:
        path, _, files = argument.partition("=")
        folder = pathlib.Path(path)
        if files:
            fp32, quant = files.split(",")
            bases.append((f"{folder.name}_{pathlib.Path(quant).stem}", folder / fp32, folder / quant, folder / "data.h5", None, False))
            continue
        for quant in sorted(folder.glob("**/quant.tflite")):
            name = quant.parent.name
            bases.append((name, quant.parent / "fp32.tflite", quant, quant.parent / "data.h5", quant.parent.parent / name.split("-")[0],
                          "-uint8" in name))
    return bases


def loader(name, fp32, quant, data, stem, u8):
    def load():
        big = fp32.stat().st_size > 1000000 or data.stat().st_size > 1000000
        records = read_data(data, 6 if big else 32)
        states = [pathlib.Path(f"{stem}.{s}.tflite") if stem else None for s in ("early", "later")]
        early, later = [s.read_bytes() if s is not None and s.exists() else None for s in states]
        return Pair(name, fp32.read_bytes(), quant.read_bytes(), records, early, later, u8)
    return load


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=pathlib.Path)
    parser.add_argument("--bases", nargs="+", required=True)
    parser.add_argument("--only", default="", help="variants whose name contains this")
    parser.add_argument("--each", type=int, default=6, help="cases of each variant")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=90, help="seconds for one case")
    args = parser.parse_args()
    bases = find_bases(args.bases)
    for key, (cause, name, _function) in CAUSES.items():
        if args.only not in key:
            continue
        rng = np.random.default_rng([args.seed, zlib.crc32(key.encode())])
        made = 0
        for base in shuffled(rng, bases):
            if made >= args.each:
                break
            if "othercal" in base[0] and cause != "CLEAN":
                continue
            made += plant(loader(*base), key, args.cases, args.seed, args.limit)
        if made < args.each:
            print(f"    {key}: {made} of {args.each}", flush=True)


if __name__ == "__main__":
    main()
