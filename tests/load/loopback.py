"""A server on loopback that answers as it is told."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


@dataclass
class Server:
    """Answers each request with the next of ``answers``, as bytes; the last one stays."""

    answers: list[bytes]
    url: str = ""
    hangs_up: bool = False
    """Whether it closes each connection after an answer, without saying so."""
    asked: list[tuple[str, bytes, str | None]] = field(default_factory=list)
    clients: set[tuple[str, int]] = field(default_factory=set)


@contextmanager
def server(*answers: bytes) -> Iterator[Server]:
    state = Server(list(answers))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.asked.append((self.path, body, self.headers.get("Authorization")))
            state.clients.add(self.client_address)
            answer = state.answers.pop(0) if len(state.answers) > 1 else state.answers[0]
            self.wfile.write(answer)
            self.close_connection = state.hangs_up or b"Connection: close" in answer or not answer

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        threading.Thread(target=http.serve_forever, daemon=True).start()
        state.url = f"http://127.0.0.1:{http.server_port}/v1/completions"
        yield state
        http.shutdown()
