#!/usr/bin/env python3
"""Every file of a folder of cases uploaded over HTTP, judged by the folder's check.py and compared with the command line.

usage: uploads.py ATTACHPREP FOLDER [ARGUMENT-OF-CHECK.PY...]
FOLDER/check.py is given a program that looks like attachprep: `prepare FILE --output DIR --json` uploads the file to one
running `attachprep serve` and gives its record. So what holds of the program must hold of the service. Each file goes as
the body itself, every third of them in chunks, and every tenth in a form. Its status must be that of the record's code
(201 for an attachment nobody had before, 200 else), and what it says and makes that of `prepare --cache-names`.
An upload has no name unless it comes in a form: where the two differ, the file is sent again in one. What check.py finds
wrong with the command line too is the table's affair, or the program's; it is printed, and no fault here.
"""
import ast
import fcntl
import hashlib
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

from service import Service, status_of

SERVICE, LOG = "UPLOADS_SERVICE", "UPLOADS_LOG"
BOUNDARY = "part-8c1f6e0d5b"


def upload(port, data, kind, name=b""):
    """Status and record of an answer."""
    headers, body, chunked = {"Content-Type": "application/octet-stream"}, data, False
    if kind == "form":
        headers = {"Content-Type": "multipart/form-data; boundary=" + BOUNDARY}
        escaped = name.replace(b"\\", b"\\\\").replace(b'"', b"%22").replace(b"\r", b"%0D").replace(b"\n", b"%0A")
        body = (b"--" + BOUNDARY.encode() + b"\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nwords\r\n--"
                + BOUNDARY.encode() + b"\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + escaped
                + b"\"\r\n\r\n" + data + b"\r\n--" + BOUNDARY.encode() + b"--\r\n")
    elif kind == "chunks":
        # Of odd lengths, so that no piece ends where a structure does.
        body = (data[at:at + 9973] for at in range(0, len(data), 9973))
        headers["Transfer-Encoding"] = "chunked"
        chunked = True
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/v1/attachments?profile=apns", body, headers, encode_chunked=chunked)
    answer = connection.getresponse()
    record = json.loads(answer.read())
    if answer.headers["Content-Type"] != "application/json":
        raise ValueError(f"{answer.status} as {answer.headers['Content-Type']}")
    connection.close()
    return answer.status, record


def local(program, path, folder):
    """The record of a job on the command line, whose output lies in the folder."""
    done = subprocess.run([program, "prepare", path, "--json", "--cache-names", "--output", folder], capture_output=True)
    return json.loads(done.stdout)


def told(record, is_named):
    """What must be the same: outcome, code, what is known of the source, warnings, and name and bytes of what was made."""
    source, warnings = dict(record["source"] or {}), set(record["warnings"])
    if record["error"]:
        # Of what is refused as it comes only so much has come.
        source.pop("bytes", None)
    if not is_named:
        source.pop("claimedExtension", None)
        source.pop("typeMismatch", None)
        warnings.discard("mismatched-extension")
    outputs = [output for output in record["outputs"] if output["path"]]
    made = []
    for output in outputs:
        with open(output["path"], "rb") as file:
            made.append("/".join(output["path"].split("/")[-2:]) + " " + hashlib.sha256(file.read()).hexdigest()[:16])
    return (record["outcome"], (record["error"] or {}).get("code"), str(sorted(source.items())), str(sorted(warnings)),
            *made)


def adapter(words):
    """`prepare FILE --output DIR --json`, over HTTP."""
    program, port = os.environ[SERVICE].rsplit("@", 1)
    path, out = words[0], words[words.index("--output") + 1]
    with open(path, "rb") as file:
        data = file.read()
    number = zlib.crc32(os.path.basename(path).encode(errors="surrogateescape"))
    kind = "form" if number % 10 == 0 else "chunks" if number % 3 == 0 else "body"
    name = os.path.basename(path).encode(errors="surrogateescape")
    status, record = upload(int(port), data, kind, name)
    notes = []
    if status not in (status_of(record, True), status_of(record, False)):
        notes.append(f"BAD {path}: {kind}: status {status} with {(record['error'] or {}).get('code')}")
    with tempfile.TemporaryDirectory() as scratch:
        here = local(program, path, scratch)
        wanted, wanted_named = told(here, False), told(here, True)
    got = told(record, kind == "form")
    if kind == "form":
        wanted = wanted_named
    elif got != wanted:
        second, named = upload(int(port), data, "form", name)
        if told(named, True) == wanted_named:
            notes.append(f"NAME {path}: {kind}: {status} {got} for {wanted}; with its name the same")
            status, record, got, wanted = second, named, wanted_named, wanted_named
    if got != wanted:
        notes.append(f"BAD {path}: {kind}: {status} {got} for {wanted}")
    notes.append(f"{kind} {status} {(record['error'] or {}).get('code') or record['outcome']}")
    with open(os.environ[LOG], "a", encoding="utf8", errors="backslashreplace") as log:
        fcntl.flock(log, fcntl.LOCK_EX)
        log.write("\n".join(notes) + "\n")
    # As a client on the same machine: the attachment goes from the cache to where it is wanted.
    for output in record["outputs"]:
        if output["path"]:
            shutil.copy(output["path"], out)
            output["path"] = os.path.join(out, os.path.basename(output["path"]))
    print(json.dumps(record))
    sys.exit(0 if record["error"] is None else 1)


def judge(program, folder, words, **settings):
    """The lines of check.py; the last says how many cases hold."""
    done = subprocess.run([sys.executable, os.path.join(folder, "check.py"), program, *words], stdout=subprocess.PIPE,
                          env={**os.environ, **settings})
    lines = done.stdout.decode(errors="backslashreplace").splitlines()
    print("\n".join(lines), flush=True)
    if not lines or done.returncode > 1 or "cases hold" not in lines[-1]:
        sys.exit("check.py did not come to an end")
    return lines[:-1]


def main(program, folder, *words):
    with tempfile.TemporaryDirectory() as scratch, Service(program, scratch, "--no-sync") as service:
        stand_in, log = os.path.join(scratch, "attachprep"), os.path.join(scratch, "notes")
        with open(stand_in, "w", encoding="utf8") as file:
            file.write(f"#!/bin/sh\nexec '{sys.executable}' '{os.path.abspath(__file__)}' \"$@\"\n")
        os.chmod(stand_in, 0o755)
        open(log, "w", encoding="utf8").close()
        found = judge(stand_in, folder, words, **{SERVICE: f"{os.path.abspath(program)}@{service.port}", LOG: log})
        with open(log, encoding="utf8") as file:
            notes = file.read().splitlines()
        figures = dict(line.rsplit(" ", 1) for line in service.get("/metrics")[1].decode().splitlines()
                       if not line.startswith("#"))
        made = sum(len(names) for _, _, names in os.walk(os.path.join(service.cache, "media")))
        peak = service.peak()
    # A path as check.py shows it: in quotes, and escaped.
    paths = [ast.literal_eval(re.match(r"('[^']*'|\"[^\"]*\"): ", line)[1]) for line in found]
    if paths:
        print("the same by the command line:")
        only = [word for path in paths for word in ("--only", path)]
        there = judge(program, folder, only + (["--safety"] if "--safety" in words else []))
        found = [line for line in found if line not in there]
    bad = [note for note in notes if note.startswith("BAD ")]
    counts = {}
    for note in notes:
        if note.startswith(("BAD ", "NAME ")):
            print(note)
            continue
        kind, status, _ = note.split()
        counts[kind, status] = counts.get((kind, status), 0) + 1
    for (kind, status), count in sorted(counts.items()):
        print(f"{count:5} {kind:6} {status}")
    crashes = figures["attachprep_decoder_crashes_total"]
    created = int(figures['attachprep_requests_total{route="attachments",status="201"}'])
    print(f"{sum(counts.values())} uploads, {len(bad)} unlike the command line; decoders that died: {crashes}; "
          f"{created} answers of 201 for {made} attachments; the service itself took {peak / 1e6:.1f} MB at most")
    if found or bad or not counts or crashes != "0" or created != made:
        sys.exit(1)


if sys.argv[1:2] == ["prepare"]:
    adapter(sys.argv[2:])
else:
    main(*sys.argv[1:])
