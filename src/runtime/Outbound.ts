import { Layer } from "effect"
import { IssuerKeys } from "../services/licensing/users/IssuerKeys.ts"
import { UserMailSignIns } from "../services/licensing/users/UserMailSignIns.ts"
import { UserSignIns } from "../services/licensing/users/UserSignIns.ts"
import * as JoseIdTokens from "./node/JoseIdTokens.ts"
import * as OwnAddress from "./node/OwnAddress.ts"
import * as UndiciProviderHttp from "./node/UndiciProviderHttp.ts"

/** Requests to hosts that customers and payment providers name. */
export const providerHttp = UndiciProviderHttp.layer.pipe(Layer.provide(OwnAddress.layer))

/** The sign-ins of the users of licenses, at the identity providers that licenses name. */
export const userSignIns = UserSignIns.layer.pipe(
  Layer.provideMerge(UserMailSignIns.layer),
  Layer.provide(IssuerKeys.layer),
  Layer.provide(Layer.mergeAll(JoseIdTokens.layer, providerHttp))
)
