"""Resources, prompts and the completion of names."""

from __future__ import annotations

from typing import Any

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)

from knowgate.doors.mcp.host import Context, Host
from knowgate.errors import InputError, KnowgateError, NotFoundError
from knowgate.tools.prompts import PROMPTS
from knowgate.tools.shelf import (
    OPERATION_TEMPLATE,
    SHELF,
    TEMPLATE,
    names_like,
    operations_like,
    read_schema,
    read_shelf,
)
from knowgate.tools.tool import Toolset

_MOST_COMPLETIONS = 100
_NAMES = ("name", "document")
"""Arguments that are names of documents."""


def add_resources(server: Server[Any], host: Host, toolset: Toolset) -> None:
    async def list_resources(_: Context, _params: PaginatedRequestParams) -> ListResourcesResult:
        shelf = Resource(uri=SHELF, name="documents", title="All documents", mime_type="application/json")
        schema = Resource(uri=toolset.schema, name="schema", title="Schema of the graph", mime_type="application/json")
        return ListResourcesResult(
            resources=[*([shelf] if toolset.menu else []), *([schema] if toolset.schema else [])]
        )

    async def list_templates(_: Context, _params: PaginatedRequestParams) -> ListResourceTemplatesResult:
        document = ResourceTemplate(
            uri_template=TEMPLATE, name="document", title="A document", description="The text of a document by name."
        )
        operation = ResourceTemplate(
            uri_template=OPERATION_TEMPLATE,
            name="operation",
            title="An API operation",
            description="Its arguments, an example and its answers.",
            mime_type="application/json",
        )
        return ListResourceTemplatesResult(resource_templates=[document, operation] if toolset.menu else [])

    async def read(context: Context, asked: ReadResourceRequestParams) -> ReadResourceResult:
        try:
            backend = await host.backend(context)
            if str(asked.uri) == toolset.schema:
                mime, text = "application/json", await read_schema(backend)
            elif toolset.menu:
                mime, text = await read_shelf(backend, str(asked.uri))
            else:
                raise NotFoundError("no_such_resource", f"There is nothing at {asked.uri}.", f"Open {toolset.schema}.")
        except KnowgateError as error:
            raise _refused(error, {"uri": str(asked.uri)}) from error
        return ReadResourceResult(contents=[TextResourceContents(uri=asked.uri, mime_type=mime, text=text)])

    server.add_request_handler("resources/list", PaginatedRequestParams, list_resources)
    server.add_request_handler("resources/templates/list", PaginatedRequestParams, list_templates)
    server.add_request_handler("resources/read", ReadResourceRequestParams, read)


def add_prompts(server: Server[Any], host: Host) -> None:
    prompts = {prompt.name: prompt for prompt in PROMPTS}

    async def list_prompts(_: Context, _params: PaginatedRequestParams) -> ListPromptsResult:
        return ListPromptsResult(
            prompts=[
                Prompt(
                    name=each.name,
                    title=each.title,
                    description=each.description,
                    arguments=[
                        PromptArgument(name=one.name, description=one.description, required=one.required)
                        for one in each.arguments
                    ],
                )
                for each in PROMPTS
            ]
        )

    async def get_prompt(_: Context, asked: GetPromptRequestParams) -> GetPromptResult:
        prompt = prompts.get(asked.name)
        if prompt is None:
            raise MCPError(INVALID_PARAMS, f"There is no prompt {asked.name}. There are {', '.join(prompts)}.")
        try:
            text = prompt.text(asked.arguments or {})
        except InputError as error:
            raise _refused(error) from error
        message = PromptMessage(role="user", content=TextContent(text=text))
        return GetPromptResult(description=prompt.description, messages=[message])

    async def complete(context: Context, asked: CompleteRequestParams) -> CompleteResult:
        like = operations_like if asked.argument.name == "id" else names_like
        if asked.argument.name not in ("id", *_NAMES):
            return CompleteResult(completion=Completion(values=[]))
        try:
            names, more = await like(await host.backend(context), asked.argument.value, _MOST_COMPLETIONS)
        except KnowgateError as error:
            raise _refused(error) from error
        return CompleteResult(completion=Completion(values=names, has_more=more))

    server.add_request_handler("prompts/list", PaginatedRequestParams, list_prompts)
    server.add_request_handler("prompts/get", GetPromptRequestParams, get_prompt)
    server.add_request_handler("completion/complete", CompleteRequestParams, complete)


def _refused(error: KnowgateError, data: dict[str, str] | None = None) -> MCPError:
    mine = isinstance(error, InputError | NotFoundError)
    return MCPError(INVALID_PARAMS if mine else INTERNAL_ERROR, str(error), data)
