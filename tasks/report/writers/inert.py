"""Text that a reader of Markdown shows as it is: names of users make no link or picture."""

import re

# What a backslash has escaped already, code, a backtick that begins none, and what would begin a
# link, a picture or HTML, or an address that viewers make a link of by themselves.
_PARTS = re.compile(
    r"(?P<escaped>\\[!-/:-@[-`{-~])"
    r"|(?P<code>(?<!`)(`+)(?!`).*?(?<!`)\3(?!`))"
    r"|(?P<sign>[`\[<])"
    r"|(?P<address>(?<=\bwww)\.|:(?=//)|@)"
)


def inert(text: str) -> str:
    """Emphasis and code stay; links, pictures and HTML are shown, not obeyed.

    By lines, so that code which one begins hides nothing in the next. Twice is as once.
    """
    return "\n".join(_PARTS.sub(_shown, line) for line in text.split("\n"))


def _shown(found: re.Match[str]) -> str:
    escaped = found["sign"] or found["address"]
    return f"\\{escaped}" if escaped else found[0]
