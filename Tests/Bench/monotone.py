#!/usr/bin/env python3
"""Whether a bigger budget ever looks worse: SSIMULACRA2 over budgets in equal ratios, with default options.

    Tests/Bench/monotone.py --attachprep .build/release/attachprep --pictures DIR [--names a.jpg,b.png]

Every picture is brought to 1038 px once (linear light, Lanczos) and prepared for each budget. What comes out is
decoded, scaled up to that size (Lanczos) where it was shrunk, and compared with it. One row a picture: how far scores
fall at most from one budget to the next, at which, and where pixels were given up. Ends with status 1 where a score
falls by more than --allowed.

Needs Python with numpy, pillow and ssimulacra2.
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image
from ssimulacra2 import compute_ssimulacra2


def reference(path, box, folder):
    """The picture within the box, as a PNG; its path without suffix."""
    out = f"{folder}/shown-{box}-{os.path.splitext(os.path.basename(path))[0]}"
    if os.path.exists(out + ".png"):
        return out
    picture = Image.open(path).convert("RGB")
    scale = min(1, box / picture.width, box / picture.height)
    if scale < 1:
        size = (int(picture.width * scale + 0.5), int(picture.height * scale + 0.5))
        levels = np.asarray(picture, dtype=np.float32) / 255
        light = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4).astype(np.float32)
        planes = [Image.fromarray(light[..., c]).resize(size, Image.LANCZOS) for c in range(3)]
        light = np.clip(np.stack([np.asarray(plane) for plane in planes], 2), 0, 1)
        levels = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
        picture = Image.fromarray((levels * 255 + 0.5).astype(np.uint8))
    picture.save(out + ".png", compress_level=1, icc_profile=None)
    return out


def budgets(low, high, ratio):
    made = [low]
    while made[-1] * ratio <= high * 1.001:
        made.append(made[-1] * ratio)
    return [round(b) for b in made]


def prepare(attachprep, source, budget, options):
    """The file and its output's record, or None."""
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run(
            [attachprep, "prepare", source, "--output", f"{folder}/o.jpg", "--max-bytes", str(budget), "--json",
             *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if made.returncode:
            return None
        with open(f"{folder}/o.jpg", "rb") as file:
            return file.read(), json.loads(made.stdout)["outputs"][0]


def shown_score(base, jpeg):
    """SSIMULACRA2 of a file shown at the reference's size."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/o.jpg", "wb") as file:
            file.write(jpeg)
        whole = Image.open(base + ".png")
        picture = Image.open(f"{folder}/o.jpg").convert("RGB")
        if picture.size != whole.size:
            picture = picture.resize(whole.size, Image.LANCZOS)
        picture.save(f"{folder}/o.png", compress_level=1)
        return float(compute_ssimulacra2(base + ".png", f"{folder}/o.png"))


def curve(attachprep, base, all_budgets, options, score=shown_score):
    """(budget, score, record, bytes) for each budget that gives a file."""
    known, points = {}, []
    for budget in all_budgets:
        made = prepare(attachprep, base + ".png", budget, options)
        if made is None:
            continue
        jpeg, record = made
        key = hashlib.sha256(jpeg).digest()
        if key not in known:
            known[key] = score(base, jpeg)
        points.append((budget, known[key], record, len(jpeg)))
    return points


def falls(points):
    """From the deepest: (fall, budget before, budget after)."""
    return sorted(((a[1] - b[1], a[0], b[0]) for a, b in zip(points, points[1:])), reverse=True)


def row(name, points, allowed):
    deepest = falls(points)[0]
    whole = max(p[2]["width"] for p in points)
    shrunk = [p for p in points if p[2]["width"] < whole]
    bound = [p for p in points if p[2]["encoding"]["limitedBy"] == "budget"]
    fill = min((p[3] / p[0] for p in bound), default=1)
    depth = f"{deepest[0]:.2f} at {deepest[1]}→{deepest[2]}" if deepest[0] > 0 else "none"
    count = sum(1 for fall in falls(points) if fall[0] > allowed)
    return (f"| {name} | {len(points)} | {count} | {depth} | "
            f"{f'{len(shrunk)}, up to {shrunk[-1][0]}' if shrunk else '–'} | {fill:.4f} |")


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--attachprep", default=".build/release/attachprep")
    words.add_argument("--pictures", required=True)
    words.add_argument("--names", help="only these files of the folder")
    words.add_argument("--low", type=int, default=10_000)
    words.add_argument("--high", type=int, default=300_000)
    words.add_argument("--ratio", type=float, default=1.05)
    words.add_argument("--allowed", type=float, default=0.2)
    words.add_argument("--box", type=int, default=1038)
    words.add_argument("--options", default="", help="more of attachprep's options, in one word")
    words.add_argument("--cache", default="Tests/Bench/.build/quality")
    asked = words.parse_args()
    os.makedirs(asked.cache, exist_ok=True)
    names = asked.names.split(",") if asked.names else sorted(
        name for name in os.listdir(asked.pictures) if name[0] != ".")
    print("| picture | budgets | falls | deepest fall | shrunk | least fill |\n|---|---|---|---|---|---|", flush=True)
    failed = False
    for name in names:
        base = reference(os.path.join(asked.pictures, name), asked.box, asked.cache)
        points = curve(
            asked.attachprep, base, budgets(asked.low, asked.high, asked.ratio), asked.options.split())
        if len(points) < 2:
            continue
        print(row(name, points, asked.allowed), flush=True)
        failed = failed or falls(points)[0][0] > asked.allowed
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
