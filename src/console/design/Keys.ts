/**
 * The console's only listener of keys, by their names. It ignores keys that an input method takes for itself, such as
 * the Enter that confirms 山田. WebKit ends the composition before that Enter, and marks it by its code alone.
 */
export const onKey = (listen: (key: string, event: KeyboardEvent) => void) => (event: KeyboardEvent): void => {
  if (!event.isComposing && event.keyCode !== 229) listen(event.key, event)
}
