"""A bar for every peer: how many times as fast ours is, on a logarithmic axis, as SVG."""

import math
from html import escape

from contenders import about, ratio, significant

WIDTH, LABELS, RIGHT, BAR, GAP, HEADING, TOP = 900, 330, 74, 13, 6, 34, 64
# Legible on white and on nearly black alike, since a picture in a page is not told which of them it is on.
STYLE = """
text { font-family: system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 12px; fill: #6f7986 }
.title { font-size: 17px; font-weight: 600 } .heading { font-size: 13px; font-weight: 600 } .label { text-anchor: end }
.tick { text-anchor: middle; font-size: 11px } .grid { stroke: #808a96; stroke-opacity: .25 }
.one { stroke: #808a96; stroke-width: 1.5 } .faster { fill: #2f7fd6 } .guess { fill: url(#hatched) } .slower { fill: #d08a1d }
"""


def power(exponent):
    return f"{10 ** exponent:,}×" if exponent >= 0 else f"1/{10 ** -exponent:,}×"


def draw(groups, by_cpu=False):
    """The picture of [(heading, [(label, row of a peer, our row)])], by CPU seconds where both sides have them."""
    def times(row, ours):
        return (by_cpu and ratio(row, ours, "cpu_seconds")) or ratio(row, ours)

    shown = [(heading + (", by CPU seconds" if by_cpu and any("cpu_seconds" in row for _, row, _ in bars) else ""),
              [(label, times(row, ours), row) for label, row, ours in bars]) for heading, bars in groups]
    shown = [(heading, [bar for bar in bars if bar[1]]) for heading, bars in shown]
    shown = [(heading, bars) for heading, bars in shown if bars]
    exponents = [math.log10(times) for _, bars in shown for _, times, _ in bars] or [0.0]
    low, high = min(0, math.floor(min(exponents))), max(1, math.ceil(max(exponents)))
    height = TOP + 26 + sum(HEADING + len(bars) * (BAR + GAP) for _, bars in shown) + 30
    area = WIDTH - LABELS - RIGHT
    at = lambda exponent: LABELS + area * (exponent - low) / (high - low)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
           'role="img" aria-label="How many times as fast as each peer ours is">', f"<style>{STYLE}</style>",
           '<defs><pattern id="hatched" width="6" height="6" patternUnits="userSpaceOnUse" '
           'patternTransform="rotate(45)"><rect width="6" height="6" fill="#2f7fd6" fill-opacity=".35"/>'
           '<rect width="3" height="6" fill="#2f7fd6"/></pattern></defs>',
           '<text class="title" x="12" y="26">How many times as fast as each peer</text>',
           '<text x="12" y="46">On the same machine, in turns. Logarithmic axis. '
           + ("Hatched: extrapolated. " if any(row.get("extrapolated") for _, bars in shown for _, _, row in bars) else "")
           + ("Left of the line the peer is faster." if low < 0 else "") + "</text>"]
    bottom = height - 26
    exponents = range(low, high + 1)
    for y in (TOP + 12, bottom + 15):
        out += [f'<text class="tick" x="{at(exponent):.1f}" y="{y}">{power(exponent)}</text>' for exponent in exponents]
    y = TOP + 18
    for heading, bars in shown:
        y += HEADING
        out.append(f'<text class="heading" x="12" y="{y - 9}">{escape(heading)}</text>')
        # The lines of the axis end below the heading, which has the whole width.
        for exponent in exponents:
            kind, x, end = "one" if exponent == 0 else "grid", at(exponent), y + len(bars) * (BAR + GAP) - 2
            out.append(f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{y - 4}" y2="{end}"/>')
        for label, times, row in bars:
            start, end = sorted((at(0), at(math.log10(times))))
            kind = "slower" if times < 1 else "guess" if row.get("extrapolated") else "faster"
            # The number of a bar to the left is right of the line, where there is room.
            out += [f'<text class="label" x="{LABELS - 8}" y="{y + BAR - 2}">{escape(label)}</text>',
                    f'<rect class="{kind}" x="{start:.1f}" y="{y}" width="{max(end - start, 1):.1f}" height="{BAR}" rx="2"/>',
                    f'<text x="{end + 5:.1f}" y="{y + BAR - 2}">{about(row)}{significant(times)}×</text>']
            y += BAR + GAP
    return "\n".join([*out, "</svg>", ""])
