"""Chromium, driven through the WebDriver protocol of chromedriver: as much of it as the tests use."""

import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--hide-scrollbars"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Browser:
    def __init__(self, width=1280, height=900, dark=False):
        for program in ("chromium", "chromedriver"):
            if shutil.which(program) is None:
                raise RuntimeError(f"{program} is not installed; ./test installs it")
        self.profile = tempfile.TemporaryDirectory(prefix="modicum-browser-")
        port = free_port()
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.profile.name})
        self.root = f"http://127.0.0.1:{port}"
        self._until_ready()
        flags = FLAGS + [f"--user-data-dir={self.profile.name}/profile", f"--window-size={width},{height}"]
        if dark:
            flags.append("--blink-settings=preferredColorScheme=0")
        options = {"binary": shutil.which("chromium"), "args": flags}
        session = self._send("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = f"/session/{session['sessionId']}"

    def _until_ready(self):
        for _ in range(200):
            try:
                if self._send("GET", "/status")["ready"]:
                    return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.05)
        raise RuntimeError("chromedriver does not answer")

    def _send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, data=data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"].split("\n")[0]) from None

    def go(self, address):
        self._send("POST", f"{self.session}/url", {"url": address})

    def address(self):
        return self._send("GET", f"{self.session}/url")

    def script(self, code, *given):
        return self._send("POST", f"{self.session}/execute/sync", {"script": code, "args": list(given)})

    def find(self, selector):
        return self._send("POST", f"{self.session}/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self._send("POST", f"{self.session}/element/{self.find(selector)}/click", {})

    def type(self, selector, text):
        """In place of what is there, as a person would."""
        element = self.find(selector)
        self._send("POST", f"{self.session}/element/{element}/clear", {})
        self._send("POST", f"{self.session}/element/{element}/value", {"text": text})

    def keys(self, text):
        """To whatever has the focus."""
        actions = [step for key in text for step in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})]
        self._send("POST", f"{self.session}/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def choose(self, selector, value):
        """An option of a select, by its value."""
        self.script("""const select = document.querySelector(arguments[0]);
            if (![...select.options].some((each) => each.value === arguments[1])) throw new Error('no option ' + arguments[1]);
            select.value = arguments[1]; select.dispatchEvent(new Event('change', {bubbles: true}));""", selector, value)

    def text(self, selector="main"):
        return self.script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def until(self, code, *given, seconds=20):
        """Waits until the script returns something that is true, and gives it."""
        end = time.monotonic() + seconds
        while True:
            value = self.script(code, *given)
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"never came true: {code}\n{self.text()[:2000]}")
            time.sleep(0.05)

    def shows(self, text, selector="main", seconds=20):
        return self.until("return (document.querySelector(arguments[0])?.innerText ?? '').includes(arguments[1])",
                          selector, text, seconds=seconds)

    def complaints(self):
        """What the browser logged as errors."""
        return [each["message"] for each in self._send("POST", f"{self.session}/se/log", {"type": "browser"})
                if each["level"] == "SEVERE"]

    def screenshot(self, path):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self._send("GET", f"{self.session}/screenshot")))

    def whole_page(self, path, width):
        """However high it is, as on a phone of this width."""
        height = self.script("return Math.min(4000, document.documentElement.scrollHeight)")
        taken = self._send("POST", f"{self.session}/goog/cdp/execute", {"cmd": "Page.captureScreenshot", "params": {
            "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}}})
        with open(path, "wb") as out:
            out.write(base64.b64decode(taken["data"]))

    def into_frame(self, selector):
        self._send("POST", f"{self.session}/frame", {"id": {ELEMENT: self.find(selector)}})

    def out_of_frame(self):
        self._send("POST", f"{self.session}/frame", {"id": None})

    def close(self):
        try:
            self._send("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.profile.cleanup()
