/** Made by train/guard/words.ts: what the notes are made of that the model was trained on. */
export const WORK_WORDS: ReadonlySet<string> = new Set(
  `
acc accept accepted accepts access account accounts acl acme actions add adding address addresses adds admin admins
advisory afterwards agency agent agente agenten agents agreed ahead alarm alarms alert alerts alle alleen allow
allowed allowlist allows als analyst analytics anon anonymous ansible answer answered answers antes anyone anyway
api app append applicants applies apply approval approvals approve approved approver apps apr apt archive arm64
arrive articles artifact artifactory artifacts ask asking asks assistant attach attached attachments auch audit
auditd auditors auf aus auth author authority authorized auto automation aux avec aws backup backups badge banner
base64 bash bastion batch begin behalf bei beim belong belongs bench benchmark benchmarks ber bij billing bin binary
binding bis blame blank blanket blico block blocked blocks blog booked boot bootstrap bot bots bought box branch
branches break breaks brief brings broke broken broker browser bucket budget bug build builds bulk bump bundle
button cache cached cada calendar caller calls camera campaign canary candidates cannot cap capacity card carries
carry cart cases catalog cause caused cdn cell ceo ceph cert certificate certificates cfo chain changelog changes
channel chaos characters chart charts chat chatbot che cheaper check checked checkout checks checksum chmod ciso
cite claim claims claude clean cleanup clear cleared clears cli client clients clock clone closes cloud cluster
clusters cmd code codeowners coder codes cold collector column columns com comes comit command commands comment
commented comments commit commits como compare compares comparison compile complains complaints compliance compose
con conf config confirm confirmation confirmed connect connection consent console contact contain container contains
content contents context contract contractor contractors contracts contributing contributors controller cookie
cookies coordinator copied copies copy core corp correct corrected cosign cost costs counsel count counted counts
coverage covers cpu crash crashes crawler create credentials credit crew critical crm cron crypto csp csv cto cuenta
cure cures curl custom customer customers cut cve daily dal dans das dashboard dat database dataset date dba deb
debian debug debugging decide decides decision declined decode default defaults dei del delete deleted deleting
deletion dem demo den denied deny dependabot dependency deploy deploys depuis deputy der des describe description
desde desk desktop destroy detector dev device die diff differ digest direct directive directly directory disable
discord disk dlp dms dns doc docker docs documents domain dos double download downloads dpo draft drafts drift
drifts drill drive driver drivers drop dropped dropping drops dump dumps duplicate duplicates duty e2e earlier edge
edit edited editor edits een effect egress ein eine elevator email employee emptied empty enabled encrypted ended
endpoint ends engineer entries entry env environment erp error errors eslint est etc etcd ethics eur euro euros eval
everyone evidence excel exception exceptions excluded exec execute executed exempt exist exists exit expected expire
expired expiry export exporter exports ext extension external extra factory fail failed failing failover fails fake
falls false faq fast faster fault feature feed fetch fetched fewer fica fields figures file filed files filled fills
filter finance finding findings finds finops firewall firm firma firmware fit fix fixed fixes fixtures flag flagged
flags flaky flash fleet flushall foi folder follow forecast foreign forever fork forks format formula forum frau
fraud freed frees freeze fresh friday fridays fuzzing galaxy gap gaps gate gateway gateways gdpr gel gelten gen
generated generator gesperrt gets gift gilt gist git github gitlab gives glass gle gli gmail goes golden google gpg
gpu gradle grafana grant granted grants guard guardrails guest guests handbook handed handled handover handy hang
harbour hardware harmless hash hashes hat header headers heap helm helpdesk helper helpers helps hence het hidden
hides higher hint historian holds hook hooks host hosting hostname hosts hotfix hour hourly hsm html http https hub
humans iam iban identity idle ids ignore image images import importer inbox inc incident incidents incl index
informed infra init injection input insecure install installed installer instances instruction instructions int
integrator integrity interlock intern internal internet interno invoice invoices isn isp issue issues ist item jest
job jobs join jonas journal json jump kafka keeps kernel key keys klient kms knows konto kube kubeconfig kubectl lab
label labelled labels lacked lacks lag landlord laptop laptops las latency latest ldap leads leak leaked lease
leaves ledger legacy legal les lets letter lib library licence license liegt lifted limit limited limiting limits
lines link linked links lint linter lista listed lists lives llm load loaded loader loading loads lock locked
lockfile log logged login logins logo logs loki looks lookups los loss loyalty macro macros mag mail mailbox
mailboxes mailed mailing mails maintainer maintainers maintenance mais makes malware manager managers manifest
manual marked marketing marketplace marks marta master matrix matter max mcp meaning meant meeting mehr mei memories
memory mention merge merged merger merges message messages meter metrics mfa midnight migrate migration migrations
min minute mirror mirrored misses missing mistake mit mnt mobile mode models module modules monday monitoring month
monthly mostly mounted moves nach names namespace naming nas needs nel net neu newest nfs nicht nie niet nieuwe
nightly nobody noc node nodes noise nokosu none noon noor nopasswd normal nota note notebook notes notice noticed
npm null num numbers nur oauth object ocr offline ohne okta older onboarding oncall ones online ook opening opens
openssl operator operators ops opt option optional orders org origin otherwise ours outage outbound output overnight
override overrides owner owners package packages page pager pagerduty pages paid pair panel paper par para parents
parser partitions partner partners pas pass passes password passwords paste pastebin pasted patch patches path
patients pay payment payments payout payouts payroll pdf pedido peer pem pending pentest permission permissions
persona personal phishing phone phones phrase pick picks pii pin pinned pip pipeline plain plans plant platform plc
plugin plugins plus pod pods policy poll pool pop por port portal posted postgres postmortem posts pour pre prefer
prefix preload preview previous price pricing primary principal print printed prints priority privacy privileged
priya pro probe problem procurement prod product profile prompt prompts protected protection proveedor provider
proxy prs prune przy publish pull pulls purchase purge purged purpose push pushes puts pypi python quand quando
quarantine quarter que queries query question questions queue quick quicker quickest quietly quorum quota quote rack
racks raise raises rank ranking raport rate raw rbac reach reachable read readable reader readers reading readme
reads reason rebase reboot rebuild rebuilt receive recordings redis refresh refreshed refund refunds refusal refused
refuses register registry regulator rejected rejects relay releases remarks remote remove removed removes removing
renewed renovate reorg replace replaces replica replicas replication reply repo report reporter reports repos
repositories repository request requested requester requests required requirements rerun reset resolve resolved
resolver resolves restart restarts restore restored results retention retired retries retry returns reverted review
reviewed reviewer reviewers reviews revision revoke revoked rewrite rewritten rio rios risk robot robots roles roll
rollback rollbacks rolled rollout rollouts root rota rotate rotated rotation router routine row rows rule rules
runbook runner runners runs safe safety salary sales sample samples sandbox save saved saves sbom scale scan scanner
scanning scans schedule scheduler schema scht scope scoped score scoring scratch screenshots script scripts sdk
search sec seccomp seconds secret secrets secure security seed sees seit sem sempre send sender sends sensor
sentence sentry serve server servers serves servidor session sessions sets setting settings settled setup severity
sftp sha256 shadow share shared sharing sheet shell shift shipped shop shown shows sie siem sign signature signing
signs silence silently simple sin sind sistema sit sites sits skip skrypt sla slack slot slow slows smoke snapshot
snapshots sobre solo solved somebody sono sont source sources spam spare speaks speed spend spending split sponsor
spring sprint sql squash sre srv ssh ssl sso staat stack staff staging stale stamp stand standing stands stars
starting starts status stays steering stehen steht step steps stopped stops storage store stored straight stranger
strict string strings stripe stripped stuck sub submodule subnet success sudo sudoers suite sum summaries summary
sunday supplier sur survey svc swap switch sync systemctl tables tag tagged tags takes tank tarball target task
tasks tax telegram telemetry tells temp template templates tenant tenants terms terraform test tester testers
testing tests text theirs theme themselves thread thumbs thursday ticket tickets tier till timeout timeouts tls tmp
todo token tokens toml tool tools topic totp touch tout trace traces tracker traffic transcripts transfer transfers
tras tre treasury treat triage trial trips trouble truncate trust trusted trusts tuesday turno turns twice txt typed
uhr uit uma una und une unit unknown unless unrestricted unsigned update updated updates upgrade upload uploader
uploads ups upstream uptime urgent url usa usage user users uses usr usu usual utc utils vacuum vale valid
validation value values van vanish var variables vault vendor vendored vendors verification verify versions via vier
view viewer visible vlan vol volume volumes vom von voor vor vote votes vpn vulnerability waf wait waits wal wants
warehouse warm warn warning warnings wasm watchdog web webhook webhooks weekends weekly weeks weight weights wenn
wer werden wget whatever whatsapp wheel whenever whichever whoever widget wie wiki wildcard window windows wins wipe
wiped wird wire wireguard wishes wording worker workflow workspace worth wrapper write writes writing wrong xml yaml
yellow yml yours zephyr zero zet zijn zip zone zum zur
`
    .trim()
    .split(/\s+/),
)
