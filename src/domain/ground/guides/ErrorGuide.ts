import { approvalGuide } from "../wire/Action.ts"
import type { Code } from "../wire/Errors.ts"
import type { ErrorTexts } from "./ErrorTexts.ts"
import { userErrorGuide } from "./UserErrorGuide.ts"

/** The page that an error's `doc_url` names; `publicUrl` has no slash at its end. */
export const docUrl = (publicUrl: string, code: Code): string => `${publicUrl}/docs/errors/${code}`

const products = "POST /api/v1/products"
const validate = "POST /api/v1/license/validate"
const activate = "POST /api/v1/license/activate"
const device = { fingerprint: "9f2c1a7be04d" }
const consume = "POST /api/v1/license/consume"
const use = { ...device, feature_code: "pages", event_id: "page-4711" }
const product = { code: "scope", name: "Scope" }
const key = { "idempotency-key": "order-4711" }

/** Every error with its usual causes, the cure, and a request that raises it. */
export const errorGuide: Readonly<Record<Code, ErrorTexts>> = {
  INVALID_JSON: {
    causes: ["An extra comma, a missing quote, or single quotes.", "A body that was cut off, or is not UTF-8."],
    cure: "Write the body with a JSON library instead of joining text, and send it whole.",
    example: { line: products, body: "{\"code\": \"scope\"," }
  },
  UNKNOWN_FIELD: {
    causes: ["A field name is mistyped.", "A field of a response was sent back, such as `id` or `created_at`."],
    cure: "Remove or correct the fields that `fields` lists. The reference lists what the operation takes.",
    example: { line: products, body: { ...product, colour: "red" } }
  },
  INVALID_QUERY: {
    causes: ["A parameter that this list does not have.", "A value that is not allowed, such as an invalid date."],
    cure: "Correct the parameters that `fields` names.",
    example: { line: "GET /api/v1/products?colour=red" }
  },
  INVALID_CURSOR: {
    causes: ["The filters were changed between two pages.", "The cursor was shortened, or belongs to another list."],
    cure: "Pass `page_info.next_cursor` on unchanged with the same filters, or begin again without a cursor.",
    example: { line: "GET /api/v1/products?cursor=none" }
  },
  INVALID_HEADER: {
    causes: ["An `Idempotency-Key` that is empty, too long or contains characters other than printable ASCII."],
    cure: "Correct the header that `fields` names. A UUID is a good `Idempotency-Key`.",
    example: { line: products, headers: { "idempotency-key": "k".repeat(300) }, body: product }
  },
  IDEMPOTENCY_KEY_REQUIRED: {
    causes: ["The operation must not run twice, and was called without an `Idempotency-Key`."],
    cure: "Send a new UUID for each new intent, and the same one when you repeat a request.",
    example: {
      line: "POST /api/v1/license/consume",
      body: { ...device, feature_code: "pages", amount: 1, event_id: "page-4711" }
    }
  },
  UNAUTHENTICATED: {
    causes: [
      "No `Authorization` header, or one without the scheme `Bearer`, as a proxy may leave it: `detail` is `no_credential`.",
      "A token of another service, or one with a character missing."
    ],
    cure: "Send `Authorization: Bearer <token>`. `countersign token` prints the admin token.",
    example: { line: "GET /api/v1/products", headers: { authorization: "Bearer none" } }
  },
  TOKEN_EXPIRED: {
    causes: ["The API key was created with `expires_at`, which has passed."],
    cure: "Create a new API key, and replace the old one before it expires.",
    example: { line: "GET /api/v1/products", when: "The API key has expired." }
  },
  TOKEN_REVOKED: {
    causes: ["Someone revoked the API key.", "A rotation has ended, and the old key is still used."],
    cure: "Use the key that replaced it, or create a new one. A revoked key never works again.",
    example: { line: "GET /api/v1/products", when: "The API key was revoked." }
  },
  TOKEN_IP_DENIED: {
    causes: [
      "The caller's address is outside of the key's `allowed_cidrs`.",
      "A proxy forwards the request, and is not trusted."
    ],
    cure: "Call from an allowed address or change the key. Behind a proxy, set `COUNTERSIGN_TRUSTED_PROXIES`.",
    example: { line: "GET /api/v1/products", when: "The API key allows other addresses." }
  },
  PERSON_MISMATCH: {
    causes: ["Another person, whom `detail` names, signed in to the console in another tab of the same browser."],
    cure: "Continue as that person, or sign in again. The service did nothing.",
    example: {
      line: "GET /api/v1/products",
      when: "The session is of another person.",
      headers: { "countersign-person": "per_06eqpx1trxz3h94vqjm3a6kz7c" }
    }
  },
  LICENSE_KEY_INVALID: {
    causes: [
      "The key was mistyped. In a key that this service made, the last character checks the others; of a key that was " +
      "brought from another system each character counts, and so does its case.",
      "The key was replaced by a new one.",
      "An API key or admin token was sent.",
      "No key was sent, or a proxy took it out of the request: `detail` is `no_credential`. The response says nothing about a license."
    ],
    cure: "Send `Authorization: License <license-key>` with the key as it was issued.",
    example: { line: validate, headers: { authorization: "License none" }, body: device }
  },
  TOKEN_SCOPE_DENIED: {
    causes: ["The API key was created for another task, with fewer scopes."],
    cure: "Use a key with the scope that `detail` names; `admin` has all.",
    example: { line: products, when: "The API key may only read.", body: product }
  },
  APPROVAL_REQUIRED: approvalGuide,
  TOKEN_PRODUCT_DENIED: {
    causes: [
      "The API key has `product_ids`, and the operation concerns all products: webhooks, signing keys, new products.",
      "The customer to be changed has licenses, orders or subscriptions of other products too."
    ],
    cure: "Use a key without `product_ids`, or one whose `product_ids` hold every product that is concerned.",
    example: { line: products, when: "The API key is limited to products.", body: product }
  },
  LICENSE_INACTIVE: {
    causes: [
      "The license was suspended or revoked.",
      "The `starts_at` of the license is in the future.",
      "The license awaits its first activation, and the duration of its policy ends after the year 9999."
    ],
    cure: "Reinstate a suspended license, or issue a new one. On `out_of_range`, give the policy a shorter duration.",
    example: { line: activate, when: "The license is suspended.", headers: key, body: device }
  },
  LICENSE_EXPIRED: {
    causes: ["`expires_at` has passed, and so has the grace period of the policy."],
    cure: "Renew the license, and the same key works again.",
    example: { line: activate, when: "The license has expired.", headers: key, body: device }
  },
  DEVICE_BLACKLISTED: {
    causes: ["The device was blocked for the license."],
    cure: "Reset the device to unblock it, or use another device.",
    example: { line: activate, when: "The device is blocked.", headers: key, body: device }
  },
  ACTIVATION_LIMIT_EXCEEDED: {
    causes: [
      "The license is in use on as many devices as the policy allows.",
      "The fingerprint changed, so that one device counts twice."
    ],
    cure: "Deactivate a device that is no longer used, or raise the limit of the policy.",
    example: { line: activate, when: "Every seat is in use.", headers: key, body: device }
  },
  FLOATING_LIMIT_EXCEEDED: {
    causes: ["All floating seats are checked out.", "The policy sells no floating seats."],
    cure: "Check a lease in, wait until one expires, or raise the limit of the policy.",
    example: {
      line: "POST /api/v1/license/floating/checkout",
      when: "Every floating seat is in use.",
      headers: key,
      body: device
    }
  },
  FEATURE_NOT_ENTITLED: {
    causes: ["The feature is not assigned to the license or its policy.", "The feature is disabled, or has expired."],
    cure: "Assign the feature to the license, or ask for another one.",
    example: { line: consume, when: "The license has no such feature.", headers: key, body: { ...use, amount: 1 } }
  },
  FEATURE_QUOTA_EXCEEDED: {
    causes: ["The requested amount exceeds what is left in this period."],
    cure: "Ask for less, wait for the next period, or raise the quota.",
    example: { line: consume, when: "Less than this is left.", headers: key, body: { ...use, amount: 30 } }
  },
  VM_NOT_ALLOWED: {
    causes: ["The app said that it runs in a virtual machine, which the policy does not allow."],
    cure: "Run it on a physical machine, or allow virtual machines in the policy.",
    example: { line: activate, when: "The policy allows no VMs.", headers: key, body: { ...device, is_vm: true } }
  },
  ...userErrorGuide,
  TRIAL_USED: {
    causes: [
      "The device had a trial of this product, and it is over. It is recognized again when the app is reinstalled, and " +
      "when the license of the trial was revoked or its customer erased.",
      "The trial was bought: its license is under another policy, or has an order or a subscription. It is returned " +
      "for its license key, and not for a fingerprint.",
      "The fingerprint names no machine, such as `uninitialized`, and the trial of another machine that has it was opened."
    ],
    cure: "Ask for the license key that was bought. The vendor can also renew the license of the trial.",
    example: { line: "POST /api/v1/license/trials", when: "The device had its trial.", body: device }
  },
  CONTAINER_NOT_ALLOWED: {
    causes: ["The app said that it runs in a container, which the policy does not allow."],
    cure: "Run it outside of a container, or allow containers in the policy.",
    example: {
      line: activate,
      when: "The policy allows no containers.",
      headers: key,
      body: { ...device, is_container: true, container_id: "9f2c1a7be04d" }
    }
  },
  OFFLINE_NOT_ALLOWED: {
    causes: ["The policy has no offline use.", "The device may not run offline, or is not activated."],
    cure: "Allow offline use in the policy, and activate the device first.",
    example: { line: "POST /api/v1/license/offline", when: "The policy has no offline use.", body: device }
  },
  REFUND_NOT_ALLOWED: {
    causes: ["The terms have no `refund_window_minutes`.", "The usage event is older than the refund window."],
    cure: "Refund the usage event with an API key, or set `refund_window_minutes` in the policy or the overrides.",
    example: {
      line: "POST /api/v1/license/usage/refund",
      when: "The terms have no refund window.",
      headers: key,
      body: use
    }
  },
  SELF_SERVICE_NOT_ALLOWED: {
    causes: ["Neither the policy nor the license has `self_service`.", "Self-service was disabled since."],
    cure:
      "Switch `self_service` on in the policy or in the overrides of the license, or let management reset the device.",
    example: { line: "GET /api/v1/license/devices", when: "The terms of the license have no self-service." }
  },
  SELF_SERVICE_LIMIT_EXCEEDED: {
    causes: ["Seats were moved between devices more often than the terms allow in a period."],
    cure: "Wait until the time in `detail`, raise `max_self_service_resets`, or let management reset the device.",
    example: {
      line: "POST /api/v1/license/devices/dev_06eqpx1trxz3h94vqjm3a6kz7c/release",
      when: "The reset limit of this period is reached.",
      headers: key
    }
  },
  PRODUCT_MISMATCH: {
    causes: [
      "A key of one product was entered into another.",
      "`product_code` is mistyped in the app.",
      "The product was renamed, and the code that the app was built with was taken out of its `former_codes`."
    ],
    cure: "Enter a key of this product. For a code that was retired too early, rename the product to it and back.",
    example: { line: validate, when: "The license is for another product.", body: { ...device, product_code: "other" } }
  },
  NOT_FOUND: {
    causes: ["The id is mistyped, or of another kind of resource.", "The resource was deleted."],
    cure: "List the resources to find the id.",
    example: { line: "GET /api/v1/products/prod_none" }
  },
  ROUTE_NOT_FOUND: {
    causes: ["The path is mistyped, or lacks `/api/v1`."],
    cure: "Compare the path with the reference.",
    example: { line: "GET /api/v1/product" }
  },
  DEVICE_NOT_ACTIVATED: {
    causes: [
      "The device was never activated, or was deactivated.",
      "An operator freed its seat: `detail` is `released`.",
      "The fingerprint has changed."
    ],
    cure:
      "Activate the device, then call again. With `released`, let the user do so: the seat may be for another machine.",
    example: { line: "POST /api/v1/license/deactivate", headers: key, body: device }
  },
  LEASE_NOT_FOUND: {
    causes: [
      "The lease was checked in, or belongs to another license.",
      "An operator freed the seat: `detail` is `released`.",
      "`lease_token` was cut off."
    ],
    cure: "Check out again, and store the new `lease_token`. With `released`, let the user do so.",
    example: {
      line: "POST /api/v1/license/floating/heartbeat",
      when: "There is no such lease.",
      body: { lease_token: "none" }
    }
  },
  METHOD_NOT_ALLOWED: {
    causes: ["`PUT` where the operation is `PATCH`, or `GET` on an action."],
    cure: "Use a method that the `Allow` header names.",
    example: { line: "DELETE /api/v1/products" }
  },
  CONFLICT: {
    causes: [
      "Another resource has this code or external id already.",
      "A request was repeated without an `Idempotency-Key`."
    ],
    cure: "Use the resource that is there, or choose another value.",
    example: { line: products, when: "A product has this code.", body: product }
  },
  STATE_CONFLICT: {
    causes: ["The resource was changed in the meantime.", "The step does not follow the state it is in."],
    cure: "Read the resource, and decide again by its `status`.",
    example: {
      line: "POST /api/v1/licenses/lic_06eqpx1trxz3h94vqjm3a6kz7c/reinstate",
      when: "The license was revoked.",
      body: {}
    }
  },
  IN_USE: {
    causes: ["Licenses, policies or orders refer to the resource."],
    cure: "Remove what `detail` names first, or keep the resource and stop to use it.",
    example: { line: "DELETE /api/v1/products/prod_06eqpx1trxz3h94vqjm3a6kz7c", when: "The product has policies." }
  },
  CURSOR_AHEAD: {
    causes: ["The database was restored from a backup that is older than the cursor."],
    cure: "Continue from the cursor in `detail`. Discard the events after it: they no longer exist.",
    example: { line: "GET /api/v1/events?cursor=900", when: "The log was restored to an earlier state." }
  },
  CURSOR_BEHIND: {
    causes: ["The reader did not read for longer than events are kept."],
    cure: "Continue from the cursor in `detail`; earlier events are in the archive.",
    example: { line: "GET /api/v1/events?cursor=1", when: "The events at the cursor were archived." }
  },
  IDEMPOTENCY_CONFLICT: {
    causes: ["A key was used for a second intent.", "The body of a repeated request was changed."],
    cure: "Repeat the request unchanged, or send a new key with a new intent.",
    example: { line: products, when: "The key was used with another body.", headers: key, body: product }
  },
  IDEMPOTENCY_IN_FLIGHT: {
    causes: ["A request was repeated before the response to the first one."],
    cure: "Wait a moment and repeat it; the response is that of the first.",
    example: { line: products, when: "The first request still runs.", headers: key, body: product }
  },
  LEASE_EXPIRED: {
    causes: ["Heartbeats came too late, for example after the machine slept."],
    cure: "Check out again. Send heartbeats at half of the lease's duration.",
    example: {
      line: "POST /api/v1/license/floating/heartbeat",
      when: "The lease has expired.",
      body: { lease_token: "none" }
    }
  },
  REQUEST_TIMEOUT: {
    causes: ["The network was interrupted while the request was sent."],
    cure: "Send the request again, a write with its `Idempotency-Key`.",
    example: { line: products, when: "The body does not arrive in time.", body: product }
  },
  PRECONDITION_FAILED: {
    causes: [
      "Another request changed the resource after you read it.",
      "A proxy that compresses responses has made the tag weak (`W/`), which never matches: have it leave `/api/` alone."
    ],
    cure: "Read the resource again, decide whether your change is still right, and send it with the new `ETag`.",
    example: {
      line: "PATCH /api/v1/products/prod_06eqpx1trxz3h94vqjm3a6kz7c",
      when: "The product has changed since the response with this ETag.",
      headers: { "if-match": "\"5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e\"" },
      body: { name: "Scope" }
    }
  },
  PAYLOAD_TOO_LARGE: {
    causes: ["Too many rows in one bulk request, or large `metadata`."],
    cure: "Split the request.",
    example: { line: validate, when: "The body has more than 16 KiB.", body: device }
  },
  UNSUPPORTED_MEDIA_TYPE: {
    causes: ["The body was sent as a form, as curl does without a header."],
    cure: "Send `Content-Type: application/json`.",
    example: { line: products, headers: { "content-type": "text/plain" }, body: "code=scope" }
  },
  RANGE_NOT_SATISFIABLE: {
    causes: ["A download that was complete was continued.", "The file has changed."],
    cure: "Compare the length in `Content-Range`, and download again if it differs.",
    example: {
      line: "GET /api/v1/reports/exports/rex_06eqpx1trxz3h94vqjm3a6kz7c/download",
      when: "The file is shorter.",
      headers: { range: "bytes=99999999-" }
    }
  },
  VALIDATION_ERROR: {
    causes: ["A field is missing, has the wrong type, or is out of range.", "Two fields cannot be combined."],
    cure: "Correct the fields that `fields` lists.",
    example: { line: products, body: { code: "scope" } }
  },
  HEADERS_TOO_LARGE: {
    causes: ["Cookies of a site on the same host, or a very long query."],
    cure: "Send fewer headers.",
    example: { line: "GET /api/v1/products", when: "The headers have more than 16 KiB." }
  },
  RATE_LIMITED: {
    causes: ["A loop without a pause, or many callers behind one address.", "Wrong credentials were tried too often."],
    cure: "Wait for the time in `Retry-After`. Responses to checks may be cached until they expire.",
    example: { line: validate, when: "The license key has used up its rate.", body: device }
  },
  INTERNAL: {
    causes: ["A bug in the service."],
    cure: "Send `meta.request_id` to the operator, who can find the cause in the log.",
    example: { line: "GET /api/v1/products", when: "The service has a bug." }
  },
  UNAVAILABLE: {
    causes: [
      "The service starts or stops.",
      "The database is unavailable, or the service is overloaded.",
      "The disk of the database is full: reads still work."
    ],
    cure: "Wait for the time in `Retry-After` and repeat, a write with its `Idempotency-Key`.",
    example: { line: "GET /api/v1/products", when: "The database is unavailable." }
  }
}
