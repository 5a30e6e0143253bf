import { Effect, Option, Schema } from "effect"
import type { Cause } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { declarationOf } from "../../../api/ground/Operation.ts"
import type { Code } from "../../../domain/ground/wire/Errors.ts"
import { parseLicenseKey } from "../../../domain/keys/security/Credential.ts"
import { licenseKeyIn } from "../../../domain/keys/security/CredentialHint.ts"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import { ConsumeRequest, RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import { RefusalLog } from "../../../services/evidence/audit/RefusalLog.ts"
import { Vault } from "../../../services/keys/security/Vault.ts"
import { licenseKeyPurpose } from "../../../services/licensing/licenses/Licenses.ts"
import { RequestOrigin } from "../../../services/log/Provenance.ts"
import type { Actor } from "../../../services/log/Provenance.ts"
import type { ReceivedRequest } from "./Exchanges.ts"
import { verdictOf } from "./Failures.ts"
import { decodedPathOf } from "./Refusal.ts"

/** The device and the feature that a runtime request names; nothing when the body does not decode. */
const questionOf = (body: string) => {
  const json = Option.liftThrowable(JSON.parse)(body)
  const request = Option.flatMap(json, Schema.decodeUnknownOption(RuntimeRequest))
  const use = Option.flatMap(json, Schema.decodeUnknownOption(ConsumeRequest))
  return {
    binding: Option.getOrUndefined(Option.map(request, bindingOf)),
    featureCode: Option.getOrUndefined(Option.map(use, ({ feature_code }) => feature_code))
  }
}

const licensePath = /^\/api\/v1\/licenses\/([A-Za-z0-9_]{1,64})(?:\/|$)/

/** Our own failures are not refusals, and a rate-limited caller is not recorded at every call. */
const isRefusal = (status: number, code: Code): boolean => status >= 400 && status < 500 && code !== "RATE_LIMITED"

/**
 * Hands refused requests to the refusal log. It runs only when a request has failed, so that a successful one pays
 * nothing.
 */
export const makeRefused = Effect.gen(function*() {
  const log = yield* RefusalLog
  const vault = yield* Vault

  /** Records a refused runtime request under its license key; a malformed key belongs to no license. */
  const app = Effect.fnUntraced(function*(
    endpoint: HttpApiEndpoint.Top,
    cause: Cause.Cause<unknown>,
    request: ReceivedRequest
  ) {
    const { action = "none" } = declarationOf(endpoint)
    const { code, status } = verdictOf(cause)
    if (action === "none" || !isRefusal(status, code)) return
    const key = parseLicenseKey(licenseKeyIn(request.headers["authorization"]))
    if (key === undefined) return
    const { requestId } = yield* RequestOrigin
    const body = yield* Effect.orElseSucceed(request.text, () => "")
    yield* log.record({
      action,
      status,
      code,
      requestId,
      by: { keyHash: vault.keyedHash(licenseKeyPurpose, key) },
      ...questionOf(body)
    })
  })

  /** Records a refused management request under its caller. */
  const management = Effect.fnUntraced(
    function*(endpoint: HttpApiEndpoint.Top, cause: Cause.Cause<unknown>, actor: Actor) {
      const { action = "none" } = declarationOf(endpoint)
      const { code, status } = verdictOf(cause)
      if (action === "none" || !isRefusal(status, code)) return
      const request = yield* HttpServerRequest.HttpServerRequest
      const { requestId } = yield* RequestOrigin
      yield* log.record({
        action,
        status,
        code,
        requestId,
        by: { actor },
        licenseId: licensePath.exec(decodedPathOf(request.url))?.[1]
      })
    }
  )

  return { app, management }
})
