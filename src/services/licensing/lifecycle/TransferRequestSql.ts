import type { Database, Query } from "../../ground/persistence/Database.ts"

/** A license that is offered to somebody. */
export interface NewTransferRequest {
  readonly licenseId: string
  /** The owner, who asks. */
  readonly customerId: string
  /** The address of the person who may accept. */
  readonly recipient: string
  readonly tokenHash: Uint8Array
  /** The keyed hash of the key that the license has, and that of the owner's address: the offer ends with either. */
  readonly keyHash: Uint8Array
  readonly addressHash: Uint8Array
  readonly hours: number
}

/** Keeps a request in the place of the one before of the license. Requests that are over go with it. */
export const insertTransferRequest = (
  sql: Database,
  { addressHash, customerId, hours, keyHash, licenseId, recipient, tokenHash }: NewTransferRequest
): Query<{ readonly expires_at: Date }> =>
  sql<{ readonly expires_at: Date }>`
    -- name: license_transfer_requests.insert
    WITH over AS (DELETE FROM license_transfer_requests WHERE expires_at < now() AND license_id <> ${licenseId})
    INSERT INTO license_transfer_requests (license_id, customer_id, recipient, token_hash, license_key_hash, address_hash,
      expires_at)
    VALUES (${licenseId}, ${customerId}, ${recipient}, ${tokenHash}, ${keyHash}, ${addressHash},
      now() + ${hours}::int * interval '1 hour')
    -- guard: of two requests for one license the newer ends the older
    ON CONFLICT (license_id) DO UPDATE SET customer_id = excluded.customer_id, recipient = excluded.recipient,
      token_hash = excluded.token_hash, license_key_hash = excluded.license_key_hash, address_hash = excluded.address_hash,
      expires_at = excluded.expires_at
    RETURNING expires_at`

/** A request as the owner of the license sees it. */
export interface OpenTransferRequest {
  readonly recipient: string
  readonly expires_at: Date
  /** The keyed hash of the address that the owner had; NULL of one that was made before this was kept. */
  readonly address_hash: Uint8Array | null
}

/**
 * Whether a request `r` was made under the key `k`, which the license has now. One of before this was kept says no key, and is over within
 * three days.
 */
const isOfKey = "(r.license_key_hash IS NULL OR r.license_key_hash = k.key_hash)"

/** The request of a customer for a license that can be accepted, if the license still has the key that it had then. */
export const findTransferRequest = (
  sql: Database,
  customerId: string,
  licenseId: string
): Query<OpenTransferRequest> =>
  sql<OpenTransferRequest>`
    -- name: license_transfer_requests.find
    SELECT r.recipient, r.expires_at, r.address_hash FROM license_transfer_requests r
    LEFT JOIN license_keys k ON k.license_id = r.license_id AND k.expires_at IS NULL
    WHERE r.license_id = ${licenseId} AND r.customer_id = ${customerId} AND r.expires_at > now()
      AND ${sql.literal(isOfKey)}`

/** A request as the person sees it who has its link. */
export interface OfferedLicense extends OpenTransferRequest {
  readonly license_id: string
  readonly customer_id: string
  /** The key by which the owner's part of the license is read. */
  readonly key_hash: Uint8Array
  readonly product: string
  /** The address of the owner; NULL where there is none any more. */
  readonly owner_email: string | null
}

/** The request of a secret, if the license is still that of the customer who asked, with the key that it had then. */
export const findOfferedLicense = (sql: Database, tokenHash: Uint8Array): Query<OfferedLicense> =>
  sql<OfferedLicense>`
    -- name: license_transfer_requests.find offered
    SELECT r.license_id, r.customer_id, r.recipient, r.expires_at, r.address_hash, k.key_hash, p.name AS product,
      c.email AS owner_email
    FROM license_transfer_requests r JOIN licenses l ON l.id = r.license_id AND l.customer_id = r.customer_id
    JOIN license_keys k ON k.license_id = l.id AND k.expires_at IS NULL
    JOIN products p ON p.id = l.product_id JOIN customers c ON c.id = l.customer_id
    WHERE r.token_hash = ${tokenHash} AND r.expires_at > now() AND ${sql.literal(isOfKey)}`

/** Spends a request by its secret. */
export const deleteAcceptedRequest = (sql: Database, tokenHash: Uint8Array): Query<object> =>
  sql`
    -- name: license_transfer_requests.delete accepted
    -- guard: a license is accepted once
    DELETE FROM license_transfer_requests WHERE token_hash = ${tokenHash} AND expires_at > now() RETURNING license_id`

/** Takes the request for a license back. */
export const deleteTransferRequest = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: license_transfer_requests.delete
    -- guard: a request is taken back once
    DELETE FROM license_transfer_requests WHERE license_id = ${licenseId} RETURNING expires_at > now() AS was_open`

/** Forgets the requests of a customer who is erased, and those to the address of this customer. */
export const deleteTransferRequestsOf = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: license_transfer_requests.delete of customer
    DELETE FROM license_transfer_requests WHERE customer_id = ${customerId}
      OR lower(recipient) = (SELECT lower(email) FROM customers WHERE id = ${customerId})
    RETURNING license_id`
