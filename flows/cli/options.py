"""Options that several commands have, each with one help text."""

from typing import Annotated

import typer

from flgc.completion import dataset_names, method_names

Datasets = Annotated[
    list[str] | None,
    typer.Option(
        "--dataset", "-d", help="Only these; repeat for several.", autocompletion=dataset_names
    ),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        "-m",
        help="Only these of `flgc methods`, or module:Class; repeat for several.",
        autocompletion=method_names,
    ),
]
Protocols = Annotated[
    list[str] | None, typer.Option("--protocol", help="paper, honest; default: both.")
]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")]
StoreUrl = Annotated[
    str | None,
    typer.Option(
        "--store",
        help="Directory or URL of the artifacts.",
        envvar="FLGC_STORE",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
