"""Whatever form the data have, the numbers are those of the file that they were taken from."""

import tempfile

import numpy as np
import pytest
import visqerror


@pytest.fixture
def expected(fp32, int8, data):
    return visqerror.compare(fp32, int8, data, records=8)["nodes"]


def test_an_array_batch_first(fp32, int8, images, expected):
    result = visqerror.compare(fp32, int8, images)
    assert result["nodes"] == expected
    assert result["data"]["records"] == [0, 8]


def test_the_same_arrays_have_the_same_name(fp32, int8, images, recwarn):
    first = visqerror.compare(fp32, int8, images)
    name = first["data"]["file"]
    assert name.startswith("arrays-") and visqerror.compare(fp32, int8, images.copy(), baseline=first)["data"]["file"] == name
    assert not recwarn.list, "a baseline of the same data"
    assert visqerror.compare(fp32, int8, images * 0.5)["data"]["file"] != name
    with pytest.warns(visqerror.VisqWarning, match="records are not those"), pytest.raises(visqerror.ConditionFailed):
        visqerror.compare(fp32, int8, images * 0.5, baseline=first)


def test_an_array_that_numpy_keeps_in_another_order(fp32, int8, images, expected):
    assert visqerror.compare(fp32, int8, np.asfortranarray(images))["nodes"] == expected


@pytest.mark.parametrize(
    "form",
    [
        lambda images: {"image": images},
        lambda images: list(images),
        lambda images: (image for image in images),
        lambda images: [{"image": image} for image in images],
        lambda images: [[image] for image in images],
        lambda images: [image[np.newaxis] for image in images],
    ],
    ids=["dict", "list", "generator", "records of dicts", "records of lists", "with a batch of one"],
)
def test_other_forms(form, fp32, int8, images, expected):
    assert visqerror.compare(fp32, int8, form(images))["nodes"] == expected


def test_worse_data_give_other_numbers(fp32, int8, images, expected):
    assert visqerror.compare(fp32, int8, images * 0.5)["nodes"] != expected


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ([], "no records"),
        ([{"image": np.zeros(3)}, {"photo": np.zeros(3)}], "record 1 has the inputs"),
        ({"a": np.zeros((2, 3)), "b": np.zeros((3, 3))}, "batches differ in size"),
    ],
)
def test_what_is_no_test_data(data, complaint, fp32, int8):
    with pytest.raises(ValueError, match=complaint):
        visqerror.compare(fp32, int8, data)


def test_what_the_model_does_not_take(fp32, int8):
    with pytest.raises(visqerror.InputError, match="shape"):
        visqerror.compare(fp32, int8, np.zeros((4, 3, 3, 1), np.float32))
    with pytest.raises(visqerror.InputError, match="sub-folders and inputs do not match"):
        visqerror.compare(fp32, int8, {"photo": np.zeros((4, 8, 8, 1), np.float32)})


class _OfNoKind:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("not today")


@pytest.mark.parametrize(
    ("data", "error", "complaint"),
    [
        ({"../../photo": np.zeros((2, 8)), "/tmp/photo": np.zeros((2, 8))}, visqerror.InputError, "do not match"),
        ({"..": np.zeros((2, 8))}, ValueError, "no name of an input"),
        ({"": np.zeros((2, 8))}, ValueError, "no name of an input"),
        ({"a\0b": np.zeros((2, 8))}, ValueError, "no name of an input"),
        ([{"..": np.zeros(8)}], ValueError, "no name of an input"),
        ({7: np.zeros((2, 8))}, TypeError, "no string"),
        ({"n" * 300: np.zeros((2, 8))}, ValueError, "too long"),
        ({"a/b": np.zeros((2, 8)), "a:b": np.ones((2, 8))}, ValueError, "share a folder"),
        (np.array([object(), None]), TypeError, "no array of numbers"),
        (np.zeros(2, dtype=[("pickled", object)]), TypeError, "no array of numbers"),
        (np.zeros(2, dtype=[("x", "f4"), ("y", "i4")]), TypeError, "no array of numbers"),
        ([[[[1, 2], [3]]]], ValueError, "inhomogeneous"),
        ([_OfNoKind()], RuntimeError, "not today"),
        (np.ma.masked_greater(np.ones((2, 8, 8, 1)), 0.5), ValueError, "masked"),
        (np.float32(1), TypeError, "neither a path nor arrays"),
        (np.zeros((0, 8, 8, 1), np.float32), visqerror.InputError, "image|data"),
        (np.zeros((2, 8, 8, 1), np.clongdouble), visqerror.InputError, "image|data"),
        (np.zeros((2, 8, 8, 1), "datetime64[s]"), visqerror.InputError, "image|data"),
        (np.full((2, 8, 8, 1), "one"), visqerror.InputError, "image|data"),
        (np.zeros((1,) * 32, np.float32), visqerror.InputError, "image|data"),
    ],
)
def test_hostile_arrays_are_errors_and_leave_nothing(data, error, complaint, fp32, int8, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    with pytest.raises(error, match=complaint):
        visqerror.compare(fp32, int8, data)
    assert list(tmp_path.iterdir()) == []


def test_a_generator_that_fails_leaves_nothing(fp32, int8, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)

    def records():
        yield np.zeros((1, 8, 8, 1), np.float32)
        raise OSError("the camera has gone")

    with pytest.raises(OSError, match="camera"):
        visqerror.compare(fp32, int8, records())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings("ignore::visqerror.VisqWarning")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3.4e38, 1e-45])
def test_numbers_at_the_end_of_floats_are_answered(value, fp32, int8):
    images = np.full((2, 1, 8, 8, 1), value, np.float32)
    assert len(visqerror.compare(fp32, int8, images)["nodes"]) > 10
