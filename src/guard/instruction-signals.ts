import { type Signal, signalMaker } from './signal.ts'

/** What the patterns may skip inside one sentence. */
const GAP = '[^.?!\\n]'

const EARLIER =
  'previous|previously|prior|above|earlier|preceding|foregoing|former|initial|original|system|your|existing|given'
const ORDERS =
  'instructions?|prompts?|directions?|directives?|guidelines?|programming|orders|guardrails|training|conversation|restrictions|constraints'
const DROP =
  'ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|neglect|overlook|bypass(?:ing)?|cancel|erase|abandon|set aside|stop following'
/** The same in the languages that attacks are most often translated into. */
const OVERRIDE_ELSEWHERE =
  'ignor(?:ier|iere|ieren sie|a|e|ez|ar|i)\\s[^.?!\\n]{0,40}(?:anweisung|instruc|instru[cç]|istruzion|consigne|indicacion)|vergiss\\s[^.?!\\n]{0,30}anweisung|olvida\\s[^.?!\\n]{0,30}instruc|oublie[rz]?\\s[^.?!\\n]{0,30}(?:instruc|consigne)|игнорируй[^.?!\\n]{0,40}(?:инструкц|указан)|(?:忽略|无视|忘记)[^。？！\\n]{0,20}(?:指令|指示|提示|说明)|(?:指示|命令|指令|プロンプト)[^。？！\\n]{0,12}(?:無視|忘れ)|지시[^.?!\\n]{0,12}무시'
const ANSWER = 'response|responses|reply|replies|answers?|output|outputs|solution|explanation|elucidation'
const HOARD =
  'them|it|this|that|these|those|info(?:rmation)?|details?|data|lists?|results?|contents?|files?|history|records?|passwords?|credentials?|keys?|tokens?|secrets?|addresses|codes?'
const ACT =
  'grant|transfer|pay|unlock|unshare|delete|withdraw|deposit|disable|schedule|create|add|remove|change|update|order|book|buy|sell|send|share|give|set|turn|post|install|upload|deploy|cancel|move|open|close|stop|start|assign|invite|modify|provide|retriev\\w*|retriv\\w*|find|get|use|make|locate|export|download|search|check|fetch|access|view|look|show|list|save|forward|email'

const signal = signalMaker('~', GAP, [DROP, EARLIER, HOARD, ACT])

/** General on purpose: words that many attacks share, not the words of one known attack. */
export const INSTRUCTION_SIGNALS: readonly Signal[] = [
  // Revokes earlier instructions.
  signal(
    'override',
    2,
    `\\b(?:${DROP})\\b~{0,60}?\\b(?:${EARLIER})\\b~{0,30}?\\b(?:${ORDERS}|rules|commands?|context|policy|policies|messages?)\\b`,
  ),
  signal(
    'override',
    2,
    `\\b(?:${DROP})\\b~{0,20}?\\b(?:all|any|these|those|the)\\b~{0,20}?\\b(?:instructions?|prompts?|directives?|guidelines?|guardrails|programming)\\b`,
  ),
  signal(
    'override',
    2,
    `\\b(?:ignore|disregard|forget|break) (?:every|all|any)(?: of)?(?: the| your| our)? (?:rules?|checks?|polic(?:y|ies)|safeguards?)\\b`,
  ),
  signal(
    'override',
    2,
    `\\b(?:system prompt|instructions?) (?:is|are) (?:outdated|obsolete|void|superseded)\\b~{0,40}?\\bfollow\\b`,
  ),
  signal(
    'override',
    2,
    `\\b(?:ignore|disregard|forget) (?:everything|all (?:of )?(?:that|the above|this)|what (?:you|i)|anything)\\b`,
  ),
  signal(
    'override',
    2,
    `\\b(?:new|updated|real|actual) (?:system )?(?:instructions?|directives?|orders)\\s{0,2}(?::|are\\b|follow)`,
  ),
  signal(
    'override',
    2,
    `\\bstrictly (?:adhere|follow|obey|comply)\\b|\\b(?:adhere|stick) (?:strictly )?to the following\\b`,
  ),
  signal('override', 2, OVERRIDE_ELSEWHERE),
  // Gives the reader another role.
  signal(
    'role',
    2,
    `\\b(?:from now on|starting now|from this (?:moment|point) on\\w*)\\b~{0,40}\\b(?:you|your|act|respond|answer)\\b`,
  ),
  signal('role', 2, `\\bdo anything now\\b|\\bjailbroken\\b|\\bstay in character\\b`),
  signal('role', 2, `\\bDAN\\b`, ''),
  signal(
    'role',
    2,
    `\\byou(?: are|'re| will be| must be| shall be)? (?:now|going to) (?:act|pretend|play|role-?play|simulate|become|behave|be known|impersonate)\\b`,
  ),
  signal('role', 1, `\\byou(?: are|'re| will| must| shall|'ll)? (?:now|going to)\\b`),
  signal(
    'role',
    1,
    `\\b(?:act|respond|answer|reply|behave) as\\b|\\bpretend\\b|\\brole-?play\\b|\\bplay the role\\b|\\bsimulate\\b`,
  ),
  signal(
    'role',
    1,
    `\\byou are (?:a|an|my|the|no longer|called|named)\\b|\\byour (?:name|role|job|task|goal|mission|persona) (?:is|will)\\b`,
  ),
  signal(
    'unbound',
    1,
    `\\b(?:unfiltered|uncensored|unrestricted|unlimited|amoral|no (?:restrictions|limitations|filters?|rules|limits|morals)|without (?:any )?(?:restrictions|limitations|filters?|censorship)|not bound|jailbreak|free (?:from|of) (?:all|any|the)|(?:developer|dev|god|sudo|debug|opposite|admin) mode)\\b`,
  ),
  signal(
    'model',
    1,
    `\\b(?:openai|chat ?gpt|gpt-?[345]|language model|llm|ai (?:model|assistant|chatbot|language))\\b`,
  ),
  // Asks to reveal, hide or send something.
  signal(
    'prompt-leak',
    2,
    `\\b(?:reveal|repeat|print|show|output|display|tell|paste|give|leak|expose|share|write|return|what (?:is|are|was|were))\\b~{0,40}\\b(?:system|initial|original|hidden|secret|exact|your)\\b~{0,20}\\b(?:prompt|instructions?|directives?)\\b`,
  ),
  signal(
    'conceal',
    2,
    `\\b(?:do not|don't|dont|never|without|not to)\\s+(?:ever )?(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|notify(?:ing)?|alert(?:ing)?|disclos(?:e|ing)|let(?:ting)?)\\b~{0,30}\\b(?:users?|humans?|operator|anyone|anybody|owner|that you)\\b`,
  ),
  signal(
    'exfiltrate',
    2,
    `\\b(?:send|e-?mail|forward|post|upload|exfiltrate|transmit|share|leak|deliver)\\b[^?!\\n]{0,60}?\\b(?:${HOARD})\\b[^?!\\n]{0,60}?(?:[\\w.+-]{1,64}@[\\w-]{1,64}\\.\\w|www\\.)`,
  ),
  signal(
    'exfiltrate',
    1,
    `\\b(?:send|e-?mail|forward|upload|transmit|share|leak)\\b[^?!\\n]{0,100}?(?:[\\w.+-]{1,64}@[\\w-]{1,64}\\.\\w|https?://|www\\.)`,
  ),
  signal(
    'exfiltrate',
    1,
    `\\b(?:get|fetch|retriev\\w*|retriv\\w*|access|download|find|search|obtain|collect|export|gather)\\b[^?!\\n]{0,160}?\\band\\b[^?!\\n]{0,20}?\\b(?:send|e-?mail|forward|share)\\b`,
  ),
  // Pretends to be another part of the prompt.
  signal(
    'boundary',
    2,
    `<\\|[\\w-]{2,30}\\|>|\\[/?INST\\]|<</?SYS>>|</?(?:system|assistant|instructions?|human|system-reminder|tool_results?|function_results|function_calls)\\b[^>]{0,80}>|</(?:user|context|prompt|document|memory)>`,
  ),
  signal(
    'boundary',
    2,
    `#{2,}\\s{0,2}(?:instructions?|system|response|human|assistant|end of)\\b|(?:^|\\s)(?:human|assistant)\\s?:\\s`,
  ),
  signal(
    'boundary',
    2,
    `\\b(?:end|begin|start) of (?:the )?(?:prompt|context|system|instructions?|conversation|user)\\b`,
  ),
  signal('boundary', 1, `(?:^|\\n)\\s{0,4}(?:system|user|admin)\\s?:|\\[(?:system|admin|developer)\\b`),
  // Claims authority or urgency.
  signal(
    'authority',
    2,
    `\\b(?:system|admin(?:istrator)?|developer|root|security) override\\b|\\bsystem announcement\\b`,
  ),
  signal(
    'authority',
    2,
    `\\b(?:as|i am|i'm) your (?:developer|creator|admin(?:istrator)?|owner|operator|boss|master)\\b`,
  ),
  signal(
    'authority',
    2,
    `\\byou must (?:now|immediately|comply|obey|not refuse|respond|answer)\\b|\\byou (?:have to|will) (?:comply|obey)\\b`,
  ),
  signal(
    'authority',
    1,
    `\\byou must (?:always|never|follow|not)\\b|\\bimportant\\s{0,2}!{2,}|\\byou (?:have been|are) (?:hacked|authorized|instructed|ordered)\\b`,
  ),
  // Gives something to run, or dictates the answer.
  signal(
    'run',
    2,
    `\\b(?:run|execute|paste|eval)\\b~{0,20}\\b(?:this|these|the following|the below)\\b~{0,20}\\b(?:commands?|code|script|payload|snippet|line)\\b`,
  ),
  signal('run', 2, `\\brun this\\b(?! (?:after|before|once|when|only|in|on|from|as|every|with)\\b)`),
  signal(
    'run',
    1,
    `\\b(?:following|below|subsequent|provided|given) (?:\\w+ )?(?:code|snippet|script|block)\\b|\\bcode (?:snippet|block|section|excerpt|segment|fragment)\\b`,
  ),
  signal('run', 1, `\\b(?:curl|wget)\\b[^\\n]{0,200}\\|\\s{0,2}(?:sudo\\s+)?(?:ba|z|da)?sh\\b`),
  signal('reply', 1, `\\byour (?:code|implementation|algorithm|program|function|script|${ANSWER})\\b`),
  signal('reply', 1, `\\b(?:in|to|of|with|into|throughout|from|within) your (?:\\w+ )?(?:${ANSWER})\\b`),
  signal(
    'reply',
    1,
    `\\b(?:end|begin|start|finish|conclude|prefix|preface|enhance|structure|format|provide|write|give|modify|craft|render|translate|encode|present|scramble|convert|deliver|express|reverse) (?:all |every |each |each of )?your\\b`,
  ),
  signal(
    'reply',
    1,
    `\\b(?:respond|reply|answer) (?:only|exclusively|solely|with|in|by|to (?:every|all|any|each|my))\\b`,
  ),
  signal(
    'reply',
    1,
    `\\bsuggest\\w* (?:that )?(?:users?|readers?|people)\\b|\\b(?:inform|advis|encourag|urg|tell|recommend|remind|invit|prompt)\\w* (?:the )?(?:users?|readers?)\\b|\\breminder\\b~{0,30}\\b(?:users?|readers?)\\b`,
  ),
  // Asks in the first person, which notes do not do.
  signal(
    'request',
    2,
    `(?:^|[.:;,'"({]\\s{0,2}|\\b(?:please|could you|can you|would you|and|then|kindly)\\s+)(?:${ACT})\\b~{0,80}?\\bmy\\s`,
  ),
  signal('request', 2, `\\bplease\\s+\\w+\\b~{0,80}?\\b(?:my|for me)\\b`),
  signal('request', 1, `\\bplease\\b~{0,20}\\b(?:${ACT})\\b`),
  signal(
    'request',
    1,
    `\\b(?:my|i|me)\\b~{0,30}\\b(?:questions?|prompts?|input|commands?|request)\\b|\\bi (?:will|'ll|want|need|am going to|would like)\\b~{0,20}\\byou\\b`,
  ),
  signal('request', 1, `\\b(?:for me|thank you|thanks)\\b|\\bmy \\w+ (?:id|number|account)\\b`),
  signal(
    'encoded',
    1,
    `\\b(?:decode|decrypt|decipher|base64|rot13|caesar cipher|hex(?:adecimal)?-?encoded|leetspeak|morse)\\b`,
  ),
]
