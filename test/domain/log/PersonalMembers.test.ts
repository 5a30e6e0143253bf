// Every text that an event may have: what is personal is behind a commitment, and what is not has a reason here.
import { assert, describe, it } from "@effect/vitest"
import { SchemaAST } from "effect"
import { eventData } from "../../../src/domain/evidence/audit/EventData.ts"
import type { EventKind } from "../../../src/domain/log/EventKind.ts"
import { kinds, resourceTypeOf } from "../../../src/domain/log/EventKind.ts"
import { personalOf } from "../../../src/domain/log/PersonalMembers.ts"

const isInstant = (ast: SchemaAST.AST): boolean =>
  ast.annotations?.["format"] === "date-time" ||
  ast.checks?.some(({ annotations }) => annotations?.["format"] === "date-time") === true

/** The places of texts in a schema, and of objects with any members. */
const textsIn = (ast: SchemaAST.AST, path: string): ReadonlyArray<string> => {
  if (SchemaAST.isSuspend(ast)) return textsIn(ast.thunk(), path)
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap((type) => textsIn(type, path))
  if (SchemaAST.isArrays(ast)) return [...ast.elements, ...ast.rest].flatMap((type) => textsIn(type, path))
  if (SchemaAST.isObjects(ast)) {
    return [
      ...ast.propertySignatures.flatMap(({ name, type }) => textsIn(type, `${path}/${String(name)}`)),
      ...(ast.indexSignatures.length === 0 ? [] : [path])
    ]
  }
  return SchemaAST.isString(ast) && !isInstant(ast) ? [path] : []
}

const isId = (place: string): boolean => /(^|\/)(id|(?!external_)\w+_ids?)$/.test(place)

/** Texts that name nobody, by what they are: the resource, and the places in its data. */
const ofNobody: Readonly<Record<string, ReadonlyArray<string>>> = {
  "IDs of people, and of what a path names": [
    "approval decided_by params requested_by"
  ],
  "the network of a key": [
    "api_key allowed_cidrs"
  ],
  "never written: an answer alone has it": [
    "api_key created_by/name",
    "license names/customer names/order names/policy names/product names/purchase names/subscription",
    "product counts/newest_version"
  ],
  "hashes, public keys, and beginnings and ends of secrets": [
    "api_key key_prefix",
    "device previous_fingerprint_hash",
    "license kid license_key_last4 license_key_prefix",
    "log checkpoint/cosignatures/witness checkpoint/kid checkpoint/note checkpoint/origin checkpoint/root_hash checkpoint/verifier_key dropped_hash introduced_by/kid introduced_by/verifier_key kid origin previous_origin restored_hash verifier_key witness/origin witness/root_hash",
    "offline_file fingerprint_hash",
    "publishable_key key",
    "report_export artifact_digest checkpoint/root_hash digest",
    "signing_key kid public_key",
    "webhook secret_prefix"
  ],
  "what the vendor calls things": [
    "api_key license_tag name",
    "billing_connection customer_portal_url mapping/prices/name mapping/units/name name",
    "custom_field code enum_options name",
    "customer custom_field/code custom_field/enum_options custom_field/name feature_code reference",
    "feature code enum_options meter_dimension name",
    "license custom_field/code custom_field/enum_options custom_field/name feature_code feature_name meter_dimension reference",
    "person claimed_roles roles",
    "policy code feature_code feature_name meter_dimension name",
    "product code former_code_uses/code former_codes name",
    "publishable_key name",
    "report_export created_by download_url file_name filters",
    "role description name",
    "mail_template body subject",
    "settings brand_accent brand_logo/path brand_name renewal_url suggested_reasons support_contact",
    "version links/label links/sha256 links/url version",
    "webhook event_types header_names name url"
  ],
  "terms, and values of features": [
    "billing_connection mapping/prices/value mapping/units/value",
    "license overage overrides/activation_overage overrides/duration overrides/floating_overage overrides/maintenance_duration terms/activation_overage/value terms/component_match/value terms/duration/value terms/expiry_basis/value terms/floating_overage/value terms/lease_unit/value terms/maintenance_duration/value terms/self_service_period/value value",
    "billing_connection mapping/units/expires_after",
    "policy activation_overage duration expires_after floating_overage maintenance_duration overage value",
    "purchase holds/price"
  ],
  "where the people of a company sign in, which names none of them": [
    "license trusted_issuer/audience trusted_issuer/issuer"
  ],
  "kept by an erasure, which says so: no personal value belongs there": [
    "custom_field metadata",
    "customer code custom_field/metadata metadata",
    "device device/metadata metadata",
    "feature metadata",
    "lease device/metadata",
    "license custom_field/metadata device/metadata dimensions metadata tags",
    "order metadata",
    "policy metadata",
    "product metadata",
    "subscription metadata",
    "version metadata"
  ],
  "what a billing system calls a sale": [
    "customer external_system",
    "order external_id external_system",
    "purchase external_id holds/name",
    "subscription external_id external_system"
  ],
  "the machine, by which its seat is counted": [
    "device binding_key components device/binding_key device/components device/fingerprint device/namespace device/os device/pod_name fingerprint namespace os pod_name",
    "lease device/binding_key device/components device/fingerprint device/namespace device/os device/pod_name",
    "license device/binding_key device/components device/fingerprint device/namespace device/os device/pod_name"
  ],
  "the version of the app, which the vendor names": [
    "device app_version device/app_version",
    "lease device/app_version",
    "license device/app_version"
  ],
  "words of the service": [
    "device changed",
    "log reason",
    "session reason",
    "purchase failure/code failure/message holds/code holds/message state",
    "report_export content_type failure/code failure/message time_zone",
    "webhook last_outcome"
  ]
}

const reasoned = new Set(
  Object.values(ofNobody).flat().flatMap((line) => {
    const [resource = "", ...places] = line.split(" ")
    return places.map((place) => `${resource} ${place}`)
  })
)

/** Parts of the data that the schema of a resource has, and the only kinds of events that have them. */
const onlyIn: Readonly<Record<string, ReadonlyArray<EventKind>>> = {
  "license custom_field": ["license.updated"],
  "license device": ["license.activated", "license.deactivated"],
  "customer custom_field": ["customer.updated"],
  "lease device": ["lease.checked_out"]
}

const isDeclared = (pointer: string, personal: ReadonlyArray<string>): boolean =>
  personal.some((declared) => `${pointer}/`.startsWith(`${declared}/`))

describe("the texts in the data of events", () => {
  it("are behind a commitment where they may be personal, and otherwise have a reason", () => {
    // The customer who was erased has none any more.
    const open = kinds.filter((kind) => kind !== "customer.erased").flatMap((kind) =>
      textsIn(eventData[kind].ast, "/data").flatMap((pointer) => {
        const [, , ...path] = pointer.split("/")
        const kindsWith = onlyIn[`${resourceTypeOf(kind)} ${path[0]}`]
        const isThere = kindsWith === undefined || kindsWith.includes(kind)
        return isThere && !isId(pointer) && !isDeclared(pointer, personalOf(kind))
          ? [`${resourceTypeOf(kind)} ${path.join("/")}`]
          : []
      })
    )
    assert.deepStrictEqual([...new Set(open)].filter((place) => !reasoned.has(place)), [])
    assert.deepStrictEqual([...reasoned].filter((place) => !open.includes(place)), [])
  })

  it("are where they are declared, in every event of the kind", () => {
    for (const kind of kinds) {
      const texts = textsIn(eventData[kind].ast, "/data")
      // Values of custom fields that are no texts.
      const typed = new Set(["integer", "boolean", "datetime"].map((type) => `/data/custom_field/${type}_value`))
      const astray = personalOf(kind).filter((pointer) =>
        !typed.has(pointer) && !texts.some((text) => isDeclared(text, [pointer]) || text === pointer)
      )
      assert.deepStrictEqual(astray, [], kind)
    }
  })
})
