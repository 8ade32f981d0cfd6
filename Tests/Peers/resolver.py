#!/usr/bin/env python3
"""Links whose names resolve to private addresses, to several, or to others the second time.

usage: resolver.py ATTACHPREP
Runs in a network and mount namespace of its own (so it needs root), where the loopback interface has public and
private addresses with web servers on them, and a DNS server of this file's answers for them. Each case must end as
named, and no private address may see a connection that was not allowed. Needs iproute2, util-linux and openssl.
"""
import collections
import http.server
import json
import os
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading

PUBLIC, OTHER, PUBLIC6 = "93.184.216.34", "8.8.4.4", "2606:2800:220:1:248:1893:25c8:1946"
PRIVATE = ["10.1.2.3", "192.168.7.7", "172.16.0.9", "169.254.169.254", "100.64.0.1", "127.0.0.1"]
PRIVATE6 = ["fd00::1", "64:ff9b::a01:203", "2002:a01:203::1", "::1"]
PHOTO = "Samples/photos/coffee-cup.jpg"
A, CNAME, AAAA = 1, 5, 28


class Zone:
    """What names resolve to; the n-th question for an address of a name may have another answer."""

    def __init__(self):
        self.asked = collections.Counter()
        self.plain = {
            "public": [PUBLIC], "public6": [PUBLIC6], "both-public": [PUBLIC, PUBLIC6],
            "ten": ["10.1.2.3"], "hundred-ninety-two": ["192.168.7.7"], "seventeen": ["172.16.0.9"],
            "metadata": ["169.254.169.254"], "carrier": ["100.64.0.1"], "loopback": ["127.0.0.1"], "zero": ["0.0.0.0"],
            "six-loopback": ["::1"], "six-zero": ["::"], "six-private": ["fd00::1"], "six-mapped": ["::ffff:10.1.2.3"],
            "six-nat": ["64:ff9b::a01:203"], "six-to-four": ["2002:a01:203::1"], "six-compatible": ["::10.1.2.3"],
            "mixed": [PUBLIC, "10.1.2.3"], "mixed-back": ["10.1.2.3", PUBLIC], "mixed-six": [PUBLIC, "fd00::1"],
            "all-private": ["10.1.2.3", "192.168.7.7", "fd00::1"],
            "xn--bcher-kva": [PUBLIC],
        }
        self.rebinding = {name: [[PUBLIC], ["10.1.2.3"]] for name in ("turn", "turn-hop", "turn-one", "turn-tls")}
        self.rebinding["turn-back"] = [["10.1.2.3"], [PUBLIC]]
        self.aliases = {"alias": "ten.test", "alias-public": "public.test"}

    def answer(self, name, kind):
        """Records of (kind, value), or None for a name that does not exist."""
        label = name.removesuffix(".test")
        if label in self.aliases:
            target = self.aliases[label]
            return [(CNAME, target)] + [(kind, value, target) for _, value in self.answer(target, kind) or []]
        if label in self.rebinding:
            steps = self.rebinding[label]
            turn = self.asked[name, kind]
            self.asked[name, kind] += 1
            addresses = steps[min(turn, len(steps) - 1)]
        elif label in self.plain:
            addresses = self.plain[label]
        else:
            return None
        return [(kind, address) for address in addresses if (":" in address) == (kind == AAAA)]


def name_bytes(name):
    return b"".join(bytes([len(part)]) + part.encode() for part in name.rstrip(".").split(".")) + b"\0"


def reply(zone, query):
    at, labels = 12, []
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode("latin-1").lower())
        at += query[at] + 1
    kind = struct.unpack("!H", query[at + 1:at + 3])[0]
    name = ".".join(labels)
    if name == "silent.test":
        return None
    broken = name == "broken.test"
    found = None if broken else zone.answer(name, kind)
    code = 2 if broken else 3 if found is None else 0
    records = b""
    for record in found or []:
        owner = name_bytes(record[2]) if len(record) > 2 else b"\xc0\x0c"
        if record[0] == CNAME:
            value = name_bytes(record[1])
        else:
            value = socket.inet_pton(socket.AF_INET6 if record[0] == AAAA else socket.AF_INET, record[1])
        records += owner + struct.pack("!HHIH", record[0], 1, 0, len(value)) + value
    head = query[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, len(found or []), 0, 0)
    return head + query[12:at + 5] + records


def serve_names(zone):
    names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    names.bind(("127.0.0.1", 53))

    def loop():
        while True:
            query, client = names.recvfrom(2048)
            answer = reply(zone, query)
            if answer:
                names.sendto(answer, client)

    threading.Thread(target=loop, daemon=True).start()


class Web:
    """A server on every address, HTTP and TLS; counts connections by address, before anything is read."""

    def __init__(self, context):
        self.picture = open(PHOTO, "rb").read()
        self.seen = collections.Counter()
        for address in [PUBLIC, OTHER, PUBLIC6] + PRIVATE + PRIVATE6:
            for port in (80, 443, 8080):
                self.listen(address, port, context if port == 443 else None)

    def listen(self, address, port, context):
        web = self

        class Server(http.server.ThreadingHTTPServer):
            address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
            daemon_threads = True

            def get_request(self):
                connection, client = super().get_request()
                web.seen[address, port] += 1
                return (context.wrap_socket(connection, server_side=True) if context else connection), client

            def handle_error(self, request, client):
                pass

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                where = self.path.partition("?to=")[2]
                self.send_response(302 if where else 200)
                if where:
                    self.send_header("Location", where)
                self.send_header("Content-Length", "0" if where else str(len(web.picture)))
                self.end_headers()
                self.wfile.write(b"" if where else web.picture)

            def log_message(self, *_):
                pass

        threading.Thread(target=Server((address, port), Handler).serve_forever, daemon=True).start()

    def private(self, *allowed):
        """Connections that should not have been."""
        return {place: count for place, count in self.seen.items()
                if place[0] in PRIVATE + PRIVATE6 and place[0] not in allowed and count}


# What must come of links, all in one run of the program. Where several words stand, any of them is right.
GOOD, BLOCKED, NETWORK = "prepared", "blocked-address", "network"
EITHER = f"{GOOD}|{BLOCKED}"


def cases():
    """Name, links with what must come of each, options, private addresses that may be reached."""
    for name in ("public.test", "public6.test", "both-public.test", "alias-public.test", "public.test.", PUBLIC,
                 f"[{PUBLIC6}]", "bücher.test"):
        yield name, [(f"http://{name}/photo", GOOD), (f"https://{name}/photo", GOOD)], [], ()
    for name in ("ten", "hundred-ninety-two", "seventeen", "metadata", "carrier", "loopback", "zero", "six-loopback",
                 "six-zero", "six-private", "six-mapped", "six-nat", "six-to-four", "six-compatible", "all-private",
                 "alias"):
        yield name, [(f"http://{name}.test/photo", BLOCKED), (f"https://{name}.test/photo", BLOCKED),
                     (f"http://public.test/?to=http://{name}.test/photo", BLOCKED)], [], ()
    for name in ("mixed", "mixed-back", "mixed-six"):
        yield name, [(f"http://{name}.test/photo", EITHER), (f"https://{name}.test/photo", EITHER)], [], ()
    yield "rebinding, two links", [("http://turn.test/photo", GOOD), ("http://turn.test/photo?again", EITHER)], [], ()
    yield "rebinding, second run", [("http://turn.test/photo?third", BLOCKED)], [], ()
    yield "rebinding on a redirect", [
        ("http://turn-hop.test/?to=http://turn-hop.test/photo", EITHER),
        ("http://turn-hop.test/?to=http://turn-hop.test:80/photo", EITHER)], [], ()
    # One look-up a connection: were there one for the check and one for the connection, the second would be private.
    yield "rebinding between check and connection", [("http://turn-one.test/photo", GOOD)], [], ()
    yield "rebinding, TLS", [("https://turn-tls.test/photo", GOOD)], [], ()
    yield "first private, then public", [("http://turn-back.test/photo", BLOCKED)], [], ()
    yield "no such name", [("http://nothing.test/photo", NETWORK)], [], ()
    yield "resolver fails", [("http://broken.test/photo", NETWORK)], [], ()
    yield "resolver is silent", [("http://silent.test/photo", "time-limit")], ["--timeout", "2"], ()
    yield "digits of another width", [
        ("http://\uff11\uff12\uff17.0.0.1/photo", "blocked-address|invalid-url|network")], [], ()
    yield "other port", [("http://public.test:8080/photo", BLOCKED)], [], ()
    yield "other port allowed", [("http://public.test:8080/photo", GOOD)], [
        "--allow-address", f"{PUBLIC}/32:8080"], ()
    yield "private allowed", [("http://ten.test/photo", GOOD), ("https://ten.test/photo", GOOD),
                              ("http://ten.test:8080/photo", GOOD), ("http://seventeen.test/photo", BLOCKED)], [
        "--allow-address", "10.0.0.0/8"], ("10.1.2.3",)
    yield "private port allowed", [("http://ten.test:8080/photo", GOOD), ("http://ten.test/photo", BLOCKED)], [
        "--allow-address", "10.1.2.3/32:8080"], ("10.1.2.3",)
    yield "six allowed", [("http://six-private.test/photo", GOOD), ("http://six-nat.test/photo", BLOCKED)], [
        "--allow-address", "fd00::/8"], ("fd00::1",)


def certificate(folder, zone):
    script = """
        key='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
        openssl req -x509 $key -keyout ca.key -out ca.pem -days 2 -subj '/CN=Test CA' &&
        openssl req -new $key -keyout server.key -out server.csr -subj /CN=test &&
        echo "subjectAltName=$0" >names &&
        openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -set_serial 1 -days 2 -extfile names -out server.pem
    """
    labels = [*zone.plain, *zone.rebinding, *zone.aliases]
    names = ",".join([f"DNS:{label}.test" for label in labels] + [f"IP:{PUBLIC}", f"IP:{PUBLIC6}"])
    subprocess.run(["sh", "-c", script, names], cwd=folder, check=True, stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(folder, "server.pem"), os.path.join(folder, "server.key"))
    return context


def prepare_namespace(folder):
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for address in [PUBLIC, OTHER, PUBLIC6] + PRIVATE + PRIVATE6:
        if address not in ("127.0.0.1", "::1"):
            size = "/128" if ":" in address else "/32"
            now = ["nodad"] if ":" in address else []
            subprocess.run(["ip", "address", "add", address + size, "dev", "lo", *now], check=True)
    files = {"/etc/resolv.conf": "nameserver 127.0.0.1\noptions timeout:5 attempts:1\n",
             "/etc/nsswitch.conf": "hosts: files dns\n", "/etc/hosts": "127.0.0.1 localhost\n"}
    for path, text in files.items():
        mine = os.path.join(folder, os.path.basename(path))
        with open(mine, "w") as file:
            file.write(text)
        subprocess.run(["mount", "--bind", mine, path], check=True)


def fetch(program, folder, links, options):
    environment = {name: value for name, value in os.environ.items()
                   if not name.lower().endswith("_proxy") and not name.startswith("ATTACHPREP_")}
    done = subprocess.run(
        [program, "prepare", *links, "--allow-http", "--ca-file", os.path.join(folder, "ca.pem"), *options, "--json",
         "--output", os.path.join(folder, "out")], capture_output=True, env=environment, timeout=120)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return [(record["error"] or {}).get("code") or record["outcome"] for record in records], done.stderr.decode()


def main(program):
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        prepare_namespace(folder)
        zone = Zone()
        web = Web(certificate(folder, zone))
        serve_names(zone)
        for name, links, options, allowed in cases():
            web.seen.clear()
            found, errors = fetch(program, folder, [link for link, _ in links], options)
            right = len(found) == len(links) and all(
                word in wanted.split("|") for word, (_, wanted) in zip(found, links))
            reached = web.private(*allowed)
            print(f"{'ok ' if right and not reached else 'BAD'} {name}: {', '.join(found)}"
                  + (f"; wanted {', '.join(wanted for _, wanted in links)}\n{errors.strip()}" if not right else "")
                  + (f"; reached {reached}" if reached else ""), flush=True)
            bad += not right or bool(reached)
    if bad:
        sys.exit(f"{bad} cases are bad")
    print("no private address was reached unless it was allowed")


if len(sys.argv) not in (2, 3):
    sys.exit(__doc__)
if sys.argv[2:] == ["--inside"]:
    main(sys.argv[1])
elif os.geteuid() != 0:
    sys.exit("resolver: makes a network namespace with addresses of its own, which needs root")
else:
    os.execvp("unshare", ["unshare", "-n", "-m", sys.executable, __file__, sys.argv[1], "--inside"])
