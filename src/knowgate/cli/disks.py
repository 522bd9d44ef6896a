"""What kind of disk a folder lies on."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

NETWORK = frozenset(
    "nfs nfs4 cifs smb smb3 smbfs afs afpfs webdav davfs ncpfs 9p ceph glusterfs lustre beegfs fuse.sshfs".split()
)
"""File systems on which several programs cannot share a database safely."""

_MAC_LINE = re.compile(r"^.+? on (?P<where>/.*) \((?P<type>\w+)")
_OCTAL = re.compile(r"\\(\d{3})")


def filesystem(path: Path) -> str:
    """Its type, such as ext4; empty where that cannot be told."""
    try:
        if sys.platform == "linux":
            return type_at(path, linux_mounts(Path("/proc/self/mounts").read_text(encoding="utf-8")))
        if sys.platform == "darwin":
            listed = subprocess.run(["/sbin/mount"], capture_output=True, text=True, check=True).stdout
            return type_at(path, mac_mounts(listed))
        if sys.platform == "win32":
            import ctypes

            drive = path.drive
            remote = drive.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(f"{drive}\\") == 4
            return "smb" if remote else ""
    except (OSError, subprocess.CalledProcessError):
        pass
    return ""


def linux_mounts(text: str) -> Iterable[tuple[str, str]]:
    """Where and what, from the lines of /proc/self/mounts."""
    for line in text.splitlines():
        _, where, type, *_ = line.split(" ")
        yield _OCTAL.sub(lambda match: chr(int(match[1], 8)), where), type


def mac_mounts(text: str) -> Iterable[tuple[str, str]]:
    for line in text.splitlines():
        if match := _MAC_LINE.match(line):
            yield match["where"], match["type"]


def type_at(path: Path, mounts: Iterable[tuple[str, str]]) -> str:
    """The innermost mount that holds the path; of two in one place, the later hides the earlier."""
    best, type = "", ""
    for where, found in mounts:
        inside = where == "/" or f"{path}{os.sep}".startswith(where.rstrip("/") + "/")
        if inside and len(where) >= len(best):
            best, type = where, found
    return type
