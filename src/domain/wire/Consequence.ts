/**
 * The consequence of a write, which a person reads before it happens. The declaration of an operation has it; the command line and
 * the console show the same sentences.
 */
export interface Consequence {
  /** The effect, in sentences. */
  readonly consequence?: string
  /** Further effects if the body has a field with this value, by `field=value`. */
  readonly consequenceOf?: Readonly<Record<`${string}=${string}`, string>>
  /** The operation that undoes it: its ID in its declaration, and its summary in the client. */
  readonly undo?: string
  /** `final`: nothing takes it back, so a person types a name instead of answering a question. */
  readonly risk?: "final"
}

/** The effects of a request, in sentences; empty without any to warn of. */
export const consequenceText = (
  { consequence, consequenceOf = {}, risk }: Consequence,
  body: Readonly<Record<string, unknown>> = {}
): string => {
  const further = Object.entries(consequenceOf).filter(([when]) => {
    const [member = "", value] = when.split("=")
    return String(body[member]) === value
  })
  return [
    ...(consequence === undefined ? [] : [consequence]),
    ...further.map(([, sentence]) => sentence),
    ...(risk === "final" ? ["This cannot be undone."] : [])
  ].join(" ")
}
