import { clientOf, errorOf, personHere, signOut, token } from "../../ground/session/Session.ts"
import { isOver, noteOther, otherPerson } from "../../ground/session/SessionRefusals.ts"
import { cookieSession } from "../../ground/session/Tokens.ts"

const stillThere = "Cannot reach the service: you are still signed in on this browser. Reload and sign out again."

/**
 * Signs out. The service ends the session of this browser, unless it is another person's by now; where it cannot be reached, it is said
 * that it goes on.
 */
export const leave = async (): Promise<void> => {
  if (token.value !== cookieSession) return signOut()
  try {
    const { provider_url } = await clientOf(cookieSession, personHere()).sessions.signOut()
    signOut()
    // The provider ends its session as well, and sends the browser back.
    if (provider_url !== undefined) location.assign(provider_url)
  } catch (cause) {
    const error = errorOf(cause)
    noteOther(error)
    if (otherPerson.value === undefined) signOut(isOver(error) ? undefined : stillThere)
  }
}
