import { Config, Context, Data, Effect, Layer, Option, Redacted, Result } from "effect"
import { Flag } from "effect/cli"
import * as Path from "node:path"
import type { Credential as CredentialKind } from "../../../client/api/Call.ts"
import type { CountersignError } from "../../../client/api/index.ts"
import { Countersign, isCountersignError } from "../../../client/api/index.ts"
import type { RetryOptions } from "../../../client/api/index.ts"
import { environments } from "../../../domain/ground/environments/Environment.ts"
import { errorGuide } from "../../../domain/ground/guides/ErrorGuide.ts"
import { visibleLine } from "../../../domain/ground/parsing/VisibleText.ts"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"
import { addressUrl, dataDirectory, surroundings } from "../../config/Config.ts"
import { table } from "../../config/ConfigTable.ts"
import { keptPort } from "../../config/ServiceAddress.ts"
import { readSecretFile } from "../../config/Setting.ts"
import { Away, WrongUsage } from "../../terminal/ExitCode.ts"
import { keptToken } from "./AdminToken.ts"

/** `--url`: the service, if not the one of this machine. */
export const url = Flag.String("url").pipe(
  Flag.optional,
  Flag.withMetavar("address"),
  Flag.withDescription(
    "URL of the service, https://licenses.example.com; default: COUNTERSIGN_URL, or the local service"
  )
)

/** The service refused the request. The message has its code, the cure and the ID of the request. */
class Refused extends Data.TaggedError("Refused")<{
  readonly message: string
  readonly error: CountersignError
}> {}

/** A variable of the environment; undefined where it is not set or empty. */
const variable = (name: string): Effect.Effect<string | undefined> =>
  Effect.map(
    Effect.orDie(Config.option(Config.String(name))),
    (value) => Option.getOrUndefined(value)?.trim() || undefined
  )

/** The port of the data directory's service, as the service has recorded it. */
const writtenPort = Effect.flatMap(Effect.suspend(() => dataDirectory(surroundings())), keptPort)

/**
 * The command's environment as far as it concerns this machine's service: any program on the machine can reach its
 * port.
 */
const ownAddress = Effect.gen(function*() {
  const host = (yield* variable(table.host.name)) ?? table.host.default
  const given = yield* variable(table.port.name)
  const written = given === undefined || given === "0" ? yield* writtenPort : undefined
  if (written !== undefined) return addressUrl(host, written)
  const publicUrl = yield* variable(table.publicUrl.name)
  if (given !== "0") return addressUrl(host, given === undefined ? table.port.default : Number(given))
  if (publicUrl !== undefined) return publicUrl
  return yield* new WrongUsage({
    message:
      "PORT is 0, so the port changes at each start, and no running service has written it to the data directory. Set " +
      "COUNTERSIGN_DATA_DIR to that of the service, or specify the URL: --url http://127.0.0.1:<port>"
  })
})

const isOnThisMachine = (address: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(address).hostname)

/** The text of the file that a variable names. */
const readTokenFile = (name: string, file: string) =>
  Effect.try({
    try: () => readSecretFile(Path.resolve(file)),
    catch: (cause) => new WrongUsage({ message: `${name} cannot be read: ${(cause as Error).message}` })
  }).pipe(Effect.filterOrFail(
    (text) => text !== "",
    () => new WrongUsage({ message: `${name} names an empty file: ${file}` })
  ))

/** The source of the token, for error messages, and the token. */
interface Credential {
  readonly token: Redacted.Redacted
  readonly origin: string
}

const credential = (token: string, origin: string): Credential => ({
  token: Redacted.make(token, { label: "COUNTERSIGN_TOKEN" }),
  origin
})

/** The value of a variable, or of the file that `<name>_FILE` names. */
const givenCredential = Effect.fnUntraced(function*(name: string) {
  const given = yield* variable(name)
  if (given !== undefined) return credential(given, name)
  const file = yield* variable(`${name}_FILE`)
  return file === undefined ? undefined : credential(yield* readTokenFile(`${name}_FILE`, file), `the file ${file}`)
})

/** The variables of the credentials of apps, which only `api` sends. */
export const appCredentials = {
  licenseKey: "COUNTERSIGN_LICENSE_KEY",
  publishableKey: "COUNTERSIGN_PUBLISHABLE_KEY"
} as const

/** The credential of an operation for apps, or of one that needs none. */
const appCredential = Effect.fnUntraced(function*(kind: Exclude<CredentialKind, "token">) {
  if (kind === "none") return credential("", "")
  const name = appCredentials[kind]
  return (yield* givenCredential(name)) ??
    (yield* new WrongUsage({ message: `Apps call this operation. Set ${name}, or ${name}_FILE to a file with it` }))
})

/**
 * COUNTERSIGN_TOKEN, the file that COUNTERSIGN_TOKEN_FILE names, or the admin token that this machine keeps. The last
 * never leaves the machine: another address gets only a token that was set for it.
 */
const credentialFor = Effect.fnUntraced(function*(address: string) {
  const given = yield* givenCredential("COUNTERSIGN_TOKEN")
  if (given !== undefined) return given
  const set = "Set COUNTERSIGN_TOKEN to an API key, or COUNTERSIGN_TOKEN_FILE to a file with one"
  const isOwn = isOnThisMachine(address) ||
    (yield* variable(table.publicUrl.name))?.replace(/\/+$/, "") === address
  if (!isOwn) {
    return yield* new WrongUsage({ message: `There is no token for ${address}. ${set} of that service` })
  }
  const kept = yield* keptToken.pipe(
    Effect.catchTag("NoAdminToken", ({ directory }) =>
      new WrongUsage({
        message: `There is no token for ${address}. ${set}, or COUNTERSIGN_DATA_DIR to the data directory of the ` +
          `service: ${directory} keeps no admin token`
      }))
  )
  return credential(kept.token, kept.isKept ? kept.file : kept.otherwise.token)
})

/** The error guide's text about a code, as plain text. */
const cureOf = (code: string): string | undefined =>
  Object.hasOwn(errorGuide, code) ? errorGuide[code as keyof typeof errorGuide].cure.replaceAll("`", "") : undefined

/** A refusal for a person: what, each finding, the cure, and the ID to quote. */
const refusal = (error: CountersignError, origin: string, named: (path: string) => string): string => {
  const cure = cureOf(error.code)
  return [
    visibleLine(error.detail === undefined ? error.message : `${error.message} ${error.detail}`),
    ...error.fields.map(({ message, path }) => visibleLine(`  ${named(path)}: ${message}`)),
    ...(cure === undefined ? [] : [`  ${cure}`]),
    ...(error.status === 401 ? [`  The token is that of ${origin}.`] : []),
    `  ${[error.code, error.requestId && `request ${error.requestId}`, error.docUrl].filter(Boolean).join(" · ")}`
  ].join("\n")
}

/** Whether the request was not decided, so that a retry may succeed: no answer, 408, 429, or a 5xx. */
const isUndecided = ({ code, status }: CountersignError): boolean =>
  status === undefined || code === "INVALID_ANSWER" || status === 408 || status === 429 || status >= 500

/** The cause of a failed `fetch`, which itself says only that it failed. */
const reasonOf = (error: CountersignError): string => {
  const beneath = (error.cause as { readonly cause?: { readonly message?: string; readonly code?: string } })?.cause
  const reason = [beneath?.message, beneath?.code].find((text) => text !== undefined && text !== "")
  return reason === undefined ? "" : ` (${reason})`
}

/** The failure of a call, as a failure of the command. */
const failureOf = (
  { address, isNamed, origin }: { readonly address: string; readonly isNamed: boolean; readonly origin: string },
  cause: unknown,
  named: (path: string) => string
): Effect.Effect<never, Failed> => {
  // A path parameter that would change the path; the client refuses to send it.
  if (cause instanceof TypeError) return Effect.fail(new WrongUsage({ message: cause.message }))
  if (!isCountersignError(cause)) return Effect.die(cause)
  if (!isUndecided(cause)) return Effect.fail(new Refused({ message: refusal(cause, origin, named), error: cause }))
  const { code, message, requestId, status } = cause
  return Effect.fail(
    new Away({
      message: code === "NETWORK_ERROR"
        ? `${address} cannot be reached${reasonOf(cause)}. Check that the service runs${
          isNamed
            ? ", or set another URL with --url or COUNTERSIGN_URL"
            : `. If it was started with another ${table.port.name} or ${table.dataDirectory.name}, set the same here, ` +
              "or use --url or COUNTERSIGN_URL"
        }`
        : `${address}: ${[message, status, requestId && `request ${requestId}`].filter(Boolean).join(" · ")}`
    })
  )
}

/** The reasons why a call has no answer. */
export type Failed = Refused | Away | WrongUsage

/** A call of the typed client. */
export type ServiceCall<A> = (client: Countersign) => PromiseLike<A>

/** How a service is named: `--url`, or COUNTERSIGN_URL. */
const namedAddress = Effect.fnUntraced(function*({ url }: { readonly url: Option.Option<string> }) {
  return Option.getOrUndefined(url) ?? (yield* variable("COUNTERSIGN_URL"))
})

/**
 * The address of the service: `--url`, COUNTERSIGN_URL, or this machine's settings with the port that the service of
 * its data directory has recorded. No slash at its end.
 */
const serviceAddress = Effect.fnUntraced(function*(input: { readonly url: Option.Option<string> }) {
  const named = (yield* namedAddress(input)) ?? (yield* ownAddress)
  return yield* Effect.fromResult(table.publicUrl.parse(named)).pipe(
    Effect.mapError((problem) => new WrongUsage({ message: `The address of the service ${problem}` }))
  )
})

/**
 * The running service, as operators' commands call it: its management API, with an API key. Its address comes from
 * `--url`, COUNTERSIGN_URL, or the settings and data directory of this machine; the token from COUNTERSIGN_TOKEN,
 * COUNTERSIGN_TOKEN_FILE, or that data directory. No argument holds a token, and nothing prints it.
 */
export class ServiceApi extends Context.Service<ServiceApi, {
  /** Of the current environment, without a slash at its end. */
  readonly address: string
  readonly token: Redacted.Redacted
  /**
   * Calls the service. A refusal is {@link Refused} (exit code 1), what was not decided after repeating it `Away` (3), a
   * text that is no id `WrongUsage` (2). `named` says how the caller has named a field of the request.
   */
  readonly ask: <A>(call: ServiceCall<A>, named?: (path: string) => string) => Effect.Effect<A, Failed>
}>()("countersign/runtime/cli/ground/ServiceApi") {
  /**
   * For a command with {@link url} among its inputs, or a token. `retries`: the retries of its calls, two by default;
   * `kind`: the credential that its operation takes.
   */
  static layer(
    { token: given, url }: { readonly url: Option.Option<string>; readonly token?: Redacted.Redacted | undefined },
    retries: RetryOptions = { maxRetries: 2 },
    kind: CredentialKind = "token"
  ) {
    return Layer.effect(
      ServiceApi,
      Effect.gen(function*() {
        const service = yield* serviceAddress({ url })
        // Below the address of an environment, the service refuses each credential of another one.
        const address = service + environments[yield* CurrentEnvironment].pathPrefix
        const isNamed = (yield* namedAddress({ url })) !== undefined
        const { origin, token } = given !== undefined
          ? { origin: "--token", token: given }
          : yield* kind === "token" ? credentialFor(service) : appCredential(kind)
        const client = new Countersign({ baseUrl: address, [kind]: Redacted.value(token), ...retries })
        return ServiceApi.of({
          address,
          token,
          ask: <A>(call: ServiceCall<A>, named = (path: string) => path) =>
            Effect.promise(async (): Promise<Result.Result<A, unknown>> => {
              try {
                return Result.succeed(await call(client))
              } catch (cause) {
                return Result.fail(cause)
              }
            }).pipe(Effect.flatMap(Result.match({
              onSuccess: Effect.succeed,
              onFailure: (cause) => failureOf({ address, isNamed, origin }, cause, named)
            })))
        })
      })
    )
  }
}
