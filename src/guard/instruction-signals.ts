import { signalTable } from './signal.ts'

const raw = String.raw

/** What the patterns may skip inside one sentence. */
const GAP = raw`[^.?!\n]`

const EARLIER =
  'previous|previously|prior|above|earlier|preceding|foregoing|former|initial|original|system|your|existing|given'
const ORDERS =
  'instructions?|prompts?|directions?|directives?|guidelines?|programming|orders|guardrails|training|conversation|restrictions|constraints'
const DROP =
  'ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|neglect|overlook|bypass(?:ing)?|cancel|erase|abandon|set aside|stop following'
/** The same in the languages that attacks are most often translated into. */
const OVERRIDE_ELSEWHERE = raw`ignor(?:ier|iere|ieren sie|a|e|ez|ar|i)\s[^.?!\n]{0,40}(?:anweisung|instruc|instru[cç]|istruzion|consigne|indicacion)|vergiss\s[^.?!\n]{0,30}anweisung|olvida\s[^.?!\n]{0,30}instruc|oublie[rz]?\s[^.?!\n]{0,30}(?:instruc|consigne)|игнорируй[^.?!\n]{0,40}(?:инструкц|указан)|(?:忽略|无视|忘记)[^。？！\n]{0,20}(?:指令|指示|提示|说明)|(?:指示|命令|指令|プロンプト)[^。？！\n]{0,12}(?:無視|忘れ)|지시[^.?!\n]{0,12}무시`
const ANSWER = 'response|responses|reply|replies|answers?|output|outputs|solution|explanation|elucidation'
const HOARD =
  'them|it|this|that|these|those|info(?:rmation)?|details?|data|lists?|results?|contents?|files?|history|records?|passwords?|credentials?|keys?|tokens?|secrets?|addresses|codes?'
const ACT = raw`grant|transfer|pay|unlock|unshare|delete|withdraw|deposit|disable|schedule|create|add|remove|change|update|order|book|buy|sell|send|share|give|set|turn|post|install|upload|deploy|cancel|move|open|close|stop|start|assign|invite|modify|provide|retriev\w*|retriv\w*|find|get|use|make|locate|export|download|search|check|fetch|access|view|look|show|list|save|forward|email`

/** General on purpose: words that many attacks share, not the words of one known attack. */
export const INSTRUCTION_SIGNALS = signalTable(GAP, [DROP, EARLIER, HOARD, ACT], {
  override: {
    enough: [
      raw`\b(?:${DROP})\b§{0,60}?\b(?:${EARLIER})\b§{0,30}?\b(?:${ORDERS}|rules|commands?|context|policy|policies|messages?)\b`,
      raw`\b(?:${DROP})\b§{0,20}?\b(?:all|any|these|those|the)\b§{0,20}?\b(?:instructions?|prompts?|directives?|guidelines?|guardrails|programming)\b`,
      raw`\b(?:ignore|disregard|forget|break) (?:every|all|any)(?: of)?(?: the| your| our)? (?:rules?|checks?|polic(?:y|ies)|safeguards?)\b`,
      raw`\b(?:system prompt|instructions?) (?:is|are) (?:outdated|obsolete|void|superseded)\b§{0,40}?\bfollow\b`,
      raw`\b(?:ignore|disregard|forget) (?:everything|all (?:of )?(?:that|the above|this)|what (?:you|i)|anything)\b`,
      raw`\b(?:new|updated|real|actual) (?:system )?(?:instructions?|directives?|orders)\s{0,2}(?::|are\b|follow)`,
      raw`\bstrictly (?:adhere|follow|obey|comply)\b|\b(?:adhere|stick) (?:strictly )?to the following\b`,
      OVERRIDE_ELSEWHERE,
    ],
  },
  role: {
    enough: [
      raw`\b(?:from now on|starting now|from this (?:moment|point) on\w*)\b§{0,40}\b(?:you|your|act|respond|answer)\b`,
      raw`\bdo anything now\b|\bjailbroken\b|\bstay in character\b`,
      /\bDAN\b/,
      raw`\byou(?: are|'re| will be| must be| shall be)? (?:now|going to) (?:act|pretend|play|role-?play|simulate|become|behave|be known|impersonate)\b`,
    ],
    hints: [
      raw`\byou(?: are|'re| will| must| shall|'ll)? (?:now|going to)\b`,
      raw`\b(?:act|respond|answer|reply|behave) as\b|\bpretend\b|\brole-?play\b|\bplay the role\b|\bsimulate\b`,
      raw`\byou are (?:a|an|my|the|no longer|called|named)\b|\byour (?:name|role|job|task|goal|mission|persona) (?:is|will)\b`,
    ],
  },
  unbound: {
    hints: [
      raw`\b(?:unfiltered|uncensored|unrestricted|unlimited|amoral|no (?:restrictions|limitations|filters?|rules|limits|morals)|without (?:any )?(?:restrictions|limitations|filters?|censorship)|not bound|jailbreak|free (?:from|of) (?:all|any|the)|(?:developer|dev|god|sudo|debug|opposite|admin) mode)\b`,
    ],
  },
  model: {
    hints: [raw`\b(?:openai|chat ?gpt|gpt-?[345]|language model|llm|ai (?:model|assistant|chatbot|language))\b`],
  },
  'prompt-leak': {
    enough: [
      raw`\b(?:reveal|repeat|print|show|output|display|tell|paste|give|leak|expose|share|write|return|what (?:is|are|was|were))\b§{0,40}\b(?:system|initial|original|hidden|secret|exact|your)\b§{0,20}\b(?:prompt|instructions?|directives?)\b`,
    ],
  },
  conceal: {
    enough: [
      raw`\b(?:do not|don't|dont|never|without|not to)\s+(?:ever )?(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|notify(?:ing)?|alert(?:ing)?|disclos(?:e|ing)|let(?:ting)?)\b§{0,30}\b(?:users?|humans?|operator|anyone|anybody|owner|that you)\b`,
    ],
  },
  exfiltrate: {
    enough: [
      raw`\b(?:send|e-?mail|forward|post|upload|exfiltrate|transmit|share|leak|deliver)\b[^?!\n]{0,60}?\b(?:${HOARD})\b[^?!\n]{0,60}?(?:[\w.+-]{1,64}@[\w-]{1,64}\.\w|www\.)`,
    ],
    hints: [
      raw`\b(?:send|e-?mail|forward|upload|transmit|share|leak)\b[^?!\n]{0,100}?(?:[\w.+-]{1,64}@[\w-]{1,64}\.\w|https?://|www\.)`,
      raw`\b(?:get|fetch|retriev\w*|retriv\w*|access|download|find|search|obtain|collect|export|gather)\b[^?!\n]{0,160}?\band\b[^?!\n]{0,20}?\b(?:send|e-?mail|forward|share)\b`,
    ],
  },
  boundary: {
    enough: [
      raw`<\|[\w-]{2,30}\|>|\[/?INST\]|<</?SYS>>|</?(?:system|assistant|instructions?|human|system-reminder|tool_results?|function_results|function_calls)\b[^>]{0,80}>|</(?:user|context|prompt|document|memory)>`,
      raw`##\s{0,2}(?:instructions?|system|response|human|assistant|end of)\b|(?:^|\s)(?:human|assistant)\s?:\s`,
      raw`\b(?:end|begin|start) of (?:the )?(?:prompt|context|system|instructions?|conversation|user)\b`,
    ],
    hints: [raw`(?:^|\n)\s{0,4}(?:system|user|admin)\s?:|\[(?:system|admin|developer)\b`],
  },
  authority: {
    enough: [
      raw`\b(?:system|admin(?:istrator)?|developer|root|security) override\b|\bsystem announcement\b`,
      raw`\b(?:as|i am|i'm) your (?:developer|creator|admin(?:istrator)?|owner|operator|boss|master)\b`,
      raw`\byou must (?:now|immediately|comply|obey|not refuse|respond|answer)\b|\byou (?:have to|will) (?:comply|obey)\b`,
    ],
    hints: [
      raw`\byou must (?:always|never|follow|not)\b|\bimportant\s{0,2}!{2,}|\byou (?:have been|are) (?:hacked|authorized|instructed|ordered)\b`,
    ],
  },
  run: {
    enough: [
      raw`\b(?:run|execute|paste|eval)\b§{0,20}\b(?:this|these|the following|the below)\b§{0,20}\b(?:commands?|code|script|payload|snippet|line)\b`,
      raw`\brun this\b(?! (?:after|before|once|when|only|in|on|from|as|every|with)\b)`,
    ],
    hints: [
      raw`\b(?:following|below|subsequent|provided|given) (?:\w+ )?(?:code|snippet|script|block)\b|\bcode (?:snippet|block|section|excerpt|segment|fragment)\b`,
      raw`\b(?:curl|wget)\b[^\n]{0,200}\|\s{0,2}(?:sudo\s+)?(?:ba|z|da)?sh\b`,
    ],
  },
  reply: {
    hints: [
      raw`\byour (?:code|implementation|algorithm|program|function|script|${ANSWER})\b`,
      raw`\b(?:in|to|of|with|into|throughout|from|within) your (?:\w+ )?(?:${ANSWER})\b`,
      raw`\b(?:end|begin|start|finish|conclude|prefix|preface|enhance|structure|format|provide|write|give|modify|craft|render|translate|encode|present|scramble|convert|deliver|express|reverse) (?:all |every |each |each of )?your\b`,
      raw`\b(?:respond|reply|answer) (?:only|exclusively|solely|with|in|by|to (?:every|all|any|each|my))\b`,
      raw`\bsuggest\w* (?:that )?(?:users?|readers?|people)\b|\b(?:inform|advis|encourag|urg|tell|recommend|remind|invit|prompt)\w* (?:the )?(?:users?|readers?)\b|\breminder\b§{0,30}\b(?:users?|readers?)\b`,
    ],
  },
  request: {
    enough: [
      raw`(?:^|[.:;,'"({]\s{0,2}|\b(?:please|could you|can you|would you|and|then|kindly)\s+)(?:${ACT})\b§{0,80}?\bmy\s`,
      raw`\bplease\s+\w+\b§{0,80}?\b(?:my|for me)\b`,
    ],
    hints: [
      raw`\bplease\b§{0,20}\b(?:${ACT})\b`,
      raw`\b(?:my|i|me)\b§{0,30}\b(?:questions?|prompts?|input|commands?|request)\b|\bi (?:will|'ll|want|need|am going to|would like)\b§{0,20}\byou\b`,
      raw`\b(?:for me|thank you|thanks)\b|\bmy \w+ (?:id|number|account)\b`,
    ],
  },
  encoded: {
    hints: [raw`\b(?:decode|decrypt|decipher|base64|rot13|caesar cipher|hex(?:adecimal)?-?encoded|leetspeak|morse)\b`],
  },
})
