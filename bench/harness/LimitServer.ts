import { PgConnection } from "@effect/sql-pg"
import { Effect, Redacted, Scope } from "effect"
import { generateKeyPairSync, sign } from "node:crypto"
import { createServer } from "node:http"
import type { RequestListener } from "node:http"

/** A row of a result of the driver. */
export type Row = Readonly<Record<string, unknown>>

/** Opens connections that pipeline what they are given; they end with the process. */
export const connect = (
  url: string,
  connections: number
): Promise<ReadonlyArray<PgConnection.PgConnection>> =>
  Effect.runPromise(
    Effect.all(
      Array.from(
        { length: connections },
        () => PgConnection.make({ url: Redacted.make(url), multiplex: true })
      )
    ).pipe(Scope.provide(Scope.makeUnsafe()))
  )

/** Serves on a free port of loopback; answers the port. */
export const listen = (handle: RequestListener): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer(handle)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

/** JSON of what the driver reads, with 64-bit counts as numbers. */
export const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, value: unknown) => typeof value === "bigint" ? Number(value) : value)

/** Serves the row that `work` answers, with one Ed25519 signature over it; 500 where there is not exactly one. */
export const listenSigned = <E>(work: () => Effect.Effect<ReadonlyArray<Row>, E>): Promise<number> => {
  const { privateKey } = generateKeyPairSync("ed25519")
  return listen((_, response) => {
    Effect.runCallback(work(), {
      onExit: (exit) => {
        if (exit._tag === "Failure" || exit.value.length !== 1) {
          const body = exit._tag === "Failure" ? String(exit.cause) : `${exit.value.length} rows`
          response.writeHead(500, { "content-length": Buffer.byteLength(body) }).end(body)
          return
        }
        const data = jsonOf(exit.value[0])
        const signature = sign(null, Buffer.from(data), privateKey).toString("base64")
        const body = `{"data":${data},"signature":"${signature}"}`
        response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
        response.end(body)
      }
    })
  })
}
