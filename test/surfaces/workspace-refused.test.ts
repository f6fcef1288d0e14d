import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { injectWorkspace, restoreWorkspace } from '../../src/agents/workspace/workspace.ts'
import { git, scratch, settings, snapshot } from './git-workspace.ts'
import { codeRepository, FULL_CONTENT, read } from './workspace-files.ts'

describe('what cannot be', () => {
  it('a workspace that is not there, or no folder', async () => {
    const folder = scratch()
    writeFileSync(join(folder, 'file'), '')
    for (const bad of ['none', 'file']) {
      await expect(injectWorkspace(join(folder, bad), FULL_CONTENT)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    }
  })

  it('refuses links that lead out, folders in the way, and names that would be committed, and changes nothing', async () => {
    const outside = scratch()
    const cases: ((folder: string) => void)[] = [
      (folder) => symlinkSync(outside, join(folder, '.claude')),
      (folder) => mkdirSync(join(folder, 'CLAUDE.md')),
      (folder) => writeFileSync(join(folder, '.claude'), ''),
      (folder) => {
        mkdirSync(join(folder, '.git/hooks'), { recursive: true })
        writeFileSync(join(folder, '.git/hooks/post-index-change'), '#!/bin/sh\n')
      },
      (folder) => void git(folder, 'config', 'core.hooksPath', '.husky/_'),
      (folder) => {
        rmSync(join(folder, '.git/hooks'), { recursive: true, force: true })
        symlinkSync(outside, join(folder, '.git/hooks'))
      },
      (folder) => symlinkSync(join(outside, 'shared.md'), join(folder, 'CLAUDE.md')),
      (folder) => {
        writeFileSync(join(folder, '.gitattributes'), 'CLAUDE.md filter=upper\n')
        writeFileSync(join(folder, 'CLAUDE.md'), 'own\n')
      },
      (folder) => {
        writeFileSync(join(folder, 'CLAUDE.md'), 'own\n')
        git(folder, 'add', '-A')
        git(folder, 'commit', '-qm', 'own')
        git(folder, 'sparse-checkout', 'set', '--no-cone', '/*', '!/CLAUDE.md')
      },
    ]
    for (const spoil of cases) {
      const folder = codeRepository()
      spoil(folder)
      const [before, told] = [snapshot(folder), settings(folder)]
      await expect(injectWorkspace(folder, FULL_CONTENT)).rejects.toMatchObject({ name: 'MemoryError' })
      expect(snapshot(folder)).toEqual(before)
      expect(settings(folder)).toEqual(told)
    }
    expect(snapshot(outside)).toEqual({ '/': 'folder' })
  })

  it.each(['../CLAUDE.md', '/tmp/CLAUDE.md', '.git/CLAUDE.md'])(
    'a name that is not in the workspace: %s',
    async (file) => {
      await expect(injectWorkspace(codeRepository(), FULL_CONTENT, { file })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      })
    },
  )

  it('a block that no record tells of is removed while it is as we wrote it, with its memory file', async () => {
    for (const own of ['own\n', null]) {
      const folder = codeRepository(own === null ? {} : { 'CLAUDE.md': own })
      const before = Object.keys(snapshot(folder))
      await injectWorkspace(folder, FULL_CONTENT)
      rmSync(join(folder, '.git/nokosu'), { recursive: true })
      expect(await restoreWorkspace(folder)).toBe(true)
      expect(Object.keys(snapshot(folder))).toEqual(before)
      if (own !== null) expect(read(folder, 'CLAUDE.md')).toBe(own)
    }
    const folder = codeRepository()
    await injectWorkspace(folder, { ...FULL_CONTENT, memory: '' })
    rmSync(join(folder, '.git/nokosu'), { recursive: true })
    const edited = read(folder, 'CLAUDE.md').replace('Zebra', 'Lion')
    writeFileSync(join(folder, 'CLAUDE.md'), edited)
    expect(await restoreWorkspace(folder)).toBe(false)
    expect(read(folder, 'CLAUDE.md')).toBe(edited)
  })
})
