// Made from the OpenAPI document by build/clientContract.ts (npm run client:contract). Change that, not this.

/** What the writes do that ask first, by operation: sentences, the operation that takes one back, and whether none does. */
export const consequences = {
  "deleteProduct": {
    "consequence": "The product is deleted.",
    "risk": "final"
  },
  "deleteProductVersion": {
    "consequence": "The product version is deleted.",
    "risk": "final"
  },
  "deleteSubscription": {
    "consequence": "The subscription is deleted.",
    "risk": "final"
  },
  "deleteOrder": {
    "consequence": "The order is deleted.",
    "risk": "final"
  },
  "updateBillingConnection": {
    "consequenceOf": {
      "mapping": "Purchases that wait for an entry, or failed, are tried again and become licenses.",
      "sold_before=renewal": "Licenses that were sold otherwise get their new policy and limits with their next renewal.",
      "sold_before=now": "Licenses that were sold otherwise get their new policy and limits at once.",
      "secret": "Events must be signed with the new secret. Until the overlap ends, the old one is accepted too."
    }
  },
  "deleteBillingConnection": {
    "consequence": "The billing connection is deleted.",
    "risk": "final"
  },
  "decidePurchaseOwner": {
    "consequence": "Licenses that belong to another owner than who pays are transferred, left as they are, or no longer paid for."
  },
  "reconcileBillingConnection": {
    "consequence": "Purchases that differ from those of the provider are fixed, and their licenses follow."
  },
  "deleteProductCustomFieldDefinition": {
    "consequence": "The product custom field definition is deleted.",
    "risk": "final"
  },
  "deletePolicy": {
    "consequence": "The policy is deleted.",
    "risk": "final"
  },
  "removePolicyFeature": {
    "consequence": "Licenses of the policy lose the feature from the next check, unless it was assigned to them."
  },
  "deleteFeature": {
    "consequence": "The feature is deleted.",
    "risk": "final"
  },
  "removeLicenseFeature": {
    "consequence": "The license loses the feature from the next check."
  },
  "resetLicenseUsage": {
    "consequence": "The quota or the usage of the feature changes from the next check. The correction is recorded."
  },
  "deleteCustomer": {
    "consequence": "The customer is deleted.",
    "risk": "final"
  },
  "deleteCustomerNote": {
    "consequence": "The note is deleted.",
    "risk": "final"
  },
  "eraseCustomer": {
    "consequence": "The personal data of the customer is removed from licenses, devices, events and reports.",
    "risk": "final"
  },
  "updatePerson": {
    "consequenceOf": {
      "roles": "The person has the rights of these roles from now on, and no others.",
      "identities": "The person signs in by these accounts from now on, and by no others."
    }
  },
  "removePerson": {
    "consequence": "The person loses all roles and access."
  },
  "updateRole": {
    "consequenceOf": {
      "scopes": "People with the role have these rights from now on.",
      "product_ids": "People with the role are limited to these products from now on.",
      "second_look": "People with the role need a second person for these actions from now on, and for no others."
    }
  },
  "deleteRole": {
    "consequence": "The role is deleted.",
    "risk": "final"
  },
  "approveApproval": {
    "consequence": "The request is done now, in the name of the person who asked."
  },
  "declineApproval": {
    "consequence": "The request is not done."
  },
  "cancelApproval": {
    "consequence": "The request is not done."
  },
  "endSession": {
    "consequence": "The next request of the session is refused."
  },
  "deletePasskey": {
    "consequence": "The passkey no longer signs in, and the sessions that it opened end.",
    "risk": "final"
  },
  "rotateAPIKey": {
    "consequence": "A new key with the same rights replaces the key; the new token is shown once.",
    "consequenceOf": {
      "overlap_minutes=undefined": "The previous key ends in 1440 minutes.",
      "overlap_minutes": "The previous key ends in {overlap_minutes} minutes.",
      "overlap_minutes=0": "The previous key ends at once."
    }
  },
  "revokeAPIKey": {
    "consequence": "Every request with the key is refused from now on.",
    "risk": "final"
  },
  "revokePublishableKey": {
    "consequence": "Apps that contain the key can no longer open trials with it.",
    "risk": "final"
  },
  "suspendLicense": {
    "consequence": "The license stops working at the next check on every device. Devices keep their seats.",
    "undo": "Reinstate a license"
  },
  "reinstateLicense": {
    "consequence": "The license works again from the next check, unless it has expired.",
    "undo": "Suspend a license"
  },
  "revokeLicense": {
    "consequence": "The license is disabled permanently and its seats are freed. To disable it temporarily, suspend it.",
    "risk": "final"
  },
  "renewLicense": {
    "consequence": "The license expires later.",
    "consequenceOf": {
      "expires_at": "The new expiration is {expires_at}.",
      "extend_by_days": "Days added: {extend_by_days}.",
      "renew_from=expiry": "The time is counted from the expiration, even in the past.",
      "renew_from=now": "The time is counted from now; the remaining time is lost."
    }
  },
  "transferLicense": {
    "consequence": "The license belongs to the new owner. A new owner counts toward the policy's transfer limit.",
    "consequenceOf": {
      "reset_devices=true": "All device seats are freed.",
      "reset_devices=false": "Devices keep their seats."
    }
  },
  "changeLicensePolicy": {
    "consequence": "The license follows the rules of the new policy from the next check."
  },
  "rotateLicenseKey": {
    "consequence": "The license gets a new key, shown once: send it to the owner. Devices keep their seats.",
    "consequenceOf": {
      "overlap_minutes=undefined": "The previous key expires in 1440 minutes.",
      "overlap_minutes": "The previous key expires in {overlap_minutes} minutes.",
      "overlap_minutes=0": "The previous key expires immediately, also in running apps."
    }
  },
  "createLicenseGrant": {
    "consequence": "The license can use the units from the next check."
  },
  "revokeLicenseGrant": {
    "consequence": "The remaining units of the grant are gone.",
    "risk": "final"
  },
  "refundLicenseUsage": {
    "consequence": "The units of the usage event can be used again, where they have not ended."
  },
  "createCustomerPool": {
    "consequence": "Licenses of the customer and of those below it with a quota of the feature can use the units from the next check."
  },
  "revokeCustomerPool": {
    "consequence": "The remaining units of the pool are gone, for each license of the customer.",
    "risk": "final"
  },
  "inviteLicenseUser": {
    "consequence": "The person can sign in and takes a seat with the first sign-in, if one is free.",
    "undo": "Remove a user"
  },
  "removeLicenseUser": {
    "consequence": "The person loses the seat at the next request, and the person's devices lose theirs."
  },
  "eraseLicenseUser": {
    "consequence": "The user loses the seat, and the personal data of the user is removed from the license, its devices and events.",
    "risk": "final"
  },
  "deleteLicenseNote": {
    "consequence": "The note is deleted.",
    "risk": "final"
  },
  "deleteLicenseView": {
    "consequence": "The view is deleted. The licenses stay as they are.",
    "risk": "final"
  },
  "resetMailTemplate": {
    "consequence": "Mails are worded as they ship. Your template is deleted.",
    "risk": "final"
  },
  "createMailSuppression": {
    "consequence": "The address gets no mails from now on, also none that wait.",
    "undo": "Lift a suppression"
  },
  "deleteMailSuppression": {
    "consequence": "The address gets mails again. Mails that were not sent meanwhile are not sent later.",
    "risk": "final"
  },
  "createLicenseJob": {
    "consequence": "Each license of the selection is changed, one by one.",
    "undo": "Stop a job"
  },
  "stopJob": {
    "consequence": "The job changes no further license. Changed licenses stay changed."
  },
  "retryJob": {
    "consequence": "The licenses that failed are tried again.",
    "undo": "Stop a job"
  },
  "resetLicenseDevice": {
    "consequence": "The device loses its seat and can activate again. A blocked device is unblocked."
  },
  "freeLicenseDeviceSeat": {
    "consequence": "The device loses its seat at once, although it can still run offline. Its offline files are revoked."
  },
  "blacklistLicenseDevice": {
    "consequence": "The device loses its seat and is refused from its next request.",
    "undo": "Reset a device"
  },
  "revokeOfflineFile": {
    "consequence": "The file joins the revocation list. Apps that fetch the list refuse it.",
    "risk": "final"
  },
  "releaseLicenseLease": {
    "consequence": "The floating seat is freed immediately. The app is notified at its next heartbeat."
  },
  "rotateSigningKey": {
    "consequence": "A new key signs from now on. The previous key stays published, so existing signatures still verify. Apps with built-in public keys need an update before they accept the new key.",
    "risk": "final"
  },
  "revokeSigningKey": {
    "consequence": "Signatures of the key no longer verify.",
    "risk": "final"
  },
  "moveEnvironmentClock": {
    "consequence": "Everything that is due until then happens now: expiries, ends of grace, leases, retries. The clock never goes back; a reset sets it to real time.",
    "risk": "final"
  },
  "resetEnvironment": {
    "consequence": "Everything in the test environment is deleted: products, licenses, keys, events, webhooks. The live environment is not affected.",
    "risk": "final"
  },
  "updateSettings": {
    "consequenceOf": {
      "required_reasons": "From now on these actions are refused without a reason, on every node and for every caller."
    }
  },
  "updateWebhookEndpoint": {
    "consequenceOf": {
      "url": "Deliveries go to the new URL from now on, including the backlog.",
      "secret": "Deliveries are signed with the new secret. Until the overlap ends, they carry signatures of both secrets.",
      "is_active=false": "Deliveries stop. New events queue up and are delivered in order after the endpoint is resumed.",
      "is_active=true": "The backlog is delivered in order, oldest first.",
      "ordered=true": "Deliveries are sent one at a time, in order. A failed delivery blocks the ones after it.",
      "ordered=false": "Several deliveries are sent at once.",
      "rotate_secret=true": "The endpoint gets a new signing secret, which is shown only once. Until the overlap ends, deliveries carry signatures of both secrets."
    }
  },
  "deleteWebhookEndpoint": {
    "consequence": "The endpoint receives no more events, and its backlog is discarded.",
    "risk": "final"
  },
  "resumeWebhookEndpointFromNow": {
    "consequence": "The backlog is discarded. Only new events are delivered."
  }
} as const
