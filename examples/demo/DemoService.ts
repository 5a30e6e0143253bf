import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"

/** Why the demo cannot go on, in words that say what to do. */
export class DemoStop extends Error {
  override readonly name = "DemoStop"
}

/** The `error` member of an answer. */
interface WireError {
  readonly code: string
  readonly message: string
  readonly fields?: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

/** An answer of the service that is an error. */
export class Refusal extends Error {
  override readonly name = "Refusal"
  readonly status: number
  readonly error: WireError
  constructor(what: string, status: number, error: WireError) {
    const fields = (error.fields ?? []).map(({ message, path }) => `\n  ${path}: ${message}`)
    super(`${what} answered ${status} ${error.code}: ${error.message}${fields.join("")}`)
    this.status = status
    this.error = error
  }
}

/** The answer of a call: the parsed body and its text. */
interface Answer {
  // oxlint-disable-next-line typescript/no-explicit-any -- answers have many shapes; the demo shows a few members
  readonly body: any
  readonly text: string
}

/** Who calls: a management token, or a license key. */
type Credential = { readonly token: string } | { readonly licenseKey: string }

/** The running service that the demo plays against. */
export interface DemoService {
  readonly url: string
  readonly token: string
  readonly call: (
    credential: Credential,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>
  ) => Promise<Answer>
}

const tokenOf = (): string => {
  const given = process.env["COUNTERSIGN_ADMIN_TOKEN"] ?? ""
  if (given !== "") return given
  const directory = process.env["COUNTERSIGN_DATA_DIR"] ||
    (process.getuid?.() === 0 ? "/var/lib/countersign" : ".countersign")
  const file = join(resolve(directory), "admin.token")
  try {
    return readFileSync(file, "utf8").trim()
  } catch {
    throw new DemoStop(
      `There is no admin token: ${file} cannot be read.\n` +
        "Set COUNTERSIGN_ADMIN_TOKEN to the token of the service, or COUNTERSIGN_DATA_DIR to its data directory."
    )
  }
}

/** Finds the service of COUNTERSIGN_URL and its token. Rejects with a DemoStop when it does not answer or is not ready. */
export const findService = async (): Promise<DemoService> => {
  const url = (process.env["COUNTERSIGN_URL"] || "http://127.0.0.1:8080").replace(/\/$/, "")
  const ready = await fetch(`${url}/readyz`).catch(() => undefined)
  if (ready === undefined) {
    throw new DemoStop(
      `No service answers at ${url}.\nStart one, in another terminal:\n` +
        "  COUNTERSIGN_WEBHOOK_ALLOWED_CIDRS=127.0.0.0/8 npm start\nor set COUNTERSIGN_URL to where it is."
    )
  }
  if (ready.status !== 200) throw new DemoStop(`The service at ${url} is not ready: ${await ready.text()}`)
  const token = tokenOf()
  return {
    url,
    token,
    call: async (credential, method, path, body, headers = {}) => {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: "token" in credential ? `Bearer ${credential.token}` : `License ${credential.licenseKey}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      const parsed = text === "" ? undefined : JSON.parse(text)
      if (!response.ok) throw new Refusal(`${method} ${path}`, response.status, parsed.error)
      return { body: parsed, text }
    }
  }
}
