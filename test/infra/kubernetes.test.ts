import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate as validateDeployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment'
import { validate as validateClaim } from 'kubernetes-models/_schemas/IoK8sApiCoreV1PersistentVolumeClaim'
import { validate as validatePod } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Pod'
import { validate as validateService } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { unreadFields } from './known-fields.ts'

const folder = join(import.meta.dirname, '../../infra/kubernetes')
const FILES = globSync('*.yaml', { cwd: folder }).sort()
const VALIDATORS: Record<string, (document: unknown) => boolean> = {
  'apps/v1 Deployment': validateDeployment,
  'v1 PersistentVolumeClaim': validateClaim,
  'v1 Pod': validatePod,
  'v1 Service': validateService,
}

interface Container {
  image: string
  args?: string[]
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[]
  ports: { name: string; containerPort: number }[]
  volumeMounts: { name: string; mountPath: string }[]
  resources: { requests: object; limits: object }
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } }
}
interface PodSpec {
  containers: Container[]
  volumes: ({ name: string } & Record<string, unknown>)[]
  terminationGracePeriodSeconds: number
}
interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string }
  spec: Record<string, unknown> & { template: { metadata: { labels: object }; spec: PodSpec } }
}

function read(file: string): Manifest[] {
  const documents = parseAllDocuments(readFileSync(join(folder, file), 'utf8'), { strict: true, uniqueKeys: true })
  return [...documents].map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS() as Manifest
  })
}

const find = (file: string, kind: string) => read(file).find((manifest) => manifest.kind === kind)!
const podOf = ({ kind, spec }: Manifest): PodSpec =>
  kind === 'Pod' ? (spec as unknown as PodSpec) : spec.template.spec
const PODS = FILES.flatMap(read).filter(({ kind }) => kind === 'Pod' || kind === 'Deployment')

it.each(FILES)('%s is what the published schemas allow, without a field that they do not know', (file) => {
  for (const manifest of read(file)) {
    const validate = VALIDATORS[`${manifest.apiVersion} ${manifest.kind}`]!
    const check = (document: unknown) => {
      expect(validate(document), JSON.stringify((validate as { errors?: unknown }).errors)).toBe(true)
    }
    expect(unreadFields(manifest, check)).toEqual([])
  }
})

it('the check of fields finds a misspelt one', () => {
  const manifest = find('postgres.yaml', 'Deployment')
  Object.assign(podOf(manifest).containers[0]!, { readynessProbe: {} })
  expect(unreadFields(manifest, validateDeployment)).toEqual(['/spec/template/spec/containers/0/readynessProbe'])
})

it('every pod runs as nobody special, on a file system that it cannot write to, within bounds of memory', () => {
  expect(PODS).toHaveLength(4)
  for (const manifest of PODS) {
    const pod = podOf(manifest)
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    })
    expect(pod.containers).toHaveLength(1)
    expect(pod.containers[0]).toMatchObject({
      image: expect.stringMatching(/^[\w./-]+:\d+\.\d+\.\d+$/),
      resources: { requests: { cpu: expect.any(String), memory: expect.any(String) }, limits: { memory: '2Gi' } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    })
    const mounted = pod.containers[0]!.volumeMounts.map(({ name, mountPath }) => `${name} ${mountPath}`)
    expect(mounted).toEqual(['data /data', 'tmp /tmp'])
    expect(pod.volumes.map(({ name }) => name)).toEqual(['data', 'tmp'])
  }
})

describe.each(['postgres.yaml', 'sqlite.yaml'])('%s', (file) => {
  const deployment = find(file, 'Deployment')
  const [server] = podOf(deployment).containers as [Container]

  it('is asked whether it lives and whether it is ready, at the port on which it serves', () => {
    expect(server.livenessProbe).toMatchObject({ httpGet: { path: '/healthz', port: 'http' } })
    expect(server.startupProbe).toMatchObject({ httpGet: { path: '/healthz', port: 'http' } })
    expect(server.readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'http' } })
    expect(server.ports).toEqual([{ name: 'http', containerPort: 4816 }])
    expect(server.args!.slice(0, 5)).toEqual(['serve', '--host', '0.0.0.0', '--port', '4816'])
    expect(server.args!.slice(-2)).toEqual(['--sweep-at', '03:00'])
  })

  it('gets time to answer what has begun: longer than the server takes at most', () => {
    const pause = (server as unknown as { lifecycle: { preStop: { sleep: { seconds: number } } } }).lifecycle.preStop
    expect(podOf(deployment).terminationGracePeriodSeconds).toBeGreaterThan(pause.sleep.seconds + 10)
  })

  it('is what the service leads to, and answers to its name', () => {
    const { metadata, spec } = find('service.yaml', 'Service')
    expect(spec).toMatchObject({ ports: [{ port: 4816, targetPort: 'http' }] })
    expect(deployment.spec.template.metadata.labels).toEqual(spec.selector)
    expect(deployment.spec.selector).toEqual({ matchLabels: spec.selector })
    expect(server.args!.join(' ')).toContain(`--allow-host ${metadata.name}`)
  })
})

it('with PostgreSQL the URL is from a secret, and pods are replaced one after the other', () => {
  const { spec } = find('postgres.yaml', 'Deployment')
  expect(spec).toMatchObject({ replicas: 2, strategy: { rollingUpdate: { maxUnavailable: 0 } } })
  for (const file of ['postgres.yaml', 'operator-postgres.yaml']) {
    const [container] = podOf(read(file).at(-1)!).containers
    expect(container!.env[0]).toEqual({
      name: 'NOKOSU_DB',
      valueFrom: { secretKeyRef: { name: 'nokosu', key: 'db' } },
    })
  }
})

it('with SQLite there is one pod at a time, and its file is on the volume that was claimed', () => {
  const { spec } = find('sqlite.yaml', 'Deployment')
  expect(spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } })
  const claim = find('sqlite.yaml', 'PersistentVolumeClaim')
  expect(claim.spec).toMatchObject({ accessModes: ['ReadWriteOnce'] })
  for (const file of ['sqlite.yaml', 'operator-sqlite.yaml']) {
    const pod = podOf(read(file).at(-1)!)
    expect(pod.containers[0]!.env[0]).toEqual({ name: 'NOKOSU_DB', value: 'sqlite:/data/memory.db' })
    expect(pod.volumes[0]).toMatchObject({ persistentVolumeClaim: { claimName: claim.metadata.name } })
  }
})
