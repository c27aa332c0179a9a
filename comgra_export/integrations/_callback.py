"""What the callbacks of hosts have in common: their arguments, and the page that they write."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comgra_export.integrations._host import ExistingTrial, HostRun, Settings

if TYPE_CHECKING:
    from comgra_export.exporter import Bundle

__all__ = ["HostCallback"]


class HostCallback:
    """A callback that records. It stands before the class of the host among the bases.

    Args:
        dirpath: Folder of the recording and the page. The callback of each host says where it is by default.
        every_n_steps: Records every n-th step. By default there are many at the beginning and then fewer and fewer.
        values: Whether every value of the recorded samples is kept, and not only statistics.
        bundle: Name of the page in that folder, or its path; None for no page.
        existing_trial: What to do if there is a recording, as for `ComgraRecorder`.
        **arguments: Other arguments of `comgra_export.watch`, such as `sentinels=True`.

    Attributes:
        bundle: The page that was written last; None before.

    Raises:
        MisuseError: An argument is not usable.
    """

    def __init__(
        self,
        dirpath: str | os.PathLike[str] | None = None,
        *,
        every_n_steps: int | None = None,
        values: bool = False,
        bundle: str | os.PathLike[str] | None = "comgra.html",
        existing_trial: ExistingTrial = "rename",
        **arguments: Any,  # noqa: ANN401
    ) -> None:
        super().__init__()
        self.bundle: Path | None = None
        self._dirpath = None if dirpath is None else Path(dirpath)
        self._run = HostRun("ComgraCallback", Settings(every_n_steps, values, bundle, existing_trial, arguments))

    def _finish_run(self, error: BaseException | None = None, wait: Callable[[], object] | None = None) -> Bundle | None:
        """Ends the recording and writes the page, as `HostRun.finish`."""
        bundle = self._run.finish(error, wait=wait)
        if bundle is not None:
            self.bundle = bundle.path
        return bundle
