"""A headless Firefox for the checks of pages.

It speaks Marionette (https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html), by which WebDriver
reaches Firefox: each message is the number of its bytes, a colon, and JSON.
"""
import base64
import json
import pathlib
import socket
import subprocess
import sys
import time
import urllib.parse

from browser import CONTROL, SHIFT, Browser

# The letters by which WebDriver names keys (https://www.w3.org/TR/webdriver2/#keyboard-actions).
KEYS = {
    "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Home": "\ue011",
    "End": "\ue010", "Delete": "\ue017", "Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004",
}
MODIFIERS = {CONTROL: "\ue009", SHIFT: "\ue008"}
BUTTONS = {"left": 0, "right": 2}

PREFERENCES = {
    "marionette.port": 0,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "app.update.enabled": False,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,none",
    "browser.topsites.contile.enabled": False,
    # A context menu of the browser would take the mouse.
    "dom.event.contextmenu.enabled": True,
}
STARTS_WITHIN = 60


class Firefox(Browser):
    """A headless Firefox with one page."""

    def __init__(self, program, profile):
        profile = pathlib.Path(profile)
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
        (profile / "user.js").write_text("\n".join(lines) + "\n")
        # The browser's own parts tell what the page has written to the console.
        self.process = subprocess.Popen(
            [program, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", str(profile)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.number, self.buffer = 0, b""
        self.stream = socket.create_connection(("127.0.0.1", self.port(profile)))
        self.read()
        self.ask("WebDriver:NewSession", acceptInsecureCerts=True, timeouts={"script": 120_000, "pageLoad": 120_000})
        self.screen(1200, 900)

    def port(self, profile):
        end = time.monotonic() + STARTS_WITHIN
        file = profile / "MarionetteActivePort"
        while time.monotonic() < end and self.process.poll() is None:
            if file.exists() and file.read_text().strip():
                return int(file.read_text())
            time.sleep(0.1)
        sys.exit("the browser does not start")

    def read(self):
        while b":" not in self.buffer:
            self.more()
        length, self.buffer = self.buffer.split(b":", 1)
        while len(self.buffer) < int(length):
            self.more()
        text, self.buffer = self.buffer[:int(length)], self.buffer[int(length):]
        return json.loads(text)

    def more(self):
        piece = self.stream.recv(1 << 16)
        if not piece:
            sys.exit("the browser ended")
        self.buffer += piece

    def ask(self, method, **parameters):
        self.number += 1
        message = json.dumps([0, self.number, method, parameters]).encode()
        self.stream.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self.read()
        if error:
            raise RuntimeError(f"{method}: {error['error']}: {error['message']}")
        return result

    def execute(self, script, *arguments):
        return self.ask("WebDriver:ExecuteScript", script=script, args=arguments, sandbox="default", newSandbox=False)["value"]

    def in_browser(self, script, *arguments):
        """Runs a script in the browser itself, where `gBrowser` has the page."""
        self.ask("Marionette:SetContext", value="chrome")
        try:
            return self.execute(script, *arguments)
        finally:
            self.ask("Marionette:SetContext", value="content")

    def open(self, url, before=""):
        self.in_browser("Services.console.reset(); Cc['@mozilla.org/consoleAPI-storage;1']"
                        ".getService(Ci.nsIConsoleAPIStorage).clearEvents()")
        if before and not url.startswith("about:"):
            # Nothing runs before the scripts of a page. But another page of the same host has the same storage.
            self.ask("WebDriver:Navigate", url=urllib.parse.urljoin(url, "/health"))
            self.execute(before)
        self.ask("WebDriver:Navigate", url=url)

    def reload(self):
        self.ask("WebDriver:Refresh")

    def value(self, expression):
        return self.execute(f"return ({expression});")

    def run(self, script):
        self.execute(script)

    def act(self, kind, actions, **source):
        self.ask("WebDriver:PerformActions", actions=[{"type": kind, "id": f"the {kind}", "actions": actions, **source}])

    def press(self, key, modifiers=0):
        held = [MODIFIERS[bit] for bit in MODIFIERS if modifiers & bit]
        keys = [*held, KEYS.get(key, key)]
        self.act("key", [{"type": "keyDown", "value": value} for value in keys]
                 + [{"type": "keyUp", "value": value} for value in reversed(keys)])

    def type(self, text):
        self.execute("document.execCommand('insertText', false, arguments[0])", text)

    def pointer(self, name, kind, place, button=0):
        actions = [{"type": "pointerMove", "x": round(place[0]), "y": round(place[1]), "duration": 0}]
        if kind != "move":
            actions.append({"type": "pointerDown" if kind == "down" else "pointerUp", "button": button})
        self.ask("WebDriver:PerformActions", actions=[
            {"type": "pointer", "id": name, "parameters": {"pointerType": name}, "actions": actions}])

    def mouse(self, kind, place, button="left"):
        self.pointer("mouse", kind, place, BUTTONS[button])

    def touch(self, kind, place):
        self.pointer("touch", kind, place)

    def wheel(self, selector, delta):
        x, y = self.middle(selector)
        self.act("wheel", [{"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": delta}])

    def screen(self, width, height, scheme="light", is_phone=False):
        # A window cannot be as narrow as a phone, but the page in it can. A larger window than needed costs time.
        self.ask("WebDriver:SetWindowRect", width=max(width, 500) + 50, height=max(height, 500) + 150)
        self.in_browser("""
            const [width, height, isDark, isPhone] = arguments;
            const page = gBrowser.selectedBrowser;
            Object.assign(page.style, { flex: 'none', width: `${width}px`, height: `${height}px` });
            page.browsingContext.touchEventsOverride = isPhone ? 'enabled' : 'none';
            Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', isDark ? 0 : 1);
            """, width, height, scheme == "dark", is_phone)
        self.wait(f"innerWidth === {width} && innerHeight === {height}", 5)

    def stillness(self, is_wanted):
        self.in_browser("Services.prefs.setIntPref('ui.prefersReducedMotion', arguments[0])", int(is_wanted))
        self.wait(f"matchMedia('(prefers-reduced-motion: reduce)').matches === {json.dumps(is_wanted)}", 5)

    def paper(self, is_wanted):
        self.in_browser("gBrowser.selectedBrowser.browsingContext.mediumOverride = arguments[0]", "print" if is_wanted else "")
        self.wait(f"matchMedia('print').matches === {json.dumps(is_wanted)}", 5)

    def picture(self, path, is_whole=False):
        path.write_bytes(base64.b64decode(self.ask("WebDriver:TakeScreenshot", full=is_whole)["value"]))

    def complaints(self, own, is_own_host=False):
        yield from self.in_browser("""
            const [own] = arguments;
            const storage = Cc['@mozilla.org/consoleAPI-storage;1'].getService(Ci.nsIConsoleAPIStorage);
            const said = storage.getEvents().filter(event => event.filename.startsWith(own));
            const errors = Services.console.getMessageArray().filter(
              message => message instanceof Ci.nsIScriptError && !(message.flags & Ci.nsIScriptError.warningFlag)
                && message.sourceName.startsWith(own));
            return [
              ...said.map(event => `console.${event.level}: ${event.arguments.join(' ')}`),
              ...errors.map(error => `${error.sourceName}:${error.lineNumber}: ${error.errorMessage}`),
            ];
            """, own)
        for url in self.value("performance.getEntriesByType('resource').map(entry => entry.name)"):
            url = url.split("#")[0]
            is_own = url.startswith(own) if is_own_host else url == own
            if not is_own and not url.startswith("data:"):
                yield f"a request for {url}"

    def close(self):
        self.ask("Marionette:Quit", flags=["eForceQuit"])
        self.process.wait()
