#!/usr/bin/env python3
"""Quality at equal bytes against other encoders, on a fixed list of pictures, as Markdown tables.

    Tests/Bench/quality.py --attachprep .build/release/attachprep --pictures DIR --mozjpeg CJPEG

The list is DIR, scikit-image's pictures and five drawn screens and pages (equalbytes/pictures.py). Each is brought to
1038 and 512 px once (linear light, Lanczos), and all encoders get the same pixels; a picture that no box shrinks is
measured in the smaller box only. A cell is a picture at a box and a budget; it counts where the budget binds for ours
or for mozjpeg or jpegli. mozjpeg gets the quality in steps of 1/16 that fills the budget best; libjpeg-turbo its best
whole quality; jpegli, which takes whole qualities only, the score on the straight line between the two around the
budget. libjpeg-turbo and mozjpeg are tried with halved and, where their quality is 75 or more or the picture is drawn,
with whole chroma, and the better counts; jpegli's binding has halved chroma only. Means are over the pictures that all
encoders bring under the budget. Cells in which ours has fewer pixels than the others are left out and named.

Files and scores are kept in the cache folder by content: a second run measures only what is new, and an interrupted
one goes on. --sheet DIR draws the ten worst pictures by each metric. Needs Python with numpy, pillow, scikit-image,
ssimulacra2 and pyjpegli, fonts-dejavu-core, cjpeg and butteraugli_main (libjxl-devtools).
"""
import argparse
import os
import sys
import tempfile

from equalbytes import cpu, report, sheet
from equalbytes.peers import JPEGLI, PROGRESSIVE, TURBO, Peers, ours
from equalbytes.pictures import pictures
from equalbytes.scores import Kept, Scorer

# Of mozjpeg the stronger of its two modes: the second metric costs as much as all the rest.
BUTTERAUGLI_TOO = (PROGRESSIVE, JPEGLI)


class Cell:
    """What all encoders made of a picture at a budget: scores and files by column."""

    def __init__(self, picture, budget):
        self.picture, self.budget = picture, budget
        self.scores, self.files, self.notes = {"ssimulacra2": {}, "butteraugli": {}}, {}, {}
        self.fill, self.shrunk, self.binds = None, False, False

    def name(self):
        return f"{self.picture.name}, {self.picture.box} px, {self.budget // 1000} KB"


def mean(parts):
    """The sum of scores by their shares, number by number."""
    if isinstance(parts[0][0], list):
        return [sum(score[i] * share for score, share in parts) for i in range(len(parts[0][0]))]
    return sum(score * share for score, share in parts)


def add_peers(cell, peers, score, butteraugli):
    found = {name: peers.files(cell.picture, cell.budget, name) for name in peers.names()}
    cell.binds |= any(not entry["capped"] for name in found if name != TURBO for entry in found[name])
    if not cell.binds:
        return
    for name, entries in found.items():
        best = {}
        for entry in entries:
            files = [(peers.jpeg(file), share) for file, share in entry["files"]]
            seen = mean([(score.ssimulacra2(cell.picture, jpeg), share) for jpeg, share in files])
            if "ssimulacra2" not in best or seen > best["ssimulacra2"]:
                best["ssimulacra2"] = seen
                cell.files[name], cell.notes[name] = files[0][0], f"q {entry['quality']:.4g} {entry['chroma']}"
            if butteraugli and name in BUTTERAUGLI_TOO:
                seen = mean([(score.butteraugli(cell.picture, jpeg), share) for jpeg, share in files])
                best["butteraugli"] = min(seen, best.get("butteraugli", seen))
        for metric, value in best.items():
            cell.scores[metric][name] = value


def add_ours(cell, asked, score, folder):
    for effort in asked.efforts:
        made = ours(asked.attachprep, cell.picture, cell.budget, effort, folder)
        if made is None:
            continue
        jpeg, said = made
        name = f"ours, {effort}"
        if effort == asked.efforts[0]:
            cell.fill = said["fill"] if said["limitedBy"] == "budget" else None
            cell.binds |= said["limitedBy"] == "budget"
            cell.shrunk = not said["kept"]
            if asked.butteraugli and not cell.shrunk:
                cell.scores["butteraugli"][name] = score.butteraugli(cell.picture, jpeg)
        if said["kept"]:
            cell.scores["ssimulacra2"][name] = score.ssimulacra2(cell.picture, jpeg)
            cell.files[name] = jpeg
            cell.notes[name] = f"q {said['quality']:.4g} {said['subsampling'] or 'grey'}"


def measure(asked):
    score = Scorer(asked.cache)
    peers = Peers(asked.cache, asked.mozjpeg, Kept(f"{asked.cache}/peers.jsonl"))
    cells, checked = [], False
    with tempfile.TemporaryDirectory() as folder:
        for picture in pictures(asked.pictures, asked.boxes, asked.cache, asked.only):
            for budget in asked.budgets:
                cell = Cell(picture, budget)
                if not asked.peers_only:
                    add_ours(cell, asked, score, folder)
                add_peers(cell, peers, score, asked.butteraugli)
                if not checked and JPEGLI in cell.files:
                    score.check(picture, cell.files[JPEGLI])
                    checked = True
                print(f"{cell.name()}: " + ", ".join(
                    f"{name} {value:.2f}" for name, value in cell.scores["ssimulacra2"].items()), file=sys.stderr)
                cells.append(cell)
    return cells


def arguments():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    numbers = lambda text: [int(word) for word in text.split(",")]
    words.add_argument("--attachprep", default=".build/release/attachprep")
    words.add_argument("--pictures", required=True, help="folder of photographs")
    words.add_argument("--mozjpeg", default=os.environ.get("MOZJPEG"), help="mozjpeg's cjpeg")
    words.add_argument("--budgets", type=numbers, default="20,40,80,160,300", help="thousands of bytes")
    words.add_argument("--boxes", type=numbers, default="1038,512")
    words.add_argument("--efforts", type=lambda text: text.split(","), default="default,fast,best",
                       help="the first is the one that is compared")
    words.add_argument("--only", type=lambda text: text.split(","), help="names of pictures")
    words.add_argument("--no-butteraugli", dest="butteraugli", action="store_false")
    words.add_argument("--no-cpu", dest="cpu", action="store_false")
    words.add_argument("--peers-only", action="store_true", help="only fill the cache")
    words.add_argument("--sheet", metavar="DIR", help="draw the ten worst pictures by each metric")
    words.add_argument("--cache", default="Tests/Bench/.build/quality")
    asked = words.parse_args()
    asked.budgets = [budget * 1000 for budget in asked.budgets]
    os.makedirs(asked.cache, exist_ok=True)
    return asked


def main():
    asked = arguments()
    cells = measure(asked)
    if asked.peers_only:
        return
    report.tables(cells, asked.efforts)
    if asked.cpu and asked.mozjpeg:
        chosen = [name for name in cpu.NAMES if not asked.only or name in asked.only]
        cpu.table(asked, list(pictures(asked.pictures, [max(asked.boxes)], asked.cache, chosen)))
    if asked.sheet:
        sheet.draw(cells, asked.efforts[0], asked.sheet)


main()
