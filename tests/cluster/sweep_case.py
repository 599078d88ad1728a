# SPDX-License-Identifier: MIT
"""The sweep that the tests of clusters share out. Oracle: results.csv of the same sweep by itself, byte for byte."""
import subprocess
import time

SKIPPED = 77
PATIENCE = 120  # Seconds until something counts as hung.


class SweepCase:
    """A sweep file in `folder`, and its results on one machine."""

    def __init__(self, rigor, folder, runs, seed):
        self.rigor, self.folder = rigor, folder
        self.file = folder / "dice.yaml"
        self.file.write_text(f"""
scene: die
runs: {runs}
seed: {seed}
vary:
  bodies.die.orientation: {{rotation: uniform}}
  bodies.die.angular_velocity: {{normal: [[0, 0, 0], [8, 8, 8]]}}
results: [die.face_up, die.position, rest_time, steps]
""")
        self.sweep(self.file, "-o", folder / "alone")
        self.expected = (folder / "alone" / "results.csv").read_bytes()

    def sweep(self, *arguments):
        subprocess.run([self.rigor, "sweep", *arguments, "--quiet"], check=True)

    def part(self, shard):
        return self.folder / f"part{shard}"

    def require_same_bytes(self, shards):
        """Of the folders part1 to part`shards`, put together."""
        self.sweep("merge", *[self.part(shard) for shard in range(1, shards + 1)], "-o", self.folder / "together")
        same = (self.folder / "together" / "results.csv").read_bytes() == self.expected
        assert same, "the bytes differ from a sweep by itself"


def wait_until(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"{what}: nothing in {PATIENCE} s"
        time.sleep(0.2)
