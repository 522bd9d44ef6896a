"""Lists that come in pages: where the next one is, and a bounded number of them as one answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from knowgate.apis.credentials.profile import origin_of
from knowgate.apis.operation import Operation, Parameter
from knowgate.apis.response import Answer
from knowgate.apis.values import is_list, is_object
from knowgate.apis.wires import with_query
from knowgate.errors import InputError, KnowgateError

if TYPE_CHECKING:
    from knowgate.apis.request import Request

Json = Any
# Names are compared in lower case, without signs.
_ENVELOPES = (
    "",
    "meta",
    "metadata",
    "pagination",
    "paging",
    "pageinfo",
    "page",
    "links",
    "responsemetadata",
    "cursors",
)
_NEXT_FIELDS = (
    *("next", "nextpage", "nextlink", "nexturl", "nextpageurl", "odatanextlink", "nextcursor", "nextpagetoken"),
    *("nexttoken", "nextmarker", "continuationtoken", "continuation", "endcursor", "after", "cursor"),
)
_CURSOR_PARAMETERS = (
    *("cursor", "nextcursor", "pagecursor", "pagetoken", "nextpagetoken", "nexttoken", "token", "after", "pageafter"),
    *("startcursor", "marker", "continuationtoken", "continuation", "startingafter", "next"),
)
_MORE_FIELDS = ("hasmore", "hasnext", "hasnextpage", "more")
_TOTAL_FIELDS = ("total", "totalcount", "totalitems", "totalresults", "count")
_PAGE_PARAMETERS = ("page", "pagenumber", "pageno", "pagenum", "pageindex")
_OFFSET_PARAMETERS = ("offset", "skip", "start", "startat", "startindex", "pageoffset")
_LIMIT_PARAMETERS = ("limit", "perpage", "pagesize", "maxresults", "pagelimit", "size", "count", "top", "first")
_LINK = re.compile(r"<([^>]*)>([^<]*)")
_REL = re.compile(r"\brel\s*=\s*(?:\"([^\"]*)\"|([^\s;,]+))", re.I)


def collect(
    request: Request, operation: Operation, fetch: Callable[[Request], Answer], *, max_pages: int, max_items: int
) -> Answer:
    """The first page and the ones after it, as one answer in the last page's form.

    `fetch` is how every page has to be asked for, with all that is decided about a request.
    """
    answer = fetch(request)
    found = _items(answer.data)
    if not found:
        return answer
    place, items = found[0], list(found[1])
    asked = {request.url}
    while (following := next_page(request, answer, operation)) and following.url not in asked:
        if len(asked) >= max_pages or len(items) >= max_items:
            return _united(answer, place, items, len(asked)).noting("There are more pages; ask for them if needed.")
        try:
            page = fetch(following)
        except KnowgateError as error:
            return _united(answer, place, items, len(asked)).noting(f"The next page could not be had: {error}")
        more = _items(page.data)
        # A server that does not know the parameter gives the same page for ever.
        if not page.ok or not more or more[0] != place or page.data == answer.data:
            break
        asked.add(following.url)
        items += more[1]
        request, answer = following, page
    return _united(answer, place, items, len(asked))


def _united(last: Answer, place: str | None, items: list[Json], pages: int) -> Answer:
    data = items if place is None else {**last.data, place: items}
    return replace(last, data=data).noting(*([f"{pages} pages are united here."] if pages > 1 else []))


def next_page(request: Request, answer: Answer, operation: Operation) -> Request | None:
    """The request for the page after this answer; None when there is none, or none that can be told."""
    found = _items(answer.data)
    if request.method != "GET" or not answer.ok or not found:
        return None
    linked = _linked(answer.meta.headers.get("link", ""))
    following = _told(answer.data) if linked is None else linked
    more = _look(answer.data, _MORE_FIELDS)
    if more is False or following == "":
        return None
    if isinstance(following, str) and (linked is not None or following.startswith(("http://", "https://", "/", "?"))):
        return _at(request, following)
    if following is not None:
        page = _declared(operation, (*_CURSOR_PARAMETERS, *_PAGE_PARAMETERS))
        return _asking(request, page, following) if page else None
    return _counted(request, answer.data, found[1], operation, more is True)


def _counted(request: Request, data: Json, items: list[Json], operation: Operation, more: bool) -> Request | None:
    """By page number, by offset, or after the last item, as far as the operation has parameters for it."""
    if not items:
        return None
    after = _declared(operation, ("startingafter",))
    if after and more and is_object(items[-1]) and "id" in items[-1]:
        return _asking(request, after, items[-1]["id"])
    page = _declared(operation, _PAGE_PARAMETERS, whole=True)
    offset = _declared(operation, _OFFSET_PARAMETERS, whole=True)
    limit = _declared(operation, _LIMIT_PARAMETERS, whole=True)
    size = _number(request, limit, 0) if limit else 0
    if (page is None and offset is None) or (size and len(items) < size and not more):
        return None
    total = _look(data, _TOTAL_FIELDS)
    if offset:
        reached = _number(request, offset, 0) + len(items)
        return None if _is_whole(total) and reached >= total else _asking(request, offset, reached)
    assert page
    number = _number(request, page, 1)
    done = _is_whole(total) and size and number * size >= total
    return None if done else _asking(request, page, number + 1)


def _items(data: Json) -> tuple[str | None, list[Json]] | None:
    """The list that a page is about: the data itself, or its only or longest list."""
    if is_list(data):
        return None, data
    lists = [(name, value) for name, value in data.items() if is_list(value)] if is_object(data) else []
    return max(lists, key=lambda named: len(named[1]), default=None)


def _linked(header: str) -> str | None:
    """The address with the relation `next` (RFC 8288)."""
    for address, attributes in _LINK.findall(header):
        rel = _REL.search(attributes)
        if rel and "next" in (rel[1] or rel[2] or "").lower().split():
            return address
    return None


def _told(data: Json) -> str | int | None:
    """The next page's address or token; an empty text when the data says that there is none."""
    value = _look(data, _NEXT_FIELDS)
    if is_object(value):
        value = value.get("href")
    if isinstance(value, str) or (_is_whole(value) and value):
        return value
    return None if value is _ABSENT else ""


class _Absent:
    pass


_ABSENT = _Absent()


def _look(data: Json, names: tuple[str, ...]) -> Any:
    """The first of these fields, in the data or one of its usual envelopes."""
    if not is_object(data):
        return _ABSENT
    holders = [data, *(value for key, value in data.items() if _plain(key) in _ENVELOPES and is_object(value))]
    for holder in holders:
        plain = {_plain(key): value for key, value in holder.items()}
        for name in names:
            if name in plain:
                return plain[name]
    return _ABSENT


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _declared(operation: Operation, names: tuple[str, ...], *, whole: bool = False) -> Parameter | None:
    for name in names:
        for parameter in operation.parameters:
            if parameter.place == "query" and _plain(parameter.name) == name and (not whole or _counts(parameter)):
                return parameter
    return None


def _counts(parameter: Parameter) -> bool:
    schema = parameter.schema
    told = schema.get("type") if isinstance(schema, Mapping) else None
    return told in ("integer", "number") or (isinstance(told, list | tuple) and "integer" in told)


def _number(request: Request, parameter: Parameter, otherwise: int) -> int:
    told = dict(parse_qsl(urlsplit(request.url).query)).get(parameter.name, "")
    if told.isdecimal() and len(told) < 16:
        return int(told)
    default = parameter.schema.get("default") if isinstance(parameter.schema, Mapping) else None
    return default if isinstance(default, int) else otherwise


def _is_whole(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _at(request: Request, address: str) -> Request | None:
    """The page at this address, if it is the same API's."""
    try:
        url = urljoin(request.url, address).partition("#")[0]
        return replace(request, url=url) if origin_of(url) == origin_of(request.url) else None
    except (ValueError, InputError):
        return None


def _asking(request: Request, parameter: Parameter, value: Json) -> Request:
    return replace(request, url=with_query(request.url, [(parameter.name, str(value))]))
