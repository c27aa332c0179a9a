"""What a rule of your own needs, and what findings are made of. Imports no torch.

    from comgra_export.rules import Place, Rule, Run, Severity

`docs/findings.md` shows a rule.
"""

from __future__ import annotations

from comgra_export.analysis.findings.model.association import Association, Associations, FamilyCheck
from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.report import Incident, Report
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.muting import Mute
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Series, TensorKey

__all__ = [
    "Association",
    "Associations",
    "Evidence",
    "Explains",
    "FamilyCheck",
    "Finding",
    "Incident",
    "Mute",
    "NotCheckedError",
    "Place",
    "Report",
    "Rule",
    "Run",
    "Series",
    "Severity",
    "TensorKey",
    "Threshold",
]
