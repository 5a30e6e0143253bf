import { documentedAsKey } from "../../../domain/ground/wire/Fields.ts"

/** A node of the document: data of many shapes, which is only walked and written. */
export type Node = { [member: string]: any }

const unions = ["allOf", "anyOf", "oneOf"] as const

const prefix = "#/components/schemas/"

/** The name of the component that a schema refers to, if it is a reference. */
export const referred = (schema: Node): string | undefined =>
  typeof schema["$ref"] === "string" ? schema["$ref"].slice(prefix.length) : undefined

/** A reference to a component. */
export const reference = (name: string): Node => ({ $ref: `${prefix}${name}` })

/** A node of the document, or the component that it refers to. */
export const resolved = (document: Node, node: Node): Node => {
  if (typeof node["$ref"] !== "string") return node
  const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(node["$ref"]) ?? []
  return document["components"][kind][name] as Node
}

const mapValues = (node: Node, change: (value: Node, name: string) => unknown): Node =>
  Object.fromEntries(Object.entries(node).map(([name, value]) => [name, change(value, name)]))

/** The schemas that a schema is made of, each replaced. Values, such as examples, are left alone. */
const mapParts = (schema: Node, change: (part: Node) => Node): Node => {
  const mapped: Node = { ...schema }
  if (schema["properties"] !== undefined) mapped["properties"] = mapValues(schema["properties"], change)
  if (schema["items"] !== undefined) mapped["items"] = change(schema["items"])
  if (typeof schema["additionalProperties"] === "object") {
    mapped["additionalProperties"] = change(schema["additionalProperties"])
  }
  for (const union of unions) if (schema[union] !== undefined) mapped[union] = schema[union].map(change)
  return mapped
}

/** A schema with all in it replaced, innermost first. */
const mapSchema = (schema: Node, change: (schema: Node) => Node): Node =>
  change(mapParts(schema, (part) => mapSchema(part, change)))

const mapContent = (content: Node | undefined, change: (schema: Node) => Node): Node | undefined =>
  content && mapValues(content, (media) => ({ ...media, schema: mapSchema(media["schema"], change) }))

/** Replaces every schema of a document: of its components, its parameters, its requests and its answers. */
const mapDocument = (document: Node, change: (schema: Node) => Node): void => {
  const { components } = document
  components.schemas = mapValues(components.schemas, (schema) => mapSchema(schema, change))
  for (const item of Object.values<Node>(document["paths"])) {
    for (const operation of Object.values<Node>(item)) {
      for (const parameter of operation["parameters"]) parameter.schema = mapSchema(parameter.schema, change)
      const body = operation["requestBody"]
      if (body !== undefined) body.content = mapContent(body.content, change)
      for (const response of Object.values<Node>(operation["responses"])) {
        if (response["content"] !== undefined) response["content"] = mapContent(response["content"], change)
      }
    }
  }
}

const smallest = (a: number | undefined, b: number | undefined) => Math.min(a ?? Infinity, b ?? Infinity)
const largest = (a: number | undefined, b: number | undefined) => Math.max(a ?? -Infinity, b ?? -Infinity)

/** Both schemas in one, where that can be said; undefined where it cannot. */
const merged = (schema: Node, part: Node): Node | undefined => {
  if (part["$ref"] !== undefined || unions.some((union) => part[union] !== undefined)) return undefined
  const both: Node = { ...schema }
  for (const [name, value] of Object.entries<any>(part)) {
    if (schema[name] === undefined) both[name] = value
    else if (/^(minimum|minLength|minItems)$/.test(name)) both[name] = largest(schema[name], value)
    else if (/^(maximum|maxLength|maxItems)$/.test(name)) both[name] = smallest(schema[name], value)
    else if (name === "description") both[name] = value
    else if (schema[name] !== value) return undefined
  }
  return both
}

const isDescription = (part: Node): boolean =>
  Object.keys(part).every((key) => key === "description" || key === "examples")

/**
 * A schema that checks one thing after the other, as one flat schema. Generators take the type of a member from `type`
 * beside its bounds, and give up on `allOf`. The description of a field is the last of the parts.
 */
const flattened = (schema: Node): Node => {
  const { allOf, ...rest } = schema
  if (allOf === undefined) return schema
  const own = (allOf as Array<Node>).findLast(isDescription)
  let flat: Node = { ...rest, ...own }
  const left: Array<Node> = []
  for (const part of allOf as Array<Node>) {
    const both = isDescription(part) ? flat : merged(flat, part)
    if (both === undefined) left.push(part)
    else flat = both
  }
  const [only] = left
  if (left.length === 1 && Object.keys(rest).length === 0) return { ...only, ...own }
  return left.length === 0 ? flat : { ...flat, allOf: left }
}

/** A union of one as that one: an enum that has but one value today. */
const withoutUnionOfOne = (schema: Node): Node => {
  const { anyOf, ...rest } = schema
  return anyOf?.length === 1 ? { ...anyOf[0], ...rest } : schema
}

const maximumInt32 = 2_147_483_647

/** Says of an integer how many bits it needs, and of a free object that it is free. */
const precise = (schema: Node): Node => {
  if (schema["type"] === "integer") {
    const { type, minimum, maximum, format: _, ...rest } = schema
    return { type, format: maximum <= maximumInt32 ? "int32" : "int64", minimum, maximum, ...rest }
  }
  if (
    schema["type"] === "object" && schema["properties"] === undefined && schema["additionalProperties"] === undefined
  ) {
    return { ...schema, additionalProperties: true }
  }
  if (schema["minLength"] === 0) {
    const { minLength: _, ...rest } = schema
    return rest
  }
  return schema
}

/**
 * A pattern with its slashes as they are. The source of a regular expression escapes them for the literal that it would
 * be written as; generators write the pattern into a literal of their own and escape them once more.
 */
const withPlainSlashes = (schema: Node): Node =>
  typeof schema["pattern"] === "string"
    ? { ...schema, pattern: schema["pattern"].replace(/\\(.)/gs, (pair, escaped) => escaped === "/" ? "/" : pair) }
    : schema

/** A schema as its annotation says that callers know it. */
const asDocumented = (schema: Node): Node => {
  const { [documentedAsKey]: documented, description, examples } = schema
  if (documented === undefined) return schema
  return {
    ...documented,
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples })
  }
}

/** Writes each schema in the one form that readers and generators take: flat, bounded, and open where it is open. */
export const flatten = (document: Node): void =>
  mapDocument(document, (schema) => withPlainSlashes(precise(asDocumented(withoutUnionOfOne(flattened(schema))))))

const numbered = /^(.+)_\d+$/

/**
 * Gives every schema one name. The generator numbers the names of schemas that are used with another description, or
 * were made a second time: such a description stays beside the reference.
 */
export const unify = (document: Node): void => {
  const schemas: Node = document["components"].schemas
  const nameOf = (name: string): string => {
    const [, base = ""] = numbered.exec(name) ?? []
    return Object.hasOwn(schemas, base) ? base : name
  }
  const groups = Map.groupBy(Object.keys(schemas), nameOf)
  const described = new Map<string, string>()
  for (const [base, names] of groups) {
    const texts = new Set(names.map((name) => schemas[name].description))
    if (texts.size < 2) continue
    for (const name of names) {
      if (schemas[name].description !== undefined) described.set(name, schemas[name].description)
    }
    schemas[base] = { ...schemas[base], description: undefined }
  }
  for (const [base, names] of groups) {
    const example = names.map((name) => schemas[name].examples).find((examples) => examples !== undefined)
    const [first = "", ...others] = names.map((name) => {
      const { description: _, examples: __, ...shape } = mapSchema(schemas[name], (schema) => {
        const name = referred(schema)
        return name === undefined ? schema : reference(nameOf(name))
      })
      return JSON.stringify(shape)
    })
    if (others.some((other) => other !== first)) throw new TypeError(`Two different schemas have the name ${base}`)
    if (example !== undefined) schemas[base] = { ...schemas[base], examples: example }
    for (const name of names) if (name !== base) schemas[name] = undefined
  }
  document["components"].schemas = Object.fromEntries(
    Object.entries(schemas).filter(([, schema]) => schema !== undefined)
  )
  mapDocument(document, (schema) => {
    const name = referred(schema)
    if (name === undefined) return schema
    return {
      ...reference(nameOf(name)),
      ...schema["description"] === undefined && described.has(name)
        ? { description: described.get(name) }
        : schema["description"] === undefined
        ? {}
        : { description: schema["description"] }
    }
  })
}

/** A schema whose fields without a description have that of the component that they refer to. */
const withInherited = (document: Node, schema: Node): Node => {
  if (schema["properties"] === undefined) return schema
  return {
    ...schema,
    properties: mapValues(schema["properties"], (field) => {
      const description = field["description"] ?? resolved(document, field)["description"]
      return description === undefined ? field : { ...field, description }
    })
  }
}

/** Describes fields by the component that they refer to, and writes the description of each component first. */
export const describeSchemas = (document: Node): void => {
  const { components } = document
  components.schemas = mapValues(components.schemas, (schema) => {
    const { description, type, ...rest } = mapSchema(schema, (part) => withInherited(document, part))
    return {
      ...(type === undefined ? {} : { type }),
      ...(description === undefined ? {} : { description }),
      ...rest
    }
  })
}

/** The names of the components that a node refers to, directly and through others. */
const reachable = (document: Node, from: unknown, found = new Set<string>()): Set<string> => {
  for (const [, name = ""] of JSON.stringify(from).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (found.has(name)) continue
    found.add(name)
    reachable(document, document["components"].schemas[name], found)
  }
  return found
}

/** Opens answers, which may gain members later: only requests are closed, because only in those is a member refused. */
export const openAnswers = (document: Node): void => {
  const { components } = document
  const bodies = Object.values<Node>(document["paths"]).flatMap((item) =>
    Object.values<Node>(item).flatMap(({ requestBody }) => requestBody === undefined ? [] : [requestBody])
  )
  const requests = reachable(document, bodies)
  components.schemas = mapValues(
    components.schemas,
    (schema, name) =>
      requests.has(name) ? schema : mapSchema(schema, (part) => {
        const { additionalProperties, ...open } = part
        return additionalProperties === false ? open : part
      })
  )
}
