import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Whether Debian packages can be installed: as root, or with a sudo that needs no password. */
export function installDebian(...packages: string[]): boolean {
  if (!existsSync('/usr/bin/apt-get')) return false
  const isRoot = process.getuid?.() === 0
  const apt = (...words: string[]) => {
    const line = [...(isRoot ? [] : ['sudo', '-n']), 'apt-get', '-o', 'DPkg::Lock::Timeout=120', ...words]
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    return spawnSync(line[0]!, line.slice(1), { env, stdio: 'ignore' }).status === 0
  }
  const install = ['install', '-y', '--no-install-recommends', ...packages]
  return apt(...install) || (apt('update') && apt(...install))
}
