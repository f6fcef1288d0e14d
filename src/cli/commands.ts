import type { Command } from 'commander'

/** The file of one command. It adds arguments, options and the action, and is loaded only when the command runs. */
export interface CommandModule {
  configure(command: Command): void
}

export interface CommandEntry {
  summary: string
  /** Under which title the help lists it. */
  group?: string
  /** Not for people, so not in the help. */
  hidden?: true
  load(): Promise<CommandModule>
}

const GROUPS: Record<string, Record<string, CommandEntry>> = {
  'Start here': {
    demo: { summary: 'watch one agent learn over three runs', load: () => import('./commands/demo.ts') },
    doctor: { summary: 'check that everything works', load: () => import('./commands/doctor.ts') },
    completion: {
      summary: 'print what makes Tab complete commands, flags, names and ids',
      load: () => import('./commands/completion.ts'),
    },
  },
  Remember: {
    add: { summary: 'add a memory', load: () => import('./commands/add.ts') },
    capture: { summary: 'store the memories in an agent’s output', load: () => import('./commands/capture.ts') },
    record: { summary: 'store the memories of a workflow event', load: () => import('./commands/record.ts') },
    'save-memory': { summary: 'store a JSON array of learnings', load: () => import('./commands/save-memory.ts') },
    extract: { summary: 'ask a model what a run learned', load: () => import('./commands/extract.ts') },
    import: { summary: 'read an export, or the lists of a Markdown file', load: () => import('./commands/import.ts') },
  },
  Find: {
    search: { summary: 'find memories by meaning and by word', load: () => import('./commands/search.ts') },
    list: { summary: 'list memories, newest first', load: () => import('./commands/list.ts') },
    get: { summary: 'show one memory with all that is known of it', load: () => import('./commands/get.ts') },
    history: { summary: 'show what a memory said before, word by word', load: () => import('./commands/history.ts') },
    context: {
      summary: 'print the block of memories that an agent is shown',
      load: () => import('./commands/context.ts'),
    },
    sessions: { summary: 'list the runs of agents, or show one', load: () => import('./commands/sessions.ts') },
  },
  'Keep it true': {
    update: { summary: 'change a memory', load: () => import('./commands/update.ts') },
    delete: { summary: 'delete memories', load: () => import('./commands/delete.ts') },
    undelete: { summary: 'bring back deleted memories', load: () => import('./commands/undelete.ts') },
    review: { summary: 'decide on memories that are held back', load: () => import('./commands/review.ts') },
    relate: { summary: 'say how two statements stand to each other', load: () => import('./commands/relate.ts') },
    sweep: { summary: 'apply decay, caps and expiry', load: () => import('./commands/sweep.ts') },
    purge: { summary: 'remove inactive memories for good', load: () => import('./commands/purge.ts') },
  },
  'Run agents': {
    run: {
      summary: 'run an agent with its memories and store what it learns',
      load: () => import('./commands/run.ts'),
    },
    pipeline: {
      summary: 'run architect, coder, reviewer and tester on one feature',
      load: () => import('./commands/pipeline.ts'),
    },
    loop: { summary: 'run coder and reviewer on a list of tasks', load: () => import('./commands/loop.ts') },
    tier: {
      summary: 'run an agent that observes, investigates or remediates services',
      load: () => import('./commands/tier.ts'),
    },
    inject: {
      summary: 'write an agent’s role, personality and memories into its workspace',
      load: () => import('./commands/inject.ts'),
    },
    recording: {
      summary: 'print how an agent leaves memories, for its prompt',
      load: () => import('./commands/recording.ts'),
    },
    personality: { summary: 'manage the personalities of agents', load: () => import('./commands/personality.ts') },
    'fetch-memory': { summary: 'print an agent’s memory file', load: () => import('./commands/fetch-memory.ts') },
    'fetch-personality': {
      summary: 'print an agent’s personality section',
      load: () => import('./commands/fetch-personality.ts'),
    },
    plugin: { summary: 'install the plugin for Claude Code', load: () => import('./commands/plugin.ts') },
  },
  Operate: {
    serve: { summary: 'start the pages, the API and MCP', load: () => import('./commands/serve.ts') },
    mcp: { summary: 'serve the memory to an MCP client', load: () => import('./commands/mcp.ts') },
    directory: {
      summary: 'record which team, org and company a project belongs to',
      load: () => import('./commands/directory.ts'),
    },
    token: { summary: 'manage the tokens that open the server', load: () => import('./commands/token.ts') },
    tables: {
      summary: 'make, show or delete the tables of a DynamoDB store',
      load: () => import('./commands/tables.ts'),
    },
    migrate: { summary: 'move everything to another store', load: () => import('./commands/migrate.ts') },
    export: { summary: 'write memories as JSON lines', load: () => import('./commands/export.ts') },
    reembed: { summary: 'compute missing vectors with the current model', load: () => import('./commands/reembed.ts') },
    bench: { summary: 'run the benchmarks (in a checkout)', load: () => import('./commands/bench.ts') },
    eval: {
      summary: 'measure search, relations and the guard (in a checkout)',
      load: () => import('./commands/eval.ts'),
    },
  },
}

const HIDDEN: Record<string, CommandEntry> = {
  'demo-agent': { summary: 'the agent of the demo', hidden: true, load: () => import('./commands/demo-agent.ts') },
  'store-server': {
    summary: 'hold the store for another process',
    hidden: true,
    load: () => import('./commands/store-server.ts'),
  },
  hook: { summary: 'run a hook of the plugin', hidden: true, load: () => import('./commands/hook.ts') },
}

/** All commands, in the order of the help. */
export const COMMANDS: Record<string, CommandEntry> = {
  ...Object.fromEntries(
    Object.entries(GROUPS).flatMap(([group, commands]) =>
      Object.entries(commands).map(([name, entry]) => [name, { ...entry, group }]),
    ),
  ),
  ...HIDDEN,
}
