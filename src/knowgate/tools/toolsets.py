"""The vocabularies that assistants can be given."""

from __future__ import annotations

from knowgate.errors import InputError
from knowgate.tools.native import NATIVE
from knowgate.tools.tool import Toolset


def find_toolset(name: str) -> Toolset:
    match name:
        case "native":
            return NATIVE
        case "openrag":
            from knowgate.tools.openrag import OPENRAG

            return OPENRAG
        case "flowrag":
            from knowgate.tools.flowrag import FLOWRAG

            return FLOWRAG
        case "mrapids":
            from knowgate.tools.mrapids.toolset import MRAPIDS

            return MRAPIDS
        case _:
            fix = "Use native, openrag, flowrag or mrapids."
            raise InputError("unknown_toolset", f"There is no toolset {name}.", fix)
