"""What is inside of files: the snapshot that is attached to a PDF, and the files of an archive (docs/reference/exports.md)."""

import io
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


def archive(content):
    """The export, its manifest and its snapshot in an archive; the snapshot is none where the export is its own."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as opened:
            names = opened.namelist()
            if len(set(names)) != len(names):
                raise Refused("malformed", "two files of the archive have one name")
            files = {name: opened.read(name) for name in names}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error) as error:
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
