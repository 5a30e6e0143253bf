import type { Purchase, PurchaseHold, PurchaseOwnerRequest, UnmappedPrice } from "../../../client/api/index.ts"
import { Note } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { count, some } from "../../ground/design/Numbers.ts"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { may } from "../../ground/session/Session.ts"
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

/** The consequence of each decision. */
const decisionTexts: Readonly<Record<PurchaseOwnerRequest["owner"], string>> = {
  follow:
    "The license is transferred to this customer. Its users and offers end, and the transfer counts towards the limit of transfers.",
  issue: "This customer gets another license. The first one stays with its owner until the end of what is paid.",
  keep: "The owner keeps the license, and this customer continues to pay for it."
}

/** A decision, and its consequence where that is another than {@link decisionTexts} says. */
type Decision = readonly [owner: PurchaseOwnerRequest["owner"], label: string, text?: string]

/** The decisions about a license of a purchase that there are, by the hold of the purchase. */
const decisions: Readonly<Record<string, ReadonlyArray<Decision>>> = {
  owner_differs: [
    ["follow", "Transfer the license to who pays"],
    ["issue", "Issue another license to who pays"],
    ["keep", "Leave the license to its owner"]
  ],
  paid_twice: [["issue", "Issue another license"]],
  sold_elsewhere: [[
    "issue",
    "Issue the license of another purchase",
    "At another site, the same ID is of another purchase: this one gets its license."
  ]]
}

const asksForLook = { secondLook: "rotate_license_key" } as const

/** Whether somebody can decide what becomes of a hold. */
export const isDecided = ({ code }: Pick<PurchaseHold, "code">): boolean => Object.hasOwn(decisions, code)

/** Decides about licenses that belong to another owner than who pays, that two purchases pay for, or that another site seems to have issued. */
export const DecideOwner = ({ hold, of, onChange }: {
  readonly hold: Pick<PurchaseHold, "code">
  readonly of: Purchase
  readonly onChange: () => void
}) => {
  const choices = decisions[hold.code] ?? []
  const draft = useDraft(`owner of ${of.id}`, { owner: choices[0]?.[0] ?? "issue" })
  const { owner } = draft.values
  const chosen = choices.find(([name]) => name === owner)
  return (
    <Action
      label="Decide…"
      sendLabel="Decide"
      asksWhy
      about={of.id}
      small
      isOffered={may("license:write")}
      scope="product:write"
      {...(owner === "follow" ? asksForLook : {})}
      says={
        <>
          <bdi class="strong">{payerOf(of)}</bdi> pays. {chosen?.[2] ?? decisionTexts[owner]}
        </>
      }
      fields={
        <Choice
          label="Licenses of this purchase"
          path="owner"
          value={owner}
          options={choices.map(([name, label]) => [name, label] as const)}
          onChange={(picked) => {
            const [known] = choices.find(([name]) => name === picked) ?? []
            if (known !== undefined) draft.set({ owner: known })
          }}
        />
      }
      draft={draft}
      perform={(client, options, said) => client.purchases.decideOwner(of.id, { owner, ...said }, options)}
      done={() => <span>Decided. The result is shown within a second.</span>}
      onDone={() => {
        recountWaiting()
        onChange()
      }}
    />
  )
}

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
