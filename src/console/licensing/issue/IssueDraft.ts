import type { LicenseCreateRequest, Policy } from "../../../client/api/index.ts"
import type { DraftCustomer } from "../../customers/DraftCustomer.ts"
import { wholeOf } from "../../ground/design/Field.tsx"
import { currentTime, dateOf, startOfDay } from "../../ground/design/Time.tsx"

/** The limits of a device limit. */
export const deviceLimits = { min: 1, max: 100_000 }

/** A license as it is entered. */
export interface IssueDraft {
  readonly customer: DraftCustomer
  readonly productId: string
  readonly policyId: string
  /** For this license only; empty for the limit of the policy. */
  readonly devices: string
  /** The day for this license only; empty for the duration of the policy. */
  readonly ends: string
  readonly reference: string
}

/** A license as it is entered, at first. */
export const noDraft: IssueDraft = {
  customer: { kind: "none" },
  productId: "",
  policyId: "",
  devices: "",
  ends: "",
  reference: ""
}

/** Whether something is entered for this license alone. */
export const hasOwnTerms = ({ devices, ends, reference }: IssueDraft): boolean =>
  [devices, ends, reference].some((text) => text !== "")

/** Whether something was entered that takes time to enter again. */
export const isTouched = (draft: IssueDraft): boolean => draft.customer.kind !== "none" || hasOwnTerms(draft)

type Terms = Pick<Policy, "duration" | "expiry_basis" | "max_activations">

const units: ReadonlyArray<readonly [RegExp, string]> = [
  [/(\d+)Y/, "year"],
  [/(\d+)M/, "month"],
  [/(\d+)W/, "week"],
  [/(\d+)D/, "day"]
]

/** A duration of a policy in words: "1 year", "14 days"; as it is where it is of hours. */
export const durationInWords = (duration: string): string => {
  const [days = ""] = duration.split("T")
  const words = units.flatMap(([unit, name]) => {
    const many = Number(unit.exec(days)?.[1] ?? 0)
    return many === 0 ? [] : [`${many} ${name}${many === 1 ? "" : "s"}`]
  })
  return words.length === 0 || duration.includes("T") ? duration : words.join(" and ")
}

const devicesInWords = (many: number): string => `${many.toLocaleString("en")} device${many === 1 ? "" : "s"}`

/** The terms of a policy that are told beside it. */
export const termsInWords = ({ duration, expiry_basis, max_activations }: Terms): string =>
  [
    devicesInWords(max_activations),
    duration === undefined
      ? "no end"
      : `${durationInWords(duration)}${expiry_basis === "first_activation" ? " from the first activation" : ""}`
  ].join(" · ")

/** A license as its page shows it, and as it is sent. */
export interface IssueView {
  /** The outcome, or the first thing that is missing. */
  readonly says: string
  readonly isReady: boolean
  readonly request: LicenseCreateRequest
}

const missing = ({ customer, devices, ends, policyId, productId }: IssueDraft, now: number): string | undefined => {
  if (productId === "") return "Choose a product."
  if (policyId === "") return "Choose a policy."
  if (customer.kind === "new" && customer.name.trim() === "") return "Enter the name of the new customer."
  if (customer.kind === "new" && !/^\S+@\S+$/.test(customer.email.trim())) {
    return "Enter the email address of the new customer."
  }
  if (devices.trim() !== "" && wholeOf(devices, deviceLimits) === undefined) return "Correct the device limit."
  return ends !== "" && Date.parse(startOfDay(ends)) <= now ? "Choose a day in the future." : undefined
}

/** The outcome in words: who gets a license, and its limits. */
const outcome = (
  { customer, devices, ends }: IssueDraft,
  { duration, expiry_basis, max_activations }: Terms
): string => {
  const many = devicesInWords(wholeOf(devices, deviceLimits) ?? max_activations)
  const until = ends !== ""
    ? `until ${dateOf(startOfDay(ends))}`
    : duration === undefined
    ? "without an end"
    : `for ${durationInWords(duration)}${expiry_basis === "first_activation" ? " from the first activation" : ""}`
  const whose = customer.kind === "none" ? "The license has no customer. It allows" : `${customer.name.trim()} gets`
  return `${whose} ${many} ${until}.`
}

/** The view of a draft; `policy` is the one that is chosen, once it is known. */
export const issueView = (draft: IssueDraft, policy: Terms | undefined, now = currentTime()): IssueView => {
  const { customer, devices, ends, policyId, productId, reference } = draft
  const lacks = missing(draft, now) ?? (policy === undefined ? "Choose a policy." : undefined)
  const limit = wholeOf(devices, deviceLimits)
  return {
    says: lacks ?? outcome(draft, policy!),
    isReady: lacks === undefined,
    request: {
      product_id: productId,
      policy_id: policyId,
      ...(customer.kind === "known" ? { customer_id: customer.id } : {}),
      ...(customer.kind === "new" ? { customer: { name: customer.name.trim(), email: customer.email.trim() } } : {}),
      ...(ends === "" ? {} : { expires_at: startOfDay(ends) }),
      ...(limit === undefined ? {} : { overrides: { max_activations: limit } }),
      ...(reference.trim() === "" ? {} : { metadata: { reference: reference.trim() } })
    }
  }
}
