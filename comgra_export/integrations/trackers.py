"""Puts a page into a run of an experiment tracker, so that whoever finds the run finds the page: W&B, MLflow and Trackio."""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from comgra_export import MisuseError
from comgra_export.integrations._host import missing_host

if TYPE_CHECKING:
    from comgra_export.exporter import Bundle

__all__ = ["log_to_mlflow", "log_to_trackio", "log_to_wandb"]

_KEY = "comgra"
_MOST_KEYS = 90
"""W&B takes 100 keys of metadata."""


class _Page(NamedTuple):
    """What is uploaded.

    Attributes:
        path: A file or a folder.
        facts: What says which page it is, such as its digest.
    """

    path: Path
    facts: dict[str, Any]

    @property
    def is_one_file(self) -> bool:
        """Whether a tracker can show it beside its own charts."""
        return self.path.suffix.lower() in (".html", ".htm")


def log_to_wandb(bundle: Bundle | str | os.PathLike[str], run: Any = None) -> None:  # noqa: ANN401
    """Shows a page in a run of Weights & Biases, and keeps it as an artifact.

    The artifact is called `comgra-` and the id of the run. Its metadata hold the digest of the page, and the name and the configuration of
    the run. The summary of the run has the digest too.

    Args:
        bundle: What `comgra_export.export` has returned, or its path. A folder or a zip is kept as an artifact, but not shown.
        run: A run; by default `wandb.run`.

    Raises:
        MisuseError: There is no such bundle, or no run.
        ImportError: W&B is not installed.
    """
    wandb = _import("wandb", "wandb")
    page = _page(bundle)
    run = wandb.run if run is None else run
    if run is None:
        raise MisuseError("log_to_wandb: there is no run. Call wandb.init() first, or give the run.")
    settings = dict(list(_plain(dict(run.config)).items())[:_MOST_KEYS])
    metadata = {**page.facts, "run": run.name, "config": settings}
    artifact = wandb.Artifact(f"comgra-{run.id}", type="comgra-export", metadata=metadata)
    if page.path.is_dir():
        artifact.add_dir(str(page.path))
    else:
        artifact.add_file(str(page.path))
    run.log_artifact(artifact)
    if page.is_one_file:
        # With `inject`, W&B adds a remote style sheet to the page.
        run.log({_KEY: wandb.Html(str(page.path), inject=False)})
    run.summary.update({f"{_KEY}_{name}": value for name, value in page.facts.items()})


def log_to_mlflow(bundle: Bundle | str | os.PathLike[str], run_id: str | None = None, client: Any = None) -> None:  # noqa: ANN401
    """Adds a page to the artifacts of a run of MLflow, in the folder `comgra`, where MLflow shows it.

    Tags of the run, which begin with `comgra.`, hold the digest of the page and its place among the artifacts.

    Args:
        bundle: What `comgra_export.export` has returned, or its path.
        run_id: The id of a run; by default that of `mlflow.active_run()`.
        client: An `MlflowClient`; by default a new one.

    Raises:
        MisuseError: There is no such bundle, or no run.
        ImportError: MLflow is not installed.
    """
    mlflow = _import("mlflow", "mlflow")
    page = _page(bundle)
    if run_id is None:
        active = mlflow.active_run()
        if active is None:
            raise MisuseError("log_to_mlflow: no run is active. Call it within `with mlflow.start_run():`, or give run_id.")
        run_id = active.info.run_id
    client = mlflow.MlflowClient() if client is None else client
    if page.path.is_dir():
        client.log_artifacts(run_id, str(page.path), f"{_KEY}/{page.path.name}")
    else:
        client.log_artifact(run_id, str(page.path), _KEY)
    place = f"{_KEY}/{page.path.name}" + ("/index.html" if page.path.is_dir() else "")
    for name, value in {**page.facts, "page": place}.items():
        client.set_tag(run_id, f"{_KEY}.{name}", str(value))


def log_to_trackio(bundle: Bundle | str | os.PathLike[str]) -> None:
    """Shows a page in the current run of Trackio, and keeps it as an artifact with its digest.

    Args:
        bundle: What `comgra_export.export` has returned, or its path. A folder or a zip is kept as an artifact, but not shown.

    Raises:
        MisuseError: There is no such bundle, or no run.
        ImportError: Trackio is not installed.
    """
    trackio = _import("trackio", "trackio")
    page = _page(bundle)
    run = import_module("trackio.context_vars").current_run.get()
    if run is None:
        raise MisuseError("log_to_trackio: there is no run. Call trackio.init() first.")
    metadata = {**page.facts, "run": run.name, "config": _plain({key: value for key, value in run.config.items() if key[0] != "_"})}
    artifact = trackio.Artifact(f"comgra-{run.name}", type="comgra-export", metadata=metadata)
    if page.path.is_dir():
        artifact.add_dir(str(page.path))
    else:
        artifact.add_file(str(page.path))
    trackio.log_artifact(artifact)
    if page.is_one_file:
        trackio.log({_KEY: trackio.Html(page.path)})


def _import(name: str, extra: str) -> Any:  # noqa: ANN401
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise missing_host(name, extra) from error


def _page(bundle: Bundle | str | os.PathLike[str]) -> _Page:
    """Checks what is to be uploaded.

    Raises:
        MisuseError: It is not there.
    """
    if isinstance(bundle, str | os.PathLike):
        path = Path(bundle)
        facts: dict[str, Any] = {}
    else:
        path = bundle.path
        facts = {"content_digest": bundle.content_digest, "trials": bundle.trials, "steps": bundle.steps}
    if not path.exists():
        raise MisuseError(f"there is no bundle at {path}. Give what comgra_export.export returns, or its path.")
    if path.is_file():
        facts["sha256"] = sha256(path.read_bytes()).hexdigest()
    return _Page(path, facts)


def _plain(values: Mapping[Any, Any]) -> dict[str, Any]:
    """What any tracker can keep of a configuration."""
    return {str(name): value if isinstance(value, int | float | str | None) else str(value) for name, value in values.items()}
