import { catalog } from "../../domain/wire/Errors.ts"
import type { Code } from "../../domain/wire/Errors.ts"
import { operations } from "./Operations.ts"

const raisedBy = (code: Code): string => {
  const names = operations.filter(({ codes }) => codes.includes(code)).map(({ operationId }) => operationId)
  if (names.length === 0) return "Raised before any operation is found."
  return names.length > 12 ? `Raised by ${names.length} operations.` : `Raised by ${names.join(", ")}.`
}

/** The page behind the `doc_url` of an error. */
export const errorPage = (): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Countersign: error codes</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; color: #1b1f24 }
h2 { font: 600 1rem ui-monospace, monospace; margin: 2rem 0 .25rem } h2 span { color: #6a737d; font-weight: 400 }
:target { background: #fff8c5 } p { margin: 0 } .by { color: #6a737d; font-size: .875rem } a { color: #0a58ca }
@media (prefers-color-scheme: dark) { body { background: #0d1117; color: #e6edf3 } :target { background: #3b2f00 } a { color: #79b8ff } }
</style></head><body>
<h1>Error codes</h1>
<p>Every failure is <code>{error: {code, message, detail?, fields?, doc_url}, meta}</code>. Programs read
<code>code</code>. Quote <code>meta.request_id</code> when you ask for help. <a href="/docs">Reference</a></p>
${
    Object.entries(catalog).map(([code, { meaning, status }]) =>
      `<h2 id="${code}">${code} <span>${status}</span></h2><p>${meaning.replaceAll("`", "")}</p><p class="by">${
        raisedBy(code as Code)
      }</p>`
    ).join("\n")
  }
</body></html>
`
