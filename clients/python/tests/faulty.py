"""A way to the service that fails as it is told, on loopback."""

import threading
from collections import namedtuple
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

Request = namedtuple("Request", "method path headers body")


def headers_of(pairs):
    return {name.lower(): value for name, value in pairs}


def answer(status, body=b"{}", **headers):
    """Answers by itself, and asks nobody."""
    return lambda handler, forward: handler.reply(status, headers, body)


def refusal(status, code, detail=None, **headers):
    told = "" if detail is None else f',"detail":"{detail}"'
    body = f'{{"error":{{"code":"{code}","message":"No."{told}}},"meta":{{"request_id":"req_of_the_fake"}}}}'
    return answer(status, body.encode(), **headers)


def drop(handler, forward):
    """Breaks the connection before the service is asked."""
    handler.hang_up()


def lose(handler, forward):
    """Breaks the connection after the service has answered."""
    forward()
    handler.hang_up()


def cut(handler, forward):
    """Breaks the connection in the middle of the answer."""
    status, headers, body = forward()
    handler.reply(status, headers, body[: len(body) // 2], len(body))
    handler.hang_up()


def hang(handler, forward):
    """Says nothing until the test is over."""
    handler.server.over.wait()


def change(old, new):
    """Passes on what the service answers, with a text in it replaced."""

    def passed(handler, forward):
        status, headers, body = forward()
        changed = body.replace(old, new)
        assert changed != body, f"there is no {old!r} in {body!r}"
        handler.reply(status, headers, changed)

    return passed


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def exchange(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.server.took(Request(self.command, self.path, headers_of(self.headers.items()), body))

        def forward():
            connection = HTTPConnection(self.server.target, timeout=60)
            headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            connection.request(self.command, self.path, body, headers)
            response = connection.getresponse()
            found = response.status, headers_of(response.getheaders()), response.read()
            connection.close()
            self.server.answered.append(found)
            return found

        if fault is None:
            self.reply(*forward())
        else:
            fault(self, forward)

    do_GET = do_POST = exchange

    def reply(self, status, headers, body, length=None):
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in ("content-length", "transfer-encoding", "connection", "date"):
                self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def hang_up(self):
        self.wfile.flush()
        self.close_connection = True

    def log_message(self, *_):
        pass


class Faulty(ThreadingHTTPServer):
    """Passes requests on to `target`, but meets each with the next fault of its script."""

    daemon_threads = True

    def __init__(self, target=None, script=()):
        super().__init__(("127.0.0.1", 0), Handler)
        self.target = None if target is None else urlsplit(target).netloc
        self.script = list(script)
        self.requests = []
        self.answered = []
        self.over = threading.Event()
        self.changed = threading.Condition()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def took(self, request):
        with self.changed:
            self.requests.append(request)
            self.changed.notify_all()
            return self.script.pop(0) if self.script else None

    def to(self, end):
        """The requests whose path ends so."""
        return [request for request in self.requests if request.path.endswith(end)]

    def wait_for(self, end, count):
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.to(end)) >= count, timeout=60):
                raise AssertionError(f"{len(self.to(end))} requests to {end}, and not {count}")

    def close(self):
        self.over.set()
        self.shutdown()
        self.server_close()
