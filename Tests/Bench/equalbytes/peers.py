"""The encoders, and the search of each for the file that fills a budget best."""
import json
import math
import os
import subprocess

import pyjpegli

TURBO, SEQUENTIAL, PROGRESSIVE, JPEGLI = "libjpeg-turbo", "mozjpeg", "mozjpeg progressive", "jpegli"
# From this quality on an encoder that can is also tried with whole chroma, and the better of the two counts.
WHOLE_CHROMA_FROM = 75


def output(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


class Encoder:
    """A scale of qualities, `steps` to each whole one, and the files made so far."""

    def __init__(self, encode, steps):
        self.encode, self.steps = encode, steps
        self.sizes, self.last = {}, {}

    def quality(self, at):
        return at / self.steps if self.steps > 1 else at

    def file(self, at):
        if at not in self.last:
            self.last[at] = self.encode(self.quality(at))
            self.sizes[at] = len(self.last[at])
        return self.last[at]

    def size(self, at):
        if at not in self.sizes:
            self.file(at)
        return self.sizes[at]

    def search(self, budget):
        """The greatest step within the budget, by interpolation of log(size), halving where that is slow."""
        low, high = self.steps, 100 * self.steps
        if self.size(low) > budget:
            return None
        if self.size(high) <= budget:
            return high
        for at in self.sizes:
            if self.sizes[at] <= budget:
                low = max(low, at)
            else:
                high = min(high, at)
        if low > high:  # sizes that are not monotone: from the start, by halves
            low, high = self.steps, 100 * self.steps
        turn = 0
        while high - low > 1:
            span = math.log(self.size(high) / self.size(low)) if turn % 3 != 2 else 0
            share = math.log(budget / self.size(low)) / span if span > 0 else 0.5
            at = min(high - 1, max(low + 1, low + int((high - low) * share + 0.5)))
            low, high = (at, high) if self.size(at) <= budget else (low, at)
            turn += 1
        return low


def encoders(picture, mozjpeg):
    """By name a list of (chroma, Encoder): the best of the list counts."""
    ppm, pixels = picture.ppm, picture.pixels()
    samplings = {"grey": ["-grayscale"]} if picture.grey else {"4:2:0": ["-sample", "2x2"], "4:4:4": ["-sample", "1x1"]}

    def cjpeg(program, options, steps):
        return [(chroma, Encoder(lambda q, o=sampling: output([program, "-quality", str(q), *options, *o, ppm]), steps))
                for chroma, sampling in samplings.items()]

    made = {TURBO: cjpeg("cjpeg", ["-optimize"], 1)}
    if mozjpeg:
        made[SEQUENTIAL] = cjpeg(mozjpeg, ["-baseline"], 16)
        made[PROGRESSIVE] = cjpeg(mozjpeg, ["-progressive"], 16)
    made[JPEGLI] = [("4:2:0", Encoder(
        lambda q: pyjpegli.encode(pixels, picture.width, picture.height, quality=q), 1))]
    return made


class Peers:
    """What each peer makes of a picture at a budget: files in the cache, with their shares of the score."""

    def __init__(self, cache, mozjpeg, kept):
        self.folder, self.mozjpeg, self.kept = f"{cache}/files", mozjpeg, kept
        self.open = (None, None)
        os.makedirs(self.folder, exist_ok=True)

    def encoders(self, picture):
        if self.open[0] != picture.digest:
            self.open = (picture.digest, encoders(picture, self.mozjpeg))
        return self.open[1]

    def names(self):
        return [TURBO] + ([SEQUENTIAL, PROGRESSIVE] if self.mozjpeg else []) + [JPEGLI]

    def keep(self, jpeg, name):
        with open(f"{self.folder}/{name}.jpg", "wb") as file:
            file.write(jpeg)
        return name

    def files(self, picture, budget, name):
        """[{chroma, quality, files: [[name, share]], capped}], one entry for each way to sample chroma."""
        key = f"{picture.digest} {budget} {name}"
        if key not in self.kept:
            found = []
            for chroma, encoder in self.encoders(picture)[name]:
                if chroma == "4:4:4" and (not found or found[0]["quality"] < WHOLE_CHROMA_FROM) and not picture.drawn:
                    continue
                entry = self.fill(encoder, budget, f"{picture.digest}-{budget}-{name.replace(' ', '-')}-{chroma[2:]}",
                                  between=name == JPEGLI)
                if entry:
                    found.append({"chroma": chroma, **entry})
                encoder.last.clear()
            self.kept[key] = found
        return self.kept[key]

    def fill(self, encoder, budget, stem, between):
        at = encoder.search(budget)
        if at is None:
            return None
        top = 100 * encoder.steps
        entry = {"quality": encoder.quality(at), "capped": at == top, "bytes": encoder.size(at),
                 "files": [[self.keep(encoder.file(at), stem), 1]]}
        if between and at < top:
            over = encoder.size(at + 1)
            share = math.log(budget / encoder.size(at)) / math.log(over / encoder.size(at))
            above = self.keep(encoder.file(at + 1), stem + "-over")
            entry["files"] = [[entry["files"][0][0], 1 - share], [above, share]]
        return entry

    def jpeg(self, name):
        with open(f"{self.folder}/{name}.jpg", "rb") as file:
            return file.read()


def ours(attachprep, picture, budget, effort, folder):
    """The file and what the record says of it, or None where the budget is impossible."""
    out = f"{folder}/o.jpg"
    made = subprocess.run(
        [attachprep, "prepare", picture.png, "--output", out, "--max-bytes", str(budget), "--min-quality", "1",
         "--max-quality", "100", "--profile", "apns", "--effort", effort, "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    record = json.loads(made.stdout)["outputs"][0]
    if made.returncode:
        return None
    with open(out, "rb") as file:
        jpeg = file.read()
    return jpeg, {"kept": (record["width"], record["height"]) == (picture.width, picture.height),
                  "fill": len(jpeg) / budget, **record["encoding"]}
