import { braces, operations } from "../../../api/composition/docs/Operations.ts"
import { docUrl, errorGuide } from "../../../domain/ground/guides/ErrorGuide.ts"
import type { FailingRequest } from "../../../domain/ground/guides/ErrorTexts.ts"
import { catalog, Meta } from "../../../domain/ground/wire/Errors.ts"
import type { Code } from "../../../domain/ground/wire/Errors.ts"
import { anchorOf, escape, guideName, page } from "../../ground/pages/Markdown.ts"
import { addressOf } from "../reference/Entries.ts"

/** A part of a guide under a heading, with its words as they are looked for. */
export interface GuideSection {
  readonly guide: string
  readonly heading: string
  readonly address: string
  readonly text: string
  readonly lowered: string
}

/** The longest question that is looked for, in characters; what is behind it is left out. */
export const longestQuestion = 100

/** The most sections that are found. */
export const mostFound = 20

/** The characters of a text around the first word that was found. */
const around = 160

/** Markdown as it is read: without its signs, and with each break a space. */
const readable = (markdown: string): string =>
  markdown.replaceAll(/```\w*|\[([^\]]*)\]\([^)]*\)|[*`|]|-{3,}/g, "$1").replaceAll(/\s+/g, " ").trim()

/** The parts of a document that begin with a heading. A comment of a command, which looks like one, is none. */
const partsOf = (markdown: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let isCode = false
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode
    if (!isCode && /^#{1,3} /.test(line)) parts.push(line)
    else if (parts.length > 0) parts.push(`${parts.pop()}\n${line}`)
  }
  return parts
}

/** The sections of guides, each with the address that leads to its heading. */
export const guideSections = (
  guides: ReadonlyArray<readonly [path: string, markdown: string]>
): ReadonlyArray<GuideSection> =>
  guides.flatMap(([path, markdown]) => {
    const page = `/docs/guides/${guideName(path)}`
    const parts = partsOf(markdown).map((part) => {
      const [head = "", ...lines] = part.split("\n")
      const title = head.replace(/^#+ /, "")
      return { depth: head.indexOf(" "), title, heading: readable(title), text: readable(lines.join("\n")) }
    })
    const guide = parts[0]?.heading ?? guideName(path)
    return parts.map(({ depth, heading, text, title }) => ({
      guide,
      heading,
      address: depth === 1 ? page : `${page}#${anchorOf(title)}`,
      text,
      lowered: `${guide} ${heading} ${text}`.toLowerCase()
    }))
  })

/** The words of a question, each without the `s` of a plural, so that it finds the singular, too. */
const wordsOf = (question: string): ReadonlyArray<string> => {
  const words = question.slice(0, longestQuestion).toLowerCase().split(/[^\p{L}\p{N}_-]+/u)
  return [...new Set(words.filter((word) => word !== "").map((word) => word.replace(/(?<=\w{3}[^s])s$/, "")))]
}

/** The sections that have each word of a question, those first whose headings have them; none for no word. */
export const foundIn = (sections: ReadonlyArray<GuideSection>, question: string): ReadonlyArray<GuideSection> => {
  const words = wordsOf(question)
  if (words.length === 0) return []
  const named = (text: string) => words.filter((word) => text.toLowerCase().includes(word)).length
  return sections
    .filter(({ lowered }) => words.every((word) => lowered.includes(word)))
    .map((section) => ({ section, weight: 2 * named(section.heading) + named(section.guide) }))
    .toSorted((one, other) => other.weight - one.weight)
    .slice(0, mostFound)
    .map(({ section }) => section)
}

/** The text of a section around the first word of a question that it has. */
export const excerptOf = ({ text }: GuideSection, question: string): string => {
  const lowered = text.toLowerCase()
  const [first] = wordsOf(question).map((word) => lowered.indexOf(word)).filter((at) => at >= 0)
    .toSorted((one, other) => one - other)
  const from = Math.max(0, (first ?? 0) - around / 2)
  const begin = from === 0 ? 0 : text.indexOf(" ", from) + 1
  const excerpt = text.slice(begin, begin + around)
  return `${begin > 0 ? "… " : ""}${excerpt}${begin + around < text.length ? " …" : ""}`
}

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
