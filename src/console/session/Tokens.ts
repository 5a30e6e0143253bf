import type { Environment } from "../../client/api/index.ts"

/** An environment of the service: `live`, or `test`. */
export type EnvironmentName = Environment["name"]

/** The environments, the one of real customers first. */
export const environmentNames: ReadonlyArray<EnvironmentName> = ["live", "test"]

/*
 * The tab keeps one token for each environment, and which of them is shown. They go with the tab, and are sent to this
 * service alone.
 */
const placeOf = (name: EnvironmentName): string => `countersign.token.${name}`
const shownPlace = "countersign.environment"

/** The environment that the tab shows, or showed last; undefined where nobody has signed in. */
export const shownName = (): EnvironmentName | undefined => {
  const kept = sessionStorage.getItem(shownPlace)
  return environmentNames.find((name) => name === kept)
}

/** The token of an environment that the tab keeps. */
export const keptToken = (name: EnvironmentName): string | undefined =>
  sessionStorage.getItem(placeOf(name)) ?? undefined

/** Keeps the token of an environment, which is the one shown from now on. */
export const keepToken = (name: EnvironmentName, token: string): void => {
  sessionStorage.setItem(placeOf(name), token)
  sessionStorage.setItem(shownPlace, name)
}

/** Forgets the token of the environment that is shown: the service has ended it. */
export const forgetShown = (): void => {
  const name = shownName()
  if (name !== undefined) sessionStorage.removeItem(placeOf(name))
  sessionStorage.removeItem(shownPlace)
}

/** Forgets the tokens of all environments. */
export const forgetTokens = (): void => {
  for (const name of environmentNames) sessionStorage.removeItem(placeOf(name))
  sessionStorage.removeItem(shownPlace)
}
