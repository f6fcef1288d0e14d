interface CategoryEntry {
  /**
   * Operational categories are recorded with a marker, workflow ones are steps of a task, and `learning` is everything
   * else.
   */
  kind: 'operational' | 'workflow' | 'learning'
  /** Completes "an observation of this category tells ...", in prompts and documents. */
  about: string
  /** The colour of its label on the dashboard. */
  colour: 'green' | 'amber'
  /** Whether its confidence fades unless something confirms it. The setting `memory.decay` overrides this. */
  decays: boolean
  /** Names that workflow tools use for it. The memory gets this category, and the other name as a tag. */
  aliases?: readonly string[]
}

/**
 * The categories. To add one, add an entry here: the marker, schemas, prompts, command line, dashboard and stores all
 * read this table. `node scripts/category-lists.ts` updates the lists in the docs.
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
