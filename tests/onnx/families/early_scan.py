"""Scan as operator set 8 has it: each element of a batch alone, as far as its sequence goes."""
import numpy as np

from families.bodies import scan_body
from family import Family, Fixed


def cases():
    f = Family("early_scan", opset=8)
    f.case("Scan", None, f.values(2, 3), f.values(2, 4, 3), count=2, num_scan_inputs=1, body=scan_body("all", 3))
    f.case("Scan", Fixed(np.array([4, 2], np.int64)), f.values(2, 3), f.values(2, 4, 3), count=2, num_scan_inputs=1, body=scan_body("short", 3),
           name="lengths")
    return f
