"""Which modules ran in which mode, and which of them care, as their settings say."""

from __future__ import annotations

import re
from math import isfinite

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.recurrent import RECURRENT
from comgra_export.analysis.history.run import Run
from comgra_export.storage import ModuleEntry

__all__ = ["dropout_within", "has_several_networks", "is_batch_norm", "is_dropout", "modes_in", "modules_with_a_mode", "setting"]

_DROPOUT = frozenset({"Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"})
_BATCH_NORM = frozenset({"BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"})
_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"


def setting(module: ModuleEntry, name: str) -> float | None:
    """The number that a module's description gives for a setting, as in `p=1e-05`; None if it gives none, or one that is not finite."""
    match = re.search(rf"(?<![\w.]){re.escape(name)}=({_NUMBER})(?=[\s,)]|$)", module.description)
    return None if match is None or not isfinite(number := float(match[1])) else number


def is_dropout(module: ModuleEntry) -> bool:
    """Whether a module drops values in training mode."""
    return module.type in _DROPOUT and not module.description.startswith(("p=0,", "p=0.0,"))


def dropout_within(module: ModuleEntry) -> float:
    """The share that a module drops within itself in training mode: between its recurrent layers, or of attention; 0 of any other."""
    # A single recurrent layer has nothing after it to drop, and its description leaves the number of layers out.
    drops = module.type == "MultiheadAttention" or (module.type in RECURRENT and setting(module, "num_layers") is not None)
    return (setting(module, "dropout") or 0.0) if drops else 0.0


def is_batch_norm(module: ModuleEntry) -> bool:
    """Whether a module is a batch normalization that keeps running statistics."""
    return module.type in _BATCH_NORM and "track_running_stats=False" not in module.description


def has_several_networks(run: Run) -> bool:
    """Whether several networks are recorded, as in a GAN. Its generator is often sampled without gradients and without evaluation mode.

    They may be parts of a container that never runs itself, of which evaluations run only some.
    """
    if sum(module.parent < 0 for module in run.network.modules) > 1:
        return True
    trained, evaluated = (
        [
            modes_in(run, position).keys()
            for position in range(len(run.steps))
            if run.is_training[position] == training and modes_in(run, position)
        ]
        for training in (True, False)
    )
    if not trained or not evaluated or any(0 in ran for ran in (*trained, *evaluated)):
        return False
    parts = {position for position, module in enumerate(run.network.modules) if module.parent == 0}
    return bool(parts.intersection(*trained) - set().union(*evaluated))


def modules_with_a_mode(run: Run) -> dict[int, ModuleEntry]:
    """The modules that compute something else in training mode, by their positions.

    Raises:
        NotCheckedError: There are none, or it is not known which modules ran.
    """
    chosen = {
        position: module
        for position, module in enumerate(run.network.modules)
        if is_dropout(module) or is_batch_norm(module) or dropout_within(module) > 0
    }
    if not chosen:
        raise NotCheckedError("no dropout or batch normalization is known in the network", lacks="network", applies=not run.network.modules)
    if all(step.module_runs is None for step in run.steps):
        raise NotCheckedError("the recording does not say which modules ran", lacks="network")
    return chosen


def modes_in(run: Run, position: int) -> dict[int, bool]:
    """Which modules ran in a step, by position, and whether in training mode."""
    runs = run.steps[position].module_runs
    return {} if runs is None else dict(zip(runs.modules, runs.training, strict=True))
