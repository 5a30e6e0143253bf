import { Effect } from "effect"
import { runSql } from "../harness/Database.ts"
import type { IssuedLicense } from "../harness/Fixture.ts"
import { counterMark, requestBytes } from "../harness/HttpRequest.ts"
import { BenchError } from "../harness/ServiceProcess.ts"
import type { ServiceProcess } from "../harness/ServiceProcess.ts"
import type { Write } from "./limitWrites.ts"

/** A lease token stands behind this in a heartbeat and in the answer to it, which has the next one. */
const leaseToken = { after: "\"lease_token\":\"", length: 47 }

const paths: Readonly<Record<Write, string>> = {
  activate: "/api/v1/license/activate",
  consume: "/api/v1/license/consume",
  checkout: "/api/v1/license/floating/checkout",
  heartbeat: "/api/v1/license/floating/heartbeat"
}

const bodies: Readonly<Record<Exclude<Write, "heartbeat">, (license: IssuedLicense) => object>> = {
  activate: () => ({ fingerprint: `bench-${counterMark}`, hostname: "bench", os: "linux" }),
  consume: ({ fingerprint }) => ({ fingerprint, feature_code: "export", amount: 1, event_id: `use-${counterMark}` }),
  checkout: () => ({ fingerprint: `bench-${counterMark}`, hostname: "bench", os: "linux" })
}

/** A service that is asked for an operation that writes, with each of the licenses in turn. */
export const writeTarget = (service: ServiceProcess, write: Write, issued: ReadonlyArray<IssuedLicense>) =>
  Effect.gen(function*() {
    const request = (license: IssuedLicense, body: object) =>
      requestBytes(service.port, "POST", paths[write], {
        Authorization: `License ${license.licenseKey}`,
        ...(write === "heartbeat" ? {} : { "Idempotency-Key": `bench-${write}-${counterMark}` })
      }, body)
    const target = { port: service.port, pid: service.pid }
    if (write !== "heartbeat") {
      return { ...target, requests: issued.map((license) => request(license, bodies[write](license))) }
    }
    const requests = yield* Effect.forEach(
      issued,
      (license) => Effect.map(takeSeat(service, license), (lease_token) => request(license, { lease_token }))
    )
    return { ...target, requests, carry: leaseToken }
  })

/** Checks out a floating seat for the device of a license; answers the lease token. */
export const takeSeat = (
  { call }: ServiceProcess,
  { fingerprint, licenseKey }: IssuedLicense
): Effect.Effect<string, BenchError> =>
  Effect.tryPromise({
    try: async () => {
      const answer = await call("POST", paths.checkout, { fingerprint }, {
        authorization: `License ${licenseKey}`,
        "idempotency-key": `seat-${fingerprint}`
      })
      return String(answer.lease_token)
    },
    catch: (cause) => new BenchError({ message: String(cause) })
  })

/** Lets each license have more devices than the API does, because more are bound in one run. */
export const liftActivations = (databaseUrl: string) =>
  runSql(databaseUrl, [["UPDATE policies SET max_activations = 1000000", []], ["ANALYZE", []]])
