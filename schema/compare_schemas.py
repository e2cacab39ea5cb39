#!/usr/bin/env python3
"""Names what the schemas of public packages have and tflite.fbs or circle.fbs have not.

Usage: compare_schemas.py   (pip install ai-edge-litert circle-schema; either may be missing)
"""
import importlib.util
import pathlib
import re

HERE = pathlib.Path(__file__).parent
ENUMERATIONS = ("BuiltinOperator", "TensorType", "BuiltinOptions", "BuiltinOptions2", "QuantizationDetails", "CompressionType")


def folder_of(package):
    spec = importlib.util.find_spec(package)
    return pathlib.Path(spec.submodule_search_locations[0]) if spec else None


def missing(generated, own):
    """What generated Python code names and the .fbs text does not."""
    for name in ENUMERATIONS:
        body = re.search(rf"class {name}\(.*?\):\n((?:    \w+ = -?\d+\n)+)", generated)
        for key, value in re.findall(r"    (\w+) = (-?\d+)", body.group(1)) if body else []:
            if not re.search(rf"\b{key}\b", own):
                yield f"{name}.{key} = {value}"
    for table in sorted(set(re.findall(r"^def (\w+?)Start\(builder", generated, re.M))):
        body = re.search(rf"table {table} {{(.*?)}}", own, re.S)
        if not body:
            yield f"table {table}"
            continue
        fields = {field.replace("_", "").lower() for field in re.findall(r"(\w+):", body.group(1))}
        for field in re.findall(rf"def {table}Add(\w+)\(builder", generated):
            if field.lower() not in fields and not field.endswith("Type"):
                yield f"{table}.{field}"


def main():
    litert, circle = folder_of("ai_edge_litert"), folder_of("circle_schema")
    if litert:
        print("tflite.fbs lacks", list(missing((litert / "schema_py_generated.py").read_text(), (HERE / "tflite.fbs").read_text())))
    if circle:
        newest = max(circle.glob("v*_*"), key=lambda path: tuple(map(int, path.name[1:].split("_"))))
        generated = "\n".join(path.read_text() for path in sorted(newest.rglob("*.py")))
        print("circle.fbs lacks", list(missing(generated, (HERE / "circle.fbs").read_text())))


if __name__ == "__main__":
    main()
