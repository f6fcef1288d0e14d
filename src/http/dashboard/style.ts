/** A pebble left on a cairn. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#2f6f5e"/>
<ellipse cx="16" cy="24" rx="10" ry="3.6" fill="#d9efe6"/>
<ellipse cx="16" cy="17" rx="7.4" ry="3.2" fill="#a9d8c6"/>
<ellipse cx="16" cy="10.6" rx="4.8" ry="2.8" fill="#f2b66d"/>
</svg>
`

export const STYLE = `:root {
  color-scheme: light dark;
  --ground: light-dark(#f6f5f1, #14181a);
  --card: light-dark(#ffffff, #1c2225);
  --line: light-dark(#e3e0d8, #2e373b);
  --text: light-dark(#1d2527, #e6eae8);
  --soft: light-dark(#5d686b, #9aa7a8);
  --accent: light-dark(#2f6f5e, #6cc3a8);
  --track: light-dark(#e9ece8, #29322f);
  --warm: light-dark(#9a5b10, #f2b66d);
  --warm-ground: light-dark(#fdf1de, #33291a);
  --bad: light-dark(#a12b2b, #f08a80);
  --bad-ground: light-dark(#fbe5e3, #3a2020);
  --code: light-dark(#f0f2ee, #12171a);
}
* { box-sizing: border-box; margin: 0; padding: 0; }
body {
  background: var(--ground); color: var(--text);
  font: 16px/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  min-height: 100vh; display: flex; flex-direction: column;
}
.inner { width: 100%; max-width: 68rem; margin-inline: auto; padding-inline: clamp(1rem, 4vw, 2rem); }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 3px; }
a:focus-visible, code:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 4px; }

.top { background: var(--card); border-bottom: 1px solid var(--line); }
.top .inner { display: flex; align-items: center; gap: .5rem 1rem; padding-block: .75rem; }
.mark { display: inline-flex; align-items: center; gap: .6rem; font-weight: 650; font-size: 1.15rem;
  letter-spacing: -.01em; color: var(--text); text-decoration: none; }
.mark img { display: block; }
.store { flex: 1; min-width: 0; color: var(--soft); font: .8125rem ui-monospace, SFMono-Regular, Menlo, monospace;
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.health { font-size: .8125rem; font-weight: 600; padding: .15rem .7rem; border-radius: 99px;
  color: var(--accent); background: var(--track); }
.health::before { content: ""; display: inline-block; width: .5rem; height: .5rem; border-radius: 50%;
  background: currentColor; margin-right: .45rem; }
.health.degraded { color: var(--warm); background: var(--warm-ground); }
.health.unhealthy { color: var(--bad); background: var(--bad-ground); }

main { flex: 1; padding-block: 2rem; }
h1 { font-size: clamp(1.6rem, 4vw, 2.1rem); line-height: 1.2; letter-spacing: -.02em; font-weight: 650; margin-bottom: 1.25rem; }
h2 { font-size: 1rem; font-weight: 650; margin-bottom: .9rem; }
.lead { color: var(--soft); font-size: 1.1rem; margin: -.75rem 0 1.5rem; }
.problem { background: var(--warm-ground); color: var(--warm); border-radius: 10px; padding: .75rem 1rem; margin-bottom: 1.25rem; }

.figures { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 1rem; margin-bottom: 1rem; }
.figure, .card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 1.1rem 1.25rem; min-width: 0; }
.figure dt { color: var(--soft); font-size: .875rem; }
.figure dd { font-size: 1.5rem; font-weight: 650; letter-spacing: -.02em; line-height: 1.35; overflow-wrap: anywhere;
  font-variant-numeric: tabular-nums; }
.figure:last-child dd:not(.remark) { font-size: 1.1rem; line-height: 1.3; padding-block: .3rem .27rem; letter-spacing: -.01em; }
.figure dd.remark { color: var(--soft); font-size: .8125rem; font-weight: 400; letter-spacing: 0; }

.columns { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1rem; align-items: start; }
.side { display: grid; gap: 1rem; }
ol, ul { list-style: none; }
.memory { padding-block: .8rem; border-top: 1px solid var(--line); }
.memory:first-child { border-top: 0; padding-top: 0; }
.memory:last-child { padding-bottom: 0; }
.memory p { white-space: pre-wrap; overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical;
  -webkit-line-clamp: 4; overflow: hidden; }
.memory.faded p { color: var(--soft); font-style: italic; }
.about { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem .75rem; margin-top: .35rem;
  color: var(--soft); font-size: .8125rem; overflow-wrap: anywhere; }
.about b { font-weight: 550; color: var(--text); }
.chip { background: var(--track); color: var(--accent); border-radius: 6px; padding: .05rem .5rem; font-weight: 550; }
.chip.rejection, .chip.remediation, .chip.state { color: var(--warm); background: var(--warm-ground); }
.layers li { display: grid; grid-template-columns: 1fr auto; gap: .25rem .5rem; font-size: .9375rem; margin-top: .8rem; }
.layers .count { color: var(--soft); font-variant-numeric: tabular-nums; }
.bar { grid-column: 1 / -1; display: block; }
.track { fill: var(--track); }
.fill { fill: var(--accent); }

.next dl { display: grid; gap: .9rem; }
.next dt { font-size: .9375rem; color: var(--soft); margin-bottom: .3rem; }
.next code { display: block; background: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: .6rem .85rem;
  font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; overflow-wrap: anywhere; white-space: pre-wrap; user-select: all; }
footer { padding-block: 1.25rem 2rem; font-size: .875rem; }
footer a { color: var(--soft); margin-right: 1rem; }

@media (max-width: 52rem) {
  .figures { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .columns { grid-template-columns: minmax(0, 1fr); }
  .figure, .card { padding: .9rem 1rem; }
}
@media (max-width: 34rem) {
  .top .inner { flex-wrap: wrap; }
  .health { margin-left: auto; }
  .store { order: 3; flex-basis: 100%; }
  main { padding-block: 1.5rem; }
  .figures { gap: .75rem; }
}
@media print { .next, footer { display: none; } }
`
