import { Layer } from "effect"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { Api } from "./api/Api.ts"
import * as Activities from "./handlers/Activities.ts"
import * as Approvals from "./handlers/Approvals.ts"
import * as Billing from "./handlers/Billing.ts"
import * as Commerce from "./handlers/Commerce.ts"
import * as CustomerErasures from "./handlers/CustomerErasures.ts"
import * as Customers from "./handlers/Customers.ts"
import * as CustomFields from "./handlers/CustomFields.ts"
import * as Devices from "./handlers/Devices.ts"
import * as Environments from "./handlers/Environments.ts"
import * as Events from "./handlers/Events.ts"
import * as Features from "./handlers/Features.ts"
import * as Floating from "./handlers/Floating.ts"
import * as Grants from "./handlers/Grants.ts"
import * as Jobs from "./handlers/Jobs.ts"
import * as Licenses from "./handlers/Licenses.ts"
import * as LicenseUsers from "./handlers/LicenseUsers.ts"
import * as LicenseViews from "./handlers/LicenseViews.ts"
import * as MailSuppressions from "./handlers/MailSuppressions.ts"
import * as MailTemplates from "./handlers/MailTemplates.ts"
import * as MailUnsubscribes from "./handlers/MailUnsubscribes.ts"
import * as ManagementKeys from "./handlers/ManagementKeys.ts"
import * as Notes from "./handlers/Notes.ts"
import * as Offline from "./handlers/Offline.ts"
import * as OfflineFiles from "./handlers/OfflineFiles.ts"
import * as Passkeys from "./handlers/Passkeys.ts"
import * as People from "./handlers/People.ts"
import * as Policies from "./handlers/Policies.ts"
import * as Pools from "./handlers/Pools.ts"
import * as Portal from "./handlers/Portal.ts"
import * as Products from "./handlers/Products.ts"
import * as PublishableKeys from "./handlers/PublishableKeys.ts"
import * as Receipts from "./handlers/Receipts.ts"
import * as ReportExports from "./handlers/ReportExports.ts"
import * as Reports from "./handlers/Reports.ts"
import * as Runtime from "./handlers/Runtime.ts"
import * as SelfService from "./handlers/SelfService.ts"
import * as ServiceSettings from "./handlers/ServiceSettings.ts"
import * as Sessions from "./handlers/Sessions.ts"
import * as SigningKeys from "./handlers/SigningKeys.ts"
import * as System from "./handlers/System.ts"
import * as Trials from "./handlers/Trials.ts"
import * as Usage from "./handlers/Usage.ts"
import * as UserConfirmations from "./handlers/UserConfirmations.ts"
import * as UserSignIns from "./handlers/UserSignIns.ts"
import * as Versions from "./handlers/Versions.ts"
import * as Webhooks from "./handlers/Webhooks.ts"
import * as Authorization from "./middleware/Authorization.ts"
import * as Envelope from "./middleware/Envelope.ts"
import * as Idempotency from "./middleware/Idempotency.ts"
import * as Preconditions from "./middleware/Preconditions.ts"
import * as PublishableKey from "./middleware/PublishableKey.ts"
import * as RequestBody from "./middleware/RequestBody.ts"
import * as SecondLook from "./middleware/SecondLook.ts"
import * as ContractDocument from "./pages/ContractDocument.ts"
import * as Pages from "./pages/Pages.ts"

const handlers = Layer.mergeAll(
  System.layer,
  Products.layer,
  Versions.layer,
  Commerce.layer,
  Billing.layer,
  CustomFields.layer,
  Policies.layer,
  Features.layer,
  Customers.layer,
  CustomerErasures.layer,
  Grants.layer,
  Pools.layer,
  LicenseUsers.layer,
  UserSignIns.layer,
  Receipts.layer,
  Usage.layer,
  Jobs.layer,
  LicenseViews.layer,
  MailTemplates.layer,
  MailSuppressions.layer,
  Notes.layer,
  People.layer,
  Approvals.layer,
  Sessions.layer,
  Passkeys.layer,
  ManagementKeys.layer,
  PublishableKeys.layer,
  Licenses.layer,
  Devices.layer,
  OfflineFiles.layer,
  Floating.layer,
  Offline.layer,
  SelfService.layer,
  Trials.layer,
  SigningKeys.layer,
  Environments.layer,
  ServiceSettings.layer,
  Events.layer,
  ReportExports.layer,
  Activities.layer,
  Reports.layer,
  Webhooks.layer
)

const middleware = Layer.mergeAll(
  Envelope.layer,
  Authorization.managementLayer,
  Authorization.licenseKeyLayer,
  PublishableKey.layer,
  Idempotency.layer,
  Preconditions.layer,
  RequestBody.layer,
  SecondLook.layer
)

const { floating: _floating, runtime: _runtime, system, ...others } = Api.groups

/** The operations that HttpApi answers: all but the groups of hot routes. */
const General = HttpApi.make("countersign").add(system, ...Object.values(others)).annotateMerge(Api.annotations)

/** All routes: the operations of the contract, and the pages for browsers. */
export const routes = Layer.mergeAll(
  HttpApiBuilder.layer(General).pipe(Layer.provide(handlers), Layer.provide(middleware)),
  Runtime.layer,
  Floating.hotLayer,
  Portal.layer,
  MailUnsubscribes.layer,
  UserConfirmations.layer,
  Pages.layer
).pipe(Layer.provide(ContractDocument.layer))
