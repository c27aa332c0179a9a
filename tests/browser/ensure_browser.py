"""Make sure that there is a Chromium for the browser tests: a missing browser is a failure, not a skip."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from browser.chromium import find_chromium


def main() -> int:
    """Install a Chromium where none is found; return the exit code."""
    if find_chromium():
        return 0
    print("No Chromium found; installing one ...", flush=True)
    commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if shutil.which("apt-get") and os.geteuid() == 0:
        commands.insert(0, ["sh", "-c", "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium"])
    for command in commands:
        if subprocess.run(command, check=False).returncode == 0 and find_chromium():
            return 0
    print("A Chromium could not be installed. Install one, or set COMGRA_CHROMIUM to its path.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
