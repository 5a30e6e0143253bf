import { Effect } from "effect"
import { createServer } from "node:http"

/** Local receivers of webhooks, for the duration of the story. */
export const makeReceiver = Effect.acquireRelease(
  Effect.callback<{
    /** Where a receiver listens. */
    readonly urlOf: (name: string) => string
    /** The ids of the events that it has accepted. */
    readonly accepted: (name: string) => ReadonlySet<string>
    /** Switches whether a receiver answers 500. */
    readonly fail: (name: string | undefined) => void
    readonly close: () => void
  }>((resume) => {
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
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({
        urlOf: (name) => `http://127.0.0.1:${port}${pathOf(name)}`,
        accepted: (name) => acceptedBy(pathOf(name)),
        fail: (name) => void (failing = name === undefined ? undefined : pathOf(name)),
        close: () => {
          server.close()
          server.closeAllConnections()
        }
      }))
    })
  }),
  ({ close }) => Effect.sync(close)
)
