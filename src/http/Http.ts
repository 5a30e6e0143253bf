import { Layer } from "effect"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/composition/Api.ts"
import { customFieldsLayer, featuresLayer, policiesLayer, productsLayer, versionsLayer } from "./catalog/Catalog.ts"
import * as ContractDocument from "./composition/pages/ContractDocument.ts"
import * as Pages from "./composition/pages/Pages.ts"
import * as System from "./composition/System.ts"
import { commerceLayer, customersLayer } from "./customers/Customers.ts"
import * as Webhooks from "./delivery/Webhooks.ts"
import { activitiesLayer, receiptsLayer, reportExportsLayer, reportsLayer } from "./evidence/Evidence.ts"
import * as Authorization from "./ground/middleware/Authorization.ts"
import * as Envelope from "./ground/middleware/Envelope.ts"
import * as Idempotency from "./ground/middleware/Idempotency.ts"
import * as Preconditions from "./ground/middleware/Preconditions.ts"
import * as PublishableKey from "./ground/middleware/PublishableKey.ts"
import * as RequestBody from "./ground/middleware/RequestBody.ts"
import * as SecondLook from "./ground/middleware/SecondLook.ts"
import { environmentsLayer, jobsLayer, licenseViewsLayer } from "./jobs/Jobs.ts"
import { managementKeysLayer, publishableKeysLayer, serviceSettingsLayer, signingKeysLayer } from "./keys/Keys.ts"
import {
  devicesLayer,
  grantsLayer,
  licensesLayer,
  licenseUsersLayer,
  poolsLayer,
  selfServiceLayer,
  trialsLayer,
  usageLayer,
  userSignInsLayer
} from "./licensing/Licenses.ts"
import { floatingLayer, hotLayer, offlineFilesLayer, offlineLayer, runtimeLayer } from "./licensing/Runtime.ts"
import * as Events from "./log/Events.ts"
import { mailSuppressionsLayer, mailTemplatesLayer } from "./mail/Mails.ts"
import * as Approvals from "./people/Approvals.ts"
import { notesLayer, passkeysLayer, peopleLayer } from "./people/People.ts"
import * as Sessions from "./people/Sessions.ts"
import * as CustomerErasures from "./portal/CustomerErasures.ts"
import * as MailUnsubscribes from "./portal/MailUnsubscribes.ts"
import * as Portal from "./portal/Portal.ts"
import * as UserConfirmations from "./portal/UserConfirmations.ts"
import * as Billing from "./sales/Billing.ts"

const handlers = Layer.mergeAll(
  System.layer,
  productsLayer,
  versionsLayer,
  commerceLayer,
  Billing.layer,
  customFieldsLayer,
  policiesLayer,
  featuresLayer,
  customersLayer,
  CustomerErasures.layer,
  grantsLayer,
  poolsLayer,
  licenseUsersLayer,
  userSignInsLayer,
  receiptsLayer,
  usageLayer,
  jobsLayer,
  licenseViewsLayer,
  mailTemplatesLayer,
  mailSuppressionsLayer,
  notesLayer,
  peopleLayer,
  Approvals.layer,
  Sessions.layer,
  passkeysLayer,
  managementKeysLayer,
  publishableKeysLayer,
  licensesLayer,
  devicesLayer,
  offlineFilesLayer,
  floatingLayer,
  offlineLayer,
  selfServiceLayer,
  trialsLayer,
  signingKeysLayer,
  environmentsLayer,
  serviceSettingsLayer,
  Events.layer,
  reportExportsLayer,
  activitiesLayer,
  reportsLayer,
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
  runtimeLayer,
  hotLayer,
  Portal.layer,
  MailUnsubscribes.layer,
  UserConfirmations.layer,
  Pages.layer
).pipe(Layer.provide(ContractDocument.layer))
