#!/usr/bin/env python3
"""Write the robots of the bundled scenes: generate_robots.py [FOLDER], `robots` beside this file by default.

Masses and lengths of the quadruped, the chains and the triple pendulum are those of the publications named in
docs/scenes.md; the others are round numbers.
"""
import math
import pathlib
import sys

HEADER = "<?xml version=\"1.0\"?>\n<!-- Written by generate_robots.py. -->\n"


def text(values):
    return " ".join(repr(round(float(v), 12)).removesuffix(".0") for v in values)


def box_inertia(mass, size):
    x, y, z = size
    return mass / 12 * (y * y + z * z), mass / 12 * (x * x + z * z), mass / 12 * (x * x + y * y)


def cylinder_inertia(mass, radius, length):
    side = mass / 12 * (3 * radius * radius + length * length)
    return side, side, mass * radius * radius / 2


def link(name, mass=0.0, inertia=(0, 0, 0), centre=(0, 0, 0), collisions=()):
    lines = [f"  <link name=\"{name}\">"]
    if mass:
        ixx, iyy, izz = (repr(float(f"{i:.15g}")) for i in inertia)
        lines += ["    <inertial>", f"      <origin xyz=\"{text(centre)}\"/>", f"      <mass value=\"{mass!r}\"/>",
                  f"      <inertia ixx=\"{ixx}\" ixy=\"0\" ixz=\"0\" iyy=\"{iyy}\" iyz=\"0\" izz=\"{izz}\"/>",
                  "    </inertial>"]
    for shape, centre_of_shape, rpy in collisions:
        for kind in ("visual", "collision"):
            lines += [f"    <{kind}>", f"      <origin xyz=\"{text(centre_of_shape)}\" rpy=\"{text(rpy)}\"/>",
                      f"      <geometry>{shape}</geometry>", f"    </{kind}>"]
    return "\n".join(lines + ["  </link>"]) + "\n"


def joint(name, kind, parent, child, at=(0, 0, 0), axis=None, limits=None, dynamics=""):
    lines = [f"  <joint name=\"{name}\" type=\"{kind}\">", f"    <parent link=\"{parent}\"/>",
             f"    <child link=\"{child}\"/>", f"    <origin xyz=\"{text(at)}\"/>"]
    if axis:
        lines.append(f"    <axis xyz=\"{text(axis)}\"/>")
    if limits:
        lower, upper, effort, velocity = limits
        lines.append(f"    <limit lower=\"{lower}\" upper=\"{upper}\" effort=\"{effort}\" velocity=\"{velocity}\"/>")
    if dynamics:
        lines.append(f"    <dynamics {dynamics}/>")
    return "\n".join(lines + ["  </joint>"]) + "\n"


def robot(name, parts):
    return HEADER + f"<robot name=\"{name}\">\n" + "".join(parts) + "</robot>\n"


def box(size):
    return f"<box size=\"{text(size)}\"/>"


def cylinder(radius, length):
    return f"<cylinder radius=\"{radius}\" length=\"{length}\"/>"


def sphere(radius):
    return f"<sphere radius=\"{radius}\"/>"


def sphere_mesh(radius, count):
    """A golden-angle spiral in one quadrant, mirrored at x = 0 and y = 0 so that left and right, front and hind feet
    touch a plane in the same instant. The hull is the reader's. No faces: it is a set of points."""
    golden = math.pi * (3 - math.sqrt(5))
    lines = [f"# Written by generate_robots.py: {count} vertices on a sphere of radius {radius} m, "
             "symmetric in x and y"]
    for i in range(count // 4):
        z = 1 - (2 * i + 1) / (count // 4)
        r, turn = math.sqrt(1 - z * z), (golden * (i + .5) % (2 * math.pi)) / 4
        for x, y in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            lines.append("v " + " ".join(repr(radius * c) for c in (x * r * math.cos(turn), y * r * math.sin(turn), z)))
    return "\n".join(lines) + "\n"


def quadruped():
    """The LINKS robot: legs stretched along x at zero; front +x, hind -x, left +y, right -y. The foot is a link of its
    own without mass: its frame is the foot's centre; the shank's figures are those of shank and foot."""
    parts = [link("base", 2.6, (.005833, .003033, .008633),
                  collisions=[(box((.155, .150, .035)), (0, 0, 0), (0, 0, 0))])]
    limits = (-3.1, 3.1, 7.3, 15)
    for leg, x, y in (("lf", 1, 1), ("rf", 1, -1), ("lh", -1, 1), ("rh", -1, -1)):
        z = -.005 if x > 0 else -.0065
        along_x = (0, math.pi / 2, 0)
        parts += [
            link(f"{leg}_hip", .1, (1.5e-5, 2.833e-5, 2.833e-5), (x * .025, 0, 0)),
            link(f"{leg}_thigh", .1, (1.083e-5, 1.233e-4, 1.275e-4), (x * .0385, 0, 0),
                 [(cylinder(.006, .06), (x * .0385, 0, 0), along_x)]),
            link(f"{leg}_shank", .1, (5e-7, 3.358e-5, 3.358e-5), (x * .05, 0, 0),
                 [(cylinder(.004, .075), (x * .05, 0, 0), along_x)]),
            link(f"{leg}_foot", collisions=[("<mesh filename=\"foot.obj\"/>", (0, 0, 0), (0, 0, 0))]),
            joint(f"{leg}_hip", "revolute", "base", f"{leg}_hip", (x * .0775, y * .0625, 0), (x, 0, 0), limits),
            joint(f"{leg}_thigh", "revolute", f"{leg}_hip", f"{leg}_thigh", (x * .025, 0, z), (0, y, 0), limits),
            joint(f"{leg}_knee", "revolute", f"{leg}_thigh", f"{leg}_shank", (x * .077, 0, 0), (0, y, 0), limits),
            joint(f"{leg}_ankle", "fixed", f"{leg}_shank", f"{leg}_foot", (x * .100, 0, 0)),
        ]
    return robot("quadruped", parts)


def chain(count, length, width, density):
    """Boxes along x, hinged at their ends about y (z is up here, y in the paper), the first one in the world."""
    size = (length, width, width)
    mass = density * length * width * width
    parts = [link("world")]
    for i in range(count):
        middle = (length / 2, 0, 0)
        parts += [link(f"link{i}", mass, box_inertia(mass, size), middle, [(box(size), middle, (0, 0, 0))]),
                  joint(f"joint{i}", "continuous", f"link{i - 1}" if i else "world", f"link{i}",
                        (length if i else 0, 0, 0), (0, 1, 0))]
    return robot(f"chain-{count}", parts)


def pendulum(name, lengths, mass, radius, tip=None):
    """Rods that hang along -z, hinged about y at the origin of the root link `world`; `tip`: radius, mass of a ball."""
    parts = [link("world")]
    for i, length in enumerate(lengths):
        middle = (0, 0, -length / 2)
        parts += [link(f"rod{i}", mass, cylinder_inertia(mass, radius, length), middle,
                       [(cylinder(radius, length), middle, (0, 0, 0))]),
                  joint(f"joint{i}", "continuous", f"rod{i - 1}" if i else "world", f"rod{i}",
                        (0, 0, -lengths[i - 1] if i else 0), (0, 1, 0))]
    if tip:
        r, m = tip
        last = len(lengths) - 1
        i = 2 / 5 * m * r * r
        parts += [link("ball", m, (i, i, i), collisions=[(sphere(r), (0, 0, 0), (0, 0, 0))]),
                  joint("tip", "fixed", f"rod{last}", "ball", (0, 0, -lengths[last]))]
    return robot(name, parts)


def compass():
    """Two straight legs of 1 m on a hip that a guide keeps upright and in the plane of x and z; feet are edges along
    y."""
    foot, half = .03, .03 / math.sqrt(2)
    parts = [link("world"), link("guide"),
             link("hip", 10.0, box_inertia(10, (.1, .3, .1)), collisions=[(box((.1, .3, .1)), (0, 0, 0), (0, 0, 0))]),
             joint("forward", "prismatic", "world", "guide", axis=(1, 0, 0), limits=(-100, 100, 0, 0)),
             joint("upward", "prismatic", "guide", "hip", axis=(0, 0, 1), limits=(-100, 100, 0, 0))]
    for leg, y in (("left", .1), ("right", -.1)):
        parts += [link(f"{leg}_leg", 5.0, cylinder_inertia(5, .02, .5), (0, 0, -.5),
                       [(cylinder(.02, .84), (0, 0, -.5), (0, 0, 0))]),
                  link(f"{leg}_foot", .1, box_inertia(.1, (foot, foot, foot)),
                       collisions=[(box((foot, foot, foot)), (0, 0, 0), (0, math.pi / 4, 0))]),
                  joint(f"{leg}_hip", "revolute", "hip", f"{leg}_leg", (0, y, 0), (0, 1, 0), (-1.2, 1.2, 50, 20)),
                  joint(f"{leg}_ankle", "fixed", f"{leg}_leg", f"{leg}_foot", (0, 0, half - 1))]
    return robot("compass", parts)


def gripper():
    """A palm on a vertical slide, two fingers that close along y, joint zero: 0.1 m open."""
    palm, finger = (.06, .24, .03), (.04, .02, .1)
    parts = [link("world"),
             link("palm", 1.0, box_inertia(1, palm), collisions=[(box(palm), (0, 0, 0), (0, 0, 0))]),
             joint("lift", "prismatic", "world", "palm", (0, 0, 0), (0, 0, 1), (-.5, .5, 200, 2))]
    for side, y in (("left", 1), ("right", -1)):
        parts += [link(f"{side}_finger", .2, box_inertia(.2, finger), (0, y * .01, -.05),
                       [(box(finger), (0, y * .01, -.05), (0, 0, 0))]),
                  joint(f"{side}_finger", "prismatic", "palm", f"{side}_finger", (0, y * .05, -.016), (0, -y, 0),
                        (-.04, .049, 50, .5))]
    return robot("gripper", parts)


def main(folder):
    files = {
        "quadruped.urdf": quadruped(), "foot.obj": sphere_mesh(.01, 1000),
        "chain-20.urdf": chain(20, 5, 2, 10), "chain-100.urdf": chain(100, 1, .1, 10),
        "pendulum.urdf": pendulum("pendulum", [1], 1.0, .02),
        "double-pendulum.urdf": pendulum("double-pendulum", [.5, .5], 1.0, .02),
        "triple-pendulum.urdf": pendulum("triple-pendulum", [1, 1, 1], 1.0, .1, (.25, 1.0)),
        "compass.urdf": compass(), "gripper.urdf": gripper(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(content)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "robots")
