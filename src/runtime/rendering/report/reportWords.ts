import { localTimes } from "../../../domain/evidence/exports/Edition.ts"
import type { Edition } from "../../../domain/evidence/exports/Edition.ts"
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

/** The words of a report, which depend on the edition of its file. */
export interface ReportWords {
  /** Labels of fields that their names do not say well. */
  readonly labels: Readonly<Record<string, string>>
  /** Entries of the ledger, by event type. */
  readonly entries: Readonly<Record<string, string>>
  /** The unit of `uses`. */
  readonly usageEvents: readonly [one: string, many: string]
  readonly frozenAt: string
  readonly asOf: (time: string, zone: string, sequence: string) => string
  readonly times: string
  readonly timesIn: (zone: string, hasUtcDays: boolean) => string
  readonly checkpoint: string
  readonly toDate: (begin: string | undefined, moment: string) => string
  readonly usage: string
  readonly totalUsage: string
  readonly overTime: string
  readonly overTimeOfAll: string
  readonly chart: string
  readonly overage: (amount: string) => string
  readonly unitOfEach: string
  readonly mixedUnits: string
  /** The same where the report does not tell its features; undefined in editions that took them for several, also of no rows. */
  readonly unknownUnits: string | undefined
  readonly oneUnitARow: Readonly<Record<"customer-summary" | "others", string>>
  readonly signature: (kid: string, alg: string) => string
  /** Whether items of a list are printed as the rows of a table are. */
  readonly printsLists: boolean
  /** The note that ids are printed by their ends, and the title of the list of ids behind the table; no edition before 6 has them. */
  readonly shortened: string
  readonly namedIds: string
  /** The words about events that the checkpoint does not cover; undefined in editions that say nothing. */
  readonly uncovered: ((events: string) => string) | undefined
  /** The fact that the evidence is attached, and where it is checked; undefined in editions that print none. */
  readonly attached: ((host: string | undefined) => { readonly label: string; readonly value: string }) | undefined
  /** The label of the address at which it is checked, where that stands by itself. */
  readonly address?: string
}

const second: ReportWords = {
  labels: {
    first_at: "First use",
    last_at: "Last use",
    starts_at: "Starts",
    expires_at: "Expires",
    created_at: "Created",
    active_device_count: "Active devices",
    adjusted: "Corrected by",
    amount: "Amount used",
    overage: "Over the quota",
    times_activated: "Activations",
    times_transferred: "Transfers",
    total_consumptions: "Consumed in all"
  },
  entries: {
    "license.usage_recorded": "Use",
    "license.usage_reset": "Correction",
    "license.feature_removed": "Feature removed"
  },
  usageEvents: ["use", "uses"],
  frozenAt: "Frozen at",
  asOf: (time, zone, sequence) => `${time} (${zone}), after event ${sequence} of the feed`,
  times: "Times",
  timesIn: (zone, hasUtcDays) => `in ${zone}, to the second${hasUtcDays ? "; days are those of UTC" : ""}`,
  checkpoint: "Checkpoint of the feed",
  toDate: (begin, moment) => `${begin ?? "From the beginning"} to date (${moment})`,
  usage: "Use",
  totalUsage: "Total use",
  overTime: "Use over time",
  overTimeOfAll: "Use over time, in uses of all features",
  chart: "Bar chart of use over time",
  overage: (amount) => `${amount} over the quota`,
  unitOfEach: "Each amount is in the unit of its feature. Amounts of different features are not added up.",
  mixedUnits: "Amounts are of all features, in whatever units; they are not totalled.",
  unknownUnits: undefined,
  oneUnitARow: {
    "customer-summary": "A usage summary of this customer by feature has one unit a row.",
    others: "Group by feature for one unit a row."
  },
  signature: (kid, alg) => `To verify, run countersign verify export. Signature by ${kid} (${alg}):`,
  printsLists: false,
  shortened: "",
  namedIds: "",
  uncovered: undefined,
  attached: undefined
}

const first: ReportWords = {
  ...second,
  entries: { ...second.entries, "license.usage_reset": "Reset" },
  signature: (kid, alg) => `Signature by ${kid} (${alg}), verified by countersign verify export:`
}

/** The words that newer editions go on with. */
const third: ReportWords = {
  labels: {
    ...second.labels,
    first_at: "First used",
    last_at: "Last used",
    adjusted: "Correction",
    amount: "Amount",
    overage: "Overage",
    total_consumptions: "Total usage",
    uses: "Usage events"
  },
  entries: { ...second.entries, "license.usage_recorded": "Usage" },
  usageEvents: ["usage event", "usage events"],
  frozenAt: "Data as of",
  asOf: (time, zone, sequence) => `${time} (${zone}), event ${sequence}`,
  times: "Time zone",
  timesIn: (zone, hasUtcDays) => hasUtcDays ? `${zone}. Daily totals use UTC.` : zone,
  checkpoint: "Checkpoint",
  toDate: (begin, moment) => begin === undefined ? `All time, through ${moment}` : `${begin} to date (${moment})`,
  usage: "Usage",
  totalUsage: "Total usage",
  overTime: "Usage over time",
  overTimeOfAll: "Usage events over time, all features",
  chart: "Bar chart of usage over time",
  overage: (amount) => `overage ${amount}`,
  unitOfEach: "Each feature has its own unit, so totals are per feature.",
  mixedUnits: "Amounts mix the units of several features, so no total is shown.",
  unknownUnits: undefined,
  oneUnitARow: {
    "customer-summary": "For one unit per row, see a usage summary of this customer grouped by feature.",
    others: "Group by feature for one unit per row."
  },
  signature: (kid, alg) => `Signature (${alg}, key ${kid}). Verify with countersign verify export:`,
  printsLists: false,
  shortened: "",
  namedIds: "",
  uncovered: undefined,
  attached: undefined
}

const fourth: ReportWords = {
  ...third,
  printsLists: true,
  signature: (kid, alg) =>
    `Signature (${alg}, key ${kid}). Check this file at /verify of the service, or with npx @countersign/client verify:`,
  attached: (host) => ({
    label: "Evidence",
    value:
      "Attached to this file (statement.json): the events behind every figure. To check them, save this file and drop it on " +
      `${
        host === undefined ? "the page /verify of the service" : `${host}/verify`
      }, or run npx @countersign/client verify. Then compare the totals there with those ` +
      "printed here."
  })
}

const fifth: ReportWords = {
  ...fourth,
  uncovered: (events) => `, without the ${events} after it`,
  signature: (kid, alg) =>
    `Signature (${alg}, key ${kid}). Check this file with its manifest on the page /verify of the service:`,
  attached: (host) => ({
    label: "Evidence",
    value:
      "Attached to this file (statement.json): the events behind every figure. To check them, drop this file and its manifest on " +
      `${
        host === undefined ? "the page /verify of the service" : `https://${host}/verify`
      }. Without the manifest that page ` +
      "judges what is attached, and says its totals to compare with those printed here."
  })
}

const sixth: ReportWords = {
  ...fifth,
  shortened: "IDs that begin with … are shortened. The snapshot, JSON and CSV have them whole.",
  namedIds: "Names and their IDs"
}

const seventh: ReportWords = {
  ...sixth,
  // The address begins a line, so that it is whole unless it is longer than one.
  address: "Verify at",
  attached: (host) =>
    host === undefined ? fifth.attached!(host) : {
      label: "Evidence",
      value:
        "Attached to this file (statement.json): the events behind every figure. To check them, drop this file and its manifest on " +
        "the page below. Without the manifest that page judges what is attached, and says its totals to compare with those printed here."
    }
}

const byEdition: Readonly<Record<Edition, ReportWords>> = {
  1: first,
  2: second,
  3: third,
  4: fourth,
  5: fifth,
  6: sixth,
  7: seventh,
  8: {
    ...seventh,
    unknownUnits: "Amounts may be of several features, in different units, so no total is shown."
  }
}

/** The words of an edition. Older editions keep theirs, so that their files render as they were signed. */
export const reportWords = (edition: Edition): ReportWords => byEdition[edition]
