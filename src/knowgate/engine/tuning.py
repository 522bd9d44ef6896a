"""Settings that can be changed while we run."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from knowgate.config import saved
from knowgate.config.settings import Settings
from knowgate.engine.gated import Gated, gated
from knowgate.errors import InputError

AT_ONCE = frozenset({"chat.provider", "chat.model", "chat.system_prompt"})
CHANGEABLE = AT_ONCE | {"embedder.provider", "embedder.model", "chunk.tokens", "parse.ocr"}


class Tuning(Gated):
    @gated("settings")
    def wanted_settings(self) -> Settings:
        """What is in force, or will be after the next start."""
        return self.rooms.wanted

    @gated("settings")
    def model_names(self) -> list[str]:
        """What the provider of chat offers."""
        return self.rooms.model_names()

    @gated("edit_settings", "admin", changes=True)
    def change_settings(self, changes: Mapping[str, str | int | bool]) -> set[str]:
        """Change settings by dotted key, for good; those of them that are in force only after the next start."""
        self.may_rule()
        with self.rooms.changing:
            return self._change(changes)

    def _change(self, changes: Mapping[str, str | int | bool]) -> set[str]:
        tree = self.rooms.wanted.model_dump()
        for key, value in changes.items():
            if key not in CHANGEABLE:
                raise InputError("unknown_setting", f"{key} cannot be changed.", "Change it in knowgate.toml.")
            section, _, name = key.partition(".")
            tree[section][name] = value
        try:
            changed = Settings.model_validate(tree)
        except ValidationError as error:
            wrong = error.errors()[0]
            place = ".".join(map(str, wrong["loc"]))
            raise InputError("bad_setting", f"{place}: {wrong['msg']}.", "See docs/configure.md.") from error
        saved.save(self.settings.data, changes)
        self.rooms.change(changed)
        return set(changes) - AT_ONCE
