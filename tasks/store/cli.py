"""`flgc store`: look at the artifact store, check it and clear it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tasks.store.files import StoreError
from tasks.store.parquet import DamagedArtifact
from tasks.store.store import Store
from tasks.store.upkeep import Listed, Removal, carry_out, find_key, list_artifacts, plan_pruning
from tasks.store.upkeep import verify as verify_store

app = typer.Typer(help="Look at the artifact store, check it and clear it.", no_args_is_help=True)
output = Console()
errors = Console(stderr=True)

StoreOption = Annotated[
    str | None,
    typer.Option("--store", help="Directory or URL.", envvar="FLGC_STORE", show_default=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


@contextmanager
def _readable_errors() -> Iterator[None]:
    try:
        yield
    except (StoreError, DamagedArtifact, KeyError, ValueError) as error:
        errors.print(str(error.args[0]), style="red", soft_wrap=True, markup=False)
        raise typer.Exit(1) from error


@app.command("ls")
def list_(
    stage: Annotated[str | None, typer.Argument(help="Only artifacts of this stage.")] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """What is in the store, newest last."""
    with _readable_errors():
        opened = Store(store)
        listed = sorted(list_artifacts(opened), key=lambda item: item.created or 0.0)
    if stage is not None:
        listed = [item for item in listed if item.stage == stage]
    if as_json:
        typer.echo(json.dumps([_summary(item) for item in listed], indent=2))
        return
    table = Table(title=f"{len(listed)} artifacts in {opened.url}", title_justify="left")
    for heading in ("stage", "key", "parameters"):
        table.add_column(heading, overflow="fold")
    for heading in ("rows", "MB", "seconds", "created"):
        table.add_column(heading, justify="right", no_wrap=True)
    for item in listed:
        digits, made = item.key.rpartition("-")[2], "unknown"
        if item.created is not None:
            made = datetime.fromtimestamp(item.created, UTC).strftime("%Y-%m-%d %H:%M")
        if item.record is None:
            problem = "damaged, unreadable" if item.damaged else "could not be read"
            table.add_row(item.stage, digits[:12], problem, "", _megabytes(item.size), "", made)
            continue
        parameters = " ".join(
            f"{name}={value}" for name, value in item.record["parameters"].items()
        )
        seconds = f"{item.record['seconds']:.2f}"
        rows = str(item.record["rows"])
        size = _megabytes(item.size)
        table.add_row(item.stage, digits[:12], parameters, rows, size, seconds, made)
    output.print(table)


@app.command()
def show(
    key: Annotated[str, typer.Argument(help="A key, or the beginning of one.")],
    rows: Annotated[int, typer.Option(help="How many rows to print.", min=0)] = 5,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """One artifact, checked: where it comes from, and its first rows."""
    with _readable_errors():
        opened = Store(store)
        full_key = find_key(opened, key)
        record = opened.record(full_key)
        table = opened.read(full_key)
    if as_json:
        typer.echo(json.dumps(record, indent=2))
        return
    output.print_json(data=record)
    columns = ", ".join(f"{field.name}: {field.type}" for field in table.schema)
    output.print(f"{table.num_rows} rows of {columns}", markup=False)
    output.print(table.slice(0, rows).to_pandas().to_string(max_colwidth=40), markup=False)


@app.command()
def verify(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Read every artifact and check its seal and digest; exit code 1 if one is not whole."""
    with _readable_errors():
        opened = Store(store)
        results = dict(verify_store(opened))
    problems = {key: problem for key, problem in results.items() if problem is not None}
    damaged = {key: str(p) for key, p in problems.items() if isinstance(p, DamagedArtifact)}
    unreadable = {key: str(p) for key, p in problems.items() if key not in damaged}
    if as_json:
        found = {"checked": len(results), "damaged": damaged, "unreadable": unreadable}
        typer.echo(json.dumps(found, indent=2))
    else:
        for problem in problems.values():
            output.print(str(problem), style="red", soft_wrap=True, markup=False)
        unread = f", {len(unreadable)} could not be read" if unreadable else ""
        counts = f"{len(results)} artifacts checked, {len(damaged)} damaged{unread}"
        output.print(f"{counts} in {opened.url}", soft_wrap=True)
    raise typer.Exit(1 if problems else 0)


@app.command()
def prune(
    older_than: Annotated[
        float | None, typer.Option(help="Also artifacts older than this many days.", min=0)
    ] = None,
    stage: Annotated[
        list[str] | None, typer.Option(help="Also all artifacts of this stage (repeatable).")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(help="All but this artifact and what it was made from (repeatable)."),
    ] = None,
    delete: Annotated[bool, typer.Option("--delete", help="Do it; else only say what.")] = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Clear abandoned temporaries and damaged artifacts, and more when asked.

    Kept in any case: what --keep names and what it was made from, what could not be read, what was
    made since a run began that is still using the store, and the benchmark's history unless
    --stage history is given.
    """
    with _readable_errors():
        opened = Store(store)
        pruning = plan_pruning(
            opened,
            older_than_days=older_than,
            stages=stage or (),
            keep_reachable_from=keep or (),
        )
        removals = carry_out(opened, pruning) if delete else pruning.removals
    if as_json:
        document = {
            "deleted": delete,
            "files": [_file(removal) for removal in removals],
            "kept": [_file(removal) for removal in pruning.kept],
        }
        typer.echo(json.dumps(document, indent=2))
        return
    for removal in removals:
        output.print(f"{removal.name}: {removal.reason}", soft_wrap=True, markup=False)
    for removal in pruning.kept:
        output.print(f"{removal.name}: kept: {removal.reason}", soft_wrap=True, markup=False)
    size = _megabytes(sum(removal.size for removal in removals))
    verb = "removed" if delete else "to remove; add --delete to do it:"
    output.print(f"{verb} {len(removals)} files, {size} MB, in {opened.url}", soft_wrap=True)


def _file(removal: Removal) -> dict[str, object]:
    return {"name": removal.name, "size": removal.size, "reason": removal.reason}


def _summary(item: Listed) -> dict[str, object]:
    standing = {"readable": item.record is not None, "damaged": item.damaged}
    return {"key": item.key, "bytes": item.size, **standing} | (item.record or {})


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.2f}"
