// What the console asks by itself says so: it is no use of the session, which would otherwise never be idle in a visible tab.
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import type { Job } from "../../../../src/client/api/index.ts"
import { person } from "../../../fixtures/ConsoleAnswers.ts"
import { openTab } from "../../../fixtures/ConsoleTab.ts"

const job: Job = {
  id: "job_06eqpx1trxz3h94vqjm3a6kz7c",
  action: "suspend",
  selection: { ids: ["lic_06eqpx1trxz3h94vqjm3a6kz7c"] },
  parameters: {},
  author: { type: "person", id: person().id, name: "Ada" },
  state: "running",
  total: 1,
  done: 0,
  skipped: 0,
  failed: 0,
  created_at: "2026-11-29T12:00:00.000Z"
}

/** The files with a timer, and why it makes no request that would have to say that nobody asked for it. */
const timers: Readonly<Record<string, string>> = {
  "licensing/bulk/LicensesCsv.tsx": "waits for an export, by `askAgain`",
  "ground/design/Copy.tsx": "hides a word",
  "ground/lists/SaveFile.ts": "forgets a file",
  "ground/lists/Settled.ts": "waits for the end of typing",
  "ground/session/Load.ts": "looks again, by `polling`",
  "keys/settings/MailTemplatePage.tsx": "waits for the end of typing"
}

describe("a page that looks again", () => {
  it("says of each look but the first that nobody asked for it", async () => {
    const tab = await openTab(`/console/licenses/jobs/${job.id}`, {
      who: person(),
      answers: { jobs: { get: job, listRows: [] } }
    })
    const looks = await tab.until("it has looked three times", () => {
      const found = tab.service.of("jobs.get")
      return found.length > 2 ? found : undefined
    })
    assert.notProperty(looks[0]!.headers, "countersign-poll")
    for (const look of looks.slice(1)) assert.strictEqual(look.headers["countersign-poll"], "true")
    for (const list of tab.service.of("jobs.listRows")) assert.notProperty(list.headers, "countersign-poll")
  })

  it("is one of few places that have a timer", () => {
    const root = "src/console/"
    const found = globSync(`${root}**/*.{ts,tsx}`).filter((file) =>
      /set(?:Timeout|Interval)\(/.test(readFileSync(file, "utf8"))
    )
    assert.sameMembers(found.map((file) => file.slice(root.length)), Object.keys(timers))
  })
})
