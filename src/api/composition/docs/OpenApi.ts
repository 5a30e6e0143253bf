import { OpenApi } from "effect/http-api"
import { stringify } from "yaml"
import { documentedAsKey } from "../../../domain/ground/wire/Fields.ts"
import { Api } from "../Api.ts"
import { exampleOf } from "./Examples.ts"
import { externalDocs, guideLink, guideOf } from "./GuideLinks.ts"
import { introduction } from "./Introduction.ts"
import { operations } from "./Operations.ts"
import type { Operation } from "./Operations.ts"
import { shareParameters } from "./Parameters.ts"
import { headers, isErrorSchema, responsesOf, shareResponses } from "./Responses.ts"
import { describeSchemas, flatten, openAnswers, unify } from "./Schemas.ts"
import type { Node } from "./Schemas.ts"
import { tagOf, tags } from "./Tags.ts"
import { describeDeliveries } from "./WebhookSection.ts"

const securitySchemes: Node = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description:
      "Management operations: `Authorization: Bearer <token>`, with the token of an API key. Each operation " +
      "needs the scopes of `x-required-scopes`, usually one. `admin` satisfies every scope; a write scope " +
      "satisfies the matching read scope."
  },
  license: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "Runtime operations: the header is the word `License`, a space, and the license key, for example " +
      "`License CS-7K3Q9-W4TBN-2HX8M-RD5VE-0PM2X`."
  },
  publishable: {
    type: "http",
    scheme: "bearer",
    description: "Opening trials: `Authorization: Bearer <publishable-key>`, with a publishable key of the product, " +
      "`cpk_...`. It is part of the app and not a secret."
  }
}

const byName = (node: Node): Node =>
  Object.fromEntries(Object.entries(node).toSorted(([a], [b]) => a < b ? -1 : a > b ? 1 : 0))

/** An operation in the order in which it is read. */
const ordered = (node: Node): Node => {
  const { description, operationId, parameters, requestBody, responses, security, summary, tags, ...more } = node
  return { tags, summary, description, operationId, security, parameters, requestBody, responses, ...more }
}

/** The paths in the order of their tags, and otherwise as they are declared. */
const inOrder = (paths: Node): Node => {
  const placeOf = (item: Node): number => {
    const [first] = Object.values<Node>(item)
    return tags.findIndex(({ name }) => name === first!["tags"][0])
  }
  return Object.fromEntries(
    Object.entries<Node>(paths)
      .map(([path, item]): [string, Node] => [
        path,
        Object.fromEntries(Object.entries<Node>(item).map(([method, node]) => [method, ordered(node)]))
      ])
      .toSorted(([, a], [, b]) => placeOf(a) - placeOf(b))
  )
}

/** A copy without absent values, which would be written as null in YAML. */
const withoutAbsent = (node: Node): Node => JSON.parse(JSON.stringify(node))

/** The OpenAPI 3.1 document, derived from the declarations. */
export const openApiDocument = (publicUrl: string, version: string): Node => {
  const document: Node = { ...OpenApi.fromApi(Api, { includeAnnotationKey: (key) => key === documentedAsKey }) }
  const { components } = document
  document["info"] = {
    title: "Countersign",
    version,
    description: introduction(publicUrl),
    license: { name: "Proprietary", url: `${publicUrl}/docs` },
    contact: { name: "Countersign", url: `${publicUrl}/docs` }
  }
  document["servers"] = [{ url: publicUrl }]
  document["tags"] = tags.map(({ description, guides, name }) => ({
    name,
    description: `${description}\n\nGuides: ${guides.map((guide) => guideLink(guide, publicUrl)).join(", ")}.`
  }))
  flatten(document)
  unify(document)
  // Every error is answered in one form; the codes of an operation stand in its responses.
  for (const name of Object.keys(components.schemas)) if (isErrorSchema(name)) delete components.schemas[name]
  describeSchemas(document)
  openAnswers(document)
  components.securitySchemes = securitySchemes
  components.headers = headers
  components.responses = {}

  const declarations = new Map(operations.map((operation) => [operation.operationId, operation]))
  const nodes = Object.values<Node>(document["paths"]).flatMap((item) =>
    Object.values<Node>(item).map((node): readonly [Node, Operation] => [node, declarations.get(node["operationId"])!])
  )
  shareParameters(document, nodes)
  for (const [node, operation] of nodes) {
    node["tags"] = [tagOf(operation.group)]
    node["responses"] = responsesOf(node, operation, document, publicUrl)
    node["externalDocs"] = externalDocs(guideOf(operation), publicUrl)
    node["x-error-codes"] = operation.codes
    if (operation.declaration.scope === "none") node["security"] = []
    for (const media of Object.values<Node>(node["requestBody"]?.content ?? {})) {
      media["example"] = exampleOf(media["schema"], components.schemas, `the request of ${operation.operationId}`)
    }
  }
  shareResponses(document, nodes.map(([node]) => node))
  describeDeliveries(document)
  document["paths"] = inOrder(document["paths"])
  components.schemas = byName(components.schemas)
  components.responses = byName(components.responses)
  const { openapi, info, servers, tags: chapters, paths, webhooks } = document
  return withoutAbsent({ openapi, info, servers, tags: chapters, paths, webhooks, components })
}

/**
 * The document as YAML. Texts that a reader of YAML 1.1 would take for something else, such as instants, are quoted, and
 * nothing is an alias.
 */
export const toYaml = (document: Node): string =>
  stringify(document, { aliasDuplicateObjects: false, lineWidth: 0, version: "1.1" })
