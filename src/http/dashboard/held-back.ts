/** What this machine holds back: calls that are tried again later, and writes that no store has taken yet. */
export interface HeldBack {
  providers: { name: string; code: string; until: string }[]
  spool: {
    file: string
    bytes: number
    since: string
    state: 'waits' | 'being written' | 'being delivered' | 'set aside'
  }[]
}
