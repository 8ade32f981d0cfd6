#!/usr/bin/env python3
"""What is left of a cache when its writers are killed at any moment, or its disk is full.

usage: cachekill.py ATTACHPREP [--kills N] [--seed N]
N runs (200) of `attachprep link prepare` on a local server are killed by SIGKILL at random moments. After each, every
file below media/ must be whole and named by content, and another run must make what a local job makes. At the end
`cache verify` must find no damage. Then a cache on a small tmpfs (in a mount namespace of its own, so this part needs
root) is filled to several degrees: the answer is a picture or `no-space`, no temporary file stays, and with space
freed the same link works at once. Needs libjpeg-turbo-progs and util-linux.
"""
import argparse
import http.server
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

PHOTO = "Samples/photos/forget-me-nots.jpg"
NAME = re.compile(r"([0-9a-f]{2})/\1[0-9a-f]{62}\.jpg")
BASE = "https://media.example/a"


def picture(number):
    """The same picture as a file of its own: other bytes, so another name."""
    data = open(PHOTO, "rb").read()
    words = b"number %d" % number
    return data[:2] + b"\xff\xfe" + (len(words) + 2).to_bytes(2, "big") + words + data[2:]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = picture(int(self.path.rpartition("=")[2]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", f'"{len(body)}-{self.path}"')
        self.end_headers()
        # In pieces with a pause, so that moments during the transfer are met too.
        for at in range(0, len(body), 65536):
            self.wfile.write(body[at:at + 65536])
            time.sleep(0.004)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client):
        pass


class Rig:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.checked = {}
        self.bad = []

    def command(self, number, cache):
        return [self.program, "link", "prepare", f"http://127.0.0.1:{self.port}/photo?n={number}", "--cache", cache,
                "--public-base", BASE, "--allow-http", "--allow-address", f"127.0.0.1/32:{self.port}", "--json"]

    def link(self, number, cache):
        """Outcome or code, and the record."""
        done = subprocess.run(self.command(number, cache), capture_output=True, timeout=60)
        try:
            record = json.loads(done.stdout)
            return (record["error"] or {}).get("code") or record["outcome"], record
        except (ValueError, KeyError, TypeError):
            return f"status {done.returncode}: {done.stdout[:200]!r} {done.stderr[-300:]!r}", {}

    def wanted(self, number):
        """Name and bytes of what a local job makes."""
        with tempfile.TemporaryDirectory() as scratch:
            source = os.path.join(scratch, "photo")
            with open(source, "wb") as file:
                file.write(picture(number))
            subprocess.run([self.program, "prepare", source, "--cache-names", "--quiet", "--output", scratch + "/out"],
                           check=True)
            (path,) = files(scratch + "/out")
            return os.path.relpath(path, scratch + "/out"), open(path, "rb").read()

    def fault(self, words):
        self.bad.append(words)
        print("BAD " + words, flush=True)

    def check_media(self, cache, when):
        """Every file below media/ that has not been looked at since it changed."""
        media = os.path.join(cache, "media")
        for path in files(media):
            name, state = os.path.relpath(path, media), os.stat(path)
            key = (state.st_ino, state.st_size, state.st_mtime_ns)
            if self.checked.get(path) == key:
                continue
            data = open(path, "rb").read()
            if not NAME.fullmatch(name):
                self.fault(f"{when}: media/{name} is no name by content, {len(data)} bytes")
            elif data[:2] != b"\xff\xd8" or data[-2:] != b"\xff\xd9":
                self.fault(f"{when}: media/{name} is not whole, {len(data)} bytes")
            elif subprocess.run(["djpeg", "-outfile", "/dev/null", path], capture_output=True).returncode != 0:
                self.fault(f"{when}: djpeg complains of media/{name}")
            self.checked[path] = key

    def check_answer(self, number, cache, when):
        """A run that is left alone, against a local job."""
        word, record = self.link(number, cache)
        name, data = self.wanted(number)
        output = (record.get("outputs") or [{}])[0]
        path = output.get("path") or ""
        if word != "prepared":
            self.fault(f"{when}: {word} instead of a picture")
        elif os.path.realpath(path) != os.path.realpath(os.path.join(cache, "media", name)):
            self.fault(f"{when}: the path is {path}, not media/{name}")
        elif output.get("url") != f"{BASE}/{name}":
            self.fault(f"{when}: the url is {output.get('url')}")
        elif open(path, "rb").read() != data:
            self.fault(f"{when}: media/{name} differs from a local job's")


def files(folder):
    return sorted(os.path.join(path, name) for path, _, names in os.walk(folder) for name in names)


def temporary(cache):
    """What writers leave that were stopped: hidden files and those called so."""
    return [path for path in files(cache) if re.search(r"/\.[^/]*$|\.(tmp|temp|part)$", path)]


def kill_runs(rig, kills, rng):
    cache = os.path.join(rig.folder, "cache")
    times = []
    for number in range(-7, 0):
        start = time.monotonic()
        word, _ = rig.link(number, cache)
        times.append(time.monotonic() - start)
        if word != "prepared":
            sys.exit(f"a run that was left alone says {word}")
    whole = statistics.median(times)
    print(f"a run takes {whole * 1e3:.0f} ms; {kills} are killed within {1.1 * whole * 1e3:.0f} ms", flush=True)
    early = 0
    for number in range(kills):
        # Every fourth link has been asked for before, so that what is there is read and renewed too.
        asked = number if number % 4 else max(0, number - 4)
        process = subprocess.Popen(rig.command(asked, cache), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0, 1.1 * whole))
        process.send_signal(signal.SIGKILL)
        early += process.wait() == -signal.SIGKILL
        rig.check_media(cache, f"kill {number}")
        rig.check_answer(asked, cache, f"after kill {number}")
        rig.check_media(cache, f"after kill {number}")
    print(f"{early} of {kills} were still running; {len(rig.checked)} files in media,"
          f" {len(temporary(cache))} temporary", flush=True)
    done = subprocess.run([rig.program, "cache", "verify", "--cache", cache, "--json"], capture_output=True)
    print("cache verify: " + done.stdout.decode().strip())
    before = files(os.path.join(cache, "media"))
    if done.returncode != 0:
        rig.fault(f"cache verify ends with {done.returncode}: {done.stderr.decode().strip()}")
    if len(before) != len(rig.checked):
        rig.fault(f"cache verify left {len(before)} of {len(rig.checked)} files")


def full_disk(rig):
    """On a tmpfs of 2 MB: pictures until it is full, then with so much free."""
    disk = os.path.join(rig.folder, "disk")
    os.mkdir(disk)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m,nr_inodes=4k", "tmpfs", disk], check=True)
    cache, ballast = os.path.join(disk, "cache"), os.path.join(disk, "ballast")
    rig.check_answer(1000, cache, "an empty disk")
    for step, free in enumerate((0, 4096, 8192, 20_480, 65_536, 131_072, 180_224, 1_000_000)):
        number = 1001 + step
        # Written, not allocated: an allocation that fails takes nothing.
        with open(ballast, "wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)):
                    pass
            except OSError:
                pass
        os.truncate(ballast, max(0, os.path.getsize(ballast) - free))
        before = files(cache)
        word, _ = rig.link(number, cache)
        left = [path for path in files(cache) if path not in before]
        names = ", ".join(os.path.relpath(path, cache) for path in left)
        print(f"{free:8} bytes free: {word}; new: {names or 'nothing'}", flush=True)
        size = len(rig.wanted(number)[1])
        right = ["no-space"] if free < size else ["prepared"] if free > 3 * size else ["no-space", "prepared"]
        if word not in right:
            rig.fault(f"{free} bytes free, {size} wanted: {word}")
        if temporary(cache) or word != "prepared" and any("/media/" in path for path in left):
            rig.fault(f"{free} bytes free: left are {names}, {temporary(cache)}")
        rig.check_media(cache, f"{free} bytes free")
        os.remove(ballast)
        rig.check_answer(number, cache, f"freed again after {free}")
        for path in files(os.path.join(cache, "media")):
            os.remove(path)
    subprocess.run(["umount", disk], check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=8)
    given = parser.parse_args()
    if os.geteuid() == 0 and "CACHEKILL_INSIDE" not in os.environ:
        os.environ["CACHEKILL_INSIDE"] = "1"
        os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(os.path.abspath(given.program), folder)
        kill_runs(rig, given.kills, random.Random(given.seed))
        if os.geteuid() == 0:
            full_disk(rig)
        else:
            print("LEFT OUT: the full disk, as mounting one needs root")
    if rig.bad:
        sys.exit(f"{len(rig.bad)} faults")
    print("nothing half-written, no wrong answer")


main()
