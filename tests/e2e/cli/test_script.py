"""The command line as a process: what only the script itself and its process can show."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from comgra_export import __version__
from support.analysis.stuck import write_stuck_run
from support.cli.run import COMMAND, Run, started
from support.exporter.recordings import write_trial


@pytest.fixture
def group(tmp_path: Path) -> Path:
    write_trial(tmp_path / "runs", "first")
    return tmp_path / "runs" / "group"


def test_the_installed_script_and_the_module_are_the_same_command(run_process: Run, tmp_path: Path) -> None:
    done = run_process("--version")
    assert done.stdout.startswith(f"comgra_export {__version__} (")
    by_module = subprocess.run(
        [sys.executable, "-m", "comgra_export", "--version"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (by_module.returncode, by_module.stdout)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("build", "runs", "-o", "report.html"), 0),
        (("build",), 2),
        (("inspect", "nowhere"), 3),
        (("findings", "runs"), 0),
        (("build", "runs", "-o", "runs/group/first/rank-0/recording.json/report.html"), 4),
    ],
)
def test_the_process_ends_with_the_exit_code(run_process: Run, group: Path, arguments: tuple[str, ...], code: int) -> None:
    done = run_process(*arguments)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert bool(done.stderr) == (code != 0)


def test_building_does_not_import_torch(group: Path, tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from comgra_export.cli import main\n"
        "sys.argv = ['comgra-export', 'build', 'runs', '-o', 'report.html']\n"
        "try: main()\n"
        "finally: print('torch' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "False"), done.stderr


def test_findings_fail_a_script_without_importing_torch(tmp_path: Path) -> None:
    write_stuck_run(tmp_path / "runs")
    code = (
        "import sys\n"
        "from comgra_export.cli import main\n"
        "sys.argv = ['comgra-export', 'findings', 'runs', '--fail-on', 'bug', '--json']\n"
        "try: main()\n"
        "finally: print('torch' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (5, "False"), done.stderr
    assert json.loads(done.stdout.splitlines()[0])["runs"][0]["run"] == "group/trial"


def test_watching_ends_with_an_interruption(group: Path, tmp_path: Path) -> None:
    command = [COMMAND, "build", "runs", "-o", "report", "--watch"]
    with started(command, cwd=tmp_path, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert any(line.startswith("Watching") for line in process.stdout)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert out.endswith("Stopped watching.\n")
    assert (tmp_path / "report" / "index.html").is_file()


def test_a_reader_that_is_gone_is_no_crash(group: Path, tmp_path: Path) -> None:
    """As with `comgra-export inspect runs | head -1`."""
    command = [COMMAND, "inspect", "runs", "--steps"]
    with started(command, cwd=tmp_path, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert "Traceback" not in said
