#!/usr/bin/env python3
"""A service whose decoders are killed every second, and one that is killed itself while hooks fill its queue.

usage: servekill.py ATTACHPREP PHOTOS [--seconds N] [--kills N] [--uploads N] [--seed N] [--only decoders|service]
First N seconds (60) of uploads over four connections, while every second one decoder process gets SIGKILL: each request
must be answered with an attachment or with 503 and `decoder-crashed`, the same upload again must come through, and every
attachment must have the bytes of the command line's. Then a service with a queue gets the messages of N uploads (240) as
tusd sends them: three attempts a second apart, on 5xx and lost connections only, some of them twice. N times (5) the
service gets SIGKILL at a random moment, and is started again. In the end every upload that was acknowledged must have one
record in done/, an attachment of the right bytes, and a callback; nothing must be bad, left behind or still running.
"""
import argparse
import collections
import hashlib
import http.client
import http.server
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

from service import Service, free_port, post, resident

faults = []


def check(what, holds, detail=""):
    print(("good " if holds else "BAD  ") + what + ("" if holds else f": {detail}"), flush=True)
    if not holds:
        faults.append(what)


def commented(data, words):
    """The same picture as another file."""
    return data[:2] + b"\xff\xfe" + (len(words) + 2).to_bytes(2, "big") + words + data[2:]


class Photo:
    """A picture, and the digest of what the command line makes of it, whatever comments are in it."""

    def __init__(self, program, path):
        self.name = os.path.basename(path)
        with open(path, "rb") as file:
            self.data = file.read()
        with tempfile.TemporaryDirectory() as scratch:
            source = os.path.join(scratch, "photo")
            with open(source, "wb") as file:
                file.write(commented(self.data, b"for the command line"))
            subprocess.run([program, "prepare", source, "--quiet", "--output", scratch + "/out.jpg"], check=True)
            self.made = digest(scratch + "/out.jpg")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def jpegs(program, folder):
    photos = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and open(path, "rb").read(3) == b"\xff\xd8\xff":
            photos.append(Photo(program, path))
    return photos


def kill_decoders(given, photos, folder):
    os.makedirs(folder)
    counts, wrong, lock = collections.Counter(), [], threading.Lock()
    with Service(given.program, folder, "--no-sync") as service:
        end = time.monotonic() + given.seconds
        again = collections.Counter()

        def work(number):
            rng = random.Random(given.seed * 100 + number)
            connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
            count = 0
            while time.monotonic() < end:
                photo, count = rng.choice(photos), count + 1
                body = commented(photo.data, b"client %d, upload %d" % (number, count))
                for attempt in range(4):
                    try:
                        status, _, record = post(connection, "/v1/attachments?profile=apns", body)
                    except (OSError, http.client.HTTPException, ValueError) as error:
                        with lock:
                            wrong.append(f"no answer: {error!r}")
                        connection.close()
                        break
                    code = (record["error"] or {}).get("code")
                    with lock:
                        counts[status, code] += 1
                        if status in (200, 201):
                            again[attempt] += 1
                            if digest(record["outputs"][0]["path"]) != photo.made:
                                wrong.append(f"{photo.name}: other bytes than the command line's")
                        elif (status, code) != (503, "decoder-crashed"):
                            wrong.append(f"{photo.name}: {status} {code}")
                    if status != 503:
                        break
                else:
                    with lock:
                        wrong.append(f"{photo.name}: crashed four times")

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        rng, killed = random.Random(given.seed), 0
        while time.monotonic() < end:
            time.sleep(1)
            decoders = service.decoders()
            if decoders:
                os.kill(rng.choice(decoders), signal.SIGKILL)
                killed += 1
        for thread in threads:
            thread.join()
        status, text = service.get("/metrics")
        died = next(line.split()[1] for line in text.decode().splitlines()
                    if line.startswith("attachprep_decoder_crashes_total "))
        print(f"{killed} decoders killed in {given.seconds} s; the service counts {died} that died; answers: "
              + ", ".join(f"{count} x {status}" + (f" {code}" if code else "") for (status, code), count in sorted(
                  counts.items(), key=str)) + f"; made at attempt 1, 2, ...: {[again[key] for key in sorted(again)]}")
        check("every request is answered, and with the right bytes", not wrong, wrong[:5])
        check("the service lives", service.process.poll() is None and service.get("/readyz")[0] == 200)
        check("decoders died", killed >= given.seconds // 2, killed)
        left = leftovers(folder)
        check("nothing temporary is left", not left, left[:5])


def leftovers(folder):
    return [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names
            if name.startswith(".attachprep-")]


class Receiver(http.server.BaseHTTPRequestHandler):
    """What the callback is told: how often for each upload."""

    told = collections.Counter()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.told[body["job"]["id"], body["record"]["outcome"]] += 1
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class Tusd:
    """The HTTP hook of tusd 2: 15 seconds, three attempts a second apart, success only as it defines it."""

    def __init__(self, service, root):
        self.service, self.root = service, root
        self.attempts = collections.Counter()

    def store(self, name, data):
        """As its file store does: the bytes without a suffix, and what is known of them."""
        path = os.path.join(self.root, name)
        with open(path, "wb") as file:
            file.write(data)
        upload = {"ID": name, "Size": len(data), "SizeIsDeferred": False, "Offset": len(data),
                  "MetaData": {"filename": "IMG_1.JPG", "filetype": "image/jpeg"}, "IsPartial": False, "IsFinal": False,
                  "PartialUploads": None, "Storage": {"Type": "filestore", "Path": path, "InfoPath": path + ".info"}}
        with open(path + ".info", "w", encoding="utf8") as file:
            json.dump(upload, file)
        return upload

    def tell(self, upload):
        """Whether the hook was acknowledged."""
        message = json.dumps({"Type": "post-finish", "Event": {"Upload": upload, "HTTPRequest": {
            "Method": "PATCH", "URI": "/files/" + upload["ID"], "RemoteAddr": "192.0.2.7:4711",
            "Header": {"Content-Type": ["application/offset+octet-stream"], "Host": ["tus.example"]}}}})
        end = time.monotonic() + 15
        for attempt in range(3):
            if attempt:
                time.sleep(1)
            word = "lost"
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=end - time.monotonic())
                connection.request("POST", "/hooks/tusd", message, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                body = answer.read()
                connection.close()
                word = answer.status
                if 200 <= answer.status < 300:
                    good = answer.headers["Content-Type"] == "application/json" and json.loads(body) == {}
                    self.attempts["good" if good else "no JSON"] += 1
                    return good
            except (OSError, http.client.HTTPException):
                pass
            self.attempts[word] += 1
            if word != "lost" and word < 500:
                return False
        return False


def orphans(folder):
    """Decoders whose service is gone."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    if folder.encode() in file.read() and int(name) != os.getpid():
                        found.append(int(name))
            except OSError:
                pass
    return found


def watch(pid, lives):
    """How long a process goes on, ten seconds at most."""
    start = time.monotonic()
    while time.monotonic() < start + 10 and resident(pid):
        time.sleep(0.01)
    lives.append(time.monotonic() - start)


def kill_service(given, photos, folder):
    root, queue, key = (os.path.join(folder, name) for name in ("uploads", "queue", "key"))
    os.makedirs(root)
    with open(key, "w", encoding="ascii") as file:
        file.write("k1 " + "QUJD" * 11 + "\n")
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    service = Service(
        given.program, folder, "--queue", queue, "--root", root, "--callback-key-file", key,
        "--callback", f"http://127.0.0.1:{receiver.server_address[1]}/done", port=free_port())
    tusd, rng = Tusd(service, root), random.Random(given.seed)
    todo, told, lock = collections.deque(range(given.uploads)), {}, threading.Lock()
    kinds = {}

    def work(number):
        mine = random.Random(given.seed * 1000 + number)
        while True:
            with lock:
                if not todo:
                    return
                count = todo.popleft()
            name = hashlib.md5(b"%d" % count).hexdigest()
            photo = photos[count % len(photos)]
            upload = tusd.store(name, commented(photo.data, b"upload %d" % count))
            kinds[name] = photo
            if count % 10 == 0:
                # The same hook twice at once.
                twin = threading.Thread(target=tusd.tell, args=(upload,))
                twin.start()
            answer = tusd.tell(upload)
            if count % 10 == 5:
                answer = tusd.tell(upload) or answer
            with lock:
                told[name] = answer
            time.sleep(mine.uniform(0, 2 * given.pause))

    with service:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        start = time.monotonic()
        for thread in threads:
            thread.start()
        whole = given.uploads * given.pause / 4
        lives, watchers = [], []
        for at in sorted(rng.uniform(0.05 * whole, 0.95 * whole) for _ in range(given.kills)):
            time.sleep(max(0, start + at - time.monotonic()))
            service.kill()
            for pid in orphans(folder):
                watchers.append(threading.Thread(target=watch, args=(pid, lives)))
                watchers[-1].start()
            time.sleep(rng.uniform(0, 1.5))
            service.start()
        for thread in threads:
            thread.join()
        sent = time.monotonic() - start
        names = lambda part: [name for name in os.listdir(os.path.join(queue, part)) if name.endswith(".json")]
        end = time.monotonic() + 180
        while time.monotonic() < end and (names("new") or names("run") or names("call")):
            time.sleep(0.2)
        print(f"{given.kills} kills while {len(told)} uploads were told of in {sent:.0f} s; all done "
              f"{time.monotonic() - start - sent:.1f} s after; hook attempts: {dict(tusd.attempts)}")
        for watcher in watchers:
            watcher.join()
        print(f"decoders that outlived their service: {sum(life > 0.1 for life in lives)} of {len(lives)}, "
              f"for {max(lives, default=0):.1f} s at most")
        check("they end within five seconds", max(lives, default=0) < 5, lives)
        done = []
        for name in names("done"):
            with open(os.path.join(queue, "done", name), encoding="utf8") as file:
                done.append(json.load(file))
        ids = collections.Counter(verdict["job"]["id"] for verdict in done)
        acknowledged = {name for name, answer in told.items() if answer}
        print(f"acknowledged: {len(acknowledged)}; in done/: {len(done)}; attempts: "
              f"{dict(collections.Counter(verdict['job']['attempts'] for verdict in done))}; callbacks: "
              f"{sum(Receiver.told.values())} for {len(Receiver.told)} uploads")
        check("every acknowledged upload is done", acknowledged <= set(ids), sorted(acknowledged - set(ids))[:5])
        check("none is done twice", max(ids.values()) == 1, ids.most_common(3))
        check("nothing waits, runs or is bad",
              not names("new") + names("run") + names("bad") + os.listdir(os.path.join(queue, "aside")),
              {part: len(names(part)) for part in ("new", "run", "bad")})
        check("every one has been called back", set(ids) == {name for name, _ in Receiver.told} and not names("call"),
              f"{len(ids)} and {len(Receiver.told)}; {len(names('call'))} wait")
        paths, wrong = set(), []
        for verdict in done:
            (output,) = verdict["record"]["outputs"]
            paths.add(output["path"])
            if not os.path.exists(output["path"]):
                wrong.append(f"{verdict['job']['id']}: no attachment")
            elif digest(output["path"]) != kinds[verdict["job"]["id"]].made:
                wrong.append(f"{verdict['job']['id']}: other bytes than the command line's")
        check("every one has its attachment, with the command line's bytes", not wrong, wrong[:5])
        media = [os.path.join(top, name) for top, _, found in os.walk(os.path.join(service.cache, "media"))
                 for name in found if not name.startswith(".")]
        check("there is one attachment for each, and no other", {os.path.realpath(path) for path in media}
              == {os.path.realpath(path) for path in paths} and len(paths) == len(done), f"{len(media)} and {len(done)}")
        left = leftovers(folder)
        print(f"temporary files just after: {[os.path.relpath(path, folder) for path in left]}")
        if left:
            # Those of killed writers may be somebody's for a minute; then upkeep takes them.
            time.sleep(max(0, 62 - min(time.time() - os.stat(path).st_mtime for path in left)))
            subprocess.run([given.program, "sweep", "--quiet", "--queue", queue, "--root", root, "--cache", service.cache],
                           check=False)
            subprocess.run([given.program, "cache", "trim", "--cache", service.cache], check=False,
                           stdout=subprocess.DEVNULL)
            left = leftovers(folder)
        check("nothing temporary is left", not left, [os.path.relpath(path, folder) for path in left])
        check("the service has no job left to go wrong", service.process.poll() is None)
    time.sleep(0.2)
    check("no process is left", not orphans(folder), orphans(folder))
    receiver.shutdown()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("photos")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--uploads", type=int, default=240)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between two uploads of one of four clients")
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--only", choices=["decoders", "service"])
    given = parser.parse_args()
    photos = jpegs(given.program, given.photos)
    with tempfile.TemporaryDirectory() as folder:
        if given.only != "service":
            kill_decoders(given, photos, os.path.join(folder, "decoders"))
        if given.only != "decoders":
            kill_service(given, photos, os.path.join(folder, "service"))
    if faults:
        sys.exit(f"{len(faults)} faults")
    print("nothing is lost, doubled or left behind")


main()
