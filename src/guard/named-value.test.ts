import { describe, expect, it } from 'vitest'
import { redactSecrets } from './redact-secrets.ts'

describe('a value with its name next to it', () => {
  const value = 'hunter2Zebra9'
  it.each([
    `{"name": "DB_PASSWORD", "value": "${value}"}`,
    `{"value": "${value}", "name": "DB_PASSWORD"}`,
    `{\\"name\\":\\"DB_PASSWORD\\",\\"value\\":\\"${value}\\"}`,
    `{"Key": "db_password", "Value": "${value}"}`,
    `- name: DB_PASSWORD\n  value: ${value}\n- name: LOG\n  value: debug`,
    `- name: DB_PASSWORD value: ${value}`,
    `{"name": "db password", "type": "string", "value": "${value}"}`,
    `<name>DB_PASSWORD</name><value>${value}</value>`,
    `variable "db_password" { type = string default = "${value}" }`,
    `DB_PASSWORD: {value: ${value}}`,
  ])('is a secret if it would be one directly after its name: %s', (text) => {
    const { text: redacted, found } = redactSecrets(text)
    expect(redacted).not.toContain(value)
    expect(found).toHaveLength(1)
  })

  it.each([
    '{"name": "DB_PASSWORD_FILE", "value": "/run/secrets/db_password"}',
    '{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}',
    '- name: LOG_LEVEL\n  value: debug2',
    '{"name": "DB_PASSWORD", "value": "$DB_PASSWORD"}',
  ])('is no secret if it would be none there: %s', (text) => {
    expect(redactSecrets(text).found).toEqual([])
  })
})
