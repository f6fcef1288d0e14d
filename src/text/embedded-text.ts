/**
 * What is embedded of a memory: its text, behind the service that it is about. "Takes a minute to start" means little to whoever asks
 * about a service by its name.
 */
export function embeddedText({ content, service }: { content: string; service: string | null }): string {
  return service === null ? content : `${service}: ${content}`
}
