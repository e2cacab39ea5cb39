#!/usr/bin/env python3
"""Score `diagnose` on cases of make_cases.py: score.py CASES [--visq BINARY] [--out DIR] [--force] [--labels] [--only PATTERN…]

Rank 1 is what a user reads first: the first remark, else the first finding that is no info. With damage: cause, place and fix right at
rank 1, cause anywhere. Without: alarms (remarks, errors, warnings) that do not name what is true. --labels scores a second time, with
labels, where diagnose takes them. Gains: that of the first finding, beside what the rightly converted model gives in LiteRT."""

import argparse
import csv
import fnmatch
import json
import os
import pathlib
import re
import subprocess

HEADLINES = ("degraded everywhere",)  # counted by themselves, the cause is looked for behind them
NOTHING = {"kind": "nothing", "severity": "info", "name": "", "text": "", "fix": "", "gain": None, "then": None}


def diagnose(binary, case, out, with_labels, force):
    """diagnose's JSON, kept in `out` for the next time."""
    labels = case / "labels.npy"
    kept = out / f"{case.name}{'.labels' if with_labels else ''}.json"
    if force or not kept.exists() or kept.stat().st_mtime < (case / "quant.tflite").stat().st_mtime:
        command = [binary, "diagnose", case / "fp32.tflite", case / "quant.tflite", "-d", case / "data.h5", "--threads", "1", "--quiet"]
        command += ["--labels", labels] if with_labels and labels.exists() else []
        run = subprocess.run([*map(str, command), "--json", "-"], capture_output=True, text=True)
        kept.write_text(run.stdout if run.returncode in (0, 4) else json.dumps({"error": run.stderr.strip()}))
    return json.loads(kept.read_text())


def said(result):
    """Remarks and findings in the order in which a user reads them."""
    if "error" in result:
        return [{**NOTHING, "kind": "refused", "severity": "error", "name": "*", "text": result["error"], "fix": result["error"]}]
    items = []
    for r in result.get("remarks", []):
        items.append(
            {
                "kind": r["kind"],
                "severity": "remark",
                "name": "*",
                "text": r["text"],
                "fix": r["text"] + " " + r.get("fix", ""),
                "gain": r.get("gain_db"),
                "then": None,
            }
        )
    for f in result.get("findings", []):
        name = f"{f.get('name') or ''} {f.get('tensor') or ''} {f.get('op') or ''}".strip() or "*"
        items.append(
            {
                "kind": f["cause"],
                "severity": f["severity"],
                "name": name,
                "text": f.get("text") or "",
                "fix": f.get("fix") or "",
                "gain": f.get("gain_db") if f.get("promised", True) else None,  # else what the cause costs
                "then": f.get("then"),
            }
        )
    return items


def hit(pattern, text):
    return bool(pattern) and re.search(pattern, text, re.I | re.S) is not None


def names_cause(row, item):
    """DEGRADED names no cause; ACCUMULATED one, that errors add up, whatever it says was ruled out."""
    pattern = row["cause said (regex)"]
    text = item["kind"] if item["kind"] in ("DEGRADED", "ACCUMULATED") else item["kind"] + " " + item["text"]
    return pattern != "-" and hit(pattern, text)


def judge(row, items):
    """What is right of what was said of a case."""
    shown = [i for i in items if i["kind"] not in HEADLINES]
    loud = [i for i in shown if i["severity"] != "info"]
    if row["damage"] == "none":
        alarms = [i for i in loud if not names_cause(row, i)]
        return {"top": (loud or [NOTHING])[0], "alarms": len(alarms), "hard": sum(i["severity"] in ("error", "remark") for i in alarms)}
    top = (loud or shown or [NOTHING])[0]
    place = row["true nodes (regex)"]
    whole = hit(place, "*")
    if top["kind"] == "DEGRADED":  # names no cause; its fix is "keep it in float"
        fix = hit(row["float fix at (regex)"], top["name"])
    else:
        fix = hit(row["fix words (regex)"], top["fix"])
    return {
        "top": top,
        "cause": names_cause(row, top),
        "place": hit(place, top["name"]) or whole and names_cause(row, top),
        "fix": fix,
        "anywhere": any(names_cause(row, i) for i in items),
    }


def gain(case):
    """dB that the right fix gains in LiteRT."""
    found = json.loads((case / "case.json").read_text())["measured"]
    return None if found.get("fix_sqnr") is None or found["quant_sqnr"] is None else found["fix_sqnr"] - found["quant_sqnr"]


def line(row, result, case):
    head = f"{row['case']:24s} {row['damage']:5s} {result['top']['severity'][:7]:7s} {result['top']['kind'][:22]:22s}"
    if row["damage"] == "none":
        return f"{head} alarms {result['alarms']}, of them errors or remarks {result['hard']}"
    ticks = " ".join(f"{key} {'yes' if result[key] else '-':3s}" for key in ("cause", "place", "fix", "anywhere"))
    gains = (("promised", result["top"]["gain"]), ("the right fix gives", gain(case)))
    return f"{head} {ticks}" + "".join(f" {what} {value:+.1f} dB" for what, value in gains if value is not None)


def shares(hurt):
    """How often what is right, of cases with damage."""
    counts = ", ".join(f"{key} {sum(r[key] for r in hurt)}" for key in ("cause", "place", "fix"))
    three, anywhere = sum(r["cause"] and r["place"] and r["fix"] for r in hurt), sum(r["anywhere"] for r in hurt)
    percent = 100 / len(hurt)
    return f"at rank 1 {counts}, all three {three} ({three * percent:.0f} %); cause anywhere {anywhere} ({anywhere * percent:.0f} %)"


def totals(results):
    """Lines per group, and of all."""
    for group in (*dict.fromkeys(row["group"] for row, _ in results), None):
        hurt = [r for row, r in results if row["damage"] != "none" and group in (None, row["group"])]
        if hurt:
            yield f"{group or 'all':12s} {len(hurt):3d} with damage: {shares(hurt)}"
    fine = [r for row, r in results if row["damage"] == "none"]
    hard = sum(r["hard"] > 0 for r in fine)
    yield f"without damage {len(fine)}: with an alarm {sum(r['alarms'] > 0 for r in fine)}, with an error or remark {hard}"


def score(options, rows, with_labels):
    results = []
    for row in rows:
        case = options.cases / "cases" / row["case"]
        result = judge(row, said(diagnose(options.visq, case, options.out, with_labels, options.force)))
        results.append((row, result))
        print(line(row, result, case), flush=True)
    print("\n".join(totals(results)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=pathlib.Path)
    parser.add_argument("--visq", default="visqerror")
    parser.add_argument("--out", type=pathlib.Path, help="where diagnose's JSON is kept (CASES/scored)")
    parser.add_argument("--force", action="store_true", help="run diagnose again")
    parser.add_argument("--labels", action="store_true", help="score a second time, with labels")
    parser.add_argument("--only", nargs="*", default=["*"])
    options = parser.parse_args()
    options.out = options.out or options.cases / "scored"
    os.makedirs(options.out, exist_ok=True)
    with open(options.cases / "manifest.csv", newline="") as f:
        rows = [r for r in csv.DictReader(f) if any(fnmatch.fnmatch(r["case"], p) for p in options.only)]
    score(options, rows, False)
    if options.labels:
        takes = "--labels" in subprocess.run([options.visq, "diagnose", "--help"], capture_output=True, text=True).stdout
        print("\nwith labels" if takes else "\ndiagnose takes no labels")
        if takes:
            score(options, rows, True)


if __name__ == "__main__":
    main()
