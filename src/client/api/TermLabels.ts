import type { LicenseTerms } from "./types.gen.ts"

/** The labels of the rules of policies and licenses. */
export const termLabels: Readonly<Record<keyof LicenseTerms, string>> = {
  max_activations: "Device limit",
  max_floating_users: "Floating seat limit",
  max_container_instances: "Container limit",
  floating_timeout_minutes: "Floating seat timeout",
  grace_period_days: "Grace period",
  validation_interval_minutes: "Validation interval",
  require_heartbeat: "Heartbeat",
  allow_offline_activation: "Offline use",
  offline_grace_days: "Offline duration",
  allow_vm: "Virtual machines",
  allow_container: "Containers",
  max_transfers: "Transfer limit",
  duration: "License duration",
  expiry_basis: "Expiration basis",
  maintenance_duration: "Maintenance period",
  activation_overage: "Device overage",
  floating_overage: "Floating seat overage",
  lease_unit: "One floating seat per",
  follows_subscription: "Follows the subscription",
  component_match: "Matching components",
  self_service: "Self-service",
  max_self_service_resets: "Self-service reset limit",
  self_service_period: "Reset period",
  self_service_transfer: "Transfers by the owner",
  offline_file_days: "Offline file duration",
  hold_offline_seats: "Hold seats for offline use",
  refund_window_minutes: "Refund window (minutes)",
  max_users: "User limit",
  max_devices_per_user: "Devices of a user"
}
