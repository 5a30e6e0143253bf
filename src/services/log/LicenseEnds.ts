import { Effect } from "effect"
import { Hex } from "effect/encoding"
import type { LicenseEnd, LicenseEnds } from "../../domain/log/LicenseChain.ts"
import { licenseOf } from "../../domain/log/LicenseChain.ts"
import type { ChainExtension } from "../../domain/evidence/transparency/ChainExtension.ts"
import type { Database } from "../ground/persistence/Database.ts"
import { listLicenseEnds } from "./SequencerSql.ts"

/** The most licenses whose last event is kept in memory. */
const kept = 10_000

/**
 * The last event of each license, as the sequencer needs it for a batch. Those of the licenses that it placed last are kept, as
 * long as the log ends with what it placed.
 */
export const makeLicenseEnds = (sql: Database) => {
  let end: string | undefined
  const ends = new Map<string, LicenseEnd>()
  return {
    /** The last event of each license that these are about, where the log ends with `hash`. */
    before: Effect.fnUntraced(
      function*(
        hash: Uint8Array,
        events: ReadonlyArray<Parameters<typeof licenseOf>[0]>
      ): Effect.fn.Return<LicenseEnds> {
        if (end !== Hex.encode(hash)) ends.clear()
        const unknown = new Set<string>()
        for (const event of events) {
          const license = licenseOf(event)
          if (license !== undefined && !ends.has(license)) unknown.add(license)
        }
        if (unknown.size > 0) {
          const rows = yield* listLicenseEnds(sql, [...unknown])
          for (const { hash, license_id, sequence } of rows) ends.set(license_id, { sequence: Number(sequence), hash })
        }
        return ends
      }
    ),
    /** Keeps the last events of what was placed. */
    keep: ({ hashes, licenseEnds }: Pick<ChainExtension, "hashes" | "licenseEnds">): void => {
      end = hashes.at(-1)
      for (const [license, last] of licenseEnds) {
        // The latest are kept longest.
        ends.delete(license)
        ends.set(license, last)
      }
      for (const license of ends.keys()) {
        if (ends.size <= kept) return
        ends.delete(license)
      }
    }
  }
}
