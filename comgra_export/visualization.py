"""What a Python file needs to draw figures at export. Imports no torch.

    from comgra_export.visualization import View, visualization

    @visualization("Mean of the output", per=("step", "iteration"))
    def draw(view: View) -> str:
        return f"<p>Step {view.step}: {view.statistics('output')['mean']:.3f}</p>"

`docs/visualization.md` describes it.
"""

from __future__ import annotations

from comgra_export.exporter.figures.declare import Figure, visualization
from comgra_export.exporter.figures.view import RecordedStep, RecordedTensor, View

__all__ = ["Figure", "RecordedStep", "RecordedTensor", "View", "visualization"]
