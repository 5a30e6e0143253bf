import { Clock, Effect, Layer } from "effect"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { AnswerRefused, IdentityProvider, ProviderAway } from "../../services/people/IdentityProvider.ts"
import { makeClient } from "./OpenIdClient.ts"
import { refusalOf, unusable } from "./OpenIdRequests.ts"

type Client = ReturnType<typeof makeClient>

/** An error of the libraries, by whether the provider does not work, or what it sent cannot be believed. */
const errorOf = (error: unknown): AnswerRefused | ProviderAway => {
  const problem = unusable(error)
  return problem === undefined ? new AnswerRefused({ problem: refusalOf(error) }) : new ProviderAway({ problem })
}

const away = ({ problem }: AnswerRefused | ProviderAway) => new ProviderAway({ problem })

/** The identity provider that is configured. The libraries are loaded with the first sign-in, and the provider asked then. */
export const layer = Layer.effect(
  IdentityProvider,
  Effect.gen(function*() {
    const { openIdConnect, publicUrl } = yield* Settings
    if (openIdConnect === undefined) {
      const none = Effect.fail(new ProviderAway({ problem: "none is configured" }))
      const no = () => none
      return IdentityProvider.of({ begin: no, finish: no, signOutAt: no, endedBy: no, test: none })
    }
    const client = yield* Effect.cached(
      Effect.map(
        Effect.promise(() => Promise.all([import("openid-client"), import("jose")])),
        ([library, jose]) => makeClient({ library, jose }, openIdConnect, publicUrl)
      )
    )
    const asked = <A>(work: (client: Client, now: number) => Promise<A>) =>
      Effect.gen(function*() {
        const made = yield* client
        const now = yield* Clock.currentTimeMillis
        return yield* Effect.tryPromise({ try: () => work(made, now), catch: (error) => ({ error, made }) })
      })
    const told = <A>(work: (client: Client, now: number) => Promise<A>) =>
      Effect.mapError(asked(work), ({ error, made }) => {
        // Its description of itself may have changed; not where it has answered by it that it refuses.
        if ((error as { readonly error?: unknown }).error === undefined) made.forget()
        return errorOf(error)
      })
    return IdentityProvider.of({
      begin: (secrets, options) => Effect.mapError(told((client, now) => client.begin(secrets, options, now)), away),
      finish: (query, secrets) =>
        Effect.map(told((client, now) => client.finish(query, secrets, now)), ({ askUserinfo, ...account }) => ({
          ...account,
          userinfo: Effect.tryPromise({ try: askUserinfo, catch: errorOf })
        })),
      signOutAt: (idToken, returnTo) =>
        Effect.mapError(told((client, now) => client.signOutAt(idToken, returnTo, now)), away),
      // Strangers send logout tokens, too: none of them has the description read anew.
      endedBy: (token) =>
        Effect.mapError(asked((client, now) => client.logout(token, now)), ({ error }) => errorOf(error)),
      test: Effect.mapError(told((client, now) => client.test(now)), away)
    })
  })
)
