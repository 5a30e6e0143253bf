import { Result } from "effect"

/** For whom passkeys are: browsers make and use them for this host name alone, on pages of this origin. */
export interface RelyingParty {
  readonly id: string
  readonly origin: string
}

const isLocal = (host: string): boolean => host === "localhost" || host.endsWith(".localhost")

/** Whether a host is an address, which no passkey can be for. */
const isAddress = (host: string): boolean => host.startsWith("[") || /^\d+(\.\d+){3}$/.test(host)

/** For whom the passkeys of a service are; or, in words, why it can have none. It goes by the address that it is published under. */
export const relyingPartyOf = (publicUrl: string): Result.Result<RelyingParty, string> => {
  const { hostname, origin, protocol } = new URL(publicUrl)
  if (protocol !== "https:" && !isLocal(hostname)) {
    return Result.fail("Passkeys need https, or localhost. Ask the operator of this service.")
  }
  return isAddress(hostname)
    ? Result.fail("Passkeys need a host name, and this service is published by an address. Ask its operator.")
    : Result.succeed({ id: hostname, origin })
}
