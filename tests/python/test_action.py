"""What the GitHub action runs: a wheel is installed, the command's results reach the job, and its exit code stays."""

import json
import os
import re
import subprocess
import zipfile

import pytest
import visqerror
from conftest import EXAMPLE, SOURCE

SCRIPT = SOURCE / "packaging/action.sh"


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    """The folder of a runner, which outlasts its jobs here: the second finds the first one's environment."""
    return tmp_path_factory.mktemp("runner")


@pytest.fixture(scope="module")
def wheel(runner):
    """A wheel whose only content is a command that runs the program under test."""
    path = runner / "stub-0-py3-none-any.whl"
    script = zipfile.ZipInfo("stub-0.data/scripts/visqerror")
    script.external_attr = 0o100755 << 16
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(script, f'#!/bin/sh\nexec {visqerror.binary()} "$@"\n')
        file.writestr("stub-0.dist-info/METADATA", "Metadata-Version: 2.1\nName: stub\nVersion: 0\n")
        file.writestr("stub-0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr("stub-0.dist-info/RECORD", "")
    return path


@pytest.fixture
def act(tmp_path, runner, wheel):
    def run(command, arguments):
        files = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("")
        words = {"VISQ_WHEEL": wheel, "VISQ_COMMAND": command, "VISQ_ARGUMENTS": arguments, "RUNNER_TEMP": runner, **files}
        environment = {**os.environ, **{name: str(value) for name, value in words.items()}}
        ended = subprocess.run([SCRIPT], env=environment, cwd=EXAMPLE, capture_output=True, text=True)
        outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
        return ended, outputs, files["GITHUB_STEP_SUMMARY"].read_text()

    return run


def test_results_reach_the_job_and_the_exit_code_stays(act):
    ended, outputs, summary = act("compare", "\nfp32.tflite\n  int8.tflite  \n--data=data.h5\n--title=$(touch no) title\n--min=sqnr=60\n")
    assert ended.returncode == 1, ended.stderr
    assert outputs["exit-code"] == "1"
    assert "**Failed**: 1 of 1 condition does not hold." in summary and "$(touch no) title" in summary
    assert json.loads(open(outputs["json"]).read())["schema"] == "visq.compare/1"
    assert json.loads(open(outputs["sarif"]).read())["runs"][0]["results"][0]["partialFingerprints"]
    ended, outputs, summary = act("check", "fp32.tflite\nint8.tflite")
    assert (ended.returncode, outputs["exit-code"]) == (0, "0")
    assert "Structure of the model" in summary and set(outputs) == {"exit-code", "json", "sarif"}


def test_a_run_that_fails_names_no_results(act):
    ended, outputs, summary = act("compare", "fp32.tflite\nnowhere.tflite")
    assert ended.returncode == 3 and "nowhere.tflite" in ended.stderr
    assert (outputs, summary) == ({"exit-code": "3"}, "")


def test_the_action_names_what_the_script_reads():
    action = (SOURCE / "action.yml").read_text()
    declared = set(re.findall(r"^  ([a-z-]+):$", action.split("outputs:")[0], re.MULTILINE))
    assert declared == set(re.findall(r"inputs\.([a-z-]+)", action))
    assert set(re.findall(r"^        (VISQ_\w+):", action, re.MULTILINE)) == set(re.findall(r"\$(?:\{)?(VISQ_\w+)", SCRIPT.read_text()))
    assert set(re.findall(r"steps\.run\.outputs\.([a-z-]+)", action)) == {"json", "exit-code", "sarif"}
