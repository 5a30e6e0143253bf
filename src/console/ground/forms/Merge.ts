/** Texts by the names of their members. */
export type Texts = Readonly<Record<string, string>>

/** Entered texts over those that were loaded, which others may have changed since. */
export interface Merge<T extends Texts> {
  /** The texts as they were loaded first. */
  readonly base: T
  /** The texts as they are now. */
  readonly theirs: T
  /** The entered texts; all others follow the record. */
  readonly entered: Partial<T>
}

/** The texts of the form: what was entered, over what is there now. */
export const merged = <T extends Texts>({ entered, theirs }: Merge<T>): T => ({ ...theirs, ...entered })

/** The names of what would be written. What is the same by value is not written, and reverts nobody's change. */
export const changedOf = <T extends Texts>(merge: Merge<T>): ReadonlyArray<keyof T & string> => {
  const mine = merged(merge)
  return Object.keys(merge.theirs).filter((name) => mine[name] !== merge.theirs[name])
}

/** A member that somebody else has changed meanwhile, and what was entered for it. */
export interface Conflicting {
  readonly name: string
  readonly base: string
  readonly theirs: string
  /** The text that would be written; undefined where nothing was entered, and theirs stays. */
  readonly mine: string | undefined
}

/** The members that somebody else has changed. */
export const conflictsOf = <T extends Texts>({ base, entered, theirs }: Merge<T>): ReadonlyArray<Conflicting> =>
  Object.keys(theirs).flatMap((name) =>
    base[name] === theirs[name] ? [] : [{
      name,
      base: base[name] ?? "",
      theirs: theirs[name] ?? "",
      mine: entered[name] === undefined || entered[name] === theirs[name] ? undefined : entered[name]
    }]
  )
