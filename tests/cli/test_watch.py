from __future__ import annotations

import os
import signal

import pytest

from knowgate.cli.watch import ignoring
from knowgate.engine import Engine


def test_what_counts_as_a_change(tmp_path):
    docs = tmp_path / "docs"
    counts = ignoring([docs], ("node_modules", "*.pyc", "drafts/*"), docs / "index")
    wanted = ["a.md", "guides/b.md", "node_modules.md"]
    unwanted = [".git/HEAD", "guides/.b.md.swp", "node_modules/x/y.js", "a.pyc", "drafts/c.md", "index/store.db"]
    assert [name for name in (*wanted, *unwanted) if counts(docs / name)] == wanted
    assert not counts(tmp_path / "elsewhere.md")


@pytest.mark.parametrize(("what", "told"), [([], "No folder was named."), (["gone"], "There is no file or folder")])
def test_what_cannot_be_watched(cli, tmp_path, what, told):
    ran = cli("watch", *what, "--data", tmp_path / "data")
    assert ran.code == 2
    assert told in ran.err


def test_a_file_is_no_folder(cli, docs, tmp_path):
    assert "is not a folder" in cli("watch", docs / "refunds.md", "--data", tmp_path / "data").err


@pytest.mark.skipif(os.name == "nt", reason="there is no Ctrl-C to send")
def test_changes_are_picked_up(start, docs, tmp_path, open_engine):
    watching = start("watch", docs, "--data", tmp_path / "data")
    watching.out.until("refunds.md")
    watching.err.until("Watching")
    (docs / "new.md").write_text("# Vouchers\n\nA voucher is valid for three years.\n")
    assert "indexed  new.md (1 passage)" in watching.out.until("new.md")
    (docs / "refunds.md").unlink()
    assert "removed  refunds.md" in watching.out.until("refunds.md")
    watching.process.send_signal(signal.SIGINT)
    assert watching.end() == 0
    assert "Stopped watching." in watching.err.seen[-1]
    engine: Engine = open_engine()
    assert [document.name for document in engine.documents().documents] == ["guides/parcels.md", "new.md"]
    assert engine.tasks() == []
    assert engine.stats().pending == 0
