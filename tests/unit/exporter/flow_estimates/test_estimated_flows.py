"""Gradient flows that are estimated at export, against flows worked out by hand."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import comgra_export
from comgra_export import ComgraRecorder, WrongChoiceError
from comgra_export.analysis.gradient_flow import ESTIMATES
from comgra_export.exporter.plan import estimated_flows
from comgra_export.storage import PairNumbers
from support.exporter.estimated import CHAIN_RULE, TWO_SAMPLES, VNITTEST, W, built, dense, flows_of, linear, record, recorder_of

Matrix = NDArray[Any]


def test_both_estimates_have_the_values_of_their_formulas(tmp_path: Path) -> None:
    flows = flows_of(built(record(tmp_path, TWO_SAMPLES), "x, y"))
    assert list(flows) == ["gradient flow", f"{CHAIN_RULE}x, y", f"{VNITTEST}x, y"]
    exact, chain_rule, vnittest = flows.values()
    assert [flow["method"] for flow in flows.values()] == ["exact", "chain_rule_estimate", "vnittest_estimate"]
    for flow in (chain_rule, vnittest):
        assert (flow["step"], flow["iteration"], flow["samples"]) == (0, 0, [0, 1])
        described = [[layer[key] for key in ("name", "shape", "role", "record_name", "record_iteration")] for layer in flow["layers"]]
        assert described == [["x", [2], "input", "x", 0], ["y", [2], "layer", "y", 0]]
        assert [layer["values"].tolist() for layer in flow["layers"]] == [[1, 1, 0.5, -1], [2, 4, 1, -2.5]]
        # The gradient of y was given, that of x is its product with W.
        assert [layer["gradients"].tolist() for layer in flow["layers"]] == [[4, 6, 0, -12], [1, 2, 2, -4]]
    # Exactly, x_1 does not reach y_0; no estimate knows that.
    np.testing.assert_array_equal(dense(exact), [[[2, 2], [0, 6]], [[4, -4], [0, -12]]])
    # t^2 = 1, 4 and 4, 16: a fifth and four fifths of each gradient of x.
    np.testing.assert_allclose(dense(chain_rule), np.array([[[4, 16], [6, 24]], [[0, 0], [-12, -48]]]) / 5, rtol=1e-6)
    np.testing.assert_allclose(chain_rule["pairs"][0]["residuals"], [0, 0, 0, 0], atol=1e-6)
    # 1 / t = 1, 1/2 and 1/2, -1/4: two thirds and a third, with the sign of the gradient of x.
    np.testing.assert_allclose(dense(vnittest), np.array([[[2, 1], [2, 1]], [[0, 0], [-2, 1]]]) / 3, rtol=1e-6)
    np.testing.assert_allclose(vnittest["pairs"][0]["residuals"], [3, 5, 0, -12 + 1 / 3], rtol=1e-6)


def test_the_chain_rule_is_exact_where_all_that_reaches_an_element_comes_in_the_same_proportions_as_the_gradients(tmp_path: Path) -> None:
    # y_j = a_j (3 x_0 - x_1) with a = 1, 2, and gradients 2, 4 in the same proportion: s = 30, -10.
    weights = [[3.0, -1.0], [6.0, -2.0]]
    root = record(tmp_path, linear(weights, [[1.0, 1.0]], [[2.0, 4.0]], exact=True), batch_size=1)
    exact, chain_rule, vnittest = map(dense, flows_of(built(root, "x, y")).values())
    np.testing.assert_allclose(chain_rule, [[[6, 24], [-2, -8]]], rtol=1e-6)
    np.testing.assert_allclose(exact, chain_rule, rtol=1e-6)
    assert not np.allclose(vnittest, exact, rtol=0.1)


def test_what_goes_around_a_layer_is_in_the_residual_of_exact_flows_and_shared_out_by_the_estimate(tmp_path: Path) -> None:
    def step(recorder: ComgraRecorder) -> Tensor:
        x = torch.tensor([[1.0, 1.0]])
        recorder.register_tensor("x", x, is_input=True)
        y = x @ torch.tensor(W, requires_grad=True).T
        recorder.register_tensor("y", y)
        loss = (y * torch.tensor([[1.0, 2.0]])).sum() + 10 * x[0, 1]
        recorder.record_gradient_flow(loss, ["x", "y"])
        return loss

    exact, chain_rule, _ = flows_of(built(record(tmp_path, step, batch_size=1), "x, y")).values()
    np.testing.assert_allclose(exact["pairs"][0]["residuals"], [0, 10], atol=1e-5)
    np.testing.assert_allclose(chain_rule["pairs"][0]["residuals"], [0, 0], atol=1e-5)
    np.testing.assert_allclose(dense(chain_rule), np.array([[[4, 16], [16, 64]]]) / 5, rtol=1e-6)


def test_only_the_samples_that_are_wanted_are_estimated(tmp_path: Path) -> None:
    flows = flows_of(built(record(tmp_path, TWO_SAMPLES), "x, y", samples="1-1"))
    assert [flow["samples"] for flow in flows.values()] == [[0, 1], [1], [1]]
    np.testing.assert_allclose(dense(flows[f"{CHAIN_RULE}x, y"]), np.array([[[0, 0], [-12, -48]]]) / 5, rtol=1e-6)
    with pytest.raises(WrongChoiceError, match="none of the samples that are wanted was recorded"):
        built(record(tmp_path / "fewer", TWO_SAMPLES, max_num_batch_size_to_record=1), "x, y", samples="1-1")


def test_every_step_has_the_estimates_of_its_own_gradients(tmp_path: Path) -> None:
    root = record(tmp_path, *(linear(W, [[1.0, 1.0]], [gradient]) for gradient in ([1.0, 2.0], [2.0, -4.0])), batch_size=1)
    bundle = built(root, "x, y")
    flows = {(flow["step"], flow["method"]): dense(flow) for flow in bundle.flows(bundle.trial("trial"))}
    np.testing.assert_allclose(flows[0, "chain_rule_estimate"], np.array([[[4, 16], [6, 24]]]) / 5, rtol=1e-6)
    np.testing.assert_allclose(flows[1, "chain_rule_estimate"], np.array([[[0, 0], [-12, -48]]]) / 5, rtol=1e-6)


def test_a_memory_is_followed_within_its_iteration(tmp_path: Path) -> None:
    """The next memory comes behind what it is computed from, although that is computed from the memory before."""
    with recorder_of(tmp_path) as recorder, recorder.batch(0, 1):
        memory = torch.ones(1, 2, requires_grad=True)
        for _ in range(2):
            with recorder.iteration():
                h = memory * torch.tensor([[1.0, 3.0]])
                recorder.register_tensor("h", h)
                memory = h @ torch.tensor(W).T
                recorder.register_tensor("memory", memory)
        memory.sum().backward()
        recorder.record_current_gradients("gradients")
    flows = flows_of(built(tmp_path, "h, memory"))
    # Behind the second memory are 1, 1; in h there are 3, 3, behind the first memory 3, 9, and in the first h 15, 27.
    second = dense(flows[f"{CHAIN_RULE}h, memory (iteration 1)"])
    np.testing.assert_allclose(second, [[[1.5, 1.5], [1.5, 1.5]]], rtol=1e-6)
    np.testing.assert_allclose(dense(flows[f"{CHAIN_RULE}h, memory"]), [[[1.5, 13.5], [2.7, 24.3]]], rtol=1e-6)


def test_several_sequences_of_several_tensors_each(tmp_path: Path) -> None:
    def step(recorder: ComgraRecorder) -> Tensor:
        x = torch.ones(2, 3, 2, requires_grad=True)
        recorder.register_tensor("x", x, is_input=True)
        h = x.reshape(2, 6)[:, :4] * 2
        recorder.register_tensor("h, twice", h)
        y = h.sum(1, keepdim=True)
        recorder.register_tensor("y", y, is_target=True)
        return y.sum()

    bundle = built(record(tmp_path, step), ["x", "h, twice", "y"], "x, y", "x,y")
    flows = flows_of(bundle)
    assert list(flows) == [f"{words}{names}" for names in ("x, h, twice, y", "x, y") for words in (CHAIN_RULE, VNITTEST)]
    whole = flows[f"{CHAIN_RULE}x, h, twice, y"]
    assert [(layer["shape"], layer["role"]) for layer in whole["layers"]] == [([3, 2], "input"), ([4], "layer"), ([1], "target")]
    assert [(pair["from"], pair["to"]) for pair in whole["pairs"]] == [(0, 1), (1, 2)]
    # Into a single element, the estimate is the gradient: exact.
    np.testing.assert_array_equal(dense(whole, 1), np.ones((2, 4, 1)))
    np.testing.assert_array_equal(dense(whole, 0), np.tile([[0.5] * 4] * 4 + [[0] * 4] * 2, (2, 1, 1)))


def test_tensors_without_a_batch_dimension(tmp_path: Path) -> None:
    def step(recorder: ComgraRecorder) -> Tensor:
        x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        recorder.register_tensor("x", x, index_of_batch_dimension=None)
        y = x.double() * 2
        recorder.register_tensor("y", y, index_of_batch_dimension=None)
        recorder.register_tensor("z", y.bfloat16(), index_of_batch_dimension=None)
        return (y.bfloat16() * 0 + y * torch.tensor([1.0, 0.0, 1.0])).sum()

    flows = flows_of(built(record(tmp_path, step), "x, y"))
    flow = flows[f"{CHAIN_RULE}x, y"]
    assert flow["samples"] == []
    np.testing.assert_array_equal(dense(flow), [[[1, 0, 1], [0, 0, 0], [1, 0, 1]]])


def test_numbers_of_every_width(tmp_path: Path) -> None:
    def step(recorder: ComgraRecorder) -> Tensor:
        x = torch.tensor([[1.0, 2.0]], dtype=torch.bfloat16, requires_grad=True)
        recorder.register_tensor("half", x)
        y = x.double() * torch.tensor([[1.5, -3.0]])
        recorder.register_tensor("double", y)
        return y.sum()

    flow = flows_of(built(record(tmp_path, step, batch_size=1), "half, double"))[f"{CHAIN_RULE}half, double"]
    assert [layer["gradients"].tolist() for layer in flow["layers"]] == [[1.5, -3], [1, 1]]
    assert [layer["values"].tolist() for layer in flow["layers"]] == [[1, 2], [1.5, -6]]
    np.testing.assert_array_equal(dense(flow), [[[0.75, 0.75], [-1.5, -1.5]]])


def test_gradients_that_are_no_numbers_or_too_large_are_kept(tmp_path: Path) -> None:
    def step(recorder: ComgraRecorder) -> Tensor:
        x = torch.ones(1, 2, dtype=torch.float64, requires_grad=True)
        recorder.register_tensor("x", x)
        y = x * torch.tensor([[float("nan"), 1e300]], dtype=torch.float64)
        recorder.register_tensor("y", y)
        return y.sum()

    flow = flows_of(built(record(tmp_path, step, batch_size=1), "x, y"))[f"{CHAIN_RULE}x, y"]
    # What is packed has 32 bits.
    np.testing.assert_array_equal(flow["layers"][0]["gradients"], [np.nan, np.inf])
    np.testing.assert_array_equal(dense(flow), [[[np.nan, np.nan], [np.inf, np.inf]]])
    assert flow["pairs"][0]["non_finite"] == [4]


def test_watched_tensors(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    with comgra_export.watch(net, tmp_path / "runs", values=True, max_num_batch_size_to_record=2):
        x = torch.randn(5, 3, requires_grad=True)
        y = net(x)
        (y * torch.tensor([[1.0, 2.0]])).sum().backward()
    (flow, _) = flows_of(built(tmp_path / "runs", "model: input, model.2: output")).values()
    gradient = x.grad
    assert gradient is not None
    expected = gradient[:2, :, None] * torch.tensor([1 / 5, 4 / 5])
    np.testing.assert_allclose(dense(flow), expected.numpy(), rtol=1e-6)
    assert [layer["record_name"] for layer in flow["layers"]] == ["model: input", "model.2: output"]


def test_every_iteration_and_group_of_gradients_that_has_all_tensors(tmp_path: Path) -> None:
    with recorder_of(tmp_path) as recorder, recorder.batch(0, 1):
        for iteration in range(3):
            with recorder.iteration():
                x = torch.tensor([[1.0, 2.0]])
                recorder.register_tensor("x", x, is_input=True)
                if iteration != 1:
                    y = x @ torch.tensor(W, requires_grad=True).T
                    recorder.register_tensor("y", y)
                    (y * (iteration + 1)).sum().backward()
        recorder.record_current_gradients("first")
        recorder.record_current_gradients("second")
    flows = flows_of(built(tmp_path, "x, y"))
    endings = ["(first)", "(second)", "(first) (iteration 2)", "(second) (iteration 2)"]
    assert list(flows) == [f"{words}x, y {ending}" for ending in endings for words in (CHAIN_RULE, VNITTEST)]
    assert [flow["iteration"] for flow in flows.values()] == [0] * 4 + [2] * 4
    # 1, 1 and 3, 3 into y; all of W^T times them out of x.
    np.testing.assert_allclose(dense(flows[f"{CHAIN_RULE}x, y (first) (iteration 2)"]), [[[4.5, 4.5], [4.5, 4.5]]])


def test_one_pair_of_layers_is_in_memory_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[weakref.ref[PairNumbers]] = []
    alive: list[int] = []

    def counted(estimate: Callable[[Matrix, Matrix], PairNumbers]) -> Callable[[Matrix, Matrix], PairNumbers]:
        def count(source: Matrix, target: Matrix) -> PairNumbers:
            alive.append(sum(pair() is not None for pair in made))
            pair = estimate(source, target)
            made.append(weakref.ref(pair))
            return pair

        return count

    def step(recorder: ComgraRecorder) -> Tensor:
        x = torch.ones(2, 3, requires_grad=True)
        for name in "abcd":
            recorder.register_tensor(name, x)
            x = x * 2
        return x.sum()

    monkeypatch.setattr(estimated_flows, "ESTIMATES", {method: counted(estimate) for method, estimate in ESTIMATES.items()})
    flows = flows_of(built(record(tmp_path, step, step, step), "a, b, c, d", steps="0"))
    assert len(flows) == 2
    assert len(alive) == 6
    # The one before is let go when the next one has been made.
    assert max(alive) == 1
