import { Effect, Option, Schema } from "effect"
import type { Cause } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { declarationOf } from "../../../api/ground/Operation.ts"
import { membersOf } from "../../../domain/ground/parsing/JsonMembers.ts"
import { isVerdict } from "../../../domain/ground/wire/Errors.ts"
import { echoed } from "../../../domain/ground/wire/Fields.ts"
import type { RefusalStatement, SignedRefusal } from "../../../domain/ground/wire/Signed.ts"
import { refusalType, refusedRequest } from "../../../domain/keys/security/RefusalFormat.ts"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import { RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import { Cryptography } from "../../../services/ground/platform/Cryptography.ts"
import { Signing } from "../../../services/keys/security/Signing.ts"
import { CurrentExchange, hasBody } from "./Exchanges.ts"
import type { Exchange } from "./Exchanges.ts"
import { verdictOf } from "./Failures.ts"
import type { ReceivedRequest } from "./ReceivedRequest.ts"

/** The credential of an app as it stands in an `Authorization` header. */
const credentials = { license: /^License\s+(\S.*)$/is, publishable: /^Bearer\s+(\S+)\s*$/i } as const

const readJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const readDevice = Schema.decodeUnknownOption(RuntimeRequest)
const isNonce = Schema.is(echoed(8, 128))

/**
 * Signs the refusals of apps that are verdicts. A refusal that no credential came to, or that is the service's trouble or a
 * limit of rates, is none: it stays without a signature. Only refusals pay for it, and those are bounded: addresses that
 * try unknown keys by the limits of rates, and the rest by what a request may cost that reads the database, which is more.
 */
export const makeSignedRefusal = Effect.gen(function*() {
  const crypto = yield* Cryptography
  const signing = yield* Signing

  const statementOf = (
    { code, detail }: ReturnType<typeof verdictOf>,
    credential: string,
    { headers, method, url }: ReceivedRequest,
    text: string,
    exchange: Exchange | undefined
  ): (now: Date) => RefusalStatement => {
    const body = Option.getOrUndefined(readJson(text))
    const device = Option.getOrUndefined(readDevice(body))
    const named = membersOf(body)["nonce"]
    const nonce = [named, headers["x-nonce"]].find(isNonce)
    const { id, kind } = exchange?.principal ?? {}
    return (now) => ({
      type: refusalType,
      code,
      ...(detail === undefined ? {} : { detail }),
      ...(kind === "license" ? { license_id: id! } : {}),
      credential_hash: crypto.sha256Hex(credential),
      ...(device === undefined ? {} : { fingerprint_hash: crypto.sha256Hex(bindingOf(device).key) }),
      ...(nonce === undefined ? {} : { nonce }),
      request_hash: crypto.sha256Hex(refusedRequest(method, url, text)),
      issued_at: now.toISOString()
    })
  }

  /** The signed verdict of a refused request; undefined where the refusal decides nothing. */
  return (
    endpoint: HttpApiEndpoint.Top,
    cause: Cause.Cause<unknown>,
    request: ReceivedRequest
  ): Effect.Effect<SignedRefusal | undefined> => {
    const { scope } = declarationOf(endpoint)
    const verdict = verdictOf(cause)
    if (!(scope === "license" || scope === "publishable") || !isVerdict(verdict.code)) return Effect.undefined
    const credential = credentials[scope].exec(request.headers["authorization"] ?? "")?.[1]
    if (credential === undefined) return Effect.undefined
    // The body is not waited for where nothing is signed.
    const text = hasBody(request) ? Effect.orElseSucceed(request.text, () => "") : Effect.succeed("")
    return Effect.zip(text, CurrentExchange).pipe(
      Effect.flatMap(([text, exchange]) => signing.signNow(statementOf(verdict, credential, request, text, exchange))),
      // Canonical text is written again as it stands.
      Effect.map(({ data, signature }): SignedRefusal => ({ data: JSON.parse(data), signature })),
      // Without the database no verdict can be reached: then the refusal is what it is without a signature.
      Effect.catchDefect(() => Effect.undefined)
    )
  }
})

/** The `meta` of a refusal, with the signed verdict if there is one. */
export const withRefusal = <M extends object>(meta: M, refusal: SignedRefusal | undefined): M =>
  refusal === undefined ? meta : { ...meta, refusal }
