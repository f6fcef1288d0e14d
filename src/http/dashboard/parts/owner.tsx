import { REQUIRED_IDENTIFIER } from '../../../model/layer.ts'
import type { Memory } from '../../../model/memory.ts'
import type { View } from '../view.ts'
import { Stored } from './stored.tsx'

/** Whose a memory is, where a page shows more than one project. */
export function Owner({ view, memory: { layer, identifiers } }: { view: View; memory: Memory }) {
  if (view.project !== null) return null
  const { projectId } = identifiers
  const owner = identifiers[REQUIRED_IDENTIFIER[layer]] ?? ''
  const text = layer === 'project' ? owner : `${layer} ${owner}${projectId === undefined ? '' : ` in ${projectId}`}`
  return (
    <span class="owner soft" title={`${layer} ${owner}`}>
      <Stored text={text} />
    </span>
  )
}
