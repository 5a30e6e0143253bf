import type { Environment } from "../../../client/api/index.ts"

/** An environment of the service: `live`, or `test`. */
export type EnvironmentName = Environment["name"]

/** The environments, the one of real customers first. Its pages have no name in their addresses. */
export const environmentNames: ReadonlyArray<EnvironmentName> = ["live", "test"]

/** The path that all pages begin with. */
const root = "/console"

/** The name of the environment behind the root. A page must not have that name. */
const named = new RegExp(`^${root}/(${environmentNames.slice(1).join("|")})(?=[/?#]|$)`)

/** The environment of an address. */
export const environmentIn = (address: string): EnvironmentName =>
  environmentNames.find((name) => name === named.exec(address)?.[1]) ?? "live"

/** The page of an address, as its path in live. */
export const pageIn = (address: string): string => address.replace(named, root)

/** The address of a page in an environment; of any other path, the path. */
export const addressIn = (name: EnvironmentName, page: string): string =>
  name === "live" ? pageIn(page) : pageIn(page).replace(/^\/console(?=[/?#]|$)/, `${root}/${name}`)
