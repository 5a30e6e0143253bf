import { Effect, Layer } from "effect"
import { Hex } from "effect/encoding"
import { keyIdOf } from "../../domain/evidence/transparency/SignedNote.ts"
import { Witnesses, WitnessUnavailable } from "../../services/evidence/transparency/WitnessKeeper.ts"
import type { CosigningWitness } from "../../services/evidence/transparency/WitnessKeeper.ts"
import { Cryptography } from "../../services/ground/platform/Cryptography.ts"
import { AppConfig } from "../config/Config.ts"
import type { WitnessSetting } from "../config/WitnessTable.ts"

/** The timeout of one exchange with an address, in milliseconds. */
export const patience = 5_000
/** The maximum size of a note, in bytes. */
const longestNote = 64 * 1024

/** `fetch` has the reason in the cause of its error. */
export const unavailable = (cause: unknown) => {
  const reason = cause instanceof TypeError && cause.cause instanceof Error ? cause.cause : cause
  return new WitnessUnavailable({ message: reason instanceof Error ? reason.message : String(reason) })
}

/** Reads the text of an answer, which has the size of a note at most. */
export const readNoteText = async (response: Response): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > longestNote) throw new Error(`the response has more than ${longestNote} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const exchange = <A>(url: string, init: RequestInit, read: (response: Response) => Promise<A>) =>
  Effect.tryPromise({
    try: async (signal) =>
      read(
        await fetch(url, {
          ...init,
          redirect: "error",
          signal: AbortSignal.any([signal, AbortSignal.timeout(patience)])
        })
      ),
    catch: unavailable
  })

const post = (url: string, body: string) =>
  exchange(
    url,
    { method: "POST", body, headers: { "content-type": "text/plain; charset=utf-8" } },
    async (response) => ({ status: response.status, body: await readNoteText(response) })
  )

/** The witness at an address. */
const witnessAt = ({ key, url }: WitnessSetting, keyId: string): CosigningWitness => ({
  id: `${key.name}+${keyId}`,
  key,
  add: (body) => post(`${url}/add-checkpoint`, body),
  addKeyEvent: (body) => post(`${url}/add-key-event`, body),
  checkpoint: (originHash) =>
    exchange(`${url}/${originHash}/checkpoint`, {}, async (response) => {
      const body = await readNoteText(response)
      return response.status === 200 ? body : undefined
    })
})

/** The witnesses that `COUNTERSIGN_WITNESSES` names. */
export const layer = Layer.effect(
  Witnesses,
  Effect.gen(function*() {
    const { cosigning: { quorum, witnesses } } = yield* AppConfig
    const { sha256 } = yield* Cryptography
    const all = witnesses.map((witness) => {
      const { name, publicKey, type } = witness.key
      return witnessAt(witness, Hex.encode(keyIdOf(name, type, publicKey, sha256)))
    })
    return { all, quorum }
  })
)
