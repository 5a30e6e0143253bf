/**
 * The consequence of a write, which a person reads before it happens. The declaration of an operation has it; the command line and
 * the console show the same sentences.
 */
export interface Consequence {
  /** The effect, in sentences. */
  readonly consequence?: string
  /**
   * Further effects if the body has a field with this value, by `field=value` (`undefined`: the field is not given); by `field`
   * for any other value, which `{field}` stands for in the sentence.
   */
  readonly consequenceOf?: Readonly<Record<string, string>>
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
  const further = Object.entries(consequenceOf).flatMap(([when, sentence]) => {
    const [field = "", value] = when.split("=")
    const given = String(body[field])
    const isMeant = value === undefined
      ? body[field] !== undefined && !(`${field}=${given}` in consequenceOf)
      : given === value
    return isMeant ? [sentence.replace(`{${field}}`, () => given)] : []
  })
  return [
    ...(consequence === undefined ? [] : [consequence]),
    ...further,
    ...(risk === "final" ? ["This cannot be undone."] : [])
  ].join(" ")
}
