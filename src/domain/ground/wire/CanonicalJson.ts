import canonicalize from "canonicalize"

/** A value that JSON can say. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [member: string]: Json
}

/** A value that has no canonical form. `path` is where it was found, as far as it is known. */
export class CanonicalJsonError extends Error {
  override readonly name = "CanonicalJsonError"
  readonly path: string
  constructor(message: string, path = "", options?: ErrorOptions) {
    super(path === "" ? message : `${message} at ${path}`, options)
    this.path = path
  }
}

/**
 * The canonical JSON text of a value (RFC 8785). Members that are undefined are left out, as JSON.stringify does.
 * Throws a CanonicalJsonError for what JSON cannot say: NaN, infinities, bigint, lone surrogates, cycles, undefined.
 */
export const canonicalJson = (value: unknown): string => {
  let text: string | undefined
  try {
    text = canonicalize(value)
  } catch (cause) {
    throw new CanonicalJsonError(cause instanceof Error ? cause.message : "Not JSON", "", { cause })
  }
  if (text === undefined) throw new CanonicalJsonError("There is nothing to write")
  return text
}

/**
 * Whether two values are the same JSON, in whatever order their members come: PostgreSQL gives back those of a jsonb in an
 * order of its own. Throws as `canonicalJson` does; undefined is the same as undefined alone.
 */
export const isSameJson = (a: unknown, b: unknown): boolean =>
  a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b))

// Letters that stand for themselves between quotes: printable ASCII but the quote and the backslash.
const plain = /^[ !#-[\]-~]*$/

/** A string as RFC 8785 section 3.2.2.2 writes it. Throws a CanonicalJsonError for a lone surrogate. */
export const canonicalString = (text: string): string => {
  if (plain.test(text)) return `"${text}"`
  if (!text.isWellFormed()) throw new CanonicalJsonError("A lone surrogate is not allowed")
  return JSON.stringify(text)
}

// Names that every language keeps and sorts alike: ASCII, so that UTF-16 order is code point order, and none that looks
// like an integer, because JavaScript moves such members to the front.
const memberName = /^[A-Za-z_][A-Za-z0-9_-]*$/
const maximumDepth = 32

const isSorted = (names: ReadonlyArray<string>): boolean => {
  for (let index = 1; index < names.length; index++) {
    if (names[index - 1]! > names[index]!) return false
  }
  return true
}

/** Names that were found good before: programs use few, and looking one up is cheaper than judging it. */
const goodNames = new Set<string>()
const maximumGoodNames = 1000

const isGoodName = (name: string): boolean => {
  if (goodNames.has(name)) return true
  if (!memberName.test(name) || name === "__proto__") return false
  if (goodNames.size < maximumGoodNames) goodNames.add(name)
  return true
}

/** Good names in order, by the names as they stood: the objects that a program signs have few shapes. */
const orders = new Map<string, ReadonlyArray<string>>()
const maximumOrders = 1000

const ordered = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const shape = names.join()
  const known = orders.get(shape)
  if (known !== undefined) return known
  const made = names.toSorted()
  if (orders.size < maximumOrders) orders.set(shape, made)
  return made
}

/** Stands for data that cannot be signed. */
const unsignable = Symbol("unsignable")

/** The value with the members of each object in order: the value itself where they are. */
const inOrder = (value: unknown, depth: number): unknown => {
  if (typeof value === "string") return value.isWellFormed() ? value : unsignable
  if (typeof value === "boolean") return value
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : unsignable
  if (typeof value !== "object" || value === null || depth === maximumDepth) return unsignable
  if (Array.isArray(value)) {
    let changed: Array<unknown> | undefined
    for (let index = 0; index < value.length; index++) {
      const element = inOrder(value[index], depth + 1)
      if (element === unsignable) return unsignable
      if (element !== value[index]) (changed ??= [...value])[index] = element
    }
    return changed ?? value
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return unsignable
  const members = value as Readonly<Record<string, unknown>>
  const names = Object.keys(members)
  // Before they are looked up together, because only good names, which have no comma, are told apart by a list of them.
  if (!names.every(isGoodName)) return unsignable
  let changed = isSorted(names) ? undefined : {} as Record<string, unknown>
  for (const name of changed === undefined ? names : ordered(names)) {
    const member = inOrder(members[name], depth + 1)
    if (member === unsignable) return unsignable
    if (changed !== undefined) changed[name] = member
    else if (member !== members[name]) changed = { ...members, [name]: member }
  }
  return changed ?? value
}

/** Fails with the place of what cannot be signed. */
const refuse = (value: unknown, path: string, depth: number): void => {
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw new CanonicalJsonError("A lone surrogate is not allowed", path)
    return
  }
  if (typeof value === "boolean") return
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw new CanonicalJsonError(`${value} is not a safe integer`, path)
    return
  }
  if (typeof value !== "object" || value === null) {
    throw new CanonicalJsonError(`${value === null ? "null" : typeof value} is not allowed in signed data`, path)
  }
  if (depth === maximumDepth) throw new CanonicalJsonError(`Signed data is nested deeper than ${maximumDepth}`, path)
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) refuse(value[index], `${path}/${index}`, depth + 1)
    return
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    throw new CanonicalJsonError("Only plain objects are allowed in signed data", path)
  }
  for (const [name, member] of Object.entries(value)) {
    if (!isGoodName(name)) {
      throw new CanonicalJsonError(`The field name ${JSON.stringify(name)} is not allowed in signed data`, path)
    }
    refuse(member, `${path}/${name}`, depth + 1)
  }
}

/**
 * The canonical JSON text (RFC 8785) of data that is to be signed and checked in other languages. It holds only what
 * every JSON library writes back unchanged: strings, booleans, safe integers, arrays and plain objects with ASCII
 * names that do not look like integers. Anything else, null and undefined included, throws a CanonicalJsonError that
 * names the place. Of such data, once its members are in order, JSON.stringify writes the canonical text.
 */
export const signedJson = (value: unknown): string => {
  const signable = inOrder(value, 0)
  if (signable === unsignable) refuse(value, "", 0)
  return JSON.stringify(signable)
}
