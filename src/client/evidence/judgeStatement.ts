import * as Hex from "effect/encoding/Hex"
import { groupedBy } from "../../domain/parsing/Grouped.ts"
import { membersOf } from "../../domain/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/parsing/JsonMembers.ts"
import { verifyCheckpoint } from "../verify/verifyCheckpoint.ts"
import type { Finding } from "./FileReport.ts"
import { counted, open, proven, wrong } from "./FileReport.ts"
import { judgeWitnesses } from "./judge.ts"
import { judgeChains } from "./judgeChains.ts"
import type { FeatureFigures, Figures, Period } from "./statementFigures.ts"
import { figureNames, figuresOf, noFigures } from "./statementFigures.ts"
import { EvidenceMalformed, readStatementLeaves } from "./statementLeaves.ts"
import type { StatementLeaves } from "./statementLeaves.ts"
import type { Trust } from "./Trust.ts"

/** The figures of a license and a feature, as a row names them. */
interface Row {
  readonly name: string
  readonly figures: Figures
}

const nameOf = (license: unknown, product: unknown, code: unknown): string =>
  `${String(code)} of product ${String(product)}, license ${String(license)}`

const figuresIn = (row: JsonMembers): Figures => {
  const figures = noFigures()
  for (const name of figureNames) {
    const value = row[name]
    if (typeof value === "number") figures[name] = value
  }
  return figures
}

const added = (one: Figures, other: Figures): Figures => {
  const all = noFigures()
  for (const name of figureNames) all[name] = one[name] + other[name]
  return all
}

const isNothing = (figures: Figures): boolean => figureNames.every((name) => figures[name] === 0)

/** The figures of all rows that differ, as sentences. */
const differences = (
  shown: ReadonlyArray<Row>,
  computed: ReadonlyMap<string, Figures>
): ReadonlyArray<Finding> => {
  const names = new Set([...shown.map(({ name }) => name), ...computed.keys()])
  return [...names].flatMap((name) => {
    const rows = shown.filter((row) => row.name === name)
    const expected = computed.get(name) ?? noFigures()
    if (rows.length > 1) return [wrong(`The row of ${name} appears twice.`)]
    const found = rows[0]?.figures ?? noFigures()
    return figureNames.filter((figure) => found[figure] !== expected[figure]).map((figure) =>
      wrong(`The statement says ${figure} ${found[figure]} of ${name}, and its events come to ${expected[figure]}.`)
    )
  })
}

const listIn = (members: JsonMembers, name: string): ReadonlyArray<JsonMembers> => {
  const value = members[name]
  return Array.isArray(value) ? value.map(membersOf) : []
}

/** Whether the sums in the head of a statement are those of its rows. */
const judgeSums = (summary: JsonMembers, rows: ReadonlyArray<JsonMembers>): ReadonlyArray<Finding> => {
  const nameIn = ({ feature_code, product_id }: JsonMembers) =>
    `${String(feature_code)} of product ${String(product_id)}`
  const sums = new Map<string, Figures>()
  for (const row of rows) sums.set(nameIn(row), added(sums.get(nameIn(row)) ?? noFigures(), figuresIn(row)))
  return differences(listIn(summary, "features").map((row) => ({ name: nameIn(row), figures: figuresIn(row) })), sums)
}

/** The figures of each row, computed from the events; and events of features that the statement does not list. */
const compute = ({ features, leaves }: StatementLeaves, period: Period) => {
  const byFeature = groupedBy(leaves, ({ featureId, licenseId }) => `${licenseId} ${featureId}`)
  const computed = new Map<string, Figures>()
  const parts: Array<FeatureFigures> = []
  let unlisted = 0
  for (const [first, ...rest] of byFeature.values()) {
    const feature = features.find(({ id }) => id === first!.featureId)
    if (feature === undefined) unlisted += 1
    const part = figuresOf([first!, ...rest], period)
    parts.push(part)
    const name = nameOf(first!.licenseId, feature?.product_id, feature?.code)
    if (!isNothing(part.figures)) computed.set(name, added(computed.get(name) ?? noFigures(), part.figures))
  }
  return { computed, parts, unlisted }
}

/** Whether the figures follow from the events, and none of these is missing between the first and the last. */
const judgeFigures = (snapshot: JsonMembers, evidence: StatementLeaves): ReadonlyArray<Finding> => {
  const filters = membersOf(snapshot["filters"])
  const period = { from: Date.parse(String(filters["from"])), to: Date.parse(String(filters["to"])) }
  if (Number.isNaN(period.from) || Number.isNaN(period.to)) return [wrong("The statement names no period.")]
  const rows = listIn(membersOf(snapshot["table"]), "rows")
  const { computed, parts, unlisted } = compute(evidence, period)
  const shown = rows.map((row) => ({
    name: nameOf(row["license_id"], row["product_id"], row["feature_code"]),
    figures: figuresIn(row)
  }))
  const gaps = parts.flatMap((part) => part.gaps)
  const license = filters["license_id"]
  const isOthers = license !== undefined && evidence.chained.some(({ licenseId }) => licenseId !== license)
  const chains = judgeChains(evidence, period)
  const isMissing = chains.findings.some(({ outcome }) => outcome === "wrong")
  const found = [
    ...(unlisted === 0 ? [] : [wrong("The evidence has events of features that the statement does not list.")]),
    ...(isOthers ? [wrong("The evidence has events of another license.")] : []),
    ...(isMissing ? chains.findings : []),
    ...gaps.map((sequence) => wrong(`Usage is missing before event ${sequence}: the running total does not continue.`)),
    ...differences(shown, computed),
    ...judgeSums(membersOf(snapshot["summary"]), rows)
  ]
  if (found.length > 0) return found
  const resets = evidence.chain === "complete"
    ? chains.isWhole ? 0 : parts.filter(({ beginsByReset }) => beginsByReset).length
    : parts.reduce((all, part) => all + part.resets, 0)
  return [
    proven(`All figures of ${counted(rows.length, "row")} follow from these events.`),
    proven("No usage event is missing between the first and the last: each continues the running total."),
    ...chains.findings,
    ...(evidence.chain === "complete" || parts.every(({ isClosed }) => isClosed)
      ? []
      : [
        open("Whether there was more usage at the end of the period: no later usage event shows that there was none.")
      ]),
    ...(resets === 0
      ? []
      : [open(`Whether usage is missing right before ${counted(resets, "correction")} that set a total.`)]),
    ...(chains.isWhole
      ? []
      : [
        open(
          evidence.chain === "complete"
            ? "Whether grants from before the period are missing that no usage event took units from."
            : "Whether grants are missing that no usage event took units from."
        )
      ]),
    ...(license === undefined ? [open("Whether these are all licenses of the customer.")] : []),
    ...("groups" in membersOf(snapshot["summary"]) ? [open("Whether the groups by dimension add up.")] : [])
  ]
}

/** Whether the events are in the log that a checkpoint covers. */
const judgePlaces = async (
  snapshot: JsonMembers,
  evidence: StatementLeaves,
  trust: Trust
): Promise<ReadonlyArray<Finding>> => {
  const { leaves, note, rootIn } = evidence
  const verdict = await verifyCheckpoint({ note, ...trust })
  if (!verdict.ok) return [wrong(`${verdict.detail}.`)]
  const { kid, origin, rootHash, size, time } = verdict.checkpoint
  const asOf = snapshot["as_of_sequence"]
  if (typeof asOf !== "number" || asOf > size) {
    return [
      wrong(`The checkpoint covers ${counted(size, "event")}, and the statement is of ${String(asOf)}: it is too old.`)
    ]
  }
  const root = rootIn(size, trust.sha256)
  if (root === undefined || Hex.encode(root) !== rootHash) {
    return [wrong(`The events are not those of the log that ${kid} signed: one was changed, moved, omitted or added.`)]
  }
  const signed = time === undefined ? "" : ` at ${time}`
  return [
    proven(`The key ${kid} signed the log ${origin} with ${counted(size, "event")}${signed}.`),
    proven(`The statement follows from ${counted(leaves.length, "event")} of this log, each with its proof.`),
    ...await judgeWitnesses(note, size, trust)
  ]
}

/** Judges a statement by the evidence in it. */
export const judgeStatement = async (snapshot: JsonMembers, trust: Trust): Promise<ReadonlyArray<Finding>> => {
  try {
    const evidence = await readStatementLeaves(snapshot["evidence"])
    const places = await judgePlaces(snapshot, evidence, trust)
    return [...places, ...judgeFigures(snapshot, evidence)]
  } catch (error) {
    if (error instanceof EvidenceMalformed) return [wrong(`${error.message}.`)]
    throw error
  }
}
