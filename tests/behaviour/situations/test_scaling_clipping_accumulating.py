"""Training as people do it: scaled, clipped and accumulated gradients, several losses, networks that change."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import NoReturn

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils import parametrizations

from comgra_export import ComgraRecorder
from comgra_export.storage import open_recording
from comgra_export.storage.model.step_description import GradientFacts, ParameterFacts, StepDescription
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_edges, read_gaps, read_records

B = 4


def read_step(recorder: ComgraRecorder, step: int = 0) -> StepDescription:
    return open_recording(folder_of(recorder)).step(step)


def summary_of(recorder: ComgraRecorder, step: int = 0) -> dict[str, GradientFacts]:
    return {facts.group: facts for facts in read_step(recorder, step).gradients}


def parameter_facts(recorder: ComgraRecorder, step: int = 0) -> tuple[list[str], ParameterFacts]:
    recording = open_recording(folder_of(recorder))
    facts = recording.step(step).parameters
    assert facts is not None
    return [recording.network.parameters[position].name for position in facts.parameters], facts


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
@pytest.mark.parametrize("unscale", [False, True])
def test_the_loss_scale_is_divided_out(recorder: ComgraRecorder, dtype: torch.dtype, unscale: bool) -> None:
    layer = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    recorder.track_module("layer", layer)
    recorder.track_optimizers(optimizer)
    recorder.track_grad_scaler(scaler)
    with recorder.batch(0, B), recorder.iteration():
        hidden = torch.ones(B, 2, dtype=dtype).requires_grad_()
        recorder.register_tensor("hidden", hidden)
        loss = layer(hidden.float()).sum() * 1e-6
        scaler.scale(loss).backward()
        if unscale:
            scaler.unscale_(optimizer)
        recorder.record_current_gradients("gradients")
        scaler.step(optimizer)
        scaler.update()
    records = read_records(recorder)
    expected = (layer.weight.detach() * 1e-6).flatten().tolist()
    # In float16, some of them would be zero or far off.
    assert records["gradients", "hidden", 0].values.reshape(B, 2)[0].tolist() == pytest.approx(expected, rel=0.1, abs=1e-8)
    assert records["gradients", "layer.bias", -1].statistics["mean"] == pytest.approx([B * 1e-6])
    assert summary_of(recorder)["gradients"].loss_scale == 1024
    changed_by = summary_of(recorder)["gradients"].changed_in_place_by
    assert changed_by == (("_amp_foreach_non_finite_check_and_unscale_",) if unscale else ())


def test_gradients_before_and_after_clipping(recorder: ComgraRecorder) -> None:
    layer = nn.Linear(2, 1)
    recorder.track_module("layer", layer)
    with recorder.batch(0, B), recorder.iteration():
        (layer(torch.ones(B, 2)) * 100).sum().backward()
        recorder.record_current_gradients("before clipping")
        nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
        recorder.record_current_gradients("after clipping")
    records, facts = read_records(recorder), summary_of(recorder)
    assert records["before clipping", "layer.bias", -1].statistics["mean"] == [400]
    assert records["after clipping", "layer.bias", -1].statistics["mean"] == pytest.approx([3**-0.5], rel=1e-5)
    assert facts["before clipping"].changed_in_place_by == ()
    changed_by = facts["after clipping"].changed_in_place_by
    assert changed_by
    assert all("mul" in name for name in changed_by)


def test_what_was_left_of_earlier_steps(recorder: ComgraRecorder) -> None:
    layer = nn.Linear(1, 1)
    recorder.track_module("layer", layer)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.5)
    recorder.track_optimizers(optimizer)
    for step, zero in enumerate([True, True, False]):
        with recorder.batch(step, 1), recorder.iteration():
            if zero:
                optimizer.zero_grad()
            layer(torch.full((1, 1), 3.0)).sum().backward()
            recorder.record_current_gradients("gradients")
            if step < 2:
                optimizer.step()
    names, fresh = parameter_facts(recorder, 1)
    assert names == ["layer.weight", "layer.bias"]
    assert fresh.accumulated_gradient_difference == (0, 0)
    assert fresh.update_norm == pytest.approx((1.5, 0.5))
    _, stale = parameter_facts(recorder, 2)
    assert stale.accumulated_gradient_difference == (3, 1)
    assert stale.update_norm == (0, 0)
    assert read_step(recorder, 1).learning_rates == ((0.5,),)
    assert stale.norm == pytest.approx((abs(layer.weight.item()), abs(layer.bias.item())))


def test_several_losses_and_a_graph_that_is_used_again(recorder: ComgraRecorder) -> None:
    layer = nn.Linear(2, 2)
    recorder.track_module("layer", layer)
    with recorder.batch(0, B), recorder.iteration():
        x = torch.ones(B, 2)
        recorder.register_tensor("x", x, is_input=True)
        output = layer(x)
        recorder.register_tensor("output", output)
        output.sum().backward(retain_graph=True)
        recorder.record_current_gradients("first", set_gradients_to_zero_if_not_a_parameter=True)
        (3 * output).sum().backward(retain_graph=True)
        recorder.record_current_gradients("second")
        output.sum().backward()
        recorder.record_current_gradients("all since")
    records = read_records(recorder)
    means = {group: records[group, "output", 0].statistics["mean"][0] for group in ("first", "second", "all since")}
    assert means == {"first": 1, "second": 3, "all since": 4}
    column = layer.weight.detach().sum(dim=0).tolist()
    assert records["second", "x", 0].values.reshape(B, 2)[0].tolist() == pytest.approx([3 * value for value in column])
    assert [facts.backward_passes for facts in summary_of(recorder).values()] == [1, 2, 3]


def test_gradients_asked_for_without_backward(recorder: ComgraRecorder) -> None:
    layer = nn.Linear(2, 1)
    recorder.track_module("layer", layer)
    with recorder.batch(0, B), recorder.iteration():
        hidden = layer(torch.ones(B, 2))
        recorder.register_tensor("hidden", hidden)
        torch.autograd.grad(hidden.sum() * 2, list(layer.parameters()))
        recorder.record_current_gradients("gradients")
    records = read_records(recorder)
    assert records["gradients", "hidden", 0].statistics["mean"][0] == 2
    assert records["gradients", "layer.weight", -1].counts[4] == 1


def test_parametrized_weights(recorder: ComgraRecorder) -> None:
    layer = parametrizations.weight_norm(nn.Linear(3, 2))
    recorder.track_module("layer", layer)
    with recorder.batch(0, B), recorder.iteration():
        x = torch.rand(B, 3)
        recorder.register_tensor("x", x, is_input=True)
        output = layer(x)
        recorder.register_tensor("output", output)
        output.sum().backward()
        recorder.record_current_gradients("gradients")
    names = {"layer.parametrizations.weight.original0", "layer.parametrizations.weight.original1", "layer.bias"}
    assert {(name, "output") for name in names} <= read_edges(recorder)
    assert all(read_records(recorder)["gradients", name, -1].counts[4] == 0 for name in names)


def test_modules_added_after_tracking(recorder: ComgraRecorder) -> None:
    network = nn.Sequential(nn.Linear(2, 2))
    recorder.track_module("net", network)
    for step in range(2):
        if step:
            network.append(nn.Linear(2, 1))
        with recorder.batch(step, B), recorder.iteration():
            recorder.register_tensor("output", network(torch.rand(B, 2)))
    recording = open_recording(folder_of(recorder))
    assert [module.name for module in recording.network.modules] == ["net", "net.0", "net.1"]
    assert ("net.1.weight", "output") in read_edges(recorder, 1)
    runs = recording.step(1).module_runs
    assert runs is not None
    assert runs.modules == (0, 1, 2)
    assert runs.training == (True, True, True)


@dataclasses.dataclass
class Output:
    logits: Tensor
    parts: dict[str, list[Tensor]]


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.head = nn.Linear(2, 2), nn.Linear(2, 3)

    def forward(self, *, features: Tensor) -> Output:
        hidden = torch.tanh(self.encoder(features))
        return Output(self.head(hidden), {"hidden": [hidden]})


def test_keyword_arguments_and_nested_outputs(recorder: ComgraRecorder) -> None:
    model = Model()
    recorder.track_module("model", model)
    with recorder.batch(0, B), recorder.iteration():
        features = torch.rand(B, 2)
        recorder.register_tensor("features", features, is_input=True)
        output = model(features=features)
        recorder.register_tensor("logits", output.logits)
        recorder.register_tensor("hidden", output.parts["hidden"][0])
    assert {("features", "hidden"), ("hidden", "logits"), ("model.head.weight", "logits")} <= read_edges(recorder)
    records = read_records(recorder)
    assert records["forward", "logits", 0].entry.module == "model.head"
    assert records["forward", "hidden", 0].entry.module == "model"
    assert records["forward", "logits", 0].entry.operation == "AddmmBackward0"


def test_a_module_that_is_never_called(recorder: ComgraRecorder) -> None:
    attention = nn.MultiheadAttention(4, 2, batch_first=True)
    recorder.track_module("attention", attention)
    with recorder.batch(0, B), recorder.iteration():
        x = torch.rand(B, 3, 4)
        recorder.register_tensor("x", x, is_input=True)
        attended, weights = attention(x, x, x, average_attn_weights=False)
        recorder.register_tensor("attended", attended)
        recorder.register_tensor("weights", weights)
        attended.sum().backward()
        recorder.record_current_gradients("gradients")
    recording = open_recording(folder_of(recorder))
    runs = recording.step(0).module_runs
    assert runs is not None
    # Its parameters are used, in a function that does not call the module.
    assert [recording.network.modules[position].name for position in runs.modules] == ["attention"]
    assert ("attention.out_proj.weight", "attended") in read_edges(recorder)
    records = read_records(recorder)
    assert records["gradients", "attention.out_proj.weight", -1].counts[4] == 0
    assert records["forward", "weights", 0].entry.shape == (B, 2, 3, 3)


def test_evaluation_between_training_steps(recorder: ComgraRecorder) -> None:
    network = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5), nn.BatchNorm1d(2))
    recorder.track_module("net", network)
    for step, (name, training) in enumerate([("train", True), ("evaluate", False)]):
        network.train(training)
        with torch.set_grad_enabled(training), recorder.batch(step, B, name), recorder.iteration():
            recorder.register_tensor("output", network(torch.rand(B, 2)))
    modes = [read_step(recorder, step).module_runs for step in range(2)]
    assert [runs.training for runs in modes if runs is not None] == [(True,) * 4, (False,) * 4]
    assert ("net.0.weight", "output") in read_edges(recorder, 1)


def test_models_are_copied_and_pickled_within_a_recorded_step(recorder: ComgraRecorder) -> None:
    network = nn.Linear(2, 1)
    recorder.track_module("net", network)
    with recorder.batch(0, B), recorder.iteration():
        output = network(torch.rand(B, 2))
        recorder.register_tensor("output", output)
        copied, loaded = copy.deepcopy(network), pickle.loads(pickle.dumps(network))
        copied(torch.rand(B, 2)).sum().backward()
    assert torch.equal(loaded.weight, network.weight)
    assert network.weight.grad is None
    assert not read_gaps(recorder)


def test_an_exception_in_the_network_leaves_everything_in_order(recorder: ComgraRecorder) -> None:
    class Broken(nn.Module):
        def forward(self, _: Tensor) -> Tensor:
            raise RuntimeError("no luck")

    network = nn.Sequential(nn.Linear(2, 2), Broken())
    recorder.track_module("net", network)
    with pytest.raises(RuntimeError, match="no luck"), recorder.batch(0, B), recorder.iteration():
        network(torch.rand(B, 2))
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("output", network[0](torch.rand(B, 2)))
    runs = read_step(recorder).module_runs
    assert runs is not None
    assert runs.calls == (1,)


def test_tensors_on_another_device_are_recorded_or_a_gap(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("here", torch.zeros(B, 2))
        with pytest.warns(UserWarning, match="meta tensor, which has no values"):
            recorder.register_tensor("nowhere", torch.zeros(B, 2, device="meta"))
    assert ("forward", "here", 0) in read_records(recorder)


def test_a_tensor_that_raises_when_it_is_read(make_recorder: MakeRecorder) -> None:
    class Fragile(Tensor):
        @classmethod
        def __torch_function__(cls, *_: object) -> NoReturn:
            raise RuntimeError("do not touch")

    recorder = make_recorder(strict=False)
    fragile = torch.zeros(B, 2).as_subclass(Fragile)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("fine", torch.zeros(B, 2))
        with pytest.warns(UserWarning, match="do not touch"):
            recorder.register_tensor("fragile", fragile)
    assert ("forward", "fine", 0) in read_records(recorder)
