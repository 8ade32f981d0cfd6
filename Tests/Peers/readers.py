#!/usr/bin/env python3
"""Shows files of every kind that attachprep writes to independent JPEG readers, each as strict as it can be made.

    Tests/Peers/readers.py --attachprep PROGRAM --libjpeg9 DJPEG [--only chromium,go]

No reader may warn or fail, and what it shows must be what libjpeg-turbo shows, up to the rounding of transforms and
to how it enlarges halved chroma. A damaged file, which every reader must refuse or show differently, proves that the
check can fail.
"""
import argparse
import http.server
import os
import subprocess
import sys
import tempfile
import threading

import numpy as np
from PIL import Image, ImageDraw, ImageFont

HERE = os.path.dirname(os.path.abspath(__file__))
# Mean difference from libjpeg-turbo's pixels, in levels, that rounding explains; with halved chroma its enlargement
# differs too, at edges of colour, for which libjpeg-turbo is asked both ways.
ROUNDING, ENLARGING = 0.6, 2.5


class Refused(Exception):
    pass


def run(command, folder=None, quiet=True):
    """Standard output. A word on standard error counts as a warning where `quiet`."""
    made = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, timeout=300)
    said = made.stderr.decode(errors="replace").strip()
    if made.returncode or (quiet and said):
        raise Refused(said.splitlines()[-1] if said else f"status {made.returncode}")
    return made.stdout


def levels(path):
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB")).astype(int)


# ---- pictures and files


def drawn(width, height, colour):
    """Waves, and where there is room red letters on black."""
    y, x = np.mgrid[0:height, 0:width]
    waves = np.stack([127 + 120 * np.sin(x / (5 + 3 * c) + y / (9 - 2 * c)) for c in range(3)], 2)
    picture = Image.fromarray(waves.astype(np.uint8))
    if width > 60 and height > 40:
        pen = ImageDraw.Draw(picture)
        pen.rectangle((4, 4, width // 2, height // 2), "#000000")
        pen.text((8, 8), "red text", "#ff0000", ImageFont.load_default())
    return picture if colour else picture.convert("L")


def files(attachprep, folder):
    """Paths of the files by name: odd sides, single pixels, grey, whole and halved chroma, one scan and several."""
    made = {}
    for width, height in ((1, 1), (1, 17), (17, 1), (8, 8), (15, 9), (33, 40), (301, 215), (640, 3)):
        for kind in ("colour", "grey"):
            picture = f"{folder}/in.png"
            drawn(width, height, kind == "colour").save(picture)
            for scans in ("never", "always"):
                for budget, quality in ((300_000, 95), (300_000, 50), (max(900, width * height // 8), 90)):
                    name = f"{width}x{height}-{kind}-{'scan' if scans == 'never' else 'scans'}-{quality}"
                    out = f"{folder}/{name}.jpg"
                    run([attachprep, "prepare", picture, "--output", out, "--max-bytes", str(budget), "--min-quality",
                         "1", "--max-quality", str(quality), "--progressive", scans, "--quiet"])
                    made[name] = out
    for name in sorted(os.listdir(f"{HERE}/../../Samples/photos")):
        source = f"{HERE}/../../Samples/photos/{name}"
        if name.startswith(".") or name.endswith(".md"):
            continue
        out = f"{folder}/photo-{name.split('.')[0]}.jpg"
        run([attachprep, "prepare", source, "--output", out, "--max-bytes", "40000", "--quiet"])
        made[os.path.basename(out)[:-4]] = out
    return made


def damaged(path, folder):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    for at in range(len(data) // 2, len(data) // 2 + 40):
        data[at] ^= 0x5A
    out = f"{folder}/damaged.jpg"
    with open(out, "wb") as file:
        file.write(data)
    return out


# ---- readers: each gives the pixels of one file, or Refused


def djpeg(program, *options):
    def read(path, folder):
        run([program, *options, "-pnm", "-outfile", f"{folder}/out.pnm", path])
        return levels(f"{folder}/out.pnm")
    return read


def imagemagick(path, folder):
    run(["identify", "-regard-warnings", "-verbose", path])
    run(["convert", "-regard-warnings", path, f"{folder}/out.ppm"])
    return levels(f"{folder}/out.ppm")


def pillow(path, folder):
    script = "import sys, warnings; warnings.simplefilter('error'); from PIL import Image;" \
             "Image.open(sys.argv[1]).convert('RGB').save(sys.argv[2])"
    run([sys.executable, "-c", script, path, f"{folder}/out.ppm"])
    return levels(f"{folder}/out.ppm")


def iso(path, folder):
    # The standard's own reference software talks on standard error by habit; its status counts.
    run(["jpeg", path, f"{folder}/out.pnm"], quiet=False)
    return levels(f"{folder}/out.pnm")


def ffmpeg(path, folder):
    """Brightness only: ffmpeg places halved chroma elsewhere than the others do."""
    strict = ["-v", "warning", "-xerror", "-err_detect", "crccheck+bitstream+buffer+explode"]
    try:
        run(["ffmpeg", *strict, "-i", path, "-f", "null", "-"])
    except Refused as refused:
        # It says so of all files of a few hundred bytes, those of cjpeg too.
        with open(path, "rb") as file:
            if "EOI missing" not in str(refused) or file.read()[-2:] != b"\xff\xd9":
                raise
    run(["ffmpeg", "-v", "error", "-xerror", "-i", path, "-pix_fmt", "gray", "-y", f"{folder}/out.pgm"])
    with Image.open(f"{folder}/out.pgm") as picture:
        return np.asarray(picture).astype(int)


def compiled(command, source, suffix, folder):
    """A reader of a few lines around a library, built once; called with the file's name and the output's."""
    path = f"{folder}/reader{suffix}"
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    libraries = ["-lm"] if suffix == ".c" else []
    run([*command, f"{folder}/reader-of{suffix}", path, *libraries], quiet=False)

    def read(picture, scratch):
        run([f"{folder}/reader-of{suffix}", picture, f"{scratch}/out.ppm"])
        return levels(f"{scratch}/out.ppm")
    return read


STB = r"""
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_JPEG
#include <stb/stb_image.h>
int main(int count, char **words) {
    int width, height, channels;
    unsigned char *pixels = count == 3 ? stbi_load(words[1], &width, &height, &channels, 3) : NULL;
    if (!pixels) return fprintf(stderr, "%s\n", stbi_failure_reason()), 1;
    FILE *out = fopen(words[2], "wb");
    if (!out) return 1;
    fprintf(out, "P6\n%d %d\n255\n", width, height);
    fwrite(pixels, 3, (size_t)width * height, out);
    return fclose(out);
}
"""

GO = """
package main

import (
	"fmt"
	"image/jpeg"
	"os"
)

func main() {
	in, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	picture, err := jpeg.Decode(in)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	size := picture.Bounds().Size()
	pixels := []byte(fmt.Sprintf("P6\\n%d %d\\n255\\n", size.X, size.Y))
	for y := 0; y < size.Y; y++ {
		for x := 0; x < size.X; x++ {
			red, green, blue, _ := picture.At(x, y).RGBA()
			pixels = append(pixels, byte(red>>8), byte(green>>8), byte(blue>>8))
		}
	}
	if err := os.WriteFile(os.Args[2], pixels, 0o644); err != nil {
		panic(err)
	}
}
"""

PAGE = """<!doctype html><meta charset="utf-8"><script>
(async () => {
  for (let number = 0; number < COUNT; number++) {
    let said = "refused";
    let body = new Uint8Array();
    try {
      const bitmap = await createImageBitmap(await (await fetch("/" + number)).blob());
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext("2d");
      context.drawImage(bitmap, 0, 0);
      body = context.getImageData(0, 0, bitmap.width, bitmap.height).data;
      said = bitmap.width + "x" + bitmap.height;
    } catch (error) {}
    await fetch("/" + number + "/" + said, {method: "POST", body});
  }
  await fetch("/done", {method: "POST"});
})();
</script>"""


class Chromium:
    """The pixels that a page sees on its canvas: one browser for all files, which gets and answers them over HTTP."""

    def __init__(self, paths, folder):
        self.paths, self.seen, self.done = paths, {}, threading.Event()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--force-color-profile=srgb",
             f"--user-data-dir={folder}/profile", f"http://127.0.0.1:{server.server_port}/page"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.done.wait(180)
        browser.terminate()
        browser.wait()
        server.shutdown()

    def handler(self):
        reader = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self, body, kind):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                word = self.path[1:]
                if word.isdigit():
                    with open(reader.paths[int(word)], "rb") as file:
                        self.answer(file.read(), "image/jpeg")
                else:
                    page = PAGE.replace("COUNT", str(len(reader.paths))) if word == "page" else ""
                    self.answer(page.encode(), "text/html")

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                words = self.path[1:].split("/")
                if words == ["done"]:
                    reader.done.set()
                elif "x" in words[1]:
                    width, height = map(int, words[1].split("x"))
                    pixels = np.frombuffer(body, np.uint8).reshape(height, width, 4)
                    reader.seen[reader.paths[int(words[0])]] = pixels[..., :3].astype(int)
                self.answer(b"", "text/plain")

            def log_message(self, *_):
                pass

        return Handler

    def __call__(self, path, folder):
        if path not in self.seen:
            raise Refused("no picture" if self.done.is_set() else "no answer in time")
        return self.seen[path]


def readers(libjpeg9, paths, folder):
    """Makers of the readers by name."""
    return {
        "libjpeg-turbo": lambda: djpeg("djpeg", "-strict", "-dct", "int"),
        "IJG libjpeg 9": lambda: djpeg(libjpeg9, "-dct", "int", "-nosmooth"),
        "ISO reference": lambda: iso,
        "imagemagick": lambda: imagemagick,
        "pillow": lambda: pillow,
        "ffmpeg": lambda: ffmpeg,
        "stb": lambda: compiled(["cc", "-O1", "-w", "-o"], STB, ".c", folder),
        "go": lambda: compiled(["go", "build", "-o"], GO, ".go", folder),
        "chromium": lambda: Chromium(paths, folder),
    }


# ---- judging


def distance(pixels, path, folder):
    """The mean difference from libjpeg-turbo's picture, chroma enlarged smoothly or not, whichever is nearer."""
    best = None
    for options in [("-grayscale",)] if pixels.ndim == 2 else [(), ("-nosmooth",)]:
        expected = djpeg("djpeg", "-strict", "-dct", "int", *options)(path, folder)
        expected = expected[..., 0] if pixels.ndim == 2 else expected
        if pixels.shape != expected.shape:
            raise Refused(f"{pixels.shape[1]} x {pixels.shape[0]} instead of {expected.shape[1]} x {expected.shape[0]}")
        mean = float(np.abs(pixels - expected).mean())
        best = mean if best is None else min(best, mean)
    return best


def halved(path):
    return b"\x11\x00\x02\x11\x01" not in open(path, "rb").read() and Image.open(path).mode != "L"


def judge(read, made, folder):
    """Faults, and the greatest mean differences with whole and with halved chroma."""
    faults, worst = [], {False: 0.0, True: 0.0}
    for title, path in made.items():
        try:
            is_halved = halved(path)
            mean = distance(read(path, folder), path, folder)
            worst[is_halved] = max(worst[is_halved], mean)
            if mean > (ENLARGING if is_halved else ROUNDING):
                faults.append(f"{title}: shows other pixels, mean difference {mean:.2f}")
        except Refused as refused:
            faults.append(f"{title}: {refused}")
    return faults, worst


def sees_damage(read, path, whole, folder):
    try:
        return distance(read(path, folder), whole, folder) > ENLARGING
    except Refused:
        return True


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--attachprep", default=".build/release/attachprep")
    words.add_argument("--libjpeg9", required=True, help="djpeg of the Independent JPEG Group's release 9")
    words.add_argument("--only", help="names of readers, separated by commas")
    asked = words.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        made = files(os.path.abspath(asked.attachprep), folder)
        whole = made["301x215-colour-scan-95"]
        bad = damaged(whole, folder)
        print("| reader | files | faults | mean difference, whole chroma | halved | sees damage |")
        print("|---|---|---|---|---|---|")
        found = []
        for name, make in readers(asked.libjpeg9, [*made.values(), bad], folder).items():
            if asked.only and name not in asked.only.split(","):
                continue
            read = make()
            faults, worst = judge(read, made, folder)
            sees = sees_damage(read, bad, whole, folder)
            if not sees:
                faults.append("takes a damaged file for the whole one")
            print(f"| {name} | {len(made)} | {len(faults)} | {worst[False]:.2f} | {worst[True]:.2f} |"
                  f" {'yes' if sees else 'no'} |", flush=True)
            found += [f"{name}: {fault}" for fault in faults]
        for fault in found:
            print(fault, file=sys.stderr)
        failed = bool(found)
    sys.exit(1 if failed else 0)


main()
