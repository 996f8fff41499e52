import pytest

from flgc.addresses import without_secrets


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("s3://key:secret@bucket/folder", "s3://***@bucket/folder"),
        ("postgresql+asyncpg://me:p@ss@host:5432/db", "postgresql+asyncpg://***@host:5432/db"),
        ("https://host/path?token=abc&x=1", "https://host/path?***"),
        ("s3://b/x?region=eu&token=t&scheme=http", "s3://b/x?region=eu&scheme=http&***"),
        ("s3://b/x?endpoint_override=minio:9000", "s3://b/x?endpoint_override=minio:9000"),
        ("s3://b/x?endpoint_override=me:pw@minio", "s3://b/x?***"),
        ("s3://b/x?endpoint_override=me%3Apw%40minio", "s3://b/x?***"),
        ("s3://b/x?region=eu&***", "s3://b/x?region=eu&***"),
        ("see http://u:p@a/x and ftp://v:q@b/y!", "see http://***@a/x and ftp://***@b/y!"),
        ("s3://key:with/slash+@bucket/folder", "s3://***@bucket/folder"),
        ("http://host:4200/api/a@b", "http://host:4200/api/a@b"),
        ("s3://bucket/folder", "s3://bucket/folder"),
        ("/a/plain/path@home", "/a/plain/path@home"),
        ("mail me@example.org about http://host/a@b", "mail me@example.org about http://host/a@b"),
    ],
)
def test_secrets_of_addresses_are_hidden(text, shown):
    assert without_secrets(text) == shown
