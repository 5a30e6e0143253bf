import { Context, Effect, Layer } from "effect"
import { networkOf } from "../../domain/ground/admission/DoorLimits.ts"
import { failing, NotFound } from "../../domain/ground/wire/Errors.ts"
import type { RateLimited } from "../../domain/ground/wire/Errors.ts"
import type { MailLanguage } from "../../domain/ground/wire/MailLanguage.ts"
import {
  formatUnsubscribeToken,
  parseUnsubscribeToken,
  provenText,
  unsubscribePath
} from "../../domain/mail/Unsubscribe.ts"
import type { UnsubscribeToken } from "../../domain/mail/Unsubscribe.ts"
import { KnownCredentials } from "../ground/admission/KnownCredentials.ts"
import { RateLimits } from "../ground/admission/RateLimits.ts"
import { Database } from "../ground/persistence/Database.ts"
import { Cryptography } from "../ground/platform/Cryptography.ts"
import { Settings } from "../ground/platform/Settings.ts"
import { Vault } from "../keys/security/Vault.ts"
import { CurrentActor, customerActor, RequestOrigin } from "../log/Provenance.ts"
import { MailSuppressions } from "./MailSuppressions.ts"
import { findRecipient } from "./MailSuppressionSql.ts"

const proofPurpose = "mail-unsubscribe"

/** Somebody who follows the link in a notice. */
export interface NoticeRecipient {
  readonly language: MailLanguage | undefined
  /** Whether notices are sent to the address. */
  readonly isSubscribed: boolean
}

type Answered = Effect.Effect<NoticeRecipient, NotFound | RateLimited>

/**
 * Opting out of notices by the link in one. It works for as long as the service has its data: it is signed, and no row has to be there
 * for it. Whoever has it can turn the notices to one address off and on, and sees no address.
 */
export class MailUnsubscribes extends Context.Service<MailUnsubscribes, {
  /** The link in a notice about a license; undefined where the service is not published over https, which RFC 8058 asks for. */
  readonly linkTo: (mail: { readonly license_id: string | null; readonly recipient: string }) => string | undefined
  /** Reads whether notices are sent; changes nothing. */
  readonly look: (token: string) => Answered
  readonly optOut: (token: string) => Answered
  readonly optIn: (token: string) => Answered
}>()("countersign/services/mail/MailUnsubscribes") {
  static readonly layer = Layer.effect(
    MailUnsubscribes,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const known = yield* KnownCredentials
      const limits = yield* RateLimits
      const suppressions = yield* MailSuppressions
      const vault = yield* Vault
      const { publicUrl } = yield* Settings

      const proofOf = (of: Pick<UnsubscribeToken, "digest" | "licenseId">) =>
        vault.keyedHash(proofPurpose, provenText(of))

      const linkTo = (
        { license_id, recipient }: { readonly license_id: string | null; readonly recipient: string }
      ) => {
        if (license_id === null || !publicUrl.startsWith("https:")) return undefined
        const of = { licenseId: license_id, digest: suppressions.digestOf(recipient) }
        return `${publicUrl}${unsubscribePath}/${formatUnsubscribeToken({ ...of, proof: proofOf(of) })}`
      }

      /** The token of a text; one that is not genuine counts as a failed sign-in of its network. */
      const opened = Effect.fnUntraced(function*(text: string) {
        const from = networkOf((yield* RequestOrigin).ipAddress ?? "")
        yield* limits.request("address", from)
        const token = parseUnsubscribeToken(text)
        if (token !== undefined && crypto.timingSafeEqual(token.proof, proofOf(token))) return token
        yield* known.malformed(from)
        return yield* failing(NotFound, "No mail of this service has this link.")
      })

      /** A genuine token, with the license that it names as it is now. */
      const followed = Effect.fnUntraced(function*(text: string) {
        const token = yield* opened(text)
        const [row] = yield* findRecipient(sql, token.licenseId)
        return { token, row }
      })

      const shown = ({ row, token }: Effect.Success<ReturnType<typeof followed>>) =>
        Effect.map(suppressions.isOptedOut(token.digest), (isOptedOut) => ({
          language: row?.language ?? undefined,
          isSubscribed: !isOptedOut
        }))

      const look = Effect.fn("MailUnsubscribes.look")((text: string) => Effect.flatMap(followed(text), shown))

      /** Changes what is sent to the address of a token, in the name of its customer. */
      const changed = Effect.fnUntraced(function*(
        text: string,
        change: (of: Effect.Success<ReturnType<typeof followed>>) => Effect.Effect<void>
      ) {
        const of = yield* followed(text)
        const actor = customerActor(of.row?.customer_id ?? undefined, of.token.licenseId)
        yield* Effect.provideService(change(of), CurrentActor, actor)
        return yield* shown(of)
      })

      const optOut = Effect.fn("MailUnsubscribes.optOut")((text: string) =>
        changed(text, ({ row, token: { digest } }) => {
          // The address is in no link: it is that of the license, where this still has the one that the notice went to.
          const address = row?.email ?? undefined
          const isSame = address !== undefined && crypto.timingSafeEqual(suppressions.digestOf(address), digest)
          return suppressions.optOut({
            digest,
            customerId: row?.customer_id ?? undefined,
            address: isSame ? address : undefined
          })
        })
      )

      const optIn = Effect.fn("MailUnsubscribes.optIn")((text: string) =>
        changed(text, ({ token: { digest } }) => suppressions.optIn(digest))
      )

      return MailUnsubscribes.of({ linkTo, look, optOut, optIn })
    })
  )
}
