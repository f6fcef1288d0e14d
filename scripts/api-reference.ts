/**
 * Writes docs/api.md: what each entry point of the package exports, from the types and the comments in the sources.
 * `--check` writes nothing and fails if the page is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { API, type Checker, type Project, type Symbol as TypeSymbol } from 'typescript/unstable/sync'
import { layOut, shortened, splitAt } from './lay-out-type.ts'

const ROOT = join(import.meta.dirname, '..')
const PAGE = join(ROOT, 'docs', 'api.md')

const HEADER = `# API reference

Look up what each entry point of the package exports. For how the parts work together, read the [guide](guide.md). This page is generated from the types (\`npm run docs\`).

Where a request says \`identifiers\` or \`everything\`, one of the two is needed, except inside \`memory.as(...)\`, where the caller is known. Every
error is a [\`MemoryError\`](operations.md#errors).
`

/** Samples at the top of the page; test/docs/samples.test.ts runs them. */
const SNIPPETS = readFileSync(join(import.meta.dirname, 'api-snippets.md'), 'utf8')

/** TypeScript's own flags. */
const FLAGS = {
  optional: 16_777_216,
  variable: 3,
  function: 16,
  class: 32,
  interface: 64,
  typeAlias: 524_288,
  alias: 2_097_152,
}
const NO_TRUNCATION = 1
const IN_ALIAS = 8_388_608

interface Entry {
  name: string
  symbol: TypeSymbol
}

class Reference {
  readonly #checker: Checker
  readonly #project: Project
  /** Long types with their own name, longest first. */
  #names: [text: string, name: string][] = []

  constructor(project: Project) {
    this.#project = project
    this.#checker = project.checker
  }

  entriesOf(file: string): Entry[] {
    const source = this.#project.program.getSourceFile(file)
    const module = source && this.#checker.getSymbolAtLocation(source)
    if (!module) throw new Error(`${file} is not part of the project`)
    return this.#checker.getExportsOfModule(module).map((exported) => ({
      name: exported.name,
      symbol: exported.flags & FLAGS.alias ? this.#checker.getAliasedSymbol(exported) : exported,
    }))
  }

  learnNames(entries: readonly Entry[]): void {
    const named = entries
      .filter(({ symbol }) => symbol.flags & FLAGS.typeAlias)
      .map(({ name, symbol }): [string, string] => [this.#declared(symbol), name])
    this.#names = named.filter(([text]) => text.length > 24).sort(([a], [b]) => b.length - a.length)
  }

  describe({ name, symbol }: Entry): string {
    const comment = symbol.getDocumentationComment(this.#checker).trim()
    return [`### ${name}`, ...(comment === '' ? [] : [comment]), `\`\`\`ts\n${this.#code(name, symbol)}\n\`\`\``].join(
      '\n\n',
    )
  }

  #code(name: string, symbol: TypeSymbol): string {
    if (symbol.flags & FLAGS.typeAlias) return this.#aliasCode(name, symbol)
    if (symbol.flags & FLAGS.variable) return `const ${name}: ${shortened(this.#named(this.#typeOf(symbol), name))}`
    const text = this.#sourceOf(symbol)
    if (symbol.flags & FLAGS.interface) return text.replace(/^export /, '')
    return symbol.flags & FLAGS.class ? this.#classCode(symbol) : this.#functionCode(name, symbol)
  }

  /** Objects field by field with their comments; other types unchanged. */
  #aliasCode(name: string, symbol: TypeSymbol): string {
    const source = this.#sourceOf(symbol).replace(/^export /, '')
    const isComputed = /\bz\.(?:input|output|infer)\b|\btypeof\b|\bReturnType\b/.test(source)
    if (!isComputed) return source
    const type = this.#checker.getDeclaredTypeOfSymbol(symbol)
    const text = this.#named(this.#declared(symbol), name)
    if (!/^(?:\{|Omit<)/.test(text) || splitAt(text, ' | ').length > 1) return `type ${name} =${layOut(text)}`
    const fields = this.#checker.getPropertiesOfType(type).map((property) => this.#field(property))
    return `type ${name} = {\n${fields.join('\n')}\n}`
  }

  #classCode(symbol: TypeSymbol): string {
    const members = this.#checker.getPropertiesOfType(this.#checker.getDeclaredTypeOfSymbol(symbol))
    const own = members
      .filter(({ name: each }) => !each.startsWith('__#'))
      .filter((member) => this.#isOwn(member, symbol))
    const [declaration] = this.#sourceOf(symbol)
      .replace(/^export /, '')
      .split('{')
    return `${declaration}{\n${own.map((member) => this.#field(member)).join('\n')}\n}`
  }

  #isOwn(member: TypeSymbol, of: TypeSymbol): boolean {
    return member.declarations?.some(({ path }) => of.declarations?.some((declared) => declared.path === path)) ?? false
  }

  #functionCode(name: string, symbol: TypeSymbol): string {
    return `function ${name}${this.#named(this.#typeOf(symbol), name).replace(/^(\(.*\)) => /s, '$1: ')}`
  }

  #field(property: TypeSymbol): string {
    const optional = (property.flags & FLAGS.optional) !== 0
    const text = this.#named(this.#typeOf(property), '')
    const type = optional ? text.replace(/ \| undefined$/, '') : text
    const comment = property.getDocumentationComment(this.#checker).trim().replaceAll('\n', ' ')
    return `${comment === '' ? '' : `  /** ${comment} */\n`}  ${property.name}${optional ? '?' : ''}: ${type}`
  }

  #typeOf(symbol: TypeSymbol): string {
    const type = this.#checker.getTypeOfSymbol(symbol)
    return type ? this.#checker.typeToString(type, undefined, NO_TRUNCATION) : 'unknown'
  }

  #declared(symbol: TypeSymbol): string {
    const type = this.#checker.getDeclaredTypeOfSymbol(symbol)
    return this.#checker.typeToString(type, undefined, NO_TRUNCATION | IN_ALIAS)
  }

  #named(text: string, self: string): string {
    let result = text
    for (const [long, name] of this.#names)
      if (name !== self) result = result.replaceAll(long, name).replaceAll(`(${name})[]`, `${name}[]`)
    return result
  }

  #sourceOf(symbol: TypeSymbol): string {
    const node = symbol.declarations?.[0]?.resolve(this.#project)
    if (!node) throw new Error(`${symbol.name} has no declaration`)
    return node.getText()
  }
}

/** The sources behind the subpaths of the package: `nokosu/capture` is src/capture/index.ts. */
function entryPoints(): [name: string, file: string][] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, { types: string } | string>
  }
  return Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return []
    const source = target.types.replace('./dist/types/', 'src/').replace(/\.d\.ts$/, '.ts')
    return [[`nokosu${path.slice(1)}`, join(ROOT, source)]]
  })
}

/** Functions and values first, then types, each sorted by name. */
function inOrder(a: Entry, b: Entry): number {
  const isType = ({ symbol }: Entry) => Number((symbol.flags & (FLAGS.interface | FLAGS.typeAlias)) !== 0)
  return isType(a) - isType(b) || (a.name < b.name ? -1 : 1)
}

function makePage(): string {
  const api = new API({ cwd: ROOT })
  try {
    // Without the tests, which would more than double the time.
    const config = join(ROOT, 'tsconfig.build.json')
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
    if (!project) throw new Error('the project cannot be opened')
    const reference = new Reference(project)
    const parts = entryPoints().map(([name, file]) => ({ name, entries: reference.entriesOf(file) }))
    reference.learnNames(parts[0]!.entries)
    const known = new Set<TypeSymbol>()
    const told = parts.map(({ name, entries }) => {
      const fresh = entries.filter(({ symbol }) => !known.has(symbol))
      for (const { symbol } of fresh) known.add(symbol)
      const again = entries.filter((entry) => !fresh.includes(entry)).map((entry) => `\`${entry.name}\``)
      const also = again.length === 0 ? [] : [`Also, as above: ${again.toSorted().join(', ')}.`]
      return [`## ${name}`, ...also, ...fresh.toSorted(inOrder).map((entry) => reference.describe(entry))].join('\n\n')
    })
    return `${[HEADER.trim(), SNIPPETS.trim(), ...told].join('\n\n')}\n`
  } finally {
    api.close()
  }
}

const page = makePage()
if (!process.argv.includes('--check')) writeFileSync(PAGE, page)
else if (readFileSync(PAGE, 'utf8') !== page) {
  console.error('docs/api.md is not current: run npm run api-reference')
  process.exit(1)
}
