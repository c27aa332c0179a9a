"""How the runs of a bundle went, for its index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from comgra_export.analysis.overview.run_summary import summary_of
from comgra_export.exporter.format.index import IndexedSetting, RunOverview
from comgra_export.exporter.plan.sources import Source
from comgra_export.storage import Recording, Setting, clean_text, encode_scalar

__all__ = ["overviews_of"]


def overviews_of(sources: Iterable[Source], *, is_live: bool) -> list[RunOverview]:
    """Says how the run of each source went. `is_live`: a run that did not end is known to go on."""
    sources = list(sources)
    return [_overview(_ranks(source, sources), is_live) for source in sources]


def _ranks(source: Source, sources: list[Source]) -> list[Recording]:
    """The recording of a source; of all ranks together, each of them."""
    if isinstance(source.recording, Recording):
        return [source.recording]
    return [other.recording for other in sources if other.name == source.name and isinstance(other.recording, Recording)]


def _overview(ranks: list[Recording], is_live: bool) -> RunOverview:
    facts = summary_of(ranks, is_live=is_live)
    return {
        "started": facts.started,
        "seconds": facts.seconds,
        "ending": facts.ending,
        "error": facts.error,
        "error_step": facts.error_step,
        "between_steps": facts.between_steps,
        "trained": facts.trained,
        "recorded": facts.recorded,
        "parameters": facts.parameters,
        "trainable": facts.trainable,
        "devices": list(facts.devices),
        "dtypes": list(facts.dtypes),
        "optimizers": [{"name": each.name, "groups": each.groups, "options": _settings(each.options)} for each in facts.optimizers],
        "config": [[name, value] for name, value in _settings(facts.config).items()],
    }


def _settings(values: Mapping[str, Setting]) -> dict[str, IndexedSetting]:
    return {clean_text(name): encode_scalar(clean_text(value) if isinstance(value, str) else value) for name, value in values.items()}
