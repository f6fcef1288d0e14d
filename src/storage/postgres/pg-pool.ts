/** The part of a `pg` connection that is used. */
export interface PgQueryable {
  query(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}
export interface PgConnection extends PgQueryable {
  /** Whether statements are sent before the previous answer arrives. */
  pipeline?: boolean
  release(error?: Error | boolean): void
  on(event: 'error' | 'end' | 'notification', listener: () => void): unknown
  off(event: 'error' | 'end' | 'notification', listener: () => void): unknown
}

/** The part of `pg.Pool` that is used. */
export interface PgPool extends PgQueryable {
  connect(): Promise<PgConnection>
}
