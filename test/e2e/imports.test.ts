import { describe, expect, inject, it } from 'vitest'
import { FORMATS, tryImports } from '../../eval/guard/claude-imports.ts'
import { importForms } from '../../eval/guard/import-forms.ts'

const FORMS = importForms()

describe('what Claude Code imports from a memory file', () => {
  it('tries more than 500 forms, each once', () => {
    expect(FORMS.length).toBeGreaterThan(500)
    expect(new Set(FORMS).size).toBe(FORMS.length)
  })

  it('loads files, the .env and the ssh key among them, where nothing is escaped: the tests below can fail', async () => {
    const loaded = await tryImports(inject('claudeBinary'), 'raw', FORMS)
    expect(loaded).toMatchObject({ arrived: true, env: true, sshKey: true })
    expect(loaded.forms).toEqual(expect.arrayContaining(['@PATH', '**@PATH**', '`x`@PATH', '[@PATH](x)', '\\\\@PATH']))
    expect(loaded.forms.length).toBeGreaterThan(100)
  })

  it.each(Object.keys(FORMATS).filter((format) => format !== 'raw'))(
    'loads nothing from the %s format',
    async (format) => {
      const loaded = await tryImports(inject('claudeBinary'), format, FORMS)
      expect(loaded).toEqual({ forms: [], env: false, sshKey: false, arrived: true, tried: loaded.tried })
      expect(loaded.tried).toBeGreaterThan(FORMS.length)
    },
  )
})
