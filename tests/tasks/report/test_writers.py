import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tasks.report.blocks import Document, Figure, File, Heading, Note, Table, Text, text
from tasks.report.writers import html, latex, markdown
from tasks.report.writers.inert import inert

NAMES, OURS = ["a_b", "c & **d**", "average"], ["**1.5** ± 0.5 (+0.5)", "-", "1"]
FRAME = pd.DataFrame({"dataset": NAMES, "X ours": OURS, "n": 0.5})
NOTE = Note("1.00", "+0.5", "above", (("Setting", "hops < 3"),))
TABLE = Table("t", FRAME, "All 50 %", {(0, "X ours"): NOTE}, {"X ours": ("X", "ours")}, closing=1)
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="75pt" height="60pt"/>'


def page(*blocks: object) -> str:
    return html.write(Document("The `title`", blocks), html.page_files())


def test_markdown_has_an_empty_line_between_blocks():
    blocks = [Text("one"), Heading(2, "Two"), Figure("f", SVG, "words"), File("x.csv", "1", "See")]
    assert markdown.write(Document("T", blocks)) == (
        "# T\n\none\n\n## Two\n\n![f](f.svg)\n\nSee [x.csv](x.csv).\n"
    )
    assert text(["", "a", ""]) == [Text("a")]
    assert text([""]) == []


def test_latex_sets_what_is_special_and_what_is_marked():
    lines = latex.write(TABLE).splitlines()
    assert r"\caption{All 50 \%}" in lines
    assert r"a\_b & \textbf{1.5} $\pm$ 0.5 (+0.5) & 0.5 \\" in lines
    assert r"c \& \textbf{d} & - & 0.5 \\" in lines
    assert lines.index(r"\toprule") < lines.index(r"dataset & ours & n \\")
    assert r"\multicolumn{1}{c}{} & \multicolumn{1}{c}{X} & \multicolumn{1}{c}{} \\" in lines
    assert r"\cmidrule(lr){2-2}" in lines
    rules = [i for i, line in enumerate(lines) if line == r"\midrule"]
    assert lines[rules[1] + 1].startswith("average &"), "averages below a rule of their own"


def test_latex_breaks_sentences_and_sets_numbers_to_the_right():
    assert r"\begin{tabular}{lrr}" in latex.write(TABLE)
    prose = "What is said here takes more than the width of a page. " * 3
    written = latex.write(Table("t", FRAME.assign(said=prose), "Claims"))
    assert r"\begin{longtable}{>{\raggedright" in written
    widths = [float(each) for each in re.findall(r"p\{([\d.]+)\\linewidth\}", written)]
    assert len(widths) == 4
    assert sum(widths) < 1
    assert max(widths) == widths[-1] > 0.5


def test_the_page_shows_a_difference_once_and_what_is_known_on_demand():
    written = page(TABLE)
    assert "(+0.5)" not in written
    assert '<span class="gap above">' in written
    assert "<strong>1.5</strong> ± 0.5" in written
    assert "hops \\u003c 3" in written, "in a script nothing may end it"
    assert written.count('data-note="0"') == 1
    assert "data-note" not in page(Table("t", FRAME, "Plain"))


def test_the_page_obeys_no_text():
    evil = "<script>alert(1)</script>"
    frame = pd.DataFrame({evil: [evil], "n": [1]})
    blocks = [Text(evil), Heading(2, evil), Table("t", frame, evil), Figure("f", SVG, evil)]
    assert evil not in page(*blocks, File("x.csv", "1", evil))


def test_the_page_has_an_anchor_for_each_heading():
    written = page(Heading(2, "A `b`!"), Heading(3, "Same"), Heading(2, "A b"), Heading(3, "Same"))
    for name in ("a-b", "a-b-same", "a-b-2", "a-b-2-same"):
        assert f'href="#{name}"' in written
        assert written.count(f' id="{name}"') == 1


def test_the_bundle_of_charts_is_there_only_if_there_is_a_chart():
    figure = Figure("f", SVG, "words")
    assert "vegaEmbed=" not in page(figure)
    assert len(page(figure)) < 100_000
    with_spec = page(Figure("f", SVG, "words", {"mark": "bar"}))
    assert 500_000 < len(with_spec) < 1_500_000
    assert 'data-chart="f"' in with_spec


def test_numbers_stand_on_the_right():
    frame = pd.DataFrame(
        {"x": ["a"] * 3, "y": ["1.5 ± 0.1 (+1)", "failed", "2"], "z": ["3.11.7", "1 of 2", "x"]}
    )
    written = page(Table("t", frame, "T"))
    assert written.count('<th scope="col" class="number">') == 1


def test_an_edited_file_of_the_page_is_another_page():
    files = html.page_files()
    assert set(files) == {"report.html", "page.css", "page.js", "contradictions.csv"}
    document = Document("T", [])
    assert "tomato" in html.write(document, files | {"page.css": "body { color: tomato }"})


EVIL = ("[x](http://evil)", "![](http://evil/p.png)", "<img src=//evil>", "<http://evil>")
SIGNS = ("`", "``", "\\", "[", "]", "](//evil)", "[x]:", "<", "|", "\n", "*", "a", " ", "- ")


def obeyed(markdown_text: str) -> set[str]:
    """What a reader of Markdown would make of it that is no text."""
    parsed = MarkdownIt("commonmark").enable("table").parse(markdown_text)
    found = {each.type for token in parsed for each in (token, *(token.children or ()))}
    return found & {"link_open", "image", "html_inline", "html_block"}


@given(st.lists(st.sampled_from((*EVIL, *SIGNS)), max_size=12).map("".join))
def test_no_name_makes_a_link_or_a_picture(name: str):
    frame = pd.DataFrame({name: [name, "`code`"], "n": 1})
    blocks = [Text(f"- {name}: 1\n- `a`, {name}"), Heading(2, name), Table("t", frame, name)]
    written = markdown.written([*blocks, File("x.csv", "1", name)])
    assert obeyed(written.replace("[x.csv](x.csv)", "")) == set()
    assert inert(inert(name)) == inert(name)


@pytest.mark.parametrize("name", [*EVIL, "`[x](http://evil)", "a@evil.org", "www.evil.org", "a\\["])
def test_a_name_is_read_as_it_is(name: str):
    [paragraph] = MarkdownIt("commonmark").parse(inert(name))[1].children or ()
    assert paragraph.content == name.replace("\\[", "[")
    assert not re.search(r"\bwww\.|(?<!\\)://|(?<!\\)@", inert(name)), "viewers make links of these"
    shown = page(Text(name), Table("t", pd.DataFrame({name: [name]}), name))
    assert "<a href" not in shown.partition("<main")[2].partition('id="opening"')[2]
    assert "<img" not in shown


def test_what_is_marked_and_code_are_written_as_they_are():
    plain = "**a** *b* `flgc -m '[x]' <y>` ± 0.5 FLGC*, `honest`: 3"
    assert inert(plain) == plain


def test_no_name_is_an_option_of_the_row_before_it():
    frame = pd.DataFrame({"name": ["a", "[x](http://evil)", "*mine"], "n": 1})
    lines = latex.write(Table("t", frame, "T")).splitlines()
    assert r"{}[x](http://evil) & 1 \\" in lines
    assert r"{}*mine & 1 \\" in lines
