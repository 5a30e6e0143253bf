import { braces, operations } from "../../../api/composition/docs/Operations.ts"
import { docUrl, errorGuide } from "../../../domain/ground/guides/ErrorGuide.ts"
import type { FailingRequest } from "../../../domain/ground/guides/ErrorTexts.ts"
import { catalog, Meta } from "../../../domain/ground/wire/Errors.ts"
import type { Code } from "../../../domain/ground/wire/Errors.ts"
import { escape, page } from "../../ground/pages/Markdown.ts"
import { addressOf } from "../reference/Entries.ts"

const codes = Object.keys(catalog) as ReadonlyArray<Code>

/** Escaped text, in which what stands between backquotes is code. */
const prose = (text: string): string => escape(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>")

/**
 * The codes that the client gives where no answer of the service came, each with its meaning and its cure; a test holds it
 * to the client's types.
 */
export const clientErrors: Readonly<Record<string, readonly [meaning: string, cure: string]>> = {
  NETWORK_ERROR: [
    "The service could not be reached, or the connection broke.",
    "Check the base URL, DNS, the proxy and TLS, then try again. A write with its idempotency key is done once."
  ],
  TIMEOUT: [
    "The service did not respond in time.",
    "Try again, or raise `timeoutMs`. A write with its idempotency key is done once."
  ],
  INVALID_ANSWER: [
    "The response is not from the service; it may come from a proxy or a captive portal.",
    "Open the base URL in a browser to see what responds there."
  ],
  LICENSE_KEY_MALFORMED: [
    "The text cannot be a license key, and nothing was sent: it is mistyped, incomplete, or another credential.",
    "Compare it with the key as it was issued. The message says what is wrong."
  ],
  CREDENTIAL_MALFORMED: [
    "The token or publishable key has a character that none has, and nothing was sent.",
    "Copy it again, without quotes and line breaks."
  ],
  HEADER_MALFORMED: [
    "A header of the call has a character that no header can carry, and nothing was sent.",
    "Remove the character, or encode the value."
  ]
}

/** All error codes, each with the way to its page. */
export const errorsPage = (): string =>
  page({
    title: "Errors · Countersign",
    current: "/docs/errors",
    main: `<h1>Errors</h1>
<p class="lead">Every failure is <code>{error: {code, message, detail?, fields?, doc_url}, meta}</code>. Programs read
<code>code</code>; <code>message</code> is for people and may change. Quote <code>meta.request_id</code> when you ask for
help.</p>
<ul class="list">
${
      codes.map((code) =>
        `<li id="${code}"><a href="/docs/errors/${code}"><code>${code}</code></a> <span class="quiet">${
          catalog[code].status
        }</span><p>${prose(catalog[code].meaning)}</p></li>`
      ).join("\n")
    }
</ul>
<h2 id="client">Codes of the client</h2>
<p>The <a href="/docs/guides/use-the-client">client</a> adds codes for calls without a response from the
service. These codes have no status and no page.</p>
<ul class="list">
${
      Object.entries(clientErrors).map(([code, [meaning, cure]]) =>
        `<li id="${code}"><code>${code}</code><p>${prose(meaning)} ${prose(cure)}</p></li>`
      ).join("\n")
    }
</ul>`
  })

/** The credential that an example is sent with, where it does not say so itself. */
const credentialOf = (path: string): string =>
  path.startsWith("/api/v1/license/") ? "License $LICENSE_KEY" : "Bearer $TOKEN"

/** A request as HTTP/1.1 writes it (RFC 9112). */
const requestText = ({ body, headers, line }: FailingRequest, host: string): string => {
  const path = line.slice(line.indexOf(" ") + 1)
  const all = {
    host,
    authorization: credentialOf(path),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...headers
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const text = body === undefined ? [] : ["", typeof body === "string" ? body : JSON.stringify(body, null, 2)]
  return [`${line} HTTP/1.1`, ...lines, ...text].join("\n")
}

/** The example of the schema. */
const metaExample = (Meta.ast.annotations?.["examples"] as ReadonlyArray<unknown> | undefined)?.[0]

const answerText = (code: Code, publicUrl: string): string =>
  `HTTP/1.1 ${catalog[code].status}\ncontent-type: application/json\n\n${
    JSON.stringify(
      {
        error: { code, message: catalog[code].meaning, doc_url: docUrl(publicUrl, code) },
        meta: metaExample
      },
      null,
      2
    )
  }`

const raisedBy = (code: Code): string => {
  const raising = operations.filter(({ codes }) => codes.includes(code))
  if (raising.length === 0) return "<p>Any request, before its operation is known.</p>"
  return `<ul class="names">\n${
    raising.map(({ method, operationId, path }) =>
      `<li><a href="${addressOf(operationId)}"><code>${method} ${escape(braces(path))}</code></a></li>`
    ).join("\n")
  }\n</ul>`
}

/** The page of one code, which the `doc_url` of its errors names. */
export const errorPage = (code: Code, publicUrl: string): string => {
  const { causes, cure, example } = errorGuide[code]
  return page({
    title: `${code} · Countersign`,
    current: "/docs/errors",
    main: `<h1><code>${code}</code></h1>
<p class="lead">${prose(catalog[code].meaning)} The status is ${catalog[code].status}.</p>
<h2>Usual causes</h2>
<ul>${causes.map((cause) => `<li>${prose(cause)}</li>`).join("")}</ul>
<h2>How to fix it</h2>
<p>${prose(cure)}</p>
<h2>Example</h2>
${example.when === undefined ? "" : `<p>${prose(example.when)}</p>`}
<pre tabindex="0"><code>${escape(requestText(example, new URL(publicUrl).host))}</code></pre>
<p>The response; the message may be more specific:</p>
<pre tabindex="0"><code>${escape(answerText(code, publicUrl))}</code></pre>
<h2>Raised by</h2>
${raisedBy(code)}
<p class="quiet"><a href="/docs/errors">All errors</a></p>`
  })
}
