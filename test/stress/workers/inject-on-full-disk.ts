import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { injectWorkspace } from '../../../src/agents/workspace/workspace.ts'

// Mounts a small disk on the folder, injects into it, fills it to the last byte, restores, and prints what is there.
const [disk, kind] = process.argv.slice(2) as [string, string]
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk])
const file = join(disk, 'CLAUDE.md')
if (kind === 'repository') execFileSync('git', ['init', '-q', disk])
writeFileSync(file, 'own\n'.repeat(2000))
const restore = await injectWorkspace(disk, { instructions: 'Zebra', memory: '- Quokka\n' }, { holder: 'nori' })
const injected = readFileSync(file, 'utf8').includes('Zebra')
let full = false
for (let size = 1 << 16; size >= 1; ) {
  try {
    appendFileSync(join(disk, 'ballast'), Buffer.alloc(size))
  } catch (error) {
    full = (error as NodeJS.ErrnoException).code === 'ENOSPC'
    size >>= 1
  }
}
await restore()
const memory = existsSync(join(disk, '.claude'))
/** Whether nokosu text is left in it. */
const isLeft = (name: string) =>
  existsSync(join(disk, name)) && readFileSync(join(disk, name), 'utf8').includes('nokosu')
const told = ['.git/config', '.git/info/attributes', '.git/hooks/post-index-change']
const git = kind === 'repository' ? told.map(isLeft) : []
console.log(JSON.stringify({ injected, full, own: readFileSync(file, 'utf8'), memory, git }))
