/** Stands, in a request for the load generator, for ten digits that are others each time the request is sent. */
export const counterMark = "#".repeat(10)

/** A whole HTTP/1.1 request as bytes, for keep-alive connections; with a body, that is JSON. */
export const requestBytes = (
  port: number,
  method: "GET" | "POST",
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object
): Uint8Array => {
  const text = body === undefined ? "" : JSON.stringify(body)
  const lines = Object.entries({
    Host: `127.0.0.1:${port}`,
    ...headers,
    ...(body === undefined
      ? {}
      : { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(text)) })
  })
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${text}`
  )
}
