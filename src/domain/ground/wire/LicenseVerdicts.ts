/** The codes about what the terms of a license allow: its users, the machines that it runs on, and self-service. */
export const licenseVerdicts = {
  USER_SIGN_IN_REQUIRED: {
    status: 403,
    verdict: true,
    meaning: "The license is for people who sign in. `detail` has the problem of the sign-in."
  },
  USER_NOT_ALLOWED: {
    status: 403,
    verdict: true,
    meaning: "The person may not use the license. `detail` has the reason."
  },
  USER_LIMIT_EXCEEDED: { status: 403, verdict: true, meaning: "All seats for users of the license are in use." },
  USER_DEVICE_LIMIT_EXCEEDED: {
    status: 403,
    verdict: true,
    meaning: "The user has as many devices in use as the terms allow."
  },
  ID_TOKEN_INVALID: {
    status: 403,
    verdict: true,
    meaning: "The ID token is not valid for this license. `detail` has the reason."
  },
  MAILBOX_NOT_PROVEN: {
    status: 403,
    verdict: true,
    meaning:
      "The person has not proven the mailbox yet. `detail` is `pending`, or `invalid` for a wrong code or a sign-in that is over."
  },
  VM_NOT_ALLOWED: { status: 403, verdict: true, meaning: "The policy does not allow virtual machines." },
  CONTAINER_NOT_ALLOWED: { status: 403, verdict: true, meaning: "The policy does not allow containers." },
  OFFLINE_NOT_ALLOWED: { status: 403, verdict: true, meaning: "The policy does not allow this device to run offline." },
  SELF_SERVICE_NOT_ALLOWED: {
    status: 403,
    verdict: true,
    meaning: "The terms of the license do not allow its holder to manage devices."
  },
  SELF_SERVICE_LIMIT_EXCEEDED: {
    status: 403,
    verdict: true,
    meaning: "The self-service reset limit for this period is reached. `detail` says when it resets."
  },
  PRODUCT_MISMATCH: {
    status: 403,
    verdict: true,
    meaning: "The license belongs to another product than `product_code` names."
  }
} as const
