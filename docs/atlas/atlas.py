#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Maps of families of impacts: how large the exact set is, and which models' outcomes lie outside it, by how much.

    docs/atlas/atlas.py RIGOR [--cells N] [-o FOLDER]

RIGOR is the program. Each cell of a map is one planar impact with two contacts: `rigor impact --bounds` gives its exact
set, `--model all` the outcomes of the models, each held against the set (outside_exact_set), and the model `compliant`
springs of nine ratios of stiffness. Writes FAMILY-MAP.svg and prints what it found. Exit code 1: an impact without an
exact set, or one whose springs end outside it.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys

RATIOS = [10.0**k for k in range(-4, 5)]
# Below this, relative to the largest contact speed before, an outcome counts as inside: springs end by a tolerance.
INSIDE = 1e-4


def rocking_block(shape, mu):
    """A block of height to width `shape` lands flat on both lower corners, at 1 m/s."""
    half, height = 0.5, 0.5 * shape
    inertia = (half**2 + height**2) / 3
    return {"mass_matrix": [[1, 0, 0], [0, 1, 0], [0, 0, inertia]], "normal": [[0, 1, -half], [0, 1, half]],
            "tangent": [[[1, 0, height]], [[1, 0, height]]], "friction": [mu, mu], "velocity": [0, -1, 0]}


def block_and_wall(tilt, mu):
    """A square block, tilted by `tilt` degrees, stands on a corner and slides into a wall at 1 m/s."""
    def corner(angle):
        return [math.sqrt(0.5) * part(math.radians(angle)) for part in (math.cos, math.sin)]
    (x, y), (_, wall_y) = corner(tilt - 135), corner(tilt - 45)
    wall_x = corner(tilt - 45)[0]
    return {"mass_matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1 / 6]], "normal": [[0, 1, x], [-1, 0, wall_y]],
            "tangent": [[[1, 0, -y]], [[0, -1, -wall_x]]], "friction": [mu, mu], "velocity": [1, 0, 0]}


def geometric(low, high, count):
    return [low * (high / low)**(k / (count - 1)) for k in range(count)]


FAMILIES = {
    "rocking-block": (rocking_block, lambda n: geometric(0.1, 5, n), "height / width"),
    "block-and-wall": (block_and_wall, lambda n: [5 + 80 * k / (n - 1) for k in range(n)], "tilt [deg]"),
}


def ask(rigor, problem, *arguments):
    done = subprocess.run([rigor, "impact", "-", "--json", *arguments], input=json.dumps(problem), text=True,
                          capture_output=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def outside(answer):
    """Largest distance of an outcome from the set, relative to the largest contact speed before; none: no answer."""
    if not answer or not answer.get("outcomes"):
        return None
    return max(outcome.get("outside_exact_set", 0.0) for outcome in answer["outcomes"])


def study(rigor, problem):
    cell = {"size": None}
    bounds = ask(rigor, problem, "--bounds")
    if not bounds or not bounds["exact"]:
        return cell
    cell["size"] = max(c["outer"][1] for c in bounds["coordinates"] if c["name"].startswith("vn"))
    models = ask(rigor, problem, "--model", "all", "--samples", "50")
    for answer in models["models"] if models else []:
        if answer["model"] != "routh":
            cell[answer["model"]] = outside(answer)
    springs = [outside(ask(rigor, problem, "--model", "compliant", "--option", f"stiffness=1,{ratio:g}"))
               for ratio in RATIOS]
    found = [value for value in springs if value is not None]
    cell["compliant"] = max(found) if found else None
    return cell


def colour(value, top):
    if value is None:
        return "#dddddd"
    share = min(1.0, value / top) if top > 0 else 0.0
    return "#%02x%02x%02x" % tuple(round(255 + share * (deep - 255)) for deep in (0, 79, 138))


def draw(path, title, rows, xs, ys, x_name, y_name, top):
    side, left, upper = 30, 70, 40
    width, height = left + side * len(xs) + 20, upper + side * len(ys) + 60
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
           f'font-size="11">', f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<text x="{left}" y="20" font-size="13">{title}</text>']
    for j, y in enumerate(ys):
        line = upper + side * (len(ys) - 1 - j)
        out.append(f'<text x="{left - 6}" y="{line + 19}" text-anchor="end">{y:.2g}</text>')
        for i, x in enumerate(xs):
            value = rows[j][i]
            text = "no answer" if value is None else f"{value:.4g}"
            out.append(f'<rect x="{left + side * i}" y="{line}" width="{side - 1}" height="{side - 1}" '
                       f'fill="{colour(value, top)}"><title>{x_name} {x:.3g}, {y_name} {y:.3g}: {text}</title></rect>')
    for i, x in enumerate(xs):
        out.append(f'<text x="{left + side * i + 14}" y="{upper + side * len(ys) + 14}" text-anchor="middle">{x:.2g}'
                   '</text>')
    out.append(f'<text x="{left}" y="{height - 26}">across: {x_name}; up: {y_name}</text>')
    out.append(f'<text x="{left}" y="{height - 10}">white: 0; full colour: {top:.3g}; grey: no answer</text></svg>')
    path.write_text("\n".join(out) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rigor")
    parser.add_argument("--cells", type=int, default=10)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent)
    arguments = parser.parse_args()
    folder, holds = arguments.output, True
    folder.mkdir(parents=True, exist_ok=True)
    for name, (make, shapes, shape_name) in FAMILIES.items():
        xs, ys = shapes(arguments.cells), geometric(0.05, 3, arguments.cells)
        cells = [[study(arguments.rigor, make(x, mu)) for x in xs] for mu in ys]
        flat = [cell for row in cells for cell in row]
        sizes = [cell["size"] for cell in flat if cell["size"] is not None]
        print(f"{name}: {len(flat)} impacts, {len(sizes)} exact sets, largest lift {max(sizes):.4g}, none in "
              f"{sum(size < 1e-9 for size in sizes)}")
        draw(folder / f"{name}-size.svg", f"{name}: largest lift of a contact in the exact set [m/s]",
             [[cell["size"] for cell in row] for row in cells], xs, ys, shape_name, "friction", max(sizes))
        for model in ("anitescu-potra", "sequential", "propagative", "plus", "compliant"):
            known = [cell[model] for cell in flat if cell.get(model) is not None]
            out = [value for value in known if value > INSIDE]
            holds = holds and (model != "compliant" or (not out and len(known) == len(sizes) == len(flat)))
            print(f"  {model}: {len(known)} answers, {len(out)} outside, by at most {max(known, default=0):.3g}")
            if out:
                draw(folder / f"{name}-{model}.svg", f"{name}: how far {model} lies outside the exact set",
                     [[cell.get(model) for cell in row] for row in cells], xs, ys, shape_name, "friction", max(known))
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
