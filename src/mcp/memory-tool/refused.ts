/** An error for the model, in the wording of the tool's documentation. Never leaves the tool. */
export class Refused extends Error {
  /** `bare`: the documented message does not begin with `Error: `. */
  constructor(message: string, { bare = false } = {}) {
    super(bare ? message : `Error: ${message}`)
  }
}
