import { expect, test } from 'vitest'
import { isEnglish } from './english.ts'

test.each([
  'Staging wird jede Nacht gelöscht',
  'Startet in 60 Sekunden',
  'Der Server braucht 2 GB',
  'La base est supprimée toutes les nuits',
  'La base de datos se borra cada noche',
  'Tarda 60 segundos',
  'De database wordt elke nacht gewist',
  'Port 8443 geschlossen',
  'Servern startar aldrig om',
  'Sunucu her gece yeniden başlar',
  'Server tidak pernah dimulai ulang',
  'Serverul reporneste in fiecare noapte',
  'Máy chủ khởi động lại mỗi đêm',
  'Wir nutzen npm',
  'Nutzt Port 8080',
  'Cache deaktiviert',
  'Deployment freitags verboten',
  'Requiere Node 18',
  'Usiamo npm',
  'Klanten betalen in euro',
  'Certificat expire en mai',
  'Wymaga Node 18',
  '数据库每晚清空',
  'База данных очищается',
])('%s is not English', (text) => {
  expect(isEnglish(text)).toBe(false)
})

test.each([
  'Takes 60s to start',
  'ES cluster = 5 data nodes.',
  'Müller owns the billing module',
  'pg-main: max_connections=400',
  'TURN on 443/TCP',
  'Zoe got her access yesterday',
  'Dose in µg',
  'Cache disabled',
  'merge queue batch size max = 5',
  'svc-a -> svc-b: mTLS',
  'GOMEMLIMIT=2GiB',
  'Grafana login goes through Keycloak',
  'The café terminal is offline at night',
  'Set `nicht` as the value',
  '',
])('%s is, or is in no language', (text) => {
  expect(isEnglish(text)).toBe(true)
})
