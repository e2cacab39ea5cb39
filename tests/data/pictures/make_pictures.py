#!/usr/bin/env python3
"""Makes the pictures of this folder, and what Pillow reads and resizes them to (pip install pillow numpy)."""
import os

import numpy
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))


def scene(width, height):
    """Waves with a sharp edge, and some noise: what tells one filter from another."""
    y, x = numpy.mgrid[0:height, 0:width]
    noise = numpy.random.default_rng(1).integers(0, 40, (height, width, 3))
    waves = [110 + 100 * numpy.sin(x / 3.0), 110 + 100 * numpy.cos(y / 2.0), numpy.where(x + y > width, 200, 20)]
    return (numpy.stack(waves, -1) + noise).clip(0, 255).astype("uint8")


def save_array(name, picture):
    numpy.save(os.path.join(HERE, name + ".npy"), numpy.asarray(picture))


def main():
    picture = Image.fromarray(scene(50, 38))
    picture.save(os.path.join(HERE, "photo.jpg"), quality=90)
    picture.convert("L").save(os.path.join(HERE, "grey.jpg"), quality=90)
    picture.save(os.path.join(HERE, "plain.png"))
    picture.convert("P", palette=Image.Palette.ADAPTIVE, colors=16).save(os.path.join(HERE, "palette.png"))
    alpha = Image.fromarray(numpy.dstack([scene(50, 38), scene(50, 38)[:, :, 0]]))
    alpha.save(os.path.join(HERE, "alpha.png"))
    for name in ("photo.jpg", "grey.jpg", "plain.png", "palette.png", "alpha.png"):
        opened = Image.open(os.path.join(HERE, name)).convert("RGB")
        stem = name.replace(".", "_")
        save_array(stem, opened)
        if name == "photo.jpg":
            for width, height in ((16, 12), (24, 60), (50, 20), (77, 38), (90, 80)):
                save_array(f"{stem}_{width}x{height}", opened.resize((width, height), Image.Resampling.BILINEAR))
            save_array(stem + "_L", opened.convert("L"))


if __name__ == "__main__":
    main()
