import * as Hex from "effect/encoding/Hex"
import type { EnvironmentName } from "../../ground/environments/EnvironmentName.ts"
import type { EventKind } from "../../log/EventKind.ts"
import { resourceTypeOf } from "../../log/EventKind.ts"
import type { EventColumns, Sha256 } from "../../log/EventLeaf.ts"
import { chainHash, leafHash } from "../../log/EventLeaf.ts"
import { leafTextOfRow, licenseOf } from "../../log/LicenseChain.ts"
import type { LicenseEnd, LicenseEnds } from "../../log/LicenseChain.ts"
import type { LicenseColumns } from "../../log/LicenseLink.ts"

/** An event as it is recorded, before it has its place in the log. */
export interface UnplacedEvent extends Omit<EventColumns, "environment" | "sequence" | "resource_type" | "created_at"> {
  readonly event_type: EventKind
  readonly created_at: Date
}

/** Where a log ends: the sequence of its last event and its hash, 32 bytes; 0 and zeros before the first. */
export interface ChainEnd {
  readonly sequence: number
  readonly hash: Uint8Array
}

/** The places of events at the end of a log: one entry for each of them, in their order. */
export interface ChainExtension {
  readonly sequences: ReadonlyArray<number>
  /** 64 hex digits. */
  readonly previousHashes: ReadonlyArray<string>
  /** 64 hex digits. */
  readonly hashes: ReadonlyArray<string>
  /** The hashes of the leaves, 32 bytes each, by which the tree grows. */
  readonly leaves: ReadonlyArray<Uint8Array>
  /** The license of each event, with its previous one; undefined in leaves that name none. */
  readonly licenses: ReadonlyArray<Required<LicenseColumns> | undefined>
  /** The last events of the licenses that these are about. */
  readonly licenseEnds: LicenseEnds
  /** Where the log ends then. */
  readonly end: ChainEnd
}

/**
 * Numbers events without gaps after the end of a log, hashes their leaves, and chains them to it. Given the last event of
 * each license that they are about, each names the one before it of its license.
 */
export const extendChain = (
  { hash, sequence }: ChainEnd,
  events: ReadonlyArray<UnplacedEvent>,
  environment: EnvironmentName,
  sha256: Sha256,
  known?: LicenseEnds
): ChainExtension => {
  const licenseEnds = new Map<string, LicenseEnd>()
  const licenses: Array<Required<LicenseColumns> | undefined> = []
  const sequences: Array<number> = []
  const previousHashes: Array<string> = []
  const hashes: Array<string> = []
  const leaves: Array<Uint8Array> = []
  for (const event of events) {
    sequence += 1
    const resource_type = resourceTypeOf(event.event_type)
    const license_id = known && licenseOf(event)
    const previous = license_id === undefined ? undefined : licenseEnds.get(license_id) ?? known?.get(license_id)
    const license = license_id === undefined
      ? undefined
      : { license_id, license_previous: previous?.sequence ?? 0, license_previous_hash: previous?.hash ?? null }
    const leaf = leafHash(
      leafTextOfRow({ ...event, ...license, resource_type, sequence }, environment),
      sha256
    )
    previousHashes.push(Hex.encode(hash))
    hash = chainHash(hash, leaf, sha256)
    hashes.push(Hex.encode(hash))
    leaves.push(leaf)
    sequences.push(sequence)
    licenses.push(license)
    if (license_id !== undefined) licenseEnds.set(license_id, { sequence, hash })
  }
  return { sequences, previousHashes, hashes, leaves, licenses, licenseEnds, end: { sequence, hash } }
}
