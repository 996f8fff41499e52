"""Addresses for messages, logs and records: without the secrets that they may carry."""

import re

HIDDEN = "***"

# The second form has a slash in the password, as AWS makes them: no valid address, but a secret.
_USER_INFO = re.compile(
    r"(?P<scheme>[a-zA-Z][a-zA-Z0-9+.-]*://)"
    r"(?:[^/?#\s'\"]*|[^/?#\s'\":]*:(?!\d+/)[^\s'\"]*)@"
)
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://[^\s'\"]*[^\s'\":,;.)]")


def without_secrets(text: object) -> str:
    """The text with user, password and query values of every URL in it replaced by ***.

    >>> without_secrets("cannot read s3://key:secret@bucket/a?region=eu: denied")
    'cannot read s3://***@bucket/a?***: denied'
    """
    return _URL.sub(lambda found: _redacted(found[0]), str(text))


def _redacted(url: str) -> str:
    url = _USER_INFO.sub(rf"\g<scheme>{HIDDEN}@", url)
    head, mark, _ = url.partition("?")
    return f"{head}?{HIDDEN}" if mark else head
