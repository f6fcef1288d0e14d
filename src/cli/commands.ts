import type { Command } from 'commander'

/** The file of one command. It adds arguments, options and the action, and is loaded only when the command runs. */
export interface CommandModule {
  configure(command: Command): void
}

export interface CommandEntry {
  summary: string
  /** Not for people, so not in the help. */
  hidden?: true
  load(): Promise<CommandModule>
}

export const COMMANDS: Record<string, CommandEntry> = {
  demo: { summary: 'watch one agent learn over three runs', load: () => import('./commands/demo.ts') },
  'demo-agent': { summary: 'the agent of the demo', hidden: true, load: () => import('./commands/demo-agent.ts') },
  add: { summary: 'add a memory', load: () => import('./commands/add.ts') },
  search: { summary: 'find memories by meaning and by word', load: () => import('./commands/search.ts') },
  list: { summary: 'list memories, newest first', load: () => import('./commands/list.ts') },
  get: { summary: 'show one memory, or its history', load: () => import('./commands/get.ts') },
  update: { summary: 'change a memory', load: () => import('./commands/update.ts') },
  delete: { summary: 'delete memories', load: () => import('./commands/delete.ts') },
  review: { summary: 'decide on memories that are held back', load: () => import('./commands/review.ts') },
  capture: { summary: 'store the memories in an agent’s output', load: () => import('./commands/capture.ts') },
  context: {
    summary: 'print the block of memories that an agent is shown',
    load: () => import('./commands/context.ts'),
  },
  relate: { summary: 'say how two statements stand to each other', load: () => import('./commands/relate.ts') },
  personality: { summary: 'manage the personalities of agents', load: () => import('./commands/personality.ts') },
  inject: {
    summary: 'write an agent’s role, personality and memories into its workspace',
    load: () => import('./commands/inject.ts'),
  },
  sweep: { summary: 'apply decay, caps and expiry', load: () => import('./commands/sweep.ts') },
  purge: { summary: 'remove inactive memories for good', load: () => import('./commands/purge.ts') },
  run: { summary: 'run an agent with its memories and store what it learns', load: () => import('./commands/run.ts') },
  pipeline: {
    summary: 'run architect, coder, reviewer and tester on one feature',
    load: () => import('./commands/pipeline.ts'),
  },
  loop: { summary: 'run coder and reviewer on a list of tasks', load: () => import('./commands/loop.ts') },
  tier: {
    summary: 'run an agent that observes, investigates or remediates services',
    load: () => import('./commands/tier.ts'),
  },
  recording: {
    summary: 'print how an agent leaves memories, for its prompt',
    load: () => import('./commands/recording.ts'),
  },
  record: { summary: 'store the memories of a workflow event', load: () => import('./commands/record.ts') },
  extract: { summary: 'ask a model what a run learned', load: () => import('./commands/extract.ts') },
  'fetch-memory': { summary: 'print an agent’s memory file', load: () => import('./commands/fetch-memory.ts') },
  'fetch-personality': {
    summary: 'print an agent’s personality section',
    load: () => import('./commands/fetch-personality.ts'),
  },
  'save-memory': { summary: 'store a JSON array of learnings', load: () => import('./commands/save-memory.ts') },
  'store-server': {
    summary: 'hold the store for another process',
    hidden: true,
    load: () => import('./commands/store-server.ts'),
  },
  directory: {
    summary: 'record which team, org and company a project belongs to',
    load: () => import('./commands/directory.ts'),
  },
  sessions: { summary: 'list the runs of agents', load: () => import('./commands/sessions.ts') },
  serve: { summary: 'start the web page and its endpoints', load: () => import('./commands/serve.ts') },
  export: { summary: 'write memories as JSON lines', load: () => import('./commands/export.ts') },
  import: { summary: 'read an export into the store', load: () => import('./commands/import.ts') },
  reembed: { summary: 'compute missing vectors with the current model', load: () => import('./commands/reembed.ts') },
  mcp: { summary: 'serve the memory to an MCP client', load: () => import('./commands/mcp.ts') },
  plugin: { summary: 'install the plugin for Claude Code', load: () => import('./commands/plugin.ts') },
  hook: { summary: 'run a hook of the plugin', hidden: true, load: () => import('./commands/hook.ts') },
  doctor: { summary: 'check that everything works', load: () => import('./commands/doctor.ts') },
  bench: { summary: 'run the benchmarks (in a checkout)', load: () => import('./commands/bench.ts') },
}
