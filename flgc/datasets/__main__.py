"""`python -m flgc.datasets` is `flgc datasets`."""

from flgc.datasets.cli import app

app(prog_name="flgc datasets")
