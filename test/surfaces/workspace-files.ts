import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { git, scratch } from './git-workspace.ts'

export const CONTENT = { instructions: 'Zebra voice\n\nBe kind\n', memory: '# Memory\n\n- Quokka fact\n' }
export const FULL_CONTENT = { ...CONTENT, instructions: '# Personality\n\nZebra voice\n\n# Role\n\nBe ünique\n' }
export const OURS = /Zebra|Quokka|nokosu/
export const MEMORY = '.claude/memory/MEMORY.md'
export const read = (...path: string[]) => readFileSync(join(...path), 'utf8')

/** A repository with these files, committed. Each character of a text is one byte. */
export function repository(files: Record<string, string> = {}, folder = scratch()): string {
  git(folder, 'init', '-q', '-b', 'main')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text, 'latin1')
  }
  git(folder, 'add', '-A')
  git(folder, 'commit', '-qm', 'start', '--allow-empty')
  return folder
}

export const codeRepository = (files: Record<string, string> = {}) => repository({ 'code.ts': 'export {}\n', ...files })

/** Acts like an agent, and expects no nokosu text in any commit. */
export function commitAll(folder: string): string[] {
  appendFileSync(join(folder, 'work.txt'), 'done\n')
  git(folder, 'add', '-A')
  git(folder, 'commit', '-qam', 'x')
  expect(git(folder, 'log', '-p', '--all', '--format=')).not.toMatch(OURS)
  return git(folder, 'show', '--name-only', '--format=').trim().split('\n')
}
