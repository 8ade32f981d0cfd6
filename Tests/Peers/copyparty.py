#!/usr/bin/env python3
"""A real copyparty that runs attachprep after each upload: uploads over HTTP, and the attachment appears.

usage: copyparty.py ATTACHPREP
Starts `python -m copyparty` (of the python that runs this) on a free port of 127.0.0.1 with each form of --xau that
README.md shows, uploads photographs with curl by PUT and as a form, and looks at what lies in the output folder with
djpeg. A text that calls itself a picture must be kept by copyparty without the flag c, and be refused with it. Needs
curl and libjpeg-turbo-progs.
"""
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

PHOTO = os.path.abspath("Samples/photos/forget-me-nots.jpg")
OTHER = os.path.abspath("Samples/photos/coffee-cup.jpg")
faults = []


def check(what, holds, detail=""):
    print(("good " if holds else "BAD  ") + what + ("" if holds else f": {detail}"), flush=True)
    if not holds:
        faults.append(what)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Party:
    """A server with one volume; what the hook says goes to its log."""

    def __init__(self, top, hook, **settings):
        self.folder, self.out = os.path.join(top, "files"), os.path.join(top, "out")
        os.makedirs(self.folder)
        self.port = free_port()
        given = {key: value for key, value in os.environ.items() if not key.startswith("ATTACHPREP_")}
        given.update(HOME=top, XDG_CONFIG_HOME=top, ATTACHPREP_ROOT=self.folder, ATTACHPREP_OUTPUT=self.out, **settings)
        self.log = open(os.path.join(top, "log"), "wb")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "copyparty", "-i", "127.0.0.1", "-p", str(self.port), "-e2d", "-q",
             "-v", self.folder + "::rw", "--xau", hook],
            env=given, stdout=self.log, stderr=self.log)
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.2).close()
                return
            except OSError:
                time.sleep(0.1)
        sys.exit("copyparty does not listen: " + open(self.log.name, encoding="utf8").read()[-2000:])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.log.close()

    def curl(self, *words):
        """The status of the answer."""
        done = subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", *words], capture_output=True)
        return int(done.stdout or 0)

    def put(self, path, name):
        return self.curl("-T", path, f"http://127.0.0.1:{self.port}/{name}")

    def form(self, path, folder=""):
        return self.curl("-F", "act=bput", "-F", f"f=@{path}", f"http://127.0.0.1:{self.port}/{folder}")

    def made(self, name, wait=20.0):
        """The pixels of an output, once it is there."""
        path = os.path.join(self.out, name)
        end = time.monotonic() + wait
        while time.monotonic() < end and not os.path.exists(path):
            time.sleep(0.05)
        done = subprocess.run(["djpeg", "-pnm", path], capture_output=True)
        size = re.match(rb"P6\s+(\d+)\s+(\d+)\s", done.stdout)
        return size and (int(size[1]), int(size[2]))


def main(program):
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory() as top:
        for number, (words, hook) in enumerate(
                (("a path", f"{program},hook"), ("JSON", f"j,{program},hook"), ("JSON, in the background", f"f,j,{program},hook"))):
            with Party(os.path.join(top, str(number)), hook) as party:
                check(f"{words}: a PUT is taken", party.put(PHOTO, "a.jpg") == 201, "another status")
                check(f"{words}: its attachment is there", party.made("a.jpg.jpg") == (1038, 692), party.made("a.jpg.jpg", 0))
                os.mkdir(os.path.join(party.folder, "sub"))
                check(f"{words}: a form is taken", party.form(OTHER, "sub/") in (200, 201), "another status")
                check(f"{words}: its attachment is in the same folder", party.made("sub/coffee-cup.jpg.jpg"), "nothing")
                text = os.path.join(top, "text.jpg")
                open(text, "w", encoding="utf8").write("only words\n")
                check(f"{words}: a bad picture is taken", party.put(text, "text.jpg") == 201, "another status")
                check(f"{words}: copyparty keeps it", os.path.exists(os.path.join(party.folder, "text.jpg")))
                check(f"{words}: it makes no attachment", party.made("text.jpg.jpg", 1) is None)
        with Party(os.path.join(top, "checked"), f"c,{program},hook") as party:
            check("with c: a picture is taken", party.put(PHOTO, "a.jpg") == 201, "another status")
            check("with c: its attachment is there at once", party.made("a.jpg.jpg", 0) == (1038, 692))
            check("with c: a bad picture is refused", party.put(text, "text.jpg") == 403, "another status")
            check("with c: it is gone", not os.path.exists(os.path.join(party.folder, "text.jpg")))
        queue = os.path.join(top, "queue")
        with Party(os.path.join(top, "queued"), f"j,{program},hook", ATTACHPREP_QUEUE=queue) as party:
            check("queued: a PUT is taken", party.put(PHOTO, "a.jpg") == 201, "another status")
            check("queued: it waits", len(os.listdir(os.path.join(queue, "new"))) == 1)
            done = subprocess.run([program, "sweep", "--quiet", "--queue", queue, "--root", party.folder, "--output", party.out],
                                  capture_output=True)
            check("queued: sweep does it", done.returncode == 0 and party.made("a.jpg.jpg", 0) == (1038, 692), done.stderr)
    if faults:
        sys.exit(f"{len(faults)} faults")
    print("every upload has its attachment")


main(*sys.argv[1:])
