import { signal } from "@preact/signals"
import type { Environment } from "../../../client/api/index.ts"
import { setClock } from "../design/Time.tsx"
import { cookieSession } from "./Tokens.ts"

/** The environment of the token, as the service says; undefined until it is loaded. */
export const environment = signal<Environment | undefined>(undefined)

/** Shows an environment. Pages use the time of its clock if that was moved. */
export const showEnvironment = (shown: Environment | undefined): void => {
  setClock(shown?.clock_moved === true ? Date.parse(shown.now) : undefined)
  environment.value = shown
}

/** Updates the environment, unless another one is shown by now. */
export const updateEnvironment = (newer: Environment): void => {
  if (newer.name === environment.value?.name) showEnvironment(newer)
}

/** Whether another environment than live is shown. */
export const isBesideLive = (): boolean => environment.value !== undefined && environment.value.name !== "live"

/**
 * Whether the service has an environment, as it says itself. A node of a version that does not say so, beside which this one is
 * started, has both.
 */
export const isAvailable = (name: Environment["name"]): boolean =>
  environment.value !== undefined &&
  ((environment.value as Partial<Environment>).available?.includes(name) ?? true)

/** The URL prefix of an environment. The service refuses tokens of other environments under it. */
const prefixOf = (name: Environment["name"]): string => name === "live" ? "" : `/${name}`

/** The URL prefix of the environment that is shown. */
export const pathPrefix = (): string => prefixOf(environment.value?.name ?? "live")

/** Where the service is. */
export const baseUrl = location.origin

/** The address of an environment for a token: a session says of none which one is meant, and a token that of its own. */
export const addressOf = (given: string, name: Environment["name"], otherwise: string): string =>
  baseUrl + (given === cookieSession ? prefixOf(name) : otherwise)
