#!/usr/bin/env python3
"""How much of a link's job is done while it arrives: CPU and time after its last bytes.

usage: overlap.py ATTACHPREP FOLDER [--pairs N] [--seconds S] [--check]
A local server sends a baseline JPEG and a PNG of 12 megapixels over S seconds (4), the last 16 KiB at once. The CPU
that the process has used when those are sent is taken from its CPU clock, the rest from its end; the same file as a
local job, in turns with it, is what the rest is compared with. --check fails over 25 % of the local job's CPU, and
over 30 ms from the last byte to the record. Test files are kept in FOLDER. Needs libjpeg-turbo-progs and vips.
"""
import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

PHOTO = "Samples/photos/kitten-on-lawn.jpg"
WIDTH, HEIGHT = 4000, 3000
PIECE = 16384
CPU_LIMIT, TIME_LIMIT = 0.25, 0.030


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def pictures(folder):
    """A 12-megapixel tiling of a sample, as baseline JPEG and as PNG; made once."""
    os.makedirs(folder, exist_ok=True)
    jpeg, png = os.path.join(folder, "12.jpg"), os.path.join(folder, "12.png")
    if not os.path.exists(jpeg) or not os.path.exists(png):
        data = run("djpeg", "-pnm", PHOTO)
        width, height = map(int, data.split(None, 3)[1:3])
        pixels, row = data[-3 * width * height:], 3 * width
        rows = [(pixels[y * row:][:row] * (WIDTH // width + 1))[:3 * WIDTH] for y in range(height)]
        with tempfile.TemporaryDirectory() as scratch:
            ppm = os.path.join(scratch, "12.ppm")
            with open(ppm, "wb") as file:
                file.write(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT))
                file.writelines(rows[y % height] for y in range(HEIGHT))
            run("cjpeg", "-quality", "92", "-sample", "2x2", "-outfile", jpeg, ppm)
            run("vips", "copy", ppm, png + "[compression=6]")
    return {"JPEG": jpeg, "PNG": png}


def clock_of(process):
    """The CPU clock of another process, by the number Linux gives it; threads that have ended are in it."""
    return (~process << 3) | 2


class Server:
    """Sends one file, evenly over some seconds, to one client; takes the client's CPU clock before the last piece."""

    def __init__(self, data, seconds):
        self.data, self.seconds = data, seconds
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.process = None
        self.before = self.last = None
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        self.listener.settimeout(10)
        connection, _ = self.listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        request = b""
        while b"\r\n\r\n" not in request:
            request += connection.recv(4096)
        connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(self.data))
        pieces = [self.data[at:at + PIECE] for at in range(0, len(self.data), PIECE)]
        start = time.monotonic()
        for index, piece in enumerate(pieces):
            time.sleep(max(0, start + self.seconds * index / len(pieces) - time.monotonic()))
            if index == len(pieces) - 1:
                # What came before is not what is asked about: it may be finished in peace.
                time.sleep(0.1)
                self.before = time.clock_gettime(clock_of(self.process))
            connection.sendall(piece)
        self.last = time.monotonic()
        connection.close()
        self.listener.close()


def finish(process):
    """The CPU of a whole process, and when it ended; its output must be one record of success."""
    record = process.stdout.readline()
    said = time.monotonic()
    process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    ended = time.monotonic()
    if process.returncode != 0 or json.loads(record or "{}").get("outcome") != "prepared":
        sys.exit(f"status {process.returncode}: {record.decode(errors='replace')[:400]}")
    return usage.ru_utime + usage.ru_stime, said, ended


def local(program, path, out):
    process = subprocess.Popen([program, "prepare", path, "--cache-names", "--output", out, "--json"],
                               stdout=subprocess.PIPE)
    return finish(process)[0]


def linked(program, path, out, seconds):
    server = Server(open(path, "rb").read(), seconds)
    link = f"http://127.0.0.1:{server.port}/photo"
    process = subprocess.Popen(
        [program, "prepare", link, "--allow-http", "--allow-address", f"127.0.0.1/32:{server.port}", "--timeout", "60",
         "--output", out, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    server.process = process.pid
    cpu, said, ended = finish(process)
    server.thread.join()
    return cpu, cpu - server.before, said - server.last, ended - server.last


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    bad = []
    print(f"medians of {given.pairs} pairs; load {os.getloadavg()[0]:.1f}")
    print("         MB  local CPU  link CPU  after last  share   record     exit")
    for name, path in pictures(given.folder).items():
        rows = []
        with tempfile.TemporaryDirectory() as out:
            for _ in range(given.pairs):
                rows.append((local(given.program, path, out), *linked(given.program, path, out, given.seconds)))
        alone, cpu, after, said, ended = (statistics.median(column) for column in zip(*rows))
        print(f"{name:5} {os.path.getsize(path) / 1e6:5.1f} {alone * 1e3:7.0f} ms {cpu * 1e3:6.0f} ms "
              f"{after * 1e3:8.1f} ms {after / alone:6.1%} {said * 1e3:5.0f} ms {ended * 1e3:5.0f} ms")
        if after / alone > CPU_LIMIT:
            bad.append(f"{name}: {after / alone:.1%} of the CPU after the last byte, at most {CPU_LIMIT:.0%}")
        if ended > TIME_LIMIT:
            bad.append(f"{name}: {ended * 1e3:.0f} ms after the last byte, at most {TIME_LIMIT * 1e3:.0f}")
    print("\n".join(bad) or "within both limits")
    if bad and given.check:
        sys.exit(1)


main()
