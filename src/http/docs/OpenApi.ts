import { OpenApi } from "effect/http-api"
import { stringify } from "yaml"
import { docUrl } from "../../domain/wire/ErrorGuide.ts"
import { catalog } from "../../domain/wire/Errors.ts"
import { Api } from "../api/Api.ts"
import { isCode, operations, raises } from "./Operations.ts"
import type { Operation } from "./Operations.ts"

/** A node of the document: data of many shapes, which is only walked and written. */
export type Node = { [member: string]: any }

const walk = (node: unknown, visit: (node: Node) => void): void => {
  if (typeof node !== "object" || node === null) return
  if (!Array.isArray(node)) visit(node)
  for (const value of Object.values(node)) walk(value, visit)
}

/** The example of a schema: its own, or one made from its members. */
const exampleOf = (schema: Node | undefined, components: Node): unknown => {
  if (schema === undefined) return undefined
  if (schema["$ref"] !== undefined) return exampleOf(components[String(schema["$ref"]).split("/").at(-1)!], components)
  if (Array.isArray(schema["examples"])) return schema["examples"][0]
  if (Array.isArray(schema["enum"])) return schema["enum"][0]
  if (schema["const"] !== undefined) return schema["const"]
  if (Array.isArray(schema["anyOf"])) return exampleOf(schema["anyOf"][0], components)
  if (Array.isArray(schema["allOf"]) && schema["type"] === undefined) return exampleOf(schema["allOf"][0], components)
  switch (schema["type"]) {
    case "object":
      return Object.fromEntries(
        Object.entries((schema["properties"] ?? {}) as Node)
          .filter(([name]) => ((schema["required"] ?? []) as Array<string>).includes(name))
          .map(([name, member]) => [name, exampleOf(member, components)])
      )
    case "array":
      return [exampleOf(schema["items"], components)]
    case "integer":
    case "number":
      return schema["minimum"] ?? 0
    case "boolean":
      return true
    default:
      return "string"
  }
}

const tidyResponses = (operation: Node, { declaration, method }: Operation, components: Node): void => {
  for (const [status, response] of Object.entries(operation["responses"] as Node)) {
    const content = (response["content"] ?? {}) as Node
    for (const media of Object.values(content)) {
      const union = media.schema?.anyOf as Array<Node> | undefined
      if (union !== undefined && Number(status) >= 400) {
        media.schema.anyOf = union.filter((member) =>
          raises(String(member["$ref"]).split("/").at(-1)!, method, declaration)
        )
      }
      const left = media.schema?.anyOf as Array<Node> | undefined
      if (left?.length === 1) media.schema = left[0]
      if (left?.length === 0) delete operation["responses"][status]
    }
    if (Number(status) < 400) {
      for (const [type, media] of Object.entries(content)) {
        media.example = type === "application/json" && operation["x-example"] === undefined
          ? exampleOf(media.schema, components)
          : operation["x-example"]
      }
    } else {
      const refs: Array<string> = []
      walk(content, (node) => typeof node["$ref"] === "string" && refs.push(node["$ref"].split("/").at(-1)!))
      const names = refs.filter(isCode)
      response["description"] = names.map((name) => `${name}: ${catalog[name].meaning}`).join("\n")
      for (const media of Object.values(content)) {
        const name = names[0]
        if (name !== undefined) {
          media.example = {
            error: { code: name, message: catalog[name].meaning, doc_url: docUrl("", name) },
            meta: exampleOf({ $ref: "#/components/schemas/ResponseMeta" }, components)
          }
        }
      }
    }
  }
}

/** The OpenAPI 3.1 document, derived from the declarations. */
export const openApiDocument = (publicUrl: string, version: string): Node => {
  // The generator suffixes the error codes with "Encoded", which means nothing to readers.
  const document = JSON.parse(JSON.stringify(OpenApi.fromApi(Api)).replaceAll(/\b([A-Z_]+)Encoded\b/g, "$1")) as Node
  const components = document["components"]["schemas"] as Node
  document["info"] = {
    ...document["info"],
    version,
    license: { name: "Proprietary", url: `${publicUrl}/docs` },
    contact: { name: "Countersign", url: `${publicUrl}/docs` }
  }
  document["servers"] = [{ url: publicUrl }]
  const declarations = new Map(operations.map((operation) => [operation.operationId, operation]))
  for (const item of Object.values(document["paths"] as Node)) {
    for (const operation of Object.values(item as Node)) {
      const declared = declarations.get(operation["operationId"])!
      operation["x-example"] = declared.declaration.example
      tidyResponses(operation, declared, components)
      delete operation["x-example"]
      operation["x-error-codes"] = declared.codes
      if (declared.declaration.scope === "none") operation["security"] = []
      for (const media of Object.values((operation["requestBody"]?.content ?? {}) as Node)) {
        media.example = exampleOf(media.schema, components)
      }
    }
  }
  // Answers may gain members later; only requests are closed.
  for (const [name, schema] of Object.entries(components)) {
    if (!name.endsWith("Request")) {
      walk(schema, (node) => node["additionalProperties"] === false && delete node["additionalProperties"])
    }
  }
  walk(document["paths"], (node) => node["additionalProperties"] === false && delete node["additionalProperties"])
  return document
}

/** The document as YAML. */
export const toYaml = (document: Node): string => stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 })
