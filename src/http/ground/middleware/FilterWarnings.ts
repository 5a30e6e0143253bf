import { SchemaAST } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import type { Warning } from "../../../domain/ground/wire/Errors.ts"
import { spacelessOf } from "../../../domain/ground/wire/Fields.ts"
import type { IsValue } from "../../../domain/ground/wire/Fields.ts"

/** A parameter of a query that looks for values without spaces. */
interface SpacelessFilter {
  readonly name: string
  readonly isValue: IsValue
}

const read = ({ query }: HttpApiEndpoint.Top): ReadonlyArray<SpacelessFilter> =>
  query === undefined || !SchemaAST.isObjects(query.ast) ? [] : query.ast.propertySignatures.flatMap(
    ({ name, type }) => {
      const isValue = spacelessOf(type)
      return isValue === undefined ? [] : [{ name: String(name), isValue }]
    }
  )

const known = new WeakMap<HttpApiEndpoint.Top, ReadonlyArray<SpacelessFilter>>()

/** The filters of an operation whose values have no spaces. */
export const spacelessFilters = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<SpacelessFilter> => {
  const filters = known.get(endpoint) ?? read(endpoint)
  known.set(endpoint, filters)
  return filters
}

const warningAbout = ({ isValue, name }: SpacelessFilter, value: string): Warning => {
  const restored = value.replaceAll(" ", "+")
  const cure = isValue(restored) ? `: ${name}=${encodeURIComponent(restored)}` : ""
  return {
    code: "SPACE_IN_FILTER",
    message:
      `The values that ${name} searches never contain a space, so there are no matches. A + in a query means a ` +
      `space: write + as %2B${cure}`,
    field: name
  }
}

/**
 * Warns who looks for what has a space in it where no value has one. That finds nothing, which looks like an answer, and
 * is nearly always a `+` that was not encoded (WHATWG URL, application/x-www-form-urlencoded).
 */
export const warningsAboutFilters = (endpoint: HttpApiEndpoint.Top, url: string): ReadonlyArray<Warning> => {
  const at = url.indexOf("?")
  if (at === -1 || !/[+%]/.test(url.slice(at))) return []
  const query = new URLSearchParams(url.slice(at))
  return spacelessFilters(endpoint).flatMap((filter) => {
    const value = query.get(filter.name)
    return value === null || !/\s/.test(value) ? [] : [warningAbout(filter, value)]
  })
}
