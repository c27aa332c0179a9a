"""Which tensors linear layers and activations return, and which are outputs of the whole network."""

from __future__ import annotations

from comgra_export.analysis.findings.rules.steps import training_graph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey
from comgra_export.storage import TensorEntry

__all__ = ["feeds_product", "is_inside_network", "is_output_of_network", "of_linear_layers", "of_operations"]

_LINEAR = ("Linear", "Conv", "Bilinear")


def of_operations(run: Run, *operations: str) -> dict[TensorKey, TensorEntry]:
    """The tensors in iterations that one of some operations returned."""
    return {key: entry for key, entry in run.of_type("calculated").items() if key.iteration >= 0 and entry.operation in operations}


def of_linear_layers(run: Run) -> dict[TensorKey, TensorEntry]:
    """What linear and convolution layers returned."""
    types = {module.name: module.type for module in run.network.modules}
    return {
        key: entry
        for key, entry in run.of_type("calculated").items()
        if entry.module is not None
        and any(word in types.get(entry.module, "") for word in _LINEAR)
        and key.name.startswith((f"{entry.module}: output", f"{entry.module} (call "))
        and "input" not in entry.role
    }


def is_output_of_network(run: Run, key: TensorKey) -> bool:
    """Whether a tensor goes to the loss, or nowhere: nothing but losses was computed from it."""
    if any(loss.prediction is not None and TensorKey(*loss.prediction) == key for step in run.steps for loss in step.losses):
        return True
    children = training_graph(run).children.get(key, ())
    return all(child in run.tensors and run.tensors[child].type == "loss" for child in children)


def feeds_product(run: Run, key: TensorKey) -> bool:
    """Whether a tensor is multiplied with another one, value by value, as a gate is."""
    children = training_graph(run).children.get(key, ())
    return any(child in run.tensors and (run.tensors[child].operation or "").startswith("MulBackward") for child in children)


def is_inside_network(run: Run, key: TensorKey) -> bool:
    """Whether a tensor was made within a module, and not on the way from the network to the loss. True if no module is known."""
    return run.tensors[key].module is not None or not any(entry.module for entry in run.tensors.values())
