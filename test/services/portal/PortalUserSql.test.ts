import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PortalUser } from "../../../src/domain/portal/PortalUser.ts"
import { sortedPage } from "../../../src/services/ground/persistence/KeysetPagination.ts"
import { rowReader } from "../../../src/services/ground/persistence/RowToWire.ts"
import { insertUserDevices } from "../../../src/services/licensing/standings/UserStandingSql.ts"
import { arePresent, listPortalUsers } from "../../../src/services/portal/PortalSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { makeUserRows } from "../../fixtures/UserRows.ts"
import { Workers } from "../../fixtures/Workers.ts"

const read = rowReader(PortalUser)

describe("the people of a license in the portal", () => {
  layer(Workers.layer)((it) => {
    it.effect("are those with a seat or an invitation, with the devices that hold one: all counted, the last seen by name", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const userOf = makeUserRows(first)
        const licenseId = yield* rows.license()
        const [ada, bob] = [
          yield* userOf(licenseId, { email: "ada@example.com" }),
          yield* userOf(licenseId, { status: "invited" })
        ]
        yield* userOf(licenseId, { status: "removed" })
        yield* userOf(yield* rows.license())
        const device = Effect.fnUntraced(function*(userId: string, hoursAgo: number, members: object) {
          const { id } = yield* rows.device({
            license_id: licenseId,
            floating: false,
            last_seen_at: first`now() - ${hoursAgo}::int * interval '1 hour'`,
            ...members
          })
          yield* insertUserDevices(first, [{ deviceId: id, userId }])
        })
        yield* device(ada, 3, { name: "Oldest", hostname: "host-3" })
        yield* device(ada, 1, { hostname: "host-1" })
        yield* device(ada, 2, {})
        yield* device(ada, 0, { name: "Reset", status: "reset" })
        yield* device(ada, 0, { name: "Floating", floating: true })
        const shown = (namedDevices: number) =>
          Effect.map(
            sortedPage({
              sql: first,
              list: "portal-users",
              products: "owned",
              filters: { licenseId },
              page: { limit: 10, cursor: undefined },
              alias: "u.",
              conditions: arePresent(first, licenseId),
              rows: (clauses, limit) => listPortalUsers(first, { licenseId, namedDevices }, clauses, limit),
              read
            }),
            ({ items }) => items.map(({ device_count, device_names, id }) => [id, device_count, device_names])
          )
        assert.deepStrictEqual(yield* shown(2), [[bob, 0, []], [ada, 3, ["host-1", ""]]])
        assert.deepStrictEqual(yield* shown(9), [[bob, 0, []], [ada, 3, ["host-1", "", "Oldest"]]])
      }))
  })
})
