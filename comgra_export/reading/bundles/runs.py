"""How the runs of a bundle went, as its index says it."""

from __future__ import annotations

from typing import cast

from comgra_export.analysis.overview.run_summary import Ending, OptimizerSummary, RunSummary
from comgra_export.storage.codec.checked import JsonObject

__all__ = ["decode_run", "unknown_run"]

_ENDINGS = ("finished", "", "running", "killed", "exception")


def decode_run(run: JsonObject, file: str) -> RunSummary:
    """Reads an entry of `runs` of the index.

    Raises:
        DamagedRecordingError: It contradicts the format.
    """
    pairs = run.entries("config")
    config = {pair[0]: pair[1] for pair in pairs if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)}
    if len(config) != len(pairs):
        raise run.wrong("config", "is not a list of different names, each with its value")
    return RunSummary(
        started=run.text("started"),
        seconds=run.optional_number("seconds"),
        ending=cast("Ending", run.choice("ending", _ENDINGS)),
        error=run.text("error"),
        error_step=run.optional_step("error_step"),
        between_steps=run.boolean("between_steps", default=False),
        trained=run.optional_integer("trained", 0),
        recorded=run.integer("recorded", 0),
        parameters=run.integer("parameters", 0),
        trainable=run.integer("trainable", 0),
        devices=tuple(run.texts("devices")),
        dtypes=tuple(run.texts("dtypes")),
        optimizers=tuple(
            OptimizerSummary(each.text("name"), each.integer("groups", 0), each.scalars("options")) for each in run.objects("optimizers")
        ),
        config=JsonObject({"config": config}, file).scalars("config", keep_integers=True),
    )


def unknown_run(steps: int) -> RunSummary:
    """A run of which a bundle of an early version says nothing but how many steps it has."""
    return RunSummary("", None, "", "", None, False, None, steps, 0, 0, (), (), (), {})
