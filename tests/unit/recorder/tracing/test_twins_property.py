"""Random programs run the same with and without the recorder, and the gradients of their inputs are those of autograd."""

from __future__ import annotations

import copy
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from comgra_export import ComgraRecorder
from support.breadth import examples
from support.recorder.reading import read_gaps, read_records

B, N = 4, 6


@dataclass
class World:
    """What a program works on: inputs, which are registered, and what requires gradients or is changed on the way."""

    inputs: list[Tensor]
    weight: Tensor
    matrix: Tensor
    mean: Tensor = field(default_factory=lambda: torch.zeros(N))
    variance: Tensor = field(default_factory=lambda: torch.ones(N))


def zeros_with_column(a: Tensor) -> Tensor:
    made = torch.zeros(B, N)
    made[:, 0] = a[:, 1]
    return made


def with_row_set(a: Tensor, b: Tensor) -> Tensor:
    a[0] = b[1]
    return a


def with_view_changed(a: Tensor) -> Tensor:
    a[1].mul_(2)
    return a


def written_out(a: Tensor, b: Tensor) -> Tensor:
    out = torch.empty(B, N)
    torch.add(a, b, out=out)
    return out


def without_gradients(a: Tensor, b: Tensor) -> Tensor:
    with torch.no_grad():
        return a * 2 + b


def in_half_precision(a: Tensor, world: World) -> Tensor:
    with torch.autocast("cpu", torch.bfloat16):
        return (a @ world.matrix).float()


class Operands(NamedTuple):
    """What an operation takes: two tensors, which may be one."""

    a: Tensor
    b: Tensor
    world: World


Operation = Callable[[Operands], Any]
OPERATIONS: dict[str, Operation] = {
    "add": lambda o: o.a + o.b,
    "reversed": lambda o: 1 - o.a,
    "weight": lambda o: o.a * o.world.weight,
    "linear": lambda o: F.linear(o.a, o.world.matrix, o.world.weight),
    "matmul": lambda o: o.a @ o.world.matrix,
    "view": lambda o: o.a.reshape(-1).view(B, N),
    "transposed": lambda o: o.a.T.contiguous().t(),
    "row": lambda o: o.a[0].expand(B, N),
    "halves": lambda o: torch.cat(o.a.chunk(2, dim=1)[::-1], dim=1),
    "rows": lambda o: torch.stack(o.a.unbind(0)),
    "cat": lambda o: torch.cat([o.a[:2], o.b[2:]]),
    "nested list": lambda o: torch.block_diag(o.a[:2, :3], o.b[2:, 3:]),
    "dropout": lambda o: F.dropout(o.a, 0.5),
    "rrelu": lambda o: F.rrelu(o.a, training=True),
    "relu": lambda o: F.relu(o.a),
    "softmax": lambda o: o.a.softmax(1),
    "same": lambda o: o.a.contiguous(),
    "to the same": lambda o: o.a.to(torch.float32),
    "to another": lambda o: o.a.double().float(),
    "expand_as": lambda o: o.a.expand_as(o.world.weight.expand(B, N)),
    "view_as": lambda o: o.a.view_as(o.b),
    "type_as": lambda o: o.a.type_as(o.world.weight),
    "broadcast": lambda o: torch.broadcast_tensors(o.a, o.world.weight)[0],
    "broadcast weight": lambda o: torch.broadcast_tensors(o.a, o.world.weight)[1],
    "meshgrid": lambda o: torch.meshgrid(o.a[:, 0], o.world.weight, indexing="ij")[0],
    "max": lambda o: o.a.max(dim=1, keepdim=True)[0].expand(B, N),
    "sorted": lambda o: o.a.sort(dim=1).values,
    "where": lambda o: torch.where(o.a > 0, o.a, o.b),
    "where weight": lambda o: torch.where(o.world.weight > 0, o.a, o.b),
    "gather": lambda o: o.a.gather(1, o.b.argsort(dim=1)),
    "mask": lambda o: o.a.masked_fill(o.b > 0, 0.5),
    "detach": lambda o: o.a.detach(),
    "data": lambda o: o.a.data,
    "clone": lambda o: o.a.clone(),
    "layer_norm": lambda o: F.layer_norm(o.a, (N,), o.world.weight),
    "layer_norm alone": lambda o: F.layer_norm(o.a, (N,)),
    "batch_norm": lambda o: F.batch_norm(o.a, o.world.mean, o.world.variance, o.world.weight, training=True),
    "batch_norm alone": lambda o: F.batch_norm(o.a, o.world.mean, o.world.variance, training=True),
    "attention": lambda o: F.scaled_dot_product_attention(o.a[None], o.b[None], (o.b * o.world.weight)[None], dropout_p=0.3)[0],
    "attention alone": lambda o: F.scaled_dot_product_attention(o.a[None], o.b[None], o.b[None], dropout_p=0.3)[0],
    "einsum": lambda o: torch.einsum("ij,jk,ik->ij", o.a, o.world.matrix, o.b),
    "no_grad": lambda o: without_gradients(o.a, o.b),
    "autocast": lambda o: in_half_precision(o.a, o.world),
    "checkpoint": lambda o: checkpoint(lambda one: torch.tanh(one @ o.world.matrix), o.a, use_reentrant=False),
    "cosine": lambda o: F.cosine_similarity(o.a, o.b)[:, None].expand(B, N),
    "loss with a target": lambda o: F.soft_margin_loss(o.a * o.world.weight, o.b, reduction="none"),
    "deepcopy": lambda o: copy.deepcopy(o.a),
    "numpy": lambda o: torch.from_numpy(o.a.numpy().copy()),
    "list": lambda o: torch.tensor(o.a.tolist()),
    "flag": lambda o: o.a * 2 if o.a.requires_grad else o.a * 3,
    # In place.
    "add_": lambda o: o.a.add_(o.b),
    "mul_": lambda o: o.a.mul_(1.5),
    "mul_ weight": lambda o: o.a.mul_(o.world.weight),
    "relu in place": lambda o: F.relu(o.a, inplace=True),
    "dropout in place": lambda o: F.dropout(o.a, 0.5, inplace=True),
    "set row": lambda o: with_row_set(o.a, o.b),
    "set column of zeros": lambda o: zeros_with_column(o.a),
    "view in place": lambda o: with_view_changed(o.a),
    "out": lambda o: written_out(o.a, o.b),
    "copy_": lambda o: torch.zeros(B, N).copy_(o.a),
    "addcmul_": lambda o: torch.ones(B, N).addcmul_(o.a, o.world.weight),
    "running average": lambda o: o.world.mean.mul_(0.9).add_(o.a.mean(0)).expand(B, N).clone(),
    "foreach": lambda o: torch._foreach_add_([o.a, o.b], 1.0),
}
# These are refused for, or do something else with, a tensor that requires a gradient.
DIFFERENT_WITH_GRADIENTS = {"deepcopy", "numpy", "list", "flag", "out", "loss with a target", "data"}
Plan = list[tuple[str, int, int]]
PLANS = st.lists(st.tuples(st.sampled_from(sorted(OPERATIONS)), st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=9)


def make_world(requires_grad: bool) -> tuple[World, list[Tensor]]:
    generator = torch.Generator().manual_seed(3)
    leaves = [torch.randn(B, N, generator=generator) for _ in range(2)]
    weight = torch.randn(N, generator=generator).requires_grad_()
    matrix = torch.randn(N, N, generator=generator).requires_grad_()
    if requires_grad:
        for leaf in leaves:
            leaf.requires_grad_()
    return World([leaf.clone() if requires_grad else leaf for leaf in leaves], weight, matrix), leaves


def describe(values: list[Any], world: World) -> list[Any]:
    """What a script could notice of tensors, and whether they are or share memory with others."""
    tensors = [value for value in values if isinstance(value, Tensor)]
    everything = [*tensors, world.weight, world.matrix]
    described: list[Any] = [value for value in values if not isinstance(value, Tensor)]
    for one in tensors:
        operation = None if one.grad_fn is None else one.grad_fn.name()
        described.append((one.detach().numpy().tobytes(), one.requires_grad, one.is_leaf, operation, one.shape, one.stride(), one._version))
        described.append([one is other for other in everything])
        described.append([one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr() for other in everything])
        described.append([one._base is other for other in everything])
    return described


def run(plan: Plan, world: World) -> list[Any]:
    """Runs a program; what raises is noted, and leaves nothing behind."""
    pool = list(world.inputs)
    values: list[Any] = list(pool)
    for name, first, second in plan:
        try:
            result = OPERATIONS[name](Operands(pool[first % len(pool)], pool[second % len(pool)], world))
        except RuntimeError as error:
            values.append(str(error).splitlines()[0])
            continue
        values += [result] if isinstance(result, Tensor) else []
        if isinstance(result, Tensor) and result.shape == (B, N):
            pool.append(result)
    loss = (pool[-1] * world.weight).sum() + (pool[len(pool) // 2] * 0.5).sum()
    return [*values, loss]


def backward(values: list[Any], world: World) -> list[Any]:
    try:
        values[-1].backward()
    except RuntimeError as error:
        return [str(error).splitlines()[0]]
    gradients = [world.weight.grad, world.matrix.grad]
    return [None if gradient is None else gradient.numpy().tobytes() for gradient in gradients]


@examples(150)
@given(PLANS)
def test_random_programs(plan: Plan) -> None:
    torch.manual_seed(5)
    alone, _ = make_world(requires_grad=False)
    values = run(plan, alone)
    expected = describe(values, alone)
    expected_gradients = backward(values, alone)
    expected_random = torch.get_rng_state()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(5)
        world, _ = make_world(requires_grad=False)
        with ComgraRecorder(folder) as recorder:
            with recorder.batch(0, B), recorder.iteration():
                for position, tensor in enumerate(world.inputs):
                    recorder.register_tensor(f"input {position}", tensor)
                values = run(plan, world)
                recorded = describe(values, world)
                gradients = backward(values, world)
                recorder.record_current_gradients("gradients")
            random = torch.get_rng_state()
            assert describe(values, world) == recorded
            assert recorded == expected
            assert torch.equal(random, expected_random)
            # Where the script changes in place what its own backward pass needs, that pass fails without a recorder.
            fails = len(expected_gradients) == 1
            assert fails or gradients == expected_gradients
            recorder.flush()
            if not fails and not DIFFERENT_WITH_GRADIENTS & {name for name, _, _ in plan}:
                check_gradients(plan, recorder, [value for value in values if isinstance(value, str)])


def check_gradients(plan: Plan, recorder: ComgraRecorder, errors: list[str]) -> None:
    """Compares with a run in which the inputs require gradients, where that can do the same."""
    torch.manual_seed(5)
    world, leaves = make_world(requires_grad=True)
    values = run(plan, world)
    if [value for value in values if isinstance(value, str)] != errors or len(backward(values, world)) == 1:
        return
    unknown = {gap.tensor for gap in read_gaps(recorder)}
    records = read_records(recorder)
    for position, leaf in enumerate(leaves):
        record = records["gradients", f"input {position}", 0]
        if f"input {position}" in unknown:
            assert record.counts[4] == 1
        else:
            expected = torch.zeros(B, N) if leaf.grad is None else leaf.grad
            np.testing.assert_allclose(record.values.reshape(B, N).astype(np.float32), expected.numpy(), rtol=1e-4, atol=1e-5)
