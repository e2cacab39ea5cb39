"""Whatever form the data have, the numbers are those of the file that they were taken from."""

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
