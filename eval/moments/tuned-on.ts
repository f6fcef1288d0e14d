/** The projects that the score of recall was trained and its thresholds were chosen on. The others are only reported on. */
export const TUNED_ON = [
  ...['crm', 'games', 'home-ops', 'iot', 'ledger', 'news'],
  ...['oss', 'payments', 'platform', 'shop', 'telemetry'],
] as const
