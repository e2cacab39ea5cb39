#!/usr/bin/env python3
"""Writes seeds/hdf5 and seeds/npy again: one small file per way of storing things (pip install numpy h5py)."""
import os

import h5py
import numpy as np

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seeds")


def hdf5(name, fill, **options):
    with h5py.File(os.path.join(HERE, "hdf5", name + ".h5"), "w", **options) as file:
        fill(file)


def records(*arrays):
    def fill(file):
        for index in range(2):
            for position, array in enumerate(arrays):
                file.create_dataset(f"value/{index}/{position}", data=array)
    return fill


def raw(file):
    records(np.ones((1, 2), np.float32), np.ones((1, 2), np.int8))(file)
    file["value"].attrs["rawData"] = "1"


def raw_number(file):
    records(np.ones((1, 2), np.float32), np.ones((1, 2), np.int8))(file)
    file["value"].attrs["rawData"] = np.int32(1)


def packed(file):
    file.create_dataset("value/0/0", data=np.arange(64, dtype=np.float32), chunks=(16,), compression="gzip", shuffle=True)


def strings(file):
    file.create_dataset("value/0/0", data=np.array(["a", "bc"], dtype=object), dtype=h5py.string_dtype())
    file.create_dataset("value/1/0", data=np.array([b"ab", b"cd"], dtype="S2"))


def dump(file):
    file.attrs["model"], file.attrs["mode"] = "m.tflite", "integer"
    data = file.create_dataset("value/0/3", data=np.zeros((1, 2, 2), np.int8))
    data.attrs["name"] = "conv/Relu"
    data.attrs["scale"] = np.array([0.5, 0.25], np.float32)
    data.attrs["zero_point"] = np.array([0, 1], np.int64)
    data.attrs["quantized_dimension"] = np.int64(2)


def main():
    os.makedirs(os.path.join(HERE, "hdf5"), exist_ok=True)
    os.makedirs(os.path.join(HERE, "npy"), exist_ok=True)
    for version in ("earliest", "latest"):
        kinds = {"float": records(np.ones((1, 2), np.float32)), "half": records(np.ones(2, np.float16)), "bool": records(np.array([True, False])),
                 "complex": records(np.ones(2, np.complex64)), "two": records(np.ones((1, 2), np.float32), np.ones((1, 2), np.int8)),
                 "raw": raw, "raw_number": raw_number, "packed": packed, "strings": strings, "dump": dump,
                 "labels": lambda file: file.create_dataset("labels", data=np.arange(3))}
        for name, fill in kinds.items():
            hdf5(f"{name}_{version}", fill, libver=version)
    arrays = {"float": np.ones((2, 3), np.float32), "big_endian": np.ones(2, ">f8"), "bool": np.array([True, False]), "bytes": np.ones((2, 2), np.int8),
              "complex": np.ones(2, np.complex128), "labels": np.arange(4), "scalar": np.float16(1), "fortran": np.asfortranarray(np.ones((2, 2)))}
    for name, array in arrays.items():
        np.save(os.path.join(HERE, "npy", name + ".npy"), array)
    with open(os.path.join(HERE, "npy", "labels.csv"), "w") as file:
        file.write("label\n1\n2, 3\r\n-4\n")


main()
