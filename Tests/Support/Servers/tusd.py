#!/usr/bin/env python3
"""Runs a file hook as tusd does, and says what tusd would make of it.

usage: tusd.py HOOKS-DIR HOOK-NAME < REQUEST.json
The rules are those of tusd's pkg/hooks/file: the program HOOKS-DIR/HOOK-NAME, if there is one, is run in HOOKS-DIR
without arguments, with the environment and TUS_ID, TUS_SIZE and TUS_OFFSET, the request on its standard input. Its
standard error goes on. A status other than 0 is an error, and so is anything on standard output that is no JSON.
Prints {"ran", "status", "response", "error"}.
"""
import json
import os
import subprocess
import sys


def main(folder, name):
    request = sys.stdin.buffer.read()
    path = os.path.join(os.path.abspath(folder), name)
    said = {"ran": False, "status": None, "response": None, "error": None}
    if os.path.exists(path):
        try:
            upload = json.loads(request)
            upload = upload.get("Event", upload)["Upload"]
            facts = [str(upload.get(key, "")) for key in ("ID", "Size", "Offset")]
        except (ValueError, KeyError, AttributeError, TypeError):
            facts = ["", "0", "0"]
        given = dict(os.environ, TUS_ID=facts[0], TUS_SIZE=facts[1], TUS_OFFSET=facts[2])
        done = subprocess.run([path], input=request, stdout=subprocess.PIPE, cwd=os.path.abspath(folder), env=given)
        said.update(ran=True, status=done.returncode)
        if done.returncode != 0:
            said["error"] = f"unexpected return code {done.returncode} from hook endpoint"
        elif done.stdout:
            try:
                said["response"] = json.loads(done.stdout)
            except ValueError:
                said["error"] = f"failed to parse hook response: {done.stdout[:200]!r}"
    print(json.dumps(said))


main(*sys.argv[1:])
