import type { Code } from "../wire/Errors.ts"
import type { ErrorTexts } from "./ErrorTexts.ts"

const signIn = "POST /api/v1/license/users/sign-in"
const device = { fingerprint: "9f2c1a7be04d" }

/** The errors of licenses with users. */
export const userErrorGuide = {
  USER_SIGN_IN_REQUIRED: {
    causes: [
      "The license is for people (`max_users`), and the call has no `user_token`: `detail` is `missing`.",
      "The sign-in has `expired`, or the `user_token` is of another license: `invalid`.",
      "The person was `removed` from the license."
    ],
    cure:
      "Sign the person in with a fresh ID token (`POST /api/v1/license/users/sign-in`), and send the new `user_token`.",
    example: { line: "POST /api/v1/license/validate", when: "The license has users.", body: device }
  },
  USER_NOT_ALLOWED: {
    causes: [
      "The person is `not_invited`, or was invited by an address that the identity provider did not verify: " +
      "`email_not_verified`.",
      "The person was `removed`.",
      "The terms have no users (`no_users`), or the license trusts no identity provider (`no_issuer`).",
      "A sign-in by mail of a license that trusts an identity provider (`issuer`), or of a service that sends no mails (`no_mail`)."
    ],
    cure:
      "Invite the person (`POST /api/v1/licenses/{id}/users`), or set `max_users` and `trusted_issuer` of the license.",
    example: { line: signIn, when: "The person is not invited.", body: { id_token: "eyJhbGciOiJFUzI1NiJ9.e30.c2ln" } }
  },
  USER_LIMIT_EXCEEDED: {
    causes: ["As many people as the terms allow have a seat. `detail` has the numbers."],
    cure: "Remove a user, or raise `max_users`.",
    example: { line: signIn, when: "All seats are in use.", body: { id_token: "eyJhbGciOiJFUzI1NiJ9.e30.c2ln" } }
  },
  USER_DEVICE_LIMIT_EXCEEDED: {
    causes: ["The user has an active device or a floating seat on as many machines as `max_devices_per_user` says."],
    cure: "Deactivate one of the user's devices, or reset it.",
    example: {
      line: "POST /api/v1/license/activate",
      when: "The user has as many devices as the terms allow.",
      headers: { "idempotency-key": "order-4711" },
      body: device
    }
  },
  MAILBOX_NOT_PROVEN: {
    causes: [
      "The person has neither confirmed the link in the mail yet, nor is there a `mail_code`: `pending`.",
      "The code is wrong, or ten were tried: `invalid`.",
      "The sign-in is over after 15 minutes, or the address is not invited: `invalid`, too."
    ],
    cure: "While it is `pending`, ask again every five seconds. Else begin a new sign-in.",
    example: {
      line: signIn,
      when: "The code is wrong.",
      body: { mail_sign_in_token: "cms_sample", mail_code: "7K3P-9WQX", ...device }
    }
  },
  ID_TOKEN_INVALID: {
    causes: [
      "The token is of another `issuer` or `audience` than the license trusts, or of another `nonce`.",
      "The token has `expired`, or is `not_yet_valid`.",
      "The `signature` is wrong, the `algorithm` has no private key, or the token is `malformed`."
    ],
    cure: "Ask the identity provider for a fresh ID token for the audience of the license, and send it unchanged.",
    example: { line: signIn, when: "The token has expired.", body: { id_token: "eyJhbGciOiJFUzI1NiJ9.e30.c2ln" } }
  }
} as const satisfies Readonly<Partial<Record<Code, ErrorTexts>>>
