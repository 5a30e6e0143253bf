/**
 * What an operation is called in the client: its noun and its verb, as `createPolicy` is `policies.create`. What a noun
 * begins with another owns is a method of the owner: `listLicenseDevices` is `licenses.listDevices`.
 */

/** The nouns, in the singular and the plural, and the group of each. */
const nouns: Readonly<Record<string, readonly [one: string, many: string]>> = {
  products: ["Product", "Products"],
  versions: ["ProductVersion", "ProductVersions"],
  customFields: ["ProductCustomFieldDefinition", "ProductCustomFieldDefinitions"],
  policies: ["Policy", "PoliciesByProduct"],
  features: ["Feature", "FeaturesByProduct"],
  customers: ["Customer", "Customers"],
  licenses: ["License", "Licenses"],
  mailSuppressions: ["MailSuppression", "MailSuppressions"],
  licenseViews: ["LicenseView", "LicenseViews"],
  offlineFiles: ["OfflineFile", "OfflineFiles"],
  jobs: ["Job", "Jobs"],
  orders: ["Order", "ProductOrders"],
  subscriptions: ["Subscription", "ProductSubscriptions"],
  billingConnections: ["BillingConnection", "BillingConnections"],
  purchases: ["Purchase", "Purchases"],
  webhooks: ["WebhookEndpoint", "WebhookEndpoints"],
  events: ["Event", "Events"],
  activities: ["Activity", "Activities"],
  reportExports: ["ReportExport", "ReportExports"],
  apiKeys: ["APIKey", "APIKeys"],
  people: ["Person", "People"],
  sessions: ["Session", "Sessions"],
  passkeys: ["Passkey", "Passkeys"],
  roles: ["Role", "Roles"],
  approvals: ["Approval", "Approvals"],
  publishableKeys: ["PublishableKey", "PublishableKeys"],
  signingKeys: ["SigningKey", "SigningKeys"]
}

/** Operations whose names say more, or less, than a noun and a verb. */
const named: Readonly<Record<string, readonly [group: string, method: string]>> = {
  createLicenses: ["licenses", "createMany"],
  requestApproval: ["approvals", "request"],
  listJobRows: ["jobs", "listRows"],
  createLicenseJob: ["jobs", "create"],
  createPortalLink: ["customers", "createPortalLink"],
  receiveBillingEvents: ["billingConnections", "receiveEvents"],
  listUnmappedPrices: ["purchases", "listUnmappedPrices"],
  reconcileBillingConnection: ["billingConnections", "reconcile"],
  listReconciliations: ["billingConnections", "listReconciliations"],
  getReconciliation: ["billingConnections", "getReconciliation"],
  getWebhookHealth: ["webhooks", "getHealth"],
  listScopeGranters: ["people", "granters"],
  signIn: ["sessions", "signIn"],
  getSignInWays: ["sessions", "getSignInWays"],
  beginSignIn: ["sessions", "beginSignIn"],
  signOut: ["sessions", "signOut"],
  beginPasskeySignIn: ["sessions", "beginPasskey"],
  finishPasskeySignIn: ["sessions", "finishPasskey"],
  showInvitation: ["sessions", "showInvitation"],
  joinWithPasskey: ["sessions", "join"],
  noteAdminSignIn: ["sessions", "noteAdmin"],
  getWhoami: ["apiKeys", "whoami"],
  getEnvironment: ["environment", "get"],
  moveEnvironmentClock: ["environment", "moveClock"],
  resetEnvironment: ["environment", "reset"],
  getSettings: ["settings", "get"],
  updateSettings: ["settings", "update"],
  getSignInSettings: ["settings", "getSignIn"],
  getMailSettings: ["settings", "getMail"],
  testSignIn: ["settings", "testSignIn"],
  listMailKinds: ["mailTemplates", "listKinds"],
  getMailTemplate: ["mailTemplates", "get"],
  putMailTemplate: ["mailTemplates", "put"],
  resetMailTemplate: ["mailTemplates", "reset"],
  previewMailTemplate: ["mailTemplates", "preview"],
  sendMailSample: ["mailTemplates", "sendSample"],
  getOverview: ["reports", "overview"],
  reportUsage: ["usage", "report"],
  getUsageSummary: ["reports", "usageSummary"],
  listUsageLedger: ["reports", "usageLedger"],
  getLicenseAudit: ["reports", "licenseAudit"],
  getCustomerSummary: ["reports", "customerSummary"],
  getSubscriptionSettlement: ["reports", "subscriptionSettlement"],
  getPurchasesReport: ["reports", "purchases"],
  getLicensesReport: ["reports", "licenses"],
  getStatement: ["reports", "statement"],
  getAdoptionReport: ["reports", "adoption"],
  activateLicense: ["runtime", "activate"],
  getUserIssuer: ["runtime", "findUserIssuer"],
  beginUserMailSignIn: ["runtime", "beginUserMailSignIn"],
  signInLicenseUser: ["runtime", "signInUser"],
  validateLicense: ["runtime", "validate"],
  checkLicense: ["runtime", "check"],
  consumeLicense: ["runtime", "consume"],
  refundOwnUsage: ["runtime", "refundUsage"],
  getUsageReceipt: ["runtime", "getReceipt"],
  deactivateLicense: ["runtime", "deactivate"],
  checkoutFloatingLicense: ["runtime", "checkout"],
  heartbeatFloatingLicense: ["runtime", "heartbeat"],
  checkinFloatingLicense: ["runtime", "checkin"],
  listOwnDevices: ["runtime", "listDevices"],
  releaseOwnDevice: ["runtime", "releaseDevice"],
  issueOfflineLicense: ["runtime", "issueOffline"],
  getRevocationList: ["runtime", "getRevocations"],
  openTrial: ["runtime", "openTrial"],
  health: ["system", "health"],
  healthz: ["system", "healthz"],
  readyz: ["system", "readyz"],
  getMetrics: ["system", "getMetrics"],
  listPublicKeys: ["system", "listPublicKeys"],
  getJsonWebKeySet: ["system", "getJsonWebKeySet"],
  getOpenApi: ["system", "getOpenApi"],
  getOpenApiJson: ["system", "getOpenApiJson"],
  getLlmsText: ["system", "getLlmsText"],
  getLlmsFullText: ["system", "getLlmsFullText"],
  getErrorReference: ["system", "getErrorReference"]
}

/** The group and the method of an operation. Throws where its id has neither a known noun nor a name of its own. */
export const clientName = (operationId: string): readonly [group: string, method: string] => {
  const own = named[operationId]
  if (own !== undefined) return own
  const [, verb = "", noun = ""] = /^([a-z]+)([A-Z]\w*)$/.exec(operationId) ?? []
  const groups = Object.entries(nouns)
  const whole = groups.find(([, names]) => names.includes(noun))
  if (whole !== undefined) return [whole[0], verb]
  const owner = groups.find(([, [one]]) => noun.startsWith(one) && /^[A-Z]/.test(noun.slice(one.length)))
  if (owner === undefined) throw new Error(`build/clientNames.ts has no name for ${operationId}`)
  return [owner[0], verb + noun.slice(owner[1][0].length)]
}
