"""A test for each private name of PyTorch that the recorder uses. A new version that breaks a name fails here first."""

from __future__ import annotations

import ast
import subprocess
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch._C._distributed_c10d import HashStore
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import comgra_export
from comgra_export.recorder.host import torch_internals as internals

PACKAGE = Path(comgra_export.__file__).parent
INTERNALS = Path(internals.__file__)


class Calls(TorchFunctionMode):
    """Notes the names of the functions that it sees, and where they are defined."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.functions: list[Callable[..., Any]] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # noqa: ANN401
        self.names.append(func.__name__)
        self.functions.append(func)
        return func(*args, **(kwargs or {}))


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, value: Tensor) -> Tensor:  # noqa: ANN401, ARG004
        return value * 2

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Tensor:  # noqa: ANN401, ARG004
        return gradient * 2


def leaf() -> Tensor:
    return torch.ones(3, requires_grad=True)


def node_of(tensor: Tensor) -> Any:  # noqa: ANN401
    assert tensor.grad_fn is not None
    return tensor.grad_fn


def in_hook(question: Callable[[], Any], *, retain_graph: bool = False) -> Any:  # noqa: ANN401
    """What a question is answered in the hook of a tensor while a gradient comes to it."""
    answers = []
    tensor = (leaf() * 2).exp()
    tensor.register_hook(lambda _: answers.append(question()))
    tensor.sum().backward(retain_graph=retain_graph)
    return answers[0]


def within(transform: Callable[..., Any], question: Callable[[Tensor], Any]) -> Any:  # noqa: ANN401
    """What a question about a tensor is answered in a function that is transformed."""
    answers = []

    def ask(tensor: Tensor) -> Tensor:
        answers.append(question(tensor))
        return tensor.sum()

    transform(ask)(torch.arange(2.0))
    return answers[0]


@pytest.fixture
def one_process() -> Iterator[None]:
    """A process group of this process alone."""
    dist.init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    try:
        yield
    finally:
        dist.destroy_process_group()


@pytest.fixture
def sharded(one_process: None) -> nn.Linear:
    """A layer under `fully_shard`, and the name `again` for its weight."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    layer = nn.Linear(2, 2)
    fully_shard(layer, mesh=init_device_mesh("cpu", (1,)))
    return layer


# Every name has a test, and no other module touches a private name


def test_every_name_is_tested() -> None:
    tests = {name for name, value in globals().items() if name.startswith("test_") and isinstance(value, types.FunctionType)}
    assert {f"test_{name.lower()}" for name in internals.__all__} <= tests


def test_every_name_is_public() -> None:
    own = set()
    for node in ast.parse(INTERNALS.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            own.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            assert isinstance(target, ast.Name)
            own.add(target.id)
    assert {name for name in own if not name.startswith("_")} == set(internals.__all__)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def private_names_of_torch() -> set[str]:
    """The private names that stand in `torch_internals`, as attributes and as strings."""
    names = set()
    for node in ast.walk(ast.parse(INTERNALS.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            names.add(node.value)
    return set(filter(is_private, names))


def own_names(tree: ast.AST) -> set[str]:
    """The private names that a file itself gives to what it defines or to attributes of its own objects."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            names.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def test_no_other_module_touches_a_private_name() -> None:
    private = private_names_of_torch()
    assert {"_C", "_version", "_parameters", "_is_view", "_weak_ref", "_local_tensor"} <= private
    faults = []
    for file in sorted(PACKAGE.rglob("*.py")):
        if file == INTERNALS:
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        # Importers name what stands in pickles. They touch nothing of it.
        may_name = file.relative_to(PACKAGE).parts[0] == "importers"
        own = own_names(tree)
        slots = {id(part) for node in ast.walk(tree) if isinstance(node, (ast.Tuple, ast.List)) for part in node.elts}
        for node in ast.walk(tree):
            name = ""
            if isinstance(node, ast.Attribute):
                # `self._version` is an attribute of ours; `torch._anything` never is.
                if not is_private(node.attr):
                    continue
                of_torch = ast.unparse(node.value).split(".")[0] in ("torch", "nn", "torch_modules", "torch_optimizers")
                is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
                name = node.attr if of_torch or (node.attr in private and not is_own) else ""
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
                imported = [f"{module}.{alias.name}" for module in modules for alias in node.names]
                name = next((dotted for dotted in imported if dotted.startswith("torch") and "._" in dotted), "")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in slots and not may_name:
                name = node.value if node.value in private - own or node.value.startswith("torch._") else ""
            if name:
                faults.append(f"{file.relative_to(PACKAGE)}:{node.lineno} {name}")  # type: ignore[attr-defined]
    assert not faults


@pytest.mark.slow
def test_importing_it_imports_no_compiler_and_no_distributed_tensors() -> None:
    code = (
        "import sys, torch\nbefore = set(sys.modules)\nimport comgra_export.recorder.host.torch_internals\n"
        "more = {name for name in set(sys.modules) - before if name.startswith('torch')}\n"
        "assert not more, more\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# Modes and overrides of functions


def test_without_function_overrides() -> None:
    calls = Calls()
    with calls, internals.without_function_overrides():
        torch.ones(1).exp()
        assert type(nn.Parameter(torch.ones(1)) * 2) is Tensor
    assert not calls.names


def test_with_function_overrides() -> None:
    calls = Calls()
    with calls, internals.without_function_overrides(), internals.with_function_overrides():
        torch.ones(1)
    assert calls.names == ["ones"]


def test_push_function_mode() -> None:
    calls = Calls()
    internals.push_function_mode(calls)
    try:
        torch.ones(1)
    finally:
        assert internals.pop_function_mode() is calls
    assert calls.names == ["ones"]


def test_pop_function_mode() -> None:
    first, second = Calls(), Calls()
    internals.push_function_mode(first)
    internals.push_function_mode(second)
    assert [internals.pop_function_mode(), internals.pop_function_mode()] == [second, first]


def test_count_function_modes() -> None:
    assert internals.count_function_modes() == 0
    with Calls(), Calls():
        assert internals.count_function_modes() == 2


def test_count_dispatch_modes() -> None:
    assert internals.count_dispatch_modes() == 0
    with TorchDispatchMode():
        assert internals.count_dispatch_modes() == 1


def test_default_device_mode() -> None:
    before = internals.default_device_mode()
    torch.set_default_device("meta")
    try:
        mode = internals.pop_function_mode()
        internals.push_function_mode(mode)
        assert internals.default_device_mode() is mode
    finally:
        torch.set_default_device(None)
    assert before is None


# Transformations of functions, and compilers


def test_innermost_transform() -> None:
    assert internals.innermost_transform() is None
    assert within(torch.func.vmap, lambda _: internals.innermost_transform()) is not None


def test_is_transform_wrapper() -> None:
    assert not internals.is_transform_wrapper(torch.ones(2))
    assert within(torch.func.vmap, internals.is_transform_wrapper) is True


def test_unwrap_transformed() -> None:
    unwrapped = within(torch.func.vmap, internals.unwrap_transformed)
    assert not internals.is_transform_wrapper(unwrapped)
    assert unwrapped.tolist() == [0, 1]


@pytest.mark.filterwarnings("ignore")
def test_tracing_state() -> None:
    assert internals.tracing_state() is None
    assert within(lambda ask: partial(torch.jit.trace, ask, check_trace=False), lambda _: internals.tracing_state()) is not None


def test_compiled_module() -> None:
    module = nn.Linear(1, 1)
    assert getattr(torch.compile(module, backend="eager"), internals.COMPILED_MODULE) is module


def test_is_compiler_imported(monkeypatch: pytest.MonkeyPatch) -> None:

    assert internals.is_compiler_imported()
    monkeypatch.delitem(sys.modules, "torch._dynamo")
    assert not internals.is_compiler_imported()


def test_compiler_backends() -> None:
    import torch._dynamo

    torch.compiler.reset()
    try:
        assert not any((internals.compiler_backends() or {}).values())
        assert torch.compile(lambda value: value + 1, backend="eager")(torch.ones(1)) == 2
        assert any((internals.compiler_backends() or {}).values())
    finally:
        torch.compiler.reset()


# Functions as they are seen by a mode


def test_zero_together() -> None:
    parameter = nn.Parameter(torch.ones(2))
    parameter.grad = torch.ones(2)
    with Calls() as calls:
        torch.optim.SGD([parameter], foreach=True).zero_grad(set_to_none=False)
    assert internals.ZERO_TOGETHER in calls.names


def test_check_and_unscale() -> None:
    parameter = nn.Parameter(torch.ones(2))
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    scaler.scale(parameter.sum()).backward()
    with Calls() as calls:
        scaler.unscale_(torch.optim.SGD([parameter]))
    assert internals.CHECK_AND_UNSCALE in calls.names


def test_functions_without_tensors() -> None:
    tensor = torch.ones(2)
    with Calls() as calls:
        torch.set_grad_enabled(True)
        tensor._is_view()
    assert set(calls.names) == internals.FUNCTIONS_WITHOUT_TENSORS


def test_tensor_methods() -> None:
    with Calls() as calls:
        leaf().sum().backward()
    assert [function.__module__ for function in calls.functions if function.__name__ == "backward"] == [internals.TENSOR_METHODS]


def test_operators() -> None:
    assert torch.ops.aten.add.Tensor.__module__.startswith(internals.OPERATORS)
    assert torch.ops.prims.add.default.__module__.startswith(internals.OPERATORS)


def test_aten_operators() -> None:
    assert torch.ops.aten.add.Tensor.__module__ == internals.ATEN_OPERATORS
    assert torch.ops.prims.add.default.__module__ != internals.ATEN_OPERATORS


def test_is_operator() -> None:
    assert internals.is_operator(torch.ops.aten.add.Tensor)
    assert not internals.is_operator(torch.ops.aten.add)
    assert not internals.is_operator(torch.add)


def test_schema_of() -> None:
    schema = internals.schema_of(torch.ops.aten.add_.Tensor)
    assert schema.name == "aten::add_"
    written = [argument.name for argument in schema.arguments if argument.alias_info is not None and argument.alias_info.is_write]
    assert written == ["self"]


def test_norms_together() -> None:
    norms = list(internals.norms_together([torch.tensor([3.0, -4.0]), torch.tensor([[1.0]])], ord=float("inf")))
    assert [norm.item() for norm in norms] == [4, 1]
    assert norms[0].shape == ()


def test_copy_together() -> None:
    targets, sources = [torch.zeros(2), torch.zeros(1)], [torch.ones(2), torch.full((1,), 2.0)]
    internals.copy_together(targets, sources)
    assert [target.tolist() for target in targets] == [[1, 1], [2]]


# Tensors and their memory


def test_is_view() -> None:
    tensor = leaf().exp()
    assert internals.is_view(tensor[1:])
    assert not internals.is_view(tensor)
    assert not internals.is_view(tensor.detach())


def test_base_of() -> None:
    tensor = leaf().exp()
    assert internals.base_of(tensor[1:][:1]) is tensor
    assert internals.base_of(tensor) is None


def test_is_zero_tensor() -> None:
    assert internals.is_zero_tensor(torch._efficientzerotensor((2,)))
    assert not internals.is_zero_tensor(torch.zeros(2))


# torch 2.11 warns even if they are asked for.
@pytest.mark.filterwarnings("ignore:Sparse invariant checks are implicitly disabled:UserWarning")
def test_values_of_sparse() -> None:
    sparse = torch.sparse_coo_tensor(torch.tensor([[0, 0]]), torch.tensor([1.0, 2.0]), (3,), check_invariants=True)
    assert not sparse.is_coalesced()
    assert internals.values_of_sparse(sparse).tolist() == [1, 2]


def test_version_of() -> None:
    tensor = torch.zeros(2)
    before = internals.version_of(tensor)
    assert before is not None
    tensor.add_(1)
    assert internals.version_of(tensor) == before + 1
    with torch.inference_mode():
        assert internals.version_of(torch.zeros(2)) is None


def test_local_tensor(one_process: None) -> None:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Replicate, distribute_tensor

    values = torch.ones(2)
    spread = distribute_tensor(values, init_device_mesh("cpu", (1,)), [Replicate()])
    assert type(internals.local_tensor(spread)) is Tensor
    assert internals.local_tensor(spread).tolist() == [1, 1]
    assert internals.local_tensor(values) is values


def test_storage_key() -> None:
    tensor = torch.ones(4)
    assert internals.storage_key(tensor.untyped_storage()) == internals.storage_key(tensor[2:].untyped_storage())
    assert internals.storage_key(tensor.untyped_storage()) != internals.storage_key(torch.ones(4).untyped_storage())


def test_weak_storage() -> None:
    tensor = torch.ones(4)
    key, reference = internals.storage_key(tensor.untyped_storage()), internals.weak_storage(tensor.untyped_storage())
    gone = weakref.ref(tensor)
    del tensor
    assert gone() is None
    others = [torch.ones(4) for _ in range(100)]
    assert key not in [internals.storage_key(other.untyped_storage()) for other in others]
    internals.free_weak_storage(reference)


def test_free_weak_storage() -> None:
    storage = torch.ones(4).untyped_storage()
    internals.free_weak_storage(internals.weak_storage(storage))
    assert storage.nbytes() == 16


# Autograd's graph


def test_python_nodes_forget() -> None:
    node = node_of(Twice.apply(leaf().exp()))  # type: ignore[no-untyped-call]
    try:
        forgets = not node.next_functions
    except RuntimeError:
        # So does 2.8: it takes the operation for one of a kind that it no longer supports.
        forgets = True
    assert forgets == internals.PYTHON_NODES_FORGET


def test_sequence_number_of() -> None:
    tensor = leaf().exp()
    first, second = node_of(tensor), node_of(tensor.sum())
    assert internals.sequence_number_of(first) < internals.sequence_number_of(second)
    ((leaf_node, _),) = first.next_functions
    assert internals.sequence_number_of(leaf_node) > internals.sequence_number_of(second)


def test_result_key() -> None:
    parts = leaf().unbind()
    node = node_of(parts[0])
    keys = {internals.result_key(node, output) for output in range(3)}
    assert len(keys) == 3
    assert {key >> 16 for key in keys} == {internals.sequence_number_of(node)}


def test_next_sequence_number() -> None:
    assert internals.next_sequence_number is not None
    number = internals.next_sequence_number()
    assert internals.sequence_number_of(node_of(leaf().exp())) == number


def test_input_metadata_of() -> None:
    parts = torch.ones(2, 3, requires_grad=True).unbind()
    assert [tuple(metadata.shape) for metadata in internals.input_metadata_of(node_of(parts[0]))] == [(3,), (3,)]


def test_saved_for_backward() -> None:
    image = torch.ones(1, 1, 4, 4, requires_grad=True)
    convolved = node_of(nn.Conv2d(1, 1, 3, stride=2, padding=1)(image))
    saved = {name: internals.saved_for_backward(convolved, name) for name in ("stride", "padding", "dilation", "transposed")}
    assert saved == {"stride": (2, 2), "padding": (1, 1), "dilation": (1, 1), "transposed": False}
    assert internals.saved_for_backward(convolved, "weight").shape == (1, 1, 3, 3)
    pooled = [node_of(layer(image)) for layer in (nn.MaxPool2d(2, padding=1), nn.AvgPool2d(2))]
    assert [tuple(internals.saved_for_backward(node, "kernel_size")) for node in pooled] == [(2, 2), (2, 2)]
    assert [tuple(internals.saved_for_backward(node, "stride")) for node in pooled] in ([(2, 2), (2, 2)], [(), ()], [(2, 2), ()])
    assert internals.saved_for_backward(node_of(nn.BatchNorm2d(1)(image)), "training") is True
    assert internals.saved_for_backward(node_of(nn.BatchNorm2d(1).eval()(image)), "training") is False


def test_saves_tensors() -> None:
    assert internals.saves_tensors(type(node_of(leaf().exp())))
    assert not internals.saves_tensors(type(node_of(leaf().sum())))


def test_forward_class_of() -> None:
    assert internals.forward_class_of(type(node_of(Twice.apply(leaf())))) is Twice  # type: ignore[no-untyped-call]
    assert internals.forward_class_of(type(node_of(leaf().exp()))) is None


# While autograd runs backwards


def test_current_backward_pass() -> None:
    assert internals.current_backward_pass() == -1
    first, second = in_hook(internals.current_backward_pass), in_hook(internals.current_backward_pass)
    assert -1 not in (first, second)
    assert first != second


def test_keeps_graph() -> None:
    assert internals.keeps_graph is not None
    assert [in_hook(internals.keeps_graph, retain_graph=retain) for retain in (False, True)] == [False, True]


def test_current_node() -> None:
    assert internals.current_node is not None
    assert in_hook(internals.current_node).name() == "ExpBackward0"


def test_will_run_backwards() -> None:
    will_run = internals.will_run_backwards
    assert will_run is not None
    asked, answers = leaf(), list[bool]()
    middle = asked.exp()
    result = middle + leaf().exp()
    node, (leaf_node, _) = node_of(result), node_of(middle).next_functions[0]
    result.register_hook(lambda _: answers.extend(will_run(before) for before, _ in node.next_functions))
    torch.autograd.grad(result.sum(), asked, retain_graph=True)
    assert answers == [True, False]
    result.register_hook(lambda _: answers.append(will_run(leaf_node)))
    with pytest.raises(RuntimeError):
        torch.autograd.grad(result.sum(), asked)


def test_saved_tensor_hooks_are_allowed() -> None:
    assert internals.saved_tensor_hooks_are_allowed()
    assert within(torch.func.grad, lambda _: internals.saved_tensor_hooks_are_allowed()) is False
    with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
        assert internals.saved_tensor_hooks_are_allowed() is False


def test_default_saved_tensor_hooks() -> None:
    assert internals.default_saved_tensor_hooks() is None
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor):
        assert internals.default_saved_tensor_hooks() is not None


# Modules, optimizers and scalers


def test_own_parameters() -> None:
    module = nn.Linear(1, 1, bias=False)
    module.again = module.weight
    assert internals.own_parameters(module) == {"weight": module.weight, "bias": None, "again": module.weight}


def test_own_buffers() -> None:
    module = nn.BatchNorm1d(1)
    assert list(internals.own_buffers(module)) == ["running_mean", "running_var", "num_batches_tracked"]
    assert internals.own_buffers(module)["running_mean"] is module.running_mean


def test_own_children() -> None:
    shared = nn.ReLU()
    assert internals.own_children(nn.Sequential(shared, shared)) == {"0": shared, "1": shared}


def test_module_call() -> None:
    frames = []

    class Looking(nn.Module):
        def forward(self) -> None:
            frame: types.FrameType | None = sys._getframe()
            while frame is not None:
                if frame.f_code is internals.MODULE_CALL:
                    frames.append(frame.f_locals["self"])
                frame = frame.f_back

    module = Looking()
    outer = nn.Sequential()
    outer.forward = module.__call__  # type: ignore[method-assign]
    outer()
    assert frames == [module, outer]


def test_global_forward_pre_hooks() -> None:
    handle = register_module_forward_pre_hook(print)
    assert internals.GLOBAL_FORWARD_PRE_HOOKS[handle.id] is print
    handle.remove()
    assert handle.id not in internals.GLOBAL_FORWARD_PRE_HOOKS


def test_new_forward_pre_hook() -> None:
    handle = register_module_forward_pre_hook(print)
    handle.remove()
    assert internals.new_forward_pre_hook() not in {internals.new_forward_pre_hook(), handle.id}


def test_put_forward_pre_hook() -> None:
    called: list[nn.Module] = []
    module, number = nn.Identity(), internals.new_forward_pre_hook()
    internals.put_forward_pre_hook(number, lambda module, _: called.append(module))
    try:
        assert number in internals.GLOBAL_FORWARD_PRE_HOOKS
        module(torch.ones(1))
    finally:
        internals.drop_forward_pre_hook(number, None)
    module(torch.ones(1))
    assert called == [module]


def test_drop_forward_pre_hook() -> None:
    number = internals.new_forward_pre_hook()
    internals.put_forward_pre_hook(number, print)
    assert [internals.drop_forward_pre_hook(number, None) for _ in range(2)] == [print, None]
    assert number not in internals.GLOBAL_FORWARD_PRE_HOOKS


def test_no_other_module_can_write_to_the_hooks_of_all_modules() -> None:
    for hooks in (internals.GLOBAL_FORWARD_PRE_HOOKS, internals.GLOBAL_FORWARD_HOOKS):
        assert not hasattr(hooks, "__setitem__")


def test_global_forward_hooks() -> None:
    handle = register_module_forward_hook(print)
    assert internals.GLOBAL_FORWARD_HOOKS[handle.id] is print
    handle.remove()
    assert handle.id not in internals.GLOBAL_FORWARD_HOOKS


@pytest.mark.parametrize("make", [internals.hook_before_optimizers, internals.hook_after_optimizers])
def test_optimizerhook(make: Callable[[], internals.OptimizerHook]) -> None:
    place = make()
    calls: list[object] = []
    place.put(lambda *arguments: calls.append(arguments[0]))
    place.put(print)
    assert (place.is_there, place.are_others) == (True, True)
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))])
    optimizer.step()
    place.drop()
    place.drop()
    optimizer.step()
    assert calls == [optimizer]
    assert not place.is_there


def _order_of_hooks(make: Callable[[], internals.OptimizerHook]) -> list[str]:
    """When a hook is called: before or after the parameters change."""
    parameter = nn.Parameter(torch.ones(1))
    parameter.grad = torch.ones(1)
    seen: list[str] = []
    place = make()
    place.put(lambda *_: seen.append("before" if parameter.item() == 1 else "after"))
    torch.optim.SGD([parameter], lr=0.5).step()
    place.drop()
    return seen


def test_hook_before_optimizers() -> None:
    assert _order_of_hooks(internals.hook_before_optimizers) == ["before"]


def test_hook_after_optimizers() -> None:
    assert _order_of_hooks(internals.hook_after_optimizers) == ["after"]


def test_optimizer_step() -> None:
    codes: list[object] = []

    def hook(*_: object) -> None:
        codes.append(sys._getframe(1).f_code)

    handles = [register_optimizer_step_pre_hook(hook), register_optimizer_step_post_hook(hook)]
    for kind in (torch.optim.SGD, torch.optim.Adam):
        kind([nn.Parameter(torch.ones(1))]).step()
    for handle in handles:
        handle.remove()
    assert codes == [internals.OPTIMIZER_STEP] * 4


def test_forget_hook_with_keywords() -> None:
    from torch.nn.modules import module as torch_modules

    handle = register_module_forward_hook(print, with_kwargs=True)
    assert handle.id in torch_modules._global_forward_hooks_with_kwargs
    handle.remove()
    internals.forget_hook_with_keywords(handle.id)
    internals.forget_hook_with_keywords(handle.id)
    assert handle.id not in torch_modules._global_forward_hooks_with_kwargs


def test_scale_tensor() -> None:
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    scaler.scale(torch.ones(()))
    factor = internals.scale_tensor(scaler)
    assert isinstance(factor, Tensor)
    assert factor.item() == 8
    assert internals.scale_tensor(object()) is None


def test_optimizer_states_of_scaler() -> None:
    parameter = nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([parameter])
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(parameter.sum()).backward()
    assert internals.optimizer_states_of_scaler(scaler) == {}
    scaler.unscale_(optimizer)
    states = internals.optimizer_states_of_scaler(scaler)
    assert states is not None
    assert states[id(optimizer)]["stage"].name == "UNSCALED"
    assert internals.optimizer_states_of_scaler(object()) is None


# Modules of several processes


def test_averaging_hooks(one_process: None) -> None:
    from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook

    network = nn.parallel.DistributedDataParallel(nn.Linear(1, 1))
    assert internals.averaging_hooks(network) == []
    network.register_comm_hook(None, allreduce_hook)
    assert internals.averaging_hooks(network) == [allreduce_hook]


def test_uses_python_reducer(one_process: None) -> None:
    network = nn.parallel.DistributedDataParallel(nn.Linear(1, 1))
    assert hasattr(network, "_use_python_reducer")
    assert not internals.uses_python_reducer(network)


def test_is_flat_parameter() -> None:
    from torch.distributed.fsdp import FlatParameter

    assert not internals.is_flat_parameter(nn.Parameter(torch.ones(1)))
    flat = torch.ones(1).requires_grad_()
    flat._is_flat_param = True  # type: ignore[attr-defined]
    assert isinstance(flat, FlatParameter)
    assert internals.is_flat_parameter(flat)


def test_first_class_of(sharded: nn.Linear) -> None:
    assert type(sharded).__name__ == "FSDPLinear"
    assert internals.first_class_of(type(sharded)) is nn.Linear
    assert internals.first_class_of(nn.ReLU) is nn.ReLU


def test_sharding_modules(sharded: nn.Linear) -> None:
    assert any(module is sharded for module in internals.sharding_modules())


def test_sharded_parameters(sharded: nn.Linear) -> None:
    places = {parameter: places for parameter, places, _ in internals.sharded_parameters(sharded)}
    assert places == {sharded.weight: [(sharded, "weight")], sharded.bias: [(sharded, "bias")]}
    assert list(internals.sharded_parameters(nn.Linear(1, 1))) == []


def test_unsharded_parameter(sharded: nn.Linear) -> None:
    records = [record for _, _, record in internals.sharded_parameters(sharded)]
    used = []
    sharded.register_forward_hook(lambda module, *_: used.extend([module.weight, module.bias]))
    sharded(torch.ones(1, 2))
    whole = [internals.unsharded_parameter(record) for record in records]
    assert [tuple(parameter.shape) for parameter in whole if parameter is not None] == [(2, 2), (2,)]
    assert [id(parameter) for parameter in whole] == [id(parameter) for parameter in used]
