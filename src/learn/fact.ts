import type { Category } from '../model/categories.ts'

/** A sentence that states a fact about the project, as opposed to a rule, praise or a tutorial step. */
export interface Fact {
  category: Category
  /** Higher for more concrete facts. */
  score: number
}

const LEAST = 24
const MOST = 280

const RULE =
  /\b(?:must not|do not|don['’]t|never|always|should|shall|please|prefer|avoid|make sure|ensure|be sure|we (?:expect|ask|recommend|encourage|welcome|love)|you (?:should|must|can|may|could|might|will|need|want)|your|feel free|remember to|let['’]s|i['’]m|we['’]re)\b/i
const IMPERATIVE =
  /^(?:also |then |first,? |next,? |finally,? |now |optionally,? )?(?:add|adjust|ask|avoid|begin|bind|build|bump|call|change|check|choose|click|clone|close|commit|configure|copy|create|cut|define|delete|describe|document|download|edit|enable|export|file|fill|find|fix|follow|fork|format|generate|get|give|go|group|have|implement|import|include|inspect|install|keep|launch|leave|let|link|list|log|look|make|mark|measure|merge|move|name|note|open|pass|pick|pin|point|post|prefix|press|pull|push|put|read|rebase|refer|register|release|remove|rename|replace|report|request|resolve|restart|return|reuse|review|run|save|search|see|select|send|set|sign|skip|sort|split|squash|start|state|stay|stop|store|submit|sync|tag|take|talk|tell|test|try|turn|type|update|upgrade|use|verify|visit|wait|watch|wrap|write)\b/i
const NO_FACT =
  /\b(?:licen[cs]e|copyright|sponsor|contributors?|code of conduct|star us|blazing|beautiful|powerful|lightweight|awesome|easy to use|easily|simply|out of the box|welcome|thanks?|thank you|badge|pull requests?|issues? (?:tracker|template)|example|e\.g\.|for instance|imagine|tutorial|stay tuned|coming soon|my|i['’](?:ve|d)|you would|you['’](?:d|ll|re)|would like|great)\b/i
/** Depends on the previous sentence. */
const DANGLING =
  /^(?:it|this|that|these|those|they|both|here|there|he|she|such|so|but|and|or|however|otherwise|instead|also|in this case|as a result|which|its|their|the (?:same|former|latter|above|following))\b/i
const CONCRETE = /`[^`]+`|\b\d|\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{2,}[A-Z0-9_]*\b|\w\/\w|(?<=[a-z,] )[A-Z][a-z]{2,}/g

const TROUBLE =
  /\b(?:if|when|where|after|whenever)\b.{3,120}\b(?:fails?|hangs?|errors?|missing|stuck|breaks?|cannot|can['’]t|stale|times? out|refused)\b/i
const CURE = /\b(?:run|restart|delete|clear|set|remove|rebuild|reinstall|regenerate|try|fix(?:es|ed)?|helps?)\b/i
const CONSEQUENCE =
  /\b(?:otherwise|or else|or)\b.{3,100}\b(?:fails?|hangs?|errors?|breaks?|crash(?:es)?|times? out|cannot|can['’]t)\b/i
const DURATION =
  /\b(?:takes?|lasts?|every|within|at most|up to|about|around|times? out|timeout|waits?|expires?|rotates?|after|limit|for)\b.{0,40}?\b\d[\d.,]*\s?(?:ms|s|secs?|seconds?|mins?|minutes?|h|hours?|days?|weeks?|months?)\b|\b(?:every (?:night|day|hour|week|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|nightly|on (?:mon|tues|wednes|thurs|fri)days?)\b/i
const NEEDS =
  /\b(?:needs?|requires?|depends? on|relies on|rely on|only works? (?:with|on|in)|must be (?:running|installed|started|set|built|generated|up)|is expected (?:in|at|on)|has to be|have to be|before (?:the|any|it)|must (?:start|run|come) (?:before|after))\b/i
const ACTS =
  /\b(?:fails?|hangs?|flaky|breaks?|rejects|refuses|ignores|overwrites|deletes|wipes|drops|skips|caches|retries|throttles|(?:is|are|gets?) (?:ignored|wiped|deleted|overwritten|generated|cached|read-only|disabled|skipped|dropped|truncated|rejected|refused|reset|not)|does(?: not|n['’]t)|do not|cannot|can['’]t|not supported|unsupported|no longer|known (?:issue|bug|limitation)|by design|on purpose|deprecated|listens? on|(?:on|at) port|(?:is|are) (?:stored|kept|written|read) (?:in|to|from|at)|lives? in|defaults? to|by default|silently|only (?:on|in|for|when|if)|unless)\b/i

/** The fact in a sentence, or null. `procedures`: also accepts a step that says what it cures or prevents, such as "Run `x` first, or y hangs". */
export function factOf(sentence: string, { procedures }: { procedures: boolean }): Fact | null {
  if (sentence.length < LEAST || sentence.length > MOST || /[:?!]$/.test(sentence)) return null
  if (DANGLING.test(sentence) || NO_FACT.test(sentence)) return null
  const concrete = Math.min(3, sentence.match(CONCRETE)?.length ?? 0)
  if (TROUBLE.test(sentence) && CURE.test(sentence) && concrete > 0 && procedures)
    return { category: 'remediation', score: 3 + concrete }
  if (RULE.test(sentence)) return null
  if (IMPERATIVE.test(sentence))
    return CONSEQUENCE.test(sentence) && concrete > 0 && procedures
      ? { category: 'dependency', score: 3 + concrete }
      : null
  if (DURATION.test(sentence)) return { category: 'timing', score: 3 + concrete }
  if (concrete === 0) return null
  if (NEEDS.test(sentence)) return { category: 'dependency', score: 2 + concrete }
  if (ACTS.test(sentence)) return { category: 'behavior', score: 1 + concrete }
  return null
}
