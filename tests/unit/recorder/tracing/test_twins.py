"""Gradients of tensors that require none are recorded, and recording them changes nothing."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from comgra_export import ComgraRecorder, ComgraRecordingWarning
from comgra_export.errors import RecordingGapError
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import read_edges_without_gradient, read_gaps, read_records

B = 4


def gradient_of(recorder: ComgraRecorder, name: str, group: str = "gradients", iteration: int = 0) -> Tensor | None:
    record = read_records(recorder)[group, name, iteration]
    return None if record.counts[4] else torch.from_numpy(record.values.copy()).reshape(record.entry.shape)


def input_gradient(recorder: ComgraRecorder, x: Tensor, forward: Callable[[Tensor], Tensor]) -> Tensor | None:
    """The recorded gradient of an input."""
    with recorder.batch(0, len(x)), recorder.iteration():
        recorder.register_tensor("x", x, is_input=True)
        forward(x).backward()
        recorder.record_current_gradients("gradients")
    return gradient_of(recorder, "x")


NETWORKS: dict[str, Callable[[], tuple[nn.Module, Tensor]]] = {
    "mlp": lambda: (nn.Sequential(nn.Linear(6, 8), nn.ReLU(inplace=True), nn.Dropout(0.3), nn.Linear(8, 2)), torch.randn(B, 6)),
    "frozen": lambda: (
        nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.BatchNorm1d(8)).requires_grad_(False).append(nn.Linear(8, 2)),
        torch.randn(B, 6),
    ),
    "convolutions": lambda: (
        nn.Sequential(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(12, 2)),
        torch.randn(B, 2, 6, 6),
    ),
    "recurrent": lambda: (Last(nn.LSTM(5, 4, 2, batch_first=True, dropout=0.2)), torch.randn(B, 3, 5)),
    "frozen recurrent": lambda: (
        nn.Sequential(Last(nn.GRU(5, 4, 2, batch_first=True, dropout=0.2)).requires_grad_(False), nn.Linear(4, 2)),
        torch.randn(B, 3, 5),
    ),
    "transformer": lambda: (
        nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.2, batch_first=True), 2, enable_nested_tensor=False),
        torch.randn(B, 3, 8),
    ),
    "frozen transformer": lambda: (
        nn.Sequential(nn.TransformerEncoderLayer(8, 2, 16, 0.2, batch_first=True).requires_grad_(False), nn.Linear(8, 2)),
        torch.randn(B, 3, 8),
    ),
}


class Last(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = self.inner(x)[0][:, -1]
        return output


@pytest.mark.parametrize("name", NETWORKS)
def test_gradients_of_inputs_are_those_of_autograd(recorder: ComgraRecorder, name: str) -> None:
    network, x = NETWORKS[name]()
    state = copy.deepcopy(network.state_dict())

    def forward(value: Tensor) -> Tensor:
        torch.manual_seed(1)
        output: Tensor = network(value)
        return (output**2).mean()

    own = x.clone().requires_grad_()
    forward(own).backward()
    network.zero_grad()
    network.load_state_dict(state)
    forward(x).backward()
    expected = {key: parameter.grad for key, parameter in network.named_parameters()}
    buffers = {key: buffer.clone() for key, buffer in network.named_buffers()}
    random = torch.get_rng_state()
    network.zero_grad()
    network.load_state_dict(state)
    gradient = input_gradient(recorder, x, forward)
    assert gradient is not None
    assert own.grad is not None
    torch.testing.assert_close(gradient, own.grad)
    assert torch.equal(torch.get_rng_state(), random)
    for key, parameter in network.named_parameters():
        reference = expected[key]
        assert (parameter.grad is None) == (reference is None)
        assert reference is None or parameter.grad is None or torch.equal(parameter.grad, reference), key
    assert all(torch.equal(buffer, buffers[key]) for key, buffer in network.named_buffers())
    assert not x.requires_grad


weight = torch.tensor([2.0, 3.0])
Use = Callable[[Tensor, Tensor], Any]


def saved(x: Tensor, w: Tensor) -> Tensor:
    torch.save(x * 2, io.BytesIO())
    return (x * w).sum()


def given_other_memory(x: Tensor, w: Tensor) -> Tensor:
    x.data = x * 2
    return (x * w).sum()


# Operations that fail or behave differently with a tensor that requires a gradient.
USES: dict[str, Use] = {
    "in place": lambda x, w: (x.mul_(2) * w).sum(),
    "on a view": lambda x, w: (x[0].mul_(2) * w).sum(),
    "numpy": lambda x, w: (torch.from_numpy(x.numpy()) * w).sum(),
    "numpy of a result": lambda x, w: ((x * 2).numpy().sum() * w).sum(),
    "list": lambda x, w: ((x * 2).tolist()[0][0] * w).sum(),
    "a test of the flag": lambda x, w: (x * (1 if (x + 1).requires_grad else 3) * w).sum(),
    "deepcopy": lambda x, w: (copy.deepcopy(x + 1) * w).sum(),
    "pickle": lambda x, w: (pickle.loads(pickle.dumps(x + 1)) * w).sum(),
    "save": lambda x, w: saved(x, w),
    "out": lambda x, w: (torch.add(x, 1, out=torch.empty(B, 2)) * w).sum(),
    "a loss that refuses": lambda x, w: F.soft_margin_loss(torch.ones(B, 2) * w, x),
    "item": lambda x, w: (x.sum().item() * w).sum(),
    "truth": lambda x, w: (x * w).sum() if (x * 2).sum() > 0 else (x * w).mean(),
    "an own flag": lambda x, w: (lambda made: (made.is_leaf, (made.requires_grad_() * w).sum())[1])(x * 2),
    "data": lambda x, w: (x.data * w).sum(),
    "set_": lambda x, w: (torch.zeros(B, 2).set_(x * 2) * w).sum(),  # type: ignore[call-overload]
    "new memory": lambda x, w: given_other_memory(x, w),
    "parameter": lambda x, w: (nn.Parameter(x * 2) * w).sum(),
    "as_tensor": lambda x, w: (torch.as_tensor(x) * w).sum(),
}


@pytest.mark.filterwarnings("ignore::comgra_export.ComgraRecordingWarning")
@pytest.mark.parametrize("name", USES)
def test_whatever_works_without_the_recorder_works_with_it(make_recorder: MakeRecorder, name: str) -> None:
    def outcome() -> list[Any]:
        x, w = torch.arange(8.0).reshape(B, 2), weight.clone().requires_grad_()
        loss = USES[name](x, w) if active is None else recorded(x, w)
        assert w.grad is not None or active is None
        if active is None:
            loss.backward()
        assert w.grad is not None
        return [loss.item(), w.grad.tolist(), x.tolist(), x.requires_grad, x.is_leaf, x.grad]

    def recorded(x: Tensor, w: Tensor) -> Tensor:
        assert active is not None
        with active.batch(0, B), active.iteration():
            active.register_tensor("x", x)
            loss: Tensor = USES[name](x, w)
            loss.backward()
            active.record_current_gradients("gradients")
        return loss

    active: ComgraRecorder | None = None
    alone = outcome()
    active = make_recorder(strict=False)
    assert outcome() == alone


def test_a_change_in_place_of_what_was_registered_keeps_its_gradient(recorder: ComgraRecorder) -> None:
    x, w = torch.ones(B, 2), weight.clone().requires_grad_()
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        first = (x * w).sum()
        x.mul_(5)
        recorder.register_tensor("changed", x)
        (first + (x * w).sum()).backward()
        recorder.record_current_gradients("gradients")
    assert gradient_of(recorder, "x").tolist() == [[12, 18]] * B  # type: ignore[union-attr]
    assert gradient_of(recorder, "changed").tolist() == [[2, 3]] * B  # type: ignore[union-attr]


ENDINGS: dict[str, tuple[Use, str]] = {
    "a change by way of a view": (lambda x, w: (x[0].mul_(2), (x * w).sum())[1], "shares its memory"),
    "a change with a gradient": (lambda x, w: x.mul_(w).sum(), "changed in place by mul_"),
    "a function that refuses": (USES["a loss that refuses"], "soft_margin_loss"),
    "a checkpointed block": (
        lambda x, w: torch.utils.checkpoint.checkpoint(lambda value: (value * w).sum(), x, use_reentrant=False),
        "checkpointed",
    ),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_a_gradient_that_is_lost_is_a_gap_with_its_reason(make_recorder: MakeRecorder, name: str) -> None:
    use, reason = ENDINGS[name]
    recorder = make_recorder(strict=False)
    w = weight.clone().requires_grad_()
    with pytest.warns(ComgraRecordingWarning, match=f"'x'.*gradient is not known.*{reason}"):
        assert input_gradient(recorder, torch.ones(B, 2), lambda x: use(x, w)) is None
    assert [(gap.tensor, gap.group) for gap in read_gaps(recorder)] == [("x", "gradients")]
    with pytest.raises(RecordingGapError, match=reason):
        input_gradient(make_recorder(), torch.ones(B, 2), lambda x: use(x, weight.clone().requires_grad_()))


def test_what_was_used_before_it_was_registered_has_no_gradient(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    x, w = torch.ones(B, 2), weight.clone().requires_grad_()
    with recorder.batch(0, B), recorder.iteration():
        loss = (x * w).sum()
        recorder.register_tensor("x", x)
        loss.backward()
        with pytest.warns(ComgraRecordingWarning, match="used before it was registered"):
            recorder.record_current_gradients("gradients")
    assert gradient_of(recorder, "x") is None


def test_no_gradient_where_none_flows_is_no_gap(recorder: ComgraRecorder) -> None:
    w = weight.clone().requires_grad_()
    for step, use in enumerate(
        (lambda x: (x.detach() * w).sum(), lambda x: (x.long() * w).sum(), lambda x: (w * 2).sum() + 0 * x.shape[0])
    ):
        with recorder.batch(step, B), recorder.iteration():
            x = torch.ones(B, 2)
            recorder.register_tensor("x", x)
            loss: Tensor = use(x)  # type: ignore[no-untyped-call]
            loss.backward()
            recorder.record_current_gradients("gradients")
        assert read_records(recorder, step)["gradients", "x", 0].counts[4] == 1
    assert read_gaps(recorder) == []


def test_what_a_backward_pass_needs_may_be_changed_where_that_was_allowed(recorder: ComgraRecorder) -> None:
    x = torch.ones(B, 2)
    first, second = nn.Linear(2, 2, bias=False), nn.Linear(2, 1)
    matrix = first.weight.detach().clone()

    def forward(value: Tensor) -> Tensor:
        output: Tensor = second(first(value * 1)).sum()
        with torch.no_grad():
            # Without a gradient of the input, the backward pass needs the input, but not this weight.
            first.weight.zero_()
        return output

    gradient = input_gradient(recorder, x, forward)
    expected = (second.weight @ matrix).expand(B, 2)
    assert gradient is not None
    torch.testing.assert_close(gradient, expected.detach())


def test_results_carry_no_graph_that_they_would_not_have_carried(recorder: ComgraRecorder) -> None:
    x, average = torch.ones(B, 2), torch.zeros(2)
    w = weight.clone().requires_grad_()
    for step in range(3):
        with recorder.batch(step, B), recorder.iteration():
            recorder.register_tensor("x", x)
            doubled = x * 2
            average = average * 0.9 + doubled.mean(0)
            (doubled * w).sum().backward()
            recorder.record_current_gradients("gradients")
        assert [tensor.requires_grad for tensor in (x, doubled, average)] == [False] * 3
        assert average.grad_fn is None
        assert [record.values.tolist() for key, record in read_records(recorder, step).items() if key[0] == "gradients"] == [[4, 6] * B]


def test_parameters_and_buffers_have_no_twin(recorder: ComgraRecorder) -> None:
    network = nn.BatchNorm1d(2, affine=False)
    recorder.track_module("net", network)
    frozen = nn.Parameter(torch.ones(2), requires_grad=False)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("buffer", network.running_mean, index_of_batch_dimension=None)  # type: ignore[arg-type]
        recorder.register_tensor("frozen", frozen, is_parameter=True)
        assert network.running_mean is not None
        loss = ((torch.ones(B, 2) - network.running_mean) * frozen * weight.clone().requires_grad_()).sum()
        recorder.register_tensor("loss", loss, is_loss=True)
        loss.backward()
        recorder.record_current_gradients("gradients")
    assert read_edges_without_gradient(recorder) == {("buffer", "loss"), ("frozen", "loss")}
    assert gradient_of(recorder, "buffer") is None
    assert frozen.grad is None


def test_under_autocast(recorder: ComgraRecorder) -> None:
    x, w = torch.randn(B, 3), torch.randn(3, 2, requires_grad=True)

    def forward(value: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return (value @ w).float().sum() + (value @ w).float().mean()

    own = x.clone().requires_grad_()
    forward(own).backward()
    gradient = input_gradient(recorder, x, forward)
    assert gradient is not None
    assert own.grad is not None
    assert torch.equal(gradient, own.grad)


def test_where_saved_tensors_are_watched_the_gradient_ends(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    w, kept = weight.clone().requires_grad_(), list[Tensor]()

    def forward(x: Tensor) -> Tensor:
        def keep(tensor: Tensor) -> Tensor:
            kept.append(tensor)
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            return (x * w).sum()

    with pytest.warns(ComgraRecordingWarning, match="saved tensors are watched"):
        assert input_gradient(recorder, torch.ones(B, 2), forward) is None
    assert len(kept) == 1


def test_random_numbers_of_a_generator_are_drawn_once(recorder: ComgraRecorder) -> None:
    x, w = torch.full((B, 2), 0.5), weight.clone().requires_grad_()
    generator = torch.Generator().manual_seed(1)
    alone = [torch.bernoulli(x, generator=generator).tolist(), torch.rand(3, generator=generator).tolist()]
    generator.manual_seed(1)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        drawn = torch.bernoulli(x, generator=generator)
        (drawn * w).sum().backward()
    assert [drawn.tolist(), torch.rand(3, generator=generator).tolist()] == alone


def test_penalties_of_gradients(recorder: ComgraRecorder) -> None:
    critic = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    real, fake = torch.randn(B, 2), torch.randn(B, 2)

    def penalty(value: Tensor) -> Tensor:
        mixed = (value * 0.3 + fake * 0.7).requires_grad_()
        (gradient,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
        total: Tensor = ((gradient.norm(dim=1) - 1) ** 2).mean() + critic(value).mean()
        return total

    penalty(real).backward()
    expected = [parameter.grad for parameter in critic.parameters()]
    critic.zero_grad()
    assert input_gradient(recorder, real, penalty) is not None
    for parameter, reference in zip(critic.parameters(), expected, strict=True):
        assert parameter.grad is not None
        assert reference is not None
        assert torch.equal(parameter.grad, reference)


def test_two_losses_may_be_computed_from_what_requires_no_gradient(make_recorder: MakeRecorder) -> None:
    """Each backward pass frees its own graph. What the recorder adds to both must outlive the first."""
    actor, critic = nn.Linear(6, 3), nn.Linear(6, 1)
    x, taste = torch.randn(B, 6), torch.randn(6, 1)

    def losses(x: Tensor) -> tuple[Tensor, Tensor]:
        reward = torch.tanh(x @ taste)[torch.arange(B)] / 2
        value = critic(x)
        return F.smooth_l1_loss(value, reward), (actor(x).log_softmax(1) * (reward - value.detach())).mean()

    recorder = make_recorder()
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x, is_input=True)
        of_critic, of_actor = losses(x)
        of_critic.backward()
        of_actor.backward()
        recorder.record_current_gradients("gradients")
    twin = x.clone().requires_grad_()
    (expected,) = torch.autograd.grad(torch.stack(losses(twin)).sum(), twin)
    torch.testing.assert_close(gradient_of(recorder, "x"), expected)
    assert not x.requires_grad
