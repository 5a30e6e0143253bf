import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** Local receivers of webhooks, for the duration of the story. */
export const makeReceiver = Effect.gen(function*() {
  const accepted = new Map<string, Set<string>>()
  const acceptedBy = (path: string) => accepted.get(path) ?? accepted.set(path, new Set()).get(path)!
  const pathOf = (name: string) => `/${encodeURIComponent(name)}`
  let failing: string | undefined
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk)).once("end", () => {
      const path = request.url ?? ""
      const isFailing = path === failing
      if (!isFailing) acceptedBy(path).add(String(JSON.parse(Buffer.concat(chunks).toString()).id))
      response.writeHead(isFailing ? 500 : 204).end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  return {
    /** Where a receiver listens. */
    urlOf: (name: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathOf(name)}`,
    /** The ids of the events that it has accepted. */
    accepted: (name: string): ReadonlySet<string> => acceptedBy(pathOf(name)),
    /** Switches whether a receiver answers 500. */
    fail: (name: string | undefined) => void (failing = name === undefined ? undefined : pathOf(name))
  }
})
