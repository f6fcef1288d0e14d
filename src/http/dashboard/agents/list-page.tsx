import type { Profile } from '../../../model/personality.ts'
import { listProfiles } from '../../list-profiles.ts'
import { sendPage } from '../layout.tsx'
import type { Page } from '../pages.ts'
import { Chip } from '../parts/memory-parts.tsx'
import { Stored } from '../parts/stored.tsx'
import { href, type View } from '../view.ts'

export const agentListPages: readonly Page[] = [
  {
    path: '/agents',
    summary: 'The agents and their personalities.',
    async handle(view) {
      const profiles = await listProfiles(view.parts.memory.personality)
      return sendPage(view, {
        title: 'Agents',
        lead: 'A personality goes before an agent’s role instructions, in every project.',
        children: (
          <>
            <form class="filters" method="get" action="/agents/open">
              <input
                name="name"
                required
                placeholder="another agent’s name"
                aria-label="Name of another agent"
                autocomplete="off"
              />
              <button type="submit">Open</button>
            </form>
            <div class="agents">
              {profiles.map((profile) => (
                <AgentCard view={view} profile={profile} />
              ))}
            </div>
          </>
        ),
      })
    },
  },
  {
    path: '/agents/open',
    summary: 'Leads to the page of an agent.',
    handle: (view) => view.context.redirect(agentPath(view, view.query('name') ?? ''), 303),
  },
]

function agentPath(view: View, name: string): string {
  return href(view, `/agents/${encodeURIComponent(name)}`)
}

function AgentCard({ view, profile }: { view: View; profile: Profile }) {
  const { agentName, displayName, persona, traits, updatedAt } = profile
  return (
    <section class="card">
      <h2>
        <a href={agentPath(view, agentName)}>
          <Stored text={displayName} />
        </a>
      </h2>
      <p class="soft">
        <Stored class="mono" text={agentName} /> {updatedAt === null ? 'built in' : 'your own'}
      </p>
      <p>
        <Stored class="clamp" text={persona} />
      </p>
      <p class="traits">
        {traits.map((trait) => (
          <Chip text={trait} />
        ))}
      </p>
    </section>
  )
}
