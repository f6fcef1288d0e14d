import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { validate as validateDeployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment'
import { validate as validateAutoscaler } from 'kubernetes-models/_schemas/IoK8sApiAutoscalingV2HorizontalPodAutoscaler'
import { validate as validateService } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service'
import { validate as validateIngress } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1Ingress'
import { validate as validateNetwork } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy'
import { validate as validateBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { installDebian } from '../install-debian.ts'
import { unreadFields } from './known-fields.ts'

const chart = join(import.meta.dirname, '../../infra/helm/nokosu')
const read = (file: string) => readFileSync(join(chart, file), 'utf8')
const metadata = parse(read('Chart.yaml'))
const values = parse(read('values.yaml'))
const VALIDATORS: Record<string, (document: unknown) => boolean> = {
  'apps/v1 Deployment': validateDeployment,
  'autoscaling/v2 HorizontalPodAutoscaler': validateAutoscaler,
  'v1 Service': validateService,
  'networking.k8s.io/v1 Ingress': validateIngress,
  'networking.k8s.io/v1 NetworkPolicy': validateNetwork,
  'policy/v1 PodDisruptionBudget': validateBudget,
}

const hasGo = () => spawnSync('go', ['version']).status === 0
const canRender = hasGo() || (installDebian('golang-go') && hasGo())
if (!canRender) throw new Error('Go is needed to render the Helm chart, and could not be installed: install golang-go.')

// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of a manifest.
type Manifest = any

function render(changes: object = {}): Record<string, Manifest> {
  const templates = Object.fromEntries(globSync('templates/*', { cwd: chart }).map((file) => [file, read(file)]))
  const data = {
    Values: { ...values, ...changes },
    Release: { Name: 'nokosu', Namespace: 'memory', Service: 'Helm' },
    Chart: { Name: metadata.name, Version: metadata.version, AppVersion: metadata.appVersion },
  }
  const go = spawnSync('go', ['run', join(import.meta.dirname, 'render-chart.go')], {
    input: JSON.stringify({ templates, data }),
    encoding: 'utf8',
    env: { ...process.env, GOCACHE: join(tmpdir(), 'nokosu-go'), GOFLAGS: '-mod=mod', GO111MODULE: 'off' },
  })
  expect(go.stderr).toBe('')
  const texts = Object.values(JSON.parse(go.stdout) as Record<string, string>).filter((text) => text.trim() !== '')
  return Object.fromEntries(
    texts.map((text) => {
      const manifest = parse(text, { strict: true, uniqueKeys: true })
      return [manifest.kind, manifest]
    }),
  )
}

it('the chart is of the package’s version', () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  expect(metadata).toMatchObject({ apiVersion: 'v2', name: 'nokosu', version, appVersion: version })
})

describe('rendered', () => {
  const manifests = render()
  const { Deployment, Service, Ingress, NetworkPolicy, HorizontalPodAutoscaler, PodDisruptionBudget } = manifests

  it('is what the published schemas allow, without a field that they do not know', () => {
    expect(Object.keys(manifests).sort()).toEqual(
      'Deployment HorizontalPodAutoscaler Ingress NetworkPolicy PodDisruptionBudget Service'.split(' '),
    )
    for (const manifest of Object.values(manifests)) {
      const validate = VALIDATORS[`${manifest.apiVersion} ${manifest.kind}`]!
      const check = (document: unknown) => {
        expect(validate(document), JSON.stringify((validate as { errors?: unknown }).errors)).toBe(true)
      }
      expect(unreadFields(manifest, check)).toEqual([])
    }
  })

  it('is the deployment of the plain manifest, whose pods the autoscaler counts', () => {
    const [plain] = parse(
      `[${JSON.stringify(parse(readFileSync(join(chart, '../../kubernetes/postgres.yaml'), 'utf8')))}]`,
    )
    const { replicas: _, ...spec } = plain.spec
    const { serviceAccountName, ...pod } = Deployment.spec.template.spec
    expect(pod).toEqual(spec.template.spec)
    expect(serviceAccountName).toBe('default')
    expect(Deployment.spec.strategy).toEqual(spec.strategy)
    expect(Deployment.spec.replicas).toBeUndefined()
    expect(HorizontalPodAutoscaler.spec).toMatchObject({
      scaleTargetRef: { kind: 'Deployment', name: Deployment.metadata.name },
      minReplicas: 2,
      maxReplicas: 6,
    })
  })

  it('has one set of labels, by which everything finds the pods', () => {
    const labels = Deployment.spec.template.metadata.labels
    for (const found of [
      Deployment.spec.selector.matchLabels,
      Service.spec.selector,
      PodDisruptionBudget.spec.selector.matchLabels,
      NetworkPolicy.spec.podSelector.matchLabels,
    ])
      expect(found).toEqual(labels)
    const [path] = Ingress.spec.rules[0].http.paths
    expect(path.backend.service).toEqual({ name: Service.metadata.name, port: { name: Service.spec.ports[0].name } })
  })

  it('lets in the ingress controller and marked pods, and out to DNS and the store', () => {
    const [{ ports, from }] = NetworkPolicy.spec.ingress
    expect(ports).toEqual([{ port: 4816 }])
    expect(from).toEqual([
      { podSelector: { matchLabels: { 'nokosu.client': 'true' } } },
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } },
    ])
    const out = NetworkPolicy.spec.egress.flatMap((rule: Manifest) => rule.ports.map(({ port }: Manifest) => port))
    expect(out).toEqual([53, 53, 5432, 443])
    expect(Ingress.spec.tls).toEqual([{ hosts: ['memory.example.com'], secretName: 'nokosu-tls' }])
  })

  it('follows its values', () => {
    const other = render({
      host: 'm.acme.io',
      image: { repository: 'reg/nokosu', tag: '9.9.9' },
      ingress: { ...values.ingress, enabled: false },
      network: { fromNamespaces: ['agents', 'edge'], toPorts: [6432] },
    })
    expect(other.Ingress).toBeUndefined()
    const [container] = other.Deployment.spec.template.spec.containers
    expect(container.image).toBe('reg/nokosu:9.9.9')
    expect(container.args.join(' ')).toContain('--allow-host m.acme.io')
    expect(other.NetworkPolicy.spec.ingress[0].from).toHaveLength(3)
  })
})
