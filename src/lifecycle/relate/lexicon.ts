/**
 * The vocabulary of operations as data. Words are written in any form; they are compared by stem. A phrase of several
 * words counts as one token. After a bar stand the words that say the opposite: `disabled` is `enable` with a minus.
 */

/**
 * What a predicate claims. A minus turns the claim of the whole sentence around, whether or not the other sentence uses
 * the same predicate: `login is disabled` and `cannot log in` agree.
 */
export const PREDICATES: Readonly<Record<string, string>> = {
  may: `can, may, could, allow, permit, possible, able, capable, accept, admit, allowlist, allowlisted, whitelist,
    whitelisted, support, safe, safely, fine, okay, ok, freely, harmless, without harm, without risk, without problem,
    without issue, without impact, without side effects, without trouble, compatible, tolerate, free to, welcome,
    acceptable, grant, viable, feasible | forbid, forbidden, prohibit, disallow, deny, denylist, blocklist, blacklist,
    blacklisted, block, refuse, reject, ban, impossible, unable, freeze, frozen, incompatible, unsupported, unsafe,
    dangerous, risky, harmful, avoid, prevent, off limits, unacceptable, out of the question, bad idea, hands off`,
  enable: `
    enable, active, activate, turn on, switch on, switched on, in use, in effect, in force, engage, opt out | disable,
    inactive, deactivate, off, turn off, switch off, unused, suspend, mute, silence, paused, out of use, opt in`,
  need: `
    must, shall, need, require, requirement, prerequisite, depend, rely, mandatory, obligatory, necessary, compulsory,
    essential, crucial, dependency, presuppose, insist, demand, expect, should, ought | optional, optionally,
    independent, independently, unnecessary, needless, regardless, irrespective, dispensable, superfluous, voluntary`,
  work: `work, function, succeed, success, healthy, operational, up, alive, available, usable, properly, correctly,
    reliable, stable, pass, green | fail, failure, crash, break, broken, down, die, error, malfunction, unavailable,
    unusable, outage, hang, stuck, unreliable, unstable, flaky, choke, fall over, go down, trip, stall, blow up,
    corrupt`,
  keep: `keep, retain, survive, persist, preserve, hold, store, storage, save, remain, stay, maintain state, durable,
    persistent, last, kept, held, stick, valid | delete, deletion, remove, removal, strip, lose, lost, loss, drop,
    clear, purge, flush, wipe, reset, discard, prune, erase, evict, expire, released, vanish, disappear, invalidate,
    ephemeral, clean, cleanup, clean out, throw away, tear down, decommission, uninstall, truncate, forget, volatile,
    trash, reclaim`,
  change: `
    change, modify, edit, alter, mutate, write, writable, writeable, mutable, adjust, read write, editable, touch,
    tamper, mess with | read only, append only, immutable, unchangeable, readonly, read access only, only read, write
    protected, unchanged, unmodified`,
  encrypt: 'encrypt, encryption | unencrypted, plaintext, plain text, cleartext, clear text, in the clear, insecure',
  fix: `fix, resolve, solve, cure, help, repair, remedy, go away, recover, heal, mend, sort out, clear up | worsen,
    aggravate, unresolved`,
  exist: `exist, present, include, contain, there be | missing, absent, lack, exclude, omit, gone, devoid, skip, ignore,
    bypass`,
  valid: 'compliant, legal, correct | invalid, illegal, wrong, incorrect, bogus',
}

/** Opposites along one line. They count only where both sentences speak about that line. */
export const AXES: Readonly<Record<string, string>> = {
  synchronous: `
    synchronous, synchronously, sync, blocking | asynchronous, asynchronously, async, non blocking, nonblocking, in
    the background`,
  automatic: `
    automatic, automatically, auto, automated, automate, generated, auto generated, unattended, by itself, on its own,
    unprompted, by cron | manual, manually, by hand, operator triggered, by an operator, by a human`,
  public: `public, publicly, public internet, from the internet, over the internet, to the internet, internet facing,
    external, externally, outside, anonymous, open to everyone | private, privately, internal, internally, intranet,
    vpn, localhost, loopback, inside, lan, local network`,
  fast: 'fast, quick, quickly, rapid, brisk, swift, snappy | slow, slowly, sluggish, long, lengthy, takes long',
  increase: `
    increase, grow, rise, raise, scale up, go up, climb, bump | decrease, shrink, fall, reduce, lower, scale down,
    decline, cut`,
  large: 'large, big, huge, great, high, many | small, tiny, little, low, few',
  always: `always, every time, invariably, without exception, consistently | sometimes, occasionally, rarely, seldom,
    intermittently, now and then, at times`,
  full: 'full, complete, entire, whole | partial, incremental, incomplete, differential',
  stateful: 'stateful | stateless',
  dedicated: `
    dedicated, exclusive, separate, isolated, individual, of its own, of their own | shared, shares, sharing, common,
    joint, pooled`,
  static: 'static, hardcoded, constant | dynamic, dynamically, variable',
  local: 'local, locally, on premises, on prem, on site, onsite | remote, remotely, cloud hosted, off site, offsite',
  strict: 'strict, hard | lenient, soft, loose, relaxed',
  same: 'same, identical, equal | different, distinct, another',
  parallel: `parallel, concurrent, concurrently, simultaneous, simultaneously, at once, at the same time | sequential,
    sequentially, serial, serially, one by one, one at a time, one job at a time, one after another`,
  push: 'push based | pull based',
  sensitive: 'case sensitive | case insensitive',
  latest: 'latest, newest, newer, current, recent | oldest, older, outdated, legacy',
  compress: 'compressed, gzip, zip | uncompressed, raw',
  ordered: 'ordered, in order, sorted | unordered, out of order, random',
  warm: 'warm, hot | cold',
  lazy: 'lazy, lazily, on demand, on first use | eager, eagerly, upfront, up front, preload, preloaded',
  vertical: 'vertical, vertically | horizontal, horizontally',
  ascending: 'ascending, oldest first | descending, newest first',
  silent: 'silently, quietly, unnoticed | loudly, with an error, noisily',
}

/** Words that mean the same thing in this field. Values of one kind that exclude each other are in KINDS. */
export const SYNONYMS: Readonly<Record<string, string>> = {
  start: `start, startup, start up, boot, boot up, bootup, launch, bring up, come up, spin up, begin, spawn, initialise,
    initialize, init, initialization`,
  restart: 'restart, reboot, bounce, power cycle, rebooted, relaunch, recycle',
  reload: 'reload, sighup, hot reload',
  health: `healthcheck, health check, health, health probe, liveness probe, readiness probe, health endpoint, liveness,
    readiness`,
  inbound: 'inbound, incoming, ingress',
  outbound: 'outbound, outgoing, egress',
  stop: 'stop, shutdown, shut down, halt, power off, terminate process, kill, quit, exit, bring down, take down',
  warmup: 'warmup, warm up, warming up',
  deploy: 'deploy, deployment, release, releases, rollout, roll out, go live, redeploy',
  rollback: 'rollback, roll back, revert, undo, undone, reversible, reverse, downgrade',
  upgrade: 'upgrade, update, bump version, patch, updated',
  install: 'install, set up, setup, installation, provision',
  backup: 'backup, back up, dump, backed up',
  restore: 'restore, restoration, bring back',
  login: 'login, log in, logon, log on, sign in, log into, authenticate, authentication, signin',
  ssh: 'ssh, secure shell',
  dns: 'dns, name resolution, resolve names, name lookup, resolver, domain names, nameserver, hostname resolution',
  certificate: 'certificate, cert, tls certificate, ssl certificate, tls cert, certs',
  tls: 'tls, ssl, https encryption',
  database: 'database, db, rdbms, datastore, data store, persistence layer',
  config: 'config, configuration, conf, settings, setting, config file, configuration file, options',
  memory: 'memory, ram, heap',
  disk: 'disk, disk space, storage space, drive, hard disk, hdd, ssd, disk usage space',
  cpu: 'cpu, processor',
  usage: 'usage, utilisation, utilization, consumption, consume',
  message: 'message, event, record',
  expiry: 'expiry, expiration, end of life',
  job: 'job, cron, cron job, cron jobs, scheduled job, cronjob, scheduled task, task, batch job',
  schedule: 'schedule, scheduled, timetable, planned',
  timeout: 'timeout, time out, times out, timed out, give up, deadline',
  retry: 'retry, try again, reattempt, retries, attempt again, attempt',
  limit: `limit, limited, cap, capped, ceiling, quota, restrict, restricted, maximum, rate limited,
    throttle, threshold`,
  listen: `
    listen, reachable, bind, bound, bound to, accessible, reach, expose, exposed, serve, serves, available at, answer,
    open`,
  own: `
    own, owner, owned, maintain, maintained, maintainer, responsible, responsibility, belong, belongs, in charge, look
    after, care of, take care of, steward, ownership`,
  handle: 'handle, process, deal with, serve requests',
  approve: 'approve, approval, review, sign off, signoff, sign-off, reviewed',
  verify: 'verify, check, validate, confirm, inspect',
  send: `send, sent, ship, shipped, export, email, emailed, deliver, delivery, mail, dispatch, forward, route, publish,
    post, page`,
  alert: 'alert, alarm, alerting, pager, notification, notify',
  log: 'log, logs, logging, log file, logfile',
  rotate: 'rotate, rotation, roll over',
  directory: 'directory, folder, dir, path',
  location: 'live, located, location, reside, sit, placed, found, lie',
  node: 'node, host, server, machine, box, instance, vm, copy, copies',
  container: 'container, docker container, pod',
  volume: 'volume, mount, mounted, mount point, share, nfs share, nfs mount',
  replica: 'replica, replication, replicate, standby, secondary, follower, slave, read replica',
  primary: 'primary, master, leader',
  image: 'image, docker image, container image',
  build: 'build, built, compile, compilation',
  request: 'request, call, query, hit',
  response: 'response, reply, respond',
  user: 'user, account, login name',
  admin: 'admin, administrator, admin rights, superuser, administrators',
  flag: 'flag, feature flag, toggle, feature toggle, switch',
  first: 'first, initial, initially',
  last: 'final, finally',
  temporary: `
    temporarily, temporary, for a while, briefly, transiently, for a few seconds, short lived, momentarily, transient`,
  renew: 'renew, renewal, reissue, refresh',
  merge: 'merge, merging, merged',
  branch: 'branch, branches',
  cache: 'cache, caching, cached, caches',
  session: 'session, sessions',
  secret: 'secret, credential, password, credentials, api key, passphrase',
  key: 'key, keys',
  token: 'token, tokens',
  attachment: 'attachment, upload, uploaded file, uploaded, uploads',
  connection: 'connection, connect, connected, traffic, network traffic, packets',
  network: 'network, networking',
  internet: 'internet, internet access, network access, internet connection, online',
  proxy: 'proxy, reverse proxy',
  balancer: 'load balancer, balancer, lb, loadbalancer',
  firewall: 'firewall, packet filter, security group',
  monitor: 'monitor, monitoring, observe, watch, track',
  metric: 'metric, metrics, prometheus metrics, telemetry',
  dashboard: 'dashboard, ui, web interface, web ui, interface, console, frontend, gui',
  api: 'api, rest api',
  maintenance: 'maintenance, maintenance window, service window, maintenance mode',
  downtime: 'downtime, interruption, outage window, service interruption',
  peak: 'business hours, office hours, working hours, daytime, during the day, work hours, peak hours, peak',
  night: 'overnight, off peak, off hours',
  weekend: 'weekend, weekends, saturday and sunday',
  failover: 'failover, fail over, switchover, switch over',
  drain: 'drain, empty, evacuate, cordon',
  duplicate: 'duplicate, twice, repeated, double',
  idempotent: 'idempotent, repeatable, rerunnable',
  schema: 'schema, table layout, database schema, table structure',
  migration: 'migration, migrate, schema migration, database migration, migrations',
  test: 'test, tests, tested, test suite, unit test',
  reason: 'cause, caused, reason',
  leak: 'leak, leaks, leaking',
  apply: 'apply, pick up, picked up, take effect, effective, propagate, propagation, visible, kick in',
  contact: 'contact, ask, ping, escalate, reach out, get in touch',
  interval: 'interval, frequency, cadence',
  concurrency: 'thread, threaded, threads, worker thread',
  operator: 'operator, human, person, engineer, oncall, on call, on-call, somebody on duty',
  everyone: 'everyone, anyone, anybody, everybody, all users, any user, each user',
  kernel: 'kernel, linux kernel',
  library: 'library, dependency package, package',
  extension: 'extension, plugin, addon, add on, module',
  cluster: 'cluster, clusters',
  latency: 'latency, response time, delay',
  index: 'index, indices, reindex, indexing',
  snapshot: 'snapshot, snapshots',
  clock: 'clock, system time, clocks',
  wait: 'wait, waiting, await, pause',
  swap: 'swap, swap space, swapping',
  region: 'region, data center, datacenter, data centre, availability zone, zone',
  code: 'code, source code, source, repository, repo',
  size: 'size, length, capacity, volume size',
  customer: 'customer, client, tenant, end user',
  rename: 'rename, renamed',
  dev: 'developer, developers',
  rights: 'rights, privilege, privileges, privileged access, sudo',
}

/** Carry no topic of their own; some of them mark order, conditions and bounds. */
export const STOP_WORDS = `
  a an the is are was were be been being am do does did done it its this that these those there here i you we they he
  she our your their my of and or so then than too very just also will would has have had having get gets got getting
  become becomes which who whom what whose how where why as such itself themselves them him her us please currently
  now still already really actually quite fully even ever yet simply normally usually generally typically some each
  both mostly kind thing things way to in on at into onto by with from for if when while during until after before
  since because but unlike per only exclusively solely atleast atmost lessthan morethan roughly ormore orless
  unlimited anytime every exactly precisely upon under between away over among across against towards along`

/** Say little about the topic: half of all statements could have them. */
export const LIGHT_WORDS = `
  run running use used using take takes make makes go goes going happen occur perform service system component
  environment all any other time times file files number amount value set put give let want try come default part item
  new old content total case level type mode state status order end rest certain specific particular again back out
  well mean proper general execute execution operate operation behaviour behavior action once place trigger triggered
  about around feature provide offer issue problem anything everything something via through behind front whatever due
  space given day night week data entry result written endpoint url address fire progress underway ongoing continue`

/** Turn the claim of their sentence around. */
export const NEGATORS = 'not no never none nobody nothing without neither nor cannot zero hardly unless nowhere'
