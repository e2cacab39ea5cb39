"""TICO: circle files of PyTorch networks, float and by its quantization wrappers."""

import numpy as np
import tico
import torch
from tico.quantization import convert, prepare
from tico.quantization.config.ptq import PTQConfig
from tico.quantization.config.specs import affine
from tico.quantization.wrapq import dtypes
from tico.quantization.wrapq.qscheme import QScheme

import networks as torch_networks
from store import arrays, store_data, store_outputs

WIDE = affine(dtypes.INT16, qscheme=QScheme.PER_TENSOR_SYMM)
SETTINGS = {
    "uint8": lambda: PTQConfig(), "int16_uint8": lambda: PTQConfig(activation=WIDE),
    "int16_int16": lambda: PTQConfig(activation=WIDE, weight=WIDE),
}  # fmt: skip


def networks():
    return ["llama_layer", *torch_networks.NETWORKS]


class Layer(torch.nn.Module):
    """A decoder layer of transformers with the positions of a whole prompt."""

    def __init__(self, layer, positions):
        super().__init__()
        self.layer = layer
        self.cos, self.sin = (torch.nn.Parameter(each, requires_grad=False) for each in positions)
        size = self.cos.shape[-2]
        self.mask = torch.nn.Parameter(torch.full((1, 1, size, size), -120.0).triu(1), requires_grad=False)

    def forward(self, x):
        result = self.layer(x, attention_mask=self.mask, position_embeddings=(self.cos, self.sin))
        return result[0] if isinstance(result, tuple) else result


def llama_layer(length=8):
    """(the layer as it is, the layer as the wrappers take it, inputs)"""
    import transformers

    torch.manual_seed(5)
    model = transformers.LlamaModel(transformers.LlamaConfig(
        vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=4, num_key_value_heads=2,
        max_position_embeddings=length, attn_implementation="eager"))  # fmt: skip
    for name, parameter in model.named_parameters():
        if "norm" in name:
            parameter.data.uniform_(0.5, 1.5)
    x = torch.randn(1, length, 32)
    positions = model.rotary_emb(x, torch.arange(length).unsqueeze(0))
    return Layer(model.layers[0], positions).eval(), model.layers[0].eval(), (x,)


def quantize(module, inputs, config, records, path):
    wrapped = prepare(module, config).eval()
    with torch.no_grad():
        for record in torch_networks.records(inputs, 8):
            wrapped(*record)
    convert(wrapped)
    store_outputs(path.parent, wrapped, records)
    np.savez(path.with_suffix(".npz"), **np.load(path.with_name("torch.npz")))
    tico.convert(wrapped, inputs).save(str(path))


def recipes(name, folder):
    module, inputs = (llama_layer()[0], llama_layer()[2]) if name == "llama_layer" else torch_networks.build(name)
    records = list(torch_networks.records(inputs, 3, seed=1))
    store_data(folder, map(arrays, records))

    def plain():
        tico.convert(module, inputs).save(str(folder / "float.circle"))

    yield "float", plain
    for recipe, config in SETTINGS.items():
        fresh = llama_layer()[1] if name == "llama_layer" else torch_networks.build(name)[0]
        yield recipe, lambda f=fresh, c=config, r=recipe: quantize(f, inputs, c(), records, folder / f"{r}.circle")
    store_outputs(folder, module, records)
