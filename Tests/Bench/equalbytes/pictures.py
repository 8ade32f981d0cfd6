"""The fixed list of pictures: a folder of photographs, scikit-image's, and mock-ups of screens and pages drawn here."""
import os

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from .scores import digest

SCIKIT = ("motorcycle_right camera retina ihc moon brick grass gravel coins color cell clock_motion phantom horse logo"
          " chessboard_GRAY chessboard_RGB microaneurysms").split()
FONTS = "/usr/share/fonts/truetype/dejavu"
WORDS = ("the quick brown fox jumps over a lazy dog while seven wizards pack my box with five dozen jugs of liquid"
         " oxygen and vex nobody").split()


def font(size, face="Sans"):
    return ImageFont.truetype(f"{FONTS}/DejaVu{face}.ttf", size)


def words(start, count):
    """A line of text that is another for each start, and the same in every run."""
    return " ".join(WORDS[(start * 7 + index * (1 + start % 5)) % len(WORDS)] for index in range(count))


def chat():
    """A phone's screen: bubbles in flat colours on white."""
    page = Image.new("RGB", (1170, 2532), "#ffffff")
    pen = ImageDraw.Draw(page)
    pen.rectangle((0, 0, 1170, 250), "#f2f2f7")
    pen.text((585, 180), "Alex", "#000000", font(48, "Sans-Bold"), anchor="mm")
    pen.text((60, 180), "<", "#007aff", font(64), anchor="mm")
    y = 300
    for turn in range(13):
        lines = 1 + turn * 3 % 4
        mine = turn % 3 != 1
        box = (360, y, 1130, y + 60 + 54 * lines) if mine else (40, y, 810, y + 60 + 54 * lines)
        pen.rounded_rectangle(box, 40, ("#34c759" if turn % 2 else "#007aff") if mine else "#e9e9eb")
        for line in range(lines):
            pen.text((box[0] + 36, y + 28 + 54 * line), words(turn + line, 6)[:34], "#ffffff" if mine else "#000000",
                     font(38))
        y = box[3] + (24 if mine else 60)
    return page


def editor():
    """A desktop editor, dark, its words in many colours."""
    page = Image.new("RGB", (1920, 1080), "#1e1e1e")
    pen = ImageDraw.Draw(page)
    pen.rectangle((0, 0, 300, 1080), "#252526")
    pen.rectangle((0, 1050, 1920, 1080), "#007acc")
    colours = ("#569cd6", "#dcdcaa", "#9cdcfe", "#ce9178", "#6a9955", "#c586c0", "#d4d4d4", "#f44747")
    for row in range(43):
        y = 12 + row * 24
        if row < 40:
            pen.text((24, y), words(row, 3), "#cccccc", font(16))
        pen.text((320, y), f"{row + 1:3d}", "#858585", font(18, "SansMono"))
        x = 380 + 40 * (row * 5 % 4)
        for place, word in enumerate(words(row + 3, 5 + row % 9).split()):
            pen.text((x, y), word, colours[(row + place * 3) % len(colours)], font(18, "SansMono"))
            x += 11 * (len(word) + 1)
    return page


def red():
    """Saturated text on black at one pixel's precision, which halved chroma smears."""
    page = Image.new("RGB", (1038, 780), "#000000")
    pen = ImageDraw.Draw(page)
    colours = ("#ff0000", "#ff0000", "#0000ff", "#ff00ff", "#00ff00", "#ff0000")
    y = 10
    for row in range(34):
        size = 12 + row * 7 % 20
        pen.text((16, y), words(row, 14), colours[row % len(colours)], font(size))
        y += size + 6
    return page


def chart():
    """Bars, lines and a legend in saturated colours on white."""
    page = Image.new("RGB", (1600, 1000), "#ffffff")
    pen = ImageDraw.Draw(page)
    colours = ("#e6194b", "#3cb44b", "#4363d8", "#f58231", "#911eb4", "#008080")
    pen.text((800, 40), "Sales by region and month", "#222222", font(36, "Sans-Bold"), anchor="mm")
    for step in range(9):
        pen.line((100, 900 - step * 100, 1560, 900 - step * 100), "#dddddd", 1)
        pen.text((90, 900 - step * 100), str(step * 25), "#444444", font(20), anchor="rm")
    for month in range(12):
        for place, colour in enumerate(colours[:3]):
            height = 120 + (month * 83 + place * 217) % 560
            x = 120 + month * 120 + place * 30
            pen.rectangle((x, 900 - height, x + 26, 900), colour)
        pen.text((162 + month * 120, 925), f"M{month + 1}", "#444444", font(20), anchor="mm")
    for place, colour in enumerate(colours[3:]):
        line = [(120 + at * 40, 500 + 250 * np.sin(at / (3 + place) + place * 2)) for at in range(36)]
        pen.line(line, colour, 3)
        pen.text((1320, 90 + place * 34), f"{place + 1} {words(place, 2)}", colour, font(24))
    return page


def letter():
    """A printed page: black text, blue links, a grey box, a red stamp."""
    page = Image.new("RGB", (1240, 1754), "#fdfdfb")
    pen = ImageDraw.Draw(page)
    pen.text((120, 110), "Minutes of the meeting", "#111111", font(44, "Serif-Bold"))
    pen.rectangle((120, 1180, 1120, 1420), "#eeeeee", "#999999")
    for row in range(44):
        link = row % 11 == 5
        pen.text((140, 200 + row * 33), words(row, 12)[:78], "#0645ad" if link else "#1a1a1a",
                 font(23, "Serif" if row % 7 else "Serif-Bold"))
    pen.ellipse((860, 1480, 1120, 1700), outline="#c00000", width=8)
    pen.text((990, 1590), "PAID", "#c00000", font(56, "Sans-Bold"), anchor="mm")
    return page


DRAWN = {"drawn-chat": chat, "drawn-editor": editor, "drawn-red-on-black": red, "drawn-chart": chart,
         "drawn-letter": letter}


def sources(folder):
    """Name and maker of each picture; a name counts once."""
    found = {}
    for name in sorted(os.listdir(folder)):
        if name[0] != "." and name.rsplit(".", 1)[-1].lower() in ("jpg", "jpeg", "png"):
            found.setdefault(os.path.splitext(name)[0], f"{folder}/{name}")
    import skimage
    data = os.path.join(os.path.dirname(skimage.__file__), "data")
    for name in SCIKIT:
        path = next(p for p in (f"{data}/{name}.png", f"{data}/{name}.jpg") if os.path.exists(p))
        found.setdefault(name, path)
    return {**found, **DRAWN}


def opaque(source):
    picture = source() if callable(source) else Image.open(source)
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        picture = picture.convert("RGBA")
        picture = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)
    return picture.convert("RGB")


def fitted(picture, box):
    """Brought into the box, if it is larger, in linear light with Lanczos."""
    scale = min(1, box / picture.width, box / picture.height)
    if scale == 1:
        return picture
    size = (max(1, int(picture.width * scale + 0.5)), max(1, int(picture.height * scale + 0.5)))
    levels = np.asarray(picture, dtype=np.float32) / 255
    light = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
    planes = [Image.fromarray(light[..., c].astype(np.float32)).resize(size, Image.LANCZOS) for c in range(3)]
    light = np.clip(np.stack([np.asarray(p) for p in planes], 2), 0, 1)
    levels = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return Image.fromarray((levels * 255 + 0.5).astype(np.uint8))


class Picture:
    """A picture at a box's size as PNG and PPM, which every encoder gets."""

    def __init__(self, name, source, box, cache):
        self.name, self.box = name, box
        self.drawn = callable(source) or name in ("page", "text", "color", "logo", "chessboard_RGB")
        stem = f"{cache}/{box}-{name}"
        self.png, self.ppm = stem + ".png", stem + ".ppm"
        if not os.path.exists(self.ppm):
            picture = fitted(opaque(source), box)
            # All get the same values as sRGB, whatever profile the photograph had.
            picture.save(self.png, compress_level=1, icc_profile=None)
            picture.save(self.ppm + ".part", format="PPM")
            os.replace(self.ppm + ".part", self.ppm)
        with Image.open(self.ppm) as picture:
            self.width, self.height = picture.size
        data = self.pixels()
        self.digest = digest(data + str(self.width).encode())
        self.grey = data[0::3] == data[1::3] == data[2::3]

    def pixels(self):
        with Image.open(self.ppm) as picture:
            return picture.tobytes()


def pictures(folder, boxes, cache, only=None):
    """The list at each box; a picture that is the same in a smaller box is left to that one."""
    smaller = {box: max((b for b in boxes if b < box), default=0) for box in boxes}
    for name, source in sources(folder).items():
        if only and name not in only:
            continue
        for box in boxes:
            picture = Picture(name, source, box, cache)
            if max(picture.width, picture.height) > smaller[box]:
                yield picture
