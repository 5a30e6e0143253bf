import { localTimes } from "../../../domain/evidence/exports/LocalTime.ts"
import type { SnapshotHead } from "../../../domain/evidence/exports/ReportSnapshot.ts"

/** In which time zone a document prints times. */
export interface ReportClock {
  /** As it is printed: `UTC`, or a name of the IANA database. */
  readonly zone: string
  /** An RFC 3339 instant in UTC, with the date and the time of day of the zone in the same form; other texts stay. */
  readonly local: (text: string) => string
}

/** UTC, for who asked for no other zone. */
export const utc: ReportClock = { zone: "UTC", local: (text) => text }

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** The clock of a frozen report. */
export const clockOf = ({ presentation }: SnapshotHead): ReportClock => {
  const zone = presentation?.time_zone
  if (zone === undefined) return utc
  const local = localTimes(zone)
  return { zone: zone.name, local: (text) => instant.test(text) ? local(text) : text }
}
