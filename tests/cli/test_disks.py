from __future__ import annotations

from pathlib import Path

from knowgate.cli.disks import linux_mounts, mac_mounts, type_at

LINUX = """\
/dev/sda1 / ext4 rw 0 0
server:/export /mnt/team\\040share nfs4 rw 0 0
/dev/sdb1 /mnt ext4 rw 0 0
tmpfs /tmp tmpfs rw 0 0
"""
MAC = """\
/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
//ada@server/share on /Volumes/My Share (smbfs, nodev, nosuid, mounted by ada)
"""


def test_linux():
    mounts = list(linux_mounts(LINUX))
    assert type_at(Path("/mnt/team share/data"), mounts) == "nfs4"
    assert type_at(Path("/mnt/team"), mounts) == "ext4"
    assert type_at(Path("/tmp"), mounts) == "tmpfs"
    assert type_at(Path("/tmpfile"), mounts) == "ext4"


def test_mac():
    mounts = list(mac_mounts(MAC))
    assert type_at(Path("/Volumes/My Share/data"), mounts) == "smbfs"
    assert type_at(Path("/Users/ada"), mounts) == "apfs"
