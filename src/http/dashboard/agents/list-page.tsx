import { BUILT_IN_AGENTS, type Profile } from '../../../model/personality.ts'
import type { Route, ServerParts } from '../../route.ts'
import { sendPage } from '../layout.tsx'
import { pageRoute } from '../page-route.ts'
import { Stored } from '../parts/stored.tsx'
import { href, type View } from '../view.ts'

/** Who the agents are. */
export function agentListRoutes(parts: ServerParts): Route[] {
  return [
    pageRoute(parts, {
      path: '/agents',
      summary: 'The agents and their personalities.',
      async handle(view) {
        const profiles = await readProfiles(view)
        return sendPage(view, {
          title: 'Agents',
          current: '/agents',
          children: (
            <>
              <div class="heading">
                <h1>Agents</h1>
              </div>
              <p class="lead">A personality goes before an agent’s role instructions, in every project.</p>
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
    }),
    pageRoute(parts, {
      path: '/agents/open',
      summary: 'Leads to the page of an agent.',
      handle: (view) =>
        view.context.redirect(href(view, `/agents/${encodeURIComponent(view.query('name') ?? '')}`), 303),
    }),
  ]
}

async function readProfiles({ parts: { memory } }: View): Promise<Profile[]> {
  const stored = await memory.personality.list()
  const others = BUILT_IN_AGENTS.filter((name) => !stored.some(({ agentName }) => agentName === name))
  const builtIn = await Promise.all(others.map((name) => memory.personality.profile(name)))
  const all: Profile[] = [...stored, ...builtIn.filter((profile) => profile !== null)]
  return all.sort((a, b) => (a.agentName < b.agentName ? -1 : 1))
}

function AgentCard({ view, profile }: { view: View; profile: Profile }) {
  const { agentName, displayName, persona, traits, updatedAt } = profile
  return (
    <section class="card">
      <h2>
        <a href={href(view, `/agents/${encodeURIComponent(agentName)}`)}>
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
          <span class="chip">
            <Stored text={trait} />
          </span>
        ))}
      </p>
    </section>
  )
}
