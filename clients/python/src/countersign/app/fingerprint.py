"""What names this machine to the service."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Optional

from .._device import is_container, is_placeholder
from .store import LicenseStore


def fingerprint(product_code: str, *, keep: Optional[LicenseStore] = None) -> str:
    """What names this machine: stable over restarts of app and machine, and the same for apps of other languages.

    It is hashed with the product's code, so that what the system calls the machine does not leave it. Linux:
    `/etc/machine-id`; macOS: `IOPlatformUUID`; Windows: `MachineGuid`; containers, and what names no machine: a random
    id that is kept in `keep`, such as a `FileStore` on a volume. An id that only stands where one is missing, such as
    `uninitialized`, names no machine. Raises a `ValueError` where there is neither: bind a
    container without a volume by `device={"is_container": True, ...}`.

    Args:
        product_code: Fingerprints of two products have nothing in common. Stay with the code of your first release
            when the product is renamed: with another one each machine is a new device.
        keep: Where a random id is kept on a platform that names no machine.
    """
    identity = _machine_id()
    if identity is None and keep is None:
        raise ValueError("This platform names no machine: hand in keep, where a random id is kept, or name the container")
    if identity is None and keep is not None:
        identity = _kept_id(keep)
    return hashlib.sha256(f"{product_code}\n{identity}".encode("utf-8")).hexdigest()


def _kept_id(store: LicenseStore) -> str:
    with store.exclusively():
        kept = store.read()
        if kept is not None and re.fullmatch("[0-9a-f]{32}", kept):
            return kept
        made = secrets.token_hex(16)
        store.write(made)
        return made


def _machine_id() -> Optional[str]:
    """What the operating system calls the machine; None where it does not, or for a container, which is none."""
    if sys.platform == "darwin":
        return _named(_of_macos())
    if sys.platform == "win32":
        return _named(_of_windows())
    # The image's id is that of every container made from it.
    if is_container(os.environ, lambda path: Path(path).exists(), _text):
        return None
    return _named(_text("/etc/machine-id")) or _named(_text("/var/lib/dbus/machine-id"))


def _named(identity: Optional[str]) -> Optional[str]:
    return None if identity is None or is_placeholder(identity) else identity


def _text(path: str) -> Optional[str]:
    try:
        return Path(path).read_text("utf-8").strip() or None
    except (OSError, ValueError):
        return None


def _of_macos() -> Optional[str]:
    command = ["/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice"]
    try:
        said = subprocess.run(command, capture_output=True, timeout=5, check=True).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search('"IOPlatformUUID" = "([^"]+)"', said)
    return None if found is None else found[1]


def _of_windows() -> Optional[str]:
    if sys.platform != "win32":
        return None
    import winreg

    access = winreg.KEY_READ | winreg.KEY_WOW64_64KEY
    try:
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"SOFTWARE\Microsoft\Cryptography", 0, access) as key:
            return str(winreg.QueryValueEx(key, "MachineGuid")[0]) or None
    except OSError:
        return None
