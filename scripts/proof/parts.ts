/** The parts of docs/proof.md, in this order, and the command behind each. Results without an entry follow at the end. */
export interface Part {
  name: string
  what: string
  /** As a reader types it; after `--data` a path in this repository, or below the folder with the public sets. */
  command: string
  /** The groups to show, if not all. */
  groups?: readonly string[]
  /** The figures to show, if not all. */
  measures?: readonly string[]
  /** The figure to draw, by group. */
  plot?: string
  /** The name of a picture with a panel for every figure. */
  panels?: string
  /** The title of a picture of figures that say how often. */
  ratios?: string
  /** Of a benchmark, only what has a bar. */
  barsOnly?: true
}

export interface Chapter {
  title: string
  text: string
  parts: readonly Part[]
}

const SEARCH = { groups: ['hybrid', 'semantic', 'keyword'], measures: ['R@1', 'R@5', 'R@10', 'NDCG@10', 'R@10 at 0.7'] }

export const CHAPTERS: readonly Chapter[] = [
  {
    title: 'Does memory help?',
    text: 'Five agents do 20 tasks in three rounds, beside 300 other memories. One of these for each task is stale or wrong. The other 280 are surer than what one run leaves, as notes that many confirmed are.',
    parts: [
      {
        name: 'fleet',
        what: 'Four ways to remember',
        command: 'nokosu eval fleet',
        panels: 'does-memory-help',
      },
    ],
  },
  {
    title: 'Does search find it?',
    text: 'LoCoMo and BEAM are here in their development halves. Weights for threads were chosen on the first three conversations of LoCoMo, so its last two are the ones to read. The weight of length was chosen on the first five chats of BEAM; an earlier version of search was made with six of the ten in view.',
    parts: [
      {
        name: 'locomo',
        what: 'LoCoMo as threads, the conversations nothing was chosen on',
        command: 'nokosu eval locomo --data locomo/locomo_dev.jsonl.gz --from 3',
        ...SEARCH,
        plot: 'R@10',
      },
      {
        name: 'locomo-all',
        what: 'LoCoMo as threads, all five conversations',
        command: 'nokosu eval locomo --data locomo/locomo_dev.jsonl.gz',
        ...SEARCH,
      },
      {
        name: 'locomo-bare',
        what: 'LoCoMo, bare text without speaker, date and thread, the conversations nothing was chosen on',
        command: 'nokosu eval locomo --data locomo/locomo_dev.jsonl.gz --form bare --from 3',
        ...SEARCH,
      },
      {
        name: 'beam',
        what: 'BEAM, all evidence, the chats that no weight was chosen on',
        command: 'nokosu eval beam --data beam/beam_dev.jsonl.gz --from 5 --ablate',
        groups: [...SEARCH.groups, 'without the length of a text'],
        measures: SEARCH.measures,
        plot: 'R@10',
      },
      {
        name: 'projects',
        what: 'Questions about invented projects, written before their author had read how search scores',
        command: 'nokosu eval projects',
        groups: ['hybrid', 'semantic', 'keyword'],
        measures: ['R@1', 'R@5', 'R@5 at 0.7', 'shown without an answer'],
      },
      {
        name: 'own',
        what: 'The project’s own questions, the half that was never tuned on',
        command: 'nokosu eval own --half held',
        groups: ['hybrid', 'semantic', 'keyword'],
        measures: ['R@1', 'R@5', 'R@5 at 0.7', 'shown without an answer'],
      },
      {
        name: 'languages',
        what: 'German, French, Spanish and Japanese: 50 questions each, over English memories and memories in the language',
        command: 'nokosu eval languages',
        measures: ['R@1', 'R@5', 'R@10', 'R@5 at 0.7'],
      },
    ],
  },
  {
    title: 'Does the agent see it in time?',
    text: '',
    parts: [
      { name: 'moments', what: 'Recorded sessions of invented projects', command: 'nokosu eval moments' },
      { name: 'month', what: 'A month of agents that disagree', command: 'nokosu eval month --seeds 1,2,3' },
    ],
  },
  {
    title: 'What it gets wrong, and what gets past it',
    text: '',
    parts: [
      { name: 'relations', what: 'Same, contradiction or neither', command: 'nokosu eval relations' },
      { name: 'lessons', what: 'Lessons that nobody said', command: 'nokosu eval lessons' },
      {
        name: 'guard-notes',
        what: 'Poisoned notes, their honest twins, and ordinary memories of projects that the guard never saw',
        command: `nokosu eval guard --data eval/guard/report-2.jsonl --data eval/guard/report-3.jsonl --data eval/guard/report-3-ordinary.jsonl ${[
          'news',
          'oss',
          'platform',
          'wardbook-report',
        ]
          .map((project) => `--data eval/moments/${project}/memories.jsonl`)
          .join(' ')}`,
      },
      { name: 'guard', what: 'Secrets and poisoned notes', command: 'nokosu eval guard' },
    ],
  },
  {
    title: 'What was trained on',
    text: 'The evaluations above leave these items out. Nothing of LoCoMo and BEAM was trained on.',
    parts: [
      {
        name: 'overlap',
        what: 'Items of the reported sets that a model was trained on, or nearly',
        command: 'nokosu eval overlap',
      },
    ],
  },
  {
    title: 'Beside other memories, on the same machine',
    text: '',
    parts: [
      {
        name: 'peers',
        what: '',
        command: '',
        ratios: 'Time beside Nokosu’s, the red line. Right of it is slower',
      },
    ],
  },
  {
    title: 'Speed',
    text: 'Every bar of `npm run bench`, whose tables have more than is here. Each compares with something measured in the same run, where that is possible: a busy machine changes milliseconds more than it changes shares.',
    parts: [
      {
        name: 'speed',
        what: 'Library',
        command: 'npm run bench -- search write capture calls lock admission lifecycle hooks render',
        barsOnly: true,
      },
      {
        name: 'speed-processes',
        what: 'Processes',
        command: 'npm run bench -- cold run server memory',
        barsOnly: true,
      },
      {
        name: 'speed-stores',
        what: 'PostgreSQL and DynamoDB Local',
        command: 'npm run bench -- postgres dynamodb dynamodb-scope dynamodb-costs',
        barsOnly: true,
      },
    ],
  },
  {
    title: 'Growth',
    text: 'Time grows with the number of memories to the power of the exponent: 0 is no growth, 1 is proportional.',
    parts: [
      { name: 'growth', what: 'From a thousand memories on', command: 'npm run bench -- growth' },
      { name: 'agents', what: 'Fifty agents at once', command: 'npm run bench -- agents' },
    ],
  },
]
