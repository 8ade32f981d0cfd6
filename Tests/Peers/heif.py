#!/usr/bin/env python3
"""HEIC and AVIF files prepared, and compared pixel by pixel with a second decoder.

usage: heif.py ATTACHPREP FOLDER [--sheet OUT.jpg] [--below DECIBELS] [--only TEXT]
Prints a row for each file: what the program and the other decoder say, and the PSNR of the one's picture against the
other's (turned and cut as the file says, its profile applied, on white, scaled in linear light to the same size).
--sheet: a contact sheet of both pictures of every file, the least alike first. Needs Python with numpy, pillow 12 or
later, and pillow-heif; with --debian, heif-convert (libheif-examples) is asked whether it takes the file at all.
"""
import argparse
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pillow_heif
from PIL import Image, ImageCms, ImageDraw, ImageOps

Image.MAX_IMAGE_PIXELS = None
KINDS = (".heic", ".heics", ".heif", ".hif", ".avif", ".avifs")
# ITU-T H.273: linear light of these primaries to sRGB's.
TO_SRGB = {
    9: [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]],
    12: [[1.2249, -0.2247, 0.0], [-0.0420, 1.0419, 0.0], [-0.0197, -0.0786, 1.0979]],
}


def linear(samples):
    x = np.asarray(samples, dtype=np.float64) / 255
    return np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)


def encoded(light):
    x = np.clip(light, 0, 1)
    return 255 * np.where(x <= 0.0031308, x * 12.92, 1.055 * x ** (1 / 2.4) - 0.055)


def second(path):
    """The file as another decoder shows it, RGB or RGBA, with what it says of its colours."""
    with open(path, "rb") as file:
        head = file.read(64)
    if b"avif" in head or b"avis" in head:
        picture = Image.open(path)
        picture.load()
        # Pillow leaves the turn to an Exif orientation that it makes of irot and imir; one of XMP's is no matter.
        picture.info.pop("xmp", None)
        picture = ImageOps.exif_transpose(picture)
        return picture, codes_in(path)
    file = pillow_heif.open_heif(path, convert_hdr_to_8bit=True)
    return file.to_pillow(), codes_in(path)


def codes_in(path):
    """Primaries and transfer of the first colour box of code points."""
    with open(path, "rb") as file:
        data = file.read(1 << 20)
    at = data.find(b"colrnclx")
    if at < 0:
        return {}
    primaries, transfer = struct.unpack(">HH", data[at + 8:at + 12])
    return {"color_primaries": primaries, "transfer_characteristics": transfer}


def light_of(picture, codes):
    """The picture in linear light on white, as sRGB."""
    profile = picture.info.get("icc_profile")
    mode = "RGBA" if picture.mode in ("RGBA", "LA", "PA", "La") or "A" in picture.mode else "RGB"
    alpha = picture.convert("RGBA").getchannel("A") if mode == "RGBA" else None
    if picture.mode.startswith("I;16"):
        picture = Image.fromarray((np.asarray(picture) // 256).astype(np.uint8))
    flat = picture.convert("L" if picture.mode in ("L", "LA") else "RGB")
    if profile:
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            flat = ImageCms.profileToProfile(flat, source, ImageCms.createProfile("sRGB"), outputMode="RGB")
        except ImageCms.PyCMSError:
            pass
    is_linear = codes.get("transfer_characteristics") == 8 and not profile
    light = np.asarray(flat.convert("RGB"), dtype=np.float64) / 255 if is_linear else linear(flat.convert("RGB"))
    matrix = TO_SRGB.get(codes.get("color_primaries", 2))
    if matrix and not profile:
        light = np.clip(light @ np.array(matrix).T, 0, 1)
    if alpha is not None:
        a = np.asarray(alpha, dtype=np.float64)[..., None] / 255
        light = light * a + (1 - a)
    return light


def scaled(light, size):
    if (light.shape[1], light.shape[0]) == size:
        return light
    channels = [Image.fromarray(light[..., c].astype(np.float32)).resize(size, Image.LANCZOS) for c in range(3)]
    return np.stack([np.asarray(c, dtype=np.float64) for c in channels], axis=-1)


def ours(program, path, folder):
    out = os.path.join(folder, "out")
    run = subprocess.run(
        [program, "prepare", path, "--output", out, "--json", "--max-quality", "100", "--max-bytes", "8MB"],
        capture_output=True, text=True)
    record = json.loads(run.stdout)
    made = [o["path"] for o in record["outputs"] if o["path"]]
    return record, Image.open(made[0]).convert("RGB") if made else None


def compare(program, path, has_debian):
    row = {"path": path, "psnr": None, "ours": None, "theirs": None, "note": ""}
    with tempfile.TemporaryDirectory() as folder:
        record, picture = ours(program, path, folder)
        error = record.get("error") or {}
        row["said"] = error.get("code") or record["outcome"]
        row["detail"] = error.get("detail") or ""
        row["warnings"] = record["warnings"]
        if has_debian:
            run = subprocess.run(["heif-convert", path, os.path.join(folder, "d.png")], capture_output=True)
            row["debian"] = "takes it" if run.returncode == 0 else "refuses"
        if picture is not None:
            row["ours"] = np.asarray(picture, dtype=np.float64)
    try:
        other, codes = second(path)
        row["other"] = f"{other.width}x{other.height}"
        if codes.get("transfer_characteristics") in (16, 18):
            row["note"] = "HDR"
        if row["ours"] is not None:
            size = (row["ours"].shape[1], row["ours"].shape[0])
            row["theirs"] = encoded(scaled(light_of(other, codes), size))
            error = np.mean((row["ours"] - np.round(row["theirs"])) ** 2)
            row["psnr"] = 99.0 if error == 0 else 10 * np.log10(255 ** 2 / error)
            # Of pictures of another shape a number says nothing.
            shape = abs(size[0] * other.height - size[1] * other.width) / (size[0] * other.height)
            if shape > 0.02 + 1 / min(size):
                row["note"] = "another shape"
    except Exception as error:
        row["other"] = f"refuses ({type(error).__name__})"
    for key in ("ours", "theirs"):
        if row[key] is not None:
            small = Image.fromarray(np.round(row[key]).astype(np.uint8))
            small.thumbnail((150, 120))
            row[key] = small
    return row


def sheet(rows, out):
    shown = [r for r in rows if r["ours"] is not None]
    columns, width, height = 8, 310, 150
    page = Image.new("RGB", (columns * width, -(-len(shown) // columns) * height), "white")
    draw = ImageDraw.Draw(page)
    for i, row in enumerate(shown):
        x, y = i % columns * width, i // columns * height
        page.paste(row["ours"], (x, y + 24))
        if row["theirs"] is not None:
            page.paste(row["theirs"], (x + 155, y + 24))
        psnr = "-" if row["psnr"] is None else f"{row['psnr']:.1f} dB"
        draw.text((x + 2, y), f"{os.path.basename(row['path'])[-48:]}\n{psnr} {row['note']}", fill="black")
    page.save(out, quality=85)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("folder")
    arguments.add_argument("--sheet")
    arguments.add_argument("--below", type=float, default=1000)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--debian", action="store_true", help="ask heif-convert, too")
    arguments = arguments.parse_args()
    paths = sorted(
        os.path.join(root, name) for root, _, names in os.walk(arguments.folder) for name in names
        if name.lower().endswith(KINDS) and arguments.only in name)
    has_debian = arguments.debian and shutil.which("heif-convert") is not None
    rows = []
    with ThreadPoolExecutor(2) as pool:
        for row in pool.map(lambda path: compare(arguments.program, path, has_debian), paths):
            rows.append(row)
            psnr = "-" if row["psnr"] is None else f"{row['psnr']:.1f}"
            print(f"{len(rows)} of {len(paths)}: {psnr} {row['said']} {row['path']}", file=sys.stderr, flush=True)
    rows.sort(key=lambda row: (row["psnr"] is None, row["psnr"] or 0))
    for row in rows:
        psnr = "-" if row["psnr"] is None else f"{row['psnr']:.1f}"
        if row["psnr"] is None or row["psnr"] < arguments.below:
            print(
                f"{psnr:>6}  {row['said']:<20} {row['other']:<22} {row.get('debian', '-'):<9} "
                f"{os.path.relpath(row['path'], arguments.folder)} {row['note']} {row['detail']}")
    compared = sorted(row["psnr"] for row in rows if row["psnr"] is not None and row["note"] != "HDR")
    only_ours = sum(row["psnr"] is None and row["ours"] is not None for row in rows)
    only_theirs = sum(row["ours"] is None and not row["other"].startswith("refuses") for row in rows)
    print(
        f"{len(rows)} files, {len(compared)} compared: "
        f"median {compared[len(compared) // 2] if compared else 0:.1f} dB, "
        f"{sum(p < 35 for p in compared)} below 35 dB; {only_ours} shown by the program alone, "
        f"{only_theirs} by the other decoder alone")
    if arguments.sheet:
        sheet(rows, arguments.sheet)


main()
