import { describe, expect, it } from 'vitest'
import { guardOf } from './guards.ts'
import { readScene } from './scene.ts'

const bash = (command: string) => readScene({ kind: 'tool', name: 'Bash', input: { command } })
const edit = (file_path: string) => readScene({ kind: 'tool', name: 'Edit', input: { file_path, new_string: 'x' } })
const guards = (pattern: string, scene: ReturnType<typeof bash>) => guardOf({ tags: [`guards:${pattern}`] }, scene)

describe('what a memory guards', () => {
  it('is told by the first of its patterns that is met', () => {
    const tags = ['guards:helm', 'guards:terraform apply', 'guards:terraform']
    expect(guardOf({ tags }, bash('terraform apply'))).toBe('terraform apply')
  })

  it.each([
    ['terraform apply', bash('cd infra && sudo terraform -chdir=prod apply -auto-approve')],
    ['terraform apply', bash('/usr/local/bin/terraform apply')],
    ['git push * main', bash('git push origin main')],
    ['terraform', bash('terraform plan')],
    ['db/migrations', edit('/repo/db/migrations/0042_users.sql')],
    ['db/migrations/', edit('db/migrations/0042_users.sql')],
    ['./infra/main.tf', edit('/repo/infra/main.tf')],
    ['infra/*.tf', edit('/repo/infra/prod/main.tf')],
    ['.env', bash('cat /srv/app/.env')],
    ['mcp__jira__*', readScene({ kind: 'tool', name: 'mcp__jira__create_issue', input: {} })],
    ['mcp__jira__**', readScene({ kind: 'tool', name: 'mcp__jira__', input: {} })],
    ['mcp__*__create', readScene({ kind: 'tool', name: 'mcp__a__b__create', input: {} })],
    ['Edit', edit('a.ts')],
  ])('%s: the action that it names', (pattern, scene) => {
    expect(guards(pattern, scene)).toBe(pattern)
  })

  it.each([
    'timeout 5 kubectl delete pod x',
    'timeout -s KILL 5 nohup kubectl delete pod x',
    'sudo -u root KUBECONFIG=/etc/k kubectl delete pod x',
    'env -u HOME A=1 kubectl delete pod x',
    'bash -c "kubectl delete pod x"',
    'sudo bash -lc "cd x && kubectl delete pod x"',
    'ssh -p 22 host kubectl delete pod x',
    'ssh host "cd x; sudo kubectl delete pod x"',
    "ssh host bash -c 'kubectl delete pod x'",
    'kubectl get pods -o name | xargs -n 1 kubectl delete',
    'find . -name x -exec kubectl delete -f {} \\;',
    'echo $(kubectl delete pod x | wc -l) done',
    'echo "gone: $(kubectl delete pod "x")"',
    'A=`kubectl delete pod x`',
    '(cd x && kubectl delete pod)',
    'kubectl delete pod $(cat it; echo is) # for good',
    'ls # first\nkubectl delete pod x',
    'eval "kubectl delete pod x"',
    'su - root -c "kubectl delete pod x"',
    ...'bash dash fish ksh sh su zsh'.split(' ').map((shell) => `${shell} -c "kubectl delete pod x"`),
    ...[
      'doas -u root',
      'exec -a name',
      'ionice -c 3',
      'nice -n 19',
      'setsid',
      'stdbuf -o L',
      'time -p',
      'watch -n 5',
    ].map((launcher) => `${launcher} kubectl delete pod x`),
  ])('a command that another one runs: %s', (command) => {
    expect(guards('kubectl delete', bash(command))).toBe('kubectl delete')
  })

  it.each([
    'kubectl get pod # delete later',
    '# kubectl delete pod x',
    'ls; # $(kubectl delete pod x)',
    'bash -c "kubectl get pod # delete later"',
    "echo '$(kubectl delete pod x)'",
    'echo "\\$(kubectl delete pod x)"',
    'bash kubectl delete',
    'ssh kubectl delete',
    'command -v kubectl delete',
    "git commit -m \"$(cat <<'EOF'\nit's how to:\nkubectl delete pod\nEOF\n)\"",
    'kubectl get pods && echo delete',
  ])('a command that nothing runs: %s', (command) => {
    expect(guards('kubectl delete', bash(command))).toBeNull()
  })

  it('what runs another command is met by its own name too, and a sign in a word is no comment', () => {
    expect(guards('ssh prod', bash('ssh prod uptime'))).toBe('ssh prod')
    expect(guards('git push * main', bash('git push $(git remote) main'))).toBe('git push * main')
    expect(guards('open x#y delete', bash('open x#y "# delete" delete'))).toBe('open x#y delete')
  })

  it('reads a line that is made to be deep in its first levels', () => {
    expect(readScene({ kind: 'tool', name: 'Bash', input: 'ssh a "$('.repeat(400) }).commands.length).toBeLessThan(200)
  })

  it.each([
    ['terraform apply', bash('terraform plan')],
    ['terraform apply', bash('terraform plan # then apply')],
    ['terraform apply', bash('echo terraform apply')],
    ['terraform apply', bash('apply terraform')],
    ['terraform', bash('terraforms plan')],
    ['db/migrations', edit('/repo/db/migrations-old/1.sql')],
    ['infra/*.tf', edit('/repo/infra/main.tfvars')],
    ['.env', edit('/repo/x.env')],
    ['mcp__jira__*', readScene({ kind: 'tool', name: 'mcp__wiki__read', input: {} })],
    ['*', readScene({ kind: 'prompt', text: 'terraform apply' })],
    ['terraform apply', readScene({ kind: 'failure', name: 'Bash', input: 'terraform apply', error: 'locked' })],
    [' ', bash('ls')],
  ])('%s: nothing else', (pattern, scene) => {
    expect(guards(pattern, scene)).toBeNull()
  })

  it('reads eight patterns, and takes no longer for one that is made to be slow', () => {
    const tags = Array.from({ length: 9 }, (_, i) => `guards:tool${i}`)
    const use = (name: string) => readScene({ kind: 'tool', name, input: {} })
    expect(guardOf({ tags }, use('tool7'))).toBe('tool7')
    expect(guardOf({ tags }, use('tool8'))).toBeNull()
    expect(guards('*a'.repeat(28), edit(`${'a'.repeat(3000)}b`))).toBeNull()
  })
})
