#!/usr/bin/env python3
"""CPU and peak memory of HEIC and AVIF of 12 and 48 megapixels, against heif-convert and vipsthumbnail.

usage: heifcost.py ATTACHPREP FOLDER [PAIRS]
Makes its inputs in FOLDER once, of a photograph of Samples made larger: grids of tiles of 512 pixels, which x265
encodes, and single pictures of heif-enc and avifenc. Then, by turns and PAIRS (7) times, each file is prepared to
1038 pixels, and decoded by heif-convert to a JPEG that vipsthumbnail makes as small. Prints medians of user and
system time, and the largest resident size of any process.
"""
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PHOTO = os.path.join(HERE, "../../Samples/photos/kitten-on-lawn.jpg")


def make(folder):
    def missing(name):
        return not os.path.exists(os.path.join(folder, name))

    def call(*words):
        subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    os.makedirs(folder, exist_ok=True)
    names = ["grid-12.heic", "grid-48.heic", "single-12.heic", "single-12.avif"]
    if not any(missing(name) for name in names):
        return names
    call("vips", "thumbnail", PHOTO, "12.ppm", "4032", "--height", "3024", "--size", "force")
    call("vips", "replicate", "12.ppm", "48.ppm", "2", "2")
    call("vips", "copy", "12.ppm", "12.png[compression=1]")
    for side in ("12", "48"):
        if missing(f"grid-{side}.heic"):
            call(sys.executable, os.path.join(HERE, "heifmake.py"), "grid", f"{side}.ppm", f"grid-{side}.heic")
    call("heif-enc", "-q", "60", "12.png", "-o", "single-12.heic")
    call("avifenc", "-s", "9", "--min", "18", "--max", "28", "12.png", "single-12.avif")
    for name in ("12.ppm", "48.ppm", "12.png"):
        os.remove(os.path.join(folder, name))
    return names


def cost(*words):
    """Seconds of CPU and kilobytes at most; a parent's own size would count were it not for time(1) in between."""
    with tempfile.NamedTemporaryFile("r") as peak:
        process = subprocess.Popen(
            ["/usr/bin/time", "-f", "%M", "-o", peak.name, *words],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        if status != 0:
            sys.exit(f"{' '.join(words)}: status {status}")
        return usage.ru_utime + usage.ru_stime, int(peak.read().split()[-1])


def main():
    program, folder, pairs = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int((sys.argv[3:] or [7])[0])
    print("file            attachprep            heif-convert + vipsthumbnail     ratio")
    for name in make(folder):
        path = os.path.join(folder, name)
        own, peers = [], []
        with tempfile.TemporaryDirectory() as out:
            for _ in range(pairs):
                own.append(cost(program, "prepare", path, "--output", out, "--quiet"))
                decoded = cost("heif-convert", "-q", "90", path, os.path.join(out, "decoded.jpg"))
                small = cost(
                    "vipsthumbnail", "-s", "1038", os.path.join(out, "decoded.jpg"),
                    "-o", os.path.join(out, "small.jpg"))
                peers.append((decoded[0] + small[0], max(decoded[1], small[1])))
        (cpu, peer), most = (statistics.median(c for c, _ in row) for row in (own, peers)), [
            max(m for _, m in row) / 1000 for row in (own, peers)]
        print(
            f"{name:<15} {cpu:6.3f} s {most[0]:6.1f} MB    {peer:6.3f} s {most[1]:6.1f} MB             "
            f"{cpu / peer:5.2f}", flush=True)


main()
