import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTables, deleteTables } from '../../src/storage/dynamodb/dynamodb-storage.ts'

export const STORES = ['sqlite', 'postgres', 'dynamodb', 'url'] as const
export type StoreName = (typeof STORES)[number]

/** An empty store that processes can open by URL. */
export interface TortureStore {
  url: string
  /** Its file, if there is one. */
  file: string | null
  /** What a process needs to reach it. */
  env: Record<string, string>
  destroy(): Promise<void>
}

const NOKOSU = join(import.meta.dirname, '../../bin/nokosu.mjs')

/** Creates empty stores of this kind; the first one starts the server. */
export async function openKind(name: StoreName): Promise<{ create(): Promise<TortureStore>; close(): Promise<void> }> {
  const root = mkdtempSync(join(tmpdir(), 'nokosu-torture-'))
  const remove = () => rmSync(root, { recursive: true, force: true })
  let made = 0
  const file = () => join(root, `${made++}`, 'memory.db')
  switch (name) {
    case 'sqlite':
      return {
        create: async () => {
          const path = file()
          return { url: `sqlite:${path}`, file: path, env: {}, destroy: async () => {} }
        },
        close: async () => remove(),
      }
    case 'url':
      return { create: () => serveStore(file()), close: async () => remove() }
    case 'postgres': {
      const { startPostgres } = await import('../postgres/start-postgres.ts')
      const { default: pg } = await import('pg')
      const server = await startPostgres(root)
      return {
        async create() {
          const schema = `torture_${randomBytes(6).toString('hex')}`
          const admin = new pg.Client({ connectionString: server.url })
          await admin.connect()
          await admin.query(`CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public; CREATE SCHEMA ${schema}`)
          const place = new URL(server.url)
          place.searchParams.set('options', `-c search_path=${schema},public`)
          const destroy = async () => {
            await admin.query(`DROP SCHEMA ${schema} CASCADE`)
            await admin.end()
          }
          return { url: place.href, file: null, env: {}, destroy }
        },
        async close() {
          server.stop('immediate')
          remove()
        },
      }
    }
    case 'dynamodb': {
      const { startLocalServer } = await import('../dynamodb/local-server.ts')
      const { endpoint, stop } = await startLocalServer()
      const env = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }
      Object.assign(process.env, env)
      return {
        async create() {
          const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
          const tables = { region: 'local', endpoint, credentials, prefix: `t${randomBytes(6).toString('hex')}-` }
          await createTables({ ...tables, ttl: false })
          const url = `dynamodb://local?prefix=${tables.prefix}&endpoint=${endpoint}`
          return { url, file: null, env, destroy: async () => void (await deleteTables(tables)) }
        },
        async close() {
          await stop()
          remove()
        },
      }
    }
  }
}

/** A server over a file, accessed by address with the operator's key. */
async function serveStore(path: string): Promise<TortureStore> {
  const args = [NOKOSU, '--db', `sqlite:${path}`, 'serve', '--port', '0', '--json']
  const child = spawn(process.execPath, args, {
    env: { ...process.env, NOKOSU_EMBEDDING: 'hashing' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { url, operatorKeyFile } = await firstJson(child)
  const key = readFileSync(operatorKeyFile!, 'utf8').trim()
  return {
    url,
    file: path,
    env: { NOKOSU_TOKEN: key },
    async destroy() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
  }
}

function firstJson(child: ChildProcess): Promise<{ url: string; operatorKeyFile: string | null }> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stdout!.on('data', (part: Buffer) => {
      said += part.toString()
      if (said.includes('}')) resolve(JSON.parse(said) as never)
    })
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)))
  })
}
