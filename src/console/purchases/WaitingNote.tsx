import type { Purchase, UnmappedPrice } from "../../client/api/index.ts"
import { Note } from "../design/Feedback.tsx"
import { count, some } from "../design/Numbers.ts"
import { Action } from "../session/Action.tsx"
import { may } from "../session/Session.ts"
import { MapPrice } from "./MapPrice.tsx"
import { providerName } from "./Providers.ts"
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

/** How many prices and failures are named. */
const shown = 5

interface WaitingProps {
  readonly prices: ReadonlyArray<UnmappedPrice>
  readonly failed: ReadonlyArray<Purchase>
  readonly onChange: () => void
}

const Price = ({ of, onChange }: { readonly of: UnmappedPrice; readonly onChange: () => void }) => (
  <li class="row wraps">
    <span>
      {some(of.purchases, "purchase waits", "purchases wait")}: <bdi class="strong wrap">{of.price}</bdi>
      {of.name === undefined ? "" : " "}
      {of.name === undefined ? null : <bdi>{of.name}</bdi>} is not mapped{" "}
      <span class="quiet">({providerName(of.provider)})</span>
    </span>
    <MapPrice
      label="Map it"
      connection={{ id: of.connection_id, provider: of.provider }}
      price={of}
      isOffered={may("license:write")}
      onChange={onChange}
    />
  </li>
)

/** Everything that waits for a person, first on the page, each with its cure. */
export const WaitingNote = ({ failed, onChange, prices }: WaitingProps) =>
  prices.length === 0 && failed.length === 0 ?
    null :
    (
      <Note tone={failed.length > 0 ? "bad" : "warn"} title="Needs attention">
        <ul class="waiting">
          {prices.slice(0, shown).map((price) => (
            <Price key={`${price.connection_id} ${price.price}`} of={price} onChange={onChange} />
          ))}
          {prices.length > shown ? <li>and {some(prices.length - shown, "more price", "more prices")}</li> : null}
          {failed.slice(0, shown).map((purchase) => (
            <li key={purchase.id} class="row wraps">
              <span>
                Failed:{" "}
                <a href={`/console/purchases/${purchase.id}`}>
                  <bdi>{payerOf(purchase)}</bdi>
                </a>. {purchase.failure?.message ?? ""}
              </span>
              <Retry of={purchase} onChange={onChange} />
            </li>
          ))}
          {failed.length > shown ? <li>and {count(failed.length - shown)} more failed, below</li> : null}
        </ul>
      </Note>
    )
