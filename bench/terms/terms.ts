import { Console, Effect } from "effect"
import { loadInTurns, printSummaries, rounds } from "../harness/Comparison.ts"
import type { Target } from "../harness/Comparison.ts"
import { benchDatabase, temporaryDirectory } from "../harness/Database.ts"
import { issueLicenses } from "../harness/Fixture.ts"
import type { IssuedLicense } from "../harness/Fixture.ts"
import { counterMark, requestBytes } from "../harness/HttpRequest.ts"
import type { LoadAnswer, LoadQuestion } from "../harness/load.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { figure } from "../harness/Report.ts"
import { startService } from "../harness/ServiceProcess.ts"
import { startWorker } from "../harness/Worker.ts"

/** How many licenses of each kind callers ask about in turn. */
const licenses = 1000

/** What is asked about a license. */
const bodies = {
  validate: ({ fingerprint }: IssuedLicense) => ({ fingerprint, nonce: "n-0123456789" }),
  consume: ({ fingerprint }: IssuedLicense) => ({
    fingerprint,
    feature_code: "export",
    amount: 1,
    event_id: `use-${counterMark}`
  })
}

/** Loads validate and consume of licenses with assignments and of licenses with terms in turns, on one service. */
export const terms = ({ callers, json, profile, seconds }: BenchOptions) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const databaseUrl = yield* benchDatabase(directory)
    const service = yield* startService(databaseUrl, directory, profile)
    const assigned = yield* issueLicenses(service, licenses)
    const granted = yield* issueLicenses(service, licenses, { by: "terms" })
    const load = yield* startWorker<LoadQuestion, LoadAnswer>(new URL("../harness/load.ts", import.meta.url))

    const targetOf = (operation: keyof typeof bodies, issued: ReadonlyArray<IssuedLicense>): Target => ({
      port: service.port,
      pid: service.pid,
      requests: issued.map((license) =>
        requestBytes(service.port, "POST", `/api/v1/license/${operation}`, {
          Authorization: `License ${license.licenseKey}`,
          ...(operation === "consume" ? { "Idempotency-Key": counterMark } : {})
        }, bodies[operation](license))
      )
    })

    const results = []
    for (const operation of ["validate", "consume"] as const) {
      const [without, withTerms] = yield* loadInTurns(
        load,
        [targetOf(operation, assigned), targetOf(operation, granted)],
        { callers, seconds }
      )
      const ratio = withTerms!.requestsPerSecond / without!.requestsPerSecond
      results.push({ operation, without: without!, withTerms: withTerms!, ratio })
    }
    if (json) return yield* Effect.as(Console.log(JSON.stringify(results)), results)
    for (const { operation, ratio, without, withTerms } of results) {
      yield* printSummaries(
        `${operation}: ${callers} callers, ${licenses} licenses, ${rounds} rounds of ${
          seconds / rounds
        } s each, in turns`,
        [["assignments", without], ["terms", withTerms]],
        [`With terms it reaches ${figure(ratio, 2)} of the rate; asked for: 0.90.`]
      )
    }
    return results
  })
