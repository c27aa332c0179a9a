"""Small recorded networks whose gradient flows are worked out by hand, and their bundles with estimates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType, export
from support.exporter.unpacker import Bundle

CHAIN_RULE, VNITTEST = "chain rule estimate: ", "vnittest estimate: "
W = [[2.0, 0.0], [1.0, 3.0]]
"""`y = W x`: from `x_0` to both elements of `y`, from `x_1` to the second one alone."""

Step = Callable[[ComgraRecorder], Tensor]


def recorder_of(root: Path, trial: str = "trial", **arguments: Any) -> ComgraRecorder:  # noqa: ANN401
    return ComgraRecorder(root, trial_id=trial, decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(1), **arguments)


def record(root: Path, *steps: Step, trial: str = "trial", batch_size: int = 2, **arguments: Any) -> Path:  # noqa: ANN401
    """Records steps of one iteration; each registers tensors and returns the loss."""
    with recorder_of(root, trial, **arguments) as recorder:
        for number, step in enumerate(steps):
            with recorder.batch(number, batch_size, type_of_execution="train"), recorder.iteration():
                step(recorder).backward()
                recorder.record_current_gradients("gradients")
    return root


def linear(
    weights: Sequence[Sequence[float]], x: Sequence[Sequence[float]], gradient: Sequence[Sequence[float]], *, exact: bool = False
) -> Step:
    """Registers `x` and `y = W x`, whose gradient is the given one; with `exact`, records the flow too."""

    def step(recorder: ComgraRecorder) -> Tensor:
        source = torch.tensor(x)
        recorder.register_tensor("x", source, is_input=True)
        y = source @ torch.tensor(weights, requires_grad=True).T
        recorder.register_tensor("y", y)
        loss = (y * torch.tensor(gradient)).sum()
        if exact:
            recorder.record_gradient_flow(loss, ["x", "y"], samples=range(len(x)))
        return loss

    return step


TWO_SAMPLES = linear(W, [[1.0, 1.0], [0.5, -1.0]], [[1.0, 2.0], [2.0, -4.0]], exact=True)


def built(root: Path, *estimate_flow: Any, **options: Any) -> Bundle:  # noqa: ANN401
    export(root, root / "page.html", force=True, estimate_flow=estimate_flow, **options)
    return Bundle(root / "page.html")


def flows_of(bundle: Bundle, trial: str = "trial", rank: int | None = 0) -> dict[str, dict[str, Any]]:
    """The flows of a trial with one step by name."""
    entry = bundle.trial(trial, rank)
    return {flow["name"]: flow for flow in (bundle.flows(entry) if entry["flows"] >= 0 else [])}


def dense(flow: dict[str, Any], pair: int = 0) -> NDArray[Any]:
    """`[F, N, M]`, by source, and by target the same."""
    own = flow["pairs"][pair]
    samples = max(1, len(flow["samples"]))
    sizes = [int(np.prod(flow["layers"][own[end]]["shape"])) for end in ("from", "to")]
    by_source, by_target = np.zeros((samples, *sizes)), np.zeros((samples, *sizes))
    for rows, size, matrix in ((own["by_source"], sizes[0], by_source), (own["by_target"], sizes[1], by_target.swapaxes(1, 2))):
        for row in range(samples * size):
            for k in range(rows["starts"][row], rows["starts"][row + 1]):
                matrix[row // size, row % size, rows["others"][k]] = rows["flows"][k]
    np.testing.assert_array_equal(by_source, by_target)
    return by_source
