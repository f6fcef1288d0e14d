import { saidIn } from './speaker.ts'

/**
 * What is embedded of a memory: its text, behind the service that it is about. "Takes a minute to start" means little to whoever asks
 * about a service by its name. Of a line in a thread only what is said: its speaker and its date are the same in hundreds of lines.
 */
export function embeddedText({
  content,
  service,
  thread = null,
}: {
  content: string
  service: string | null
  thread?: object | null | undefined
}): string {
  const said = thread === null ? content : saidIn(content)
  return service === null ? said : `${service}: ${said}`
}
