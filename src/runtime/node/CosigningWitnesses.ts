import { Effect, Layer } from "effect"
import { Hex } from "effect/encoding"
import { keyIdOf } from "../../domain/evidence/transparency/SignedNote.ts"
import { Cryptography } from "../../services/ground/platform/Cryptography.ts"
import { Witnesses } from "../../services/evidence/transparency/Witnesses.ts"
import type { CosigningWitness } from "../../services/evidence/transparency/Witnesses.ts"
import { AppConfig } from "../config/Config.ts"
import type { WitnessSetting } from "../config/WitnessTable.ts"
import { patience, readNoteText, unavailable } from "./WitnessExchange.ts"

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
