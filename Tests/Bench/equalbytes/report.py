"""The tables: means, leads of each picture, losses."""
from .peers import JPEGLI, PROGRESSIVE, SEQUENTIAL, TURBO

RIVALS = (SEQUENTIAL, PROGRESSIVE, JPEGLI)
LOSS = -1.0


def lead(cell, metric, column):
    """How much better ours is than the better of mozjpeg and jpegli; None where there is nothing to compare."""
    scores = cell.scores[metric]
    rivals = [scores[name] for name in RIVALS if name in scores]
    if column not in scores or not rivals:
        return None
    return scores[column] - max(rivals) if metric == "ssimulacra2" else min(r[0] for r in rivals) - scores[column][0]


def best_rival(cell, metric):
    scores = {name: cell.scores[metric][name] for name in RIVALS if name in cell.scores[metric]}
    return (max if metric == "ssimulacra2" else min)(scores, key=scores.get)


def text(values):
    if isinstance(values[0], list):
        return " / ".join(f"{sum(value[i] for value in values) / len(values):.3f}" for i in range(len(values[0])))
    return f"{sum(values) / len(values):.2f}"


def average(values, digits=2, sign="+"):
    return f"{sum(values) / len(values):{sign}.{digits}f}" if values else "–"


def row(title, cells, metric, columns, column):
    whole = [cell for cell in cells if all(name in cell.scores[metric] for name in columns)]
    leads = [lead(cell, metric, column) for cell in cells if lead(cell, metric, column) is not None]
    fills = [cell.fill for cell in cells if cell.fill is not None]
    if not whole or not leads:
        return f"| {title} | {len(whole)} of {len(cells)} |" + " – |" * (len(columns) + 3)
    digits = 2 if metric == "ssimulacra2" else 3
    return (f"| {title} | {len(whole)} of {len(cells)} | "
            + " | ".join(text([cell.scores[metric][name] for cell in whole]) for name in columns)
            + f" | {average(leads, digits)} | {min(leads):+.{digits}f} | {average(fills, 4, '')} |")


def means(cells, metric, columns, column):
    print("| box, budget | in the means | " + " | ".join(columns) + " | mean lead | least lead | mean fill |")
    print("|---" * (len(columns) + 5) + "|")
    kinds = sorted({(-cell.picture.box, cell.budget) for cell in cells})
    for box, budget in kinds:
        chosen = [cell for cell in cells if (-cell.picture.box, cell.budget) == (box, budget)]
        print(row(f"{-box} px, {budget // 1000} KB", chosen, metric, columns, column))
    photos = [cell for cell in cells if not cell.picture.drawn]
    drawn = [cell for cell in cells if cell.picture.drawn]
    for title, chosen in (("photographs", photos), ("screens and text", drawn), ("all", cells)):
        print(row(title, chosen, metric, columns, column))


def leads(cells, metric, column):
    budgets = sorted({cell.budget for cell in cells})
    digits = 2 if metric == "ssimulacra2" else 3
    print("| picture | " + " | ".join(f"{budget // 1000} KB" for budget in budgets) + " |")
    print("|---" * (len(budgets) + 1) + "|")
    found = {(cell.picture.name, cell.picture.box, cell.budget): lead(cell, metric, column) for cell in cells}
    for name, box in dict.fromkeys(key[:2] for key in found):
        row = [found.get((name, box, budget)) for budget in budgets]
        print(f"| {name}, {box} px | " + " | ".join("" if x is None else f"{x:+.{digits}f}" for x in row) + " |")


def line(cell, metric, column):
    rival = best_rival(cell, metric)
    show = lambda score: f"{score:.2f}" if metric == "ssimulacra2" else f"{score[0]:.3f}"
    scores = cell.scores[metric]
    digits = 2 if metric == "ssimulacra2" else 3
    return (f"{lead(cell, metric, column):+.{digits}f} {cell.name()}: {show(scores[column])} ({cell.notes[column]})"
            f" against {show(scores[rival])}, {rival} ({cell.notes[rival]})")


def behind_plain(cells, column):
    """libjpeg-turbo is no rival, but where it is ahead something is wrong."""
    found = []
    for cell in cells:
        scores = cell.scores["ssimulacra2"]
        if column in scores and TURBO in scores and scores[column] < scores[TURBO]:
            found.append((scores[column] - scores[TURBO], cell))
    print(f"\nBehind plain libjpeg-turbo by SSIMULACRA2: {len(found)} cells; the worst ten:\n")
    for value, cell in sorted(found, key=lambda item: item[0])[:10]:
        print(f"- {value:+.2f} {cell.name()}: {cell.notes[column]} against {cell.notes[TURBO]}")


def tables(cells, efforts):
    column = f"ours, {efforts[0]}"
    shrunk = [cell.name() for cell in cells if cell.shrunk]
    cells = [cell for cell in cells if cell.binds and not cell.shrunk]
    for metric in ("ssimulacra2", "butteraugli"):
        if not any(cell.scores[metric] for cell in cells):
            continue
        names = [name for name in (TURBO, *RIVALS) if any(name in cell.scores[metric] for cell in cells)]
        columns = [column] + ([f"ours, {effort}" for effort in efforts[1:]] if metric == "ssimulacra2" else []) + names
        print("\n## SSIMULACRA2 (more is better)\n" if metric == "ssimulacra2" else
              "\n## butteraugli (less is better: 3-norm / greatest difference; leads are of the 3-norm)\n")
        means(cells, metric, columns, column)
        print("\nLead over the better of mozjpeg and jpegli, by picture:\n")
        leads(cells, metric, column)
        ranked = sorted((lead(cell, metric, column), index) for index, cell in enumerate(cells)
                        if lead(cell, metric, column) is not None)
        if metric == "ssimulacra2":
            lost = [cells[index] for value, index in ranked if value < LOSS]
            behind = sum(value < 0 for value, _ in ranked)
            print(f"\nLosses of more than {-LOSS}: {len(lost)} of {len(ranked)} cells ({behind} are behind at all)\n")
        else:
            lost = [cells[index] for _, index in ranked[:10]]
            behind = sum(value < 0 for value, _ in ranked)
            print(f"\nThe ten smallest leads; {behind} of {len(ranked)} cells are behind\n")
        for cell in lost:
            print("- " + line(cell, metric, column))
    behind_plain(cells, column)
    impossible = [cell.name() for cell in cells if lead(cell, "ssimulacra2", column) is None]
    fills = [cell.fill for cell in cells if cell.fill is not None]
    print(f"\nFill where the budget limits: mean {average(fills, 4, '')}, least {min(fills, default=0):.4f},"
          f" over the budget {sum(fill > 1 for fill in fills)} of {len(fills)}")
    print(f"Left out, ours or all rivals cannot keep these pixels within the budget: {'; '.join(impossible) or 'none'}")
    print(f"Left out, ours shrank: {'; '.join(shrunk) or 'none'}")
