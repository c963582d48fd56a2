"""Lines and outlines of histograms as SVG, in panels one below the other."""

import dataclasses
import html
import math

WIDTH, PANEL, LEFT, RIGHT, TOP, BOTTOM = 720, 340, 70, 28, 46, 58
# As in the pictures of `modicum plot`: Okabe-Ito without its yellow.
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
DASHES = ["none", "9 3", "2 2.5", "9 3 2 3", "16 4", "9 3 2 3 2 3"]


@dataclasses.dataclass
class Panel:
    title: str
    across: str                     # what the axes show
    up: str
    lines: list                     # (label, [(x, y), ...])
    marks: tuple = ()               # (label, x): vertical lines
    logarithmic: tuple = (True, False)
    dots: bool = False
    # Of the line with this label: circles, (x, y), and what is shaded, (x, low, high).
    measured: dict = dataclasses.field(default_factory=dict)
    bands: dict = dataclasses.field(default_factory=dict)


class Scale:
    """Maps values of one axis to pixels, on round ticks."""

    def __init__(self, values, logarithmic, start, end):
        self.logarithmic, self.start, self.end = logarithmic, start, end
        values = [v for v in values if math.isfinite(v) and (v > 0 or not logarithmic)]
        places = [self.place(v) for v in values] or [0.0, 1.0]
        self.low, self.high = min(places), max(places)
        if not logarithmic:
            self.low = min(self.low, 0.0)
        if self.high <= self.low:
            self.low, self.high = self.low - 0.5, self.high + 0.5

    def place(self, value):
        return math.log10(value) if self.logarithmic else value

    def __call__(self, value):
        share = (self.place(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        if self.logarithmic:
            steps = (1,) if self.high - self.low > 3 else (1, 2, 5)
            found = [step * 10.0 ** power for power in
                     range(math.floor(self.low), math.ceil(self.high) + 1) for step in steps]
        else:
            rough = (self.high - self.low) / 5
            power = 10.0 ** math.floor(math.log10(rough))
            step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9))
            found = [step * k for k in range(math.floor(self.low / step),
                                             math.ceil(self.high / step) + 1)]
        return [v for v in found if self.low - 1e-9 <= self.place(v) <= self.high + 1e-9]


def text(x, y, words, anchor="middle", size=12, more=""):
    return (f"<text x='{x:.2f}' y='{y:.2f}' text-anchor='{anchor}' font-size='{size}' {more}>"
            f"{html.escape(words)}</text>\n")


def axes(panel, across, up, top):
    bottom, right = top + PANEL - BOTTOM, WIDTH - RIGHT
    grid, labels = "", ""
    for value in across.ticks():
        grid += f"M{across(value):.2f},{top + TOP}V{bottom}"
        labels += text(across(value), bottom + 18, f"{value:g}")
    for value in up.ticks():
        grid += f"M{LEFT},{up(value):.2f}H{right}"
        labels += text(LEFT - 8, up(value) + 4, f"{value:g}", "end")
    middle = 0.5 * (top + TOP + bottom)
    return (f"<path d='{grid}' stroke='#e6e6e6'/>\n"
            f"<path d='M{LEFT},{top + TOP}V{bottom}H{right}' fill='none' stroke='#333333'/>\n"
            + labels
            + text(0.5 * (LEFT + right), top + 28, panel.title, size=15, more="font-weight='bold'")
            + text(0.5 * (LEFT + right), bottom + 42, panel.across, size=13)
            + text(20, middle, panel.up, size=13, more=f"transform='rotate(-90 20 {middle:.2f})'"))


def joined(points, across, up):
    return "L".join(f"{across(x):.2f},{up(y):.2f}" for x, y in points)


def draw_panel(panel, top):
    drawn = [points for _, points in panel.lines] + list(panel.measured.values())
    xs = [x for points in drawn for x, _ in points] + [x for _, x in panel.marks]
    # A quarter of the height stays free for the legend.
    ys = [y for points in drawn for _, y in points]
    largest = max(ys)
    least = min((y for y in ys if y > 0), default=largest)
    ys.append(largest * (max(2.5, (largest / least) ** 0.4) if panel.logarithmic[1] else 1.35))
    across = Scale(xs, panel.logarithmic[0], LEFT, WIDTH - RIGHT)
    up = Scale(ys, panel.logarithmic[1], top + PANEL - BOTTOM, top + TOP)
    out, legend = axes(panel, across, up, top), []
    for index, (label, points) in enumerate(panel.lines):
        color, dash = COLORS[index % len(COLORS)], DASHES[index % len(DASHES)]
        style = f"fill='none' stroke='{color}' stroke-width='2' stroke-dasharray='{dash}'"
        band = panel.bands.get(label, [])
        if band:
            ends = [(x, low) for x, low, _ in band] + [(x, high) for x, _, high in band[::-1]]
            out += f"<path d='M{joined(ends, across, up)}Z' fill='{color}' opacity='0.2'/>\n"
        out += f"<path class='curve' d='M{joined(points, across, up)}' {style}/>\n"
        out += "".join(f"<circle cx='{across(x):.2f}' cy='{up(y):.2f}' r='3.5' fill='{color}'/>\n"
                       for x, y in panel.measured.get(label, points if panel.dots else []))
        legend.append((label, style))
    for label, x in panel.marks:
        style = "fill='none' stroke='#cc0000' stroke-width='1.5'"
        out += f"<path d='M{across(x):.2f},{up(largest):.2f}V{top + PANEL - BOTTOM}' {style}/>\n"
        legend.append((label, style))
    return out + draw_legend(legend, top)


def draw_legend(entries, top):
    """Along the top of the frame, three to a line."""
    out, width = "", (WIDTH - LEFT - RIGHT) / 3
    for index, (label, style) in enumerate(entries):
        x, y = LEFT + 8 + width * (index % 3), top + TOP + 14 + 18 * (index // 3)
        out += f"<path d='M{x:.2f},{y:.2f}h26' {style}/>\n" + text(x + 32, y + 4, label, "start")
    return out


def draw(path, title, panels):
    height = PANEL * len(panels)
    words = " ".join(f"{panel.title}: {panel.up} against {panel.across}; "
                     + ", ".join(label for label, _ in panel.lines) + "." for panel in panels)
    path.write_text(
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' width='{WIDTH}' "
        f"height='{height}' role='img' font-family='sans-serif' fill='#222222'>\n"
        f"<title>{html.escape(title)}</title>\n<desc>{html.escape(words)}</desc>\n"
        "<rect width='100%' height='100%' fill='#ffffff'/>\n"
        + "".join(draw_panel(panel, PANEL * index) for index, panel in enumerate(panels))
        + "</svg>\n", encoding="utf-8")


def histograms(samples, bins=40, cut=False):
    """Outlines of histograms of positive numbers, on common bins that are equal in logarithms.

    `samples`: (label, values). The lowest bin also has what is below it, at most a hundredth of all
    values or so; with `cut` the highest likewise.
    """
    every = sorted(v for _, values in samples for v in values if v > 0)
    hundredth = len(every) // 100
    low, high = math.log(every[hundredth]), math.log(every[-1 - hundredth if cut else -1])
    step = max((high - low) / bins, 1e-9)
    lines = []
    for label, values in samples:
        counts = [0] * bins
        for value in values:
            place = math.floor((math.log(value) - low) / step) if value > 0 else 0
            counts[min(max(place, 0), bins - 1)] += 1
        outline = [(math.exp(low), 0.0)]
        for index, count in enumerate(counts):
            share = 100.0 * count / len(values)
            outline += [(math.exp(low + step * (index + side)), share) for side in (0, 1)]
        lines.append((label, [*outline, (math.exp(low + step * bins), 0.0)]))
    return lines
