/** The one form in which instants stand in what is signed: RFC 3339 in UTC, with milliseconds. */
const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/**
 * An instant of the service in Unix milliseconds; undefined of anything else, a day or an hour that does not exist included,
 * which parsers of dates take for others.
 */
export const parseInstant = (text: unknown): number | undefined => {
  if (typeof text !== "string" || !form.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) || new Date(at).toISOString() !== text ? undefined : at
}
