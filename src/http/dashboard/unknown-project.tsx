import { nearest } from '../../model/suggest.ts'
import { Empty } from './parts/blocks.tsx'
import { Stored } from './parts/stored.tsx'
import type { Projects } from './projects.ts'
import type { View } from './view.ts'

interface UnknownProps {
  view: View
  current: string
  projects: Projects | null
}

/** Shown for a project without any records, often because the name is mistyped. */
export function UnknownProject({ view, current, projects }: UnknownProps) {
  const asked = view.query('project') ?? ''
  const meant = nearest(
    asked,
    (projects?.projects ?? []).map(({ project }) => project),
  )
  return (
    <div id="results">
      <Empty
        icon="memories"
        title={
          <>
            No project is called “
            <Stored text={asked} />”
          </>
        }
        text="Nothing has been recorded for it: no memories and no runs."
      >
        <div class="actions">
          {meant === null ? null : (
            <a class="button primary" href={`${current}?${new URLSearchParams({ project: meant })}`}>
              Open <Stored text={meant} />
            </a>
          )}
          {projects === null ? null : (
            <a class="button" href={current}>
              All projects
            </a>
          )}
        </div>
      </Empty>
    </div>
  )
}
