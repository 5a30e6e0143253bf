import { Schema, SchemaGetter } from "effect"

/**
 * The bounded field schemas that every request and resource is made of. Every text is bounded, well-formed Unicode and
 * free of NUL, because PostgreSQL stores neither lone surrogates nor NUL and canonical JSON refuses the former.
 */

/** The key of {@link documentedAs}. */
export const documentedAsKey = "x-documented-as"

/**
 * An annotation: what callers send or get is described by this JSON Schema instead of the one that follows from the
 * schema, for a text of the query that is a number, or a value that is decoded in a second step.
 */
export const documentedAs = (jsonSchema: Readonly<Record<string, unknown>>) => ({ [documentedAsKey]: jsonSchema })

/** The first example of a schema, for the examples of what it is part of. Throws when it has none. */
export const exampleOf = <S extends Schema.Top>(schema: S): S["Type"] => {
  const examples = (Schema.resolveAnnotations(schema)?.["examples"] ?? []) as ReadonlyArray<S["Type"]>
  if (examples.length === 0) throw new TypeError("The schema has no example")
  return examples[0]!
}

/** As a pattern of every dialect of regular expressions. Lone surrogates are not JSON in the first place. */
const withoutNul = "^[^\\x00]*$"

const storable = (jsonSchema: { readonly pattern?: string }) =>
  Schema.makeFilter(
    (value: string) =>
      value.includes("\u0000") || !value.isWellFormed() ? "must be well-formed Unicode without NUL" : undefined,
    { toJsonSchema: () => jsonSchema }
  )

const isStorable = storable({ pattern: withoutNul })

/** Text of `minimum` to `maximum` UTF-16 code units. */
export const text = (minimum: number, maximum: number) =>
  Schema.String.check(Schema.isBetweenLength(minimum, maximum), isStorable)

/** A display name, 1 to 255 characters. */
export const Name = text(1, 255)

const codePattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

/** A stable, human-readable code, unique in its scope. */
export const Code = Schema.String.check(
  Schema.isPattern(codePattern, {
    expected: "letters, digits, '.', '_', ':' or '-', starting with a letter or digit, at most 128 characters",
    toJsonSchema: () => ({ pattern: codePattern.source })
  })
)

const emailPattern = /^[^\s@]{1,64}@[^\s@]{1,255}$/

/** The pattern with what is also refused. */
const emailDocumented = "^[^\\s@\\x00]{1,64}@[^\\s@\\x00]{1,255}$"

/** An e-mail address, at most 320 characters (RFC 5321 section 4.5.3.1). */
export const Email = Schema.String.check(
  Schema.isPattern(emailPattern, {
    expected: "an e-mail address",
    toJsonSchema: () => ({ pattern: emailDocumented })
  }),
  Schema.isMaxLength(320),
  storable({})
)

/** An e-mail address, or the empty string, which clears it. */
export const EmailOrClear = Schema.String.check(
  Schema.makeFilter(
    (value: string) =>
      value === "" ||
      (emailPattern.test(value) && value.length <= 320 && value.isWellFormed() && !value.includes("\u0000")),
    {
      expected: "an e-mail address, at most 320 characters, or the empty string to clear it",
      toJsonSchema: () => ({ pattern: `^$|${emailDocumented}`, maxLength: 320 })
    }
  )
)

const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/

// An offset can carry the first and the last day out of these years.
const earliest = Date.parse("0001-01-01T00:00:00Z")
const latest = Date.parse("9999-12-31T23:59:59.999Z")

/** Tells an RFC 3339 date-time that names a real instant of the years 0001 to 9999. */
const isTimestamp = (value: string): boolean => {
  if (!rfc3339.test(value) || value.startsWith("0000")) return false
  // JavaScript rolls 31 February over to March: comparing the day catches it.
  const local = Date.parse(`${value.slice(0, 10)}T00:00:00Z`)
  if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 10) !== value.slice(0, 10)) return false
  const instant = Date.parse(value)
  return instant >= earliest && instant <= latest
}

/**
 * An instant in a request: RFC 3339 with an offset. It is read as the same instant in UTC with milliseconds, because
 * PostgreSQL takes no offset beyond 15:59.
 */
export const TimestampInput = Schema.String.annotate({ format: "date-time" }).check(
  Schema.makeFilter(
    isTimestamp,
    {
      expected: "an RFC 3339 date-time with an offset, such as 2027-01-31T12:00:00Z",
      toJsonSchema: () => ({ pattern: rfc3339.source })
    }
  )
).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((value: string) => new Date(value).toISOString()),
    encode: SchemaGetter.transform((value: string) => value)
  })
)

/** An instant in a response: RFC 3339 in UTC with milliseconds. */
export const Timestamp = Schema.String.annotate({ format: "date-time" })

const metadataLimit = 16 * 1024
const metadataDepth = 32

/** Whether objects and arrays lie at most `levels` deep in each other. */
const isShallow = (value: Schema.Json, levels: number): boolean =>
  typeof value !== "object" || value === null ||
  (levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1)))

/** Free-form JSON object of the caller's, at most 16 KiB as JSON. */
export const Metadata = Schema.Record(Schema.String, Schema.Json).annotate({
  description:
    "A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it."
}).check(
  Schema.makeFilter((value: { readonly [key: string]: Schema.Json }) => {
    // What is nested without end would exhaust the stack of whoever writes it.
    if (!isShallow(value, metadataDepth)) return `must be nested at most ${metadataDepth} deep`
    const json = JSON.stringify(value)
    if (json.length > metadataLimit) return "must be at most 16 KiB as JSON"
    // JSON.stringify writes NUL and lone surrogates as escapes, which is where they can be seen.
    return /(?<!\\)(\\\\)*\\u(0000|d[89a-f][0-9a-f]{2})/.test(json)
      ? "must be well-formed Unicode without NUL"
      : undefined
  })
)
export type Metadata = typeof Metadata.Type

/** The status of an HTTP answer. */
export const httpStatus = Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 599 }))

const maximumInt32 = 2_147_483_647

/** A whole number from `minimum` to the largest 32-bit integer. */
export const count = (minimum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum: maximumInt32 }))

/** A whole number from `minimum` that survives JSON in every language (at most 2^53 - 1). */
export const bigCount = (minimum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum: Number.MAX_SAFE_INTEGER })).annotate({ format: "int64" })

/** A whole number that survives JSON in every language, of either sign. */
export const anyBigCount = bigCount(Number.MIN_SAFE_INTEGER)

const echoable = /^[\x20\x21\x23-\x25\x27-\x3b\x3d\x3f-\x5b\x5d\x5e\x5f\x61-\x7e]+$/

/**
 * Text that is echoed inside signed data: printable ASCII without `<>&"\` and the backtick, so that no JSON library in
 * any language escapes it differently.
 */
export const echoed = (minimum: number, maximum: number) =>
  Schema.String.check(
    // Of any text half the minimum would be documented, because JSON Schema counts characters outside of the basic plane
    // once; here there are none.
    Schema.isBetweenLength(minimum, maximum, { toJsonSchema: () => ({ minLength: minimum, maxLength: maximum }) }),
    Schema.isPattern(echoable, {
      expected: "printable ASCII without < > & \" \\ `",
      toJsonSchema: () => ({ pattern: echoable.source })
    })
  )
