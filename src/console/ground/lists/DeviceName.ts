import type { Device } from "../../../client/api/index.ts"

/** The name of a device, as its customer or else the machine calls it, or its fingerprint where it has none. */
export const deviceNameOf = ({ binding_key, fingerprint, hostname, name, pod_name }: Device): string =>
  name ?? hostname ?? pod_name ?? fingerprint ?? binding_key
