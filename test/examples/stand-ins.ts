import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { NOKOSU } from '../surfaces/run-cli.ts'

/** `nokosu` of this checkout. A busy machine must not decide what a run stores in time, so the store may take longer. */
const OWN = `[ "$1" != run ] || { shift; set -- run --store-timeout 30 "$@"; }
exec '${process.execPath}' '${NOKOSU}' "$@"`

/** The environment of somebody who has `nokosu`, and programs that stand for others, on the PATH. */
export function environmentWith(folder: string, programs: Record<string, string> = {}) {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const [name, script] of Object.entries({ nokosu: OWN, ...programs })) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return { PATH: `${bin}${delimiter}${process.env.PATH}`, HOME: folder, NOKOSU_LOG: 'error' }
}
