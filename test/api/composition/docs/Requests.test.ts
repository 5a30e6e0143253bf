import { assert, describe, it } from "@effect/vitest"
import { exampleStory } from "../../../fixtures/ExampleStory.ts"
import { SchemaRequests } from "../../../fixtures/SchemaRequests.ts"
import { schemaValues } from "../../../fixtures/SchemaValues.ts"
import { chance } from "../../../fixtures/Seeded.ts"
import { someOf } from "../../../fixtures/Share.ts"

const story = await exampleStory()

describe("the story that the examples tell", () => {
  it("begins with what is made", () => story.begin())

  it("goes on at run time", () => story.goOn())

  it("makes a file for a machine without a network", () => story.makeFile())

  it("lets apps open trials", () => story.allowTrials())

  it.each([...story.rest()])("$operationId is answered as documented", async ({ operationId }) => {
    // The license of the story was made just now.
    const { status, text } = await story.tell(operationId, operationId === "explainLicense" ? { at: undefined } : {})
    assert.notInclude([400, 401, 422, 500], status, text)
  })

  it("leaves events that are delivered as documented", async () => {
    const events = await story.service.feed()
    const kinds = new Set(events.map(({ event_type }) => event_type))
    assert.isAbove(kinds.size, 30)
    for (const { created_at, data, event_type, id, sequence } of events) {
      const { schema } = story.document.webhooks[event_type].post.requestBody.content["application/json"]
      const found = story.mismatch(schema, { id, type: event_type, event_type, sequence, created_at, data })
      assert.isUndefined(found, `${event_type}: ${JSON.stringify(data)}`)
    }
  })
})

/** Of a third of the operations, by the seed of the run. The rest, each fault alone, and more bodies: test/world/contract/Requests. */
const requests = new SchemaRequests(story, schemaValues(story.document, chance("requests")), {
  rounds: 2,
  isAlone: false
})

describe("requests that are made from the document", () => {
  it.each(someOf("bodies", story.operations.filter(({ node }) => node.requestBody !== undefined), 40))(
    "$operationId takes what its schema describes, and refuses what it excludes",
    (operation) => requests.bodies(operation)
  )

  it.each(
    someOf(
      "queries",
      story.operations.filter(({ parameters }) => parameters.some((given) => given["in"] === "query")),
      30
    )
  )(
    "$operationId takes the query that is described, and refuses any other",
    (operation) => requests.queries(operation)
  )
})
