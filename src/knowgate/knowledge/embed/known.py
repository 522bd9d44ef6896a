"""What is known of embedding models by name: size, limit, and the words they want before queries and passages."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownModel:
    dimension: int
    max_tokens: int
    query_prefix: str = ""
    passage_prefix: str = ""
    shortens: bool = False
    """Whether it can be asked for shorter vectors."""


_REPRESENT = "Represent this sentence for searching relevant passages: "
_REPRESENT_ZH = "为这个句子生成表示以用于检索相关文章："
_INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
_NOMIC = ("search_query: ", "search_document: ")
_E5 = ("query: ", "passage: ")

# The first pattern found in the lower-case name wins, so the special comes before the general.
_KNOWN: tuple[tuple[str, KnownModel], ...] = (
    (r"text-embedding-3-small", KnownModel(1536, 8191, shortens=True)),
    (r"text-embedding-3-large", KnownModel(3072, 8191, shortens=True)),
    (r"text-embedding-ada-002", KnownModel(1536, 8191)),
    (r"gemini-embedding-001", KnownModel(3072, 2048, shortens=True)),
    (r"titan-embed-text-v2", KnownModel(1024, 8192, shortens=True)),
    (r"titan-embed-text-v1", KnownModel(1536, 8192)),
    (r"cohere\.embed-v4", KnownModel(1536, 128_000, shortens=True)),
    (r"cohere\.embed-(english|multilingual)-v3", KnownModel(1024, 512)),
    (r"mistral-embed", KnownModel(1024, 8192)),
    (r"e5-mistral-7b-instruct", KnownModel(4096, 4096, _INSTRUCT)),
    (r"e5-large-instruct", KnownModel(1024, 512, _INSTRUCT)),
    (r"e5-large", KnownModel(1024, 512, *_E5)),
    (r"e5-base", KnownModel(768, 512, *_E5)),
    (r"e5-small", KnownModel(384, 512, *_E5)),
    (r"bge-m3", KnownModel(1024, 8192)),
    (r"bge-large-zh", KnownModel(1024, 512, _REPRESENT_ZH)),
    (r"bge-base-zh", KnownModel(768, 512, _REPRESENT_ZH)),
    (r"bge-small-zh", KnownModel(512, 512, _REPRESENT_ZH)),
    (r"bge-large", KnownModel(1024, 512, _REPRESENT)),
    (r"bge-base", KnownModel(768, 512, _REPRESENT)),
    (r"bge-small", KnownModel(384, 512, _REPRESENT)),
    (r"nomic-embed-text-v2", KnownModel(768, 512, *_NOMIC)),
    (r"nomic-embed-text", KnownModel(768, 2048, *_NOMIC)),
    (r"mxbai-embed-large", KnownModel(1024, 512, _REPRESENT)),
    (r"snowflake-arctic-embed2|arctic-embed-l-v2", KnownModel(1024, 8192, "query: ")),
    (r"arctic-embed[:-](xs|s|22m|33m)\b", KnownModel(384, 512, _REPRESENT)),
    (r"arctic-embed[:-](m|110m)$", KnownModel(768, 512, _REPRESENT)),
    (r"arctic-embed([:-](l|335m|latest))?$", KnownModel(1024, 512, _REPRESENT)),
    (r"all-minilm", KnownModel(384, 256)),
    (r"embeddinggemma", KnownModel(768, 2048, "task: search result | query: ", "title: none | text: ")),
    (r"qwen3-embedding.*0\.6b", KnownModel(1024, 32_768, _INSTRUCT, shortens=True)),
    (r"qwen3-embedding.*4b", KnownModel(2560, 32_768, _INSTRUCT, shortens=True)),
    (r"qwen3-embedding.*8b", KnownModel(4096, 32_768, _INSTRUCT, shortens=True)),
)


def known_model(name: str) -> KnownModel | None:
    """Finds a model by its name in any spelling: `nomic-embed-text:latest`, `nomic-ai/nomic-embed-text-v1.5` …"""
    return next((model for pattern, model in _KNOWN if re.search(pattern, name.lower())), None)
