import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Generated } from './generate.ts'

const CONFIG = 'tsconfig.mutants.json'

/**
 * Keeps the mutations that compile, because others could not land. Each gets its own file beside the original, so that one compiler run
 * checks them all. Type errors in importing files are not noticed.
 */
export function compiling(folder: string, mutants: readonly Generated[]): Generated[] {
  const variants = new Map<Generated | string, string>()
  const add = (key: Generated | string, file: string, text: string) => {
    const path = file.replace(/\.ts$/, `.variant${variants.size}.ts`)
    variants.set(key, path)
    writeFileSync(join(folder, path), text)
  }
  for (const [file, own] of Map.groupBy(mutants, (mutant) => mutant.file)) {
    const text = readFileSync(join(folder, file), 'utf8')
    // An unchanged copy: its class is a different type than the original's and may not be assignable.
    add(file, file, text)
    for (const mutant of own) add(mutant, file, withMistake(text, mutant))
  }
  try {
    const errors = countErrors(folder, [...variants.values()])
    const errorsIn = (key: Generated | string) => errors.get(variants.get(key)!) ?? 0
    return mutants.filter((mutant) => errorsIn(mutant) <= errorsIn(mutant.file))
  } finally {
    for (const path of [...variants.values(), CONFIG]) rmSync(join(folder, path), { force: true })
  }
}

function withMistake(text: string, { start, end, put, kind }: Generated): string {
  return `${text.slice(0, start)}${kind === 'statement' ? '{}' : `(${put})`}${text.slice(end)}`
}

function countErrors(folder: string, files: readonly string[]): Map<string, number> {
  // Unused or unreachable code is not a type error.
  const lenient = { noUnusedLocals: false, noUnusedParameters: false, allowUnreachableCode: true }
  const compilerOptions = { ...lenient, incremental: false, tsBuildInfoFile: null }
  const declared = globSync('src/**/*.d.ts', { cwd: folder })
  const config = { extends: './tsconfig.json', compilerOptions, include: [], files: [...declared, ...files] }
  writeFileSync(join(folder, CONFIG), JSON.stringify(config))
  const tsc = join(folder, 'node_modules/typescript/bin/tsc')
  const { stdout, stderr, status } = spawnSync(process.execPath, [tsc, '-p', CONFIG, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  const errors = new Map<string, number>()
  for (const [, file] of stdout.matchAll(/^(\S.*?)\(\d+,\d+\): error /gm))
    errors.set(file!, (errors.get(file!) ?? 0) + 1)
  if (status !== 0 && errors.size === 0) throw new Error(`The mistakes could not be compiled: ${stdout}${stderr}`)
  return errors
}
