"""ONNX files go through the module as all others do: data by input name or as an array, maps in the file's own layout."""

import json
import subprocess

import numpy as np
import pytest
import visqerror
from conftest import SOURCE

FOLDER = SOURCE / "tests/onnx/data"
FLOAT, QDQ, DATA = FOLDER / "network.onnx", FOLDER / "qdq_uint8.onnx", FOLDER / "pictures.npz"


@pytest.fixture
def pictures():
    with np.load(DATA) as file:
        return file["image"]


def test_results_are_those_of_the_command_line(pictures):
    words = [visqerror.binary(), "compare", FLOAT, QDQ, "-d", DATA, "--quiet", "--json", "-"]
    expected = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)
    assert len(expected["nodes"]) >= 10
    for data in (DATA, pictures, {"image": pictures}, iter(pictures)):
        assert visqerror.compare(FLOAT, QDQ, data)["nodes"] == expected["nodes"]
    assert "Conv" in [row["op"] for row in visqerror.inspect(QDQ).rows()]


def test_maps_keep_the_layout_of_the_file(pictures):
    maps = visqerror.run(QDQ, pictures)
    assert maps.stacked("relu1").shape == (4, 1, 8, 8, 8) and maps.stacked("scores").shape == (4, 1, 5)
    np.testing.assert_array_equal(maps.records[2]["image"].shape, pictures[2].shape)


def test_a_hook_of_channels_last_meets_a_model_of_channels_first(pictures, tmp_path):
    """What a PyTorch module and its export are to each other: the dump says where its channels stand."""
    reference = visqerror.run(FLOAT, pictures)
    for record, maps in reference.records.items():
        (tmp_path / str(record)).mkdir()
        for name, own in (("image", "input"), ("relu1", "features.act"), ("conv3", "features.conv"), ("scores", "output")):
            array = maps[name]
            np.save(tmp_path / str(record) / f"{own}.npy", np.moveaxis(array, 1, -1) if array.ndim == 4 else array)
    names = ["input\tnhwc", "features.act\tnhwc", "features.conv\tnhwc", "output\t"]
    (tmp_path / "maps.tsv").write_text("\n".join(["name\tlayout", *names]) + "\n")
    nodes = {node["quantized"]["name"]: node["metrics"]["mse"] for node in visqerror.compare(tmp_path, QDQ)["nodes"]}
    wanted = {node["name"]: node["metrics"]["mse"] for node in visqerror.compare(FLOAT, QDQ, pictures)["nodes"]}
    assert {"image", "relu1", "conv3", "scores"} <= set(nodes)
    assert all(error == pytest.approx(wanted[name], rel=1e-6) for name, error in nodes.items())
