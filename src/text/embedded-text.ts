import { saidIn } from './speaker.ts'

/**
 * The text to embed for a memory: its content, prefixed with its service. "Takes a minute to start" means little to a search
 * for a service by name. For a line of a thread only the spoken words: its speaker and date are the same in hundreds of lines.
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
