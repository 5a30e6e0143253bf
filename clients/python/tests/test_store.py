"""Where the license is kept: one text, whatever crashes and however many processes there are."""

import os
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

from countersign.app import FileStore, MemoryStore, fingerprint

COUNTING = """
import sys
from countersign.app import FileStore
store = FileStore(sys.argv[1])
for turn in range(25):
    with store.exclusively():
        store.write(str(int(store.read() or 0) + 1))
"""


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "deep" / "er" / "license"

    def names(self):
        return sorted(path.name for path in self.path.parent.iterdir())

    def test_has_the_text_before_a_write_or_the_one_after_it_and_the_one_before_beside_it(self):
        store = FileStore(self.path)
        self.assertIsNone(store.read())
        self.assertIsNone(store.read_previous())
        store.write("one")
        store.write("two\nof it: \u00e9")
        self.assertEqual((store.read(), store.read_previous()), ("two\nof it: \u00e9", "one"))
        self.assertEqual(self.names(), ["license", "license.previous"])
        if os.name == "posix":
            for name in self.names():
                self.assertEqual(stat.S_IMODE((self.path.parent / name).stat().st_mode), 0o600)

    def test_leaves_what_was_there_when_a_write_fails_at_any_step(self):
        store = FileStore(self.path)
        store.write("one")
        for step in ("os.fsync", "os.replace", "shutil.copyfile"):
            with mock.patch(step, side_effect=OSError("no space")), self.assertRaises(OSError):
                store.write("two")
            self.assertEqual(store.read(), "one")
            self.assertNotIn("two", [(self.path.parent / name).read_text() for name in self.names()])

    def test_is_changed_by_one_process_after_the_other(self):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", COUNTING, str(self.path)]
        processes = [subprocess.Popen(command, env=environment) for _ in range(4)]
        self.assertEqual([process.wait() for process in processes], [0] * 4)
        self.assertEqual(FileStore(self.path).read(), "100")
        self.assertEqual(self.names(), ["license", "license.previous"])

    def test_is_changed_by_one_thread_after_the_other_also_by_stores_of_one_path(self):
        def count():
            store = FileStore(self.path)
            for _ in range(10):
                with store.exclusively():
                    store.write(str(int(store.read() or 0) + 1))

        threads = [threading.Thread(target=count) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(FileStore(self.path).read(), "40")

    def test_is_not_locked_for_ever_by_a_process_that_was_killed(self):
        self.path.parent.mkdir(parents=True)
        lock = self.path.with_name("license.lock")
        # One that is ahead is of a clock that was set back since.
        for killed_at in (1, time.time() + 3600):
            lock.touch()
            os.utime(lock, (killed_at, killed_at))
            waits = []
            with mock.patch("time.sleep", side_effect=waits.append), FileStore(self.path).exclusively():
                self.assertTrue(lock.exists())
            self.assertLess(len(waits), 2)
            self.assertFalse(lock.exists())

    def test_gives_the_lock_back_when_the_block_fails(self):
        store = FileStore(self.path)
        with self.assertRaises(KeyError), store.exclusively():
            raise KeyError
        self.assertFalse(self.path.with_name("license.lock").exists())

    def test_reads_bytes_that_are_no_text(self):
        self.path.parent.mkdir(parents=True)
        self.path.write_bytes(b"\xff\x00torn")
        self.assertIn("torn", FileStore(self.path).read())


class Fingerprints(unittest.TestCase):
    def test_are_the_same_again_others_for_another_product_and_tell_nobody_what_the_machine_is_called(self):
        keep = MemoryStore()
        first = fingerprint("studio", keep=keep)
        self.assertRegex(first, "^[0-9a-f]{64}$")
        self.assertEqual(fingerprint("studio", keep=keep), first)
        self.assertNotEqual(fingerprint("mail", keep=keep), first)
        path = Path("/etc/machine-id")
        known = path.read_text().strip() if path.exists() else keep.text
        self.assertNotIn(known or keep.text, first)

    def test_are_kept_where_the_platform_names_no_machine(self):
        module = sys.modules["countersign.app.fingerprint"]
        with mock.patch.object(module, "_machine_id", return_value=None):
            with self.assertRaises(ValueError):
                fingerprint("studio")
            keep = MemoryStore("not an id")
            first = fingerprint("studio", keep=keep)
            self.assertRegex(keep.text, "^[0-9a-f]{32}$")
            self.assertEqual(fingerprint("studio", keep=keep), first)
