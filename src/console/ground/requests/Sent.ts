/** A request as it was sent. */
export interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** A text as one word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A body as it is shown: of headers, which hold the keys of others, only the names. */
const shown = (body: string): string =>
  JSON.stringify(
    JSON.parse(body),
    (name, value: unknown) =>
      name === "headers" && typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([header, text]) => [header, text === null ? null : "…"]))
        : value
  )

/** The request as a command; the token is a variable of the shell, so that it is in no history. */
export const curlOf = ({ body, headers, method, url }: Sent): string =>
  [
    `curl${method === "GET" ? "" : ` -X ${method}`} ${quoted(url)}`,
    `-H "Authorization: Bearer $COUNTERSIGN_TOKEN"`,
    ...Object.entries(headers)
      .filter(([name]) => ["content-type", "idempotency-key"].includes(name.toLowerCase()))
      .map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data ${quoted(shown(body))}`])
  ].join(" \\\n  ")

/** A `fetch` that sends another body: that of a request which was sent before, byte for byte. */
export const sendingBody = (body: unknown): typeof fetch => (input, init = {}) =>
  fetch(input, { ...init, body: body === undefined ? null : JSON.stringify(body) })

/**
 * Sends a request that no person made: the page looks again by itself. The service does not count it as use of the session, which would
 * otherwise never be idle while a tab is visible.
 */
export const polling: typeof fetch = (input, init = {}) => {
  const headers = new Headers(init.headers)
  headers.set("Countersign-Poll", "true")
  return fetch(input, { ...init, headers })
}

/** A `fetch` that remembers what it sent last. */
export const recorder = () => {
  let sent: Sent | undefined
  const send: typeof fetch = (input, init = {}) => {
    sent = {
      method: init.method ?? "GET",
      url: String(input),
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof init.body === "string" ? init.body : undefined
    }
    return fetch(input, init)
  }
  return { send, last: () => sent }
}
