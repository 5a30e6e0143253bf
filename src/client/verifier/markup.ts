/** The body of the page. What it shows of files is put in by its script. */
export const body = `<main>
<h1>Verify evidence</h1>
<p class="lead">Checks what a Countersign service signed: exports of reports, licenses for machines without a network, signed responses and
refusals, receipts of usage, checkpoints and exports of the event log. Files stay on this machine: the page has no way to send anything.</p>
<h2 id="whom">Whom you trust</h2>
<p>A signature proves who signed, and only you know whom to believe. Without keys the page can tell the kind of a file, and no more.</p>
<div class="field"><label for="keys">Public keys of the vendor</label>
<p class="hint" id="keys-hint">The response of <code>/api/v1/system/public-keys</code>, from the vendor and not from the sender of the files.
Its file may be dropped too, alone and before the others.</p>
<textarea id="keys" rows="4" spellcheck="false" autocomplete="off" aria-describedby="keys-hint keys-state"></textarea>
<p class="state" id="keys-state" role="status"></p></div>
<div class="field"><label for="witnesses">Witnesses (optional)</label>
<p class="hint" id="witnesses-hint">A verifier key in each line. Witnesses sign that the log is continued and never rewritten.</p>
<textarea id="witnesses" rows="2" spellcheck="false" autocomplete="off" aria-describedby="witnesses-hint witnesses-state"></textarea>
<p class="state" id="witnesses-state" role="status"></p></div>
<div class="field"><label for="quorum">How many of them must have signed</label>
<input id="quorum" type="number" min="1" inputmode="numeric" placeholder="all"></div>
<h2 id="files-title">Files</h2>
<div class="drop" id="drop"><label for="files">Choose files, or drop them anywhere</label>
<input id="files" type="file" multiple aria-describedby="files-hint">
<p class="hint" id="files-hint">An export is verified with its manifest, and a CSV also with its snapshot: choose them together, or the archive (ZIP) that has them all.</p></div>
<div id="sealed" hidden>
<div class="field"><label for="license-key">License key</label>
<p class="hint" id="license-key-hint">A license for a machine without a network is sealed with it.</p>
<input id="license-key" spellcheck="false" autocomplete="off" aria-describedby="license-key-hint"></div>
<div class="field"><label for="fingerprint">Fingerprint of the machine (optional)</label>
<input id="fingerprint" spellcheck="false" autocomplete="off"></div></div>
<section aria-labelledby="found"><h2 id="found" tabindex="-1">Results</h2>
<div id="reports" aria-live="polite"><p class="hint">No file was chosen yet.</p></div></section>
</main>`

/** The styles of the page: fonts of the system, light or dark as the reader's system is (WCAG 2.2, 1.4.3). */
export const styles = `:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f5f6f8; --line: #868e99; --text: #1b1f24; --quiet: #57606a; --link: #0b57b8;
  --proven: #0a6b3d; --wrong: #b3261e; --open: #6b5300;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1318; --raised: #181d24; --line: #6b7684; --text: #e4e8ed; --quiet: #9aa5b1; --link: #7db4ff;
    --proven: #6fd39b; --wrong: #ff9a90; --open: #e3c25c;
  }
}
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", sans-serif }
main { max-width: 50rem; margin: 0 auto; padding: 2rem 1.25rem 5rem; overflow-wrap: break-word }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -.015em; margin: 0 0 1rem }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 2.5rem 0 .75rem }
h3 { font-size: 1.1rem; margin: 0; overflow-wrap: anywhere }
h4 { font-size: 1rem; margin: 1rem 0 .25rem }
p, ul { margin: 0 0 1rem }
ul { padding-left: 1.25rem }
li { margin: .25rem 0; overflow-wrap: anywhere }
code { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--raised); border-radius: 4px; padding: .1em .3em }
.lead { font-size: 1.125rem; color: var(--quiet) }
.field { margin: 0 0 1rem }
.hint, .state { margin: 0 0 .35rem; color: var(--quiet); font-size: .9375rem }
.state:empty { display: none }
.state.bad { color: var(--wrong) }
label { display: block; font-weight: 600 }
textarea, input { width: 100%; padding: .5rem .65rem; border: 1px solid var(--line); border-radius: 6px; background: var(--ground); color: var(--text); font: inherit }
textarea, #license-key { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875rem }
input[type=number] { width: 7rem }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
.drop { border: 2px dashed var(--line); border-radius: 10px; padding: 1.25rem; margin: 0 0 1rem; background: var(--raised) }
.drop input { border: 0; padding: .5rem 0; background: none }
body.over .drop { border-color: var(--link) }
article { border: 1px solid var(--line); border-left-width: 6px; border-radius: 8px; padding: 1rem 1.25rem; margin: 0 0 1rem }
article > p { margin: .1rem 0 0; color: var(--quiet) }
article.proven { border-left-color: var(--proven) }
article.wrong { border-left-color: var(--wrong) }
article.open { border-left-color: var(--open) }
article > .verdict { font-weight: 650; font-size: 1.0625rem; margin-top: .5rem }
.proven > .verdict { color: var(--proven) }
.wrong > .verdict { color: var(--wrong) }
.open > .verdict { color: var(--open) }
@media (max-width: 30rem) { h1 { font-size: 1.6rem } main { padding-top: 1.5rem } }
`
