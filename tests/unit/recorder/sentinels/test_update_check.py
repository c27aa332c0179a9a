"""Gradients that are not finite in a step that is not recorded: the step is known, and the training does not notice."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from math import isnan
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.optim import optimizer as optimizers

import comgra_export
from comgra_export.analysis.findings.model.finding import Finding
from comgra_export.analysis.overview.unusual import FirstNaN, unusual_of
from comgra_export.recorder.sentinels.inputs import non_finite_inputs
from comgra_export.recorder.sentinels.sums import SumsOnDevice, sum_of
from comgra_export.recorder.sentinels.update_check import UpdateCheck
from comgra_export.storage import NonFiniteInput, Recording, open_recording

BAD_STEP = 13
"""Every tenth step of twenty is recorded."""


def train(folder: Path | None, spoil: Callable[[nn.Sequential, Tensor, Tensor], Tensor], **arguments: Any) -> list[Tensor]:  # noqa: ANN401
    """Trains, watched if there is a folder. `spoil` gets the model, the input and the loss of the bad step, and returns the loss."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(model.parameters(), 0.01)

    def loop() -> None:
        for step in range(20):
            x, y = torch.randn(6, 4), torch.randn(6, 2)
            optimizer.zero_grad()
            loss = (model(x) - y).square().mean()
            if step == BAD_STEP:
                loss = spoil(model, x, loss)
            loss.backward()
            optimizer.step()

    if folder is None:
        loop()
    else:
        with comgra_export.watch(model, folder, every=10, check=False, **arguments):
            loop()
    return [*model.parameters(), torch.rand(1)]


def recorded(folder: Path) -> Recording:
    return open_recording(folder / "default" / "trial" / "rank-0")


def the_origin(folder: Path) -> Finding:
    (report,) = comgra_export.findings(folder)
    return next(finding for finding in report.findings if finding.rule == "nan-origin")


def nothing(model: nn.Sequential, x: Tensor, loss: Tensor) -> Tensor:
    return loss


def nan_loss(model: nn.Sequential, x: Tensor, loss: Tensor) -> Tensor:
    return loss * torch.nan


def root_of_zero(model: nn.Sequential, x: Tensor, loss: Tensor) -> Tensor:
    """Its value is 0, and its derivative NaN. It is computed from the first layer alone."""
    hidden = model[0](x)
    with_root: Tensor = loss + (hidden - hidden.detach()).square().sum().sqrt()
    return with_root


@pytest.mark.parametrize(
    ("spoil", "not_finite", "place"),
    [
        (nan_loss, {"model.0.weight", "model.0.bias", "model.2.weight", "model.2.bias"}, "model.2: output"),
        (root_of_zero, {"model.0.weight", "model.0.bias"}, "model.0: output"),
    ],
)
def test_the_step_and_its_gradients_are_known(
    tmp_path: Path, spoil: Callable[[nn.Sequential, Tensor, Tensor], Tensor], not_finite: set[str], place: str
) -> None:
    train(tmp_path, spoil)
    (point,) = recorded(tmp_path).sentinel_points
    assert (point.step, point.triggered) == (BAD_STEP, None)
    magnitudes = dict(zip(point.tensors, point.largest, strict=True))
    assert {name for (group, name, _), value in magnitudes.items() if group == "gradients" and isnan(value)} == not_finite
    assert not any(isnan(value) for (group, _, _), value in magnitudes.items() if group == "forward")
    origin = the_origin(tmp_path)
    assert origin.step == BAD_STEP
    assert origin.place.name == place
    assert {other.name for other in origin.places[1:]} == not_finite
    # What was not recorded is neither claimed nor passed over.
    assert "forward pass" not in origin.message
    assert "it begins in this step" in origin.message
    assert ("probably begins in the backward pass" in origin.message) == (len(not_finite) == 2)
    assert "sentinels=True" in " ".join(origin.advice)


def test_a_parameter_that_is_not_finite_before_the_step_is_named(tmp_path: Path) -> None:
    def overwrite(model: nn.Sequential, x: Tensor, _: Tensor) -> Tensor:
        layer = model[2]
        assert isinstance(layer, nn.Linear)
        with torch.no_grad():
            layer.weight[0, 0] = torch.nan
        other_loss: Tensor = model(x).sum()
        return other_loss

    train(tmp_path, overwrite)
    origin = the_origin(tmp_path)
    # The update of the step before is the last that can have made it, since the gradients of every step are checked.
    assert (origin.step, origin.place.name) == (BAD_STEP - 1, "model.2.weight")
    assert f"at the beginning of step {BAD_STEP}. The update of step {BAD_STEP - 1} made this value" in origin.message
    assert unusual_of([recorded(tmp_path)]).first_nan == FirstNaN(BAD_STEP - 1, "forward", "model.2.weight")


def nan_beside_the_loss(model: nn.Sequential, x: Tensor, loss: Tensor) -> Tensor:
    """As the entropy of a target that is 0 somewhere: no gradient depends on it."""
    share = torch.tensor([0.0, 1.0])
    return loss + (share * share.log()).sum()


def test_a_loss_that_alone_is_nan_is_known_in_its_step(tmp_path: Path) -> None:
    train(tmp_path, nan_beside_the_loss)
    (point,) = recorded(tmp_path).sentinel_points
    assert (point.step, point.triggered, point.inputs) == (BAD_STEP, None, ())
    assert point.loss is not None
    assert isnan(point.loss)
    assert not any(map(isnan, point.largest))
    origin = the_origin(tmp_path)
    # In recorded steps, the backward pass begins at the mean.
    assert (origin.step, origin.place.name) == (BAD_STEP, "mean")
    assert f"The loss is NaN in step {BAD_STEP}, although all gradients are finite." in origin.message
    assert unusual_of([recorded(tmp_path)]).first_nan == FirstNaN(BAD_STEP, "forward", "mean")


def test_only_the_first_loss_that_is_not_finite_is_written_and_gradients_are_checked_further(tmp_path: Path) -> None:
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    constants = {12: torch.inf, 14: torch.nan}
    with comgra_export.watch(model, tmp_path, every=10, check=False):
        for step in range(20):
            optimizer.zero_grad()
            # Several tensors at once, of which one has several values.
            output = model(torch.ones(2, 4)) * (torch.nan if step == 16 else 1.0)
            torch.autograd.backward([output, output.sum() + constants.get(step, 0.0)], [torch.ones(2, 1), None])
            optimizer.step()
    points = recorded(tmp_path).sentinel_points
    assert [(point.step, point.loss) for point in points] == [(12, torch.inf), (16, None)]
    # The gradients are NaN four steps later.
    origin = the_origin(tmp_path)
    assert origin.step == 12
    assert "The loss is infinity in step 12" in origin.message


def test_a_loss_of_which_no_update_follows_in_its_step_is_left_out(tmp_path: Path) -> None:
    """As where a script looks at the loss or the gradients, and leaves out a step."""
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    with comgra_export.watch(model, tmp_path, every=10, check=False) as recorder:
        for step in range(20):
            optimizer.zero_grad()
            loss = model(torch.ones(2, 4)).sum()
            (loss + (torch.nan if step == BAD_STEP else 0.0)).backward()
            if step != BAD_STEP:
                optimizer.step()
            recorder.step()
    assert recorded(tmp_path).sentinel_points == ()


def test_sums_of_large_numbers_are_finite_losses(tmp_path: Path) -> None:
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    with comgra_export.watch(model, tmp_path, every=10, check=False):
        for _ in range(20):
            optimizer.zero_grad()
            large = model(torch.ones(4, 4)) * 0 + torch.finfo(torch.float32).max
            large.backward(torch.ones(4, 1))
            for parameter in model.parameters():
                parameter.grad = torch.ones_like(parameter)
            optimizer.step()
    assert recorded(tmp_path).sentinel_points == ()


class Sentiment(nn.Module):
    """Embeds tokens, of which 0 is padding, pools them by masked attention, and classifies them."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(9, 8, padding_idx=0)
        self.query = nn.Linear(8, 1)
        self.value = nn.Linear(8, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens)
        weights = self.query(x).masked_fill((tokens == 0)[..., None], -torch.inf).softmax(1)
        pooled: Tensor = self.head((weights * self.value(x)).sum(1))
        return pooled


def test_a_nan_that_does_not_reach_the_embedding_is_known_in_its_step(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = Sentiment()
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    with comgra_export.watch(model, tmp_path, every=10, check=False):
        for step in range(20):
            tokens = torch.randint(1, 9, (6, 5))
            if step == BAD_STEP:
                # A sentence of padding: the softmax of nothing but minus infinity is NaN.
                tokens[2] = 0
            optimizer.zero_grad()
            model(tokens).square().mean().backward()
            optimizer.step()
    (point,) = recorded(tmp_path).sentinel_points
    # The gradient of the embedding is finite in that step, and NaN in the next one.
    assert point.step == BAD_STEP
    magnitudes = dict(zip(point.tensors, point.largest, strict=True))
    assert not isnan(magnitudes["gradients", "model.embed.weight", -1])
    assert isnan(magnitudes["gradients", "model.head.bias", -1])


def test_the_first_and_the_last_small_gradient_are_chosen_and_no_embedding(tmp_path: Path) -> None:
    model = nn.ModuleDict({"embed": nn.Embedding(4, 4), "large": nn.Linear(128, 128), "a": nn.Linear(4, 4), "b": nn.Linear(4, 4)})
    only = nn.Linear(4, 1, bias=False)
    for parameter in [*model.parameters(), *only.parameters()]:
        parameter.grad = torch.ones_like(parameter)
    named = dict(model.named_parameters())
    check = UpdateCheck(
        lambda: None,
        parameters=lambda: named,
        embeddings=lambda: {id(named["embed.weight"])},
        inputs=lambda: None,
        is_watched=lambda _: True,
        write=lambda _: None,
        report=print,
    )
    check.remove_hook()
    # The bias of the large layer is small.
    assert [name for name, _ in check._choose(torch.optim.SGD(named.values(), 0.1))] == ["b.bias", "large.bias"]
    assert [name for name, _ in check._choose(torch.optim.SGD([named["large.weight"], named["embed.weight"]], 0.1))] == ["large.weight"]
    assert [name for name, _ in check._choose(torch.optim.SGD([named["embed.weight"]], 0.1))] == ["embed.weight"]
    assert check._choose(torch.optim.SGD(only.parameters(), 0.1)) == []


class Masked(nn.Module):
    """Adds up the rows of its input, weighed by a mask of logarithms."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x: Tensor, *, mask: Tensor) -> Tensor:
        weighed: Tensor = self.layer(x) * mask.exp()[:, None]
        return weighed


def train_masked(folder: Path, spoil: Callable[[Tensor, Tensor, Tensor], None], **arguments: Any) -> Recording:  # noqa: ANN401
    """Trains, and spoils the inputs, masks and targets of the bad step."""
    torch.manual_seed(0)
    model = Masked()
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    with comgra_export.watch(model, folder, every=10, check=False, **arguments):
        for step in range(20):
            x, mask, y = torch.randn(6, 4), torch.zeros(6), torch.zeros(6, 2)
            if step == BAD_STEP:
                spoil(x, mask, y)
            optimizer.zero_grad()
            (model(x, mask=mask) - y).square().mean().backward()
            optimizer.step()
    return recorded(folder)


@pytest.mark.parametrize("values", [False, True])
def test_a_triggered_step_says_what_of_its_samples_is_recorded(tmp_path: Path, values: bool) -> None:
    def spoil(model: nn.Sequential, x: Tensor, _: Tensor) -> Tensor:
        x[0, 2] = torch.nan
        loss: Tensor = model(x).sum()
        return loss

    train(tmp_path, spoil, sentinels=True, values=values)
    finding = the_origin(tmp_path)
    kept = " Sample 0 is recorded; you can open it in the page. The first such value is at element [2]."
    statistics = " The statistics of sample 0 are recorded. `watch(..., values=True)` keeps single values, too."
    assert finding.message.endswith(kept if values else statistics)
    assert finding.evidence[0].sample == 0


def test_an_input_that_is_not_finite_is_the_place(tmp_path: Path) -> None:
    def spoil(x: Tensor, mask: Tensor, y: Tensor) -> None:
        x[4, :2] = torch.nan
        x[1, 3] = torch.inf

    (point,) = train_masked(tmp_path, spoil).sentinel_points
    assert point.inputs == (NonFiniteInput("model: input x", 2, 1, 0, (1, 4)),)
    origin = the_origin(tmp_path)
    assert (origin.step, origin.place.name) == (BAD_STEP, "model: input x")
    assert f"2 NaN and 1 infinity in step {BAD_STEP}, at 1 and 4 of its first dimension" in origin.message
    assert "Look at the operands" not in " ".join(origin.advice)


def test_a_mask_of_minus_infinity_is_not(tmp_path: Path) -> None:
    def spoil(x: Tensor, mask: Tensor, y: Tensor) -> None:
        mask[0] = -torch.inf
        y[0, 0] = torch.nan

    (point,) = train_masked(tmp_path, spoil).sentinel_points
    assert point.inputs == (NonFiniteInput("model: input mask", 0, 0, 1, (0,)),)
    origin = the_origin(tmp_path)
    assert "input" not in origin.place.name
    assert "inputs" not in origin.message


def test_finite_inputs_are_no_cause(tmp_path: Path) -> None:
    def spoil(x: Tensor, mask: Tensor, y: Tensor) -> None:
        y[0, 0] = torch.nan

    (point,) = train_masked(tmp_path, spoil).sentinel_points
    assert point.inputs == ()
    assert "The inputs of this step were finite, so it arises inside the network" in the_origin(tmp_path).message


def test_an_input_that_is_not_finite_in_recorded_steps_too_is_not_the_place(tmp_path: Path) -> None:
    class Cleaned(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 2)

        def forward(self, x: Tensor) -> Tensor:
            cleaned: Tensor = self.layer(x.nan_to_num())
            return cleaned

    model = Cleaned()
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    with comgra_export.watch(model, tmp_path, every=10, check=False):
        for step in range(20):
            x = torch.randn(6, 4)
            x[step % 6, 0] = torch.nan
            optimizer.zero_grad()
            (model(x) * (torch.nan if step == BAD_STEP else 1.0)).sum().backward()
            optimizer.step()
    origin = the_origin(tmp_path)
    assert origin.step == BAD_STEP
    assert "input" not in origin.place.name
    assert "inputs" not in origin.message


def test_inputs_that_cannot_be_read_are_not_called_finite() -> None:
    finite, sparse = torch.ones(2, 2), torch.eye(2).to_sparse()
    assert non_finite_inputs([("a", finite), ("b", torch.zeros(0, 3)), ("c", torch.ones(2, dtype=torch.long))]) == ()
    assert non_finite_inputs([("a", finite), ("b", sparse)]) is None
    assert non_finite_inputs([("a", torch.tensor(torch.nan)), ("b", sparse)]) == (NonFiniteInput("a", 1, 0, 0, ()),)
    rows = torch.full((9, 2, 2), torch.inf)
    assert non_finite_inputs([("a", rows)]) == (NonFiniteInput("a", 0, 36, 0, (0, 1, 2, 3, 4)),)


@pytest.mark.parametrize("arguments", [{}, {"sentinels": True}])
def test_inputs_live_no_longer_than_their_step(tmp_path: Path, arguments: dict[str, Any]) -> None:
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    with comgra_export.watch(model, tmp_path, every=10, check=False, **arguments) as recorder:
        for step in range(4):
            x = torch.randn(6, 4)
            known = weakref.ref(x)
            loss = model(x).square().mean()
            assert recorder._detector is not None
            # Recorded steps keep nothing, and neither do those that sentinels check.
            assert (recorder._detector.unrecorded_call is None) == (step == 0 or bool(arguments))
            loss.backward()
            optimizer.step()
            del x, loss
            assert recorder._detector.unrecorded_call is None
            assert step == 0 or arguments or known() is None
        # A step that is dropped, or never ends, keeps nothing after the recording.
        x = torch.randn(6, 4)
        known = weakref.ref(x)
        model(x)
        del x
    assert known() is None


def test_healthy_runs_have_no_line_and_no_hook_stays(tmp_path: Path) -> None:
    hooks = dict(optimizers._global_optimizer_pre_hooks)
    train(tmp_path, nothing)
    assert recorded(tmp_path).sentinel_points == ()
    assert dict(optimizers._global_optimizer_pre_hooks) == hooks


@pytest.mark.parametrize("spoil", [nothing, nan_loss])
def test_the_training_is_the_same(tmp_path: Path, spoil: Callable[[nn.Sequential, Tensor, Tensor], Tensor]) -> None:
    for watched, alone in zip(train(tmp_path, spoil), train(None, spoil), strict=True):
        torch.testing.assert_close(watched, alone, rtol=0, atol=0, equal_nan=True)


def test_with_sentinels_every_step_is_checked_as_before(tmp_path: Path) -> None:
    train(tmp_path, nan_loss, sentinels=True)
    assert [point.step for point in recorded(tmp_path).sentinel_points] == list(range(20))


def test_an_update_that_the_optimizer_skips_does_not_count(tmp_path: Path) -> None:
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), 0.1, fused=True)
    with comgra_export.watch(model, tmp_path, every=100, check=False):
        for step in range(4):
            optimizer.zero_grad()
            (model(torch.ones(2, 4)).sum() * (torch.nan if step == 2 else 1.0)).backward()
            # A `GradScaler` tells a fused optimizer so.
            optimizer.found_inf = torch.ones(()) if step == 2 else None  # type: ignore[attr-defined]
            optimizer.step()
    assert recorded(tmp_path).sentinel_points == ()


def test_sums_that_wait_on_a_device_name_the_first_step_that_is_not_finite() -> None:
    sums = SumsOnDevice()
    not_finite = [sums.add(step, "w", sum_of(torch.tensor([1.0, torch.nan if step >= 40 else 2.0]))) for step in range(64)]
    # They are read together, some steps later.
    assert [(step, name) for step, name, _ in filter(None, not_finite)] == [(40, "w")]
    assert sums.wait() is None
    assert sums.add(100, "v", torch.tensor(torch.inf)) is None
    assert sums.wait() == (100, "v", torch.inf)


@pytest.mark.parametrize("is_labelled", [False, True])
def test_a_step_whose_gradients_are_all_zero_is_known_and_its_mean_over_nothing_named(tmp_path: Path, is_labelled: bool) -> None:
    """No sample of the bad step has a label, so that the loss is NaN. Or it has, and the loss is multiplied by 0."""
    model = nn.Linear(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    with comgra_export.watch(model, tmp_path, every=10, check=False):
        for step in range(20):
            labels = torch.tensor([0, 1, 2, 1, 0 if is_labelled else -100, 0])
            if step == BAD_STEP and not is_labelled:
                labels[:] = -100
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(torch.randn(6, 4)), labels)
            (loss * 0 if step == BAD_STEP and is_labelled else loss).backward()
            optimizer.step()
    (point,) = recorded(tmp_path).sentinel_points
    assert (point.step, {value for (group, *_), value in zip(point.tensors, point.largest, strict=True) if group == "gradients"}) == (
        13,
        {0},
    )
    (report,) = comgra_export.findings(tmp_path)
    named = [(finding.step, [place.name for place in finding.places]) for finding in report.findings if finding.rule == "nan-origin"]
    assert named == ([] if is_labelled else [(BAD_STEP, ["cross_entropy", "cross_entropy: target"])])
