"""A running `attachprep serve`, and what the peers that ask it share."""
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, what, process, seconds=30):
    """Until something listens."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            return
        except OSError:
            time.sleep(0.02)
    sys.exit(f"{what} does not listen")


class Service:
    """`attachprep serve` on a port of its own; what it says goes to a log."""

    def __init__(self, program, folder, *options, port=None):
        self.program, self.options = os.path.abspath(program), options
        self.cache, self.log = os.path.join(folder, "cache"), os.path.join(folder, "log")
        self.port = port or free_port()
        self.start()

    def start(self):
        settings = {key: value for key, value in os.environ.items() if not key.startswith("ATTACHPREP_")}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.program, "serve", "--cache", self.cache, "--listen", f"127.0.0.1:{self.port}", *self.options],
                env=settings, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_for(self.port, "attachprep serve", self.process)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(25)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                print("BAD  the service did not end within 25 s", flush=True)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def peak(self):
        """The most memory that the service itself ever had in use, in bytes."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return 1024 * next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))

    def decoders(self):
        return children(self.process.pid)

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body


def children(pid):
    """Those of every thread of a process."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                found += map(int, file.read().split())
    except OSError:
        pass
    return found


def resident(pid):
    """Bytes of memory that a process has in use now; 0 once it is gone."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def status_of(record, new):
    """What HTTP says of a record."""
    statuses = {
        415: "empty unknown-format unsupported-format unsupported-variant html-document error-document",
        422: "corrupt truncated over-limit over-budget too-many-pixels too-many-scans memory-limit",
        413: "input-too-large", 503: "time-limit cancelled decoder-crashed", 429: "busy",
        404: "not-found", 410: "expired", 403: "auth bad-signature", 502: "http-status network redirect-limit",
        400: "insecure-url blocked-address invalid-url invalid-payload", 500: "io", 507: "no-space",
    }
    if record["error"] is None:
        return 201 if new else 200
    return next(status for status, codes in statuses.items() if record["error"]["code"] in codes.split())


def post(connection, path, body, headers=None):
    """Status, headers and record of an answer, over a connection that stays."""
    connection.request("POST", path, body, headers or {})
    answer = connection.getresponse()
    data = answer.read()
    return answer.status, answer.headers, json.loads(data)
