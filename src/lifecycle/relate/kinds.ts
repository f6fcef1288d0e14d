/** Things of one kind, of which a slot normally holds one: `stored in Redis` against `stored in S3`. */
export const KINDS: Readonly<Record<string, string>> = {
  store: `postgresql=postgres=pg, mysql, mariadb, sqlite, mongodb=mongo, redis, valkey, memcached, cassandra, dynamodb,
    couchdb, clickhouse, elasticsearch, opensearch, influxdb, cockroachdb, oracle, s3=aws s3=amazon s3, gcs=google
    cloud storage, minio, azure blob, local disk=filesystem=file system=local filesystem=disk files, nfs, ceph, git,
    etcd, consul, vault, in memory=process memory, aws secrets manager=secrets manager, environment variables=env
    vars, kubernetes secrets, bigquery, snowflake, sql server=mssql, tape, flat files, longhorn, local volume,
    glacier, loki, splunk, graphite`,
  queue: 'kafka, rabbitmq, nats, sqs, activemq, pulsar, celery, sidekiq, resque, pubsub, zeromq, mqtt',
  cloud: `aws=amazon web services, gcp=google cloud, azure, hetzner, digitalocean, ovh, linode, on premises, bare metal,
    heroku, fly, cloudflare workers`,
  os: 'ubuntu, debian, alpine, centos, rhel, fedora, windows, macos, freebsd, arch linux, nixos, rocky, suse',
  arch: 'arm=arm64=aarch64, amd64=x86_64=x86=intel, riscv',
  orchestrator: `
    kubernetes=k8s, nomad, docker compose=compose, docker swarm=swarm, systemd, supervisord, pm2, mesos, ecs, launchd,
    openrc`,
  runtime: 'docker, podman, containerd, buildah, kaniko, lxc, crio, nerdctl',
  webserver: 'nginx, caddy, traefik, apache=httpd, haproxy, envoy, iis, lighttpd',
  vpn: 'wireguard, openvpn, tailscale, ipsec, zerotier',
  transport: 'tcp, udp, quic, unix socket',
  scheme: 'http, https, grpc, websocket=websockets, ftp, sftp, graphql, soap',
  format: 'json, yaml, xml, toml, csv, protobuf, avro, parquet, msgpack, ini, logfmt, html, markdown',
  language: 'python, golang=go lang, rust, java, typescript, javascript, ruby, php, kotlin, elixir, perl, bash',
  packager: 'npm, yarn, pnpm, pip, poetry, cargo, maven, gradle, apt, yum, brew, uv',
  ci: `github actions, gitlab ci, jenkins, circleci, buildkite, argo cd=argocd, flux, teamcity, drone ci, tekton, azure
    pipelines`,
  mail: 'sendgrid, mailgun, ses, postmark, postfix, sendmail, mailchimp, exim',
  chat: 'slack, teams channel, discord, mattermost, pagerduty, opsgenie, jira, telegram',
  monitoring: 'prometheus, datadog, new relic, grafana cloud, nagios, zabbix, cloudwatch, sentry, statsd',
  iac: 'terraform, pulumi, ansible, puppet, chef, cloudformation, opentofu, salt stack, helm, kustomize',
  hash: 'md5, sha1, sha256, sha512, bcrypt, argon2, scrypt, blake2',
  auth: 'oauth=oauth2, saml, ldap, kerberos, basic auth, mtls, oidc, api keys, jwt, password login, sso, ssh keys',
  weekday: `
    monday=mondays=mon, tuesday=tuesdays=tue, wednesday=wednesdays=wed, thursday=thursdays=thu, friday=fridays=fri,
    saturday=saturdays=sat, sunday=sundays=sun`,
  month: 'january, february, march, april, june, july, august, september, october, november, december',
  zone: 'utc=gmt, cet, est, pst, local time, berlin time',
  level: 'debug level, info level, warn level=warning level, error level, trace level',
  branchname: 'main branch=main, master branch, develop branch=develop, trunk',
  strategy: 'rolling, blue green, canary, recreate, big bang',
  consistency: 'eventual, strong, linearizable',
  filesystem: 'ext4, xfs, btrfs, zfs, ntfs, tmpfs',
  ip: 'ipv4, ipv6',
  compression: 'gzip, zstd, lz4, brotli, snappy codec, bzip2',
  part: `
    application=app=application itself, load balancer, api gateway=gateway, service mesh, sidecar, ingress controller,
    cdn`,
  testing: 'jest, vitest, mocha, pytest, junit, rspec, phpunit, unittest, cypress, playwright, selenium',
  linter: 'eslint, biome, prettier, ruff, black formatter, flake8, pylint, rubocop, golangci lint, standardjs',
  bundler: 'webpack, vite, rollup, esbuild, parcel, rolldown, turbopack',
  orm: 'prisma, drizzle, typeorm, sequelize, knex, sqlalchemy, hibernate, active record',
  framework: `
    express, fastify, hono, koa, nestjs, django, flask, fastapi, rails, spring boot=spring, laravel, nextjs, gin
    framework`,
  frontend: 'react, vue, svelte, angular, solidjs, htmx, preact',
  vcs: 'subversion=svn, mercurial, perforce',
  merging: 'squash=squash merge=squash merging, merge commit=merge commits, fast forward',
  indent: 'tabs, spaces',
  quotes: 'singlequotes, doublequotes',
  balancing: 'round robin, least connections, ip hash, sticky sessions',
  license: 'mit license, apache license, gpl, agpl, bsd license',
  raid: 'raid0, raid1, raid5, raid6, raid10',
}

/** Where something holds. Two different places never contradict each other. */
export const ENVIRONMENTS: Readonly<Record<string, string>> = {
  production: 'production, prod, live environment',
  staging: 'staging, stage, preprod, pre production, preproduction, uat',
  development: 'development, dev, dev environment, local development, developer machines, developer laptops',
  testing: 'qa, test environment, ci environment',
}
