// Writes statements.json: frozen statements with their evidence, genuine and falsified by a service that proves what it pleases,
// each with its verdict. `npx node test/vectors/makeStatements.ts`
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { statementShape } from "../../src/client/statements/statementShape.ts"
import { statementColumns } from "../../src/domain/evidence/reports/StatementColumns.ts"
import { multiProofRanges } from "../../src/domain/evidence/transparency/MultiProof.ts"
import type { ServedEvent } from "../../src/domain/log/EventLeaf.ts"
import { genesisHash, servedHash, servedLeafHash, servedLeafText } from "../../src/domain/log/EventLeaf.ts"
import type { LicenseLink } from "../../src/domain/log/LicenseLink.ts"
import { licenseStart } from "../../src/domain/log/LicenseLink.ts"
import type { Change, Forgery } from "../fixtures/Forger.ts"
import { forgeriesOf } from "../fixtures/Forger.ts"
import { naiveRoot, sha256 } from "../fixtures/NaiveTree.ts"
import { noteOver, signingKey } from "../fixtures/SignedFeed.ts"

const license_id = "lic_1"
const key = signingKey(9)

/** A log of these events, each with its links. */
const feedOf = (
  steps: ReadonlyArray<Pick<ServedEvent, "created_at" | "data" | "event_type"> & { readonly resource_id: string }>
): ReadonlyArray<ServedEvent> => {
  const events: Array<ServedEvent> = []
  const ends = new Map<string, LicenseLink>()
  for (const step of steps) {
    const sequence = events.length + 1
    const previous_hash = events.at(-1)?.hash ?? genesisHash
    const event: ServedEvent = {
      id: `evt_${sequence}`,
      sequence,
      actor_type: "api_key",
      actor_id: "key_1",
      resource_type: "license",
      license_id: step.resource_id,
      previous_of_license: ends.get(step.resource_id) ?? licenseStart,
      metadata: {},
      previous_hash,
      hash: "",
      ...step
    }
    const hash = servedHash(event, previous_hash, sha256)
    events.push({ ...event, hash })
    ends.set(step.resource_id, { hash, sequence })
  }
  return events
}

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

const feed = (() => {
  let total = 0
  return feedOf(steps.map(([day, what, used_at]) => {
    const resource_id = what === "other" ? "lic_2" : license_id
    if (typeof what === "number") total += what
    const data = typeof what === "number"
      ? {
        license_id: resource_id,
        feature_id: "feat_1",
        feature_code: "render",
        amount: what,
        total_consumptions: total,
        ...(used_at === undefined ? {} : { used_at })
      }
      : { id: resource_id }
    return {
      event_type: typeof what === "number" ? "license.usage_recorded" : "license.suspended",
      resource_id,
      data,
      created_at: `${day}T12:00:00.000Z`
    }
  }))
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

const proofOf = (events: ReadonlyArray<ServedEvent>, feed: ReadonlyArray<ServedEvent>): string => {
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
      hashes: proofOf(events, feed),
      ...more
    },
    filters: { from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z", license_id },
    frozen_at: "2026-12-14T00:00:00.000Z",
    report_kind: "statement",
    report_schema: "countersign/report/statement/v1",
    row_count: 1,
    summary: {
      license: {
        id: license_id,
        product_id: "prod_1",
        policy_id: "pol_1",
        license_key_prefix: "CS-TEST",
        license_key_last4: "ABCD"
      },
      licenses: 1,
      features: [{ product_id: "prod_1", feature_code: "render", ...figures }]
    },
    table: { columns: statementColumns([]), rows: [shown] }
  })
}

const whole = [2, 3, 5, 6, 7, 8, 9, 10]
const without = (sequence: number) => whole.filter((one) => one !== sequence)
const changed = feed.map((event) => event.sequence === 6 ? { ...event, data: { ...event.data, amount: 2 } } : event)
const changedLines = { events: linesOf(whole.map((sequence) => changed[sequence - 1]!)) }
const unchained = { schema: "countersign/statement-evidence/v1", chain: undefined }

/**
 * Each statement with its verdict. `ends` says how the chain of the license ends. What is not closed is not complete, and so not proven; nor
 * is what `lacks` something.
 */
const changedCases = [
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
      hashes: Buffer.from(proofOf(whole.map((n) => feed[n - 1]!), feed), "base64").subarray(32).toString("base64")
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

const standard = { feature_id: "feat_1", feature_code: "standard" }
const premium = { feature_id: "feat_2", feature_code: "premium" }
const grant = { id: "grant_1", amount: 10, source: "purchase" }
const on = (day: string) => ({ created_at: `${day}T12:00:00.000Z`, resource_id: license_id })
const use = { event_type: "license.usage_recorded" }

/** A license with two features, from its first event to the one that closes the period. */
const wholeFeed = feedOf([
  { ...use, ...on("2026-11-02"), data: { ...standard, amount: 600, total_consumptions: 600 } },
  { ...use, ...on("2026-11-03"), data: { ...premium, amount: 3, total_consumptions: 3, over_quota: 1 } },
  { event_type: "license.grant_given", ...on("2026-11-04"), data: { ...standard, ...grant } },
  {
    ...use,
    ...on("2026-11-05"),
    data: { ...standard, amount: 4, total_consumptions: 604, grants: [{ grant_id: grant.id, amount: 4 }] }
  },
  { ...use, ...on("2026-11-06"), data: { ...premium, amount: 2, total_consumptions: 5 } },
  { event_type: "license.usage_reset", ...on("2026-11-07"), data: { ...premium, total_consumptions: 0 } },
  { event_type: "license.suspended", ...on("2026-12-09"), data: { id: license_id } }
])

const nothing = { ...figures, uses: 0, amount: 0, within_quota: 0 }
const product_id = "prod_1"
const ofStandard = { product_id, feature_code: "standard" }
const ofPremium = { product_id, feature_code: "premium", decimals: 2 }
const premiumFigures = { ...nothing, uses: 2, amount: 5, within_quota: 4, overage: 1, adjusted: -5 }
const standardFigures = { ...nothing, given: 10, used: 4, closing: 6, uses: 2, amount: 604, within_quota: 600 }
const ofLicense = { license_id, key: "CS-TEST\u2026ABCD" }

/** A genuine statement that has every member which a statement may have. */
const genuine = {
  schema: "countersign/report-snapshot/v1",
  as_of_sequence: wholeFeed.length,
  checkpoint: { tree_size: 2, root_hash: "ab".repeat(32) },
  evidence: {
    schema: "countersign/statement-evidence/v2",
    chain: "complete",
    note: noteOver(wholeFeed, key),
    features: [{ id: "feat_1", product_id, code: "standard" }, { id: "feat_2", product_id, code: "premium" }],
    events: linesOf(wholeFeed),
    hashes: ""
  },
  filters: {
    license_id,
    from: "2026-11-01T00:00:00.000Z",
    group_by: "dimension.model",
    product_ids: [product_id],
    to: "2026-12-01T00:00:00.000Z"
  },
  frozen_at: "2026-12-14T00:00:00.000Z",
  presentation: {
    logo: "iVBORw0KGgo=",
    names: { prod_1: "Studio" },
    time_zone: { name: "Europe/Berlin", offsets: [{ minutes: 60, since: "2026-10-25T01:00:00.000Z" }] },
    vendor: "Acme"
  },
  report_kind: "statement",
  report_schema: "countersign/report/statement/v1",
  row_count: 2,
  summary: {
    license: {
      id: license_id,
      product_id,
      policy_id: "pol_1",
      customer_id: "cus_1",
      license_key_prefix: "CS-TEST",
      license_key_last4: "ABCD"
    },
    licenses: 1,
    features: [{ ...ofPremium, ...premiumFigures }, { ...ofStandard, ...standardFigures }],
    groups: [{ ...ofStandard, group: "large", uses: 2, amount: 604 }],
    total_groups: 1
  },
  table: {
    columns: statementColumns([ofPremium, premiumFigures]),
    rows: [{ ...ofLicense, ...ofPremium, ...premiumFigures }, { ...ofLicense, ...ofStandard, ...standardFigures }]
  }
}

/** The same of a customer, whose other licenses nothing here shows. */
const { license: _license, ...sums } = genuine.summary
const { license_id: _id, ...window } = genuine.filters
const ofCustomer = {
  ...genuine,
  filters: { ...window, customer_id: "cus_1" },
  summary: {
    ...sums,
    customer: {
      id: "cus_1",
      name: "Lumen",
      code: "lumen",
      email: "finance@lumen.example",
      created_at: "2026-01-01T00:00:00.000Z"
    }
  }
}

/**
 * A pack that is given after the period, and begins in it: usage of the period that is reported late takes of it. Earlier releases stated what
 * it lacks when the period ends as a balance below zero.
 */
const lateFeed = feedOf([
  { ...use, ...on("2026-11-02"), data: { ...standard, amount: 5, total_consumptions: 5 } },
  { event_type: "license.grant_given", ...on("2026-12-02"), data: { ...standard, ...grant } },
  {
    ...use,
    ...on("2026-12-03"),
    data: {
      ...standard,
      amount: 4,
      total_consumptions: 9,
      used_at: "2026-11-30T12:00:00.000Z",
      grants: [{ grant_id: grant.id, amount: 4 }]
    }
  },
  { event_type: "license.suspended", ...on("2026-12-09"), data: { id: license_id } }
])
const lateFigures = { ...nothing, used: 4, uses: 2, amount: 9, within_quota: 5 }
const ofLate = (figures: object) =>
  JSON.stringify({
    ...genuine,
    as_of_sequence: lateFeed.length,
    checkpoint: undefined,
    evidence: {
      ...genuine.evidence,
      note: noteOver(lateFeed, key),
      features: [{ id: "feat_1", product_id, code: "standard" }],
      events: linesOf(lateFeed)
    },
    row_count: 1,
    summary: { ...genuine.summary, features: [{ ...ofStandard, ...figures }] },
    table: { columns: statementColumns([figures]), rows: [{ ...ofLicense, ...ofStandard, ...figures }] }
  })
const lateCases = [
  {
    name: "units that were there only after the period",
    statement: ofLate({ ...lateFigures, told_after: 4 }),
    expected: "verified",
    ends: "closed"
  },
  {
    name: "the same as earlier releases stated it",
    statement: ofLate({ ...lateFigures, closing: -4 }),
    expected: "verified",
    ends: "closed"
  },
  {
    name: "the same in both ways at once",
    statement: ofLate({ ...lateFigures, closing: -4, told_after: 4 }),
    expected: "figures_differ"
  },
  { name: "the same in neither way", statement: ofLate(lateFigures), expected: "figures_differ" }
]

const root = Buffer.from(naiveRoot(wholeFeed.map((event) => servedLeafHash(event, sha256))))
const set = (name: string, ...changes: ReadonlyArray<Change>): Forgery => ({ name, changes })
const rows = genuine.table.rows
const [first, second] = genuine.evidence.features

/** What was forged once with the public keys and a public checkpoint alone. */
const tried: ReadonlyArray<Forgery> = [
  set("a row of a license that no event knows, its figures as texts", {
    path: ["table", "rows"],
    value: [...rows, { ...rows[0], license_id: "lic_z", amount: "7777" }]
  }),
  set("a row without figures", {
    path: ["table", "rows"],
    value: [...rows, { ...nothing, ...ofStandard, license_id: "lic_z", key: "CS-ZZZZ\u2026ZZZZ" }]
  }, { path: ["row_count"], value: 3 }),
  set(
    "no event, and the root of the log for their proof",
    { path: ["evidence", "events"], value: linesOf([]) },
    { path: ["evidence", "hashes"], value: root.toString("base64") },
    { path: ["evidence", "features"], value: [] },
    { path: ["table", "rows"], value: [] },
    { path: ["summary", "features"], value: [] },
    { path: ["row_count"], value: 0 },
    { path: ["table", "columns"], value: statementColumns([]) }
  ),
  set("evidence in another report", { path: ["report_kind"], value: "purchases" }),
  set(
    "the codes of two features exchanged",
    { path: ["evidence", "features"], value: [{ ...first, code: second!.code }, { ...second, code: first!.code }] },
    {
      path: ["table", "rows"],
      value: [{ ...rows[1], feature_code: "premium" }, { ...rows[0], feature_code: "standard" }]
    },
    {
      path: ["summary", "features"],
      value: [
        { ...genuine.summary.features[1], feature_code: "premium" },
        { ...genuine.summary.features[0], feature_code: "standard" }
      ]
    }
  ),
  set("a period without a zone", { path: ["filters", "from"], value: "2026-11-01T00:00:00.000" }),
  set("a chain that is said to be filtered", { path: ["evidence", "chain"], value: "filtered" })
]

/** The genuine statement, and what a forger makes of it. None is proven, unless all that is changed is the vendor's word. */
export const forged = { genuine, forgeries: [...tried, ...forgeriesOf(genuine, statementShape)] }

/** All statements with their verdicts. */
export const cases = [
  ...changedCases,
  ...lateCases,
  { name: "with every member", statement: JSON.stringify(genuine), expected: "verified", ends: "closed" },
  {
    name: "of a customer",
    statement: JSON.stringify(ofCustomer),
    expected: "verified",
    ends: "closed",
    lacks: "the licenses of the customer"
  }
]

/** The text of the file. */
export const text = `${JSON.stringify({ keys: [key.published], cases, forged })}\n`

if (import.meta.main) writeFileSync(join(import.meta.dirname, "statements.json"), text)
