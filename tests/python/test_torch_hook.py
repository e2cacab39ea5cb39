"""A PyTorch module's activations become a dump that compare reads."""

import numpy as np
import pytest
import visqerror


class StandIn:
    """As much of a module and of a tensor as the hook touches, where there is no PyTorch."""

    def __init__(self, compute, **parts):
        self.compute, self.parts, self.hooks, self.pre_hooks = compute, parts, [], []

    def named_modules(self):
        return [("", self), *self.parts.items()]

    def register_forward_hook(self, hook):
        self.hooks.append(hook)
        return self

    def register_forward_pre_hook(self, hook):
        self.pre_hooks.append(hook)
        return self

    def remove(self):
        self.hooks.clear()
        self.pre_hooks.clear()

    def __call__(self, x):
        for hook in self.pre_hooks:
            hook(self, (x,))
        output = self.compute(x)
        for hook in self.hooks:
            hook(self, (x,), output)
        return output


class Tensor:
    def __init__(self, array):
        self.array = array

    def detach(self):
        return self

    cpu = float = detach

    def is_floating_point(self):
        return True

    def numpy(self):
        return self.array


def test_layout_and_names_without_torch(tmp_path):
    pair = StandIn(lambda x: (Tensor(x.array + 1), Tensor(x.array[0, 0])))
    network = StandIn(lambda x: pair(pair(x)[0])[0], pair=pair)
    image = np.arange(2 * 3 * 4, dtype=np.float32).reshape(1, 2, 3, 4)
    with visqerror.hook(network, tmp_path / "dump", names=lambda name: {"pair": "a/b"}.get(name, name)):
        network(Tensor(image))
        network(Tensor(image))
    network(Tensor(image))
    assert sorted(folder.name for folder in (tmp_path / "dump").iterdir()) == ["0", "1", "maps.tsv"]
    table = (tmp_path / "dump/maps.tsv").read_text().splitlines()
    assert table == ["name\tlayout", "input\tnhwc", "a/b\tnhwc", "pair:1\t", "pair@1\tnhwc", "pair@1:1\t", "output\tnhwc"]
    names = ["a_b.npy", "input.npy", "output.npy", "pair@1.npy", "pair@1_1.npy", "pair_1.npy"]
    assert sorted(file.name for file in (tmp_path / "dump/1").iterdir()) == names
    np.testing.assert_array_equal(np.load(tmp_path / "dump/1/output.npy"), image.transpose(0, 2, 3, 1) + 2)
    np.testing.assert_array_equal(np.load(tmp_path / "dump/0/pair@1_1.npy"), image[0, 0] + 1)
    with visqerror.hook(network, tmp_path / "nchw", names={"pair": "mine"}, nhwc=False):
        network(Tensor(image))
    assert [file.name for file in (tmp_path / "nchw/0").iterdir()] == ["mine.npy"]
    assert np.load(tmp_path / "nchw/0/mine.npy").shape == (1, 2, 3, 4)


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.fixture
def network(torch):
    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(1, 2, 3, padding=1)
            self.relu = torch.nn.ReLU()

        def forward(self, x):
            return self.relu(self.relu(self.conv(x)) - 0.1)

    return Network()


def test_layout_names_and_numbers(torch, network, tmp_path):
    images = torch.rand(3, 1, 1, 8, 8)
    with visqerror.hook(network, tmp_path / "dump", names=lambda name: {"conv": "block/conv", "relu@1": None}.get(name, name)):
        for image in images:
            network(image)
    network(images[0])  # the hooks are off
    assert sorted(folder.name for folder in (tmp_path / "dump").iterdir()) == ["0", "1", "2", "maps.tsv"]
    assert sorted(file.name for file in (tmp_path / "dump/1").iterdir()) == ["block_conv.npy", "input.npy", "output.npy", "relu.npy"]
    expected = network.conv(images[1]).detach().numpy().transpose(0, 2, 3, 1)
    np.testing.assert_array_equal(np.load(tmp_path / "dump/1/block_conv.npy"), expected)


def test_compare_reads_it(torch, network, tmp_path):
    images = torch.rand(2, 1, 1, 8, 8)
    for name, scale in (("float", 1.0), ("device", 1.01)):
        with visqerror.hook(network, tmp_path / name), torch.no_grad():
            for image in images:
                network.conv.bias.mul_(scale)
                network(image)
    result = visqerror.compare(tmp_path / "float", tmp_path / "device")
    assert {node["name"] for node in result["nodes"]} == {"input", "conv", "relu", "relu@1", "output"}


def test_a_model_is_run_on_what_the_module_was_called_with(fp32, int8, images, tmp_path):
    """Maps of the example as another program would lay them out and call them, and what compare says of the two models."""
    h5py = pytest.importorskip("h5py")
    visqerror.run(fp32, images, out=tmp_path / "maps.h5")
    with h5py.File(tmp_path / "maps.h5") as file:
        maps = [{value.attrs["name"]: value[()] for value in record.values()} for record in file["value"].values()]
    order = [name for name, value in maps[0].items() if value.ndim == 4]
    parts = {f"part.{i}": StandIn(lambda x: x) for i in range(1, len(order))}
    network = StandIn(lambda x: [part(Tensor(np.moveaxis(now[name], -1, 1))) for part, name in zip(parts.values(), order[1:])][-1], **parts)
    with visqerror.hook(network, tmp_path / "dump", nhwc=False):
        for now in maps:
            network(Tensor(np.moveaxis(now[order[0]], -1, 1)))
    found = {node["quantized"]["name"]: node["metrics"]["mse"] for node in visqerror.compare(tmp_path / "dump", int8)["nodes"]}
    wanted = {node["quantized"]["name"]: node["metrics"]["mse"] for node in visqerror.compare(fp32, int8, images)["nodes"]}
    assert len(found) >= 4
    assert all(error == pytest.approx(wanted[name], rel=1e-6) for name, error in found.items())
