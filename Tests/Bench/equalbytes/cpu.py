"""CPU of the fit, in plain libjpeg-turbo encodes and in mozjpeg's searches for a quality, on the same pixels.

User and system time of whole processes by wait4, start-up included, in interleaved rounds; medians. The fit is the job
less the same job with --max-edge 8, which starts, reads the PNG and encodes one block.
"""
import os
import statistics

from PIL import Image

from .peers import output

NAMES = ("canyon-wren", "high-trestle-trail", "kitten-on-lawn", "lake-sherburne", "perched-osprey", "tea-gardens")


def milliseconds(command):
    process = os.fork()
    if process == 0:
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        os.execvp(command[0], command)
    _, status, used = os.wait4(process, 0)
    if status:
        raise SystemExit(f"failed: {' '.join(command)}")
    return (used.ru_utime + used.ru_stime) * 1000


def searched(command, budget):
    """The commands that halving over whole qualities runs, and the one that it ends with."""
    low, high, tried = 1, 100, []
    best = None
    while low <= high:
        middle = (low + high) // 2
        tried.append(command(middle))
        if len(output(tried[-1])) <= budget:
            low, best = middle + 1, tried[-1]
        else:
            high = middle - 1
    return tried, best


def commands(asked, picture, budget):
    plain = picture.png[:-4] + "-plain.png"
    if not os.path.exists(plain):
        Image.open(picture.ppm).save(plain, compress_level=0)
    job = [asked.attachprep, "prepare", plain, "--output", f"{asked.cache}/cpu.jpg", "--max-bytes", str(budget),
           "--min-quality", "1", "--max-quality", "100", "--quiet"]
    made = {"start": [[*job, "--max-edge", "8"]]}
    for effort in asked.efforts:
        made[effort] = [[*job, "--effort", effort]]
    _, best = searched(lambda q: ["cjpeg", "-quality", str(q), "-optimize", picture.ppm], budget)
    made["encode"] = [best]
    made["search"], _ = searched(lambda q: [asked.mozjpeg, "-quality", str(q), picture.ppm], budget)
    return made


def table(asked, pictures, budget=80_000, rounds=5):
    header = ["picture", "plain encode", "mozjpeg search"]
    for effort in asked.efforts:
        header += [f"{effort}: job", "fit", "in encodes", "in searches"]
    print(f"\n## CPU at {budget // 1000} KB (ms of user and system time, medians of {rounds} interleaved rounds)\n")
    print("| " + " | ".join(header) + " |\n" + "|---" * len(header) + "|")
    shares = {effort: [] for effort in asked.efforts}
    for picture in pictures:
        made = commands(asked, picture, budget)
        times = {name: [] for name in made}
        for _ in range(rounds):
            for name, several in made.items():
                times[name].append(sum(milliseconds(command) for command in several))
        time = {name: statistics.median(seen) for name, seen in times.items()}
        cells = [f"{time['encode']:.1f}", f"{time['search']:.0f} ({len(made['search'])} encodes)"]
        for effort in asked.efforts:
            fit = time[effort] - time["start"]
            shares[effort].append((fit / time["encode"], fit / time["search"]))
            cells += [f"{time[effort]:.1f}", f"{fit:.1f}", f"{fit / time['encode']:.1f}", f"{fit / time['search']:.3f}"]
        print(f"| {picture.name}, {picture.box} px | " + " | ".join(cells) + " |", flush=True)
    for effort in asked.efforts:
        encodes, searches = (statistics.median(values) for values in zip(*shares[effort]))
        print(f"\n{effort}: the fit costs {encodes:.1f} plain encodes, {searches:.3f} of a search with mozjpeg")
