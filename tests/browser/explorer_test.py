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
import time
import unittest
import urllib.error

from _server import PROGRAM, Server
from _webdriver import Browser

TAB, ENTER, SPACE = "\ue004", "\ue007", " "
PAGES = ("", "compose", "calibrate", "meaning", "release", "ledger", "audit", "reports")

# Words whose color is too near to that of what is behind them, by the formula of WCAG.
CONTRAST = """
    const parse = (text) => { const n = text.match(/[\\d.]+/g).map(Number); return {rgb: n.slice(0, 3), alpha: n[3] ?? 1}; };
    const light = (rgb) => rgb.map((c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; })
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (each) => { for (let e = each; e; e = e.parentElement) { const b = parse(getComputedStyle(e).backgroundColor); if (b.alpha > 0.99) return b.rgb; } return [255, 255, 255]; };
    const bad = [];
    for (const each of document.querySelectorAll('body *')) {
        if (![...each.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !each.getClientRects().length || each.closest('.stale, :disabled, option')) continue;
        const style = getComputedStyle(each), svg = each instanceof SVGElement;
        const a = light(parse(svg ? style.fill : style.color).rgb), b = light(behind(svg ? each.closest('svg').parentElement : each));
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) bad.push(`${each.tagName} ${each.className.baseVal ?? each.className} "${each.textContent.trim().slice(0, 30)}" ${ratio.toFixed(2)}`);
    }
    return bad;"""
NAMELESS = """
    return [...document.querySelectorAll('input, select, textarea, button')].filter((each) =>
        !each.getAttribute('aria-label') && !each.textContent?.trim() && !each.labels?.length).map((each) => each.outerHTML.slice(0, 120));"""


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

    def open(self, page, state=None, browser=None):
        b = browser or self.browser
        b.go("about:blank")
        given = "" if state is None else "?" + json.dumps(state)
        b.go(f"{self.server.address}#{page}{given}")
        b.until("return document.querySelector('main h2')")

    def path(self, name):
        return os.path.join(self.folder, name)

    def keep_picture(self, name, browser=None, width=1280):
        folder, b = os.environ.get("MODICUM_SCREENSHOTS"), browser or self.browser
        if folder:
            b.script("document.activeElement.blur(); window.scrollTo(0, 0)")
            height = b.script("return Math.min(3000, document.documentElement.scrollHeight)")
            b._send("POST", f"{b.session}/window/rect", {"width": width, "height": max(900, height + 140)})
            time.sleep(0.3)
            b.screenshot(os.path.join(folder, f"{name}.png"))
            b._send("POST", f"{b.session}/window/rect", {"width": width, "height": 900})

    def tearDown(self):
        self.assertEqual([each for each in self.browser.complaints() if "404" not in each], [])

    def answer_of_program(self, *words, given=None):
        said = subprocess.run([PROGRAM, *words, "--json"], input=given and json.dumps(given), capture_output=True, text=True, check=True)
        return json.loads(said.stdout)

    def shows_epsilon(self, truth):
        self.browser.until("return Math.abs(document.querySelector('#epsilon')?.innerText / arguments[0] - 1) < 1e-5", truth)

    def is_wrong(self, selector, words, seconds=20):
        """The field has an error that says so, and can be seen."""
        self.browser.until("""const field = document.querySelector(arguments[0]);
            return field?.querySelector('[aria-invalid=true]')?.getClientRects().length > 0 && field.querySelector('.error').innerText.includes(arguments[1])""",
                           selector, words, seconds=seconds)

    def test_compose(self):
        b = self.browser
        self.open("compose")
        b.until("return document.querySelectorAll('svg.chart').length === 3")
        # Two mechanisms, a number typed in: the page shows what the program answers.
        b.click("#add-mechanism")
        b.until("return document.querySelectorAll('.part').length === 2")
        b.choose(".part:nth-child(2) select", "laplace")
        b.type(".part:nth-child(2) [data-field=scale] input", "5")
        b.type(".part:nth-child(1) [data-field=standard_deviation] input", "8")
        composed = {"compose": [{"mechanism": "gaussian", "standard_deviation": 8, "sensitivity": 1, "count": 10},
                                {"mechanism": "laplace", "scale": 5, "sensitivity": 1, "count": 10}]}
        truth = self.answer_of_program("epsilon", "-", "--delta", "1e-6", given=composed)["epsilon"]["upper"]
        self.shows_epsilon(truth)
        b.until("return document.querySelector('.hero .badge').innerText === 'proved'")
        self.keep_picture("compose")
        # The address holds the whole state: another window shows the same.
        address = b.address()
        self.assertNotIn(self.server.token, address.split("#")[1])
        b.go("about:blank")
        b.go(address)
        self.shows_epsilon(truth)
        self.assertEqual(b.script("return document.querySelectorAll('.part').length"), 2)
        # What to paste elsewhere.
        b.script("document.querySelectorAll('main details').forEach((each) => { each.open = true; })")
        self.assertIn("modicum epsilon -", b.text())
        self.assertIn("modicum.loss(", b.text())
        # An error stands at its field, nothing old stays beneath it, and it goes away.
        for field, wrong, right in (("[data-field=delta]", "7", "1e-6"), (".part:nth-child(2) [data-field=scale]", "-3", "5"),
                                    (".part:nth-child(1) [data-field=count]", "0.5", "10")):
            b.type(f"{field} input", wrong)
            self.is_wrong(field, wrong)
            self.assertEqual(b.script("return document.querySelectorAll('#epsilon, main svg.chart').length"), 0, field)
            b.type(f"{field} input", right)
            b.until("return !document.querySelector('[aria-invalid=true]')")
            self.shows_epsilon(truth)
        # What no form can hold goes by JSON.
        b.choose(".part:nth-child(2) select", "json")
        b.until("return [...document.querySelectorAll('main pre')].some((each) => each.textContent.includes('gaussian_spectrum'))")
        b.script("const text = document.querySelector('.part textarea'); text.value = '{\"mechanism\": 7}'; text.dispatchEvent(new Event('input'));")
        self.is_wrong(".part:nth-child(2)", "mechanism")

    def test_a_slider_moves_the_curves(self):
        b = self.browser
        self.open("compose")
        b.until("return document.querySelectorAll('svg.chart').length === 3")
        # From a move to the number on the page; told, not asserted.
        b.script("""
            window.waits = [];
            const slider = document.querySelector('.part input[type=range]'), place = document.querySelector('.results');
            let left = 30, moved = 0;
            const move = () => { moved = performance.now(); slider.value = 1 + (left % 15) / 10; slider.dispatchEvent(new Event('input', {bubbles: true})); };
            const seen = new MutationObserver(() => {
                window.waits.push(performance.now() - moved);
                if (--left) setTimeout(move, 15); else seen.disconnect();
            });
            seen.observe(place, {childList: true});
            move();""")
        b.until("return window.waits.length === 30", seconds=60)
        waits = b.script("return window.waits")
        print(f"from a slider's move to the new epsilon: median {statistics.median(waits):.0f} ms of {len(waits)}")

    def begin_long_work(self):
        # Tens of seconds: longer than anybody here waits.
        self.open("compose", {"parts": [
            {"mechanism": "least_squares_release", "columns": 100, "features": 5, "ridge": 40, "row_norm_bound": 1,
             "count": 10}, {"mechanism": "gaussian_dp", "mu": 0.3}]})
        self.browser.until("return [...document.querySelectorAll('.working button')].some((each) => each.getClientRects().length)", seconds=60)

    def test_long_work_tells_how_far_it_is_and_can_be_cancelled(self):
        b = self.browser
        self.begin_long_work()
        b.click(".working button")
        b.shows("Cancelled")
        self.assertEqual(b.script("return document.querySelectorAll('#epsilon').length"), 0)

    def test_work_of_a_page_that_is_closed_is_given_up(self):
        b = self.browser
        b.script("performance.clearResourceTimings()")  # of what was asked before
        self.begin_long_work()
        work = b.until("""return performance.getEntriesByType('resource')
            .map((each) => each.name.match(/api.runs.[0-9]+/)).filter((each) => each).map((each) => each[0])[0]""", seconds=60)
        b.go("about:blank")
        time.sleep(0.5)  # who waits for an answer while it is given up is told so, with another status
        # An answer that nobody fetched would still be there.
        end = time.monotonic() + 20
        while True:
            try:
                status = self.server.get(work).status
            except urllib.error.HTTPError as error:
                status = error.code
            if status != 202 or time.monotonic() > end:
                break
            time.sleep(0.1)
        self.assertEqual(status, 404)

    def test_calibrate(self):
        b = self.browser
        self.open("calibrate", {"epsilon": 1, "delta": 1e-6, "sensitivity": 1, "dimension": 1, "count": 1})
        b.shows("gaussian")
        b.until("return document.querySelector('svg.chart') && document.querySelectorAll('main table').length >= 2 && document.querySelector('img.picture')", seconds=60)
        self.assertIn("less than Gaussian", b.text())
        self.assertIn("classical", b.text())
        self.keep_picture("calibrate")
        b.type("[data-field=sensitivity] input", "-1")
        self.is_wrong("[data-field=sensitivity]", "-1", seconds=60)
        self.assertEqual(b.script("return document.querySelectorAll('main svg.chart').length"), 0)
        b.type("[data-field=spread] input", "x")
        self.is_wrong("[data-field=spread]", "spread", seconds=60)

    def test_meaning(self):
        b = self.browser
        self.open("meaning", {"parts": [{"mechanism": "approximate", "epsilon": 1, "delta": 1e-6}], "prior": 0.5})
        b.until("return document.querySelectorAll('.people i').length === 100")
        # (1 + delta at epsilon 0)/2, where delta(0) = (e - 1)/(e + 1) up to 1e-6.
        self.assertAlmostEqual(float(b.text("#right").split()[0]), 73.11, delta=0.02)
        self.keep_picture("meaning")
        for field, wrong, right in (("prior", "2", "0.5"), ("epsilon", "-1", "1"), ("false_alarms", "x", "0.05")):
            b.type(f"[data-field={field}] input", wrong)
            self.is_wrong(f"[data-field={field}]", wrong)
            self.assertEqual(b.script("return document.querySelectorAll('.people').length"), 0)
            b.type(f"[data-field={field}] input", right)
            b.until("return document.querySelectorAll('.people i').length === 100")

    def begin_release(self, statistic, output, state=None):
        b = self.browser
        self.open("release", {"statistic": statistic, "table": self.path("people.csv"), **(state or {})})
        b.shows("region, age, wage")
        b.type("[data-field=output] input", output)

    def bound_wages(self, low="0", high="60"):
        b = self.browser
        b.click("input[type=checkbox][value=wage]")
        b.type("input[aria-label='wage: smallest']", low)
        b.type("input[aria-label='wage: largest']", high)

    def release(self):
        self.browser.click("#preview")
        self.browser.until("return document.querySelector('#release:not(:disabled)')", seconds=60)
        self.browser.click("#release")
        self.browser.until("return document.querySelector('#released')", seconds=60)

    def test_a_release_by_group_with_a_ledger_by_somebody_new(self):
        """From the first page to the numbers, without a word of documentation; a picture of each screen."""
        b = self.browser
        self.open("")
        self.keep_picture("path-1-start")
        b.click("main a[href='#release']")
        b.until("return document.querySelector('select[aria-label=Table]')")
        b.choose("select[aria-label=Table]", self.path("people.csv"))
        b.shows("region, age, wage")
        b.choose("select[aria-label=Statistic]", "mean")
        self.bound_wages()
        b.choose("select[aria-label='By group']", "region")
        b.type("input[aria-label='Public values or edges']", "north, south, east, west")
        b.type("[data-field=epsilon] input", "0.5")
        b.type("[data-field=delta] input", "1e-7")
        b.choose("select[aria-label=Ledger]", "+")
        b.click("#create-ledger")
        b.until("return document.querySelector('select[aria-label=Ledger]').value.endsWith('study.db')")
        b.type("[data-field=output] input", "wages.csv")
        self.keep_picture("path-2-asked")
        # What is promised, before a row is read: the noise, its interval, the price, what is left.
        b.click("#preview")
        b.shows("What will be promised", "#promise", seconds=60)
        told = b.text("#promise")
        for words in ("(0.5, 1e-7)-differentially private", "proved", "in a group of", "1,000 rows", "\u00b1", "of what is left", "standard deviation"):
            self.assertIn(words.lower(), told.lower())
        self.assertFalse(os.path.exists(self.path("wages.csv")))
        listed = self.answer_of_program("ledger", "list", "--ledger", self.path("study.db"))
        self.assertEqual(len(listed["entries"]), 0)
        self.keep_picture("path-3-promised")
        # Whoever changes something has to look again.
        b.type("[data-field=epsilon] input", "0.4")
        b.until("return document.querySelector('#release').disabled")
        b.type("[data-field=epsilon] input", "0.5")
        self.release()
        b.until("return document.querySelectorAll('svg.chart .bar').length === 4 && document.querySelectorAll('svg.chart .whisker').length === 4")
        self.keep_picture("path-4-released")
        with open(self.path("wages.csv"), encoding="ascii") as released:
            rows = list(csv.DictReader(released))
        self.assertEqual(len(rows), 4)
        for row in rows:
            self.assertAlmostEqual(float(row["value"]), 24.7, delta=3)
        self.assertTrue(os.path.exists(self.path("wages.csv.certificate.json")))
        # The same file again: refused at its field, before anything is charged.
        b.click("#preview")
        b.until("return document.querySelector('#release:not(:disabled)')", seconds=60)
        b.click("#release")
        self.is_wrong("[data-field=output]", "wages.csv", seconds=60)
        self.open("ledger", {"ledger": self.path("study.db")})
        b.shows("released")
        b.click("#verify")
        b.until("return document.querySelector('#chain').innerText.length > 10")
        b.click("main table summary")
        b.until("return document.querySelector('pre.certificate')?.innerText.includes('\"guarantee\"')")
        b.click("main table summary")
        self.keep_picture("path-5-ledger")

    def test_tables_are_shown_and_kept_whatever_their_format(self):
        b = self.browser
        for statistic, output in (("histogram", "region.json"), ("median", "median.npy"), ("covariance", "moments.npy")):
            self.begin_release(statistic, output)
            if statistic == "histogram":
                b.choose("select[aria-label='By group']", "region")
                b.type("input[aria-label='Public values or edges']", "north, south, east, west")
            else:
                self.bound_wages()
            self.release()
            rows = b.script("return [...document.querySelectorAll('#released > .scroll tbody tr')].map((each) => each.innerText)")
            self.assertEqual(len(rows), 4 if statistic == "histogram" else 1, rows)
            self.assertRegex(rows[0], r"\d")
            if statistic == "histogram":
                self.assertEqual(b.script("return document.querySelectorAll('#released svg.chart .whisker').length"), 4)
            # The file comes whole.
            b.script("""window.kept = null; const make = URL.createObjectURL;
                URL.createObjectURL = (blob) => { blob.arrayBuffer().then((all) => { window.kept = all.byteLength; }); URL.createObjectURL = make; return 'data:,'; };
                document.querySelector('#released .row button').click();""")
            self.assertEqual(b.until("return window.kept"), os.path.getsize(self.path(output)))

    def test_errors_of_a_release_stand_at_their_fields(self):
        b = self.browser
        self.begin_release("mean", "wrong.csv")
        def wrong(place, words):
            b.click("#preview")
            self.is_wrong(place, words, seconds=60)
        wrong("[data-field=select]", "select")
        b.click("input[type=checkbox][value=wage]")
        wrong("[data-field='bounds of wage']", "bounds")
        b.type("input[aria-label='wage: smallest']", "60")
        b.type("input[aria-label='wage: largest']", "0")
        wrong("[data-field='bounds of wage']", "low end")
        b.type("input[aria-label='wage: largest']", "x")
        wrong("[data-field='bounds of wage']", "numbers")
        b.type("input[aria-label='wage: largest']", "100")
        b.choose("select[aria-label='By group']", "region")
        wrong("[data-field=categories]", "categories")
        b.type("input[aria-label='Public values or edges']", "north, north")
        wrong("[data-field=categories]", "repeated")
        b.choose("select[aria-label='By group']", "")
        b.type("[data-field=epsilon] input", "-1")
        wrong("[data-field=epsilon]", "-1")
        b.type("[data-field=epsilon] input", "1")
        b.type("[data-field=delta] input", "")
        wrong("[data-field=delta]", "delta")
        b.type("[data-field=delta] input", "1e-6")
        b.script("document.querySelector('[data-field=confidence] input').value = '7'")  # folded away
        wrong("[data-field=confidence]", "7")
        self.assertFalse(os.path.exists(self.path("wrong.csv")))

    def test_a_table_that_cannot_be_read(self):
        b = self.browser
        self.open("release")
        b.choose("select[aria-label=Table]", self.path("broken.csv"))
        self.is_wrong("[data-field=table]", "broken.csv")

    def test_audit(self):
        b = self.browser
        self.open("audit")
        b.shows("rank-1 singular Gaussian noise")
        b.click("main button.main")
        b.shows("Verdict")
        self.assertIn("violated", b.text())  # 4.2 is a little less than (1, 1e-6) needs
        b.script("document.querySelector('textarea').value = arguments[0]", '{"mechanism": "gaussian", "standard_deviation": 4.3, "sensitivity": 1}')
        b.click("main button.main")
        b.until("return document.querySelector('main h3 .badge') && !document.querySelector('main h3 .badge.violated')")
        # A certificate brings its claim.
        certificate = self.answer_of_program("calibrate", "gaussian", "--epsilon", "2", "--delta", "1e-5", "--sensitivity", "1")["certificate"]
        b.script("document.querySelector('textarea').value = arguments[0]", json.dumps(certificate))
        b.click("main button.main")
        b.shows("At epsilon 2")
        for text, words in (("{nonsense", "not JSON"), ('{"mechanism": "laplace", "scale": 0, "sensitivity": 1}', "scale")):
            b.script("document.querySelector('textarea').value = arguments[0]", text)
            b.click("main button.main")
            self.is_wrong("[data-field=description]", words)
            self.assertNotIn("Verdict", b.text())
        b.click("button[aria-label='Check r1smg']")
        b.shows("Claimed and true", seconds=60)
        self.keep_picture("audit")

    def test_reports(self):
        b = self.browser
        self.open("reports")
        b.shows("What did one record lose?")
        b.click("#make")
        b.until("return document.querySelector('main [aria-invalid=true]')")
        subprocess.run([PROGRAM, "release", "regression", self.path("people.csv"), "--select", "age", "--target", "wage", "--method", "objective", "--range", "age=18:70",
                        "--range", "wage=0:60", "--intercept", "--epsilon", "1", "--delta", "1e-6", "--output", self.path("fit.csv")], check=True, capture_output=True)
        self.open("reports", {"kind": "losses"})
        b.choose("select[aria-label=Table]", self.path("people.csv"))
        b.choose("select[aria-label='Released coefficients']", self.path("fit.csv"))
        b.click("#make")
        b.until("return document.querySelector('iframe.report')", seconds=60)
        self.assertTrue(os.path.exists(self.path("losses.html")))
        self.keep_picture("reports")
        # A page for everybody, which answers in its frame.
        b.click("input[type=radio][value=publish]")
        b.choose("select[aria-label='Released coefficients']", self.path("fit.csv"))
        b.click("#make")
        b.until("return document.querySelector('iframe.report')", seconds=60)
        with open(self.path("report.html"), encoding="utf-8") as page:
            self.assertIn("What did my record lose?", page.read())
        b.into_frame("iframe.report")
        b.script("document.querySelectorAll('input').forEach((each, i) => { each.value = 40 - 20 * i; }); document.querySelector('form').requestSubmit();")
        b.shows("its loss is at most", "#answer")
        b.out_of_frame()
        self.keep_picture("reports-published")

    def test_keyboard_alone(self):
        b = self.browser
        self.open("compose")
        b.until("return document.querySelector('#epsilon')")
        b.script("document.activeElement.blur(); window.scrollTo(0, 0)")
        reached = []
        for _ in range(26):
            b.keys(TAB)
            reached.append(b.script("""const e = document.activeElement, style = getComputedStyle(e);
                return [e.tagName + (e.getAttribute('href') ?? e.name ?? ''), style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0, e.getBoundingClientRect().top >= 0];"""))
        self.assertEqual(reached[0][0], "A#main")  # the way past the pages
        for wanted in ("A#calibrate", "A#reports", "SELECT", "INPUTstandard_deviation"):
            self.assertTrue(any(name.startswith(wanted) for name, _, _ in reached), (wanted, reached))
        self.assertEqual([name for name, outlined, _ in reached if not outlined and name != "BODY"], [])  # the focus is seen
        b.script("document.querySelector('.skip').focus()")
        b.keys(ENTER)
        self.assertEqual(b.script("return document.activeElement.id"), "main")
        b.script("document.querySelector('a[data-page=release]').focus()")
        b.keys(ENTER)
        b.shows("Release numbers from a table")
        # A release of a count with keys alone.
        self.begin_release("count", "count.csv")
        for selector in ("#preview", "#release"):
            b.until("return document.querySelector(arguments[0] + ':not(:disabled)')", selector, seconds=60)
            b.script("document.querySelector(arguments[0]).focus()", selector)
            b.keys(SPACE)
        b.until("return document.querySelector('#released') && document.activeElement.closest('#released')", seconds=60)

    def look_at_all_pages(self, browser, least_text):
        for page in PAGES:
            self.open(page, browser=browser)
            if page in ("compose", "meaning", "calibrate"):
                browser.until("return document.querySelector('main svg.chart')", seconds=60)
            self.assertEqual(browser.script(CONTRAST), [], page)
            self.assertEqual(browser.script(NAMELESS), [], page)
            self.assertEqual(browser.script("return [...document.querySelectorAll('svg.chart, img')].filter((each) => !each.getAttribute('aria-label') && each.getAttribute('alt') === null).length"), 0)
            self.assertLessEqual(browser.script("return document.documentElement.scrollWidth - window.innerWidth"), 0, page)
            small = browser.script("""return [...document.querySelectorAll('svg.chart text')].map((each) => parseFloat(getComputedStyle(each).fontSize)
                * each.getScreenCTM().a / Math.max(1, each.transform.baseVal.length ? Math.hypot(each.getCTM().a, each.getCTM().b) : 1)).filter((size) => size > 0 && size < arguments[0])""", least_text)
            self.assertEqual(small, [], page)

    def test_words_can_be_read_and_everything_has_a_name(self):
        self.look_at_all_pages(self.browser, 12)

    def test_two_browsers_at_once_and_a_phone_in_the_dark(self):
        other = Browser(width=500, height=900, dark=True)
        try:
            self.open("compose")
            other._send("POST", f"{other.session}/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {"width": 400, "height": 850, "deviceScaleFactor": 2, "mobile": True}})
            self.look_at_all_pages(other, 12)
            self.browser.until("return document.querySelectorAll('svg.chart').length === 3")
            self.assertTrue(other.script("return matchMedia('(prefers-color-scheme: dark)').matches"))
            self.assertNotEqual(other.script("return getComputedStyle(document.body).backgroundColor"),
                                self.browser.script("return getComputedStyle(document.body).backgroundColor"))
            folder = os.environ.get("MODICUM_SCREENSHOTS")
            if folder:
                for page in PAGES:
                    self.open(page, browser=other)
                    time.sleep(1.5)
                    other.whole_page(os.path.join(folder, f"phone-{page or 'start'}.png"), 400)
        finally:
            other.close()


if __name__ == "__main__":
    unittest.main()
