"""Functions with several results: which of them comes from which argument, and from which other result."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder
from comgra_export.recorder.host.nested import tensors_in
from comgra_export.recorder.step.options import GraphSource
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import read_edges, read_edges_without_gradient, read_records

B = 4


LSTM_CELL = {("c", "h"), ("old c", "c"), ("old h", "c"), ("old h", "h"), ("x", "c"), ("x", "h")}


@pytest.mark.parametrize(("with_gradients", "is_trained"), [(True, True), (True, False), (False, True)])
def test_a_result_that_an_lstm_cell_computes_from_its_other_one(recorder: ComgraRecorder, with_gradients: bool, is_trained: bool) -> None:
    """h is o * tanh(c), and only the gates, which come from x and the old h, and c lead to it."""
    cell = nn.LSTMCell(3, 2).requires_grad_(is_trained)
    inputs = {"x": torch.randn(B, 3), "old h": torch.randn(B, 2), "old c": torch.randn(B, 2)}
    with recorder.batch(0, B), recorder.iteration():
        for name, tensor in inputs.items():
            recorder.register_tensor(name, tensor.requires_grad_(with_gradients), is_input=True)
        h, c = cell(inputs["x"], (inputs["old h"], inputs["old c"]))
        recorder.register_tensor("c", c)
        recorder.register_tensor("h", h)
        (h * 3).sum().backward()
        recorder.record_current_gradients("gradients")
    assert read_edges(recorder) == LSTM_CELL
    assert read_edges_without_gradient(recorder) == set()
    # Gradients come to c through h alone.
    assert not read_records(recorder)["gradients", "c", 0].counts[4]


def test_nothing_is_known_of_the_inside_of_a_cell_without_gradients(recorder: ComgraRecorder) -> None:
    cell = nn.LSTMCell(3, 2)
    x, old = torch.randn(B, 3), (torch.randn(B, 2), torch.randn(B, 2))
    with recorder.batch(0, B), recorder.iteration(), torch.no_grad():
        for name, tensor in zip(("x", "old h", "old c"), (x, *old), strict=True):
            recorder.register_tensor(name, tensor, is_input=True)
        for name, tensor in zip(("h", "c"), cell(x, old), strict=True):
            recorder.register_tensor(name, tensor)
    # What the call shows: both come from all.
    assert read_edges(recorder) == (LSTM_CELL - {("c", "h")}) | {("old c", "h")}


OF_EACH_ARGUMENT: dict[str, tuple[Callable[..., tuple[Tensor, ...]], list[int], list[int]]] = {
    "broadcast_tensors": (torch.broadcast_tensors, [2, 1], [1, 3]),
    "meshgrid": (lambda *given: torch.meshgrid(*given, indexing="ij"), [2], [3]),
    "atleast_2d": (torch.atleast_2d, [2], [3]),
}


@pytest.mark.parametrize("name", OF_EACH_ARGUMENT)
@pytest.mark.parametrize("requires_grad", [True, False])
def test_each_result_comes_from_an_argument_of_its_own(recorder: ComgraRecorder, name: str, requires_grad: bool) -> None:
    function, *shapes = OF_EACH_ARGUMENT[name]
    x, y = (torch.randn(shape, requires_grad=requires_grad) for shape in shapes)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x, None, is_input=True)
        recorder.register_tensor("y", y, None, is_input=True)
        for label, result in zip(("of x", "of y"), function(x, y), strict=True):
            recorder.register_tensor(label, result, None)
    expected = {("x", "of x"), ("y", "of y")}
    if not requires_grad:
        # Nothing is known of what autograd does not follow: both come from all that the call got.
        expected |= {("x", "of y"), ("y", "of x")}
    assert read_edges(recorder) == expected


def _symmetric(x: Tensor) -> Tensor:
    return x @ x.mT + torch.eye(B)


FUNCTIONS_WITH_SEVERAL_RESULTS: dict[str, Callable[[Tensor], object]] = {
    "lstm_cell": lambda x: torch.lstm_cell(x, (x, x), torch.ones(4 * B, B), torch.ones(4 * B, B)),
    "lstm": nn.LSTM(B, B),
    "gru": nn.GRU(B, B),
    "multi_head_attention": lambda x: nn.functional.multi_head_attention_forward(
        x, x, x, B, 2, torch.ones(3 * B, B), None, None, None, False, 0.0, torch.ones(B, B), None
    ),
    "attention": lambda x: torch.ops.aten._scaled_dot_product_attention_math(x[None], x[None], x[None]),
    "rms_norm": lambda x: torch.ops.aten._fused_rms_norm(x, [B], None, 1e-5),
    "layer_norm": lambda x: torch.native_layer_norm(x, [B], None, None, 1e-5),
    "svd": torch.linalg.svd,
    "svd_lowrank": lambda x: torch.svd_lowrank(x, 2),
    "lobpcg": lambda x: torch.lobpcg(_symmetric(x), k=1),
    "qr": torch.linalg.qr,
    "eigh": lambda x: torch.linalg.eigh(_symmetric(x)),
    "slogdet": torch.linalg.slogdet,
    "lu": torch.linalg.lu,
    "cholesky_ex": lambda x: torch.linalg.cholesky_ex(_symmetric(x)),
    "var_mean": torch.var_mean,
    "aminmax": torch.aminmax,
    "frexp": torch.frexp,
    "gradient": torch.gradient,
    "max": lambda x: torch.max(x, 0),
    "split": lambda x: torch.split(x, 2),
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS_WITH_SEVERAL_RESULTS))
def test_several_results_of_a_function_depend_on_each_other_as_autograd_says(make_recorder: MakeRecorder, name: str) -> None:
    function = FUNCTIONS_WITH_SEVERAL_RESULTS[name]
    x = torch.randn(B, B, requires_grad=True)
    edges: dict[GraphSource, set[tuple[str, str]]] = {}
    for graph in ("data_flow", "autograd"):
        recorder = make_recorder(graph=graph, trial_id=graph)
        with recorder.batch(0, B), recorder.iteration():
            recorder.register_tensor("x", x, None)
            for position, result in enumerate(tensors_in((function(x),))):
                recorder.register_tensor(f"result {position}", result, None)
        edges[graph] = {(source, sink) for source, sink in read_edges(recorder) if source != "x"}
    assert edges["data_flow"] == edges["autograd"]
    assert bool(edges["data_flow"]) == (name in {"lstm_cell", "attention", "rms_norm"})
