/** The values of one statement, numbered as they are bound. */
export class Values {
  readonly list: unknown[] = []

  /** Returns the placeholder. */
  bind(value: unknown): string {
    this.list.push(value)
    return `$${this.list.length}`
  }
}
