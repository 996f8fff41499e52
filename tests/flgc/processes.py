"""Python in a process of its own: what is imported, printed and answered there."""

import os
import subprocess
import sys


def python(code: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)


def naming(*packages: str) -> str:
    """Code that names, on the standard error at the end, those of the packages that it imported."""
    loaded = f"{set(packages)} & set(sys.modules)"
    return f"import sys, atexit; atexit.register(lambda: print(*{loaded}, file=sys.stderr))\n"
