import { Card } from '../parts/blocks.tsx'

export function DemoOffer() {
  return (
    <Card
      title="Look around first"
      note="The demo data are three runs of an agent that looks after a home server: what it learned, what it confirmed, and what it corrected. You can remove them again with one click."
    >
      <button type="button" class="primary" hx-post="/demo/load" hx-swap="none" hx-disabled-elt="this">
        Load the demo data
      </button>
    </Card>
  )
}

export function DemoNote() {
  return (
    <section class="card heading">
      <p>
        The project <b>demo-home</b> holds the demo data.
      </p>
      <button type="button" hx-post="/demo/remove" hx-swap="none" hx-disabled-elt="this">
        Remove the demo data
      </button>
    </section>
  )
}
