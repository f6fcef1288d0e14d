import { href, type View } from '../view.ts'

/** From one page of a list to the following one, and back to the first. */
export function NextPage({ view, path, next }: { view: View; path: string; next: string | null }) {
  const isFirst = view.query('after') === undefined
  if (isFirst && next === null) return null
  return (
    <nav class="pager" aria-label="Pages of the list">
      {isFirst ? null : (
        <a class="button" href={href(view, path)}>
          First page
        </a>
      )}
      {next === null ? null : (
        <a class="button" rel="next" href={href(view, path, { after: next })}>
          Next page
        </a>
      )}
    </nav>
  )
}
