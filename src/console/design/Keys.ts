/**
 * A listener of keys, by their names: the only one of the console. What an input method takes for itself, such as the Enter
 * that confirms 山田, is no key of the page's. WebKit ends the composition before that Enter, and tells it by its code alone.
 */
export const onKey = (listen: (key: string, event: KeyboardEvent) => void) => (event: KeyboardEvent): void => {
  if (!event.isComposing && event.keyCode !== 229) listen(event.key, event)
}
