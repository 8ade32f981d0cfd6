#!/usr/bin/env python3
"""Payloads a second through `attachprep payload rewrite --lines`, signed lazy links, against scripts that do the same.

usage: payloads.py ATTACHPREP [--count N] [--rounds N] [--check]

One process on one core each, from a file to a file; CPU seconds, the best round of each. The python3 loop does what a
sender's script would: json.loads, an HMAC, json.dumps. `jq -c .` only reads and prints. What comes out of attachprep is
compared with what the loop says: every link the same, everything else byte for byte as it was.
--check: status 1 under 20,000 payloads a second.
"""
import argparse, base64, hashlib, hmac, json, os, shutil, sys, tempfile, time

KEY = bytes(range(32))
BASE = "https://push.example"


def payload(number):
    """One line as a shop's server sends it: Cyrillic both plain and escaped, nested keys, a link without a suffix."""
    link = f"https://files.shop.example/download?id={number}&size=large&sig={hashlib.md5(b'%d' % number).hexdigest()}"
    aps = {"alert": {"title": "Заказ отгружен", "body": f"Заказ № {number} уже в пути, подробности в приложении"},
           "sound": "default", "badge": number % 10, "category": "ORDER_SHIPPED", "thread-id": f"order-{number}"}
    if number % 4:
        aps["mutable-content"] = 1
    rest = {"image_url": link, "event": {"id": f"{number:012d}", "kind": "shipped", "total": 1234.50, "items": [1, 2, 3]}}
    text = json.dumps({"aps": aps, **rest}, ensure_ascii=number % 2 == 0, separators=(",", ":") if number % 3 else None)
    return text.replace("/", "\\/") if number % 5 == 0 else text


def sign(link):
    message = f"ap1\napns\n0\n{link}".encode()
    proof = base64.urlsafe_b64encode(hmac.new(KEY, message, hashlib.sha256).digest()).rstrip(b"=").decode()
    name = base64.urlsafe_b64encode(link.encode()).rstrip(b"=").decode()
    return f"{BASE}/s/k1.0.{proof}/apns/{name}.jpg"


def loop(source, target):
    with open(source) as lines, open(target, "w") as out:
        for line in lines:
            value = json.loads(line)
            value["image_url"] = sign(value["image_url"])
            value["aps"].setdefault("mutable-content", 1)
            out.write(json.dumps(value, ensure_ascii=False) + "\n")


def cpu_of(words, source, target):
    """CPU seconds of a program on one core."""
    with open(source, "rb") as stdin, open(target, "wb") as stdout:
        child = os.fork()
        if child == 0:
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
            os.dup2(stdin.fileno(), 0)
            os.dup2(stdout.fileno(), 1)
            os.execvp(words[0], words)
        _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"{words[0]}: status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def compare(source, made):
    """Everything but the links and what was missing is the line that went in."""
    with open(source) as before, open(made) as after:
        for number, (old, new) in enumerate(zip(before, after, strict=True)):
            link = json.loads(old)["image_url"]
            escaped = "\\/" in old
            def shown(text):
                return text.replace("/", "\\/") if escaped else text
            back = new.replace(shown(sign(link)), shown(link))
            if '"mutable-content"' not in old:
                back = back.replace(', "mutable-content": 1' if '": ' in old else ',"mutable-content":1', "")
            if back != old:
                sys.exit(f"line {number + 1} differs:\n{old}{new}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("attachprep")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, made, keys = (os.path.join(folder, name) for name in ("in", "out", "keys"))
        with open(source, "w") as out:
            for number in range(asked.count):
                out.write(payload(number) + "\n")
        with open(keys, "w") as out:
            out.write(f"k1 {base64.b64encode(KEY).decode()}\n")
        size = os.path.getsize(source)
        print(f"{asked.count} payloads, {size / asked.count:.0f} bytes on average")
        rewrite = [asked.attachprep, "payload", "rewrite", "-", "--lines", "--key-file", keys, "--public-base", BASE]
        best, peak = min(cpu_of(rewrite, source, made) for _ in range(asked.rounds))
        compare(source, made)
        started = time.process_time()
        loop(source, made)
        rows = [("attachprep payload rewrite", best), ("python3 json and hmac", time.process_time() - started)]
        if shutil.which("jq"):
            rows.append(("jq -c .", min(cpu_of(["jq", "-c", "."], source, made) for _ in range(asked.rounds))[0]))
        for name, seconds in rows:
            print(f"{name:28} {asked.count / seconds:9.0f} a second  {seconds / best:5.2f} x the CPU")
        print(f"peak {peak / 1024:.1f} MiB resident; the output is the input but for the links")
        if asked.check and asked.count / best < 20_000:
            sys.exit("under 20,000 payloads a second")


main()
