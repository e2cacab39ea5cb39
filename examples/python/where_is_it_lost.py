# %% [markdown]
# # Where is the accuracy lost?
# A float model, its int8 twin, and test images as an array: which layer is worst, and what does it cost the output?
# Run it in the folder `examples/digits`, cell by cell (VS Code, Jupytext) or as a script.

# %%
import numpy as np
import visqerror

labels = np.load("labels.npy")
result = visqerror.compare("fp32.tflite", "int8.tflite", "data.h5", labels="labels.npy", per_record=True)
result  # in a notebook: the verdict, the worst nodes, the graph in the colours of the error

# %%
print(result["verdict"]["sentence"])
worst = min(result.rows(), key=lambda row: row["sqnr"])
print(f"worst node: {worst['name']} ({worst['op']}), {worst['sqnr']:.1f} dB")

# %% [markdown]
# The maps themselves: what do both models say to the record that is hit most?

# %%
case = visqerror.badcase("fp32.tflite", "int8.tflite", "data.h5")["cases"][0]
record = str(case["record"])
selection = f"{record}:{case['record'] + 1}"
for model in ("fp32.tflite", "int8.tflite"):
    scores = visqerror.run(model, "data.h5", records=selection)["Identity"]
    print(f"record {record}, label {labels[case['record']]}: {model} says {scores.argmax()} ({scores.max():.3f})")

# %% [markdown]
# Data need no file: an array (batch first), a dict of arrays, or any iterable of records will do.

# %%
images = visqerror.run("fp32.tflite", "data.h5").stacked("image")
noisy = np.clip(images + np.random.default_rng(0).normal(0, 0.1, images.shape), 0, 1).astype(np.float32)
for name, data in (("clean", images), ("noisy", noisy)):
    outputs = visqerror.compare("fp32.tflite", "int8.tflite", data, metrics="sqnr")["outputs"]
    print(f"{name}: {outputs[0]['metrics']['sqnr']:.1f} dB")
