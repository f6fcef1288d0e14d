import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scratchFolder } from '../../test/fixtures/scratch-folder.ts'
import { StoreClient } from '../remote/client.ts'
import { type AgentSetup, askAgent } from './ask-agent.ts'

it('nobody is started once everything is to stop', async () => {
  const workspace = scratchFolder()
  const setup: AgentSetup = {
    workspace,
    extraction: null,
    remember: true,
    store: new StoreClient({ program: join(workspace, 'no-program'), args: [], cwd: workspace, env: {} }),
    spoolFolders: [join(workspace, 'spool')],
    boundMs: 100,
    capture: {},
    env: process.env,
    template: ['{prompt}'],
    trace: () => {},
    warn: () => {},
    tell: () => {},
    interrupted: () => 130,
  }
  const command = ['touch', join(workspace, 'started')]
  const { step, said } = await askAgent(setup, {
    command,
    identifiers: { agentId: 'nori', projectId: 'shop' },
    role: 'coder',
  })
  expect({ step, said }).toMatchObject({ step: { agent: 'nori', exitCode: 130, session: null }, said: '' })
  expect(existsSync(join(workspace, 'started'))).toBe(false)
})
