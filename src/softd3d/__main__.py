"""`softd3d` and `python -m softd3d`: the command line.

Little is imported here, so that Ctrl-C ends in one line while the rest is still being imported.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading

__all__ = ["main"]

_INTERRUPTED = 130  # as softd3d.cli.files has it, which may not be imported yet
_MOMENT_SECONDS = 0.01


def main() -> None:
    """Run the command line and leave the process."""
    sys.unraisablehook = _unraisable
    try:
        from softd3d.cli import main as commands  # noqa: PLC0415 - see above

        commands(prog_name="softd3d")
    except KeyboardInterrupt:
        sys.stderr.write("softd3d: interrupted\n")
        sys.exit(_INTERRUPTED)
    finally:
        # What is left to do ends at once on another Ctrl-C, without a traceback.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def _unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """Let Ctrl-C that came where nothing can be raised, as in a weak reference's call, come again.

    Raised here it would be lost too, so another thread raises it, a moment later.
    """
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        threading.Timer(_MOMENT_SECONDS, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(unraisable)


if __name__ == "__main__":
    main()
