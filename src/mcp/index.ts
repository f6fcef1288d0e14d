/** The memory for MCP clients, and for the memory tool of Anthropic's API. */

export { createMcpServer, type McpServerOptions } from './create-mcp-server.ts'
