import { addColumns } from "../OnlineMigration.ts"

/** The identity provider at which the users of a license sign in. NULL where there is none. */
export default addColumns("licenses", { trusted_issuer: "jsonb" })
