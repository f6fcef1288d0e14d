import { renderPersonality } from '../../../agents/personality.ts'
import { readRolePrompt, usualRole } from '../../../agents/role-prompt.ts'
import { MemoryError } from '../../../model/errors.ts'
import type { Profile } from '../../../model/personality.ts'
import { sendPage } from '../layout.tsx'
import type { Page } from '../pages.ts'
import { Card } from '../parts/blocks.tsx'
import { Stored } from '../parts/stored.tsx'
import { RangeChoice, readRange } from '../range.tsx'
import { toast } from '../toast.ts'
import type { View } from '../view.ts'
import { AgentStory, readStory } from './story.tsx'

type Draft = Pick<Profile, 'agentName' | 'displayName' | 'persona' | 'traits' | 'communicationStyle'>

export const agentPages: readonly Page[] = [
  {
    path: '/agents/:name',
    summary: 'One agent: what it learned, read and did, and its personality.',
    async handle(view) {
      const agentName = view.param('name')
      const range = readRange(view)
      const [profile, story] = await Promise.all([
        view.parts.memory.personality.profile(agentName),
        readStory(view, agentName, range),
      ])
      const draft = profile ?? { agentName, displayName: agentName, persona: '', traits: [], communicationStyle: '' }
      const isStored = profile !== null && profile.updatedAt !== null
      return sendPage(view, {
        title: draft.displayName,
        heading: <Stored text={draft.displayName} />,
        actions: <RangeChoice view={view} path={pathOf(draft)} range={range} />,
        children: (
          <div class="stack">
            <div id="results" class="stack">
              <AgentStory view={view} story={story} />
            </div>
            <div class="heading section">
              <h2>Personality</h2>
              {isStored && view.access.may('admin') ? <Forget path={pathOf(draft)} /> : null}
            </div>
            <div class="columns even">
              <PersonalityForm view={view} draft={draft} />
              <Card title="What the agent is shown">
                <Preview text={await previewOf(draft)} />
              </Card>
            </div>
          </div>
        ),
      })
    },
  },
  {
    path: 'POST /agents/:name/preview',
    summary: 'What an agent would be shown.',
    handle: async (view) => view.context.html(<Preview text={await previewOf(await readDraft(view))} />),
  },
  {
    path: 'POST /agents/:name',
    needs: 'admin',
    summary: 'Sets the personality of an agent.',
    async handle(view) {
      const draft = await readDraft(view)
      try {
        await view.access.own().personality.set(draft)
      } catch (error) {
        if (!MemoryError.is(error) || error.code !== 'INVALID_INPUT') throw error
        const failure = (
          <p class="failed" role="alert">
            {error.message}
          </p>
        )
        return view.context.html(failure, 422)
      }
      return view.context.html('', 200, toast('Saved. The next run of this agent gets it.', { refresh: false }))
    },
  },
  {
    path: 'POST /agents/:name/forget',
    needs: 'admin',
    summary: 'Deletes the stored personality of an agent.',
    async handle(view) {
      await view.access.own().personality.delete(view.param('name'))
      return view.context.body(null, 204, { 'hx-redirect': '/agents' })
    },
  },
]

function pathOf({ agentName }: Draft): string {
  return `/agents/${encodeURIComponent(agentName)}`
}

/** As it appears at the top of the agent’s instructions, followed by the start of its role. */
async function previewOf(draft: Draft): Promise<string> {
  const role = usualRole(draft.agentName)
  const instructions = role === null ? '(the role instructions)' : await readRolePrompt(role)
  return `${renderPersonality({ ...draft, updatedAt: null })}\n${instructions}`
}

async function readDraft(view: View): Promise<Draft> {
  const field = await view.readForm()
  return {
    agentName: view.param('name'),
    displayName: field('displayName').trim(),
    persona: field('persona').trim(),
    traits: field('traits')
      .split('\n')
      .map((trait) => trait.trim())
      .filter((trait) => trait !== ''),
    communicationStyle: field('communicationStyle').trim(),
  }
}

function Forget({ path }: { path: string }) {
  return (
    <button
      type="button"
      class="danger"
      hx-post={`${path}/forget`}
      hx-swap="none"
      hx-confirm="Its stored personality is deleted; a built-in agent gets its default back."
    >
      Delete personality
    </button>
  )
}

function PersonalityForm({ view, draft }: { view: View; draft: Draft }) {
  const path = pathOf(draft)
  const mayWrite = view.access.may('admin')
  return (
    <form
      class="card form"
      aria-label="Personality"
      data-edit={mayWrite ? '' : undefined}
      hx-post={`${path}/preview`}
      hx-trigger="input delay:250ms"
      hx-target="#preview"
      hx-swap="outerHTML"
    >
      <label>
        Name <input name="displayName" value={draft.displayName} maxlength={80} required />
      </label>
      <label>
        Persona{' '}
        <textarea name="persona" rows={7} maxlength={4000} required>
          {draft.persona}
        </textarea>
      </label>
      <label>
        Traits, one per line{' '}
        <textarea name="traits" rows={5}>
          {draft.traits.join('\n')}
        </textarea>
      </label>
      <label>
        How it communicates{' '}
        <textarea name="communicationStyle" rows={4} maxlength={2000}>
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
        <p class="soft">Changing a personality needs an admin’s token: it applies to every project.</p>
      )}
    </form>
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
