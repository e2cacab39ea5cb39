#!/usr/bin/env python3
"""Writes seeds/hdf5, seeds/npy and seeds/model again: one small file per way of storing things (pip install numpy h5py flatbuffers)."""
import os
import shutil
import struct

import flatbuffers
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


def container(name, model, kinds, misplaced=0):
    """A LiteRT-LM container with that model behind a header that lists `kinds`: (section type, model type); `misplaced`: by so many bytes."""
    builder = flatbuffers.Builder(256)
    room = 1024
    places = [(room + misplaced, room + len(model))] + [(room + len(model), room + len(model))] * (len(kinds) - 1)
    sections = []
    for (kind, text), (begin, end) in zip(kinds, places):
        key, value = builder.CreateString("model_type"), builder.CreateString(text)
        builder.StartObject(1)
        builder.PrependUOffsetTRelativeSlot(0, value, 0)
        value = builder.EndObject()
        builder.StartObject(3)
        builder.PrependUOffsetTRelativeSlot(0, key, 0)
        builder.PrependUint8Slot(1, 9, 0)
        builder.PrependUOffsetTRelativeSlot(2, value, 0)
        items = vector(builder, [builder.EndObject()])
        builder.StartObject(4)
        builder.PrependUOffsetTRelativeSlot(0, items, 0)
        builder.PrependUint64Slot(1, begin, 0)
        builder.PrependUint64Slot(2, end, 0)
        builder.PrependUint8Slot(3, kind, 0)
        sections.append(builder.EndObject())
    objects = vector(builder, sections)
    builder.StartObject(1)
    builder.PrependUOffsetTRelativeSlot(0, objects, 0)
    metadata = builder.EndObject()
    builder.StartObject(2)
    builder.PrependUOffsetTRelativeSlot(1, metadata, 0)
    builder.Finish(builder.EndObject())
    header = bytes(builder.Output())
    start = b"LITERTLM" + struct.pack("<IIIIQ", 1, 7, 0, 0, 32 + len(header))
    os.makedirs(os.path.join(HERE, "model"), exist_ok=True)
    with open(os.path.join(HERE, "model", name), "wb") as file:
        file.write((start + header).ljust(room, b"\0") + model)


def vector(builder, offsets):
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    return builder.EndVector()


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

    seeds_of_devices()
    containers()


def seeds_of_devices():
    for folder in ("npz", "pictures", "device"):
        os.makedirs(os.path.join(HERE, folder), exist_ok=True)
    two = {"x": np.ones((2, 1, 2), np.float32), "y": np.ones((2, 2), np.int8)}
    np.savez(os.path.join(HERE, "npz", "stored.npz"), **two)
    np.savez_compressed(os.path.join(HERE, "npz", "deflated.npz"), **two)
    for name in ("photo.jpg", "grey.jpg", "palette.png", "alpha.png"):
        shutil.copy(os.path.join(HERE, "..", "..", "data", "pictures", name), os.path.join(HERE, "pictures", name))
    texts = {"list.csv": "file,name,index,record,dtype,shape,layout,scale,zero_point,offset\nx.bin,a/b,3,0,int8,1x2x2x3,nchw,0.5,-3,0\n",
             "list.json": '[{"file": "x.bin", "index": 1, "dtype": "float32", "shape": [1, 2], "scale": [0.5], "zero_point": 3}]',
             "numbers.txt": "1\n-2\n3.5e-1\nnan\n"}
    for name, text in texts.items():
        with open(os.path.join(HERE, "device", name), "w") as file:
            file.write(text)


def containers():
    with open(os.path.join(HERE, "..", "regressions", "model", "fill_without_output"), "rb") as file:
        model = file.read()
    container("litertlm_one_model", model, [(3, "tf_lite_prefill_decode")])
    container("litertlm_tokenizer_and_two_models", model, [(3, "tf_lite_prefill_decode"), (4, ""), (3, "tf_lite_embedder")])
    container("litertlm_unknown_section", model, [(200, "tf_lite_aux")])
    container("litertlm_inside_its_header", model, [(3, "tf_lite_prefill_decode")], misplaced=-1000)


main()
