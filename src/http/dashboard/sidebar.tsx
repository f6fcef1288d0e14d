import { raw } from 'hono/html'
import { escapeHtml } from '../../guard/escape.ts'
import type { Health } from '../../model/provider.ts'
import { assetPath } from './assets.ts'
import { formatCount } from './format.ts'
import { Icon } from './parts/icon.tsx'
import { Stored } from './parts/stored.tsx'
import type { Projects } from './projects.ts'
import { SECTIONS } from './sections.ts'
import { href, type View } from './view.ts'

export function Brand() {
  return (
    <>
      <img src={assetPath('icon.svg')} alt="" width="24" height="24" /> nokosu
    </>
  )
}

interface SidebarProps {
  view: View
  /** The address of the section that is open. */
  current: string
  held: number
  health: Health
  projects: Projects | null
}

export function Sidebar({ view, current, held, health, projects }: SidebarProps) {
  return (
    <header class="sidebar">
      <a class="brand" href={href(view, '/')}>
        <Brand />
      </a>
      <ProjectPicker view={view} current={current} projects={projects} />
      <nav aria-label="Pages">
        <ul>
          {SECTIONS.map(([path, name, icon, key]) => (
            <li>
              <a
                href={href(view, path)}
                data-page={path}
                data-go={key}
                aria-current={path === current ? 'page' : undefined}
              >
                <Icon name={icon} /> {name}
                {path === '/review' && held > 0 ? (
                  <span class="badge">
                    {held}
                    <span class="hidden-label"> held for review</span>
                  </span>
                ) : null}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <footer>
        <p class={`health ${health.status}`} title={`The store answered in ${health.latencyMs} ms`}>
          {health.status === 'healthy' ? 'Store is healthy' : `Store is ${health.status}`}
        </p>
        <div class="tools">
          <button type="button" class="quiet" data-toggle-theme>
            Theme
          </button>
          <button type="button" class="quiet" data-help>
            Shortcuts
          </button>
          <a class="button quiet" href="/docs">
            API
          </a>
          <form method="post" action="/logout">
            <input type="hidden" name="csrf" value={view.access.caller.csrf} />
            <button type="submit" class="quiet">
              Sign out
            </button>
          </form>
        </div>
      </footer>
    </header>
  )
}

/** The projects with their memories. A caller who may not list them types a name. A caller bound to a project sees only that one. */
function ProjectPicker({ view, current, projects }: Pick<SidebarProps, 'view' | 'current' | 'projects'>) {
  const { identifiers } = view.access.caller
  if (Object.keys(identifiers).length > 0) {
    if (identifiers.projectId === undefined) return null
    return (
      <p class="scope">
        <span class="hidden-label">Project</span>
        <b>
          <Stored text={identifiers.projectId} />
        </b>
      </p>
    )
  }
  const asked = view.project ?? ''
  return (
    <form class="scope" action={current} method="get">
      <label class="hidden-label" for="project">
        Project
      </label>
      {projects === null ? (
        <input id="project" name="project" value={asked} placeholder="project" autocomplete="off" />
      ) : (
        <select id="project" name="project" data-submit autocomplete="off">
          <option value="">All projects · {formatCount(projects.memories)}</option>
          {asked === '' || projects.projects.some(({ project }) => project === asked) ? null : (
            <option value={asked} selected>
              {raw(escapeHtml(asked))}
            </option>
          )}
          {projects.projects.map(({ project, memories }) => (
            <option value={project} selected={project === asked}>
              {raw(escapeHtml(project))} · {formatCount(memories)}
            </option>
          ))}
        </select>
      )}
      <noscript>
        <button type="submit">Show</button>
      </noscript>
    </form>
  )
}
