import type { Brand } from "../../../domain/keys/settings/ServiceSettings.ts"

const rules = `* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { margin: 0; border-top: 4px solid var(--accent); background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; overflow-wrap: anywhere }
a { color: var(--link) }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
header, main, footer { max-width: 40rem; margin: 0 auto; padding: 1rem }
header { display: flex; gap: .75rem; align-items: center; justify-content: space-between }
header p { display: flex; gap: .75rem; align-items: center; margin: 0; font-weight: 650 }
header form, li form { margin: 0; flex: none }
header img { max-height: 2.5rem; max-width: 8rem }
footer { padding-bottom: 4rem }
.languages { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: center }
.languages .plain { border: 0; margin: 0; padding: 0; font-weight: inherit; text-decoration: underline }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem }
h2 { font-size: 1.125rem; line-height: 1.3; margin: 0 0 .5rem }
p, ul, table, form, fieldset { margin: 0 0 1rem }
section, .card { background: var(--raised); border: 1px solid var(--line); border-radius: 10px; padding: 1rem; margin: 0 0 1rem }
section > :last-child, .card > :last-child { margin-bottom: 0 }
ul { list-style: none; padding: 0 }
li { display: flex; gap: .75rem; align-items: center; justify-content: space-between; padding: .6rem 0; border-top: 1px solid var(--line) }
ul:first-child > li:first-child { border-top: 0; padding-top: 0 }
ul:last-child > li:last-child { padding-bottom: 0 }
li.whole { display: block }
.line { display: flex; gap: .75rem; align-items: center; justify-content: space-between }
.wraps { align-items: flex-start; flex-wrap: wrap }
.links { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: .25rem 0 0 }
.links a, summary { display: inline-block; padding: .35rem 0 }
summary { color: var(--link); cursor: pointer; text-decoration: underline }
details p { margin: 0 0 .5rem; font-size: .875rem }
li span { display: block }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-top: 1px solid var(--line); font-weight: inherit }
thead th { border-top: 0; color: var(--quiet) }
fieldset { border: 0; padding: 0 }
legend { padding: 0; font-weight: 600 }
label { display: block; padding: .35rem 0 }
label.name { font-weight: 600 }
input[type=text], input[type=email], select, textarea { display: block; resize: vertical; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--edge); border-radius: 8px;
  background: var(--ground); color: inherit; font-family: inherit; font-size: 1rem; line-height: 1.5 }
input[name=license_key], input[name=code], textarea, .key { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
::file-selector-button { min-height: 2.75rem; margin: 0 .75rem 0 0; padding: .5rem 1rem; border: 1px solid var(--link); border-radius: 8px; background: none;
  color: var(--link); font: inherit; font-weight: 600; cursor: pointer }
input[type=file] { display: block; max-width: 100%; min-height: 2.75rem; font: inherit; color: inherit }
input[type=radio] { width: 1.15rem; height: 1.15rem; margin: 0 .5rem 0 0; vertical-align: -.2rem; accent-color: var(--link) }
button { min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--link); border-radius: 8px; background: var(--link); color: var(--on);
  font: inherit; font-weight: 600; cursor: pointer }
button.plain { background: none; color: var(--link) }
button + button { margin-top: .5rem } button:not(:last-child) { margin-right: .5rem }
a.button { display: inline-block; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--link); border-radius: 8px; font-weight: 600;
  text-decoration: none }
.qr { display: block; width: 100%; max-width: 30rem; margin: 0 0 1rem }
.quiet { color: var(--quiet); font-size: .9375rem }
.key { user-select: all }
[role=status], [role=alert] { border-left: 4px solid var(--link); padding: .5rem .75rem; background: var(--raised) }
[role=alert] { border-color: var(--bad); color: var(--bad) }
`

/**
 * The stylesheet: made for a phone first, light or dark as the reader's system is, every text above a contrast of 4.5 to what it
 * stands on (WCAG 2.2, 1.4.3). The color of the brand is a line above the page, which no text stands on. Fields have at least 16
 * pixels, because phones zoom into smaller ones.
 */
export const portalStyles = (accent: Brand["accent"]): string =>
  `:root {
  color-scheme: light dark; --accent: ${accent ?? "var(--link)"};
  --ground: #f5f6f8; --raised: #ffffff; --line: #d9dde3; --edge: #79828e; --text: #1b1f24; --quiet: #57606a; --link: #0b57b8; --on: #ffffff;
  --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1318; --raised: #181d24; --line: #303842; --edge: #7d8894; --text: #e4e8ed; --quiet: #9aa5b1; --link: #7db4ff; --on: #0f1318;
    --bad: #ff9d94;
  }
}
${rules}`
