"""The `flgc` command.

The library's own commands are here; those of a checkout (flows, store) join by entry point, so
that the library imports nothing of theirs.
"""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, entry_points, version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from flgc.datasets.cli import app as datasets_app
from flgc.predicting_cli import predict
from flgc.statistics.cli import compare

COMMAND_GROUP = "flgc.commands"


class _WithCheckoutCommands(TyperGroup):
    """Commands of the group `flgc.commands`; in a library-only install their modules are absent."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *sorted(_checkout_commands())]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        entry = _checkout_commands().get(cmd_name)
        if entry is None:
            return None
        try:
            loaded = entry.load()
        except ModuleNotFoundError as error:
            return _unavailable(cmd_name, error)
        command = typer.main.get_command(loaded)
        command.name = cmd_name
        return command


def _checkout_commands() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=COMMAND_GROUP)}


def _unavailable(name: str, error: ModuleNotFoundError) -> Any:
    stand_in = typer.Typer()

    @stand_in.command(name, help="Not available here: needs a checkout of the repository.")
    def explain() -> None:
        typer.echo(
            f"`flgc {name}` belongs to the pipeline, which runs from a checkout of the repository "
            f"with `make setup` (missing here: {error.name}).",
            err=True,
        )
        raise typer.Exit(1)

    command = typer.main.get_command(stand_in)
    command.ignore_unknown_options = True
    command.allow_extra_args = True
    return command


app = typer.Typer(
    cls=_WithCheckoutCommands,
    no_args_is_help=True,
    help="Fully linear graph convolution: exact, closed-form graph classification and clustering.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(datasets_app, name="datasets")
app.command("compare")(compare)
app.command("predict")(predict)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version("flgc"))
        raise typer.Exit


@app.callback()
def _options(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


@app.command()
def benchmark(
    datasets: Annotated[
        list[str] | None,
        typer.Option("--dataset", "-d", help="Graphs to measure on; repeat for several."),
    ] = None,
    sections: Annotated[
        list[str] | None,
        typer.Option(
            "--section",
            "-s",
            help="settings, fit, grid, scaling, clustering, graph-clustering, image-clustering or "
            "calibration; default: all.",
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Runs of each fit; the median counts.")] = 3,
    largest: Annotated[int, typer.Option(min=1000, help="Nodes of the largest graph.")] = 1_000_000,
    out: Annotated[
        str, typer.Option(help="Parquet file to write.")
    ] = "benchmark/benchmark.parquet",
    mirror: Annotated[str | None, typer.Option(help="Folder or URL to take datasets from.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Measure this library against the plain recipe, scikit-learn and PyG, in one run.

    What counts are the ratios, not the seconds. The extra `gnn` brings PyG into the comparison.

    Example: flgc benchmark --dataset Cora --section fit --section grid
    """
    from flgc.benchmark.run import run

    try:
        run(datasets, sections, repeats, largest, out, mirror, as_json)
    except ValueError as error:
        typer.echo(f"flgc benchmark: {error}", err=True)
        raise typer.Exit(2) from error


@app.command()
def methods(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List what can stand in a table: yours join by the entry point group `flgc.methods`.

    A scikit-learn estimator or a method in a module is named with --method module:object.

    Example: flgc reproduce --suite tiny --method 'FLGC*' --method sklearn.svm:SVC
    """
    import json

    from flgc.methods.registry import listed

    rows = list(listed())
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("name", "task", "settings", "axes", "reference", "from")
    for row in rows:
        if "error" in row:
            error = Text(row["error"], style="red")  # as it is: what is in brackets is no markup
            table.add_row(Text(row["name"]), row["task"], "", error, "", "")
            continue
        axes = "\n".join(f"{axis}: {_shortly(values)}" for axis, values in row["axes"].items())
        texts = (row["name"], row["task"], str(row["settings"]), axes)
        table.add_row(*map(Text, (*texts, row["reference"], row["origin"])))
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def _shortly(values: list) -> str:
    """A few values in full, many by their ends."""
    texts = [f"{value:g}" if isinstance(value, float) else str(value) for value in values]
    return ", ".join(texts) if len(texts) <= 6 else f"{texts[0]} .. {texts[-1]} ({len(texts)})"
