# %% [markdown]
# # Why, and what to do?
# Causes, fixes that were tried, and a baseline that keeps the model from getting worse unseen. Run it in the folder `examples/digits`.

# %%
import visqerror

models = ("fp32.tflite", "int8.tflite")
findings = visqerror.diagnose(*models, "data.h5")
findings  # in a notebook: the findings and the degradation graphs

# %%
for finding in findings["findings"]:
    print(finding["severity"], finding["cause"], finding["tensor"], finding["fix"])
print("general measures:", *findings["measures"], sep="\n  ")

# %% [markdown]
# Which operators should get more bits, and what does that win? Each set of the front was simulated.

# %%
front = visqerror.recommend(*models, "data.h5", records=16, target="sqnr=45", write={"mpq": "mixed.mpq.json"})
for step in front["front"]:
    print(f"{step['operators']} operators, +{step['added_bytes']} bytes: {step['sqnr']:.1f} dB")

# %% [markdown]
# A result that you are content with is a baseline. A worse one is an exception, whose `result` is complete.

# %%
baseline = visqerror.compare(*models, "data.h5")
baseline.save("baseline.json")
try:
    visqerror.compare(*models, "data.h5", baseline="baseline.json", tolerance="5%", min={"sqnr": 40})
    visqerror.compare(*models, "data.h5", min={"sqnr": 60})
except visqerror.ConditionFailed as failure:
    print(failure)
