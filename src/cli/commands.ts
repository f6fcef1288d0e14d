import type { CommandModule } from './command.ts'

export interface CommandEntry {
  summary: string
  /** The title under which the help lists it; null for internal commands. */
  group: string | null
  load(): Promise<CommandModule>
}

type Listed = readonly [summary: string, load: () => Promise<CommandModule>]

/** Grouped by their title in the help. Each module is only loaded when its command runs. */
const GROUPS: Record<string, Record<string, Listed>> = {
  'Start here': {
    setup: ['set up your agents and editors, or undo that', () => import('./commands/setup.ts')],
    demo: ['watch one agent learn over three runs', () => import('./commands/demo.ts')],
    doctor: ['check that everything works', () => import('./commands/doctor.ts')],
    learn: ['suggest memories from the repository itself', () => import('./commands/learn.ts')],
    completion: ['print a shell completion script', () => import('./commands/completion.ts')],
  },
  Remember: {
    add: ['add a memory', () => import('./commands/add.ts')],
    capture: ['store the memories in an agent’s output', () => import('./commands/capture.ts')],
    record: ['store the memories of a workflow event', () => import('./commands/record.ts')],
    'save-memory': ['store a JSON array of learnings', () => import('./commands/save-memory.ts')],
    extract: ['ask a model what a run learned', () => import('./commands/extract.ts')],
    import: ['read an export, a Markdown file, or another tool’s memories', () => import('./commands/import.ts')],
  },
  Find: {
    search: ['find memories by meaning and by word', () => import('./commands/search.ts')],
    list: ['list memories, newest first', () => import('./commands/list.ts')],
    get: ['show one memory in full', () => import('./commands/get.ts')],
    history: ['show every change to a memory, word by word', () => import('./commands/history.ts')],
    context: ['print the memories that an agent is shown', () => import('./commands/context.ts')],
    recall: ['print what an agent is shown at a given moment', () => import('./commands/recall.ts')],
    sessions: ['list the runs of agents, or show one', () => import('./commands/sessions.ts')],
  },
  'Keep it true': {
    update: ['change a memory', () => import('./commands/update.ts')],
    pin: ['show a memory first, and never let it fade', async () => (await import('./commands/pin.ts')).pin],
    unpin: ['undo a pin', async () => (await import('./commands/pin.ts')).unpin],
    delete: ['delete memories', () => import('./commands/delete.ts')],
    undelete: ['restore deleted memories', () => import('./commands/undelete.ts')],
    review: ['accept or reject memories held for review', () => import('./commands/review.ts')],
    undo: ['undo the last decision about a memory', () => import('./commands/undo.ts')],
    relate: ['compare two statements, or settle how two memories relate', () => import('./commands/relate.ts')],
    retract: ['withdraw a memory that was wrong all along', () => import('./commands/retract.ts')],
    sweep: ['apply decay, caps and expiry', () => import('./commands/sweep.ts')],
    purge: ['remove inactive memories for good', () => import('./commands/purge.ts')],
  },
  'Run agents': {
    run: ['run an agent with its memories and store what it learns', () => import('./commands/run.ts')],
    pipeline: ['run architect, coder, reviewer and tester on one feature', () => import('./commands/pipeline.ts')],
    loop: ['run coder and reviewer on a list of tasks', () => import('./commands/loop.ts')],
    tier: ['run an agent that observes, investigates or remediates services', () => import('./commands/tier.ts')],
    inject: ['write an agent’s role, personality and memories to its workspace', () => import('./commands/inject.ts')],
    recording: [
      'print the prompt section that teaches an agent to record memories',
      () => import('./commands/recording.ts'),
    ],
    personality: ['manage the personalities of agents', () => import('./commands/personality.ts')],
    'fetch-memory': ['print an agent’s memory file', () => import('./commands/fetch-memory.ts')],
    'fetch-personality': ['print an agent’s personality section', () => import('./commands/fetch-personality.ts')],
    plugin: ['install the plugin for Claude Code', () => import('./commands/plugin.ts')],
  },
  Operate: {
    serve: ['start the dashboard, REST API and MCP server', () => import('./commands/serve.ts')],
    mcp: ['serve the memory to an MCP client', () => import('./commands/mcp.ts')],
    directory: ['record which team, org and company a project belongs to', () => import('./commands/directory.ts')],
    token: ['manage the tokens that open the server', () => import('./commands/token.ts')],
    audit: ['show what operators did', () => import('./commands/audit.ts')],
    tables: ['create, show or delete the tables of a DynamoDB store', () => import('./commands/tables.ts')],
    upgrade: ['upgrade the schema of a shared store to this version', () => import('./commands/upgrade.ts')],
    migrate: ['move everything to another store', () => import('./commands/migrate.ts')],
    sync: ['sync memories with Markdown files, both ways', () => import('./commands/sync.ts')],
    export: ['write memories as JSON lines', () => import('./commands/export.ts')],
    reembed: ['compute missing vectors with the current model', () => import('./commands/reembed.ts')],
    bench: ['run the benchmarks (in a checkout)', async () => (await import('./commands/script.ts')).BENCH],
    torture: [
      'stress stores with crashes, crowds and bad input (in a checkout)',
      async () => (await import('./commands/script.ts')).TORTURE,
    ],
    eval: [
      'measure search, relations and the guard (in a checkout)',
      async () => (await import('./commands/script.ts')).EVAL,
    ],
  },
}

const HIDDEN: Record<string, Listed> = {
  'demo-agent': ['the agent of the demo', () => import('./commands/demo-agent.ts')],
  'store-server': ['hold the store for another process', () => import('./commands/store-server.ts')],
  hook: ['run a hook of the plugin', () => import('./commands/hook.ts')],
}

function entriesOf(group: string | null, commands: Record<string, Listed>): [string, CommandEntry][] {
  return Object.entries(commands).map(([name, [summary, load]]) => [name, { summary, group, load }])
}

export const COMMANDS: Record<string, CommandEntry> = Object.fromEntries([
  ...Object.entries(GROUPS).flatMap(([group, commands]) => entriesOf(group, commands)),
  ...entriesOf(null, HIDDEN),
])
