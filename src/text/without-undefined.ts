type Optional<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>
}
type Present<Fields> = { [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name] }

/** Only the fields that have a value. Most interfaces distinguish an absent field from an undefined one. */
export function withoutUndefined<Fields extends object>(fields: Fields): Optional<Fields> & Present<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Optional<Fields> &
    Present<Fields>
}
