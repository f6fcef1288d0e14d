"""Run against a server: NOKOSU_DB names it, NOKOSU_TOKEN opens it. ``test/http/python-client.test.ts`` does that."""

import http.server
import threading
import unittest
from uuid import uuid4

from nokosu import Nokosu, NokosuError


class Client(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Nokosu()
        self.shop = self.server.as_(project_id=f"shop-{uuid4()}")

    def test_add_weighs(self) -> None:
        first = self.shop.add("Takes 60s to start", category="timing", service="caddy", tags=["boot"])
        self.assertEqual(first["outcome"], "insert")
        again = self.shop.add("Takes 60s to start", category="timing", service="caddy")
        self.assertEqual((again["outcome"], again["memory"]["id"]), ("reinforce", first["memory"]["id"]))
        exact = self.shop.add("Takes 60s to start", category="timing", service="caddy", exact=True)
        self.assertNotEqual(exact["memory"]["id"], first["memory"]["id"])

    def test_finds_reads_changes_and_deletes(self) -> None:
        memory = self.shop.add("Caddy must start after WireGuard", tags=["order"])["memory"]
        found = self.shop.search("Caddy start WireGuard", limit=1, threshold=0.1)["results"]
        self.assertEqual([each["memory"]["id"] for each in found], [memory["id"]])
        self.shop.update(memory["id"], metadata={"owner": "ann"})
        changed = self.shop.get(memory["id"])
        assert changed is not None
        self.assertEqual(changed["metadata"]["owner"], "ann")
        self.assertGreaterEqual(len(self.shop.history(memory["id"])["changes"]), 2)
        self.shop.delete(memory["id"])
        self.shop.delete(memory["id"])
        self.assertIsNone(self.shop.get(memory["id"]))

    def test_list_goes_through_all_pages_and_filters(self) -> None:
        report = self.shop.bulk_add([f"Rack {i} has switch {i * 7}" for i in range(5)] + [{"content": "Mail leaves at noon", "tags": ["mail", "time"]}])
        self.assertEqual(len(report["outcomes"]), 6)
        self.assertEqual(len(list(self.shop.list(limit=2))), 6)
        self.assertEqual([each["content"] for each in self.shop.list(tags=["mail"])], ["Mail leaves at noon"])

    def test_context_and_recall(self) -> None:
        self.assertEqual(self.shop.context()["text"], "")
        self.shop.add("ECONNREFUSED 5433 means that the tunnel of pgbouncer is down", category="remediation")
        self.assertIn("tunnel of pgbouncer", self.shop.context(for_="start the tunnel")["text"])
        moment = {"kind": "failure", "input": "psql", "error": "connect ECONNREFUSED 127.0.0.1:5433 pgbouncer tunnel"}
        self.assertIn("tunnel of pgbouncer", self.shop.recall(moment, session=f"run-{uuid4()}")["text"])

    def test_record(self) -> None:
        outcomes = self.shop.record({"type": "rejection", "taskId": "T7", "notes": "The retry has no test of its limit", "cycle": 1})["outcomes"]
        self.assertEqual(outcomes[0]["kind"], "insert")

    def test_nothing_crosses(self) -> None:
        memory = self.shop.add("Takes 60s to start")["memory"]
        self.assertIsNone(self.server.as_(project_id=f"other-{uuid4()}").get(memory["id"]))

    def test_errors_have_codes_and_fields(self) -> None:
        with self.assertRaises(NokosuError) as wrong:
            self.shop.add("Takes 60s", category="nonsense")
        self.assertEqual(wrong.exception.code, "INVALID_INPUT")
        self.assertFalse(wrong.exception.retryable)
        self.assertTrue(self.server.healthy())
        self.assertFalse(Nokosu("http://127.0.0.1:9").healthy())


class Retries(unittest.TestCase):
    def test_a_write_is_repeated_with_the_same_key(self) -> None:
        keys = []

        class Busy(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                keys.append(self.headers["Idempotency-Key"])
                self.rfile.read(int(self.headers["Content-Length"]))
                busy = b'{"error": {"code": "RATE_LIMITED", "message": "slow down", "retryable": true}}'
                body = busy if len(keys) < 3 else b'{"outcome": "insert"}'
                self.send_response(429 if len(keys) < 3 else 201)
                self.send_header("Retry-After", "0")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Busy)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        shop = Nokosu(f"http://127.0.0.1:{server.server_port}").as_(project_id="shop")
        self.assertEqual(shop.add("Takes 60s")["outcome"], "insert")
        self.assertEqual(len(keys), 3)
        self.assertEqual(len(set(keys)), 1)


if __name__ == "__main__":
    unittest.main()
