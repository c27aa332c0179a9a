"""What a page is called if nobody says it."""

from __future__ import annotations

from collections.abc import Sequence

from comgra_export.exporter.plan.sources import Source

__all__ = ["default_title"]

_UNNAMED_GROUP, _UNNAMED_TRIAL = "default", "trial"
"""What the recorder calls those that have no name."""

_UNKNOWN = "Recording"


def default_title(group: str, sources: Sequence[Source]) -> str:
    """The name of the group, if somebody chose it; else that of the only trial, the class of the recorded network, or `Recording`.

    All of these are in the recording: nothing of folders or of the machine is used.

    Args:
        group: The group of the recordings.
        sources: The recordings that the page shows.
    """
    if group != _UNNAMED_GROUP:
        return group
    trials = {source.name for source in sources}
    if len(trials) == 1 and trials != {_UNNAMED_TRIAL}:
        return trials.pop()
    classes = {module.type for source in sources for module in source.recording.network.modules if module.parent < 0}
    # Several have no name in common.
    return classes.pop() if len(classes) == 1 else _UNKNOWN
