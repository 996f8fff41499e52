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
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

from flows.cli.options import AsJson, StoreUrl

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
def _readable_errors() -> Iterator[None]:
    """A wrong name exits with 2, what the store cannot do with 1, each in one line."""
    from tasks.store import DamagedArtifact, StoreError

    try:
        yield
    except KeyError as error:
        _stop(error, 2)
    except (StoreError, DamagedArtifact, ValueError) as error:
        _stop(error, 1)


def _stop(error: Exception, code: int) -> NoReturn:
    typer.secho(f"flgc store: {error.args[0]}", fg="red", err=True)
    raise typer.Exit(code) from error


def _open(store: str | None) -> "Store":
    from tasks.store import Store, StoreError

    try:
        return Store(store)
    except (StoreError, ValueError) as error:
        _stop(error, 2)


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

    with _readable_errors():
        opened = _open(store)
        items = list_artifacts(opened)
    digits = _enough_digits(items)
    if stage:
        known = sorted({item.stage for item in items})
        unknown = sorted(set(stage) - set(known))
        if unknown and items:
            what = f"no artifact of stage {', '.join(unknown)}; there are {', '.join(known)}"
            _stop(KeyError(what), 2)
        items = [item for item in items if item.stage in stage]
    items.sort(key=lambda item: (_sort_key(item, sort), item.created or 0.0))
    if as_json:
        typer.echo(json.dumps([_summary(item) for item in items], indent=2))
        return
    now = time.time()
    rows = [
        (item.stage, _about(item), _size(item.size), _age(item, now), _digits(item)[:digits])
        for item in items
    ]
    _print_aligned(("stage", "about", "size", "age", "key"), rows, right=(2, 3), cut=1)
    if len(rows) > 1:
        typer.echo()
        _print_aligned(("stage", "artifacts", "size", "seconds"), _totals(items), right=(1, 2, 3))
        typer.echo()
    size = _size(sum(item.size for item in items))
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

    with _readable_errors():
        opened = _open(store)
        full_key = find_key(opened, key)
        record = opened.record(full_key)
        table = opened.read(full_key)
    if as_json:
        columns = {field.name: str(field.type) for field in table.schema}
        typer.echo(json.dumps(record | {"columns": columns}, indent=2))
        return
    moment = datetime.fromisoformat(record["created"])
    about = record["provenance"].get("about", "")
    made_from = record.get("made_from", {})
    inputs = {n: made_from.get(n) or f"sha256 {digest}" for n, digest in record["inputs"].items()}
    noted = {name: value for name, value in record["provenance"].items() if name != "about"}
    typer.secho(full_key, bold=True)
    _print_pairs(
        {
            "about": about,
            "made": f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC in {record['seconds']:.2f} s",
            "content": f"sha256 {record['digest']}",
            "code": f"sha256 {record['code']}",
        }
    )
    sections = {"Parameters": record["parameters"], "Made from": inputs}
    sections |= {"Noted": noted, "Versions": record["versions"]}
    for title, pairs in sections.items():
        if pairs:
            typer.secho(f"\n{title}", bold=True)
            _print_pairs(pairs)
    typer.secho(f"\n{_count(table.num_rows, 'row')}", bold=True)
    _print_pairs({field.name: field.type for field in table.schema})
    if rows and table.num_rows:
        frame = table.slice(0, rows).to_pandas()
        typer.echo()
        typer.echo(frame.to_string(max_colwidth=40, line_width=_width(), index=False))


@app.command()
def verify(store: StoreUrl = None, as_json: AsJson = False) -> None:
    """Read every artifact and check its seal and digest; exit code 1 if one is not whole.

    Example: flgc store verify --json
    """
    from tasks.store import DamagedArtifact
    from tasks.store.upkeep import artifact_keys
    from tasks.store.upkeep import verify as verify_store

    with _readable_errors():
        opened = _open(store)
        keys = artifact_keys(opened)
        results = dict(_show_bar("checking", verify_store(opened), len(keys)))
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

    with _readable_errors():
        opened = _open(store)
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
        typer.echo(f"{removal.name}: {removal.reason}")
    for removal in pruning.kept:
        typer.echo(f"{removal.name}: kept: {removal.reason}")
    size = _size(sum(removal.size for removal in removals))
    verb = "removed" if delete else "to remove; add --delete to do it:"
    typer.echo(f"{verb} {_count(len(removals), 'file')}, {size}, in {opened.url}")


def _file(removal: "Removal") -> dict[str, object]:
    return {"name": removal.name, "size": removal.size, "reason": removal.reason}


def _summary(item: "Listed") -> dict[str, object]:
    """What a script needs to choose; the rest is in `flgc store show KEY --json`."""
    record: Mapping[str, Any] = item.record or {}
    standing = {"readable": item.record is not None, "damaged": item.damaged}
    about = record.get("provenance", {}).get("about", "")
    summary = {"key": item.key, "stage": item.stage, "about": about, "bytes": item.size}
    return summary | {name: record.get(name) for name in NOTED} | standing


def _sort_key(item: "Listed", sort: Order) -> Any:
    record: Mapping[str, Any] = item.record or {}
    orders = {
        "age": item.created or 0.0,
        "size": item.size,
        "seconds": record.get("seconds", 0.0),
        "stage": item.stage,
        "about": _about(item),
    }
    return orders[sort]


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
        (stage, str(numbers[stage]), _size(size), f"{seconds[stage]:.1f}")
        for stage, size in reversed(sizes.most_common())
    ]


def _digits(item: "Listed") -> str:
    return item.key.rpartition("-")[2]


def _enough_digits(items: Iterable["Listed"]) -> int:
    """How many digits tell every artifact from all others."""
    pairs = pairwise(sorted(map(_digits, items)))
    return max([SHORTEST, *(len(commonprefix(pair)) + 1 for pair in pairs)])  # noqa: RUF071 - no paths


def _age(item: "Listed", now: float) -> str:
    if item.created is None:
        return "unknown"
    seconds = max(0.0, now - item.created)
    units = {"d": 86400, "h": 3600, "min": 60}
    unit = next((unit for unit, length in units.items() if seconds >= 2 * length), "s")
    return f"{seconds / units.get(unit, 1):.0f} {unit}"


def _size(size: int) -> str:
    units = {"GB": 1e9, "MB": 1e6, "kB": 1e3}
    unit = next((unit for unit, length in units.items() if size >= length), "B")
    return f"{size / units[unit]:.1f} {unit}" if unit in units else f"{size} B"


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _width() -> int | None:
    """Columns of the terminal; None where there is none, and nothing need be cut."""
    from shutil import get_terminal_size

    return get_terminal_size().columns if sys.stdout.isatty() else None


def _print_aligned(
    header: tuple[str, ...],
    rows: Iterable[tuple[str, ...]],
    right: tuple[int, ...],
    cut: int | None = None,
) -> None:
    """Columns below each other, by hand: rich takes seconds for some thousand rows.

    On a terminal the column `cut` is as narrow as it must be.
    """
    lines = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    width = _width()
    if width is not None and cut is not None:
        others = sum(widths) - widths[cut] + 2 * (len(widths) - 1)
        widths[cut] = min(widths[cut], max(NARROWEST, width - others))
    for number, line in enumerate(lines):
        cells = [
            _shorten(text, size).rjust(size) if i in right else _shorten(text, size).ljust(size)
            for i, (text, size) in enumerate(zip(line, widths, strict=True))
        ]
        typer.secho("  ".join(cells).rstrip(), bold=number == 0 or None)


def _shorten(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 1]}…"


def _print_pairs(pairs: Mapping[str, Any]) -> None:
    """A name and its value in each line."""
    width = max(map(len, pairs), default=0)
    for name, value in pairs.items():
        plain = isinstance(value, dict | list)
        text = json.dumps(value, ensure_ascii=False) if plain else str(value)
        typer.echo(f"  {name:<{width}}  {_shorten(text, WIDEST_VALUE)}".rstrip())


def _show_bar(what: str, items: Iterable[Any], total: int) -> Iterator[Any]:
    """The same items; on a terminal with how many are done and the time left."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(items, what, total=total, console=console, transient=True)
