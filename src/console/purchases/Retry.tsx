import type { Purchase } from "../../client/api/index.ts"
import { Action } from "../session/Action.tsx"
import { may } from "../session/Session.ts"
import { payerOf } from "./Waiting.ts"
import { recountWaiting } from "./WaitingCount.ts"

/** Has a purchase tried again. */
export const Retry = (
  { isOffered = true, of, onChange }: {
    readonly of: Purchase
    readonly isOffered?: boolean
    readonly onChange: () => void
  }
) => (
  <Action
    label="Try again"
    asksWhy
    about={of.id}
    small
    isOffered={isOffered && may("license:write")}
    scope="product:write"
    says={
      <>
        The events of <bdi class="strong">{payerOf(of)}</bdi>{" "}
        are read again, and what is missing is done. Repeating this never makes a second license.
      </>
    }
    perform={(client, options) => client.purchases.retry(of.id, options)}
    done={() => <span>Started. The result is shown within a second.</span>}
    onDone={() => {
      recountWaiting()
      onChange()
    }}
  />
)
