import { Result } from "effect"

/** Schemes whose pages have no origin of their own, or that have no pages. */
const withoutOrigin = new Set(["about", "blob", "data", "ftp", "javascript", "ws", "wss"])

/** `scheme://host[:port]` as apps have it, such as `app://acme`: what their pages send as Origin. */
const ofApp = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(:[1-9]\d{0,4})?$/

/** The reason why a text is no serialized origin (HTML standard, section 7.1.1), with its cure; undefined for one that is. */
const findingOf = (text: string): string | undefined => {
  if (text === "null") return undefined
  if (text === "*") return "use * alone, without other origins"
  if (text.includes("*")) return "name each host: patterns are not supported"
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return "begin with the scheme, as in https://app.example.com or http://localhost:5173"
  if (scheme === "file") return "pages of file:// have the origin null; use a custom scheme for the app"
  if (withoutOrigin.has(scheme)) return `pages have no origin of ${scheme}://`
  if (scheme === "http" || scheme === "https") {
    const origin = URL.canParse(text) ? new URL(text).origin : undefined
    return origin === text ? undefined : origin === undefined ? "this is no URL" : `write ${origin}`
  }
  if (ofApp.test(text)) return undefined
  const meant = text.toLowerCase().split("/").slice(0, 3).join("/")
  return ofApp.test(meant) ? `write ${meant}` : "write scheme://host in lower case, as in app://acme"
}

/** Origins as browsers serialize them, separated by commas; or `*` alone. */
export const allowedOrigins = (value: string): Result.Result<ReadonlyArray<string>, string> => {
  const origins = value.split(/[\s,]+/).filter((origin) => origin !== "")
  if (origins.length === 1 && origins[0] === "*") return Result.succeed(origins)
  const wrong = origins.flatMap((origin) => {
    const finding = findingOf(origin)
    return finding === undefined ? [] : [`"${origin}" (${finding})`]
  })
  return wrong.length === 0
    ? Result.succeed(origins)
    : Result.fail(`must be origins separated by commas, or * alone; wrong: ${wrong.join(", ")}`)
}
