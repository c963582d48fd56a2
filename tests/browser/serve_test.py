"""`modicum serve` as programs see it: who is answered, what may be asked, what happens to long work."""

import concurrent.futures
import http.client
import itertools
import json
import os
import signal
import socket
import statistics
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

from _server import PROGRAM, Server

GAUSSIAN = {"mechanism": "gaussian", "standard_deviation": 50, "sensitivity": 1, "count": 1000}


def ask(server, question, raw=None, **headers):
    """(status, parsed body or text)."""
    body = json.dumps(question).encode() if raw is None else raw
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request("POST", f"/{server.token}/api/ask", body,
                           {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        text = answer.read().decode()
        return answer.status, json.loads(text) if text.startswith("{") else text
    finally:
        connection.close()


def finish(server, question):
    status, answer = ask(server, question)
    while status == 202:
        with server.get(f"api/runs/{answer['running']:.0f}") as reply:
            status, answer = reply.status, json.load(reply)
    return answer


def run(server, job, **fields):
    return finish(server, {"ask": "run", "job": job, "fields": fields})


def request(server, method, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        answer.read()
        return answer
    finally:
        connection.close()


class Serve(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = os.path.join(cls.place.name, "served")
        os.mkdir(cls.folder)
        with open(os.path.join(cls.folder, "people.csv"), "w", encoding="ascii") as out:
            out.write("region,age\n" + "".join(f"{'north' if i % 3 else 'south'},{20 + i % 50}\n" for i in range(600)))
        with open(os.path.join(cls.place.name, "secret.csv"), "w", encoding="ascii") as out:
            out.write("loss,probability\n0,1\n")
        os.symlink(os.path.join(cls.place.name, "secret.csv"), os.path.join(cls.folder, "link.csv"))
        cls.server = Server(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.place.cleanup()

    def test_whoever_has_no_token_gets_nothing(self):
        for path in ("/", "/index.html", "/x/", f"/{'0' * 32}/", f"/{self.server.token[:-1]}/", "//", "/api/ask"):
            self.assertEqual(request(self.server, "GET", path).status, 403, path)
        self.assertEqual(request(self.server, "GET", f"/{self.server.token}/").status, 200)

    def test_other_hosts_and_origins_are_refused(self):
        page = f"/{self.server.token}/"
        self.assertEqual(request(self.server, "GET", page, Host="evil.example").status, 403)
        self.assertEqual(request(self.server, "GET", page, Host=f"evil.example:{self.server.port}").status, 403)
        self.assertEqual(request(self.server, "GET", page, Host="127.0.0.1:1").status, 403)
        self.assertEqual(request(self.server, "GET", page, Host=f"localhost:{self.server.port}").status, 200)
        self.assertEqual(request(self.server, "GET", page, Origin="http://evil.example").status, 403)
        self.assertEqual(request(self.server, "GET", page, Origin="null").status, 403)
        self.assertEqual(request(self.server, "GET", page, Origin=f"http://127.0.0.1:{self.server.port}").status, 200)

    def test_only_this_machine_is_answered(self):
        # /proc/net/tcp has the local address of every listening socket, low byte first.
        with open("/proc/net/tcp", encoding="ascii") as table:
            listening = [line.split()[1] for line in table if line.split()[3] == "0A"]
        ours = [each for each in listening if int(each.split(":")[1], 16) == self.server.port]
        self.assertEqual(ours, [f"0100007F:{self.server.port:04X}"])

    def test_pages_may_load_nothing_from_elsewhere(self):
        answer = request(self.server, "GET", f"/{self.server.token}/")
        policy = answer.headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(answer.headers["Referrer-Policy"], "no-referrer")
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        for name in ("", "app.js", "style.css", "icon.svg"):
            with self.server.get(name) as page:
                self.assertNotRegex(page.read().decode().replace("http://www.w3.org/", ""), r"https?://")

    def test_questions_must_be_json_of_a_bounded_size(self):
        self.assertEqual(ask(self.server, None, raw=b"{", )[0], 400)
        self.assertEqual(ask(self.server, {"ask": "forms"}, Content_Type="x")[0], 200)
        self.assertEqual(ask(self.server, None, raw=b"{}", **{"Content-Type": "text/plain"})[0], 415)
        try:
            status = ask(self.server, None, raw=b" " * (5 << 20))[0]
        except (BrokenPipeError, ConnectionResetError):
            status = 413  # the server does not wait for the rest
        self.assertEqual(status, 413)
        self.assertEqual(request(self.server, "GET", f"/{self.server.token}/../../etc/passwd").status, 404)
        self.assertIn(request(self.server, "PUT", f"/{self.server.token}/app.js").status, (400, 404, 405))

    def test_bodies_without_a_length_are_refused(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        connection.request("POST", f"/{self.server.token}/api/ask", iter([b"{}"]), {"Content-Type": "application/json"}, encode_chunked=True)
        self.assertEqual(connection.getresponse().status, 411)
        connection.close()

    def test_ends_while_a_browser_that_it_opened_lives(self):
        tools = os.path.join(self.place.name, "tools")
        os.mkdir(tools)
        with open(os.path.join(tools, "xdg-open"), "w", encoding="ascii") as out:
            out.write("#!/bin/sh\nsleep 30 &\n")
        os.chmod(out.name, 0o755)
        process = subprocess.Popen([PROGRAM, "serve", "--folder", self.folder], stdout=subprocess.PIPE, text=True,
                                   env={**os.environ, "PATH": tools + ":" + os.environ["PATH"]})
        self.assertTrue(process.stdout.readline().startswith("http://127.0.0.1:"))
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=15), 0)
        process.stdout.close()

    def test_answers_are_those_of_the_program(self):
        answer = run(self.server, "epsilon", description=GAUSSIAN, delta=[1e-6])
        said = json.loads(subprocess.run([PROGRAM, "epsilon", "-", "--delta", "1e-6", "--json"], input=json.dumps(GAUSSIAN),
                                         capture_output=True, text=True, check=True).stdout)
        self.assertEqual(answer["answer"], said)
        again = subprocess.run(["bash", "-c", answer["command"].replace("modicum", f"'{PROGRAM}'", 1) + "\n"],
                               capture_output=True, text=True, check=True).stdout
        self.assertEqual(again, answer["words"])

    def test_a_command_to_paste_gives_the_same(self):
        table = os.path.join(self.folder, "people.csv")
        fields = {"table": [table], "by": ["region"], "categories": ["north,south"], "select": ["age"],
                  "bounds": {"age": [0, 100]}, "epsilon": 1, "delta": 1e-6, "explain": True}
        answer = run(self.server, "release mean", **fields)
        self.assertNotIn("error", answer)
        again = subprocess.run(["bash", "-c", answer["command"].replace("modicum", f"'{PROGRAM}'", 1)],
                               capture_output=True, text=True, check=True).stdout
        self.assertEqual(again, answer["words"])

    def test_an_error_names_its_field(self):
        error = run(self.server, "epsilon", description=GAUSSIAN, delta=[7])["error"]
        self.assertEqual((error["field"], error["code"]), ("delta", 2))
        error = run(self.server, "calibrate gaussian", epsilon=1, delta=1e-6)["error"]
        self.assertEqual(error["field"], "sensitivity")
        error = run(self.server, "epsilon", description={"mechanism": "gausian"}, delta=[1e-6])["error"]
        self.assertIn("did you mean gaussian?", error["message"])
        self.assertEqual((error["field"], error["at"]), ("description", "mechanism"))
        parts = {"compose": [GAUSSIAN, {"mechanism": "laplace", "scale": -1, "sensitivity": 1}]}
        error = run(self.server, "epsilon", description=parts, delta=[1e-6])["error"]
        self.assertEqual((error["field"], error["at"]), ("description", "compose[1].scale"))
        fields = {"table": [os.path.join(self.folder, "people.csv")], "select": ["age"], "epsilon": 1, "delta": 1e-6, "explain": True}
        for bounds in ({"age": [9, 1]}, {"age": ["x", 1]}, {}):
            self.assertEqual(run(self.server, "release mean", **fields, bounds=bounds)["error"]["field"], "bounds", bounds)
        # That of a file stands where the file was named.
        for name in "table", "ledger":
            fields = {"table": [os.path.join(self.folder, "people.csv")], "epsilon": 1, "delta": 1e-6, "explain": True}
            fields[name] = [os.path.join(self.folder, "none.csv")] if name == "table" else os.path.join(self.folder, "none.db")
            error = run(self.server, "release count", **fields)["error"]
            self.assertEqual((error["field"], error["code"]), (name, 4))

    def test_no_program_is_run_and_no_server_started(self):
        for job in ("audit program", "serve", "", "no such", "release"):
            self.assertEqual(run(self.server, job)["error"]["code"], 2, job)

    def test_files_outside_the_folders_are_out_of_reach(self):
        outside = os.path.join(self.place.name, "secret.csv")
        for path in (outside, "../secret.csv", os.path.join(self.folder, "..", "secret.csv"),
                     os.path.join(self.folder, "link.csv"), "/etc/passwd", "postgresql://host/base", "*.csv", "-", ""):
            for question in ({"ask": "columns", "fields": {"table": [path]}}, {"ask": "text", "file": path},
                             {"ask": "run", "job": "epsilon", "fields": {"description": path, "delta": [1e-6]}},
                             {"ask": "run", "job": "ledger status", "fields": {"ledger": path}}):
                error = finish(self.server, question)["error"]
                self.assertEqual(error["code"], 2, (path, question))
                self.assertNotIn("root:", json.dumps(error))
        table = {"compose": [{"mechanism": "tabulated", "file": outside}]}
        self.assertIn("folder", run(self.server, "epsilon", description=table, delta=[1e-6])["error"]["message"])
        # In a list beside a description, and in a file that describes.
        mixed = run(self.server, "plot profile", descriptions=[outside, GAUSSIAN], output="-")
        self.assertEqual(mixed["error"]["code"], 2)
        for name, text in (("good.csv", "0,1\n"), ("good.json", '{"mechanism": "tabulated", "file": "good.csv"}'),
                           ("bad.json", '{"mechanism": "tabulated", "file": "../secret.csv"}')):
            with open(os.path.join(self.folder, name), "w", encoding="ascii") as out:
                out.write(text)
        self.assertIn("answer", run(self.server, "epsilon", description="good.json", delta=[1e-6]))
        self.assertIn("answer", run(self.server, "epsilon", description={"mechanism": "tabulated", "file": "good.csv"}, delta=[1e-6]))
        self.assertIn("folder", run(self.server, "epsilon", description="bad.json", delta=[1e-6])["error"]["message"])
        listed = [each["name"] for each in finish(self.server, {"ask": "files"})["files"]]
        self.assertIn("people.csv", listed)
        self.assertNotIn("link.csv", listed)
        written = run(self.server, "plot profile", descriptions=[GAUSSIAN], output=os.path.join(self.place.name, "out.svg"))
        self.assertEqual(written["error"]["field"], "output")

    def test_long_work_tells_how_far_it_is_and_can_be_given_up(self):
        # Releases of one data set by all methods, again and again: minutes.
        slow = {"ask": "run", "job": "plot gain", "fields": {"output": "-"}}
        status, answer = ask(self.server, slow)
        self.assertEqual(status, 202)
        number = f"{answer['running']:.0f}"
        path = f"/{self.server.token}/api/runs/{number}"
        self.assertEqual(request(self.server, "DELETE", path).status, 200)
        self.assertEqual(request(self.server, "GET", path).status, 404)
        self.assertEqual(request(self.server, "DELETE", path).status, 404)
        # Its worker is gone, the next question is answered all the same.
        self.assertIn("answer", run(self.server, "epsilon", description=GAUSSIAN, delta=[1e-6]))

    def test_whoever_sends_a_byte_now_and_then_keeps_nobody_waiting(self):
        def drip(request, stop):
            """Connects again and again, and never ends a request."""
            while not stop.is_set():
                try:
                    with socket.create_connection(("127.0.0.1", self.server.port), timeout=5) as line:
                        for byte in itertools.cycle(request):
                            line.send(bytes([byte]))
                            if stop.wait(0.05):
                                return
                except OSError:
                    pass
        stop = threading.Event()
        header = f"POST /{self.server.token}/api/ask HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n".encode()
        with concurrent.futures.ThreadPoolExecutor(120) as pool:
            for i in range(120):
                pool.submit(drip, b"GET / HTTP/1.1" if i % 2 else header, stop)
            time.sleep(1)
            waits = []
            try:
                for _ in range(20):
                    began = time.monotonic()
                    self.assertIn("answer", run(self.server, "epsilon", description=GAUSSIAN, delta=[1e-6]))
                    waits.append(1000 * (time.monotonic() - began))
            finally:
                stop.set()
        print(f"beside 120 connections that drip: median {statistics.median(waits):.0f} ms, longest {max(waits):.0f} ms")

    def test_an_answer_goes_to_the_next_question_of_the_connection(self):
        line = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        for _ in range(20):
            line.request("GET", f"/{self.server.token}/app.js")
            answer = line.getresponse()
            self.assertEqual((answer.status, len(answer.read()) > 100), (200, True))
        line.close()
        # Two requests at once, in one piece.
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as both:
            one = f"GET /{self.server.token}/icon.svg HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n"
            both.sendall((one + "\r\n" + one + "Connection: close\r\n\r\n").encode())
            text = b"".join(iter(lambda: both.recv(65536), b""))
        self.assertEqual(text.count(b"HTTP/1.1 200"), 2)

    def test_starts_quickly(self):
        began = time.monotonic()
        server = Server(self.folder)
        with server.get("") as page:
            page.read()
        print(f"from the command to the first page: {1000 * (time.monotonic() - began):.0f} ms")
        self.assertEqual(server.stop(), 0)

    def test_a_thousand_questions_eight_at_once(self):
        def memory():
            with open(f"/proc/{self.server.process.pid}/status", encoding="ascii") as status:
                return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
        def one(i):
            return ask(self.server, {"ask": "run", "job": "profile", "fields": {
                "description": {"mechanism": "gaussian", "standard_deviation": 1 + i % 7, "sensitivity": 1}, "epsilon": [1]}})
        one(0)
        before = memory()
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(one, range(1000)))
        print(f"1000 questions, 8 at once: {time.monotonic() - began:.1f} s, {memory() - before} kB more")
        self.assertEqual({status for status, _ in answers} - {200, 202}, set())
        self.assertEqual([a for s, a in answers if s == 200 and "error" in a], [])
        self.assertLess(memory() - before, 50_000)  # kilobytes

    def test_a_server_that_stops_in_the_middle_leaves_the_ledger_spent_and_no_half_file(self):
        folder = os.path.join(self.place.name, "ended")
        os.mkdir(folder)
        store, table = os.path.join(folder, "study.db"), os.path.join(folder, "big.csv")
        with open(table, "w", encoding="ascii") as out:
            out.write("age\n" + "".join(f"{i % 90}\n" for i in range(400000)))
        subprocess.run([PROGRAM, "ledger", "create", "--ledger", store, "--budget", "study", "--epsilon", "1", "--delta", "1e-6"],
                       check=True, capture_output=True)
        server = Server(folder)
        output = os.path.join(folder, "mean.csv")
        body = {"ask": "run", "job": "release mean", "fields": {"table": [table], "select": ["age"], "bounds": {"age": [0, 100]},
                "epsilon": 0.1, "delta": 1e-8, "ledger": store, "output": output}}
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            asked = pool.submit(ask, server, body)
            time.sleep(0.05)
            self.assertEqual(server.stop(signal.SIGTERM), 0)
            try:
                asked.result()
            except (ConnectionError, http.client.HTTPException):
                pass
        listed = json.loads(subprocess.run([PROGRAM, "ledger", "list", "--ledger", store, "--json"], check=True, capture_output=True, text=True).stdout)
        states = [each["state"] for each in listed["entries"]]
        self.assertEqual(os.path.exists(output), states == ["released"])
        self.assertEqual(os.path.exists(output + ".certificate.json"), os.path.exists(output))
        self.assertEqual([each for each in os.listdir(folder) if "mean" not in each and each not in ("big.csv",) and not each.startswith("study.db")], [])

    def test_a_folder_that_is_none_and_a_port_that_is_taken(self):
        for words, code in ((["--folder", "/no/such"], 4), (["--port", str(self.server.port)], 1), (["--port", "70000"], 2)):
            said = subprocess.run([PROGRAM, "serve", "--no-browser", *words], capture_output=True, text=True, timeout=30, check=False)
            self.assertEqual(said.returncode, code, said.stderr)
            self.assertEqual(said.stdout, "")


if __name__ == "__main__":
    unittest.main()
