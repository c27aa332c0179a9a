"""Pure functions from recordings to numbers. This room reads recordings and writes nothing."""

from comgra_export.analysis.summary import RecordingSummary, summarize

__all__ = ["RecordingSummary", "summarize"]
