import { DemoOffer } from '../demo/demo-card.tsx'
import { Card } from '../parts/blocks.tsx'
import type { View } from '../view.ts'

export function Welcome({ view, isDemoOffered }: { view: View; isDemoOffered: boolean }) {
  const { command } = view.parts
  const steps: [string, string][] = [
    ['Run an agent with memory', `${command} run --agent nori -- claude -p "your task"`],
    ['Give Claude Code a memory', `${command} plugin install`],
    ['Add one yourself', `${command} add "The staging database is reset every night"`],
  ]
  return (
    <div class="columns">
      <Card title="There are no memories yet" note="Agents record them when they run. Each of these records the first:">
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
      </Card>
      {isDemoOffered ? <DemoOffer /> : null}
    </div>
  )
}
