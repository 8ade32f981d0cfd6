#!/usr/bin/env python3
"""How full budgets get: photographs at eight budgets each, as one Markdown table.

    Tests/Bench/fill.py --attachprep .build/release/attachprep --pictures DIR [--effort default]

Counts every output that a budget limits, shrunk or not; those limited by quality or source leave room on purpose. Then
come budgets that no picture fits, which must end with `over-budget`. Ends with status 1 where a file has more bytes
than its budget, a fill is below 98.5 % (or 99.5 % on average), or an impossible budget gives anything else.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

BUDGETS = (10, 20, 30, 50, 80, 120, 200, 300)
IMPOSSIBLE = (1, 100, 200)


def prepare(attachprep, source, budget, effort, folder):
    out = f"{folder}/o.jpg"
    if os.path.exists(out):
        os.remove(out)
    made = subprocess.run(
        [attachprep, "prepare", source, "--output", out, "--max-bytes", str(budget), "--effort", effort, "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    record = json.loads(made.stdout)
    return (os.path.getsize(out) if os.path.exists(out) else None), record["outputs"][0]


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--attachprep", default=".build/release/attachprep")
    words.add_argument("--pictures", required=True)
    words.add_argument("--names", help="only these files of the folder")
    words.add_argument("--effort", default="default")
    asked = words.parse_args()
    names = asked.names.split(",") if asked.names else sorted(
        name for name in os.listdir(asked.pictures) if name[0] != "." and not name.endswith(".md"))
    fills, faults = [], []
    print("| picture | " + " | ".join(f"{budget} KB" for budget in BUDGETS) + " |")
    print("|---" * (len(BUDGETS) + 1) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            cells = []
            for budget in (1000 * b for b in BUDGETS):
                picture = os.path.join(asked.pictures, name)
                size, output = prepare(asked.attachprep, picture, budget, asked.effort, folder)
                if size is None or size > budget:
                    faults.append(f"{name} at {budget}: {output['error'] or size}")
                    cells.append("✗")
                    continue
                limit = output["encoding"]["limitedBy"]
                if limit == "budget":
                    fills.append(size / budget)
                    if fills[-1] < 0.985:
                        faults.append(f"{name} at {budget}: {fills[-1]:.4f}")
                share = f"{100 * size / budget:.2f}"
                cells.append(f"{share} ({output['width']} px)" if limit == "budget" else f"{limit}")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
        for budget in IMPOSSIBLE:
            size, output = prepare(
                asked.attachprep, os.path.join(asked.pictures, names[0]), budget, asked.effort, folder)
            if size is not None or output["error"]["code"] != "over-budget":
                faults.append(f"{budget} bytes: {size} {output['error']}")
    mean = sum(fills) / max(1, len(fills))
    if mean < 0.995:
        faults.append(f"mean fill {mean:.4f}")
    print(f"\n{len(fills)} files limited by the budget: mean fill {100 * mean:.2f} %, least {100 * min(fills):.2f} %; "
          f"{len(faults)} faults")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
