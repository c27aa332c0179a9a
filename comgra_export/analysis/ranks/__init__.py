"""The ranks of a distributed run as one recording, merged after the fact: no rank talks to another while it records."""

from __future__ import annotations

from comgra_export.analysis.ranks.merged import MergedRecording, merge_ranks
from comgra_export.analysis.ranks.numbers import FLAG_RANKS_DIFFER

__all__ = ["FLAG_RANKS_DIFFER", "MergedRecording", "merge_ranks"]
