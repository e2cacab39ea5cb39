#!/usr/bin/env python3
"""Writes coco_cases.json again: boxes drawn at random, and what COCO's own evaluation says of them (pip install numpy pycocotools)."""
import contextlib
import io
import json
import os

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

HERE = os.path.dirname(os.path.abspath(__file__))
CATEGORIES = [1, 3, 7, 90]


def drawn(seed, images, most_boxes, found_per_image, crowds, ties):
    """Ground truth, and found boxes that are true ones moved a little, or anywhere."""
    draw = np.random.default_rng(seed)
    truth = {"images": [{"id": int(i), "width": 100, "height": 80, "file_name": f"{i}.jpg"} for i in draw.permutation(images) * 3 + 1],
             "categories": [{"id": c, "name": str(c)} for c in CATEGORIES], "annotations": []}
    found = []
    for image in truth["images"]:
        boxes = []
        for _ in range(draw.integers(0, most_boxes + 1)):
            box = np.round(draw.uniform([0, 0, 8, 8], [60, 40, 40, 40]), 1).tolist()
            category = int(draw.choice(CATEGORIES[:3]))  # nothing is of the last one
            boxes.append((box, category))
            truth["annotations"].append({"id": len(truth["annotations"]) + 1, "image_id": image["id"], "category_id": category, "bbox": box,
                                         "area": box[2] * box[3], "iscrowd": int(draw.random() < crowds)})
        for _ in range(found_per_image):
            if boxes and draw.random() < 0.7:
                box, category = boxes[draw.integers(len(boxes))]
                box = np.round(np.array(box) + draw.normal(0, 3, 4), 1)
                box[2:] = np.maximum(box[2:], 1)
                category = category if draw.random() < 0.9 else int(draw.choice(CATEGORIES))
            else:
                box, category = np.round(draw.uniform([0, 0, 8, 8], [60, 40, 40, 40]), 1), int(draw.choice(CATEGORIES))
            found.append({"image_id": image["id"], "category_id": category, "bbox": [float(v) for v in box],
                          "score": round(float(draw.random()), 1 if ties else 4)})
    return truth, found


def judged(truth, found):
    with contextlib.redirect_stdout(io.StringIO()):
        reference = COCO()
        reference.dataset = truth
        reference.createIndex()
        evaluation = COCOeval(reference, reference.loadRes(found), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return float(evaluation.stats[0]), float(evaluation.stats[1])


def main():
    kinds = {"plain": (1, 6, 4, 6, 0, False), "crowds": (2, 6, 5, 8, 0.4, False), "equal scores": (3, 6, 5, 10, 0.2, True),
             "more than a hundred": (4, 1, 3, 240, 0.2, False), "few": (5, 3, 1, 1, 0, False)}
    cases = []
    for name, how in kinds.items():
        truth, found = drawn(*how)
        precise, loose = judged(truth, found)
        cases.append({"name": name, "truth": truth, "found": found, "map": precise, "map50": loose})
    with open(os.path.join(HERE, "coco_cases.json"), "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]\n")


if __name__ == "__main__":
    main()
