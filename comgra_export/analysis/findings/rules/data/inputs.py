"""The inputs of the network, as rules about data see them."""

from __future__ import annotations

from collections.abc import Mapping

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.steps import values_in_training
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Series, TensorKey

__all__ = ["inputs_in_training"]


def inputs_in_training(run: Run) -> Mapping[TensorKey, Series]:
    """The inputs with several samples in the usual training steps.

    Raises:
        NotCheckedError: There are none.
    """
    known = {
        key: series
        for key, entry in run.of_type("input").items()
        if entry.batch_dimension is not None and (series := values_in_training(run, key)) is not None and (series.samples > 1).all()
    }
    if not known:
        raise NotCheckedError("no input with several samples was recorded in a training step", lacks="inputs")
    return known
