import { parseAst } from 'rolldown/parseAst'

/** A place in a file that can be mutated. */
export interface Site {
  start: number
  end: number
  /** The replacement. */
  put: string
  kind: 'expression' | 'statement'
  operator: string
  /** True if it runs at module load, before any test. */
  isStatic: boolean
}

/** A node of the syntax tree, with the fields used here. */
interface Node {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

interface Place {
  parent: Node | null
  /** The parent's field that contains the node. */
  key: string
  isStatic: boolean
  /** Inside an error or log message: wording that no test should pin down. */
  isWording: boolean
  /** Inside a sort comparison, where only the sign matters and equal items have no order. */
  isOrder: boolean
  /** The full cache: when it is emptied only changes timing. */
  fullCache: string | null
}

/** All mutations of this file, in order of position. */
export function sitesIn(text: string): Site[] {
  const sites: Site[] = []
  const source = (node: Node) => text.slice(node.start, node.end)
  const visit = (node: Node, place: Place): void => {
    const fullCache = node.type === 'IfStatement' ? cacheIn(source(node)) : null
    if (place.fullCache !== null && source(node) === `${place.fullCache}.clear()`) return
    const { body } = node
    const caches = Array.isArray(body) ? body.flatMap((each: Node) => cacheIn(source(each)) ?? []) : []
    for (const [operator, start, end, put, kind] of mistakesAt(node, place, source)) {
      sites.push({ start, end, put, kind: kind ?? 'expression', operator, isStatic: place.isStatic })
    }
    for (const [key, child] of childrenOf(node)) {
      if (fullCache !== null && key === 'test') continue
      if (caches.some((cache) => source(child).startsWith(`${cache}.set(`))) continue
      visit(child, { ...placeOf(node, key, place), fullCache: fullCache ?? place.fullCache })
    }
  }
  visit(parseAst(text, { lang: 'ts' }) as unknown as Node, {
    parent: null,
    key: '',
    isStatic: true,
    isWording: false,
    isOrder: false,
    fullCache: null,
  })
  return sites.sort((a, b) => a.start - b.start || a.end - b.end)
}

const TYPE_FIELDS = new Set(['typeAnnotation', 'returnType', 'typeParameters', 'typeArguments', 'superTypeArguments'])
const TYPED_EXPRESSIONS = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'])

function* childrenOf(node: Node): Generator<[string, Node]> {
  for (const [key, value] of Object.entries(node)) {
    if (TYPE_FIELDS.has(key)) continue
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!isNode(child) || isType(child)) continue
      // `const [name = ''] = match`: the empty text is there for the types.
      const isDefault = node.type === 'ArrayPattern' && child.type === 'AssignmentPattern'
      yield [key, isDefault && (child.right as Node).value === '' ? (child.left as Node) : child]
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

function isType({ type }: Node): boolean {
  return (type.startsWith('TS') && !TYPED_EXPRESSIONS.has(type)) || /^(Import|ExportAll)/.test(type)
}

/** `if (known.size >= MOST) known.clear()` */
function cacheIn(statement: string): string | null {
  const name = /^if \(([\w.#]+)\.size\b/.exec(statement)?.[1]
  return name !== undefined && statement.includes(`${name}.clear()`) ? name : null
}

/** Calls that create an error. */
const IS_ERROR = /Error$|^(?:invalidInput|wrongSetting)$/

function placeOf(parent: Node, key: string, { isStatic, isWording, isOrder }: Place): Omit<Place, 'fullCache'> {
  const isInside = /Function/.test(parent.type) || (parent.type === 'PropertyDefinition' && parent.static !== true)
  const name = parent.type === 'NewExpression' || parent.type === 'CallExpression' ? nameOf(parent.callee as Node) : ''
  return {
    parent,
    key,
    isStatic: isStatic && !isInside,
    isWording: isWording || (key === 'arguments' && (IS_ERROR.test(name) || isLog(parent.callee as Node))),
    isOrder: isOrder || (key === 'arguments' && /^(sort|toSorted)$/.test(name)),
  }
}

/** The last name of what is called. */
function nameOf(node: Node): string {
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return String(node.name)
  return node.type === 'MemberExpression' ? nameOf(node.property as Node) : ''
}

function isLog(callee: Node): boolean {
  return callee.type === 'MemberExpression' && /^#?log(ger)?$/.test(nameOf(callee.object as Node))
}

type Mistake = [operator: string, start: number, end: number, put: string, kind?: 'statement']

const SWAPPED: Record<string, string> = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===', '*': '/', '/': '*', '%': '*' },
  ...{ '&&': '||', '||': '&&', '+': '-', '-': '+', '&': '|', '|': '&' },
}
/** Methods that may be replaced by their receiver. */
const SKIPPED = new Set(
  'filter slice sort toSorted toReversed reverse trim trimEnd trimStart toLowerCase toUpperCase replace replaceAll flat normalize'.split(
    ' ',
  ),
)
const EXCHANGED = new Map(
  Object.entries({
    ...{ some: 'every', every: 'some', min: 'max', max: 'min', floor: 'ceil', ceil: 'floor' },
    ...{ startsWith: 'endsWith', endsWith: 'startsWith', find: 'findLast', indexOf: 'lastIndexOf' },
  }),
)

function* mistakesAt(node: Node, place: Place, source: (node: Node) => string): Generator<Mistake> {
  const whole = (operator: string, put: string): Mistake => [operator, node.start, node.end, put]
  const { type } = node
  if (isTest(node, place)) {
    const isLoop = /^(While|DoWhile|For)/.test(place.parent!.type)
    yield isLoop ? whole('loop never runs', 'false') : whole('negate a condition', `!(${source(node)})`)
  }
  if (type === 'BinaryExpression' || type === 'LogicalExpression') yield* binaryMistakes(node, place, source)
  if (type === 'UnaryExpression' && node.operator === '!') yield whole('remove !', source(node.argument as Node))
  if (type === 'ConditionalExpression') {
    const [test, yes, no] = [node.test, node.consequent, node.alternate].map((each) => source(each as Node))
    yield whole('swap the arms', `(${test}) ? (${no}) : (${yes})`)
  }
  if (type === 'Literal') yield* literalMistakes(node, place)
  if (type === 'CallExpression') yield* callMistakes(node, source)
  if (type === 'ArrayExpression' && (node.elements as unknown[]).length > 0) yield whole('empty a list', '[]')
  if (type === 'SpreadElement' && place.key !== 'arguments') {
    const { start, end } = node.argument as Node
    yield ['drop a spread', start, end, place.parent?.type === 'ObjectExpression' ? '{}' : '[]']
  }
  yield* statementMistakes(node, source)
}

function isTest(node: Node, { parent, key }: Place): boolean {
  if (parent === null || key !== 'test' || parent.type === 'SwitchCase') return false
  // Mutated by their own operators.
  if (parent.type === 'ConditionalExpression' || ['!', '===', '!=='].includes(String(node.operator))) return false
  return node.type !== 'Literal'
}

const TURNED: Record<string, string> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' }

function* binaryMistakes(node: Node, { isOrder }: Place, source: (node: Node) => string): Generator<Mistake> {
  const [left, right] = [node.left as Node, node.right as Node]
  const operator = String(node.operator)
  // Random delays.
  if (source(node).includes('Math.random()')) return
  const put = (text: string): Mistake => [operator, node.start, node.end, text]
  if (operator === '??') return yield put(source(left))
  // Tests cannot tell a tuned limit from limit + 1, only that it is a limit.
  const isTuned = [left, right].some(isConstant)
  const swapped = (isOrder || isTuned ? TURNED : SWAPPED)[operator] ?? SWAPPED[operator]
  if (swapped === undefined || (operator === '+' && [left, right].some(isText))) return
  yield put(`(${source(left)}) ${swapped} (${source(right)})`)
}

function isConstant({ type, name, value }: Node): boolean {
  if (type === 'Literal') return typeof value === 'number' && value !== 0 && value !== 1
  return type === 'Identifier' && /^[A-Z][A-Z_]+$/.test(String(name))
}

function isText({ type, value }: Node): boolean {
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string')
}

/** Options of a query that only save the store work. */
const SAVING = new Set(['count', 'vectors'])

/** Keyword prefilters of secret patterns, which only save work. */
function isKeywords(node: Node, parent: Node | null): boolean {
  if (parent?.type === 'Property') return nameOf(parent.key as Node) === 'keywords'
  const isRule = parent?.type === 'CallExpression' && nameOf(parent.callee as Node) === 'token'
  return isRule && (parent.arguments as Node[])[1] === node
}

function* literalMistakes(node: Node, { parent, key, isWording, isOrder }: Place): Generator<Mistake> {
  const isKey = (key === 'key' && parent?.computed !== true) || parent?.type === 'ExportNamedDeclaration'
  if (isKey || isWording || (key === 'expression' && parent?.type === 'ExpressionStatement')) return
  const put = (operator: string, text: string): Mistake => [operator, node.start, node.end, text]
  const { value } = node
  const isSaving = value === false && parent?.type === 'Property' && SAVING.has(nameOf(parent.key as Node))
  if (typeof value === 'boolean' && !isSaving) yield put('flip', String(!value))
  // Positions, steps and comparisons; other numbers are tuned limits, and a test would only repeat them.
  const isSign = isOrder && /^(Conditional|Unary)Expression$/.test(parent?.type ?? '')
  const isPositive = parent?.type !== 'UnaryExpression'
  if ((value === 0 || value === 1) && !(isSign && isPositive)) {
    if (!isSign) yield put('one more', String(value + 1))
    if (value === 1) yield put('one less', `(${value - 1})`)
  }
  // Strings with spaces are messages or SQL.
  if (typeof value === 'string' && !/\s/.test(value) && !isKeywords(node, parent))
    yield value === '' ? put('fill', "'x'") : put('empty', "''")
}

function* callMistakes(node: Node, source: (node: Node) => string): Generator<Mistake> {
  const callee = node.callee as Node
  if (callee.type !== 'MemberExpression' || callee.computed === true || callee.optional === true) return
  const name = nameOf(callee)
  const object = callee.object as Node
  if (SKIPPED.has(name)) yield [`without ${name}`, node.start, node.end, source(object)]
  const other = EXCHANGED.get(name)
  if (other === undefined) return
  const rest = source(node).slice((callee.property as Node).end - node.start)
  yield [`${other} for ${name}`, node.start, node.end, `${source(object)}.${other}${rest}`]
}

const DROPPED = new Set(['CallExpression', 'AwaitExpression', 'AssignmentExpression', 'UpdateExpression'])

/** Yields or waits randomly, which only affects timing. */
function isPause(statement: string): boolean {
  return /^await (?:breathe|setTimeout)\(/.test(statement) || statement.includes('Math.random()')
}

function* statementMistakes(node: Node, source: (node: Node) => string): Generator<Mistake> {
  const drop = (operator: string): Mistake => [operator, node.start, node.end, '', 'statement']
  if (node.type === 'ThrowStatement') yield drop('drop a throw')
  if (node.type === 'ContinueStatement') yield drop('drop a continue')
  if (node.type === 'ExpressionStatement') {
    const expression = node.expression as Node
    const isSuper = expression.type === 'CallExpression' && (expression.callee as Node).type === 'Super'
    const isLogged = expression.type === 'CallExpression' && isLog(expression.callee as Node)
    if (DROPPED.has(expression.type) && !isSuper && !isLogged && !isPause(source(node))) yield drop('drop a statement')
  }
  const returned = node.type === 'ReturnStatement' ? (node.argument as Node | null) : null
  if (returned && !/^(null|undefined|true|false)$/.test(source(returned))) {
    yield ['return nothing', returned.start, returned.end, 'undefined']
  }
}
