import { alphabet } from "../../src/domain/ground/wire/Crockford.ts"

/** Which copy is made, and when what it tells of took place. */
export interface Copy {
  /** From 1 on. */
  readonly number: number
  /** By how many milliseconds it is moved from the original: whole, and negative for the past. */
  readonly shift: number
  /** The same for what is kept for a day only. */
  readonly recentShift: number
  /** The hash of the license's key, 64 hex digits, where somebody knows the key; at random otherwise. */
  readonly keyHash: string | undefined
}

/** A text that is another in each copy: between its literals are the values of slots. */
export interface Template {
  readonly literals: ReadonlyArray<string>
  readonly slots: ReadonlyArray<number>
}

/** Stands for the number of the copy, in what must be unique. */
export const numberMark = "n0000000000"

/** Stands for the hash of the license's key. */
export const keyMark = "HashOfTheLicenseKey"

/** Stand for an event's place and for the ordinal of its record. */
export const sequenceMark = 900_000_000_000_001
export const ordinalMark = 900_000_000_000_002

const lower = alphabet.toLowerCase()
const pairs = Array.from({ length: 1024 }, (_, value) => lower[value >> 5]! + lower[value & 31]!)
const triples = Array.from({ length: 32_768 }, (_, value) => pairs[value >> 5]! + lower[value & 31]!)

let state = 0x2545f491
/** Uniform over 30 bits (xorshift): the same in every run, so that two fixtures of a size are alike. */
const random = (): number => {
  state ^= state << 13
  state ^= state >>> 17
  state ^= state << 5
  return state & 0x3fffffff
}

const randomHex = (): string => {
  let text = ""
  for (let part = 0; part < 10; part++) text += random().toString(16).padStart(7, "0").slice(-7)
  return text.slice(0, 64)
}

/** The first 10 of an id's 26 characters: its milliseconds. */
const timeOf = (millis: number): string => {
  const high = Math.floor(millis / 2 ** 20)
  const low = millis % 2 ** 20
  return `${pairs[(high >> 20) & 1023]}${pairs[(high >> 10) & 1023]}${pairs[high & 1023]}` +
    `${pairs[low >> 10]}${pairs[low & 1023]}`
}

const millisOf = (characters: string): number =>
  [...characters].reduce((sum, character) => sum * 32 + lower.indexOf(character), 0)

/** A UUIDv7 whose counter (rand_a) is `place`, so that ids of one millisecond sort as they were made. */
const idAt = (type: string, millis: number, place: number): string => {
  const [first, second] = [random(), random()]
  return `${type}_${timeOf(millis)}e${pairs[place & 1023]}8` +
    `${triples[first >> 15]}${triples[first & 32_767]}${triples[second >> 15]}${triples[second & 32_767]}`
}

const day = 86_400_000
const atDay = (millis: number): string => new Date(Math.floor(millis / day) * day).toISOString()

const found = new RegExp(
  [
    "(?<id>\\b[a-z]{2,5}_[0-7][0-9a-hjkmnp-tv-z]{25}\\b)",
    "(?<midnight>\\d{4}-\\d\\d-\\d\\d 00:00:00\\+00)",
    "(?<time>\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,6})?(?:\\+00|Z))",
    "(?<digest>(?<before>\\\\\\\\x|license:)[0-9a-f]{64}(?![0-9a-f]))",
    `(?<key>${keyMark})`,
    `(?<number>${numberMark})`,
    `(?<sequence>${sequenceMark})`,
    `(?<ordinal>${ordinalMark})`
  ].join("|"),
  "g"
)

/** What a text is a part of: an account is made once for several licenses, and what is recent is moved by less. */
export type Scope = "account" | "license" | "recent"

/** The slots of one story, and their values in the copy in hand. */
export class Slots {
  readonly #numbers = new Map<string, number>()
  readonly #makers: Array<{ readonly scope: Scope; readonly make: (copy: Copy) => string }> = []
  readonly #shared: ReadonlySet<string>
  readonly #owned = new Map<string, Scope>()
  /** The values, by the number of their slot; `set` and `renew` change them. */
  readonly values: Array<string> = []

  readonly #moment: number

  /**
   * Ids of `shared` are the same in all copies; the other ids are of the scope in which they are met first. `moment` is
   * when the story was told, in Unix milliseconds.
   */
  constructor(shared: ReadonlySet<string>, moment: number) {
    this.#shared = shared
    this.#moment = moment
  }

  #slot(key: string, scope: Scope, make: (copy: Copy) => string): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.#makers.push({ scope, make }) - 1
    this.#numbers.set(key, number)
    this.values.push("")
    return number
  }

  #slotOf(match: RegExpExecArray, scope: Scope): number | undefined {
    const { before, digest, id, key, midnight, number, ordinal, sequence, time } = match.groups!
    if (id !== undefined) {
      if (this.#shared.has(id)) return undefined
      const owner = this.#owned.get(id) ?? (scope === "account" ? "account" : "license")
      this.#owned.set(id, owner)
      const [type, characters] = id.split("_") as [string, string]
      const millis = millisOf(characters.slice(0, 10))
      const place = this.#owned.size
      return this.#slot(id, owner, ({ shift }) => idAt(type, millis + shift, place))
    }
    if (midnight !== undefined) {
      return this.#slot(`${scope} ${midnight}`, scope, ({ shift }) => atDay(this.#moment + shift))
    }
    if (time !== undefined) {
      const millis = Date.parse(time.replace(" ", "T").replace("+00", "Z"))
      const isRecent = scope === "recent"
      return this.#slot(
        `${scope} ${time}`,
        scope,
        ({ recentShift, shift }) => new Date(millis + (isRecent ? recentShift : shift)).toISOString()
      )
    }
    if (digest !== undefined) {
      return this.#slot(`${scope} ${digest}`, scope, () => before + randomHex())
    }
    if (key !== undefined) return this.#slot(key, scope, ({ keyHash }) => `\\\\x${keyHash ?? randomHex()}`)
    if (number !== undefined) {
      return this.#slot(`${scope} number`, scope, (copy) => `n${String(copy.number).padStart(10, "0")}`)
    }
    if (sequence !== undefined) return this.sequence
    if (ordinal !== undefined) return this.ordinal
    return undefined
  }

  /** The slots that {@link set} fills. */
  get sequence(): number {
    return this.#slot("sequence", "recent", () => "")
  }
  get ordinal(): number {
    return this.#slot("ordinal", "recent", () => "")
  }

  /** Finds in a text what is another in each copy. */
  compile(text: string, scope: Scope): Template {
    const literals: Array<string> = []
    const slots: Array<number> = []
    let from = 0
    for (const match of text.matchAll(found)) {
      const slot = this.#slotOf(match, scope)
      if (slot === undefined) continue
      literals.push(text.slice(from, match.index))
      slots.push(slot)
      from = match.index + match[0].length
    }
    literals.push(text.slice(from))
    return { literals, slots }
  }

  /** Gives the slots of these scopes their values in a copy. */
  renew(copy: Copy, scopes: ReadonlyArray<Scope>): void {
    for (let slot = 0; slot < this.#makers.length; slot++) {
      const { make, scope } = this.#makers[slot]!
      if (scopes.includes(scope)) this.values[slot] = make(copy)
    }
  }

  /** Gives one slot its value. */
  set(slot: number, value: string): void {
    this.values[slot] = value
  }

  /** The text of the copy in hand. */
  render({ literals, slots }: Template): string {
    let text = literals[0]!
    for (let index = 0; index < slots.length; index++) text += this.values[slots[index]!]! + literals[index + 1]!
    return text
  }
}
