import { OUTCOME_EXIT } from '../agents/outcome-exit.ts'
import { ERROR_CODES } from '../model/errors.ts'
import { INTERRUPTED } from './interruption.ts'

export interface ExitCode {
  code: string
  meaning: string
}

const MEANINGS: Record<number, string> = {
  2: 'wrong use: a flag, an argument or a file',
  3: 'a setting is wrong, or something is not installed',
  4: 'there is no such memory or session',
  5: 'somebody changed it in the meantime',
  6: 'not allowed',
  7: 'this store or this installation cannot do it',
  8: 'the store or the model failed',
}

export function exitCodes(): ExitCode[] {
  const byExit = new Map<number, string[]>()
  for (const [code, { exit }] of Object.entries(ERROR_CODES)) byExit.set(exit, [...(byExit.get(exit) ?? []), code])
  return [
    { code: '0', meaning: 'done, even if nothing was found' },
    { code: '1', meaning: 'a problem was found (doctor, import, review, sync), or a bug' },
    ...[...byExit]
      .sort(([a], [b]) => a - b)
      .map(([exit, codes]) => ({ code: String(exit), meaning: `${MEANINGS[exit]}: ${codes.join(', ')}` })),
    ...Object.values(OUTCOME_EXIT).map(({ exit, means }) => ({
      code: String(exit),
      meaning: `pipeline, loop, tier: ${means}`,
    })),
    {
      code: '127',
      meaning: 'run: command not found. Any other code of run, pipeline, loop and tier is the agent’s own',
    },
    { code: String(INTERRUPTED), meaning: 'interrupted (Ctrl-C)' },
  ]
}
