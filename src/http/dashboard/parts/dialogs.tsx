import { SECTIONS } from '../sections.ts'

/** The question before a deletion; `dialogs.js` opens it. */
export function ConfirmDialog() {
  return (
    <dialog id="confirm" aria-labelledby="confirm-title">
      <form method="dialog">
        <h2 id="confirm-title">Are you sure?</h2>
        <p />
        <div class="actions">
          <button type="submit" value="no" autofocus>
            Keep
          </button>
          <button type="submit" value="yes" class="danger">
            Delete
          </button>
        </div>
      </form>
    </dialog>
  )
}

const KEYS: readonly [keys: readonly string[], does: string][] = [
  [['j', 'k'], 'next and previous row'],
  [['Enter'], 'open the row'],
  [['e'], 'edit it'],
  [['x'], 'select it'],
  [['d'], 'delete it, or reject it in the review'],
  [['y'], 'accept it in the review'],
  [['u'], 'undo the last deletion'],
  [['n'], 'add a memory'],
  [['/'], 'search'],
  [['g'], `and a letter: ${SECTIONS.map(([, name, , key]) => `${key} ${name}`).join(', ')}`],
  [['Esc'], 'leave a form without saving'],
  [['t'], 'light or dark'],
  [['?'], 'this list'],
]

export function HelpDialog() {
  return (
    <dialog id="help" aria-labelledby="help-title">
      <form method="dialog">
        <h2 id="help-title">Keys</h2>
        <dl class="keys">
          {KEYS.map(([keys, does]) => (
            <>
              <dt>
                {keys.map((key) => (
                  <kbd>{key}</kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </>
          ))}
        </dl>
        <div class="actions">
          <button type="submit" autofocus>
            Close
          </button>
        </div>
      </form>
    </dialog>
  )
}
