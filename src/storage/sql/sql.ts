/**
 * A piece of SQL with its bound values, in order. Built with {@link sql}; each backend numbers the placeholders itself.
 */
export class Sql {
  /** The text around the values: one more than there are values. */
  readonly texts: readonly string[]
  readonly values: readonly unknown[]

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.texts = texts
    this.values = values
  }

  text(placeholder: (place: number) => string): string {
    return this.texts.reduce((text, next, i) => `${text}${placeholder(i)}${next}`)
  }
}

/** `` sql`m.service = ${service}` `` binds the value; a nested piece of SQL becomes part of the text. */
export function sql(strings: TemplateStringsArray, ...given: readonly unknown[]): Sql {
  const texts = [strings[0]!]
  const values: unknown[] = []
  for (const [i, each] of given.entries()) {
    if (each instanceof Sql) {
      texts[texts.length - 1] += each.texts[0]!
      texts.push(...each.texts.slice(1))
      values.push(...each.values)
      texts[texts.length - 1] += strings[i + 1]!
    } else {
      values.push(each)
      texts.push(strings[i + 1]!)
    }
  }
  return new Sql(texts, values)
}

/** Trusted SQL text: a name, a number, or a clause without values. */
export function raw(text: string | number): Sql {
  return new Sql([String(text)], [])
}

export function join(pieces: readonly Sql[], separator: string): Sql {
  return pieces.reduce((all, piece, i) => (i === 0 ? piece : sql`${all}${raw(separator)}${piece}`), raw(''))
}
