/** Where a span stands in its trace. */
export interface SpanPlace {
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
}

// W3C Trace Context, version 00. An id of zeros alone is invalid.
const form = /^00-(?<traceId>(?!0{32})[0-9a-f]{32})-(?<spanId>(?!0{16})[0-9a-f]{16})-(?<flags>[0-9a-f]{2})$/

/** Reads a `traceparent` header; undefined when there is none or it is malformed. */
export const parseTraceparent = (text: string | null | undefined): SpanPlace | undefined => {
  const { flags, spanId, traceId } = form.exec(text ?? "")?.groups ?? {}
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The `traceparent` of a span. */
export const formatTraceparent = ({ sampled, spanId, traceId }: SpanPlace): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`
