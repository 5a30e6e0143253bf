import { assert, beforeAll, describe, it } from "@effect/vitest"
import { openApiDocument } from "../../../../src/api/composition/docs/OpenApi.ts"
import { deliveries } from "../../../../src/api/delivery/Webhooks.ts"
import { kinds } from "../../../../src/domain/log/EventKind.ts"
import type { EventKind } from "../../../../src/domain/log/EventKind.ts"
import { examine } from "../../../fixtures/Doctor.ts"
import { placeEvents } from "../../../fixtures/FeedRows.ts"
import { schemaValues } from "../../../fixtures/SchemaValues.ts"
import { chance } from "../../../fixtures/Seeded.ts"
import { startService } from "../../../fixtures/Service.ts"
import type { Body, Session } from "../../../fixtures/Session.ts"
import { session } from "../../../fixtures/Session.ts"

const rounds = 12

const document: Body = openApiDocument("https://licenses.example.com", "1.2.3")
const random = chance("event kinds")
const values = schemaValues(document, random)

const dataSchemas = new Map<EventKind, Body>(deliveries.map(({ kind, name }) => [
  kind,
  document.components.schemas[name].properties.data
]))

/** Data of an event of a kind as its schema allows it; what belongs to a license belongs to that of the round. */
const dataOf = (kind: EventKind, licenseId: string): Body => ({
  ...values.valid(dataSchemas.get(kind)!) as Body,
  id: licenseId,
  license_id: licenseId,
  feature_id: "feat_1"
})

let databaseUrl: string
let database: Session

beforeAll(async () => {
  const service = await startService()
  databaseUrl = service.databaseUrl
  await service.stop()
  database = await session(databaseUrl)
})

describe("the doctor", () => {
  it("reads to its end a log of every kind of event with every value that its schema allows", async () => {
    const events = Array.from(
      { length: rounds },
      (_, round) =>
        kinds.toSorted(() => random.upTo(2) - 1).map((kind) => ({
          kind,
          resource: `lic_round${round}`,
          data: dataOf(kind, `lic_round${round}`)
        }))
    ).flat()
    const [{ last }] = await database.query("SELECT coalesce(max(sequence), 0)::int AS last FROM event_places") as [
      Body
    ]
    const item = (member: string) => `($1::jsonb -> (n - 1)::int ->> '${member}')`
    await database.query(
      placeEvents({
        after: last,
        count: events.length,
        id: "'evt_made' || n",
        type: item("kind"),
        resourceId: item("resource"),
        data: item("data")
      }),
      [JSON.stringify(events)]
    )
    try {
      const { events: read, found } = await examine(databaseUrl)
      assert.isAtLeast(read, events.length)
      // The tables know nothing of these, and it says so.
      assert.isNotEmpty(found)
    } finally {
      await database.query("DELETE FROM event_places WHERE id LIKE 'evt_made%'")
      await database.query("DELETE FROM event_records WHERE id LIKE 'evt_made%'")
    }
  })
})
