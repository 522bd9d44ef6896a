"""The MCP door: the tools over stdio and HTTP, in both eras of the protocol."""
