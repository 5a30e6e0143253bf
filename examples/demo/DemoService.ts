import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Countersign } from "../../src/client/api/index.ts"

/** Why the demo cannot go on, in words that say what to do. */
export class DemoStop extends Error {
  override readonly name = "DemoStop"
}

/** The running service that the demo plays against, as its vendor's programs see it. */
export interface DemoService {
  readonly url: string
  readonly client: Countersign
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
  return { url, client: new Countersign({ baseUrl: url, token: tokenOf() }) }
}
