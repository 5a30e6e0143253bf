import { Schema } from "effect"

/** How many headers of their own the deliveries of an endpoint may have. */
const most = 8

const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/
const valuePattern = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/
const longestValue = 2_048

/**
 * Headers that nobody else sets. Those of the connection and of the message (RFC 9110 section 7.6.1) would change what is
 * sent, those of a delivery and of its trace are ours, those of proxies say who calls, and those of the metadata services
 * of clouds open what no address check keeps shut.
 */
const reserved: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "expect",
  "forwarded",
  "host",
  "http2-settings",
  "keep-alive",
  "metadata",
  "metadata-flavor",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "via",
  // Trace Context and Baggage.
  "baggage",
  "traceparent",
  "tracestate"
])
const reservedFamilies = ["webhook-", "svix-", "x-service-", "x-forwarded-", "sec-", "x-aws-ec2-"]

const isReserved = (name: string): boolean => {
  const lower = name.toLowerCase()
  return reserved.has(lower) || reservedFamilies.some((family) => lower.startsWith(family))
}

/** The fault of the names of headers, whatever their values; undefined without one. */
const namesFault = (headers: { readonly [name: string]: unknown }): string | undefined => {
  const names = Object.keys(headers)
  if (names.length > most) return `must have at most ${most} headers`
  if (!names.every((name) => namePattern.test(name))) {
    return "must have names of 1 to 64 characters that a header may have: letters, digits, '-', '_' and a few others"
  }
  const taken = names.find(isReserved)
  if (taken !== undefined) return `must not have ${taken}, which belongs to the delivery or to the connection`
  return new Set(names.map((name) => name.toLowerCase())).size === names.length
    ? undefined
    : "must have each header once, however its name is written"
}

const Value = Schema.String.check(
  // For any text, half the minimum would be documented; here no character counts twice.
  Schema.isBetweenLength(1, longestValue, { toJsonSchema: () => ({ minLength: 1, maxLength: longestValue }) }),
  Schema.isPattern(valuePattern, {
    expected: "printable ASCII, without blanks around it",
    toJsonSchema: () => ({ pattern: valuePattern.source })
  })
)

const named = Schema.makeFilter(namesFault, {
  toJsonSchema: () => ({ maxProperties: most, propertyNames: { pattern: namePattern.source } })
})

const about = `at most ${most}, such as the key that an API gateway asks for. Stored as secrets are, and never shown ` +
  "again: `header_names` says which there are. Those of the connection, of the delivery (`webhook-*`, `svix-*`, " +
  "`X-Service-*`) and of traces are refused."

/** Headers of a receiver's own, by name. */
export const RequestHeaders = Schema.Record(Schema.String, Value).annotate({
  description: `Headers of each delivery in addition to those of the service: ${about}`,
  examples: [{ "X-Api-Key": "k-4f0c2a" }]
}).check(named).annotate({ identifier: "WebhookRequestHeaders" })
export type RequestHeaders = typeof RequestHeaders.Type

/** The headers of an endpoint without any: one object, so that a comparison by identity is enough. */
export const noHeaders: RequestHeaders = {}

/** A change of custom headers. */
export const RequestHeadersChange = Schema.Record(
  Schema.String,
  Schema.NullOr(Value).annotate({ description: "The value from now on; `null` removes the header." })
).annotate({
  description: `Headers to set, and with \`null\` to remove; the others stay. An endpoint has ${about}`,
  examples: [{ "X-Api-Key": "k-81b3d7" }]
}).check(named).annotate({ identifier: "WebhookRequestHeadersChange" })
export type RequestHeadersChange = typeof RequestHeadersChange.Type

/** The headers after a change; a name that is written otherwise takes the place of the one before. */
export const changedHeaders = (before: RequestHeaders, change: RequestHeadersChange): RequestHeaders => {
  const touched = new Set(Object.keys(change).map((name) => name.toLowerCase()))
  const kept = Object.entries(before).filter(([name]) => !touched.has(name.toLowerCase()))
  const set = Object.entries(change).flatMap(([name, value]) => value === null ? [] : [[name, value] as const])
  return Object.fromEntries([...kept, ...set])
}

/** The fault of the headers that a change leaves an endpoint with. */
export const headersFault = namesFault
