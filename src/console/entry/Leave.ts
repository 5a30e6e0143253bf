import { clientOf, errorOf, isOver, signOut, token } from "../session/Session.ts"
import { cookieSession } from "../session/Tokens.ts"

const stillThere = "Cannot reach the service: you are still signed in on this browser. Reload and sign out again."

/** Signs out. The service ends the session of this browser; where it cannot be reached, it is said that it goes on. */
export const leave = async (): Promise<void> => {
  if (token.value !== cookieSession) return signOut()
  try {
    await clientOf(cookieSession).sessions.end("current")
    signOut()
  } catch (cause) {
    signOut(isOver(errorOf(cause)) ? undefined : stillThere)
  }
}
