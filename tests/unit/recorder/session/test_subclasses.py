"""A subclass of the recorder that overrides calls is called by the contexts too."""

from __future__ import annotations

from pathlib import Path

from comgra_export import ComgraRecorder


def test_the_contexts_call_overridden_methods(tmp_path: Path) -> None:
    calls: list[str] = []

    class Logging(ComgraRecorder):
        def finish_batch(self) -> None:
            calls.append("finish_batch")
            super().finish_batch()

        def start_iteration(self) -> None:
            calls.append("start_iteration")
            super().start_iteration()

        def finish_iteration(self) -> None:
            calls.append("finish_iteration")
            super().finish_iteration()

    with Logging(tmp_path) as recorder, recorder.batch(0, 1), recorder.iteration():
        calls.append("body")
    assert calls == ["start_iteration", "body", "finish_iteration", "finish_batch"]
