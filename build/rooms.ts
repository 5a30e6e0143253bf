/**
 * The floors and rooms of src, and what each may import: the one table behind the linter's rules (oxlint.config.ts), the
 * tests of the tree (test/tidy.test.ts) and the picture in ARCHITECTURE.md (build/picture.ts). A room is a folder on a
 * floor. A new room gets a row here; a new arrow between rooms is a word here, and a reason in the commit.
 */

export type Floor = "domain" | "services" | "client" | "console" | "http" | "runtime"

export interface Room {
  /** What it holds, for people. */
  readonly about: string
  /** The rooms of its own floor that it may import, besides itself. */
  readonly imports: ReadonlyArray<string>
  /** The other floors it may import, when it may import less than its floor does. */
  readonly floors?: ReadonlyArray<Floor>
  /** Who may import it from the floors above, as paths under src; unset, everybody there may. */
  readonly onlyFor?: ReadonlyArray<string>
}

const room = (about: string, imports: ReadonlyArray<string>, limits: Partial<Room> = {}): Room => ({
  about,
  imports,
  ...limits
})

/** What almost every service stands on. */
const ground = ["platform", "environment", "records", "persistence", "agenda", "events"]

/** Nobody builds upon these services: the layers are put together in runtime, and the handlers call them. */
const top = { onlyFor: ["http/handlers", "runtime"] }

/** Of http, what may be asked is for clients too; the rest is for the process that answers. */
const inside = { onlyFor: ["runtime"] }

/** The rooms of each floor, from the ground up; runtime knows everything. */
export const rooms: Readonly<Partial<Record<Floor, Readonly<Record<string, Room>>>>> = {
  domain: {
    parsing: room("strict parsing of input: bytes, texts, JSON", []),
    environments: room("the worlds that one service serves, told apart by their credentials", []),
    wire: room("the parts of every request and response: IDs, fields, pages, errors, canonical JSON", [
      "environments",
      "parsing"
    ]),
    guides: room("pages of errors: their causes, their cures, and requests that raise them", ["wire"]),
    rows: room("rows as the bytes of their cells, and written as JSON", ["wire"]),
    admission: room("limits of callers: addresses, rates, load", ["wire"]),
    security: room("credentials and keys", ["environments", "wire"]),
    mail: room("mails to the owners of licenses", ["parsing", "wire"]),
    settings: room("settings: where reasons are required, the brand, and how long activities are kept", [
      "mail",
      "wire"
    ]),
    people: room("who works with the service: people, roles and their rights", [
      "parsing",
      "security",
      "settings",
      "wire"
    ]),
    events: room("events, their types and their position in the chain, and which of them need a second person", [
      "environments",
      "parsing",
      "security",
      "wire"
    ]),
    transparency: room("Merkle tree, tiles and signed checkpoints", ["environments", "events", "parsing", "wire"]),
    witnessing: room("what a witness is asked and cosigns, and the log as monitors read it", [
      "events",
      "parsing",
      "transparency",
      "wire"
    ]),
    receipts: room("receipts of usage", ["environments", "transparency", "wire"]),
    templates: room("the texts of mails: their kinds and languages, and how they are rendered", ["mail"]),
    terms: room("the terms of a license: rules, durations, periods, overage", ["wire"]),
    clock: room("the clock of an environment, and where it stops when it is moved", ["environments", "terms", "wire"]),
    catalog: room("products, features, policies and versions", ["mail", "terms", "wire"]),
    commerce: room("customers, orders and subscriptions", ["mail", "wire"]),
    providers: room("what payment providers send: signatures, and events read in the service's own words", [
      "parsing",
      "wire"
    ]),
    grants: room("units beside a quota, of a license or a customer, and uses given back", ["catalog", "terms", "wire"]),
    users: room("people who use a license: who they are, how they sign in, and their seats", ["parsing", "wire"]),
    licenses: room("licenses, their keys and their devices", [
      "commerce",
      "environments",
      "security",
      "terms",
      "users",
      "wire"
    ]),
    owners: room("whose a license is, and what ends with its owner", []),
    lifecycle: room("changes of licenses after they were issued", ["licenses", "owners", "terms", "users", "wire"]),
    notes: room("notes for colleagues, and who wrote what", ["wire"]),
    approvals: room("requests that wait for a second person", ["notes", "people", "security", "wire"]),
    jobs: room("actions on many licenses, done one by one, and saved views of them", [
      "catalog",
      "licenses",
      "lifecycle",
      "notes",
      "settings",
      "wire"
    ]),
    matching: room("by what prices are found, and the units that they become", ["providers", "terms", "wire"]),
    purchases: room("purchases: events folded into a state, and what is to be done for it", [
      "commerce",
      "licenses",
      "matching",
      "owners",
      "providers",
      "terms",
      "wire"
    ]),
    selling: room("units that purchases have bought, and what is to be done about them", [
      "matching",
      "providers",
      "purchases",
      "terms"
    ]),
    entitlements: room("runtime requests, decisions and entitlements", [
      "catalog",
      "grants",
      "licenses",
      "terms",
      "users",
      "wire"
    ]),
    metering: room("usage that backends report, balances, and which events move what can be used", [
      "events",
      "catalog",
      "entitlements",
      "grants",
      "licenses",
      "terms",
      "wire"
    ]),
    explaining: room("calls that are judged and not made, on licenses that are stored or not", [
      "catalog",
      "entitlements",
      "licenses",
      "terms",
      "users",
      "wire"
    ]),
    recording: room("calls as they are recorded, to be decided again", [
      "catalog",
      "entitlements",
      "licenses",
      "terms"
    ]),
    rehearsing: room("recorded calls that are decided again under changed terms", [
      "catalog",
      "entitlements",
      "explaining",
      "licenses",
      "recording",
      "terms",
      "users",
      "wire"
    ]),
    offline: room("envelopes and files for offline use", ["catalog", "entitlements", "licenses", "wire"]),
    webhooks: room("endpoints and signatures", ["events", "parsing", "security", "wire"]),
    pacing: room("how fast a receiver is asked, and how many attempts at once", []),
    delivery: room("the order and retries of a lane", ["pacing", "webhooks", "wire"]),
    billing: room("connections to payment providers, and purchases as they are shown", [
      "catalog",
      "matching",
      "providers",
      "purchases",
      "wire"
    ]),
    portal: room("what customers see of what is theirs: sessions, languages, views", [
      "billing",
      "catalog",
      "entitlements",
      "licenses",
      "mail",
      "people",
      "providers",
      "purchases",
      "users",
      "wire"
    ]),
    reconciling: room("what payment providers say when they are asked, and in what a purchase differs from it", [
      "providers",
      "purchases",
      "wire"
    ]),
    reports: room("the content of reports", [
      "billing",
      "catalog",
      "commerce",
      "licenses",
      "providers",
      "terms",
      "wire"
    ]),
    exports: room("reports exported to signed files", [
      "commerce",
      "events",
      "metering",
      "parsing",
      "reports",
      "rows",
      "wire"
    ]),
    audit: room("activities, what events say, and the state a log replays to", [
      "approvals",
      "billing",
      "catalog",
      "commerce",
      "entitlements",
      "events",
      "exports",
      "grants",
      "jobs",
      "licenses",
      "mail",
      "notes",
      "offline",
      "parsing",
      "people",
      "security",
      "settings",
      "terms",
      "transparency",
      "users",
      "webhooks",
      "wire"
    ]),
    history: room("licenses by the terms of another time", [
      "audit",
      "commerce",
      "entitlements",
      "events",
      "licenses",
      "metering",
      "terms"
    ])
  },
  services: {
    platform: room("ports and settings that the runtime lends", []),
    environment: room("the environment that the services work in", []),
    records: room("rows as the database sends them, written without being read into objects", []),
    persistence: room("rows, pages and transactions", ["platform", "records"]),
    agenda: room("when work is looked at: announced, due, or missed", ["platform", "persistence"]),
    events: room("the log: appended, sequenced, chained", [
      "platform",
      "environment",
      "records",
      "persistence",
      "agenda"
    ]),
    admission: room("load shedding and rate limits", ["platform", "persistence"]),
    security: room("secrets at rest, and signatures", ground),
    transparency: room("proofs over the log, and its witnesses", [...ground, "security"]),
    access: room("credentials, scopes and repeated requests", [...ground, "admission", "security"]),
    people: room("people and roles, and who may give which rights", [...ground, "admission", "security", "access"]),
    passkeys: room("passkeys of people, and who comes in by them", [
      ...ground,
      "admission",
      "security",
      "access",
      "people"
    ]),
    approvals: room("requests that wait for a second person, and are done once one approves", [
      ...ground,
      "admission",
      "security",
      "access",
      "people"
    ]),
    catalog: room("products, features, policies and versions", ground),
    commerce: room("customers, orders and subscriptions", [...ground, "catalog"]),
    webhooks: room("endpoints as they are configured", [...ground, "access", "security"]),
    delivery: room("from a committed event to a 2xx", [...ground, "admission", "webhooks"], top),
    terms: room("the stored terms of licenses", ground),
    mail: room("mails to the owners of licenses, from their events to a mail server", [
      ...ground,
      "access",
      "admission",
      "security"
    ]),
    licenses: room("licenses and devices as management steers them", [
      ...ground,
      "security",
      "commerce",
      "terms",
      "mail"
    ]),
    notes: room("notes for colleagues, about licenses and customers, and saved views", ground),
    lifecycle: room("changes of licenses after they were issued, by management and by the clock", [
      ...ground,
      "security",
      "commerce",
      "catalog",
      "terms",
      "mail",
      "licenses",
      "notes"
    ]),
    settings: room("settings that people change: where reasons are required, and the brand", [...ground, "admission"]),
    jobs: room("actions on many licenses, done one by one", [
      ...ground,
      "settings",
      "admission",
      "access",
      "people",
      "notes",
      "licenses",
      "lifecycle"
    ]),
    standings: room("how the users of calls stand, and the devices that they take", [...ground, "security"]),
    sightings: room("what calls of apps leave behind: when devices were seen, and what was decided", [
      ...ground,
      "licenses"
    ]),
    entitlements: room("runtime decisions: whether a copy may run", [
      ...ground,
      "security",
      "admission",
      "access",
      "catalog",
      "terms",
      "licenses",
      "sightings",
      "standings"
    ]),
    rehearsals: room("past calls decided again under changed terms", [...ground, "catalog", "entitlements"]),
    seats: room("activation, deactivation, trials and self-service", [
      ...ground,
      "mail",
      "security",
      "admission",
      "access",
      "catalog",
      "terms",
      "licenses",
      "entitlements",
      "standings"
    ]),
    offline: room("envelopes and files for machines without a network", [
      ...ground,
      "security",
      "licenses",
      "entitlements",
      "seats"
    ]),
    portal: room("what customers see of their licenses, and do with them themselves", [
      ...ground,
      "security",
      "admission",
      "people",
      "mail",
      "terms",
      "commerce",
      "licenses",
      "entitlements",
      "lifecycle",
      "seats",
      "offline"
    ], top),
    floating: room("floating seats: checkout, heartbeat, checkin", [
      ...ground,
      "admission",
      "security",
      "terms",
      "licenses",
      "sightings",
      "entitlements",
      "standings"
    ]),
    metering: room("usage events, quotas, grants and pools", [
      ...ground,
      "mail",
      "security",
      "catalog",
      "commerce",
      "admission",
      "access",
      "terms",
      "licenses",
      "sightings",
      "entitlements"
    ]),
    warnings: room("thresholds of usage that others than the license itself have reached", [
      ...ground,
      "mail",
      "terms",
      "metering"
    ]),
    billing: room("connections to payment providers, and what they receive", [...ground, "security"]),
    users: room("people who sign in to licenses, by the identity providers that licenses trust, or by mail", [
      ...ground,
      "security",
      "admission",
      "people",
      "mail",
      "licenses",
      "entitlements",
      "billing",
      "standings"
    ], top),
    purchases: room("from an event of a payment provider to a license", [
      ...ground,
      "security",
      "catalog",
      "commerce",
      "terms",
      "mail",
      "licenses",
      "lifecycle",
      "metering",
      "billing"
    ], top),
    reconciling: room("purchases compared with what their payment provider lists", [
      ...ground,
      "security",
      "billing",
      "purchases"
    ], top),
    clock: room("the clock of an environment, and what is due when it moves", [
      ...ground,
      "access",
      "webhooks",
      "delivery",
      "floating",
      "lifecycle",
      "terms",
      "warnings"
    ], top),
    receipts: room("receipts of usage", [...ground, "security", "transparency", "entitlements"]),
    audit: room("activities, and checks of tables against the log", [...ground, "entitlements", "metering"]),
    reports: room("reports as they are now", [...ground, "terms", "licenses", "rehearsals", "metering", "audit"], top),
    // An answer carries a frozen file.
    exports: room("reports exported to signed files", [...ground, "security", "transparency", "reports"], {
      onlyFor: [...top.onlyFor, "http/answers"]
    }),
    retention: room(
      "archive of the log, and deletion by age",
      [...ground, "transparency", "metering", "audit", "billing"],
      top
    ),
    privacy: room("customers erased", [
      ...ground,
      "access",
      "approvals",
      "commerce",
      "licenses",
      "lifecycle",
      "mail",
      "notes",
      "jobs",
      "exports",
      "portal",
      "purchases"
    ], top)
  },
  client: {
    transport: room("requests, retries and errors", []),
    api: room("every operation as a method, typed from the OpenAPI document", ["transport"]),
    hashing: room("SHA-256 on every platform", []),
    notes: room("signatures, the notes that they are on, and what proves who may sign them", ["hashing"]),
    verify: room("verification of responses, envelopes, deliveries, the log and exports", ["api", "hashing", "notes"]),
    files: room("what is inside of ZIP, CSV and PDF files", []),
    statements: room("what a statement is made of: its closed schema, its events, and figures from these", ["files"]),
    evidence: room("files that a service signed: what they are, and what they prove, in words", [
      "hashing",
      "notes",
      "verify",
      "files",
      "statements"
    ]),
    webhooks: room("receivers of deliveries", ["transport", "api", "verify"]),
    device: room("the machine as its system names it, and the devices of a license", ["verify"]),
    verifier: room("evidence verified by people: verify.html and the command of the package", [
      "hashing",
      "verify",
      "evidence",
      "device"
    ]),
    license: room("the license as an app keeps it: record, store, states, clock; sign-ins at an issuer", [
      "transport",
      "notes",
      "verify"
    ]),
    app: room("the license in an app: requests, offline use, floating seats, usage", [
      "transport",
      "notes",
      "verify",
      "device",
      "license"
    ]),
    effect: room("the client with typed error channels, derived from the declarations", ["transport"], {
      floors: ["domain", "http"]
    })
  },
  console: {
    design: room("design system: tokens, components, layouts", []),
    charts: room("charts of figures over time", ["design"]),
    commands: room("commands of the open page, and keys", ["design"]),
    combobox: room("text fields with options for their text", ["design"]),
    brand: room("the vendor's own name, color and logo", ["design"]),
    requests: room("requests as they were sent: as curl, and as operations", []),
    addresses: room("addresses of pages, in each environment", []),
    session: room("token, requests and actions", ["design", "brand", "commands", "requests", "addresses"]),
    entry: room("the ways in: provider, passkey, token", ["design", "brand", "addresses", "session"]),
    account: room("joining, and one's own passkeys and sessions", ["design", "brand", "session", "entry"]),
    lists: room("lists by page, and their filters", ["design", "session"]),
    forms: room("forms: what was entered, and what others changed meanwhile", ["design", "session"]),
    period: room("the report, its period and its time zone", ["design", "session", "lists"]),
    figures: room("the figures of reports, as plain values", ["design", "period"]),
    bulk: room("many licenses at once: selected, changed by a job, and its progress", ["design", "session", "lists"]),
    notes: room("notes of colleagues, and tags", ["design", "session", "lists"]),
    views: room("saved views of a list, and its columns", ["design", "session", "lists"]),
    activity: room("what was done, by whom, to what, and why", ["design", "session", "lists", "period"]),
    policies: room("policies: their rules as they are entered, previewed and saved", [
      "design",
      "session",
      "lists",
      "forms"
    ]),
    features: room("features: their values, and how policies and licenses have them", [
      "design",
      "session",
      "lists",
      "forms",
      "policies"
    ]),
    customers: room("customers: found, created, changed and erased", [
      "design",
      "combobox",
      "session",
      "lists",
      "forms",
      "policies"
    ]),
    changes: room("what is changed of a license: policy, terms, owner, credits", [
      "design",
      "session",
      "lists",
      "forms",
      "policies",
      "features",
      "customers"
    ]),
    grants: room("units beside quotas: given, shown, taken back", ["design", "session", "lists", "changes"]),
    users: room("people who use a license: invited, shown, removed, and where they sign in", [
      "design",
      "session",
      "lists",
      "forms",
      "policies"
    ]),
    support: room("licenses and customers: explain and change", [
      "design",
      "charts",
      "session",
      "lists",
      "figures",
      "forms",
      "policies",
      "features",
      "customers",
      "changes",
      "activity",
      "bulk",
      "notes",
      "grants",
      "users",
      "views"
    ]),
    catalog: room("products, and lists of what they have", [
      "design",
      "session",
      "lists",
      "forms",
      "policies",
      "features"
    ]),
    issue: room("a new license: its customer, its terms, its key", [
      "design",
      "session",
      "lists",
      "forms",
      "customers",
      "changes"
    ]),
    start: room("figures of today, and the way to the first sale", ["design", "session", "lists", "policies"]),
    selling: room("the mapping of a connection as it is changed, and the units that are sold", [
      "design",
      "session",
      "policies"
    ]),
    purchases: room("purchases, the connections they come by, and what a price becomes", [
      "design",
      "session",
      "lists",
      "selling"
    ]),
    search: room("the command menu: licenses, customers, pages and commands", [
      "design",
      "commands",
      "combobox",
      "session",
      "lists",
      "support"
    ]),
    developer: room("webhook endpoints and deliveries", ["design", "charts", "session", "lists"]),
    operator: room("health of the service, keys and checkpoints", ["design", "session", "lists"]),
    rights: room("rights in words, and how they are chosen", ["design", "session"]),
    team: room("people, their invitations and roles", ["design", "requests", "session", "lists", "rights"]),
    keys: room("API keys: made, limited, rotated, revoked", ["design", "session", "lists", "rights"]),
    settings: room("settings of the environment: required reasons, sign-in, brand", [
      "design",
      "brand",
      "session",
      "forms",
      "lists"
    ]),
    frozen: room("exports: created, tracked and verified", ["design", "session", "lists", "period"]),
    finance: room("the reports as tables and charts", [
      "design",
      "charts",
      "session",
      "lists",
      "period",
      "figures",
      "frozen"
    ]),
    gallery: room("what screens are made of, on one page", ["design", "brand", "charts", "session"]),
    parts: room("the pages, each part of them loaded with its first one", [
      "session",
      "account",
      "policies",
      "activity",
      "start",
      "catalog",
      "support",
      "issue",
      "purchases",
      "developer",
      "operator",
      "team",
      "keys",
      "settings",
      "finance",
      "gallery",
      "bulk"
    ]),
    shell: room("navigation and the start page", [
      "design",
      "brand",
      "commands",
      "addresses",
      "session",
      "entry",
      "purchases",
      "search",
      "settings",
      "parts"
    ])
  },
  http: {
    api: room("the declarations of all operations", [], { floors: ["domain"] }),
    docs: room("documents made from the declarations", ["api"], { ...inside, floors: ["domain"] }),
    pages: room("pages for browsers", ["answers", "docs"], inside),
    edge: room("steps of every request: identity, limits, failures", ["api", "answers", "pages"], inside),
    answers: room("response bodies", ["api", "edge"], inside),
    middleware: room("credentials, envelopes, repeated requests", ["api", "edge", "answers"], inside),
    handlers: room(
      "operations handed to the services",
      ["api", "docs", "pages", "edge", "answers", "middleware"],
      inside
    )
  }
}

/** The other floors each floor may import. */
export const floors: Readonly<Record<Floor, ReadonlyArray<Floor>>> = {
  domain: [],
  services: ["domain"],
  client: ["domain"],
  console: ["client"],
  http: ["domain", "services"],
  runtime: ["domain", "services", "client", "http"]
}

/** The packages each floor may import. Only the runtime knows Node, the platform's packages and drivers. */
export const packages: Readonly<Record<Exclude<Floor, "runtime">, ReadonlyArray<string>>> = {
  domain: ["effect", "canonicalize", "ipaddr.js", "liquidjs"],
  services: ["effect"],
  client: ["effect"],
  console: [
    "preact",
    "@preact/signals",
    "preact-iso",
    "@simplewebauthn/browser",
    "uplot",
    "lean-qr",
    "@fontsource-variable/inter"
  ],
  http: ["effect", "lean-qr", "marked", "qr", "yaml"]
}

/** Parts of Effect that run something; the domain is what is true without running anything. */
export const running: ReadonlyArray<string> = ["cluster", "http", "sql"]
