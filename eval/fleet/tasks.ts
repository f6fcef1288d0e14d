/** A task that comes again, the fact that its first run learns, and where a later run meets it. */
export interface FleetTask {
  service: string | null
  category: 'behavior' | 'timing' | 'dependency' | 'remediation' | 'maintenance'
  fact: string
  prompt: string
  command: string
  error?: string
}

export const TASKS: readonly FleetTask[] = [
  {
    service: 'invoices',
    category: 'remediation',
    fact: 'invoice-render dies with SIGBUS when /dev/shm is below 256 MB; start it with --shm-size=512m',
    prompt: 'regenerate the February invoices for Lindqvist',
    command: 'docker run --rm invoice-render --month 2026-02',
    error: 'invoice-render: killed by signal SIGBUS',
  },
  {
    service: 'ledgerd',
    category: 'timing',
    fact: 'ledgerd needs about 95 seconds after a restart before it answers on port 7412',
    prompt: 'restart ledgerd after the config change',
    command: 'systemctl restart ledgerd && curl -sf localhost:7412/ready',
    error: 'curl: (7) Failed to connect to localhost port 7412',
  },
  {
    service: null,
    category: 'maintenance',
    fact: 'pnpm codegen must run before pnpm typecheck, or the GraphQL types are stale',
    prompt: 'the type check fails on my branch, have a look',
    command: 'pnpm typecheck',
    error: "error TS2339: Property 'refundId' does not exist on type 'Order'",
  },
  {
    service: 'vault-sync',
    category: 'dependency',
    fact: 'vault-sync only starts once consul has a leader: check consul operator raft list-peers first',
    prompt: 'bring vault-sync back up',
    command: 'systemctl start vault-sync',
    error: 'vault-sync: no leader',
  },
  {
    service: 'parcel-api',
    category: 'behavior',
    fact: 'parcel-api answers 429 for ten minutes after more than 40 label requests in a row; send labels in batches of 30',
    prompt: 'print the labels for the 120 parcels of today',
    command: './bin/labels --count 120',
    error: 'parcel-api: 429 Too Many Requests',
  },
  {
    service: 'search',
    category: 'remediation',
    fact: 'After a mapping change run bin/reindex --alias products_v2, never the default alias',
    prompt: 'add the material field to product search',
    command: 'bin/reindex',
  },
  {
    service: 'backup',
    category: 'behavior',
    fact: 'The restic repository on nas2 is locked by the nightly prune from 02:00 to 03:30',
    prompt: 'restore the photos folder from last week',
    command: 'restic -r sftp:nas2:/restic restore latest',
    error: 'repository is already locked exclusively',
  },
  {
    service: 'mobile',
    category: 'maintenance',
    fact: 'pod install has to be run with the Ruby of .tool-versions through mise exec, the system Ruby corrupts Podfile.lock',
    prompt: 'update the camera pod',
    command: 'cd ios && pod install',
  },
  {
    service: 'warehouse',
    category: 'timing',
    fact: 'dbt run of the margin models takes 50 minutes on a cold warehouse; use --select state:modified+ instead',
    prompt: 'the margin report has a wrong currency, fix the model',
    command: 'dbt run --models margin',
  },
  {
    service: 'mailer',
    category: 'behavior',
    fact: 'mailer drops attachments above 7 MB without an error; link large files from the bucket',
    prompt: 'customers say the monthly statement arrives without its PDF',
    command: 'grep -n attach services/mailer/src/send.ts',
  },
  {
    service: 'edge',
    category: 'remediation',
    fact: 'nginx -t passes with a missing certificate chain; run bin/check-chain edge before reloading nginx',
    prompt: 'roll out the new certificate on edge',
    command: 'sudo nginx -t && sudo systemctl reload nginx',
  },
  {
    service: 'billing',
    category: 'dependency',
    fact: 'Migrations of billing need the role billing_owner: run SET ROLE billing_owner before alter table',
    prompt: 'add a vat_rate column to the billing plans',
    command: 'psql billing -f migrations/0081_vat_rate.sql',
    error: 'ERROR: must be owner of table plans',
  },
  {
    service: 'ci',
    category: 'maintenance',
    fact: 'The runner label arm-large is needed for the e2e job, on ubuntu-latest Chromium runs out of memory',
    prompt: 'split the e2e job into two',
    command: 'vim .github/workflows/e2e.yml',
  },
  {
    service: 'grafana',
    category: 'behavior',
    fact: 'Dashboards changed in the browser are overwritten every hour from ops/dashboards; edit the JSON there',
    prompt: 'add the queue depth to the orders dashboard',
    command: 'curl -X POST grafana.internal/api/dashboards/db -d @orders.json',
  },
  {
    service: 'feature-flags',
    category: 'behavior',
    fact: 'A flag of flagd takes effect after flagctl publish; flagctl set alone only changes the draft',
    prompt: 'switch the new checkout on for staff',
    command: 'flagctl set checkout_v3 --segment staff',
  },
  {
    service: 'transcoder',
    category: 'remediation',
    fact: 'ffmpeg fails with "No NVENC capable devices" after a driver update until nvidia-persistenced is restarted',
    prompt: 'videos stopped being transcoded this morning',
    command: 'journalctl -u transcoder -n 50',
    error: 'No NVENC capable devices found',
  },
  {
    service: 'auth',
    category: 'timing',
    fact: 'Keys rotated in keycloak are cached by auth for 15 minutes; call POST /admin/jwks/refresh to use them at once',
    prompt: 'rotate the signing key of the login realm',
    command: 'kcadm.sh create components -r login -f key.json',
  },
  {
    service: 'docs',
    category: 'maintenance',
    fact: 'make docs writes into public/ of the main checkout, so run it in a worktree with DOCS_OUT set',
    prompt: 'rebuild the handbook with the new holiday rules',
    command: 'make docs',
  },
  {
    service: 'sensor-hub',
    category: 'dependency',
    fact: 'Flashing sensor-hub boards needs esptool 4.7; 4.8 bricks boards of revision C',
    prompt: 'flash the two new sensor boards',
    command: 'esptool.py --port /dev/ttyUSB0 write_flash 0x0 hub.bin',
  },
  {
    service: 'payroll',
    category: 'behavior',
    fact: 'The payroll export uses the Europe/Vienna day; run it with TZ=Europe/Vienna or the last day of the month is missing',
    prompt: 'export the working hours of January for payroll',
    command: 'bin/payroll-export --month 2026-01',
  },
]
