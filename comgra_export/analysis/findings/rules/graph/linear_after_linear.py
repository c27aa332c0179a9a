"""Two linear layers, or two convolutions, follow each other with nothing between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey
from comgra_export.storage import CallTree, ModuleEntry

__all__ = ["RULE"]

_LINEAR = re.compile(r"in_features=(\d+), out_features=(\d+)")
_CONVOLUTION = re.compile(r"(\d+), (\d+), kernel_size=\(([\d, ]+)\)(?!.*groups)")
_CONVOLUTIONS = frozenset({"Conv1d", "Conv2d", "Conv3d"})
_NORMS = frozenset({"BatchNorm1d", "BatchNorm2d", "BatchNorm3d"})
_POOLS = frozenset({"AvgPool1d", "AvgPool2d", "AvgPool3d"})
_PASS_ON = frozenset({"Identity", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d"}) | _NORMS | _POOLS


class _Layer(NamedTuple):
    """A layer as its description has it. For a Linear, `is_pointwise` is True."""

    inputs: int
    outputs: int
    is_pointwise: bool


def _check(run: Run) -> Iterator[Finding]:
    positions = [position for position, step in enumerate(run.steps) if any(step.calls)]
    if not positions:
        raise NotCheckedError("no calls of modules were recorded", lacks="network")
    seen = set()
    for position in positions:
        graph = run.graph(position)
        used = _used_for_the_loss(run, position)
        for digest in run.steps[position].calls:
            for first, second, ways in _pairs(run, digest):
                uses = [[child for child in graph.children.get(key, ()) if child in used] for key in ways]
                is_only_use = all(len(of_one) == 1 for of_one in uses)
                if (first.name, second.name) in seen or not is_only_use or not _is_redundant(first, second):
                    continue
                seen.add((first.name, second.name))
                unused = next((child for key in ways for child in graph.children.get(key, ()) if child not in used), None)
                yield RULE.finding(
                    f"`{second.name}` takes the output of `{first.name}` without an activation between them. "
                    f"Two {'linear layers' if first.type == 'Linear' else 'convolutions'} in a row compute what a single one could."
                    + ("" if unused is None else f" `{unused.name}` is computed from it too, but the loss is not computed from that."),
                    Place("tensor", *ways[0]),
                    Place("module", first.name),
                    Place("module", second.name),
                    step=run.steps[position].step,
                )


def _used_for_the_loss(run: Run, position: int) -> frozenset[TensorKey]:
    """What the losses of a step were computed from, and they themselves; all tensors if no loss is known."""
    graph, step = run.graph(position), run.steps[position]
    results = [TensorKey(*call.result) for call in step.losses if call.result is not None]
    ends = {*map(TensorKey._make, step.backward_roots), *results} & graph.shown.keys()
    return frozenset().union(ends, *map(graph.ancestors, ends)) if ends else frozenset(graph.shown)


def _pairs(run: Run, digest: str | None) -> Iterator[tuple[ModuleEntry, ModuleEntry, tuple[TensorKey, ...]]]:
    """The layers of which one takes what the other returned, perhaps after a dropout or batch normalization, and what lies on the way."""
    tree = CallTree((), ()) if digest is None else run.recording.calls(digest)
    modules = [run.network.modules[call.module] for call in tree.calls]
    returned: dict[TensorKey, tuple[ModuleEntry, tuple[TensorKey, ...]]] = {}
    passed: dict[int, tuple[ModuleEntry, tuple[TensorKey, ...]]] = {}
    for port in tree.ports:
        module = modules[port.call]
        if port.record_name is None or port.record_iteration is None:
            continue
        key = TensorKey(port.record_name, port.record_iteration)
        if module.type in _PASS_ON:
            if port.side == "input" and key in returned:
                passed[port.call] = returned[key]
            elif port.side == "output" and port.call in passed:
                module, ways = passed[port.call]
                returned[key] = module, tuple(dict.fromkeys((*ways, key)))
        elif _layer(module) is not None:
            if port.side == "output":
                returned[key] = module, (key,)
            elif key in returned and returned[key][0].name != module.name:
                yield returned[key][0], module, returned[key][1]


def _layer(module: ModuleEntry) -> _Layer | None:
    """What is known of a Linear, or of a convolution with a single group whose kernel is as wide in all directions."""
    if module.type == "Linear" and (sizes := _LINEAR.match(module.description)) is not None:
        return _Layer(int(sizes[1]), int(sizes[2]), is_pointwise=True)
    if module.type in _CONVOLUTIONS and (sizes := _CONVOLUTION.match(module.description)) is not None:
        kernel = {int(size) for size in sizes[3].split(",") if size.strip()}
        return _Layer(int(sizes[1]), int(sizes[2]), kernel == {1}) if len(kernel) == 1 else None
    return None


def _is_redundant(first: ModuleEntry, second: ModuleEntry) -> bool:
    """Whether both are of one type and parts of the same module, and no narrow layer between them limits the rank on purpose."""
    layer, following = _layer(first), _layer(second)
    if first.parent != second.parent or first.type != second.type or layer is None or following is None:
        return False
    if layer.is_pointwise == following.is_pointwise:
        return layer.outputs >= min(layer.inputs, following.outputs)
    # Each place is mapped by itself once: what it keeps of the channels on that side counts.
    return layer.outputs >= (layer.inputs if layer.is_pointwise else following.outputs)


RULE = Rule(
    name="linear-after-linear",
    title="Two linear layers or convolutions without an activation between them",
    severity=Severity.PROBLEM,
    formula="a Linear takes the very output of another Linear of the same module, or a dropout, batch normalization or mean pooling of it; "
    "the loss uses it for nothing else; it is at least as wide as the input of the first or the output of the second. The same for "
    "convolutions of one group with square kernels",
    source="exact; UMLAUT (missing activation), DeepCrime",
    needs="calls of watched modules",
    advice=("Put an activation such as ReLU between them.", "Or replace both by one layer."),
    wrong_if="Something that was not recorded lies between the two layers, so their product is no single layer.",
    check=_check,
    explains=(Explains("loss-does-not-fall"), Explains("growing-with-depth", "downstream")),
    priority=3,
)
