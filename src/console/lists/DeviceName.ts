import type { Device } from "../../client/api/index.ts"

/** The name of a device, or its fingerprint where it gave none. */
export const deviceNameOf = ({ binding_key, fingerprint, hostname, pod_name }: Device): string =>
  hostname ?? pod_name ?? fingerprint ?? binding_key
