#!/usr/bin/env python3
"""Writes small TIFF files of every kind that the decoder tells apart: seeds for the fuzz target `tiff`.

usage: tiff_seeds.py FOLDER
Needs tiffcp (Debian: libtiff-tools) and cjpeg (libjpeg-turbo-progs).
"""
import os
import struct
import subprocess
import sys

WIDTH, HEIGHT = 40, 30
TYPES = {3: "H", 4: "I", 16: "Q"}


def sample(x, y, c, top):
    """A picture by formula: slopes that differ by channel, and an edge."""
    return ((x * (7 + 3 * c) + y * (11 - 4 * c)) % 97 + (60 if (x + y) % 13 < 4 else 0)) * top // 160


def tiff(data, fields, order="<", big=False, more=()):
    """A file of one strip; `more` are further directories below the first (tag SubIFDs)."""
    mark = b"II" if order == "<" else b"MM"
    header = 16 if big else 8
    blob = bytearray(header) + data + bytes(len(data) % 2)

    def directory(fields):
        behind = bytearray()
        table = bytearray()
        at = len(blob)
        size = (8 + 20 * len(fields) + 8) if big else (2 + 12 * len(fields) + 4)
        wide = 8 if big else 4
        for tag, (kind, values) in sorted(fields.items()):
            raw = values if isinstance(values, bytes) else b"".join(
                struct.pack(order + TYPES[kind], v) for v in values)
            count = len(raw) if kind == 7 else len(raw) // {3: 2, 4: 4, 5: 8, 16: 8}[kind]
            table += struct.pack(order + ("HHQ" if big else "HHI"), tag, kind, count)
            if len(raw) <= wide:
                table += raw + bytes(wide - len(raw))
            else:
                table += struct.pack(order + ("Q" if big else "I"), at + size + len(behind))
                behind += raw + bytes(len(raw) % 2)
        return at, struct.pack(order + ("Q" if big else "H"), len(fields)) + table + bytes(wide) + behind

    children = []
    for child in more:
        at, raw = directory(child)
        children.append(at)
        blob.extend(raw)
    if children:
        fields = {**fields, 330: (4, children)}
    at, raw = directory(fields)
    blob += raw
    blob[:header] = (struct.pack(order + "2sHHHQ", mark, 43, 8, 0, at) if big
                     else struct.pack(order + "2sHI", mark, 42, at))
    return bytes(blob)


def fields(data, photometric, bits=(8,), compression=1, extra=None):
    made = {256: (4, [WIDTH]), 257: (4, [HEIGHT]), 258: (3, bits), 259: (3, [compression]),
            262: (3, [photometric]), 273: (4, [8]), 277: (3, [len(bits)]), 278: (4, [HEIGHT]),
            279: (4, [len(data)])}
    made.update(extra or {})
    return made


def rows(channels, bits=8, order="<"):
    """Packed rows of the picture."""
    out = bytearray()
    for y in range(HEIGHT):
        value, count = 0, 0
        row = bytearray()
        for x in range(WIDTH):
            for c in range(channels):
                v = sample(x, y, c, (1 << bits) - 1)
                if bits in (16, 32):
                    row += struct.pack(order + ("H" if bits == 16 else "I"), v)
                    continue
                value, count = value << bits | v, count + bits
        if count:
            row = (value << (-count % 8)).to_bytes((count + 7) // 8, "big")
        out += row
    return bytes(out)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    made = {}
    rgb, grey = rows(3), rows(1)
    made["rgb"] = tiff(rgb, fields(rgb, 2, (8, 8, 8)))
    made["rgb-big"] = tiff(rgb, {**fields(rgb, 2, (8, 8, 8)), 273: (16, [16])}, ">", True)
    for bits in (1, 2, 4, 12, 16, 32):
        data = rows(1, bits, ">")
        made[f"grey-{bits}"] = tiff(data, fields(data, bits % 2, (bits,)), ">")
    floats = b"".join(struct.pack("<f", sample(x, y, 0, 255) / 255) for y in range(HEIGHT) for x in range(WIDTH))
    made["float"] = tiff(floats, fields(floats, 1, (32,), extra={339: (3, [3])}))
    colours = [i * 257 for i in range(256)] + [65535 - i * 257 for i in range(256)] + [i * 99 for i in range(256)]
    made["palette"] = tiff(grey, fields(grey, 3, extra={320: (3, colours)}))
    inks = rows(4)
    made["cmyk"] = tiff(inks, fields(inks, 5, (8, 8, 8, 8)))
    made["alpha"] = tiff(inks, fields(inks, 2, (8, 8, 8, 8), extra={338: (3, [1]), 274: (3, [6])}))
    made["lab"] = tiff(rgb, fields(rgb, 8, (8, 8, 8)))
    ycc = rows(1)[: WIDTH // 2 * (HEIGHT // 2) * 6] + bytes(600)
    made["ycc"] = tiff(ycc, fields(ycc, 6, (8, 8, 8), extra={530: (3, [2, 2])}))

    def jpeg(*options):
        pnm = b"P6 %d %d 255\n" % (WIDTH, HEIGHT) + rgb
        return subprocess.run(["cjpeg", *options], input=pnm, capture_output=True, check=True).stdout

    plain, progressive = jpeg("-quality", "50"), jpeg("-quality", "50", "-progressive")
    made["jpeg"] = tiff(plain, fields(plain, 6, (8, 8, 8), 7))
    made["jpeg-scans"] = tiff(progressive, fields(progressive, 6, (8, 8, 8), 7))
    made["old-jpeg"] = tiff(plain, fields(plain, 6, (8, 8, 8), 6, {512: (3, [1])}))
    preview = fields(plain, 6, (8, 8, 8), 6, {254: (4, [1]), 513: (4, [8]), 514: (4, [len(plain)])})
    made["raw"] = tiff(plain, preview, more=[fields(plain, 32803, (12,), 34713)])
    for name, data in made.items():
        with open(f"{folder}/{name}.tif", "wb") as file:
            file.write(data)

    copies = {
        "rgb": ["-c none -p separate", "-c none -t -w 16 -l 16", "-c lzw", "-c lzw:2 -r 7", "-c lzw -t -w 16 -l 16",
                "-c zip:2 -p separate", "-c zip -t -w 32 -l 16 -8", "-c packbits -r 11", "-c jpeg:50 -r 16",
                "-c jpeg:r:50 -t -w 16 -l 16", "-c lzma:2", "-c zstd:2 -r 10", "-c webp:50"],
        "grey-1": ["-c g3:1d", "-c g3:2d:fill", "-c g4", "-c g4 -t -w 16 -l 16", "-c none -f lsb2msb"],
        "grey-16": ["-c lzw:2", "-c zip:2 -t -w 16 -l 16"],
        "float": ["-c zip:3", "-c lzw:3"],
    }
    for source, arguments in copies.items():
        for line in arguments:
            name = "".join(c for c in line if c.isalnum())
            done = subprocess.run(["tiffcp", *line.split(), f"{folder}/{source}.tif", f"{folder}/{source}-{name}.tif"],
                                  capture_output=True)
            if done.returncode != 0:
                sys.exit(f"tiffcp {line} {source}.tif: {done.stderr.decode()}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
