"""Where a server listens, and how it is reached from this machine, over IPv4 and IPv6."""

import socket

LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")


def bind(host: str, port: int) -> socket.socket:
    """A listening socket at that address, which may be of IPv6; port 0 takes a free one."""
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    both = host == "::" and socket.has_dualstack_ipv6()
    return socket.create_server((host, port), family=family, dualstack_ipv6=both)


def url_of(host: str, port: int) -> str:
    """Where a server that listens there is reached from this machine."""
    reached = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(host, host)
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"
