"""Figures that a Python file of the user's draws at export: one for every selection that they depend on."""

from __future__ import annotations

from comgra_export.exporter.figures.drawing import Drawn, DrawnFigure, DrawnSelection, draw_figures
from comgra_export.exporter.figures.frames import FramePolicy
from comgra_export.exporter.figures.load import FigureFile, load_figures

__all__ = ["Drawn", "DrawnFigure", "DrawnSelection", "FigureFile", "FramePolicy", "draw_figures", "load_figures"]
