# SPDX-License-Identifier: MIT
"""Diagrams of studies as SVG: lines with markers over logarithmic or linear axes."""
import math

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#888888"]
LEFT, TOP, WIDTH, HEIGHT, LEGEND = 70, 30, 420, 300, 180


class Axis:
    """Maps values to [0, 1]; logarithmic axes leave out what is not positive."""

    def __init__(self, values, logarithmic):
        self.logarithmic = logarithmic
        values = [v for v in (self.of(v) for v in values) if v is not None]
        low, high = (min(values), max(values)) if values else (0, 1)
        if logarithmic:
            low, high = math.floor(low + 1e-9), math.ceil(high - 1e-9)
        self.low, self.high = low, high if high > low else low + 1

    def of(self, value):
        if not math.isfinite(value) or (self.logarithmic and value <= 0):
            return None
        return math.log10(value) if self.logarithmic else value

    def place(self, value):
        at = self.of(value)
        return None if at is None else (at - self.low) / (self.high - self.low)

    def ticks(self):
        if self.logarithmic:
            stride = max(1, math.ceil((self.high - self.low) / 8))
            return [(10.0 ** k, f"1e{k}") for k in range(self.low, self.high + 1, stride)]
        size = 10 ** math.floor(math.log10((self.high - self.low) / 2))
        size *= 2 if (self.high - self.low) / size > 8 else 1
        first, last = math.ceil(self.low / size - 1e-9), math.floor(self.high / size + 1e-9)
        return [(k * size, f"{k * size:g}") for k in range(first, last + 1)]


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def write(path, title, x_label, y_label, curves, logarithmic=(True, True)):
    """`curves`: pairs of a name and its points (x, y). Lines are interrupted where a point has no place."""
    x_axis = Axis([x for _, points in curves for x, _ in points], logarithmic[0])
    y_axis = Axis([y for _, points in curves for _, y in points], logarithmic[1])

    def place(x, y):
        u, v = x_axis.place(x), y_axis.place(y)
        return None if u is None or v is None else (LEFT + u * WIDTH, TOP + (1 - v) * HEIGHT)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + LEGEND} {TOP + HEIGHT + 50}" '
           'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>',
           f'<text x="{LEFT}" y="18" font-size="14">{escaped(title)}</text>',
           f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#444"/>']
    for value, text in x_axis.ticks():
        x = LEFT + x_axis.place(value) * WIDTH
        out.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{TOP + HEIGHT}" stroke="#ddd"/>'
                   f'<text x="{x:.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{text}</text>')
    for value, text in y_axis.ticks():
        y = TOP + (1 - y_axis.place(value)) * HEIGHT
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + WIDTH}" y2="{y:.1f}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    out.append(f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 38}" text-anchor="middle">{escaped(x_label)}</text>'
               f'<text transform="translate(14 {TOP + HEIGHT / 2}) rotate(-90)" text-anchor="middle">'
               f'{escaped(y_label)}</text>')
    for k, (name, points) in enumerate(curves):
        colour, places = COLOURS[k % len(COLOURS)], [place(x, y) for x, y in points]
        path_text, pen = "", "M"
        for at in places:
            path_text += f"{pen}{at[0]:.1f} {at[1]:.1f}" if at else ""
            pen = "L" if at else "M"
        out.append(f'<path d="{path_text or "M0 0"}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        if len(points) <= 20:
            out += [f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="3" fill="{colour}"/>' for at in places if at]
        y = TOP + 12 + 18 * k
        out.append(f'<line x1="{LEFT + WIDTH + 12}" y1="{y}" x2="{LEFT + WIDTH + 34}" y2="{y}" stroke="{colour}" '
                   f'stroke-width="2"/><text x="{LEFT + WIDTH + 40}" y="{y + 4}">{escaped(name)}</text>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out + ["</svg>\n"]))
