import { secretFields } from "../../../../domain/keys/security/SecretFields.ts"
import type { Node } from "../../../../api/composition/docs/Schemas.ts"

/** Where a body holds a secret: names of fields; `*` for each element or each value. */
export type SecretPath = ReadonlyArray<string>

/** The places of secrets in a body, from the JSON schema of it. */
export const secretPaths = (
  resolve: (schema: Node) => Node,
  schema: Node,
  above: ReadonlyArray<Node> = []
): ReadonlyArray<SecretPath> => {
  const whole = resolve(schema)
  if (above.includes(whole)) return []
  const inPart = (part: Node) => secretPaths(resolve, part, [...above, whole])
  const parts: ReadonlyArray<Node> = [whole["anyOf"], whole["oneOf"], whole["allOf"]].flatMap((parts) => parts ?? [])
  const properties = Object.entries<Node>(whole["properties"] ?? {}).flatMap(([name, part]) =>
    secretFields.has(name)
      ? [name === "headers" ? [name, "*"] : [name]]
      : inPart(part).map((path) => [name].concat(path))
  )
  const elements = whole["items"] === undefined ? [] : inPart(whole["items"]).map((path) => ["*"].concat(path))
  return [...properties, ...elements, ...parts.flatMap(inPart)]
}

const isAt = (name: string, key: string): boolean => name === "*" || name === key

/** Whether a value has a secret at a place. `null` removes one, and is none. */
const holds = (value: unknown, [name, ...rest]: SecretPath): boolean =>
  value !== null && value !== undefined &&
  (name === undefined || typeof value !== "object" ||
    Object.entries(value).some(([key, within]) => isAt(name, key) && holds(within, rest)))

/** The first place of a secret in a body; undefined without any. */
export const secretIn = (body: unknown, places: ReadonlyArray<SecretPath>): string | undefined =>
  places.find((place) => holds(body, place))?.filter((name) => name !== "*").join(".")

/** The text that replaces a secret. */
const mask = "***"

const maskedAt = (value: unknown, place: SecretPath): unknown => {
  const [name, ...rest] = place
  if (!holds(value, place)) return value
  if (name === undefined || typeof value !== "object" || value === null) return mask
  if (Array.isArray(value)) {
    return value.map((element, index) => isAt(name, String(index)) ? maskedAt(element, rest) : element)
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, within]) => [key, isAt(name, key) ? maskedAt(within, rest) : within])
  )
}

/** A body with every secret masked. */
export const masked = (
  body: Readonly<Record<string, unknown>>,
  places: ReadonlyArray<SecretPath>
): Readonly<Record<string, unknown>> =>
  places.reduce((shown, place) => maskedAt(shown, place) as Readonly<Record<string, unknown>>, body)
