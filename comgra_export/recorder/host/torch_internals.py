"""Every name that PyTorch keeps private and the recorder uses. No other module touches one.

A private name may change with any version of PyTorch. `tests/unit/recorder/host/test_torch_internals.py` has one test for each name here:
a new version that breaks one fails there, and the test says what the name must do. Names without a word about versions are there in
every version that the recorder supports (2.8 and newer). Each alias is bound once, on import: a call costs no search.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from operator import attrgetter
from types import CodeType, MappingProxyType
from typing import Any

import torch
from torch import Tensor, nn
from torch._ops import OpOverload
from torch.autograd.graph import Node
from torch.nn.modules import module as _modules
from torch.optim import optimizer as _optimizers
from torch.overrides import TorchFunctionMode
from torch.utils.hooks import RemovableHandle

__all__ = [
    "ATEN_OPERATORS",
    "CHECK_AND_UNSCALE",
    "COMPILED_MODULE",
    "FUNCTIONS_WITHOUT_TENSORS",
    "GLOBAL_FORWARD_HOOKS",
    "GLOBAL_FORWARD_PRE_HOOKS",
    "MODULE_CALL",
    "OPERATORS",
    "OPTIMIZER_STEP",
    "PYTHON_NODES_FORGET",
    "TENSOR_METHODS",
    "ZERO_TOGETHER",
    "OptimizerHook",
    "averaging_hooks",
    "base_of",
    "compiler_backends",
    "copy_together",
    "count_dispatch_modes",
    "count_function_modes",
    "current_backward_pass",
    "current_node",
    "default_device_mode",
    "default_saved_tensor_hooks",
    "drop_forward_pre_hook",
    "first_class_of",
    "forget_hook_with_keywords",
    "forward_class_of",
    "free_weak_storage",
    "hook_after_optimizers",
    "hook_before_optimizers",
    "innermost_transform",
    "input_metadata_of",
    "is_compiler_imported",
    "is_flat_parameter",
    "is_operator",
    "is_transform_wrapper",
    "is_view",
    "is_zero_tensor",
    "keeps_graph",
    "local_tensor",
    "new_forward_pre_hook",
    "next_sequence_number",
    "norms_together",
    "optimizer_states_of_scaler",
    "own_buffers",
    "own_children",
    "own_parameters",
    "pop_function_mode",
    "push_function_mode",
    "put_forward_pre_hook",
    "result_key",
    "saved_for_backward",
    "saved_tensor_hooks_are_allowed",
    "saves_tensors",
    "scale_tensor",
    "schema_of",
    "sequence_number_of",
    "sharded_parameters",
    "sharding_modules",
    "storage_key",
    "tracing_state",
    "unsharded_parameter",
    "unwrap_transformed",
    "uses_python_reducer",
    "values_of_sparse",
    "version_of",
    "weak_storage",
    "will_run_backwards",
    "with_function_overrides",
    "without_function_overrides",
]

# Modes and overrides of functions

without_function_overrides: Callable[[], AbstractContextManager[None]] = torch._C.DisableTorchFunction
"""A context in which neither function modes nor subclasses of `Tensor` see a call. The public `DisableTorchFunctionSubclass` leaves the
modes on."""

with_function_overrides: Callable[[], AbstractContextManager[None]] = torch._C._EnableTorchFunction
"""A context within `without_function_overrides` in which modes and subclasses see calls again."""

push_function_mode: Callable[[TorchFunctionMode], None] = torch._C._push_on_torch_function_stack
"""Puts a function mode on top of this thread's stack."""

pop_function_mode: Callable[[], TorchFunctionMode] = torch._C._pop_torch_function_stack
"""Takes the uppermost function mode off the stack and returns it."""

count_function_modes: Callable[[], int] = torch._C._len_torch_function_stack
"""How many function modes are on the stack."""

count_dispatch_modes: Callable[[], int] = torch._C._len_torch_dispatch_stack
"""How many modes of `TorchDispatchMode` are active in this thread."""


def default_device_mode() -> TorchFunctionMode | None:
    """The mode that `torch.set_default_device` has put at the bottom of this thread's stack; None without one."""
    mode: TorchFunctionMode | None = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
    return mode


# Transformations of functions, and compilers

innermost_transform: Callable[[], object | None] = torch._C._functorch.peek_interpreter_stack
"""The transformation of `torch.func` that runs innermost, such as `vmap` or `grad`; None outside all of them."""

is_transform_wrapper: Callable[[Tensor], bool] = torch._C._functorch.is_functorch_wrapped_tensor
"""Whether a tensor exists only inside a transformation of `torch.func`. A compiler cannot trace the call."""

unwrap_transformed: Callable[[Tensor], Tensor] = torch._C._functorch.get_unwrapped
"""The tensor that such a tensor wraps. It may be wrapped itself."""

tracing_state: Callable[[], object | None] = torch._C._get_tracing_state
"""What `torch.jit.trace` keeps while it traces; None at any other time."""

COMPILED_MODULE = "_orig_mod"
"""The attribute in which the module that `torch.compile` returns holds the user's."""


def is_compiler_imported() -> bool:
    """Whether the compiler was imported. Importing it takes a second, so nothing here does."""
    return "torch._dynamo" in sys.modules


def compiler_backends() -> Mapping[object, object] | None:
    """What the compiler has compiled with: the values are False or None if there is nothing. None if the compiler does not say."""
    backends = getattr(sys.modules.get("torch._dynamo.eval_frame"), "cached_backends", None)
    return backends if isinstance(backends, dict) else None


# Functions as they are seen by a mode

ZERO_TOGETHER = "_foreach_zero_"
"""The name of the function by which `zero_grad(set_to_none=False)` sets many gradients to zero."""

CHECK_AND_UNSCALE = "_amp_foreach_non_finite_check_and_unscale_"
"""The name of the function by which a `GradScaler` divides gradients."""

FUNCTIONS_WITHOUT_TENSORS = frozenset({"_set_grad_enabled", "_is_view"})
"""Functions that have nothing to do with the flow of data."""

TENSOR_METHODS = "torch._tensor"
"""The `__module__` of the methods of `Tensor` that are written in Python, such as `backward`."""

OPERATORS = "torch._ops"
"""How the `__module__` of an operator of `torch.ops` begins."""

ATEN_OPERATORS = "torch._ops.aten"
"""The `__module__` of PyTorch's own operators."""


def is_operator(function: object) -> bool:
    """Whether a function is an operator of `torch.ops` with one certain overload, and so has a schema."""
    return isinstance(function, OpOverload)


schema_of: Callable[[Any], Any] = attrgetter("_schema")
"""The schema of an operator: its `name`, and per entry of `arguments` a `name` and an `alias_info` that says whether it is written to."""

norms_together: Callable[..., Iterable[Tensor]] = torch._foreach_norm
"""The norm of each tensor of a list, `[]` each, of the order `ord`."""

copy_together: Callable[[list[Tensor], list[Tensor]], None] = torch._foreach_copy_
"""Copies each tensor of the second list into that of the first."""

# Tensors and their memory

is_view: Callable[[Tensor], bool] = Tensor._is_view
"""Whether a tensor is a view of another one, as autograd sees it."""

base_of: Callable[[Tensor], Tensor | None] = attrgetter("_base")
"""The tensor of which one is a view; None if it is none."""

is_zero_tensor: Callable[[Tensor], bool] = Tensor._is_zerotensor
"""Whether a tensor is one of zeros without memory, as autograd makes them."""

values_of_sparse: Callable[[Tensor], Tensor] = Tensor._values
"""The values of a sparse tensor. Unlike `values`, it takes tensors that are not coalesced."""


def version_of(tensor: Tensor) -> int | None:
    """How often in-place operations have changed a tensor; None if PyTorch does not count, as for tensors made in inference mode."""
    try:
        return tensor._version
    except RuntimeError:
        return None


def local_tensor(tensor: Tensor) -> Tensor:
    """The part of a `DTensor` that this process holds, not detached; any other tensor itself."""
    local: Tensor = getattr(tensor, "_local_tensor", tensor)
    return local


storage_key: Callable[[torch.UntypedStorage], int] = attrgetter("_cdata")
"""The address of a storage's record. It is that of no other storage as long as the storage or a `weak_storage` of it exists."""

weak_storage: Callable[[torch.UntypedStorage], Any] = torch.UntypedStorage._weak_ref
"""Keeps the record of a storage, but not its memory, until `free_weak_storage` is called with the result."""

free_weak_storage: Callable[[Any], None] = torch.UntypedStorage._free_weak_ref
"""Lets go of the record of a storage."""

# Autograd's graph

PYTHON_NODES_FORGET = tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 13)
"""Up to 2.12, the operation of a `torch.autograd.Function` does not know any more what comes before it as soon as no tensor and no other
operation refers to it."""

next_sequence_number: Callable[[], int] | None = getattr(torch._C._autograd, "_get_sequence_nr", None)
"""The number that this thread's next operation will have. None: this version does not say."""

input_metadata_of: Callable[[Any], Any] = attrgetter("_input_metadata")
"""For each output of an operation, what its gradient must be like: its `shape`."""


def sequence_number_of(node: Node) -> int:
    """The number of an operation. In each thread, a later operation has a greater one; that of a leaf is the greatest of all."""
    return node._sequence_nr()


def result_key(node: Node, output: int) -> int:
    """Identifies a result of an operation among those of its type and thread, without keeping the operation alive.

    It is made for every result that is traced, so it does not call `sequence_number_of`.
    """
    return node._sequence_nr() << 16 | output


def saved_for_backward(node: Node, name: str) -> Any:  # noqa: ANN401
    """What an operation of PyTorch has saved under a name of its formula in `derivatives.yaml`, such as `stride`.

    Raises:
        RuntimeError: It was let go of since.
    """
    return getattr(node, f"_saved_{name}")


def saves_tensors(kind: type[Node]) -> bool:
    """Whether operations of a class save tensors, which a backward pass lets go of."""
    return any(name.startswith("_raw_saved_") for name in dir(kind))


def forward_class_of(kind: type[Node]) -> type | None:
    """The `torch.autograd.Function` to which a class of operations belongs; None for PyTorch's own."""
    function: type | None = getattr(kind, "_forward_cls", None)
    return function


# While autograd runs backwards

current_backward_pass: Callable[[], int] = getattr(torch._C, "_current_graph_task_id", lambda: -1)
"""The number of the backward pass that runs in this thread; -1 if none does, or this version does not say."""

keeps_graph: Callable[[], bool] | None = getattr(torch._C._autograd, "_get_current_graph_task_keep_graph", None)
"""Whether the backward pass that runs keeps what was saved (`retain_graph`). None: this version does not say."""

current_node: Callable[[], Node | None] | None = getattr(torch._C, "_current_autograd_node", None)
"""The operation that runs backwards, or in a hook of a tensor the one that made the tensor. None: this version does not say."""

will_run_backwards: Callable[[Node], bool] | None = getattr(torch._C, "_will_engine_execute_node", None)
"""Whether the backward pass that runs comes to an operation. It raises RuntimeError for a leaf whose gradient is asked for. None: this
version does not say."""

saved_tensor_hooks_are_allowed: Callable[[], bool] = torch._C._autograd._saved_tensors_hooks_is_enabled  # type: ignore[attr-defined]
"""Whether hooks for saved tensors may be used here. `torch.func` forbids them."""


def default_saved_tensor_hooks() -> object | None:
    """The innermost pair of `saved_tensors_hooks` in this thread, also one that tracing ignores; None without one."""
    hooks: object | None = torch._C._autograd._top_saved_tensors_default_hooks(True)
    return hooks


# Modules, optimizers and scalers

own_parameters: Callable[[nn.Module], dict[str, nn.Parameter | None]] = attrgetter("_parameters")
"""The parameters that a module itself holds, by attribute: as they are, and none left out because it is there twice or is None."""

own_buffers: Callable[[nn.Module], dict[str, Tensor | None]] = attrgetter("_buffers")
"""The buffers that a module itself holds, as `own_parameters`."""

own_children: Callable[[nn.Module], dict[str, nn.Module | None]] = attrgetter("_modules")
"""The modules that a module itself holds, as `own_parameters`."""

MODULE_CALL: CodeType = nn.Module._wrapped_call_impl.__code__
"""The code with which the call of any module begins. Its frame has the module as `self`, and few other variables."""

_forward_pre_hooks: dict[int, Callable[..., Any]] = _modules._global_forward_pre_hooks

GLOBAL_FORWARD_PRE_HOOKS: MappingProxyType[int, Callable[..., Any]] = MappingProxyType(_forward_pre_hooks)
"""The hooks before the calls of all modules, by the `id` of the handle, in the order in which they are called. To be read only."""

GLOBAL_FORWARD_HOOKS: MappingProxyType[int, Callable[..., Any]] = MappingProxyType(_modules._global_forward_hooks)
"""The hooks after the calls of all modules, as `GLOBAL_FORWARD_PRE_HOOKS`."""


class OptimizerHook:
    """A place among the hooks of all optimizers, of which PyTorch goes through the list itself, and not through a copy.

    Every change is one operation of a dictionary, which no other thread can see half done.
    """

    def __init__(self, hooks: dict[int, Callable[..., Any]]) -> None:
        self._hooks = hooks
        # A handle takes a number that no other hook has.
        self._number = RemovableHandle(hooks).id

    @property
    def is_there(self) -> bool:
        """Whether a hook is in this place."""
        return self._number in self._hooks

    @property
    def are_others(self) -> bool:
        """Whether there is any hook of this kind."""
        return bool(self._hooks)

    def put(self, hook: Callable[..., Any]) -> None:
        """Puts a hook in this place, unless there is one."""
        self._hooks.setdefault(self._number, hook)

    def drop(self) -> None:
        """Removes the hook."""
        self._hooks.pop(self._number, None)


def hook_before_optimizers() -> OptimizerHook:
    """Makes a place for a hook before the steps of all optimizers."""
    return OptimizerHook(_optimizers._global_optimizer_pre_hooks)


def hook_after_optimizers() -> OptimizerHook:
    """Makes a place for a hook after the steps of all optimizers."""
    return OptimizerHook(_optimizers._global_optimizer_post_hooks)


OPTIMIZER_STEP: CodeType = _optimizers.Optimizer.profile_hook_step(lambda _: None).__code__
"""The code with which the step of any optimizer begins. It calls the hooks."""


def new_forward_pre_hook() -> int:
    """Returns a number that no other hook has, for `put_forward_pre_hook`."""
    return RemovableHandle(_forward_pre_hooks).id


put_forward_pre_hook: Callable[[int, Callable[..., Any]], None] = _forward_pre_hooks.__setitem__
"""Puts a hook before the calls of all modules, as registering it does, in a tenth of the time."""

drop_forward_pre_hook: Callable[[int, None], Callable[..., Any] | None] = _forward_pre_hooks.pop
"""Removes a hook again, and returns it, or the second argument if it was not there."""


_hooks_with_keywords: dict[int, bool] = getattr(_modules, "_global_forward_hooks_with_kwargs", {})


def forget_hook_with_keywords(number: int) -> None:
    """Removes the mark of a hook of all modules that gets arguments by name, which its handle forgets to remove."""
    _hooks_with_keywords.pop(number, None)


def scale_tensor(scaler: object) -> object | None:
    """The tensor in which a `GradScaler` holds its factor; None before it is made, and for other scalers."""
    factor: object | None = getattr(scaler, "_scale", None)
    return factor


def optimizer_states_of_scaler(scaler: object) -> dict[int, dict[str, Any]] | None:
    """What a `GradScaler` knows of optimizers, by their identity: `stage` is a READY, UNSCALED or STEPPED. None for other scalers."""
    states = getattr(scaler, "_per_optimizer_states", None)
    return states if isinstance(states, dict) else None


# Modules of several processes. None of these imports `torch.distributed`.


def averaging_hooks(module: nn.Module) -> list[object]:
    """The communication hooks of a `DistributedDataParallel`, which may do with gradients what they like."""
    return [hook for hook, _ in getattr(module, "_comm_hooks", ())]


def uses_python_reducer(module: nn.Module) -> bool:
    """Whether a `DistributedDataParallel` leaves the averaging to the compiler."""
    return bool(getattr(module, "_use_python_reducer", False))


def is_flat_parameter(tensor: Tensor) -> bool:
    """Whether a tensor holds the parameters of a `FullyShardedDataParallel`, one after the other."""
    return bool(getattr(tensor, "_is_flat_param", False))


def first_class_of(kind: type[nn.Module]) -> type:
    """The class as the user wrote it of which `fully_shard` has made another one; any other class itself."""
    index = getattr(kind, "_orig_cls_mro_index", None)
    # Older versions do not say where it stands: always behind the class that they add.
    if index is None and kind.__mro__[1] is getattr(sys.modules.get("torch.distributed.fsdp"), "FSDPModule", None):
        index = 2
    return kind.__mro__[index] if isinstance(index, int) and index < len(kind.__mro__) else kind


def sharding_modules() -> list[nn.Module]:
    """All modules of this process to which `fully_shard` was applied, or a function like it. Empty if this version keeps them elsewhere."""
    return list(getattr(sys.modules.get("torch.distributed._composable_state"), "_module_state_mapping", ()))


def sharded_parameters(module: nn.Module) -> Iterator[tuple[nn.Parameter, list[tuple[nn.Module, str]], Any]]:
    """The parameters that `fully_shard` manages for a module.

    Returns:
        For each, the sharded parameter; the modules and attributes where it is found; and the record of it, for `unsharded_parameter`.
        Nothing if `fully_shard` was not applied, or this version keeps them elsewhere.
    """
    if not hasattr(type(module), "_get_fsdp_state"):
        return
    try:
        state: Any = module._get_fsdp_state()  # type: ignore[operator]
        # Older versions have one group.
        groups = getattr(state, "_fsdp_param_groups", None)
        if groups is None:
            groups = [state._fsdp_param_group] if state._fsdp_param_group is not None else []
        for group in groups:
            for record in group.fsdp_params:
                place = record._module_info
                names = [(place.module, place.param_name), *zip(place.shared_modules, place.shared_param_names, strict=True)]
                yield record.sharded_param, names, record
    except AttributeError:
        return


def unsharded_parameter(record: Any) -> Tensor | None:  # noqa: ANN401
    """The whole parameter with which a module under `fully_shard` computes; None before its first pass."""
    whole: Tensor | None = getattr(record, "_unsharded_param", None)
    return whole
