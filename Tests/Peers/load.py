#!/usr/bin/env python3
"""Requests a second of attachprep serve beside nginx's image_filter and thumbor, and what it does under 10 times overload.

usage: load.py ATTACHPREP PHOTOS --thumbor THUMBOR [--rounds N] [--connections N] [--overload SECONDS] [--only PART]
Each JPEG of the folder PHOTOS (by its first bytes) is asked of each service by N clients (4), each of which asks again
once it is answered, over a new connection: one that stays would keep to one of nginx's and thumbor's processes, though
another has nothing to do. attachprep gets the bytes by POST, every one with other words in a comment, so that
none is known before; nginx and thumbor read the same files from a folder and make at most 1038 x 1038 of them at quality
85, without a store. Each has one process at work for each core. Rounds are alternating; speed is the median of the
ratios to attachprep's of the same round. Then each service is given other kinds of files once.
The overload: 200 clients of a service with two jobs and 16 waiting, each of which asks again half a second after a 429.
Only 201 and 429 are right; memory of the service and its decoders is read from /proc and must not grow.
Needs nginx with its image filter module (Debian: libnginx-mod-http-image-filter), and thumbor (PyPI).
"""
import argparse
import glob
import json
import multiprocessing
import os
import random
import select
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from service import Service, free_port, resident, wait_for

EDGE, BUDGET = 1038, 300_000
UPLOAD = "/v1/attachments?profile=apns"
MODULE = "/usr/lib/nginx/modules/ngx_http_image_filter_module.so"
# What comes from phones and the web besides baseline JPEG.
OTHERS = ["Samples/photos/perched-osprey-progressive.jpg", "Samples/photos/otters-turned.jpg",
          "Samples/photos/avatar-round.png", "Tests/Fixtures"]


class Client:
    """One connection that stays as long as the other side lets it."""

    def __init__(self, port):
        self.port, self.socket, self.rest = port, None, b""

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket, self.rest = None, b""

    def ask(self, method, path, body=b""):
        """Status and body of an answer, which may come before all of the request is sent; raises OSError."""
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), 60)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
        if method == "POST":
            head += f"Content-Length: {len(body)}\r\nContent-Type: application/octet-stream\r\n"
        whole = self.send(memoryview(head.encode() + b"\r\n" + body))
        status, data, closes = self.receive()
        if closes or not whole:
            self.close()
        return status, data

    def send(self, data):
        """Whether all of it was sent before an answer came."""
        while data:
            readable, writable, _ = select.select([self.socket], [self.socket], [], 60)
            if readable:
                return False
            if not writable:
                raise OSError("nothing taken for 60 s")
            try:
                data = data[self.socket.send(data[:262_144]):]
            except (BrokenPipeError, ConnectionResetError):
                return False
        return True

    def receive(self):
        while b"\r\n\r\n" not in self.rest:
            self.more()
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        lines = head.decode("latin1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        if "content-length" not in headers:
            raise OSError("an answer without a length: " + lines[0])
        length = int(headers["content-length"])
        while len(self.rest) < length:
            self.more()
        data, self.rest = self.rest[:length], self.rest[length:]
        return int(lines[0].split()[1]), data, headers.get("connection") == "close"

    def more(self):
        piece = self.socket.recv(262_144)
        if not piece:
            raise OSError("closed without an answer")
        self.rest += piece


def commented(data, words):
    """The same picture as another file."""
    return data[:2] + b"\xff\xfe" + (len(words) + 2).to_bytes(2, "big") + words + data[2:]


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class AttachPrep:
    """A service at some effort; a file is a body."""

    def __init__(self, program, folder, effort, cores):
        self.name = f"attachprep {effort}"
        os.makedirs(folder)
        self.service = Service(program, folder, "--effort", effort, "--jobs", str(cores))
        self.port, self.count, self.lock = self.service.port, 0, threading.Lock()

    def ask(self, client, path):
        with open(path, "rb") as file:
            data = file.read()
        if data[:2] == b"\xff\xd8":
            with self.lock:
                self.count += 1
                data = commented(data, b"number %d" % self.count)
        status, text = client.ask("POST", UPLOAD, data)
        record = json.loads(text)
        return status if status in (200, 201) else f"{status} {record['error']['code']}", sum(
            output["bytes"] for output in record["outputs"] if output["path"])

    def close(self):
        self.service.__exit__()


class Getter:
    """A service that reads the file itself."""

    def ask(self, client, path):
        status, data = client.ask("GET", self.address(os.path.basename(path)))
        return status, len(data) if status == 200 else 0

    def close(self):
        self.process.terminate()
        self.process.wait()


class Nginx(Getter):
    name = "nginx image_filter"

    def __init__(self, folder, files, cores):
        self.port = free_port()
        os.makedirs(folder)
        settings = os.path.join(folder, "nginx.conf")
        user = "user root;" if os.geteuid() == 0 else ""
        with open(settings, "w", encoding="utf8") as file:
            file.write(f"""
                load_module {MODULE};
                {user}
                worker_processes {cores}; daemon off; pid {folder}/pid; error_log {folder}/error.log;
                events {{ worker_connections 256; }}
                http {{
                    access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
                    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
                    server {{
                        listen 127.0.0.1:{self.port}; root {files};
                        types {{ image/jpeg jpg; image/png png; image/webp webp; image/gif gif; }}
                        location / {{
                            image_filter resize {EDGE} {EDGE};
                            image_filter_jpeg_quality 85; image_filter_buffer 64M;
                        }}
                    }}
                }}
            """)
        self.process = subprocess.Popen(["nginx", "-c", settings, "-p", folder], stderr=subprocess.DEVNULL)
        wait_for(self.port, "nginx", self.process)

    def address(self, name):
        return "/" + name


class Thumbor(Getter):
    name = "thumbor"

    def __init__(self, program, folder, files, cores):
        self.port = free_port()
        os.makedirs(folder)
        settings = os.path.join(folder, "thumbor.conf")
        with open(settings, "w", encoding="utf8") as file:
            file.write(f"LOADER = 'thumbor.loaders.file_loader'\nFILE_LOADER_ROOT_PATH = '{files}'\n"
                       "STORAGE = 'thumbor.storages.no_storage'\nRESULT_STORAGE = None\nALLOW_UNSAFE_URL = True\n"
                       "QUALITY = 85\nRESPECT_ORIENTATION = True\n")
        with open(os.path.join(folder, "log"), "wb") as log:
            self.process = subprocess.Popen(
                [program, "-c", settings, "-i", "127.0.0.1", "-p", str(self.port), "-l", "error", "--processes", str(cores)],
                stdout=log, stderr=log, start_new_session=True)
        wait_for(self.port, "thumbor", self.process)
        time.sleep(1)

    def close(self):
        # Its processes do not end with the one that made them.
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def address(self, name):
        return f"/unsafe/fit-in/{EDGE}x{EDGE}/filters:format(jpeg)/{name}"


def round_of(service, paths, connections):
    """Requests a second, and for each request its seconds, status and bytes."""
    todo, lock, rows = list(paths), threading.Lock(), []

    def work():
        client = Client(service.port)
        while True:
            with lock:
                if not todo:
                    break
                path = todo.pop()
            start = time.monotonic()
            try:
                status, size = service.ask(client, path)
            except OSError as error:
                status, size = f"no answer ({error})", 0
            client.close()
            rows.append((time.monotonic() - start, status, size))

    threads = [threading.Thread(target=work) for _ in range(connections)]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(rows) / (time.monotonic() - start), rows


def compare(given, photos, folder):
    files = os.path.join(folder, "files")
    os.makedirs(files)
    os.chmod(folder, 0o755)
    shown = []
    for path in photos:
        # With a suffix, which nginx needs to know what it is.
        name = os.path.basename(path) + ("" if path.endswith(".jpg") else ".jpg")
        with open(path, "rb") as source, open(os.path.join(files, name), "wb") as copy:
            copy.write(source.read())
        shown.append(os.path.join(files, name))
    others = []
    for path in OTHERS:
        for other in sorted(glob.glob(path + "/heif/*.*")) if os.path.isdir(path) else [path]:
            if os.path.splitext(other)[1] in (".heic", ".avif", ".jpg", ".png"):
                copy = os.path.join(files, "other-" + os.path.basename(other))
                with open(other, "rb") as source, open(copy, "wb") as target:
                    target.write(source.read())
                others.append(copy)
    services = [AttachPrep(given.program, os.path.join(folder, "default"), "default", given.cores),
                AttachPrep(given.program, os.path.join(folder, "fast"), "fast", given.cores),
                Nginx(os.path.join(folder, "nginx"), files, given.cores)]
    if given.thumbor:
        services.append(Thumbor(given.thumbor, os.path.join(folder, "thumbor"), files, given.cores))
    speeds, rows = {}, {}
    try:
        for service in services:
            round_of(service, shown[:4], given.connections)
        rng = random.Random(9)
        for number in range(given.rounds):
            paths = shown * given.passes
            rng.shuffle(paths)
            for service in services[number % len(services):] + services[:number % len(services)]:
                speed, asked = round_of(service, paths, given.connections)
                speeds.setdefault(service.name, []).append(speed)
                rows.setdefault(service.name, []).extend(asked)
        print(f"{len(shown)} photographs, {sum(map(os.path.getsize, shown)) / len(shown) / 1e6:.2f} MB each on average; "
              f"{given.rounds} rounds of {len(shown) * given.passes}, {given.connections} clients, {given.cores} cores; "
              f"load {os.getloadavg()[0]:.1f}")
        print("                     requests/s  ratio (range)        p50      p99   bytes, mean   over budget  not 200/201")
        first = speeds[services[0].name]
        for service in services:
            ratios = [mine / its for mine, its in zip(speeds[service.name], first)]
            asked = rows[service.name]
            good = [size for _, status, size in asked if status in (200, 201)]
            times = [seconds for seconds, _, _ in asked]
            print(f"{service.name:20} {statistics.median(speeds[service.name]):10.1f}  {statistics.median(ratios):5.2f} "
                  f"({min(ratios):.2f}-{max(ratios):.2f})  {statistics.median(times) * 1e3:6.0f} ms "
                  f"{percentile(times, 0.99) * 1e3:6.0f} ms {statistics.mean(good or [0]):10.0f} "
                  f"{sum(size > BUDGET for size in good):10} {len(asked) - len(good):10}")
        print("other files, once each:")
        for path in others:
            words = []
            for service in services:
                client = Client(service.port)
                try:
                    status, size = service.ask(client, path)
                except OSError as error:
                    status, size = f"no answer: {error}", 0
                client.close()
                words.append(f"{service.name}: {status}" + (f", {size} bytes" if size else ""))
            print(f"  {os.path.basename(path)[6:]}: " + "; ".join(words[:1] + words[2:]))
    finally:
        for service in services:
            service.close()
    wrong = [status for name in speeds if name.startswith("attachprep") for _, status, _ in rows[name] if status != 201]
    return [f"attachprep: {wrong[0]} ({len(wrong)} times)"] if wrong else []


def crowd(port, photos, clients, seconds, first, told):
    """A process with many clients; tells statuses and times."""
    data = []
    for path in photos:
        with open(path, "rb") as file:
            data.append(file.read())
    rows, end = [], time.monotonic() + seconds

    def work(number):
        client, rng = Client(port), random.Random(first + number)
        time.sleep(rng.uniform(0, 0.5))
        count = 0
        while time.monotonic() < end:
            count += 1
            body = commented(rng.choice(data), b"client %d, %d" % (first + number, count))
            start = time.monotonic()
            try:
                status, _ = client.ask("POST", UPLOAD, body)
            except OSError as error:
                status = f"no answer ({error})"
                client.close()
            rows.append((status, time.monotonic() - start))
            if status != 201:
                time.sleep(rng.uniform(0.4, 0.6))
        client.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told.put(rows)


def overload(given, photos, folder):
    os.makedirs(folder)
    bad = []
    with Service(given.program, folder, "--jobs", "2", "--max-waiting", "16", "--no-sync") as service:
        alone, _ = round_of(
            type("Plain", (), {"port": service.port, "ask": lambda self, client, path: (
                client.ask("POST", UPLOAD, open(path, "rb").read())[0], 0)})(), photos, 2)
        told = multiprocessing.Queue()
        shares = [given.clients // 4] * 4
        processes = [multiprocessing.Process(
            target=crowd, args=(service.port, photos, share, given.overload, 1000 * index, told))
            for index, share in enumerate(shares)]
        start = time.monotonic()
        for process in processes:
            process.start()
        samples = []
        while time.monotonic() - start < given.overload:
            decoders = service.decoders()
            samples.append((time.monotonic() - start, resident(service.process.pid), sum(map(resident, decoders)),
                            len(decoders)))
            time.sleep(0.1)
        rows = [row for _ in processes for row in told.get()]
        for process in processes:
            process.join()
        peak = service.peak()
        after = service.get("/healthz")[0], service.get("/readyz")[0]
        time.sleep(1)
        rest = resident(service.process.pid)
    counts = {}
    for status, _ in rows:
        counts[status] = counts.get(status, 0) + 1
    late = [seconds for status, seconds in rows if status == 429] or [0]
    made = [seconds for status, seconds in rows if status == 201] or [0]
    print(f"overload: {sum(shares)} clients for {given.overload} s, {len(rows) / given.overload:.0f} requests/s where alone "
          f"it does {alone:.0f}: " + ", ".join(f"{count} x {status}" for status, count in sorted(counts.items(), key=str)))
    print(f"429: p50 {statistics.median(late) * 1e3:.0f} ms, p99 {percentile(late, 0.99) * 1e3:.0f} ms; 201: "
          f"p50 {statistics.median(made) * 1e3:.0f} ms, p99 {percentile(made, 0.99) * 1e3:.0f} ms, "
          f"{len(made) / given.overload:.1f}/s")
    third = given.overload / 3
    early = [a + b for at, a, b, _ in samples if at < third]
    last = [a + b for at, a, b, _ in samples if at >= 2 * third]
    print(f"memory of the service and its decoders (at most {max(row[3] for row in samples)}): first third median "
          f"{statistics.median(early) / 1e6:.1f} MB, most {max(early) / 1e6:.1f}; last third "
          f"{statistics.median(last) / 1e6:.1f} MB, most {max(last) / 1e6:.1f}")
    alone = [statistics.median(row[1] for row in samples if third * part <= row[0] < third * (part + 1)) / 1e6
             for part in range(3)]
    print(f"the service itself, medians of the thirds: {', '.join(f'{value:.1f}' for value in alone)} MB, most "
          f"{peak / 1e6:.1f}, a second after it {rest / 1e6:.1f}; healthz, readyz: {after[0]}, {after[1]}")
    if set(counts) - {201, 429}:
        bad.append(f"answers other than 201 and 429: {sorted(map(str, set(counts) - {201, 429}))}")
    if len(counts) < 2:
        bad.append("that was no overload")
    if max(last) > 1.05 * max(early) + 2e6:
        bad.append("memory grows")
    if after != (200, 200):
        bad.append(f"healthz and readyz say {after}")
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("photos")
    parser.add_argument("--thumbor")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--connections", type=int, default=4, metavar="CLIENTS")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--overload", type=int, default=60, metavar="SECONDS")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--only", choices=["compare", "overload"])
    given = parser.parse_args()
    photos = []
    for path in sorted(glob.glob(os.path.join(glob.escape(given.photos), "*"))):
        with open(path, "rb") as file:
            if file.read(3) == b"\xff\xd8\xff":
                photos.append(path)
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        if given.only != "overload":
            bad += compare(given, photos, os.path.join(folder, "compare"))
        if given.only != "compare":
            bad += overload(given, photos, os.path.join(folder, "overload"))
    if bad:
        sys.exit("\n".join(bad))


main()
