"""Everything that a training script could notice of a recorder."""

from __future__ import annotations

import copy
import gc
import io
import pickle
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch._subclasses import FakeTensor
from torch.optim import Optimizer

__all__ = ["copies_of", "count_tensors", "differences", "state_of_module", "state_of_optimizer", "state_of_process", "summary_of"]

_CLASSES = (Tensor, nn.Parameter, nn.Module, nn.Linear, torch.autograd.Function, Optimizer, torch.optim.SGD, torch.optim.Adam)
_NAMESPACES = (torch, torch.nn.functional, torch.autograd, torch.autograd.graph, torch.utils.checkpoint, torch.optim, torch.amp)


def summary_of(tensor: Tensor) -> dict[str, Any]:
    """What can be seen of a tensor, except its values and hooks."""
    return {
        "class": type(tensor).__name__,
        "dtype": tensor.dtype,
        "shape": tuple(tensor.shape),
        "strides": tensor.stride(),
        "requires_grad": tensor.requires_grad,
        "is_leaf": tensor.is_leaf,
        "grad_fn": tensor.grad_fn and tensor.grad_fn.name(),
        "version": None if tensor.is_inference() else tensor._version,
        # A compiler marks the parameters of what it compiled; on some recorded steps there is nothing to compile.
        "attributes": [name for name in sorted(vars(tensor)) if not name.startswith("_dynamo")],
        "has a gradient": tensor.is_leaf and tensor.grad is not None,
    }


def state_of_tensor(tensor: Tensor) -> dict[str, Any]:
    """All of a tensor, with a copy of its values and its gradient."""
    hooks = {name: len(getattr(tensor, name, None) or ()) for name in ("_backward_hooks", "_post_accumulate_grad_hooks")}
    facts = {**summary_of(tensor), **hooks, "values": tensor.detach().clone()}
    if tensor.is_leaf and tensor.grad is not None:
        facts.update({"gradient": tensor.grad.to_dense().clone(), "layout of the gradient": tensor.grad.layout})
    return facts


def state_of_module(module: nn.Module) -> dict[str, Any]:
    """All of a module: parameters, buffers, gradients, flags, hooks and the names of all attributes."""
    modules = {
        name: {
            "class": type(part).__name__,
            "training": part.training,
            "attributes": sorted(vars(part)),
            "hooks": {attribute: len(value) for attribute, value in vars(part).items() if "hooks" in attribute and value is not None},
        }
        for name, part in module.named_modules()
    }
    tensors = [*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)]
    return {"modules": modules, "tensors": {name: state_of_tensor(tensor) for name, tensor in tensors}}


def state_of_optimizer(optimizer: Optimizer) -> dict[str, Any]:
    """All of an optimizer: its state, settings, hooks and the names of all attributes."""
    hooks = {attribute: len(value) for attribute, value in vars(optimizer).items() if "hooks" in attribute}
    return {"state": copy.deepcopy(optimizer.state_dict()), "attributes": sorted(vars(optimizer)), "hooks": hooks}


def state_of_process() -> dict[str, Any]:
    """What a recorder could have installed outside the script's own objects."""
    module_hooks = {
        name: len(value) for name, value in vars(nn.modules.module).items() if name.startswith("_global_") and isinstance(value, dict)
    }
    optimizer_hooks = {
        name: len(value) for name, value in vars(sys.modules["torch.optim.optimizer"]).items() if name.startswith("_global_")
    }
    return {
        "module hooks": module_hooks,
        "optimizer hooks": optimizer_hooks,
        "function modes": torch._C._len_torch_function_stack(),
        "dispatch modes": torch._C._len_torch_dispatch_stack(),
        "hooks on saved tensors": torch._C._autograd._top_saved_tensors_default_hooks(False),
        "gradients are enabled": torch.is_grad_enabled(),
        "inference mode": torch.is_inference_mode_enabled(),
        "anomaly detection": torch.is_anomaly_enabled(),
        "autocast": torch.is_autocast_enabled("cpu"),
        "default dtype": torch.get_default_dtype(),
        "threads of torch": torch.get_num_threads(),
        "deterministic algorithms": torch.are_deterministic_algorithms_enabled(),
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "hooks of Python": (sys.excepthook, sys.gettrace(), sys.getprofile(), threading.excepthook, list(gc.callbacks), gc.isenabled()),
        "signals": [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)],
        # A patch is another object under the same name, or one more name.
        "classes": {f"{owner.__qualname__}.{name}": id(value) for owner in _CLASSES for name, value in vars(owner).items()},
        "functions": {
            f"{owner.__name__}.{name}": id(value) for owner in _NAMESPACES for name, value in vars(owner).items() if callable(value)
        },
    }


def copies_of(subjects: Mapping[str, nn.Module | Optimizer]) -> dict[str, Any]:
    """Copies everything in every available way: the state of each copy, or the error."""
    outcomes: dict[str, Any] = {}
    for name, subject in subjects.items():
        for way, make_copy in (("deepcopy", copy.deepcopy), ("pickle", _pickled), ("torch.save", _saved)):
            try:
                made = make_copy(subject)
                outcomes[f"{way} of {name}"] = state_of_module(made) if isinstance(made, nn.Module) else state_of_optimizer(made)
            except Exception as error:
                outcomes[f"{way} of {name}"] = type(error).__name__
    return outcomes


def _pickled(subject: Any) -> Any:  # noqa: ANN401
    return pickle.loads(pickle.dumps(subject))


def _saved(subject: Any) -> Any:  # noqa: ANN401
    buffer = io.BytesIO()
    torch.save(subject, buffer)
    buffer.seek(0)
    return torch.load(buffer, weights_only=False)


def count_tensors() -> int:
    """How many tensors there are in this process. Those without memory, which a compiler keeps, do not count."""
    gc.collect()
    return sum(issubclass(type(thing), Tensor) and not issubclass(type(thing), FakeTensor) for thing in gc.get_objects())


def differences(first: Any, second: Any, tolerance: float = 0.0, where: str = "") -> Iterator[str]:  # noqa: ANN401
    """Yields the differences between two trees. Tensors are compared bit by bit, or up to a tolerance if compiled code made them."""
    if isinstance(first, Tensor) and isinstance(second, Tensor):
        if (first.dtype, first.shape) != (second.dtype, second.shape) or not _same_values(first, second, tolerance):
            yield f"{where}: {first} became {second}"
    elif isinstance(first, Mapping) and isinstance(second, Mapping):
        for key in [*first, *(key for key in second if key not in first)]:
            if tolerance and key == "grad_fn":
                # Compiled code is one function for autograd.
                continue
            yield from differences(first.get(key, "nothing"), second.get(key, "nothing"), tolerance, f"{where} / {key}")
    elif isinstance(first, Sequence) and not isinstance(first, str) and type(first) is type(second):
        if len(first) != len(second):
            yield f"{where}: {len(first)} items became {len(second)}"
        for position, (item, other) in enumerate(zip(first, second, strict=False)):
            label = item[0] if isinstance(item, tuple) and item and isinstance(item[0], str) else position
            yield from differences(item, other, tolerance, f"{where} / {label}")
    elif first != second and not (isinstance(first, float) and tolerance and abs(first - second) <= tolerance):
        yield f"{where}: {first} became {second}"


def _same_values(first: Tensor, second: Tensor, tolerance: float) -> bool:
    if tolerance and first.is_floating_point():
        return torch.allclose(first, second, rtol=tolerance, atol=tolerance)
    return torch.equal(*(tensor.contiguous().reshape(-1).view(torch.uint8) for tensor in (first, second)))
