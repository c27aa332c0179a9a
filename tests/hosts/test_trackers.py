"""A page lands in the runs of trackers: as an artifact with its digest, and shown as it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from hashlib import sha256
from pathlib import Path

import pytest
import torch

import comgra_export
from comgra_export import MisuseError
from support.hosts.runs import needs

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning", "ignore::ResourceWarning"
)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> comgra_export.exporter.Bundle:  # type: ignore[name-defined]
    folder = tmp_path_factory.mktemp("recorded")
    net = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with comgra_export.watch(net, folder, every=1):
        net(torch.randn(4, 3)).square().mean().backward()
        optimizer.step()
    return comgra_export.export(folder, folder / "comgra.html")


def run_script(code: str, folder: Path, page: Path, **environment: str) -> list[str]:
    """Runs a script in a process of its own, since trackers keep threads and servers."""
    (folder / "script.py").write_text(textwrap.dedent(code), encoding="utf-8")
    variables = {**os.environ, **environment, "HOME": str(folder)}
    command = [sys.executable, "script.py", str(page)]
    finished = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=240, check=False)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.splitlines()


def test_wandb(bundle: comgra_export.exporter.Bundle, tmp_path: Path) -> None:  # type: ignore[name-defined]
    needs("wandb")
    code = """
        import json, sys, wandb
        from comgra_export.integrations.trackers import log_to_wandb
        logged = []
        with wandb.init(project="p", name="first", mode="offline", config={"lr": 0.1}, settings=wandb.Settings(console="off")) as run:
            run.log_artifact, real = lambda artifact: (logged.append(artifact), real(artifact)), run.log_artifact
            log_to_wandb(sys.argv[1])
            artifact, = logged
            summary = dict(run.summary)
        shown = summary["comgra"]["path"]
        print(json.dumps([artifact.type, artifact.metadata, list(artifact.manifest.entries), summary["comgra_sha256"], shown]))
    """
    printed = run_script(code, tmp_path, bundle.path, WANDB_SILENT="true", WANDB_DIR=str(tmp_path))
    kind, metadata, files, digest, shown = json.loads(printed[-1])
    assert kind == "comgra-export"
    assert (metadata["run"], metadata["config"]) == ("first", {"lr": 0.1})
    expected = sha256(bundle.path.read_bytes()).hexdigest()
    assert digest == metadata["sha256"] == expected
    assert files == ["comgra.html"]
    copies = list(tmp_path.rglob(Path(shown).name))
    assert [sha256(copy.read_bytes()).hexdigest() for copy in copies] == [expected]


def test_mlflow(bundle: comgra_export.exporter.Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[name-defined]
    needs("mlflow")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    monkeypatch.chdir(tmp_path)
    import mlflow

    from comgra_export.integrations.trackers import log_to_mlflow

    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    mlflow.create_experiment("e", artifact_location=(tmp_path / "artifacts").as_uri())
    mlflow.set_experiment("e")
    with mlflow.start_run(run_name="first") as run:
        log_to_mlflow(bundle)
    with pytest.raises(MisuseError, match="no run is active"):
        log_to_mlflow(bundle)
    tags = mlflow.MlflowClient().get_run(run.info.run_id).data.tags
    assert tags["comgra.content_digest"] == bundle.content_digest
    (page,) = (tmp_path / "artifacts").rglob("comgra.html")
    assert page.parent.name == "comgra"
    assert tags["comgra.page"] == "comgra/comgra.html"
    assert page.read_bytes() == bundle.path.read_bytes()


def test_trackio(bundle: comgra_export.exporter.Bundle, tmp_path: Path) -> None:  # type: ignore[name-defined]
    needs("trackio")
    code = """
        import sys, trackio
        from comgra_export.integrations.trackers import log_to_trackio
        trackio.init(project="p", name="first", config={"lr": 0.1})
        log_to_trackio(sys.argv[1])
        artifact = trackio.use_artifact("comgra-first:latest")
        print(artifact.type, artifact.metadata["run"], artifact.metadata["config"]["lr"], artifact.metadata["sha256"])
        trackio.finish()
    """
    offline = {"HF_HUB_OFFLINE": "1", "TRACKIO_DIR": str(tmp_path / "trackio"), "GRADIO_ANALYTICS_ENABLED": "False"}
    printed = run_script(code, tmp_path, bundle.path, **offline)
    expected = sha256(bundle.path.read_bytes()).hexdigest()
    assert f"comgra-export first 0.1 {expected}" in printed
    assert any(sha256(file.read_bytes()).hexdigest() == expected for file in (tmp_path / "trackio").rglob("*.html"))


@pytest.mark.parametrize("name", ["wandb", "mlflow", "trackio"])
def test_what_is_not_there_is_refused(name: str, tmp_path: Path) -> None:
    needs(name)
    from comgra_export.integrations import trackers

    with pytest.raises(MisuseError, match="there is no bundle at"):
        getattr(trackers, f"log_to_{name}")(tmp_path / "missing.html")
