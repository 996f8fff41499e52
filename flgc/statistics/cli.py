"""`flgc compare`: is one method better than another, over a table of results?"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from flgc.statistics.many_methods import Comparison

FIGURES = (".png", ".svg")
PIPED_WIDTH = 100  # columns where there is no terminal


def compare(
    results: Annotated[
        str, typer.Argument(help="CSV or Parquet file of results; - reads CSV from standard input.")
    ],
    control: Annotated[
        str | None,
        typer.Option(help="Method to compare with all others; by default the best in mean rank."),
    ] = None,
    level: Annotated[float, typer.Option(help="Level of significance.")] = 0.05,
    lower_is_better: Annotated[
        bool, typer.Option("--lower-is-better", help="Values are errors, not accuracies.")
    ] = False,
    markdown: Annotated[Path | None, typer.Option(help="Markdown file to write.")] = None,
    latex: Annotated[Path | None, typer.Option(help="LaTeX file to write (booktabs).")] = None,
    figure: Annotated[
        list[Path] | None,
        typer.Option(help="Critical-difference diagram to write, .png or .svg; repeatable."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """Compare methods over datasets: exact Wilcoxon tests, Holm's correction, Friedman's test.

    The first column names the dataset, each further column is a method. Or the columns are dataset,
    method and value; several rows of a cell, such as runs, are averaged. A cell may be "85.3 ± 1.2"
    (the mean counts) or missing: empty, NA, - or n/a.

    Example: flgc compare results.csv --control 'FLGC*' --latex table.tex --figure ranks.svg
    """
    try:
        _compare(results, control, level, lower_is_better, markdown, latex, figure or [], as_json)
    except (ModuleNotFoundError, OSError, ValueError) as error:
        message = str(error)
        if isinstance(error, OSError) and error.filename is not None:
            message = f"{error.filename}: {error.strerror}"
        typer.echo(f"flgc compare: {' '.join(message.split())}", err=True)
        raise typer.Exit(2) from error


def _compare(
    results: str,
    control: str | None,
    level: float,
    lower_is_better: bool,
    markdown: Path | None,
    latex: Path | None,
    figures: list[Path],
    as_json: bool,
) -> None:
    from flgc.statistics import rendering
    from flgc.statistics.many_methods import comparison
    from flgc.statistics.reading import read_results

    for path in figures:
        if path.suffix.lower() not in FIGURES:
            raise ValueError(f"{path} must end with {' or '.join(FIGURES)}")
    table, notes = read_results(results)
    if lower_is_better:
        table, notes = -table, ["Lower values are better.", *notes]
    result = comparison(table, control, level=level)
    # Everything is computed before anything is written.
    files = {path: _figure(result, path.suffix.lower()) for path in figures}
    if markdown:
        files[markdown] = rendering.as_markdown(result, notes).encode()
    if latex:
        files[latex] = rendering.as_latex(result, notes).encode()
    for path, content in files.items():
        path.write_bytes(content)
    if as_json:
        typer.echo(json.dumps(rendering.as_json(result, notes), indent=2, allow_nan=False))
        return
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else PIPED_WIDTH, highlight=False)
    for part in rendering.in_terminal(result, console.width, notes):
        console.print(part)
    for path in files:
        typer.echo(f"Written: {path}")


def _figure(result: "Comparison", suffix: str) -> bytes:
    from flgc.statistics import diagram

    return diagram.as_png(result) if suffix == ".png" else diagram.as_svg(result).encode()
