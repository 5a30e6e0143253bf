import { referred } from "./Schemas.ts"
import type { Node } from "./Schemas.ts"

/**
 * The example of a schema: its own, or one made from the examples of its parts. `path` leads to the schema, as
 * `License.id`, and is named when there is none.
 */
export const exampleOf = (schema: Node, schemas: Node, path = "a response"): unknown => {
  const name = referred(schema)
  if (name !== undefined) return exampleOf(schemas[name], schemas, name)
  if (Array.isArray(schema["examples"])) return schema["examples"][0]
  if (schema["default"] !== undefined) return schema["default"]
  if (Array.isArray(schema["enum"])) return schema["enum"][0]
  if (Array.isArray(schema["anyOf"])) return exampleOf(schema["anyOf"][0], schemas, path)
  switch (schema["type"]) {
    case "object": {
      const required = new Set<string>(schema["required"] ?? [])
      return Object.fromEntries(
        Object.entries<Node>(schema["properties"] ?? {})
          .filter(([member]) => required.has(member))
          .map(([member, value]) => [member, exampleOf(value, schemas, `${path}.${member}`)])
      )
    }
    case "array":
      return [exampleOf(schema["items"], schemas, `${path}[]`)]
    case "integer":
    case "number":
      return schema["minimum"] ?? 0
    case "boolean":
      return true
    default:
      throw new TypeError(`${path} has no example: annotate its schema with \`examples\``)
  }
}
