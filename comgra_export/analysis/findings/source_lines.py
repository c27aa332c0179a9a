"""Which line of the code the places of findings are, if the recording has the lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from comgra_export.analysis.findings.model.finding import Finding, Place
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey
from comgra_export.errors import DamagedRecordingError
from comgra_export.storage import PortEntry, SourceLine

__all__ = ["with_source_lines"]


def with_source_lines(findings: Sequence[Finding], run: Run) -> Sequence[Finding]:
    """Gives the places of findings their lines.

    A tensor has the line that made it, and so has a loss. A module has the line that made the first of what it returned, and a parameter
    that of the module that holds it.
    """
    if not findings:
        return findings
    of_tensor = {key: entry.source for key, entry in run.tensors.items() if entry.source is not None}
    if not of_tensor:
        return findings
    of_name: dict[str, SourceLine] = {}
    for key, line in of_tensor.items():
        of_name.setdefault(key.name, line)
    of_module = _lines_of_modules(run, of_tensor)
    module_of = {parameter.name: run.network.modules[parameter.module].name for parameter in run.network.parameters}

    def located(place: Place) -> Place:
        if place.kind in ("module", "parameter"):
            line = of_module.get(place.name if place.kind == "module" else module_of.get(place.name, ""))
        else:
            line = of_name.get(place.name) if place.iteration is None else of_tensor.get(TensorKey(place.name, place.iteration))
        return place if line is None else replace(place, source=line)

    return [
        replace(finding, places=tuple(map(located, finding.places)), look_next=tuple(map(located, finding.look_next)))
        for finding in findings
    ]


def _lines_of_modules(run: Run, of_tensor: Mapping[TensorKey, SourceLine]) -> dict[str, SourceLine]:
    lines: dict[str, SourceLine] = {}
    digests = dict.fromkeys(digest for step in run.steps for digest in step.calls if digest is not None)
    for digest in digests:
        try:
            tree = run.recording.calls(digest)
        except DamagedRecordingError:
            continue
        for port, key in _outputs(tree.ports):
            if key in of_tensor:
                lines.setdefault(run.network.modules[tree.calls[port.call].module].name, of_tensor[key])
    return lines


def _outputs(ports: Iterable[PortEntry]) -> Iterable[tuple[PortEntry, TensorKey]]:
    """What modules returned of which there are numbers."""
    for port in ports:
        if port.side == "output" and port.record_name is not None and port.record_iteration is not None:
            yield port, TensorKey(port.record_name, port.record_iteration)
