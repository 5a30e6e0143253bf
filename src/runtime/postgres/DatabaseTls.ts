import { Result } from "effect"
import { X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import type { NetConnectOpts, Socket } from "node:net"
import { Duplex } from "node:stream"
import { createSecureContext, getCACertificates } from "node:tls"
import type { ConnectionOptions, SecureVersion } from "node:tls"
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

/** How connections to a database are encrypted. */
export interface DatabaseTls {
  /** `false`: they are not. `undefined`: they are where the server offers it (`prefer` and `allow`). */
  readonly ssl: boolean | ConnectionOptions | undefined
}

const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const
type Mode = typeof modes[number]

/** The parameters of `ssl...` that are honoured; any other, or one that is misspelt, would protect nothing. */
const supported: ReadonlySet<string> = new Set([
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "sslpassword",
  "sslnegotiation",
  "ssl_min_protocol_version",
  "ssl_max_protocol_version"
])

const versions: Readonly<Record<string, SecureVersion>> = { "TLSv1.2": "TLSv1.2", "TLSv1.3": "TLSv1.3" }

/** A parameter of the URL that cannot be honoured; completes a sentence that starts with `DATABASE_URL`. */
class Refused extends Error {}

const refuse = (problem: string): never => {
  throw new Refused(problem)
}

const file = (name: string, path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch (cause) {
    return refuse(`has ${name}=${path}, which cannot be read: ${(cause as Error).message}`)
  }
}

const authorities = (path: string): Pick<ConnectionOptions, "ca"> => {
  if (path !== "system") {
    const ca = file("sslrootcert", path)
    // OpenSSL would pass over what it cannot read; this fails.
    const { raw } = new X509Certificate(ca)
    return raw.length > 0 ? { ca } : {}
  }
  const ca = [...getCACertificates("system"), ...getCACertificates("extra")]
  return ca.length > 0 ? { ca } : refuse("has sslrootcert=system, but this system has no certificate authorities")
}

/** The certificate that is shown to the server. */
const ownCertificate = (given: URLSearchParams): ConnectionOptions => {
  const [cert, key, passphrase] = ["sslcert", "sslkey", "sslpassword"].map((name) => given.get(name))
  if (!cert && !key) return {}
  if (!cert || !key) return refuse("has one of sslcert and sslkey: a certificate needs its key")
  return { cert: file("sslcert", cert), key: file("sslkey", key), ...(passphrase ? { passphrase } : {}) }
}

const protocolVersions = (given: URLSearchParams): ConnectionOptions => {
  const version = (name: string): SecureVersion | undefined => {
    const value = given.get(name)
    return value === null || value === ""
      ? undefined
      : versions[value] ?? refuse(`has ${name}=${value}; it may be ${Object.keys(versions).join(" or ")}`)
  }
  const minVersion = version("ssl_min_protocol_version")
  const maxVersion = version("ssl_max_protocol_version")
  return {
    ...(minVersion === undefined ? {} : { minVersion }),
    ...(maxVersion === undefined ? {} : { maxVersion })
  }
}

const modeOf = (given: URLSearchParams): Mode | undefined => {
  // libpq, too, takes the strictest mode where the authorities of the system are asked for.
  const value = given.get("sslmode") ?? (given.get("sslrootcert") === "system" ? "verify-full" : undefined)
  if (value === undefined) return undefined
  return modes.find((mode) => mode === value) ?? refuse(`has sslmode=${value}; it may be ${modes.join(", ")}`)
}

const parse = (url: string): DatabaseTls => {
  const given = new URL(url).searchParams
  const mode = modeOf(given)
  for (const name of new Set(given.keys())) {
    if (!/^ssl/i.test(name)) continue
    if (!supported.has(name) && !(name === "ssl" && mode !== undefined)) {
      refuse(`has ${name}=${given.get(name)}, which this service does not know; say sslmode=verify-full`)
    }
    if (given.getAll(name).length > 1) refuse(`has ${name} twice; say it once`)
  }
  if (given.get("sslnegotiation") === "direct") refuse("has sslnegotiation=direct; only postgres is supported")
  const root = given.get("sslrootcert") || undefined
  const options = { ...ownCertificate(given), ...protocolVersions(given) }
  if (mode === undefined || mode === "disable" || mode === "allow" || mode === "prefer") {
    if (root !== undefined || Object.keys(options).length > 0) {
      refuse(
        `protects nothing: with ${mode === undefined ? "no sslmode" : `sslmode=${mode}`} a connection may be ` +
          "unencrypted; say sslmode=verify-full"
      )
    }
    return { ssl: mode === "allow" || mode === "prefer" ? undefined : false }
  }
  if (root === "system" && mode !== "verify-full") {
    refuse(`has sslrootcert=system and sslmode=${mode}, which anybody with a certificate could meet; say verify-full`)
  }
  const trusted = { ...options }
  try {
    if (root !== undefined) Object.assign(trusted, authorities(root))
    createSecureContext(trusted)
  } catch (cause) {
    if (cause instanceof Refused) throw cause
    refuse(
      `names certificates that cannot be used (${
        ["sslrootcert", "sslcert", "sslkey"].flatMap((name) => given.get(name) ? [`${name}=${given.get(name)}`] : [])
          .join(", ")
      }): ${(cause as Error).message}`
    )
  }
  // A socket of this machine is not encrypted, whatever is asked for, as in libpq.
  if ("path" in destinationOf(url)) return { ssl: false }
  // As in libpq, an authority of one's own is compared alone: it signs for nobody else.
  const comparesNames = root === undefined || mode === "verify-full"
  return { ssl: { ...trusted, ...(comparesNames ? {} : { checkServerIdentity: () => undefined }) } }
}

const known = new Map<string, DatabaseTls>()

/**
 * Reads how the connections of a libpq URI are encrypted, files included; what cannot be honoured is refused by its name.
 * With `sslrootcert` the modes mean what they mean to libpq. Without it `require` and `verify-ca` are as strict as
 * `verify-full`: they verify certificate and name against the authorities that Node knows.
 */
export const readTls = (url: string): Result.Result<DatabaseTls, string> => {
  try {
    const tls = known.get(url) ?? parse(url)
    // The files are read once: what a start has judged is what its connections use.
    known.set(url, tls)
    return Result.succeed(tls)
  } catch (cause) {
    if (cause instanceof Refused) return Result.fail(cause.message)
    throw cause
  }
}

/** {@link readTls} of a URL that the configuration has accepted. */
export const tlsOf = (url: string): DatabaseTls => Result.getOrThrow(readTls(url))

/** The codes by which OpenSSL and Node say that a certificate leads to no authority that is trusted. */
const unknownAuthority = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
])

/** The cure for a connection that failed for how it is encrypted; undefined where that was not the cause. */
export const tlsCure = (cause: unknown): string | undefined => {
  const { code = "", message = "" } = (cause ?? {}) as { readonly code?: string; readonly message?: string }
  if (unknownAuthority.has(code)) {
    return "The server's certificate is signed by an unknown authority. Name the file with the " +
      "certificate of that authority in DATABASE_URL: sslmode=verify-full&sslrootcert=/etc/countersign/database_ca.pem"
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return "Name a host in DATABASE_URL that the server's certificate is for; with sslrootcert=<file>, " +
      "sslmode=verify-ca does not compare names"
  }
  if (code === "CERT_HAS_EXPIRED") return "Renew the server's certificate"
  if (/does not support (TLS|SSL)/.test(message)) {
    return "Enable TLS on the server (ssl = on), or use sslmode=disable on a trusted network"
  }
  if (message.endsWith("no encryption")) {
    return "The server requires encryption: add sslmode=verify-full to DATABASE_URL"
  }
  if (/certificate required|client certificate/.test(message)) {
    return "The server wants a certificate of its client: add sslcert=<file> and sslkey=<file> to DATABASE_URL"
  }
  return undefined
}
