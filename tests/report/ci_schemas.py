"""Validates files of the formats that build servers and graph viewers read.

ci_schemas.py SCHEMAS FILE…: *.sarif against SCHEMAS/*.json (JSON Schema), *.xml against every SCHEMAS/*.xsd, *.model-explorer.json with the
classes that the viewer's own package reads node data into, where that is installed. Prints a line per fault, then how many files were sound.
"""
import json
import pathlib
import sys

import jsonschema
import xmlschema

try:
    from model_explorer import node_data_builder as viewer
except ImportError:
    viewer = None


def sarif_faults(path, schemas):
    document = json.loads(path.read_text())
    for schema in schemas.glob("*sarif*.json"):
        validator = jsonschema.Draft4Validator(json.loads(schema.read_text()), format_checker=jsonschema.FormatChecker())
        for error in validator.iter_errors(document):
            yield f"{schema.name}: {error.message}"


def junit_faults(path, schemas):
    for schema in schemas.glob("*.xsd"):
        for error in xmlschema.XMLSchema(str(schema)).iter_errors(str(path)):
            yield f"{schema.name}: {error.reason} at {error.path}"


def node_data_faults(path, _):
    if viewer is None:
        return
    for graph, data in json.loads(path.read_text()).items():
        try:
            data["results"] = {key: viewer.NodeDataResult(**each) for key, each in data["results"].items()}
            data["gradient"] = [viewer.GradientItem(**each) for each in data.get("gradient", [])]
            json.loads(viewer.ModelNodeData(graphsData={graph: viewer.GraphNodeData(**data)}).to_json_string())
        except (KeyError, TypeError) as fault:
            yield f"{graph}: {fault}"


CHECKS = {".sarif": sarif_faults, ".xml": junit_faults, ".json": node_data_faults}

sound = 0
for name in sys.argv[2:]:
    file = pathlib.Path(name)
    faults = list(CHECKS[file.suffix](file, pathlib.Path(sys.argv[1])))
    for fault in faults:
        print(f"{file.name}: {fault}")
    sound += not faults
print(f"{sound} of {len(sys.argv) - 2} files are sound")
