# SPDX-License-Identifier: MIT
"""Parts of scene files for the scripts that write scenes: a scene is a dictionary, and JSON is YAML."""
import math


def quaternion(r):
    """A rotation, uniformly at random."""
    q = [r.gauss(0, 1) for _ in range(4)]
    n = math.sqrt(sum(x * x for x in q))
    return [x / n for x in q]


def turned(axis, angle):
    s = math.sin(angle / 2)
    return [math.cos(angle / 2)] + [s * x for x in axis]


def box(x, y, z):
    return {"box": {"size": [x, y, z]}}


def ring(radius, thickness, height, parts):
    """A ring about z of `parts` hulls."""
    out = []
    for k in range(parts):
        a, b = 2 * math.pi * k / parts, 2 * math.pi * (k + 1) / parts
        corners = [[rho * math.cos(t), rho * math.sin(t), z] for rho in (radius, radius + thickness) for t in (a, b)
                   for z in (-height / 2, height / 2)]
        out.append({"shape": {"hull": {"vertices": corners}}})
    return {"compound": out}


def length_scale(text):
    """A length of the smallest body [m], from above; that of a link is taken as 0.1 m."""
    def extent(shape):
        (name, data), = shape.items()
        if name == "compound":
            return max(extent(part["shape"]) for part in data)
        if name == "box":
            return max(data["size"])
        if name == "hull":
            return max(max(c) - min(c) for c in zip(*data["vertices"]))
        return 2 * data["radius"]
    extents = [extent(b["shape"]) for b in text["bodies"] if not b.get("fixed")]
    return min(extents + [0.1] * bool(text.get("robots")))
