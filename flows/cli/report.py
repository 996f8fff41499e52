"""`flgc report`: a report that is in the store, as files; nothing is computed."""

import webbrowser
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import StoreUrl
from flows.cli.terminal import be_quiet, output, stop

if TYPE_CHECKING:
    from tasks.store import Store
    from tasks.store.upkeep import Listed

app = typer.Typer(add_completion=False)


@app.command("report")
def report(
    suite: Annotated[
        str | None, typer.Option(help="Of this suite, see --list; default: the newest of all.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The folder; default: artifacts/report, and the suite.")
    ] = None,
    store: StoreUrl = None,
    show: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    list_only: Annotated[
        bool, typer.Option("--list", help="List the reports of the store, and write none.")
    ] = False,
) -> None:
    """Write the newest report of the store: one HTML page, Markdown, LaTeX, CSV and figures.

    It is the report that its run has stored: nothing is computed again.

    Example: flgc report --suite tiny --out report --open
    """
    be_quiet()
    from flows.reports import report_folder
    from tasks.stages.report import export
    from tasks.store import Store, StoreError

    try:
        opened = Store(store)
        reports = newest(opened)
        if list_only:
            for name, item in reports.items():
                line = f"{name}  {_moment(item)}  {item.key}"
                output.print(line, soft_wrap=True, highlight=False)
            return
        name = _choose(opened.url, list(reports), suite)
        path = export(opened.read(reports[name].key).to_pandas(), out or report_folder(name))
    except (ValueError, StoreError) as error:
        stop("report", error, 2)
    page = path.with_name("report.html")
    page = page if page.is_file() else path  # reports of old have no page
    text = f"Report of {name}, made {_moment(reports[name])}: {page}"
    output.print(text, soft_wrap=True, highlight=False)
    if show:
        webbrowser.open(page.absolute().as_uri())


def newest(store: "Store") -> "dict[str, Listed]":
    """The newest report of each suite, or of each table that was run alone, the newest last."""
    from tasks.store.upkeep import list_artifacts

    reports = [item for item in list_artifacts(store) if item.stage == "report" and item.record]
    # The time in a record is in seconds, and a run may write two reports in one.
    ordered = sorted(reports, key=lambda item: (item.created or 0.0, item.modified or 0.0))
    by_name: dict[str, Listed] = {}
    for item in ordered:
        name = (item.record or {})["provenance"]["about"]
        by_name.pop(name, None)
        by_name[name] = item
    return by_name


def _choose(url: str, names: list[str], suite: str | None) -> str:
    if not names:
        raise ValueError(f"store {url} has no report; `flgc reproduce` makes one")
    if suite is not None and suite not in names:
        raise ValueError(f"store {url} has no report of {suite!r}; choose from {', '.join(names)}")
    return suite or names[-1]


def _moment(item: "Listed") -> str:
    return datetime.fromtimestamp(item.created or 0.0, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
