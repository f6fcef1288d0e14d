import { describe, expect, it } from 'vitest'
import type { Retracted, Undone } from '../../src/model/decision.ts'
import type { Memory } from '../../src/model/memory.ts'
import { workspace } from './run-cli.ts'

const OLD = 'Takes 60s to start after a restart'
const NEW = 'Takes 90s to start after a restart'

async function corrected() {
  const place = workspace()
  const args = (command: string, ...rest: string[]) => [command, '--project', 'shop', ...rest]
  const capture = (session: string, said: string) =>
    place.run(args('capture', '--format', 'text', '--session', session, '--layer', 'project'), {
      input: `[MEMORY:timing:jellyfin] ${said}\n`,
    })
  await capture('s1', OLD)
  await capture('s2', `${NEW} (was: ${OLD})`)
  const { memories } = await place.json<{ memories: Memory[] }>(args('list'))
  const idOf = (content: string) => memories.find((memory) => memory.content === content)!.id
  const context = async () => (await place.run(args('context'))).stdout
  return { ...place, args, capture, first: idOf(OLD), second: idOf(NEW), context }
}

describe('a decision at the command line', () => {
  it('is told with its reason and both texts, and undone with one command', async () => {
    const { run, json, args, first, second, context } = await corrected()
    expect((await run(args('history', first))).stdout).toContain(
      `Corrected by ${second} “${NEW}” (0.70 → 0.50): declared as a correction`,
    )
    expect((await run(args('get', second))).stdout).toMatch(
      new RegExp(`decided +Corrects ${first} “${OLD}”: declared as a correction`),
    )
    const told = await json<{ decisions: { kind: string }[] }>(args('history', first))
    expect(told.decisions).toMatchObject([{ kind: 'corrected', other: { id: second, content: NEW }, undone: false }])
    const { memory, undone } = await json<Undone>(args('undo', first))
    expect(memory).toMatchObject({ confidence: 0.7, links: [] })
    expect(undone).toMatchObject([{ kind: 'corrected' }])
    expect(await context()).toContain(OLD)
    expect(await context()).not.toContain('disputed')
    expect((await run(args('history', first))).stdout).toContain('declared as a correction [undone]')
    expect(await run(args('undo', first))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no decision about this memory to undo'),
    })
  })

  it('relate --fix settles a pair', async () => {
    const { run, args, first, second, context } = await corrected()
    const { stdout } = await run(args('relate', '--fix', first, second, 'both-true'))
    expect(stdout).toContain('Both are true.')
    expect(await context()).toMatch(new RegExp(`${OLD} \\(confidence: 0.7\\)`))
    await run(args('relate', '--fix', second, first, 'replaces'))
    expect(await context()).not.toContain(OLD)
    const missing = await run(args('relate', '--fix', first, second))
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('same, both-true, replaces') })
  })

  it('retract says that the same words of another category go with it', async () => {
    const { run, json } = workspace()
    const add = async (category: string) =>
      (await json<{ memory: { id: string } }>(['add', '--project', 'shop', '--category', category, 'Redis is needed']))
        .memory.id
    const [first, twin] = [await add('behavior'), await add('maintenance')]
    const { stdout } = await run(['retract', '--project', 'shop', first, '--why', 'It is not'])
    expect(stdout).toMatch(new RegExp(`^with it +${twin}`, 'm'))
    expect(stdout).not.toContain('restored')
  })

  it('retract withdraws it, lists the runs that saw it, and tells those that go on', async () => {
    const { run, json, args, capture, first, second, context } = await corrected()
    await run(args('context', '--shown-to', 'later'))
    const { runs, others } = await json<Retracted>(args('retract', second, '--why', 'Measured on the wrong host'))
    expect(runs).toMatchObject([{ session: 'later', running: true }])
    expect(others).toMatchObject([{ id: first, confidence: 0.7 }])
    expect(await context()).not.toContain(NEW)
    expect((await run(args('recall', '--shown-to', 'later', '--prompt', 'go on'))).stdout).toContain(
      `“${NEW}”: Measured on the wrong host`,
    )
    expect((await capture('s3', NEW)).stdout).toContain('an operator has retracted it')
    expect((await run(args('undo', second))).stdout).toContain('Retracted: Measured on the wrong host')
    expect(await context()).toContain(NEW)
  })

  it('is not an agent’s: inside a run all three are refused', async () => {
    const { run, args, first, second } = await corrected()
    const env = { NOKOSU_SESSION: 'monday' }
    for (const line of [
      args('undo', first),
      args('relate', '--fix', first, second, 'same'),
      args('retract', first, '--why', 'I say so'),
    ]) {
      expect(await run(line, { env })).toMatchObject({ stderr: expect.stringContaining('Only an operator') })
    }
  })
})
