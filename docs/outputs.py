"""A hook of mkdocs: below each Python block of the tutorial stands what it prints.

The blocks run when the site is built, in their order and in a folder of their own, so no output in
the docs is older than the code. The file itself, as a forge shows it, has the blocks alone.
"""

import contextlib
import io
import re
import tempfile
from typing import Any

PAGES = ("tutorial.md",)
BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """What mkdocs calls for each page."""
    return with_outputs(markdown, page.file.src_uri) if page.file.src_uri in PAGES else markdown


def with_outputs(text: str, name: str) -> str:
    """The text with the outputs of its blocks, which share their names; an error is the build's."""
    names: dict[str, Any] = {"__name__": "page"}

    def shown(block: re.Match[str]) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block[1], name, "exec"), names)
        output = printed.getvalue().rstrip("\n")
        return f'{block[0]}\n```text title="Output"\n{output}\n```\n' if output else block[0]

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return BLOCK.sub(shown, text)
