/** The projects that the score of recall was trained and its thresholds were chosen on. The others are only reported on. */
export const TUNED_ON = ['crm', 'home-ops', 'iot', 'ledger', 'shop', 'telemetry'] as const
