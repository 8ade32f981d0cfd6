#!/usr/bin/env python3
"""The matrix of simulated pushes with a phone's own limits, and what each takes of memory.

usage: simulate.py ATTACHPREP FOLDER [--memory BYTES] [--photos DIR]

Every row of Tests/Fixtures/Simulations/matrix.tsv at 24 MB (or --memory), and large pictures besides: tilings to 12, 24
and 48 megapixels of a sample as baseline and progressive JPEG and as plain and Adam7 PNG, alone and four at a time, and
the folder of --photos. Then the same large pictures on a phone of 12 MB, where a push may end as text, never as the
original. Status 1 if a push is not seen as it must be, is not delivered exactly once, or its process has more than 24 MB resident,
code and libraries included. (The limit itself counts as iOS does, without them.)
"""
import argparse, json, os, shlex, subprocess, sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIXTURES = os.path.join(TOP, "Tests/Fixtures/Simulations")
OK = ('{"aps":{"alert":{"title":"Order","body":"changed"},"mutable-content":1},'
      '"image_url":"https://a.example/picture"}')
SEEN = ("picture", "media", "text")


# Four pushes with four links, so that none finds the other's picture in the cache.
OVERLAPPING = [f"push-{number}.json" for number in range(1, 5)]


def simulate(program, folder, payload, options, inputs=("-",)):
    run = subprocess.run([program, "simulate", *inputs, "--json"] + options, input=payload.encode(),
                         capture_output=True, cwd=folder, timeout=600)
    outcomes = [json.loads(line) for line in run.stdout.splitlines()]
    return outcomes or sys.exit(f"no outcome: {run.stderr.decode()}")


def words(outcome):
    delivery = outcome["delivery"] or {}
    return " / ".join(filter(None, (delivery.get(key, "") for key in ("title", "subtitle", "body"))))


class Tally:
    def __init__(self):
        self.pushes = self.bad = self.peak = 0

    def expect(self, name, outcome, verdicts, text="Order / changed", why=None):
        self.pushes += 1
        # None, of a push that no extension answered.
        peak = outcome["peakBytes"] or (24_000_001 if outcome["verdict"] in SEEN else 0)
        self.peak = max(self.peak, peak)
        reason = outcome["why"]
        is_good = (outcome["verdict"] in verdicts and (outcome["verdict"] == "nothing" or words(outcome) == text)
                   and outcome["deliveries"] == (outcome["verdict"] in SEEN)
                   and peak <= 24_000_000
                   and (why is None or (reason is None if why == "-" else why in (reason or ""))))
        if not is_good:
            self.bad += 1
            print(f"NOT AS IT MUST BE: {name}: {outcome['verdict']} '{words(outcome)}', {reason}, "
                  f"{outcome['deliveries']} deliveries, {peak} bytes", flush=True)


def matrix(program, folder, limit, tally):
    for line in open(os.path.join(FIXTURES, "matrix.tsv"), encoding="utf-8"):
        if line.startswith("#"):
            continue
        name, verdict, text, why, options, payload = line.rstrip("\n").split("\t")
        own = "--extension-memory" in options
        arguments = shlex.split(options) + ([] if own else ["--extension-memory", str(limit)])
        for outcome in simulate(program, folder, OK if payload == "ok" else payload, arguments):
            tally.expect(name, outcome, [verdict], text, why)


def large_pictures(folder):
    """Tilings of a sample, by libjpeg-turbo's and netpbm's tools."""
    made = []
    sample = subprocess.run(["djpeg", "-ppm", os.path.join(TOP, "Samples/photos/tea-gardens-444.jpg")],
                            capture_output=True, check=True).stdout
    head = sample.split(b"\n", 3)
    width, height = map(int, head[1].split())
    rows = head[3]
    for megapixels, across, down in ((12, 4000, 3000), (24, 6000, 4000), (48, 8000, 6000)):
        repeated = [rows[y * width * 3:(y + 1) * width * 3] * (across // width + 1) for y in range(height)]
        ppm = b"P6\n%d %d\n255\n" % (across, down) + b"".join(
            repeated[y % height][:across * 3] for y in range(down))
        for kind, command in (("baseline", ["cjpeg", "-quality", "85"]),
                              ("progressive", ["cjpeg", "-quality", "85", "-progressive"]),
                              ("plain-png", ["pnmtopng", "-quiet"]),
                              ("adam7-png", ["pnmtopng", "-quiet", "-interlace"])):
            name = f"large-{kind}-{megapixels}"
            path = os.path.join(folder, name)
            if not os.path.exists(path):
                with open(path, "wb") as out:
                    subprocess.run(command, input=ppm, stdout=out, check=True)
            made.append(name)
    return made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--memory", type=int, default=24_000_000)
    parser.add_argument("--photos")
    asked = parser.parse_args()
    program = os.path.abspath(asked.program)
    os.makedirs(asked.folder, exist_ok=True)
    subprocess.run([os.path.join(FIXTURES, "media"), asked.folder], check=True)

    tally = Tally()
    matrix(program, asked.folder, asked.memory, tally)
    print(f"matrix: {tally.pushes} pushes, {tally.bad} not as they must be, highest peak {tally.peak}", flush=True)

    names = large_pictures(asked.folder)
    for number, push in enumerate(OVERLAPPING):
        with open(os.path.join(asked.folder, push), "w", encoding="utf-8") as file:
            file.write(OK.replace("/picture", f"/picture-{number}"))
    if asked.photos:
        photos = os.path.abspath(asked.photos)
        names += sorted(os.path.join(photos, name) for name in os.listdir(photos)
                        if name.lower().endswith((".jpg", ".jpeg", ".png", ".heic", ".webp")))
    for limit, verdicts in ((asked.memory, ["picture"]), (12_000_000, ["picture", "text"])):
        large, seen = Tally(), {}
        for name in names:
            for inputs in (["-"], OVERLAPPING):
                options = ["--media-answer", name, "--extension-memory", str(limit), "--every", "0"]
                for outcome in simulate(program, asked.folder, OK, options, inputs):
                    large.expect(f"{name} at {limit}", outcome, verdicts)
                    seen[outcome["verdict"]] = seen.get(outcome["verdict"], 0) + 1
        print(f"large pictures at {limit}: {large.pushes} pushes {seen}, {large.bad} not as they must be, "
              f"highest peak {large.peak}", flush=True)
        tally.bad += large.bad
    return 1 if tally.bad else 0


sys.exit(main())
