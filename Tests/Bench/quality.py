#!/usr/bin/env python3
"""Quality at equal bytes against other encoders, as one Markdown table.

    Tests/Bench/quality.py --attachprep .build/release/attachprep --pictures DIR [--mozjpeg CJPEG] [--budgets 20,40]

Every picture is brought to 1038 and 512 px once (linear light, Lanczos); all encoders get the same pixels. Scores are
SSIMULACRA2, the mean over the pictures whose budget binds for every encoder. mozjpeg gets the quality in steps of
1/16 that fills the budget best; libjpeg-turbo its best whole quality; jpegli, which takes whole qualities only, the
score on the straight line between the two around the budget. Peers' scores are kept in the cache folder.

Needs Python with numpy, pillow, ssimulacra2 and pyjpegli, and cjpeg; scikit-image adds its pictures; --butteraugli adds a second metric
(butteraugli_main of libjxl-devtools, 3-norm, less is better), which nothing was tuned on.
"""
import argparse
import json
import math
import os
import subprocess
import tempfile

import numpy as np
import pyjpegli
from PIL import Image
from ssimulacra2 import compute_ssimulacra2

PEERS = ("turbo", "mozjpeg", "mozjpeg -progressive", "jpegli")
SCIKIT = "camera retina ihc moon brick grass gravel coins color cell clock_motion phantom horse".split()


def sources(folder):
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name[0] != ".")
    try:
        import skimage
        data = os.path.join(os.path.dirname(skimage.__file__), "data")
        paths += [p for name in SCIKIT for p in (f"{data}/{name}.png", f"{data}/{name}.jpg") if os.path.exists(p)]
    except ImportError:
        pass
    return paths


def reference(path, box, cache):
    """The picture at the box's size as PNG and PPM; the paths without suffix."""
    out = f"{cache}/{box}-{os.path.splitext(os.path.basename(path))[0]}"
    if os.path.exists(out + ".ppm"):
        return out
    picture = Image.open(path).convert("RGB")
    scale = min(1, box / picture.width, box / picture.height)
    if scale < 1:
        size = (int(picture.width * scale + 0.5), int(picture.height * scale + 0.5))
        levels = np.asarray(picture, dtype=np.float32) / 255
        light = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
        planes = [Image.fromarray(light[..., c].astype(np.float32)).resize(size, Image.LANCZOS) for c in range(3)]
        light = np.clip(np.stack([np.asarray(p) for p in planes], 2), 0, 1)
        levels = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
        picture = Image.fromarray((levels * 255 + 0.5).astype(np.uint8))
    picture.save(out + ".png", compress_level=1)
    picture.save(out + ".ppm")
    return out


def output(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


def encoders(base, mozjpeg):
    picture = Image.open(base + ".ppm")
    pixels = picture.tobytes()
    grey = pixels[0::3] == pixels[1::3] == pixels[2::3]
    colour = ["-grayscale"] if grey else ["-sample", "2x2"]
    made = {"turbo": (1, lambda q: output(["cjpeg", "-quality", str(q), "-optimize", *colour, base + ".ppm"]))}
    if mozjpeg:
        for name, scans in (("mozjpeg", "-baseline"), ("mozjpeg -progressive", "-progressive")):
            made[name] = (16, lambda q, scans=scans: output(
                [mozjpeg, "-quality", str(q), scans, *colour, base + ".ppm"]))
    made["jpegli"] = (1, lambda q: pyjpegli.encode(pixels, picture.width, picture.height, quality=q))
    return made


class Scorer:
    def __init__(self, butteraugli):
        self.butteraugli = butteraugli
        self.file = tempfile.NamedTemporaryFile(suffix=".jpg")

    def __call__(self, base, jpeg):
        with open(self.file.name, "wb") as file:
            file.write(jpeg)
        scores = [float(compute_ssimulacra2(base + ".png", self.file.name))]
        if self.butteraugli:
            said = output(["butteraugli_main", base + ".png", self.file.name]).decode()
            scores.append(float(said.split("3-norm:")[1].split()[0]))
        return scores


def peer(encode, steps, budget, base, score, between):
    """Scores at the budget, or None where the whole scale of qualities lies on one side of it."""
    low, high = steps, 100 * steps
    files = {}

    def file(at):
        if at not in files:
            files[at] = encode(at / steps if steps > 1 else at)
        return files[at]

    if len(file(low)) > budget or len(file(high)) <= budget:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if len(file(middle)) <= budget:
            low = middle
        else:
            high = middle
    under = score(base, file(low))
    if not between:
        return under
    over = score(base, file(high))
    share = math.log(budget / len(file(low))) / math.log(len(file(high)) / len(file(low)))
    return [a + (b - a) * share for a, b in zip(under, over)]


def ours(attachprep, base, box, budget, effort, score):
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run(
            [attachprep, "prepare", base + ".png", "--output", f"{folder}/o.jpg", "--max-bytes", str(budget),
             "--min-quality", "1", "--max-quality", "100", "--profile", "apns", "--effort", effort, "--quiet"],
            stdout=subprocess.DEVNULL)
        if made.returncode:
            return None, 0
        with open(f"{folder}/o.jpg", "rb") as file:
            jpeg = file.read()
    return score(base, jpeg), len(jpeg) / budget


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--attachprep", default=".build/release/attachprep")
    words.add_argument("--pictures", required=True)
    words.add_argument("--mozjpeg", help="mozjpeg's cjpeg")
    words.add_argument("--budgets", default="20,40,80,160,300", help="thousands of bytes")
    words.add_argument("--boxes", default="1038,512")
    words.add_argument("--efforts", default="default")
    words.add_argument("--butteraugli", action="store_true")
    words.add_argument("--cache", default="Tests/Bench/.build/quality")
    asked = words.parse_args()
    os.makedirs(asked.cache, exist_ok=True)
    score = Scorer(asked.butteraugli)
    store = f"{asked.cache}/peers{'-butteraugli' if asked.butteraugli else ''}.json"
    known = json.load(open(store)) if os.path.exists(store) else {}
    efforts = asked.efforts.split(",")
    columns = [f"ours, {effort}" for effort in efforts] + [p for p in PEERS if asked.mozjpeg or "moz" not in p]
    print("| box, budget | pictures | " + " | ".join(columns) + " | least lead | mean fill |")
    print("|---" * (len(columns) + 4) + "|")
    losses = []
    for box in map(int, asked.boxes.split(",")):
        for budget in (int(b) * 1000 for b in asked.budgets.split(",")):
            rows, fills = [], []
            for path in sources(asked.pictures):
                base = reference(path, box, asked.cache)
                row = {}
                for name, (steps, encode) in encoders(base, asked.mozjpeg).items():
                    key = f"{os.path.basename(base)} {budget} {name}"
                    if key not in known:
                        known[key] = peer(encode, steps, budget, base, score, name == "jpegli")
                        with open(store, "w") as file:
                            json.dump(known, file)
                    row[name] = known[key]
                if any(row[name] is None for name in row):
                    continue
                for effort in efforts:
                    row[f"ours, {effort}"], fill = ours(asked.attachprep, base, box, budget, effort, score)
                    fills.append(fill)
                if row[columns[0]] is None:
                    continue
                lead = row[columns[0]][0] - max(row[name][0] for name in columns if name in PEERS)
                losses.append((lead, f"{os.path.basename(base)} at {budget}"))
                rows.append((lead, row))
            if not rows:
                continue
            cells = []
            for name in columns:
                means = [sum(row[name][i] for _, row in rows) / len(rows) for i in range(len(rows[0][1][name]))]
                cells.append(" / ".join(f"{mean:.2f}" for mean in means))
            print(f"| {box} px, {budget // 1000} KB | {len(rows)} | " + " | ".join(cells)
                  + f" | {min(lead for lead, _ in rows):+.2f} | {sum(fills) / len(fills):.4f} |", flush=True)
    print("\nSmallest leads over the best peer:")
    for lead, name in sorted(losses)[:10]:
        print(f"- {lead:+.2f} {name}")


main()
