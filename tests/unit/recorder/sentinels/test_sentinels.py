"""The largest magnitude of each tensor of a step."""

from __future__ import annotations

import gc
import math
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from comgra_export.recorder.sentinels.check import SentinelWatch

pytestmark = pytest.mark.usefixtures("way")

NAN, INFINITY = math.nan, math.inf


def largest_of(*tensors: Tensor) -> tuple[float, ...]:
    watch = SentinelWatch()
    for position, tensor in enumerate(tensors):
        watch.add(("forward", str(position), 0), tensor)
    assert [name for _, name, _ in watch.tensors] == [str(position) for position in range(len(tensors))]
    return watch.largest()


DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]


@pytest.mark.parametrize("dtype", [*DTYPES, torch.float8_e5m2, torch.uint16, torch.uint64, torch.complex64], ids=str)
def test_every_type_of_number(dtype: torch.dtype) -> None:
    # All are exact in every one of these types.
    assert largest_of(torch.tensor([1, 48, 3]).to(dtype), torch.tensor(7).to(dtype), torch.zeros(2, 0).to(dtype)) == (48, 7, 0)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype.is_signed], ids=str)
def test_the_magnitude_counts(dtype: torch.dtype) -> None:
    assert largest_of(torch.tensor([1, -48, 3], dtype=dtype)) == (48,)


def test_the_smallest_integers_booleans_and_complex_numbers() -> None:
    integers = [torch.tensor([torch.iinfo(dtype).min], dtype=dtype) for dtype in (torch.int8, torch.int64)]
    assert largest_of(*integers) == (128, 2.0**63)
    assert largest_of(torch.tensor([False, True]), torch.tensor([False])) == (1, 0)
    assert largest_of(torch.tensor([3 - 4j, 1 + 1j])) == (5,)
    assert str(largest_of(torch.tensor([complex(INFINITY, NAN)]), torch.tensor([complex(1, -INFINITY)]))) == "(nan, inf)"


def test_zeros_that_have_no_memory() -> None:
    # As forward mode makes them.
    assert largest_of(torch._efficientzerotensor(3, 4), torch.ones(2)) == (0, 1)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("size", [1, 7, 100, 40_000])
def test_one_non_finite_value_is_seen_wherever_it_is(dtype: torch.dtype, size: int) -> None:
    tensors = []
    for position in {0, size // 2, size - 1}:
        for value in (NAN, INFINITY, -INFINITY):
            tensor = torch.randn(size).to(dtype)
            tensor[position] = value
            tensors.append(tensor)
    assert str(largest_of(*tensors)) == str((NAN, INFINITY, INFINITY) * (len(tensors) // 3))


def test_nan_goes_before_infinity() -> None:
    assert str(largest_of(torch.tensor([INFINITY, NAN]), torch.tensor([NAN, -INFINITY]))) == "(nan, nan)"


def test_views_that_are_not_contiguous_are_read_whole_and_nothing_else() -> None:
    base = torch.randn(6, 8, 10)
    views = [
        base.transpose(0, 2),
        base[::2],
        base[:, 1:3],
        base.chunk(2, -1)[1],
        base.permute(1, 2, 0)[2:],
        base[0, 0, 0].expand(3, 4),
        torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),
    ]
    expected = tuple(float(np.abs(np.array(view.tolist())).max()) for view in views)
    assert largest_of(*views) == expected


def test_sparse_gradients() -> None:
    # The value at (0) is given in two parts.
    with torch.sparse.check_sparse_tensor_invariants():
        summands = torch.sparse_coo_tensor(torch.tensor([[0, 0, 2]]), torch.tensor([4.0, 5.0, -6.0]), (4,))
        empty = torch.sparse_coo_tensor(torch.zeros(1, 0, dtype=torch.int64), torch.zeros(0), (4,))
    assert largest_of(summands, empty) == (9, 0)


def test_numbers_of_different_types_do_not_spoil_each_other() -> None:
    # In the smallest common type, 100,000 is infinite as float16, and 1e300 as float32.
    tensors = torch.tensor(2.0, dtype=torch.float16), torch.tensor(100_000), torch.tensor(1e300, dtype=torch.float64), torch.tensor(3.5)
    assert largest_of(*tensors) == (2, 100_000, 1e300, 3.5)


def test_values_are_those_of_the_moment_and_later_changes_do_not_matter() -> None:
    watch = SentinelWatch()
    x = torch.ones(4)
    watch.add(("forward", "x", 0), x)
    x.mul_(NAN)
    assert watch.largest() == (1,)
    watch.add(("forward", "y", 0), x)
    assert str(watch.largest()) == "(1.0, nan)"


def test_a_step_without_tensors() -> None:
    assert SentinelWatch().largest() == ()


class Stubborn(Tensor):
    """A subclass that computes on its own."""

    asked = 0

    @classmethod
    def __torch_dispatch__(cls, *_: object) -> Tensor:
        cls.asked += 1
        return torch.ones(())


def test_what_cannot_be_checked_is_left_out() -> None:
    watch = SentinelWatch()
    with warnings.catch_warnings():
        # PyTorch warns of its prototype, once per process.
        warnings.simplefilter("ignore", UserWarning)
        nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    watch.add(("forward", "meta", 0), torch.ones(3, device="meta"))
    watch.add(("forward", "nested", 0), nested)
    watch.add(("forward", "stubborn", 0), torch.Tensor._make_subclass(Stubborn, torch.ones(2)))
    watch.add(("forward", "usual", 0), torch.ones(2))

    def within(x: Tensor) -> Tensor:
        watch.add(("forward", "transformed", 0), x)
        watch.add(("forward", "transformed and complex", 0), x + 1j)
        return x

    torch.vmap(within)(torch.ones(3))
    assert watch.tensors == [("forward", "usual", 0)]
    assert Stubborn.asked == 0
    assert watch.largest() == (1,)


def test_many_at_once_are_what_they_are_one_by_one() -> None:
    tensors = [torch.randn(3, 4), torch.zeros(0), torch.tensor([NAN, 1.0]), torch.tensor([2, -5]), torch.randn(7).half()]
    keys = [("gradients", str(position), 0) for position in range(len(tensors))]
    watch = SentinelWatch()
    watch.add_all(zip(keys, tensors, strict=True))
    assert watch.tensors == keys
    assert str(watch.largest()) == str(largest_of(*tensors))


def test_norms_of_many_at_once_are_what_their_extremes_are() -> None:
    # The way of devices on which the launch of a kernel costs more than to read a tensor.
    tensors = [torch.randn(300), torch.tensor([[NAN, 1.0]]), torch.tensor([-INFINITY, 2.0]), -torch.rand(4, 5).t()]
    watch = SentinelWatch()
    watch._add_norms([(("gradients", str(position), 0), tensor) for position, tensor in enumerate(tensors)])
    assert str(watch.largest()) == str(largest_of(*tensors))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="This machine has no CUDA device, so the asynchronous copy is not tested.")
def test_on_a_cuda_device_in_pinned_memory() -> None:
    tensors = [torch.randn(50, 3), torch.zeros(0), torch.tensor([NAN, 1.0]), torch.tensor([-INFINITY]), torch.tensor([2, -5])]
    tensors += [torch.randn(70_000).half(), torch.randn(4, 5).t()]
    keys = [("gradients", str(position), 0) for position in range(len(tensors))]
    watch = SentinelWatch()
    watch.add_all((key, tensor.cuda()) for key, tensor in zip(keys, tensors, strict=True))
    watch.add(("forward", "here", 0), torch.tensor(8.0))
    by_key = dict(zip(watch.tensors, watch.largest(), strict=True))
    assert str([by_key[key] for key in keys]) == str(list(largest_of(*tensors)))
    assert by_key["forward", "here", 0] == 8


def test_nothing_of_the_training_is_touched_or_kept() -> None:
    class Complaining(TorchFunctionMode):
        def __torch_function__(self, function: object, types: object, args: object = (), kwargs: object = None) -> Any:  # noqa: ANN401
            raise AssertionError(f"{function} was seen.")

    class Marker(Tensor):
        pass

    parameter = nn.Parameter(torch.randn(5))
    activation = parameter * 2
    graph, version = activation.grad_fn, activation._version
    marked: Tensor = torch.ones(3).as_subclass(Marker)
    reference = weakref.ref(marked)
    random_state = torch.get_rng_state()
    watch = SentinelWatch()
    with Complaining():
        for name, tensor in (("parameter", parameter), ("activation", activation), ("marked", marked)):
            watch.add(("forward", name, 0), tensor)
        assert watch.largest()[2] == 1
    kept = [tensor for found in watch._results if not isinstance(found, float) for tensor in found]
    assert all(type(tensor) is Tensor and not tensor.requires_grad for tensor in kept)
    assert torch.equal(random_state, torch.get_rng_state())
    assert (activation.grad_fn, activation._version, activation._backward_hooks) == (graph, version, None)
    assert torch.is_grad_enabled()
    del marked, tensor
    gc.collect()
    assert reference() is None
    assert watch.largest()[2] == 1


@pytest.mark.parametrize(
    "context", [torch.no_grad, torch.inference_mode, lambda: torch.autocast("cpu")], ids=["no_grad", "inference", "autocast"]
)
def test_it_works_in_every_mode(context: Callable[[], Any]) -> None:
    weights = torch.ones(2, 3)
    with context():
        assert largest_of(torch.ones(4, 2) @ weights, torch.tensor([1, -3])) == (2, 3)
