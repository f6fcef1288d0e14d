import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { NOKOSU } from '../surfaces/run-cli.ts'

/** `nokosu` from this checkout, with a long store timeout, so that a busy machine does not change the result. */
const OWN = `[ "$1" != run ] || { shift; set -- run --store-timeout 30 "$@"; }
exec '${process.execPath}' '${NOKOSU}' "$@"`

/** An environment with `nokosu` and stand-ins for other programs on the PATH. */
export function environmentWith(folder: string, programs: Record<string, string> = {}) {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const [name, script] of Object.entries({ nokosu: OWN, ...programs })) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return { PATH: `${bin}${delimiter}${process.env.PATH}`, HOME: folder, NOKOSU_LOG: 'error' }
}
