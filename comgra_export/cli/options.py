"""The options of `comgra-export build`, some of which other commands have too, with their help texts."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "AddressOption",
    "BackendOption",
    "BuildArgument",
    "DescriptionOption",
    "EstimateFlowOption",
    "FailOn",
    "ForceOption",
    "JobsOption",
    "MaxSizeOption",
    "OpenOption",
    "OutputOption",
    "PageArgument",
    "PictureOption",
    "PrecisionOption",
    "PresetOption",
    "RecordingsArgument",
    "SamplesOption",
    "StartOption",
    "StepsOption",
    "StoryOption",
    "TensorsOption",
    "TitleOption",
    "TrialsOption",
    "VisualizationOption",
    "WatchOption",
]


class FailOn(str, Enum):
    """From which severity on `comgra-export findings` fails."""

    bug = "bug"
    problem = "problem"
    symptom = "symptom"


_RECORDINGS = "Folder of recordings: the one given to the recorder, or within it a group, a trial (a run) or a single rank (a process)."
_ADDRESS = "An address works too: s3://bucket/runs, or any other that fsspec opens."
RecordingsArgument = Annotated[
    Path,
    typer.Argument(
        metavar="RECORDINGS",
        help=_RECORDINGS,
        show_default=False,
    ),
]
PageArgument = Annotated[
    str,
    typer.Argument(
        metavar="RECORDINGS",
        help=f"{_RECORDINGS} {_ADDRESS} Or a page, zip or folder that build has written.",
        show_default=False,
    ),
]
BuildArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="RECORDINGS",
        help=f"{_RECORDINGS} {_ADDRESS} Several may be given, if they belong to one group.",
        show_default=False,
    ),
]
OutputOption = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="[bold]report.html[/bold]: one file. [bold]report.zip[/bold]: a folder, zipped. [bold]report/[/bold]: a folder, "
        "for large recordings and web hosting. An address such as s3://bucket/report.html works too. Default: GROUP.html in this folder.",
        show_default=False,
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", "-f", help="Replace an existing bundle, and nothing else.")]
OpenOption = Annotated[bool | None, typer.Option("--open/--no-open", help="Open the page in the browser afterwards.", show_default=False)]

TitleOption = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="Title of the page. Default: the name of the group, the trial or the network.", show_default=False),
]
DescriptionOption = Annotated[str, typer.Option(metavar="TEXT", help="A sentence or more, shown on the page.", show_default=False)]
VisualizationOption = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="JavaScript or Python file that draws on the Visualization tab. Python runs now. May be given several times.",
        show_default=False,
        dir_okay=False,
    ),
]
WatchOption = Annotated[
    bool,
    typer.Option(
        "--watch",
        help="Rebuild whenever the recordings change, until Ctrl+C. Open pages show the new data. Only for a folder.",
    ),
]

_WORKERS = "Workers"
JobsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        rich_help_panel=_WORKERS,
        help="How many workers read and compute. Default: 1, or all workers of a cluster.",
        show_default=False,
    ),
]
BackendOption = Annotated[
    str | None,
    typer.Option(
        metavar="ENGINE",
        rich_help_panel=_WORKERS,
        help="dask or ray: use the workers of a cluster. Default: processes on this machine.",
        show_default=False,
    ),
]
AddressOption = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="ADDRESS",
        rich_help_panel=_WORKERS,
        help="Address of the cluster, such as tcp://10.0.0.1:8786.",
        show_default=False,
    ),
]

StoryOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.json",
        help="Notes that readers walk through, each with its view. Write and download them in the page, or write the file by hand.",
        show_default=False,
        dir_okay=False,
    ),
]
StartOption = Annotated[
    str | None,
    typer.Option(
        metavar="'#...'",
        help="The view that the page opens with, as an address copied in the page. Default: the overview.",
        show_default=False,
    ),
]
PictureOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Address of a picture that previews of links show, such as https://me.github.io/report.png. The page does not load it.",
        show_default=False,
    ),
]

_WANTED, _SIZE = "What is in it", "How large it may be"
TrialsOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", rich_help_panel=_WANTED, help="Names, separated by commas; * stands for any text.", show_default=False),
]
StepsOption = Annotated[
    str | None,
    typer.Option(
        metavar="STEPS",
        rich_help_panel=_WANTED,
        help="Numbers (100), ranges (100-500, 100-, -500), every 10th, first, last, first 5, last 5; several separated by commas. "
        "every, first and last count the recorded steps of each type.",
        show_default=False,
    ),
]
TensorsOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES",
        rich_help_panel=_WANTED,
        help="Tensors or nodes whose values to keep, separated by commas; * stands for any text, and '!name' leaves a tensor out. "
        "All keep their statistics.",
        show_default=False,
    ),
]
SamplesOption = Annotated[
    str | None,
    typer.Option(
        metavar="SAMPLES",
        rich_help_panel=_WANTED,
        help="4: the values of four samples. 0,3,8-11: of the samples at these positions in the batch; 3-3: of a single sample. "
        "All keep their statistics.",
        show_default=False,
    ),
]
PrecisionOption = Annotated[
    str,
    typer.Option(
        metavar="TYPE",
        rich_help_panel=_WANTED,
        help="float32: values as recorded. float16, bfloat16: rounded to two bytes. none: no values. Statistics are always exact.",
    ),
]
EstimateFlowOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES",
        rich_help_panel=_WANTED,
        help="'x, h, y': tensors in the order of computation. The gradient flow through them is estimated from their recorded "
        "gradients. May be given several times.",
        show_default=False,
    ),
]
MaxSizeOption = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        rich_help_panel=_SIZE,
        help="A size such as 25MB. Values are rounded and left out until the bundle fits, and the page says which.",
        show_default=False,
    ),
]
PresetOption = Annotated[
    str | None,
    typer.Option(
        metavar="PLACE",
        rich_help_panel=_SIZE,
        help="Where the bundle goes. issue: 24 MB, .html or .zip. mail: 18 MB, .html. pages: 900 MB, a folder.",
        show_default=False,
    ),
]
