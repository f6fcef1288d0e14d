/** The projects used to train the recall score and choose its thresholds. The others are only reported on. */
export const TUNED_ON = [
  ...['crm', 'games', 'home-ops', 'iot', 'ledger', 'news'],
  ...['oss', 'payments', 'platform', 'shop', 'telemetry'],
] as const
