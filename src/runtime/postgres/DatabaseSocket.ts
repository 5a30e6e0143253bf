import { connect } from "node:net"
import type { NetConnectOpts, Socket } from "node:net"
import { Duplex } from "node:stream"

/** How often a connection is looked at, in milliseconds. */
const lookEvery = 1_000

/** The most that is read from a connection at once, in bytes: as node does it. */
const readAtOnce = 64 * 1024

/**
 * A connection to a server that answers whatever it is asked. When something was written to it and nothing has come for
 * `patience` milliseconds, it fails: the server, or the way to it, is gone without a word, and TCP itself would notice
 * after a quarter of an hour. A stream and no socket, so that TLS lies above it.
 */
class WatchedSocket extends Duplex {
  readonly #socket: Socket
  readonly #watch: ReturnType<typeof setInterval>
  /** When the first thing was written that nothing has come after. */
  #askedAt: number | undefined

  constructor(options: NetConnectOpts, patience: number) {
    super({ allowHalfOpen: false })
    // One buffer for all that comes: node would allocate 64 KiB for each read, which are collected late. Who listens takes
    // what it is told at once; what has to wait is copied.
    this.#socket = connect({
      ...options,
      onread: {
        buffer: Buffer.allocUnsafeSlow(readAtOnce),
        callback: (length, buffer) => {
          this.#askedAt = undefined
          const some = buffer.subarray(0, length) as Buffer
          const isTaken = this.readableFlowing === true && this.readableLength === 0
          return this.push(isTaken ? some : Buffer.from(some))
        }
      }
    })
    this.#socket.on("end", () => this.push(null))
    this.#socket.on("error", (error) => this.destroy(error))
    this.#socket.on("close", () => {
      if (!this.#socket.readableEnded) this.destroy()
    })
    this.#watch = setInterval(() => {
      if (this.#askedAt === undefined || performance.now() - this.#askedAt < patience) return
      this.destroy(new Error(`The database has not answered for ${patience / 1000} s, so the connection is given up`))
    }, Math.min(lookEvery, patience)).unref()
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#askedAt ??= performance.now()
    if (this.#socket.write(chunk)) done()
    else this.#socket.once("drain", done)
  }

  override _final(done: () => void): void {
    if (this.#socket.destroyed) done()
    else this.#socket.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearInterval(this.#watch)
    this.#socket.destroy()
    done(error)
  }
}

/** Where a libpq URI leads: to a Unix socket when its host, also as a parameter, is a directory. */
export const destinationOf = (
  url: string
): { readonly path: string } | { readonly host: string; readonly port: number } => {
  const { hostname, port: ownPort, searchParams } = new URL(url)
  const host = searchParams.get("host") ??
    (decodeURIComponent(hostname.replace(/^\[(.*)\]$/, "$1")) || "localhost")
  const port = Number(searchParams.get("port") ?? (ownPort || "5432"))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

/** Opens a connection to the server of a libpq URI that is given up after `patience` milliseconds without an answer. */
export const openSocket = (url: string, patience: number): Duplex =>
  new WatchedSocket(
    { ...destinationOf(url), noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 },
    patience
  )
