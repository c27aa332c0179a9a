"""A recording with gradient flows whose numbers are worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage import (
    FlowLayer,
    FlowNumbers,
    FlowPair,
    GradientFlow,
    Group,
    Header,
    Layout,
    PairNumbers,
    RecordedSamples,
    RecordingWriter,
    StepDescription,
)

__all__ = ["CONVOLUTION", "HEAD", "HOSTILE_LAYER", "STAGES", "UPSTREAM", "write_flows", "write_stages"]

UPSTREAM = np.array([1.0, 2.0, 3.0, 4.0])
"""The gradient of the four outputs of the convolution, 2 x 2."""

HEAD = np.array([[2, -1, 0], [0, 5, -3], [3, 0, 0], [-1, 2, 2.5]])
"""From each of these outputs to three more elements. For the last output, 0.5 of the gradient goes around them."""

HOSTILE_LAYER = '</script><img src=x onerror=alert(1)>"\u202e & {{ 7 * 7 }} ' + "n" * 200


STAGES = [f"model.backbone.stage{k}.residual_block.convolution: output" for k in range(6)]
"""Long names that differ in the middle only."""


def _convolution() -> NDArray[np.float64]:
    """The part of each input's gradient by output, for a 3 x 3 convolution of ones, stride 2, padding 1, from 4 x 4 to 2 x 2."""
    flows = np.zeros((16, 4))
    for row in range(2):
        for column in range(2):
            for down in range(3):
                for right in range(3):
                    r, c = 2 * row + down - 1, 2 * column + right - 1
                    if 0 <= r < 4 and 0 <= c < 4:
                        flows[4 * r + c, 2 * row + column] = UPSTREAM[2 * row + column]
    return flows


CONVOLUTION = _convolution()


def write_flows(root: Path) -> Path:
    """Writes a trial with one flow at step 0 and two at step 2, and a trial without flows; returns the group's folder."""
    writer = RecordingWriter(root / "flows" / "with" / "rank-0", Header("flows", "with"))
    for step in range(3):
        _write_step(writer, step, {0: [_network("gradient flow", 1)], 2: [_network("gradient flow", 2), _strange()]}.get(step, []))
    writer.close()
    writer = RecordingWriter(root / "flows" / "without" / "rank-0", Header("flows", "without"))
    _write_step(writer, 0, [])
    writer.close()
    return root / "flows"


def write_stages(root: Path) -> Path:
    """Writes a trial with a flow through six layers of two channels of 2 x 2 with long names; returns the group's folder.

    Channel 0 has the largest gradient everywhere, and only channel 1 has flows: at every cell but the last one, to the same place of
    the next layer.
    """
    layers = tuple(FlowLayer(name, (2, 2, 2)) for name in STAGES)
    flows = np.zeros((8, 8))
    for cell in range(3):
        flows[4 + cell, 4 + cell] = cell + 1
    gradients = np.array([[9.0, 9, 9, 9, 1, 2, 3, 0]])
    residuals = np.array([[9.0, 9, 9, 9, 0, 0, 0, 0]])
    pairs = tuple(FlowPair(k, k + 1) for k in range(5))
    flow = GradientFlow("gradient flow", 0, "exact", (), layers, pairs)
    numbers = FlowNumbers((None,) * 6, (_floats(gradients),) * 6, tuple(_rows([flows], residuals) for _ in pairs))
    writer = RecordingWriter(root / "stages" / "with" / "rank-0", Header("stages", "with"))
    _write_step(writer, 0, [(flow, numbers)])
    writer.close()
    return root / "stages"


def _write_step(writer: RecordingWriter, step: int, flows: list[tuple[GradientFlow, FlowNumbers]]) -> None:
    layout = writer.write_layout(Layout((), (Group("forward", ()),)))
    description = StepDescription(step, "train", 2, layout, (), RecordedSamples(()), flows=tuple(flow for flow, _ in flows))
    writer.write_step(description, [], [numbers for _, numbers in flows])


def _network(name: str, samples: int) -> tuple[GradientFlow, FlowNumbers]:
    """Input, convolution and head; the second sample has everything doubled."""
    layers = (
        FlowLayer("image", (1, 4, 4), "input"),
        FlowLayer("conv", (1, 2, 2)),
        FlowLayer("head", (3,)),
        FlowLayer("label", (3,), "target"),
    )
    scales = np.arange(1, samples + 1)[:, None]
    gradients = [scales * CONVOLUTION.sum(axis=1), scales * UPSTREAM, scales * HEAD.sum(axis=0), None]
    values = [scales * np.linspace(-1, 1, 16), None, None, np.tile([0, 1, 0], (samples, 1))]
    pairs = (
        _rows([scale * CONVOLUTION for scale in scales[:, 0]], np.zeros((samples, 16))),
        _rows([scale * HEAD for scale in scales[:, 0]], scales * np.array([0, 0, 0, 0.5])),
    )
    flow = GradientFlow(name, 0, "exact", tuple(range(samples)), layers, (FlowPair(0, 1), FlowPair(1, 2)))
    return flow, FlowNumbers(tuple(map(_floats, values)), tuple(map(_floats, gradients)), pairs)


def _strange() -> tuple[GradientFlow, FlowNumbers]:
    """Names that mean something elsewhere, a NaN, an infinity, targets of which nothing is known, and an estimate."""
    flows = np.array([[1, np.nan, 0], [-np.inf, 2, 0]])
    layers = (FlowLayer(HOSTILE_LAYER, (2,)), FlowLayer("=SUM(A1)", (3,)))
    pair = _rows([flows], None, computed=np.array([[1, 1, 0]], np.uint8))
    gradients = (_floats(np.array([[1.0, np.nan]])), _floats(np.ones((1, 3))))
    return GradientFlow(f"strange {HOSTILE_LAYER}", 0, "chain_rule_estimate", (), layers, (FlowPair(0, 1),)), FlowNumbers(
        (None, None), gradients, (pair,)
    )


def _rows(samples: list[NDArray[np.float64]], residuals: Any, computed: NDArray[np.uint8] | None = None) -> PairNumbers:  # noqa: ANN401
    starts, targets, flows = [0], [], []
    for matrix in samples:
        for row in matrix:
            columns = np.flatnonzero(row)
            targets += columns.tolist()
            flows += row[columns].tolist()
            starts.append(len(targets))
    return PairNumbers(np.array(starts, np.int64), np.array(targets, np.int32), np.array(flows, np.float32), computed, _floats(residuals))


def _floats(numbers: Any) -> NDArray[np.float32] | None:  # noqa: ANN401
    return None if numbers is None else np.asarray(numbers, np.float32)
