"""model_explorer_keys.py MODEL FILE…: whether Model Explorer finds the nodes that node data files speak of.

Reads the model with the viewer's own adapter and prints every graph id and key of the files that is not in its graphs, then how many are.
"""
import json
import sys

import ai_edge_model_explorer_adapter as adapter

collections = json.loads(adapter.ConvertFlatbufferDirectlyToJson(adapter.VisualizeConfig(), sys.argv[1]))
names = {}
for collection in collections:
    for graph in collection["subgraphs"]:
        metadata = [each for node in graph["nodes"] for each in node.get("outputsMetadata", [])]
        names[graph["id"]] = {attr["value"] for each in metadata for attr in each["attrs"] if attr["key"] == "tensor_name"}

known = 0
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        for graph, data in json.load(file).items():
            for key in data["results"]:
                if key in names.get(graph, ()):
                    known += 1
                else:
                    print(f"{path}: {graph}: {key}")
print(f"{known} known")
