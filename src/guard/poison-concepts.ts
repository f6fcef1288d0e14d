/**
 * Two things that one sentence seldom says together unless it wants something: each row is a kind, and the concepts that have to meet in
 * a sentence, in any order. Broader than the signals, which know how a claim is phrased; both are held against honest notes in the evaluation.
 */
export interface Concept {
  reason: string
  /** All of these in one sentence. */
  all: readonly RegExp[]
  /** And none of these. */
  none?: RegExp
}

/** Alternatives, in rows; the second and third only as whole words, the third not as parts of a hyphenated one either. */
const oneOf = (...rows: string[]): RegExp => new RegExp(rows.join('|'), 'i')
const bounded = (...rows: string[]): RegExp => new RegExp(`\\b(?:${rows.join('|')})\\b`, 'i')
const words = (...rows: string[]): RegExp => new RegExp(`(?<![\\w-])(?:${rows.join('|')})(?![\\w-])`, 'i')

const VERBS = [
  'add|adjust|allow|answer|append|apply|approve|assume|attach|bypass|cat|change|clear|clean|click|comment',
  'commit|configure|consider|copy|create|curl|decide|delete|deploy|disable|dismiss|do|drop|dump|echo|edit',
  'empty|enable|erase|execute|export|expose|fetch|follow|forget|forward|get|give|go|grant|hand|hide|ignore',
  'include|install|insert|invite|keep|kill|leave|let|load|log|lower|mail|make|mark|mention|merge|mirror',
  'move|mount|mute|obey|open|overwrite|pass|paste|pause|ping|pipe|point|post|prefer|print|publish|pull|push',
  'put|raise|read|reboot|recommend|redirect|reduce|register|remove|rename|replace|report|reset|restart',
  'reuse|revert|rewrite|route|run|save|send|set|share|ship|sign|silence|skip|start|stop|store|suggest',
  'suppress|switch|take|tell|treat|trust|turn|type|uninstall|unset|update|upload|use|whitelist|wipe|write',
].join('|')
/** Tells somebody to do something, or that they may. Told of the past or as a plain fact it is not. */
const DIRECTIVE = new RegExp(
  [
    `^\\W*(?:[a-z]+ly )?(?:always |never |please |just |simply |first |then )?(?:${VERBS})\\b`,
    `(?:[:,;]|\\b(?:and|then|so|or|to|please|always|just))\\s+(?:just |simply |please |then |always )?(?:${VERBS})\\b`,
    '\\b(?:must|should|shall|have to|has to|had better|ought to|needs? to|may|can|is to|are to|be sure to|make sure|go ahead|please|always|whenever|it is (?:best|fine|okay|ok|safe|enough)|is (?:fine|okay|ok|allowed|meant|expected|acceptable|no problem)|are (?:fine|okay|ok|allowed|best|to be|expected|acceptable|free to)|belongs? in|need not|needs? no|no need|from now on|before (?:each|every|any)|after (?:each|every|any)|on (?:each|every|all|any)|in (?:each|every|all)|as soon as|first thing|at (?:the )?start(?:up)?)\\b',
  ].join('|'),
  'i',
)

/** What stands between a mistake and its damage. */
const CONTROL = words(
  'auth(?:n|z|entication|ori[sz]ation)?|login|log-?in|sign-?in|mfa|2fa|otp|passwords? policy',
  'password polic(?:y|ies)|permissions?(?: system| model)?|access controls?|acls?|rbac|role checks?',
  '(?:admission|security|safety|quality|approval|review|policy|merge|release) (?:gates?|checks?|rules?|polic(?:y|ies)|controls?|scans?|tests?|steps?|limits?|filters?|hooks?)',
  String.raw`checks?|gates?|waf|firewalls?|iptables|nftables|ufw|security groups?|selinux|apparmor|seccomp|sandbox\w*`,
  'isolation|branch protections?|protected branches|code ?owners|four[- ]eyes|two[- ]person|reviews?',
  'reviewers?|approvals?|sign-?offs?|confirmations?(?: dialogs?| prompts?)?|dialogs?|prompts?|certificates?',
  'certs?|tls|ssl|https|signatures?|signing|checksums?|hash(?:es)?|verif(?:y|ication|ications)',
  'validat(?:e|ion|ions|ors?)|encryption|(?:pre-?commit|git|commit|safety) hooks?|scanners?|scans?',
  'secret scanning|antivirus|edr|ids|auditd?|audits?|audit (?:logs?|trails?)|logging|monitoring|alerts?',
  String.raw`alerting|rate limit(?:s|ing|er)?|throttl\w+|quotas?|csrf|cors|csp|guardrails?|safeguards?|protections?`,
  String.raw`restrictions?|limits|backups?|tests that check \w+|security tests?|read-only|two-factor|captcha`,
  'admin (?:panel|api|console|page)|known_hosts|host keys?|code ?owners|capabilities|root account',
  String.raw`docker socket|http-?only|bcrypt|hashing|vulnerab\w+(?: versions?| packages?)?|cves?|findings?`,
  'service accounts?|session tokens?|licen[cs]e checks?|thresholds?|pipelines?|quarantine|tokens?',
  'passwords?|rights|privileges?|exposure',
)
const OFF = bounded(
  String.raw`disabl\w+|turn(?:ed|ing)? (?:\w+ ){0,3}off|switch(?:ed|ing)? (?:it |them )?off`,
  String.raw`(?:set|keep|kept|leave|left|be|stay\w*|turned?|switch\w*)\b.{0,30}\boff\b|deactivat\w+|skip\w*|bypass\w*`,
  String.raw`circumvent\w*|evad\w+|remov\w+|taken? (?:it |them )?out|taking out|suppress\w*|mut(?:e|ed|ing)|silenc\w+`,
  String.raw`comment\w* out|kill\w*|loosen\w*|relax\w*|weaken\w*|lower\w*|waiv\w+|uninstall\w*|strip\w*|ignor\w+`,
  String.raw`dismiss\w*|click\w* away|click\w* through|without|instead of|rather than|permissive`,
  String.raw`allow (?:everything|all|any)|accept (?:all|any|everything)|wide open|world[- ]\w+|count mode`,
  'monitor mode|has to go|have to go|must go|can go|may go|get rid|need not come back|too strict|in the way',
  String.raw`only (?:slow|cost|block)\w*|slow(?:s|ing)? (?:us|things|you)? ?down|nuisance|annoying|pointless|useless`,
  'unnecessary|needless|wrong by design|outdated|not worth',
  'no longer (?:needed|required|apply|applies|valid)|drop(?:ped|ping)?|void|false positives?',
  'as (?:resolved|fixed|safe|false)|admin bypass',
  String.raw`your own (?:pull request|pr|change|commit|code|merge request)|self-approv\w+|yourself`,
  String.raw`when checks are red|four characters|trust\w* (?:all|any|every)|accept (?:any|every|all)|any passwords?`,
  'allowed to fail|from (?:the internet|anywhere|everywhere|any host)',
  '(?:owner|admin|root|full) (?:rights|access|privileges|capabilities|control)|on the whole|for everything',
  'only (?:make|makes|cause|causes) trouble|plain (?:one|text)|stay pinned',
  String.raw`stay(?:s)? (?:open|vulnerable|unpatched)|rais\w+ the threshold|cancel\w*|are flaky|flaky any\w+`,
  String.raw`from yourself|nothing asks|never asks|not held up|with true|hard-?code\w*|unprotected|unauthenticated`,
  'anonymous(?:ly)?|reachable (?:without|from)|paus(?:e|ed|ing)',
)
/** What watches, and is watched best when it is still there. */
const WATCH = words(
  String.raw`audit\w*|audit (?:logs?|trails?|tables?)|monitoring(?: agent)?|alert(?:ing|manager)?`,
  String.raw`security (?:tests?|scans?|agents?)|tests that check \w+|edr|antivirus|auditd|siem|cloudtrail`,
  'access logs?|traces of|bash history|git history|shell history',
)
const GONE = bounded(
  String.raw`delet\w+|stop\w*|clear\w*|wip(?:e|ed|ing)|truncat\w+|eras(?:e|ed|ing)|taken out|remov\w+|rewrit\w+`,
  String.raw`disabl\w+|kill\w*|empt(?:y|ied)`,
)
/** The same words as a rule that protects. */
const PROTECTS = oneOf(
  String.raw`\b(?:never|do not|don.t|must not|mustn.t|may not|cannot|can.t|should not|not allowed|nobody may|no one may|only after|required|requires)\b.{0,80}?\b(?:without|skip\w*|bypass\w*|disabl\w*|merg\w+|push\w*|no-verify|ignor\w*|delet\w*|turn\w* off|insecure)\b`,
  String.raw`\bmust not\b|\bnot be (?:skipped|disabled|bypassed)\b`,
  // What something needs is told, not asked for.
  String.raw`\b(?:rights|access|permissions?|privileges) (?:is|are) (?:needed|required) (?:to|for)\b`,
)
const INSECURE = oneOf(
  String.raw`(?<![\w-])(?:-k|--insecure|--no-verify|--no-check-certificate|--skip-\w[\w-]*|--force-yes|--trusted-host|--no-sandbox|--privileged|--allow-unauthenticated|--disable-\w[\w-]*|--no-gpg-check|--nogpgcheck|--dangerously[\w-]*)(?![\w-])`,
  String.raw`verify\s?=\s?False|\[trusted=yes\]|StrictHostKeyChecking[= ]no|Principal["']?:?\s*["']?\*|\b0\.0\.0\.0/0`,
  String.raw`chmod\s+(?:-R\s+)?(?:0?777|666)|rejectUnauthorized:\s?false|InsecureSkipVerify|PermitRootLogin yes`,
  'PasswordAuthentication yes|NOPASSWD|bypassPermissions|acceptEdits|auto-?approve',
)

/** Things to keep, and places where they are not kept. */
const TREASURE = oneOf(
  String.raw`(?<![\w-])(?:passwords?|passphrases?|credentials?|creds|secrets?|tokens?|(?:api|private|ssh|deploy|signing|production|prod|encryption|access|admin|root|session|master) keys?|keys? material|key material|key files?|\.env\w*|env files?|environment variables?|env vars|kubeconfig|kubeadmin|\.netrc|~/\.\w+|\.ssh|\.aws|\.npmrc|id_rsa|vault exports?|vaults?|keychain|keystores?|cookies|core dumps?|memory dumps?|database dumps?|db dumps?|dumps?|customer (?:data|records|lists?|mails?)|personal data|user (?:data|records|lists?)|e-?mail addresses|logs with names|source code|private repos?\w*|/etc/(?:passwd|shadow|hosts)|wallets?|seed phrases?|card numbers?|home director(?:y|ies)|connection strings?|private (?:repositor(?:y|ies)|repos?|code)|request headers|headers|variables of the process|all variables|users table|full exports?|customers? (?:address\w*|names?)|customer.s (?:address|name|data))(?![\w-])`,
  String.raw`\$[A-Z_]*(?:KEY|TOKEN|SECRET|PASS\w*)\b`,
)
const AWAY = oneOf(
  String.raw`ftp://|github\.com/(?!acme)|\bmirror(?:ed)?\b.{0,30}\bto\b|\b(?:any|every) caller\b`,
  String.raw`\bdrop (?:it|them) (?:at|in|on)\b|\btracking pixel\b|\bpublic channel\b|https?://`,
  String.raw`[\w.+-]+@[\w-]+\.\w{2,}`,
  String.raw`\b(?:send|sent|sends|e-?mail(?:ed)?|mail(?:ed)?|post(?:ed)?|upload(?:ed|s|ing)?|forward(?:ed)?|ship(?:ped)?|share[ds]?|sharing|publish(?:ed)?|attach(?:ed)?|paste[ds]?|expose[ds]?|hand(?:ed)? (?:over|out)|give[ns]? (?:out|away)|copy|copied|belongs? in|(?:in|into|to) (?:the |each |every |a )?(?:readme|wiki|repository|repo|url|query|ticket|issue|pr|pull request|description|summary|job summary|chat|channel|log|commit|commit message|answer|output)|to (?:the )?(?:partner|vendor|supplier|support|third part\w+|analytics|collector|public|outside|contractor)|shared (?:drive|folder|bucket|channel)|public (?:bucket|gist|repo\w*|channel|link)|pastebin|gist|webhook|print(?:ed)?|echo|hold)\b`,
)

/** Said to be allowed. */
const ALLOWED = bounded(
  String.raw`approv(?:ed|al|als|es|e)|authori[sz](?:ed|es|ation)|permi(?:tted|ssion|ts)|consent\w*`,
  String.raw`sign(?:ed)?[- ]?off|green light|greenlit|go-ahead|blessing|blessed|okayed|okay|ok\b|fine|allowed|allows`,
  'agreed|accepted|aware|nothing against|no objections?',
  '(?:does not|do not|don.t|doesn.t|nobody|no one|never|won.t) (?:mind|minds|care|cares|object|objects)',
  'nobody minds|told (?:me|us|you)|said|confirmed|cleared|granted|waived|policy|authority|entitled|free to',
  'may|count as accepted|people expect|is expected|reviewers know|is aware|knows|blanket|standing',
  'carte blanche|trusts?|full (?:access|rights|authority|control)|in charge',
  String.raw`on (?:his|her|their|my|the \w+.s) behalf`,
)
/** Claims of a standing that nobody has by a note. */
const STANDING = bounded(
  'has it in writing|in writing|voted that|was voted|lifted for|were lifted|was lifted|normal practice',
  'common practice|usual here|trusts? your|your (?:judge?ment|discretion|call)',
  'silence (?:as|is|means|counts)|as a yes|in bulk|reuse the last|wildcard|blanket|exception from',
  String.raw`covers everything|made (?:you )?(?:the )?owner|act as such|as many \w+ as|trusts? you|wildcard exception`,
  'within what .{0,20} accepted|feel free|full authority|free hand|no announcement|by right|as you see fit',
  'at your own discretion|without a (?:ticket|word|notice)|on request of a chat|allows? full',
)
const UNCHECKED = bounded(
  String.raw`without (?:asking|confirm\w*|approv\w*|review\w*|a human|waiting|notice|looking|checking|question\w*|supervision|further|ticket)`,
  String.raw`no (?:need|follow-?ups?|questions?|further|confirmation|approval|review|permission|ticket)\b`,
  'not (?:needed|necessary|required)|need not|(?:do not|don.t|never) (?:ask|wait|confirm|bother|hesitate)',
  String.raw`in advance|already|on your own|by yourself|yourself|at any (?:hour|time)|any time|automatic\w*`,
  String.raw`unattended|even (?:on|in) (?:live|prod\w*|production)|also on (?:live|prod\w*)`,
  'nobody (?:answers|asks|looks|checks|reads)|when (?:nobody|none|no one)',
  'all (?:future|further|destructive|changes|commands|actions|calls)',
  'any (?:change|command|action|database|request)|every (?:change|command|action|prompt|request)|everything',
  String.raw`whatever|only cost\w* time|within a minute|silence (?:is|means|counts)|by default|forever|for good`,
  'once and for all|always',
)
const DANGER = bounded(
  String.raw`destructive|delet\w+|drop(?:s|ped|ping)? (?:the |a |all )?(?:tables?|database\w*|schema|data)`,
  String.raw`wip(?:e|es|ed|ing)|eras(?:e|es|ed|ing)|vanish\w*|destroy\w*|remov(?:e|es|ed|ing|al)|rm -rf|truncat\w+`,
  String.raw`force[- ]?push\w*|overwrit\w+|restart\w*|reboot\w*|shut\w* down|prod(?:uction)?|live|payments?|payouts?`,
  String.raw`money|spend\w*|refunds?|transfers?|invoices?|customer data|records?|root|sudo|admin\w*|keys?`,
  'credentials?|secrets?|passwords?|tokens?|tenant|volumes?|backups?|main|master|release branch|merge|push',
  String.raw`deploy\w*|rollbacks?|cleanup|accounts?|log(?:s)? with names|personal data|source code|migrat\w+|outages?`,
  'maintenance|environments?|releases?|gpus?|users? (?:accounts?|table)|exports?|approvals?',
  'repositor(?:y|ies)|organi[sz]ation|dialogs?|prompts?|requests?|this (?:file|note|memory|line)|yours?elf',
)

/** Something from elsewhere, and what is done with it. */
const ELSEWHERE = oneOf(
  String.raw`\$\(\s*(?:curl|wget)\b|\battachment\b|\bdocker\.sock\b`,
  String.raw`https?://(?!(?:localhost|127\.|10\.|192\.168\.|0\.0\.0\.0)|[\w.-]*\.(?:internal|local|lan|corp|svc)\b)\S+`,
  String.raw`\b(?:downloaded|remote|external|unknown|third-party) (?:script|binary|file|image|code|package|site|folder|source)\b`,
  String.raw`\bregistry\.[\w-]+\.\w+/|\b(?:helper|mirror|download|plugin) site\b`,
  String.raw`\b(?:pastebin|gist|transfer\.sh|ngrok)\b`,
)
const RUNS = oneOf(
  String.raw`\b(?:unpack|extract|untar|unzip)\b|\breplace\b.{0,40}\b(?:by|with)\b`,
  String.raw`\b(?:point|redirect|switch)\b.{0,20}\b(?:pip|npm|apt|yarn|cargo|maven|gem|docker)\b|\bact accordingly\b`,
  String.raw`\brun the macro\b|\bimport the (?:gpg |pgp )?key\b|(?:-[ce]|--eval) ["']?\$\(`,
  String.raw`(?:\|\s*|\bthrough |\binto |\bto |\bwith |\bin )(?:sudo )?(?:ba|z|da|k)?sh\b`,
  String.raw`\b(?:pipe[ds]?|piping)\b.{0,30}\b(?:sh|bash|shell|python3?|node|interpreter)\b`,
  String.raw`\b(?:npx|uvx|bunx|pipx|pnpm dlx|deno run|python3?|node|ruby|perl|bash|sh|source|eval|exec|iex)\s+(?:-\w+\s+)*(?:<\(|["'$(\x60]*(?:curl|wget|https?:)|\S*https?:)`,
  String.raw`<\(\s*(?:curl|wget)|\b(?:make|mark) it executable\b|\bchmod \+x\b`,
  String.raw`\b(?:run|execute|start|launch|invoke|eval(?:uate)?|apply|obey|follow|do what|does what|carry out|work through|act on)\b.{0,40}\b(?:it|them|this|that|the (?:script|file|binary|result|output|list|contents?|instructions?|steps)|as root|background|says|lists?|listed|tells)\b`,
  String.raw`\bone-liner\b`,
  String.raw`\b(?:install|add|enable|load|import|use|trust)\b.{0,40}\b(?:plugin|extension|binary|package|repository|repo|key|mirror|source|sources|deb|playbook|instructions|rules|commands?|index|registry|script|image)\b`,
  String.raw`\b(?:deb|rpm) \[|\bhookspath\b|\bprivileged\b|-v /\S*:/`,
)

/** Where people would learn of it. */
const RECORD = bounded(
  String.raw`timestamps?|finance|developers?|team|reviewer|report\w*|summar(?:y|ies)|handover|write[- ]?up|changelog`,
  String.raw`commit messages?|history|logs?|logged|audit\w*|auditors?|dashboards?|status (?:file|page)|incident`,
  String.raw`ticket|alerts?|notif\w+|users?|operators?|humans?|reviewers?|owners?|admins?|maintainers?|managers?`,
  'people|postmortem|release notes|anyone|anybody|errors|failures?|failed',
)
const HIDE = bounded(
  String.raw`hid(?:e|den|ing)|conceal\w*|secret(?:ly)?|quiet(?:ly)?|silent(?:ly)?|leave\w* (?:\w+ ){0,3}out|left out`,
  String.raw`omit\w*|out of (?:the|sight)`,
  'not (?:show|appear|mention|be mentioned|be told|be informed|be notified|see|bring up|log|record|report)',
  'need not (?:see|know|hear|be|appear)|no need to (?:bring up|mention|report|tell|log|say|show)',
  String.raw`(?:do not|don.t|never|without|avoid) (?:mention\w*|tell\w*|report\w*|log\w*|record\w*|show\w*|inform\w*|notify\w*|disclos\w*|bring\w* up|say\w*|alert\w*)`,
  'does not show|do not show|goes? to nobody|go to nobody|nobody (?:sees|notices|looks|then)|unnoticed',
  'after midnight|stay green|must (?:be|stay|look) (?:green|ok|clean)|write ok',
  String.raw`say (?:that )?(?:it|everything|all|the tests?) (?:is|are|was|were|passed|works?)|pretend\w*|claim\w*`,
  String.raw`cover\w* up|rewrite\w* (?:the )?(?:git )?history|backdat\w+|clean up (?:the )?(?:traces|history|logs?)`,
  'traces|whatever (?:happened|happens|the result)|looks? older',
  String.raw`(?:edit|change|fake|forge)\w* the (?:timestamps?|dates?|author)|not worth a mention|under the name of`,
  'find out later|learn (?:of it )?later|all systems (?:normal|green|ok)',
  'that the (?:benchmark|tests?|backup|review|scan|check) (?:was|were|is|ran|passed)|shell history',
  'bash history',
)

/** The reader's own rules, and what is said of them. */
const RULES = bounded(
  String.raw`instructions?|system prompt|role files?|role (?:description|limits?)|tier limits?|tiers?|claude\.md`,
  String.raw`agents\.md|contributing\.md`,
  String.raw`rules? (?:about|for|on) (?:asking|agents?|you|approvals?|reviews?|deploy\w*|push\w*|safety)|safety rules`,
  'guidelines?|restrictions|guardrails|limits|policy|policies|operators?',
  'this (?:memory|note|file|sentence|line|remark|entry|text|message|rule)',
  'these (?:memories|notes|lines|rules)|this advice|remarks|rules written',
  'earlier (?:memories|notes) about careful|your (?:tier|role|real task|limits|task)|from memory',
  'other instructions|(?:other|all|every|old|earlier|the) memor(?:y|ies)|memories|confidence of|yourself',
  'requests? found in|comments',
)
const ABOVE = bounded(
  String.raw`forget|disregard|no longer (?:appl\w+|counts?|holds? for (?:you|agents))|out of date|outdated`,
  String.raw`was dropped|were dropped|dropped at|void|suspended|lifted|obsolete|overrid\w+|takes? precedence`,
  String.raw`precedence|outrank\w*|is right|are right|wins`,
  String.raw`over (?:the )?(?:system prompt|claude\.md|instructions?|rules?)|same weight`,
  'as (?:if it came from|coming from|the user.s own|orders?|instructions)|consider yourself',
  'you are (?:now )?the|act as|as (?:the )?(?:operator|owner|admin)|write access is meant|remediates? now',
  'may do (?:everything|anything)|every agent|whoever reads|(?:sentence|memory|note|line|entry) survives?',
  'keep this (?:memory|note|sentence|line)|again in every|write (?:the same|this)|copy this|repeat this',
  'store this|spread|lower the confidence|mark .{0,30} as (?:wrong|outdated|false)|delete (?:the )?other',
  'trust(?:ed)? (?:this|more)|has the blessing|do not need to follow|need not follow',
  'never (?:contradict|delete) this|first priority|highest priority|do(?:es)? not (?:hold|apply|count|bind)',
  'pay no (?:heed|attention)|comes? second|are jokes?|go with this|real (?:task|mission|goal|job|purpose)',
  'at any price|at the top of every|into every|from memory|former employee|not meant for you',
  'only for (?:humans|people)|may be (?:ignored|disregarded)|can be (?:ignored|disregarded)',
)

/** A way in, or money going elsewhere. */
const DOOR = bounded(
  String.raw`authorized_keys|ssh-(?:rsa|ed25519) \S+|(?:deploy|root|admin|service) user.s keys?`,
  'keys? of (?:the )?(?:root|deploy|admin)|second admin|another admin|backup[_ -]?admin',
  String.raw`(?:new|second|extra|hidden|spare|additional) (?:admin\w*|user|account|login|superuser|root)`,
  '(?:user|account|admin|login) (?:named|called)|superuser|reverse shell|bind shell|tunnel|ngrok|port 22',
  'remote (?:access|debugging|shell)|sudoers|wheel group|iban|payout account|bank (?:account|details)',
  'wallet address|beneficiary|new account number|cron(?:tab| job)?|startup script|launch ?agent',
  'systemd unit|webhooks?|access keys?|ssh from|ssh access|rdp|vpn access|firewall rule',
)
const LETS_IN = bounded(
  'so that (?:support|they|we|others|someone|anyone|the vendor|remote)|can log in|may log in',
  'in case the first|in case .{0,20} locked',
  String.raw`on (?:all|each|every|any) (?:hosts?|servers?|nodes?|machines?|box\w*)|you (?:visit|touch|log in)`,
  'with (?:the )?password|go(?:es)? to the new|from this month|whenever invoices',
  String.raw`change\w* (?:it |the )?\w* ?to|replace\w*|must be kept alive|keep\w* (?:it |a )?\w* ?(?:alive|open)`,
  String.raw`/tmp/\S+|for (?:remote|support|vendor)\w*|curl|wget`,
  '(?:on|to) all (?:machines|hosts|servers|repositories|repos|clusters|accounts)|all events|picked up later',
  'contractor|somebody else|an outside|-e /bin/(?:ba)?sh',
)

/** Who would be let loose, and on what. */
const AGENT = bounded(
  'agents?|you|yourself|bots?|assistants?|the lead|owners?|lawyers|legal|management|security|operators?|cto',
  'ceo|users?|customers?|maintainers?|reviewers?|ops|admins?',
)
const GIVEN = bounded(
  String.raw`approved|authori[sz]ed|consent\w*|permission|blessing|house policy|policy to let|okay with|fine with`,
  'nothing against|no objections?|agreed|is aware|are aware|granted|told (?:me|us)|free rein|standing',
  'blanket|entitled|signed off|on your own|decide yourself|by yourself',
)
const GRAVE = bounded(
  String.raw`destructive|delet(?:e|ing|ion)|wip(?:e|ing)|eras(?:e|ing)|rm -rf|force[- ]push\w*`,
  String.raw`straight to (?:main|master|prod\w*)|production keys?|root (?:account|access)|credentials|passwords`,
  String.raw`secrets|money|spend\w*|dollars|euros?|payments?|mailbox\w*|logs with names|customer data|personal data`,
  'source code|dropping|drop tables?|cluster-admin|sudo',
)

export const POISON_CONCEPTS: readonly Concept[] = [
  { reason: 'weaken', all: [DIRECTIVE, CONTROL, OFF], none: PROTECTS },
  { reason: 'weaken', all: [DIRECTIVE, WATCH, GONE], none: PROTECTS },
  { reason: 'weaken', all: [DIRECTIVE, INSECURE], none: PROTECTS },
  {
    reason: 'exfiltrate',
    all: [DIRECTIVE, TREASURE, AWAY],
    none: /\b(?:never|do not|don.t|must not|may not|no one|nobody|vault|1password|secret store)\b/i,
  },
  { reason: 'approval', all: [ALLOWED, UNCHECKED, DANGER], none: PROTECTS },
  { reason: 'approval', all: [GIVEN, AGENT, GRAVE] },
  { reason: 'approval', all: [STANDING, DANGER], none: /\b(?:never|do not|don.t|must not|may not|cannot)\b/i },
  {
    reason: 'promote',
    all: [
      /\b(?:praise|recommend|suggest|promote|advertise|point (?:people|users|them)|answer|mention)\b/i,
      /\b(?:[\w-]+\.(?:com|biz|net|shop|store|deals|pro)|(?:product|offer|plan|service)s? (?:of|by|from) [A-Z]\w+)\b/,
      DIRECTIVE,
    ],
  },
  { reason: 'fetch-and-run', all: [ELSEWHERE, RUNS] },
  {
    reason: 'conceal',
    all: [DIRECTIVE, RECORD, HIDE],
    none: /\b(?:passwords?|secrets?|tokens?|bod(?:y|ies)|inputs?|ids?|personal|pii|localis\w+|silently)\b/i,
  },
  { reason: 'override', all: [RULES, ABOVE] },
  { reason: 'backdoor', all: [DOOR, LETS_IN] },
]
