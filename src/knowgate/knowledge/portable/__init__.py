"""A portable archive of the knowledge base: one zip file with sorted JSON lines, made to be kept, moved and compared.

Written and read through the store's port only, so that any store can be moved into any other.
"""

from __future__ import annotations

from knowgate.knowledge.portable.digest import content_digest
from knowgate.knowledge.portable.export import ExportReport, export
from knowgate.knowledge.portable.form import RECORD_KINDS, SUFFIX
from knowgate.knowledge.portable.restore import ImportReport, import_

__all__ = ["RECORD_KINDS", "SUFFIX", "ExportReport", "ImportReport", "content_digest", "export", "import_"]
