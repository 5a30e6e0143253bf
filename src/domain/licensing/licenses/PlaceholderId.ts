import type { Warning } from "../../ground/wire/Errors.ts"
import list from "./placeholder-ids.json" with { type: "json" }

/** Case, white space and ASCII punctuation tell no two machines apart. */
const bare = (id: string): string => id.toLowerCase().replace(/[\s!-/:-@[-`{-~]/g, "")

const placeholders: ReadonlySet<string> = new Set(list.values.map(({ value }) => bare(value)))

/** One character again and again, as an id that was never set has it. */
const isOneCharacter = (text: string): boolean => /^(.)\1{7,}$/su.test(text)

/**
 * Whether an id stands where one is missing, such as `uninitialized` or a UUID of zeros: every machine without an id of its own
 * has the same. The list, with its sources, is `placeholder-ids.json`, which the Python client has too.
 */
export const isPlaceholderId = (id: string): boolean => {
  const text = bare(id)
  return text === "" || placeholders.has(text) || isOneCharacter(text)
}

/** The ids of the list as they are written. */
const placeholderIds: ReadonlyArray<string> = list.values.map(({ value }) => value)

/** Signs that a program runs in a container, whose image does not identify a machine. */
export const containerMarks: {
  /** Paths that exist. */
  readonly files: ReadonlyArray<string>
  /** Variables that are set. */
  readonly environment: ReadonlyArray<string>
  /** A line of `/proc/self/mountinfo`. */
  readonly rootMount: RegExp
} = { ...list.containers, rootMount: new RegExp(list.containers.rootMount, "m") }

/** The members of a runtime request by which a machine is named. */
interface Named {
  readonly fingerprint?: string
  readonly is_container?: boolean
  readonly product_code?: string
}

/** How many products' digests are kept. */
const mostProducts = 64

/**
 * Makes what says whether a request names its machine by a placeholder: as it is, or hashed with the product's code as the clients
 * do. A container is named by other members.
 */
export const makeNamesNoMachine = (sha256Hex: (text: string) => string): (request: Named) => boolean => {
  const digests = new Map<string, ReadonlySet<string>>()
  const digestsOf = (code: string): ReadonlySet<string> => {
    const known = digests.get(code)
    if (known !== undefined) return known
    if (digests.size >= mostProducts) digests.clear()
    const made = new Set(placeholderIds.map((id) => sha256Hex(`${code}\n${id}`)))
    digests.set(code, made)
    return made
  }
  return ({ fingerprint, is_container, product_code }) => {
    if (is_container === true || fingerprint === undefined) return false
    if (isPlaceholderId(fingerprint)) return true
    const isHashed = /^[0-9a-f]{64}$/.test(fingerprint)
    return isHashed && product_code !== undefined && digestsOf(product_code).has(fingerprint)
  }
}

/** Told to whoever binds a device by a placeholder. */
export const namesNoMachine: Warning = {
  code: "FINGERPRINT_NAMES_NO_MACHINE",
  message: "This fingerprint is a placeholder for a missing ID, so many machines have it. They count as one " +
    "device, and a trial that one of them opened is not shown to it again. Send an ID that you generated " +
    "and stored, or identify the container.",
  field: "fingerprint"
}
