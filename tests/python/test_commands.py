"""Every command is a function whose result is what the program writes."""

import inspect as python_inspect
import json
import re
import subprocess

import pytest
import visqerror
from visqerror.words import argument_words, option_words


def program_says(*words):
    return subprocess.run([visqerror.binary(), *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def test_every_command_has_its_function():
    listed = program_says("--help").split("Commands:\n")[1].split("\n\n")[0]
    commands = re.findall(r"^  (\w+) ", listed, re.MULTILINE)
    assert len(commands) >= 18
    for command in commands:
        assert callable(getattr(visqerror, command)), command
        assert python_inspect.getdoc(getattr(visqerror, command)), command


@pytest.mark.parametrize(
    "command", ["accumulate", "badcase", "compare", "diagnose", "distribution", "partial", "profile", "recommend", "sensitivity"]
)
def test_commands_of_two_models_give_what_the_program_writes(command, fp32, int8, data):
    expected = json.loads(program_says(command, fp32, int8, "-d", data, "--records", "4", "--json", "-"))
    result = getattr(visqerror, command)(fp32, int8, data, records=4)
    times = ["times", "timed_runs"]
    assert without(result, times) == without(expected, times)
    assert result.command == command


def without(value, keys):
    if isinstance(value, dict):
        return {key: without(each, keys) for key, each in value.items() if key not in keys}
    return [without(each, keys) for each in value] if isinstance(value, list) else value


def test_commands_of_models_alone(fp32, int8):
    assert visqerror.check(fp32, int8)["operators"] == visqerror.inspect(int8)["operators"]
    assert visqerror.check(int8).command == "check"
    assert "CONV_2D" in [row["op"] for row in visqerror.ops().rows()]


def test_results_stand_for_files(fp32, int8, data, tmp_path):
    first = visqerror.compare(fp32, int8, data, records="0:4", per_record=True)
    second = visqerror.compare(fp32, int8, data, records="4:8", per_record=True)
    merged = visqerror.merge(first, second)
    assert merged["nodes"] == visqerror.compare(fp32, int8, data, records=8, per_record=True)["nodes"]
    assert visqerror.diff(first, first)["nodes"]["worse"] == 0
    with pytest.warns(visqerror.VisqWarning, match="records are not those"), pytest.raises(visqerror.ConditionFailed):
        visqerror.compare(fp32, int8, data, records="4:8", baseline=first)
    first.save(tmp_path / "first.json")
    assert visqerror.diff(tmp_path / "first.json", second)["nodes"]["compared"] == 12


def test_diff_answers_where_something_got_worse(fp32, int8, data):
    whole, part = (visqerror.compare(fp32, int8, data, records=records) for records in (64, 1))
    assert visqerror.diff(part, whole)["nodes"]["worse"] > 0


def test_files_that_commands_write(fp32, int8, data, tmp_path):
    result = visqerror.compare(fp32, int8, data, records=2, out=tmp_path / "out", write={"markdown": tmp_path / "comment.md"})
    assert json.loads((tmp_path / "out/result.json").read_text()) == result
    assert "###" in (tmp_path / "comment.md").read_text()
    assert visqerror.dot(tmp_path / "out/fp32.mse.visq.json").startswith("digraph")
    pair = visqerror.extract(fp32, int8, "stem/Relu", tmp_path / "pair", data, records=1)
    assert pair.command == "extract" and (tmp_path / "pair/quant.tflite").exists()


def test_report_gives_its_page(fp32, int8, data, tmp_path):
    shown = visqerror.report(fp32, int8, data, records=2, quick=True)
    written = visqerror.report(fp32, int8, data, records=2, quick=True, out=tmp_path / "page.html")
    assert written.pages == [(tmp_path / "page.html").read_text()]
    assert len(shown.pages) == 1 and shown.pages[0].startswith("<!DOCTYPE html>")
    assert shown.rows() == visqerror.Result(shown["compare"]).rows()


def test_run_gives_arrays(int8, images, tmp_path):
    maps = visqerror.run(int8, images, mode="integer", out=tmp_path / "maps.h5")
    assert (tmp_path / "maps.h5").exists()
    assert maps["mode"] == "integer" and maps["Identity"].dtype == "int8"
    assert maps.stacked("Identity").shape == (8, 1, 10)
    scale, zero_point = maps.scales["Identity"]
    real = (maps.stacked("Identity").astype(float) - zero_point[0]) * scale[0]
    assert abs(real.sum(axis=2) - 1).max() < 0.02, "a softmax"
    with pytest.raises(KeyError):
        maps["no such tensor"]


def test_options_become_words(tmp_path):
    options = {"per_record": True, "quiet": False, "mode": None, "records": 4, "nodes": ["a", "b*"], "min": {"sqnr": 20.5}, "out": tmp_path}
    words = ["--per-record", "--records=4", "--nodes=a", "--nodes=b*", "--min=sqnr=20.5", f"--out={tmp_path}"]
    assert option_words(options, str(tmp_path)) == words
    assert argument_words(["-odd.tflite", None, "b"], str(tmp_path)) == ["./-odd.tflite", "b"]
