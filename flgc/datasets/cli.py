"""`flgc datasets`: list, show, fetch, verify, add."""

import collections
import dataclasses
import json
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from flgc.completion import dataset_names
from flgc.datasets.catalogue.registry import REGISTRY
from flgc.datasets.dataset import titled
from flgc.datasets.errors import DatasetError, NotReachable
from flgc.datasets.fetching.settings import Settings
from flgc.datasets.library import State, describe, fetch, own_names, state, verify

app = typer.Typer(
    name="datasets",
    help="Datasets: list, fetch and check them, add your own.\n\nExample: flgc datasets fetch Cora",
    add_completion=False,
)

Names = Annotated[
    list[str] | None, typer.Argument(help="Names of datasets.", autocompletion=dataset_names)
]
Mirror = Annotated[
    str | None, typer.Option(help="Folder or URL with the raw files. Default: $FLGC_MIRROR.")
]
Cache = Annotated[
    Path | None, typer.Option(help="Folder where datasets are kept. Default: $FLGC_CACHE.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

GOOD = ("cached", "embedded", "fetched", "ok", "yours")
LIST_WIDTH = 88  # columns of the list without the sources
BAD = ("damaged", "failed", "not available", "not reachable")


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context, mirror: Mirror = None, cache: Cache = None, as_json: AsJson = False
) -> None:
    """List all datasets if no command is given."""
    if context.invoked_subcommand is None:
        list_command(mirror, cache, as_json)
        return
    options = {"mirror": mirror, "cache": cache, "as_json": as_json}
    # Options before the command count as if they came after it.
    context.default_map = {
        command: {key: value for key, value in options.items() if value}
        for command in ("ls", "list", "show", "fetch", "verify", "add")
    }


@app.command("ls")
@app.command("list", hidden=True)
def list_command(mirror: Mirror = None, cache: Cache = None, as_json: AsJson = False) -> None:
    """List all datasets with their sizes and state: cached, or the source they would come from.

    Example: flgc datasets ls --json
    """
    try:
        settings = Settings.of(mirror, cache)
        rows = [describe(name, settings) for name in (*REGISTRY, *_only_own(settings))]
    except DatasetError as error:
        _stop(str(error))
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for column in ("name", "kind", "classes", "instances", "features", "state"):
        right = column in ("classes", "instances", "features")
        table.add_column(column, justify="right" if right else "left", no_wrap=True)
    console = Console()
    left = console.width - LIST_WIDTH
    wide = left >= 30
    if wide:
        table.add_column("from", no_wrap=True, overflow="ellipsis", max_width=left)
    for row in rows:
        sizes = (str(row[key]) for key in ("classes", "instances", "features"))
        where = ["" if row["state"] in GOOD else row["detail"]] if wide else []
        standing = f"[{_colour(row['state'])}]{row['state']}[/]"
        table.add_row(
            titled(row["name"], row["marks"]), row["kind"] or "", *sizes, standing, *where
        )
    console.print(table)
    for row in rows:
        if row["state"] == "not available":
            typer.echo(f"{row['name']}: {row['detail']}")


@app.command("show")
def show_command(
    name: Annotated[str, typer.Argument(help="Name of a dataset.", autocompletion=dataset_names)],
    mirror: Mirror = None,
    cache: Cache = None,
    as_json: AsJson = False,
) -> None:
    """Show one dataset: its size, state, citation, licence and notes.

    Example: flgc datasets show ORL
    """
    try:
        row = describe(name, Settings.of(mirror, cache))
    except DatasetError as error:
        _stop(str(error))
    entry = None if row["state"] == "yours" else REGISTRY.get(row["name"])
    if entry is not None:
        details = ("citation", "licence", "notes", "class_names", "leaking", "digest")
        row |= {key: getattr(entry, key) for key in details}
    if as_json:
        typer.echo(json.dumps(row, indent=2))
        return
    lines = {key: value for key, value in row.items() if value not in (None, "", [], ())}
    width = max(map(len, lines))
    for key, value in lines.items():
        text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
        typer.echo(f"{key.replace('_', ' '):<{width}}  {text}")


@app.command("fetch")
def fetch_command(
    names: Names = None,
    everything: Annotated[bool, typer.Option("--all", help="Every dataset.")] = False,
    mirror: Mirror = None,
    cache: Cache = None,
    offline: Annotated[bool, typer.Option("--offline", help="Cache and mirror only.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fetch, check and parse datasets. Exits with 0 only if all available ones arrived.

    A dataset is "not reachable" if no source could be reached from here and none gave wrong
    content: this counts as a failure, as other machines can fetch it. Datasets that no source has
    are listed and tolerated with --all; by name they are failures.

    Example: flgc datasets fetch Cora ORL

    Example: flgc datasets fetch --all --mirror /data/mirror --json
    """
    if bool(names) == everything:
        raise typer.BadParameter("give names of datasets, or --all")
    chosen = list(REGISTRY) if everything else _spellings(names or [], mirror, cache)
    outcomes = []
    unreached: dict[str, list[str]] = {}
    for name in chosen:
        try:
            outcome = fetch(name, mirror=mirror, cache=cache, offline=offline)
        except NotReachable as error:
            outcome = State(name, "not reachable", str(error))
            for place, reason in error.reasons.items():
                unreached.setdefault(f"{place}: {reason}", []).append(name)
        except DatasetError as error:
            nowhere = name in REGISTRY and not REGISTRY[name].routes
            outcome = State(name, "not available" if nowhere else "failed", str(error))
        outcomes.append(outcome)
        _show(outcome, as_json)
    if unreached and not as_json:
        typer.echo("Not reachable from here (FLGC_MIRROR or --mirror can name a mirror):")
        for place, missed in unreached.items():
            typer.echo(f"  {place} ({', '.join(missed)})")
    bad = ("failed", "not reachable")
    _finish(outcomes, as_json, bad=bad if everything else (*bad, "not available"))


@app.command("verify")
def verify_command(names: Names = None, cache: Cache = None, as_json: AsJson = False) -> None:
    """Check the digests of all files in the cache. Exits with 1 if something is damaged.

    A dataset that is named and not cached is a failure too.

    Example: flgc datasets verify
    """
    everything = [*REGISTRY, *_only_own(Settings.of(None, cache))]
    outcomes = []
    for name in _spellings(names, None, cache) if names else everything:
        try:
            outcome = verify(name, cache=cache)
        except DatasetError as error:
            outcome = State(name, "damaged", str(error))
        outcomes.append(outcome)
        _show(outcome, as_json)
    missing = ("not cached", "not available") if names else ()
    _finish(outcomes, as_json, bad=("damaged", *missing))


@app.command("add")
def add_command(
    name: Annotated[str, typer.Argument(help="The name it will have.")],
    file: Annotated[
        Path, typer.Argument(help="CSV or Parquet table, or a PyG .pt file.", exists=True)
    ],
    label: Annotated[str | None, typer.Option(help="Label column; the last by default.")] = None,
    header: Annotated[
        bool, typer.Option(help="The first line of a CSV has the column names.")
    ] = True,
    edges: Annotated[
        Path | None, typer.Option(help="Edge list, for a node table.", exists=True)
    ] = None,
    node: Annotated[str | None, typer.Option(help="Column with the names that edges use.")] = None,
    ordinal: Annotated[bool, typer.Option("--ordinal", help="Categories as numbers.")] = False,
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out.")] = None,
    tidy: Annotated[
        bool,
        typer.Option("--tidy", help="Fill missing values, leave out columns without information."),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the dataset of that name.")
    ] = False,
    cache: Cache = None,
) -> None:
    """Add your own data as a dataset that can be loaded by name.

    Example: flgc datasets add mine measurements.csv --label kind --tidy

    Example: flgc datasets add web nodes.csv --edges links.csv --node id --label topic
    """
    from flgc.datasets import own

    try:
        if not force and name.lower() in map(str.lower, own_names(Settings.of(None, cache))):
            raise DatasetError(
                f"dataset {name!r} exists already; give --force to replace it, or another name"
            )
        dataset = own.from_files(
            file,
            edges=edges,
            label=label,
            node=node,
            header=header,
            categorical="ordinal" if ordinal else "onehot",
            drop=drop or (),
            tidy=tidy,
        )
        kept = own.add(dataset, name, cache=cache)
    except DatasetError as error:
        _stop(str(error))
    for note in dataset.provenance["notes"][1:]:
        typer.echo(note)
    typer.echo(
        f"{name}: {dataset.kind}, {dataset.n_classes} classes, {dataset.n_nodes} instances, "
        f"{dataset.n_features} features -> {kept}"
    )


def _only_own(settings: Settings) -> list[str]:
    return [name for name in own_names(settings) if name not in REGISTRY]


def _spellings(names: list[str], mirror: str | None, cache: Path | None) -> list[str]:
    """The names as the registry spells them; a wrong one ends the command before any work."""
    try:
        return [state(name, mirror=mirror, cache=cache).name for name in names]
    except DatasetError as error:
        _stop(str(error))


def _show(outcome: State, as_json: bool) -> None:
    if not as_json:
        detail = "" if outcome.status == "not reachable" else outcome.detail  # listed by host below
        status = typer.style(f"{outcome.status:13}", fg=_colour(outcome.status))
        typer.echo(f"{titled(outcome.name, outcome.marks):24} {status} {detail}".rstrip())


def _finish(outcomes: list[State], as_json: bool, bad: tuple[str, ...]) -> None:
    if as_json:
        typer.echo(json.dumps([dataclasses.asdict(outcome) for outcome in outcomes], indent=2))
    else:
        counts = collections.Counter(outcome.status for outcome in outcomes)
        typer.echo(", ".join(f"{count} {status}" for status, count in counts.items()))
    if any(outcome.status in bad for outcome in outcomes):
        raise typer.Exit(1)


def _colour(status: str) -> str:
    return "green" if status in GOOD else "red" if status in BAD else "yellow"


def _stop(message: str, code: int = 2) -> NoReturn:
    typer.echo(f"flgc datasets: {message}", err=True)
    raise typer.Exit(code)
