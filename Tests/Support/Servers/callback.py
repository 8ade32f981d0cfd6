#!/usr/bin/env python3
"""A server that takes callbacks and checks their signatures with Python's own hmac.

usage: callback.py FOLDER SECRET-BASE64 [REFUSALS]
Writes its port to FOLDER/port; refuses the first REFUSALS calls with 500, the next with a redirect to itself if
REFUSALS ends in r, and writes a line of JSON for each call to FOLDER/calls. Ends with its standard input.
"""
import base64
import hashlib
import hmac
import http.server
import json
import os
import re
import sys
import threading
import time

folder, secret = sys.argv[1], base64.b64decode(sys.argv[2])
refusals = sys.argv[3] if len(sys.argv) > 3 else "0"
left, redirects = [int(refusals.rstrip("r"))], ["r" in refusals]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        header = self.headers.get("AttachPrep-Signature", "")
        match = re.fullmatch(r"t=(\d+),k=([\w-]+),v1=([0-9a-f]{64})", header)
        good = False
        if match:
            code = hmac.new(secret, match[1].encode() + b"." + body, hashlib.sha256).hexdigest()
            good = hmac.compare_digest(code, match[3]) and abs(time.time() - int(match[1])) < 300
        status = 204
        if left[0] > 0:
            left[0] -= 1
            status = 500
        elif redirects[0]:
            redirects[0] = False
            status = 302
        verdict = json.loads(body)
        call = {"status": status, "signed": good, "key": match and match[2], "path": self.path, "method": self.command,
                "type": self.headers.get("Content-Type"), "id": verdict["job"]["id"],
                "outcome": verdict["record"]["outcome"]}
        with open(os.path.join(folder, "calls"), "a", encoding="utf8") as file:
            file.write(json.dumps(call) + "\n")
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.end_headers()

    do_GET = do_POST

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(os.path.join(folder, "port.part"), "w", encoding="utf8") as file:
    file.write(str(server.server_address[1]))
os.rename(os.path.join(folder, "port.part"), os.path.join(folder, "port"))
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
