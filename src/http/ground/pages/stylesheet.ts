/** Where the stylesheet is served. */
export const stylesheetPath = "/docs/pages.css"

/**
 * The one stylesheet of all pages: fonts of the system, light or dark as the reader's system is, every text above a
 * contrast of 4.5 to what it stands on (WCAG 2.2, 1.4.3). Beside the bar it rules what is in `.page` alone, because the
 * reference has styles of its own.
 */
export const stylesheet = `:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f5f6f8; --line: #d9dde3; --text: #1b1f24; --quiet: #57606a; --link: #0b57b8;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1318; --raised: #181d24; --line: #303842; --text: #e4e8ed; --quiet: #9aa5b1; --link: #7db4ff;
  }
}
:is(.bar, .page), :is(.bar, .page) * { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", sans-serif }
:is(.bar, .page) a { color: var(--link); text-underline-offset: .15em; text-decoration-thickness: .06em }
:is(.bar, .page) a:hover { text-decoration-thickness: .12em }
:is(.bar, .page) :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px }
.bar { border-bottom: 1px solid var(--line) }
.bar nav { display: flex; flex-wrap: wrap; gap: 0 1.25rem; align-items: center; max-width: 72rem; margin: 0 auto; padding: .5rem 1.25rem }
.bar nav a { display: inline-block; padding: .35rem 0; color: var(--quiet); text-decoration: none }
.bar nav a:hover, .bar nav a[aria-current] { color: var(--text); text-decoration: underline; text-underline-offset: .4em }
.bar nav a:first-child { margin-right: auto; color: var(--text); font-weight: 650; text-decoration: none }
.page {
  main { max-width: 50rem; margin: 0 auto; padding: 2rem 1.25rem 5rem; overflow-wrap: break-word }
  h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -.015em; margin: 0 0 1rem }
  h2 { font-size: 1.35rem; line-height: 1.3; margin: 2.5rem 0 .75rem }
  h3 { font-size: 1.1rem; margin: 2rem 0 .5rem }
  h4 { font-size: 1rem; margin: 1.5rem 0 .5rem }
  p, ul, ol, pre, blockquote, .scroll { margin: 0 0 1rem }
  ul, ol { padding-left: 1.5rem }
  li { margin: .25rem 0 }
  .lead { font-size: 1.125rem; color: var(--quiet) }
  code, pre { font-family: var(--mono) }
  code { font-size: .9em; background: var(--raised); border-radius: 4px; padding: .1em .3em }
  h1 code, h2 code { font-size: .85em; background: none; padding: 0 }
  pre { overflow-x: auto; background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem; font-size: .875rem; line-height: 1.5 }
  pre code { font-size: inherit; background: none; padding: 0 }
  blockquote { border-left: 3px solid var(--line); padding-left: 1rem; color: var(--quiet) }
  .scroll { overflow-x: auto }
  table { border-collapse: collapse; font-size: .9375rem; min-width: 100% }
  th, td { text-align: left; vertical-align: top; padding: .45rem 1rem .45rem 0; border-bottom: 1px solid var(--line) }
  td:first-child code { white-space: nowrap }
  img { max-width: 100% }
  hr { border: 0; border-top: 1px solid var(--line); margin: 2rem 0 }
  .search { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: 0 0 1rem }
  .search label { flex: 1 0 100%; font-size: .9375rem }
  .search input { flex: 1 1 12rem; min-width: 0 }
  :is(.search input, .search button) { min-height: 2.5rem; padding: .35rem .75rem; border: 1px solid var(--quiet); border-radius: 6px;
    background: var(--ground); color: var(--text); font: inherit }
  .search button { background: var(--link); border-color: var(--link); color: var(--ground); font-weight: 600; cursor: pointer }
  .list { list-style: none; padding: 0; border-top: 1px solid var(--line) }
  .list li { margin: 0; padding: .7rem 0; border-bottom: 1px solid var(--line) }
  .list a { font-weight: 550 }
  .list p { margin: 0; color: var(--quiet) }
  .quiet { color: var(--quiet); font-size: .9375rem }
  .names { columns: 15rem; list-style: none; padding: 0; font-size: .9375rem }
  .names li { margin: 0; padding: .1rem 0 }
  :target { background: var(--raised) }
}
@media (max-width: 30rem) {
  .page h1 { font-size: 1.6rem; overflow-wrap: anywhere }
  .page td:first-child code { white-space: normal }
  .page main { padding-top: 1.5rem }
  .bar nav { gap: 0 1rem }
  .bar nav a:first-child { width: 100% }
}
`
