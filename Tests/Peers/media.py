#!/usr/bin/env python3
"""Passes audio and video of every container and codec through attachprep and compares with ffmpeg what comes out.

usage: media.py [--attachprep PATH] [--keep FOLDER] [--only SUBSTRING]
       media.py --seeds FOLDER    makes samples of a few frames there, for fuzzing
Needs ffmpeg, ffprobe and exiftool. Each sample is made by ffmpeg, with a title and a place that are made up, in
every way its container has; what comes out must decode to the same frames and hold nothing of either.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

MARK = "Zaphodtitle"
PLACE = "+48.8577+002.2950/"
ALLOWED_TAGS = {"major_brand", "minor_version", "compatible_brands", "language"}
SUSPECT = ("gps", "location", "title", "artist", "comment", "make", "model", "software", "xmp", "copyright",
           "description", "author", "keyword", "handlerdescription", "chapter", "timecode", "compressorname")

VIDEO = ["-f", "lavfi", "-i", "testsrc=size=160x120:rate=25:duration=2"]
SOUND = ["-f", "lavfi", "-i", "sine=frequency=500:sample_rate=44100:duration=2"]
BOTH = VIDEO + SOUND
X264 = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-bf", "2", "-g", "10"]
AAC = ["-c:a", "aac"]
TAGS = ["-metadata", f"title={MARK}", "-metadata", f"comment={MARK}", "-metadata", f"location={PLACE}",
        "-metadata", "creation_time=2021-05-06T07:08:09Z"]
KEYS = ["-metadata", f"com.apple.quicktime.location.ISO6709={PLACE}", "-movflags", "use_metadata_tags"]


def u32(value):
    return value.to_bytes(4, "big")


def boxes(data, start, end):
    while start + 8 <= end:
        size = int.from_bytes(data[start:start + 4], "big")
        yield data[start + 4:start + 8], start, start + size
        start += size


def without_ftyp(data):
    """A movie as QuickTime wrote them before there was ftyp."""
    size = int.from_bytes(data[:4], "big")
    data = bytearray(data)

    def walk(start, end):
        for kind, at, stop in boxes(data, start, end):
            if kind in (b"moov", b"trak", b"mdia", b"minf", b"stbl"):
                walk(at + 8, stop)
            if kind == b"stco":
                for offset in range(at + 16, stop, 4):
                    data[offset:offset + 4] = u32(int.from_bytes(data[offset:offset + 4], "big") - size)
    walk(0, len(data))
    return bytes(data[size:])


def riff_extras(data):
    """Chunks that ffmpeg does not write."""
    for kind in (b"id3 ", b"iXML", b"_PMX", b"odd "):
        text = (MARK + PLACE).encode() + (b"!" if kind == b"odd " else b"")
        data += kind + len(text).to_bytes(4, "little") + text + b"\0" * (len(text) & 1)
    return data[:4] + (len(data) - 8).to_bytes(4, "little") + data[8:]


def iff_extras(data):
    for kind in (b"NAME", b"AUTH", b"ANNO", b"(c) ", b"ID3 "):
        text = (MARK + PLACE).encode()
        data += kind + u32(len(text)) + text + b"\0" * (len(text) & 1)
    return data[:4] + u32(len(data) - 8) + data[8:]


def tails(data):
    """APE, Lyrics3 and ID3v1 behind the frames."""
    text = (MARK + PLACE).encode()
    item = len(text).to_bytes(4, "little") + b"\0\0\0\0Title\0" + text
    size = len(item) + 32
    ape = b"APETAGEX" + (2000).to_bytes(4, "little") + size.to_bytes(4, "little") + (1).to_bytes(4, "little")
    data += ape + b"\0\0\0\xa0" + b"\0" * 8 + item + ape + b"\0\0\0\x80" + b"\0" * 8
    lyrics = b"LYRICSBEGINLYR" + f"{len(text):05d}".encode() + text
    data += lyrics + f"{len(lyrics):06d}".encode() + b"LYRICS200"
    return data + b"TAG" + MARK.encode().ljust(125, b"\0")


# Name, input and codec arguments for ffmpeg, what must come of it (a type, or ! and an error code), a change by hand.
def cases():
    def case(name, arguments, want, change=None, tags=TAGS, exif=False):
        return dict(name=name, arguments=arguments, want=want, change=change, tags=tags, exif=exif)
    v = VIDEO
    yield case("h264-aac.mp4", BOTH + X264 + AAC, "mp4", exif=True)
    yield case("h264-aac-faststart.mp4", BOTH + X264 + AAC + ["-movflags", "faststart"], "mp4")
    yield case("keys.mp4", BOTH + X264 + AAC, "mp4", tags=TAGS + KEYS)
    chapters = ["-i", "CHAPTERS"] + BOTH + ["-map_chapters", "0", "-map", "1", "-map", "2"] + X264 + AAC
    yield case("chapters.mp4", chapters, "mp4")
    subtitles = ["-i", "SUBTITLES"] + BOTH + ["-map", "1", "-map", "2", "-map", "0"] + X264 + AAC
    yield case("subtitles.mp4", subtitles + ["-c:s", "mov_text"], "mp4")
    yield case("timecode.mp4", v + X264 + ["-timecode", "01:02:03:04"], "mp4")
    yield case("fragments.mp4", BOTH + X264 + AAC + ["-movflags", "frag_keyframe+empty_moov+default_base_moof"], "mp4")
    yield case("fragments-absolute.mp4", BOTH + X264 + AAC + ["-movflags", "frag_keyframe+empty_moov"], "mp4")
    yield case("hybrid.mp4", BOTH + X264 + AAC + ["-movflags", "frag_keyframe+delay_moov+faststart"], "mp4")
    yield case("hevc.mp4", v + ["-c:v", "libx265", "-x265-params", "log-level=none", "-tag:v", "hvc1"], "mp4")
    yield case("mpeg4-mp3.mp4", BOTH + ["-c:v", "mpeg4", "-c:a", "libmp3lame"], "mp4")
    yield case("ac3.mp4", BOTH + X264 + ["-c:a", "ac3"], "mp4")
    yield case("tracks.mp4", BOTH + SOUND + ["-map", "0", "-map", "1", "-map", "2"] + X264 + AAC, "mp4")
    yield case("sound.mp4", SOUND + AAC, "m4a")
    yield case("h264.m4v", BOTH + X264 + AAC + ["-f", "ipod"], "m4v", exif=True)
    yield case("aac.m4a", SOUND + AAC, "m4a", exif=True)
    yield case("alac.m4a", SOUND + ["-c:a", "alac"], "m4a")
    cover = ["-i", "COVER"] + SOUND + ["-map", "1", "-map", "0"]
    yield case("cover.m4a", cover + AAC + ["-c:v", "copy", "-disposition:v", "attached_pic"], "m4a")
    yield case("h264-aac.mov", BOTH + X264 + AAC, "mp4", exif=True)
    yield case("h264-aac-faststart.mov", BOTH + X264 + AAC + ["-movflags", "faststart"], "mp4")
    yield case("keys.mov", BOTH + X264 + AAC, "mp4", tags=TAGS + KEYS)
    yield case("classic.mov", BOTH + X264 + AAC, "mp4", change=without_ftyp)
    yield case("classic-faststart.mov", BOTH + X264 + AAC + ["-movflags", "faststart"], "mp4", change=without_ftyp)
    bt709 = ["-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709"]
    yield case("colour.mov", v + X264 + ["-movflags", "write_colr"] + bt709, "mp4")
    yield case("timecode.mov", BOTH + X264 + AAC + ["-timecode", "01:02:03:04"], "mp4")
    yield case("chapters.mov", chapters, "mp4")
    yield case("hevc.mov", BOTH + ["-c:v", "libx265", "-x265-params", "log-level=none", "-tag:v", "hvc1"] + AAC, "mp4")
    yield case("mpeg4.mov", BOTH + ["-c:v", "mpeg4"] + AAC, "mp4")
    yield case("six-channels.mov", BOTH + X264 + AAC + ["-ac", "6"], "mp4")
    yield case("rate-96000.mov", BOTH + X264 + AAC + ["-ar", "96000"], "mp4")
    yield case("alac.mov", BOTH + X264 + ["-c:a", "alac"], "mp4")
    yield case("ac3.mov", BOTH + X264 + ["-c:a", "ac3"], "mp4")
    yield case("sound.mov", SOUND + AAC, "m4a")
    yield case("pcm.mov", BOTH + X264 + ["-c:a", "pcm_s16le"], "!unsupported-variant")
    yield case("prores.mov", v + ["-c:v", "prores"], "!unsupported-variant")
    yield case("mjpeg.mov", v + ["-c:v", "mjpeg"], "!unsupported-variant")
    yield case("h264-aac.3gp", BOTH + X264 + AAC, "mp4")
    yield case("mpeg4-aac.3gp", BOTH + ["-c:v", "mpeg4"] + AAC, "mp4")
    yield case("h264-aac.3g2", BOTH + X264 + AAC, "mp4")
    yield case("aac.3gp", SOUND + AAC, "m4a")
    yield case("h263.3gp", VIDEO + ["-s", "176x144", "-c:v", "h263"], "!unsupported-variant")
    yield case("mpeg2.mpg", BOTH + ["-c:v", "mpeg2video", "-c:a", "mp2", "-f", "vob"], "mpeg-ps")
    yield case("mpeg1.mpg", BOTH + ["-c:v", "mpeg1video", "-c:a", "mp2"], "mpeg-ps")
    yield case("video.m1v", v + ["-c:v", "mpeg1video"], "mpeg-es")
    yield case("video.m2v", v + ["-c:v", "mpeg2video"], "mpeg-es")
    yield case("mpeg.ts", BOTH + X264 + AAC, "!unsupported-format")
    yield case("mpeg4-mp3.avi", BOTH + ["-c:v", "mpeg4", "-c:a", "libmp3lame"], "avi")
    yield case("h264-pcm.avi", BOTH + X264 + ["-c:a", "pcm_s16le"], "avi")
    yield case("mjpeg.avi", v + ["-c:v", "mjpeg"], "avi")
    yield case("tags.mp3", SOUND + ["-c:a", "libmp3lame", "-write_id3v1", "1"], "mp3")
    yield case("vbr.mp3", SOUND + ["-c:a", "libmp3lame", "-q:a", "4"], "mp3")
    yield case("tails.mp3", SOUND + ["-c:a", "libmp3lame"], "mp3", change=tails)
    yield case("cover.mp3", cover + ["-c:a", "libmp3lame", "-c:v", "copy"], "mp3")
    for rate, channels in ((8000, 1), (22050, 1), (44100, 2), (48000, 6), (96000, 2)):
        yield case(f"aac-{rate}-{channels}.aac", SOUND + AAC + ["-ar", str(rate), "-ac", str(channels)], "m4a")
    yield case("id3.aac", SOUND + AAC + ["-write_id3v2", "1"], "m4a", change=tails)
    for codec in ("pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_alaw", "adpcm_ima_wav"):
        yield case(f"{codec}.wav", SOUND + ["-c:a", codec, "-write_bext", "1"], "wav", change=riff_extras)
    yield case("six-channels.wav", SOUND + ["-ac", "6"], "wav")
    def streamed(d):
        data = d.index(b"data") + 4
        return d[:4] + b"\xff" * 4 + d[8:data] + b"\xff" * 4 + d[data + 4:]

    yield case("streamed.wav", SOUND, "wav", change=streamed)
    for codec in ("pcm_s8", "pcm_s16be", "pcm_s24be", "pcm_s32be"):
        yield case(f"{codec}.aiff", SOUND + ["-c:a", codec, "-write_id3v2", "1"], "aiff", change=iff_extras)
    yield case("sowt.aifc", SOUND + ["-c:a", "pcm_s16le", "-f", "aiff"], "aiff", change=iff_extras)
    for codec in ("pcm_f32be", "pcm_mulaw", "adpcm_ima_qt"):
        yield case(f"{codec}.aifc", SOUND + ["-c:a", codec, "-f", "aiff"], "!unsupported-variant")
    for codec in ("pcm_s8", "pcm_s16le", "pcm_s16be", "pcm_s24le", "pcm_s24be", "pcm_s32be", "pcm_f32le",
                  "pcm_f32be", "pcm_f64be"):
        yield case(f"{codec}.caf", SOUND + ["-c:a", codec], "wav")
    yield case("six-channels.caf", SOUND + ["-c:a", "pcm_s16be", "-ac", "6"], "wav")
    for codec in ("alac", "pcm_mulaw", "adpcm_ima_qt"):
        yield case(f"{codec}.caf", SOUND + ["-c:a", codec], "!unsupported-variant")


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=120)


def make(case, folder, short=False):
    path = os.path.join(folder, case["name"])
    arguments = [os.path.join(folder, a) if a in ("CHAPTERS", "SUBTITLES", "COVER") else a for a in case["arguments"]]
    if short:
        arguments = [a.replace("duration=2", "duration=0.12").replace("160x120", "32x32") for a in arguments]
    done = run("ffmpeg", "-v", "error", "-y", *arguments, *case["tags"], path)
    if done.returncode:
        raise RuntimeError("ffmpeg: " + done.stderr.decode(errors="replace").strip()[:200])
    if case["exif"]:
        run("exiftool", "-q", "-overwrite_original", f"-XMP:Title={MARK}", "-XMP:GPSLatitude=48.8577",
            f"-UserData:GPSCoordinates=48.8577 2.295 0", f"-Keys:Artist={MARK}", "-Keys:GPSCoordinates=48.8577 2.295 0",
            path)
    if case["change"]:
        data = case["change"](open(path, "rb").read())
        open(path, "wb").write(data)
    return path


def frames(path, rewrapped):
    """A line for every decoded frame of sound and picture; times too, where the container keeps their unit."""
    found = []
    kinds = [s["codec_type"][0] for s in streams(path)]
    for kind in ("v", "a"):
        if kind not in kinds:
            found.append([])
            continue
        streams = f"0:{'V' if kind == 'v' else kind}"
        done = run("ffmpeg", "-v", "error", "-i", path, "-map", streams, "-f", "framemd5", "-")
        if done.returncode:
            raise RuntimeError("does not decode: " + done.stderr.decode(errors="replace").strip()[:200])
        lines = [line.split(",") for line in done.stdout.decode().splitlines() if line and line[0] != "#"]
        found.append([(p[0], p[-1].strip()) if rewrapped else tuple(x.strip() for x in p) for p in lines])
    return found


def streams(path):
    """The streams there are to see or hear: a cover is no video."""
    done = run("ffprobe", "-v", "error", "-show_streams", "-of", "json", path)
    return [s for s in json.loads(done.stdout or b"{}").get("streams", []) if not s["disposition"]["attached_pic"]]


def metadata(path, want):
    """What is left that nobody should find."""
    left = []
    data = open(path, "rb").read()
    for mark in (MARK.encode(), b"48.8577", b"Lavf", MARK.encode("utf-16-le"), b"x:xmpmeta"):
        if mark in data:
            left.append(f"{mark!r} in its bytes")
    done = run("ffprobe", "-v", "error", "-show_format", "-show_streams", "-show_chapters", "-of", "json", path)
    probe = json.loads(done.stdout)
    allowed = ALLOWED_TAGS | ({"encoder"} if want == "mp3" else set())
    for part in [probe["format"]] + probe["streams"]:
        left += [f"ffprobe {k}={v}" for k, v in part.get("tags", {}).items()
                 if k not in allowed and not (k == "vendor_id" and v in ("[0][0][0][0]", ""))]
    if probe.get("chapters"):
        left.append("chapters")
    done = run("exiftool", "-j", "-a", "-u", "-G1", path)
    for key, value in json.loads(done.stdout)[0].items():
        group, _, name = key.partition(":")
        if group in ("ExifTool", "System", "File", "SourceFile") or value == "":
            continue
        if name in ("SampleGroupDescription", "CopyrightFlag"):
            continue
        if "date" in name.lower():
            if not str(value).startswith("0000:00:00"):
                left.append(f"exiftool {key}={value}")
        elif any(word in key.lower() for word in SUSPECT):
            left.append(f"exiftool {key}={value}")
    return left


def judge(case, attachprep, folder):
    path = make(case, folder)
    out = os.path.join(folder, "out-" + case["name"])
    done = run(attachprep, "prepare", path, "--output", out, "--json")
    record = json.loads(done.stdout)
    want = case["want"]
    if want.startswith("!"):
        error = record["error"] or {}
        good = record["outcome"] == "rejected" and error.get("code") == want[1:]
        return [] if good else [f"{record['outcome']} {error}"], error.get("detail")
    if record["outcome"] != "passedThrough":
        return [f"{record['outcome']}: {record['error']}"], ""
    output = record["outputs"][0]
    faults = [] if output["format"] == want else [f"format {output['format']}, not {want}"]
    rewrapped = "rewrapped" in record["warnings"]
    before, after = frames(path, rewrapped), frames(output["path"], rewrapped)
    for kind, a, b in zip(("pictures", "sound"), before, after):
        if a != b:
            faults.append(f"{kind} differ: {len(a)} and {len(b)} frames")
    if not before[0] and not before[1]:
        faults.append("nothing to compare")
    faults += metadata(output["path"], want)
    suffix = case["name"].split(".")[-1]
    if "metadata-removed" not in record["warnings"] and suffix in ("mp4", "m4a", "mov", "mp3", "wav"):
        if case["name"] not in ("streamed.wav", "six-channels.wav"):
            faults.append("no word of the metadata")
    return faults, f"{len(after[0])} pictures, {len(after[1])} pieces of sound, {' '.join(record['warnings'])}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attachprep", default=".build/release/attachprep")
    parser.add_argument("--keep", help="a folder in which the samples stay")
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", help="a folder for short samples; nothing is compared")
    arguments = parser.parse_args()
    bad = count = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.seeds or arguments.keep or scratch
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "CHAPTERS"), "w") as f:
            f.write(f";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=900\ntitle={MARK}\n")
            f.write(f"[CHAPTER]\nTIMEBASE=1/1000\nSTART=900\nEND=2000\ntitle={MARK}\n")
        with open(os.path.join(folder, "SUBTITLES"), "w") as f:
            f.write("1\n00:00:00,100 --> 00:00:01,000\nHello\n")
        run("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "color=red:size=32x32:duration=0.04", "-f", "mjpeg",
            os.path.join(folder, "COVER"))
        if arguments.seeds:
            for case in cases():
                make(case, folder, short=True)
            return
        for case in cases():
            if arguments.only not in case["name"]:
                continue
            count += 1
            try:
                faults, note = judge(case, os.path.abspath(arguments.attachprep), folder)
            except (RuntimeError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
                faults, note = [f"{type(error).__name__}: {error}"], ""
            bad += bool(faults)
            verdict = "FAULT" if faults else "holds"
            print(f"{verdict}  {case['name']:26} -> {case['want']:20} {'; '.join(faults) or note}", flush=True)
    print(f"{count - bad} of {count} hold")
    sys.exit(1 if bad or not count else 0)


main()
