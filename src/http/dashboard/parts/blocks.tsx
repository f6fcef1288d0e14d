import type { Child, PropsWithChildren } from 'hono/jsx'
import { formatCount } from '../format.ts'
import { href, type View } from '../view.ts'
import { Icon, type IconName } from './icon.tsx'

interface CardProps {
  title: Child
  note?: string | undefined
  /** A link to the full list, beside the title. */
  more?: Child
}

export function Card({ title, note, more, children }: PropsWithChildren<CardProps>) {
  return (
    <section class="card">
      <div class="title">
        <h2>{title}</h2>
        {more}
      </div>
      {note === undefined ? null : <p class="note">{note}</p>}
      {children}
    </section>
  )
}

/** A list in a card, with a text for an empty list. */
export function Entries({ items, none }: { items: readonly Child[]; none: string }) {
  return items.length === 0 ? <p class="soft">{none}</p> : <ul class="entries">{items}</ul>
}

/** Names and values. Null values are left out. */
export function Fields({ rows }: { rows: readonly ([name: string, value: Child] | null)[] }) {
  return (
    <dl class="fields">
      {rows.map((row) =>
        row === null ? null : (
          <>
            <dt>{row[0]}</dt>
            <dd>{row[1]}</dd>
          </>
        ),
      )}
    </dl>
  )
}

/** A table that becomes cards on a phone, and whose rows can be reached with the keyboard. A column may bring its own `<th>`. */
export function Table({ columns, children }: PropsWithChildren<{ columns: readonly Child[] }>) {
  return (
    <div class="card sheet">
      <table class="cards">
        <thead>
          <tr>{columns.map((column) => (typeof column === 'string' ? <th scope="col">{column}</th> : column))}</tr>
        </thead>
        <tbody data-rows>{children}</tbody>
      </table>
    </div>
  )
}

/** The header of a right-aligned number column. */
export function NumberHead({ title }: { title: string }) {
  return (
    <th scope="col" class="number">
      {title}
    </th>
  )
}

/** A number in such a column; on a phone, which shows no headers, with its name. */
export function NumberCell({ name, value }: { name: string; value: number }) {
  return (
    <td class={value === 0 ? 'number none' : 'number'}>
      {formatCount(value)}
      <span class="unit"> {name}</span>
    </td>
  )
}

interface EmptyProps {
  icon: IconName
  title: Child
  text: string
  command?: string
}

export function Empty({ icon, title, text, command, children }: PropsWithChildren<EmptyProps>) {
  return (
    <div class="card sheet">
      <div class="empty">
        <Icon name={icon} size={40} />
        <h2>{title}</h2>
        <p>{text}</p>
        {command === undefined ? null : <code class="command">{command}</code>}
        {children}
      </div>
    </div>
  )
}

interface PagerProps {
  view: View
  path: string
  parameters?: Record<string, string | undefined>
  /** Cursor of the next page; null on the last page. */
  next: string | null
}

export function Pager({ view, path, parameters, next }: PagerProps) {
  return (
    <nav class="pager" aria-label="Pages of the list">
      {view.query('after') === undefined ? null : (
        <a class="button" href={href(view, path, parameters)}>
          First page
        </a>
      )}
      {next === null ? null : (
        <a class="button" rel="next" href={href(view, path, { ...parameters, after: next })}>
          Next page
        </a>
      )}
    </nav>
  )
}

interface FilterBarProps {
  view: View
  path: string
  /** Milliseconds without a keystroke before the input is sent. */
  delay: number
  search: { value: string | undefined; label: string; placeholder: string }
}

/** Filters are part of the URL, so that a filtered page can be bookmarked and shared. */
export function FilterBar({ view, path, delay, search, children }: PropsWithChildren<FilterBarProps>) {
  return (
    <search>
      <form
        class="filters"
        action={path}
        hx-get={path}
        hx-trigger={`input changed delay:${delay}ms from:#q, change, submit`}
        hx-target="#results"
        hx-select="#results"
        hx-swap="outerHTML"
        hx-push-url="true"
      >
        <input
          id="q"
          type="search"
          name="q"
          value={search.value ?? ''}
          placeholder={search.placeholder}
          aria-label={search.label}
          autocomplete="off"
        />
        {children}
        {view.query('project') === undefined ? null : (
          <input type="hidden" name="project" value={view.query('project')} />
        )}
        <noscript>
          <button type="submit">Apply</button>
        </noscript>
      </form>
    </search>
  )
}

interface ChoiceProps {
  name: string
  label: string
  /** The default option. */
  all?: string
  value: string | undefined
  options: readonly (readonly [value: string, name: string])[]
}

export function Choice({ name, label, all, value, options }: ChoiceProps) {
  return (
    <select name={name} aria-label={label}>
      {all === undefined ? null : <option value="">{all}</option>}
      {options.map(([option, title]) => (
        <option value={option} selected={option === value}>
          {title}
        </option>
      ))}
    </select>
  )
}
