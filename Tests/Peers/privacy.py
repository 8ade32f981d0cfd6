#!/usr/bin/env python3
"""Whether anything that describes is left in what attachprep writes.

usage: privacy.py ATTACHPREP [FOLDER...]
Pictures, sounds and videos are made with a made-up place, name and thumbnail in every way that exiftool and ffmpeg
write them; those and every file in the folders are prepared, once with first frames and once with --animation keep.
Of each output exiftool must name nothing but structure, and of the made ones no mark may be among the bytes.
Needs exiftool, ffmpeg, ImageMagick, cwebp, heif-enc and avifenc.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

MARK, PLACE = "Zaphodtitle", "48.8577"
PHOTO = "Samples/photos/otters-turned.jpg"
SRGB = "/usr/share/color/icc/colord/sRGB.icc"
# Groups of exiftool (family 1) that say how a file is built. In some of them it files words, too.
STRUCTURE = {"ExifTool", "System", "File", "JFIF", "Composite", "PNG", "APNG", "GIF", "RIFF", "AIFF", "MPEG",
             "QuickTime", "M2TS", "H264", "SourceFile"}
WORDS = ("gps", "location", "title", "artist", "comment", "make", "model", "software", "xmp", "copyright", "author",
         "description", "keyword", "chapter", "timecode", "compressorname", "thumbnail", "preview", "profile",
         "encoder", "handlerdescription", "vendor")
# Fields of headers, which hold numbers.
HARMLESS = {"PreviewTime", "PreviewDuration", "SampleGroupDescription", "CopyrightFlag"}
VIDEO = ["-f", "lavfi", "-i", "testsrc=size=160x120:rate=10:duration=1"]
SOUND = ["-f", "lavfi", "-i", "sine=frequency=500:duration=1"]
TAGS = ["-metadata", f"title={MARK}", "-metadata", f"comment={MARK}", "-metadata", f"artist={MARK}",
        "-metadata", f"location=+{PLACE}+002.2950/",
        "-metadata", f"com.apple.quicktime.location.ISO6709=+{PLACE}+002.2950/",
        "-metadata", "creation_time=2021-05-06T07:08:09Z"]


def run(*command, fine=(0,)):
    done = subprocess.run(command, capture_output=True)
    if done.returncode not in fine:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode(errors='replace').strip()[-300:]}")
    return done.stdout


def samples(folder):
    """One file for each format and, where the product has two, for each way out; all hold MARK and PLACE."""
    def at(name):
        return os.path.join(folder, name)

    thumbnail = at("thumbnail")
    run("convert", PHOTO, "-strip", "-resize", "60x60", "jpg:" + thumbnail)
    for name, size in (("large", "1200x1200"), ("small", "400x400")):
        run("convert", PHOTO, "-strip", "-resize", size, "-quality", "85", at(name + ".jpg"))
        run("convert", PHOTO, "-strip", "-resize", size, at(name + ".png"))
    run("convert", at("large.jpg"), "-interlace", "JPEG", at("progressive.jpg"))
    run("cwebp", "-quiet", at("large.png"), "-o", at("lossy.webp"))
    run("cwebp", "-quiet", "-lossless", at("small.png"), "-o", at("lossless.webp"))
    run("convert", at("small.png"), at("plain.gif"))
    run("convert", at("small.png"), "(", "+clone", "-negate", ")", "-loop", "0", at("animated.gif"))
    run("ffmpeg", "-v", "error", "-y", *VIDEO, "-plays", "0", "-f", "apng", at("animated.png"))
    run("convert", at("small.png"), "-compress", "LZW", at("strips.tif"))
    run("heif-enc", at("large.png"), "-o", at("still.heic"))
    run("avifenc", "-s", "10", at("large.png"), at("still.avif"))
    exif = [f"-GPSLatitude={PLACE}", "-GPSLatitudeRef=N", "-GPSLongitude=2.295", "-GPSLongitudeRef=E",
            f"-EXIF:Artist={MARK}", f"-EXIF:Make={MARK}", f"-EXIF:UserComment={MARK}"]
    xmp = [f"-XMP:Title={MARK}", f"-XMP:GPSLatitude={PLACE}"]
    icc, iptc = [f"-ICC_Profile<={SRGB}"], [f"-IPTC:Caption-Abstract={MARK}", f"-IPTC:City={MARK}"]
    comment, small = [f"-Comment={MARK}"], [f"-ThumbnailImage<={thumbnail}"]
    plans = {
        ".jpg": exif + xmp + icc + iptc + comment + small, ".png": exif + xmp + icc + [f"-PNG:Title={MARK}"],
        ".webp": exif + xmp + icc, ".gif": xmp + comment, ".tif": exif + xmp + icc + iptc, ".heic": exif + xmp,
        ".avif": exif + xmp}
    for name in sorted(os.listdir(folder)):
        if name != "thumbnail":
            run("exiftool", "-q", "-m", "-overwrite_original", *plans[os.path.splitext(name)[1]], at(name))
    os.remove(thumbnail)
    both = VIDEO + SOUND + ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"]
    keys = ["-movflags", "use_metadata_tags"]
    for name, arguments in (
            ("video.mp4", both), ("keys.mp4", both + keys), ("video.mov", both), ("keys.mov", both + keys),
            ("sound.m4a", SOUND + ["-c:a", "aac"]), ("sound.mp3", SOUND + ["-c:a", "libmp3lame", "-write_id3v1", "1"]),
            ("sound.wav", SOUND + ["-write_bext", "1"]), ("sound.aiff", SOUND + ["-write_id3v2", "1"])):
        run("ffmpeg", "-v", "error", "-y", *arguments, *TAGS, at(name))
        if name in ("video.mp4", "video.mov", "sound.m4a"):
            run("exiftool", "-q", "-overwrite_original", *xmp, f"-UserData:GPSCoordinates={PLACE} 2.295 0",
                f"-Keys:GPSCoordinates={PLACE} 2.295 0", f"-Keys:Artist={MARK}", at(name))


def marks(path):
    """Which of the made-up words are among the bytes."""
    data = open(path, "rb").read()
    return [m for m in (MARK, PLACE, "x:xmpmeta", "Exif\0") if m.encode() in data
            or m.encode("utf-16-le") in data]


def seen(folder):
    """What exiftool says of each file, by path."""
    said = run("exiftool", "-j", "-a", "-u", "-G1", "-r", "-ext", "*", folder, fine=(0, 1))
    return {entry["SourceFile"]: entry for entry in json.loads(said or b"[]")}


def left(entry):
    found = []
    for key, value in entry.items():
        group, _, name = key.partition(":")
        # Code points of the video are none; a profile in the same box would be "prof".
        if value == "" or name in HARMLESS or (name, value) == ("ColorProfiles", "nclx"):
            continue
        if group in ("ExifTool", "System", "SourceFile", "Composite"):
            continue
        if group not in STRUCTURE and not group.startswith("Track"):
            found.append(f"{key}={value}")
        elif "date" in name.lower():
            if not str(value).startswith("0000:00:00"):
                found.append(f"{key}={value}")
        elif any(word in name.lower() for word in WORDS):
            found.append(f"{key}={value}")
    return found


def main():
    attachprep = os.path.abspath(sys.argv[1])
    folders = [os.path.abspath(folder) for folder in sys.argv[2:]]
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        made = os.path.join(scratch, "made")
        os.mkdir(made)
        samples(made)
        before = seen(made)
        print("made: " + ", ".join(sorted(os.listdir(made))))
        for path, entry in before.items():
            if not left(entry) or not marks(path):
                bad += 1
                print(f"FAULT  nothing to find in {path}")
        groups = collections.Counter(k.partition(":")[0] for entry in before.values() for k in entry)
        print("groups in them: " + ", ".join(sorted(set(groups) - STRUCTURE)))
        for way in ("first-frame", "keep"):
            out = os.path.join(scratch, way)
            run(attachprep, "batch", made, *folders, "--output", out, "--media", "all", "--animation", way, "--quiet",
                fine=(0, 1))
            after = {p: e for p, e in seen(out).items() if "/.attachprep/" not in p}
            made_out = {p for p in after if not folders or p.startswith(os.path.join(out, "made") + os.sep)}
            if len(made_out) != len(before):
                bad += 1
                print(f"FAULT  {len(before)} made, {len(made_out)} outputs")
            kinds = collections.Counter(entry.get("File:FileType", "?") for entry in after.values())
            for path, entry in sorted(after.items()):
                faults = left(entry) + [f"{m!r} in its bytes" for m in marks(path) if path in made_out]
                bad += bool(faults)
                if faults:
                    print(f"FAULT  {os.path.relpath(path, out)}: {'; '.join(faults)[:300]}")
            print(f"--animation {way}: {len(after)} outputs looked at: "
                  + ", ".join(f"{n} {kind}" for kind, n in kinds.most_common()), flush=True)
    print(f"{bad} faults")
    sys.exit(1 if bad else 0)


main()
