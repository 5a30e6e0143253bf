// Writes statements.json: frozen statements with their evidence, genuine and falsified by a service that proves what it pleases,
// each with its verdict. `npx node test/vectors/makeStatements.ts`
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { ServedEvent } from "../../src/domain/events/EventLeaf.ts"
import { genesisHash, servedHash, servedLeafHash, servedLeafText } from "../../src/domain/events/EventLeaf.ts"
import type { LicenseLink } from "../../src/domain/events/LicenseLink.ts"
import { licenseStart } from "../../src/domain/events/LicenseLink.ts"
import { multiProofRanges } from "../../src/domain/transparency/MultiProof.ts"
import { naiveRoot, sha256 } from "../fixtures/NaiveTree.ts"
import { noteOver, signingKey } from "../fixtures/SignedFeed.ts"

const license_id = "lic_1"
const key = signingKey(9)

/** An event of a license: a use of so many units, or another event, at a time; or an event of another license. */
type Step = readonly [day: string, what: number | "license.suspended" | "other", usedAt?: string]

const steps: ReadonlyArray<Step> = [
  ["2026-10-02", 5],
  ["2026-10-30", 1],
  ["2026-11-03", 2],
  ["2026-11-04", "other"],
  ["2026-11-10", "license.suspended"],
  ["2026-11-20", 3],
  ["2026-12-01", 4],
  ["2026-12-02", 6, "2026-11-28T00:00:00.000Z"],
  ["2026-12-09", 7],
  ["2026-12-12", "license.suspended"],
  ["2026-12-13", 8]
]

const feed: ReadonlyArray<ServedEvent> = (() => {
  const events: Array<ServedEvent> = []
  const ends = new Map<string, LicenseLink>()
  let total = 0
  for (const [day, what, used_at] of steps) {
    const sequence = events.length + 1
    const license = what === "other" ? "lic_2" : license_id
    if (typeof what === "number") total += what
    const data = typeof what === "number"
      ? {
        license_id: license,
        feature_id: "feat_1",
        amount: what,
        total_consumptions: total,
        ...(used_at === undefined ? {} : { used_at })
      }
      : { id: license }
    const previous_hash = events.at(-1)?.hash ?? genesisHash
    const event: ServedEvent = {
      id: `evt_${sequence}`,
      sequence,
      event_type: typeof what === "number" ? "license.usage_recorded" : "license.suspended",
      actor_type: "api_key",
      actor_id: "key_1",
      resource_type: "license",
      resource_id: license,
      license_id: license,
      previous_of_license: ends.get(license) ?? licenseStart,
      metadata: {},
      data,
      created_at: `${day}T12:00:00.000Z`,
      previous_hash,
      hash: ""
    }
    const hash = servedHash(event, previous_hash, sha256)
    events.push({ ...event, hash })
    ends.set(license, { hash, sequence })
  }
  return events
})()

const features = [{ id: "feat_1", product_id: "prod_1", code: "render" }]
const figures = {
  opening: 0,
  given: 0,
  carried: 0,
  corrected: 0,
  refunded: 0,
  used: 0,
  ended: 0,
  revoked: 0,
  closing: 0,
  uses: 3,
  amount: 11,
  within_quota: 11,
  from_pools: 0,
  adjusted: 0
}
const row = { license_id, key: "CS-TEST\u2026ABCD", product_id: "prod_1", feature_code: "render", ...figures }

const proofOf = (events: ReadonlyArray<ServedEvent>): string => {
  const leaves = feed.map((event) => servedLeafHash(event, sha256))
  const ranges = multiProofRanges({ indexes: events.map(({ sequence }) => sequence - 1), size: feed.length })
  return Buffer.concat(ranges.map(([from, to]) => naiveRoot(leaves.slice(from, to)))).toString("base64")
}

const linesOf = (events: ReadonlyArray<ServedEvent>): string =>
  gzipSync(events.map(servedLeafText).join("\n"), { level: 0 }).toString("base64")

/** The statement with these events, and a proof of them that holds. */
const statement = (sequences: ReadonlyArray<number>, more: object = {}, shown: object = row) => {
  const events = sequences.map((sequence) => feed[sequence - 1]!)
  return JSON.stringify({
    schema: "countersign/report-snapshot/v1",
    as_of_sequence: feed.length,
    evidence: {
      schema: "countersign/statement-evidence/v2",
      chain: "complete",
      note: noteOver(feed, key),
      features,
      events: linesOf(events),
      hashes: proofOf(events),
      ...more
    },
    filters: { from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z", license_id },
    report_kind: "statement",
    summary: { licenses: 1, features: [{ product_id: "prod_1", feature_code: "render", ...figures }] },
    table: { columns: [], rows: [shown] }
  })
}

const whole = [2, 3, 5, 6, 7, 8, 9, 10]
const without = (sequence: number) => whole.filter((one) => one !== sequence)
const changed = feed.map((event) => event.sequence === 6 ? { ...event, data: { ...event.data, amount: 2 } } : event)
const changedLines = { events: linesOf(whole.map((sequence) => changed[sequence - 1]!)) }
const unchained = { schema: "countersign/statement-evidence/v1", chain: undefined }

/** Each statement with its verdict; `ends` says how the chain of the license ends. */
export const cases = [
  { name: "closed at both ends", statement: statement(whole), expected: "verified", ends: "closed" },
  { name: "from the first event", statement: statement([1, ...whole]), expected: "verified", ends: "closed" },
  {
    name: "without an event after the last day of late usage",
    statement: statement([...without(10), 11]),
    expected: "verified",
    ends: "closed"
  },
  {
    name: "up to the first event after the last day of late usage",
    statement: statement(without(10)),
    expected: "verified",
    ends: "closed"
  },
  { name: "late usage may be missing", statement: statement(whole.slice(0, -2)), expected: "verified", ends: "late" },
  {
    name: "of a version before chains",
    statement: statement([2, 3, 6, 7, 8, 9], unchained),
    expected: "verified"
  },
  { name: "of one feature", statement: statement([2, 3, 6, 7, 8, 9], { chain: "filtered" }), expected: "verified" },
  { name: "the event before the period left out", statement: statement(without(2)), expected: "missing", sequence: 2 },
  { name: "an event that is no use left out", statement: statement(without(5)), expected: "missing", sequence: 5 },
  {
    name: "the first event after the period left out",
    statement: statement(without(7)),
    expected: "missing",
    sequence: 7
  },
  {
    name: "an event of another license",
    statement: statement([2, 3, 4, ...whole.slice(2)]),
    expected: "other_license",
    sequence: 4
  },
  {
    name: "an event twice",
    statement: statement(whole, { events: linesOf([feed[1]!, ...whole.map((n) => feed[n - 1]!)]) }),
    expected: "malformed"
  },
  { name: "an event changed", statement: statement(whole, changedLines), expected: "proof_mismatch" },
  {
    name: "a hash too few",
    statement: statement(whole, {
      hashes: Buffer.from(proofOf(whole.map((n) => feed[n - 1]!)), "base64").subarray(32).toString("base64")
    }),
    expected: "proof_mismatch"
  },
  {
    name: "a figure that the events do not come to",
    statement: statement(whole, {}, { ...row, amount: 12 }),
    expected: "figures_differ"
  },
  {
    name: "a chain that does not say what it is",
    statement: statement(whole, { chain: "whole" }),
    expected: "malformed"
  }
]

/** The text of the file. */
export const text = `${JSON.stringify({ keys: [key.published], cases })}\n`

if (import.meta.main) writeFileSync(join(import.meta.dirname, "statements.json"), text)
