"""`flgc predict`: labels for rows without one."""

import json
from pathlib import Path
from typing import Annotated

import typer


def predict(
    file: Annotated[
        Path, typer.Argument(help="CSV or Parquet table (of nodes, with --edges), or PyG .pt file.")
    ],
    out: Annotated[Path, typer.Option(help="File to write, .csv or .parquet.")] = Path(
        "predictions.csv"
    ),
    label: Annotated[
        str | None, typer.Option(help="Column of the classes; the last by default.")
    ] = None,
    edges: Annotated[Path | None, typer.Option(help="Edge list: two columns of nodes.")] = None,
    node: Annotated[
        str | None, typer.Option(help="Column with the names that edges use; default: row numbers.")
    ] = None,
    identity: Annotated[
        str | None, typer.Option("--id", help="Column to copy, so that rows can be found again.")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(help="A column to leave out; repeat for several.")
    ] = None,
    header: Annotated[
        bool, typer.Option(help="The first line of a CSV has the column names.")
    ] = True,
    every_row: Annotated[
        bool, typer.Option("--all", help="Also predict rows that have a label.")
    ] = False,
    combine: Annotated[
        str, typer.Option(help="average (of all models, weighted) or best (a single model).")
    ] = "average",
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")] = "auto",
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Predict the rows whose label is missing, with the probability of each class.

    Settings are picked by leave-one-out on the labelled rows. The file has the number of each row
    (from 0), its --id or --node, the predicted class and a column p_CLASS for each class. Missing
    numbers are filled, text is coded, columns without information are left out, and the output
    lists what was done. Exits with 2 if the data cannot be used.

    Example: flgc predict patients.csv --label diagnosis

    Example: flgc predict nodes.csv --edges edges.csv --node id --label topic --out topics.parquet
    """
    from flgc.datasets.errors import DatasetError
    from flgc.datasets.limits import check_file

    try:
        check_file(file)  # before slow imports
        from flgc.datasets.own import from_files
        from flgc.datasets.readers.frames import column_named, read_frame
        from flgc.predicting import (
            check_output,
            formulas_in,
            predictions,
            write_predictions,
        )

        check_output(out, force)
        left_out = [*(drop or []), *([identity] if identity and identity != node else [])]
        data = from_files(
            file,
            edges=edges,
            label=label,
            node=node,
            header=header,
            drop=list(dict.fromkeys(left_out)),
            tidy=True,
        )
        result = predictions(data, every_row=every_row, combine=combine, device=device)
        table = result.table
        if identity or node:
            frame, source = read_frame(file, header)
            column = column_named(frame, str(identity or node), source)
            if column in table:
                raise ValueError(f"--id {column!r}: the predictions have a column of that name")
            table.insert(1, column, frame[column].to_numpy()[table["row"]])
        write_predictions(table, out, force)
        warnings = (*result.warnings, *formulas_in(table, out))
    except (DatasetError, ImportError, OSError, ValueError) as error:
        typer.echo(f"flgc predict: {' '.join(str(error).split())}", err=True)
        raise typer.Exit(2) from error
    for text in warnings:
        typer.echo(f"flgc predict: {text}", err=True)
    if as_json:
        typer.echo(json.dumps({**result.about, "out": str(out)}, indent=2))
        return
    for note in result.about["notes"]:
        typer.echo(note)
    typer.echo(f"{result.summary} -> {out}")
