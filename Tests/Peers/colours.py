#!/usr/bin/env python3
"""Charts of 24 patches in many colour spaces, prepared and compared with lcms2's transicc or a standard's arithmetic.

usage: colours.py ATTACHPREP [--keep DIR] [--sheet OUT.jpg] [--cost PAIRS]
Prints mean and largest CIEDE2000 of each chart; fails where ICC goes beyond mean 1 or largest 3, HDR beyond 3 or 6.
--sheet instead: photographs in Display P3 and CMYK beside what ImageMagick makes of them, four times their difference
below. --cost instead: CPU of one 11-megapixel job with Display P3 embedded and without, in interleaved pairs; fails
beyond 5 %.
Needs Python with numpy and pillow; transicc (liblcms2-utils); colprof (argyll), which makes the printing profiles of
colord-data's measurements; the profiles of icc-profiles-free, colord-data and libgs-common; avifenc; ImageMagick.
"""
import json
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy as np
from PIL import Image

# Two greys to white and black, pastels, saturated primaries, skin, sky and foliage: made for this chart, in sRGB.
PATCHES = [
    (255, 255, 255), (200, 200, 200), (160, 160, 160), (118, 118, 118), (80, 80, 80), (45, 45, 45),
    (0, 0, 0), (230, 40, 40), (40, 170, 60), (50, 60, 200), (240, 220, 50), (200, 60, 160),
    (40, 180, 200), (120, 80, 65), (200, 150, 130), (90, 120, 160), (85, 105, 65), (130, 125, 180),
    (100, 190, 170), (220, 125, 40), (70, 90, 170), (195, 85, 95), (90, 60, 105), (160, 190, 60),
]
SIDE, ACROSS = 40, 6
ICC = "/usr/share/color/icc/"
# Chart name, profile, kind of file.
CHARTS = [
    ("sRGB", ICC + "colord/sRGB.icc"), ("Adobe RGB", ICC + "colord/AdobeRGB1998.icc"),
    ("ProPhoto", ICC + "colord/ProPhotoRGB.icc"), ("ROMM (ghostscript)", ICC + "ghostscript/rommrgb.icc"),
    ("wide gamut", ICC + "colord/WideGamutRGB.icc"), ("ECI v2, L* curve", ICC + "colord/ECI-RGBv2.icc"),
    ("Apple RGB", ICC + "colord/AppleRGB.icc"), ("swapped red and green", ICC + "colord/SwappedRedAndGreen.icc"),
    ("bluish display", ICC + "colord/Bluish.icc"), ("Rec. 709", ICC + "colord/Rec709.icc"),
]
# Chart name, profile; those without one are made from measurements of that name.
CMYK = [("FOGRA39L, coated", "FOGRA39L"), ("SWOP TR003, grade 3", "TR003"),
        ("Artifex CMYK", ICC + "ghostscript/default_cmyk.icc")]
PHOTOS = ["canyon-wren", "coffee-cup.jpg", "kitten-on-lawn.jpg", "otters-turned.jpg"]


def lab(rgb):
    """CIE L*a*b* (D50 by Bradford) of sRGB 0...255."""
    v = np.asarray(rgb, float) / 255
    light = np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)
    xyz = light @ np.array([[0.4360747, 0.3850649, 0.1430804], [0.2225045, 0.7168786, 0.0606169],
                            [0.0139322, 0.0971045, 0.7141733]]).T
    t = xyz / np.array([0.9642, 1, 0.8251])
    f = np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], 1)


def ciede2000(a, b):
    """Sharma, Wu and Dalal's formulation."""
    c1, c2 = np.hypot(a[:, 1], a[:, 2]), np.hypot(b[:, 1], b[:, 2])
    mean = ((c1 + c2) / 2) ** 7
    g = 0.5 * (1 - np.sqrt(mean / (mean + 25 ** 7)))
    x1, x2 = a[:, 1] * (1 + g), b[:, 1] * (1 + g)
    c1, c2 = np.hypot(x1, a[:, 2]), np.hypot(x2, b[:, 2])
    h1, h2 = np.degrees(np.arctan2(a[:, 2], x1)) % 360, np.degrees(np.arctan2(b[:, 2], x2)) % 360
    dl, dc = b[:, 0] - a[:, 0], c2 - c1
    turn = (h2 - h1 + 180) % 360 - 180
    turn = np.where(c1 * c2 == 0, 0, turn)
    dh = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    l, c = (a[:, 0] + b[:, 0]) / 2, (c1 + c2) / 2
    h = np.where(c1 * c2 == 0, h1 + h2, (h1 + turn / 2) % 360)
    t = (1 - 0.17 * np.cos(np.radians(h - 30)) + 0.24 * np.cos(np.radians(2 * h))
         + 0.32 * np.cos(np.radians(3 * h + 6)) - 0.20 * np.cos(np.radians(4 * h - 63)))
    sl = 1 + 0.015 * (l - 50) ** 2 / np.sqrt(20 + (l - 50) ** 2)
    sc, sh = 1 + 0.045 * c, 1 + 0.015 * c * t
    rt = -2 * np.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * np.sin(np.radians(60 * np.exp(-((h - 275) / 25) ** 2)))
    return np.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * (dc / sc) * (dh / sh))


def transicc(colours, source, target, channels):
    """Through lcms2: relative colorimetric with black point compensation, 0...255."""
    text = "\n".join(" ".join(f"{v:.4f}" for v in colour) for colour in colours) + "\n"
    said = subprocess.run(["transicc", "-i", source, "-o", target, "-t", "1", "-b", "-n"], input=text,
                          capture_output=True, text=True, check=True).stdout
    values = [float(word) for word in said.replace("\n", " ").split()]
    return np.array(values).reshape(-1, channels)


def chart(colours, dtype=np.uint8):
    colours = np.asarray(colours, dtype)
    rows = colours.reshape(-1, ACROSS, colours.shape[1])
    return np.repeat(np.repeat(rows, SIDE, 0), SIDE, 1)


def png16(pixels, chunks):
    """A 16-bit RGB PNG with chunks of one's own before the picture."""
    height, width, _ = pixels.shape
    lines = b"".join(b"\0" + line.astype(">u2").tobytes() for line in pixels)

    def piece(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + piece(b"IHDR", head) + b"".join(piece(*c) for c in chunks)
            + piece(b"IDAT", zlib.compress(lines)) + piece(b"IEND", b""))


# High dynamic range, after the text of ST 2084, BT.2100, BT.2390 and BT.2408, in double precision.
M1, M2, C1, C2, C3 = 2610 / 16384, 2523 / 4096 * 128, 3424 / 4096, 2413 / 4096 * 32, 2392 / 4096 * 32


def pq(nits):
    p = np.power(np.asarray(nits, float) / 10000, M1)
    return np.power((C1 + C2 * p) / (1 + C3 * p), M2)


def nits(signal):
    p = np.power(signal, 1 / M2)
    return 10000 * np.power(np.maximum(p - C1, 0) / (C2 - C3 * p), 1 / M1)


def hlg(scene):
    a, b, c = 0.17883277, 0.28466892, 0.55991073
    return np.where(scene <= 1 / 12, np.sqrt(3 * scene), a * np.log(np.maximum(12 * scene - b, 1e-9)) + c)


def tone_mapped(light, peak=1000.0, white=203.0):
    """BT.2390's curve by the brightest channel; linear BT.2020 in nits to the same, 1 for white."""
    top = light.max(1, keepdims=True)
    e, limit = pq(top) / pq(peak), pq(white) / pq(peak)
    knee = 1.5 * limit - 0.5
    t = (e - knee) / (1 - knee)
    spline = ((2 * t ** 3 - 3 * t ** 2 + 1) * knee + (t ** 3 - 2 * t ** 2 + t) * (1 - knee)
              + (-2 * t ** 3 + 3 * t ** 2) * limit)
    bent = nits(np.where(e > knee, spline, e) * pq(peak))
    return light * np.where(top > 0, bent / np.maximum(top, 1e-9), 1) / white


BT709_TO_2020 = np.array([[0.6274039, 0.3292830, 0.0433131], [0.0690973, 0.9195404, 0.0113623],
                          [0.0163914, 0.0880133, 0.8955953]])


def hdr(kind, scale):
    """Signal of the patches at `scale` times diffuse white, and what must come of it in sRGB."""
    v = np.array(PATCHES) / 255
    light = np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4) @ BT709_TO_2020.T * 203 * scale
    if kind == "PQ":
        signal = pq(light)
    else:
        luminance = light @ np.array([0.2627, 0.6780, 0.0593]) / 1000
        # Inverse of BT.2100's OOTF at 1000 nits: the scene of a display of gamma 1.2.
        scene = light / 1000 * np.power(np.maximum(luminance, 1e-9), -0.2 / 1.2)[:, None]
        signal = np.clip(hlg(scene), 0, 1)
    shown = np.clip(tone_mapped(light) @ np.linalg.inv(BT709_TO_2020).T, 0, 1)
    levels = np.where(shown <= 0.0031308, shown * 12.92, 1.055 * shown ** (1 / 2.4) - 0.055) * 255
    return np.round(signal * 65535), levels


def display_p3():
    """An ICC.1:2010 profile of Display P3: colorants adapted to D50, sRGB's curve."""
    def fixed(values):
        return b"".join(struct.pack(">i", round(v * 65536)) for v in values)

    curve = b"para\0\0\0\0\0\3\0\0" + fixed([2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    xyz = {b"rXYZ": (0.51512, 0.24120, -0.00105), b"gXYZ": (0.29198, 0.69225, 0.04189),
           b"bXYZ": (0.15710, 0.06657, 0.78407), b"wtpt": (0.9642, 1, 0.8249)}
    words = b"desc\0\0\0\0" + struct.pack(">I", 3) + b"P3\0" + bytes(78)
    tags = [(b"desc", words.ljust((len(words) + 3) // 4 * 4, b"\0"))]
    tags += [(k, b"XYZ \0\0\0\0" + fixed(v)) for k, v in xyz.items()]
    tags += [(k, curve) for k in (b"rTRC", b"gTRC", b"bTRC")]
    table, data = struct.pack(">I", len(tags)), b""
    for name, body in tags:
        table += name + struct.pack(">II", 132 + 12 * len(tags) + len(data), len(body))
        data += body
    head = struct.pack(">I", 128 + len(table) + len(data)) + bytes(4) + b"\2\x40\0\0mntrRGB XYZ " + bytes(12) + b"acsp"
    return head.ljust(68, b"\0") + fixed([0.9642, 1, 0.8249]) + bytes(48) + table + data


def printing(name, folder):
    """The path of a profile; one of measurements is made."""
    if "/" in name:
        return name
    path = os.path.join(folder, name)
    with open(path + ".ti3", "wb") as file:
        file.write(open(f"{ICC}{name}.ti3", "rb").read())
    subprocess.run(["colprof", "-ql", "-D", name, path], check=True, capture_output=True)
    return path + ".icc"


def embedded(jpeg, profile):
    body = b"ICC_PROFILE\0\1\1" + profile
    return jpeg[:2] + b"\xff\xe2" + struct.pack(">H", len(body) + 2) + body + jpeg[2:]


def cpu(*command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    used = os.wait4(process.pid, 0)[2]
    return used.ru_utime + used.ru_stime


def cost(attachprep, folder, pairs):
    plain, wide = (os.path.join(folder, name) for name in ("plain.jpg", "p3.jpg"))
    photo = Image.open(os.path.join("Samples/photos", "kitten-on-lawn.jpg"))
    across = round((11e6 / photo.width / photo.height) ** 0.5)
    down = round(11e6 / photo.width / photo.height / across)
    picture = Image.new("RGB", (photo.width * across, photo.height * down))
    for i in range(across * down):
        picture.paste(photo, (i % across * photo.width, i // across * photo.height))
    picture.save(plain, quality=92)
    with open(wide, "wb") as file:
        file.write(embedded(open(plain, "rb").read(), display_p3()))
    times = {plain: [], wide: []}
    out = os.path.join(folder, "out.jpg")
    for i in range(pairs + 1):
        for path in (plain, wide) if i % 2 else (wide, plain):
            # Other colours take other bytes: within a budget, one of the two might search and the other not.
            used = cpu(attachprep, "prepare", path, "--output", out, "--quiet", "--max-bytes", "10MB")
            if i:
                times[path].append(used)
    ratio = statistics.median(b / a for a, b in zip(times[plain], times[wide]))
    for name, path in (("without", plain), ("Display P3", wide)):
        t = times[path]
        print(f"{name}: {picture.width} x {picture.height}, median {1000 * statistics.median(t):.1f} ms "
              f"({1000 * min(t):.1f} to {1000 * max(t):.1f}), {pairs} runs")
    medians = statistics.median(times[wide]) / statistics.median(times[plain])
    print(f"conversion: {100 * (medians - 1):+.1f} % between the medians, {100 * (ratio - 1):+.1f} % in the "
          "median pair")
    sys.exit(medians > 1.05)


def sheet(attachprep, folder, out):
    p3 = os.path.join(folder, "p3.icc")
    with open(p3, "wb") as file:
        file.write(display_p3())
    profiles = [("Display P3", p3), ("FOGRA39L", printing("FOGRA39L", folder)), ("TR003", printing("TR003", folder))]
    srgb = ICC + "colord/sRGB.icc"
    intent = ["-intent", "relative", "-black-point-compensation"]
    columns = []
    for photo in PHOTOS:
        for name, profile in profiles:
            file, ours, theirs = (os.path.join(folder, f) for f in ("in.jpg", "ours.jpg", "theirs.png"))
            subprocess.run(["convert", os.path.join("Samples/photos", photo), "-auto-orient", "-strip", "-profile",
                            srgb, *intent, "-profile", profile, "-quality", "98", file], check=True)
            subprocess.run([attachprep, "prepare", file, "--output", ours, "--quiet", "--max-edge", "300",
                            "--max-quality", "100"], check=True)
            a = Image.open(ours).convert("RGB")
            subprocess.run(["convert", file, *intent, "-profile", srgb, "-colorspace", "RGB", "-filter", "Lanczos",
                            "-resize", f"{a.width}x{a.height}!", "-colorspace", "sRGB", "-depth", "8", theirs],
                           check=True)
            b = Image.open(theirs).convert("RGB")
            x, y = (np.asarray(i, float) for i in (a, b))
            difference = ciede2000(lab(x.reshape(-1, 3)), lab(y.reshape(-1, 3)))
            print(f"{photo}, {name}: {a.width} x {a.height}, mean ΔE00 {difference.mean():.2f}, "
                  f"99 % below {np.percentile(difference, 99):.2f}", flush=True)
            columns.append([a, b, Image.fromarray(np.clip(abs(x - y) * 4, 0, 255).astype(np.uint8))])
    height = [max(c[i].height for c in columns) + 6 for i in range(3)]
    page = Image.new("RGB", (306 * len(profiles) * 2, sum(height) * (len(PHOTOS) // 2)), "white")
    for i, column in enumerate(columns):
        for j, cell in enumerate(column):
            page.paste(cell, (i % 6 * 306, i // 6 * sum(height) + sum(height[:j])))
    page.save(out, quality=85)


def prepared(attachprep, path, folder):
    out = os.path.join(folder, "out.jpg")
    said = subprocess.run([attachprep, "prepare", path, "--output", out, "--json", "--max-quality", "100"],
                          capture_output=True, text=True)
    record = json.loads(said.stdout)
    if record["error"]:
        sys.exit(f"{path}: {record['error']}")
    pixels = np.asarray(Image.open(record["outputs"][0]["path"]).convert("RGB"), float)
    middle = [pixels[r * SIDE + 8:r * SIDE + SIDE - 8, c * SIDE + 8:c * SIDE + SIDE - 8].mean((0, 1))
              for r in range(len(PATCHES) // ACROSS) for c in range(ACROSS)]
    return np.array(middle), record["warnings"]


def main():
    keep = sys.argv[sys.argv.index("--keep") + 1] if "--keep" in sys.argv else None
    if keep:
        os.makedirs(keep, exist_ok=True)
        return compare(sys.argv[1], keep)
    with tempfile.TemporaryDirectory() as folder:
        compare(sys.argv[1], folder)


def compare(attachprep, folder):
    if "--cost" in sys.argv:
        cost(attachprep, folder, int(sys.argv[sys.argv.index("--cost") + 1]))
    if "--sheet" in sys.argv:
        return sheet(attachprep, folder, sys.argv[sys.argv.index("--sheet") + 1])
    bad = 0
    print("| chart | mean ΔE00 | most | warnings |\n|---|---|---|---|")

    def judge(name, path, want, limits):
        nonlocal bad
        got, warnings = prepared(attachprep, path, folder)
        difference = ciede2000(lab(want), lab(got))
        mean, most = difference.mean(), difference.max()
        fails = mean > limits[0] or most > limits[1]
        bad += fails
        print(f"| {name} | {mean:.2f} | {most:.2f}{' FAILS' if fails else ''} | {', '.join(warnings)} |", flush=True)

    for name, profile in CHARTS:
        if not os.path.exists(profile):
            sys.exit(f"{profile} is missing: install icc-profiles-free, colord-data and libgs-common")
        stored = np.clip(np.round(transicc(PATCHES, "*sRGB", profile, 3)), 0, 255)
        want = transicc(stored, profile, "*sRGB", 3)
        picture = Image.fromarray(chart(stored))
        data = open(profile, "rb").read()
        for suffix, options in ((".png", {}), (".jpg", {"quality": 100, "subsampling": 0}),
                                (".tif", {"compression": "tiff_lzw"}), (".webp", {"lossless": True})):
            path = os.path.join(folder, name.replace(" ", "-") + suffix)
            picture.save(path, icc_profile=data, **options)
            judge(f"{name}, {suffix[1:]}", path, want, (1, 3))
    for name, profile in CMYK:
        profile = printing(profile, folder)
        percent = transicc(PATCHES, "*sRGB", profile, 4)
        stored = np.clip(np.round(percent * 2.55), 0, 255)
        want = transicc(stored / 2.55, profile, "*sRGB", 3)
        path = os.path.join(folder, name.replace(" ", "-") + ".jpg")
        Image.fromarray(chart(stored), "CMYK").save(
            path, icc_profile=open(profile, "rb").read(), quality=100, subsampling=0)
        judge(f"{name}, CMYK jpg", path, want, (1, 3))
    for kind, transfer in (("PQ", 16), ("HLG", 18)):
        for scale in (1, 3):
            signal, want = hdr(kind, scale)
            path = os.path.join(folder, f"{kind}-{scale}.png")
            with open(path, "wb") as file:
                file.write(png16(chart(signal, np.uint16), [(b"cICP", bytes([9, transfer, 0, 1]))]))
            judge(f"{kind} PNG, white at {203 * scale} nits", path, want, (3, 6))
            plain, avif = (os.path.join(folder, f"{kind}-{scale}.{suffix}") for suffix in ("plain.png", "avif"))
            with open(plain, "wb") as file:
                file.write(png16(chart(signal, np.uint16), []))
            subprocess.run(["avifenc", "-d", "10", "-y", "444", "--min", "0", "--max", "0", "-s", "8", "--cicp",
                            f"9/{transfer}/9", plain, avif], check=True, capture_output=True)
            judge(f"{kind} AVIF, white at {203 * scale} nits", avif, want, (3, 6))
    path = os.path.join(folder, "p3.png")
    p3 = np.array([[0.8224622, 0.1775380, 0], [0.0331942, 0.9668058, 0], [0.0170608, 0.0723974, 0.9105418]])
    v = np.array(PATCHES) / 255
    light = np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4) @ p3.T
    stored = np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 0) ** (1 / 2.4) - 0.055)
    with open(path, "wb") as file:
        file.write(png16(chart(np.round(stored * 65535), np.uint16), [(b"cICP", bytes([12, 13, 0, 1]))]))
    judge("Display P3 by cICP", path, PATCHES, (1, 3))
    sys.exit(1 if bad else 0)


main()
