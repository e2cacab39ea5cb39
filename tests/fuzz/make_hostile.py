#!/usr/bin/env python3
"""Writes regressions/npz, pictures, device and boxes again: small files that ask for much, or lie (Python's own library only)."""
import io
import os
import struct
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))


def write(folder, name, content):
    os.makedirs(os.path.join(HERE, "regressions", folder), exist_ok=True)
    with open(os.path.join(HERE, "regressions", folder, name), "wb") as file:
        file.write(content)


def npy(code, shape, content=b""):
    header = f"{{'descr': '{code}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header + content


def zipped(entries):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries:
            file.writestr(name, content)
    return made.getvalue()


def archives():
    write("npz", "zip_bomb", zipped([("x.npy", npy("<f4", (4096, 512), bytes(4096 * 512 * 4)))]))
    write("npz", "names_that_climb", zipped([("../../x.npy", npy("<f4", (1, 2), bytes(8))), ("/etc/y.npy", npy("<f4", (1, 2), bytes(8)))]))
    write("npz", "two_of_one_name", zipped([("x.npy", npy("<f4", (1, 2), bytes(8)))]) * 2)
    write("npz", "shape_beyond_its_bytes", zipped([("x.npy", npy("<f4", (2**31, 2**31), bytes(8)))]))
    honest = bytearray(zipped([("x.npy", npy("<f4", (1, 2), bytes(8)))]))
    place = honest.rindex(b"PK\x01\x02")
    honest[place + 24:place + 28] = struct.pack("<I", 0xFFFFFFF0)
    write("npz", "size_that_deflate_cannot_give", bytes(honest))
    write("npz", "cut_off", zipped([("x.npy", npy("<f4", (1, 2), bytes(8)))])[:-9])


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(width, height, rows, depth=8, colours=0):
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colours, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def pictures():
    write("pictures", "png_of_a_billion_pixels", png(31623, 31623, b"\0" * 1000))
    write("pictures", "png_without_its_rows", png(7, 9, b"\0\1"))
    write("pictures", "png_palette_without_colours", png(2, 1, b"\0\1\2", colours=3))
    with open(os.path.join(HERE, "..", "data", "pictures", "photo.jpg"), "rb") as file:
        photo = file.read()
    write("pictures", "jpeg_cut_off", photo[:700])
    frame = photo.index(b"\xff\xc0")
    write("pictures", "jpeg_of_four_billion_pixels", photo[:frame + 5] + b"\xff\xdc\xff\xdc" + photo[frame + 9:])
    write("pictures", "jpeg_of_nothing", b"\xff\xd8\xff\xd9")


def devices():
    heading = b"file,name,index,record,dtype,shape,layout,scale,zero_point,offset\n"
    lines = {"numbers_out_of_range": b"x.bin,a,99999999999999999999,1e30,int8,1x2,,0.5,0,18446744073709551616\n",
             "shape_that_overflows": b"x.bin,a,0,0,float64,4294967296x4294967296x4294967296,,,,0\n",
             "negative_shape": b"x.bin,a,0,0,int8,1x-2x-3,,,,0\n",
             "file_elsewhere": b"../../etc/passwd,a,0,0,uint8,1,,,,0\n",
             "scale_that_is_no_number": b"x.bin,a,0,0,int8,1x2,,nan 0 -1 1e999,9223372036854775808,0\n",
             "more_columns_than_its_heading": b"x" * 10 + b"," * 300 + b"\n"}
    for name, line in lines.items():
        write("device", name, heading + line)
    write("device", "deep_json", b"[" * 20000)
    write("device", "json_of_other_types", b'[{"file": [], "dtype": {}, "shape": "1", "index": -1, "record": null}]')


def boxes():
    lists = b'{"images": [{"id": 1, "width": %s, "height": 1}], "categories": [{"id": 1}], "annotations": [%s]}'
    write("boxes", "deep", b'{"images": ' + b"[" * 30000)
    write("boxes", "numbers_beyond_double", lists % (b"1e999", b'{"image_id": 1e999, "category_id": 1, "bbox": [1e308, -1e308, 1e308, 1e308]}'))
    write("boxes", "box_of_many_numbers", lists % (b"1", b'{"image_id": 1, "category_id": 1, "bbox": [' + b"1," * 999 + b"1]}"))
    write("boxes", "box_of_boxes", lists % (b"1", b'{"image_id": 1, "category_id": 1, "bbox": [[1, 2], {"x": 3}, 4, 5]}'))
    write("boxes", "list_twice", b'{"images": [], "images": 3, "annotations": {}}')
    write("boxes", "mask_of_a_billion_pixels", png(31623, 31623, b"\0" * 1000))
    write("boxes", "mask_of_sixteen_bits", png(2, 2, b"\0\1\2\3\4\0\5\6\7\10", depth=16))


archives()
pictures()
devices()
boxes()
