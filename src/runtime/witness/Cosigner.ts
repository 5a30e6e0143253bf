import { Clock, Effect, Result, Semaphore } from "effect"
import { Hex } from "effect/encoding"
import * as Base64 from "effect/encoding/Base64"
import * as Fs from "node:fs"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import {
  isName,
  keyIdOf,
  readNote,
  timestamped,
  timestampedLine,
  timestampedText
} from "../../domain/evidence/transparency/SignedNote.ts"
import type { VerifierKey } from "../../domain/evidence/transparency/VerifierKey.ts"
import {
  continued,
  longestRequest,
  readAddCheckpoint,
  signedCheckpoint
} from "../../domain/evidence/witnessing/Cosigning.ts"
import type { KnownLog, NotCosigned } from "../../domain/evidence/witnessing/Cosigning.ts"
import { followedLogs, judgeKeyEvent } from "../../domain/evidence/witnessing/FollowedLogs.ts"
import { decodeBase64 } from "../../domain/ground/parsing/StrictBytes.ts"
import { Cryptography } from "../../services/ground/platform/Cryptography.ts"
import { replaceFile } from "../archive/replaceFile.ts"
import { readSecretFile } from "../config/Setting.ts"
import { ed25519PublicKey } from "../node/NodeCryptography.ts"
import { Away, WrongUsage } from "../terminal/ExitCode.ts"
import type { WitnessState } from "./WitnessState.ts"

/** The key of a witness. */
interface WitnessKey {
  readonly verifier: VerifierKey
  /** 32 bytes. */
  readonly seed: Uint8Array
  /** Whether this call made the file. */
  readonly isNew: boolean
}

const unusable = (message: string) => new WrongUsage({ message })

const verifierOf = (name: string, seed: Uint8Array): VerifierKey => ({
  name,
  type: timestamped,
  publicKey: ed25519PublicKey(seed)
})

/**
 * Opens the file with the key of a witness, `PRIVATE+KEY+<name>+<key id>+<base64(type || seed)>` as other tools for signed
 * notes write it; makes the file where there is none, which takes a name.
 */
export const openWitnessKey = Effect.fnUntraced(function*(path: string, name: string | undefined) {
  const { randomBytes, sha256 } = yield* Cryptography
  const idOf = ({ name, publicKey, type }: VerifierKey) => Hex.encode(keyIdOf(name, type, publicKey, sha256))
  if (Fs.existsSync(path)) {
    const text = yield* Effect.try({
      try: () => readSecretFile(path),
      catch: (cause) => unusable(`--key cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)
    })
    const [, kept = "", id = "", encoded = ""] = /^PRIVATE\+KEY\+([^+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? []
    const bytes = decodeBase64(encoded, 33)
    if (bytes === undefined || bytes[0] !== timestamped || !isName(kept)) {
      return yield* unusable(`${path} holds no key of a witness`)
    }
    const key: WitnessKey = { seed: bytes.slice(1), verifier: verifierOf(kept, bytes.slice(1)), isNew: false }
    if (idOf(key.verifier) !== id) return yield* unusable(`${path} holds a key with a wrong id: it was changed`)
    if (name !== undefined && name !== kept) return yield* unusable(`${path} holds the key of ${kept}, not of ${name}`)
    return key
  }
  if (name === undefined) return yield* unusable(`${path} is not there: give --name, under which a new key is made`)
  if (!isName(name)) return yield* unusable("--name must have no spaces and no plus: as witness.example.com/acme")
  const seed = randomBytes(32)
  const verifier = verifierOf(name, seed)
  const text = `PRIVATE+KEY+${name}+${idOf(verifier)}+${Base64.encode(Uint8Array.of(timestamped, ...seed))}\n`
  yield* Effect.tryPromise({
    try: () => replaceFile(path, (part) => Fs.promises.writeFile(part, text, { flag: "w", mode: 0o600 })),
    catch: (cause) => unusable(`--key cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`)
  })
  return { seed, verifier, isNew: true } satisfies WitnessKey
})

/** The answer to a request. */
interface WitnessAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

const plain = (status: number, body: string, type = "text/plain; charset=utf-8"): WitnessAnswer => ({
  status,
  type,
  body
})

const refusal = ({ says, status }: NotCosigned): WitnessAnswer =>
  plain(status, `${says}\n`, status === 409 ? "text/x.tlog.size" : undefined)

/** A witness (C2SP tlog-witness) with its key, what it cosigned, and the logs that it knows. */
export const makeCosigner = Effect.fnUntraced(function*(
  { seed, verifier }: WitnessKey,
  state: WitnessState,
  logs: Effect.Effect<ReadonlyArray<KnownLog>>
) {
  const crypto = yield* Cryptography
  /** The logs with the keys that were introduced in them. */
  const followed = Effect.map(logs, (known) => followedLogs(known, state.changes, crypto.sha256))
  const sign = crypto.ed25519Signer(seed)
  // Two requests at once must not both be judged by the same last checkpoint.
  const turn = Semaphore.makeUnsafe(1)

  /** The line of a cosignature over a text, as of now. */
  const cosign = Effect.fnUntraced(function*(text: string) {
    const time = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const signature = yield* sign(timestampedText(text, time))
    return timestampedLine({ ...verifier, time, signature }, crypto.sha256)
  })

  /** Answers `add-checkpoint`. What is cosigned is on the disk before the signature is made. */
  const add = Effect.fnUntraced(function*(body: string) {
    const request = readAddCheckpoint(body)
    if (request === undefined) return plain(400, "This is no request to add a checkpoint.\n")
    const signed = signedCheckpoint(request.note, yield* followed, crypto)
    if (Result.isFailure(signed)) return plain(signed.failure.status, `${signed.failure.says}\n`)
    const { checkpoint, note, text } = signed.success
    const judged = continued(request, checkpoint, state.last(checkpoint.origin), crypto.sha256)
    if (Result.isFailure(judged)) return refusal(judged.failure)
    yield* state.keep(checkpoint.origin, note)
    return plain(200, yield* cosign(text))
  }, (answer) => turn.withPermit(Effect.uninterruptible(answer)))

  /** Answers `add-key-event`, of this project: the log introduces a key, or revokes one. What is accepted is on the disk before. */
  const follow = Effect.fnUntraced(function*(body: string) {
    const judged = judgeKeyEvent(body, yield* logs, state, crypto)
    if (Result.isFailure(judged)) return refusal(judged.failure)
    const { change, origin } = judged.success
    if (change === undefined) return plain(200, "This is known.\n")
    yield* state.learn(origin, change)
    const told = "revoked" in change
      ? `${change.revoked} is revoked`
      : `${change.introduced} was introduced by ${change.by}`
    yield* Effect.logInfo(`The log ${origin} says in event ${change.sequence}: ${told}`)
    return plain(200, "This is known from now on.\n")
  }, (answer) => turn.withPermit(Effect.uninterruptible(answer)))

  /** The latest cosigned checkpoint of the log with this hash of its origin, with a cosignature as of now. */
  const latest = Effect.fnUntraced(function*(hash: string) {
    const origin = state.origins().find((origin) => Hex.encode(crypto.sha256(origin)) === hash)
    const note = origin === undefined ? undefined : state.note(origin)
    const read = note === undefined ? undefined : readNote(note)
    if (note === undefined || read === undefined) {
      return plain(404, "This witness has cosigned nothing of such a log.\n")
    }
    // A state of an earlier release has the lines of whoever sent the checkpoint.
    const signed = signedCheckpoint(note, yield* followed, crypto)
    const shown = Result.isSuccess(signed) ? signed.success.note : `${read.text}\n`
    return plain(200, shown + (yield* cosign(read.text)))
  }, (answer) => turn.withPermit(answer))

  return { add, follow, latest }
})

/** How long a caller may take to send a request, and how many callers are served at once. */
const patienceMillis = 10_000
const maximumConnections = 256

/** The body of a request as text; undefined when it is too long, or is not UTF-8. */
const bodyOf = async (request: IncomingMessage): Promise<string | undefined> => {
  const pieces: Array<Uint8Array> = []
  let length = 0
  for await (const piece of request) {
    length += piece.length
    if (length > longestRequest) return undefined
    pieces.push(piece)
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces))
  } catch {
    return undefined
  }
}

const send = (response: ServerResponse, { body, status, type }: WitnessAnswer): void => {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) })
  response.end(body)
}

const text = (status: number, body: string): WitnessAnswer => ({ status, type: "text/plain; charset=utf-8", body })

/** Serves a witness until the scope closes; answers the port. */
export const serveWitness = Effect.fnUntraced(function*(
  cosigner: Effect.Success<ReturnType<typeof makeCosigner>>,
  { host, port }: { readonly host: string; readonly port: number }
) {
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const posts = new Map([["/add-checkpoint", cosigner.add], ["/add-key-event", cosigner.follow]])

  const answer = async (request: IncomingMessage): Promise<WitnessAnswer> => {
    const path = (request.url ?? "").split("?")[0]!
    const monitored = /^\/([0-9a-f]{64})\/checkpoint$/.exec(path)?.[1]
    if (monitored !== undefined && request.method === "GET") return run(cosigner.latest(monitored))
    const take = posts.get(path)
    if (take === undefined) return text(404, "There is nothing here.\n")
    if (request.method !== "POST") return text(405, "Send a POST.\n")
    const body = await bodyOf(request)
    return body === undefined
      ? text(400, `A request is UTF-8 of at most ${longestRequest} bytes.\n`)
      : run(take(body))
  }

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const answered = await answer(request)
      if (!request.complete) response.setHeader("connection", "close")
      send(response, answered)
    } catch {
      // The state cannot be written, so nothing was cosigned; or the caller has gone.
      send(response, text(500, "The witness cannot keep its state.\n"))
    }
  }

  const server = createServer(
    { requestTimeout: patienceMillis, headersTimeout: patienceMillis },
    (request, response) => {
      void respond(request, response)
    }
  )
  server.maxConnections = maximumConnections
  yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () =>
        new Promise<void>((resolve, reject) => {
          server.once("error", reject)
          server.listen({ host, port }, resolve)
        }),
      catch: (cause) => new Away({ message: `${host}:${port} cannot be listened on: ${String(cause)}` })
    }),
    () =>
      Effect.promise(() =>
        new Promise<void>((resolve) => {
          server.closeIdleConnections()
          server.close(() => resolve())
        })
      )
  )
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : port
})
