"""What results are besides dicts: tables, and what a notebook shows."""

import math
import sys
import types

import numpy as np
import pytest
import visqerror
from visqerror.result import flat


def test_rows_are_flat_and_say_what_null_means():
    row = flat({"name": "a", "metrics": {"sqnr": None, "mse": 0.5, "mre": None}, "state": {"sqnr": "inf", "mre": "undefined"},
                "quantized": {"name": "b"}})  # fmt: skip
    assert row["sqnr"] == math.inf and math.isnan(row["mre"])
    assert (row["name"], row["mse"], row["quantized.name"]) == ("a", 0.5, "b")


def test_tables_as_dataframes(fp32, int8, data):
    pytest.importorskip("pandas")
    result = visqerror.compare(fp32, int8, data, records=4)
    table = result.to_dataframe()
    assert list(table["name"]) == [node["name"] for node in result["nodes"]]
    assert list(table["sqnr"]) == [node["metrics"]["sqnr"] for node in result["nodes"]]
    assert list(result.to_dataframe("outputs")["name"]) == ["Identity"]
    assert "outputs" in result.tables()
    with pytest.raises(ValueError, match="no table"):
        result.to_dataframe("modes")


def test_html_has_verdict_and_worst_nodes_and_is_escaped(fp32, int8, data):
    result = visqerror.compare(fp32, int8, data, records=4)
    result["nodes"][10]["display"] = "<script>alert(1)</script>"
    result["nodes"][9]["name"] = "<script>alert(2)</script>"
    result["nodes"][10]["metrics"]["sqnr"] = -3.0
    html = result._repr_html_()
    assert result["verdict"]["sentence"] in html
    assert "<script>" not in html
    assert html.index("&lt;script&gt;alert(1)") < html.index('<td title="pointwise/BiasAdd">pointwise</td>'), "worst first"


@pytest.fixture
def notebook(monkeypatch):
    module = types.ModuleType("IPython")
    module.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setattr("visqerror.program.progress_bar", lambda: None)


def test_a_notebook_shows_pictures(notebook, fp32, int8, data):
    compared = visqerror.compare(fp32, int8, data, records=2)
    assert len(compared.pages) == 1 and "<iframe srcdoc=" in compared._repr_html_()
    assert "<svg" in visqerror.accumulate(fp32, int8, data, records=2)._repr_html_()


def test_no_pictures_where_nobody_sees_them(fp32, int8, data):
    assert not visqerror.compare(fp32, int8, data, records=2).pages


@pytest.mark.parametrize("command", ["accumulate", "badcase", "diagnose", "distribution", "partial", "profile", "recommend", "sensitivity"])
def test_every_result_shows_itself(command, fp32, int8, data):
    html = getattr(visqerror, command)(fp32, int8, data, records=2)._repr_html_()
    assert f"visqerror {command}" in html and ("<table>" in html or "none" in html)


def test_results_of_one_model_show_themselves(fp32, int8, images):
    for result in (visqerror.check(fp32, int8), visqerror.inspect(int8), visqerror.ops(), visqerror.run(int8, np.asarray(images))):
        assert "<table>" in result._repr_html_()
