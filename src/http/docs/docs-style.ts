export const DOCS_STYLE = `:root { color-scheme: light dark; --line: light-dark(#e3e0d8, #2e373b); --soft: light-dark(#5d686b, #9aa7a8);
  --ground: light-dark(#fbfaf7, #14181a); --card: light-dark(#fff, #1c2225); --text: light-dark(#1d2527, #e6eae8); --accent: light-dark(#2f6f5e, #6cc3a8); }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 22rem minmax(0, 1fr); background: var(--ground); color: var(--text);
  font: 15px/1.5 ui-sans-serif, system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.25rem; border-right: 1px solid var(--line); font-size: 13px; }
nav ul { list-style: none; margin: 0; padding: 0; } nav li { margin: .2rem 0; overflow-wrap: anywhere; }
nav h2 { font-size: 12px; color: var(--soft); margin: 1rem 0 .3rem; } .home { font-weight: 650; font-size: 16px; }
main { padding: 2rem; max-width: 60rem; } h1 small { color: var(--soft); font-weight: 400; font-size: 1rem; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
section { border: 1px solid var(--line); border-radius: 12px; background: var(--card); padding: 1rem 1.25rem; margin: 1rem 0; scroll-margin-top: 1rem; }
h3 { margin: 0 0 .3rem; font-size: 1rem; overflow-wrap: anywhere; }
.verb { font-size: .75em; color: var(--accent); } .verb.delete { color: light-dark(#a12b2b, #f08a80); } .verb.get { color: var(--soft); }
table { border-collapse: collapse; width: 100%; font-size: 13px; } td, th { text-align: left; vertical-align: top; padding: .25rem .5rem .25rem 0;
  border-top: 1px solid var(--line); overflow-wrap: anywhere; } thead th { border: 0; color: var(--soft); font-weight: 500; }
.fields td:first-child { width: 14rem; } .params td, .params th { overflow-wrap: normal; } .params td:nth-child(3) { width: 70%; overflow-wrap: anywhere; } .needed { color: var(--soft); font-size: 11px; } summary { cursor: pointer; color: var(--soft); margin: .5rem 0; }
.choices > div { border-left: 3px solid var(--line); padding-left: .75rem; margin: .5rem 0; }
code, pre { font-family: ui-monospace, Menlo, monospace; font-size: .92em; } pre { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: .75rem 1rem; overflow: auto; } dt { font-weight: 650; } dd { margin: 0 0 .5rem 1rem; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; max-height: 40vh; border-right: 0; } main { padding: 1rem; } .fields td:first-child { width: 8rem; } }
`
