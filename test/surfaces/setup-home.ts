import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { workspace } from './run-cli.ts'

/** A configuration with everything: comments, odd indentation, other servers and hooks. */
export const FILES = {
  '.codex/config.toml':
    '# my codex\nmodel   =   "gpt-5"\n\n[mcp_servers.docs]  # docs\ncommand = "npx"\nargs = [ "-y",\n   "docs-mcp" ]\n\n# profiles\n[profiles.fast]\nmodel = "mini"',
  '.codex/hooks.json': '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"notify-send done"}]}]}}',
  '.gemini/settings.json':
    '{\n\t// theme\n\t"ui": { "theme": "Dark" },\n\t"mcpServers": {\n\t\t"gh": { "command": "gh-mcp", "env": { "GITHUB_TOKEN": "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" } } // github\n\t},\n\t"hooks": {\n\t\t"AfterAgent": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ]\n\t}\n}\n',
  '.cursor/mcp.json': '{\r\n   "mcpServers": {}\r\n}\r\n',
  '.codeium/windsurf/mcp_config.json': '{"mcpServers":{"a":{"command":"b"}}}',
  '.config/Code/User/mcp.json':
    '{\n    "servers": {\n        "x": {\n            "url": "http://x"\n        },\n    },\n    "inputs": []\n}',
  '.config/zed/settings.json':
    '// Zed settings\n//\n{\n  "theme": "One", // mine\n  "context_servers": { // servers\n  },\n  "vim_mode": true,\n}\n',
  '.config/opencode/opencode.jsonc':
    '{\n  "$schema": "https://opencode.ai/config.json",\n  /* models */ "model": "x/y"\n}\n',
}

export interface Report {
  applied: boolean
  program: string[]
  clients: {
    name: string
    found: boolean
    changes: { path: string; diff?: string; command?: string[] }[]
    problem: string | null
  }[]
}

/** A home with these files and `nokosu` on the PATH. */
export function home(files: Partial<Record<string, string>> = FILES) {
  const { folder, json, run, failure } = workspace()
  const own = join(folder, 'home')
  const tools = join(folder, 'tools')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(own, path)), { recursive: true })
    writeFileSync(join(own, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text!)
  mkdirSync(own, { recursive: true })
  mkdirSync(tools)
  const tool = (name: string, script: string) => writeFileSync(join(tools, name), script, { mode: 0o755 })
  tool('nokosu', '#!/bin/sh\n')
  const env = { HOME: own, PATH: `${tools}:/usr/bin:/bin` }
  const setup = (...args: string[]) => json<Report>(['setup', ...args], { env })
  const contents = () => {
    const paths = readdirSync(own, { recursive: true, encoding: 'utf8' }).sort()
    return Object.fromEntries(
      paths.map((path) => [path, lstatSync(join(own, path)).isFile() ? readFileSync(join(own, path), 'utf8') : null]),
    )
  }
  const read = (path: string) => readFileSync(join(own, path), 'utf8')
  const changed = (report: Report) => report.clients.filter(({ changes }) => changes.length > 0).map(({ name }) => name)
  return { folder, own, env, setup, run, failure, contents, read, write, tool, changed }
}
