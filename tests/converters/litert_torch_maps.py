"""litert-torch's float models and its PT2E quantization; AI Edge Quantizer's recipes on top of the float model."""

import torch

import litert_torch
import networks as torch_networks
import quantizer_recipes
from store import arrays, store_data, store_outputs


def networks():
    return list(torch_networks.NETWORKS)


def pt2e(module, inputs, path, dynamic):
    from litert_torch.quantize import pt2e_quantizer, quant_config
    from torchao.quantization.pt2e import quantize_pt2e

    quantizer = pt2e_quantizer.PT2EQuantizer().set_global(
        pt2e_quantizer.get_symmetric_quantization_config(is_per_channel=True, is_dynamic=dynamic))  # fmt: skip
    prepared = quantize_pt2e.prepare_pt2e(torch.export.export(module, inputs).module(), quantizer)
    for record in [inputs, *torch_networks.records(inputs, 4)]:
        prepared(*record)
    converted = quantize_pt2e.convert_pt2e(prepared, fold_quantize=False)
    litert_torch.convert(converted, inputs, quant_config=quant_config.QuantConfig(pt2e_quantizer=quantizer)).export(str(path))


def recipes(name, folder):
    module, inputs = torch_networks.build(name)
    records = list(torch_networks.records(inputs, 3, seed=1))
    store_data(folder, map(arrays, records))
    store_outputs(folder, module, records)
    model = folder / "float.tflite"
    yield "float", lambda: litert_torch.convert(module, inputs).export(str(model))
    for dynamic in (False, True):
        recipe = "pt2e_dynamic" if dynamic else "pt2e_static"
        yield recipe, lambda d=dynamic, r=recipe: pt2e(torch_networks.build(name)[0], inputs, folder / f"{r}.tflite", d)
    if model.exists():
        calibration = [arrays(record) for record in torch_networks.records(inputs, 4)]
        yield from quantizer_recipes.recipes(model, calibration)
