"""What `kill -9` costs: `python -m bench.crash [--files 1000] [--kills 50]`.

An ingest of many files is killed at random moments and started again until it is through; whenever it is, its index is
compared with that of an undisturbed run. Exits 1 on any difference.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from knowgate.config.settings import Settings
from knowgate.engine import Engine
from knowgate.knowledge.portable import content_digest

WORDS = "refund order ledger parcel basket invoice courier label stock return voucher carrier payment receipt".split()
notes = Console(stderr=True)


def write_files(folder: Path, count: int, chance: random.Random) -> None:
    for number in range(count):
        sections = [
            f"## Part {part}\n\n" + " ".join(chance.choices(WORDS, k=chance.randint(10, 40))) + "."
            for part in range(chance.randint(1, 3))
        ]
        path = folder / f"team{number % 10}" / f"note{number:04d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Note {number}\n\n" + "\n\n".join(sections) + "\n", encoding="utf-8")


def start(docs: Path, data: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "knowgate", "--data", str(data), "ingest", str(docs), "--json"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(process: subprocess.Popen[bytes]) -> None:
    _, errors = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"ingest failed with {process.returncode}: {errors.decode()}")


def digest(data: Path) -> tuple[str, int, list[str]]:
    with Engine(Settings(data=data)) as engine:
        damage = [each.what for each in engine.store.check(thorough=True)]
        return content_digest(engine.store), len(engine.rooms.tasks.unfinished()), damage


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.randrange(1_000_000)
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as scratch, Progress(console=notes) as progress:
        root = Path(scratch)
        docs = root / "docs"
        write_files(docs, arguments.files, chance)
        bar = progress.add_task("undisturbed", total=arguments.kills)
        begin = time.monotonic()
        finish(start(docs, root / "calm"))
        whole = time.monotonic() - begin
        expected = digest(root / "calm")[0]
        kills = rounds = different = 0
        while kills < arguments.kills:
            rounds += 1
            data = root / f"round{rounds}"
            while kills < arguments.kills:
                process = start(docs, data)
                try:
                    process.wait(timeout=chance.uniform(0.05, whole * 0.6))
                    break
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    process.communicate()
                    kills += 1
                    progress.update(bar, completed=kills, description=f"round {rounds}")
            finish(start(docs, data))
            found, unfinished, damage = digest(data)
            different += found != expected or unfinished > 0 or bool(damage)
            if found != expected or unfinished or damage:
                notes.print(f"round {rounds}: same index {found == expected}, unfinished {unfinished}, {damage}")
    print(f"{kills} kills over {rounds} rounds of {arguments.files} files (seed {seed}): {different} rounds differ")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
