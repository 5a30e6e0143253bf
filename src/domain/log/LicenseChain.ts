import { parseMembers } from "../ground/parsing/JsonMembers.ts"
import type { EventKind, Family } from "./EventKind.ts"
import { familyOf, resourceTypeOf } from "./EventKind.ts"

/** The last event of a license that has its place. */
export interface LicenseEnd {
  readonly sequence: number
  /** 32 bytes. */
  readonly hash: Uint8Array
}

/** The last event of each license that is known. */
export type LicenseEnds = ReadonlyMap<string, LicenseEnd>

/** The families whose events are about a license that their data name; others are about it as their resource. */
export const familiesNamingLicense: ReadonlySet<Family> = new Set(["device", "lease", "note", "offline_file"])

/** The license that an event is about: its resource, or the one that its data, JSON text, name; undefined when there is none. */
export const licenseOf = (
  { data, event_type, resource_id }: {
    readonly event_type: EventKind
    readonly resource_id?: string | null | undefined
    readonly data: string
  }
): string | undefined => {
  if (resourceTypeOf(event_type) === "license") return resource_id ?? undefined
  if (!familiesNamingLicense.has(familyOf(event_type))) return undefined
  const named = parseMembers(data)["license_id"]
  return typeof named === "string" ? named : undefined
}
