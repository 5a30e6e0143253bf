/**
 * The districts of the service: the same on every floor, under the same name, each building on those above it alone. The
 * one list behind the linter's rules (oxlint.config.ts), the test of the tree (test/tidy.test.ts), the picture in
 * ARCHITECTURE.md (build/picture.ts) and the table of contents of docs/. A folder `src/<floor>/<district>` has its files,
 * or those of its rooms in folders of their own. A new room gets a line here.
 */

export type Floor = "domain" | "services" | "client" | "console" | "api" | "http" | "runtime"

export interface District {
  /** What it is about, for people. */
  readonly about: string
  /** What the folders within it hold, on whichever floors they are. */
  readonly rooms: Readonly<Record<string, string>>
  /** The documents about it, as paths under docs without their ending. */
  readonly pages: ReadonlyArray<string>
}

/** From the ground up: of its own floor a district imports itself and those before it. */
export const districts: Readonly<Record<string, District>> = {
  ground: {
    about: "what every other district stands on: the wire, the database, the edge of HTTP, the design of screens",
    rooms: {
      parsing: "strict parsing of input: bytes, texts, JSON",
      environments: "the worlds that one service serves, told apart by their credentials",
      wire: "the parts of every request and response: IDs, fields, pages, errors, canonical JSON",
      guides: "pages of errors: their causes, their cures, and requests that raise them",
      rows: "rows as the bytes of their cells, and written as JSON",
      admission: "limits of callers: addresses, rates, load",
      platform: "ports and settings that the runtime lends",
      records: "rows as the database sends them, written without being read into objects",
      persistence: "rows, pages and transactions",
      agenda: "when work is looked at: announced, due, or missed",
      edge: "steps of every request: identity, limits, failures",
      middleware: "credentials, envelopes, repeated requests",
      pages: "pages for browsers: their layout, texts and files",
      api: "every operation of the API as a command",
      design: "design system: tokens, components, layouts",
      charts: "charts of figures over time",
      commands: "commands of the open page, and keys",
      combobox: "text fields with options for their text",
      brand: "the vendor's own name, color and logo",
      requests: "requests as they were sent: as curl, and as operations",
      addresses: "addresses of pages, in each environment",
      session: "token, requests and actions",
      lists: "lists by page, and their filters",
      forms: "forms: what was entered, and what others changed meanwhile",
      period: "the period of a report, and its time zone"
    },
    pages: [
      "reference/configuration",
      "reference/security-headers",
      "reference/languages",
      "reference/glossary",
      "explanation/model",
      "how-to/deploy",
      "how-to/containers",
      "how-to/run-it",
      "how-to/recover",
      "how-to/migrate",
      "explanation/scaling",
      "reference/figures",
      "runbook",
      "threat-model"
    ]
  },
  log: {
    about: "the event log: appended, sequenced, chained, and shown as activities",
    rooms: {},
    pages: [
      "reference/events",
      "reference/event-kinds"
    ]
  },
  keys: {
    about: "credentials, signing keys, secrets at rest, and the settings of an environment",
    rooms: {
      security: "credentials and keys, secrets at rest, signatures",
      settings: "settings that people change: where reasons are required, the brand, how long activities are kept",
      rights: "rights in words, and how they are chosen"
    },
    pages: [
      "reference/management-keys"
    ]
  },
  people: {
    about: "who works with the service: people, roles, sign-ins and their rights",
    rooms: {
      notes: "notes for colleagues, tags, and saved views",
      access: "credentials, scopes and repeated requests",
      passkeys: "passkeys of people, and who comes in by them",
      approvals: "requests that wait for a second person, and are done once one approves",
      entry: "the ways in: provider, passkey, token",
      account: "joining, and one's own passkeys and sessions",
      team: "people, their invitations and roles"
    },
    pages: [
      "reference/people"
    ]
  },
  mail: {
    about: "mails to the owners of licenses, from their events to a mail server",
    rooms: {
      templates: "the texts of mails: their kinds and languages, and how they are rendered"
    },
    pages: [
      "how-to/send-mail"
    ]
  },
  catalog: {
    about: "products, features, policies and versions",
    rooms: {
      terms: "the terms of a license: rules, durations, periods, overage",
      policies: "policies: their rules as they are entered, previewed and saved",
      features: "features: their values, and how policies and licenses have them"
    },
    pages: [
      "reference/policy-fields"
    ]
  },
  customers: {
    about: "customers, orders and subscriptions",
    rooms: {},
    pages: [
      "how-to/support-customers"
    ]
  },
  licensing: {
    about: "licenses, and whether a copy may run: keys, devices, seats, usage, offline use",
    rooms: {
      users: "people who use a license: who they are, how they sign in, and their seats",
      licenses: "licenses, their keys and their devices",
      owners: "whose a license is, and what ends with its owner",
      lifecycle: "changes of licenses after they were issued, by management and by the clock",
      grants: "units beside a quota, of a license or a customer, and uses given back",
      sightings: "what calls of apps leave behind: when devices were seen, and what was decided",
      standings: "how the users of calls stand, and the devices that they take",
      entitlements: "runtime requests, decisions and entitlements",
      explaining: "calls that are judged and not made, on licenses that are stored or not",
      seats: "activation, deactivation, trials and self-service",
      floating: "floating seats: checkout, heartbeat, checkin",
      metering: "usage events, balances, quotas, grants and pools",
      warnings: "thresholds of usage that others than the license itself have reached",
      offline: "envelopes and files for machines without a network",
      bulk: "many licenses at once: selected, changed by a job, and its progress",
      views: "saved views of a list, and its columns",
      changes: "changes of a license: policy, terms, owner, credits",
      issue: "a new license: its customer, its terms, its key",
      support: "licenses and customers: explain and change"
    },
    pages: [
      "how-to/license-an-app",
      "reference/states",
      "reference/app-states",
      "reference/runtime",
      "reference/offline",
      "how-to/work-offline",
      "how-to/float-in-an-office",
      "how-to/meter-usage",
      "how-to/name-users",
      "how-to/use-the-client",
      "how-to/call-from-a-browser"
    ]
  },
  delivery: {
    about: "from a committed event to a 2xx: endpoints, lanes, retries",
    rooms: {
      webhooks: "endpoints as they are configured, and signatures",
      pacing: "how fast a receiver is asked, and how many attempts at once"
    },
    pages: [
      "how-to/receive-webhooks",
      "reference/webhooks"
    ]
  },
  sales: {
    about: "from an event of a payment provider to a license",
    rooms: {
      providers: "words of payment providers: signatures, and events read in each service's own terms",
      matching: "by what prices are found, and the units that they become",
      billing: "connections to payment providers, and what they receive",
      purchases: "purchases: events folded into a state, and what is to be done for it",
      selling: "units that purchases have bought, and the mapping of a connection",
      reconciling: "purchases compared with what their payment provider lists"
    },
    pages: [
      "how-to/how-do-i-sell",
      "how-to/sell-online",
      "how-to/sell-with-stripe",
      "how-to/sell-with-paddle",
      "how-to/sell-with-lemon-squeezy",
      "how-to/sell-with-fastspring",
      "how-to/sell-with-chargebee",
      "how-to/sell-through-resellers",
      "reference/payments"
    ]
  },
  jobs: {
    about: "work on many things, and work that is due: jobs, the clock of an environment",
    rooms: {
      clock: "the clock of an environment, and what is due when it moves"
    },
    pages: [
      "how-to/test-environment",
      "how-to/move-in"
    ]
  },
  evidence: {
    about: "proof of the past: audit, the Merkle tree, witnesses, reports, statements, frozen exports",
    rooms: {
      transparency: "Merkle tree, tiles, signed checkpoints, and proofs over the log",
      witnessing: "the questions that a witness is asked and cosigns, and the log as monitors read it",
      receipts: "receipts of usage",
      audit: "activities, what events say, and the state a log replays to",
      history: "licenses by the terms of another time",
      recording: "calls as they are recorded, to be decided again",
      rehearsals: "recorded calls that are decided again under changed terms",
      reports: "the content of reports",
      exports: "reports exported to signed files",
      retention: "archive of the log, and deletion by age",
      figures: "the figures of reports, as plain values",
      finance: "the reports as tables and charts",
      operator: "health of the service, keys and checkpoints"
    },
    pages: [
      "how-to/audit-and-file",
      "how-to/witness-each-other",
      "reference/reports",
      "reference/exports",
      "reference/retention"
    ]
  },
  portal: {
    about: "the pages of customers: their licenses, devices, users and files",
    rooms: {
      privacy: "customers erased",
      pages: "pages of the portal, in five languages",
      confirming: "confirmations by mail",
      unsubscribe: "the end of mails, by one click"
    },
    pages: [
      "how-to/switch-on-the-portal"
    ]
  },
  composition: {
    about: "the districts put together: the whole API with its documents, the navigation of the console",
    rooms: {
      docs: "documents made from the declarations",
      pages: "pages of the whole service: front, errors, guides",
      reference: "the reference of the API, as pages",
      parts: "the pages, each part of them loaded with its first one",
      start: "figures of today, and the way to the first sale",
      search: "the command menu: licenses, customers, pages and commands",
      gallery: "what screens are made of, on one page",
      shell: "navigation and the start page"
    },
    pages: [
      "tutorial/quick-start",
      "reference/operations",
      "how-to/use-the-console",
      "reference/licenses"
    ]
  }
}

/** A room of the client, which is a package of its own and has no districts. */
export interface ClientRoom {
  readonly about: string
  /** The rooms that it may import, besides itself. */
  readonly imports: ReadonlyArray<string>
  /** The other floors it may import, when it may import more or less than the client does. */
  readonly floors?: ReadonlyArray<Floor>
}

const room = (about: string, imports: ReadonlyArray<string>, limits: Partial<ClientRoom> = {}): ClientRoom => ({
  about,
  imports,
  ...limits
})

/** The rooms of src/client, from the ground up. */
export const clientRooms: Readonly<Record<string, ClientRoom>> = {
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
    floors: ["domain", "api"]
  })
}

/** The floors whose districts stand on each other, and whose tests are divided alike. */
export const orderedFloors = ["domain", "services", "console", "api", "http"] as const

/** The floors that are divided into districts; runtime knows everything, and its command line is divided alike. */
export const dividedFloors = [...orderedFloors, "runtime/cli"] as const

/** The other floors each floor may import. */
export const floors: Readonly<Record<Floor, ReadonlyArray<Floor>>> = {
  domain: [],
  services: ["domain"],
  client: ["domain"],
  console: ["client"],
  api: ["domain"],
  http: ["domain", "services", "api"],
  runtime: ["domain", "services", "client", "api", "http"]
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
  api: ["effect", "yaml"],
  http: ["effect", "lean-qr", "marked", "qr"]
}

/** Parts of Effect that run something; the domain is what is true without running anything. */
export const running: ReadonlyArray<string> = ["cluster", "http", "sql"]
