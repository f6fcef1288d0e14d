/** Lines that test runners, compilers and stack traces print, and people do not write. */
const OUTPUT = [
  // vitest, jest, node:test
  /^\s*(FAIL|PASS|RUNS|FAILED|PASSED)\s+\S+(\.\w+|::)/,
  /^\s*(Test Files|Test Suites|Tests|Snapshots|Duration|Start at|Time)(:\s+|\s{2,})\d/,
  /^\s*[●❯⎯ℹ▶]|^\s*[✓✔✗✘×✕✖] .*\d+(\.\d+)?\s?ms\)?$|^\s*✖ failing tests:/,
  /^\s*(Expected|Received)( \w+)*:\s+([\d"'[{<-]|true|false|null|undefined)|^\s*>?\s*\d*\s?\|(\s|$)|^\s*(RUN|DEV)\s+v\d|^Ran all test suites\b/,
  /^TAP version \d|^\s*(not )?ok \d+ - |^# (Subtest:|(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$)/,
  /^\s*(actual|expected|operator|code|diff|failureType|duration_ms|location|stack|generatedMessage|name): ([\d'"[{|]|true|false)/,
  // pytest, Python
  /^E {2,}\S|^> {2,}\S|^\s*def test_\w+\(.*\):$|^\s*\S+\.py:\d+: |^\S+\.py [.FEsx]+ +\[/,
  /^(={3,}|_{3,}|-{3,}) .* (={3,}|_{3,}|-{3,})$|^(platform \w+ -- Python|rootdir: |plugins: |collected \d+ items?)/,
  /^\s*File ".*", line \d+|^\s*Traceback \(most recent call last\)/,
  // tsc, javac, gcc, go vet
  /^\s*\S+\.[cm]?[jt]sx?(\(\d+,\d+\)|:\d+:\d+)( -|:) error TS\d+|^\S+\.\w+:\d+(:\d+)?: (fatal )?(error|warning)\b/,
  /^\s*[\^~]+\s*$|^\d+ (errors?|warnings?)$|^Found \d+ errors? in /,
  // gradle, maven, JVM
  /^> Task :|^BUILD (FAILED|SUCCESSFUL) in |^FAILURE: Build failed|^\d+ tests? completed, \d+ failed|^\S+ > .* (FAILED|PASSED|SKIPPED)$/,
  /^\* (What went wrong|Try|Exception is|Get more help)\b|^Execution failed for task |^> There were failing tests|^\d+ actionable tasks?:/,
  /^\s*Caused by: |^\s*\.{3} \d+ more$|^Exception in thread "|^\s*at\s+\S.*:\d+|^\s+[\w.$]+(Error|Exception) at \S+:\d+$/,
  // go, cargo, rspec
  /^\s*--- FAIL: |^goroutine \d+ \[|^\s*\S+_test\.go:\d+: |^(ok|FAIL)\s+\S+\s+[\d.]+s$|^FAIL$|^exit status \d+$/,
  /^error\[E\d+\]|^\s*--> \S+:\d+:\d+|^thread '.*' .*panicked at |^test result: |^test \S+ \.\.\. |^running \d+ tests?$/,
  /^\s*(Compiling|Finished|Running|Checking|Downloaded) \S+.*(v\d|target\(s\)|\(.*\)$)|^\s*= (note|help): |^\s*\d+: (0x\w+ - )?\S+::|^\s*at \/\S+:\d+/,
  /^\s*Failure\/Error: |^\s*# \.?\/\S+:\d+:in |^\d+ examples?, \d+ failures?|^Finished in [\d.]+ seconds|^rspec \.\/|^Failed examples:$/,
  // npm, Node
  /^\s*npm (ERR!|error|warn|notice) |^Node\.js v\d|^\[eval\]:\d+|^node:internal\//,
]
/** Kept next to a person's own words, because it says what went wrong. Alone it counts as output. */
const ERROR_LINE = /^\s*[\w.]*(Error|Exception)( \[\w+\])?: /
/** Sentences that such tools print. */
const TOOL_SENTENCE =
  /^\s*(help|note|hint|warning|error)(\[\w+\])?: |^(For more information about|Some (errors|details) |See the report at|Run with|Use --|stack backtrace|failures:)/
const TELLING =
  /\b(?:the|an?|is|are|was|has|have|had|no|not|must|should|needs?|please|because|when|if|it|this|that|to|of|for|fails?)\b/gi
/** Colours of a terminal. */
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')

/**
 * The person's own words around pasted tool output, with the first error in it. All lines if there is no tool output.
 */
export function withoutToolOutput(given: readonly string[]): string[] {
  const lines = given.map((line) => line.replace(COLOURS, ''))
  const isOutput = lines.map((line) => OUTPUT.some((pattern) => pattern.test(line)))
  const first = isOutput.indexOf(true)
  if (first < 0) return lines.every((line) => line.trim() === '' || ERROR_LINE.test(line)) ? [] : lines
  const said = lines
    .slice(0, first)
    .filter((line) => !ERROR_LINE.test(line) && !TOOL_SENTENCE.test(line) && wordsIn(line) > 2)
  const error = lines.find((line) => ERROR_LINE.test(line))
  const later = lines.filter((line, i) => i > first && !isOutput[i] && isSaid(line, lines[i - 1]!))
  return said.length + later.length === 0 ? [] : [...said, ...(error === undefined ? [] : [error]), ...later]
}

/** After the first line of output, only a sentence that begins a paragraph or a list item counts as the person's own. */
function isSaid(line: string, before: string): boolean {
  const isStart = before.trim() === '' || /^\s*(?:[-*•]|\d{1,3}[.)])\s/.test(line)
  if (!isStart || TOOL_SENTENCE.test(line) || ERROR_LINE.test(line)) return false
  return wordsIn(line) > 3 && (line.match(TELLING) ?? []).length > 1
}

function wordsIn(line: string): number {
  return (line.match(/\p{L}[\p{L}'\u2019-]+/gu) ?? []).length
}
