#!/usr/bin/env python3
"""Write the bundled scenes whose numbers are computed: generate.py [FOLDER], this file's folder by default.

Bodies that touch start GAP_SHARE nominal contact gaps apart (docs/scenes.md, solver.gap), so that nothing is moved
before the run. Numbers are written with all digits of a double.
"""
import math
import pathlib
import random
import sys

GAP_SHARE = 1.25


def nominal_gap(size):
    """Of a scene whose smallest moving part has this bounding-box diagonal [m]."""
    return min(1e-7 * size / math.sqrt(3), 1e-7)


def start_gap(edges):
    return GAP_SHARE * nominal_gap(math.hypot(*edges))


def numbers(values):
    return "[" + ", ".join(repr(float(v)).removesuffix(".0") for v in values) + "]"


def header(name, description, until, friction, model=None):
    impact = f"impact: {{model: {model}}}\n" if model else ""
    return (f"# Written by generate.py.\nname: {name}\ndescription: {description}\nuntil: {until}\n"
            f"contact: {{friction: {friction}, restitution: 0}}\n{impact}bodies:\n")


def plane(name="table", offset=0.0):
    return (f"  - name: {name}\n    fixed: true\n"
            f"    shape: {{halfspace: {{normal: [0, 0, 1], offset: {repr(offset).removesuffix('.0')}}}}}\n")


def body(name, shape, position, **fields):
    lines = [f"  - name: {name}", f"    shape: {shape}", f"    position: {numbers(position)}"]
    for key, value in fields.items():
        lines.append(f"    {key}: {numbers(value) if isinstance(value, (list, tuple)) else value}")
    return "\n".join(lines) + "\n"


def box(edges):
    return f"{{box: {{size: {numbers(edges)}}}}}"


def about_x(angle):
    return [math.cos(angle / 2), math.sin(angle / 2), 0, 0]


def about_y(angle):
    return [math.cos(angle / 2), 0, math.sin(angle / 2), 0]


def die_drumwright(name, friction, words):
    """Initial state of [Drumwright, True Rigidity]; y up there, z up here: (x, y, z) -> (x, -z, y), a quarter about x."""
    x, y, z = 0.68037543430941905, 1.7887658536381861, 0.56619844751721171
    qx, qy, qz, qw = 0.48596155737961688, 0.67030146332630813, -0.49248891274267798, -0.26831321964696792
    wx, wy, wz = 5.3645918962380801, -4.4445057839362443, 1.0793991159086112
    vx, vy, vz = -0.45205896275679436, 2.5774184952384882, -2.7043105441631337
    half = math.sqrt(0.5)  # The quarter turn (half, half, 0, 0) times q.
    q = [half * (qw - qx), half * (qx + qw), half * (qy - qz), half * (qz + qy)]
    return (header(name, f"The published 1 m die of the True Rigidity paper, {words}.", 10, friction) +
            plane("plane", -5e-6) +
            body("die", box([1, 1, 1]), [x, -z, y], mass=1, orientation=q, velocity=[vx, -vz, vy],
                 angular_velocity=[wx, -wz, wy]))


def stack_10():
    edge = 0.1
    gap = start_gap([edge] * 3)
    text = header("stack-10", "Ten boxes stacked on a table; they stay.", 10, 0.5) + plane()
    for i in range(10):
        text += body(f"box-{i + 1}", box([edge] * 3), [0, 0, edge / 2 + gap + i * (edge + gap)], mass=1)
    return text


class Card:
    """A card in the x-z plane: length along `along`, thickness along `normal`, `corner` its lowest edge."""

    def __init__(self, name, length, width, thickness, corner, angle, side):
        self.name, self.edges = name, [length, width, thickness]
        # side +1: rises to the right, the thickness to its upper left; -1: the mirror image.
        self.along = (side * math.cos(angle), math.sin(angle))
        self.normal = (-side * math.sin(angle), math.cos(angle))
        self.corner = corner
        # Local x is `along`, local z is `normal`: a turn about y by -angle, or by angle - pi mirrored in the box.
        self.turn = -angle if side > 0 else angle

    def point(self, s, n):
        return tuple(self.corner[i] + s * self.along[i] + n * self.normal[i] for i in range(2))

    def text(self):
        x, z = self.point(self.edges[0] / 2, self.edges[2] / 2)
        return body(self.name, box(self.edges), [x, 0, z], density=700, orientation=about_y(self.turn))


def frame(name, x, z, side, lean, prop, length, width, thickness, gap):
    """A card that leans to `side`, and one that props it: the prop's top edge rests on the leaning card's lower face, nine
    tenths up. The prop is narrower, so its edge ends inside that face; its length follows from its angle."""
    leaning = Card(f"{name}-lean", length, width, thickness, (x, z), lean, side)
    rest = leaning.point(0.9 * length, -gap)
    prop_length = (rest[1] - z) / math.sin(prop)
    foot = (rest[0] + side * prop_length * math.cos(prop), z)
    propping = Card(f"{name}-prop", prop_length, 0.8 * width, thickness, foot, prop, -side)
    return leaning, propping


def card_house():
    """Two storeys. Of a frame with lean a, prop b, weight 1 a card and load P on top, statics give the force on the leaning
    card N = (1/2 + P) cos a / 0.9 and the friction there T/N = (cos b / (2 N) + cos(a + b)) / sin(a + b): 0.21 above (P = 0),
    -0.34 below (P = 1.5); the feet need at most 0.42. Friction 0.8 leaves a margin."""
    thickness, length, width = 0.001, 0.09, 0.06
    gap = start_gap([length, width, thickness])
    degrees = math.pi / 180
    # Loaded frames want the shallower prop: the load's push is then nearly along it.
    left = frame("left", 0, gap, -1, 70 * degrees, 58 * degrees, length, width, thickness, gap)
    right = frame("right", 0.0184, gap, +1, 70 * degrees, 58 * degrees, length, width, thickness, gap)
    # The storey's card lies on the top edges of the leaning cards, wider than they are.
    tops = [card.point(length, thickness) for card in (left[0], right[0])]
    floor_z = tops[0][1] + gap
    middle = (tops[0][0] + tops[1][0]) / 2
    storey = body("storey", box([0.11, 1.1 * width, thickness]), [middle, 0, floor_z + thickness / 2], density=700)
    top_z = floor_z + thickness + gap
    span = frame("top", 0, top_z, +1, 70 * degrees, 70 * degrees, length, width, thickness, gap)
    foot = (span[0].corner[0] + span[1].corner[0]) / 2
    top = frame("top", middle - foot, top_z, +1, 70 * degrees, 70 * degrees, length, width, thickness, gap)
    return (header("card-house", "A house of seven cards in two storeys; it stands by friction alone.", 5, 0.8) + plane() +
            "".join(card.text() for card in left + right) + storey + "".join(card.text() for card in top))


def arch():
    """A semicircular arch, mean radius 1, thickness 0.2 (it needs 0.1075 to stand). Voussoirs of exactly 180/25 degrees,
    moved outwards by e: neighbouring faces are then parallel, 2 e sin(half an angle) apart."""
    count, inner, outer, width = 25, 0.9, 1.1, 0.2
    half = math.pi / count / 2
    corners = [(r * math.cos(a) - 1, y, r * math.sin(a)) for a in (-half, half) for r in (inner, outer)
               for y in (-width / 2, width / 2)]
    edges = [max(c[i] for c in corners) - min(c[i] for c in corners) for i in range(3)]
    gap = start_gap(edges)
    out = gap / (2 * math.sin(half))
    text = header("arch", "A semicircular arch of 25 voussoirs without mortar; it stands.", 5, 0.7) + plane("ground")
    for i in range(count):
        angle = (2 * i + 1) * half
        shape = "&voussoir {hull: {vertices: [" + ", ".join(numbers(c) for c in corners) + "]}}" if i == 0 else "*voussoir"
        position = [(1 + out) * math.cos(angle), 0, (1 + out) * math.sin(angle) + gap / 2]
        text += body(f"voussoir-{i + 1}", shape, position, density=2000, orientation=about_y(-angle))
    return text


def rocking_block():
    """Half base 1, half height 4: every impact multiplies the rate by 1 - 3/2 sin^2(atan(1/4)) = 0.911765 [Housner63]."""
    tilt = 0.1
    gap = start_gap([2, 1, 8])
    c, s = math.cos(tilt), math.sin(tilt)
    # The right bottom edge, (1, -4) in the block, stands at (1, gap).
    position = [1 - (c - 4 * s), 0, gap + s + 4 * c]
    return (header("rocking-block", "Housner's block, base 2 and height 8, rocks from a tilt of 0.1 rad; the rate ratio of an "
                   "impact is 0.911765.", 20, "no-slip",
                   # Planar: of the set of outcomes, the one that treats both corners of the edge alike.
                   model="anitescu-potra") + plane("ground") +
            body("block", box([2, 1, 8]), position, density=1, orientation=about_y(tilt)))


def flat_drop():
    text = header("flat-drop", "Five dice dropped flat, with tilts of 0, 1e-6, 1e-5, 1e-4 and 1e-3 rad.", 1, 0.3) + plane()
    for i, tilt in enumerate([0, 1e-6, 1e-5, 1e-4, 1e-3]):
        text += body(f"die-{i + 1}", box([0.1] * 3), [0.3 * i, 0, 0.15], mass=1,
                     rpy=[tilt, 0.6 * tilt, 0])
    return text


def ball_in_cup():
    """Bottom and eight overlapping walls of 1 mm."""
    thickness, radius, height, walls = 0.001, 0.05, 0.2, 8
    length = 2 * (radius + thickness) * math.tan(math.pi / walls)
    parts = [f"        - {{shape: {box([2.4 * radius, 2.4 * radius, thickness])}, position: {numbers([0, 0, -thickness / 2])}}}"]
    for i in range(walls):
        angle = 2 * math.pi * i / walls
        r = radius + thickness / 2
        parts.append(f"        - {{shape: {box([thickness, length, height])}, "
                     f"position: {numbers([r * math.cos(angle), r * math.sin(angle), height / 2])}, "
                     f"rpy: {numbers([0, 0, angle])}}}")
    return (header("ball-in-cup", "A ball of 20 vertices rattles at 20 m/s in a cup with walls of 1 mm.", 1, 0.1) +
            "  - name: cup\n    fixed: true\n    restitution: 0.9\n    shape:\n      compound:\n" + "\n".join(parts) + "\n" +
            body("ball", "{sphere: {radius: 0.01, vertices: 20}}", [0.01, 0.005, 0.03], density=1000,
                 velocity=[18, 8, -2], angular_velocity=[30, -20, 50]))


def pile_100():
    """Cubes with random orientations on a grid wide enough that no two touch."""
    numbers_of = random.Random(1)
    edge, pitch, wall, inner, height = 0.1, 0.18, 0.02, 0.5, 0.8
    text = header("pile-100", "A hundred cubes fall into an open box and settle.", 5, 0.4)
    half = inner + wall / 2
    walls = [([2 * (inner + wall), 2 * (inner + wall), wall], [0, 0, -wall / 2])]
    for sign in (-1, 1):
        walls.append(([wall, 2 * (inner + wall), height], [sign * half, 0, height / 2]))
        walls.append(([2 * (inner + wall), wall, height], [0, sign * half, height / 2]))
    text += "  - name: bin\n    fixed: true\n    shape:\n      compound:\n"
    for edges, position in walls:
        text += f"        - {{shape: {box(edges)}, position: {numbers(position)}}}\n"
    for i in range(100):
        layer, row, column = i // 25, i // 5 % 5, i % 5
        q = [numbers_of.gauss(0, 1) for _ in range(4)]
        text += body(f"cube-{i + 1}", box([edge] * 3), [(column - 2) * pitch, (row - 2) * pitch, 0.15 + layer * pitch], mass=1,
                     orientation=q)
    return text


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__)
    folder = folder if folder.is_dir() else folder.parent
    scenes = {
        "die-drumwright": die_drumwright("die-drumwright", 1, "friction 1"),
        "die-drumwright-no-slip": die_drumwright("die-drumwright-no-slip", "no-slip", "without slip"),
        "die-drumwright-0.3": die_drumwright("die-drumwright-0.3", 0.3, "friction 0.3"),
        "die-drumwright-0": die_drumwright("die-drumwright-0", 0, "without friction"),
        "stack-10": stack_10(), "card-house": card_house(), "arch": arch(), "rocking-block": rocking_block(),
        "flat-drop": flat_drop(), "ball-in-cup": ball_in_cup(), "pile-100": pile_100(),
    }
    for name, text in scenes.items():
        (folder / f"{name}.yaml").write_text(text)


if __name__ == "__main__":
    main()
