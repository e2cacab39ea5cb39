"""The examples and the code in docs/python.md run as they stand."""

import re
import shutil

import pytest
from conftest import EXAMPLE, SOURCE

SCRIPTS = sorted((SOURCE / "examples/python").glob("*.py"))
BLOCKS = re.findall(r"^```python\n(.*?)^```", (SOURCE / "docs/python.md").read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture
def in_example(tmp_path, monkeypatch):
    shutil.copytree(EXAMPLE, tmp_path / "digits")
    monkeypatch.chdir(tmp_path / "digits")


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.stem for script in SCRIPTS])
def test_scripts_run(script, in_example, capsys):
    exec(compile(script.read_text(), script.name, "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.count("\n") >= 4


def test_the_guide_runs_from_top_to_bottom(in_example):
    names = {}
    for block in BLOCKS:
        if "torch" in block:
            pytest.importorskip("torch")
        exec(compile(block, "docs/python.md", "exec"), names)
    assert len(BLOCKS) >= 4
