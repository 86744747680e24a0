"""Starts the local cloud: ministack with our plugin, on loopback. An environment variable gives the port.

``AWS_SESSION_TOKEN`` is the secret of this start (access.py).

With ``LOCALCLOUD_EXIT_WITH_STDIN=1`` the process ends when its standard input closes: with its parent, however that
came to its end.
"""

import os
import sys
from threading import Thread


def main() -> None:
    """Install the plugin and serve until stopped."""
    if os.environ.get("BIND_HOST") != "127.0.0.1":
        sys.exit("the local cloud listens on loopback only: set BIND_HOST=127.0.0.1")
    secret = os.environ.get("AWS_SESSION_TOKEN")
    if not secret:
        sys.exit("the local cloud answers only to who holds its secret: set AWS_SESSION_TOKEN")
    if os.environ.get("LOCALCLOUD_EXIT_WITH_STDIN") == "1":
        Thread(target=_exit_with_stdin, daemon=True).start()
    import ministack.app

    from sizewell_localcloud.emulator import access, plugin

    plugin.install()
    ministack.app.app = access.guarded(ministack.app.app, int(os.environ["GATEWAY_PORT"]), secret)
    ministack.app.main()


def _exit_with_stdin() -> None:
    # Not through sys.stdin, whose buffer would be locked when the interpreter shuts down.
    while os.read(0, 4096):
        pass
    from ministack.core import lambda_runtime

    lambda_runtime.reset()
    os._exit(0)


if __name__ == "__main__":
    main()
