import { chainStates, statedKinds, statementEvidenceSchemas } from "../../domain/evidence/exports/StatementEvidence.ts"
import type { ChainState, StatedKind } from "../../domain/evidence/exports/StatementEvidence.ts"
import { multiProofRoot } from "../../domain/evidence/transparency/MultiProof.ts"
import { parseInternetJson } from "../../domain/ground/parsing/InternetJson.ts"
import { isMembers, membersOf } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { decodeBase64 } from "../../domain/ground/parsing/StrictBytes.ts"
import type { Sha256 } from "../../domain/log/EventLeaf.ts"
import { leafHash } from "../../domain/log/EventLeaf.ts"
import { Unpackable, unpacked } from "../files/unpacked.ts"

/** Bytes that the events of a statement have at most: twenty thousand take thirty megabytes. */
const mostBytes = 128 * 1024 * 1024

/** A feature as the rows of a statement name it. */
export interface StatedFeature {
  readonly id: string
  readonly product_id: string
  readonly code: string
}

/** An event of a license, as far as its chain matters. */
export interface ChainedLeaf {
  readonly sequence: number
  /** The sequence of the previous event of its license: 0 before the first one; undefined in leaves that do not say it. */
  readonly previous: number | undefined
  readonly licenseId: string
  /** When it was recorded, in Unix milliseconds. */
  readonly createdAt: number
}

/** An event of the evidence that figures follow from, as its leaf says it. */
export interface StatedLeaf {
  readonly sequence: number
  readonly kind: StatedKind
  readonly licenseId: string
  readonly featureId: string
  /** The time at which it counts, in Unix milliseconds. */
  readonly at: number
  readonly createdAt: number
  readonly data: JsonMembers
  readonly metadata: JsonMembers
}

/** The evidence of a statement as it is read; nothing of it is verified. */
export interface StatementLeaves {
  readonly note: string
  readonly features: ReadonlyArray<StatedFeature>
  readonly leaves: ReadonlyArray<StatedLeaf>
  /** All of its events, with those that no figure follows from, in the order of the log. */
  readonly chained: ReadonlyArray<ChainedLeaf>
  /** Whether the chain of each license is here; undefined in evidence of earlier releases. */
  readonly chain: ChainState | undefined
  /** The environment that an event names; undefined for the live one. */
  readonly environment: unknown
  /** The root that the leaves lead to in a tree of so many events, in bytes; undefined where they fit none. */
  readonly rootIn: (size: number, sha256: Sha256) => Uint8Array | undefined
}

/** The evidence is none, or two readers may read it differently. */
export class EvidenceMalformed extends Error {
  override readonly name = "EvidenceMalformed"
}

const malformed = (why: string) => new EvidenceMalformed(`The evidence cannot be read: ${why}`)

const textIn = async (packed: Uint8Array): Promise<string> => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await unpacked(packed, "gzip", mostBytes))
  } catch (error) {
    throw malformed(`its events are ${error instanceof Unpackable ? error.message : "no text"}`)
  }
}

const isFeature = (value: unknown): value is StatedFeature =>
  isMembers(value) && ["id", "product_id", "code"].every((name) => typeof value[name] === "string")

const isKind = (value: unknown): value is StatedKind => statedKinds.some((kind) => kind === value)

const other = () => malformed("an event is of another kind or form")

const isPlace = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0

const previousOf = (link: unknown, sequence: number): number | undefined => {
  if (link === undefined) return undefined
  const { hash, sequence: previous } = membersOf(link)
  if (!isPlace(previous) || previous >= sequence || typeof hash !== "string") throw other()
  return previous
}

const statedOf = (leaf: JsonMembers, { createdAt, licenseId, sequence }: ChainedLeaf): StatedLeaf | undefined => {
  const { data, event_type: kind, metadata } = leaf
  if (!isKind(kind)) return undefined
  const { feature_id, used_at } = membersOf(data)
  const at = used_at === undefined ? createdAt : Date.parse(String(used_at))
  if (typeof feature_id !== "string" || Number.isNaN(at)) throw other()
  return {
    sequence,
    kind,
    licenseId,
    featureId: feature_id,
    at,
    createdAt,
    data: membersOf(data),
    metadata: membersOf(metadata)
  }
}

/** A line of the evidence as it is read. */
interface ReadLeaf extends ChainedLeaf {
  readonly text: string
  readonly environment: unknown
  readonly stated: StatedLeaf | undefined
}

const leafOf = (text: string): ReadLeaf => {
  let leaf: JsonMembers
  try {
    leaf = membersOf(parseInternetJson(text))
  } catch (error) {
    throw malformed(error instanceof Error ? error.message : String(error))
  }
  const { created_at, environment, license_id, previous_of_license, resource_id, resource_type, sequence } = leaf
  const createdAt = Date.parse(String(created_at))
  const licenseId = license_id ?? (resource_type === "license" ? resource_id : undefined)
  if (!isPlace(sequence) || typeof licenseId !== "string" || Number.isNaN(createdAt)) throw other()
  const chained = { sequence, previous: previousOf(previous_of_license, sequence), licenseId, createdAt }
  return { ...chained, text, environment, stated: statedOf(leaf, chained) }
}

const hashesIn = (joined: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(joined.length / 32) }, (_, index) => joined.subarray(index * 32, (index + 1) * 32))

const isOrdered = (leaves: ReadonlyArray<ReadLeaf>): boolean =>
  leaves.every(({ sequence }, index) => sequence > (leaves[index - 1]?.sequence ?? 0))

/** Reads the evidence of a statement. Rejects with an {@link EvidenceMalformed}. */
export const readStatementLeaves = async (evidence: unknown): Promise<StatementLeaves> => {
  const { chain: said, events, features, hashes, note, schema } = membersOf(evidence)
  const packed = decodeBase64(events)
  const path = decodeBase64(hashes)
  const isChained = schema === statementEvidenceSchemas.chained
  if (!isChained && schema !== statementEvidenceSchemas.unchained) {
    throw malformed(`its schema is not ${statementEvidenceSchemas.chained}`)
  }
  const chain = isChained ? chainStates.find((state) => state === said) : undefined
  if (
    packed === undefined || path === undefined || typeof note !== "string" || !Array.isArray(features) ||
    !features.every(isFeature) || (isChained && chain === undefined)
  ) throw malformed("a part is missing")
  const text = await textIn(packed)
  const read = text === "" ? [] : text.split("\n").map(leafOf)
  if (!isChained && read.some(({ stated }) => stated === undefined)) throw other()
  return {
    note,
    features,
    chain,
    chained: read,
    environment: read.find(({ environment }) => environment !== undefined)?.environment,
    leaves: read.flatMap(({ stated }) => stated ?? []),
    rootIn: (size, sha256) =>
      isOrdered(read)
        ? multiProofRoot({
          indexes: read.map(({ sequence }) => sequence - 1),
          size,
          leafHashes: read.map(({ text }) => leafHash(text, sha256)),
          hashes: hashesIn(path)
        }, sha256)
        : undefined
  }
}
