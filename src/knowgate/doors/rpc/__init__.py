"""The mrapids agent's dialect: operations over JSON-RPC 2.0, at / and /rpc."""
