#!/usr/bin/env python3
"""HEIC files for tests and measurements that no encoder at hand makes.

usage: heifmake.py grid PICTURE.ppm OUT.heic [TILE]   a grid of HEVC tiles (512 pixels a side), encoded by x265
       heifmake.py ios18 IN.heic OUT.heic             IN with what iOS 18 adds: a tmap item (ISO 21496-1) made of the
                                                      primary picture and another, alternatives, and references to both
Needs x265 for the first.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile


def box(kind, *content):
    body = b"".join(content)
    return struct.pack(">I", len(body) + 8) + kind.encode() + body


def full(kind, version, flags, *content):
    return box(kind, struct.pack(">I", version << 24 | flags), *content)


def boxes(data):
    at = 0
    while at + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        head = 8
        if size == 1:
            size, head = struct.unpack(">Q", data[at + 8:at + 16])[0], 16
        if size == 0:
            size = len(data) - at
        yield kind.decode("latin1"), data[at + head:at + size], at
        at += size


# grid ---------------------------------------------------------------------------------------------------------
def planes(pixels, width, x0, y0, side, height):
    """4:2:0 of a tile, full range BT.601; what lies beyond the picture repeats its edge."""
    import numpy as np
    tile = pixels[y0:y0 + side, x0:x0 + side].astype(np.float64)
    tile = np.pad(tile, ((0, side - tile.shape[0]), (0, side - tile.shape[1]), (0, 0)), mode="edge")
    r, g, b = tile[..., 0], tile[..., 1], tile[..., 2]
    y = 0.299 * r + 0.587 * g + 0.114 * b
    halves = [(c.reshape(side // 2, 2, side // 2, 2).mean(axis=(1, 3))) for c in
              ((b - y) / 1.772 + 128, (r - y) / 1.402 + 128)]
    return b"".join(np.clip(np.round(p), 0, 255).astype(np.uint8).tobytes() for p in (y, *halves))


def units(stream):
    """The NAL units of an Annex B stream."""
    parts = stream.replace(b"\0\0\0\1", b"\0\0\1").split(b"\0\0\1")
    return [p.rstrip(b"\0") if i < len(parts) - 1 else p for i, p in enumerate(parts) if p]


def encode(raw, side, count):
    """Every picture as one access unit: parameter sets, and each picture's slices."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = os.path.join(folder, "in.yuv"), os.path.join(folder, "out.hevc")
        with open(source, "wb") as file:
            file.write(raw)
        subprocess.run(
            ["x265", "--input", source, "--input-res", f"{side}x{side}", "--fps", "1", "--keyint", "1",
             "--preset", "fast", "--crf", "22", "--range", "full", "--colormatrix", "smpte170m", "--no-info",
             "--frames", str(count), "--log-level", "error", "--output", out], check=True)
        with open(out, "rb") as file:
            stream = units(file.read())
    sets, pictures = {}, []
    for unit in stream:
        kind = unit[0] >> 1 & 63
        if kind in (32, 33, 34):
            sets.setdefault(kind, unit)
        elif kind < 32:
            if unit[2] & 0x80:
                pictures.append(b"")
            pictures[-1] += struct.pack(">I", len(unit)) + unit
    return sets, pictures


def configuration(sets):
    sps = sets[33].replace(b"\0\0\3", b"\0\0")
    arrays = b"".join(
        struct.pack(">BHH", 0x80 | kind, 1, len(sets[kind])) + sets[kind] for kind in (32, 33, 34))
    return box("hvcC", b"\1", sps[3:15], struct.pack(">HBBBBHBB", 0xF000, 0xFC, 0xFC | 1, 0xF8, 0xF8, 0, 0x0F, 3),
               arrays)


def make_grid(picture, out, side):
    import numpy as np
    with open(picture, "rb") as file:
        data = file.read()
    width, height = map(int, re.match(rb"P6\s+(?:#.*\n)*(\d+)\s+(\d+)", data).groups())
    pixels = np.frombuffer(data[-3 * width * height:], np.uint8).reshape(height, width, 3)
    columns, rows = -(-width // side), -(-height // side)
    raw = b"".join(
        planes(pixels, width, x * side, y * side, side, height) for y in range(rows) for x in range(columns))
    sets, tiles = encode(raw, side, rows * columns)
    assert len(tiles) == rows * columns
    ids = range(1, len(tiles) + 1)
    grid, grid_data = len(tiles) + 1, struct.pack(">BBBBII", 0, 1, rows - 1, columns - 1, width, height)

    def entry(item, kind):
        return full("infe", 2, 1 if kind == "hvc1" else 0, struct.pack(">HH", item, 0), kind.encode(), b"\0")

    properties = box(
        "ipco", configuration(sets), full("ispe", 0, 0, struct.pack(">II", side, side)),
        full("ispe", 0, 0, struct.pack(">II", width, height)),
        box("colr", b"nclx", struct.pack(">HHHB", 1, 13, 6, 0x80)))
    links = [struct.pack(">HBBB", i, 2, 0x81, 2) for i in ids] + [struct.pack(">HBBB", grid, 2, 3, 4)]
    ipma = full("ipma", 0, 0, struct.pack(">I", len(links)), *links)

    def meta(start):
        places, at = [], start
        for item, tile in zip(ids, tiles):
            places.append(struct.pack(">HHHHII", item, 0, 0, 1, at, len(tile)))
            at += len(tile)
        places.append(struct.pack(">HHHHII", grid, 1, 0, 1, 0, len(grid_data)))
        return full(
            "meta", 0, 0, full("hdlr", 0, 0, bytes(4), b"pict", bytes(13)), full("pitm", 0, 0, struct.pack(">H", grid)),
            full("iinf", 0, 0, struct.pack(">H", len(tiles) + 1), *(entry(i, "hvc1") for i in ids),
                 entry(grid, "grid")),
            box("iprp", properties, ipma),
            full("iref", 0, 0, box("dimg", struct.pack(f">HH{len(tiles)}H", grid, len(tiles), *ids))),
            full("iloc", 1, 0, struct.pack(">HH", 0x4400, len(places)), *places), box("idat", grid_data))

    head = box("ftyp", b"heic", bytes(4), b"mif1heic")
    start = len(head) + len(meta(0)) + 8
    with open(out, "wb") as file:
        file.write(head + meta(start) + box("mdat", *tiles))
    print(f"{out}: {width} x {height}, {rows} rows of {columns} tiles of {side}")


# ios18 --------------------------------------------------------------------------------------------------------
def read_places(content):
    """iloc as a list of (item, method, [(offset, length)]); version 0 or 1."""
    version, sizes, count = content[0], struct.unpack(">H", content[4:6])[0], struct.unpack(">H", content[6:8])[0]
    offset, length, base = sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15
    at, places = 8, []

    def number(size):
        nonlocal at
        at += size
        return int.from_bytes(content[at - size:at], "big")

    for _ in range(count):
        item = number(2)
        method = number(2) & 15 if version else 0
        number(2)
        start = number(base)
        places.append((item, method, [(start + number(offset), number(length)) for _ in range(number(2))]))
    return places


def make_ios18(source, out):
    with open(source, "rb") as file:
        data = file.read()
    top = list(boxes(data))
    meta_content, meta_at = next((c, a) for k, c, a in top if k == "meta")
    parts = {kind: content for kind, content, _ in boxes(meta_content[4:])}
    primary = struct.unpack(">H", parts["pitm"][4:6])[0]
    items = [struct.unpack(">H", c[4:6])[0] for k, c, _ in boxes(parts["iinf"][6:]) if k == "infe"]
    kinds = {struct.unpack(">H", c[4:6])[0]: c[8:12].decode() for _, c, _ in boxes(parts["iinf"][6:])}
    # The gain map: any other picture does, the content of none is looked at.
    gain = next(i for i in items if kinds[i] == "hvc1")
    tmap = max(items) + 1
    entries = parts["iinf"][6:] + full("infe", 2, 0, struct.pack(">HH", tmap, 0), b"tmap", b"\0")
    iinf = full("iinf", 0, 0, struct.pack(">H", len(items) + 1), entries)
    references = b""
    for kind, content, _ in boxes(parts["iref"][4:]):
        from_item, count = struct.unpack(">HH", content[:4])
        to = list(struct.unpack(f">{count}H", content[4:4 + 2 * count]))
        # As iOS 18 has it: what belongs to the picture belongs to its alternative, too.
        if kind in ("cdsc", "auxl", "thmb") and primary in to:
            to.append(tmap)
        references += box(kind, struct.pack(f">HH{len(to)}H", from_item, len(to), *to))
    references += box("dimg", struct.pack(">HHHH", tmap, 2, primary, gain))
    references += box("auxl", struct.pack(">HHHH", gain, 2, primary, tmap))
    iprp = list(boxes(parts["iprp"]))
    ipco = next(c for k, c, _ in iprp if k == "ipco")
    ipma = next(c for k, c, _ in iprp if k == "ipma")
    own = struct.unpack(">I", ipma[:4])[0] & 1
    links, count, at = {}, struct.unpack(">I", ipma[4:8])[0], 8
    for _ in range(count):
        item, number = struct.unpack(">HB", ipma[at:at + 3])
        links[item] = ipma[at + 3:at + 3 + number * (own + 1)]
        at += 3 + len(links[item])
    auxiliary = full("auxC", 0, 0, b"urn:com:apple:photo:2020:aux:hdrgainmap\0")
    index = len(list(boxes(ipco))) + 1
    links[tmap] = links[primary]
    links[gain] += struct.pack(">H", index) if own else bytes([index])
    ipma = full("ipma", 0, own, struct.pack(">I", len(links)), *(
        struct.pack(">HB", item, len(link) // (own + 1)) + link for item, link in sorted(links.items())))
    # Version, minimum and writer version, flags, then headrooms and one channel's map as fractions of 32 bits.
    metadata = struct.pack(">BHHB", 0, 0, 0, 0) + struct.pack(">IIII", 0, 1, 1, 1)
    metadata += struct.pack(">iIiIIIiIiI", 0, 1, 1, 1, 1, 1, 1, 64, 1, 64)
    idat = parts.get("idat", b"")
    places = read_places(parts["iloc"]) + [(tmap, 1, [(len(idat), len(metadata))])]

    def meta(shift):
        def place(item, method, extents):
            return struct.pack(">HHHH", item, method, 0, len(extents)) + b"".join(
                struct.pack(">II", o + (shift if method == 0 else 0), n) for o, n in extents)
        iloc = full("iloc", 1, 0, struct.pack(">HH", 0x4400, len(places)), *(place(*p) for p in places))
        group = box("grpl", full("altr", 0, 0, struct.pack(">IIII", 1000, 2, tmap, primary)))
        return full(
            "meta", 0, 0, box("hdlr", parts["hdlr"]), full("pitm", 0, 0, struct.pack(">H", primary)), iinf,
            full("iref", 0, 0, references), box("iprp", box("ipco", ipco, auxiliary), ipma), group, iloc,
            box("idat", idat, metadata))

    head = box("ftyp", b"heic", bytes(4), b"mif1MiHBMiHAheixMiHEMiPrmiafheictmap")
    kept = [data[a:(top[i + 1][2] if i + 1 < len(top) else len(data))] for i, (k, _, a) in enumerate(top)]
    kept = [(k, a, kept[i]) for i, (k, _, a) in enumerate(top) if k not in ("ftyp", "meta")]
    # All media data lies behind the description, so one shift serves every offset.
    assert all(a > meta_at for _, a, _ in kept)
    shift = len(head) + len(meta(0)) - kept[0][1]
    with open(out, "wb") as file:
        file.write(head + meta(shift) + b"".join(k for _, _, k in kept))
    print(f"{out}: tmap item {tmap} of {primary} and {gain}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["grid", picture, out, *side]:
            make_grid(picture, out, int(side[0]) if side else 512)
        case ["ios18", source, out]:
            make_ios18(source, out)
        case _:
            sys.exit(__doc__)
