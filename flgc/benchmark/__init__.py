"""`flgc benchmark`: this library against others, side by side in one run."""

from flgc.benchmark.run import run

__all__ = ["run"]
