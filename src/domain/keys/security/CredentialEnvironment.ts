import { environmentOf, environmentOfKey } from "../../ground/environments/Environment.ts"
import type { EnvironmentName } from "../../ground/environments/EnvironmentName.ts"
import { isBootstrapToken, isManagementToken, isPublishableKey, readLicenseKey } from "./Credential.ts"

/** Whether a text is one of our tokens, whole and with its check characters. */
const isToken = (text: string): boolean => isManagementToken(text) || isPublishableKey(text) || isBootstrapToken(text)

/**
 * The environment that a credential belongs to, as people type and paste it; undefined for one that is mistyped, and for one
 * whose form says nothing. A mistyped one must start no environment: whoever typed it is told of the typo.
 */
export const environmentOfCredential = (text: string): EnvironmentName | undefined => {
  if (isToken(text)) return environmentOf(text)
  const reading = readLicenseKey(text)
  return "key" in reading ? environmentOfKey(reading.key) : undefined
}
