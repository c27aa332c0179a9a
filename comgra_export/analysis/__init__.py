"""Pure functions from recordings, which they only read, to numbers."""

from comgra_export.analysis.summary import RecordingSummary, summarize

__all__ = ["RecordingSummary", "summarize"]
