"""`comgra-export` and its commands."""

from __future__ import annotations

import shlex
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from comgra_export.cli.console import EXIT_CODES_HELP, EXIT_USAGE, fail, failing_in_words, out
from comgra_export.cli.importing.commands import importing
from comgra_export.cli.options import (
    AddressOption,
    BackendOption,
    BuildArgument,
    DescriptionOption,
    EstimateFlowOption,
    FailOn,
    ForceOption,
    JobsOption,
    MaxSizeOption,
    OpenOption,
    OutputOption,
    PageArgument,
    PictureOption,
    PrecisionOption,
    PresetOption,
    RecordingsArgument,
    SamplesOption,
    StartOption,
    StepsOption,
    StoryOption,
    TensorsOption,
    TitleOption,
    TrialsOption,
    VisualizationOption,
    WatchOption,
)
from comgra_export.cli.plain_help import PlainCommand, PlainGroup
from comgra_export.cli.publishing.commands import add_publishing
from comgra_export.cli.reading.commands import TrialOption, add_commands
from comgra_export.workers import Workers

__all__ = ["app", "main"]

app = typer.Typer(
    cls=PlainGroup,
    name="comgra-export",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Turn recordings of PyTorch training runs into pages that open offline, in any browser.",
    epilog=EXIT_CODES_HELP,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from comgra_export.native import load_kernels
        from comgra_export.version import __version__

        kernels = "with compiled kernels" if load_kernels() is not None else "without compiled kernels: recording on the CPU takes longer"
        out.print(f"comgra_export {__version__} ({kernels})", highlight=False)
        raise typer.Exit


class _Limits(str, Enum):
    """Whether hostile recordings are expected."""

    on = "on"
    off = "off"


@app.callback()
def _options(
    context: typer.Context,
    *,
    limits: Annotated[
        _Limits,
        typer.Option(
            help="[bold]off[/bold] reads files of any size. Only for your own recordings: others could use up all memory and time."
        ),
    ] = _Limits.on,
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")] = False,  # noqa: ARG001 - its callback has done it.
) -> None:
    if limits is _Limits.off:
        from comgra_export.storage.text.limits import without_limits

        context.with_resource(without_limits())


@app.command(cls=PlainCommand)
def build(
    recordings: BuildArgument,
    *,
    output: OutputOption = None,
    title: TitleOption = None,
    visualization: VisualizationOption = None,
    description: DescriptionOption = "",
    force: ForceOption = False,
    open_page: OpenOption = False,
    keep_fresh: WatchOption = False,
    trials: TrialsOption = None,
    steps: StepsOption = None,
    tensors: TensorsOption = None,
    samples: SamplesOption = None,
    precision: PrecisionOption = "float32",
    estimate_flow: EstimateFlowOption = None,
    max_size: MaxSizeOption = None,
    preset: PresetOption = None,
    story: StoryOption = None,
    start: StartOption = None,
    picture: PictureOption = None,
    jobs: JobsOption = None,
    backend: BackendOption = None,
    address: AddressOption = None,
) -> None:
    """Build the page of a group of trials, or of what is chosen: a bundle, which opens offline.

    A trial is a recorded run. Those of a group are shown together.

    [dim]comgra-export build runs/first -o report.html[/dim]

    [dim]comgra-export build runs/first/a other/first/b[/dim]

    [dim]comgra-export build runs/first --preset mail --steps "first, every 10th, last"[/dim]
    """
    from comgra_export.cli.build import Choices, run_build

    with failing_in_words():
        choices = Choices(
            trials=trials,
            steps=steps,
            tensors=tensors,
            samples=samples,
            precision=precision,
            estimate_flow=estimate_flow,
            max_size=max_size,
            preset=preset,
            story=story,
            start=start,
            picture=picture,
            jobs=jobs,
            backend=backend,
            address=address,
        )
        run_build(
            recordings,
            output,
            title=title,
            description=description,
            visualization=visualization,
            force=force,
            open_page=bool(open_page),
            keep_fresh=keep_fresh,
            choices=choices,
        )


@app.command(cls=PlainCommand)
def inspect(
    recordings: PageArgument,
    steps: Annotated[bool, typer.Option("--steps", help="List every recorded step.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs, without the list of steps.")] = False,
) -> None:
    """Show how runs went and what is in their recordings, in the terminal.

    Exits with 3 if a part cannot be read, after showing the rest.
    """
    from comgra_export.cli.inspect import run_inspect

    with failing_in_words():
        run_inspect(recordings, list_steps=steps, as_json=as_json)


@app.command(cls=PlainCommand)
def verify(
    recordings: PageArgument,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
) -> None:
    """Read recordings or a page completely, and report what is damaged.

    Exits with 3 if something is. Both hold checksums, so that a single changed bit is noticed.
    """
    from comgra_export.cli.verify import run_verify

    with failing_in_words():
        run_verify(recordings, as_json=as_json)


@app.command(cls=PlainCommand)
def findings(
    recordings: PageArgument,
    *,
    trial: TrialOption = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Check only this rule, such as nan-origin; may be given several times. --all lists them.",
            show_default=False,
        ),
    ] = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(help="Exit with 5 if there is a finding of this severity or a higher one.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File that lists accepted findings, which are counted but not shown. "
            "Default: comgra-findings.toml in this folder, or in a parent up to the root of the repository.",
            show_default=False,
        ),
    ] = None,
    sarif: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write SARIF 2.1.0 for code scanning, replacing FILE. It holds the findings with a line of code: "
            "record with source=True.",
            show_default=False,
        ),
    ] = None,
    list_all: Annotated[bool, typer.Option("--all", help="List every rule, even if it found nothing or was not checked.")] = False,
    jobs: JobsOption = None,
    backend: BackendOption = None,
    address: AddressOption = None,
) -> None:
    """Say what looks wrong in recordings, where, and since when.

    Exits with 3 if a part of them cannot be read.

    [dim]comgra-export findings runs/first --fail-on bug[/dim]
    """
    from comgra_export.cli.findings import run_findings

    with failing_in_words():
        workers = Workers(jobs, backend, address)
        run_findings(
            recordings,
            trial=trial,
            rules=rule,
            fail_on=fail_on,
            as_json=as_json,
            sarif=sarif,
            config=config,
            list_all=list_all,
            workers=workers,
        )


@app.command(cls=PlainCommand)
def rerun(
    adapter: Annotated[
        str,
        typer.Argument(
            metavar="ADAPTER",
            help="[bold]script.py[/bold], [bold]script.py:function[/bold] or [bold]package.module:function[/bold]. The function, "
            "[bold]rerun[/bold] by default, gets the input as a tensor, and a recorder, and records as usual.",
            show_default=False,
        ),
    ],
    *,
    array: Annotated[
        Path, typer.Option("--input", metavar="FILE.npy", help="The edited input, as downloaded from the page.", show_default=False)
    ],
    edit: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json", help="The list of changes, as downloaded. Default: FILE.json beside FILE.npy.", show_default=False
        ),
    ] = None,
    recordings: Annotated[
        Path, typer.Option(metavar="RECORDINGS", help="Folder of recordings with the trial that the input comes from.")
    ] = Path("recordings"),
    group: Annotated[
        str | None, typer.Option(metavar="NAME", help="The group of that trial. Default: as in FILE.json.", show_default=False)
    ] = None,
    trial: Annotated[
        str | None, typer.Option(metavar="NAME", help="The trial that the input comes from. Default: as in FILE.json.", show_default=False)
    ] = None,
    build_to: Annotated[
        str | None, typer.Option("--build", metavar="OUT", help="Build a bundle of the group afterwards.", show_default=False)
    ] = None,
    force: ForceOption = False,
) -> None:
    """Run a network on an input that was edited in the page, and add the result as a new trial.

    The new trial is called TRIAL edit 1, or has the next free number. Build the page again to see it beside the first trial.
    ADAPTER is your own Python code, and is executed.

    [dim]comgra-export rerun train.py --input first-x-step0-edited.npy --build report.html --force[/dim]
    """
    from comgra_export.cli.rerun import run_rerun

    with failing_in_words():
        run_rerun(adapter, array, edit, recordings, group=group, trial=trial, output=build_to, force=force)


@app.command(cls=PlainCommand)
def demo(
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="Where the bundle goes: .html, .zip or a folder.")
    ] = "demo.html",
    recordings: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for the recordings of the two training runs.")] = Path(
        "demo-recordings"
    ),
    steps: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Training steps per variant. Default: enough to see the bug.", show_default=False)
    ] = None,
    force: ForceOption = False,
    open_page: OpenOption = None,
) -> None:
    """Train the tutorial network in two variants, record them, and build their bundle.

    Takes a few minutes, longer on a slow machine, and needs torch. Fewer --steps take less, and show less of a difference.
    """
    from comgra_export.cli.demo import run_demo

    with failing_in_words():
        run_demo(output, recordings, steps=steps, force=force, open_page=open_page)


@app.command("write-vnittest", cls=PlainCommand)
def write_vnittest(
    recordings: RecordingsArgument,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder for the three files.", show_default=False)],
    step: Annotated[
        float | None, typer.Option(metavar="N", help="Default: the last step with a gradient flow.", show_default=False)
    ] = None,
    flow: Annotated[
        str | None, typer.Option(metavar="NAME", help="Default: all flows of the step with the same layers.", show_default=False)
    ] = None,
    sample: Annotated[
        int | None, typer.Option(metavar="N", help="Position in the batch. Default: the first sample of the flow.", show_default=False)
    ] = None,
    channel: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CHANNEL",
            help="3: channel 3 of every layer with several channels. conv1=3: channel 3 of the layer conv1. May be given several times. "
            "Default: the channel with the largest flows.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace existing files.")] = False,
) -> None:
    """Write a gradient flow as files that vnittest opens: one sample, and one channel of every layer."""
    from comgra_export.cli.importing.vnittest import run_write

    with failing_in_words():
        run_write(recordings, output, step=step, flow=flow, sample=sample, channels=channel or [], force=force)


add_commands(app)
add_publishing(app)
app.add_typer(importing, name="import", epilog=EXIT_CODES_HELP)


def main() -> None:
    """Run the command line."""
    given = sys.argv[1:]
    commands = {command.name or getattr(command.callback, "__name__", "") for command in app.registered_commands}
    commands |= {group.name for group in app.registered_groups if group.name}
    if given and given[0] not in commands and Path(given[0]).is_dir():
        sentence = f"There is no command {given[0]!r}, but a folder. Did you mean: comgra-export build {shlex.join(given)}"
        sys.exit(fail(sentence, EXIT_USAGE).exit_code)
    app(prog_name="comgra-export")
