"""`modicum serve`, started for a test and ended with it."""

import os
import signal
import subprocess
import urllib.request

PROGRAM = os.environ["MODICUM_PROGRAM"]


class Server:
    def __init__(self, folder, *more):
        self.process = subprocess.Popen([PROGRAM, "serve", "--no-browser", "--folder", folder, *more],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        if not self.address.startswith("http://127.0.0.1:"):
            self.process.kill()
            raise RuntimeError(self.process.stderr.read())
        self.port = int(self.address.split(":")[2].split("/")[0])
        self.token = self.address.rstrip("/").rsplit("/", 1)[1]

    def stop(self, how=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(timeout=30)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def get(self, path, **headers):
        request = urllib.request.Request(self.address + path, headers=headers)
        return urllib.request.urlopen(request, timeout=60)
