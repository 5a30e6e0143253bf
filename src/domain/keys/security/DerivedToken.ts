import type { NamedEnvironment } from "../../ground/environments/EnvironmentName.ts"
import { formatBootstrapToken } from "./Credential.ts"

/**
 * The admin token of another environment than live follows from the master key, which every node has, so that nobody has to be
 * told it. `turn` is 0 for the first one, and one more each time it is rotated. It tells nothing of any other turn, and nothing of the
 * token of live.
 */
export const derivedBootstrapToken = (
  { environment, hmacSha256, masterKey, turn }: {
    readonly environment: NamedEnvironment
    readonly hmacSha256: (key: Uint8Array, text: string) => Uint8Array
    readonly masterKey: Uint8Array
    readonly turn: number
  }
): string =>
  formatBootstrapToken(
    hmacSha256(masterKey, `bootstrap token of ${environment}${turn === 0 ? "" : `, turn ${turn}`}`),
    environment
  )
