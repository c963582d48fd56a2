"""The pages of `modicum serve` in a real browser, used as a person would.

Pictures of each page are kept in the folder MODICUM_SCREENSHOTS, if it is given.
"""

import csv
import json
import os
import random
import statistics
import subprocess
import tempfile
import unittest

from _server import PROGRAM, Server
from _webdriver import Browser

TAB, ENTER = "\ue004", "\ue007"


def write_tables(folder):
    draw = random.Random(1)
    with open(os.path.join(folder, "people.csv"), "w", encoding="ascii", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["region", "age", "wage"])
        for _ in range(4000):
            age = draw.uniform(18, 70)
            rows.writerow([draw.choice(["north", "south", "east", "west"]), round(age, 1), round(10 + age / 3 + draw.gauss(0, 4), 2)])
    with open(os.path.join(folder, "broken.csv"), "wb") as out:
        out.write(b"\x00\xff\x00" * 50)


class Explorer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = os.path.realpath(cls.place.name)
        write_tables(cls.folder)
        cls.server = Server(cls.folder)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.server.stop()
        cls.place.cleanup()

    def open(self, page, state=None):
        self.browser.go("about:blank")
        given = "" if state is None else "?" + json.dumps(state)
        self.browser.go(f"{self.server.address}#{page}{given}")
        self.browser.until("return document.querySelector('main h2')")

    def keep_picture(self, name):
        folder = os.environ.get("MODICUM_SCREENSHOTS")
        if folder:
            height = self.browser.script("return Math.min(3000, document.documentElement.scrollHeight)")
            self.browser._send("POST", f"{self.browser.session}/window/rect", {"width": 1280, "height": max(900, height + 140)})
            self.browser.screenshot(os.path.join(folder, f"{name}.png"))
            self.browser._send("POST", f"{self.browser.session}/window/rect", {"width": 1280, "height": 900})

    def tearDown(self):
        self.assertEqual([each for each in self.browser.complaints() if "404" not in each], [])

    def answer_of_program(self, *words, given=None):
        said = subprocess.run([PROGRAM, *words, "--json"], input=given and json.dumps(given), capture_output=True, text=True, check=True)
        return json.loads(said.stdout)

    def test_compose(self):
        b = self.browser
        self.open("compose")
        b.until("return document.querySelectorAll('svg.chart').length === 3")
        # Two mechanisms, a number typed in: the page shows what the program answers.
        b.click("main .card > div > button")
        b.until("return document.querySelectorAll('.part').length === 2")
        b.choose(".part:nth-child(2) select", "laplace")
        b.type(".part:nth-child(2) [data-field=scale] input", "5")
        b.type(".part:nth-child(1) [data-field=standard_deviation] input", "8")
        composed = {"compose": [{"mechanism": "gaussian", "standard_deviation": 8, "sensitivity": 1, "count": 10},
                                {"mechanism": "laplace", "scale": 5, "sensitivity": 1, "count": 10}]}
        truth = self.answer_of_program("epsilon", "-", "--delta", "1e-6", given=composed)["epsilon"]["upper"]
        b.until("return Math.abs(document.querySelector('#epsilon')?.innerText / arguments[0] - 1) < 1e-5", truth)
        self.keep_picture("compose")
        # The address holds the whole state: another window shows the same.
        address = b.address()
        self.assertNotIn(self.server.token, address.split("#")[1])
        b.go("about:blank")
        b.go(address)
        b.until("return Math.abs(document.querySelector('#epsilon')?.innerText / arguments[0] - 1) < 1e-5", truth)
        self.assertEqual(b.script("return document.querySelectorAll('.part').length"), 2)
        # What to paste elsewhere.
        b.script("document.querySelectorAll('main details').forEach((each) => { each.open = true; })")
        self.assertIn("modicum epsilon -", b.text())
        self.assertIn("modicum.loss(", b.text())
        # An error is told, and goes away.
        b.type("[data-field=delta] input", "7")
        b.until("return document.querySelector('[data-field=delta] [aria-invalid=true]')")
        self.assertIn("delta", b.text("[data-field=delta] .error"))
        b.type("[data-field=delta] input", "1e-6")
        b.until("return !document.querySelector('[aria-invalid=true]')")

    def test_a_slider_moves_the_curves(self):
        b = self.browser
        self.open("compose")
        b.until("return document.querySelector('#epsilon')")
        # How long an answer takes; told, not asserted.
        times = b.script("""
            const slider = document.querySelector('.part input[type=range]');
            window.waits = [];
            const observe = new PerformanceObserver((list) => list.getEntries().forEach((each) => { if (each.name.endsWith('api/ask')) window.waits.push(each.duration); }));
            observe.observe({type: 'resource'});
            window.before = document.querySelector('#epsilon').innerText;
            let i = 0;
            window.moving = setInterval(() => { slider.value = 1 + (i % 20) / 10; slider.dispatchEvent(new Event('input', {bubbles: true})); if (++i === 40) clearInterval(window.moving); }, 25);
            return window.waits;""")
        self.assertEqual(times, [])
        b.until("return window.waits.length > 20 && document.querySelector('#epsilon').innerText !== window.before")
        waits = b.script("return window.waits")
        print(f"an answer to a slider's move: median {statistics.median(waits):.0f} ms of {len(waits)}")

    def test_calibrate(self):
        b = self.browser
        self.open("calibrate", {"epsilon": 1, "delta": 1e-6, "sensitivity": 1, "dimension": 1, "count": 1})
        b.shows("gaussian")
        b.until("return document.querySelector('svg.chart') && document.querySelectorAll('main table').length === 2 && document.querySelector('img.picture')", seconds=60)
        self.assertIn("less than Gaussian", b.text())
        self.keep_picture("calibrate")
        b.type("[data-field=sensitivity] input", "-1")
        b.until("return document.querySelector('[data-field=sensitivity] [aria-invalid=true]')", seconds=60)

    def test_meaning(self):
        b = self.browser
        self.open("meaning", {"parts": [{"mechanism": "approximate", "epsilon": 1, "delta": 1e-6}], "prior": 0.5})
        b.until("return document.querySelectorAll('.people i').length === 100")
        # (1 + delta at epsilon 0)/2, where delta(0) = (e - 1)/(e + 1) up to 1e-6.
        self.assertAlmostEqual(float(b.text("#right").split()[0]), 73.11, delta=0.02)
        self.keep_picture("meaning")
        b.type("[data-field=prior] input", "2")
        b.until("return document.querySelector('[data-field=prior] [aria-invalid=true]')")

    def test_a_release_by_group_with_a_ledger_by_somebody_new(self):
        b = self.browser
        self.open("ledger")
        b.script("document.querySelector('details.card').open = true")
        b.type("main input[aria-label=File]", "study.db")
        b.click("details.card > button.main")
        b.shows("What is left")
        self.keep_picture("ledger-new")
        self.open("release")
        b.choose("select[aria-label=Table]", os.path.join(self.folder, "people.csv"))
        b.shows("region, age, wage")
        b.choose("select[aria-label=Statistic]", "mean")
        b.click("input[type=checkbox][value=wage]")
        b.type("input[aria-label='wage: smallest']", "0")
        b.type("input[aria-label='wage: largest']", "60")
        b.choose("select[aria-label='By group']", "region")
        b.type("input[aria-label='Public values or edges']", "north, south, east, west")
        b.choose("select[aria-label=Ledger]", os.path.join(self.folder, "study.db"))
        b.type("[data-field=epsilon] input", "0.5")
        b.type("[data-field=delta] input", "1e-7")
        b.type("[data-field=output] input", "wages.csv")
        b.click("main .row button:not(.main)")
        b.shows("region", selector="main pre")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "wages.csv")))
        b.click("main button.main")
        b.shows("Released to", seconds=60)
        b.until("return document.querySelectorAll('svg.chart .bar').length === 4 && document.querySelectorAll('svg.chart .whisker').length === 4")
        self.keep_picture("release")
        with open(os.path.join(self.folder, "wages.csv"), encoding="ascii") as released:
            rows = list(csv.DictReader(released))
        self.assertEqual(len(rows), 4)
        for row in rows:
            self.assertAlmostEqual(float(row["value"]), 24.7, delta=3)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "wages.csv.certificate.json")))
        # The same file again: refused, and the page says so.
        b.click("main button.main")
        b.until("return [...document.querySelectorAll('main .error')].some((each) => each.innerText.includes('wages.csv'))", seconds=60)
        self.open("ledger", {"ledger": os.path.join(self.folder, "study.db")})
        b.shows("released")
        b.until("return document.querySelector('img.picture')?.naturalWidth > 0")
        b.click("#verify")
        b.until("return document.querySelector('#chain').innerText.length > 10")
        self.keep_picture("ledger")

    def test_histograms_and_medians(self):
        b = self.browser
        for statistic, name in (("histogram", "region.csv"), ("median", "median.csv")):
            self.open("release", {"statistic": statistic, "table": os.path.join(self.folder, "people.csv")})
            b.shows("region, age, wage")
            if statistic == "histogram":
                b.choose("select[aria-label='By group']", "region")
                b.type("input[aria-label='Public values or edges']", "north, south, east, west")
            else:
                b.click("input[type=checkbox][value=wage]")
                b.type("input[aria-label='wage: smallest']", "0")
                b.type("input[aria-label='wage: largest']", "60")
            b.type("[data-field=output] input", name)
            b.click("main button.main")
            b.shows("Released to", seconds=60)

    def test_an_error_of_an_option_that_is_folded_away_is_seen(self):
        b = self.browser
        self.open("release", {"statistic": "count", "table": os.path.join(self.folder, "people.csv")})
        b.shows("region, age, wage")
        b.script("document.querySelector('[data-field=confidence] input').value = '7'")
        b.click("main button.main")
        b.until("return document.querySelector('[data-field=confidence] [aria-invalid=true]')?.getClientRects().length > 0", seconds=60)

    def test_a_table_that_cannot_be_read(self):
        b = self.browser
        self.open("release")
        b.choose("select[aria-label=Table]", os.path.join(self.folder, "broken.csv"))
        b.until("return [...document.querySelectorAll('main .error')].some((each) => each.innerText.includes('broken.csv'))")

    def test_audit(self):
        b = self.browser
        self.open("audit")
        b.shows("rank-1 singular Gaussian noise")
        b.click("main button.main")
        b.shows("Verdict")
        self.assertIn("violated", b.text())  # 4.2 is a little less than (1, 1e-6) needs
        b.script("document.querySelector('textarea').value = arguments[0]", '{"mechanism": "gaussian", "standard_deviation": 4.3, "sensitivity": 1}')
        b.click("main button.main")
        b.until("return !document.querySelector('main h3 .badge.violated')")
        b.script("document.querySelector('textarea').value = '{nonsense'")
        b.click("main button.main")
        b.shows("not JSON")
        b.click("button[aria-label='Check r1smg']")
        b.shows("Claimed and true", seconds=60)
        self.keep_picture("audit")

    def test_reports(self):
        b = self.browser
        self.open("reports")
        b.shows("What did one record lose?")
        b.click("main button.main")
        b.until("return document.querySelector('main [aria-invalid=true], main p.error:not(:empty)')")
        self.keep_picture("reports")

    def test_keyboard_alone(self):
        b = self.browser
        self.open("compose")
        b.until("return document.querySelector('#epsilon')")
        b.script("document.activeElement.blur(); window.scrollTo(0, 0)")
        reached = []
        for _ in range(25):
            b.keys(TAB)
            reached.append(b.script("const e = document.activeElement; return e.tagName + (e.getAttribute('href') ?? e.name ?? '')"))
        for wanted in ("A#calibrate", "A#reports", "SELECT", "INPUTstandard_deviation"):
            self.assertTrue(any(each.startswith(wanted) for each in reached), (wanted, reached))
        b.script("document.querySelector('a[data-page=audit]').focus()")
        b.keys(ENTER)
        b.shows("Is a privacy claim true?")

    def test_everything_has_a_name_for_screen_readers(self):
        for page in ("compose", "calibrate", "meaning", "release", "ledger", "audit", "reports"):
            self.open(page)
            nameless = self.browser.script("""
                return [...document.querySelectorAll('input, select, textarea, button')].filter((each) =>
                    !each.getAttribute('aria-label') && !each.textContent?.trim() && !each.labels?.length).map((each) => each.outerHTML.slice(0, 120))""")
            self.assertEqual(nameless, [], page)
            self.assertEqual(self.browser.script("return [...document.querySelectorAll('svg.chart, img')].filter((each) => !each.getAttribute('aria-label') && each.getAttribute('alt') === null).length"), 0)

    def test_two_browsers_at_once_and_a_phone_in_the_dark(self):
        other = Browser(width=500, height=900, dark=True)
        try:
            other.go(f"{self.server.address}#compose")
            other.until("return document.querySelectorAll('svg.chart').length === 3")
            self.open("compose")
            self.browser.until("return document.querySelectorAll('svg.chart').length === 3")
            self.assertLessEqual(other.script("return document.documentElement.scrollWidth - window.innerWidth"), 0)
            self.assertTrue(other.script("return matchMedia('(prefers-color-scheme: dark)').matches"))
            self.assertNotEqual(other.script("return getComputedStyle(document.body).backgroundColor"),
                                self.browser.script("return getComputedStyle(document.body).backgroundColor"))
            folder = os.environ.get("MODICUM_SCREENSHOTS")
            if folder:
                other.screenshot(os.path.join(folder, "phone.png"))
        finally:
            other.close()


if __name__ == "__main__":
    unittest.main()
