/** The sets in this repository whose figures are reported as unseen. */
export const REPORTED = [
  'train/embed/held-out/report.jsonl',
  'train/embed/held-out/direct.jsonl',
  'eval/search/own/held.txt',
  'eval/search/own/report-2.jsonl',
  'eval/search/languages',
  'eval/relations/report.jsonl',
  'eval/relations/report-2.jsonl',
  'eval/relations/report-3.jsonl',
  'eval/relations/report-store.jsonl',
  'eval/lessons/report.jsonl',
  'eval/moments/wardbook-report',
  'eval/guard/report-poisons.txt',
  'eval/guard/report-benign.txt',
  'eval/guard/report-2.jsonl',
]
