"""What is inside of files: the snapshot that is attached to a PDF, and the files of an archive (docs/reference/exports.md)."""

import io
import re
import struct
import unicodedata
import zipfile
import zlib

from strict_json import Refused

_ATTACHED = b"/Type/EmbeddedFile"
# More than this is no statement with evidence.
_MOST = 64 * 1024 * 1024


def attachment(content):
    """The one file that is attached to a PDF; none where there is none."""
    count = content.count(_ATTACHED)
    if count > 1:
        raise Refused("malformed", "more than one file is attached to the document")
    if count == 0:
        return None
    at = content.index(b"stream\n", content.index(_ATTACHED)) + len(b"stream\n")
    try:
        unpacking = zlib.decompressobj()
        snapshot = unpacking.decompress(content[at:], _MOST)
    except zlib.error as error:
        raise Refused("malformed", f"the attachment cannot be read: {error}") from None
    if not unpacking.eof:
        raise Refused("malformed", "the attachment is cut off")
    return snapshot


def _refuse():
    raise Refused("malformed", "two programs could read the archive in two ways")


def _one_reading(content, opened):
    """Refuses an archive that another program could read otherwise than by its directory."""
    entries, names = opened.infolist(), set()
    # Behind the directory stands its end, and nothing that only some programs pass over.
    if content[len(content) - len(opened.comment) - 22:][:4] != b"PK\5\6":
        _refuse()
    for entry in entries:
        name = entry.orig_filename
        parts = (name[:-1] if name.endswith("/") else name).split("/")
        if re.search(r"[\x00-\x1f\x7f\\:]", name) or any(part in ("", ".", "..") or part[-1] in ". " for part in parts):
            _refuse()
        names.add(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()))
    if len(names) != len(entries):
        raise Refused("malformed", "two files of the archive have one name")
    begins = sorted(entries, key=lambda entry: entry.header_offset)
    ends = [entry.header_offset for entry in begins[1:]] + [opened.start_dir]
    if not begins or begins[0].header_offset != 0:
        _refuse()
    for entry, end in zip(begins, ends):
        local = struct.unpack("<4s5H3I2H", content[entry.header_offset:entry.header_offset + 30])
        begin = entry.header_offset + 30
        is_behind = local[2] & 8
        name = content[begin:begin + local[9]]
        gap = end - (begin + local[9] + local[10] + entry.compress_size)
        if local[0] != b"PK\3\4" or (local[2], local[3]) != (entry.flag_bits, entry.compress_type):
            _refuse()
        if name != entry.orig_filename.encode("utf-8" if local[2] & 0x800 else "cp437"):
            _refuse()
        if not is_behind and local[6:9] != (entry.CRC, entry.compress_size, entry.file_size):
            _refuse()
        if gap not in ((12, 16, 20, 24) if is_behind else (0,)):
            _refuse()


def archive(content):
    """The export, its manifest and its snapshot in an archive; the snapshot is none where the export is its own."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as opened:
            _one_reading(content, opened)
            files = {entry.filename: opened.read(entry) for entry in opened.infolist() if not entry.filename.endswith("/")}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, UnicodeError, struct.error, zlib.error) as error:
        raise Refused("malformed", f"the archive cannot be read: {error}") from None

    def ending(end):
        return [files.pop(name) for name in list(files) if name.endswith(end)]

    manifests, snapshots = ending(".manifest.json"), ending(".snapshot.json")
    if len(manifests) != 1 or len(snapshots) > 1 or len(files) != 1:
        raise Refused("malformed", "the archive has other files than an export, its manifest and its snapshot")
    return next(iter(files.values())), manifests[0], snapshots[0] if snapshots else None


def is_archive(content):
    return content[:4] == b"PK\3\4"


def is_pdf(content):
    return content[:5] == b"%PDF-"
