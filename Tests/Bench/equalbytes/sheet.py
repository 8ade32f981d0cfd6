"""Contact sheets of the worst pictures: the reference, ours and the best of the others, at one pixel for one."""
import io
import os

import numpy as np
from PIL import Image, ImageDraw
from scipy import ndimage

from .pictures import font
from .report import best_rival, lead

CROP = (380, 280)
HEAD = 40


def levels(jpeg):
    return Image.open(io.BytesIO(jpeg)).convert("RGB")


def difference(picture, other):
    """Squared difference from the reference, as felt over about a block's size."""
    a, b = (np.asarray(image, dtype=np.float32) for image in (picture, other))
    return ndimage.uniform_filter(((a - b) ** 2).sum(2), 9)


def worst_window(error, size):
    """The corner of the window with the greatest sum."""
    width, height = min(CROP[0], size[0]), min(CROP[1], size[1])
    sums = np.pad(error.astype(np.float64), ((1, 0), (1, 0))).cumsum(0).cumsum(1)
    whole = sums[height:, width:] - sums[:-height, width:] - sums[height:, :-width] + sums[:-height, :-width]
    y, x = np.unravel_index(np.argmax(whole), whole.shape)
    return int(x), int(y), int(x) + width, int(y) + height


def strip(cell, metric, column, by_lead):
    rival = best_rival(cell, metric)
    reference = Image.open(cell.picture.ppm)
    pictures = [reference, levels(cell.files[column]), levels(cell.files[rival])]
    error = difference(reference, pictures[1])
    if by_lead:
        error = error - difference(reference, pictures[2])
    window = worst_window(error, reference.size)
    show = lambda name: (f"{cell.scores[metric][name]:.2f}" if metric == "ssimulacra2"
                         else f"{cell.scores[metric][name][0]:.3f}")
    heads = [f"{cell.name()}\nlead {lead(cell, metric, column):+.3f}, at {window[0]}, {window[1]}",
             f"{column}: {show(column)}\n{cell.notes[column]}", f"{rival}: {show(rival)}\n{cell.notes[rival]}"]
    page = Image.new("RGB", (3 * CROP[0] + 20, CROP[1] + HEAD + 8), "#808080")
    pen = ImageDraw.Draw(page)
    for place, (picture, head) in enumerate(zip(pictures, heads)):
        x = place * (CROP[0] + 10)
        pen.text((x + 4, 4), head, "#ffffff", font(14))
        page.paste(picture.crop(window), (x, HEAD))
    return page


def sheet(cells, metric, column, by_lead, path):
    """The ten pictures whose worst cell is worst, one cell of each."""
    rank = (lambda cell: lead(cell, metric, column)) if by_lead else (
        lambda cell: cell.scores[metric][column] if metric == "ssimulacra2" else -cell.scores[metric][column][0])
    chosen = {}
    for cell in sorted(cells, key=rank):
        chosen.setdefault(cell.picture.name, cell)
    strips = [strip(cell, metric, column, by_lead) for cell in list(chosen.values())[:10]]
    page = Image.new("RGB", (strips[0].width, sum(part.height for part in strips)))
    y = 0
    for part in strips:
        page.paste(part, (0, y))
        y += part.height
    page.save(path)
    print(f"{path}: {page.width} x {page.height}")


def draw(cells, effort, folder):
    column = f"ours, {effort}"
    os.makedirs(folder, exist_ok=True)
    for metric in ("ssimulacra2", "butteraugli"):
        able = [cell for cell in cells
                if cell.binds and column in cell.files and lead(cell, metric, column) is not None]
        if able:
            sheet(able, metric, column, True, f"{folder}/{metric}-leads.png")
            sheet(able, metric, column, False, f"{folder}/{metric}-scores.png")
