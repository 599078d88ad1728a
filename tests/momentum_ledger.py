#!/usr/bin/env python3
"""Proves: what a record says that acted is what moved its bodies. Momentum and angular momentum of every body, over
every step and at every border of two steps, of links of robots too, are those that gravity, contacts and joints give,
each at one point of both bodies.
Oracle: Newton's and Euler's laws of the recorded numbers alone, as docs/record-format.md describes them; no code of
this project is used.
Usage: momentum_ledger.py RIGOR SOURCE_DIR, or momentum_ledger.py RECORD to print the residuals of one."""
import bisect
import json
import math
import pathlib
import sqlite3
import struct
import subprocess
import sys
import tempfile


def add(*vs): return tuple(map(sum, zip(*vs)))
def sub(a, b): return (a[0] - b[0], a[1] - b[1], a[2] - b[2])
def mul(s, a): return (s * a[0], s * a[1], s * a[2])
def dot(a, b): return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
def norm(a): return math.sqrt(dot(a, a))
def cross(a, b): return (a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0])


def rotation(q):
    w, x, y, z = (c / math.sqrt(sum(d * d for d in q)) for c in q)
    return ((1 - 2*(y*y + z*z), 2*(x*y - w*z), 2*(x*z + w*y)), (2*(x*y + w*z), 1 - 2*(x*x + z*z), 2*(y*z - w*x)),
            (2*(x*z - w*y), 2*(y*z + w*x), 1 - 2*(x*x + y*y)))


def turn(R, a): return tuple(dot(row, a) for row in R)
def turn_back(R, a): return tuple(sum(R[i][k] * a[i] for i in range(3)) for k in range(3))


def bezier(points, u):
    n = len(points) - 1
    weights = [math.comb(n, i) * (1-u)**(n-i) * u**i for i in range(n + 1)]
    return tuple(sum(b * x[k] for b, x in zip(weights, points)) for k in range(len(points[0])))


class Piece:
    def __init__(self, step, t0, t1, p, q, v0, v1):
        self.step, self.t0, self.t1, self.p, self.q, self.v0, self.v1 = step, t0, t1, p, q, v0, v1

    def pose(self, t):
        u = (t - self.t0) / (self.t1 - self.t0)
        return bezier(self.p, u), rotation(bezier(self.q, u))


def documented_reader():
    """The reader of docs/record-format.md, which also gives steps and velocities here."""
    page = (pathlib.Path(__file__).parent.parent / "docs" / "record-format.md").read_text()
    code = page.split("```python\n")[1].split("```")[0]
    for old, new in (("SELECT t0, t1, motions", "SELECT step, t0, t1, motions"),
                     ("for t0, t1, blob in", "for step, t0, t1, blob in"),
                     ("yield body, t0, t1, p, q", "yield body, step, t0, t1, p, q, v0, v1")):
        assert code.count(old) == 1, old
        code = code.replace(old, new)
    names = {}
    exec(code, names)
    return names["pieces"]


def read_pieces(path, branch):
    found = {}
    for body, step, t0, t1, p, q, v0, v1 in documented_reader()(path, branch):
        found.setdefault(body, []).append(Piece(step, t0, t1, p, q, tuple(v0), tuple(v1)))
    return found


def read_actions(database, branch):
    """t0, t1, contacts (pair, axis, vertex, [(t, P)]), wrenches (source, robot, joint, [(t, P, moment, share
    that rounding may have taken)]), whether what other joints held follows."""
    for t0, t1, blob in database.execute("SELECT t0, t1, data FROM impulses WHERE branch = ? ORDER BY id", [branch]):
        at = 8
        contacts, wrenches = [], []
        n, m = struct.unpack_from("<II", blob)
        m, follow = m & 0x7fffffff, m >> 31
        for _ in range(n):
            pair, axis, vertex, k = struct.unpack_from("<IIII", blob, at)
            at += 16
            if k >> 31:
                k &= 0x7fffffff
                times, size = [t for t, *_ in contacts[-1][3]], 24
                impulses = [(times[i], *struct.unpack_from("<3d", blob, at + size*i)) for i in range(k)]
            else:
                size = 32
                impulses = [struct.unpack_from("<4d", blob, at + size*i) for i in range(k)]
            contacts.append((pair, axis, vertex, impulses))
            at += size * k
        for _ in range(m):
            head, = struct.unpack_from("<I", blob, at)
            at += 4
            if not head >> 27 & 1:
                k, = struct.unpack_from("<I", blob, at)
                times = struct.unpack_from(f"<{k}d", blob, at + 4)
                at += 4 + 8*k
            size = 5 if head >> 30 & 1 else 8
            impulses = []
            for t in times:
                six = []
                for flag in (28, 29):
                    if head >> flag & 1:
                        six += [0.0] * 3
                        continue
                    for i in range(3):
                        six.append(struct.unpack("<d", bytes(8 - size) + blob[at:at + size])[0])
                        at += size
                impulses.append((t, *six, 2**-29 if size == 5 else 0))
            wrenches.append((head >> 25 & 3, head >> 14 & 0x7ff, head & 0x3fff, impulses))
        assert at == len(blob)
        yield t0, t1, contacts, wrenches, follow


class Ledger:
    """One branch of a record, its residuals in m V and m V l: V^2 = g l, l the longest edge of a body's box."""

    def __init__(self, path, branch=1):
        database = sqlite3.connect(path)
        self.model = json.loads(database.execute("SELECT value FROM meta WHERE key = 'model'").fetchone()[0])
        self.bodies, self.g = self.model["bodies"], tuple(self.model["gravity"])
        for body in self.bodies:
            for part in body["parts"]:
                if "corners" in part: part["vertices"] = [body["points"][k] for k in part["corners"]]
        self.number = {body["name"]: i for i, body in enumerate(self.bodies)}
        if not database.execute("SELECT count(*) FROM branches WHERE number = ?", [branch]).fetchone()[0]:
            branch = database.execute("SELECT min(number) FROM branches").fetchone()[0]
        self.pieces = read_pieces(path, branch)
        self.starts = {b: [p.t0 for p in pieces] for b, pieces in self.pieces.items()}
        self.axes = {i: (kind, data) for i, kind, data in database.execute("SELECT id, kind, data FROM axes")}
        self.pairs = {row[0]: row[1:] for row in database.execute("SELECT * FROM pairs")}
        self.felt = {}  # (body, first instant of the step, whether it is a jump): [(x, P, moment, lost share)]
        self.contacts = self.wrenches = self.followed = 0
        self.outer_first = self.joints_outer_first()
        self.hinges = []  # (time, moment of a joint about its free axis, on the child)
        for action in read_actions(database, branch):
            self.act(*action)

    def joints_outer_first(self):
        parents = {j["child"]: j["parent"] for robot in self.model["robots"] for j in robot["joints"]}

        def depth(link):
            return 0 if link not in parents or parents[link] is None else 1 + depth(parents[link])
        joints = [(depth(j["child"]), r, i) for r, robot in enumerate(self.model["robots"])
                  for i, j in enumerate(robot["joints"]) if j["type"] != "floating"]
        return [(r, i) for _, r, i in sorted(joints, key=lambda joint: -joint[0])]

    def piece_at(self, body, t, starts):
        i = bisect.bisect_right(self.starts[body], t) - 1
        if not starts and i > 0 and self.starts[body][i] == t: i -= 1
        return self.pieces[body][max(i, 0)]

    def pose(self, body, t, starts):
        if body is None: return (0, 0, 0), rotation((1, 0, 0, 0))
        it = self.bodies[body]
        if it["fixed"]: return tuple(it["position"]), rotation(it["orientation"])
        return self.piece_at(body, t, starts).pose(t)

    def point(self, body, x, t, starts):
        p, R = self.pose(body, t, starts)
        centre = (0, 0, 0) if body is None or self.bodies[body]["fixed"] else self.bodies[body]["centre"]
        return add(p, turn(R, sub(x, centre)))

    def corner(self, body, part, k, t, starts, n=(0, 0, 0)):
        """A vertex; of a round solid, whose core's points are counted after its vertices, where it reaches along n."""
        part = self.bodies[body]["parts"][part]
        count = len(part["vertices"])
        if k < count: return self.point(body, part["vertices"][k], t, starts)
        shape = part["round"]
        if shape["axis"]:  # A cylinder: its caps are flat.
            axis = turn(self.pose(body, t, starts)[1], shape["axis"])
            n = sub(n, mul(dot(n, axis) / dot(axis, axis), axis))
        reach = shape["radius"] / norm(n) if norm(n) > 0 else 0
        return add(self.point(body, shape["core"][k - count], t, starts), mul(reach, n))

    def feel(self, body, t, t0, t1, x, P, moment, lost=0):
        if body is None or self.bodies[body]["fixed"]: return
        piece = self.piece_at(body, t, t0 == t1 or t == t0)
        self.felt.setdefault((body, piece.t0, t0 == t1), []).append((x, P, moment, lost))

    def act(self, t0, t1, contacts, wrenches, follow):
        for pair, axis, vertex, impulses in contacts:
            a, part_a, b, part_b = self.pairs[pair]
            kind, data = self.axes[axis]
            for t, *P in impulses:
                self.contacts += 1
                starts = t0 == t1 or t == t0
                corner = lambda body, part, k: self.corner(body, part, k, t, starts)
                if kind == 2:
                    a0, a1, b0, b1 = struct.unpack("<4i", data)
                    x = corner(a, part_a, a0)
                    e, y = sub(corner(a, part_a, a1), x), corner(b, part_b, b0)
                    f = sub(corner(b, part_b, b1), y)
                    n = cross(e, f)
                    x = add(x, mul(min(1, max(0, dot(cross(sub(y, x), f), n) / dot(n, n))), e))
                    x = add(x, sub(self.corner(a, part_a, a0, t, starts, n), corner(a, part_a, a0)))
                else:
                    owner, body, part, sign = (a, b, part_b, -1) if kind == 0 else (b, a, part_a, 1)
                    n = mul(sign, turn(self.pose(owner, t, starts)[1], struct.unpack("<3d", data)))
                    x = self.corner(body, part, vertex, t, starts, n)
                self.feel(b, t, t0, t1, x, tuple(P), (0, 0, 0))
                self.feel(a, t, t0, t1, x, mul(-1, P), (0, 0, 0))
        for source, robot, joint, impulses in wrenches:
            joint = self.model["robots"][robot]["joints"][joint]
            for t, *six, lost in impulses: self.twist(t0, t1, source, joint, t, tuple(six[:3]), tuple(six[3:]), lost)
        if not follow: return
        listed = {(robot, joint) for source, robot, joint, _ in wrenches if source == 0}
        touched = {body for pair, *_ in contacts for body in (self.pairs[pair][0], self.pairs[pair][2])}
        for robot, joint in self.outer_first:
            it = self.model["robots"][robot]["joints"][joint]
            child, t = self.number[it["child"]], t0 + 0.5 * (t1 - t0)
            if (robot, joint) in listed or child in touched or self.bodies[child]["fixed"]: continue
            piece = self.piece_at(child, t0, True)
            if (piece.t0, piece.t1) != (t0, t1): continue
            P, K, *_ = self.missing(child, piece, piece, False)
            moment = sub(K, cross(sub(self.point(child, (0, 0, 0), t, False), piece.pose(t0)[0]), P))
            self.twist(t0, t1, 0, it, t, P, moment, 0)
            self.followed += 1

    def twist(self, t0, t1, source, joint, t, P, moment, lost):
        """A wrench acts."""
        self.wrenches += 1
        child, parent = self.number[joint["child"]], self.number.get(joint["parent"])
        x = self.point(child, (0, 0, 0), t, t0 == t1 or t == t0)
        if source == 0 and joint["type"] == "revolute":
            R = self.pose(parent, t, t0 == t1 or t == t0)[1]
            axis = turn(R, turn(rotation(joint["orientation"]), joint["axis"]))
            self.hinges.append((t, dot(axis, moment) / norm(axis), child))
        self.feel(child, t, t0, t1, x, P, moment, lost)
        self.feel(parent, t, t0, t1, x, mul(-1, P), mul(-1, moment), lost)

    def size(self, body):
        corners = [v for part in self.bodies[body]["parts"] for v in part.get("vertices", [])]
        mass, inertia = self.bodies[body]["mass"], self.bodies[body]["inertia"]
        l = 1
        if corners: l = max(max(c) - min(c) for c in zip(*corners))
        elif mass > 0: l = math.sqrt(sum(inertia[:3]) / mass)
        fastest = max(norm(v[:3]) for p in self.pieces[body] for v in (p.v0, p.v1))
        return mass, l, math.sqrt(max(map(abs, self.g)) * l) or fastest or 1

    def spin(self, body, R, w):
        xx, yy, zz, xy, xz, yz = self.bodies[body]["inertia"]
        return turn(R, turn(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), turn_back(R, w)))

    def missing(self, body, first, last, jump):
        """What no impulse explains of a body's momentum and of its angular momentum about where its centre is first,
        and what of each the rounding of wrenches may be."""
        m = self.bodies[body]["mass"]
        v0, v1 = (first.v1, last.v0) if jump else (first.v0, last.v1)
        (p0, R0), (p1, R1) = (last.pose(last.t0),) * 2 if jump else (first.pose(first.t0), last.pose(last.t1))
        h = 0 if jump else last.t1 - first.t0
        mean = (0, 0, 0) if jump else tuple(sum(c) / len(c) for c in zip(*(sub(p, p0) for p in first.p)))
        P = sub(mul(m, sub(v1[:3], v0[:3])), mul(m * h, self.g))
        K = sub(self.spin(body, R1, v1[3:]), self.spin(body, R0, v0[3:]))
        K = sub(add(K, mul(m, cross(sub(p1, p0), v1[:3]))), mul(m * h, cross(mean, self.g)))
        lost_P = lost_K = 0
        for x, acted, moment, lost in self.felt.get((body, last.t0, jump), []):
            P, K = sub(P, acted), sub(sub(K, moment), cross(sub(x, p0), acted))
            lost_P += lost * norm(acted)
            lost_K += lost * (norm(moment) + norm(sub(x, p0)) * norm(acted))
        return P, K, lost_P, lost_K

    def residuals(self, bodies=None):
        """Largest of momentum and angular momentum, over steps and at jumps: {law: (residual, time, body)}."""
        worst = {}
        for body in self.pieces if bodies is None else bodies:
            m, l, V = self.size(body)
            if not m > 0: continue
            before = None
            for piece in self.pieces[body]:
                for jump in [True, False] if before else [False]:
                    P, K, lost_P, lost_K = self.missing(body, before if jump else piece, piece, jump)
                    for law, value in (("momentum", (norm(P) - lost_P) / (m*V)),
                                       ("angular momentum", (norm(K) - lost_K) / (m*V*l))):
                        law += " at jumps" if jump else ""
                        if not value <= worst.get(law, (0,))[0]: worst[law] = value, piece.t0, self.bodies[body]["name"]
                before = piece
        return worst


# Of the run's velocity tolerance, 2e-3 m/s at V = 1 m/s: what scaling of energy may take, and cuts of motions that
# another group ends.
STEP, JUMP = 1, 30
TOLERANCE = 2e-3
ROUNDING = 1e-9
# Of the tolerance, in m V l of the child alone, which may carry others: the moment about the axis of a joint without
# friction. Parts of a flight end on a quintic between the ends of its step.
HINGE = 5


def scene(bodies, **more):
    return json.dumps({"name": "crowd", "contact": {"friction": 0.4}, "bodies": bodies, **more})


def cubes(count, place, **more):
    cube = {"shape": {"box": {"size": [0.1, 0.1, 0.1]}}, **more}
    return [{"name": "c%d" % i, "mass": 1 + 0.2 * (i % 3), **cube, **place(i)} for i in range(count)]


def heap(i):
    """Cubes above each other in a narrow heap, tilted."""
    a = 0.9 * i
    return {"position": [0.02 * math.cos(a), 0.02 * math.sin(a), 0.12 + 0.16 * i],
            "rpy": [0.3 * math.sin(a), 0.2 * math.cos(2 * a), a]}


def swarm(i):
    """Two shells of cubes that meet in free space."""
    z, a = 1 - 2 * (i % 8 + 0.5) / 8, 2.4 * i
    out = [math.sqrt(1 - z * z) * math.cos(a), math.sqrt(1 - z * z) * math.sin(a), z]
    r = 0.3 if i < 8 else 0.52
    return {"position": [r * c for c in out], "velocity": [-0.5 * c * (1 if i < 8 else 1.4) for c in out],
            "angular_velocity": [math.sin(a), 2 * math.cos(3 * a), 1]}


def run(rigor, folder, scene, until):
    if isinstance(scene, str):
        (folder / "scene.yaml").write_text(scene)
        scene = folder / "scene.yaml"
    record = folder / "run.rigor"
    subprocess.run([rigor, "run", scene, "-o", record, "--until", str(until), "--force", "--quiet"], check=True)
    return Ledger(record)


def crowds(ledger):
    """Steps of twelve bodies or more."""
    together = {}
    for pieces in ledger.pieces.values():
        for piece in pieces: together[piece.step] = together.get(piece.step, 0) + 1
    return sum(1 for n in together.values() if n >= 12)


def expect(what, ledger, bodies=None):
    for law, (value, time, body) in ledger.residuals(bodies).items():
        bound = (JUMP if "jumps" in law else STEP) * TOLERANCE
        assert value <= bound, "%s: %s %g > %g of '%s' at %g s" % (what, law, value, bound, body, time)


def heaps(rigor, folder):
    ground = {"name": "ground", "fixed": True, "shape": {"halfspace": {"normal": [0, 0, 1], "offset": 0}}}
    ledger = run(rigor, folder, scene([ground] + cubes(14, heap)), 0.8)
    assert crowds(ledger) > 50 and ledger.contacts > 1000, (crowds(ledger), ledger.contacts)
    expect("heap", ledger)


def swarms(rigor, folder):
    ledger = run(rigor, folder, scene(cubes(16, swarm), gravity=[0, 0, 0]), 0.9)
    assert crowds(ledger) > 10, crowds(ledger)
    expect("swarm", ledger)
    # Nothing acts from outside: what all have together stays, about the world's origin.
    total = []
    for first in True, False:
        P, K = (0, 0, 0), (0, 0, 0)
        for body, pieces in ledger.pieces.items():
            piece, m = pieces[0 if first else -1], ledger.bodies[body]["mass"]
            v = piece.v0 if first else piece.v1
            p, R = piece.pose(piece.t0 if first else piece.t1)
            P, K = add(P, mul(m, v[:3])), add(K, ledger.spin(body, R, v[3:]), mul(m, cross(p, v[:3])))
        total.append((P, K))
    m, l, V = ledger.size(0)
    for a, b, unit in zip(total[0], total[1], (m * V, m * V * l)):
        assert norm(sub(b, a)) <= JUMP * TOLERANCE * unit, (total, norm(sub(b, a)) / unit)


def robots(rigor, source, folder):
    for name, until in ("chain-20", 0.3), ("triple-pendulum", 1), ("quadruped-drop", 0.5), ("quadruped-trot", 0.3):
        ledger = run(rigor, folder, source / "scenes" / (name + ".yaml"), until)
        joints = [joint for robot in ledger.model["robots"] for joint in robot["joints"]]
        assert joints and ledger.wrenches > 100 and ledger.followed > 50, (name, ledger.wrenches, ledger.followed)
        bases = {ledger.number[joint["child"]] for joint in joints if joint["type"] == "floating"}
        # The balance of a link is what its joint's impulse is: to rounding. Nothing but contacts holds a floating base:
        # that is the method's error.
        for law, (value, time, body) in ledger.residuals(set(ledger.pieces) - bases).items():
            assert value <= ROUNDING, "%s: %s %g of '%s' at %g s" % (name, law, value, body, time)
        expect(name, ledger, bases)
        # Where nothing touches; the error of steps in contact is the floating base's and its lightest links'.
        if bases or any(joint["damping"] or joint["friction"] or joint["stiffness"] for joint in joints): continue
        for time, moment, child in ledger.hinges:  # Actuators and limits are told apart: nothing is left about an axis.
            m, l, V = ledger.size(child)
            assert abs(moment) <= HINGE * TOLERANCE * m * l * V, (name, time, moment / (m * l * V))


def main(rigor, source):
    with tempfile.TemporaryDirectory() as folder:
        heaps(rigor, pathlib.Path(folder))
        swarms(rigor, pathlib.Path(folder))
        robots(rigor, source, pathlib.Path(folder))


if __name__ == "__main__":
    if len(sys.argv) == 3:
        main(sys.argv[1], pathlib.Path(sys.argv[2]))
    else:
        ledger = Ledger(sys.argv[1])
        print(ledger.contacts, "impulses at contacts,", ledger.wrenches, "at joints")
        for law, worst in ledger.residuals().items(): print(law, *worst)
