import { execFile } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { redactSecrets } from '../../guard/redact-secrets.ts'
import { invalidInput, MemoryError } from '../../model/errors.ts'

const execute = promisify(execFile)

export interface RepositoryOptions {
  workspace: string
  repo?: string | undefined
  branch?: string | undefined
  env: NodeJS.ProcessEnv
  signal: AbortSignal
}

/** Git never prompts, and a remote that is silent this long counts as unreachable. */
const GIT_TIMEOUT_MS = 300_000

/** What was done. A cloned workspace is ours, because nobody else has put anything there. */
export interface Bootstrap {
  detail: string
  isCloned: boolean
}

/** Prepares the workspace: the folder, and the repository in it if one is requested. */
export async function bootstrapWorkspace(options: RepositoryOptions): Promise<Bootstrap> {
  const { workspace, repo, branch } = options
  if (repo === undefined) {
    const entries = await readdir(workspace)
    return { detail: `${workspace} (${entries.length} entries)`, isCloned: false }
  }
  await mkdir(workspace, { recursive: true })
  const git = gitIn(options)
  const where = `${withoutSecrets(repo)}${branch === undefined ? '' : `, branch ${branch}`}`
  if ((await readdir(workspace)).length === 0) {
    await git(['clone', '--quiet', repo, '.'])
    if (branch !== undefined) await switchTo(git, branch)
    return { detail: `cloned ${where}`, isCloned: true }
  }
  const origin = await git(['remote', 'get-url', 'origin']).catch(() => null)
  if (origin !== repo) {
    throw invalidInput('workspace', `${workspace} is not empty and is not a clone of ${withoutSecrets(repo)}.`)
  }
  await git(['fetch', '--quiet', 'origin'])
  if (branch !== undefined) await switchTo(git, branch)
  return { detail: `fetched ${where}`, isCloned: false }
}

type Git = (args: readonly string[]) => Promise<string>

/** The remote's branch, or a new one from here. */
async function switchTo(git: Git, branch: string): Promise<void> {
  const known = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]).then(
    () => true,
    () => false,
  )
  const remote = await git(['rev-parse', '--verify', '--quiet', `refs/remotes/origin/${branch}`]).then(
    () => true,
    () => false,
  )
  if (known || remote) await git(['switch', '--quiet', branch])
  else await git(['switch', '--quiet', '--create', branch])
  if (known && remote) await git(['merge', '--quiet', '--ff-only', `refs/remotes/origin/${branch}`])
}

/** Pushes only this branch, if it has commits that the remote lacks. Returns what it did. */
export async function pushCommits(options: RepositoryOptions): Promise<string> {
  const git = gitIn(options)
  const fresh = Number(await git(['rev-list', '--count', 'HEAD', '--not', '--remotes=origin']))
  if (fresh === 0) return 'no new commits'
  const branch = options.branch ?? (await git(['symbolic-ref', '--short', 'HEAD']))
  await git(['push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`])
  return `${fresh} ${fresh === 1 ? 'commit' : 'commits'} to ${branch}`
}

function gitIn({ workspace, env, signal }: RepositoryOptions): Git {
  return async (args) => {
    try {
      const { stdout } = await execute('git', args, {
        cwd: workspace,
        env: { ...env, GIT_TERMINAL_PROMPT: '0' },
        timeout: GIT_TIMEOUT_MS,
        signal,
      })
      return stdout.trim()
    } catch (error) {
      const { stderr = '', message } = error as { stderr?: string; message: string }
      const why = withoutSecrets(stderr.trim() || message)
      throw new MemoryError('PROVIDER_ERROR', `git ${args[0]} failed: ${why}`, { retryable: false, cause: error })
    }
  }
}

/** Repository URLs often contain a token. */
function withoutSecrets(text: string): string {
  return redactSecrets(text.replace(/(\w+:\/\/)[^/\s@]+@/g, '$1')).text
}
