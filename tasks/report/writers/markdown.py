"""A document as Markdown, with its figures and files beside it."""

from collections.abc import Sequence

from tasks.report.blocks import Block, Document, Figure, File, Heading, Text
from tasks.report.tables import markdown
from tasks.report.writers.inert import inert


def write(document: Document) -> str:
    """The whole document."""
    return written([Heading(1, document.title), *document.blocks])


def written(blocks: Sequence[Block]) -> str:
    """Blocks, an empty line between two."""
    return "\n\n".join(map(_block, blocks)) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {inert(block.text)}"
    if isinstance(block, Text):
        return inert(block.markdown)
    if isinstance(block, Figure):
        return f"![{block.name}]({block.name}.svg)"
    if isinstance(block, File):
        return f"{inert(block.text)} [{block.name}]({block.name})."
    return markdown(block.frame)
