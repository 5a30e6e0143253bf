import type { EnvironmentName } from "../ground/environments/EnvironmentName.ts"
import { parseMembers } from "../ground/parsing/JsonMembers.ts"
import { familyOf, resourceTypeOf } from "./EventKind.ts"
import type { EventKind, Family } from "./EventKind.ts"
import { leafText } from "./EventLeaf.ts"
import type { EventColumns } from "./EventLeaf.ts"

/** The columns of a leaf as a row of the database has them. */
export type LeafRow = Omit<EventColumns, "created_at" | "environment"> & { readonly created_at: Date }

/** {@link leafText} of a row, in the environment of its log. */
export const leafTextOfRow = (row: LeafRow, environment: EnvironmentName): string =>
  leafText({ ...row, environment, created_at: row.created_at.toISOString() })

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
