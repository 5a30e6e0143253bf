"""Where an app keeps what it knows of its license: one text."""

from __future__ import annotations

import os
import random
import shutil
import threading
import time
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Optional, Union

# A lock older than this is of a process that is no more: who lives holds it for the time of one write. In seconds.
_STALE_AFTER = 5.0
# How long to wait for a lock. After it the store is used without: nobody is to be locked out by a file.
_PATIENCE = 2 * _STALE_AFTER


class LicenseStore:
    """A place for one text. Derive from it for what the app has that keeps texts safe, such as a keychain.

    `read` and `write` are needed. `read_previous` is for when the last text cannot be read. `exclusively` must keep other
    processes away if they share the store; as it is, it keeps away the threads of this one.
    """

    def __init__(self) -> None:
        self._turn = threading.RLock()

    def read(self) -> Optional[str]:
        """The text as it was written last; None when there is none."""
        raise NotImplementedError

    def write(self, text: str) -> None:
        """Keeps a text for good: once it returns, the text survives a crash."""
        raise NotImplementedError

    def read_previous(self) -> Optional[str]:
        """The text before the last, for when the last cannot be read."""
        return None

    @contextmanager
    def exclusively(self) -> Iterator[None]:
        """A block that runs while no other on this store does."""
        with self._turn:
            yield


class MemoryStore(LicenseStore):
    """A store that ends with the process, for tests."""

    def __init__(self, text: Optional[str] = None) -> None:
        super().__init__()
        self.text = text
        self.previous: Optional[str] = None

    def read(self) -> Optional[str]:
        return self.text

    def read_previous(self) -> Optional[str]:
        return self.previous

    def write(self, text: str) -> None:
        self.previous, self.text = self.text, text


class FileStore(LicenseStore):
    """Keeps the license in a file that only its owner reads.

    A write goes to a temporary file, is flushed to the disk and then takes the place of the last one, which is kept
    beside it as `<path>.previous`: after a crash there is the text before the write or the one after it. Processes wait
    for each other by `<path>.lock`. An app in another language that uses the same path shares the license.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        super().__init__()
        self._path = Path(path)
        self._previous = self._beside("previous")
        self._lock = self._beside("lock")

    def read(self) -> Optional[str]:
        return _read(self._path)

    def read_previous(self) -> Optional[str]:
        return _read(self._previous)

    def write(self, text: str) -> None:
        self._make_folder()
        temporary = self._beside(str(uuid.uuid4()))
        try:
            with open(os.open(temporary, _EXCLUSIVE, 0o600), "wb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            try:
                shutil.copyfile(self._path, self._previous)
                os.chmod(self._previous, 0o600)
            except FileNotFoundError:
                pass
            os.replace(temporary, self._path)
        except BaseException:
            _remove(temporary)
            raise
        self._flush_folder()

    @contextmanager
    def exclusively(self) -> Iterator[None]:
        with self._turn:
            name = str(uuid.uuid4())
            is_taken = self._take_lock(name)
            try:
                yield
            finally:
                # Unless it was taken away from this process, which was stopped for long.
                if is_taken and _read_lock(self._lock) == name:
                    _remove(self._lock)

    def _beside(self, end: str) -> Path:
        return self._path.with_name(f"{self._path.name}.{end}")

    def _make_folder(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)

    def _flush_folder(self) -> None:
        """Makes the new name survive a loss of power, where the system lets a folder be flushed."""
        try:
            folder = os.open(self._path.parent, os.O_RDONLY)
        except OSError:
            return
        try:
            os.fsync(folder)
        except OSError:
            pass
        finally:
            os.close(folder)

    def _take_lock(self, name: str) -> bool:
        begun = time.monotonic()
        while time.monotonic() - begun < _PATIENCE:
            try:
                self._make_folder()
                if _make_lock(self._lock, name):
                    return True
                self._break_stale()
            except OSError:
                return False
            time.sleep(0.005 + 0.02 * random.random())
        return False

    def _break_stale(self) -> None:
        """Takes the lock away from a process that is no more.

        One process does so at a time, or the second would take away the lock that another has made since; it looks again
        once it is the one.
        """
        if not _is_stale(self._lock):
            return
        breaking = self._beside("lock.breaking")
        # Of a process that ended between two lines of this function.
        if _is_stale(breaking):
            _remove(breaking)
        if not _make_lock(breaking, ""):
            return
        try:
            if _is_stale(self._lock):
                _remove(self._lock)
        finally:
            _remove(breaking)


_EXCLUSIVE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def _make_lock(path: Path, text: str) -> bool:
    """Makes a lock; answers whether it could."""
    try:
        with open(os.open(path, _EXCLUSIVE, 0o600), "wb") as file:
            file.write(text.encode("ascii"))
        return True
    except FileExistsError:
        return False


def _read_lock(path: Path) -> Optional[str]:
    try:
        return _read(path)
    except OSError:
        return None


def _is_stale(path: Path) -> bool:
    try:
        # One that is far ahead is of before the clock was set back.
        return abs(time.time() - path.stat().st_mtime) >= _STALE_AFTER
    except OSError:
        return False


def _read(path: Path) -> Optional[str]:
    try:
        # What is no UTF-8 was torn, which its digest shows.
        return path.read_bytes().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return None


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except OSError:
        pass
