/**
 * What a write does that a person is told before it is done. The declaration of an operation has it; the command line and
 * the console show the same sentences.
 */
export interface Consequence {
  /** What will happen, in sentences. */
  readonly consequence?: string
  /** What happens in addition where the body has a member with this value, by `member=value`. */
  readonly consequenceOf?: Readonly<Record<`${string}=${string}`, string>>
  /** What takes it back: the id of an operation in its declaration, and its summary in the client. */
  readonly undo?: string
  /** `final`: nothing takes it back, so a person types a name instead of answering a question. */
  readonly risk?: "final"
}

/** What a request will do, in sentences; empty where there is nothing to be warned of. */
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
