"""Runs of the tool that benchmarks time, and the data for them."""
import os
import subprocess
import sys
import time
from typing import NamedTuple

import h5py


class Cost(NamedTuple):
    wall: float  # seconds
    cpu: float   # seconds, of all threads
    peak: float  # resident megabytes


def write_records(path, records, count):
    """`count` records, the given ones over and over."""
    with h5py.File(path, "w") as file:
        for i in range(count):
            group = file.create_group(f"value/{i}")
            for k, array in enumerate(records[i % len(records)]):
                group[str(k)] = array


def run_tool(binary, pair, data, threads):
    """What one compare costs."""
    command = [binary, "compare", str(pair[0]), str(pair[1]), "--data", str(data), "--threads", str(threads), "--quiet"]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        sys.exit(f"{' '.join(command)}: exit {os.waitstatus_to_exitcode(status)}")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
