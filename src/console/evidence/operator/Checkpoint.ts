import { isCountersignError } from "../../../client/api/index.ts"
import type { Countersign } from "../../../client/api/index.ts"
import { verifyCheckpoint } from "../../../client/verify/index.ts"
import type { CheckpointVerdict } from "../../../client/verify/index.ts"
import { environment, isBesideLive } from "../../ground/session/Environment.ts"
import { openClient } from "../../ground/session/Session.ts"

/** Bypasses the browser's cache: it may keep the list of keys for a minute, and a key may be newer. */
const freshClient = (): Countersign => openClient((input, init) => fetch(input, { ...init, cache: "no-cache" }))

/** Where the browser keeps the note that it verified last, of each environment. A note is public: it names the log and its size. */
const place = (): string => `countersign.checkpoint${isBesideLive() ? `.${environment.value?.name}` : ""}`

/** The note that the browser keeps, when it may keep anything. */
const keptNote = (): string | undefined => {
  try {
    return localStorage.getItem(place()) ?? undefined
  } catch {
    return undefined
  }
}

const keep = (note: string): void => {
  try {
    localStorage.setItem(place(), note)
  } catch {
    // Without a stored note, each visit starts without a checkpoint to compare with.
  }
}

/** Forgets the stored note. The next one is then trusted by its signature alone. */
export const forgetCheckpoint = (): void => {
  try {
    localStorage.removeItem(place())
  } catch {
    // The browser does not allow storage.
  }
}

/** The reason why this browser cannot verify at all. */
interface Unable {
  readonly why: string
}

/** The browser's verdict, and the last sequence that enough witnesses have signed, where the service asks any. */
type Judged = CheckpointVerdict & { readonly cosignedSize: number | undefined }

/** This browser's verdict on the latest checkpoint; undefined where there is none yet. */
export type CheckpointFound = Judged | Unable | undefined

const unable = (cause: unknown): Unable => ({
  why: crypto.subtle === undefined
    ? "Browsers verify signatures only on pages loaded over HTTPS or from localhost."
    : `This browser cannot verify Ed25519: ${cause instanceof Error ? cause.message : String(cause)}`
})

/**
 * Asks for the latest checkpoint and the public keys, and verifies it here: its signature, and that the log continues the
 * checkpoint that this browser verified last.
 */
export const findCheckpoint = async (client: Countersign, signal: AbortSignal): Promise<CheckpointFound> => {
  const latest = await client.events.getCheckpoint({}, { signal }).result()
  if (!latest.ok) {
    if (isCountersignError(latest.error, "NOT_FOUND")) return undefined
    throw latest.error
  }
  const { data: publicKeys, revoked = [] } = await freshClient().system.listPublicKeys({ signal }).withResponse()
  const { cosigned_tree_size: cosignedSize, note } = latest.data
  const kept = keptNote()
  const prove = (from: number, to: number) => client.events.getConsistency({ from, to }, { signal })
  try {
    const verdict = await verifyCheckpoint({
      note,
      publicKeys,
      revokedKeys: revoked,
      ...(kept === undefined ? {} : { since: { note: kept, prove } })
    })
    if (verdict.ok) keep(note)
    return { ...verdict, cosignedSize }
  } catch (cause) {
    if (isCountersignError(cause) || signal.aborted) throw cause
    return unable(cause)
  }
}
