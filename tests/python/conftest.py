"""Where the bundled example is; the module from the source tree, unless an installed one is asked for (VISQ_PYTHON_INSTALLED=1)."""

import os
import stat
import sys
from pathlib import Path

import numpy as np
import pytest

SOURCE = Path(__file__).resolve().parents[2]
if not os.environ.get("VISQ_PYTHON_INSTALLED"):
    sys.path.insert(0, str(SOURCE / "python"))

EXAMPLE = SOURCE / "examples" / "digits"


@pytest.fixture
def fp32():
    return EXAMPLE / "fp32.tflite"


@pytest.fixture
def int8():
    return EXAMPLE / "int8.tflite"


@pytest.fixture
def data():
    return EXAMPLE / "data.h5"


@pytest.fixture
def images(int8, data):
    """The first eight records as an array, batch first."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(data) as file:
        return np.concatenate([file["value"][str(record)]["0"][()] for record in range(8)])


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Puts a shell script in the program's place."""

    def make(script):
        path = tmp_path / "program.sh"
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("VISQERROR_BINARY", str(path))

    return make
