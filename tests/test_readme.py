"""Every code block of README and docs runs, or, if it is a command that must not, is parsed."""

import re
import shlex
import tomllib
from pathlib import Path

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from flgc.cli import app

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LANGUAGES = ("python", "sh", "shell", "toml", "text")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A file of docs/examples, which tests/test_docs.py runs.
INCLUDED = re.compile(r"--8<--\ndocs/examples/\w+\.py\n--8<--\n")
# Programs that are not run here, and why.
NOT_RUN = {
    "make": "its targets are what runs these tests, or take hours; their commands are tested",
    "pip": "tests/test_install.py runs the README's, in environments of their own",
    "prefect": "tests/deployments runs deployments and workers on a stack of its own",
    "python": "tests/deployments registers pools and rules, tests/test_docs.py copies fragments",
    "sudo": "changes the database server of this machine; tests/deployments has one of its own",
    "export": "sets a variable for the lines below it",
    ".": "the environment that `make setup` has made",
    "until": "tests/deployments kills a server; prefect is asked again and again meanwhile",
}
# Commands of ours that take seconds and need what `folder` has; the others are parsed.
RUN = ("methods", "compare", "datasets add", "predict", "store ls", "store verify", "store prune")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, *languages: str) -> list[str]:
    """The code blocks of a page in these languages."""
    return [code for language, code in FENCE.findall(page.read_text()) if language in languages]


def commands(page: Path) -> list[list[str]]:
    """The commands of its shell blocks, word by word, without variables before them."""
    found = []
    for line in "".join(blocks(page, "sh", "shell")).splitlines():
        for part in line.split("&&"):
            words = shlex.split(part, comments=True)
            while words and re.match(r"\w+=", words[0]):
                words = words[1:]
            if words:
                found.append(words)
    return found


WITH_PYTHON = [page for page in PAGES if blocks(page, "python")]
COMMANDS = [(name_of(page), words) for page in PAGES for words in commands(page)]
OURS = [words for _, words in COMMANDS if words[0] == "flgc"]
QUICK = [words for words in OURS if " ".join(words[1:]).startswith(RUN)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with the files that the pages speak of."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLGC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FLGC_STORE", str(tmp_path / "store"))
    column = [row % 2 + 0.01 * row for row in range(12)]
    classes = [*("u", "v") * 5, None, None]
    for name, label in (("mine.csv", "y"), ("table.csv", "class")):
        pd.DataFrame({"a": column, label: classes}).to_csv(name, index=False)
    nodes = pd.DataFrame({"id": list("pqrst"), "x": [0.0, 1, 0, 1, 0], "label": [0, 1, 0, 1, None]})
    nodes.to_csv("nodes.csv", index=False)
    pd.DataFrame({"source": list("pqt"), "target": list("rsp")}).to_csv("edges.csv", index=False)
    names = [f"d{row}" for row in range(8)]
    scores = {"mine": range(70, 78), "other": range(69, 77), "third": range(60, 68)}
    pd.DataFrame({"dataset": names, **scores}).to_csv("results.csv", index=False)
    return tmp_path


def test_every_block_is_in_a_language_that_is_checked():
    for page in PAGES:
        for language, code in FENCE.findall(page.read_text()):
            assert language in LANGUAGES, f"{name_of(page)}: {language!r} before {code[:60]!r}"
        fences = re.findall(r"^```", page.read_text(), re.MULTILINE)
        assert len(fences) == 2 * len(FENCE.findall(page.read_text())), name_of(page)


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name_of)
def test_python_blocks_run_in_their_order(page, folder, monkeypatch, request, shared_cache):
    code = [block for block in blocks(page, "python") if not INCLUDED.fullmatch(block)]
    if any("Cora" in block for block in code):
        request.getfixturevalue("real_data")("Cora")
        monkeypatch.setenv("FLGC_CACHE", str(shared_cache))
    names: dict[str, object] = {"__name__": "page"}
    for block in code:
        exec(compile(block, name_of(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_toml_blocks_can_be_read(page):
    for block in blocks(page, "toml"):
        assert tomllib.loads(block)


def parsed(words: list[str]) -> None:
    """Does a command of ours know these words? An error of the parser if not."""
    command, arguments = typer.main.get_command(app), words[1:]
    context = command.context_class(command, info_name="flgc")
    while hasattr(command, "resolve_command"):
        name, command, arguments = command.resolve_command(context, arguments)
        context = command.context_class(command, info_name=name, parent=context)
    given, left, _ = command.make_parser(context).parse_args(list(arguments))
    assert not left, f"{' '.join(words)}: nobody takes {left}"
    for parameter in command.params:
        there = given.get(parameter.name) is not None
        assert there or not parameter.required, f"{' '.join(words)}: no {parameter.name}"


@pytest.mark.parametrize("words", OURS, ids=" ".join)
def test_our_commands_and_their_options_are_there(words):
    parsed(words)


@pytest.mark.parametrize("words", QUICK, ids=" ".join)
def test_quick_commands_run(words, folder):
    if "graph.pt" in words:
        torch = pytest.importorskip("torch")
        data = pytest.importorskip("torch_geometric.data").Data(
            x=torch.eye(3), edge_index=torch.tensor([[0, 1], [1, 2]]), y=torch.tensor([0, 1, 0])
        )
        torch.save(data, "graph.pt")
    ended = CliRunner().invoke(app, words[1:])
    assert ended.exit_code == 0, ended.output


def test_what_is_neither_run_nor_parsed_is_listed_with_a_reason():
    used = {words[0] for _, words in COMMANDS} - {"flgc"}
    assert used == set(NOT_RUN)


@pytest.mark.parametrize(
    "words",
    [
        "flgc nothing",
        "flgc reproduce --sweet tiny",
        "flgc compare a b",
        "flgc up --port",
        "flgc compare",
    ],
)
def test_a_command_that_is_not_there_is_found(words):
    with pytest.raises((AssertionError, Exception), match=r"No such|requires|nobody takes|no \w+"):
        parsed(words.split())


def test_there_are_blocks():
    assert len(blocks(ROOT / "README.md", "python")) >= 3
    assert len(WITH_PYTHON) > 3
    assert len(OURS) > 10
    assert len(QUICK) > 5
