import { renderPersonality } from '../../../agents/personality.ts'
import { readRolePrompt, usualRole } from '../../../agents/role-prompt.ts'
import { MemoryError } from '../../../model/errors.ts'
import type { Profile } from '../../../model/personality.ts'
import type { Route, ServerParts } from '../../route.ts'
import { sendPage } from '../layout.tsx'
import { told } from '../memories/told.ts'
import { pageRoute } from '../page-route.ts'
import { Stored } from '../parts/stored.tsx'
import { href, type View } from '../view.ts'

type Draft = Pick<Profile, 'agentName' | 'displayName' | 'persona' | 'traits' | 'communicationStyle'>

/** One agent: its personality as a form, and beside it what the agent gets. */
export function agentPageRoutes(parts: ServerParts): Route[] {
  return [
    pageRoute(parts, {
      path: '/agents/:name',
      summary: 'One agent, with what it gets.',
      async handle(view) {
        const agentName = view.context.req.param('name')!
        const profile = await parts.memory.personality.profile(agentName)
        const draft = profile ?? { agentName, displayName: agentName, persona: '', traits: [], communicationStyle: '' }
        return sendPage(view, {
          title: draft.displayName,
          current: '/agents',
          children: (
            <AgentPage
              view={view}
              draft={draft}
              isStored={profile !== null && profile.updatedAt !== null}
              preview={await previewOf(draft)}
            />
          ),
        })
      },
    }),
    pageRoute(parts, {
      method: 'POST',
      path: '/agents/:name/preview',
      summary: 'What an agent would get.',
      handle: async (view) => view.context.html(<Preview text={await previewOf(await readDraft(view))} />),
    }),
    pageRoute(parts, {
      method: 'POST',
      path: '/agents/:name',
      needs: 'admin',
      summary: 'Sets the personality of an agent.',
      async handle(view) {
        const draft = await readDraft(view)
        try {
          await view.access.own().personality.set(draft)
        } catch (error) {
          if (!MemoryError.is(error) || error.code !== 'INVALID_INPUT') throw error
          return view.context.html(
            <p class="failed" role="alert">
              {error.message}
            </p>,
            422,
          )
        }
        return view.context.html('', 200, told('Saved. The next run of this agent gets it.', { refresh: false }))
      },
    }),
    pageRoute(parts, {
      method: 'POST',
      path: '/agents/:name/forget',
      needs: 'admin',
      summary: 'Forgets the stored personality of an agent.',
      async handle(view) {
        await view.access.own().personality.delete(view.context.req.param('name')!)
        return view.context.body(null, 204, { 'hx-redirect': '/agents' })
      },
    }),
  ]
}

/** As it stands at the top of the agent’s instructions, with the beginning of its role. */
async function previewOf(draft: Draft): Promise<string> {
  const role = usualRole(draft.agentName)
  const instructions = role === null ? '(the role instructions)' : await readRolePrompt(role)
  return `${renderPersonality({ ...draft, updatedAt: null })}\n${instructions}`
}

async function readDraft({ context }: View): Promise<Draft> {
  const form = await context.req.parseBody()
  const field = (name: string) => (typeof form[name] === 'string' ? form[name].trim() : '')
  return {
    agentName: context.req.param('name')!,
    displayName: field('displayName'),
    persona: field('persona'),
    traits: field('traits')
      .split('\n')
      .map((trait) => trait.trim())
      .filter((trait) => trait !== ''),
    communicationStyle: field('communicationStyle'),
  }
}

function AgentPage({
  view,
  draft,
  isStored,
  preview,
}: {
  view: View
  draft: Draft
  isStored: boolean
  preview: string
}) {
  const path = `/agents/${encodeURIComponent(draft.agentName)}`
  const mayWrite = view.access.may('admin')
  return (
    <>
      <p class="crumbs">
        <a href={href(view, '/agents')}>Agents</a>
      </p>
      <div class="heading">
        <h1>
          <Stored text={draft.displayName} />
        </h1>
        {isStored && mayWrite ? (
          <button
            type="button"
            class="danger"
            hx-post={`${path}/forget`}
            hx-swap="none"
            hx-confirm="What is stored is forgotten; a built-in agent has its default again."
          >
            Forget
          </button>
        ) : null}
      </div>
      <div class="columns">
        <form
          class="card form"
          aria-label="Personality"
          data-edit={mayWrite ? '' : undefined}
          hx-post={`${path}/preview`}
          hx-trigger="input delay:250ms"
          hx-target="#preview"
          hx-swap="outerHTML"
        >
          <label for="displayName">
            Name <input id="displayName" name="displayName" value={draft.displayName} maxlength={80} required />
          </label>
          <label for="persona">
            Persona{' '}
            <textarea id="persona" name="persona" rows={7} maxlength={4000} required>
              {draft.persona}
            </textarea>
          </label>
          <label for="traits">
            Traits, one a line{' '}
            <textarea id="traits" name="traits" rows={5}>
              {draft.traits.join('\n')}
            </textarea>
          </label>
          <label for="style">
            How it communicates{' '}
            <textarea id="style" name="communicationStyle" rows={4} maxlength={2000}>
              {draft.communicationStyle}
            </textarea>
          </label>
          <div id="saved" />
          {mayWrite ? (
            <div class="actions">
              <button
                type="button"
                class="primary"
                data-save
                hx-post={path}
                hx-include="closest form"
                hx-target="#saved"
                hx-swap="innerHTML"
                hx-trigger="click"
              >
                Save
              </button>
            </div>
          ) : (
            <p class="soft">Changing a personality needs an admin’s token: it holds in every project.</p>
          )}
        </form>
        <section class="card">
          <h2>What the agent gets</h2>
          <Preview text={preview} />
        </section>
      </div>
    </>
  )
}

function Preview({ text }: { text: string }) {
  return (
    <section class="preview" id="preview" tabindex={0} aria-label="The text" aria-live="polite">
      <pre>
        <Stored text={text} />
      </pre>
    </section>
  )
}
