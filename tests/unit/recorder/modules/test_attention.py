"""Attention patterns are found if an implementation returns them; otherwise the recording says why there are none."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import mul
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import comgra_export
from comgra_export import ComgraRecorder
from comgra_export.recorder.modules.attention import MAX_PATTERN_VALUES, meaning_of
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_call, read_gaps, read_records
from support.recorder.real_models import Loss, bert, gpt2, t5, vit


def run(recorder: ComgraRecorder, body: Callable[[], Any], batch_size: int = 2) -> Any:  # noqa: ANN401
    with recorder.batch(0, batch_size), recorder.iteration():
        return body()


def meanings_of(recorder: ComgraRecorder) -> dict[str, str]:
    """The known meanings of tensors at ports, by `module, side path`."""
    recording = open_recording(folder_of(recorder))
    tree = recording.calls(recording.step(recording.steps[0]).calls[0] or "")
    names = [recording.network.modules[call.module].name for call in tree.calls]
    return {f"{names[port.call]}, {port.side} {port.path}": port.meaning for port in tree.ports if port.meaning is not None}


def why_none(recorder: ComgraRecorder) -> dict[str, str]:
    """By the name of the module: why it shows no pattern."""
    recording = open_recording(folder_of(recorder))
    tree = recording.calls(recording.step(recording.steps[0]).calls[0] or "")
    names = [recording.network.modules[call.module].name for call in tree.calls]
    return {names[port.call]: port.text or "" for port in tree.ports if (port.side, port.path) == ("output", "attention")}


def softmax_of_products(attention: nn.MultiheadAttention, x: Tensor) -> list[list[list[list[float]]]]:
    """The pattern as its definition says, number by number: `[B, heads, queries, keys]`."""
    size = attention.embed_dim // attention.num_heads
    weight, bias = attention.in_proj_weight.double(), attention.in_proj_bias.double()
    pattern = []
    for sample in x.double():
        projected = sample @ weight.T + bias
        heads = []
        for head in range(attention.num_heads):
            queries = projected[:, head * size : (head + 1) * size].tolist()
            first = attention.embed_dim + head * size
            keys = projected[:, first : first + size].tolist()
            powers = [[math.exp(sum(map(mul, query, key)) / math.sqrt(size)) for key in keys] for query in queries]
            heads.append([[power / sum(row) for power in row] for row in powers])
        pattern.append(heads)
    return pattern


@pytest.mark.parametrize("per_head", [True, False])
def test_the_pattern_is_that_of_the_definition(recorder: ComgraRecorder, per_head: bool) -> None:
    net = nn.MultiheadAttention(6, 3, batch_first=True)
    recorder.watch(net, "net")
    x = torch.randn(2, 4, 6)
    run(recorder, lambda: net(x, x, x, average_attn_weights=not per_head))
    assert meanings_of(recorder) == {"net, output output[1]": "attention"}
    expected = torch.tensor(softmax_of_products(net, x))
    record = read_records(recorder)["forward", "net: output[1]", 0]
    # For the other outputs, statistics are enough.
    assert (record.entry.kind, read_records(recorder)["forward", "net: output[0]", 0].entry.kind) == ("neuron", "kpis")
    assert record.entry.shape == ((2, 3, 4, 4) if per_head else (2, 4, 4))
    assert record.values.tolist() == pytest.approx((expected if per_head else expected.mean(1)).flatten().tolist(), rel=1e-5)
    assert why_none(recorder) == {}


Make = Callable[[str], tuple[nn.Module, Loss]]


def watched(make: Make, attention: str, path: Path, *, training: bool) -> tuple[ComgraRecorder, list[Tensor]]:
    """Watches a network of transformers for one step.

    Returns:
        The recorder, and all patterns that the network itself returns, layer by layer.
    """
    torch.manual_seed(0)
    model, loss_of = make(attention)
    model.train(training)
    returned: list[Tensor] = []

    def keep(_: nn.Module, __: object, result: dict[str, Any]) -> None:
        for name, part in result.items():
            returned.extend(part if name.endswith("attentions") else ())

    model.register_forward_hook(keep)
    with comgra_export.watch(model, path, strict=True) as recorder:
        loss_of().backward()
        if training:
            recorder.step()
    return recorder, returned


@pytest.mark.slow
@pytest.mark.parametrize("make", [gpt2, bert, vit, t5], ids=["GPT-2", "BERT", "ViT", "T5"])
@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
def test_patterns_of_transformers_are_those_that_it_returns(make: Make, training: bool, tmp_path: Path) -> None:
    recorder, returned = watched(make, "eager", tmp_path, training=training)
    # The first evaluation comes before the first training step.
    step = 0 if training else -0.999999
    records = read_records(recorder, step)
    call = read_call(recorder, "model", step=step)
    recorded = [records["forward", name, 0] for path, name in call.outputs.items() if "attentions[" in path]
    assert len(recorded) == len(returned) == (6 if make is t5 else 2)
    for record, pattern in zip(recorded, returned, strict=True):
        assert record.entry.shape == tuple(pattern.shape)
        assert record.values.tolist() == pattern.flatten().tolist()
    # ViT has no dropout by default. Dropout scales up the remaining values.
    expected = "attention_after_dropout" if training and make is not vit else "attention"
    assert set(meanings_of(recorder).values()) == {expected}
    assert {name for name in meanings_of(recorder) if name.startswith("model, ")} == {
        f"model, output {path}" for path in call.outputs if "attentions[" in path
    }
    assert why_none(recorder) == {}


@pytest.mark.slow
@pytest.mark.parametrize("make", [gpt2, bert, vit, t5], ids=["GPT-2", "BERT", "ViT", "T5"])
def test_an_implementation_that_computes_no_pattern_is_named(make: Make, tmp_path: Path) -> None:
    recorder, _ = watched(make, "sdpa", tmp_path, training=True)
    assert meanings_of(recorder) == {}
    reasons = why_none(recorder)
    # Only the innermost module has a reason, not the modules around it.
    assert len(reasons) == (6 if make is t5 else 2)
    assert set(reasons.values()) == {"not computed with attn_implementation='sdpa': use 'eager', with output_attentions=True"}


def test_weights_that_are_not_requested_are_reported_as_missing(recorder: ComgraRecorder) -> None:
    net = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    recorder.watch(net, "net")
    run(recorder, lambda: net(torch.randn(2, 3, 4)))
    assert why_none(recorder) == {"net.self_attn": "not returned: need_weights=False"}
    assert meanings_of(recorder) == {}
    assert read_gaps(recorder) == []


class CausalSelfAttention(nn.Module):
    """A common hand-written attention: the pattern passes through a submodule and is not returned."""

    def __init__(self, drops: bool) -> None:
        super().__init__()
        self.projection = nn.Linear(4, 12)
        self.attn_drop = nn.Dropout(0.5) if drops else None

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.projection(x).chunk(3, -1)
        scores = query @ key.transpose(-2, -1) / 2
        scores = scores.masked_fill(torch.ones(x.shape[1], x.shape[1]).triu(1).bool(), -torch.inf)
        pattern = scores.softmax(-1)
        if self.attn_drop is not None:
            pattern = self.attn_drop(pattern)
        return pattern @ value  # type: ignore[no-any-return]


def test_a_pattern_that_passes_through_a_part_is_found_there(recorder: ComgraRecorder) -> None:
    net = CausalSelfAttention(drops=True)
    recorder.watch(net, "net")
    run(recorder, lambda: net(torch.randn(2, 3, 4)))
    assert meanings_of(recorder) == {
        "net.attn_drop, input input": "attention", "net.attn_drop, output output": "attention_after_dropout",
    }  # fmt: skip
    pattern = read_records(recorder)["forward", "net.attn_drop: input", 0].values.reshape(2, 3, 3)
    assert pattern.sum(-1) == pytest.approx(1)
    assert pattern[:, 0].tolist() == [[1, 0, 0]] * 2
    assert why_none(recorder) == {}


def test_a_custom_attention_without_weights_is_reported(recorder: ComgraRecorder) -> None:
    net = CausalSelfAttention(drops=False)
    recorder.watch(net, "net")
    run(recorder, lambda: net(torch.randn(2, 3, 4)))
    assert meanings_of(recorder) == {}
    assert why_none(recorder) == {"net": "not returned by this module"}


def test_shares_that_are_no_attention_are_not_called_so(recorder: ComgraRecorder) -> None:
    net = nn.Softmax(-1)
    recorder.watch(net, "net")
    run(recorder, lambda: net(torch.randn(2, 3, 4)))
    assert meanings_of(recorder) == why_none(recorder) == {}
    assert read_records(recorder)["forward", "net: output", 0].entry.kind == "kpis"


SHARES = torch.tensor([[[0.25, 0.75], [1.0, 0.0]]])
PATTERNS: dict[str, tuple[Tensor, float, str | None]] = {
    "rows that sum to 1": (SHARES, 0, "attention"),
    "several heads": (SHARES[None], 0, "attention"),
    "half precision": (torch.randn(2, 3, 5, 40).softmax(-1).bfloat16(), 0, "attention"),
    "masked rows of zeros": (torch.tensor([[[0.25, 0.75], [0.0, 0.0]]]), 0, "attention"),
    "masked rows of NaN": (torch.tensor([[[0.25, 0.75], [torch.nan, torch.nan]]]), 0, "attention"),
    "dropped, the rest doubled": (torch.tensor([[[0.5, 0.0], [0.0, 0.0]]]), 0.5, "attention_after_dropout"),
    "dropped more than could be": (torch.tensor([[[1.5, 1.5], [0.0, 0.0]]]), 0.5, None),
    "dropped although nothing is": (torch.tensor([[[0.5, 0.0], [0.0, 0.0]]]), 0, None),
    "only zeros": (torch.zeros(1, 2, 2), 0.5, None),
    "only NaN": (torch.full((1, 2, 2), torch.nan), 0, None),
    "negative": (torch.tensor([[[1.5, -0.5], [1.0, 0.0]]]), 0.5, None),
    "no dimension of queries": (SHARES[0], 0, None),
    "integers": (torch.eye(2, dtype=torch.int64)[None], 0, None),
    "empty": (torch.zeros(0, 2, 2), 0, None),
}


@pytest.mark.parametrize(("tensor", "dropout", "expected"), PATTERNS.values(), ids=PATTERNS.keys())
def test_a_pattern_is_known_by_its_rows(tensor: Tensor, dropout: float, expected: str | None) -> None:
    assert meaning_of(tensor, dropout) == expected


@pytest.mark.parametrize("values", [False, True])
def test_of_large_patterns_only_statistics_are_recorded_unless_values_are_asked_for(make_recorder: MakeRecorder, values: bool) -> None:
    recorder = make_recorder(max_num_batch_size_to_record=5)
    net = nn.MultiheadAttention(4, 4, batch_first=True)
    recorder.watch(net, "net", values=values)
    x = torch.randn(6, 116, 4)
    count = 5 * 4 * 116 * 116
    assert count > MAX_PATTERN_VALUES
    with torch.no_grad():
        run(recorder, lambda: net(x, x, x, average_attn_weights=False), batch_size=6)
    assert meanings_of(recorder) == {"net, output output[1]": "attention"}
    record = read_records(recorder)["forward", "net: output[1]", 0]
    assert record.values.size == (count if values else 0)
    gaps = [(gap.tensor, gap.reason) for gap in read_gaps(recorder)]
    reason = (
        "only its statistics are recorded: this pattern of attention has 269,120 values to record, more than 262,144. "
        "With values=True, they are recorded"
    )
    assert gaps == ([] if values else [("net: output[1]", reason)])


def test_a_pattern_that_the_user_registers_is_known_as_well(recorder: ComgraRecorder) -> None:
    net = nn.MultiheadAttention(4, 2, batch_first=True)
    recorder.watch(net, "net")

    def body() -> None:
        x = torch.randn(2, 3, 4)
        recorder.register_tensor("weights", net(x, x, x)[1], recording_type="kpis")

    run(recorder, body)
    assert meanings_of(recorder) == {"net, output output[1]": "attention"}
    assert read_call(recorder, "net").outputs["output[1]"] == "weights"
    # The user's setting counts.
    assert read_records(recorder)["forward", "weights", 0].entry.kind == "kpis"
