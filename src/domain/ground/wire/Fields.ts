import { Schema, SchemaAST, SchemaGetter } from "effect"
import { emailPattern, isEmail, longestEmail } from "../parsing/Email.ts"

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
  const { examples = [], identifier = "The schema" } = Schema.resolveAnnotations(schema) ?? {}
  if (examples.length === 0) throw new TypeError(`${identifier} has no example: annotate it with \`examples\``)
  return examples[0]!
}

/**
 * A field with what it means. The description belongs to the field: the schema keeps its own, and its name in the
 * contract. Of a schema that transforms, the field of the encoded side is described, which is what is sent. A query
 * parameter has an example, too, unless its values are listed.
 */
export const field = <S extends Schema.Top>(schema: S, description: string, example?: unknown): S => {
  const annotations = { description, ...(example === undefined ? {} : { examples: [example as never] }) }
  return (schema.ast.encoding === undefined
    ? schema.annotateKey(annotations)
    : Schema.flip(Schema.flip(schema).annotateKey(annotations))) as S
}

/** A field that may be absent, with what it means. */
export const optional = <S extends Schema.Top>(
  schema: S,
  description: string,
  example?: unknown
): Schema.optionalKey<S> => Schema.optionalKey(field(schema, description, example))

/** As a pattern of every dialect of regular expressions. Lone surrogates are not JSON in the first place. */
const withoutNul = "^[^\\x00]*$"

/** The reason why PostgreSQL or canonical JSON refuses a text, or undefined. Every text schema checks it. */
export const notStorable = (value: string): string | undefined =>
  value.includes("\u0000") || !value.isWellFormed() ? "must be well-formed Unicode without NUL" : undefined

const isStorable = Schema.makeFilter(notStorable, { toJsonSchema: () => ({ pattern: withoutNul }) })

/** A whole number with commas, for descriptions: Intl takes 20 ms to begin with, which a start would wait for. */
export const inThousands = (number: number): string => String(number).replace(/\B(?=(?:\d{3})+$)/g, ",")

/** Text of `minimum` to `maximum` UTF-16 code units. */
export const text = (minimum: 0 | 1, maximum: number) =>
  Schema.String.check(Schema.isBetweenLength(minimum, maximum), isStorable)

/**
 * Text of at least `minimum` characters and at most `maximum` UTF-16 code units. Of {@link text}, half of such a minimum
 * would be documented, because JSON Schema counts a character outside of the basic plane once.
 */
export const longText = (minimum: number, maximum: number) =>
  Schema.String.check(
    Schema.isBetweenLength(minimum, maximum, { toJsonSchema: () => ({ minLength: minimum, maxLength: maximum }) }),
    Schema.makeFilter(
      (value) => [...value].length < minimum ? `must be a string of ${minimum} to ${maximum} characters` : undefined,
      { toJsonSchema: () => ({}) }
    ),
    isStorable
  )

/** The key of {@link spaceless}. */
const spacelessKey = "x-spaceless"

/** Whether a text is a whole value of what is looked for. */
export type IsValue = (text: string) => boolean

/**
 * An annotation of a filter: no value of what it looks for has a space in it, so that with one it finds nothing. In a
 * query a `+` stands for a space, and who forgets that is told so.
 */
export const spaceless = (isValue: IsValue) => ({ [spacelessKey]: isValue })

/** The {@link spaceless} annotation of a filter; undefined where values may have spaces. */
export const spacelessOf = (filter: SchemaAST.AST): IsValue | undefined =>
  SchemaAST.resolve(filter)?.[spacelessKey] as IsValue | undefined

/** A filter by a value of a kind that has no space in it. Any text of `maximum` UTF-16 code units is looked for. */
export const filterBy = (kind: Schema.ConstraintDecoder<string>, maximum: number) =>
  text(1, maximum).annotate(spaceless(Schema.is(kind)))

/** A character that a person sees. Letters that are drawn as nothing, such as the Hangul fillers, are default ignorable. */
const visibleCharacter = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Whether anything in a text can be seen. Emoji, and marks that combine with a letter, can. */
export const isVisible = (value: string): boolean => visibleCharacter.test(value)

/** As a pattern of every dialect: without NUL, and with a character that is no space and no control. */
const withVisible = "^[^\\x00]*[^\\x00-\\x20\\x7f-\\xa0\\xad][^\\x00]*$"

/** A display name of `minimum` to `maximum` UTF-16 code units: an invisible one names nothing. */
const naming = (minimum: number, maximum: number, orClear: string) =>
  Schema.String.check(
    Schema.isBetweenLength(minimum, maximum),
    Schema.makeFilter(
      (value: string) =>
        notStorable(value) ?? ((value === "" && minimum === 0) || isVisible(value)
          ? undefined
          : `must have at least one character that can be seen${orClear}`),
      { toJsonSchema: () => ({ pattern: minimum === 0 ? `^$|${withVisible}` : withVisible }) }
    )
  )

/** A text that names something for people, of at most `maximum` characters. */
export const label = (maximum: number) => naming(1, maximum, "")

/** The description of a display name. */
export const nameText = "The display name, 1 to 255 characters; at least one of them is visible."

/** A display name in a request. */
export const Name = label(255).annotate({ description: nameText })

/** A display name in a response. */
export const ShownName = Schema.String.annotate({ description: nameText })

/** A display name, or the empty string, which clears it. */
export const NameOrClear = naming(0, 255, ", or be the empty string, which clears it")

const codePattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

const codeText = "A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`."

/** A stable, human-readable code in a request. */
export const Code = Schema.String.check(
  Schema.isPattern(codePattern, {
    expected: "up to 128 letters, digits, or characters of '._:-', starting with a letter or digit",
    toJsonSchema: () => ({ pattern: codePattern.source })
  })
).annotate({ description: codeText })

/** A code in a response. */
export const ShownCode = Schema.String.annotate({ description: codeText })

const requestIdPattern = /^[A-Za-z0-9_-]{8,64}$/

/** Whether a text may be the id of a request, by its caller or by the service: it is fit for logs and events. */
export const isRequestId = (text: string): boolean => requestIdPattern.test(text)

/** The id of a request. */
export const RequestId = Schema.String.check(Schema.isPattern(requestIdPattern))

/** The pattern in every dialect, which cannot say all that is invisible. */
const emailDocumented = "^[^\\s@\\x00-\\x20\\x7f-\\xa0\\xad]{1,64}@[^\\s@\\x00-\\x20\\x7f-\\xa0\\xad]{1,255}$"

/** An e-mail address. */
export const Email = Schema.String.check(
  Schema.isPattern(emailPattern, {
    expected: "an email address, without spaces and invisible characters",
    toJsonSchema: () => ({ pattern: emailDocumented })
  }),
  Schema.isMaxLength(longestEmail)
)

/** An e-mail address, or the empty string, which clears it. */
export const EmailOrClear = Schema.String.check(
  Schema.makeFilter(
    (value: string) => value === "" || isEmail(value),
    {
      expected: "an email address of up to 320 visible characters, or the empty string to clear it",
      toJsonSchema: () => ({ pattern: `^$|${emailDocumented}`, maxLength: longestEmail })
    }
  )
)

const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/

// An offset can carry the first and the last day out of these years.
const earliest = Date.parse("0001-01-01T00:00:00Z")
const latest = Date.parse("9999-12-31T23:59:59.999Z")

/** Tells an RFC 3339 date-time that names a real instant of the years 0001 to 9999. */
export const isTimestamp = (value: string): boolean => {
  if (!rfc3339.test(value) || value.startsWith("0000")) return false
  // JavaScript rolls 31 February over to March: comparing the day catches it.
  const local = Date.parse(`${value.slice(0, 10)}T00:00:00Z`)
  if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 10) !== value.slice(0, 10)) return false
  const instant = Date.parse(value)
  return instant >= earliest && instant <= latest
}

const instantExpected = "an RFC 3339 date-time with an offset, such as 2027-01-31T12:00:00Z"

/** Whether an offset has lost its `+`, which stands for a space in a query. */
const isPlusLost = (value: string): boolean => isTimestamp(value.replace(/ (?=\d{2}:\d{2}$)/, "+"))

/** The reason why a text is not a timestamp; true if it is one. */
const judgeInstant = (value: string): boolean | string =>
  isTimestamp(value) || (isPlusLost(value)
    ? `must be ${instantExpected}: its offset begins with a space, where a query says +${value.slice(-5)} as ` +
      `%2B${value.slice(-5)}`
    : false)

/**
 * An instant in a request: RFC 3339 with an offset. It is read as the same instant in UTC with milliseconds, because
 * PostgreSQL takes no offset beyond 15:59.
 */
export const TimestampInput = Schema.String.annotate({ format: "date-time" }).check(
  Schema.makeFilter(
    judgeInstant,
    {
      expected: instantExpected,
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

/** The creation time of a resource. */
export const CreatedAt = Timestamp.annotate({ description: "Time of the creation." })

/** The last change of a resource. */
export const UpdatedAt = Timestamp.annotate({ description: "Time of the last change." })

const metadataDepth = 32

/** Whether objects and arrays lie at most `levels` deep in each other. */
const isShallow = (value: Schema.Json, levels: number): boolean =>
  typeof value !== "object" || value === null ||
  (levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1)))

const isBounded = (kibibytes: number) =>
  Schema.makeFilter((value: { readonly [key: string]: Schema.Json }) => {
    // Endless nesting would exhaust the stack of the writer.
    if (!isShallow(value, metadataDepth)) return `must be nested at most ${metadataDepth} deep`
    const json = JSON.stringify(value)
    if (json.length > kibibytes * 1024) return `must be at most ${kibibytes} KiB as JSON`
    // JSON.stringify writes NUL and lone surrogates as escapes, which is where they can be seen.
    return /(?<!\\)(\\\\)*\\u(0000|d[89a-f][0-9a-f]{2})/.test(json)
      ? "must be well-formed Unicode without NUL"
      : undefined
  })

/** A JSON object whose members the schema does not name, at most 16 KiB as JSON unless told otherwise. */
export const jsonObject = (description: string, kibibytes = 16) =>
  Schema.Record(Schema.String, Schema.Json).annotate({ description }).check(isBounded(kibibytes))

/** Free-form JSON object of the caller's. */
export const Metadata = jsonObject(
  "Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it."
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

const echoedSeen = "\\x21\\x23-\\x25\\x27-\\x3b\\x3d\\x3f-\\x5b\\x5d\\x5e\\x5f\\x61-\\x7e"
const echoable = new RegExp(`^[\\x20${echoedSeen}]+$`)
const echoableName = new RegExp(`^[\\x20${echoedSeen}]*[${echoedSeen}][\\x20${echoedSeen}]*$`)

const echoedAs = (minimum: number, maximum: number, pattern: RegExp, more: string) =>
  Schema.String.check(
    // For any text, half the minimum would be documented, because JSON Schema counts characters outside of the basic plane
    // once; here there are none.
    Schema.isBetweenLength(minimum, maximum, { toJsonSchema: () => ({ minLength: minimum, maxLength: maximum }) }),
    Schema.isPattern(pattern, {
      expected: `printable ASCII without < > & " \\ \`${more}`,
      toJsonSchema: () => ({ pattern: pattern.source })
    })
  )

/**
 * Text that is echoed inside signed data: printable ASCII without `<>&"\` and the backtick, so that no JSON library in
 * any language escapes it differently.
 */
export const echoed = (minimum: number, maximum: number) => echoedAs(minimum, maximum, echoable, "")

/** {@link echoed} text that names something: at least one character of it can be seen. */
export const echoedLabel = (maximum: number) =>
  echoedAs(1, maximum, echoableName, ", with a character that can be seen")
