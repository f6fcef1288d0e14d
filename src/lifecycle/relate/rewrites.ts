type Rewrite = readonly [pattern: RegExp, replacement: string]

const CONTRACTIONS: readonly Rewrite[] = [
  [/\bcan['’]?t\b|\bcannot\b/g, 'can not'],
  [/\bwon['’]t\b/g, 'will not'],
  [/\bshan['’]t\b/g, 'shall not'],
  [/\b(is|are|was|were|do|does|did|has|have|had|must|need|should|would|could|might)n['’]t\b/g, '$1 not'],
  [/\b(it|there|that|here|what)['’]s\b/g, '$1 is'],
  [/\b(\w+)['’](?:re|ve|ll|d|s)\b/g, '$1'],
  [/\b(\w+s)['’](?= )/g, '$1'],
]

const UNIT = '(?:second|minute|hour|day|night|week|month|year)'
const NUMBER = '(?:\\d|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|fifty)'
/** A number comes next, with at most one word between. */
const AHEAD = `(?= *(?:[a-z]+ |v|~)?${NUMBER})`
/** Before these words `an hour` is a length of time, elsewhere it may be `per hour`. */
const BEFORE_LENGTH =
  'for|after|takes?|in|within|lasts?|under|over|about|around|below|least|most|than|to|roughly|needs?|is'
const GREATER =
  '(?:more|greater|longer|newer|higher|later|larger|bigger|slower) than|above|over|past|beyond|exceed(?:s|ing)?'
const LESS = '(?:less|fewer|lower|older|earlier|smaller|shorter|faster) than|below|under'

/** Wordings that stand for one of the few words the facets look for. */
const WORDINGS: readonly Rewrite[] = [
  [/\bleave (.{1,40}?) (?:alone|untouched|unchanged|as (?:it|they) (?:is|are)|as[- ]is)\b/g, 'not change $1'],
  [/\b(?:rather than|instead of|as opposed to)\b/g, ', not'],
  [/\b(?:offline|air[- ]?gapped)\b/g, 'without internet'],
  [
    /\b(?:as an? )?(?:normal|regular|ordinary|unprivileged|non[- ]root) user\b|\b(?:rootless|unprivileged)\b/g,
    'without root',
  ],
  [/\broot (?:access|rights|privileges|permissions?)\b/g, 'root'],
  [/\b(?:several|multiple|two or more)\b/g, 'atleast 2'],
  [/\b(?:each|once every|once per|once in) (?=\d|one|two|three|four|five|six|ten|twelve)/g, 'every '],
  [/\b(?:quarterly|(?:every|each|once a) quarter)\b/g, 'every 3 months'],
  [/\b(?:fortnightly|biweekly)\b/g, 'every 2 weeks'],
  [/\breleas(?:e|es|ing) (?=(?:the |an? |its )?(?:locks?|leases?|memory|resources?|connections?))/g, 'discard '],
  [/\ba quarter of\b/g, '25 percent of'],
  [/\ba third of\b/g, '33 percent of'],
  [/\bhalf of\b/g, '50 percent of'],
  [/\bwithout any /g, 'without '],
  [/\bhalf an hour\b/g, '30 minutes'],
  [/\bhalf a minute\b/g, '30 seconds'],
  [new RegExp(`\\b(${BEFORE_LENGTH}) an? (?=${UNIT}\\b)`, 'g'), '$1 1 '],
  [/\b(?:nobody|no one|none|nothing) (?:but|except|other than)\b/g, 'only'],
  [/\bno (?=(?:more|less|fewer) than)/g, 'not '],
  [/\b(?:is|are|there is|has|have) no (?:need|requirement|necessity)\b/g, 'not need'],
  [/\b(?:has|have|had|needs?|ought|(?:is|are) (?:required|supposed)) to (?=[a-z])/g, 'must '],
  [/\b(?:no longer|under no circumstances|at no time|by no means|in no case)\b/g, 'not'],
  [/\b(?:not|no) (.{1,60}?)\buntil\b/g, 'must $1 after'],
  [/\b(?:prior to|ahead of|in advance of)\b/g, 'before'],
  [/\b(?:as soon as|following|subsequent to|once) (?!(?:an?|per|every|in) )/g, 'after '],
  [/\b(?:at any (?:time|moment|point)|any ?time|whenever(?: you like)?)\b/g, 'anytime'],
  [/\b(?:only (?:if|when)|as long as|provided(?: that)?)\b/g, 'only when'],
  [/\b(?:read[- ]access only|only (?:has |have )?read[- ]access|only (?:be )?read|read[- ]only)\b/g, 'readonly'],
  [
    /\b(?:not (?:have )?(?:any )?|no |without (?:any )?)(?:upper )?limit(?:s|ed)?\b|\b(?:unlimited|unbounded)\b/g,
    'limit unlimited',
  ],
  [/\b(?:forever|indefinitely|permanently)\b/g, 'unlimited'],
  [/(?:\b(?:at least|not less than|minimum(?: of| is)?)\b|>=?|≥)/g, ' atleast '],
  [
    /(?:\b(?:at most|up to|not more than|limited to|capped at)\b|\b(?:maximum|max)(?: of| is)?\b(?!\.)|<=?|≤)/g,
    ' atmost ',
  ],
  [new RegExp(`\\bwithin\\b${AHEAD}`, 'g'), 'atmost'],
  [new RegExp(`\\b(?:${LESS})\\b${AHEAD}`, 'g'), 'lessthan'],
  [new RegExp(`\\b(?:${GREATER})\\b${AHEAD}`, 'g'), 'morethan'],
  [/\b(?:or|and) (?:newer|later|more|higher|above|greater|up|upwards?|better)\b/g, 'ormore'],
  [/\b(?:(?:is|are) )?(?:enough|sufficient|suffices?)\b/g, 'ormore'],
  [/\b(?:or|and) (?:older|earlier|less|lower|below|fewer)\b/g, 'orless'],
  [
    new RegExp(`\\b(?:about|around|approximately|approx\\.?|roughly|circa|nearly|almost|some)\\b${AHEAD}`, 'g'),
    'roughly',
  ],
  [/~(?=\d)/g, ' roughly '],
  [/\b(?:immediately|instantly|right away|straight away|instantaneous(?:ly)?)\b/g, '0 seconds'],
  [new RegExp(`\\b(?:every|each) (?=${UNIT}\\b)`, 'g'), 'every 1 '],
  [new RegExp(`\\bonce (?:an?|per|every) (?=${UNIT}\\b)`, 'g'), 'every 1 '],
  [/\btwice (?:a|per) day\b/g, 'every 12 hours'],
  [/\btwice (?:an|per) hour\b/g, 'every 30 minutes'],
  [/\bevery other /g, 'every 2 '],
  [/\bhourly\b/g, 'every 1 hour'],
  [/\b(?:daily|nightly)\b/g, 'every 1 day'],
  [/\bweekly\b/g, 'every 1 week'],
  [/\bmonthly\b/g, 'every 1 month'],
  [/\b(?:yearly|annually)\b/g, 'every 1 year'],
  [/\bmidnight\b/g, '00:00'],
  [/\bnoon\b/g, '12:00'],
  [/\b(single|double) quotes\b/g, '$1quotes'],
  [/\bsingle\b/g, '1'],
  [/\bmulti\b/g, 'atleast 2'],
  [/\bzero[- ](?=[a-z])/g, 'without '],
  [/\b(\w+)isation(s?)\b/g, '$1ization$2'],
  [/\b(\w{3,})ise(d|s)?\b/g, '$1ize$2'],
]

const RATIO = /\b(\w+) (?:times? )?(?:in|out of)(?: every)? (\w+)\b/g
const SMALL = new Map(
  'one two three four five six seven eight nine ten'.split(' ').map((word, index) => [word, index + 1]),
)

/** `one in ten` as `10 percent`. */
function asPercent(text: string): string {
  return text.replace(RATIO, (match, part: string, whole: string) => {
    const [share, total] = [part, whole].map((word) => SMALL.get(word) ?? Number(word))
    return share && total && share < total ? `${Math.round((share / total) * 1000) / 10} percent` : match
  })
}

/** The text in lower case, with contractions and equal wordings written one way. */
export function rewrite(text: string): string {
  let result = asPercent(text.toLowerCase())
  for (const [pattern, replacement] of [...CONTRACTIONS, ...WORDINGS]) result = result.replace(pattern, replacement)
  return result
}
