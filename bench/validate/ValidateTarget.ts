import type { Target } from "../harness/Comparison.ts"
import type { IssuedLicense } from "../harness/Fixture.ts"
import { requestBytes } from "../harness/HttpRequest.ts"

/** Whoever answers on a port, asked to validate each of the licenses in turn. */
export const validateTarget = (
  { pid, port }: Pick<Target, "port" | "pid">,
  issued: ReadonlyArray<IssuedLicense>
): Target => ({
  port,
  pid,
  requests: issued.map(({ fingerprint, licenseKey }) =>
    requestBytes(port, "POST", "/api/v1/license/validate", { Authorization: `License ${licenseKey}` }, {
      fingerprint,
      hostname: "bench",
      os: "linux",
      app_version: "1.4.2",
      nonce: "n-0123456789"
    })
  )
})
