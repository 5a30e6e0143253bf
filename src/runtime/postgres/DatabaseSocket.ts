import { connect } from "node:net"
import type { NetConnectOpts, Socket } from "node:net"
import { Duplex } from "node:stream"
import { Watch } from "../node/Watch.ts"

/** The interval at which a connection is checked, in milliseconds. */
const lookEvery = 1_000

/**
 * The size of the read buffer in bytes. The driver copies what was read into buffers of 64 KiB, several reads each; a
 * read of 64 KiB beside the rest of a row would take one of 128 KiB, half of it for nothing.
 */
const readAtOnce = 16 * 1024

/** The open connections to each destination. */
const connected = new Map<string, Set<WatchedSocket>>()

/**
 * A connection to a server that answers every request. It fails when data was written and nothing was received for
 * `patience` milliseconds: the server or the network is gone, which TCP itself would notice only after a quarter of an
 * hour. It is a stream rather than a socket, so that TLS can be layered above it.
 *
 * With it fail the other connections to the same destination on which nothing was received since it was asked. Whatever
 * cut one off, such as a firewall that forgot it, has most likely cut off those as well, and each would take a patience of
 * its own from whoever uses it first.
 */
class WatchedSocket extends Duplex {
  readonly #socket: Socket
  /** Runs while something that was written has no answer. */
  readonly #watch: Watch
  /** The time of the oldest write since the last data was received. */
  #sentAt: number | undefined
  /** The time of the latest data, and of the beginning before there was any. */
  #heardAt = performance.now()
  readonly #siblings: Set<WatchedSocket>

  constructor(options: NetConnectOpts, patience: number) {
    super({ allowHalfOpen: false })
    const destination = JSON.stringify(options)
    this.#siblings = connected.get(destination) ?? new Set()
    connected.set(destination, this.#siblings)
    // Statements without a time limit may be silent for good reasons.
    if (patience !== Infinity) this.#siblings.add(this)
    // One buffer for all reads: node would allocate 64 KiB for each, which are collected late. A flowing reader
    // consumes the data at once; data that has to wait is copied.
    this.#socket = connect({
      ...options,
      onread: {
        buffer: Buffer.allocUnsafeSlow(readAtOnce),
        callback: (length, buffer) => {
          this.#sentAt = undefined
          this.#heardAt = performance.now()
          const some = buffer.subarray(0, length) as Buffer
          const isTaken = this.readableFlowing === true && this.readableLength === 0
          return this.push(isTaken ? some : Buffer.from(some))
        }
      }
    })
    this.#socket.on("end", () => {
      this.push(null)
      // As node's own socket does: the end of a stream that nobody reads would never be told. The driver asks for the
      // end of a statement over such a connection, and while it waits, a transaction keeps its locks.
      this.read(0)
    })
    this.#socket.on("error", (error) => this.destroy(error))
    this.#socket.on("close", () => {
      if (!this.#socket.readableEnded) this.destroy()
    })
    this.#watch = new Watch(Math.min(lookEvery, patience), () => this.#sentAt !== undefined, () => {
      const sentAt = this.#sentAt
      if (sentAt === undefined || performance.now() - sentAt < patience) return
      const error = new Error(`The database has not responded for ${patience / 1000} s: closing the connection`)
      const silent = [...this.#siblings].filter((sibling) => sibling === this || sibling.#heardAt < sentAt)
      for (const sibling of silent) sibling.destroy(error)
    })
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#sentAt ??= performance.now()
    this.#watch.start()
    if (this.#socket.write(chunk)) done()
    else this.#socket.once("drain", done)
  }

  override _final(done: () => void): void {
    if (this.#socket.destroyed) done()
    else this.#socket.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#watch.stop()
    this.#siblings.delete(this)
    this.#socket.destroy()
    done(error)
  }
}

/** The destination of a libpq URI: a Unix socket when its host, or its parameter `host`, is a directory. */
export const destinationOf = (
  url: string
): { readonly path: string } | { readonly host: string; readonly port: number } => {
  const { hostname, port: ownPort, searchParams } = new URL(url)
  const host = searchParams.get("host") ??
    (decodeURIComponent(hostname.replace(/^\[(.*)\]$/, "$1")) || "localhost")
  const port = Number(searchParams.get("port") ?? (ownPort || "5432"))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

/**
 * Opens a connection to the server of a libpq URI, and fails it after `patience` milliseconds without an answer; with
 * `Infinity` only when TCP detects that the peer is gone.
 */
export const openSocket = (url: string, patience: number): Duplex =>
  new WatchedSocket(
    { ...destinationOf(url), noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 },
    patience
  )
