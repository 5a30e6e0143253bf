import { encodeHex } from "../../domain/ground/parsing/ByteTexts.ts"
import { groupedBy } from "../../domain/ground/parsing/Grouped.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { shapeFault, wordsIn } from "../statements/memberShapes.ts"
import type { BalanceRule, FeatureFigures, FigureName, Figures, Period } from "../statements/statementFigures.ts"
import { figureNames, figuresOf, noFigures } from "../statements/statementFigures.ts"
import { EvidenceMalformed, readStatementLeaves } from "../statements/statementLeaves.ts"
import type { StatedFeature, StatementLeaves } from "../statements/statementLeaves.ts"
import { isStatement, nameOf, statementShape } from "../statements/statementShape.ts"
import type { FigureKey, StatedFigures, Statement } from "../statements/statementShape.ts"
import { verifyCheckpoint } from "../verify/verifyCheckpoint.ts"
import type { Finding } from "./FileReport.ts"
import { counted, lacking, listed, open, proven, wrong } from "./FileReport.ts"
import { judgeWitnesses, ofTest } from "./judge.ts"
import { judgeBeside } from "./judgeBeside.ts"
import { judgeChains } from "./judgeChains.ts"
import type { Trust } from "./Trust.ts"

/** The order of rows and sums, by the code points of these in turn. */
const ordered = (key: FigureKey): string => [key.license_id ?? "", key.feature_code, key.product_id].join("\0")

const added = (one: Figures, other: Figures): Figures => {
  const all = noFigures()
  for (const name of figureNames) all[name] = one[name] + other[name]
  return all
}

const isNothing = (figures: Figures): boolean => figureNames.every((name) => figures[name] === 0)

/** Figures under what identifies them. */
type Computed = ReadonlyMap<string, { readonly key: FigureKey; readonly figures: Figures }>

/** The rows or sums that are not the computed ones, as sentences. Each is there once and in its order, and none without figures. */
const differences = (shown: ReadonlyArray<StatedFigures>, computed: Computed): ReadonlyArray<Finding> => {
  const found = new Map(shown.map((row) => [nameOf(row), row]))
  const isInOrder = shown.every((row, index) => index === 0 || ordered(shown[index - 1]!) < ordered(row))
  return [
    ...(isInOrder ? [] : [wrong("The rows of the statement are not in their order, or one appears twice.")]),
    ...shown.flatMap((row) =>
      computed.has(nameOf(row)) ? [] : [wrong(`No figure of ${nameOf(row)} follows from the events.`)]
    ),
    ...[...computed].flatMap(([name, { figures }]) => {
      const row = found.get(name)
      return figureNames.filter((figure) => (row?.[figure] ?? 0) !== figures[figure]).map((figure) =>
        wrong(
          `The statement says ${figure} ${row?.[figure] ?? 0} of ${name}, and its events come to ${figures[figure]}.`
        )
      )
    })
  ]
}

/** The sums of rows without their licenses. */
const sumsOf = (computed: Computed): Computed => {
  const sums = new Map<string, { readonly key: FigureKey; readonly figures: Figures }>()
  for (const { figures, key: { feature_code, product_id } } of computed.values()) {
    const key = { product_id, feature_code }
    sums.set(nameOf(key), { key, figures: added(sums.get(nameOf(key))?.figures ?? noFigures(), figures) })
  }
  return sums
}

/** The figures of each row, computed from the events; and events of features that the statement does not list. */
const compute = ({ features, leaves }: StatementLeaves, period: Period, rule: BalanceRule) => {
  const byFeature = groupedBy(leaves, ({ featureId, licenseId }) => `${licenseId} ${featureId}`)
  const computed = new Map<string, { readonly key: FigureKey; readonly figures: Figures }>()
  const parts: Array<FeatureFigures> = []
  let unlisted = 0
  for (const [first, ...rest] of byFeature.values()) {
    const feature = features.find(({ id }) => id === first!.featureId)
    const part = figuresOf([first!, ...rest], period, rule)
    parts.push(part)
    if (feature === undefined) {
      unlisted += 1
      continue
    }
    const key = { license_id: first!.licenseId, product_id: feature.product_id, feature_code: feature.code }
    if (isNothing(part.figures)) continue
    computed.set(nameOf(key), {
      key,
      figures: added(computed.get(nameOf(key))?.figures ?? noFigures(), part.figures)
    })
  }
  return { computed, parts, unlisted }
}

/** Whether features are called what the last event of each calls it. One that was renamed since has an event elsewhere in the log. */
const judgeNames = ({ features, leaves }: StatementLeaves): ReadonlyArray<Finding> => {
  const inOrder = features.every(({ id }, index) => index === 0 || features[index - 1]!.id < id)
  const said = new Map(leaves.map(({ data, featureId }) => [featureId, data["feature_code"]]))
  const unused = features.filter(({ id }) => !said.has(id))
  const codes = new Set(features.map(({ code, product_id }) => `${product_id} ${code}`))
  const other = ({ code, id }: StatedFeature) => said.get(id) !== code
  return [
    ...(inOrder && codes.size === features.length
      ? []
      : [wrong("A feature of the evidence appears twice, or out of order.")]),
    ...unused.map(({ id }) => wrong(`The evidence names the feature ${id}, which no event is about.`)),
    ...features.filter(other).filter(({ id }) => said.has(id)).map(({ code, id }) =>
      lacking(`Whether the feature ${id} is called ${code}: its last event here calls it ${String(said.get(id))}.`)
    )
  ]
}

/** Members of rows and sums that grants change which no event here shows. */
const ofHiddenGrants = [
  "opening",
  "given",
  "carried",
  "corrected",
  "ended",
  "revoked",
  "closing"
] as const satisfies ReadonlyArray<FigureName>

const inRows = (figures: ReadonlyArray<FigureName>): ReadonlyArray<string> =>
  figures.flatMap((name) => [`summary.features[].${name}`, `table.rows[].${name}`])

/** How many corrections set a total before which usage may be missing. */
const unknownResets = (
  { chain }: StatementLeaves,
  isWhole: boolean,
  parts: ReadonlyArray<FeatureFigures>
): number =>
  chain === "complete"
    ? isWhole ? 0 : parts.filter(({ beginsByReset }) => beginsByReset).length
    : parts.reduce((all, part) => all + part.resets, 0)

const ofResets = (resets: number): ReadonlyArray<Finding> =>
  resets === 0 ? [] : [open(`Whether usage is missing right before ${counted(resets, "correction")} that set a total.`)]

/** Whether figures follow from the events, with balances that are stated in one way. */
const judgeFiguresBy = (
  statement: Statement,
  evidence: StatementLeaves,
  rule: BalanceRule
): ReadonlyArray<Finding> => {
  const { filters, summary, table: { rows } } = statement
  const period = { from: Date.parse(filters.from), to: Date.parse(filters.to) }
  if (period.from >= period.to) return [wrong("The statement names no period.")]
  const { computed, parts, unlisted } = compute(evidence, period, rule)
  const gaps = parts.flatMap((part) => part.gaps)
  const license = filters.license_id
  const isOthers = license !== undefined && evidence.chained.some(({ licenseId }) => licenseId !== license)
  const chains = judgeChains(evidence, period)
  const names = judgeNames(evidence)
  const last = evidence.chained.at(-1)?.sequence ?? 0
  const found = [
    ...(unlisted === 0 ? [] : [wrong("The evidence has events of features that the statement does not list.")]),
    ...(isOthers ? [wrong("The evidence has events of another license.")] : []),
    ...(last > statement.as_of_sequence ? [wrong(`Event ${last} is later than the statement.`)] : []),
    ...names,
    ...chains.findings,
    ...gaps.map((sequence) => wrong(`Usage is missing before event ${sequence}: the running total does not continue.`)),
    ...differences(rows, computed),
    ...differences(summary.features, sumsOf(computed)),
    ...judgeBeside(statement, evidence)
  ].filter(({ outcome }) => outcome === "wrong")
  if (found.length > 0) return found
  const resets = unknownResets(evidence, chains.isWhole, parts)
  const words = [
    ...new Set([
      ...wordsIn(statement, statementShape),
      ...(chains.isWhole ? [] : inRows(ofHiddenGrants)),
      ...(resets === 0 ? [] : inRows(["adjusted"]))
    ])
  ]
  return [
    proven(`All figures of ${counted(rows.length, "row")} follow from these events.`),
    proven("No usage event is missing between the first and the last: each continues the running total."),
    ...names,
    ...chains.findings,
    ...(evidence.chain === "complete" || parts.every(({ isClosed }) => isClosed)
      ? []
      : [
        open("Whether there was more usage at the end of the period: no later usage event shows that there was none.")
      ]),
    ...ofResets(resets),
    ...(chains.isWhole
      ? []
      : [
        open(
          evidence.chain === "complete"
            ? "Whether grants from before the period are missing that no usage event took units from."
            : "Whether grants are missing that no usage event took units from."
        )
      ]),
    ...(license === undefined ? [lacking("Whether these are all licenses of the customer.")] : []),
    ...("groups" in summary ? [open("Whether the groups by dimension add up.")] : []),
    open(`The vendor's word, which follows from no event: ${listed(words)}.`)
  ]
}

/**
 * Whether the figures follow from the events, and none of these is missing between the first and the last. Earlier releases stated a
 * balance below zero where late usage took units that were not there yet.
 */
const judgeFigures = (statement: Statement, evidence: StatementLeaves): ReadonlyArray<Finding> => {
  const found = judgeFiguresBy(statement, evidence, "told")
  if (found.every(({ outcome }) => outcome !== "wrong")) return found
  const earlier = judgeFiguresBy(statement, evidence, "below_zero")
  return earlier.some(({ outcome }) => outcome === "wrong") ? found : earlier
}

/** Whether the events are in the log that a checkpoint covers. */
const judgePlaces = async (
  { as_of_sequence: asOf, checkpoint }: Statement,
  evidence: StatementLeaves,
  trust: Trust
): Promise<ReadonlyArray<Finding>> => {
  const { chained, note, rootIn } = evidence
  const verdict = await verifyCheckpoint({ note, ...trust })
  if (!verdict.ok) return [wrong(`${verdict.detail}.`)]
  const { kid, origin, rootHash, size, time } = verdict.checkpoint
  if (asOf > size) {
    return [wrong(`The checkpoint covers ${counted(size, "event")}, and the statement is of ${asOf}: it is too old.`)]
  }
  if (checkpoint?.tree_size === size && checkpoint.root_hash !== rootHash) {
    return [wrong("The checkpoint that the statement names is another than that of its evidence.")]
  }
  const root = rootIn(size, trust.sha256)
  if (root === undefined || encodeHex(root) !== rootHash) {
    return [wrong(`The events are not those of the log that ${kid} signed: one was changed, moved, omitted or added.`)]
  }
  const signed = time === undefined ? "" : ` at ${time}`
  return [
    proven(`The key ${kid} signed the log ${origin} with ${counted(size, "event")}${signed}.`),
    proven(`The statement has ${counted(chained.length, "event")} of this log, each with its proof.`),
    ...ofTest(evidence.environment),
    ...await judgeWitnesses(note, size, trust)
  ]
}

/** Judges a statement by the evidence in it. */
export const judgeStatement = async (snapshot: JsonMembers, trust: Trust): Promise<ReadonlyArray<Finding>> => {
  if (!isStatement(snapshot)) {
    return [wrong(`The statement is not as its schema says: ${shapeFault(snapshot, statementShape)}.`)]
  }
  try {
    const evidence = await readStatementLeaves(snapshot.evidence)
    if (evidence.chained.length === 0) return [lacking("There is no event of any license: nothing is proven.")]
    const places = await judgePlaces(snapshot, evidence, trust)
    return [...places, ...judgeFigures(snapshot, evidence)]
  } catch (error) {
    if (error instanceof EvidenceMalformed) return [wrong(`${error.message}.`)]
    throw error
  }
}
