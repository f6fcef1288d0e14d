import type { View } from '../view.ts'

/** Offers the data of the demo to whoever has none yet, and later to take it away again. */
export function Demo({ view, state }: { view: View; state: 'offered' | 'loaded' }) {
  const mayWrite = view.access.may('admin')
  if (state === 'offered') {
    return (
      <section class="card">
        <h2>Look around first</h2>
        <p class="note">
          The demo’s data are three runs of an agent that looks after a home server: what it learned, what it confirmed,
          and what it corrected. One click takes exactly these away again.
        </p>
        {mayWrite ? (
          <button type="button" class="primary" hx-post="/demo/load" hx-swap="none" hx-disabled-elt="this">
            Load the demo’s data
          </button>
        ) : null}
      </section>
    )
  }
  return (
    <section class="card demo-note">
      <p>
        The project <b>demo-home</b> holds the demo’s data.
      </p>
      {mayWrite ? (
        <button type="button" hx-post="/demo/remove" hx-swap="none" hx-disabled-elt="this">
          Remove the demo’s data
        </button>
      ) : null}
    </section>
  )
}
