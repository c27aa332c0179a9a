"""Two linear layers follow each other with nothing between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey
from comgra_export.storage import CallTree, ModuleEntry

__all__ = ["RULE"]

_SIZES = re.compile(r"in_features=(\d+), out_features=(\d+)")
_LINEAR = "Linear"


def _check(run: Run) -> Iterator[Finding]:
    positions = [position for position, step in enumerate(run.steps) if any(step.calls)]
    if not positions:
        raise NotCheckedError("no calls of modules were recorded")
    seen = set()
    for position in positions:
        graph = run.graph(position)
        for digest in run.steps[position].calls:
            for first, second, between in _pairs(run, digest):
                is_only_use = len(graph.children.get(between, ())) == 1
                if (first.name, second.name) in seen or not is_only_use or not _is_redundant(first, second):
                    continue
                seen.add((first.name, second.name))
                yield RULE.finding(
                    f"`{second.name}` takes the output of `{first.name}` as it is. Two linear layers in a row compute what a single one "
                    "could.",
                    Place("tensor", *between),
                    Place("module", first.name),
                    Place("module", second.name),
                    step=run.steps[position].step,
                )


def _pairs(run: Run, digest: str | None) -> Iterator[tuple[ModuleEntry, ModuleEntry, TensorKey]]:
    """The linear layers of which one takes the very tensor that the other returned, and that tensor."""
    tree = CallTree((), ()) if digest is None else run.recording.calls(digest)
    modules = [run.network.modules[call.module] for call in tree.calls]
    returned: dict[TensorKey, ModuleEntry] = {}
    for port in tree.ports:
        module = modules[port.call]
        if module.type != _LINEAR or port.record_name is None or port.record_iteration is None:
            continue
        key = TensorKey(port.record_name, port.record_iteration)
        if port.side == "output":
            returned[key] = module
        elif key in returned and returned[key].name != module.name:
            yield returned[key], module, key


def _is_redundant(first: ModuleEntry, second: ModuleEntry) -> bool:
    """Whether both are parts of the same module, and no narrow layer between them limits the rank on purpose."""
    sizes, next_sizes = _SIZES.match(first.description), _SIZES.match(second.description)
    if first.parent != second.parent or sizes is None or next_sizes is None:
        return False
    return int(sizes[2]) >= min(int(sizes[1]), int(next_sizes[2]))


RULE = Rule(
    name="linear-after-linear",
    title="Two linear layers without an activation between them",
    severity=Severity.PROBLEM,
    formula="a Linear takes the very output of another Linear of the same module, nothing else uses it, and it is at least as wide as the "
    "input of the first or the output of the second",
    source="exact; UMLAUT (missing activation), DeepCrime",
    needs="calls of watched modules",
    advice=("Put an activation such as ReLU between them.", "Or replace both by one layer."),
    check=_check,
    explains=(Explains("loss-does-not-fall"), Explains("growing-with-depth", "downstream")),
    priority=3,
)
