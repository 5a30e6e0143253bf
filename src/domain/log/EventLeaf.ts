import { unescapeToken } from "effect/JsonPointer"
import type { EnvironmentName, NamedEnvironment } from "../ground/environments/EnvironmentName.ts"
import { encodeBase64, encodeHex } from "../ground/parsing/ByteTexts.ts"
import { decodeBase64, decodeHex } from "../ground/parsing/StrictBytes.ts"
import type { Json, JsonObject } from "../ground/wire/CanonicalJson.ts"
import { canonicalJson, canonicalString } from "../ground/wire/CanonicalJson.ts"
import type { LicenseColumns, LicenseLink } from "./LicenseLink.ts"
import { licenseTexts } from "./LicenseLink.ts"

/** SHA-256 over the parts one after another, 32 bytes. A part that is a string stands for its UTF-8 bytes. */
export type Sha256 = (...parts: ReadonlyArray<Uint8Array | string>) => Uint8Array

/** JSON Pointer (RFC 6901) to the base64 of SHA-256(salt || canonical JSON of the value). */
export type Commitments = Readonly<Record<string, string>>

/** Bytes of the salt of a personal value. */
const saltSize = 16

/** JSON Pointer to a personal value and the base64 of its 16-byte salt: what an erasure deletes. */
export type Personal = Readonly<Record<string, { readonly salt: string; readonly value: Json }>>

/**
 * The leaf of an event as it is stored: the final format, from the first event on. `data` and `metadata` are canonical
 * JSON text without the personal values; `created_at` is RFC 3339 in UTC with milliseconds and `Z`.
 */
export interface EventColumns extends LicenseColumns {
  readonly id: string
  /** The environment of the log. */
  readonly environment: EnvironmentName
  readonly sequence: number | bigint
  readonly event_type: string
  readonly actor_type: string
  readonly actor_id: string
  readonly resource_type: string
  readonly resource_id?: string | null | undefined
  readonly metadata: string
  readonly data: string
  readonly request_id?: string | null | undefined
  readonly created_at: string
  readonly commitments?: Commitments | null | undefined
}

/** The members of the leaf as an object. */
export interface Leaf {
  readonly id: string
  readonly environment?: NamedEnvironment
  readonly sequence: number
  readonly event_type: string
  readonly actor_type: string
  readonly actor_id: string
  readonly resource_type: string
  readonly resource_id?: string
  readonly license_id?: string
  /** The previous event of the license; absent where the event is about none, or an older leaf. */
  readonly previous_of_license?: LicenseLink
  readonly metadata: JsonObject
  readonly data: JsonObject
  readonly request_id?: string
  readonly created_at: string
  readonly commitments?: Commitments
}

/** An event as the feed serves it: the leaf, the personal values that are left with their salts, and the chain. */
export interface ServedEvent extends Leaf {
  readonly ip_address?: string
  readonly salts?: Readonly<Record<string, string>>
  /** 64 hex digits. */
  readonly previous_hash: string
  /** 64 hex digits. */
  readonly hash: string
}

/** `previous_hash` of the first event: 32 zero bytes. */
export const genesisHash = "0".repeat(64)

const present = (record: Readonly<Record<string, unknown>> | null | undefined): boolean =>
  record !== null && record !== undefined && Object.keys(record).length > 0

const optional = (name: string, value: string | null | undefined): string =>
  value === null || value === undefined ? "" : `,"${name}":${canonicalString(value)}`

/** The environment, unless it is the live one, behind `data` in the canonical order. */
const ofEnvironment = ({ environment }: Pick<EventColumns, "environment">): string =>
  environment === "live" ? "" : `,"environment":${canonicalString(environment)}`

/**
 * The leaf as canonical JSON text (RFC 8785), built from texts that already are canonical. Its UTF-8 bytes are what the
 * chain and the tree hash. Absent members and empty commitments are left out.
 */
export const leafText = (columns: EventColumns): string => {
  const { license, previous } = licenseTexts(columns)
  return `{"actor_id":${canonicalString(columns.actor_id)},"actor_type":${canonicalString(columns.actor_type)}${
    present(columns.commitments) ? `,"commitments":${canonicalJson(columns.commitments)}` : ""
  },"created_at":${canonicalString(columns.created_at)},"data":${columns.data}${ofEnvironment(columns)},"event_type":${
    canonicalString(columns.event_type)
  },"id":${canonicalString(columns.id)}${license},"metadata":${columns.metadata}${previous}${
    optional("request_id", columns.request_id)
  }${optional("resource_id", columns.resource_id)},"resource_type":${
    canonicalString(columns.resource_type)
  },"sequence":${columns.sequence}}`
}

/** The leaf of the columns as an object; {@link leafText} is its canonical JSON. */
export const leafOf = (columns: EventColumns): Leaf => JSON.parse(leafText(columns))

/** The hash of a leaf in the tree: SHA-256(0x00 || bytes) (RFC 6962 section 2.1), 32 bytes. */
export const leafHash = (leaf: string, sha256: Sha256): Uint8Array => sha256(`\0${leaf}`)

/** The chain's hash after a leaf: SHA-256(previous hash || leaf hash), raw bytes in and out. */
export const chainHash = (previous: Uint8Array, leaf: Uint8Array, sha256: Sha256): Uint8Array => sha256(previous, leaf)

/** The commitment to a personal value: base64(SHA-256(salt || canonical JSON of the value)). */
export const commitment = (salt: Uint8Array, value: Json, sha256: Sha256): string =>
  encodeBase64(sha256(salt, canonicalJson(value)))

/**
 * The tokens of a pointer that may be committed: `/ip_address`, or something inside `data` or `metadata`. Everything
 * else of an event is never personal, so a pointer to it is refused.
 */
const tokensOf = (pointer: string): ReadonlyArray<string> | undefined => {
  if (pointer !== "/ip_address" && !/^\/(?:data|metadata)\/./.test(pointer)) return undefined
  const tokens = pointer.slice(1).split("/").map(unescapeToken)
  return tokens.includes("__proto__") ? undefined : tokens
}

const requireTokens = (pointer: string): ReadonlyArray<string> => {
  const tokens = tokensOf(pointer)
  if (tokens === undefined) throw new RangeError(`The pointer ${pointer} cannot hold personal data`)
  return tokens
}

const valueAt = (root: unknown, tokens: ReadonlyArray<string>): unknown => {
  let value = root
  for (const token of tokens) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, token)) return undefined
    value = (value as Record<string, unknown>)[token]
  }
  return value
}

/** A copy of `root` in which the member at `tokens` is `value`, or is gone when `value` is undefined. */
const replaceAt = (root: unknown, tokens: ReadonlyArray<string>, value: unknown): unknown => {
  const [token, ...rest] = tokens
  if (token === undefined) return value
  if (Array.isArray(root)) {
    const index = Number(token)
    if (rest.length === 0 || !(index in root)) throw new RangeError(`No field can be replaced at array item ${token}`)
    return root.with(index, replaceAt(root[index], rest, value))
  }
  if (typeof root !== "object" || root === null) throw new RangeError(`There is no object that holds ${token}`)
  const copy: Record<string, unknown> = { ...root }
  if (rest.length > 0) copy[token] = replaceAt(copy[token], rest, value)
  else if (value === undefined) delete copy[token]
  else copy[token] = value
  return copy
}

/** The source of an event: at least the fields that may hold personal data. */
export interface EventContent {
  readonly metadata: JsonObject
  readonly data: JsonObject
  readonly ip_address?: string
}

/**
 * Takes the personal values out of an event and leaves commitments in their place. `salts` holds 16 random bytes for
 * each pointer. A pointer at which there is nothing is passed over. Throws a RangeError for a pointer outside `data`,
 * `metadata` and `/ip_address`, for a pointer inside another, for a wrong salt, and for an `ip_address` that is not
 * among the pointers: an address never belongs in a leaf.
 */
export const withhold = <Event extends EventContent>(
  event: Event,
  pointers: ReadonlyArray<string>,
  salts: ReadonlyArray<Uint8Array>,
  sha256: Sha256
): {
  readonly leaf: Omit<Event, "ip_address"> & { readonly commitments?: Commitments }
  readonly personal: Personal
} => {
  if (event.ip_address !== undefined && !pointers.includes("/ip_address")) {
    throw new RangeError("An ip_address must be withheld")
  }
  let leaf: unknown = event
  const commitments: Record<string, string> = {}
  const personal: Record<string, { salt: string; value: Json }> = {}
  for (const [index, pointer] of pointers.entries()) {
    if (pointers.some((other, position) => position !== index && `${pointer}/`.startsWith(`${other}/`))) {
      throw new RangeError(`The pointer ${pointer} lies inside another one`)
    }
    const tokens = requireTokens(pointer)
    const value = valueAt(event, tokens) as Json | undefined
    if (value === undefined) continue
    const salt = salts[index]
    if (salt?.length !== saltSize) throw new RangeError(`The pointer ${pointer} needs a salt of ${saltSize} bytes`)
    commitments[pointer] = commitment(salt, value, sha256)
    personal[pointer] = { salt: encodeBase64(salt), value }
    leaf = replaceAt(leaf, tokens, undefined)
  }
  if (present(commitments)) leaf = { ...(leaf as Event), commitments }
  return { leaf: leaf as Omit<Event, "ip_address"> & { commitments?: Commitments }, personal }
}

/**
 * Puts the personal values that are left back where they were and adds their `salts`: the opposite of
 * {@link withhold}. Values that were erased stay away and only their commitment shows.
 */
export const disclose = <L extends { readonly commitments?: Commitments }>(
  leaf: L,
  personal: Personal | null | undefined
): L & { readonly ip_address?: string; readonly salts?: Readonly<Record<string, string>> } => {
  if (!present(personal)) return leaf
  let served: unknown = leaf
  const salts: Record<string, string> = {}
  for (const [pointer, { salt, value }] of Object.entries(personal!)) {
    served = replaceAt(served, requireTokens(pointer), value)
    salts[pointer] = salt
  }
  return { ...(served as L), salts }
}

/**
 * The leaf of a served event as canonical JSON text: without `hash`, `previous_hash`, `salts` and the values at the
 * committed pointers. Its UTF-8 bytes are the leaf's bytes. Throws when the event is not of that form.
 */
export const servedLeafText = (event: ServedEvent): string => {
  const { hash: _hash, previous_hash: _previousHash, salts: _salts, ...rest } = event
  let leaf: unknown = rest
  for (const pointer of Object.keys(event.commitments ?? {})) {
    const tokens = requireTokens(pointer)
    if (valueAt(leaf, tokens) !== undefined) leaf = replaceAt(leaf, tokens, undefined)
  }
  return canonicalJson(leaf)
}

/**
 * The first commitment of a served event that its value and salt do not open, or undefined when all do. A value and
 * its salt that are both gone were erased; one without the other is a mismatch.
 */
export const unopenedCommitment = (event: ServedEvent, sha256: Sha256): string | undefined => {
  const commitments = event.commitments ?? {}
  const salts = event.salts ?? {}
  for (const [pointer, committed] of Object.entries(commitments)) {
    const value = valueAt(event, requireTokens(pointer)) as Json | undefined
    const salt = Object.hasOwn(salts, pointer) ? salts[pointer] : undefined
    if (value === undefined && salt === undefined) continue
    if (value === undefined || salt === undefined) return pointer
    // Both are hashed in one run: a longer salt could swallow the begin of the value, and the rest pass for a value.
    const bytes = decodeBase64(salt, saltSize)
    if (bytes === undefined || commitment(bytes, value, sha256) !== committed) return pointer
  }
  return Object.keys(salts).find((pointer) => !Object.hasOwn(commitments, pointer))
}

/**
 * The body of a webhook delivery as canonical JSON text: `{created_at, data, environment, epoch, event_type, id, sequence, type}`, with
 * the personal values that are left merged back into `data`. `event_type` is what the feed calls it, and repeats `type`;
 * `epoch` is that of `sequence`, so that a receiver's place in the feed is signed as a whole.
 */
export const deliveryBody = (
  columns: Pick<EventColumns, "id" | "environment" | "sequence" | "created_at" | "data"> & {
    readonly event_type: string
    readonly epoch: number
  },
  personal?: Personal | null
): string => {
  let text = columns.data
  const inData = Object.entries(personal ?? {}).filter(([pointer]) => pointer.startsWith("/data/"))
  if (inData.length > 0) {
    let data: unknown = JSON.parse(text)
    for (const [pointer, { value }] of inData) data = replaceAt(data, requireTokens(pointer).slice(1), value)
    text = canonicalJson(data)
  }
  const type = canonicalString(columns.event_type)
  // Joined, because V8 keeps the pieces of a concatenated string alive, and thousands of these texts are kept.
  return [
    `{"created_at":${canonicalString(columns.created_at)},"data":`,
    text,
    `${ofEnvironment(columns)},"epoch":${columns.epoch},"event_type":${type},"id":${
      canonicalString(columns.id)
    },"sequence":${columns.sequence},"type":${type}}`
  ].join("")
}

/** The leaf hash of a served event, 32 bytes. Throws when the event is not of that form. */
export const servedLeafHash = (event: ServedEvent, sha256: Sha256): Uint8Array =>
  leafHash(servedLeafText(event), sha256)

/** The chain's hash after a leaf hash, 64 hex digits in and out. Throws when they are not. */
export const nextHash = (previousHash: string, leaf: Uint8Array, sha256: Sha256): string => {
  const previous = decodeHex(previousHash)
  if (previous === undefined) throw new RangeError("previous_hash is not hexadecimal")
  return encodeHex(chainHash(previous, leaf, sha256))
}

/** The hash of a served event, 64 hex digits: what `hash` must be after this `previous_hash`. */
export const servedHash = (event: ServedEvent, previousHash: string, sha256: Sha256): string =>
  nextHash(previousHash, servedLeafHash(event, sha256), sha256)
