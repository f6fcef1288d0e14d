import { expect, it } from 'vitest'
import { findPrompt } from './find-prompt.ts'

it.each([
  [['claude', '-p', 'fix the bug'], 'fix the bug'],
  [['claude', 'fix the bug'], 'fix the bug'],
  [['timeout', '60', 'claude', '--model', 'haiku', '-p', 'fix it', '--verbose'], 'fix it'],
  [['claude', '--model=haiku', '--verbose', 'fix it'], 'fix it'],
  [['npx', 'claude', '--', 'fix it'], 'fix it'],
  [['claude', '--model', 'haiku'], null],
  [['claude'], null],
  [['sh', '-c', 'make test'], 'sh -c make test'],
])('%j asks for %j', (command, prompt) => expect(findPrompt(command)).toBe(prompt))
