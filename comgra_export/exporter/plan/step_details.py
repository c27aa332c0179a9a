"""What is known of a step besides its tensors: as documents that many steps share, and as an array of numbers."""

from __future__ import annotations

from math import ceil, floor, isfinite, log10

import numpy as np

from comgra_export.exporter.format.step_chunks import GradientFacts, ModuleRuns, ParameterList, StepFacts
from comgra_export.exporter.plan.index import Interner
from comgra_export.storage import Blob, ParameterFacts, StepDescription, dumps, encode_number

__all__ = ["NO_FACTS", "FactSets", "parameter_array"]

NO_FACTS = -1


class FactSets:
    """The documents about steps, each kept once.

    Attributes:
        facts: JSON texts, one per distinct step.
        module_runs: JSON texts, one per distinct set of modules and how they ran.
        parameter_lists: JSON texts, one per distinct list of parameters.
    """

    def __init__(self) -> None:
        self.facts: Interner[bytes] = Interner()
        self.module_runs: Interner[bytes] = Interner()
        self.parameter_lists: Interner[bytes] = Interner()

    def add(self, step: StepDescription) -> int:
        """Takes what is known of a step, and returns the position of its facts; `NO_FACTS` if nothing is."""
        facts: StepFacts = {
            "session": step.session,
            "learning_rates": None
            if step.learning_rates is None
            else [[encode_number(rate) for rate in rates] for rates in step.learning_rates],
            "gradients": _gradients(step),
            "held_bytes": step.held_bytes,
            "module_runs": self._module_runs(step),
            "parameter_list": self._parameter_list(step),
        }
        if facts == _NOTHING:
            return NO_FACTS
        return self.facts.position(dumps(facts))

    def _module_runs(self, step: StepDescription) -> int:
        if step.module_runs is None:
            return NO_FACTS
        runs = step.module_runs
        document: ModuleRuns = {"module": list(runs.modules), "training": list(runs.training), "calls": list(runs.calls)}
        return self.module_runs.position(dumps(document))

    def _parameter_list(self, step: StepDescription) -> int:
        if step.parameters is None:
            return NO_FACTS
        document: ParameterList = {"parameter": list(step.parameters.parameters)}
        estimated = step.parameters.estimated
        if estimated:
            document["estimated"] = {
                "parameter": [each.parameter for each in estimated],
                "elements": [each.elements for each in estimated],
                # Rounded, so that steps can share the list.
                "error": [None if each.error is None else encode_number(_rounded_up(each.error)) for each in estimated],
            }
        return self.parameter_lists.position(dumps(document))


_NOTHING: StepFacts = {
    "session": 0,
    "learning_rates": None,
    "gradients": [],
    "held_bytes": None,
    "module_runs": NO_FACTS,
    "parameter_list": NO_FACTS,
}


def parameter_array(facts: ParameterFacts | None) -> dict[str, Blob]:
    """The numbers about `P` parameters as an array of a step.

    Returns:
        `parameters.F32` `[3, P]`, or `parameters.F64` where float32 does not hold the numbers exactly: the norms, then the norms of the
        updates, then the differences between accumulated and fresh gradients, NaN if one is not known. Nothing without parameters.
    """
    if facts is None or not facts.parameters:
        return {}
    differences = [np.nan if difference is None else difference for difference in facts.accumulated_gradient_difference]
    exact = np.array([*facts.norm, *facts.update_norm, *differences], np.float64)
    with np.errstate(over="ignore"):
        rounded = exact.astype(np.float32)
    if np.array_equal(rounded, exact, equal_nan=True):
        return {"parameters.F32": Blob("F32", rounded)}
    return {"parameters.F64": Blob("F64", exact)}


def _rounded_up(number: float) -> float:
    """To one digit."""
    if not isfinite(number) or number <= 0:
        return number
    digits = -floor(log10(number))
    return round(ceil(round(number * 10.0**digits, 9)) / 10.0**digits, digits)


def _gradients(step: StepDescription) -> list[GradientFacts]:
    return [
        {
            "group": gradients.group,
            "backward_passes": gradients.backward_passes,
            "loss_scale": None if gradients.loss_scale is None else encode_number(gradients.loss_scale),
            "changed_in_place_by": None if gradients.changed_in_place_by is None else list(gradients.changed_in_place_by),
            "averaged_over_ranks": gradients.averaged_over_ranks,
        }
        for gradients in step.gradients
    ]
