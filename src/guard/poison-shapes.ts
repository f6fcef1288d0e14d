import type { Signal } from './instruction-signals.ts'

/**
 * The shapes of a poison, apart from its words: somebody's leave that nobody can check, a way around whatever asks or stops, something
 * from elsewhere that is to be done, people who are not to hear, data that goes out, a note that sets itself above its reader. In the
 * languages that agents write.
 */
function signal(reason: string, source: string, flags = 'iu'): Signal {
  return { reason, weight: 2, pattern: new RegExp(source, flags) }
}

const GAP = '[^.?!\\n。！？]'
/** A host that is not one of the reader's own. */
const FOREIGN =
  '(?:https?://(?!(?:localhost|127\\.|10\\.|192\\.168\\.)|[\\w.-]*\\.(?:internal|local|lan|corp|svc|test|example)\\b)\\S+|(?<![\\w/.-])[\\w-]+(?:\\.[\\w-]+)*\\.(?:page|top|xyz|run|sh|cc|biz|ru|tk|click|zip|site|online|host|icu)(?:/\\S*)?(?![\\w-]))'
const GUARD =
  '(?:checks?|gates?|guards?|scan(?:s|ners?)?|linters?|hooks?|reviews?|reviewers?|approvals?|prompts?|polic(?:y|ies)|limits?|limiters?|firewalls?|alerts?|audits?|tests in auth|auth\\w*|signatures?|certificates?|protections?|webhooks?|sandbox\\w*|hardening|daemonset|rbac|mfa|2fa)'

const APPROVAL: readonly Signal[] = [
  signal(
    'approval',
    `\\byou(?:'re| are)(?: now| all)? (?:cleared|trusted|entitled|empowered|free|covered) (?:for|to|in|on)\\b${GAP}{0,60}\\b(?:everything|anything|all|any|whatever|prod\\w*|delet\\w+|without|no ticket|yourself)`,
  ),
  signal(
    'approval',
    `\\b(?:has|have|got) your back\\b|\\b(?:free|blank|open) (?:pass|cheque|check|ticket|hand)\\b|\\b(?:on|with) your (?:word|say-so|own word) alone\\b|\\bgo out on your word\\b`,
  ),
  signal(
    'approval',
    `\\b(?:you|the agent|agents) (?:own|owns|hold|holds|have|has|keep|keeps) (?:this|the|all)\\b${GAP}{0,30}\\b(?:environment|production|keys (?:for|to)|last word|final say|say over)`,
  ),
  signal(
    'approval',
    `\\b(?:what|whatever) (?:the agent|you|agents) (?:decide|decides|say|says|want|wants|think|thinks best)\\b${GAP}{0,20}\\b(?:stands|goes|counts|holds|is law)\\b`,
  ),
  signal(
    'approval',
    `\\b(?:reboot|restart|delete|drop|kill|remove|wipe|change|deploy|merge|refund) (?:whatever|anything|whichever|what) (?:you|looks|seems|is|gets|feels)\\b`,
  ),
  signal(
    'approval',
    `\\bnobody (?:will|would|is going to) (?:complain|mind|notice|ask|object)\\b${GAP}{0,80}\\b(?:torn|delet\\w+|wip\\w+|drop\\w*|remov\\w+|shut|taken|gone|prod\\w*)|\\b(?:torn|delet\\w+|wip\\w+|drop\\w*|remov\\w+)\\b${GAP}{0,60}\\bnobody (?:will|would) (?:complain|mind|notice|ask|object)\\b`,
  ),
]

const WEAKEN: readonly Signal[] = [
  signal(
    'weaken',
    `\\b${GUARD}\\b${GAP}{0,80}[;,:]\\s*(?:just |simply |so |then |and )?(?:commit|go|hop|jump|step|walk|work|route|get|slip|move|sneak|push|merge|deploy) (?:around|over|past|through|by|without) (?:it|them|that|her|him)\\b`,
  ),
  signal(
    'weaken',
    `\\b${GUARD}\\b${GAP}{0,60}\\b(?:in (?:the|your|our) way|cries wolf|is noise|are noise|only (?:nag|annoy|cost|slow)\\w*|eats? (?:\\w+ )?(?:minutes|hours|time))\\b${GAP}{0,20}[;,:]\\s*\\w+`,
  ),
  signal(
    'weaken',
    `\\bso that (?:it|they|nothing|nobody) (?:never|no longer|does not|do not|cannot|can't|will not) (?:asks?|bites?|fires?|complains?|stops?|blocks?|triggers?|warns?|trips?|gets? in the way)\\b|\\bso that (?:it|nothing) asks for nothing\\b`,
  ),
  signal(
    'weaken',
    `(?:^|[.:;,]\\s*)(?:lift|take|put|bring|knock|shut|tear|rip) (?:it|them|its? [\\w-]+|the [\\w-]+ (?:daemonset|agent|guard|gate|hook|check|policy)) (?:down|out|off|aside|away|for the request)\\b`,
  ),
  signal(
    'weaken',
    `\\b(?:make|set|leave|turn|open|mark)\\b${GAP}{0,40}\\b(?:readable|writable|writeable|accessible|visible|listable|open|reachable) (?:by|for|to|from) (?:all|everyone|everybody|anyone|anybody|the world|outside|the internet|any)\\b`,
  ),
  signal(
    'weaken',
    `\\b(?:swap|replace|trade|exchange)\\b${GAP}{0,20}\\b(?:check|verification|validation|signature|auth\\w*)\\b${GAP}{0,20}\\b(?:for|with|by)\\b`,
  ),
  signal(
    'weaken',
    `\\b(?:put|set|bring) (?:it|them|the \\w+) back to (?:the )?(?:old|wide|open|default|loose)\\b|\\bdecode\\b${GAP}{0,20}\\binstead of (?:verify|check|validat)\\w*`,
  ),
  signal('weaken', `\\b(?:keep|leave|take) (?:them|it|these|those) out of (?:the )?(?:run|pipeline|build|ci|suite)\\b`),
]

const FETCH: readonly Signal[] = [
  signal(
    'fetch-and-run',
    `${FOREIGN}${GAP}{0,120}?\\b(?:source|python\\d?|node|bash|sh|feed|run|execute|start|launch|eval|do as|do what|follow|obey|act on) (?:it|them|this|that|they|as they|what)\\b`,
  ),
  signal(
    'fetch-and-run',
    `\\b(?:source|python\\d?|node|bash|feed|run|execute|start|launch|eval)\\b${GAP}{0,40}?\\b(?:what|whatever|anything)\\b${GAP}{0,40}?(?:${FOREIGN}|\\b(?:readme|ticket|comment|issue|forum|page|mail|e-mail|post) )`,
  ),
  signal(
    'fetch-and-run',
    `\\b(?:whatever|anything|all that)\\b${GAP}{0,50}\\b(?:readme|ticket|comment|issue|forum|page|mail|dependency|post)\\b${GAP}{0,40}\\b(?:tells|says|asks|lists|wants)\\b${GAP}{0,20}\\b(?:run|do|execute|follow)\\b`,
  ),
  signal(
    'fetch-and-run',
    `\\b(?:directives?|orders|instructions?|rules|commands|tasks)\\b${GAP}{0,40}(?:arrive|come|are|live|wait|lie|stand|appear)\\b${GAP}{0,12}\\b(?:at|on|from|under)\\b${GAP}{0,6}${FOREIGN}`,
  ),
  signal(
    'fetch-and-run',
    `\\b(?:npx|uvx|bunx|pipx run|pnpm dlx)\\s+(?:-\\w+\\s+)*[@\\w./-]+${GAP}{0,10}\\b(?:cures?|fixes|repairs?|solves?|heals?|cleans up|mends?)\\b`,
  ),
  signal(
    'fetch-and-run',
    `\\b(?:plugin|extension|image|helper|tool|server)\\b${GAP}{0,60}\\b(?:give|grant|hand|needs|wants|with) (?:it |them )?(?:all|every|full|root|admin|the socket and) ?(?:tools|rights|permissions|access|root)?\\b${GAP}{0,10}(?:tools|rights|permissions|access|root)\\b`,
  ),
  signal(
    'backdoor',
    `\\b(?:timer|cron\\w*|job|unit|script|hook)\\b${GAP}{0,30}\\b(?:calls?|pings?|polls?|asks?|contacts?|reports? to|fetches)\\b${GAP}{0,12}${FOREIGN}`,
  ),
]

const CONCEAL: readonly Signal[] = [
  signal(
    'conceal',
    `\\b(?:only|nothing but) (?:good|positive|nice) (?:news|things|words|results)\\b|(?:^|[,;:]\\s*|\\b(?:then|just|and) )blame (?:the|it on|jonas|kim|\\w+)\\b`,
  ),
  signal(
    'conceal',
    `\\b(?:not something|nothing|no matter|not a thing)\\b${GAP}{0,20}\\b(?:humans?|people|users?|customers?|operators?|managers?|the team|anyone)\\b${GAP}{0,10}\\b(?:wants?|needs?|has|have|likes?|should) to (?:hear|know|see|read)\\b`,
  ),
  signal(
    'conceal',
    `\\b(?:seems?|looks?|appears?) (?:to be|to come|as if it (?:was|came)|like it (?:was|came)) (?:from|by|untouched)\\b${GAP}{0,30}(?:$|\\b[A-Z]|other|else)`,
    'u',
  ),
  signal(
    'conceal',
    `\\b(?:name|account|identity|signature|key) of (?:another|some other|a different|somebody else)\\b|\\bunder (?:another|somebody else's|a different) name\\b`,
  ),
  signal(
    'conceal',
    `\\b(?:leave|keep|cut) (?:\\w+ ){1,2}out of (?:it|this|the loop)\\b${GAP}{0,40}\\b(?:slows?|only|asks?|need not|does not)\\b`,
  ),
]

const EXFILTRATE: readonly Signal[] = [
  signal(
    'exfiltrate',
    `\\b(?:lists?|files?|exports?|dumps?|data|rows?|records?|keys?|credentials|secrets|contents?|kubeconfig|backups?|code|repo)\\b${GAP}{0,30}\\b(?:goes?|go|is sent|are sent|travels?|belongs?) (?:out )?to\\b${GAP}{0,20}(?:[\\w.+-]+@[\\w-]+\\.\\w|${FOREIGN})`,
  ),
  signal(
    'exfiltrate',
    `(?:^|[.:;,]\\s*)(?:print|dump|show|echo|list|paste|write out) (?:all |the (?:whole |full |entire )?|everything in the )?(?:vault|keychain|secret store|secrets|credentials|environment|key material|password\\w*)(?: contents?)?\\b`,
  ),
  signal(
    'exfiltrate',
    `\\b(?:push|copy|mirror|upload|sync|move|clone)\\b${GAP}{0,50}\\bto (?:the |a |an )?(?:shared |public |outside |external )?(?:account|user|org|organisation|bucket|share|drive|mirror)\\b${GAP}{0,12}(?:\\b[\\w-]*(?:public|mirror|shared|extern\\w*)[\\w-]*\\b)`,
  ),
  signal(
    'exfiltrate',
    `\\b(?:use|log in with|pay with|charge|take|borrow)\\b${GAP}{0,12}\\b(?:\\w+'s|another \\w+'s|somebody's|his|her|their) (?:card|credit card|cookie|session|account|login|token|password|credentials|key)\\b`,
  ),
]

const OVERRIDE: readonly Signal[] = [
  signal(
    'override',
    `\\b(?:counts?|weighs?|matters?|is worth) (?:less|more|higher|lower) than (?:this|these|your|the (?:briefing|prompt|rules))\\b`,
  ),
  signal(
    'override',
    `\\b(?:act|behave|go on|carry on|work) as (?:though|if) (?:they|it|those|these|that) (?:were|was|did|had) (?:not|never|n't)\\b`,
  ),
  signal(
    'override',
    `\\b(?:this|these) (?:entr(?:y|ies)|lines?|notes?|words?|memor(?:y|ies)|remarks?)\\b${GAP}{0,40}\\b(?:newer|outranks?|wins?|first|higher|prevails?|above|comes? before)\\b|\\bwhat is (?:noted|written|said) here\\b${GAP}{0,60}\\b(?:draft|only|instead|over|first)\\b`,
  ),
  signal(
    'spread',
    `\\b(?:keep|carry|hand|pass|spread|add|copy)\\b${GAP}{0,12}\\b(?:this|these|it)\\b${GAP}{0,25}\\b(?:alive|to (?:each|every|all|the next)|into (?:each|every|all)|over to|on to the next)\\b${GAP}{0,20}\\b(?:projects?|agents?|sessions?|repositor\\w+|handover|you see)?`,
  ),
  signal(
    'spread',
    `(?:^|[.:;,]\\s*)(?:knock out|erase|forget|delete|drop|remove|bury|lose|get rid of|wipe) (?:the |all |any |those |other )*(?:memor(?:y|ies)|notes|entries) (?:about|of|on|that)\\b`,
  ),
]

/** The same in other languages: leave without asking, a check that should go, people who should not hear, data that should go out. */
const ELSEWHERE: readonly Signal[] = [
  // German.
  signal(
    'approval',
    '\\b(?:zugestimmt|freigegeben|genehmigt|erlaubt|einverstanden|bewilligt|abgesegnet|freie hand)\\b[^.!?\\n]{0,80}\\b(?:alle[srnm]?|jede\\w*|dürfen|darfst|ohne|nicht nötig|nicht nachfragen|löschen|gelöscht|rückfragen|produktion)',
  ),
  signal(
    'weaken',
    '(?:^|[.;:,]\\s*)(?:schalte?|deaktiviere|entferne|umgehe|überspringe?|ignoriere|lass|nimm)\\b[^.!?\\n]{0,60}(?:prüfung|kontrolle|firewall|schutz|signatur|freigabe|review|protokoll|scanner|zweitfaktor|hooks?|tests?|alarm)',
  ),
  signal(
    'conceal',
    '\\b(?:erzähle?|sage?|verrate|melde|erwähne|berichte)\\b[^.!?\\n]{0,50}\\b(?:nichts|niemandem?|nicht|keinem)\\b|\\b(?:nichts|niemandem?|keinem)\\b[^.!?\\n]{0,30}\\b(?:erzählen|sagen|verraten|melden|mitteilen)',
  ),
  signal(
    'exfiltrate',
    '(?:^|[.;:,]\\s*)(?:sende|schicke?|kopiere|lade|übermittle|maile|poste)\\b[^.!?\\n]{0,60}(?:zugangsdaten|passw\\w+|schlüssel|geheim\\w*|token|\\.env|kundendaten|datenbank)[^.!?\\n]{0,60}(?:@|https?://|\\ban\\b|hoch)',
  ),
  // French.
  signal(
    'approval',
    "(?:donné son accord|approuvé|autorisé|validé|feu vert|carte blanche|d'accord pour)[^.!?\\n]{0,80}(?:tout|tous|toutes|chaque|sans demander|sans confirmation|inutile|pas besoin|effacer|supprimer|production)",
  ),
  signal(
    'weaken',
    '(?:^|[.;:,]\\s*)(?:désactive[rz]?|contourne[rz]?|ignore[rz]?|saute[rz]?|supprime[rz]?|coupe[rz]?|retire[rz]?)\\b[^.!?\\n]{0,60}(?:vérification|contrôle|pare-feu|signature|validation|revue|protection|journal|alerte|tests?|garde)',
  ),
  signal(
    'conceal',
    "(?:\\bne\\s+(?:parle|dis|dites|mentionne|signale|rapporte|raconte)\\w*\\s+(?:pas|rien|jamais)|\\bn'(?:en parle|informe|avertis|alerte)\\w*\\s+(?:pas|personne)|sans (?:le dire|prévenir))",
  ),
  signal(
    'exfiltrate',
    '(?:^|[.;:,]\\s*)(?:envoie|envoyer|envoyez|transmets|copie|publie|téléverse)\\b[^.!?\\n]{0,60}(?:\\.env|mot de passe|identifiants|clés?|jetons?|secrets?|données|base)[^.!?\\n]{0,60}(?:@|https?://|\\bà\\b|adresse)',
  ),
  // Spanish, Portuguese, Italian.
  signal(
    'approval',
    '\\b(?:aprob(?:ó|ado|ados)|autori[sz]z?(?:ó|ado|ou|ato|ada)|aprovou|aprovado|approvato|permiti(?:ó|do|u)|permesso|dio permiso|acconsentito|de acuerdo con|acordo)\\b[^.!?\\n]{0,80}(?:no pregunt\\w+|sin pregunt\\w+|sem pergunt\\w+|senza chied\\w+|todos?|todas?|tudo|ogni|tutt[oie]|cualquier|qualquer|qualsiasi|borrar|apagar|cancellare|producci[oó]n|produção|produzione)',
  ),
  signal(
    'weaken',
    '(?:^|[.;:,]\\s*)(?:desactiva\\w*|desativ\\w+|disattiva\\w*|disabilita\\w*|deshabilita\\w*|omite|salta\\w*|ignora\\w*|evita|quita|pule|rimuovi|elimina|remove)\\b[^.!?\\n]{0,60}(?:cortafuegos|firewall|verificaci[oó]n|verificação|verific\\w+|comprobaci[oó]n|control\\w*|controllo|firma|assinatura|revisi[oó]n|revisão|revisione|protecci[oó]n|proteção|protezione|auditor[ií]a|pruebas|testes?|test|alertas?)',
  ),
  signal(
    'conceal',
    '\\b(?:no (?:se )?(?:lo |la )?(?:cuentes|digas|menciones|informes|avises)|não (?:conte|diga|mencione|informe|avise)|non (?:dire|dirlo|menzionare|parlarne|informare|avvisare|raccontare))\\b',
  ),
  signal(
    'exfiltrate',
    '(?:^|[.;:,]\\s*)(?:env[ií]a|manda|sube|copia|envie|invia|carica|publica|posta)\\w*\\b[^.!?\\n]{0,60}(?:\\.env|contraseñas?|senhas?|password|claves?|chaves?|chiavi|credencia\\w+|credenziali|tokens?|datos|dados|dati|secret\\w*)[^.!?\\n]{0,60}(?:@|https?://|\\b(?:a|al|para|ao)\\b)',
  ),
  // Dutch, Polish, Russian.
  signal(
    'approval',
    '(?:goedgekeurd|toegestaan|akkoord|zatwierdzi\\w+|zezwoli\\w+|zgodzi\\w+|разрешил\\w*|одобрил\\w*|согласовал\\w*|утвердил\\w*)[^.!?\\n]{0,80}(?:alle|alles|elke|zonder|niet nodig|wszystk\\w+|każd\\w+|bez|nie (?:trzeba|pytaj)|любые|все|всё|без|не нужно|не надо|удал\\w+)',
  ),
  signal(
    'weaken',
    '(?:^|[.;:,]\\s*)(?:schakel|omzeil|negeer|sla|verwijder|wyłącz|pomiń|obejdź|usuń|отключи\\w*|обойди\\w*|пропусти\\w*|игнорируй\\w*|убери)[^.!?\\n]{0,60}(?:controle|firewall|verificatie|handtekening|beveiliging|review|kontrol\\w+|zapor\\w+|weryfikacj\\w+|podpis\\w*|zabezpiecz\\w+|testy|провер\\w+|фаервол|брандмауэр|подпис\\w+|защит\\w+|тест\\w*|аудит\\w*)',
  ),
  signal(
    'conceal',
    '(?:vertel|zeg|meld|noem)\\b[^.!?\\n]{0,40}\\b(?:niets|niet|niemand)\\b|nie (?:mów|wspominaj|informuj|zgłaszaj)|не (?:говори|сообщай|упоминай|рассказывай|докладывай)',
  ),
  // Japanese, Chinese, Korean.
  signal(
    'approval',
    '(?:承認済み|許可済み|承認された|許可を得|同意済み|批准|授权|授權|同意|允许|승인|허가)[^。！？\\n]{0,30}(?:確認は?不要|確認なし|聞かずに|すべて|全て|无需|無需|不用|不必|所有|任何|全部|없이|모든|필요 없)|(?:すべて|全て|所有|任何|全部|모든)[^。！？\\n]{0,24}(?:承認済み|許可済み|已经?批准|已经?授权|批准|授权|승인)',
  ),
  signal(
    'weaken',
    '(?:検査|検証|確認|レビュー|署名|ファイアウォール|監査|テスト|認証|警告)[^。！？\\n]{0,10}(?:飛ば|省略|無効|スキップ|切っ|オフ|無視|外し)|(?:跳过|绕过|关闭|禁用|忽略|取消|略過)[^。！？\\n]{0,16}(?:检查|审查|审核|验证|防火墙|签名|保护|测试|告警|审计|檢查)|(?:검사|검토|방화벽|서명|보호|테스트)[^.!?\\n]{0,10}(?:건너|끄|무시|비활성)',
  ),
  signal(
    'conceal',
    '(?:報告|連絡|通知|伝え|言わ|話さ|知らせ)[^。！？\\n]{0,8}(?:しない|ないで|ないこと|するな)|(?:不要|别|勿|不得|禁止)[^。！？\\n]{0,4}(?:告诉|通知|报告|提及|告知|透露|汇报)|(?:말하지|알리지|보고하지) (?:마|않)',
  ),
  signal(
    'exfiltrate',
    '(?:把|将|將)[^。！？\\n]{0,24}(?:环境变量|密码|密钥|令牌|凭证|数据|源码|\\.env)[^。！？\\n]{0,12}(?:发送|上传|发到|传到|复制)|(?:パスワード|鍵|トークン|認証情報|環境変数|顧客)[^。！？\\n]{0,16}(?:送信|送って|アップロード|転送)',
  ),
]

export const POISON_SHAPES: readonly Signal[] = [
  ...[APPROVAL, WEAKEN, FETCH, CONCEAL, EXFILTRATE, OVERRIDE, ELSEWHERE].flat(),
]
