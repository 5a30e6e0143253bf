import { Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs/promises"
import { dirname } from "node:path"
import { Witness } from "../../services/evidence/transparency/WitnessKeeper.ts"
import type { WitnessPlace } from "../../services/evidence/transparency/WitnessKeeper.ts"
import { replaceFile } from "../archive/replaceFile.ts"
import { AppConfig } from "../config/Config.ts"
import type { WitnessAddress } from "../config/SettingParsers.ts"
import * as CosigningWitnesses from "./CosigningWitnesses.ts"
import { patience, readNoteText, unavailable } from "./CosigningWitnesses.ts"

const codeOf = (cause: unknown): string | undefined => (cause as NodeJS.ErrnoException | undefined)?.code

/** Several nodes may write the same file at once, each through a draft of its own. */
const writeNote = (path: string, note: string): Promise<void> =>
  replaceFile(
    path,
    (draft) => Fs.writeFile(draft, note, { flag: "wx", mode: 0o644 }),
    `${path}.${randomBytes(6).toString("hex")}`
  )

/** A file. A missing file in an existing directory holds no note yet. */
const filePlace = (path: string): WitnessPlace => ({
  name: path,
  read: Effect.tryPromise({
    try: async () => {
      try {
        return await Fs.readFile(path, "utf8")
      } catch (cause) {
        if (codeOf(cause) !== "ENOENT") throw cause
        await Fs.access(dirname(path))
        return undefined
      }
    },
    catch: unavailable
  }),
  replace: (note) => Effect.tryPromise({ try: () => writeNote(path, note), catch: unavailable })
})

/** An HTTP address that answers GET with what was last PUT there, and 404 before that. */
const addressPlace = (secret: Redacted.Redacted): WitnessPlace => {
  const { host, pathname, protocol } = new URL(Redacted.value(secret))
  const ask = (init: RequestInit, signal: AbortSignal) =>
    fetch(Redacted.value(secret), {
      ...init,
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(patience)])
    })
  const wrong = (method: string, response: Response) => new Error(`${method} returned status ${response.status}`)
  return {
    name: `${protocol}//${host}${pathname}`,
    read: Effect.tryPromise({
      try: async (signal) => {
        const response = await ask({ headers: { "accept": "text/plain", "cache-control": "no-cache" } }, signal)
        if (response.status === 404) {
          await response.body?.cancel()
          return undefined
        }
        if (response.status !== 200) {
          await response.body?.cancel()
          throw wrong("GET", response)
        }
        return await readNoteText(response)
      },
      catch: unavailable
    }),
    replace: (note) =>
      Effect.tryPromise({
        try: async (signal) => {
          const response = await ask(
            { method: "PUT", body: note, headers: { "content-type": "text/plain; charset=utf-8" } },
            signal
          )
          await response.body?.cancel()
          if (!response.ok) throw wrong("PUT", response)
        },
        catch: unavailable
      })
  }
}

/** The place at an address. */
export const placeAt = (address: WitnessAddress): WitnessPlace =>
  "path" in address ? filePlace(address.path) : addressPlace(address.url)

/** The place that `COUNTERSIGN_WITNESS` names, and the witnesses of `COUNTERSIGN_WITNESSES`. */
export const layer = Layer.merge(
  CosigningWitnesses.layer,
  Layer.effect(
    Witness,
    Effect.map(AppConfig, ({ witness }) => ({ place: witness === undefined ? undefined : placeAt(witness) }))
  )
)
