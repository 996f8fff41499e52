"""Where a server listens, and how it is reached from this machine, over IPv4 and IPv6."""

import socket

LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")


def bind(host: str, port: int) -> socket.socket:
    """A socket at that address, which may be of IPv6; port 0 takes a free one."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError:
        listener.close()
        raise
    return listener


def url_of(host: str, port: int) -> str:
    """Where a server that listens there is reached from this machine."""
    reached = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(host, host)
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"
