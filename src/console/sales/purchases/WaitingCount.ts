import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { useLoad } from "../../ground/session/Load.ts"
import { mayOfAll } from "../../ground/session/Session.ts"
import { waitsForPerson } from "./Waiting.ts"

/** How many purchases are looked at for the number in the navigation. */
export const most = 100

/** How often that number is loaded again, in milliseconds. */
const again = 60_000

/** Rises when a purchase was changed here, so that the number is loaded again. */
const turn = signal(0)

/** Has the number in the navigation loaded again. */
export const recountWaiting = (): void => {
  turn.value += 1
}

/** How many purchases wait for a person, at most {@link most} of each kind; undefined where that is not known. */
export const useWaitingCount = (path: string): number | undefined => {
  const counted = useLoad(
    async (client, signal) => {
      const [waiting, failed] = await Promise.all([
        client.purchases.list({ status: "waiting", limit: most }, { signal }),
        client.purchases.list({ status: "failed", limit: most }, { signal })
      ])
      return [...waiting, ...failed].filter(waitsForPerson).length
    },
    [turn.value],
    { every: again, when: mayOfAll("product:read") }
  )
  // A person who opens the list sees the number that belongs to it.
  useEffect(() => {
    if (path === "/console/purchases") recountWaiting()
  }, [path])
  return counted.data
}
