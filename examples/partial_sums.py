"""Draw the sums of the inputs so far, which the tutorial network should be computing.

Each sequence has a line, with the network's answer at its end.

comgra-export build recordings --visualization examples/partial_sums.py

It draws the same as partial_sums.js, but at export. docs/visualization.md describes what `draw` receives.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comgra_export.visualization import View, visualization

WIDTH, HEIGHT, MARGIN, LABEL_HEIGHT = 720, 320, 56, 15
COLORS = ("#1f6fc4", "#c8500b", "#1c8040", "#c42047", "#7b4bc0")


@visualization("Partial sums of the inputs", per=("step", "sample"))
def draw(view: View) -> str | None:
    names = [tensor.name for tensor in view.tensors() if tensor.node == "helper_partial_sums"]
    if not names:
        return None
    last = view.iterations() - 1
    sums = np.stack([view.values(name, iteration=last) for name in names]).astype(np.float64)
    return chart(sums, view.values("output", iteration=last))


def chart(sums: NDArray[np.float64], answers: NDArray[np.generic]) -> str:
    """Draw sums `[input, sequence]` as SVG. A mark for each sequence shows whether the network's answer about its sum is right."""
    largest = max(1e-9, float(np.abs(sums).max()))
    x = np.linspace(MARGIN, WIDTH - MARGIN, len(sums))
    y = HEIGHT / 2 - sums / largest * (HEIGHT / 2 - MARGIN)
    parts = [
        f"<title>Sums of {len(sums)} inputs in {len(answers)} sequences</title>",
        f'<path d="M{MARGIN} {HEIGHT / 2}H{WIDTH - MARGIN}" stroke="#999"/>',
    ]
    heights = spread_labels(y[-1])
    right = WIDTH - MARGIN
    for sequence, answer in enumerate(answers):
        color = COLORS[sequence % len(COLORS)]
        points = " ".join(f"{across:.2f},{down:.2f}" for across, down in zip(x, y[:, sequence], strict=True))
        mark = "\u2713" if (answer > 0.5) == (sums[-1, sequence] > 0) else "\u2717"
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts.append(f'<path d="M{right} {y[-1, sequence]:.2f}L{right + 8} {heights[sequence]:.2f}" stroke="{color}"/>')
        parts.append(f'<text x="{right + 10}" y="{heights[sequence] + 4:.2f}" fill="{color}">{answer:.2f} {mark}</text>')
    caption = "input by input; behind each line, the network\u2019s answer to \u201cis the sum positive?\u201d"
    parts.append(f'<text x="{MARGIN}" y="{HEIGHT - 8}">{caption}</text>')
    style = 'font-family="sans-serif" font-size="12"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" {style}>{"".join(parts)}</svg>'


def spread_labels(wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return heights for labels, in the order given. They are as near to `wanted` as possible without overlap."""
    order = np.argsort(wanted, kind="stable")
    lowest = HEIGHT - 2 * LABEL_HEIGHT
    steps = np.arange(len(wanted)) * min(LABEL_HEIGHT, lowest / max(1, len(wanted)))
    heights = np.empty_like(wanted)
    # Push each label below the one before it, then push labels up from the lowest place that fits.
    pushed = np.maximum.accumulate(wanted[order] - steps) + steps
    heights[order] = np.minimum(pushed, lowest - steps[::-1])
    return heights
