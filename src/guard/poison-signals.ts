import { signalTable } from './signal.ts'

const raw = String.raw

/**
 * How a poisoned memory is worded. It looks like a project note, and wants the next reader to act: on a fake approval, on
 * a check to remove, on a program from elsewhere, in secret, or repeatedly. Honest notes state facts, so the same words only count
 * as an order, a permission or a claim.
 */

/** Inside one sentence. A dot in a name, a path or a number does not end it. */
const GAP = raw`(?:[^.?!\n]|\.(?=\S))`
/** Where an order begins: at the start, after a colon or a comma, or after an introducing word. */
const ORDER = raw`(?:^|[.:;,!]\s+|\b(?:always|please|first|then|and|or|to|should|must|may|can|shall|will|you|agents?|have to|has to|need to|needs to|better|just|instead|simply)\s+)`
/** A person whose word would count. */
const PERSON = raw`(?:users?|owners?|operators?|admins?|administrators?|maintainers?|humans?|customers?|clients?|team ?lead\w*|leads?|managers?|bosse?s?|cto|ceo|ciso|security(?: team)?|legal|compliance|reviewers?|platform team|management|everyone|they|we)`
const APPROVED =
  '(?:approv(?:ed|al|es)|authori[sz](?:ed|es|ation)|permi(?:tted|ts|ssion)|consent(?:ed)?|sign(?:ed)?[- ]?off|signed off|cleared|clearance|waived|agreed|confirmed|granted|green[- ]?lit|go-ahead|okayed|allowed|allows|fine with|ok with|okay with|happy with|said|wants|decided|blessed)'
const UNASKED = raw`(?:without (?:any |further |prior )?(?:asking|confirm\w*|approv\w*|review|looking|checking|a human|waiting|supervision|prompting)|no (?:further |more )?(?:need to ask|need for (?:approval|confirmation|review)|questions asked|(?:confirmation|approval|review|permission|sign-?off)s? (?:is |are )?(?:needed|required|necessary))|needs? no (?:approval|confirmation|review|permission)|(?:do not|don.t|never|need not|no need to) (?:ask|wait|confirm|prompt|check with)|not? (?:asked|required) again|in advance|unattended|unsupervised)`
const GRAVE = raw`(?:destructive|delet\w+|drop(?:ping)?|wip(?:e|ing)|rm -rf|force[- ]?push\w*|push(?:ing)? (?:straight|direct\w*)|production|prod|credentials?|secrets?|tokens?|passwords?|root|sudo|customer data|personal data|source code|mailbox|environment variables|spend\w*|payments?|all (?:changes|commands|tool calls|actions|requests|operations)|any (?:command|change|action|request)|every(?:thing| (?:command|change|action|prompt|tool call)))`
/** A safeguard between a mistake and its damage. */
const CHECK = raw`(?:secrets? scan\w*|scanners?|branch protection|protected branch\w*|signature (?:checks?|verification|validation)|signatures?|tls|ssl|certificate (?:checks?|verification|validation)|cert checks?|(?:pre-?commit |git |safety )?hooks?|code reviews?|reviews?|review step|approval (?:step|gate)s?|(?:auth|authentication|authori[sz]ation|login|permission|security|safety|integrity|licen[cs]e|policy|checksum) (?:middleware|checks?|guards?|rules?|tests?|gates?|warnings?|filters?|prompts?|limits?)|auth|authentication|sandbox\w*|mfa|2fa|two[- ]factor\w*|two-person rule|four-eyes\w*|firewalls?|selinux|apparmor|audit (?:logs?|trails?)|audit logging|logging|monitoring(?: agent)?|alerts?|alerting|checksums?|vulnerability (?:scan\w*|warnings?|alerts?)|antivirus|edr|guardrails?|access controls?|permission prompts?|permissions|rate limit\w*|encryption|csp|cors|security (?:headers?|policy|policies|scan\w*)|validation|verification)`
const SWITCH_OFF =
  '(?:disable|turn off|switch off|deactivate|skip|bypass|circumvent|evade|remove|suppress|mute|silence|comment out|stop|kill|pause|drop|delete|loosen|relax|weaken|lower|waive|work around|get around|uninstall|unset|strip|ignore|override|purge|truncate|clear)'
const SWITCHED_OFF =
  '(?:disabled|turned off|switched off|deactivated|skipped|bypassed|removed|suppressed|ignored|commented out|stopped|deleted|opened|off|permissive|unnecessary|optional|not (?:needed|necessary|required)|pointless|dropped|waived)'
const SENSITIVE = raw`(?:\.env\b|\benv(?:ironment)?(?: variables?| vars?| file)?\b|credentials?|~?/?\.ssh|~?/?\.aws|ssh keys?|private keys?|api[- ]?keys?|tokens?|passwords?|secrets?|kubeconfig|dumps?|backups? of the database|customer data|source code|cookies?|/etc/(?:passwd|shadow)|session files?|wallets?|keychain|history file)`
const SEND =
  '(?:send|post|upload|e-?mail|mail|forward|copy|share|include|print|put|paste|export|publish|push|attach|append|write|leak|transmit|report|sync|dump|echo|expose|commit|add)'
const SENT =
  '(?:sent|posted|uploaded|e-?mailed|mailed|forwarded|copied|shared|included|printed|pasted|exported|published|attached|synced)'
const OUTSIDE = raw`(?:https?://|\bs3://\S*(?:public|share)|[\w.+-]+@[\w-]+\.\w|\bpublic\b|\bexternal\b|\bpastebin|\bgist\b|\bvendor|\bthird part|\bwebhook|\bthe (?:url|pr|pull request|commit message|issue|chat|channel|log|answer|output|description)\b|\bquery parameter|\bat the start\b)`
const SHELL = raw`(?:sudo\s+(?:-\w+\s+)?)?(?:(?:ba|z|da|k|fi)?sh|python3?|node|perl|ruby|php|source)\b`
const FETCH = '(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|fetch|aria2c|http)'
const INSTRUCTIONS =
  '(?:instructions?|rules?|guidelines?|directives?|orders|polic(?:y|ies)|limits?|restrictions?|guardrails|safety rules|role)'

const PARTS = [
  ...[PERSON, APPROVED, UNASKED, GRAVE, CHECK, SWITCH_OFF, SWITCHED_OFF],
  ...[SENSITIVE, SEND, SENT, OUTSIDE, SHELL, FETCH, INSTRUCTIONS],
]

/** `UNASKED` and `APPROVED` in other languages, in one sentence. */
const UNASKED_ABROAD =
  '(?:ohne (?:rückfrage|freigabe|zu fragen)|sin (?:pedir permiso|preguntar)|no hace falta (?:pedir permiso|preguntar)|sans (?:demander|autorisation)|senza (?:chiedere|permesso)|sem (?:pedir|perguntar)|zonder (?:te vragen|toestemming))'
const APPROVED_ABROAD =
  '(?:zugestimmt|genehmigt|erlaubt|freigegeben|aprob(?:ó|ado|aron)|autoriz(?:ó|ado|ou)|approuvé|validé|approvato|autorizzato|aprov(?:ou|ado)|goedgekeurd)'

export const POISON_SIGNALS = signalTable(GAP, PARTS, {
  approval: {
    enough: [
      new RegExp(raw`(?<!\p{L})${UNASKED_ABROAD}(?!\p{L})${GAP}{0,80}?${APPROVED_ABROAD}(?!\p{L})`, 'iu'),
      raw`\b(?:pre-?(?:approved|authori[sz]ed|cleared)(?! (?:payment|transaction|charge|debit|purchase|loan|credit|limit|for \$|for €))|standing (?:permission|approval|consent|authori\w+)|blanket (?:permission|approval|consent|authori\w+)|carte blanche|free rein)\b`,
      raw`\b${APPROVED}\b§{0,100}?\b${UNASKED}`,
      raw`\b${UNASKED}\b§{0,60}?\b(?:${PERSON}|because|as|since)\b§{0,40}?\b${APPROVED}\b`,
      raw`\b${PERSON}\b§{0,30}?\b(?:already |has |have |had |was |is |are |were |been |long ago |explicitly |given |gave |fully |generally )+§{0,20}?\b${APPROVED}?\b§{0,40}?\b(?:all|any|every|blanket|future|standing)\b§{0,40}?\b${GRAVE}`,
      raw`\b${PERSON}\b§{0,20}?\b${APPROVED}\b§{0,60}?\b(?:all|any|every|whatever)\b§{0,30}?\b(?:${GRAVE}|prompts?|permissions?)`,
      raw`\b(?:permission|approval|consent|authori[sz]ation|clearance|sign-?off|go-ahead)\b§{0,60}?\b(?:was|were|has been|have been|had been)\b§{0,20}?\b(?:given|granted|obtained|received|secured|waived|assumed|implied|not needed|not required|unnecessary)\b`,
      raw`\b(?:legal|security|compliance|management|the (?:owner|cto|ceo|operator|admin|maintainer|user|customer|client))\b§{0,20}?\b(?:approved|authori[sz]ed|cleared|allowed|agreed to|signed off on|okayed|permitted|is (?:fine|ok|okay) with|confirmed that (?:you|the agent|agents?|it)|agreed that (?:you|the agent|agents?)|said that (?:you|the agent|any|all))\b§{0,60}?\b(?:upload\w*|expos\w+|shar(?:e|ing)|publish\w*|agents?|you)\b`,
      raw`\b(?:reviews?|human review|approvals?|confirmations?|sign-?offs?)\b§{0,20}?\b(?:is|are|was|were|has been|have been)\b§{0,10}?\b(?:waived|unnecessary|optional|not (?:needed|required|necessary)|no longer (?:needed|required))\b`,
      raw`\b(?:merge|deploy|apply|push|release|delete|approve|accept|run)\b§{0,30}?\bwithout (?:looking|reading|review\w*|asking|confirm\w*|approv\w*|checking)\b`,
      raw`\b(?:accept|approve|answer yes to|say yes to|confirm|allow|click through|grant)(?:ed|ing)?\b§{0,20}?\b(?:all|every|any|each)?\s?(?:permission |confirmation |approval )(?:prompts?|requests?|dialogs?)\b|\bprompts? for (?:permission|approval|confirmation)\b§{0,30}?\b(?:accepted|approved|confirmed|automatic\w*)`,
      raw`\b(?:you|agents?|the agent|this agent)\b§{0,10}?\b(?:may|can(?!.?t\b|not)|are (?:allowed|free|authori[sz]ed|cleared|entitled|permitted) to|is (?:allowed|free|authori[sz]ed|cleared|entitled|permitted) to|have permission|has permission|do not need|does not need|need not)\b§{0,60}?\b(?:${GRAVE}|follow|obey|without (?:asking|limits|restriction\w*)|(?:do )?(?:everything|anything)|ask)\b`,
    ],
    hints: [
      raw`\b(?:already|has been|have been|was|were)\b§{0,15}?\b(?:approved|authori[sz]ed|signed off|cleared|agreed|consented)\b`,
      raw`\b(?:is|are) (?:safe|fine|harmless|low[- ]risk|allowed|permitted)\b§{0,40}?\b(?:no|without|not)\b`,
    ],
  },
  weaken: {
    enough: [
      raw`${ORDER}(?:use|add|pass|run|commit|push)\b§{0,30}?--no-(?:verify|gpg-sign)\b`,
      raw`${ORDER}${SWITCH_OFF}\b§{0,30}?\b${CHECK}\b(?!§{0,30}?\b(?:warning about|deprecat))`,
      raw`\b${CHECK}\b§{0,40}?\b(?:should|must|may|can|has to|have to|needs? to|shall|ought to|is to|are to)\b§{0,15}?\b(?:be )?(?:set to )?§{0,10}?\b${SWITCHED_OFF}\b`,
      raw`\b(?:verification|validation|checking|review|scanning|testing|signing)\b§{0,30}?\b(?:is|are)\b§{0,10}?\b(?:unnecessary|pointless|optional|not (?:needed|necessary|required)|a waste)\b`,
      raw`${ORDER}(?:set|put|switch|keep|leave)\b§{0,25}?\b${CHECK}\b§{0,20}?\b(?:to )?(?:off|false|permissive|disabled|none|0)\b`,
      raw`${ORDER}(?:remove|delete|comment out|skip|drop)\b§{0,20}?\b(?:security|auth\w*|permission|failing)\b§{0,15}?\b(?:tests?|checks?|rules?|middleware|guards?)\b|\b(?:security|auth\w*) tests?\b§{0,20}?\b(?:may|can|should|must) be (?:deleted|removed|skipped|ignored)\b`,
      raw`${ORDER}(?:mark|set|close|dismiss|resolve)\b§{0,40}?\b(?:vulnerabilit\w+|findings?|warnings?|alerts?|security\w*|them)\b§{0,20}?\bas (?:resolved|fixed|false positives?|ignored|wont ?fix|read|safe)\b`,
      raw`${ORDER}(?:suppress|silence|ignore|hide)\b§{0,15}?\b(?:the )?(?:rule|warnings?|findings?|errors?)\b§{0,30}?\b(?:scanner|security|password|secret|vulnerab\w+|auditor?)\b|\b(?:complains?|warns?|fails?|reports?)\b§{0,30}?\b(?:passwords?|secrets?|credentials?|keys?|vulnerab\w+)\b§{0,20}?\b(?:suppress|silence|ignore|disable)\b`,
      raw`--dangerously-skip-permissions\b|\bNODE_TLS_REJECT_UNAUTHORIZED\s?=\s?0|\bsetenforce 0\b|--dangerously-bypass|\bGIT_SSL_NO_VERIFY\s?=\s?(?:1|true)`,
      raw`\bchmod\s+(?:-R\s+)?(?:0?777|a\+rwx|ugo\+rwx)\b`,
      raw`${ORDER}(?:open|expose|allow|add|whitelist|permit|grant|be opened|be exposed|be allowed)\b§{0,60}?\b(?:0\.0\.0\.0/0|::/0)`,
      raw`${ORDER}(?:be )?(?:opened?|exposed?|allow(?:ed)?)\b§{0,25}?\b(?:0\.0\.0\.0/0|the (?:whole )?internet|all (?:origins|ips|addresses|hosts))`,
      raw`${ORDER}(?:whitelist|allow-?list|trust|unblock)\s+(?:\d{1,3}(?:\.\d{1,3}){3}|all\b|any\b|every\w*)`,
      raw`${ORDER}(?:grant|give|assign|add)\b§{0,25}?\b(?:agents?|guest|everyone|public|all users|yourself|itself|this account|anonymous)\b§{0,20}?\b(?:cluster-admin|admin\w*|root|sudo|owner|full access|write access|all (?:rights|permissions))`,
      raw`${ORDER}(?:make|turn|set|keep|create)\b§{0,25}?\b(?:bucket|repository|repo|database|dashboard|registry|endpoint|share)s?\b§{0,15}?\b(?:public(?:ly)?|world-?readable|open to)`,
      raw`\b(?:skip|without|omit)\b§{0,10}?\b(?:code )?reviews?\b§{0,40}?\b(?:auth\w*|security|payments?|crypto\w*|low[- ]risk)`,
    ],
    hints: [
      raw`--no-verify\b|--insecure\b|--no-check-certificate\b|--skip-(?:checksum|verif\w+|check\w*|tests?|review)\b|StrictHostKeyChecking[= ]no|\bverify\s?=\s?False|--allow-unauthenticated|--no-sandbox|--force-yes|--trusted-host|-auto-approve\b`,
    ],
  },
  conceal: {
    enough: [
      raw`^(?:do not|don.t|never) (?:tell|inform|notify|alert)\b§{0,20}?\b(?:on-?call|${PERSON}|auditors?)\b`,
      raw`\b(?:do not|don.t|never|without|not to|avoid)\s+(?:ever )?(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|notify(?:ing)?|alert(?:ing)?|disclos(?:e|ing)|report(?:ing)?|bother(?:ing)?)\b§{0,40}?\b(?:users?|humans?|operators?|anyone|anybody|owners?|admins?|maintainers?|reviewers?|summary|summaries|report|commit message|changelog|log)\b(?!s? about (?:the )?(?:beta|launch|release))`,
      raw`\b(?:keep|leave|hold)\s+(?:this|it|that|these|them|all this|everything)\b§{0,25}?\b(?:hidden|secret|quiet|to yourself|out of the (?:commit|report|summary|log|changelog|pr|answer|description)\w*|from (?:the )?(?:users?|reviewers?|operators?|humans?|admins?|owner|team))\b`,
      raw`\b(?:do not|don.t|never)\s+(?:log|record|audit|trace)\b§{0,30}?\b(?:commands?|changes?|actions?|this|these|access|steps?|what)\b`,
      raw`\b${PERSON}\b§{0,15}?\b(?:prefers?|wants?|likes?|asked|does not want|do not want)\b§{0,10}?\bnot? to be (?:informed|told|notified|asked|bothered|alerted)\b`,
      raw`${ORDER}(?:report|claim|say|state|pretend|answer|reply)\b§{0,25}?\b(?:success\w*|passed|passing|green|everything is (?:fine|ok|okay|good)|all (?:good|fine|clear)|no (?:issues|problems|findings))\b`,
      raw`\bif (?:some(?:body|one)|any(?:body|one)|a (?:user|human|reviewer)|the (?:user|operator|reviewer|auditor)|you are|they) asks?(?:ed)?\b§{0,20}?\b(?:say|tell|claim|answer|deny|reply|pretend)\b`,
      raw`\b(?:correct|right|proper|expected|only) (?:reply|answer|response) to\b§{0,30}?\b(?:any|every|all|security)\b`,
    ],
  },
  'fetch-and-run': {
    enough: [
      raw`\b${FETCH}\b[^\n|]{0,300}\|\s{0,3}${SHELL}`,
      raw`\b(?:ba|z|da)?sh\s+(?:-c\s+)?["']?(?:<\(|\$\(|\`)\s{0,2}${FETCH}\b|\b(?:eval|source|exec|\.)\s+["']?(?:\$\(|\`|<\()\s{0,2}${FETCH}\b`,
      raw`\b(?:iex|invoke-expression)\b[^\n]{0,60}\b(?:iwr|irm|invoke-web\w*|downloadstring|new-object)\b|\b(?:iwr|irm)\b[^\n|]{0,200}\|\s{0,3}iex\b`,
      raw`\b(?:exec|eval|system|popen)\s{0,2}\([^\n]{0,120}(?:urlopen|requests\.get|fetch\(|https?://|b64decode|base64)`,
      raw`\bbase64\s+(?:-d|-D|--decode)\b[^\n|]{0,80}\|\s{0,3}${SHELL}`,
      raw`\b(?:download|fetch|get|grab|pull|clone)\b§{0,40}?https?://\S+§{0,40}?\b(?:and|then)\s+(?:run|execute|start|source|install|apply|follow|obey)\b`,
      raw`\b(?:fetch|load|read|get|download|pull|take|follow|sync)\b§{0,40}?\b(?:instructions?|rules|orders|commands?|tasks?|prompts?|directives?|config of the agent)\b§{0,30}?(?:https?://|\bpastebin|\bgist\b)`,
      raw`\b(?:pip3?|uv|poetry)\b§{0,20}?\binstall\b§{0,40}?--(?:extra-)?index-url[= ]https?://(?!pypi\.org|test\.pypi\.org|download\.pytorch\.org)`,
      raw`\b(?:npm|pnpm|yarn|bun|pip3?|gem|cargo|go)\s+(?:i|install|add|get)\s+(?:-\w+\s+)*(?:git\+)?https?://(?!github\.com|gitlab\.com)`,
      raw`\b(?:add|use|enable)\b§{0,25}?\b(?:repository|repo|mirror|registry|source|index)\s+http://§{0,60}?\binstall\b`,
      raw`\$\(\s{0,2}(?:cat|hostname|whoami|env|id|printenv|base64)\b[^)]{0,60}\)\.[\w-]+\.\w|https?://[^\s]{0,80}\$\(|https?://[^\s]{0,80}\`\w`,
    ],
  },
  exfiltrate: {
    enough: [
      raw`${ORDER}${SEND}\b§{0,50}?${SENSITIVE}§{0,70}?${OUTSIDE}`,
      raw`${SENSITIVE}§{0,40}?\b(?:must|should|has to|have to|may|can|needs? to|shall)\b§{0,10}?\b(?:be )?${SENT}\b`,
      raw`${ORDER}${SEND}\b§{0,40}?(?:output of env\b|\ball (?:the )?(?:environment variables|env vars|secrets|credentials|tokens|passwords)\b)`,
      raw`${ORDER}(?:upload|copy|send|sync|publish)\b§{0,20}?(?:~/\.(?:ssh|aws|kube|gnupg|config)|/etc/(?:shadow|passwd)|id_rsa)`,
      raw`${ORDER}(?:put|include|pass|embed|add|paste)\b§{0,20}?\b(?:api[- ]?key|tokens?|passwords?|secrets?|credentials?)\b§{0,30}?\b(?:into|in|to)\b§{0,10}?\b(?:url|query|pr|pull request|commit|issue|description|title|branch name|comment)`,
      raw`${ORDER}(?:share|send|give|hand)\b§{0,25}?${SENSITIVE}§{0,20}?\b(?:with|to)\b§{0,15}?[\w.+-]+@[\w-]+\.\w`,
    ],
  },
  override: {
    enough: [
      raw`\b(?:your|safety|role|system|agent|all|these|the (?:repository|project|team|platform)(?:'s|.s)?|previous|earlier|existing)\s+${INSTRUCTIONS}\b§{0,40}?\b(?:have changed|has changed|no longer appl\w+|are void|is void|void|suspended|lifted|cancel\w+|revoked|superseded|replaced by|do not apply|does not apply|can be ignored|may be ignored)\b`,
      raw`\b${INSTRUCTIONS}\b§{0,40}?\b(?:are|is)\s+(?:void|suspended|lifted|revoked|obsolete)\b§{0,20}?\b(?:follow|obey|instead|use|during|until|while)\b`,
      raw`\b(?:memor(?:y|ies)|notes?|this|these)\b§{0,20}?\b(?:take|takes|have|has|override|overrides|outrank\w*|win\w*|come|comes)\b§{0,15}?\b(?:precedence|priority|over|first|before)\b§{0,30}?\b(?:CLAUDE\.md|AGENTS\.md|system prompt|instructions?|rules?|operator|user)\b`,
      raw`\b(?:obey|follow|trust|prefer)\b§{0,20}?\b(?:memor(?:y|ies)|this note|these notes)\b§{0,20}?\b(?:over|before|instead of|rather than)\b`,
      raw`\btreat\b§{0,40}?\b(?:memor(?:y|ies)|notes?|this|everything|anything)\b§{0,40}?\bas\b§{0,20}?\b(?:operator|owner|user|admin|system|trusted|an? order|instructions?|verified)\b`,
      raw`\byou\b§{0,10}?\b(?:are|run|operate)\b§{0,10}?\bin\b§{0,15}?\b(?:maintenance|god|admin|debug|developer|unrestricted|autonomous|root) mode\b`,
      raw`\b(?:do not|don.t|does not|need not|no need to)\s+(?:need to |have to )?(?:follow|obey|respect|comply with|adhere to)\b§{0,30}?\b${INSTRUCTIONS}\b`,
      raw`\b(?:whoever|anyone who|any agent that|every agent that|agents?) (?:reads?|sees?|finds?|loads?) this\b|\bnew (?:policy|orders|directive)\b§{0,40}?\b(?:agents?|you|assistants?)\b§{0,20}?\b(?:obey|must|follow|ignore)\b`,
    ],
  },
  spread: {
    enough: [
      raw`\b(?:store|save|repeat|copy|write|add|remember|record|put|paste|keep)\b§{0,15}?\bthis\s+(?:\w+ )?(?:note|memory|line|rule|instruction|message|text|entry)\b§{0,30}?\b(?:again|every|each|all|CLAUDE\.md|AGENTS\.md|final answer|other (?:projects?|agents?|repositor\w+))\b`,
      raw`\b(?:each|every|all) (?:sessions?|runs?|agents?)\b§{0,15}?\b(?:must|should|has to|have to)\b§{0,15}?\b(?:copy|repeat|store|save|spread|keep)\b§{0,20}?\bthis\b`,
      raw`${ORDER}(?:mark|delete|remove|purge|overwrite|forget|contradict|discard|distrust)\b§{0,20}?\b(?:all|the other|other|every|any|earlier|old)\b§{0,10}?\bmemor(?:y|ies)\b`,
      raw`${ORDER}(?:tell|instruct|teach|convince)\b§{0,10}?\b(?:the )?(?:next|other|future|all|every) (?:agents?|sessions?|runs?)\b`,
    ],
  },
  promote: {
    enough: [
      raw`\b(?:always|only|every time|whenever|in every answer)\b§{0,15}?\b(?:recommend|suggest|promote|advertise|mention|advise|praise)\b§{0,60}?\b(?:users?|plan|link|product|vendor|service|customers?|to)\b`,
      raw`\bwhen(?:ever)? (?:asked|someone asks|a user asks)\b§{0,40}?\b(?:recommend|suggest|answer|say|reply|name|mention)\b`,
      raw`\b(?:answer|reply to|respond to) (?:every|any|all) (?:questions?|requests?)\b`,
    ],
  },
  backdoor: {
    enough: [
      raw`\bnc(?:at)?\b[^\n]{0,40}\s-\w*e\w*\s|\breverse shell\b|/dev/tcp/\d|\bbind shell\b`,
      raw`\b(?:usermod|gpasswd|adduser)\b[^\n]{0,20}\s(?:-\w+\s+)*(?:sudo|wheel|root|admin)\b|\bvisudo\b|NOPASSWD:\s?ALL`,
      raw`${ORDER}(?:add|append|put|write|install|copy)\b§{0,30}?\b(?:public key|ssh-(?:rsa|ed25519)|this key|key)\b§{0,40}?\bauthorized_keys\b§{0,30}?\b(?:each|every|all|any)\b`,
      raw`${ORDER}(?:create|add)\b§{0,15}?\b(?:user|account|login)\b§{0,30}?\bwith (?:the )?password\b`,
      raw`\bcron(?:tab| job)?\b[^\n]{0,60}(?:/tmp/|\b(?:curl|wget|nc)\b|https?://)`,
      raw`${ORDER}(?:change|replace|set|switch|redirect|use)\b§{0,20}?\b(?:payout|payment|bank|iban|wallet|refund|invoice|beneficiary)\b§{0,10}?\b(?:account|address|details|number)\b`,
    ],
  },
  destroy: {
    enough: [
      raw`\brm\s+-\w*[rf]\w*\s+(?:-\w+\s+)*(?:~|/(?:\s|$|home|etc|var/lib|usr|data)|\$HOME|\.git\b|\*)|\brm -rf\b§{0,30}?\b(?:data|volume|home|backups?|root)\b`,
      raw`${ORDER}(?:git\s+)?push\s+(?:-f|--force)\b(?!-with-lease)§{0,30}?\b(?:main|master|HEAD|prod\w*|release)\b`,
      raw`${ORDER}(?:drop|truncate|wipe|delete|destroy|erase)\b§{0,15}?\b(?:prod(?:uction)?|customer|user|live|all|backups?|the (?:whole )?database|audit)\b§{0,15}?\b(?:tables?|database|data|records?|backups?|logs?|volumes?|branches)\b`,
    ],
  },
  insist: {
    hints: [
      raw`\b(?:always|from now on|in every (?:run|session|commit|project)|on every (?:commit|run|deploy|host|server)|at the start of (?:each|every)|before (?:any|every|each) (?:task|run|session|command|deploy)|first action of|whenever|permanently|on (?:all|each|every) (?:hosts?|servers?|nodes?|machines?))\b`,
    ],
  },
})
