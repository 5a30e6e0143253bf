/** How long after the end of a composition an Enter still belongs to it, in milliseconds. */
const composed = 100

/** When the last composition ended, on the clock of events. */
let composedAt = Number.NEGATIVE_INFINITY
globalThis.addEventListener?.("compositionend", ({ timeStamp }) => {
  composedAt = timeStamp
}, true)

/** Whether a key belongs to an input method. Some end the composition first, and then tell of the Enter that did. */
const isTaken = ({ isComposing, key, keyCode, timeStamp }: KeyboardEvent): boolean =>
  isComposing || keyCode === 229 || (key === "Enter" && timeStamp - composedAt < composed)

/**
 * The console's only listener of keys, by their names. It ignores keys that an input method takes for itself, such as
 * the Enter that confirms 山田. WebKit ends the composition before that Enter, and marks it by its code alone.
 */
export const onKey = (listen: (key: string, event: KeyboardEvent) => void) => (event: KeyboardEvent): void => {
  if (!isTaken(event)) listen(event.key, event)
}
