"""Histograms of what is watched."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import comgra_export
from comgra_export import ComgraRecorder
from comgra_export.errors import MisuseError
from comgra_export.native import load_kernels
from comgra_export.recorder.numbers import kernels
from comgra_export.recorder.numbers.buffers import CHUNK_VALUES, HistogramCopies, HistogramMemory
from comgra_export.recorder.numbers.histogram_values import histogram_of_stored, stride_of, values_for_histogram
from comgra_export.storage import open_recording
from comgra_export.storage.arrays.histograms import Histogram, decode_histograms, histogram_of
from comgra_export.storage.arrays.layout_arrays import histogram_records
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_gaps
from support.storage.entries import tensor_entry

Found = tuple[Histogram, NDArray[np.float64]]


def read(recorder: ComgraRecorder, step: float = 0) -> dict[tuple[str, str], Found]:
    """The histograms of a step by group and name."""
    recording = open_recording(folder_of(recorder))
    assert recording.check_step(step), recording.problems
    actual = recording.histograms(step)
    places = histogram_records(recording.layout(recording.step(step).layout))
    histograms = decode_histograms(actual.bins, actual.counts)
    return {(place.group, place.entry.name): own for place, *own in zip(places, histograms, actual.quantiles, strict=True)}  # type: ignore[misc]


def counted(actual: Found) -> dict[float, int]:
    """How many values are in each bin that has some, by the lower end of its magnitudes, with the sign."""

    def lower(number: int) -> float:
        return float(np.int32((number - 1) << 21).view(np.float32))

    histogram, _ = actual
    counts = {-lower(histogram.first_negative + place): count for place, count in enumerate(histogram.negative.tolist())}
    counts.update({lower(histogram.first_positive + place): count for place, count in enumerate(histogram.positive.tolist())})
    counts[0.0] = histogram.zeros
    return {edge: count for edge, count in sorted(counts.items()) if count}


def record(recorder: ComgraRecorder, network: nn.Module, x: Tensor, step: int = 0) -> None:
    with recorder.batch(step, len(x)), recorder.iteration():
        network(x).sum().backward()
        recorder.record_current_gradients("gradients")


class Passing(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x


def of_values(make_recorder: MakeRecorder, x: Tensor, **arguments: Any) -> Found:  # noqa: ANN401
    """The histogram of the input of a module."""
    recorder, net = make_recorder(), Passing()
    recorder.watch(net, "net", **arguments)
    with recorder.batch(0, 1), recorder.iteration():
        net(x)
    return read(recorder)["forward", "net: input x"]


def assert_equal(actual: Found, values: NDArray[Any]) -> None:
    histogram, quantiles = histogram_of(values)
    assert counted(actual) == counted((histogram, quantiles.astype(np.float64)))
    assert actual[0][5:] == histogram[5:]
    np.testing.assert_array_equal(actual[1], quantiles)


def test_the_histograms_are_those_worked_out_by_hand(recorder: ComgraRecorder) -> None:
    net = nn.Linear(2, 2)
    net.weight.data = torch.tensor([[3.0, 4.0], [0.0, 0.0]])
    net.bias.data.zero_()
    recorder.watch(net, "net")
    with recorder.batch(0, 2), recorder.iteration():
        net(torch.tensor([[1.0, 0.0], [0.0, 2.0]]))[:, 0].sum().backward()
        recorder.record_current_gradients("gradients")
    actual = read(recorder)
    assert {key: counted(record) for key, record in actual.items()} == {
        ("forward", "net.weight"): {0: 2, 3: 1, 4: 1},
        ("forward", "net.bias"): {0: 2},
        ("forward", "net: input"): {0: 2, 1: 1, 2: 1},
        ("forward", "net: output"): {0: 2, 3: 1, 8: 1},
        ("forward", "getitem"): {3: 1, 8: 1},
        ("gradients", "getitem"): {1: 2},
        ("gradients", "net.weight"): {0: 2, 1: 1, 2: 1},
        ("gradients", "net.bias"): {0: 1, 2: 1},
        ("gradients", "net: input"): {3: 2, 4: 2},
        ("gradients", "net: output"): {0: 2, 1: 2},
    }
    # The places floor(q * 3) of 0, 0, 3, 8.
    assert actual["forward", "net: output"][1].tolist() == [0, 0, 0, 0, 3, 3, 3]
    assert all(histogram.looked_at == histogram.finite for histogram, _ in actual.values())


def test_values_spread_evenly_fill_every_bin_up_to_the_largest(make_recorder: MakeRecorder) -> None:
    x = torch.linspace(-1, 1, 1000)
    actual = of_values(make_recorder, x)
    for counts in (actual[0].negative, actual[0].positive):
        # They are 1/500 apart, and begin at 1/1000. The bin above 1/64, of four to a power of two, is 1/256 wide.
        assert counts[0]
        assert counts[-1]
        assert (counts[-6 * 4 - 1 :] > 0).all()
        assert counts.sum() == 500
    assert counted(actual)[1.0] == counted(actual)[-1.0] == 1
    assert max(counted(actual)) == 1


def test_vanishing_gradients_are_told_apart(recorder: ComgraRecorder) -> None:
    net = nn.Sequential(nn.Linear(16, 16), nn.Linear(16, 1))
    recorder.watch(net, "net")
    with recorder.batch(0, 64), recorder.iteration():
        (net(torch.randn(64, 16)) * 1e-9 * torch.randn(64, 1)).sum().backward()
        recorder.record_current_gradients("gradients")
    histogram, quantiles = read(recorder)["gradients", "net.0: output"]
    assert np.abs(quantiles).max() < 1e-7
    assert np.count_nonzero(histogram.negative) >= 10
    assert np.count_nonzero(histogram.positive) >= 10
    assert histogram.zeros < 10


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e5m2], ids=str)
def test_every_floating_point_type_is_counted_as_it_is(make_recorder: MakeRecorder, dtype: torch.dtype) -> None:
    x = torch.randn(40, 7).to(dtype)
    x[:3, 0] = torch.tensor([math.nan, math.inf, -math.inf]).to(dtype)
    wide = x.double() if dtype == torch.float64 else x.float()
    assert_equal(of_values(make_recorder, x), wide.numpy())


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool], ids=str)
def test_integers_are_counted_as_numbers(make_recorder: MakeRecorder, dtype: torch.dtype) -> None:
    x = (torch.arange(30) % 4).to(dtype)
    assert_equal(of_values(make_recorder, x), x.numpy().astype(np.float64))


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,)])
def test_scalars_and_empty_tensors_have_one(make_recorder: MakeRecorder, shape: tuple[int, ...]) -> None:
    assert_equal(of_values(make_recorder, torch.full(shape, 2.5)), np.full(shape, 2.5, np.float32))


def test_zeros_are_zeros_where_subnormal_numbers_are_too(make_recorder: MakeRecorder) -> None:
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor cannot take subnormal numbers for zeros")
    try:
        # Otherwise counting would never end.
        assert not kernels.can_count()
        actual = of_values(make_recorder, torch.tensor([0.0, 0, -1, 1, 1e-40]))
    finally:
        torch.set_flush_denormal(False)
    assert counted(actual) == {-1: 1, 0: 3, 1: 1}
    assert kernels.can_count() == (load_kernels() is not None)


def test_only_nan(make_recorder: MakeRecorder) -> None:
    histogram, quantiles = of_values(make_recorder, torch.full((3, 2), math.nan))
    assert (histogram.finite, histogram.looked_at) == (0, 6)
    assert np.isnan(quantiles).all()


def test_every_nth_value_of_a_large_tensor_is_read(make_recorder: MakeRecorder) -> None:
    x = torch.randn(64, 3, 32, 32)
    # 196,608 values, three times as many as are read. 3, 4, 6, 8, ... share a divisor with a size, 5 does not.
    assert_equal(of_values(make_recorder, x), x.reshape(-1)[::5].numpy())
    assert of_values(make_recorder, x)[0].looked_at == 39_322
    assert_equal(of_values(make_recorder, x, histogram_values=None), x.numpy())
    assert_equal(of_values(make_recorder, x, histogram_values=10), x.reshape(-1)[::19_661].numpy())


@pytest.mark.parametrize("shape", [(64, 256), (100_000,), (17, 3, 224, 224), (2, 65_536), (65_537,), (300, 300)])
def test_the_stride_shares_no_divisor_with_a_size(shape: tuple[int, ...]) -> None:
    stride, count = stride_of(shape, 65_536), math.prod(shape)
    assert stride == (1 if count <= 65_536 else stride)
    assert math.ceil(count / stride) <= 65_536
    assert all(math.gcd(stride, size) == 1 for size in shape)
    # No smaller one would do.
    for smaller in range(1, stride):
        assert math.ceil(count / smaller) > 65_536 or any(math.gcd(smaller, size) > 1 for size in shape)


def test_every_channel_and_row_is_read() -> None:
    channels = torch.arange(64).reshape(1, 64, 1, 1).expand(32, 64, 32, 32).contiguous()
    actual = values_for_histogram(channels, 65_536)
    per_channel = torch.bincount(actual)
    assert len(actual) <= 65_536
    assert per_channel.max() - per_channel.min() <= per_channel.min() / 50


@pytest.mark.parametrize("how", [lambda x: x.to(memory_format=torch.channels_last), lambda x: x.transpose(1, 3), lambda x: x[:, ::2]])
def test_how_a_tensor_lies_in_memory_does_not_matter(make_recorder: MakeRecorder, how: Any) -> None:  # noqa: ANN401
    x = how(torch.randn(16, 16, 32, 32))
    expected = x.contiguous().reshape(-1)[:: stride_of(tuple(x.shape), 65_536)]
    assert_equal(of_values(make_recorder, x), expected.numpy())


def test_values_that_change_afterwards_are_counted_as_they_were(recorder: ComgraRecorder) -> None:
    net = Passing()
    recorder.watch(net, "net")
    x = torch.ones(300, 300)
    with recorder.batch(0, 1), recorder.iteration():
        net(x).zero_()
    assert counted(read(recorder)["forward", "net: input x"]).keys() == {1.0}


def test_parameters_have_the_values_before_the_update(recorder: ComgraRecorder) -> None:
    net = nn.Linear(3, 2, bias=False)
    before = net.weight.detach().clone()
    recorder.watch(net, "net")
    with recorder.batch(0, 4), recorder.iteration():
        net(torch.randn(4, 3)).sum().backward()
        with torch.no_grad():
            net.weight.add_(10.0)
        recorder.record_current_gradients("gradients")
    assert_equal(read(recorder)["forward", "net.weight"], before.numpy())


def test_a_gradient_that_is_absent_has_none(recorder: ComgraRecorder) -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    recorder.watch(net, "net")
    with recorder.batch(0, 4), recorder.iteration():
        hidden = net[0](torch.randn(4, 2))
        net[1](hidden.detach())
        hidden.sum().backward()
        recorder.record_current_gradients("gradients")
    histogram, quantiles = read(recorder)["gradients", "net.1.weight"]
    assert (histogram.finite, histogram.looked_at) == (0, 0)
    assert np.isnan(quantiles).all()


@pytest.mark.parametrize("first", [True, False], ids=["before the call", "after the call"])
@pytest.mark.parametrize("arguments", [{}, {"recording_type": "kpis"}, {"index_of_batch_dimension": None}])
def test_what_the_script_registers_too_keeps_its_histogram(recorder: ComgraRecorder, first: bool, arguments: dict[str, Any]) -> None:
    net = nn.Linear(3, 2)
    recorder.watch(net, "net")
    x = torch.randn(4, 3)
    with recorder.batch(0, 4), recorder.iteration():
        if first:
            recorder.register_tensor("mine", x, is_input=True, **arguments)
        net(x)
        if not first:
            recorder.register_tensor("mine", x, is_input=True, **arguments)
    actual = read(recorder)
    name = "mine" if ("forward", "mine") in actual else "net: input"
    assert_equal(actual["forward", name], x.numpy())
    assert name == "mine" or not first


def test_a_step_that_is_recorded_after_all_has_them(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    net = nn.Linear(3, 2)
    recorder.watch(net, "net")
    small, large = torch.randn(4, 3), torch.randn(40_000, 3)
    recorder.start_batch(0, 4, None)
    with recorder.iteration():
        recorder.register_tensor("large", large, index_of_batch_dimension=None, recording_type="kpis")
        net(small)
        net(large)
        large.zero_()
    recorder.decide_recording_of_batch("train")
    recorder.finish_batch()
    actual = read(recorder)
    assert_equal(actual["forward", "net: input"], small.numpy())
    assert actual["forward", "large"][0].looked_at == 17_143
    assert actual["forward", "large"][0].zeros == 0
    assert read_gaps(recorder) == []


def test_without_them_there_are_no_arrays(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    net = nn.Linear(3, 2)
    recorder.watch(net, "net", histograms=False)
    record(recorder, net, torch.randn(4, 3))
    assert read(recorder) == {}
    recorder = make_recorder()
    recorder.track_module("net", net)
    record(recorder, net, torch.randn(4, 3))
    assert read(recorder) == {}


def test_of_two_watched_modules_each_has_its_own_limit(recorder: ComgraRecorder) -> None:
    generator, critic = nn.Linear(10, 2), nn.Linear(2, 5)
    recorder.watch(generator, "net", histogram_values=4)
    recorder.watch(critic, "network", histograms=False)
    with recorder.batch(0, 4), recorder.iteration():
        critic(generator(torch.randn(4, 10)))
    # Every 7th of 20 weights, as 5 and 6 share divisors with the sizes 2 and 10.
    looked = {name: histogram.looked_at for (_, name), (histogram, _) in read(recorder).items()}
    assert looked == {"net.weight": 3, "net.bias": 2, "net: input": 4, "net: output": 3}


@pytest.mark.parametrize("value", [0, -1, 2.5, "all", True])
def test_a_limit_that_means_nothing_is_refused(recorder: ComgraRecorder, value: Any) -> None:  # noqa: ANN401
    with pytest.raises(MisuseError, match=r"histogram_values is .* Give how many values"):
        recorder.watch(nn.Linear(1, 1), histogram_values=value)


def test_recording_them_changes_nothing(make_recorder: MakeRecorder) -> None:
    def losses(histograms: bool | None) -> list[float]:
        torch.manual_seed(1)
        net = nn.Sequential(nn.Linear(400, 300), nn.Dropout(), nn.ReLU(inplace=True), nn.Linear(300, 1))
        optimizer = torch.optim.Adam(net.parameters())
        recorder = make_recorder()
        if histograms is not None:
            recorder.watch(net, histograms=histograms, histogram_values=100)
        actual = []
        for step in range(4):
            with recorder.batch(step, 32), recorder.iteration():
                optimizer.zero_grad()
                loss = net(torch.randn(32, 400)).square().mean()
                loss.backward()
                recorder.record_current_gradients("gradients")
                optimizer.step()
            actual.append(loss.item())
        return actual

    assert losses(None) == losses(False) == losses(True)


def test_the_epoch_is_that_in_which_a_step_begins(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    net = nn.Linear(2, 1)
    recorder.watch(net)
    record(recorder, net, torch.randn(4, 2), step=0)
    recorder.set_epoch(1)
    record(recorder, net, torch.randn(4, 2), step=1)
    with recorder.batch(2, 4), recorder.iteration():
        net(torch.randn(4, 2))
        recorder.set_epoch(2.5)
    record(recorder, net, torch.randn(4, 2), step=3)
    recording = open_recording(folder_of(recorder))
    assert [recording.step(step).epoch for step in recording.steps] == [None, 1, 1, 2.5]


@pytest.mark.parametrize("number", [math.nan, math.inf, "1", None, True])
def test_an_epoch_that_is_no_number_is_refused(recorder: ComgraRecorder, number: Any) -> None:  # noqa: ANN401
    with pytest.raises(MisuseError, match=r"set_epoch: the epoch is .* Give a finite number"):
        recorder.set_epoch(number)


def test_a_script_that_is_only_watched_says_its_epochs(tmp_path: Any) -> None:  # noqa: ANN401
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    schedule = comgra_export.DecisionMakerForRecordingsFrequencyPerType(1)
    with comgra_export.watch(net, tmp_path, strict=True, decision_maker_for_recordings=schedule, histogram_values=3) as recorder:
        for epoch in range(2):
            recorder.set_epoch(epoch)
            net.train()
            net(torch.randn(4, 2)).sum().backward()
            optimizer.step()
            net.eval()
            with torch.no_grad():
                net(torch.randn(4, 2))
    recording = open_recording(folder_of(recorder))
    described = [recording.step(step) for step in recording.steps]
    assert [(step.type_of_execution, step.epoch) for step in described] == [("train", 0), ("eval", 0), ("train", 1), ("eval", 1)]
    assert read(recorder, recording.steps[1])["forward", "model: input"][0].looked_at == 3


def test_copies_for_histograms_stay_as_they_are_until_they_are_given_back() -> None:
    memory = HistogramMemory()
    first, second = HistogramCopies(memory), HistogramCopies(memory)
    tensors = [torch.full((CHUNK_VALUES * 2 // 3,), float(value)) for value in range(4)]
    copies = [(first if value < 3 else second).copy(values_for_histogram(tensor, CHUNK_VALUES)) for value, tensor in enumerate(tensors)]
    too_many = first.copy(torch.full((CHUNK_VALUES + 1,), 7.0))
    for tensor in tensors:
        tensor.zero_()
    assert [(copy.min().item(), copy.max().item()) for copy in copies] == [(value, value) for value in range(4)]
    assert (too_many.min().item(), too_many.shape) == (7, (1, CHUNK_VALUES + 1))
    first.give_back()
    assert second.copy(torch.ones(CHUNK_VALUES // 2)).data_ptr() in {copy.data_ptr() for copy in copies[:3]}
    assert copies[3].tolist() == [[3] * len(tensors[3])]


@pytest.mark.parametrize("values", [[0, 1, 1, 9], [2**24 + 1, 3], [1e300, 1.0], [0.1, 0.2], [math.nan, 1.0]], ids=str)
def test_wide_numbers_are_counted_as_what_they_are(values: list[float]) -> None:
    wide = np.array(values, np.float64)
    entry = tensor_entry("t", type="target", kind="kpis", dtype="F64", shape=(len(values),), batch_dimension=0)
    (counted_histogram, quantiles), (expected, expected_quantiles) = histogram_of_stored(wide, entry), histogram_of(wide)
    assert [np.asarray(part).tolist() for part in counted_histogram] == [np.asarray(part).tolist() for part in expected]
    assert quantiles.dtype == np.float64
    np.testing.assert_array_equal(quantiles, expected_quantiles)
