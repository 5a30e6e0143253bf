// Made from the OpenAPI document by build/clientContract.ts (npm run client:contract). Change that, not this.

/**
 * Every operation by its group and its method: verb, path, what names the caller, what it answers, whether it takes a body
 * or a query or has its body among the options, and whether it takes an Idempotency-Key.
 */
export const operations = {
  products: {
    list: "GET /api/v1/products token page query -",
    create: "POST /api/v1/products token data body key",
    get: "GET /api/v1/products/{id} token data - -",
    update: "PATCH /api/v1/products/{id} token data body key",
    delete: "DELETE /api/v1/products/{id} token none options key"
  },
  versions: {
    list: "GET /api/v1/products/{id}/versions token page query -",
    create: "POST /api/v1/products/{id}/versions token data body key",
    get: "GET /api/v1/products/{id}/versions/{version_id} token data - -",
    update: "PATCH /api/v1/products/{id}/versions/{version_id} token data body key",
    delete: "DELETE /api/v1/products/{id}/versions/{version_id} token none options key"
  },
  customFields: {
    list: "GET /api/v1/products/{id}/custom-fields token page query -",
    create: "POST /api/v1/products/{id}/custom-fields token data body key",
    get: "GET /api/v1/products/{id}/custom-fields/{field_id} token data - -",
    update: "PATCH /api/v1/products/{id}/custom-fields/{field_id} token data body key",
    delete: "DELETE /api/v1/products/{id}/custom-fields/{field_id} token none options key"
  },
  customers: {
    listCustomFieldValues: "GET /api/v1/customers/{id}/custom-fields token page query -",
    upsertCustomFieldValue: "PUT /api/v1/customers/{id}/custom-fields/{field_id} token data body key",
    list: "GET /api/v1/customers token page query -",
    create: "POST /api/v1/customers token data body key",
    get: "GET /api/v1/customers/{id} token data - -",
    update: "PATCH /api/v1/customers/{id} token data body key",
    delete: "DELETE /api/v1/customers/{id} token none options key",
    createPortalLink: "POST /api/v1/customers/{id}/portal-links token data body key",
    put: "PUT /api/v1/customers-by-external-id/{system}/{external_id} token data body key",
    listNotes: "GET /api/v1/customers/{id}/notes token page query -",
    createNote: "POST /api/v1/customers/{id}/notes token data body key",
    updateNote: "PUT /api/v1/customers/{id}/notes/{note_id} token data body key",
    deleteNote: "DELETE /api/v1/customers/{id}/notes/{note_id} token none options key",
    erase: "POST /api/v1/customers/{id}/erase token data options key",
    listBalances: "GET /api/v1/customers/{id}/balances token page query -",
    listPools: "GET /api/v1/customers/{id}/pools token page query -",
    createPool: "POST /api/v1/customers/{id}/pools token data body key",
    getPool: "GET /api/v1/customers/{id}/pools/{pool_id} token data - -",
    revokePool: "POST /api/v1/customers/{id}/pools/{pool_id}/revoke token data options key"
  },
  licenses: {
    listCustomFieldValues: "GET /api/v1/licenses/{id}/custom-fields token page query -",
    upsertCustomFieldValue: "PUT /api/v1/licenses/{id}/custom-fields/{field_id} token data body key",
    listFeatures: "GET /api/v1/licenses/{id}/features token page query -",
    assignFeature: "POST /api/v1/licenses/{id}/features token data body key",
    removeFeature: "DELETE /api/v1/licenses/{id}/features/{feature_id} token none options key",
    resetUsage: "POST /api/v1/licenses/{id}/usage/reset token data body key",
    list: "GET /api/v1/licenses token page query -",
    create: "POST /api/v1/licenses token data body key",
    get: "GET /api/v1/licenses/{id} token data query -",
    update: "PATCH /api/v1/licenses/{id} token data body key",
    suspend: "POST /api/v1/licenses/{id}/suspend token data options key",
    reinstate: "POST /api/v1/licenses/{id}/reinstate token data options key",
    revoke: "POST /api/v1/licenses/{id}/revoke token data options key",
    renew: "POST /api/v1/licenses/{id}/renew token data body key",
    transfer: "POST /api/v1/licenses/{id}/transfer token data body key",
    changePolicy: "POST /api/v1/licenses/{id}/change-policy token data body key",
    rotateKey: "POST /api/v1/licenses/{id}/rotate-key token data body key",
    lookup: "POST /api/v1/licenses/lookup token data body -",
    search: "POST /api/v1/licenses/search token data body -",
    createMany: "POST /api/v1/licenses/bulk token data body key",
    explain: "POST /api/v1/licenses/{id}/explain token data body -",
    listGrants: "GET /api/v1/licenses/{id}/grants token page query -",
    createGrant: "POST /api/v1/licenses/{id}/grants token data body key",
    getGrant: "GET /api/v1/licenses/{id}/grants/{grant_id} token data - -",
    revokeGrant: "POST /api/v1/licenses/{id}/grants/{grant_id}/revoke token data options key",
    refundUsage: "POST /api/v1/licenses/{id}/usage/refund token data body key",
    listUsers: "GET /api/v1/licenses/{id}/users token page query -",
    inviteUser: "POST /api/v1/licenses/{id}/users token data body key",
    getUser: "GET /api/v1/licenses/{id}/users/{user_id} token data - -",
    removeUser: "POST /api/v1/licenses/{id}/users/{user_id}/remove token data options key",
    eraseUser: "POST /api/v1/licenses/{id}/users/{user_id}/erase token data options key",
    listNotes: "GET /api/v1/licenses/{id}/notes token page query -",
    createNote: "POST /api/v1/licenses/{id}/notes token data body key",
    updateNote: "PUT /api/v1/licenses/{id}/notes/{note_id} token data body key",
    deleteNote: "DELETE /api/v1/licenses/{id}/notes/{note_id} token none options key",
    listDevices: "GET /api/v1/licenses/{id}/devices token page query -",
    getDevice: "GET /api/v1/licenses/{id}/devices/{device_id} token data - -",
    resetDevice: "POST /api/v1/licenses/{id}/devices/{device_id}/reset token data options key",
    freeDeviceSeat: "POST /api/v1/licenses/{id}/devices/{device_id}/free-seat token data body key",
    blacklistDevice: "POST /api/v1/licenses/{id}/devices/{device_id}/blacklist token data options key",
    listLeases: "GET /api/v1/licenses/{id}/leases token page query -",
    releaseLease: "POST /api/v1/licenses/{id}/leases/{lease_id}/release token data options key"
  },
  policies: {
    list: "GET /api/v1/products/{id}/policies token page query -",
    create: "POST /api/v1/products/{id}/policies token data body key",
    get: "GET /api/v1/policies/{id} token data - -",
    update: "PATCH /api/v1/policies/{id} token data body key",
    delete: "DELETE /api/v1/policies/{id} token none options key",
    rehearse: "POST /api/v1/policies/{id}/rehearse token data body -",
    listFeatures: "GET /api/v1/products/{id}/policies/{policy_id}/features token page query -",
    assignFeature: "POST /api/v1/products/{id}/policies/{policy_id}/features token data body key",
    removeFeature: "DELETE /api/v1/products/{id}/policies/{policy_id}/features/{feature_id} token none options key"
  },
  features: {
    list: "GET /api/v1/products/{id}/features token page query -",
    create: "POST /api/v1/products/{id}/features token data body key",
    get: "GET /api/v1/features/{id} token data - -",
    update: "PATCH /api/v1/features/{id} token data body key",
    delete: "DELETE /api/v1/features/{id} token none options key"
  },
  usage: {
    report: "POST /api/v1/usage token data body key"
  },
  licenseViews: {
    list: "GET /api/v1/license-views token page query -",
    create: "POST /api/v1/license-views token data body key",
    update: "PUT /api/v1/license-views/{id} token data body key",
    delete: "DELETE /api/v1/license-views/{id} token none - key"
  },
  jobs: {
    create: "POST /api/v1/licenses/jobs token data body key",
    list: "GET /api/v1/jobs token page query -",
    get: "GET /api/v1/jobs/{id} token data - -",
    listRows: "GET /api/v1/jobs/{id}/rows token page query -",
    stop: "POST /api/v1/jobs/{id}/stop token data options key",
    retry: "POST /api/v1/jobs/{id}/retry token data options key"
  },
  offlineFiles: {
    list: "GET /api/v1/licenses/{id}/offline-files token page query -",
    issue: "POST /api/v1/licenses/{id}/offline-files token data body key",
    revoke: "POST /api/v1/licenses/{id}/offline-files/{file_id}/revoke token data options key"
  },
  runtime: {
    findUserIssuer: "GET /api/v1/license/users/issuer licenseKey data - -",
    beginUserMailSignIn: "POST /api/v1/license/users/mail-sign-ins licenseKey data body -",
    signInUser: "POST /api/v1/license/users/sign-in licenseKey data body -",
    getReceipt: "GET /api/v1/license/receipt licenseKey data query -",
    activate: "POST /api/v1/license/activate licenseKey data body key",
    validate: "POST /api/v1/license/validate licenseKey data body -",
    check: "POST /api/v1/license/check licenseKey data body -",
    consume: "POST /api/v1/license/consume licenseKey data body key",
    refundUsage: "POST /api/v1/license/usage/refund licenseKey data body key",
    deactivate: "POST /api/v1/license/deactivate licenseKey data body key",
    checkout: "POST /api/v1/license/floating/checkout licenseKey data body key",
    heartbeat: "POST /api/v1/license/floating/heartbeat licenseKey data body key",
    checkin: "POST /api/v1/license/floating/checkin licenseKey data body key",
    listDevices: "GET /api/v1/license/devices licenseKey page query -",
    releaseDevice: "POST /api/v1/license/devices/{device_id}/release licenseKey data - key",
    issueOffline: "POST /api/v1/license/offline licenseKey data body key",
    getRevocations: "GET /api/v1/license/revocations none data - -",
    openTrial: "POST /api/v1/license/trials publishableKey data body -"
  },
  subscriptions: {
    list: "GET /api/v1/products/{id}/subscriptions token page query -",
    create: "POST /api/v1/products/{id}/subscriptions token data body key",
    get: "GET /api/v1/subscriptions/{id} token data - -",
    update: "PATCH /api/v1/subscriptions/{id} token data body key",
    delete: "DELETE /api/v1/subscriptions/{id} token none options key",
    put: "PUT /api/v1/products/{id}/subscriptions/by-external-id/{system}/{external_id} token data body key"
  },
  orders: {
    list: "GET /api/v1/products/{id}/orders token page query -",
    create: "POST /api/v1/products/{id}/orders token data body key",
    get: "GET /api/v1/orders/{id} token data - -",
    update: "PATCH /api/v1/orders/{id} token data body key",
    delete: "DELETE /api/v1/orders/{id} token none options key",
    put: "PUT /api/v1/products/{id}/orders/by-external-id/{system}/{external_id} token data body key"
  },
  billingConnections: {
    list: "GET /api/v1/billing/connections token page query -",
    create: "POST /api/v1/billing/connections token data body key",
    get: "GET /api/v1/billing/connections/{id} token data - -",
    update: "PATCH /api/v1/billing/connections/{id} token data body key",
    delete: "DELETE /api/v1/billing/connections/{id} token none options key",
    reconcile: "POST /api/v1/billing/connections/{id}/reconcile token data body key",
    listReconciliations: "GET /api/v1/billing/connections/{id}/reconciliations token data - -",
    getReconciliation: "GET /api/v1/billing/reconciliations/{id} token data - -",
    receiveEvents: "POST /api/v1/billing/connections/{id}/events none data - -"
  },
  purchases: {
    list: "GET /api/v1/billing/purchases token page query -",
    get: "GET /api/v1/billing/purchases/{id} token data - -",
    retry: "POST /api/v1/billing/purchases/{id}/retry token data options -",
    decideOwner: "POST /api/v1/billing/purchases/{id}/owner token data body key",
    listUnmappedPrices: "GET /api/v1/billing/unmapped-prices token data - -"
  },
  webhooks: {
    list: "GET /api/v1/webhooks token page query -",
    create: "POST /api/v1/webhooks token data body key",
    get: "GET /api/v1/webhooks/{id} token data - -",
    update: "PATCH /api/v1/webhooks/{id} token data body key",
    delete: "DELETE /api/v1/webhooks/{id} token none options key",
    resumeFromNow: "POST /api/v1/webhooks/{id}/resume-from-now token data options key",
    test: "POST /api/v1/webhooks/{id}/test token data options -",
    getHealth: "GET /api/v1/ops/webhook-health token data - -"
  },
  events: {
    list: "GET /api/v1/events token page query -",
    listEpochs: "GET /api/v1/events/epochs token data - -",
    getCheckpoint: "GET /api/v1/events/checkpoint token data query -",
    getConsistency: "GET /api/v1/events/consistency token data query -",
    getChain: "GET /api/v1/events/chain token data query -",
    getProof: "GET /api/v1/events/{id}/proof token data query -",
    getLogCheckpoint: "GET /api/v1/log/{epoch}/checkpoint token text - -",
    getLogEntries: "GET /api/v1/log/{epoch}/tile/entries/{tile} token file - -",
    getLogTile: "GET /api/v1/log/{epoch}/tile/{level}/{tile} token file - -"
  },
  activities: {
    list: "GET /api/v1/activities token page query -",
    get: "GET /api/v1/activities/{id} token data - -"
  },
  reports: {
    overview: "GET /api/v1/overview token data query -",
    usageSummary: "GET /api/v1/reports/usage-summary token data query -",
    usageLedger: "GET /api/v1/reports/usage-ledger token page query -",
    licenseAudit: "GET /api/v1/reports/license-audit token data query -",
    customerSummary: "GET /api/v1/reports/customer-summary token data query -",
    subscriptionSettlement: "GET /api/v1/reports/subscription-settlement token data query -",
    purchases: "GET /api/v1/reports/purchases token data query -",
    licenses: "GET /api/v1/reports/licenses token data query -",
    adoption: "GET /api/v1/reports/adoption token data query -",
    statement: "GET /api/v1/reports/statement token data query -"
  },
  reportExports: {
    list: "GET /api/v1/reports/exports token page query -",
    create: "POST /api/v1/reports/exports token data body key",
    get: "GET /api/v1/reports/exports/{id} token data - -",
    retry: "POST /api/v1/reports/exports/{id}/retry token data options key",
    download: "GET /api/v1/reports/exports/{id}/download token file - -",
    downloadSnapshot: "GET /api/v1/reports/exports/{id}/snapshot token file - -",
    downloadArchive: "GET /api/v1/reports/exports/{id}/archive token file - -",
    getManifest: "GET /api/v1/reports/exports/{id}/manifest token data - -"
  },
  people: {
    list: "GET /api/v1/people token page query -",
    create: "POST /api/v1/people token data body key",
    granters: "GET /api/v1/people/granters token data query -",
    get: "GET /api/v1/people/{id} token data - -",
    update: "PATCH /api/v1/people/{id} token data body key",
    remove: "DELETE /api/v1/people/{id} token none options key",
    reinstate: "POST /api/v1/people/{id}/reinstate token data options key",
    invite: "POST /api/v1/people/{id}/invite token data options key"
  },
  roles: {
    list: "GET /api/v1/roles token page query -",
    create: "POST /api/v1/roles token data body key",
    get: "GET /api/v1/roles/{id} token data - -",
    update: "PATCH /api/v1/roles/{id} token data body key",
    delete: "DELETE /api/v1/roles/{id} token none options key"
  },
  approvals: {
    request: "POST /api/v1/approvals token data body -",
    list: "GET /api/v1/approvals token page query -",
    get: "GET /api/v1/approvals/{id} token data - -",
    approve: "POST /api/v1/approvals/{id}/approve token data body -",
    decline: "POST /api/v1/approvals/{id}/decline token data body key",
    cancel: "POST /api/v1/approvals/{id}/cancel token data options key"
  },
  sessions: {
    list: "GET /api/v1/sessions token page query -",
    end: "DELETE /api/v1/sessions/{id} token none options key",
    noteAdmin: "POST /api/v1/sign-in/admin-token token none options key",
    getSignInWays: "GET /api/v1/sign-in none data - -",
    signIn: "POST /api/v1/sign-in none data body -",
    beginSignIn: "POST /api/v1/sign-in/oidc none data body -",
    signOut: "POST /api/v1/sign-out none data - -",
    beginPasskey: "POST /api/v1/sign-in/passkey none data - -",
    finishPasskey: "POST /api/v1/sign-in/passkey/finish none data body -",
    showInvitation: "POST /api/v1/sign-in/invitation none data body -",
    join: "POST /api/v1/sign-in/invitation/passkey none data body -"
  },
  passkeys: {
    list: "GET /api/v1/passkeys token page query -",
    create: "POST /api/v1/passkeys token data body key",
    begin: "POST /api/v1/passkeys/begin token data - -",
    rename: "POST /api/v1/passkeys/{id}/rename token data body key",
    delete: "DELETE /api/v1/passkeys/{id} token none options key"
  },
  apiKeys: {
    list: "GET /api/v1/api-keys token page query -",
    create: "POST /api/v1/api-keys token data body key",
    get: "GET /api/v1/api-keys/{id} token data - -",
    revoke: "DELETE /api/v1/api-keys/{id} token none options key",
    rotate: "POST /api/v1/api-keys/{id}/rotate token data body key",
    whoami: "GET /api/v1/whoami token data - -"
  },
  publishableKeys: {
    list: "GET /api/v1/products/{id}/publishable-keys token page query -",
    create: "POST /api/v1/products/{id}/publishable-keys token data body key",
    revoke: "DELETE /api/v1/publishable-keys/{id} token none options key"
  },
  mailTemplates: {
    listKinds: "GET /api/v1/settings/mail/kinds token data - -",
    get: "GET /api/v1/settings/mail/templates/{kind}/{language} token data - -",
    put: "PUT /api/v1/settings/mail/templates/{kind}/{language} token data body key",
    reset: "DELETE /api/v1/settings/mail/templates/{kind}/{language} token none options key",
    preview: "POST /api/v1/settings/mail/templates/{kind}/{language}/preview token data body -",
    sendSample: "POST /api/v1/settings/mail/templates/{kind}/{language}/sample token data body -"
  },
  mailSuppressions: {
    list: "GET /api/v1/settings/mail/suppressions token page query -",
    create: "POST /api/v1/settings/mail/suppressions token data body key",
    get: "GET /api/v1/settings/mail/suppressions/{id} token data - -",
    delete: "DELETE /api/v1/settings/mail/suppressions/{id} token none options key"
  },
  signingKeys: {
    list: "GET /api/v1/signing-keys token page query -",
    rotate: "POST /api/v1/signing-keys/rotate token data options key",
    revoke: "POST /api/v1/signing-keys/{id}/revoke token data options key"
  },
  environment: {
    get: "GET /api/v1/environment token data - -",
    moveClock: "PUT /api/v1/environment/clock token data body key",
    reset: "POST /api/v1/environment/reset token data - -"
  },
  settings: {
    get: "GET /api/v1/settings token data - -",
    update: "PATCH /api/v1/settings token data body key",
    getSignIn: "GET /api/v1/settings/sign-in token data - -",
    getMail: "GET /api/v1/settings/mail token data - -",
    testSignIn: "POST /api/v1/settings/sign-in/test token data - -"
  },
  system: {
    health: "GET /health none data - -",
    healthz: "GET /healthz none data - -",
    readyz: "GET /readyz none data - -",
    getMetrics: "GET /metrics none text - -",
    listPublicKeys: "GET /api/v1/system/public-keys none data - -",
    getJsonWebKeySet: "GET /.well-known/jwks.json none whole - -",
    getOpenApi: "GET /openapi.yaml none text - -",
    getOpenApiJson: "GET /openapi.json none whole - -",
    getLlmsText: "GET /llms.txt none text - -",
    getLlmsFullText: "GET /llms-full.txt none text - -",
    getErrorReference: "GET /docs/errors none text - -"
  }
} as const
