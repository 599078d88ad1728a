#!/usr/bin/env python3
"""Write the bundled scenes whose numbers are computed: generate.py [FOLDER], this file's folder by default.

Bodies that touch start GAP_SHARE nominal contact gaps apart (docs/scenes.md, solver.gap), so that nothing is moved
before the run. Numbers are written with all digits of a double.
"""
import math
import pathlib
import random
import sys
import textwrap

GAP_SHARE = 1.25


def nominal_gap(size):
    """Of a scene whose smallest moving part has this bounding-box diagonal [m]."""
    return min(1e-7 * size / math.sqrt(3), 1e-7)


def start_gap(edges):
    return GAP_SHARE * nominal_gap(math.hypot(*edges))


def numbers(values):
    return "[" + ", ".join(repr(float(v)).removesuffix(".0") for v in values) + "]"


def header(name, description, until, friction, model=None, restitution=0, free=False, about=""):
    """`about`: a paragraph that goes on top; `free`: without gravity."""
    impact = f"impact: {{model: {model}}}\n" if model else ""
    gravity = "gravity: [0, 0, 0]\n" if free else ""
    paragraph = "".join(f"# {line}\n" for line in textwrap.wrap(" ".join(about.split()), 118))
    return (f"# Written by generate.py.\n{paragraph}name: {name}\ndescription: {description}\n{gravity}until: {until}\n"
            f"contact: {{friction: {friction}, restitution: {restitution}}}\n{impact}bodies:\n")


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
    """Initial state of [Drumwright, True Rigidity]; y up there, z up here: (x, y, z) -> (x, -z, y), a quarter about
    x."""
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
    """A card that leans to `side`, and one that props it: the prop's top edge rests on the leaning card's lower face,
    nine tenths up. The prop is narrower, so its edge ends inside that face; its length follows from its angle."""
    leaning = Card(f"{name}-lean", length, width, thickness, (x, z), lean, side)
    rest = leaning.point(0.9 * length, -gap)
    prop_length = (rest[1] - z) / math.sin(prop)
    foot = (rest[0] + side * prop_length * math.cos(prop), z)
    propping = Card(f"{name}-prop", prop_length, 0.8 * width, thickness, foot, prop, -side)
    return leaning, propping


def card_house():
    """Two storeys. Of a frame with lean a, prop b, weight 1 a card and load P on top, statics give the force on the
    leaning card N = (1/2 + P) cos a / 0.9 and the friction there T/N = (cos b / (2 N) + cos(a + b)) / sin(a + b): 0.21
    above (P = 0), -0.34 below (P = 1.5); the feet need at most 0.42. Friction 0.8 leaves a margin."""
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
    return (header("card-house", "A house of seven cards in two storeys; it stands by friction alone.", 5, 0.8)
            + plane() +
            "".join(card.text() for card in left + right) + storey + "".join(card.text() for card in top))


def arch():
    """A semicircular arch, mean radius 1, thickness 0.2 (it needs 0.1075 to stand). Voussoirs of exactly 180/25
    degrees, moved outwards by e: neighbouring faces are then parallel, 2 e sin(half an angle) apart."""
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
        shape = "&voussoir {hull: {vertices: [" + ", ".join(map(numbers, corners)) + "]}}" if i == 0 else "*voussoir"
        position = [(1 + out) * math.cos(angle), 0, (1 + out) * math.sin(angle) + gap / 2]
        text += body(f"voussoir-{i + 1}", shape, position, density=2000, orientation=about_y(-angle))
    return text


def rocking_block():
    """Half base 1, half height 4: every impact multiplies the rate by 1 - 3/2 sin^2(atan(1/4)) = 0.911765
    [Housner63]."""
    tilt = 0.1
    gap = start_gap([2, 1, 8])
    c, s = math.cos(tilt), math.sin(tilt)
    # The right bottom edge, (1, -4) in the block, stands at (1, gap).
    position = [1 - (c - 4 * s), 0, gap + s + 4 * c]
    return (header("rocking-block",
                   "Housner's block, base 2 and height 8, rocks from a tilt of 0.1 rad; the rate ratio of an "
                   "impact is 0.911765.", 20, "no-slip",
                   # Planar: of the set of outcomes, the one that treats both corners of the edge alike.
                   model="anitescu-potra") + plane("ground") +
            body("block", box([2, 1, 8]), position, density=1, orientation=about_y(tilt)))


def flat_drop():
    text = header("flat-drop", "Five dice dropped flat, with tilts of 0, 1e-6, 1e-5, 1e-4 and 1e-3 rad.", 1, 0.3)
    text += plane()
    for i, tilt in enumerate([0, 1e-6, 1e-5, 1e-4, 1e-3]):
        text += body(f"die-{i + 1}", box([0.1] * 3), [0.3 * i, 0, 0.15], mass=1,
                     rpy=[tilt, 0.6 * tilt, 0])
    return text


def ball_in_cup():
    """Bottom and eight overlapping walls of 1 mm."""
    thickness, radius, height, walls = 0.001, 0.05, 0.2, 8
    length = 2 * (radius + thickness) * math.tan(math.pi / walls)
    parts = [f"        - {{shape: {box([2.4 * radius, 2.4 * radius, thickness])}, "
             f"position: {numbers([0, 0, -thickness / 2])}}}"]
    for i in range(walls):
        angle = 2 * math.pi * i / walls
        r = radius + thickness / 2
        parts.append(f"        - {{shape: {box([thickness, length, height])}, "
                     f"position: {numbers([r * math.cos(angle), r * math.sin(angle), height / 2])}, "
                     f"rpy: {numbers([0, 0, angle])}}}")
    return (header("ball-in-cup", "A ball of 20 vertices rattles at 20 m/s in a cup with walls of 1 mm.", 1, 0.1) +
            "  - name: cup\n    fixed: true\n    restitution: 0.9\n    shape:\n      compound:\n"
            + "\n".join(parts) + "\n" +
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
        text += body(f"cube-{i + 1}", box([edge] * 3), [(column - 2) * pitch, (row - 2) * pitch, 0.15 + layer * pitch],
                     mass=1,
                     orientation=q)
    return text


def rocking_block_flat():
    """Halm and Posa's block, 1 x 2, dropped by 10 mm, with a depth."""
    edges = [1, 0.6, 2]
    return (header("rocking-block-flat",
                   "A block lands flat on the four corners of its base; rest or rocking, to any side.", 2, 1,
                   about="""Simultaneous solvers (one linear complementarity problem for all corners) let it stop
                   dead; solvers that visit the corners in turn let it rock, to a side that depends on the order of
                   their list. The set has both: it stops, or leaves with any corner or edge raised, up to the rates
                   of the sequential answers: eight outcomes that differ by more than the tolerance, up to 0.13 m/s
                   apart. Measured in others: ODE stops it and pushes it out of the ground again at 0.01 m/s; Bullet
                   lets it rest within 0.01 m/s at steps of 1 ms and rock at 0.1 m/s at 0.1 ms, to a side that a tilt
                   of 1e-6 rad decides.""") + plane("ground") +
            body("block", box(edges), [0, 0, 1.01], mass=1))


def box_and_wall():
    """Halm and Posa's box: it slides on an edge, tilted by 10 degrees, and meets the wall with the opposite edge."""
    edges, tilt = [1, 1, 1], 10 * math.pi / 180
    gap = start_gap(edges)
    c, s = math.cos(tilt) / 2, math.sin(tilt) / 2
    # Turned about y by `tilt`: the lowest edge is the local (1/2, -1/2), the foremost (1/2, 1/2).
    low, front = c + s, c + s
    return (header("box-and-wall", "A tilted box that slides on an edge runs into a wall with another.", 0.5, 1,
                   about="""Edge on the floor, edge against the wall, friction 1: most solvers return the one answer
                   in which the box jams or climbs, whichever their iteration reaches first. The set lies between
                   them: how much of the wall's impulse the floor's friction takes up first decides whether the floor
                   edge sticks, slides or lifts: eight outcomes, up to 0.15 m/s apart. Measured in others: both stop
                   the box within 0.03 m/s at steps of 1 ms; a tilt of 1e-6 rad changes that by 0.4 m/s in Bullet and
                   0.16 m/s in ODE.""") +
            plane("floor") +
            "  - name: wall\n    fixed: true\n    shape: {halfspace: {normal: [-1, 0, 0], offset: 0}}\n" +
            body("box", box(edges), [-front - 0.001, 0, low + gap], mass=1, orientation=about_y(tilt),
                 velocity=[1, 0, 0]))


def stacked_cylinders():
    """Cylinders of twelve sides that lie along y. The lower ones stand on faces and offer a face at 30 degrees from the
    vertical; the upper one, turned by half a side, meets those with an edge each."""
    sides, radius, length = 12, 0.1, 0.3
    half = math.pi / sides
    apothem = radius * math.cos(half)
    edges = [2 * radius, 2 * radius, length]
    gap = start_gap(edges)

    def prism(phase):
        points = [(radius * math.cos(phase + 2 * half * k), y, radius * math.sin(phase + 2 * half * k))
                  for k in range(sides) for y in (-length / 2, length / 2)]
        return "{hull: {vertices: [" + ", ".join(numbers(p) for p in points) + "]}}"

    # Half the distance of the lower axes, so that the line to the upper axis is 30 degrees from the vertical.
    reach, drop = apothem + radius, 0.02
    apart = reach * math.sin(math.pi / 6)
    return (header("stacked-cylinders", "A cylinder falls onto two that lie side by side; they roll apart or stop.",
                   0.5, 0.5,
                   about="""Disk stacking in three dimensions: the falling cylinder hits both lower ones at once, and
                   each of those is pressed against the floor. One-shot solvers keep the symmetry; solvers that work
                   through a list of contacts break it. The set has symmetric and lopsided answers, with the lower
                   cylinders held by friction or driven apart: eight outcomes of twelve contacts. Measured in others:
                   Bullet drives the lower ones apart at 0.01 m/s; in ODE the upper one leaves sideways at 0.07 m/s,
                   and the bodies listed in reverse change that by 0.09 m/s.""") +
            plane("floor") +
            body("left", prism(half), [-apart, 0, apothem + gap], mass=5) +
            body("right", prism(half), [apart, 0, apothem + gap], mass=5) +
            body("upper", prism(0), [0, 0, apothem + gap + reach * math.cos(math.pi / 6) + drop], mass=5))


BALL = 0.03  # Radius of a ball [m].
BALL_FACE = BALL * math.cos(math.pi / 12) * math.cos(math.pi / 12)  # From its centre to an upright face.


def ball(points):
    """A ball of flat faces, twelve around: upright faces at 0, 30, 60, ... degrees, and a vertex on top of those at
    `points` [degrees]. Vertex on face, two balls touch in one point on the line of their centres."""
    degree = math.pi / 180
    vertices = []
    for latitude in (15, 45, 75):
        for k in range(12):
            r, angle = BALL * math.cos(latitude * degree), (15 + 30 * k) * degree
            for sign in (-1, 1):
                vertices.append((r * math.cos(angle), r * math.sin(angle), sign * BALL * math.sin(latitude * degree)))
    vertices += [(BALL * math.cos(a * degree), BALL * math.sin(a * degree), 0) for a in points]
    return "{hull: {vertices: [" + ", ".join(numbers(v) for v in vertices) + "]}}"


def billiard_break():
    """The cue ball's vertex meets the first ball's face; that one's two vertices touch the faces of the two behind."""
    gap = start_gap([2 * BALL] * 3) * 1.05
    reach = BALL + BALL_FACE + gap
    c, s = math.cos(math.pi / 6), math.sin(math.pi / 6)
    return (header("billiard-break", "A cue ball breaks a rack of three touching balls.", 0.4, 0, restitution=0.9,
                   free=True,
                   about="""Newton's law with all contacts at once, impacts in sequence and springs give three
                   different breaks, and which of two equal balls goes faster depends on the order of a list. The set
                   holds them: how the first ball's impulse is shared between those behind it, and how much of it
                   comes back to the cue ball, is open: 20 outcomes, up to 1 m/s apart. Measured in others: the cue
                   ball goes on at 1.0, back at 0.36 or back at 1.1 m/s in Bullet, at steps of 0.1 ms, 1 ms and 1/60
                   s; in ODE it comes back at 0.37 m/s and the first ball goes on at 0.12 m/s. Without gravity.""")
            +
            body("cue", ball([0]), [-reach - 0.1, 0, 0], mass=0.17, velocity=[3, 0, 0]) +
            body("first", ball([30, -30]), [0, 0, 0], mass=0.17) +
            body("left", ball([]), [reach * c, reach * s, 0], mass=0.17) +
            body("right", ball([]), [reach * c, -reach * s, 0], mass=0.17))


def newtons_cradle():
    count = 5
    gap = start_gap([2 * BALL] * 3)
    reach = BALL + BALL_FACE + gap
    text = header("newtons-cradle", "A ball hits a row of four that touch; restitution 1.", 0.3, 0, restitution=1,
                  free=True,
                  about="""The cradle without its strings, in free space. Newton's restitution at all contacts at
                  once lets the first ball bounce back and the row move off together; impacts in sequence pass the
                  speed on to the last ball, as the toy does. The set of restitution at arbitrary relative rates
                  holds both, and what lies between: 41 outcomes, up to 0.38 m/s apart. Measured in others: in ODE
                  the last ball leaves at 1 m/s, one ball a step; in Bullet all five move off together at 0.2 m/s
                  (steps of 1 ms, four fifths of the energy lost, restitution 1 notwithstanding) or the first comes
                  back at 0.59 m/s (1/60 s).""")
    for i in range(count):
        x = i * reach - (0.05 if i == 0 else 0)
        text += body(f"ball-{i + 1}", ball([0]), [x, 0, 0], mass=0.1, **({"velocity": [1, 0, 0]} if i == 0 else {}))
    return text


BRICK = [0.25, 0.12, 0.065]


def brick_one_corner():
    # Turned so that one corner is lowest by far; its height over the floor is that of the flat brick's drop.
    yaw, pitch, roll = 0, math.pi / 6, math.pi / 4
    low = min(-math.sin(pitch) * x + math.cos(pitch) * (math.sin(roll) * y + math.cos(roll) * z)
              for x in (-0.125, 0.125) for y in (-0.06, 0.06) for z in (-0.0325, 0.0325))
    return (header("brick-one-corner",
                   "A sliding brick lands on one corner; one contact has one outcome, until its edges come down.", 0.6,
                   0.3,
                   about="""The counterpart of brick-four-corners. The first impact has one contact, so every
                   inelastic rigid-body model agrees up to its friction cone, and the tree does not fork there. It
                   does where an edge or a face comes down onto several corners while others already touch. The slip
                   turns while the corner is compressed, and the sampler's random steps follow that to 0.02 m/s
                   (below 0.001 with `impact: {step: 0.01}`). Measured in others: after the first impact Bullet is
                   0.08 m/s from that outcome at steps of 1 ms, ODE 0.10 m/s.""") + plane("floor") +
            body("brick", box(BRICK), [0, 0, 0.05 - low], mass=3, rpy=[roll, pitch, yaw], velocity=[0.5, 0.2, 0]))


def brick_four_corners():
    return (header("brick-four-corners",
                   "A sliding brick lands flat on four corners; twelve constraints on six degrees of freedom.",
                   0.6, 0.3,
                   about="""Simultaneous solvers let the brick slide on with its face down; solvers that visit
                   corners in turn tip it, by the order of their list. The set: any of the four corners, or two
                   neighbours, lift at any rate up to the sequential one, and the plane landing: two outcomes within
                   the tolerance. Measured in others: ODE lets it slide on at 0.17 m/s and lifts it out of the floor
                   at 0.07 m/s; Bullet tips it, by 0.13 m/s otherwise with a tilt of 1e-6 rad.""") + plane("floor") +
            body("brick", box(BRICK), [0, 0, 0.05 + BRICK[2] / 2], mass=3, velocity=[0.5, 0.2, 0]))


def die_on_face():
    return (header("die-on-face", "A die dropped flat on a face while it turns slowly; which corners lift is open.",
                   0.8, 0.3,
                   about="""Four corners meet the table in the same instant, up to rounding. Engines give one answer,
                   mostly the dead stop, and a tilt of a millionth of a degree would give another: see flat-drop. The
                   set has them all: 14 outcomes, up to 0.29 m/s apart. Measured in others: ODE stops all motion but
                   a rise of 0.16 m/s out of the table, 1 mm deep; Bullet gives it 2 rad/s and 0.15 m/s upwards, and
                   0.26 m/s of that depend on a tilt of 1e-6 rad.""") + plane() +
            body("die", box([0.1] * 3), [0, 0, 0.15], mass=1, velocity=[0.3, 0.1, 0], angular_velocity=[0, 0, 1]))


def cubes_30():
    """Rows in brick bond: a cube that moves on hits two."""
    edge, between = 0.1, 0.002
    text = header("cubes-30",
                  "A cube flies into 29 equal ones in brick bond; where they go is open from the first hit on.", 0.5,
                  0.2, restitution=0.5, free=True,
                  about="""Face on face, so that every hit has up to eight contacts on two cubes, and one hit sets
                  off the next. Engines give one of the ways to disperse. The tree has a branch for each outcome that
                  differs by the tolerance: 85 of 100 samples of the first hit alone. Measured in others: Bullet and
                  ODE let the first cube stop and the two behind it share its speed evenly (0.7 to 1 m/s, with up to
                  2.6 rad/s); in Bullet the cubes numbered in reverse change that by 0.05 m/s. Without gravity.""")
    text += body("cube-1", box([edge] * 3), [-edge - 0.05, 0, 0], mass=1, velocity=[2, 0, 0])
    number = 2
    for row in range(6):
        count = 5 if row < 5 else 4
        # Neighbours in a row are far enough apart to turn; a cube covers the gap between two of the next row.
        pitch = edge + between
        offset = -(4 if row % 2 else 5) / 2 * pitch + (0.5 * pitch if row % 2 else 0)
        for k in range(count):
            text += body(f"cube-{number}", box([edge] * 3), [row * pitch, offset + k * pitch, 0], mass=1)
            number += 1
    return text


def compass_gait():
    """The walker of generate_robots.py, in the middle of a step; lean and swing are angles from the slope's normal."""
    slope, lean, swing, lean_rate, swing_rate = math.radians(3), -0.22, 0.29, 0.88, -0.13
    tilt, normal = (math.cos(slope), -math.sin(slope)), (math.sin(slope), math.cos(slope))  # x, z of the slope's axes.
    gap = start_gap([.1, .3, .1])  # The hip: legs are one body with their feet.
    along, up = math.sin(lean), math.cos(lean) + gap  # The hip, from the standing foot.
    speed = (lean_rate * math.cos(lean), -lean_rate * math.sin(lean))
    world = [[a * tilt[k] + b * normal[k] for k in (0, 1)] for a, b in ((along, up), speed)]
    stride, tiles, width, thickness = .551, 7, .12, .1
    text = header("compass-gait", "A passive biped walks down a slope of 3 degrees, driven by gravity alone.", 8, 1,
                  model="plus",
                  about="""Two straight legs, no motors (after McGeer, and Goswami, Thuilot and Espiau): each step
                  falls onto the next foot. Passing the standing leg, the swinging foot would scuff: its lane has a
                  slot there, as McGeer's walkers had. At heel strike two feet touch; the model has to let the
                  trailing one go.""")
    text = text.replace("bodies:\n", "")
    text += ("robots:\n  - name: walker\n    urdf: robots/compass.urdf\n"
             f"    joints: {{forward: {world[0][0]!r}, upward: {world[0][1]!r}, "
             f"left_hip: {lean + slope!r}, right_hip: {swing + slope!r}}}\n"
             f"    joint_velocities: {{forward: {world[1][0]!r}, upward: {world[1][1]!r}, left_hip: {lean_rate}, "
             f"right_hip: {swing_rate}}}\nbodies:\n")
    # Feet of a lane come down every second stride; its slots are where the other foot stands.
    text += f"  - name: slope\n    fixed: true\n    orientation: {numbers(about_y(slope))}\n"
    text += "    shape:\n      compound:\n"
    for lane, first in ((.1, 0), (-.1, -1)):
        for k in range(tiles):
            middle = (first + 2 * k) * stride - .095
            text += (f"        - {{shape: {box([2 * stride - .29, width, thickness])}, "
                     f"position: {numbers([round(middle, 12), lane, -thickness / 2])}}}\n")
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
        "rocking-block-flat": rocking_block_flat(), "box-and-wall": box_and_wall(),
        "stacked-cylinders": stacked_cylinders(),
        "billiard-break": billiard_break(), "newtons-cradle": newtons_cradle(), "brick-one-corner": brick_one_corner(),
        "brick-four-corners": brick_four_corners(), "die-on-face": die_on_face(), "cubes-30": cubes_30(),
        "compass-gait": compass_gait(),
    }
    for name, text in scenes.items():
        (folder / f"{name}.yaml").write_text(text)


if __name__ == "__main__":
    main()
