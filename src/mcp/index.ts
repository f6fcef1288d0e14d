/** The memory for MCP clients, and for the memory tool of Anthropic's API. */

export { createMcpServer, type McpServerOptions } from './create-mcp-server.ts'
export type { MemoryToolCommand } from './memory-tool/command.ts'
export { createMemoryTool, type MemoryToolOptions } from './memory-tool/memory-tool.ts'
