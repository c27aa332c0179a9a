"""A stand-in for the built viewer."""

from __future__ import annotations

SCRIPT = '"use strict";\ndocument.title = `${1 < 2 && 3 > 2}`;\n'
STYLE = "main { color: red; }\nmain > p { margin: 0; }\n"
FRAME = "window.comgraVisualize = () => 1 < 2;\n"
