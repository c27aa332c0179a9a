"""Networks as people use them are watched: they train as without a recorder, and the recording has all calls, tensors and gradients."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import comgra_export
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.storage import open_recording
from comgra_export.storage.model.layout import FLAG_GRADIENT_ABSENT
from support.recorder.reading import folder_of, read_call, read_calls, read_edges, read_records
from support.recorder.real_models import MODELS, Loss, ResNet18

STEPS = 3


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


class Seen(NamedTuple):
    """A call as plain hooks of PyTorch show it: the module, and the range of each returned tensor and of its gradient."""

    module: str
    outputs: list[dict[str, Any]]


def tensors_in(value: object) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [tensor for part in value for tensor in tensors_in(part)] if isinstance(value, (tuple, list)) else []


def range_of(tensor: Tensor) -> list[float]:
    """Smallest and largest value; both are NaN if there are no values."""
    return [tensor.min().item(), tensor.max().item()] if tensor.numel() else [torch.nan, torch.nan]


def listen(model: nn.Module) -> list[Seen]:
    """Makes plain hooks note every call."""
    seen: list[Seen] = []
    running: list[Seen] = []

    def before(name: str) -> None:
        running.append(Seen(name, []))
        seen.append(running[-1])

    def after(result: object) -> None:
        call = running.pop()
        for tensor in tensors_in(result):
            facts: dict[str, Any] = {"shape": tuple(tensor.shape), "range": range_of(tensor), "asked": tensor.requires_grad}
            call.outputs.append(facts)
            if tensor.requires_grad:
                tensor.register_hook(lambda gradient, facts=facts: facts.update(gradient=range_of(gradient)))

    for name, module in model.named_modules():
        module.register_forward_pre_hook(lambda *_, name=name: before(f"model.{name}".rstrip(".")))
        module.register_forward_hook(lambda _, __, result: after(result))
    return seen


def train(make: Callable[[], tuple[nn.Module, Loss]], prepare: Callable[[nn.Module], Any]) -> tuple[list[Tensor], Any]:
    """Trains a network from the same beginning.

    Returns:
        Its losses and what is known of its state, and what `prepare` has returned.
    """
    torch.manual_seed(0)
    model, loss_of = make()
    prepared = prepare(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses = []
    with prepared if isinstance(prepared, ComgraRecorder) else warnings.catch_warnings():
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = loss_of()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
    return [*losses, *model.state_dict().values(), torch.get_rng_state()], prepared


@pytest.mark.parametrize("name", MODELS)
def test_all_calls_and_gradients_are_those_of_plain_hooks(name: str, tmp_path: Path) -> None:
    def watch(model: nn.Module) -> ComgraRecorder:
        schedule = DecisionMakerForRecordingsFrequencyPerType(1)
        return comgra_export.watch(model, tmp_path / "runs", decision_maker_for_recordings=schedule, strict=True)

    alone, seen = train(MODELS[name], listen)
    watched, recorder = train(MODELS[name], watch)
    assert all(torch.equal(value, other) for value, other in zip(watched, alone, strict=True))
    recording = open_recording(recorder.folder)
    assert (recording.steps, recording.problems, recording.gaps) == (tuple(range(STEPS)), [], ())
    calls_of_steps = []
    for step in recording.steps:
        assert recording.step(step).gaps == ()
        records = read_records(recorder, step)
        calls = [call for outermost in read_calls(recorder, step) for call in outermost.all()]
        calls_of_steps.append(len(calls))
        expected = seen[sum(calls_of_steps[:-1]) : sum(calls_of_steps)]
        assert [call.module for call in calls] == [plain_call.module for plain_call in expected]
        for call, plain_call in zip(calls, expected, strict=True):
            names = [record for record in call.outputs.values() if ("forward", record, 0) in records]
            assert len(names) == len(plain_call.outputs), call.module
            for record, facts in zip(names, plain_call.outputs, strict=True):
                forward, backward = records["forward", record, 0], records["gradients", record, 0]
                assert forward.entry.shape == facts["shape"]
                assert forward.extrema == pytest.approx(facts["range"], rel=0, abs=0, nan_ok=True), (call.module, record)
                if "gradient" in facts:
                    assert backward.extrema == pytest.approx(facts["gradient"], rel=0, abs=0, nan_ok=True), (call.module, record)
                assert ("gradient" in facts) == (backward.counts[4] == 0) or not facts["asked"]
    assert sum(calls_of_steps) == len(seen)
    result = comgra_export.export(tmp_path / "runs", tmp_path / "report.html")
    assert (result.steps, result.problems) == (STEPS, ())


PORTS: dict[str, dict[str, tuple[dict[str, str], dict[str, str]]]] = {
    "ResNet-18": {
        "model": ({"x": "model: input x"}, {"output": "model.fc: output"}),
        "model.layer2.0.downsample": ({"input": "model.layer1.1.relu (call 2): output"}, {"output": "model.layer2.0.downsample.1: output"}),
        "model.layer2.0.relu": ({"input": "model.layer2.0.bn1: output"}, {"output": "model.layer2.0.relu: output"}),
    },
    "LSTM tagger": {
        "model": ({"words": "model: input words", "lengths": "model: input lengths"}, {"output": "model.tags: output"}),
        "model.lstm": (
            {"input.data": "model.lstm: input.data", "input.batch_sizes": "model.lstm: input.batch_sizes"},
            {"output[0].data": "model.lstm: output[0].data", "output[1][1]": "model.lstm: output[1][1]"},
        ),
    },
    "U-Net": {
        "model.up.0": ({"input": "model.up.0: input"}, {"output": "model.up.0.2: output"}),
        "model.pool": ({"input": "model.down.0.2: output"}, {"output": "model.pool: output"}),
    },
    "mixture of experts": {
        "model": (
            {"x": "model: input x"},
            {"output[0]": "model: output[0]", "output[1].shares": "model: output[1].shares", "output[1].chosen": "model: output[1].chosen"},
        ),
        "model.experts.3": ({"input": "model.experts.3: input"}, {"output": "model.experts.3.2: output"}),
    },
    "nn.MultiheadAttention": {
        "model.attention": (
            {
                **dict.fromkeys(("query", "key", "value"), "model.encoder.layers.1.norm2: output"),
                "key_padding_mask": "model: input padding", "need_weights": "True",
            },
            {"output[0]": "model.attention: output[0]", "output[1]": "model.attention: output[1]"},
        ),
    },
    "GPT-2, sdpa": {
        "model": (
            {"input_ids": "model: input input_ids", "labels": "model: input labels"},
            {"output.loss": "model: output.loss", "output.logits": "model.lm_head: output", "output.past_key_values": "DynamicCache"},
        ),
        "model.transformer": (
            {"input_ids": "model: input input_ids", "attention_mask": "None"},
            {"output.last_hidden_state": "model.transformer: output.last_hidden_state"},
        ),
    },
    "BERT, eager": {
        "model": (
            {"attention_mask": "model: input attention_mask"},
            {
                "output.logits": "model.classifier: output",
                "output.attentions[1]": "model.bert.encoder.layer.1.attention.self: output[1]",
            },
        ),
    },
    "ViT, sdpa": {
        "model": ({"pixel_values": "model: input pixel_values"}, {"output.logits": "model.classifier: output"}),
        "model.vit": ({"pixel_values": "model: input pixel_values"}, {"output.last_hidden_state": "model.vit.layernorm: output"}),
    },
    "T5, eager": {
        "model": (
            {"input_ids": "model: input input_ids", "labels": "model: input labels"},
            {
                "output.logits": "model.lm_head: output",
                "output.encoder_last_hidden_state": "model.encoder.dropout (call 2): output",
                "output.cross_attentions[0]": "model.decoder.block.0.layer.1.EncDecAttention: output[2]",
            },
        ),
        "model.decoder": ({"input_ids": "model.decoder: input input_ids"}, {"output.past_key_values": "EncoderDecoderCache"}),
    },
}  # fmt: skip


@pytest.mark.parametrize("name", PORTS)
def test_what_goes_in_and_comes_out_has_its_place(name: str, tmp_path: Path) -> None:
    _, recorder = train(MODELS[name], lambda model: comgra_export.watch(model, tmp_path, strict=True))
    for module, (inputs, outputs) in PORTS[name].items():
        call = read_call(recorder, module)
        assert {**call.inputs, **inputs} == call.inputs
        assert {**call.outputs, **outputs} == call.outputs


def test_all_67_parts_of_a_resnet_are_there_with_gradients_in_and_out(tmp_path: Path) -> None:
    _, recorder = train(MODELS["ResNet-18"], lambda model: comgra_export.watch(model, tmp_path, strict=True))
    calls = [call for outermost in read_calls(recorder) for call in outermost.all()]
    # The ReLU of each of its eight blocks is called twice.
    assert len({call.module for call in calls}) == 1 + 67
    assert len(calls) == 1 + 67 + 8
    records = read_records(recorder)
    for call in calls:
        for name in (*call.inputs.values(), *call.outputs.values()):
            assert not records["gradients", name, 0].counts[4] & FLAG_GRADIENT_ABSENT, (call.module, name)


def test_an_expert_without_tokens_has_empty_tensors(tmp_path: Path) -> None:
    _, recorder = train(MODELS["mixture of experts"], lambda model: comgra_export.watch(model, tmp_path, strict=True))
    records = read_records(recorder)
    assert records["forward", "model.experts.3: input", 0].entry.shape == (0, 6)
    tokens = [records["forward", f"model.experts.{number}: input", 0].entry.shape[0] for number in range(4)]
    assert sum(tokens) == 2 * 3 * 5


def test_an_evaluation_has_the_same_parts(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = ResNet18()
    schedule = DecisionMakerForRecordingsFrequencyPerType(1)
    with comgra_export.watch(model, tmp_path, decision_maker_for_recordings=schedule, strict=True) as recorder:
        model(torch.randn(4, 3, 32, 32)).mean().backward()
        recorder.step()
        model.eval()
        with torch.inference_mode():
            model(torch.randn(2, 3, 32, 32))
    training, evaluation = ([call for outermost in read_calls(recorder, step) for call in outermost.all()] for step in (0, 0.000001))
    for trained, evaluated in zip(training, evaluation, strict=True):
        assert (trained.module, trained.inputs, trained.outputs) == (evaluated.module, evaluated.inputs, evaluated.outputs)
    assert {call.training for call in training} == {True}
    assert {call.training for call in evaluation} == {False}
    assert read_edges(recorder, 0) == read_edges(recorder, 0.000001) | {("model.fc: output", "mean")}
    assert ("model.layer1.0.bn2: output", "model.layer1.0.relu (call 2): input") in read_edges(recorder, 0.000001)


class Generator(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(nn.ConvTranspose2d(4, 8, 4), nn.BatchNorm2d(8), nn.ReLU(True), nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Tanh())


class Critic(nn.Sequential):
    def __init__(self) -> None:
        head = nn.utils.parametrizations.spectral_norm(nn.Linear(128, 1))
        super().__init__(nn.Conv2d(1, 8, 4, 2, 1), nn.LeakyReLU(0.2, True), nn.Flatten(), head)


def train_adversaries(path: Path | None) -> tuple[list[Tensor], ComgraRecorder | None]:
    torch.manual_seed(0)
    generator, critic = Generator(), Critic()
    of_generator, of_critic = torch.optim.Adam(generator.parameters(), lr=0.01), torch.optim.Adam(critic.parameters(), lr=0.01)
    schedule = DecisionMakerForRecordingsFrequencyPerType(1)
    recorder = None if path is None else comgra_export.watch(generator, path, name="generator", decision_maker_for_recordings=schedule)
    if recorder is not None:
        recorder.watch(critic, "critic")
    losses = []
    with recorder or warnings.catch_warnings():
        for _ in range(STEPS):
            fake = generator(torch.randn(4, 4, 1, 1))
            of_critic.zero_grad()
            loss = functional.softplus(critic(fake.detach())).mean() + functional.softplus(-critic(torch.randn(4, 1, 8, 8))).mean()
            loss.backward()
            of_critic.step()
            of_generator.zero_grad()
            functional.softplus(-critic(fake)).mean().backward()
            of_generator.step()
            losses.append(loss.detach())
            if recorder is not None:
                recorder.step()
    return [*losses, *generator.state_dict().values(), *critic.state_dict().values()], recorder


def test_adversaries_train_each_other(tmp_path: Path) -> None:
    watched, recorder = train_adversaries(tmp_path / "runs")
    alone, _ = train_adversaries(None)
    assert all(torch.equal(value, other) for value, other in zip(watched, alone, strict=True))
    assert recorder is not None
    recording = open_recording(folder_of(recorder))
    # Until `step` was called, each optimizer ended a step of its own.
    assert (recording.steps, recording.gaps) == ((0, 1, 2, 3), ())
    last = recording.step(3)
    assert last.gaps == ()
    calls = [[call.module for call in read_calls(recorder, 3, iteration)] for iteration in range(len(last.calls))]
    assert calls == [["generator"], ["critic"], ["critic"], ["critic"]]
    records = read_records(recorder, 3)
    # The critic learns from what is detached; the generator by the critic.
    assert records["gradients", "generator.4: output", 0].counts[4] == 1
    assert records["gradients 2", "generator.4: output", 0].counts[4] == 0
    assert records["gradients", "critic.3: output", 1].extrema == records["gradients 2", "critic.3: output", 1].extrema
    assert ("gradients", "critic.3: output", 3) not in records
    assert records["gradients 2", "critic.3: output", 3].counts[4] == 0
