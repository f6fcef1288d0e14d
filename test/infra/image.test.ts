import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Copy, DockerfileParser, type Healthcheck, type JSONInstruction } from 'dockerfile-ast'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const dockerfile = DockerfileParser.parse(read('Dockerfile'))
const instructions = dockerfile.getInstructions()
const stages = dockerfile.getFROMs()
const lastLine = stages.at(-1)!.getRange()!.start.line
const last = instructions.filter((each) => each.getRange().start.line > lastLine)
const inLast = (keyword: string) => last.filter((each) => each.getKeyword() === keyword)
const only = (keyword: string) => {
  expect(inLast(keyword), keyword).toHaveLength(1)
  return inLast(keyword)[0]!
}
/** Programs are started without a shell, which would be process 1 and would not pass on SIGTERM. */
const wordsOf = (instruction: unknown) =>
  (instruction as JSONInstruction).getJSONStrings().map((word) => JSON.parse(word.getValue()) as string)

it('is built in stages of one small image of a fixed version; the last compiles and installs nothing', () => {
  expect(stages.map((from) => from.getImage())).toEqual(Array(3).fill('node:24-bookworm-slim'))
  expect(stages.map((from) => from.getBuildStage())).toEqual(['build', 'modules', null])
  expect(inLast('RUN').map(String).join()).not.toMatch(/\b(apt|apt-get|apk|curl|wget|tsc|npm (?:install|ci|run))\b/)
  expect(String(only('RUN'))).toContain('rm -rf /usr/local/lib/node_modules ')
  const known = ['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'VOLUME', 'EXPOSE', 'HEALTHCHECK', 'STOPSIGNAL']
  const others = instructions.map((each) => each.getKeyword()).filter((keyword) => !known.includes(keyword))
  expect(others).toEqual(['ENTRYPOINT', 'CMD'])
})

it('runs as a user who is not root, named by number, and what is copied stays root’s', () => {
  const user = only('USER')
  expect(user.getArgumentsContent()).toBe('1000:1000')
  const after = last.slice(last.indexOf(user)).map((each) => each.getKeyword())
  expect(after).not.toContain('RUN')
  expect(after).not.toContain('COPY')
  for (const copy of inLast('COPY') as Copy[])
    expect(copy.getFlags().map((flag) => flag.getName())).not.toContain('chown')
})

it('starts the server as process 1, ends it by SIGTERM, and asks it whether it is ready', () => {
  expect(wordsOf(only('ENTRYPOINT'))).toEqual(['nokosu'])
  const command = wordsOf(only('CMD'))
  expect(command).toEqual(['serve', '--host', '0.0.0.0', '--port', '4816', '--sweep-at', '03:00'])
  expect(only('EXPOSE').getArgumentsContent()).toBe(command.at(4))
  expect(only('STOPSIGNAL').getArgumentsContent()).toBe('SIGTERM')
  const check = only('HEALTHCHECK') as Healthcheck
  expect(check.getArgumentsContent()).toContain('CMD ["node", "/app/healthy.mjs", "/readyz"]')
  expect(check.getFlags().map((flag) => flag.getName())).toEqual(['interval', 'timeout', 'start-period', 'retries'])
})

it('copies what is there and what is not kept from the build, models included', () => {
  const allowed = read('.dockerignore').split('\n')
  const copies = instructions.filter((each) => each.getKeyword() === 'COPY') as Copy[]
  const sources = copies.flatMap((copy) => {
    const words = copy.getArguments().map((word) => word.getValue())
    return copy.getFlags().some((flag) => flag.getName() === 'from') ? [] : words.slice(0, -1)
  })
  // Without its settings the compiler emits pages that require React.
  for (const needed of ['models', 'tsconfig.json']) expect(sources).toContain(needed)
  expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([])
  expect(allowed[1]).toBe('*')
  const opened = allowed.flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))
  const kept = sources.filter((source) => !opened.some((path) => `${source}/`.startsWith(`${path}/`)))
  expect(kept).toEqual([])
  const unused = opened.filter((path) => !sources.some((source) => `${source}/`.startsWith(`${path}/`)))
  expect(unused).toEqual([])
})

it('has the versions that the tests run with, and all that the bundle leaves out', () => {
  const { dependencies, optionalDependencies, devDependencies, version } = JSON.parse(read('package.json'))
  const tested: Record<string, string> = { ...devDependencies, ...optionalDependencies, ...dependencies }
  const own: Record<string, string> = JSON.parse(read('infra/image/package.json')).dependencies
  expect(own).toEqual(Object.fromEntries(Object.keys(own).map((name) => [name, tested[name]])))
  expect(Object.keys(JSON.parse(read('infra/image/package-lock.json')).packages[''].dependencies)).toEqual(
    Object.keys(own),
  )
  const leftOut = /NEVER_BUNDLED = \[([^\]]+)\]/
    .exec(read('scripts/build.ts'))![1]!
    .matchAll(/\/\^([^/]+(?:\\\/[^/]+)*)\//g)
  // Our own tools, and packages that users of the adapters install.
  const notNeeded = ['rolldown', 'vitest', '@langchain', '@openai', 'ai$']
  for (const [, start] of leftOut) {
    if (notNeeded.includes(start!)) continue
    expect(
      Object.keys(own).some((name) => new RegExp(`^${start}`).test(name)),
      start,
    ).toBe(true)
  }
  expect(parse(read('compose.yaml')).services.server.image).toBe(`nokosu:${version}`)
})

it('compose: the server waits for the database, is reached from this machine alone, and writes to its volume alone', () => {
  const { services, volumes } = parse(read('compose.yaml'), { strict: true, uniqueKeys: true })
  expect(Object.keys(services)).toEqual(['db', 'server'])
  expect(services.db.image).toMatch(/^pgvector\/pgvector:\d+\.\d+\.\d+-pg\d+$/)
  expect(services.db.ports).toBeUndefined()
  expect(services.server).toMatchObject({
    build: '.',
    depends_on: { db: { condition: 'service_healthy' } },
    ports: ['127.0.0.1:4816:4816'],
    read_only: true,
    cap_drop: ['ALL'],
    tmpfs: ['/tmp'],
    volumes: ['state:/data'],
    environment: { NOKOSU_DB: 'postgres://nokosu@db:5432/nokosu' },
  })
  // Passwords have no default.
  const passwords = [services.db.environment.POSTGRES_PASSWORD, services.server.environment.PGPASSWORD]
  for (const password of passwords) expect(password).toMatch(/^\$\{POSTGRES_PASSWORD:\?/)
  expect(Object.keys(volumes)).toEqual(['db', 'state'])
})
