import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { ERROR_CODES } from '../../src/model/errors.ts'
import { workspace } from './run-cli.ts'

const SHOWN = Object.entries(COMMANDS).filter(([, { group }]) => group !== null)
const ROOT = join(import.meta.dirname, '../..')

describe('help', () => {
  it('lists the commands in groups', async () => {
    const { run } = workspace()
    const { stdout } = await run(['--help'])
    const groups = [...new Set(SHOWN.map(([, { group }]) => group))]
    expect(groups).toEqual(['Start here', 'Remember', 'Find', 'Keep it true', 'Run agents', 'Operate'])
    for (const [name, { group }] of SHOWN) {
      const part = stdout.slice(stdout.indexOf(`\n${group}:\n`) + 1)
      expect(part.slice(0, part.indexOf('\n\n'))).toMatch(new RegExp(`\n {2}${name} +\\w`))
    }
  })

  it.each(SHOWN.map(([name]) => name))('of %s fits 80 columns, apart from lines to copy', async (name) => {
    const { run } = workspace()
    const { stdout } = await run([name, '--help'])
    const prose = stdout.slice(0, stdout.lastIndexOf('\nExamples:')).split('\n')
    expect(prose.filter((line) => line.length > 80 && !/^ {2,}(?:claude|nokosu|\S+ {2,}echo) /.test(line))).toEqual([])
  })
})

describe('docs/cli.md', () => {
  const written = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8')

  it('is what the program says (npm run docs)', () => {
    const made = execFileSync(process.execPath, ['scripts/cli-reference.ts'], { cwd: ROOT, encoding: 'utf8' })
    expect(written).toBe(made)
  })

  it('has every command, and the exit code of every error', () => {
    for (const [name] of SHOWN) expect(written).toContain(`\n### nokosu ${name}\n`)
    for (const [code, { exit }] of Object.entries(ERROR_CODES)) {
      expect(written).toMatch(new RegExp(`^\\| ${exit} \\|.*\`${code}\``, 'm'))
    }
  })
})
