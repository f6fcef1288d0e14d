/** The words of English notes. Made by train/relate/words.ts. */
export const ENGLISH_WORDS: ReadonlySet<string> = new Set(
  `
abandoned able abolished abort aborted aborts about above abroad absent absolute accents accept acceptable accepted accepts access accessibility
accessible accident according account accounting accounts accuracy accurate ack acked acknowledge acknowledged acknowledgement acknowledges acks acme
across act action actions active activity acts actual actually adapter adapters add added adding additional address addressed addresses adds admin
administrator administrators admins admission adopted ads advance advice advisory adyen affect affected affects affinity after afternoon afternoons
afterwards again against age agency agent agents aggregate ago agree agreed agreement agrees ahead air airflow alarm alarms alembic alert alerted
alerting alertmanager alerts alias aliases alike alive all allocated allocation allow allowance allowed allowlist allows almost alone along alongside
alpha alphabetical alphabetically alpine already also alter altered although altogether always amazon among amount amounts ample amps ana analysis
analysts analytics and android anew animated anna annotated annotation annotations announce announced announces annual anonymised anonymized
anonymous another ansible answer answered answering answers antenna any anybody anymore anyone anything anyway anywhere apache apart api apiece app
appear appeared appears append appended appends apple application applications applied applies apply applying appointment appointments approval
approvals approve approved approver approves approving approx apps apr april apt arabic arbitrary architecture archive archived archives archiving
are area arena argo argument arguments arm around array arrays arrival arrive arrived arrives article articles artifact artifactory artifacts
ascending asia aside ask asked asking asks assertions asserts asset assets assigned assigns assistant assume assumed assumes async asynchronous
asynchronously asyncio atlantis atlas attach attached attachment attachments attempt attempted attempts attend attention attribute audio audit
audited auditor auditors august austria auth authenticate authenticated authenticates authentication author authoritative authority authorization
authors auto automated automatic automatically automation autosave autoscaled autoscaler autoscaling autovacuum autumn availability available avatar
avatars average averaged averages avoid avoided avoids avro away aws azure back backblaze backed backend backends backfill backfilling backfills
background backing backlog backoff backs backup backups backward bad badge badges baked balance balanced balancer balancers balances balancing ban
bandwidth bank banker banned banner bans bar barcode barcodes bare barred base based baseline basement bash basic basis basket bastion batch batched
batches batching batteries battery baud bazel bcrypt bearer beat beats became because become becomes bed been before beforehand began begin beginning
begins begun behalf behaviour behind being belong belonging belongs below ben bench benchmark benchmarks berlin beside besides best beta better
between beyond biases big bigger biggest bigint bill billed billing bills binaries binary bind binding binds biome birth bisect bit bits biweekly
black blame blameless blank blanks bloat blob blobs block blocked blocking blocklist blocks blog blue bluetooth board boards bob bodies body boiler
bold bond book booked booking bookings books boolean booleans boost boot booting bootloader boots bootstrap border borg boss bot both bots bottleneck
bottom bought bounce bounced bounces bound boundaries boundary bounded box boxes bracket branch branches brand brazil breach break breaker breaking
breaks bricked bricks bridge bridges brief bring brings british broke broken broker brokers brotli brought browser browsers bucket buckets budget
budgets buf buffer buffered buffers bug bugs build building buildkite builds built bulk bulky bullet bullets bump bumped bumping bumps bun bundle
bundled bundler bundles burned burst bursts bus busiest business busy but button buttons buy buying bypass bypassed bypasses byte bytes cable cache
cached caches caching caddy calculation calendar calibrated calibration call callback callbacks called caller callers calling calls came camera
cameras campaign can canary cancel cancellation cancelled cancelling cancels candidate candidates cannot canteen canvas cap capacity capital capitals
capped caps captcha captions captive capture captured car card cards care cargo carla carried carrier carriers carries carry carrying cart carts case
cases cash cassandra catalog catalogue catch catches category caught cause caused causes ccache ceiling celery cell cells celsius cent center central
centrally centre cents ceph cert certbot certificate certificates certs chain challenge change changed changelog changelogs changes changesets
changing channel channels character characters charge chargebacks charged charger charges charging chars chart charts chat chats cheap cheaper
cheapest check checked checker checking checklist checkout checkpoint checkpoints checks checksum child children chip choice chokes choose chore
chose chosen christmas chrome chromium chrony chunk chunks churn cilium circuit circular city claim claims clash class classes classifier clause
clauses clean cleaned cleaning cleanly cleans cleanup clear cleared clearing clears cleartext cli click clicked clicking clicks client clients clinic
clipped clipping clippy clips clock clocks clone cloned clones close closed closes closing cloud cloudflare cluster clustered clusters code codebase
codec codecov coded codegen codes coding coffee cold collation colleague colleagues collect collected collection collector collects collide colo
color colors colour colours column columns combined come comes coming comma command commander commands commas comment comments commit commits
committed committing common community compact compacted compaction compactor compacts company compare compared compares compatibility compatible
compilation compile compiled compiler compiles compiling complain complained complains complaint complaints complete completed completely completes
completion compliance component components compose composite composition compress compressed compresses compressing compression compulsory compute
computed computer computes concern concurrency concurrent concurrently condition confidential config configs configurable configuration configure
configured confirm confirmation confirmed confirms conflict conflicts confluence connect connected connecting connection connections connector
connects conntrack consecutive consent considered consistent consists console constant constants constraint constraints construction constructor
consul consume consumed consumer consumers consumes contact contacted contacts contain contained container containers contains content contents
context continue continues continuous continuously contract contractor contractors contracts contrast contributors control controlled controller
controllers controls convention conventional converges conversion convert converted converts conveyor cookie cookies coordinated coordinator cope
copes copied copies copy copying core cores coroutines corporate corpus correct corrected correction corrections correctly corrects correlation
corrupt corrupted corrupts corvo cosign cosine cost costs could council count counted counter counters counting countries country counts coupon
courier course court cover coverage covered covering covers cpu crash crashed crashes crashing crate crates crawl crawler create created creates
creating creation credential credentials credit credits crew critical crm cron crontab cross crowdin crypto csv culprit curated cure cured cures curl
currencies currency current currently cursor cursors custom customer customers customs cut cutoff cutover cuts cycle cycles cypress daemon daily
damage dana dangerous danish dark dash dashboard dashboards dashes data database databases datadog dataset datasets datastore date dates day days
daytime dbt dead deadline deadlock deadlocks deal dealt death debezium debian debit debug debugger debugging dec decade decay december decide decided
decides decimal decimals decision decisions declared decline declined declines decode decoder decoding decommissioned decrypted dedicated dedup
dedupe deduplicated deduplication deep deeper default defaults defect deferred define defined defines definition definitions degrees delay delayed
delays delete deleted deletes deleting deletion deletions deliberately deliver delivered deliveries delivers delivery delta demand demands demo demos
denials denied denies deny department depend dependabot dependencies dependency depends deploy deployed deploying deployment deployments deploys
depot deprecated deprecation deps depth deputy derive derived derives descending describe described description descriptions descriptor descriptors
design designed designer designers desk desks desktop despite destination destroy destroyed destroys detached detailed details detect detected
detection detector detects determines deterministic dev develop developer developers development device devices devs dial dialog did die died dies
diff differ difference differences different differently differing differs diffs dig digest digests digit digits dimensions dir direct direction
directly directories directory disable disabled disables disabling disagree disallowed disappear disappears disaster discarded discards disconnect
disconnected disconnects discontinued discount discounts discouraged discovery discussed disk disks dislikes dismissed dispatch dispatcher display
displayed displays distance distinct distributed distribution distroless diverge diverges divided django dmitri dnsmasq doc dock docker dockerfile
docs docstring docstrings document documentation documented documents docusaurus dodge does doing dollars domain domains done door doors dot dots
double doubled doubles doubling down downgraded download downloaded downloads downstream downtime dozen dozens dpi draft drafted drafts drag drain
drained draining drains draw drawer drawn draws drift drifts drill drive driven driver drivers drives driving drone drop dropout dropped dropping
drops dry dual dublin due dump dumped dumps dunning duplex duplicate duplicated duplicates durable duration durations during dutch duty dying dynamic
dynamically each eagerly earlier earliest early easy eat eats edge edges edit editable edited editing edition editor editors edits effect effects
effort egress eight eighty either elastic elasticsearch elected election element elements elevator eleven elixir else elsewhere email emailed emails
embedded embedding embeddings embeds emergency emit emits emitted emoji emojis employee employees emptied empties empty enable enabled enables
enabling encode encoded encoder encoding encouraged encrypt encrypted encryption encrypts end ended ending endings endpoint endpoints ends enforced
enforces enforcing engine engineer engineering engineers engines english enlarged enough enter entered entering enterprise enters entire entirely
entities entity entries entry enum enums env envelope environment environments envoy envs ephemeral epoch epochs equal equally equals erase erased
erases erasing erasure error errors esbuild escalate escalates escalation escape eslint estimate estimated etcd ethernet euro europe european euros
eval evaluate evaluated evaluates evaluation even evening evenings evenly event events eventually ever every everybody everyone everything everywhere
evict evicted eviction evictions evicts evidence ewa exact exactly example examples exceed exceeded exceeding exceeds excel except excepted exception
exceptions exchange exclude excluded excludes exclusive exclusively exec executable execute executed executes execution executors exempt exhausted
exhausts exist existing exists exit exits exp expanded expect expected expects expense expenses expensive experiment experiments expire expired
expires expiring expiry explain explains explicit explicitly explorer exponential exponentially export exported exporter exports expose exposed
exposes express expression extend extended extends extension extensions external extra extract extracts face facilities fact factor factory
fahrenheit fail failed failing failover fails failure failures fair fake faker fakes falcon fall fallback falling falls false family fan fans far
farm fast faster fastest fastly fault faulty favor favour favours fax feast feature features feb february fed fee feed feedback feeds feel fees fell
fetch fetched fetches fetching few fewer fewest ffmpeg fiber fibre field fields fifteen fifth fifths fifty figma figure figures file filed files
filesystem filing fill filled fills filter filtered filtering filters final finance find finding findings finds fine fingerprint finish finished
finishes fire firebase fired firefox fires firewall firewalls firm firmware first fit fits five fix fixed fixes fixing fixture fixtures flag flagged
flags flakiness flaky flapping flash flashed flashing flat fleet flicker flight flip flipped float floating floats floods floor flow flows fluent
flush flushed flushes flushing flutter fly flyway fmt focus fold folder folders folks follow followed follower followers following follows font fonts
footer for forbidden forbids force forced forces forecast foreign forever forged forget forgets fork forked forks form format formats formatted
formatter formatting former formerly forms fortnight fortnightly forty forum forward forwarded forwarder forwarding forwards found four fourteen
fourth fps frame frames framework francs frankfurt fraud free freed freelancers freely frees freeze freezer freezes french frequent fresh freshly
friday fridays friends from front frontend froze frozen fstab fsync full fully function functional functions further fused future fuzz gain game
gandi gap gaps garage garbage gate gated gates gateway gateways gathers gave gbit gcc gear gen general generate generated generates generation
generator generic genuine geocoder german germany get gets getting gift gigabit gigabyte gigabytes gigs git gitmoji give given gives giving glacier
glibc global globally goal goes gofmt going gold golden gone good goods google got gpu grace gracefully gradient gradients gradle grafana grammar
grams grant granted grants graph graphed graviton graz green grep grew grey grid gripper gross ground group grouped grouping groups grow growing
grown grows growth grpc guarantee guaranteed guarantees guard guarded guards guess guest guests guide guild gunicorn gzip gzipped had half halfway
hall halt halted halts halved halves hamburg hand handbook handed handle handled handler handlers handles handling handover hands handshake hang
hanging hangs happen happened happens happy haproxy harbor hard hardcoded hardly hardware harm harmless has hash hashed hashes hashing hates have
having head header headers heading headless headroom heads health healthy heap hear heard heartbeat heartbeats heat heater heating heavy height held
helm help helpdesk helped helper helpers helps hence her here hermes heron herself hetzner hex hibernate hid hidden hide hides high higher highest
him hint hints hired hires hiring his history hit hits hold holder holders holding holds hole holiday holidays home homebrew honours hook hooks hop
hospital host hosted hosting hostname hostnames hosts hot hotel hotfix hotfixes hour hourly hours house hover how however http hub huge hugo human
humans humidity hundred hung hurt hyperthreading icon icons idea idempotency idempotent identical identified identifier identity idle idles idling
ids iframe ignore ignored ignores ilse image images immediate immediately immutable imperative implementation implemented implicit import imported
importer importing imports impossible improved inactive inactivity inbound inbox incident incidents incl include included includes including
inclusive incoming increase increased increasing incremental incrementally indefinitely indent indentation indented indents independent independently
index indexed indexer indexes indexing indices individual individually ines inference infinite influence info information informational informed
infra infrastructure ingest ingestion ingress ingrid inherit inheritance inherited init initial inject injected injection inline inner innocent
inodes input inputs insert inserting inserts inside insists inspected inspection install installation installed installer installing installs
instance instances instant instantly instead instructions insured insurer int intact integer integers integration intel intended intentional
interactive interactively interest interface interfaces intermediate intern internal internally internet interns interpreter interpreters interrupt
interrupted interval intervals interviews into intranet introduced introspection ints invalid invalidate invalidated invalidates invalidation
inventory invisible invitation invitations invite invoice invoices invoicing involved ireland irrelevant irreversible isolated isolation isort issue
issued issuer issues istio item items iterations its itself jan january japan japanese java jellyfin jenkins jest jira jitter job jobs join joined
joining joins joint jonas journal journald json july jumbo jump june just kafka kanban kea keep keepalive keepalived keeping keeps kept kerberos
kernel kernels key keyboard keychain keycloak keyed keys keystroke keyword kibana kick kicked kicks kids kill killed killer killing kills kilograms
kim kind kiosk kiosks kitchen knot know known knows kofi kong kotlin kubeconfig kubectl kubelet kubernetes lab label labelled labels lack lacked
lacking lacks lag lagged lagging lags lake lambda lamps land landed landing lands language languages lapse lapsed lapses laptop laptops large larger
largest lars laser last lasted lasts late latency later latest latter launch launched launches law lawyer layer layers layout layouts lazily lazy
lead leader leadership leading leads leaf leak leaked leaking leaks leap learn learning learns lease leased leases least leave leaves leaving led
ledger left leftover leftovers legacy legal lena length lengths lenient less let lets letter letters letting level levels lexer lfs libfoo libraries
library libvips licence licences license licensed licenses lidar lie lies life lifecycle lifetime lift lifted lifts light lights like liked likes
limit limited limiter limiting limits lindqvist line linear linearly lines link linked linker linkerd linking links lint linted linter linting lints
linux liquibase lisbon list listed listen listener listeners listens listing lists literal literals little live liveness lives lld load loaded loader
loading loads loan lobby local locale locales localhost locally located location lock locked lockfile locking locks lockstep lodash log logged logger
logging logic logical login logins logo logout logrotate logs lokalise loki london lone long longer longest look looked looker looking looks lookup
lookups loop loops loose loot lose loses losing loss losses lost lot lots low lower lowercase lowercased lowercases lowered lowering lowest lunch
lyon mac machine machines macro macros macs made madrid magic mail mailbox mailboxes mailed mailer mailing mails main mains maintain maintained
maintainer maintainers maintains maintenance major majority make makefile makefiles makes making malformed managed management manager managers
manages mandatory manifest manifests manual manually many map mapped mapping maps mar march marek mark markdown marked marker market marketing marks
markup marta masked masking mass master masters match matched matches matching material matrix matter matters maven max maximum maxmemory may mbit
mean means meant measure measured measurements measures media median meet meeting meetings meets megabytes mei member members membership memcached
memory mention menu merchant merchants mere merely merge merged merges merging mesh mess message messages messaging met metadata metal method methods
metres metric metrics microseconds microservice microservices midday middle middleware midnight might migrate migrated migrates migrating migration
migrations migrator million millisecond milliseconds min mind mini minified minimum minio minor minors mins minus minute minutes mirror mirrored
mirrors mismatch miss missed misses missing mistake mistakes mix mixed mobile mock mocked mocks modbus mode model models modem moderation modified
modify module modules moment mon monday mondays money monitor monitored monitoring monitors monolith monorepo month monthly months mood more morning
mornings mosquitto most mostly motion motor mount mounted mounting mounts move moved movement moves moving msg much multipart multiple music musl
must mutable mutation muted mutex mutual mypy nadia name named names namespace namespaces naming narrow native natively navigation near nearest
nearly necessary need needed needs negative negligible neighbouring neither nested nesting net netlify network networking networks never new
newcomers newer newest newline newly news newsletter newsletters next nexus nginx night nightlies nightly nights nine nines ninety nobody node nodes
noeviction noise noisy nomad none noon noor nor normal normally north not note notebook notebooks notes nothing notice noticed notices notification
notifications notified notifies notify notion nov november now nowadays nowhere npm null nullable nulls number numbered numbering numbers numeric
numpy nurse nvidia obeys object objection objective objects obsolete occupies occur occurs oct october odd off offer offered offers office offices
offline offset offsets offsite often ohio okay okta ola old older oldest omar omit omitted onboarding once one ones online only onto opaque open
opened opening opens operating operation operations operator operators ops opsgenie opt optimisation optimistic optimizer option optional options
oracle order ordered ordering orders ordinary oregon org organisation organization origin original originals origins orphan orphaned orphans oskar
oslo other others otherwise ought our ours ourselves out outage outages outbound outbox outdated outer outgoing outlive outlives output outputs
outright outside outsourced outstanding over overall overdue overflow overlap overlapping overlay overloaded overnight overridden override overrides
oversized overtime overwrite overwrites overwriting overwritten owing own owned owner owners ownership owns pacific package packages packed packer
packet packets packing pact padding page paged pager pages paginated pagination paging paid pair pairing pairs palette pandas panel panels panic
paper paragraph parallel parallelised parallelism parameter parameters parcel parcels parent parental paris park parked parking parquet parse parsed
parser parses parsing part partial participants parties partition partitioned partitioning partitions partner partners parts party pass passed passes
passing passive passphrase passport password passwords past paste patch patched patches patching path paths patient patients patroni pattern pause
paused pauses pavel pay paying payload payloads payment payments payout payouts payroll pays peak peaked peaks peer peering peers pen pending people
per percent percentile perf perfectly performance performs period perl permanent permanently permission permissions permissive permit permits
permitted persist persisted persistence persistent persists person personal personalised personally pessimistic petra pgbouncer pharmacy phase phases
phone phones photo photos physical physically physics pick picked picker picking picks picture pictures pid piece pieces pile pilot pin ping pinged
pings pinned pinning pins pip pipeline pipelines pixel pixels place placed placeholder places plain plaintext plan plane planned planner planning
plans plant platform platforms play playbook player players plays playwright please plenty plex plot plots plotting plug plugged plugin plugins
plural plus pnpm pod podman pods poetry point pointed pointer points policies policy polish poll polled poller polling polls polyfills pool pooled
pooling pools port portal ported porto ports portuguese position positions positive positives possible post postal posted postfix postgres posting
postmark postmortem postmortems postponed posts pounds power powered powers practically prebuilt precede precedence precedes precision precondition
prefer preference preferred prefers prefix prefixed prefixes preinstalled preloaded prepared present preserve preserved press presses pressing
pressure prettier prevent prevents preview previews previous price prices pricing primaries primary print printed printer printers printing prints
prior priority privacy private privileged priya pro probably probe probed probes problem problems procedure procedures process processed processes
processing processor procurement prod produce produced producer producers produces product production products profile profiles program programme
programming programs progress prohibited project projects prometheus promise promised promises promo promote promoted promotes promotion prompt
prompts promtail propagate propagated proper properly properties property proposal proposed props prose protect protected protection protects proto
protobuf protoc protocol prototype proved provided provider providers provides provisioned provisioning provisions proxies proxmox proxy prune pruned
prunes pruning pseudonymised psql public publication publicly publish published publisher publishes publishing pull pulled pulling pulls pulumi pump
purchase purchases pure purely purge purged purges purging purpose push pushed pushes pushgateway pushing put puts putting pyright pytest python
quality quarantine quarantined quarter quarterly quarters queried queries query question questions queue queued queues quick quicker quickly quiet
quietly quit quits quorum quota quotas quote quoted quotes rabbit race rack racks radar radio raft rail rails rain raise raised raises raising ran
random randomised range ranges ranked ranker ranking ranks rare rarely raspberry rate rated rates rather rating ratio ravi raw rclone reach reachable
reached reaches react read readable reader readers readiness reading readings reads ready real really realm reason reasons rebalance rebase rebased
rebases rebasing reboot rebooted rebooting reboots rebuild rebuilding rebuilds rebuilt recalculated recall receipt receipts receive received receiver
receives receiving recent recently reception recipients reclaimed recommendation recommendations recommended recommender recomputed reconciliation
reconnect reconnects record recorded recorder recording recordings records recover recovered recovery recreated recursive red redeploy redeploying
redesign redirect redirected redirects redis redone reduce reduced redundancy redundant redux reentrant refactor refactoring reference referenced
references refers reflection reformatted refresh refreshed refreshes refreshing refund refunded refunds refuse refused refuses regardless regenerate
regenerated regenerates regex regexes region regional regions register registered registers registrar registration registry regression regular
regularly rehearsed reindex reindexed reindexing reject rejected rejection rejects relation relations relative relaxed relay relays release released
releases releasing reliable reliably relies reload reloaded reloading reloads relocated rely remain remaining remains remembers reminded reminder
reminders remote remotely removal remove removed removes removing rename renamed renames renaming render rendered renderer rendering renders renew
renewal renewals renewed renews renovate rent rented reopened repair repaired repeat repeated repeating repeats replace replaced replacement replaces
replacing replay replayed replaying replays replica replicas replicate replicated replicates replication replies reply repo repointed report reported
reporter reporting reports repos repositories repository reproduce reproducible request requested requesting requests require required requirement
requires rerun reruns research reservation reservations reserve reserved reset resets resetting resident residents resize resized resizer resizing
resolution resolve resolved resolver resolvers resolves resource resources respected respects respond responds response responses responsibility
responsible rest restart restarted restarting restarts restic restore restored restores restoring restricted result results resume resumed resumes
retain retained retains retention retired retrained retraining retried retries retro retros retry retrying return returned returning returns reuse
reused rev revenue reverse reversed reversible revert reverted reverting reverts review reviewed reviewer reviewers reviewing reviews revision
revisions revocation revoke revoked rewrite rewrites rewriting rewritten rewrote rid right rights ring rings ripped rise risk roaming robin robot
robots role roles roll rollback rollbacks rolled rolling rollout rollouts rolls roof room rooms root rootless rose roster rota rotate rotated rotates
rotating rotation roughly round rounded rounding rounds route routed router routers routes routine routing row rows rpm rps rspamd rsync ruby ruff
rui rule ruled rules run runbook runbooks runner runners running runs runtime rust rustfmt safari safe safely safety said sake salaries salary sale
sales salt same sample sampled samples sampling samsung sandbox sat satellite saturated saturday saturdays save saved saves saving saw say says scala
scale scaled scales scaling scan scanned scanner scanners scanning scans schedule scheduled scheduler schedules scheduling schema schemas scheme
school scope scoped score scored scores scoring scp scrape scraped scraper scrapes scraping scrapped scratch screen screens screenshot screenshots
script scripts scroll scrub scrubbed scrypt sealed search searchable searches searching season seat seats second secondary seconds secret secrets
secs section secure security see seed seeded seeding seeds seeing seems seen sees segfault segfaults segment segments select selected selects self
sell sellers semantic semicolons semver send sender senders sending sends senior sensor sensors sent sentence sentences sentinel sentry separate
separated separately separator separators sept september sequence sequential serial serialization serializer serially series serve served server
servers serves service services serving session sessions set sets setting settings settle settled settlement settles setup seven several severity
shader shaders shadow shaking shallow shard sharded sharding shards share shared shares sharing sharp she sheet sheets shell shelly shift shifted
shifts ship shipment shipments shipped shipper shipping ships shop shoppers shops short shortened shorter should show showed showing shown shows
shrank shrink shrinks shut shutdown shuts siblings sick side sidebar sidecar sidecars sidekiq sides sign signal signals signature signatures signed
significant signing signs signup silence silenced silent silently sim simple simply simulated simulation simulator simultaneously since singapore
single singleton singly singular sit site sitemap sites sits six sixteen sixty size sized sizes skew skip skipped skipping skips slack slash slashes
sleep sleeping sleeps slice slides sliding slot slots slow slowdown slowed slower slowest slowly slowness slows slug slugs slurm small smaller
smallest smart smoke smoothly snake snapshot snapshots snapshotted snapshotting snowflake soak socket sockets sofia soft software solar sold sole
solely solid solved solver some somebody someone something sometimes sonarr soon sooner sops sort sorted sorting sorts sound source sources space
spaces spacing spain spam span spanish spans spare spark spawn spawns speak speaker speaks spec special specific specs spectral speed speeds spell
spelling spend spending spends spent sphinx spike spikes spinner spinning spins spite split splits splitting splunk spoken spool spools spot spread
spreadsheet spring sprint sprints sqlite squad square squash squashed squashing squid src ssh sshd stable stack staff staffed stage staged stages
staging stale stall stalled stalls stamped stand standalone standard standby standing stands standup standups start started starting starts startup
state stated stateful stateless statement statements states static statically station statistics stats status stay stayed staying stays stderr stdout
step steps stg stick sticks sticky still stock stockholm stood stop stopped stopping stops storage store stored storefront stores stories storm story
storybook straight stream streamed streaming streams street strict strictly string strings strip stripe stripped stripping strips structured stub
stubs stuck student students style styled stylelint styles stylesheet stylesheets subclass subclasses subclassing subdomain subdomains subject
subjects submission submit submits submitted submodule submodules subnet subnets subscribers subscribes subscription succeed succeeded succeeds
success successful successfully such sudo suffice suffices sufficient suffix suggest suggestions suite sum summaries summary summer sums sun sunday
sundays sunset superseded superuser supplied supplier supplies supply support supported supporting supports suppressed sure survey survive survived
survives suspended suspends svelte sven swallowed swallows swap swapped swapping swaps swift swiss switch switched switches switching switzerland
sydney symbol symbols sync synced synchronous synchronously syncing syncs synology synonyms syntax synthetic sysctl syslog system systemd systems tab
table tables tablet tablets tabs tag tagged tagging tags tail tailscale tailwind taint take taken takes taking talk talks tank tap tape tarball
tarballs target targets tariff task tasks tax team teams teardown technician telegraf telemetry tell telling tells temp temperature temperatures
template templates tempo temporary ten tenant tenants tense tenth terabyte term terminal terminals terminate terminated terminates termination terms
terraform terse test tested testers testing tests text texts texture textures tfstate than thanks thanos that the their theirs them theme themes
themselves then there therefore thermal thermostat these they thin thing things third thirds thirty this those though thousand thousands thread
threads three threshold threw throttle throttled throttles throttling through throughout throughput throw throwing thrown throws thumbnail
thumbnailer thumbnails thursday thursdays thus tick ticket tickets ticks tied tier ties tight tightened tile tiles till time timed timeout timeouts
timer timers times timestamp timestamps timestamptz timetable timezone timing tiny title titles tmp tmpfs tmux today together toggle toggles token
tokenizer tokens tokyo told tolerance tolerate tolerated tolerates tom tomas tomasz tomorrow toner too took tool toolchain toolkit tools tooltip top
topic topics tops torn total totals touch touched touches touching tour toward towards trace traced traces tracing track tracked tracker trackers
tracking tracks trade trades trading traefik traffic trail trailer trailers trailing train trained training trains transaction transactions
transcoder transcoding transfer transferred transfers transient transit translated translates translation translations translators transmit transmits
transport trap traps travel travels treasury treat treated treats tree triage triaged trial tried tries trigger triggered triggers trim trimmed trip
trips trivy trouble true truncate truncated truncates trunk trust trusted trusts truth try trying tsc tsconfig ttl tue tuesday tuesdays tuned tunnel
tunnels turbo turn turned turning turns tutorial twelve twentieth twenty twice twilio two type typed types typical typically typing typo typos ubuntu
uid ulimit umlauts unable unacknowledged unaffected unattended unauthenticated unavailable unblocked unbound unbounded unchanged unchecked
uncompressed undefined under underscore underscores understand undo undocumented undoes undone unencrypted unhandled unhealthy uninstalled union
unions unique uniqueness unit units unittest unity universal unix unknown unleash unless unlike unlimited unlock unlocked unmounted unnecessary
unnoticed unpaid unpinned unplugged unprivileged unreachable unreadable unrecognised unrelated unreliable unresolved unrestricted unreviewed unsafe
unseal unsealed unseals unset unsigned unstable unsuccessful unsupported untagged untested unthrottled until untouched untranslated unused update
updated updates updating upfront upgrade upgraded upgrades upgrading uplink upload uploaded uploader uploading uploads upon upper uppercase upstream
uptime upward urgent usable usage use used useless user username usernames users uses using usual usually utility uuid vacation vacuum vacuumed
vacuuming valid validate validated validates validation validator validity value values valve vanish vanished vanishes var variable variables variant
variants varies varnish vars vary vault vector vectors vehicles vendor vendored vendors verbatim verbose verification verified verifies verify
verifying version versioned versioning versions vertical very via video videos vienna view viewer views violations virginia virtual virus viruses
visibility visible visit visitor visitors visits visual vite vitest vocabulary voice void volatile voltage volume volumes voluntary vote voted votes
voucher vouchers vue vulnerabilities vulnerability vulnerable wait waited waiting waits wake wakes walk wall want wanted wants ward warehouse warm
warmed warming warms warmup warn warning warnings warns warranty warsaw was waste watch watchdog watched watches water watts wave waves way ways wear
weather web webhook webhooks webpack website websocket websockets wed wednesday wednesdays week weekday weekdays weekend weekends weekly weeks weighs
weight weights welcome well went were west what whatever whatsoever wheel wheels when whenever where whereas wherever whether which whichever while
white whitespace who whoever whole whose why wide widened widget widgets width wifi wiki wildcard will win wind window windows wins winter wipe wiped
wipes wiping wire wired wireless wish with withdrawn within without woken won word wording words work workaround worked worker workers workflow
working workloads works workshop workspace workspaces world worldwide worn worry worse worst worth would wrap wrapped wrapper wraps writable write
writer writers writes writing written wrong wrongly wrote www xcode xdist yarn year yearly years yellow yes yesterday yet yield yields you younger
your yourself yusuf zabbix zebra zendesk zero zeros zfs zigbee zip zipped zlib zod zone zones zoom zstd zulu
`
    .trim()
    .split(/\s+/),
)
