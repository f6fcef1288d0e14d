import { expect, it } from 'vitest'
import { topicOf } from './topic.ts'

it.each([
  'What do we know about the payment gateway?',
  ' what do we  know about the payment gateway ',
  'what did we learn about the payment gateway',
  "what's known about the payment gateway",
  'Tell me about the payment gateway',
  'tell me everything about the payment gateway.',
  'could you remind me about the payment gateway?',
  'anything on the payment gateway?',
  'is there anything known about the payment gateway',
  'notes on the payment gateway',
  'known issues with the payment gateway',
  'are there any known problems with the payment gateway?',
  'any problems with the payment gateway?',
  'issues with the payment gateway',
  'Problems with the payment gateway?',
  'Do we know anything about the payment gateway?',
  'Have you noted anything on the payment gateway',
  'Is anything known about the payment gateway?',
  'is there anything recorded regarding the payment gateway',
  'Gibt es bekannte Probleme mit the payment gateway?',
  'Probleme bei the payment gateway',
  'Was ist über the payment gateway bekannt?',
  'the payment gateway problems',
  'the payment gateway known issues',
  'Was wissen wir über the payment gateway?',
  'Que sait-on de the payment gateway ?',
  '¿Qué sabemos sobre the payment gateway?',
])('%s', (query) => {
  expect(topicOf(query)).toBe('the payment gateway')
})

it.each([
  'what is the payment gateway',
  'do we know who pays for the payment gateway',
  'problems in the payment gateway since the upgrade to 3.2',
  'Was ist das Problem mit dem Gateway',
  'who knows about the payment gateway',
  'known issues',
  'any problems?',
  'tell me about it',
  'why does the payment gateway have problems',
  'the customer told me about a problem',
  'when did the payment gateway get its problems',
])('says more or less than a topic, and stays: %s', (query) => {
  expect(topicOf(query)).toBe(query)
})
