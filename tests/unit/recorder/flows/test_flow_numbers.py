"""The numbers of gradient flows: against values by hand, and against autograd's own Jacobians."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import comgra_export
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of
from support.recorder.recorded_flows import dense_flows, expected_flows, read_flow, record_flow

B = 3


def convolution_of_ones() -> nn.Conv2d:
    layer = nn.Conv2d(1, 1, 3, stride=2, padding=1, bias=False)
    nn.init.ones_(layer.weight)
    return layer


def test_a_convolution_by_hand(recorder: ComgraRecorder) -> None:
    layer, upstream = convolution_of_ones(), torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    with recorder.batch(0, 1), recorder.iteration():
        x = torch.arange(16.0).reshape(1, 1, 4, 4)
        recorder.register_tensor("x", x, is_input=True)
        y = layer(x)
        recorder.register_tensor("y", y)
        loss = (y * upstream).sum()
        recorder.record_gradient_flow(loss, ["x", "y"])
        loss.backward()
        recorder.record_current_gradients("gradients")
    flow, numbers = read_flow(recorder)
    assert (flow.name, flow.iteration, flow.method, flow.samples) == ("gradient flow", 0, "exact", (0,))
    assert [(layer.name, layer.shape, layer.role, layer.record_name, layer.record_iteration) for layer in flow.layers] == [
        ("x", (1, 4, 4), "input", "x", 0),
        ("y", (1, 2, 2), "layer", "y", 0),
    ]
    (pair,) = numbers.pairs
    assert len(pair.flows) == 25
    assert pair.computed is None
    assert dense_flows(flow, numbers)[0, 5].tolist() == [1, 2, 3, 4]
    gradient = [[1, 3, 2, 2], [4, 10, 6, 6], [3, 7, 4, 4], [3, 7, 4, 4]]
    assert dense_flows(flow, numbers)[0].sum(axis=1).reshape(4, 4).tolist() == gradient
    assert numbers.gradients[0] is not None
    assert numbers.gradients[0].reshape(4, 4).tolist() == gradient
    assert pair.residuals is not None
    assert not pair.residuals.any()
    assert [values.tolist() for values in numbers.values if values is not None] == [[list(range(16))], [[10, 24, 51, 90]]]


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = self.attention(x, x, x, need_weights=False)[0]
        return output


SEGMENTS: dict[str, tuple[Callable[[], Callable[[Tensor], Tensor]], tuple[int, ...]]] = {
    "linear": (lambda: nn.Linear(5, 4), (5,)),
    "two linear layers": (lambda: nn.Sequential(nn.Linear(5, 6), nn.Tanh(), nn.Linear(6, 2)), (5,)),
    "ReLU": (lambda: nn.Sequential(nn.ReLU()), (5,)),
    "convolution": (lambda: nn.Conv2d(2, 3, 3, padding=1), (2, 4, 5)),
    "strided, dilated, grouped convolution": (lambda: nn.Conv2d(4, 4, 2, stride=(1, 2), dilation=(2, 1), groups=2), (4, 5, 4)),
    "transposed convolution": (lambda: nn.ConvTranspose1d(2, 3, 3, stride=2), (2, 4)),
    "convolution, ReLU and pooling": (lambda: nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2)), (1, 6, 6)),
    "average pooling": (lambda: nn.AvgPool2d(3, stride=2, padding=1), (2, 5, 5)),
    "circular padding": (lambda: nn.Conv1d(1, 2, 3, padding=1, padding_mode="circular"), (1, 6)),
    "attention": (Attention, (3, 4)),
    "layer normalization": (lambda: nn.LayerNorm(6), (6,)),
    "batch normalization, evaluation": (lambda: nn.BatchNorm1d(4).eval(), (4,)),
    "batch normalization, training": (lambda: nn.BatchNorm1d(4), (4,)),
    "flip": (lambda: lambda x: x.flip(1) * 2, (4,)),
    "mean over the batch": (lambda: lambda x: x - x.mean(0, keepdim=True), (4,)),
}


@pytest.mark.parametrize(
    ("name", "max_memory"),
    [*((name, 256_000_000) for name in SEGMENTS), ("convolution, ReLU and pooling", 1), ("attention", 5_000), ("attention", 1)],
)
def test_flows_are_jacobian_times_gradient(recorder: ComgraRecorder, name: str, max_memory: int) -> None:
    """In float64, so that the two differ only by the rounding to float32. Samples that depend on each other have residuals."""
    make, shape = SEGMENTS[name]
    segment = make()
    if isinstance(segment, nn.Module):
        segment.double()
    x = torch.rand(B, *shape, dtype=torch.float64, requires_grad=True)
    y = segment(x)
    loss = (y.sin() * torch.rand_like(y)).sum()
    gradient_of_x, gradient_of_y = torch.autograd.grad(loss, [x, y], retain_graph=True)
    record_flow(recorder, {"x": x, "y": y}, loss, samples=[2, 0], max_memory=max_memory)
    flow, numbers = read_flow(recorder)
    assert flow.samples == (2, 0)
    assert [layer.shape for layer in flow.layers] == [shape, tuple(y.shape[1:])]
    flows = dense_flows(flow, numbers)
    assert numbers.gradients[1] is not None
    assert numbers.pairs[0].residuals is not None
    for row, sample in enumerate((2, 0)):
        expected = expected_flows(segment, x, gradient_of_y, sample)
        np.testing.assert_allclose(flows[row], expected, rtol=1e-6, atol=1e-12)
        assert ((flows[row] == 0) == (expected == 0)).all() or np.abs(expected[(flows[row] == 0)]).max() < 1e-12
        np.testing.assert_allclose(numbers.gradients[1][row], gradient_of_y[sample].reshape(-1), rtol=1e-6)
        left = gradient_of_x[sample].reshape(-1).numpy() - expected.sum(axis=1)
        np.testing.assert_allclose(numbers.pairs[0].residuals[row], left, atol=1e-6)
        crosses_samples = name in ("batch normalization, training", "mean over the batch")
        assert (np.abs(left).max() > 1e-3) == crosses_samples


def test_a_chain_of_layers_leaves_rounding_alone(recorder: ComgraRecorder) -> None:
    network = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 4, 3, stride=2), nn.Flatten(), nn.Linear(36, 5))
    x = torch.rand(2, 2, 7, 7, requires_grad=True)
    layers, output = {"x": x}, x
    for position, module in enumerate(network):
        output = module(output)
        layers[str(position)] = output
    record_flow(recorder, layers, F.cross_entropy(output, torch.tensor([1, 3])), samples=[0, 1])
    flow, numbers = read_flow(recorder)
    assert [(pair.source, pair.target) for pair in flow.pairs] == [(position, position + 1) for position in range(5)]
    for pair, own in zip(flow.pairs, numbers.pairs, strict=True):
        gradient = numbers.gradients[pair.source]
        assert own.residuals is not None
        assert gradient is not None
        assert np.abs(gradient).max() > 0
        assert np.abs(own.residuals).max() <= 2e-6 * np.abs(gradient).max()


def test_the_residual_is_what_goes_around(recorder: ComgraRecorder) -> None:
    """A residual block: `y = x + f(x)`. Through `f` comes `J^T dL/dy`, and around it `dL/dy` itself."""
    inner = nn.Linear(4, 4)
    x = torch.rand(2, 4, requires_grad=True)
    h = inner(x)
    y = x + h
    loss = (y * torch.tensor([1.0, -2.0, 3.0, 0.5])).sum()
    record_flow(recorder, {"x": x, "h": h, "y": y}, loss, samples=[1])
    flow, numbers = read_flow(recorder)
    assert [(pair.source, pair.target) for pair in flow.pairs] == [(0, 1), (1, 2)]
    assert numbers.pairs[0].residuals is not None
    np.testing.assert_allclose(numbers.pairs[0].residuals, [[1, -2, 3, 0.5]], rtol=1e-5)
    np.testing.assert_allclose(dense_flows(flow, numbers, 0)[0], inner.weight.detach().numpy().T * np.array([1, -2, 3, 0.5]), rtol=1e-6)
    np.testing.assert_array_equal(dense_flows(flow, numbers, 1)[0], np.diag([1, -2, 3, 0.5]))


def test_the_batch_may_be_any_dimension_or_none(make_recorder: MakeRecorder) -> None:
    weight = torch.rand(3, 3)
    x = torch.rand(4, 2, 3, requires_grad=True)
    recorded = []
    for dimension, samples in ((1, [1]), (-2, [1]), (None, None)):
        recorder = make_recorder()
        y = (x @ weight).tanh()
        record_flow(recorder, {"x": x, "y": y}, y.square().sum(), batch_dimension=dimension, samples=samples)
        flow, numbers = read_flow(recorder)
        assert flow.samples == (() if dimension is None else (1,))
        assert flow.layers[0].shape == ((4, 2, 3) if dimension is None else (4, 3))
        dense = dense_flows(flow, numbers)[0]
        if dimension is None:
            everything = dense.reshape(4, 2, 3, 4, 2, 3)
            assert not everything[:, 0, :, :, 1].any()
            dense = everything[:, 1][:, :, :, 1].reshape(12, 12)
        recorded.append(dense)
    assert np.count_nonzero(recorded[0]) == 4 * 9
    np.testing.assert_array_equal(recorded[0], recorded[1])
    np.testing.assert_allclose(recorded[0], recorded[2], rtol=1e-5)


def test_numbers_alone_are_layers_too(recorder: ComgraRecorder) -> None:
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x
    record_flow(recorder, {"x": x, "y": y}, 2 * y, batch_dimension=None)
    flow, numbers = read_flow(recorder)
    assert [layer.shape for layer in flow.layers] == [(), ()]
    assert numbers.pairs[0].flows.tolist() == [12]


def test_what_has_no_gradient_has_no_flow_and_counts_as_computed(recorder: ComgraRecorder) -> None:
    x = torch.rand(1, 3, requires_grad=True)
    y = x @ torch.ones(3, 4)
    products: list[tuple[int, int]] = []
    record_flow(recorder, {"x": x, "y": y}, y[:, 2].sum(), progress=lambda done, total: products.append((done, total)))
    flow, numbers = read_flow(recorder)
    assert dense_flows(flow, numbers)[0].tolist() == [[0, 0, 1, 0]] * 3
    assert numbers.pairs[0].computed is None
    assert products[-1] == (1, 1)


def test_nan_and_infinities_are_kept(recorder: ComgraRecorder) -> None:
    x = torch.ones(1, 3, requires_grad=True)
    y = x * 1.0
    record_flow(recorder, {"x": x, "y": y}, (y * torch.tensor([torch.nan, torch.inf, 2.0])).sum())
    _, numbers = read_flow(recorder)
    np.testing.assert_array_equal(numbers.pairs[0].flows, [np.nan, np.inf, 2])


def capped(make_recorder: MakeRecorder, max_flows: int) -> tuple[Any, Any, list[str]]:
    recorder = make_recorder()
    x = torch.ones(2, 3, requires_grad=True)
    y = x @ torch.ones(3, 4)
    weights = torch.tensor([[1.0, -8.0, 2.0, 0.0], [7.0, -0.5, 3.0, 4.0]])
    record_flow(recorder, {"x": x, "y": y}, (y * weights).sum(), samples=[0, 1], max_flows=max_flows, max_memory=400)
    flow, numbers = read_flow(recorder)
    assert recorder.folder is not None
    return flow, numbers, [gap.reason for gap in open_recording(recorder.folder).step(0).gaps]


def test_a_cap_takes_the_largest_gradients_first(make_recorder: MakeRecorder) -> None:
    """Three flows into each element: of 8, 7, 4, 3, 2, 1 and 0.5, the first four fit into 13."""
    flow, numbers, reasons = capped(make_recorder, 13)
    (pair,) = numbers.pairs
    assert pair.computed.tolist() == [[0, 1, 0, 1], [1, 0, 1, 1]]
    assert dense_flows(flow, numbers).tolist() == [[[0, -8, 0, 0]] * 3, [[7, 0, 3, 4]] * 3]
    assert pair.residuals.tolist() == [[3] * 3, [-0.5] * 3]
    assert reasons == [
        "of the gradient flow 'gradient flow' from 'x' to 'y', 12 flows were recorded, those into the elements with the largest gradients; "
        "with those into 3 others, there would be more than max_flows=13"
    ]


@pytest.mark.parametrize(("max_flows", "recorded", "left_out"), [(2, 0, 7), (3, 3, 6), (20, 18, 1), (21, 21, 0)])
def test_a_cap_is_kept_to(make_recorder: MakeRecorder, max_flows: int, recorded: int, left_out: int) -> None:
    _, numbers, reasons = capped(make_recorder, max_flows)
    (pair,) = numbers.pairs
    assert len(pair.flows) == recorded
    assert (0 if pair.computed is None else np.count_nonzero(pair.computed == 0)) == left_out
    assert len(reasons) == (left_out > 0)


class OneByOne(torch.autograd.Function):
    """Its backward pass reads a number, which fails for a batch of numbers."""

    @staticmethod
    def forward(context: Any, x: Tensor) -> Tensor:  # noqa: ANN401
        context.save_for_backward(x)
        return x.square()

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Tensor:  # noqa: ANN401
        (x,) = context.saved_tensors
        return gradient * 2 * x if float(gradient.abs().sum()) else torch.zeros_like(x)


def test_what_knows_nothing_of_many_at_a_time_is_computed_one_by_one(recorder: ComgraRecorder) -> None:
    x = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    y: Tensor = OneByOne.apply(x)  # type: ignore[no-untyped-call]
    record_flow(recorder, {"x": x, "y": y}, y.sum())
    flow, numbers = read_flow(recorder)
    np.testing.assert_array_equal(dense_flows(flow, numbers)[0], np.diag([2, 4, 6]))


def test_tensors_that_are_overwritten_or_gone_have_flows_all_the_same(recorder: ComgraRecorder) -> None:
    first, second = nn.Linear(3, 4), nn.Linear(4, 2)

    def forward(x: Tensor) -> Tensor:
        h = first(x)
        recorder.register_tensor("h", h)
        h.relu_()
        recorder.register_tensor("h after", h)
        gone = h * 2
        recorder.register_tensor("gone", gone)
        output: Tensor = second(gone + 1)
        return output

    with recorder.batch(0, 2), recorder.iteration():
        x = torch.rand(2, 3)
        recorder.register_tensor("x", x, is_input=True)
        y = forward(x)
        recorder.record_gradient_flow(y.sum(), ["x", "h", "h after", "gone"])
    flow, numbers = read_flow(recorder)
    weight = first.weight.detach().numpy()
    after = 2 * second.weight.detach().sum(0).numpy()
    is_positive = first(x)[0].detach().numpy() > 0
    np.testing.assert_allclose(dense_flows(flow, numbers, 0)[0], weight.T * np.where(is_positive, after, 0), rtol=1e-5)
    np.testing.assert_allclose(dense_flows(flow, numbers, 1)[0], np.diag(np.where(is_positive, after, 0)), rtol=1e-5)
    np.testing.assert_allclose(dense_flows(flow, numbers, 2)[0], np.diag(after), rtol=1e-5)
    # The step has recorded their values, as they were when they were registered.
    after_relu = first(x)[:1].detach().relu()
    known = [values for values in numbers.values if values is not None]
    for values, expected in zip(known, (x[:1], first(x)[:1].detach(), after_relu, 2 * after_relu), strict=True):
        np.testing.assert_allclose(values, expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
@pytest.mark.parametrize("dimension", [0, 1, None])
def test_values_of_tensors_that_are_gone_are_those_that_the_step_recorded(
    make_recorder: MakeRecorder, dtype: torch.dtype, dimension: int | None
) -> None:
    recorder = make_recorder(max_num_batch_size_to_record=2)
    weight = torch.rand(4, 3, dtype=dtype, requires_grad=True)
    with recorder.batch(0, 4 if dimension == 0 else 3), recorder.iteration():
        gone = weight * 2
        recorder.register_tensor("gone", gone, dimension)
        only_statistics = gone * 2
        recorder.register_tensor("only statistics", only_statistics, dimension, recording_type="kpis")
        loss = only_statistics.exp().sum()
        expected = gone.detach().float()
        del gone, only_statistics
        samples = None if dimension is None else [1]
        recorder.record_gradient_flow(loss, ["gone", "only statistics"], batch_dimension=dimension, samples=samples)
        samples = None if dimension is None else [2]
        recorder.record_gradient_flow(loss, ["gone", "only statistics"], name="other", batch_dimension=dimension, samples=samples)
    _, numbers = read_flow(recorder)
    chosen = expected.reshape(1, -1) if dimension is None else expected.movedim(dimension, 0)[1:2]
    assert numbers.values[0] is not None
    np.testing.assert_array_equal(numbers.values[0], chosen)
    assert numbers.values[1] is None
    # The third sample is not recorded.
    _, others = read_flow(recorder, position=1)
    assert (others.values[0] is None) == (dimension is not None)


def test_inputs_that_require_no_gradient_are_layers_by_name_or_as_tensors(make_recorder: MakeRecorder) -> None:
    """So are tensors that were computed from nothing else, registered or not."""
    weight = torch.rand(3, 2, requires_grad=True)
    for layers in (["x", "scaled"], None):
        recorder = make_recorder()
        with recorder.batch(0, 2), recorder.iteration():
            x = torch.rand(2, 3)
            recorder.register_tensor("x", x, is_input=True)
            scaled = x * 3
            if layers:
                recorder.register_tensor("scaled", scaled)
            loss = (scaled @ weight).sum()
            recorder.record_gradient_flow(loss, layers or {"x": x, "scaled": scaled}, name="inputs")
        flow, numbers = read_flow(recorder)
        assert [layer.record_name for layer in flow.layers] == ["x", "scaled" if layers else None]
        expected = np.diag(3 * weight.detach().sum(1).numpy())
        np.testing.assert_allclose(dense_flows(flow, numbers)[0], expected, rtol=1e-6)


def test_what_the_last_part_returned_is_also_known_as_the_output_of_the_model(make_recorder: MakeRecorder) -> None:
    model = nn.Sequential(nn.Linear(3, 2), nn.Sequential(nn.Tanh(), nn.Linear(2, 2)))
    recorder = make_recorder()
    recorder.watch(model, "model")
    with recorder.batch(0, 1), recorder.iteration():
        y = model(torch.randn(1, 3))
        recorder.register_tensor("loss", (y**2).sum(), is_loss=True)
        for name, last in (("by part", "model.1.1: output"), ("by model", "model: output"), ("between", "model.1: output")):
            recorder.record_gradient_flow((y**2).sum(), ["model.1: input", last], name=name)
    flows = open_recording(folder_of(recorder)).step(0).flows
    assert [(flow.name, flow.layers[-1].name, flow.layers[-1].record_name) for flow in flows] == [
        ("by part", "model.1.1: output", "model.1.1: output"),
        ("by model", "model: output", "model.1.1: output"),
        ("between", "model.1: output", "model.1.1: output"),
    ]


def test_layers_of_a_watched_model_are_known_by_name(tmp_path: Any) -> None:  # noqa: ANN401
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.LeakyReLU(), nn.Flatten(), nn.Linear(8, 3))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    schedule = DecisionMakerForRecordingsFrequencyPerType(1)
    with comgra_export.watch(model, tmp_path, decision_maker_for_recordings=schedule, strict=True) as recorder:
        for _ in range(2):
            x = torch.rand(2, 1, 4, 4)
            loss = F.cross_entropy(model(x), torch.tensor([0, 2]))
            recorder.record_gradient_flow(loss, ["model: input", "model.0: output", "model.3: output"], samples=[0, 1])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert recorder.folder is not None
    recording = open_recording(recorder.folder)
    for step in (0, 1):
        description = recording.step(step)
        (flow,) = description.flows
        assert [(layer.name, layer.shape, layer.role) for layer in flow.layers] == [
            ("model: input", (1, 4, 4), "input"),
            ("model.0: output", (2, 2, 2), "layer"),
            ("model.3: output", (3,), "layer"),
        ]
        records = {(tensor.name, tensor.iteration) for tensor in recording.layout(description.layout).tensors}
        assert {(layer.record_name, layer.record_iteration) for layer in flow.layers} <= records
        numbers = recording.flow_numbers(step, 0)
        assert 0 < len(numbers.pairs[0].flows) <= 2 * 8 * 9
        for pair in numbers.pairs:
            assert pair.residuals is not None
            assert np.abs(pair.residuals).max() < 1e-6


def test_flows_of_several_iterations_stand_side_by_side(recorder: ComgraRecorder) -> None:
    cell = nn.Linear(2, 2)
    recorder.start_batch(0, 1)
    hidden = torch.rand(1, 2)
    for iteration in range(2):
        recorder.start_iteration()
        recorder.register_tensor("before", hidden)
        hidden = cell(hidden).tanh()
        recorder.register_tensor("after", hidden)
        recorder.record_gradient_flow(hidden.sum(), ["before", "after"], name=f"iteration {iteration}")
        recorder.finish_iteration()
    recorder.finish_batch()
    for iteration in range(2):
        flow, numbers = read_flow(recorder, position=iteration)
        assert (flow.name, flow.iteration) == (f"iteration {iteration}", iteration)
        # What comes out of an iteration and goes into the next is one tensor, and recorded once.
        records = [(layer.record_name, layer.record_iteration) for layer in flow.layers]
        assert records == [[("before", 0), ("after", 0)], [("after", 0), ("after", 1)]][iteration]
        assert len(numbers.pairs[0].flows) == 4


@pytest.mark.skipif(not torch.cuda.is_available(), reason="This machine has no CUDA device, so flows on one are not tested.")
def test_flows_on_a_cuda_device_are_those_on_the_cpu(make_recorder: MakeRecorder) -> None:
    network = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Tanh(), nn.Flatten(), nn.Linear(32, 3)).double()
    x = torch.rand(2, 1, 6, 6, dtype=torch.float64)
    by_device = []
    for device in ("cpu", "cuda"):
        recorder = make_recorder()
        random = torch.get_rng_state()
        start = x.to(device).requires_grad_()
        network.to(device)
        middle = network[:2](start)
        layers = {"start": start, "middle": middle, "end": network[2:](middle)}
        record_flow(recorder, layers, layers["end"].square().sum(), samples=[1, 0])
        assert torch.equal(random, torch.get_rng_state())
        flow, numbers = read_flow(recorder)
        by_device.append([dense_flows(flow, numbers, pair) for pair in range(2)])
    for on_cpu, on_cuda in zip(*by_device, strict=True):
        np.testing.assert_allclose(on_cpu, on_cuda, rtol=1e-6, atol=1e-12)
