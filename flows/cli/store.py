"""`flgc store`: look at the artifact store, check it and clear it.

The store itself is imported by the commands alone: `flgc --help` need not wait for pandas.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import pairwise
from os.path import commonprefix
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.filesize import decimal as format_size

from flows.cli.options import AsJson, StoreUrl
from flows.cli.terminal import errors, format_duration, stop

if TYPE_CHECKING:
    from tasks.store import Store
    from tasks.store.upkeep import Listed, Removal

app = typer.Typer(
    help="Look at the artifact store, check it and clear it.\n\nExample: flgc store ls --stage fit",
    no_args_is_help=True,
    add_completion=False,
)

Order = Literal["age", "size", "seconds", "stage", "about"]

SHORTEST = 8  # digits of a key in a list; more where they are not enough to tell it
NARROWEST = 20  # columns for what an artifact is about, on the narrowest terminal
NOTED = ("created", "seconds", "rows")
WIDEST_VALUE = 300  # characters of a parameter that are shown; all of them are in --json


@contextmanager
def _open(url: str | None) -> "Iterator[Store]":
    """The store. A wrong name exits with 2, what the store cannot do with 1, each in one line."""
    from tasks.store import Store, StoreError

    try:
        store = Store(url)
    except (StoreError, ValueError) as error:
        stop("store", error, 2)
    try:
        yield store
    except KeyError as error:
        stop("store", LookupError(*error.args), 2)  # its text, which a KeyError shows in quotes
    except (StoreError, ValueError) as error:
        stop("store", error, 1)


@app.command("ls")
@app.command("list", hidden=True)
def list_(
    stage: Annotated[
        list[str] | None, typer.Option(help="Only artifacts of this stage; repeat it.")
    ] = None,
    sort: Annotated[Order, typer.Option(help="By what; the newest or largest are last.")] = "age",
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """What is in the store: a line for each artifact, and totals by stage.

    The digits of the key are enough for `flgc store show`.

    Example: flgc store ls --stage score --stage fit --sort size

    Example: flgc store ls --json
    """
    from tasks.store.upkeep import list_artifacts

    with _open(store) as opened:
        items = list_artifacts(opened)
        digits = _enough_digits(items)
        if stage:
            known = sorted({item.stage for item in items})
            unknown = sorted(set(stage) - set(known))
            if unknown and items:
                stages = ", ".join(known)
                raise KeyError(f"no artifact of stage {', '.join(unknown)}; there are {stages}")
            items = [item for item in items if item.stage in stage]
    items.sort(key=lambda item: (_sort_key(item, sort), item.created or 0.0))
    if as_json:
        typer.echo(json.dumps([_summary(item) for item in items], indent=2))
        return
    now = time.time()
    rows = [
        (item.stage, _about(item), format_size(item.size), _age(item, now), _digits(item)[:digits])
        for item in items
    ]
    _print_aligned("<<>><", ("stage", "about", "size", "age", "key"), rows)
    if len(rows) > 1:
        typer.echo()
        _print_aligned("<>>>", ("stage", "artifacts", "size", "seconds"), _totals(items))
        typer.echo()
    size = format_size(sum(item.size for item in items))
    typer.echo(f"{_count(len(items), 'artifact')}, {size}, in {opened.url}")


@app.command()
def show(
    key: Annotated[str, typer.Argument(help="A key, its digits, or the beginning of either.")],
    rows: Annotated[int, typer.Option(help="How many rows to print.", min=0)] = 5,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """One artifact, checked: where it comes from, and its first rows.

    Example: flgc store show 3f2a91c0 --rows 20

    Example: flgc store show fit-3f2a --json
    """
    from tasks.store.upkeep import find_key

    with _open(store) as opened:
        full_key = find_key(opened, key)
        record = opened.record(full_key)
        table = opened.read(full_key)
    if as_json:
        columns = {field.name: str(field.type) for field in table.schema}
        typer.echo(json.dumps(record | {"columns": columns}, indent=2))
        return
    made = datetime.fromisoformat(record["created"]).astimezone(UTC)
    provenance, sources = record["provenance"], record.get("made_from", {})
    inputs = {n: sources.get(n) or f"sha256 {digest}" for n, digest in record["inputs"].items()}
    sections = {
        full_key: {
            "about": provenance.pop("about", ""),
            "made": f"{made:%Y-%m-%d %H:%M} UTC in {record['seconds']:.2f} s",
            "content": f"sha256 {record['digest']}",
            "code": f"sha256 {record['code']}",
        },
        "Parameters": record["parameters"],
        "Made from": inputs,
        "Noted": provenance,
        "Versions": record["versions"],
        _count(table.num_rows, "row"): {field.name: field.type for field in table.schema},
    }
    blocks = [_block(title, pairs) for title, pairs in sections.items() if pairs]
    if rows and table.num_rows:
        frame = table.slice(0, rows).to_pandas()
        blocks.append(frame.to_string(max_colwidth=40, line_width=_width(), index=False))
    typer.echo("\n\n".join(blocks))


@app.command()
def verify(store: StoreUrl = None, as_json: AsJson = False) -> None:
    """Read every artifact and check its seal and digest; exit code 1 if one is not whole.

    Example: flgc store verify --json
    """
    from rich.progress import track

    from tasks.store import DamagedArtifact
    from tasks.store.upkeep import artifact_keys
    from tasks.store.upkeep import verify as verify_store

    with _open(store) as opened:
        checks = track(
            verify_store(opened),
            "checking",
            len(artifact_keys(opened)),
            console=errors,
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        results = dict(checks)
    problems = {key: problem for key, problem in results.items() if problem is not None}
    damaged = {key: str(p) for key, p in problems.items() if isinstance(p, DamagedArtifact)}
    unreadable = {key: str(p) for key, p in problems.items() if key not in damaged}
    if as_json:
        summary = {"checked": len(results), "damaged": damaged, "unreadable": unreadable}
        typer.echo(json.dumps(summary, indent=2))
    else:
        for problem in problems.values():
            typer.secho(str(problem), fg="red")
        unread = f", {len(unreadable)} could not be read" if unreadable else ""
        counts = f"{len(results)} artifacts checked, {len(damaged)} damaged{unread}"
        typer.echo(f"{counts} in {opened.url}")
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
    delete: Annotated[bool, typer.Option("--delete", help="Delete; else only list.")] = False,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Delete abandoned temporaries and damaged artifacts, and more on request.

    Kept in any case: what --keep names and what it was made from, what could not be read, what was
    made since a run began that is still using the store, and the history without --stage history.

    Example: flgc store prune --older-than 90

    Example: flgc store prune --keep report-5b1e --delete
    """
    from tasks.store.upkeep import carry_out, plan_pruning

    with _open(store) as opened:
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
            "files": _files(removals),
            "kept": _files(pruning.kept),
        }
        typer.echo(json.dumps(document, indent=2))
        return
    for removal in removals:
        typer.echo(f"{removal.name}: {removal.reason}")
    for removal in pruning.kept:
        typer.echo(f"{removal.name}: kept: {removal.reason}")
    size = format_size(sum(removal.size for removal in removals))
    files = f"{_count(len(removals), 'file')}, {size}, in {opened.url}"
    typer.echo(f"removed {files}" if delete else f"to remove: {files}; add --delete to remove them")


def _files(removals: "Iterable[Removal]") -> list[dict[str, object]]:
    return [{"name": each.name, "size": each.size, "reason": each.reason} for each in removals]


def _summary(item: "Listed") -> dict[str, object]:
    """What a script needs to choose; the rest is in `flgc store show KEY --json`."""
    record: Mapping[str, Any] = item.record or {}
    standing = {"readable": item.record is not None, "damaged": item.damaged}
    about = record.get("provenance", {}).get("about", "")
    summary = {"key": item.key, "stage": item.stage, "about": about, "bytes": item.size}
    return summary | {name: record.get(name) for name in NOTED} | standing


def _sort_key(item: "Listed", sort: Order) -> Any:
    seconds = item.record["seconds"] if item.record else 0.0
    orders = {"age": item.created or 0.0, "seconds": seconds, "about": _about(item)}
    return orders[sort] if sort in orders else getattr(item, sort)


def _about(item: "Listed") -> str:
    if item.record is None:
        return "damaged, unreadable" if item.damaged else "could not be read"
    return str(item.record["provenance"].get("about", ""))


def _totals(items: Iterable["Listed"]) -> list[tuple[str, ...]]:
    """Stages by size, the largest last."""
    numbers, sizes, seconds = Counter[str](), Counter[str](), Counter[str]()
    for item in items:
        numbers[item.stage] += 1
        sizes[item.stage] += item.size
        seconds[item.stage] += item.record["seconds"] if item.record else 0
    return [
        (stage, str(numbers[stage]), format_size(size), f"{seconds[stage]:.1f}")
        for stage, size in reversed(sizes.most_common())
    ]


def _digits(item: "Listed") -> str:
    return item.key.rpartition("-")[2]


def _enough_digits(items: Iterable["Listed"]) -> int:
    """How many digits tell every artifact from all others."""
    pairs = pairwise(sorted(map(_digits, items)))
    return max([SHORTEST, *(len(commonprefix(pair)) + 1 for pair in pairs)])  # noqa: RUF071 - no paths


def _age(item: "Listed", now: float) -> str:
    return "unknown" if item.created is None else format_duration(max(0.0, now - item.created))


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _width() -> int | None:
    """Columns of the terminal; None without one, when nothing need be cut."""
    return get_terminal_size().columns if sys.stdout.isatty() else None


def _print_aligned(sides: str, header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Columns to the left (<) or right (>), by hand: rich takes seconds for some thousand rows.

    On a terminal the second one is as narrow as it must be.
    """
    lines = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    width = _width()
    if width is not None:
        others = sum(widths) - widths[1] + 2 * (len(widths) - 1)
        widths[1] = min(widths[1], max(NARROWEST, width - others))
    form = "  ".join(f"{{:{side}{size}}}" for side, size in zip(sides, widths, strict=True))
    for number, (first, second, *more) in enumerate(lines):
        line = form.format(first, _shorten(second, widths[1]), *more)
        typer.secho(line.rstrip(), bold=number == 0 or None)


def _shorten(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 1]}…"


def _block(title: str, pairs: Mapping[str, Any]) -> str:
    """A title, and a name and its value in each line."""
    width = max(map(len, pairs))
    lines = [typer.style(title, bold=True)]
    for name, value in pairs.items():
        plain = isinstance(value, dict | list)
        text = json.dumps(value, ensure_ascii=False) if plain else str(value)
        lines.append(f"  {name:<{width}}  {_shorten(text, WIDEST_VALUE)}".rstrip())
    return "\n".join(lines)
