import { resolved } from "../../../api/composition/docs/Schemas.ts"
import type { Node } from "../../../api/composition/docs/Schemas.ts"
import { escape } from "../../ground/pages/Layout.ts"
import { bodyExample, parametersOf, schemeOf } from "./Curl.ts"
import type { Entry } from "./Entries.ts"

/** The name of the credential, and the word before it in the header (RFC 9110 section 11.1). */
const credentials: Readonly<Record<string, readonly [label: string, word: string]>> = {
  bearer: ["Token", "Bearer"],
  license: ["License key", "License"],
  publishable: ["Publishable key", "Bearer"]
}

const credentialField = (scheme: string): string => {
  const [label, word] = credentials[scheme]!
  return `<p class="field"><label for="try-credential">${label}</label>
<input id="try-credential" type="password" data-word="${word}" autocomplete="off" spellcheck="false" required aria-describedby="try-credential-note">
<span id="try-credential-note" class="quiet">Kept until you leave this page, and nowhere else.</span></p>`
}

const places = [["path", "Path"], ["query", "Query"], ["header", "Headers"]] as const

const field = (document: Node, { example, in: place, name, required, schema }: Node, index: number): string => {
  const id = `try-parameter-${index}`
  const { enum: values, type } = resolved(document, schema)
  const options: ReadonlyArray<string> | undefined = type === "boolean" ? ["true", "false"] : values
  const must = required === true
  const about = `id="${id}" data-in="${place}" data-name="${escape(name)}"${must ? " required" : ""}`
  // A browser takes these two of a path for something else than a name (URL standard).
  const pattern = place === "path" ? ` pattern="(?!\\.{1,2}$).+" title="anything but . and .."` : ""
  // A key that was used belongs to its request: the script writes a new one for each.
  const fresh = name === "Idempotency-Key" && must ? " data-fresh" : ""
  const input = options === undefined
    ? `<input ${about}${fresh}${pattern}${
      example === undefined ? "" : ` placeholder="${escape(String(example))}"`
    } autocomplete="off" spellcheck="false">`
    : `<select ${about}>${must ? "" : "<option></option>"}${
      options.map((value) => `<option>${escape(value)}</option>`).join("")
    }</select>`
  return `<p class="field"><label for="${id}"><code>${escape(name)}</code>${
    must ? "" : " <span class=\"quiet\">optional</span>"
  }</label>${input}</p>`
}

/** The form by which an operation is tried. It is of use to a script alone, which uncovers it. */
export const tryForm = (document: Node, entry: Entry): string => {
  const node = document["paths"][entry.path][entry.method.toLowerCase()] as Node
  const parameters = parametersOf(document, node)
  const scheme = schemeOf(node)
  const example = bodyExample(node)
  const text = example === undefined ? "" : JSON.stringify(example, null, 2)
  const groups = places.flatMap(([place, name]) => {
    const fields = parameters.flatMap((parameter, index) =>
      parameter["in"] === place ? [field(document, parameter, index)] : []
    )
    return fields.length === 0 ? [] : [`<fieldset><legend>${name}</legend>\n${fields.join("\n")}\n</fieldset>`]
  })
  return `<h2 id="try">Try it</h2>
<noscript><p>Trying it from here needs JavaScript; the command above does not.</p></noscript>
<details class="try" hidden><summary>Send this request</summary>
<form id="try-form" data-id="${entry.id}" data-method="${entry.method}" data-path="${escape(entry.path)}">
${
    entry.method === "GET"
      ? ""
      : `<p class="caution">This is no simulation: the service that shows this page does what is asked.</p>\n`
  }${scheme === undefined ? "" : credentialField(scheme)}
${groups.join("\n")}
${
    example === undefined
      ? ""
      : `<p class="field"><label for="try-body">Body <span class="quiet">JSON${
        node["requestBody"].required === true ? "" : ", optional"
      }</span></label>
<textarea id="try-body" rows="${
        Math.min(20, text.split("\n").length + 1)
      }" spellcheck="false" autocomplete="off" aria-describedby="try-body-error">${escape(text)}</textarea>
<span id="try-body-error" class="wrong"></span></p>`
  }
<p><button type="submit">Send</button></p>
</form>
<p id="try-status" role="status"></p>
<div id="try-answer" hidden>
<details><summary>Response headers</summary><pre tabindex="0" id="try-headers"></pre></details>
<pre tabindex="0" id="try-content" aria-label="Response body"></pre>
<p class="links"><a id="try-save" hidden>Save the body as it came</a> <a id="try-error" hidden></a></p>
</div>
</details>`
}
