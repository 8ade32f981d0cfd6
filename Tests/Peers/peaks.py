#!/usr/bin/env python3
"""Peak memory of one job for each format at 11 and 45 megapixels, beside what was computed.

usage: peaks.py ATTACHPREP [--check] [--only SUBSTRING]
Prints a table of GNU time's peak resident sizes in decimal megabytes beside the computed need. --check fails where a
format that can stream takes more than 24 MB, and where any takes more than its need and an idle process.
Needs GNU time, libjpeg-turbo-progs, libvips-tools, libtiff-tools, webp, ffmpeg and Python with numpy.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import zlib

import numpy as np

PHOTO = "Samples/photos/kitten-on-lawn.jpg"
LIMIT = 24.0
# What the process takes that is in no job's computed need: an idle one may have 10 MB.
IDLE = 10.0


def run(*command, **options):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)


def pixels(path):
    data = open(path, "rb").read()
    # vips writes a comment behind the first word.
    width, height = map(int, re.sub(rb"#.*", b"", data[:200]).split()[1:3])
    return np.frombuffer(data[-3 * width * height:], np.uint8).reshape(height, width, 3)


def palette(rgb):
    """Indices of 3, 3 and 2 bits, and their colours."""
    index = (rgb[..., 0] & 0xE0) | (rgb[..., 1] >> 5 << 2) | (rgb[..., 2] >> 6)
    i = np.arange(256)
    return index, np.stack([(i >> 5) * 255 // 7, (i >> 2 & 7) * 255 // 7, (i & 3) * 85], 1).astype(np.uint8)


def bmp(path, rgb):
    height, width, _ = rgb.shape
    rows = np.zeros((height, (3 * width + 3) // 4 * 4), np.uint8)
    rows[:, :3 * width] = rgb[::-1, :, ::-1].reshape(height, -1)
    write_bmp(path, width, height, 24, 0, b"", rows.tobytes())


def write_bmp(path, width, height, bits, compression, table, data):
    start = 54 + len(table)
    head = b"BM" + (start + len(data)).to_bytes(4, "little") + bytes(4) + start.to_bytes(4, "little")
    head += b"".join(v.to_bytes(n, "little") for v, n in (
        (40, 4), (width, 4), (height, 4), (1, 2), (bits, 2), (compression, 4), (len(data), 4), (2835, 4), (2835, 4),
        (len(table) // 4, 4), (0, 4)))
    with open(path, "wb") as file:
        file.write(head + table + data)


def runs_bmp(path, rgb):
    """8 bits in run lengths."""
    index, colours = palette(rgb)
    table = np.zeros((256, 4), np.uint8)
    table[:, :3] = colours[:, ::-1]
    rows = []
    for line in index[::-1]:
        ends = np.append(np.flatnonzero(np.diff(line.astype(int))) + 1, len(line))
        starts = np.append(0, ends[:-1])
        pairs = []
        for length, value in zip((ends - starts).tolist(), line[starts].tolist()):
            while length > 0:
                pairs += (min(length, 255), value)
                length -= 255
        rows.append(bytes(pairs) + b"\0\0")
    write_bmp(path, index.shape[1], index.shape[0], 8, 1, table.tobytes(), b"".join(rows) + b"\0\1")


def gif(path, rgb, interlaced):
    """Codes of nine bits that never grow: a clear code before the table does."""
    index, colours = palette(rgb)
    height, width = index.shape
    if interlaced:
        order = [y for start, step in ((0, 8), (4, 8), (2, 4), (1, 2)) for y in range(start, height, step)]
        index = index[order]
    flat = index.reshape(-1).astype(np.uint16)
    flat = np.append(flat, np.zeros(-len(flat) % 254, np.uint16)).reshape(-1, 254)
    codes = np.insert(flat, 0, 256, axis=1).reshape(-1)
    bits = (codes[:, None] >> np.arange(9) & 1).astype(np.uint8).reshape(-1)
    data = np.packbits(bits, bitorder="little").tobytes()
    blocks = b"".join(bytes([len(data[i:i + 255])]) + data[i:i + 255] for i in range(0, len(data), 255))
    size = width.to_bytes(2, "little") + height.to_bytes(2, "little")
    with open(path, "wb") as file:
        file.write(b"GIF89a" + size + b"\xf7\0\0" + colours.tobytes() + b"," + bytes(4) + size
                   + (b"\x40" if interlaced else b"\0") + b"\x08" + blocks + b"\0;")


def apng(path, ppm):
    run("ffmpeg", "-v", "error", "-y", "-i", ppm, "-filter_complex", "[0]split[a][b];[b]negate[c];[a][c]concat", "-f",
        "apng", "-plays", "0", "-compression_level", "1", path)


# Name, file, how it is made (of the pixels, the PPM and the RGBA PNG), whether the format lets a decoder stream.
def kinds(folder):
    def vips(*options):
        return lambda rgb, ppm, rgba, path: run("vips", "copy", ppm, f"{path}[{','.join(options)}]")

    yield "JPEG", "jpg", vips("Q=85"), True
    yield "PNG", "png", vips("compression=1"), True
    yield "APNG", "apng.png", lambda rgb, ppm, rgba, path: apng(path, ppm), True
    yield "GIF", "gif", lambda rgb, ppm, rgba, path: gif(path, rgb, False), True
    yield "GIF, interlaced", "i.gif", lambda rgb, ppm, rgba, path: gif(path, rgb, True), True
    yield "BMP, 24 bits", "bmp", lambda rgb, ppm, rgba, path: bmp(path, rgb), True
    yield "BMP, 8 bits, run lengths", "rle.bmp", lambda rgb, ppm, rgba, path: runs_bmp(path, rgb), True
    webp = ("cwebp", "-quiet", "-m", "0")
    yield "WebP, lossy", "webp", lambda rgb, ppm, rgba, path: run(*webp, "-q", "80", ppm, "-o", path), True
    yield "WebP, lossless", "ll.webp", lambda rgb, ppm, rgba, path: run(
        *webp, "-lossless", "-z", "0", ppm, "-o", path), False
    yield "WebP, lossy with alpha", "alpha.webp", lambda rgb, ppm, rgba, path: run(
        *webp, "-q", "80", rgba(), "-o", path), False
    yield "TIFF, strips, LZW", "lzw.tif", vips("compression=lzw", "predictor=horizontal"), True
    yield "TIFF, strips, deflate", "zip.tif", vips("compression=deflate"), True
    yield "TIFF, strips, JPEG", "jpeg.tif", vips("compression=jpeg", "Q=85"), True
    yield "TIFF, tiles of 256, deflate", "tiles.tif", vips(
        "compression=deflate", "tile", "tile-width=256", "tile-height=256"), True
    yield "TIFF, one strip, none", "one.tif", lambda rgb, ppm, rgba, path: one_strip(folder, ppm, path), True
    yield "TIFF, planes of 16 bits, deflate", "planar.tif", lambda rgb, ppm, rgba, path: planar(path, rgb), False


def planar(path, rgb):
    """16 bits, each channel in deflated strips of its own of 16 rows (TIFF 6.0, planar configuration 2)."""
    height, width, _ = rgb.shape
    strips = [zlib.compress((rgb[y:y + 16, :, c].astype("<u2") * 257).tobytes(), 1)
              for c in range(3) for y in range(0, height, 16)]
    sizes = [len(strip) for strip in strips]
    places = np.cumsum([8] + sizes)
    tags = [(256, 4, [width]), (257, 4, [height]), (258, 3, [16] * 3), (259, 3, [8]), (262, 3, [2]),
            (273, 4, places[:-1].tolist()), (277, 3, [3]), (278, 4, [16]), (279, 4, sizes), (284, 3, [2])]
    directory = int(places[-1])
    after = directory + 2 + 12 * len(tags) + 4
    entries, values = b"", b""
    for tag, kind, numbers in tags:
        data = b"".join(n.to_bytes(2 if kind == 3 else 4, "little") for n in numbers)
        place = data.ljust(4, b"\0") if len(data) <= 4 else (after + len(values)).to_bytes(4, "little")
        values += data if len(data) > 4 else b""
        entries += tag.to_bytes(2, "little") + kind.to_bytes(2, "little") + len(numbers).to_bytes(4, "little") + place
    with open(path, "wb") as file:
        file.write(b"II*\0" + directory.to_bytes(4, "little") + b"".join(strips)
                   + len(tags).to_bytes(2, "little") + entries + bytes(4) + values)


def one_strip(folder, ppm, path):
    plain = os.path.join(folder, "plain.tif")
    run("vips", "copy", ppm, plain + "[compression=none]")
    run("tiffcp", "-c", "none", "-r", "1000000", plain, path)
    os.remove(plain)


def measure(attachprep, path, folder):
    stat = os.path.join(folder, "stat")
    done = subprocess.run(["/usr/bin/time", "-q", "-o", stat, "-f", "%M %U %S", attachprep, "prepare", path, "--output",
                           os.path.join(folder, "out.jpg"), "--json"], capture_output=True)
    record = json.loads(done.stdout)
    peak, user, system = open(stat).read().split()[-3:]
    return int(peak) * 1024 / 1e6, float(user) + float(system), record


def main():
    attachprep = os.path.abspath(sys.argv[1])
    check = "--check" in sys.argv
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    bad = 0
    print("| format | megapixels | peak, MB | computed need, MB | CPU, s | contract | outcome |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        photo = os.path.join(folder, "photo.ppm")
        run("djpeg", "-pnm", "-outfile", photo, PHOTO)
        area = pixels(photo).size / 3
        for megapixels in (11, 45):
            ppm = os.path.join(folder, "in.ppm")
            across = round((megapixels * 1e6 / area) ** 0.5)
            run("vips", "replicate", photo, ppm, str(across), str(round(megapixels * 1e6 / area / across)))
            rgb = pixels(ppm)

            def rgba():
                path = os.path.join(folder, "rgba.png")
                if not os.path.exists(path):
                    ramp = (np.arange(rgb.shape[1]) * 255 // rgb.shape[1]).astype(np.uint8)
                    raw = np.dstack([rgb, np.broadcast_to(ramp, rgb.shape[:2])]).tobytes()
                    run("ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba", "-s",
                        f"{rgb.shape[1]}x{rgb.shape[0]}", "-i", "-", "-compression_level", "1", "-frames:v", "1", path,
                        input=raw)
                return path

            for name, suffix, make, streams in kinds(folder):
                if only not in name:
                    continue
                path = os.path.join(folder, "in." + suffix)
                make(rgb, ppm, rgba, path)
                peak, cpu, record = measure(attachprep, path, folder)
                os.remove(path)
                need = (record["memory"] or {}).get("need", 0) / 1e6
                # Only what needs its whole frame may be refused.
                fine = ("prepared",) if streams else ("prepared", "rejected")
                fails = record["outcome"] not in fine or peak > (LIMIT if streams else need + IDLE)
                bad += fails
                outcome = record["outcome"] + (f": {record['error']['code']}" if record["error"] else "")
                print(f"| {name} | {rgb.shape[0] * rgb.shape[1] / 1e6:.0f} | {peak:.1f}{' FAILS' if fails else ''} | "
                      f"{need:.1f} | {cpu:.2f} | {'≤ 24' if streams else 'computed'} | {outcome} |", flush=True)
            if os.path.exists(os.path.join(folder, "rgba.png")):
                os.remove(os.path.join(folder, "rgba.png"))
    sys.exit(1 if check and bad else 0)


main()
