"""Addresses without their secrets, for messages, logs and records."""

import re
from urllib.parse import unquote

HIDDEN = "***"

# Options of a query that hold no secret, as long as their values look like places.
_OPEN = re.compile(r"(?:endpoint_override|endpoint_url|region|scheme)=[\w.:/\[\]-]*")

# The second form has a slash in the password, as AWS makes them: not a valid URL, but a secret.
_USER_INFO = re.compile(
    r"(?P<scheme>[a-zA-Z][a-zA-Z0-9+.-]*://)"
    r"(?:[^/?#\s'\"]*|[^/?#\s'\":]*:(?!\d+/)[^\s'\"]*)@"
)
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://[^\s'\"]*[^\s'\":,;.)]")


def without_secrets(text: object) -> str:
    """The text with *** for the user, password and query of every URL; open options stay.

    >>> without_secrets("cannot read s3://key:secret@bucket/a?region=eu&token=x: denied")
    'cannot read s3://***@bucket/a?region=eu&***: denied'
    """
    return _URL.sub(lambda match: _redacted(match[0]), str(text))


def _redacted(url: str) -> str:
    url = _USER_INFO.sub(rf"\g<scheme>{HIDDEN}@", url)
    head, mark, query = url.partition("?")
    if not mark:
        return head
    pairs = query.split("&")
    kept = [pair for pair in pairs if is_open(pair)]
    return f"{head}?{'&'.join(kept if len(kept) == len(pairs) else [*kept, HIDDEN])}"


def is_open(pair: str) -> bool:
    """Whether `name=value` of a query may be shown: an endpoint or a region, without a user."""
    return _OPEN.fullmatch(unquote(pair)) is not None
