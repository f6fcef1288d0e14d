import { CATEGORY_TABLE } from './category-table.ts'

/** Everything derived from the table of categories. The categories are listed nowhere else. */

type Table = typeof CATEGORY_TABLE
export type Category = keyof Table
type OfKind<Kind extends Table[Category]['kind']> = {
  [Name in Category]: Table[Name]['kind'] extends Kind ? Name : never
}[Category]
export type OperationalCategory = OfKind<'operational'>
export type WorkflowCategory = OfKind<'workflow'>

const ENTRIES = Object.entries(CATEGORY_TABLE) as [Category, Table[Category]][]

/**
 * A newer version or another program may have written a category that is not in this table. Such a memory is read
 * normally and does not fade.
 */
const TABLE: ReadonlyMap<string, Table[Category]> = new Map(ENTRIES)

/** The category of new memories that do not name one. */
export const DEFAULT_CATEGORY: Category = 'learning'

export const CATEGORIES: readonly Category[] = ENTRIES.map(([name]) => name)
export const OPERATIONAL_CATEGORIES = ofKind('operational')
export const WORKFLOW_CATEGORIES = ofKind('workflow')
/** The categories an agent names itself; workflow categories come from events. */
export const RECORDED_CATEGORIES: readonly OfKind<'operational' | 'learning'>[] = [
  ...OPERATIONAL_CATEGORIES,
  ...ofKind('learning'),
]

function ofKind<Kind extends Table[Category]['kind']>(kind: Kind): readonly OfKind<Kind>[] {
  return ENTRIES.flatMap(([name, entry]) => (entry.kind === kind ? [name as OfKind<Kind>] : []))
}

export function isWorkflow({ category }: { category: Category }): boolean {
  return TABLE.get(category)?.kind === 'workflow'
}

/** Things that happened in a workflow. Decisions and hints describe how things are, so they are not events. */
export const EVENT_CATEGORIES = WORKFLOW_CATEGORIES.filter((category) => category !== 'decision' && category !== 'hint')

export function isEvent({ category }: { category: Category }): boolean {
  return (EVENT_CATEGORIES as readonly Category[]).includes(category)
}

export function isLearning({ category }: { category: Category }): boolean {
  return TABLE.get(category)?.kind === 'learning'
}

/** Whether the confidence of this memory fades with age. */
export function isFading({ category }: { category: Category }): boolean {
  return TABLE.get(category)?.decays ?? false
}

/** Every category name that tools use, mapped to the category it is stored as. */
export const CATEGORY_NAMES: ReadonlyMap<string, Category> = new Map(
  ENTRIES.flatMap(([name, entry]) => [name, ...('aliases' in entry ? entry.aliases : [])].map((each) => [each, name])),
)

/** The categories as a sentence: `timing (how long something takes, ...), ... or learning (anything else)`. */
export function describeCategories(
  names: readonly Category[],
  mark: (name: Category) => string = (name) => name,
): string {
  const told = names.map((name) => `${mark(name)} (${CATEGORY_TABLE[name].about})`)
  return `${told.slice(0, -1).join(', ')} or ${told.at(-1)}`
}
