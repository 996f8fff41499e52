"""The `flgc` command.

The library's own commands are here; those of a checkout (flows, store) join by entry point, so
the library does not import them. Scripts can rely on the same for all commands: results on stdout,
all else on stderr, and the codes of `EXIT_CODES`.
"""

from __future__ import annotations

import errno
import inspect
import json
import sys
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from flgc.completion import method_names
from flgc.datasets.cli import app as datasets_app
from flgc.datasets.errors import DatasetError, UnknownDataset
from flgc.predicting_cli import predict
from flgc.statistics.cli import compare

COMMAND_GROUP = "flgc.commands"
EXIT_CODES = (
    "Exits with 0 if all is well; with 1 if something failed; with 2 if the command line is wrong, "
    "an unknown name or a missing file included, and nothing was done; with 130 after Ctrl-C."
)


class _Commands(TyperGroup):
    """The commands of the library and of the group `flgc.commands`, with common exit codes.

    If only the library is installed, the modules of the group are missing.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *sorted(_checkout_commands())]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return _unwrapped(own)
        entry = _checkout_commands().get(cmd_name)
        if entry is None:
            return None
        try:
            loaded = entry.load()
        except ModuleNotFoundError as error:
            return _unavailable(cmd_name, error)
        command = typer.main.get_command(loaded)
        command.name = cmd_name
        return _unwrapped(command)

    def invoke(self, ctx: Any) -> Any:
        """One line for errors of data and files; a traceback for faults of the program."""
        try:
            return super().invoke(ctx)
        except (DatasetError, OSError) as error:
            message = str(error)
            if isinstance(error, OSError):
                if error.errno == errno.EPIPE or not error.filename:
                    raise  # the reader of a pipe has gone, or the file is unknown
                message = f"{error.filename}: {error.strerror}"
            typer.echo(f"flgc {ctx.invoked_subcommand}: {' '.join(message.split())}", err=True)
            raise typer.Exit(2 if isinstance(error, UnknownDataset) else 1) from error


def _unwrapped(command: Any) -> Any:
    """Each paragraph of its help in one line, so that terminals wrap it at their own width."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    command.help = "\n\n".join(" ".join(each.split("\n")) for each in paragraphs)
    for each in getattr(command, "commands", {}).values():
        _unwrapped(each)
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
    cls=_Commands,
    no_args_is_help=True,
    help="Fully linear graph convolution: exact, closed-form graph classification and clustering."
    "\n\nExample: flgc datasets ls"
    "\n\nExample: flgc compare results.csv --json",
    epilog=f"{EXIT_CODES} Completion of commands and options: flgc --install-completion",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,  # what is left is a bug: a plain traceback to report it
)
app.add_typer(datasets_app, name="datasets")
app.command("compare")(compare)
app.command("predict")(predict)


def _print_version(wanted: bool) -> None:
    if wanted:
        from flgc.version import __version__

        typer.echo(__version__)
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

    Compare the ratios, not the seconds. The extra `gnn` adds PyG to the comparison.

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
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Show only these, with the values of their settings.", autocompletion=method_names
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a list.")] = False,
) -> None:
    """List the methods for tables; yours join by the entry point group `flgc.methods`.

    Name a scikit-learn estimator or a method in a module with --method module:object.

    Example: flgc methods

    Example: flgc methods 'FLGC*' --json
    """
    from flgc.methods.registry import UnknownMethod, listed, resolve_method

    try:
        wanted = [resolve_method(name) for name in names or ()]
    except UnknownMethod as unknown:
        typer.echo(f"flgc methods: {unknown}", err=True)
        raise typer.Exit(2) from unknown
    rows = [row for row in listed() if not names or row["name"] in wanted]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    if names:
        typer.echo("\n\n".join(map(_in_full, rows)))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("name", "task", "settings", "of", "from"):
        right = heading == "settings"
        table.add_column(heading, justify="right" if right else "left", no_wrap=heading != "of")
    for row in rows:
        if "error" in row:
            error = Text(row["error"], style="red")  # Text, so that brackets are not markup
            table.add_row(Text(row["name"]), row["task"], "", error, "")
            continue
        varied = {axis: len(values) for axis, values in row["axes"].items() if len(values) > 1}
        axes = ", ".join(f"{count} {axis}" for axis, count in varied.items())
        texts = (row["name"], row["task"], str(row["settings"]), axes, row["origin"])
        table.add_row(*map(Text, texts))
    Console(width=None if sys.stdout.isatty() else 160).print(table)
    typer.echo("For the values of a method's settings and its reference: flgc methods NAME")


def _in_full(row: dict[str, Any]) -> str:
    """A method with all values of its settings."""
    if "error" in row:
        return f"{row['name']}: {row['error']}"
    lines = {axis: ", ".join(map(_plainly, values)) for axis, values in row["axes"].items()}
    lines |= {"settings": row["settings"], "reference": row["reference"], "from": row["origin"]}
    width = max(map(len, lines))
    title = f"{row['name']}, {row['task']}"
    return "\n".join([title, *(f"  {name:<{width}}  {text}" for name, text in lines.items())])


def _plainly(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
