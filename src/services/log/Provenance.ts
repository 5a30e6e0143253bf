import { Context, Effect } from "effect"
import { ApprovalRequired, failing } from "../../domain/ground/wire/Errors.ts"
import { missingScopes } from "../../domain/keys/security/ManagementKey.ts"
import type { Scope } from "../../domain/keys/security/ManagementKey.ts"
import type { Reseller } from "../../domain/keys/security/ProductRule.ts"
import type { AuditActorType } from "../../domain/log/EventKind.ts"
import type { SecondLookAction } from "../../domain/log/SecondLook.ts"
import { lackingOn } from "../../domain/people/Rights.ts"
import type { Grant } from "../../domain/people/Rights.ts"

/** The origin of the current work. It is stored on every event that the work causes. */
export interface Origin {
  readonly requestId: string | undefined
  readonly ipAddress: string | undefined
  /** The span of the request, as a W3C Trace Context header. */
  readonly traceparent: string | undefined
}

const noOrigin: Origin = { requestId: undefined, ipAddress: undefined, traceparent: undefined }

/** The request being answered; the service's own work has none. */
export const RequestOrigin = Context.Reference<Origin>("countersign/services/log/RequestOrigin", {
  defaultValue: () => noOrigin
})

/**
 * The reason why a person asked for the current work. It is in the metadata of every event that the work appends in the name
 * of its actor.
 */
export const CurrentReason = Context.Reference<string | undefined>("countersign/services/log/CurrentReason", {
  defaultValue: () => undefined
})

/** The job that the current work is a row of; the events of the work say it in their metadata, as `job_id`. */
export const CurrentJob = Context.Reference<string | undefined>("countersign/services/log/CurrentJob", {
  defaultValue: () => undefined
})

/** A second person, who has approved what another one asked for. */
export interface SecondPerson {
  readonly approvalId: string
  readonly id: string
  readonly name: string
  /** The licenses that the filter of a job matched when the person was asked, by ID in this order. */
  readonly selected?: ReadonlyArray<string> | undefined
}

/** The second person of the current work, whom its events name beside the actor; none where nobody was needed. */
export const CurrentSecondPerson = Context.Reference<SecondPerson | undefined>(
  "countersign/services/log/CurrentSecondPerson",
  { defaultValue: () => undefined }
)

/** Runs work of which nothing stays: nobody is asked for it. */
export const askingNobody = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(work, CurrentSecondPerson, { approvalId: "rehearsal", id: "nobody", name: "" })

/** Somebody who opened a session that is of another one: by a link or an invitation that he or she made. */
export interface Opener {
  readonly type: "api_key" | "person"
  readonly id: string
  /** The name of a person. */
  readonly name?: string | undefined
  /** The actions that the roles of a person need a second one for. */
  readonly secondLook?: ReadonlyArray<SecondLookAction>
}

/** The actor and its rights. `scopes` is empty unless the actor is an API key or a person. */
export interface Actor {
  readonly type: AuditActorType
  readonly id: string
  readonly scopes: ReadonlyArray<Scope>
  /** The products that it is limited to; absent where it may do all. */
  readonly products?: ReadonlyArray<string>
  /** Set where it is a reseller, who is limited to the licenses with a tag, too. */
  readonly reseller?: Reseller
  /** The person who acts, as events name him or her, and the session. */
  readonly person?: {
    readonly name: string
    readonly roles: ReadonlyArray<string>
    readonly sessionId: string
    /** The rights by role: roles may be limited to different products. */
    readonly grants?: ReadonlyArray<Grant>
    /** The actions that the roles need a second person for. */
    readonly secondLook?: ReadonlyArray<SecondLookAction>
  }
  /** The one who opened the session of the actor, where that was somebody else. Its events say so. */
  readonly openedBy?: Opener
}

/** Whether an action needs a second person for an actor: for the person who acts, or for who opened the session. */
export const needsSecondLook = ({ openedBy, person }: Actor, action: SecondLookAction): boolean =>
  person?.secondLook?.includes(action) === true || openedBy?.secondLook?.includes(action) === true

/** The bootstrap token as the actor: it has no row among the API keys. */
export const bootstrapActor: Actor = { type: "api_key", id: "bootstrap", scopes: ["admin"] }

/** A license as the actor: the app that runs on it. */
export const licenseActor = (licenseId: string): Actor => ({ type: "license", id: licenseId, scopes: [] })

/** A customer as the actor, who is signed in to the portal; by the license, where that has no customer. */
export const customerActor = (customerId: string | undefined, licenseId: string): Actor => ({
  type: "customer",
  id: customerId ?? licenseId,
  scopes: []
})

/** Somebody as the actor who is signed in to the portal by the key of a license, which all have who use it. */
export const holderActor = (licenseId: string): Actor => ({ type: "license_holder", id: licenseId, scopes: [] })

const serviceActor: Actor = { type: "system", id: "countersign", scopes: [] }

/** The actor of the current work; the service itself when there is no credential. */
export const CurrentActor = Context.Reference<Actor>("countersign/services/log/CurrentActor", {
  defaultValue: () => serviceActor
})

/**
 * Runs work as the service's own. An actor of the cluster that a request wakes on its node begins in the fiber of the request, and
 * would go on in the name of whoever sent it, and for the reason that was given.
 */
export const ofItself = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  work.pipe(
    Effect.provideService(CurrentActor, serviceActor),
    Effect.provideService(CurrentReason, undefined),
    Effect.provideService(CurrentJob, undefined),
    Effect.provideService(CurrentSecondPerson, undefined),
    Effect.provideService(RequestOrigin, noOrigin)
  )

/**
 * The scopes that the current work lacks, beside those that its operation needs in any case. What the service does of its
 * own accord, or for an app, lacks none.
 */
export const lackedScopes = (needed: ReadonlyArray<Scope>): Effect.Effect<ReadonlyArray<Scope>> =>
  Effect.map(
    CurrentActor,
    ({ scopes, type }) => type === "api_key" || type === "person" ? missingScopes(scopes, needed) : []
  )

/**
 * The same for work on one product. A person may have one scope by a role and another by a second one, each on other
 * products: where both are given counts, also where it is less than the operation reaches.
 */
export const lackedScopesOn = (
  needed: ReadonlyArray<Scope>,
  productId: string
): Effect.Effect<ReadonlyArray<Scope>> =>
  Effect.flatMap(CurrentActor, ({ person }) =>
    person?.grants === undefined
      ? lackedScopes(needed)
      : Effect.succeed(lackingOn(person.grants, needed, productId)))

/** The refusal of an action that an actor needs a second person for. */
export const approvalRequired = ({ person }: Actor, action: SecondLookAction): ApprovalRequired =>
  failing(
    ApprovalRequired,
    person?.secondLook?.includes(action) === true
      ? "Your role needs a second person for this. Ask with POST /api/v1/approvals, with the same parameters and body."
      : "The role of the person who opened this session needs a second person for this. Sign in by yourself.",
    { detail: action }
  )

/**
 * Fails where a role of the person who acts, or who opened the session of somebody else, needs a second person for an action, and none
 * has approved it. An API key is no person, and is not asked. What is not asked here is refused by the event of the action.
 */
export const checkSecondLook = (action: SecondLookAction): Effect.Effect<void, ApprovalRequired> =>
  Effect.gen(function*() {
    const actor = yield* CurrentActor
    if (!needsSecondLook(actor, action) || (yield* CurrentSecondPerson) !== undefined) return
    return yield* approvalRequired(actor, action)
  })

/** Tells whether work ended because nobody asked a second person about its event: everything is rolled back, and this is the answer. */
export const isUnasked = (defect: unknown): defect is ApprovalRequired => defect instanceof ApprovalRequired
