import type { FieldFinding } from "../../ground/wire/Errors.ts"
import type { Provider } from "../providers/Provider.ts"
import { providerApis } from "./ProviderApis.ts"

/** What is said of a key, or of what it reads, that is of the other mode than an environment: `live` or test. */
export const otherMode = (isLive: boolean): string =>
  isLive
    ? "The API key is of the provider's test mode, and the connection is in the live environment."
    : "The API key is of the provider's live mode, and the connection is in the test environment."

/**
 * Whether a key may be of the mode that an environment is for. With a key of the other one, purchases of tests would become
 * licenses of customers, and those of customers would be read into tests.
 */
export const mayBeOf = (isLive: boolean, provider: Provider, key: string): boolean =>
  (providerApis[provider].isLive(key) ?? isLive) === isLive

/** The findings about the API key that a connection in an environment is given. */
export const keyOfOtherMode = (
  isLive: boolean,
  provider: Provider,
  key: string | undefined
): ReadonlyArray<FieldFinding> =>
  key === undefined || mayBeOf(isLive, provider, key) ? [] : [{
    path: "api_key",
    code: "other_environment",
    message: isLive
      ? "must not be a key of the provider's test mode: this is the live environment. Enter it in the test environment"
      : "must not be a key of the provider's live mode: this is the test environment. Enter it in the live environment"
  }]
