"""A headless browser for the tests of pages, driven over its DevTools pipe without any library."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import subprocess
import sys

PROGRAM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))),
    None,
)
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"),
    "--disable-dev-shm-usage",  # as /dev/shm is small in containers
)
# The browser reads commands from the file 3, and writes answers and events to the file 4.
_START = """
import fcntl, os, sys
both = [fcntl.fcntl(int(given), fcntl.F_DUPFD, 10) for given in sys.argv[1:3]]
for name, given in zip((3, 4), both):
    os.dup2(given, name)
os.execv(sys.argv[3], sys.argv[3:])
"""
_PATIENCE = 60  # seconds without a word from the browser


class Browser:
    """A browser that runs until it is closed.

    Parameters
    ----------
    folder : path-like
        Empty, for its profile.
    """

    def __init__(self, folder):
        commands, self._to = os.pipe()
        self._from, answers = os.pipe()
        flags = [*_FLAGS, "--remote-debugging-pipe", f"--user-data-dir={folder}"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, str(commands), str(answers), PROGRAM, *flags],
            pass_fds=(commands, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self._sent, self._heard = 0, b""
        self.events, self._targets = [], []

    def close(self):
        with contextlib.suppress(BrokenPipeError, EOFError):
            self.call("Browser.close")
        self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def close_pages(self):
        """Close all pages, which take memory."""
        while self._targets:
            self.call("Target.closeTarget", targetId=self._targets.pop())

    def call(self, method, session=None, **params):
        """Send a command; its result."""
        self._sent += 1
        message = {"id": self._sent, "method": method, "params": params}
        message |= {"sessionId": session} if session else {}
        os.write(self._to, json.dumps(message).encode() + b"\0")
        answer = self._read(lambda message: message.get("id") == self._sent)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def wait(self, method, session):
        """Wait for an event of a page."""
        return self._read(lambda m: (m.get("method"), m.get("sessionId")) == (method, session))

    def _read(self, wanted):
        while True:
            while b"\0" not in self._heard:
                if not select.select([self._from], [], [], _PATIENCE)[0]:
                    raise TimeoutError("the browser does not answer.")
                if not (part := os.read(self._from, 1 << 20)):
                    raise EOFError("the browser has ended.")
                self._heard += part
            text, _, self._heard = self._heard.partition(b"\0")
            message = json.loads(text)
            self.events.append(message)
            if wanted(message):
                return message

    def open(self, path, *, fragment="", width=1400, height=1000, dark=False):
        """Open a page from the disk in a window of its own.

        Parameters
        ----------
        path : Path
        fragment : str, optional
            Of its address, with ``#``.
        width, height : int
            Of the window, in pixels.
        dark : bool, default=False
        """
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._targets.append(target)
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Log"):
            page.call(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1}
        page.call("Emulation.setDeviceMetricsOverride", mobile=width < 500, **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        page.call("Emulation.setEmulatedMedia", features=[scheme])
        page.call("Page.navigate", url=path.resolve().as_uri() + fragment)
        self.wait("Page.loadEventFired", session)
        return page


class Page:
    """A page that a browser shows."""

    def __init__(self, browser, session):
        self._browser, self._session = browser, session

    def call(self, method, **params):
        return self._browser.call(method, self._session, **params)

    def run(self, script):
        """The value of a JavaScript expression; that of a promise, once there is one."""
        how = {"awaitPromise": True, "returnByValue": True, "userGesture": True}
        answer = self.call("Runtime.evaluate", expression=script, **how)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def until(self, condition):
        """Wait until an expression is true; its value."""
        return self.run(
            f"new Promise((done) => {{ const ask = () => {{ const found = {condition}; "
            "found ? done(found) : requestAnimationFrame(ask); }; ask(); })"
        )

    def move(self, x, y, kind="mouseMoved", **more):
        """Move the pointer to a place of the window."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, start, end):
        """Press the button of the pointer at a place, and release it at another."""
        press = {"button": "left", "buttons": 1, "clickCount": 1}
        self.move(*start)
        self.move(*start, "mousePressed", **press)
        self.move(*end, buttons=1)
        self.move(*end, "mouseReleased", **press)

    def key(self, name):
        """Press a key, such as ``"ArrowRight"``."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name)

    @property
    def errors(self):
        """Complaints in the console of the page so far."""
        self.run("0")  # all before it has been heard then
        mine = [e for e in self._browser.events if e.get("sessionId") == self._session]
        params = [(e["method"], e["params"]) for e in mine if "method" in e]
        thrown = [p["exceptionDetails"] for m, p in params if m == "Runtime.exceptionThrown"]
        logged = [p["entry"] for m, p in params if m == "Log.entryAdded"]
        written = [p for m, p in params if m == "Runtime.consoleAPICalled"]
        return thrown + [p for p in logged + written if "error" in (p.get("level"), p.get("type"))]
