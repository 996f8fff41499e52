"""`flgc up`: the whole local stack by one command, stopped by Ctrl-C."""

import os
import pwd
import signal
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any, NoReturn

import typer

from deployments.settings import DEFAULT_PORT, SILENT, SILENT_SECONDS, StackSettings

app = typer.Typer(add_completion=False)

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SECRETS = {
    "database_url": "PREFECT_SERVER_DATABASE_CONNECTION_URL",
    "auth": "PREFECT_SERVER_API_AUTH_STRING",
}
"""Options that may have a password in them, and the variables that do the same."""
PEOPLE = range(1000, 60000)
"""The numbers that distributions give to people, not to services."""


class _Stop(BaseException):
    """Raised by a signal, to end whatever the command waits for."""


def _stop_once(number: int, _: Any) -> None:
    """The first signal stops the stack; later ones must not interrupt that."""
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise _Stop(signal.Signals(number).name)


@app.command()
def up(
    context: typer.Context,
    port: Annotated[int, typer.Option(help="Port of server and UI.")] = DEFAULT_PORT,
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1",
    allowed_hosts: Annotated[
        list[str] | None,
        typer.Option(
            "--allowed-host",
            help="Another name of the server; repeat for several.",
        ),
    ] = None,
    workers: Annotated[int, typer.Option(help="CPU workers; each takes one run at a time.")] = 1,
    gpu_workers: Annotated[
        int | None, typer.Option(help="GPU workers; default: one for each GPU.")
    ] = None,
    database_url: Annotated[
        str | None,
        typer.Option(
            envvar=SECRETS["database_url"],
            show_envvar=False,  # too long for the table of options
            help="Address of a PostgreSQL database; default: SQLite.",
        ),
    ] = None,
    auth: Annotated[
        str | None,
        typer.Option(
            envvar=SECRETS["auth"],
            show_envvar=False,
            help="user:password that every call must carry.",
        ),
    ] = None,
    schedules: Annotated[
        bool,
        typer.Option("--schedules/--no-schedules", help="Start runs by the clock."),
    ] = True,
    silent_seconds: Annotated[
        int, typer.Option(help="A run without a heartbeat for so long is marked Crashed.")
    ] = SILENT_SECONDS,
) -> None:
    """Start server, work pools, deployments and workers, and stop all of them on Ctrl-C.

    Other users of the machine see passwords in options. They are safer in variables: the address
    of a database (postgresql+asyncpg://user:password@host/name) in
    PREFECT_SERVER_DATABASE_CONNECTION_URL, user:password in PREFECT_SERVER_API_AUTH_STRING.

    Example: flgc up --port 4201 --workers 2
    """
    os.environ |= SILENT  # before Prefect is imported
    from deployments.stack import LocalStack, StackError, count_gpus

    try:
        gpus = count_gpus() if gpu_workers is None else gpu_workers
        settings = StackSettings(
            host=host,
            port=port,
            cpu_workers=workers,
            gpu_workers=gpus,
            database_url=database_url,
            auth=auth,
            allowed_hosts=tuple(allowed_hosts or ()),
            schedules=schedules,
            silent_seconds=silent_seconds,
        )
    except ValueError as error:
        _fail(error, 2)
    for option, variable in SECRETS.items():
        source = context.get_parameter_source(option)
        if source is not None and source.name == "COMMANDLINE":
            name = option.replace("_", "-")
            seen = f"Warning: others see --{name} in the list of processes"
            typer.echo(f"{seen}; they do not see {variable}")
    for number in SIGNALS:
        signal.signal(number, _stop_once)
    try:
        with LocalStack(settings, say=typer.echo) as stack:
            try:
                stack.start()
                typer.echo(welcome(settings, other_users()))
                stack.watch()
            except _Stop as request:
                typer.echo(f"{request}: stopping everything ...")
    except StackError as error:
        _fail(error, 1)
    typer.echo("everything is stopped")


def other_users() -> list[str]:
    """Other people who can log in to this machine."""
    return [
        user.pw_name
        for user in pwd.getpwall()
        if user.pw_uid in PEOPLE
        and user.pw_uid != os.getuid()
        and PurePosixPath(user.pw_shell).name not in ("nologin", "false")
    ]


def welcome(settings: StackSettings, others: Sequence[str] = ()) -> str:
    """Where the UI is and what to type next, in another terminal at the root of the checkout.

    `others` are users who can reach the port of this machine, too.
    """
    lines = ["", f"The UI is at {settings.ui_url}", "Type next, in another terminal, here:", ""]
    if settings.auth:
        lines.append("  export PREFECT_API_AUTH_STRING=...   # the user:password of this stack")
    lines += [
        "  prefect deployment run reproduce-paper --watch",
        "  prefect deployment run reproduce-paper --param suite=tiny --watch",
        "",
        f"Elsewhere set PREFECT_API_URL={settings.api_url} first. Logs: {settings.log_folder}",
    ]
    who = ""
    if settings.host not in ("127.0.0.1", "localhost", "::1"):
        who = f"whoever reaches {settings.host}"
    elif others:
        who = f"other users of this machine ({', '.join(others[:3])}{', ...' * (len(others) > 3)})"
    if who and not settings.auth:
        lines.append(f"Warning: {who} can run flows here, as you.")
        lines.append(f"  To prevent it: export {SECRETS['auth']}=user:password")
    lines.append("Ctrl-C stops everything.")
    return "\n".join(lines)


def _fail(error: Exception, code: int) -> NoReturn:
    typer.echo(f"flgc up: {error}", err=True)
    raise typer.Exit(code) from error


if __name__ == "__main__":
    app()
