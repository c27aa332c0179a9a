"""Every loss function of PyTorch is known."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from support.recorder.reading import read_records
from support.recorder.watched_losses import CLASSES, LABELS, B, Train, here, only_loss

R = torch.rand(B, CLASSES)


SIGNS = torch.tensor([1.0, -1.0] * (B // 2))


@pytest.mark.parametrize(
    ("function", "others", "target", "options"),
    [
        ("cross_entropy", (LABELS,), 1, {"ignore_index": -100, "label_smoothing": 0.0}),
        ("nll_loss", (LABELS,), 1, {"ignore_index": -100}),
        ("binary_cross_entropy_with_logits", (R,), 1, {"pos_weight": None}),
        ("mse_loss", (R,), 1, {}),
        ("l1_loss", (R,), 1, {}),
        ("smooth_l1_loss", (R,), 1, {"beta": 1.0}),
        ("huber_loss", (R,), 1, {"delta": 1.0}),
        ("kl_div", (R,), 1, {"log_target": False}),
        ("gaussian_nll_loss", (R, torch.ones_like(R)), 1, {"full": False, "eps": 1e-6}),
        ("poisson_nll_loss", (R,), 1, {"log_input": True}),
        ("hinge_embedding_loss", (torch.ones_like(R),), 1, {"margin": 1.0}),
        ("margin_ranking_loss", (R, torch.ones_like(R)), 2, {"margin": 0.0}),
        ("cosine_embedding_loss", (R, SIGNS), 2, {"margin": 0.0}),
        ("soft_margin_loss", (torch.ones_like(R),), 1, {}),
        ("multi_margin_loss", (LABELS,), 1, {"p": 1, "margin": 1.0}),
        ("multilabel_margin_loss", (torch.zeros(B, CLASSES, dtype=torch.long),), 1, {}),
        ("multilabel_soft_margin_loss", (R,), 1, {}),
        ("triplet_margin_loss", (R, R + 1), 1, {"margin": 1.0, "p": 2, "swap": False}),
    ],
)
def test_all_loss_functions_are_known(
    train: Train, function: str, others: tuple[Tensor, ...], target: int, options: dict[str, float | bool | None]
) -> None:
    recorder = train(lambda out: getattr(F, function)(out, *others, reduction="sum"))
    loss = only_loss(recorder)
    assert (loss.function, loss.prediction, loss.result) == (function, here("model: output"), here(function))
    assert loss.options.items() >= {"reduction": "sum", **options}.items()
    assert loss.target == here(f"{function}: target")
    expected = others[target - 1].double()
    assert read_records(recorder, 1)["forward", f"{function}: target", 0].extrema == [expected.min().item(), expected.max().item()]


def test_the_remaining_loss_functions_are_known(train: Train) -> None:
    recorder = train(lambda out: F.binary_cross_entropy(torch.sigmoid(out), R))
    assert only_loss(recorder).options == {"weight": None, "size_average": None, "reduce": None, "reduction": "mean"}
    assert only_loss(recorder).prediction == here("sigmoid")
    lengths = torch.full((1,), B), torch.ones(1, dtype=torch.long)
    recorder = train(lambda out: F.ctc_loss(out.log_softmax(1)[:, None], torch.ones(1, 1, dtype=torch.long), *lengths))
    loss = only_loss(recorder)
    assert (loss.function, loss.target, loss.options["zero_infinity"]) == ("ctc_loss", here("ctc_loss: target"), False)
