import { RUN_OUTCOMES, type Run } from '../../../engine/runs.ts'
import { LIMITS } from '../../../model/limits.ts'
import type { Session } from '../../../model/records.ts'
import { withoutRemoved } from '../demo/demo-data.ts'
import { inUnits } from '../format.ts'
import { sendPage } from '../layout.tsx'
import type { Page } from '../pages.ts'
import { Choice, Empty, FilterBar, NumberCell, NumberHead, Pager, Table } from '../parts/blocks.tsx'
import { Time } from '../parts/memory-parts.tsx'
import { OutcomeWord } from '../parts/outcome.tsx'
import { Stored } from '../parts/stored.tsx'
import { href, pageAfter, sessionPath, type View } from '../view.ts'

interface Filters {
  text: string | undefined
  agent: string | undefined
  outcome: Run['outcome'] | undefined
}

export const sessionListPage: Page = {
  path: '/sessions',
  summary: 'The runs.',
  async handle(view) {
    const filters = readFilters(view)
    const [{ runs: all, nextCursor }, agents] = await Promise.all([
      view.own.runs({ ...filters, ...pageAfter(view) }),
      agentsOf(view),
    ])
    const runs = await withoutRemoved(view.own, all, ({ session }) => session.id)
    const parameters = { q: filters.text, agent: filters.agent, outcome: filters.outcome }
    return sendPage(view, {
      title: 'Sessions',
      children: (
        <>
          <FilterForm view={view} filters={filters} agents={agents} />
          <div id="results">
            {runs.length > 0 ? (
              <RunTable view={view} runs={runs} />
            ) : Object.values(filters).some((value) => value !== undefined) ? (
              <NothingFound view={view} isLast={nextCursor === null} />
            ) : (
              <Empty
                icon="sessions"
                title="No agent has run yet"
                text="Start one with memory, and its run appears here: what it was shown, and what it recorded."
                command={`${view.parts.command} run --agent nori -- claude -p "your task"`}
              />
            )}
            <Pager view={view} path="/sessions" parameters={parameters} next={nextCursor} />
          </div>
        </>
      ),
    })
  },
}

function readFilters({ query }: View): Filters {
  const limit = (value: string | undefined) => value?.slice(0, LIMITS.identifier)
  const outcome = RUN_OUTCOMES.find((each) => each === query('outcome'))
  return { text: limit(query('q')), agent: limit(query('agent')), outcome }
}

/** All agents that ran recently. */
async function agentsOf({ own }: View): Promise<string[]> {
  const { sessions } = await own.sessions({ limit: LIMITS.pageLimit })
  return [...new Set(sessions.flatMap(({ agent }) => agent ?? []))].sort()
}

function FilterForm({ view, filters, agents }: { view: View; filters: Filters; agents: readonly string[] }) {
  const { text, agent, outcome } = filters
  const names = agent === undefined || agents.includes(agent) ? agents : [...agents, agent]
  const search = { value: text, label: 'Search the prompts', placeholder: 'Search the prompts  ( / )' }
  return (
    <FilterBar view={view} path="/sessions" delay={250} search={search}>
      <Choice
        name="agent"
        label="Agent"
        all="All agents"
        value={agent}
        options={names.map((name) => [name, name] as const)}
      />
      <Choice
        name="outcome"
        label="Outcome"
        all="Any outcome"
        value={outcome}
        options={RUN_OUTCOMES.map((name) => [name, name] as const)}
      />
    </FilterBar>
  )
}

function NothingFound({ view, isLast }: { view: View; isLast: boolean }) {
  const text = isLast
    ? 'No run matches these filters.'
    : 'None of the latest runs match. The next page looks further back.'
  return (
    <Empty icon="sessions" title="Nothing matches" text={text}>
      <div class="actions">
        <a class="button" href={href(view, '/sessions')}>
          Clear the filters
        </a>
      </div>
    </Empty>
  )
}

function RunTable({ view, runs }: { view: View; runs: readonly Run[] }) {
  return (
    <Table
      columns={[
        ...['Task', 'Agent', 'Outcome'],
        ...[<NumberHead title="Shown" />, <NumberHead title="Used" />, <NumberHead title="Recorded" />],
        ...['Started', 'Took'],
      ]}
    >
      {runs.map((run) => (
        <RunRow view={view} run={run} />
      ))}
    </Table>
  )
}

function RunRow({ view, run }: { view: View; run: Run }) {
  const { session, outcome, shown, used, recorded, refused, held } = run
  const { id, agent, role, project } = session
  return (
    <tr id={`s-${id}`} tabindex={-1} data-version={`${session.endedAt}.${shown}.${used.length}.${recorded}`}>
      <td class="observation">
        <a data-key="Enter" href={sessionPath(view, id)}>
          <Task run={run} />
        </a>
        <div class="about">
          {project === null || view.project !== null ? null : <Stored text={project} />}
          {role === null ? null : <Stored text={role} />}
          {held === 0 ? null : <span class="warn">{held} held for review</span>}
          {refused === 0 ? null : <span>{refused} refused</span>}
        </div>
      </td>
      <td class={agent === null ? 'name blank' : 'name'} title={agent ?? undefined}>
        <Stored text={agent ?? '–'} />
      </td>
      <td class="fit">
        <OutcomeWord outcome={outcome} />
      </td>
      <NumberCell name="shown" value={shown} />
      <NumberCell name="used" value={used.length} />
      <NumberCell name="recorded" value={recorded} />
      <td class="when">
        <Time at={session.startedAt} />
      </td>
      <td class={session.endedAt === null ? 'when blank' : 'when'}>{tookOf(session)}</td>
    </tr>
  )
}

/** The prompt of the run, or its id if no prompt was recorded. */
function Task({ run: { prompt, session } }: { run: Pick<Run, 'prompt' | 'session'> }) {
  if (prompt !== null) return <Stored class="clamp" text={prompt} />
  return (
    <>
      No prompt recorded <Stored class="mono soft" text={session.id} />
    </>
  )
}

export function tookOf({ startedAt, endedAt }: Session): string {
  return endedAt === null ? '–' : inUnits(Math.max(0, (Date.parse(endedAt) - Date.parse(startedAt)) / 1000))
}
