"""Every recipe that AI Edge Quantizer comes with, and a few of its settings that none of them uses, applied to a float model."""

from ai_edge_litert.interpreter import Interpreter
from ai_edge_quantizer import qtyping, quantizer, recipe, recipe_manager


def weights(bits, granularity, **settings):
    """A recipe that stores weights in few bits and widens them in the graph."""

    def make():
        manager = recipe_manager.RecipeManager()
        tensors = qtyping.TensorQuantizationConfig(num_bits=bits, granularity=qtyping.QuantGranularity[granularity], **settings)
        manager.add_quantization_config(
            regex=".*", operation_name=qtyping.TFLOperationName.ALL_SUPPORTED,
            op_config=qtyping.OpQuantizationConfig(weight_tensor_config=tensors, compute_precision=qtyping.ComputePrecision.FLOAT,
                                                   explicit_dequantize=True))  # fmt: skip
        return manager.get_quantization_recipe()

    return make


RECIPES = {name: getattr(recipe, name) for name in dir(recipe) if name.startswith(("static_", "dynamic_", "weight_only_"))}
RECIPES["weights_int4_block32"] = weights(4, "BLOCKWISE_32")
RECIPES["weights_int8_offset"] = weights(8, "CHANNELWISE", symmetric=False)
RECIPES["weights_int2"] = weights(2, "CHANNELWISE")


def calibration_of(model, records):
    """Per signature: records by the names of its inputs, which stand in the order of the model's."""
    interpreter = Interpreter(str(model))
    key, signature = next(iter(interpreter.get_signature_list().items()))
    details = interpreter.get_signature_runner(key).get_input_details()
    order = sorted(signature["inputs"], key=lambda name: details[name]["index"])
    return {key: [dict(zip(order, record)) for record in records]}


def quantize(model, make, path, records):
    tool = quantizer.Quantizer(str(model), make())
    calibration = tool.calibrate(calibration_of(model, records)) if tool.need_calibration else None
    path.write_bytes(tool.quantize(calibration).quantized_model)


def recipes(model, records):
    for name, make in RECIPES.items():
        yield f"aeq_{name}", lambda n=name, m=make: quantize(model, m, model.with_name(f"aeq_{n}.tflite"), records)
