import { Schema } from "effect"
import { notStorable } from "./Fields.ts"

/** The longest address, in characters. */
const longest = 2048

/** The same as a pattern of every dialect. */
const documented = "^https://[^\\s/?#@\\x00]+([/?#][^\\s\\x00]*)?$"

/** The reason why a text is no address that a customer may be sent to, or undefined. */
const notAnAddress = (value: string): string | undefined => {
  const url = URL.parse(value)
  if (notStorable(value) !== undefined || url === null || /\s/.test(value)) return "must be an absolute URL"
  if (url.protocol !== "https:") return "must begin with https://"
  return url.username !== "" || url.password !== "" ? "must have no user name or password" : undefined
}

/** Whether customers may be sent to a text. */
export const isHttpsAddress = (value: string): boolean => value.length <= longest && notAnAddress(value) === undefined

/** An address that customers may be sent to, over https. */
export const HttpsAddress = Schema.String.check(
  Schema.isBetweenLength(1, longest),
  Schema.makeFilter(notAnAddress, { toJsonSchema: () => ({ pattern: documented }) })
)

/** The same, or the empty string, which clears it. */
export const HttpsAddressOrClear = Schema.String.check(
  Schema.isMaxLength(longest),
  Schema.makeFilter((value: string) => value === "" ? undefined : notAnAddress(value), {
    toJsonSchema: () => ({ pattern: `^$|${documented}` })
  })
)
