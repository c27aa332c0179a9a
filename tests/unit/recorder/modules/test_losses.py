"""What a script computes from what a watched model returns: losses, and where backward passes begin."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import comgra_export
from comgra_export import ComgraRecorder, ComgraRecordingWarning, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.storage import LossCall, StepDescription, TensorReference, open_recording
from support.recorder.reading import folder_of, read_edges, read_gaps, read_records

B, CLASSES = 6, 4


FIRST_EVALUATION = -0.999999


class Train(Protocol):
    def __call__(self, loss_of: Callable[[Tensor], Tensor | None], **arguments: Any) -> ComgraRecorder: ...  # noqa: ANN401


@pytest.fixture
def train(tmp_path: Path) -> Train:
    """Makes two training steps of a watched model, strictly. The script computes the loss from what the model returns."""
    numbers = itertools.count()

    def make(loss_of: Callable[[Tensor], Tensor | None], **arguments: Any) -> ComgraRecorder:  # noqa: ANN401
        torch.manual_seed(0)
        model = nn.Linear(3, CLASSES)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        every = DecisionMakerForRecordingsFrequencyPerType(1)
        defaults = {"trial_id": f"trial-{next(numbers)}", "decision_maker_for_recordings": every, "strict": True}
        with comgra_export.watch(model, tmp_path, **{**defaults, **arguments}) as recorder:
            for _ in range(2):
                optimizer.zero_grad()
                loss = loss_of(model(torch.rand(B, 3)))
                if loss is not None:
                    loss.backward()
                optimizer.step()
        return recorder

    return make


def step_of(recorder: ComgraRecorder, step: float = 1) -> StepDescription:
    recording = open_recording(folder_of(recorder))
    assert recording.problems == []
    return recording.step(step)


def only_loss(recorder: ComgraRecorder) -> LossCall:
    (loss,) = step_of(recorder).losses
    return loss


def kinds_of(recorder: ComgraRecorder, step: float = 1) -> dict[str, tuple[str, str]]:
    """The type and the kind of everything of the first iteration that is no port of a module."""
    records = read_records(recorder, step)
    return {
        name: (kept.entry.type, kept.entry.kind)
        for (group, name, iteration), kept in records.items()
        if group == "forward" and iteration == 0 and not name.startswith("model")
    }


def here(name: str) -> TensorReference:
    return TensorReference(name, 0)


LABELS = torch.arange(B) % CLASSES


def test_a_loss_after_a_softmax_has_its_call_its_tensors_and_its_root(train: Train) -> None:
    recorder = train(lambda out: F.cross_entropy(torch.softmax(out, 1), LABELS, label_smoothing=0.25))
    loss = only_loss(recorder)
    assert loss.function == "cross_entropy"
    assert (loss.prediction, loss.target, loss.result) == (here("softmax"), here("cross_entropy: target"), here("cross_entropy"))
    assert loss.options == {
        "weight": None, "size_average": None, "ignore_index": -100, "reduce": None, "reduction": "mean", "label_smoothing": 0.25
    }  # fmt: skip
    assert step_of(recorder).backward_roots == (here("cross_entropy"),)
    assert kinds_of(recorder) == {
        "softmax": ("calculated", "kpis"), "cross_entropy: target": ("target", "kpis"), "cross_entropy": ("loss", "single_value"),
    }  # fmt: skip
    assert read_edges(recorder, 1) >= {
        ("model: output", "softmax"), ("softmax", "cross_entropy"), ("cross_entropy: target", "cross_entropy"),
    }  # fmt: skip
    assert read_gaps(recorder) == []


def test_their_numbers_and_gradients_are_those_that_torch_computes(train: Train) -> None:
    seen: list[Tensor] = []

    def loss_of(out: Tensor) -> Tensor:
        probabilities = torch.softmax(out, 1)
        probabilities.retain_grad()
        seen[:] = [probabilities, F.cross_entropy(probabilities, LABELS)]
        return seen[1]

    records = read_records(train(loss_of), 1)
    probabilities, loss = seen
    assert probabilities.grad is not None
    softmax, gradient = records["forward", "softmax", 0], records["gradients", "softmax", 0]
    assert softmax.entry.batch_dimension == 0
    assert softmax.extrema == [probabilities.min().item(), probabilities.max().item()]
    assert gradient.extrema == [probabilities.grad.min().item(), probabilities.grad.max().item()]
    assert records["forward", "cross_entropy", 0].extrema == [loss.item()] * 2
    assert records["gradients", "cross_entropy", 0].extrema == [1.0, 1.0]
    assert records["forward", "cross_entropy: target", 0].extrema == [0.0, 3.0]
    assert ("gradients", "cross_entropy: target", 0) not in records
    assert softmax.entry.histogram
    assert records["forward", "cross_entropy: target", 0].entry.histogram


@pytest.mark.parametrize("is_part", [False, True], ids=["on its own", "part of the model"])
def test_a_loss_module_calls_a_loss_function(tmp_path: Path, is_part: bool) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Linear(3, CLASSES)
            self.criterion = nn.CrossEntropyLoss(reduction="sum")

        def forward(self, x: Tensor) -> Tensor:
            out = self.body(x)
            return self.criterion(out, LABELS) if is_part else out  # type: ignore[no-any-return]

    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    criterion = nn.CrossEntropyLoss(reduction="sum")
    with comgra_export.watch(model, tmp_path, strict=True) as recorder:
        out = model(torch.rand(B, 3))
        (out if is_part else criterion(out, LABELS)).backward()
        optimizer.step()
    (loss,) = step_of(recorder, 0).losses
    result = "model.criterion: output" if is_part else "cross_entropy"
    target = "model.criterion: input target" if is_part else "cross_entropy: target"
    assert (loss.prediction, loss.target, loss.result) == (here("model.body: output"), here(target), here(result))
    assert loss.options["reduction"] == "sum"
    assert step_of(recorder, 0).backward_roots == (here(result),)
    assert read_records(recorder)["forward", result, 0].entry.type == "loss"


def test_a_loss_that_the_model_computes_on_the_way_has_its_tensors(tmp_path: Path) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Linear(3, 2 * CLASSES)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            out = self.body(x)
            return F.cross_entropy(out.view(-1, CLASSES), LABELS.repeat(2)), out

    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with comgra_export.watch(model, tmp_path, strict=True) as recorder:
        loss, _ = model(torch.rand(B, 3))
        loss.backward()
        optimizer.step()
    (call,) = step_of(recorder, 0).losses
    assert (call.prediction, call.target) == (here("cross_entropy: prediction"), here("cross_entropy: target"))
    assert (call.result,) == step_of(recorder, 0).backward_roots == (here("model: output[0]"),)
    assert ("model.body: output", "cross_entropy: prediction") in read_edges(recorder)
    assert read_records(recorder)["forward", "model: output[0]", 0].entry.type == "loss"


def test_a_broadcast_in_a_loss_shows_in_the_shapes(train: Train) -> None:
    target = torch.rand(B)
    with pytest.warns(UserWarning, match="different to the input size"):
        recorder = train(lambda out: F.mse_loss(out[:, :1], target))
    loss = only_loss(recorder)
    assert (loss.prediction, loss.target) == (here("getitem"), here("mse_loss: target"))
    records = read_records(recorder, 1)
    assert records["forward", "getitem", 0].entry.shape == (B, 1)
    assert records["forward", "mse_loss: target", 0].entry.shape == (B,)


def test_losses_by_hand_are_chains_of_functions(train: Train) -> None:
    target = torch.zeros(B, CLASSES)
    recorder = train(lambda out: ((out - target) ** 2).mean())
    assert step_of(recorder).losses == ()
    assert step_of(recorder).backward_roots == (here("mean"),)
    assert kinds_of(recorder) == {"sub": ("calculated", "kpis"), "pow": ("calculated", "kpis"), "mean": ("loss", "single_value")}
    assert read_edges(recorder, 1) >= {("model: output", "sub"), ("sub", "pow"), ("pow", "mean")}


def test_losses_that_are_added_keep_their_calls(train: Train) -> None:
    def loss_of(out: Tensor) -> Tensor:
        return F.cross_entropy(out, LABELS) + 0.5 * F.cross_entropy(out * 2, LABELS, reduction="sum")

    recorder = train(loss_of)
    first, second = step_of(recorder).losses
    assert (first.result, second.result) == (here("cross_entropy"), here("cross_entropy (2)"))
    assert (first.prediction, second.prediction) == (here("model: output"), here("mul"))
    assert (first.options["reduction"], second.options["reduction"]) == ("mean", "sum")
    # Both compare with the same tensor.
    assert first.target == second.target == here("cross_entropy: target")
    assert step_of(recorder).backward_roots == (here("add"),)
    assert kinds_of(recorder)["add"] == ("loss", "single_value")


def test_every_backward_pass_has_a_root(train: Train) -> None:
    def loss_of(out: Tensor) -> None:
        F.l1_loss(out, torch.zeros_like(out)).backward(retain_graph=True)
        out.square().sum().backward()

    recorder = train(loss_of)
    assert step_of(recorder).backward_roots == (here("l1_loss"), here("sum"))


# torch 2.8 announces only what is called on a tensor.
@pytest.mark.skipif("has_torch_function" not in torch.autograd.backward.__code__.co_names, reason="this torch does not announce the call")
def test_a_backward_pass_of_several_tensors_has_several_roots(train: Train) -> None:
    def loss_of(out: Tensor) -> None:
        torch.autograd.backward([out.square().sum(), out.sum()])

    assert step_of(train(loss_of)).backward_roots == (here("sum"), here("sum (2)"))


def test_gradients_that_the_script_goes_on_with_have_no_root(train: Train) -> None:
    def loss_of(out: Tensor) -> Tensor:
        (gradient,) = torch.autograd.grad(out.sum(), out, create_graph=True)
        return out.square().sum() + gradient.square().sum()

    assert step_of(train(loss_of)).backward_roots == (here("add"),)


def test_a_policy_gradient_has_no_loss_function(train: Train) -> None:
    def loss_of(out: Tensor) -> Tensor:
        policy = torch.distributions.Categorical(logits=out)
        loss: Tensor = -(policy.log_prob(LABELS) * torch.linspace(-1, 1, B)).mean()
        return loss

    recorder = train(loss_of)
    assert step_of(recorder).losses == ()
    assert step_of(recorder).backward_roots == (here("neg"),)
    assert kinds_of(recorder)["neg"] == ("loss", "single_value")


def test_accumulated_gradients_have_a_loss_in_every_iteration(tmp_path: Path) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with comgra_export.watch(model, tmp_path, strict=True) as recorder:
        for _ in range(3):
            (F.mse_loss(model(torch.rand(B, 3)), torch.rand(B, 1)) / 3).backward()
        optimizer.step()
    step = step_of(recorder, 0)
    assert [loss.result for loss in step.losses] == [TensorReference("mse_loss", iteration) for iteration in range(3)]
    assert step.backward_roots == tuple(TensorReference("div", iteration) for iteration in range(3))


@pytest.mark.parametrize("gradients", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_an_evaluation_has_the_loss_that_the_script_computes_from_its_result(
    tmp_path: Path, gradients: Callable[[], AbstractContextManager[object]]
) -> None:
    model = nn.Linear(3, CLASSES).eval()
    with comgra_export.watch(model, tmp_path, strict=True) as recorder, gradients():
        out = model(torch.rand(B, 3))
        expected = F.cross_entropy(torch.softmax(out, 1), LABELS).item()
    assert kinds_of(recorder, FIRST_EVALUATION) == {
        "cross_entropy: prediction": ("calculated", "kpis"),
        "cross_entropy: target": ("target", "kpis"),
        "cross_entropy": ("loss", "single_value"),
    }
    step = step_of(recorder, FIRST_EVALUATION)
    (loss,) = step.losses
    assert (step.type_of_execution, step.backward_roots) == ("eval", ())
    assert (loss.prediction, loss.target, loss.result) == tuple(
        map(here, ("cross_entropy: prediction", "cross_entropy: target", "cross_entropy"))
    )
    assert read_records(recorder, FIRST_EVALUATION)["forward", "cross_entropy", 0].extrema == [expected] * 2
    assert read_edges(recorder, FIRST_EVALUATION) >= {
        ("model: output", "cross_entropy: prediction"),
        ("cross_entropy: prediction", "cross_entropy"),
    }


def test_every_evaluation_has_its_own_loss_and_training_goes_on(tmp_path: Path) -> None:
    model = nn.Linear(3, CLASSES)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    every = DecisionMakerForRecordingsFrequencyPerType(1)
    expected = []
    with comgra_export.watch(model, tmp_path, decision_maker_for_recordings=every, strict=True) as recorder:
        for _ in range(2):
            optimizer.zero_grad()
            F.cross_entropy(model(torch.rand(B, 3)), LABELS).backward()
            optimizer.step()
            with torch.no_grad():
                expected += [F.cross_entropy(model(torch.rand(B, 3)), LABELS).item() for _ in range(2)]
    recording = open_recording(folder_of(recorder))
    steps = [recording.step(number) for number in recording.steps]
    assert [step.type_of_execution for step in steps] == ["train", "eval", "eval", "train", "eval", "eval"]
    evaluations = [step.step for step in steps if step.type_of_execution == "eval"]
    assert [read_records(recorder, number)["forward", "cross_entropy", 0].extrema[0] for number in evaluations] == expected
    assert [len(step.losses) for step in steps] == [1] * 6


def test_what_follows_an_evaluation_changes_none_of_its_parameters(tmp_path: Path) -> None:
    model = nn.Linear(3, CLASSES).eval()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with comgra_export.watch(model, tmp_path, strict=True) as recorder:
        out = model(torch.rand(B, 3))
        assert not any(tensor._backward_hooks or tensor._post_accumulate_grad_hooks for tensor in (out, *model.parameters()))
        F.cross_entropy(out, LABELS).backward()
        optimizer.step()
    step = step_of(recorder, FIRST_EVALUATION)
    assert step.parameters is not None
    assert (step.backward_roots, step.gradients, step.parameters.update_norm) == ((), (), (0.0, 0.0))


@pytest.mark.parametrize(
    "follow",
    [
        lambda recorder: recorder.flush(),
        lambda recorder: recorder.watch(nn.Linear(2, 2), "other"),
        lambda recorder: recorder.track_optimizers(torch.optim.SGD([torch.zeros(2)], 0.1)),
        lambda recorder: recorder.step(),
        lambda recorder: recorder.start_batch(5, B),
    ],
    ids=["flush", "watch", "track_optimizers", "step", "start_batch"],
)
def test_whatever_the_script_asks_for_ends_an_evaluation(tmp_path: Path, follow: Callable[[ComgraRecorder], object]) -> None:
    model = nn.Linear(3, CLASSES).eval()
    recorder = comgra_export.watch(model, tmp_path, strict=True)
    model(torch.rand(B, 3))
    follow(recorder)
    recorder.flush()
    assert open_recording(folder_of(recorder)).steps == (FIRST_EVALUATION,)
    recorder.abandon_batch()
    recorder.finalize()


def test_training_in_another_thread_goes_on_after_an_evaluation(tmp_path: Path) -> None:
    model = nn.Linear(3, CLASSES)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def train() -> None:
        F.cross_entropy(model(torch.rand(B, 3)), LABELS).backward()
        optimizer.step()

    with comgra_export.watch(model, tmp_path) as recorder:
        with torch.no_grad():
            model(torch.rand(B, 3))
        with pytest.warns(ComgraRecordingWarning, match="was dropped in a different thread"), ThreadPoolExecutor(1) as threads:
            threads.submit(train).result()
        with torch.no_grad():
            model(torch.rand(B, 3))
    recording = open_recording(folder_of(recorder))
    assert [recording.step(number).type_of_execution for number in recording.steps] == ["train", "eval"]


def test_what_is_cut_off_or_has_nothing_to_do_with_the_model_is_not_registered(train: Train) -> None:
    other = torch.rand(3, requires_grad=True)

    def loss_of(out: Tensor) -> Tensor:
        (other * 2).sum()
        (out.detach() * 2).sum()
        out.argmax(1)
        with torch.no_grad():
            out.sum()
        out.sum().item()
        return out.mean()

    assert set(kinds_of(train(loss_of))) == {"sum", "mean"}


def test_a_long_chain_ends_after_thirty_functions_and_still_has_its_loss(train: Train) -> None:
    def loss_of(out: Tensor) -> Tensor:
        for _ in range(40):
            out = out.sin()
        return F.cross_entropy(out, LABELS) * 2

    recorder = train(loss_of)
    names = ["sin", *(f"sin ({number})" for number in range(2, 31))]
    assert set(kinds_of(recorder)) == {*names, "cross_entropy: prediction", "cross_entropy: target", "cross_entropy", "loss"}
    assert only_loss(recorder).prediction == here("cross_entropy: prediction")
    assert step_of(recorder).backward_roots == (here("loss"),)
    assert {("sin (30)", "cross_entropy: prediction"), ("cross_entropy", "loss")} <= read_edges(recorder, 1)


@pytest.mark.parametrize("is_loss", [False, True])
@pytest.mark.parametrize("name", ["my loss", "mse_loss", "mul"])
def test_the_name_of_the_user_counts(tmp_path: Path, name: str, is_loss: bool) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with comgra_export.watch(model, tmp_path, strict=True) as recorder:
        loss = F.mse_loss(model(torch.rand(B, 3)) * 2, torch.rand(B, 1))
        recorder.register_tensor(name, loss, is_loss=is_loss)
        loss.backward()
        optimizer.step()
    step = step_of(recorder, 0)
    assert step.losses[0].result == step.backward_roots[0] == here(name)
    product = "mul (2)" if name == "mul" else "mul"
    assert step.losses[0].prediction == here(product)
    assert kinds_of(recorder, 0) == {
        product: ("calculated", "kpis"), "mse_loss: target": ("target", "kpis"),
        name: ("loss" if is_loss else "calculated", "single_value"),
    }  # fmt: skip
    assert {(product, name), ("mse_loss: target", name)} <= read_edges(recorder)
    assert read_records(recorder)["gradients", name, 0].extrema == [1.0, 1.0]


def test_what_the_user_registers_first_is_named_once(tmp_path: Path) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    y = torch.rand(B, 1)
    with comgra_export.watch(model, tmp_path, strict=True) as recorder:
        out = model(torch.rand(B, 3))
        recorder.register_tensor("labels", y, is_target=True, node_name="sub")
        (out - y).square().mean().backward()
        F.mse_loss(model(torch.rand(B, 3)), y)
        optimizer.step()
    # The node of the user is not shared.
    assert {"labels", "sub (2)"} < set(kinds_of(recorder, 0))
    assert step_of(recorder, 0).losses[0].target == here("labels")


@pytest.mark.parametrize("is_enough", [False, True])
def test_a_recorder_without_watched_modules_registers_nothing(recorder: ComgraRecorder, is_enough: bool) -> None:
    net = nn.Linear(3, CLASSES)
    recorder.track_module("net", net)
    with recorder.batch(0, B), recorder.iteration():
        out = net(torch.rand(B, 3))
        loss = F.cross_entropy(out, LABELS)
        if is_enough:
            recorder.register_tensor("out", out)
            recorder.register_tensor("loss", loss, is_loss=True)
        loss.backward()
        recorder.record_current_gradients("gradients")
    step = step_of(recorder, 0)
    assert set(kinds_of(recorder, 0)) == ({"out", "loss"} if is_enough else set())
    assert [(loss.prediction, loss.target, loss.result) for loss in step.losses] == [(here("out"), None, here("loss"))] * is_enough
    assert step.backward_roots == (here("loss"),) * is_enough


def test_a_scaled_loss_is_the_root(train: Train) -> None:
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    recorder = train(lambda out: scaler.scale(F.cross_entropy(out, LABELS)))
    assert only_loss(recorder).result == here("cross_entropy")
    assert step_of(recorder).backward_roots == (here("mul"),)
    records = read_records(recorder, 1)
    assert records["forward", "mul", 0].extrema[0] == pytest.approx(8 * records["forward", "cross_entropy", 0].extrema[0])


def test_losses_under_autocast_are_recorded(train: Train) -> None:
    def loss_of(out: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return F.cross_entropy(out @ torch.eye(CLASSES), LABELS)

    recorder = train(loss_of)
    assert only_loss(recorder).prediction == here("matmul")
    assert read_records(recorder, 1)["forward", "matmul", 0].entry.dtype == "BF16"
    assert step_of(recorder).backward_roots == (here("cross_entropy"),)


def test_a_step_that_turns_out_to_be_unusual_has_its_losses(train: Train) -> None:
    count = itertools.count()

    def loss_of(out: Tensor) -> Tensor:
        return F.cross_entropy(torch.softmax(out, 1), LABELS) * (1 if next(count) == 0 else float("nan"))

    never = comgra_export.DecisionMakerForRecordingsHardcoded([])
    recorder = train(loss_of, sentinels=True, decision_maker_for_recordings=never)
    step = step_of(recorder)
    assert str(step.triggered).startswith("'mul' holds a NaN for the first time")
    assert only_loss(recorder).prediction == here("softmax")
    assert step.backward_roots == (here("mul"),)
    assert read_edges(recorder, 1) >= {("softmax", "cross_entropy"), ("cross_entropy", "mul")}


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


def test_trouble_of_ours_is_a_gap_and_training_goes_on(train: Train, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError("boom")

    monkeypatch.setattr("comgra_export.recorder.modules.losses.arguments_of_loss", fail)
    with pytest.warns(comgra_export.ComgraRecordingWarning, match="what cross_entropy returned could not be recorded"):
        recorder = train(lambda out: F.cross_entropy(out, LABELS), strict=False)
    assert [gap.reason for gap in step_of(recorder).gaps] == ["what cross_entropy returned could not be recorded (ValueError: boom)"]
    # The root is still there.
    assert step_of(recorder).backward_roots == (here("loss"),)


def test_no_tensor_outlives_what_the_script_holds_of_it(tmp_path: Path) -> None:
    model = nn.Linear(3, CLASSES)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with comgra_export.watch(model, tmp_path, strict=True) as recorder:
        probabilities = torch.softmax(model(torch.rand(B, 3)), 1)
        labels = LABELS.clone()
        loss = F.cross_entropy(probabilities, labels)
        gone = [weakref.ref(tensor) for tensor in (probabilities, labels)]
        loss.backward()
        del probabilities, labels, loss
        assert [reference() for reference in gone] == [None, None]
        optimizer.step()
    assert only_root(recorder) == here("cross_entropy")


def only_root(recorder: ComgraRecorder) -> TensorReference:
    (root,) = step_of(recorder, 0).backward_roots
    return root
