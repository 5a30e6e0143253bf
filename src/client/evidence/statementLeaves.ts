import type { Sha256 } from "../../domain/events/EventLeaf.ts"
import { leafHash } from "../../domain/events/EventLeaf.ts"
import { statedKinds, statementEvidenceSchema } from "../../domain/exports/StatementEvidence.ts"
import type { StatedKind } from "../../domain/exports/StatementEvidence.ts"
import { parseInternetJson } from "../../domain/parsing/InternetJson.ts"
import { isMembers, membersOf } from "../../domain/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/parsing/JsonMembers.ts"
import { decodeBase64 } from "../../domain/parsing/StrictBytes.ts"
import { multiProofRoot } from "../../domain/transparency/MultiProof.ts"

/** Bytes that the events of a statement have at most: twenty thousand take thirty megabytes. */
const mostBytes = 128 * 1024 * 1024

/** A feature as the rows of a statement name it. */
interface StatedFeature {
  readonly id: string
  readonly product_id: string
  readonly code: string
}

/** An event of the evidence, as its leaf says it. */
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
  /** The root that the leaves lead to in a tree of so many events, in bytes; undefined where they fit none. */
  readonly rootIn: (size: number, sha256: Sha256) => Uint8Array | undefined
}

/** The evidence is none, or two readers may read it differently. */
export class EvidenceMalformed extends Error {
  override readonly name = "EvidenceMalformed"
}

const malformed = (why: string) => new EvidenceMalformed(`The evidence cannot be read: ${why}`)

const unpacked = async (packed: Uint8Array): Promise<string> => {
  const stream = new Blob([Uint8Array.from(packed)]).stream().pipeThrough(new DecompressionStream("gzip"))
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  const reader = stream.getReader()
  let text = ""
  let length = 0
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.length
      if (length > mostBytes) throw malformed("its events are too large")
      text += decoder.decode(next.value, { stream: true })
    }
    return text + decoder.decode()
  } catch (error) {
    throw error instanceof EvidenceMalformed ? error : malformed("its events are not compressed by gzip")
  }
}

const isFeature = (value: unknown): value is StatedFeature =>
  isMembers(value) && ["id", "product_id", "code"].every((name) => typeof value[name] === "string")

const isKind = (value: unknown): value is StatedKind => statedKinds.some((kind) => kind === value)

const leafOf = (text: string): StatedLeaf => {
  let leaf: unknown
  try {
    leaf = parseInternetJson(text)
  } catch (error) {
    throw malformed(error instanceof Error ? error.message : String(error))
  }
  const { created_at, data, event_type, metadata, resource_id, sequence } = membersOf(leaf)
  const { feature_id, used_at } = membersOf(data)
  const createdAt = Date.parse(String(created_at))
  const at = used_at === undefined ? createdAt : Date.parse(String(used_at))
  if (
    typeof sequence !== "number" || !isKind(event_type) || typeof resource_id !== "string" ||
    typeof feature_id !== "string" || Number.isNaN(createdAt) || Number.isNaN(at)
  ) throw malformed("an event is of another kind or form")
  return {
    sequence,
    kind: event_type,
    licenseId: resource_id,
    featureId: feature_id,
    at,
    createdAt,
    data: membersOf(data),
    metadata: membersOf(metadata)
  }
}

const hashesIn = (joined: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(joined.length / 32) }, (_, index) => joined.subarray(index * 32, (index + 1) * 32))

/** Reads the evidence of a statement. Rejects with an {@link EvidenceMalformed}. */
export const readStatementLeaves = async (evidence: unknown): Promise<StatementLeaves> => {
  const { events, features, hashes, note, schema } = membersOf(evidence)
  const packed = decodeBase64(events)
  const path = decodeBase64(hashes)
  if (schema !== statementEvidenceSchema) throw malformed(`its schema is not ${statementEvidenceSchema}`)
  if (
    packed === undefined || path === undefined || typeof note !== "string" || !Array.isArray(features) ||
    !features.every(isFeature)
  ) throw malformed("a part is missing")
  const text = await unpacked(packed)
  const texts = text === "" ? [] : text.split("\n")
  const leaves = texts.map(leafOf)
  return {
    note,
    features,
    leaves,
    rootIn: (size, sha256) =>
      multiProofRoot({
        indexes: leaves.map(({ sequence }) => sequence - 1),
        size,
        leafHashes: texts.map((leaf) => leafHash(leaf, sha256)),
        hashes: hashesIn(path)
      }, sha256)
  }
}
