/** Where the styles of the reference are served. */
export const referenceStylesPath = "/docs/reference.css"

/** Where the script of the reference is served. */
export const referenceScriptPath = "/docs/reference.js"

/** Files that the pages of the reference load, beside those of every page. */
export const referenceHead =
  `<link rel="stylesheet" href="${referenceStylesPath}"><script src="${referenceScriptPath}" defer></script>`

/** Styles of the pages of the reference, after the one stylesheet, whose colours and fonts these are. */
export const referenceStyles =
  `:root { --get: #0b57b8; --post: #146c2e; --put: #7a4f00; --delete: #b3261e; --field: #8a939e }
@media (prefers-color-scheme: dark) {
  :root { --get: #7db4ff; --post: #5fd08a; --put: #e6b450; --delete: #ff9a90; --field: #6b7682 }
}
.reference {
  [hidden] { display: none }
  .quiet { font-weight: 400 }
  .trail { margin: 0 0 .5rem; color: var(--quiet); font-size: .9375rem }
  .call { font-size: 1.0625rem; overflow-wrap: anywhere }
  .call code { background: none; padding: 0 }
  .call i, .operations i { color: var(--quiet); font-style: normal }
  .method { display: inline-block; min-width: 3.6rem; font: 650 .8125rem/1.6 var(--mono); letter-spacing: .02em; color: var(--get) }
  .method.post { color: var(--post) }
  .method:is(.put, .patch) { color: var(--put) }
  .method.delete { color: var(--delete) }
  .facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1.25rem; margin: 0 0 1.5rem; font-size: .9375rem }
  .facts dt { color: var(--quiet) }
  .facts dd { margin: 0 }
  .ways { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; padding: 0; color: var(--quiet); font-size: .9375rem }
  .ways li { margin: 0 }
  h3 .status { font-family: var(--mono) }
  .parts > :first-child, .samples > :first-child { margin-top: 0 }
  .parts h2 { margin: 2.25rem 0 .5rem; font-size: 1.2rem }
  .parts h3 { margin: 1.25rem 0 .25rem; font-size: 1rem }
  .parts section > p { margin: 0 0 .5rem }
  .members { list-style: none; padding: 0; margin: 0 0 1rem; border-top: 1px solid var(--line) }
  .members > li { margin: 0; padding: .6rem 0; border-bottom: 1px solid var(--line) }
  .members p { margin: 0; overflow-wrap: anywhere }
  .members .words { margin-top: .15rem; font-size: .9375rem }
  .members .members { margin: .4rem 0 0; padding-left: .9rem; border-left: 2px solid var(--line) }
  .members .members > li:last-child { border-bottom: 0 }
  .name { background: none; padding: 0; font-weight: 650; overflow-wrap: anywhere }
  .type, .mark { color: var(--quiet); font-size: .875rem }
  .type { margin-left: .4rem }
  .mark { margin-left: .4rem; font-style: italic }
  b.mark { color: var(--put); font-weight: 600; font-style: normal }
  details > summary { cursor: pointer; padding: .3rem 0; font-size: .9375rem; color: var(--link) }
  .errors li { padding: .5rem 0 }
  .errors .status { display: inline-block; min-width: 2.6rem; font: .875rem/1.6 var(--mono); color: var(--quiet) }
  .sample { margin: 0 0 1.25rem }
  .sample-bar { display: flex; align-items: baseline; gap: .75rem; min-height: 2.1rem }
  .samples h2 { margin: 0 auto .4rem 0; font-size: 1rem }
  .sample-bar [role="status"] { font-size: .875rem; color: var(--quiet) }
  .samples pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .78125rem; margin: 0 0 .75rem }
  .try { margin: 0 0 1.5rem; padding: .35rem 1rem; border: 1px solid var(--line); border-radius: 8px }
  .try > summary { font-size: 1rem; font-weight: 550 }
  .try pre { max-height: 30rem; overflow-y: auto }
  .caution { font-size: .9375rem; color: var(--quiet) }
  fieldset { border: 0; padding: 0; margin: 0 0 1rem; min-width: 0 }
  legend { padding: 0; font-weight: 600; font-size: .9375rem; margin-bottom: .35rem }
  .field { display: grid; gap: .2rem; margin: 0 0 .75rem }
  .field label { font-size: .9375rem }
  .field .quiet { font-size: .875rem }
  input, select, textarea, button {
    font: inherit; font-size: 1rem; color: var(--text); background: var(--ground);
    border: 1px solid var(--field); border-radius: 6px; padding: .4rem .6rem; width: 100%; min-width: 0
  }
  textarea { font: .8125rem/1.5 var(--mono); resize: vertical }
  ::placeholder { color: var(--quiet); opacity: 1 }
  button { width: auto; padding: .35rem 1rem; cursor: pointer; background: var(--raised) }
  .sample button { padding: .1rem .6rem; font-size: .875rem }
  button[type="submit"] { background: var(--link); border-color: var(--link); color: var(--ground); font-weight: 600 }
  button[aria-disabled] { opacity: .6; cursor: progress }
  .wrong, #try-status[data-outcome="refused"] { color: var(--delete) }
  .wrong:empty, #try-status:empty { display: none }
  #try-status { font-weight: 600; overflow-wrap: anywhere }
  #try-status[data-outcome="done"] { color: var(--post) }
  .links { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; font-size: .9375rem }
  .neighbours { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem 2rem; margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line) }
  .side { font-size: .9375rem; padding: 0 1.25rem 3rem; max-width: 50rem; margin: 0 auto }
  .side p { margin: 0 0 .35rem; font-weight: 600 }
  .side ul { list-style: none; padding: 0; columns: 14rem; margin: 0 0 1rem }
  .side li { margin: 0 }
  .side li a { display: inline-block; padding: .15rem 0; color: var(--quiet); text-decoration: none; overflow-wrap: anywhere }
  .side li a:hover, .side [aria-current] { color: var(--text); text-decoration: underline }
  .side code { background: none; padding: 0 }
  .side [aria-current] { font-weight: 650 }
  .operations p { overflow-wrap: anywhere }
  .operations code { background: none; padding: 0; font-size: .875rem }
}
@media (min-width: 64rem) {
  .bar nav { max-width: 84rem }
  .reference { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 0 2.5rem; max-width: 84rem; margin: 0 auto; padding: 0 1.25rem }
  .reference main { grid-area: 1 / 2; max-width: none; margin: 0; padding: 2rem 0 5rem; min-width: 0 }
  .reference.start main { max-width: 50rem }
  .reference .side { grid-area: 1 / 1; align-self: start; position: sticky; top: 0; max-height: 100vh; overflow-y: auto; margin: 0; padding: 2rem .5rem 2rem 2px }
  .reference .side ul { columns: auto }
  .columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 27rem); gap: 0 2.5rem }
  .columns > .parts { grid-area: 1 / 1 }
  .columns > .samples { grid-area: 1 / 2 }
  .entry main > p, .entry .facts { max-width: 48rem }
}
`
