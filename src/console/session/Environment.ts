import { signal } from "@preact/signals"
import type { Environment } from "../../client/api/index.ts"
import { setClock } from "../design/Time.tsx"

/** The environment of the token, as the service says; undefined until it is loaded. */
export const environment = signal<Environment | undefined>(undefined)

/** Shows an environment from now on; pages take the time of its clock for now where it was moved. */
export const showEnvironment = (shown: Environment | undefined): void => {
  setClock(shown?.clock_moved === true ? Date.parse(shown.now) : undefined)
  environment.value = shown
}

/** Shows a newer answer about the environment, unless another one is shown by now. */
export const updateEnvironment = (newer: Environment): void => {
  if (newer.name === environment.value?.name) showEnvironment(newer)
}

/** Whether what is shown is of another environment than the live one. */
export const isBesideLive = (): boolean => environment.value !== undefined && environment.value.name !== "live"

/** The beginning of the addresses of the environment: all that is asked under it is refused to a token of another one. */
export const pathPrefix = (): string => isBesideLive() ? `/${environment.value?.name}` : ""
