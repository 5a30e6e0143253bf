/** Whether a text is a JSON object, as metadata are. */
export const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** The metadata of a text that {@link isJsonObject}. */
export const metadataIn = (text: string): { readonly metadata: Record<string, unknown> } => ({
  metadata: JSON.parse(text)
})
