"""Scores of a JPEG against its reference, kept by the contents of both, so that nothing is measured twice.

SSIMULACRA2 is the PyPI package's, through its own weights and colours, with the reference's half computed once a
picture; `check` compares a score with the package's own call. butteraugli is the 3-norm and the greatest difference
that butteraugli_main prints.
"""
import hashlib
import io
import json
import os
import subprocess
import tempfile

import numpy as np
from PIL import Image
from scipy import ndimage
from ssimulacra2 import compute_ssimulacra2
from ssimulacra2 import ssimulacra2 as package

KERNEL = ndimage.gaussian_filter1d(np.eye(1, 11, 5)[0], 1.5, truncate=3.33, mode="constant")
LEVELS = package.srgb_to_linear(np.arange(256, dtype=np.float64))


def digest(data):
    return hashlib.sha256(data).hexdigest()[:24]


class Kept:
    """A dictionary on disk, one line an entry, so that an interrupted run loses nothing."""

    def __init__(self, path):
        self.path = path
        self.entries = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    if line.endswith("\n"):
                        key, value = json.loads(line)
                        self.entries[key] = value

    def __contains__(self, key):
        return key in self.entries

    def __getitem__(self, key):
        return self.entries[key]

    def __setitem__(self, key, value):
        self.entries[key] = value
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps([key, value]) + "\n")


def planes(linear):
    """The package's colour space, as three planes, which is faster than interleaved."""
    colours = package.make_positive_xyb(package.linear_rgb_to_xyb(linear))
    return [np.ascontiguousarray(colours[..., channel].T) for channel in range(3)]


def scales(levels):
    """The picture at each of the package's scales."""
    linear = LEVELS[levels]
    for scale in range(package.kNumScales):
        if min(linear.shape[:2]) < 8:
            return
        yield planes(linear)
        if scale < package.kNumScales - 1:
            linear = package.downsample(linear, 2, 2)


def blur(plane):
    """The package's blur: mirrored above and below, black at the sides."""
    across = ndimage.correlate1d(plane, KERNEL, axis=1, mode="constant", cval=0)
    return ndimage.correlate1d(across, KERNEL, axis=0, mode="reflect")


def norms(values):
    """Mean and 4-norm."""
    squares = (values * values).ravel()
    return values.mean(), (np.dot(squares, squares) / squares.size) ** 0.25


class Reference:
    def __init__(self, path):
        self.parts = [[(plane, blur(plane), blur(plane * plane)) for plane in colours]
                      for colours in scales(np.asarray(Image.open(path)))]

    def ssimulacra2(self, jpeg):
        total = package.Msssim()
        for parts, others in zip(self.parts, scales(np.asarray(Image.open(io.BytesIO(jpeg)).convert("RGB")))):
            result = package.MsssimScale()
            for channel, ((plane, mean, square), other) in enumerate(zip(parts, others)):
                other_mean = blur(other)
                result.avg_ssim[2 * channel:2 * channel + 2] = norms(self.unlikeness(
                    mean, other_mean, square, blur(other * other), blur(plane * other)))
                edges = (1 + np.abs(other - other_mean)) / (1 + np.abs(plane - mean)) - 1
                result.avg_edgediff[4 * channel:4 * channel + 2] = norms(np.maximum(edges, 0))
                result.avg_edgediff[4 * channel + 2:4 * channel + 4] = norms(np.maximum(-edges, 0))
            total.scales.append(result)
        return float(total.score())

    @staticmethod
    def unlikeness(mean, other_mean, square, other_square, product):
        """1 - SSIM with the package's change to its first factor."""
        difference = mean - other_mean
        shared = 2 * (product - mean * other_mean) + package.kC2
        spread = square - mean * mean + (other_square - other_mean * other_mean) + package.kC2
        return np.maximum(1 - (1 - difference * difference) * shared / spread, 0)


class Scorer:
    def __init__(self, cache):
        self.kept = Kept(f"{cache}/scores.jsonl")
        self.file = tempfile.NamedTemporaryFile(suffix=".jpg")
        self.open = (None, None)

    def reference(self, picture):
        if self.open[0] != picture.digest:
            self.open = (picture.digest, Reference(picture.png))
        return self.open[1]

    def write(self, jpeg):
        with open(self.file.name, "wb") as file:
            file.write(jpeg)
        return self.file.name

    def ssimulacra2(self, picture, jpeg):
        key = f"{picture.digest} {digest(jpeg)} ssimulacra2"
        if key not in self.kept:
            self.kept[key] = self.reference(picture).ssimulacra2(jpeg)
        return self.kept[key]

    def butteraugli(self, picture, jpeg):
        """3-norm and greatest difference."""
        key = f"{picture.digest} {digest(jpeg)} butteraugli"
        if key not in self.kept:
            said = subprocess.run(["butteraugli_main", picture.png, self.write(jpeg)], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, check=True).stdout.decode().split()
            self.kept[key] = [float(said[said.index("3-norm:") + 1]), float(said[0])]
        return self.kept[key]

    def check(self, picture, jpeg):
        here, there = self.reference(picture).ssimulacra2(jpeg), compute_ssimulacra2(picture.png, self.write(jpeg))
        if abs(here - there) > 1e-6:
            raise SystemExit(f"SSIMULACRA2 is {there} by the package's own call and {here} by this bench")
