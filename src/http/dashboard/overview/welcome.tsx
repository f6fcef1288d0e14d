import { Demo } from '../demo/demo-card.tsx'
import type { View } from '../view.ts'

/** For whoever comes to an empty store. */
export function Welcome({ view, isDemoOffered }: { view: View; isDemoOffered: boolean }) {
  const { command } = view.parts
  const steps: [string, string][] = [
    ['Run an agent with memory', `${command} run --agent nori -- claude -p "your task"`],
    ['Give Claude Code a memory', `${command} plugin install`],
    ['Add one yourself', `${command} add "The staging database is reset every night"`],
  ]
  return (
    <div class="columns">
      <section class="card">
        <h2>There are no memories yet</h2>
        <p class="note">Agents leave them behind when they run. Each of these leaves the first:</p>
        <dl class="form">
          {steps.map(([title, line]) => (
            <div>
              <dt>{title}</dt>
              <dd>
                <code class="command">{line}</code>
              </dd>
            </div>
          ))}
        </dl>
      </section>
      {isDemoOffered ? <Demo view={view} state="offered" /> : null}
    </div>
  )
}
