"""What the graph says of PyTorch's own functions, against gradients: a test for `make test-full`.

The samples are those with which PyTorch tests its functions, and some by hand. A result depends on an argument, or on another result, if
its gradient with respect to that is there. Only tensors that require a gradient are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.recorder.host.nested import tensors_in
from support.breadth import breadth
from support.recorder.reading import read_structure

# Many of the functions warn of themselves.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

SAMPLES = 3
NO_GRADIENT = "a result of this node of autograd has no gradient, and is still computed from the arguments"
DIFFERENT = {
    "native_group_norm": NO_GRADIENT,
    "linalg.lstsq": NO_GRADIENT,
    "linalg.slogdet": NO_GRADIENT,
    "norm": NO_GRADIENT,
    "linalg.norm": NO_GRADIENT,
    "nn.functional.cosine_embedding_loss": "the target is compared and not differentiated",
    "nn.functional.hinge_embedding_loss": "the target is compared and not differentiated",
}
"""Functions of which the graph shows more than gradients do, and why that is right. It never shows less."""

N = 3


def _parameters(gates: int) -> list[Tensor]:
    return [torch.randn(gates * N, N), torch.randn(gates * N, N), torch.randn(gates * N), torch.randn(gates * N)]


def _recurrent(name: str, x: Tensor, h: Tensor, *weights: Tensor) -> object:
    return getattr(torch, name)(x, h, weights, True, 1, 0.0, True, False, False)


def _arguments_of_recurrent(gates: int) -> tuple[Tensor, ...]:
    return (torch.randn(4, 2, N), torch.randn(1, 2, N), *_parameters(gates))


BY_HAND: dict[str, tuple[Callable[..., object], Callable[[], tuple[Any, ...]]]] = {
    "lstm_cell": (
        lambda x, h, c, *weights: torch.lstm_cell(x, (h, c), *weights),
        lambda: (torch.randn(2, N), torch.randn(2, N), torch.randn(2, N), *_parameters(4)),
    ),
    "lstm": (
        lambda x, h, c, *weights: torch.lstm(x, (h, c), weights, True, 1, 0.0, True, False, False),
        lambda: (torch.randn(4, 2, N), torch.randn(1, 2, N), torch.randn(1, 2, N), *_parameters(4)),
    ),
    **{
        name: (
            partial(_recurrent, name),
            partial(_arguments_of_recurrent, gates),
        )
        for name, gates in (("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1))
    },
    "_fused_rms_norm": (lambda x, weight: torch.ops.aten._fused_rms_norm(x, [N], weight, 1e-5), lambda: (torch.randn(2, N), torch.ones(N))),
    "_scaled_dot_product_attention_math": (
        torch.ops.aten._scaled_dot_product_attention_math,
        lambda: tuple(torch.randn(1, 2, N, N) for _ in range(3)),
    ),
    "embedding_bag": (
        lambda weight: torch.embedding_bag(weight, torch.tensor([0, 2, 1]), torch.tensor([0, 2])),
        lambda: (torch.randn(4, N),),
    ),
    "max_pool1d_with_indices": (lambda x: torch.max_pool1d_with_indices(x, 2), lambda: (torch.randn(1, 2, 6),)),
    "_pad_packed_sequence": (
        lambda x: torch._VF._pad_packed_sequence(x, torch.tensor([2, 1]), False, 0.0, 2),
        lambda: (torch.randn(3, N),),
    ),
    "_lu_with_info": (lambda x: torch._lu_with_info(x, check_errors=False), lambda: (torch.randn(N, N),)),
}

Sample = tuple[str, Callable[[], object], list[Tensor]]
Edges = set[tuple[str, str]]


def _samples_of_pytorch() -> Iterator[Sample]:
    from torch.testing._internal.common_methods_invocations import op_db

    for info in op_db:
        # These need a GPU.
        if torch.float32 not in info.supported_dtypes("cpu") or info.name.startswith("jiterator"):
            continue
        for sample in islice(info.sample_inputs("cpu", torch.float32, requires_grad=info.supports_autograd), SAMPLES):
            given = (sample.input, *sample.args)
            yield info.name, partial(info.op, *given, **sample.kwargs), tensors_in((given, sample.kwargs))


def _samples_by_hand() -> Iterator[Sample]:
    for name, (function, arguments) in BY_HAND.items():
        given = arguments()
        for tensor in given:
            tensor.requires_grad_()
        yield name, partial(function, *given), list(given)


def _recorded(folder: Path, call: Callable[[], object], arguments: Sequence[Tensor]) -> tuple[list[Tensor], Edges] | None:
    """The results of a call, and the edges with gradients that the graph has; None if something has a dtype without a place."""
    recorder = ComgraRecorder(folder, "g", "t", DecisionMakerForRecordingsFrequencyPerType(1), existing_trial="replace")
    results: list[Tensor] = []
    with recorder.batch(0, 1), recorder.iteration():
        for position, tensor in enumerate(arguments):
            recorder.register_tensor(f"argument {position}", tensor, None)
        for result in tensors_in((call(),)):
            if result.layout == torch.strided and not any(result is known for known in (*results, *arguments)):
                results.append(result)
        for position, result in enumerate(results):
            recorder.register_tensor(f"result {position}", result, None)
    recorder.finalize()
    if any(tensor.is_complex() for tensor in (*arguments, *results)):
        return None
    structure = read_structure(recorder)
    names = [row.node for row in structure.tensors]
    edges = enumerate(structure.dependencies)
    return results, {(names[a], names[b]) for position, (a, b) in edges if position not in structure.without_gradient}


def _closure(edges: Edges) -> Edges:
    while True:
        longer = {(a, d) for (a, b), (c, d) in product(edges, edges) if b == c} - edges
        if not longer:
            return edges
        edges = edges | longer


def _by_gradients(arguments: Sequence[Tensor], results: Sequence[Tensor]) -> tuple[Edges, Edges]:
    """Which tensor each result was computed from; and which arguments lead only to another result, from which it was computed."""
    names = {id(tensor): f"argument {position}" for position, tensor in enumerate(arguments)}
    names |= {id(tensor): f"result {position}" for position, tensor in enumerate(results)}
    reached: Edges = set()
    indirect: Edges = set()
    for result in results:
        others = [tensor for tensor in (*arguments, *results) if tensor is not result and tensor.requires_grad]
        if not result.requires_grad or not others:
            continue
        gradients = torch.autograd.grad(result.sum(), others, allow_unused=True, retain_graph=True)
        own = [(tensor, gradient) for tensor, gradient in zip(others, gradients, strict=True) if gradient is not None]
        reached |= {(names[id(tensor)], names[id(result)]) for tensor, _ in own}
        through = [tensor for tensor, _ in own if any(tensor is each for each in results)]
        if through:
            stops = [tensor.register_hook(torch.zeros_like) for tensor in through]
            inputs = [tensor for tensor, _ in own if not any(tensor is each for each in through)]
            direct = torch.autograd.grad(result.sum(), inputs, allow_unused=True, retain_graph=True) if inputs else ()
            for stop in stops:
                stop.remove()
            for tensor, gradient in zip(inputs, direct, strict=True):
                if gradient is None or not gradient.any():
                    indirect.add((names[id(tensor)], names[id(result)]))
    return reached, indirect


def test_the_graph_says_of_each_function_what_gradients_say(tmp_path: Path) -> None:
    if breadth() != "full":
        pytest.skip("make test-full tries all functions of PyTorch")
    pytest.importorskip("expecttest", reason="expecttest is not installed: PyTorch's own samples need it")
    torch.manual_seed(0)
    wrong: dict[str, list[str]] = {}
    compared: set[str] = set()
    for name, call, given in (*_samples_by_hand(), *_samples_of_pytorch()):
        arguments = [tensor for position, tensor in enumerate(given) if not any(tensor is before for before in given[:position])]
        if not arguments or any(tensor.layout != torch.strided for tensor in arguments):
            continue
        recorded = _recorded(tmp_path, call, arguments)
        if recorded is None:
            continue
        results, edges = recorded
        following = {f"argument {position}" for position, tensor in enumerate(arguments) if tensor.requires_grad}
        following |= {f"result {position}" for position, tensor in enumerate(results) if tensor.requires_grad}
        edges = {(source, sink) for source, sink in edges if source in following and sink in following}
        reached, indirect = _by_gradients(arguments, results)
        compared.add(name)
        false = _closure(edges) - reached if name not in DIFFERENT else set()
        for what, edges_of_it in (("missing", reached - _closure(edges)), ("false", false), ("not direct", edges & indirect)):
            if edges_of_it:
                wrong.setdefault(name, []).append(f"{what}: {sorted(edges_of_it)}")
    assert wrong == {}
    assert len(compared) > 500
    assert compared >= {*BY_HAND, *DIFFERENT}
