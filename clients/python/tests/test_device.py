"""What a machine is called, and what names none."""

import json
import os
import socket
import unittest

from countersign._device import is_container, is_placeholder, own_name, sendable

LIST = os.path.join(os.path.dirname(__file__), "../../../src/domain/licensing/licenses/placeholder-ids.json")


class Device(unittest.TestCase):
    def test_what_stands_where_an_id_is_missing_names_no_machine(self):
        with open(LIST, encoding="utf-8") as file:
            listed = [one["value"] for one in json.load(file)["values"]]
        for identity in [*listed, " UNINITIALIZED\n", "{00000000-0000-0000-0000-000000000000}", "XXXXXXXXXXXX", "--", ""]:
            self.assertTrue(is_placeholder(identity), identity)
        for identity in ["3d1219c7c4c5404aaa1f6d2a48adfda4", "studio-07", "f", "unknown-device-7", "\u043c\u0430\u0448\u0438\u043d\u0430"]:
            self.assertFalse(is_placeholder(identity), identity)

    def test_a_container_is_known_by_its_marks(self):
        def judged(environment=(), files=(), mounts=""):
            return is_container(dict.fromkeys(environment, "x"), lambda path: path in files, lambda _: mounts)

        self.assertFalse(judged())
        self.assertTrue(judged(environment=["KUBERNETES_SERVICE_HOST"]))
        self.assertTrue(judged(files=["/.dockerenv"]))
        root = "1 2 0:3 / / rw,relatime - overlay overlay rw,lowerdir="
        self.assertTrue(judged(mounts=f"0 1 0:1 / /proc rw - proc proc rw\n{root}/var/lib/containerd/x\n"))
        self.assertFalse(judged(mounts=f"{root}/run/archiso/airootfs\n"), "a live system")

    def test_it_has_the_name_of_its_host_and_its_system(self):
        named = own_name()
        self.assertEqual(named["hostname"], socket.gethostname())
        self.assertRegex(named["os"], r"^\S+ \S")

    def test_a_name_is_no_longer_than_the_service_takes(self):
        self.assertEqual(sendable("a\0b\u200b\n" + "x" * 252 + "\U0001f600", 255), "ab" + "x" * 252)
        self.assertEqual(len(sendable("y" * 500, 128)), 128)
