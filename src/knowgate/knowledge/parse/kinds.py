"""The types of document there are: their names, media types and usual endings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class Kind:
    type: str
    mime: str


MIME = {
    "asciidoc": "text/asciidoc",
    "code": "text/plain",
    "csv": "text/csv",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "email": "message/rfc822",
    "epub": "application/epub+zip",
    "html": "text/html",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "markdown": "text/markdown",
    "mbox": "application/mbox",
    "msg": "application/vnd.ms-outlook",
    "notebook": "application/x-ipynb+json",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odt": "application/vnd.oasis.opendocument.text",
    "pdf": "application/pdf",
    "ppt": "application/vnd.ms-powerpoint",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "rst": "text/x-rst",
    "rtf": "application/rtf",
    "srt": "application/x-subrip",
    "text": "text/plain",
    "toml": "application/toml",
    "tsv": "text/tab-separated-values",
    "vtt": "text/vtt",
    "xls": "application/vnd.ms-excel",
    "xlsb": "application/vnd.ms-excel.sheet.binary.macroenabled.12",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xml": "application/xml",
    "yaml": "application/yaml",
}

_TYPE_ENDINGS = {
    "asciidoc": "adoc asciidoc asc",
    "csv": "csv",
    "email": "eml mht mhtml",
    "html": "html htm xhtml xht",
    "json": "json geojson jsonld json5 jsonc avsc har webmanifest",
    "jsonl": "jsonl ndjson",
    "markdown": "md markdown mdown mkd mdx qmd rmd",
    "mbox": "mbox",
    "notebook": "ipynb",
    "rst": "rst rest",
    "srt": "srt",
    "text": "log ini cfg conf properties env tex org",
    "toml": "toml",
    "tsv": "tsv tab",
    "vtt": "vtt",
    "xml": "xml xsd xsl xslt wsdl rss atom svg plist opml gpx kml fb2 xlf resx",
    "yaml": "yaml yml",
}
_LANGUAGE_ENDINGS = {
    "ada": "adb ads",
    "awk": "awk",
    "batch": "bat cmd",
    "c": "c h",
    "clojure": "clj cljs cljc edn",
    "cobol": "cob cbl",
    "cpp": "cpp cc cxx hpp hh hxx ino",
    "csharp": "cs csx",
    "css": "css scss sass less",
    "cuda": "cu cuh",
    "d": "d",
    "dart": "dart",
    "diff": "diff patch",
    "elixir": "ex exs",
    "elm": "elm",
    "erlang": "erl hrl",
    "fortran": "f f90 f95 for",
    "fsharp": "fs fsx fsi",
    "gherkin": "feature",
    "go": "go",
    "graphql": "graphql gql",
    "groovy": "groovy gradle",
    "haskell": "hs lhs",
    "hcl": "tf tfvars hcl",
    "java": "java",
    "javascript": "js mjs cjs jsx",
    "julia": "jl",
    "kotlin": "kt kts",
    "lisp": "lisp cl el scm rkt",
    "lua": "lua",
    "makefile": "mk mak",
    "nim": "nim",
    "nix": "nix",
    "objectivec": "m mm",
    "ocaml": "ml mli",
    "pascal": "pas dpr",
    "perl": "pl pm",
    "php": "php phtml",
    "powershell": "ps1 psm1 psd1",
    "prolog": "pro",
    "proto": "proto thrift",
    "puppet": "pp",
    "python": "py pyi pyw pyx",
    "r": "r",
    "ruby": "rb rake gemspec",
    "rust": "rs",
    "scala": "scala sbt",
    "shell": "sh bash zsh fish ksh",
    "solidity": "sol",
    "sql": "sql ddl",
    "svelte": "svelte",
    "swift": "swift",
    "tcl": "tcl",
    "typescript": "ts tsx mts cts",
    "vb": "vb vbs bas",
    "verilog": "v sv",
    "vhdl": "vhd vhdl",
    "vue": "vue",
    "zig": "zig",
}
_LANGUAGE_NAMES = {
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "makefile": "makefile",
    "gnumakefile": "makefile",
    "jenkinsfile": "groovy",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "vagrantfile": "ruby",
    "cmakelists.txt": "cmake",
    "build.bazel": "python",
}
IMAGE = "image"
_OTHER_ENDINGS = {
    "txt": "text",
    "docm": "docx",
    "pptm": "pptx",
    "xlsm": "xlsx",
    **dict.fromkeys("png jpg jpeg gif tif tiff bmp webp".split(), IMAGE),
}
"""Endings that people know a type by although they promise nothing: what is in the file decides."""
_TITLES = {
    "doc": "Word",
    "docx": "Word",
    "epub": "EPUB",
    "msg": "Outlook",
    "odp": "OpenDocument",
    "ods": "OpenDocument",
    "odt": "OpenDocument",
    "pdf": "PDF",
    "ppt": "PowerPoint",
    "pptx": "PowerPoint",
    "rtf": "RTF",
    "xls": "Excel",
    "xlsb": "Excel",
    "xlsx": "Excel",
}
"""What people call the types that are no plain text."""
_TYPE_OF = {ending: each for each, endings in _TYPE_ENDINGS.items() for ending in endings.split()}
_LANGUAGE_OF = {ending: each for each, endings in _LANGUAGE_ENDINGS.items() for ending in endings.split()}


def kind(type_: str) -> Kind:
    return Kind(type_, MIME[type_])


def ending(name: str) -> str:
    return PurePosixPath(name.replace("\\", "/")).suffix[1:].lower()


def named_type(name: str) -> str | None:
    """The textual type a file's name promises, if it promises one."""
    return _TYPE_OF.get(ending(name))


def promised(name: str) -> str | None:
    """What people call the type that a file's name promises, if that is no plain text."""
    return _TITLES.get(_OTHER_ENDINGS.get(ending(name), ending(name)))


def known_types() -> list[str]:
    return sorted((*MIME, IMAGE))


def read_type(text: str) -> str | None:
    """The type, or the media type, that somebody means who writes its name, a file's ending or a media type."""
    name = text.strip().lower()
    if "/" in name:
        return name if name in MIME.values() or name.startswith((f"{IMAGE}/", "text/x-")) else None
    name = name.removeprefix("*").removeprefix(".")
    return name if name in known_types() else _OTHER_ENDINGS.get(name) or _TYPE_OF.get(name)


def named_language(name: str) -> str | None:
    """The programming language a file's name promises, if it promises one."""
    base = PurePosixPath(name.replace("\\", "/")).name.lower()
    return _LANGUAGE_NAMES.get(base) or _LANGUAGE_OF.get(ending(name))
