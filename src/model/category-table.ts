interface CategoryEntry {
  /** Operational ones are recorded with a marker; workflow ones are steps of a task; a learning is everything else. */
  kind: 'operational' | 'workflow' | 'learning'
  /** Completes "an observation of this category tells ...", in prompts and documents. */
  about: string
  /** Of its label on the dashboard. */
  colour: 'green' | 'amber'
  /** Whether its confidence fades when nothing confirms it, where the setting `memory.decay` does not say. */
  decays: boolean
  /** Other names that workflow tools give it. It is stored under its own, with the other one as a tag. */
  aliases?: readonly string[]
}

/**
 * The categories. Adding one is an entry here and nothing else: the marker, the schemas, the prompts, the command line, the dashboard
 * and the stores read it from this table. `node scripts/category-lists.ts` renews the lists in documents.
 */
export const CATEGORY_TABLE = {
  timing: { kind: 'operational', about: 'how long something takes, when it happens', colour: 'green', decays: true },
  dependency: { kind: 'operational', about: 'what needs what, and in which order', colour: 'green', decays: true },
  behavior: {
    kind: 'operational',
    about: 'how something acts, including what looks wrong but is normal',
    colour: 'green',
    decays: true,
  },
  remediation: { kind: 'operational', about: 'what fixed a problem, or did not', colour: 'amber', decays: true },
  maintenance: { kind: 'operational', about: 'what has to be done regularly', colour: 'green', decays: true },
  submission: {
    kind: 'workflow',
    about: 'what was handed in for review',
    colour: 'green',
    decays: false,
    aliases: ['commit'],
  },
  rejection: { kind: 'workflow', about: 'why work was rejected', colour: 'amber', decays: false },
  approval: { kind: 'workflow', about: 'what was approved', colour: 'green', decays: false },
  decision: {
    kind: 'workflow',
    about: 'what was decided, and why',
    colour: 'green',
    decays: false,
    aliases: ['wont_fix', 'dispute'],
  },
  follow_up: { kind: 'workflow', about: 'what is left to do', colour: 'green', decays: false },
  hint: { kind: 'workflow', about: 'what helps with similar tasks', colour: 'green', decays: false },
  learning: { kind: 'learning', about: 'anything else', colour: 'green', decays: false },
} as const satisfies Record<string, CategoryEntry>
