/** Turns an agent's output into candidates for memories. */
export { captureStream } from './capture.ts'
export type { KnownToRun } from './confirmations.ts'
export type { RawRefusal } from './excerpt.ts'
export { captureLearnings } from './learnings.ts'
export { captureMarkers } from './marker-scanner.ts'
export { MARKER_PATTERN } from './markers.ts'
export { captureSuggestions } from './suggestions.ts'
export { captureEvent, type WorkflowEventInput, workflowEventSchema } from './workflow-events.ts'
