"""Addresses of stores that tests cannot reach: which package opens them, what it is asked for, and what commands say without an answer."""

from __future__ import annotations

from typing import Any, NoReturn

import fsspec
import pytest

import comgra_export
from comgra_export.errors import NotARecordingError
from comgra_export.storage import RemotePath, place_of
from support.cli.run import Run, run
from support.hosts.runs import needs

__all__ = ["run"]

needs("gcsfs")
needs("huggingface_hub")

PAGE = "reports/first/index.html"
STORES = {"gs": ("gcsfs", "GCSFileSystem", "gs://bucket/"), "hf": ("huggingface_hub", "HfFileSystem", "hf://datasets/me/name/")}


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the stores would have been asked for. There is no network."""
    import gcsfs
    import huggingface_hub

    asked: list[str] = []

    async def call(self: object, method: str, path: str, *arguments: object, **_: object) -> NoReturn:
        asked.append("/".join(map(str, (path, *arguments))))
        raise OSError("no network: https://storage.googleapis.com/secret-of-the-bucket")

    def info(self: object, repo_id: str, *, repo_type: str | None = None, **_: Any) -> NoReturn:  # noqa: ANN401
        asked.append(f"{repo_type}s/{repo_id}")
        raise ConnectionError("no network: https://huggingface.co/secret-of-the-bucket")

    monkeypatch.setitem(fsspec.config.conf, "gs", {"token": "anon"})
    monkeypatch.setattr(gcsfs.GCSFileSystem, "_call", call)
    monkeypatch.setattr(huggingface_hub.HfApi, "repo_info", info)
    return asked


@pytest.mark.parametrize("store", STORES)
def test_the_address_is_opened_by_its_package(store: str, asked: list[str]) -> None:
    module, name, root = STORES[store]
    place = place_of(root + PAGE)
    assert isinstance(place, RemotePath)
    # gcsfs makes objects of a class derived from it.
    assert any((each.__module__.split(".")[0], each.__name__) == (module, name) for each in type(place._files).__mro__)
    assert str(place) == root + PAGE
    assert (place.name, place.suffix, str(place.parent)) == ("index.html", ".html", root + "reports/first")
    assert str(place.parent / "data") == root + "reports/first/data"
    assert asked == []


@pytest.mark.parametrize("store", STORES)
def test_a_store_that_does_not_answer_is_said_in_words(store: str, asked: list[str], run: Run) -> None:
    _, _, root = STORES[store]
    address = f"{root}reports/first"
    with pytest.raises(NotARecordingError, match="cannot be read") as raised:
        comgra_export.read(address)
    assert str(raised.value).startswith(address)
    assert any({"gs": "bucket", "hf": "datasets/me/name"}[store] in each for each in asked)
    for command in ("inspect", "findings", "verify"):
        finished = run(command, address)
        assert finished.returncode == 3
        assert f"{address} cannot be read" in finished.stderr
        # Addresses with keys in them may stand in the messages of clients.
        assert "secret-of-the-bucket" not in finished.stderr
