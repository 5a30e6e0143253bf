// The long form of test/api/composition/docs/Requests: more bodies from each schema, and each fault in a request of its own, for a part of the
// operations by the seed of the run, or for all (`CASES=all`).
import { beforeAll, describe, it } from "@effect/vitest"
import { exampleStory } from "../../fixtures/ExampleStory.ts"
import { SchemaRequests } from "../../fixtures/SchemaRequests.ts"
import { schemaValues } from "../../fixtures/SchemaValues.ts"
import { chance } from "../../fixtures/Seeded.ts"
import { someOf } from "../../fixtures/Share.ts"

const story = await exampleStory()
const requests = new SchemaRequests(story, schemaValues(story.document, chance("requests")), {
  rounds: 4,
  isAlone: true
})

beforeAll(async () => {
  await story.begin()
  await story.goOn()
  await story.makeFile()
  await story.allowTrials()
})

describe("requests that are made from the document, with one fault each", () => {
  it.each(someOf("bodies alone", story.operations.filter(({ node }) => node.requestBody !== undefined), 45))(
    "$operationId takes what its schema describes, and refuses what it excludes",
    (operation) => requests.bodies(operation)
  )

  it.each(
    someOf(
      "queries alone",
      story.operations.filter(({ parameters }) => parameters.some((given) => given["in"] === "query")),
      40
    )
  )(
    "$operationId takes the query that is described, and refuses any other",
    (operation) => requests.queries(operation)
  )
})
