// Made from the OpenAPI document by build/clientContract.ts (npm run client:contract). Change that, not this.

export type ClientOptions = {
    baseUrl: 'https://licenses.example.com' | (string & {});
};

export type Webhooks = OnProductCreatedWebhookRequest | OnProductUpdatedWebhookRequest | OnProductDeletedWebhookRequest | OnPolicyCreatedWebhookRequest | OnPolicyUpdatedWebhookRequest | OnPolicyDeletedWebhookRequest | OnPolicyFeatureAssignedWebhookRequest | OnPolicyFeatureRemovedWebhookRequest | OnFeatureCreatedWebhookRequest | OnFeatureUpdatedWebhookRequest | OnFeatureDeletedWebhookRequest | OnVersionCreatedWebhookRequest | OnVersionUpdatedWebhookRequest | OnVersionDeletedWebhookRequest | OnCustomerCreatedWebhookRequest | OnCustomerUpdatedWebhookRequest | OnCustomerDeletedWebhookRequest | OnCustomerErasedWebhookRequest | OnCustomerPoolGivenWebhookRequest | OnCustomerPoolRevokedWebhookRequest | OnCustomerPortalLinkCreatedWebhookRequest | OnCustomerPortalLinkMailedWebhookRequest | OnCustomerPortalLinkFailedWebhookRequest | OnOrderCreatedWebhookRequest | OnOrderUpdatedWebhookRequest | OnOrderDeletedWebhookRequest | OnSubscriptionCreatedWebhookRequest | OnSubscriptionUpdatedWebhookRequest | OnSubscriptionDeletedWebhookRequest | OnBillingConnectionCreatedWebhookRequest | OnBillingConnectionUpdatedWebhookRequest | OnBillingConnectionSecretRotatedWebhookRequest | OnBillingConnectionDeletedWebhookRequest | OnPurchaseDoneWebhookRequest | OnPurchaseWaitingWebhookRequest | OnPurchaseFailedWebhookRequest | OnCustomFieldCreatedWebhookRequest | OnCustomFieldUpdatedWebhookRequest | OnCustomFieldDeletedWebhookRequest | OnJobCreatedWebhookRequest | OnJobDoneWebhookRequest | OnJobStoppedWebhookRequest | OnJobFailedWebhookRequest | OnNoteCreatedWebhookRequest | OnNoteUpdatedWebhookRequest | OnNoteDeletedWebhookRequest | OnLicenseCreatedWebhookRequest | OnLicenseUpdatedWebhookRequest | OnLicenseStartedWebhookRequest | OnLicenseActivatedWebhookRequest | OnLicenseDeactivatedWebhookRequest | OnLicenseSuspendedWebhookRequest | OnLicenseReinstatedWebhookRequest | OnLicenseRevokedWebhookRequest | OnLicenseRenewedWebhookRequest | OnLicensePolicyChangedWebhookRequest | OnLicenseTransferredWebhookRequest | OnLicenseKeyRotatedWebhookRequest | OnLicenseGraceStartedWebhookRequest | OnLicenseExpiringWebhookRequest | OnLicenseExpiredWebhookRequest | OnLicenseFeatureAssignedWebhookRequest | OnLicenseFeatureRemovedWebhookRequest | OnLicenseUsageRecordedWebhookRequest | OnLicenseUsageResetWebhookRequest | OnLicenseQuotaReachedWebhookRequest | OnLicenseQuotaThresholdWebhookRequest | OnLicenseGrantGivenWebhookRequest | OnLicenseGrantRevokedWebhookRequest | OnLicenseOverageStartedWebhookRequest | OnLicenseTransferRequestedWebhookRequest | OnLicenseTransferCanceledWebhookRequest | OnLicenseUserInvitedWebhookRequest | OnLicenseUserJoinedWebhookRequest | OnLicenseUserRemovedWebhookRequest | OnLicenseUserDeviceChangedWebhookRequest | OnMailSentWebhookRequest | OnMailFailedWebhookRequest | OnDeviceResetWebhookRequest | OnDeviceBlacklistedWebhookRequest | OnDeviceExpiredWebhookRequest | OnDeviceComponentsChangedWebhookRequest | OnDeviceRenamedWebhookRequest | OnLeaseCheckedOutWebhookRequest | OnLeaseCheckedInWebhookRequest | OnLeaseExpiredWebhookRequest | OnOfflineIssuedWebhookRequest | OnOfflineFileIssuedWebhookRequest | OnOfflineFileRevokedWebhookRequest | OnApiKeyCreatedWebhookRequest | OnApiKeyUpdatedWebhookRequest | OnApiKeyRevokedWebhookRequest | OnApiKeyRotatedWebhookRequest | OnApiKeySignedInWebhookRequest | OnPersonCreatedWebhookRequest | OnPersonUpdatedWebhookRequest | OnPersonRemovedWebhookRequest | OnPersonReinstatedWebhookRequest | OnPersonInvitedWebhookRequest | OnSessionOpenedWebhookRequest | OnSessionEndedWebhookRequest | OnSessionRefusedWebhookRequest | OnPasskeyCreatedWebhookRequest | OnPasskeyUpdatedWebhookRequest | OnPasskeyDeletedWebhookRequest | OnRoleCreatedWebhookRequest | OnRoleUpdatedWebhookRequest | OnRoleDeletedWebhookRequest | OnRoleSecondLookChangedWebhookRequest | OnApprovalRequestedWebhookRequest | OnApprovalApprovedWebhookRequest | OnApprovalDeclinedWebhookRequest | OnApprovalCanceledWebhookRequest | OnApprovalExpiredWebhookRequest | OnSettingsUpdatedWebhookRequest | OnMailTemplateUpdatedWebhookRequest | OnMailTemplateResetWebhookRequest | OnMailSuppressionCreatedWebhookRequest | OnMailSuppressionLiftedWebhookRequest | OnPublishableKeyCreatedWebhookRequest | OnPublishableKeyRevokedWebhookRequest | OnSigningKeyCreatedWebhookRequest | OnSigningKeyRetiredWebhookRequest | OnSigningKeyRevokedWebhookRequest | OnWebhookCreatedWebhookRequest | OnWebhookUpdatedWebhookRequest | OnWebhookDeletedWebhookRequest | OnWebhookDisabledWebhookRequest | OnWebhookSecretRotatedWebhookRequest | OnWebhookSkippedWebhookRequest | OnWebhookDeliveryExhaustedWebhookRequest | OnReportExportCreatedWebhookRequest | OnReportExportReadyWebhookRequest | OnReportExportFailedWebhookRequest | OnReportExportDownloadedWebhookRequest | OnLogEpochStartedWebhookRequest | OnLogKeyIntroducedWebhookRequest | OnLogDroppedWebhookRequest | OnWebhookTestWebhookRequest;

/**
 * An API key, without its token.
 */
export type ApiKey = {
    /**
     * The ID of the API key: `key_` and 26 characters.
     */
    id: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * The beginning of the token, to recognize it by.
     */
    key_prefix: string;
    /**
     * The scopes of the key. Default: `admin`, but never more than the key that creates it.
     */
    scopes: Array<ManagementScope>;
    /**
     * Network ranges from which the key may be used, such as `192.0.2.0/24`. Empty: any address.
     */
    allowed_cidrs: Array<string>;
    /**
     * The products that the key is limited to; absent if there is no limit.
     */
    product_ids?: Array<ProductId>;
    /**
     * The tag of a reseller: the key sees and changes only licenses that have it, and gives it to those that it issues. Absent if the key is not a reseller's.
     */
    license_tag?: string;
    /**
     * How many licenses with `license_tag` the products of the key may have before the key issues no more. Revoked ones do not count. Absent if there is no such limit.
     */
    max_licenses?: number;
    /**
     * Whether the key works: it is neither revoked nor expired.
     */
    is_active: boolean;
    /**
     * Time when the key stops working; absent if it never expires.
     */
    expires_at?: string;
    /**
     * Time of the last use of the key, at most a minute late; absent if it was never used.
     */
    last_used_at?: string;
    /**
     * The maker of the key; absent for a key from before this was recorded.
     */
    created_by?: ApiKeyMaker;
    /**
     * Time of the creation.
     */
    created_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type ApiKeyAnswer = {
    /**
     * The requested resource.
     */
    data: ApiKey;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The response, with the result in `data`.
 */
export type ApiKeyCreateAnswer = {
    /**
     * The requested resource.
     */
    data: ApiKeyCreateResponse;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * An API key to create.
 */
export type ApiKeyCreateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible. It is one line.
     */
    name: string;
    /**
     * The scopes of the key. Default: `admin`, but never more than the key that creates it.
     */
    scopes?: Array<ManagementScope>;
    /**
     * Network ranges from which the key may be used, such as `192.0.2.0/24`. Empty: any address.
     */
    allowed_cidrs?: Array<string>;
    /**
     * Time in the future when the key stops working. Omit for a key that never expires.
     */
    expires_at?: string;
    /**
     * The products that the key is limited to. Default, or `null`: no limit.
     */
    product_ids?: Array<ProductId> | null;
    /**
     * Makes a reseller's key: it sees and changes only licenses that have this tag, gives it to those that it issues, and calls only the operations for resellers. Needs `product_ids`, and scopes among `license:read`, `license:write` and `device:write`.
     */
    license_tag?: string;
    /**
     * With `license_tag`: how many licenses with the tag the products of the key may have before the key issues no more. Revoked ones do not count. Default: no limit.
     */
    max_licenses?: number;
};

/**
 * A new API key with its token, which is shown only this once.
 */
export type ApiKeyCreateResponse = {
    /**
     * An API key, without its token.
     */
    api_key: ApiKey;
    /**
     * Shown this once; only a keyed hash is stored.
     */
    token: string;
};

/**
 * The maker of an API key. The record stays after the person was removed.
 */
export type ApiKeyMaker = {
    /**
     * Whether a `person` created the key, an `api_key`, or the `system`.
     */
    type: 'api_key' | 'person' | 'system';
    /**
     * The ID of the person or of the key; `bootstrap` for the admin token.
     */
    id: string;
    /**
     * The name of the person or of the key. The admin token has none.
     */
    name?: string;
};

/**
 * A page of a list, in `data`.
 */
export type ApiKeyPage = {
    /**
     * The requested resource.
     */
    data: Array<ApiKey>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The response, with the result in `data`.
 */
export type ApiKeyRotateAnswer = {
    /**
     * The requested resource.
     */
    data: ApiKeyRotateResponse;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * How long the previous key continues to work, and how long the new one does.
 */
export type ApiKeyRotateRequest = {
    /**
     * How long the previous key continues to work. Default: 1440, a day; 0 ends it at once. It never works longer than before.
     */
    overlap_minutes?: number;
    /**
     * Time in the future when the new key stops working; `null`: never. Default: as the previous key was to.
     */
    expires_at?: string | null;
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason?: string;
};

/**
 * The new API key with its token, which is shown only this once, and the previous key.
 */
export type ApiKeyRotateResponse = {
    /**
     * An API key, without its token.
     */
    api_key: ApiKey;
    /**
     * Shown this once; only a keyed hash is stored.
     */
    token: string;
    /**
     * The previous key, with the end that it has now.
     */
    previous: ApiKey;
};

/**
 * The reason for the action, and whether it is a dry run. Both and the whole body are optional.
 */
export type ActionRequest = {
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason?: string;
    /**
     * `true` returns what would happen, but changes and stores nothing. An Idempotency-Key is ignored.
     */
    dry_run?: boolean;
};

/**
 * The device that asks for a seat, and which seat it may take over if none is free.
 */
export type ActivateLicenseRequest = {
    /**
     * Identifies this machine; your app computes it. Surrounding spaces are ignored. Required unless `is_container` is true.
     */
    fingerprint?: string;
    /**
     * The name of the machine.
     */
    hostname?: string;
    /**
     * The operating system.
     */
    os?: string;
    /**
     * Hashes of what the machine is made of, by names such as `board`, `disk` or `network`: at most 8, of up to 32 lower-case letters, digits, `_` and `-`. Where the terms have `component_match`, activate and checkout know a device of the license by them whose fingerprint has changed; without it they are not stored.
     */
    components?: DeviceComponents;
    /**
     * Whether the machine is virtual; a policy may refuse virtual machines. Default: `false`.
     */
    is_vm?: boolean;
    /**
     * Whether the app runs in a container. A container is identified by `cluster_id`, `namespace`, `pod_name` and `container_id`; at least one is required.
     */
    is_container?: boolean;
    /**
     * The ID of the container in its runtime.
     */
    container_id?: string;
    /**
     * The cluster that the container runs in.
     */
    cluster_id?: string;
    /**
     * The namespace that the container runs in.
     */
    namespace?: string;
    /**
     * The pod that the container belongs to.
     */
    pod_name?: string;
    /**
     * The version of the app, in the vendor's format. The response then includes whether the license covers it.
     */
    app_version?: string;
    /**
     * The code, or a former code, of the product that the app belongs to. A license of another product is refused. The response names the product by this code.
     */
    product_code?: string;
    /**
     * The `user_token` of the person who is signed in. Required if the license has users (`max_users`); without them it has no effect.
     */
    user_token?: string;
    /**
     * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Alternative: the header x-nonce.
     */
    nonce?: string;
    /**
     * The ID of another device of the license, whose seat this device takes when none is free, or when the user has as many devices as `max_devices_per_user` and this is one of them. Needs `self_service` in the terms, and counts against `max_self_service_resets` if the seat was needed.
     */
    take_seat_of?: string;
};

/**
 * The actor, the action, the license, the time and the result.
 */
export type Activity = {
    /**
     * The ID of the activity: `act_` and 26 characters.
     */
    id: string;
    /**
     * Time when it happened.
     */
    occurred_at: string;
    /**
     * An event type. A refusal has the type that the request would have caused, or one of license.validated, license.checked, lease.extended, webhook.tested, purchase.owner_decided, purchase.retried, billing_connection.reconciled, which have no event if they succeed.
     */
    action: ActivityAction;
    /**
     * `management`: an API key or a person. `runtime`: a license key. `system`: the service itself.
     */
    source: ActivitySource;
    /**
     * The kind of actor.
     */
    actor_type: AuditActorType;
    /**
     * The actor: the ID of the API key, of the person or of the license; `system` for the service.
     */
    actor_id: string;
    /**
     * `refused`: the response had the error in `code`, and nothing changed. `failed`: work of the service itself failed.
     */
    result_class: ActivityResult;
    /**
     * The status of the response; absent for work of the service itself.
     */
    status_code?: number;
    /**
     * The error code of a refusal.
     */
    code?: string;
    /**
     * The type of the resource.
     */
    resource_type?: string;
    /**
     * The ID of the resource.
     */
    resource_id?: string;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id?: string;
    /**
     * Whose it was at that time.
     */
    customer_id?: string;
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id?: string;
    /**
     * The ID of the order: `ord_` and 26 characters.
     */
    order_id?: string;
    /**
     * The ID of the subscription: `sub_` and 26 characters.
     */
    subscription_id?: string;
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    device_id?: string;
    /**
     * The code of the feature.
     */
    feature_code?: string;
    /**
     * The amount of the usage event.
     */
    amount?: number;
    /**
     * The dimensions of the usage event; absent where it has none.
     */
    dimensions?: {
        [key: string]: string;
    };
    /**
     * The ID of the request. Include it when you contact support.
     */
    request_id?: string;
    /**
     * The event of the audit-backed feed; a refusal has none.
     */
    audit_event_id?: string;
    /**
     * Why, as the person said who did it; absent where nothing was said, or the customer was erased.
     */
    reason?: string;
    /**
     * The name of the actor: of a person as it was then, or of an API key. Only with `include_names`.
     */
    actor_name?: string;
    /**
     * The names of the roles that the person had then. Only with `include_names`.
     */
    actor_roles?: Array<string>;
    /**
     * The ID of the person or API key by whose link or invitation the session of the actor was opened. Only with `include_names`.
     */
    opened_by?: string;
    /**
     * The name of the person by whose link or invitation the session of the actor was opened. Only with `include_names`.
     */
    opener_name?: string;
    /**
     * The names behind the IDs in an activity. Erased names are absent, and those that the caller may not see.
     */
    names?: ActivityNames;
    /**
     * The fields that changed. Only with `include_changes`, and absent where the resource was created, nothing can be compared, or what was before is archived.
     */
    changes?: Array<ActivityChange>;
    /**
     * The scope that the caller lacks to see what was changed, and the resource as it was.
     */
    withheld?: string;
};

/**
 * An event type. A refusal has the type that the request would have caused, or one of license.validated, license.checked, lease.extended, webhook.tested, purchase.owner_decided, purchase.retried, billing_connection.reconciled, which have no event if they succeed.
 */
export type ActivityAction = 'product.created' | 'product.updated' | 'product.deleted' | 'policy.created' | 'policy.updated' | 'policy.deleted' | 'policy.feature_assigned' | 'policy.feature_removed' | 'feature.created' | 'feature.updated' | 'feature.deleted' | 'version.created' | 'version.updated' | 'version.deleted' | 'customer.created' | 'customer.updated' | 'customer.deleted' | 'customer.erased' | 'customer.pool_given' | 'customer.pool_revoked' | 'customer.portal_link_created' | 'customer.portal_link_mailed' | 'customer.portal_link_failed' | 'order.created' | 'order.updated' | 'order.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'billing_connection.created' | 'billing_connection.updated' | 'billing_connection.secret_rotated' | 'billing_connection.deleted' | 'purchase.done' | 'purchase.waiting' | 'purchase.failed' | 'custom_field.created' | 'custom_field.updated' | 'custom_field.deleted' | 'job.created' | 'job.done' | 'job.stopped' | 'job.failed' | 'note.created' | 'note.updated' | 'note.deleted' | 'license.created' | 'license.updated' | 'license.started' | 'license.activated' | 'license.deactivated' | 'license.suspended' | 'license.reinstated' | 'license.revoked' | 'license.renewed' | 'license.policy_changed' | 'license.transferred' | 'license.key_rotated' | 'license.grace_started' | 'license.expiring' | 'license.expired' | 'license.feature_assigned' | 'license.feature_removed' | 'license.usage_recorded' | 'license.usage_reset' | 'license.quota_reached' | 'license.quota_threshold' | 'license.grant_given' | 'license.grant_revoked' | 'license.overage_started' | 'license.transfer_requested' | 'license.transfer_canceled' | 'license.user_invited' | 'license.user_joined' | 'license.user_removed' | 'license.user_device_changed' | 'mail.sent' | 'mail.failed' | 'device.reset' | 'device.blacklisted' | 'device.expired' | 'device.components_changed' | 'device.renamed' | 'lease.checked_out' | 'lease.checked_in' | 'lease.expired' | 'offline.issued' | 'offline_file.issued' | 'offline_file.revoked' | 'api_key.created' | 'api_key.updated' | 'api_key.revoked' | 'api_key.rotated' | 'api_key.signed_in' | 'person.created' | 'person.updated' | 'person.removed' | 'person.reinstated' | 'person.invited' | 'session.opened' | 'session.ended' | 'session.refused' | 'passkey.created' | 'passkey.updated' | 'passkey.deleted' | 'role.created' | 'role.updated' | 'role.deleted' | 'role.second_look_changed' | 'approval.requested' | 'approval.approved' | 'approval.declined' | 'approval.canceled' | 'approval.expired' | 'settings.updated' | 'mail_template.updated' | 'mail_template.reset' | 'mail_suppression.created' | 'mail_suppression.lifted' | 'publishable_key.created' | 'publishable_key.revoked' | 'signing_key.created' | 'signing_key.retired' | 'signing_key.revoked' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.secret_rotated' | 'webhook.skipped' | 'webhook.delivery_exhausted' | 'report_export.created' | 'report_export.ready' | 'report_export.failed' | 'report_export.downloaded' | 'log.epoch_started' | 'log.key_introduced' | 'log.dropped' | 'license.validated' | 'license.checked' | 'lease.extended' | 'webhook.tested' | 'purchase.owner_decided' | 'purchase.retried' | 'billing_connection.reconciled';

/**
 * A field of the resource before and after. Erased values are absent.
 */
export type ActivityChange = {
    /**
     * The field of the resource; `custom_fields.` and a code for a custom field.
     */
    member: string;
    /**
     * The value until then; absent if it was not set.
     */
    before?: string | number | boolean | null | {
        [key: string]: unknown;
    } | Array<string | number | boolean | null | {
        [key: string]: unknown;
    }>;
    /**
     * The value from then on; absent if it was removed.
     */
    after?: string | number | boolean | null | {
        [key: string]: unknown;
    } | Array<string | number | boolean | null | {
        [key: string]: unknown;
    }>;
};

/**
 * The names behind the IDs in an activity. Erased names are absent, and those that the caller may not see.
 */
export type ActivityNames = {
    /**
     * The name of the product.
     */
    product?: string;
    /**
     * The name of the policy of the license.
     */
    policy?: string;
    /**
     * The name of the customer, or the one on a license that has no customer.
     */
    customer?: string;
    /**
     * The host name of the device.
     */
    device?: string;
    /**
     * The name of any other resource as the event has it, for example of a policy.
     */
    resource?: string;
};

/**
 * A page of a list, in `data`.
 */
export type ActivityPage = {
    /**
     * The requested resource.
     */
    data: Array<Activity>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * An activity with what it changed, the names behind its IDs, and the resource as it was then.
 */
export type ActivityRecord = {
    /**
     * The ID of the activity: `act_` and 26 characters.
     */
    id: string;
    /**
     * Time when it happened.
     */
    occurred_at: string;
    /**
     * An event type. A refusal has the type that the request would have caused, or one of license.validated, license.checked, lease.extended, webhook.tested, purchase.owner_decided, purchase.retried, billing_connection.reconciled, which have no event if they succeed.
     */
    action: ActivityAction;
    /**
     * `management`: an API key or a person. `runtime`: a license key. `system`: the service itself.
     */
    source: ActivitySource;
    /**
     * The kind of actor.
     */
    actor_type: AuditActorType;
    /**
     * The actor: the ID of the API key, of the person or of the license; `system` for the service.
     */
    actor_id: string;
    /**
     * `refused`: the response had the error in `code`, and nothing changed. `failed`: work of the service itself failed.
     */
    result_class: ActivityResult;
    /**
     * The status of the response; absent for work of the service itself.
     */
    status_code?: number;
    /**
     * The error code of a refusal.
     */
    code?: string;
    /**
     * The type of the resource.
     */
    resource_type?: string;
    /**
     * The ID of the resource.
     */
    resource_id?: string;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id?: string;
    /**
     * Whose it was at that time.
     */
    customer_id?: string;
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id?: string;
    /**
     * The ID of the order: `ord_` and 26 characters.
     */
    order_id?: string;
    /**
     * The ID of the subscription: `sub_` and 26 characters.
     */
    subscription_id?: string;
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    device_id?: string;
    /**
     * The code of the feature.
     */
    feature_code?: string;
    /**
     * The amount of the usage event.
     */
    amount?: number;
    /**
     * The dimensions of the usage event; absent where it has none.
     */
    dimensions?: {
        [key: string]: string;
    };
    /**
     * The ID of the request. Include it when you contact support.
     */
    request_id?: string;
    /**
     * The event of the audit-backed feed; a refusal has none.
     */
    audit_event_id?: string;
    /**
     * Why, as the person said who did it; absent where nothing was said, or the customer was erased.
     */
    reason?: string;
    /**
     * The name of the actor: of a person as it was then, or of an API key. Only with `include_names`.
     */
    actor_name?: string;
    /**
     * The names of the roles that the person had then. Only with `include_names`.
     */
    actor_roles?: Array<string>;
    /**
     * The ID of the person or API key by whose link or invitation the session of the actor was opened. Only with `include_names`.
     */
    opened_by?: string;
    /**
     * The name of the person by whose link or invitation the session of the actor was opened. Only with `include_names`.
     */
    opener_name?: string;
    /**
     * The names behind the IDs in an activity. Erased names are absent, and those that the caller may not see.
     */
    names?: ActivityNames;
    /**
     * The fields that changed. Only with `include_changes`, and absent where the resource was created, nothing can be compared, or what was before is archived.
     */
    changes?: Array<ActivityChange>;
    /**
     * The scope that the caller lacks to see what was changed, and the resource as it was.
     */
    withheld?: string;
    /**
     * The resource as the activity left it, or the part of it that changed; absent for a refusal. Erased values are absent.
     */
    resource?: {
        [key: string]: unknown;
    };
    /**
     * The whole license as it was right after the activity, where `resource` is only a part or a device of it.
     */
    license?: {
        [key: string]: unknown;
    };
    /**
     * Whether personal values of the event were erased since.
     */
    is_erased: boolean;
};

/**
 * The response, with the result in `data`.
 */
export type ActivityRecordAnswer = {
    /**
     * The requested resource.
     */
    data: ActivityRecord;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * `refused`: the response had the error in `code`, and nothing changed. `failed`: work of the service itself failed.
 */
export type ActivityResult = 'success' | 'refused' | 'failed';

/**
 * `management`: an API key or a person. `runtime`: a license key. `system`: the service itself.
 */
export type ActivitySource = 'management' | 'runtime' | 'system';

/**
 * How the rows of the adoption of versions are grouped, in addition to product, version and operating system.
 */
export type AdoptionGroup = 'license_id';

/**
 * Which versions of an app run where, as devices named them last.
 */
export type AdoptionReport = {
    /**
     * Identifies the format of the report. It changes with every incompatible change of the format.
     */
    schema: 'countersign/report/adoption/v1';
    /**
     * The type of report.
     */
    report_kind: 'adoption';
    /**
     * The filters as applied, with all defaults.
     */
    filters: {
        /**
         * Only what belongs to this product.
         */
        product_id?: string;
        /**
         * Only what belongs to this policy.
         */
        policy_id?: string;
        /**
         * Only what belongs to this customer.
         */
        customer_id?: string;
        /**
         * Only devices with this version of the app; `1.x` is any that begins with `1.`.
         */
        app_version?: string;
        /**
         * Only devices whose system begins with this text; not case-sensitive.
         */
        os?: string;
        /**
         * `license_id` has a row for each license, too. Default: not grouped.
         */
        group_by?: AdoptionGroup;
        /**
         * The products in the report, if the API key is limited to products.
         */
        product_ids?: Array<string>;
    };
    /**
     * The totals of the report.
     */
    summary: {
        /**
         * Number of devices.
         */
        devices: number;
        /**
         * Number of their licenses.
         */
        licenses: number;
        /**
         * Number of the customers of these.
         */
        customers: number;
    };
    /**
     * The rows.
     */
    rows: Array<{
        /**
         * The name of the product.
         */
        product_name: string;
        /**
         * The version of the app that the devices named last; absent if they named none.
         */
        app_version?: string;
        /**
         * Their operating system, without its version; absent if they named none.
         */
        os?: string;
        /**
         * The ID of the license: `lic_` and 26 characters.
         */
        license_id?: string;
        /**
         * The ID of the customer: `cus_` and 26 characters.
         */
        customer_id?: string;
        /**
         * Number of devices that have a seat.
         */
        devices: number;
        /**
         * Number of their licenses.
         */
        licenses: number;
        /**
         * Number of the customers of these.
         */
        customers: number;
        /**
         * Time of the last request of any of the devices.
         */
        last_seen_at: string;
    }>;
    /**
     * Number of rows; an export has them all.
     */
    total_rows: number;
    /**
     * Whether there are more rows than in this response.
     */
    truncated: boolean;
};

/**
 * The response, with the result in `data`.
 */
export type AdoptionReportAnswer = {
    /**
     * The requested resource.
     */
    data: AdoptionReport;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `api_key.created`.
 */
export type ApiKeyCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'api_key.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'api_key.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: ApiKey;
};

/**
 * The delivery of `api_key.revoked`.
 */
export type ApiKeyRevokedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'api_key.revoked';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'api_key.revoked';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: ApiKey;
};

/**
 * The delivery of `api_key.rotated`.
 */
export type ApiKeyRotatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'api_key.rotated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'api_key.rotated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: TokenRotatedEventData;
};

/**
 * The delivery of `api_key.signed_in`.
 */
export type ApiKeySignedInDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'api_key.signed_in';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'api_key.signed_in';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: TokenSignedInEventData;
};

/**
 * The delivery of `api_key.updated`.
 */
export type ApiKeyUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'api_key.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'api_key.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: ApiKey;
};

/**
 * The `operationId` of an operation that may need a second person.
 */
export type ApprovableOperation = 'revokeLicense' | 'createLicenseJob' | 'retryJob' | 'rotateLicenseKey' | 'transferLicense' | 'decidePurchaseOwner' | 'updateLicense' | 'updateCustomer' | 'eraseCustomer' | 'eraseLicenseUser' | 'rotateSigningKey' | 'revokeSigningKey' | 'updateWebhookEndpoint' | 'createAPIKey' | 'rotateAPIKey' | 'createPerson' | 'updatePerson' | 'removePerson' | 'reinstatePerson' | 'invitePerson' | 'deletePasskey' | 'createRole' | 'updateRole' | 'deleteRole';

/**
 * A request that waits for a second person, or did.
 */
export type Approval = {
    /**
     * The ID of the approval: `apr_` and 26 characters.
     */
    id: string;
    /**
     * The `operationId` of an operation that may need a second person.
     */
    operation: ApprovableOperation;
    /**
     * The parameters in the path of the operation, by their names.
     */
    params: ApprovalPathParameters;
    /**
     * `pending`: waits for a second person; `approved`: was done; `declined` by a second person; `canceled` by the person who asked; `expired`: was not decided within a day.
     */
    state: ApprovalState;
    /**
     * Time until which it waits for a second person.
     */
    expires_at: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time when it was decided or ended otherwise; absent while it is pending.
     */
    decided_at?: string;
    /**
     * The body of the request, as it is sent; absent without one, and once a request with data of a person has ended. The erasure of a customer takes its `reason`.
     */
    body?: {
        [key: string]: unknown;
    };
    /**
     * The `If-Match` header of the request.
     */
    if_match?: string;
    /**
     * The reason that was given for it; absent once a customer that it is about was erased.
     */
    reason?: string;
    /**
     * The person who asked. The operation is done in this name.
     */
    requested_by: Author;
    /**
     * The person who approved or declined it.
     */
    decided_by?: Author;
    /**
     * The reason that was given for the decision.
     */
    decision_reason?: string;
    /**
     * Why the operation was refused when it was last approved. The request is still pending then.
     */
    failure?: ApprovalFailure;
};

/**
 * The response, with the result in `data`.
 */
export type ApprovalAnswer = {
    /**
     * The requested resource.
     */
    data: Approval;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `approval.approved`.
 */
export type ApprovalApprovedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'approval.approved';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'approval.approved';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: ApprovalEventData;
};

/**
 * The delivery of `approval.canceled`.
 */
export type ApprovalCanceledDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'approval.canceled';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'approval.canceled';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: ApprovalEventData;
};

/**
 * The reason for approving or declining.
 */
export type ApprovalDecisionRequest = {
    /**
     * The reason for the decision, on one line.
     */
    reason: string;
};

/**
 * The delivery of `approval.declined`.
 */
export type ApprovalDeclinedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'approval.declined';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'approval.declined';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: ApprovalEventData;
};

/**
 * A request that waits for a second person, or did, without its body.
 */
export type ApprovalEventData = {
    /**
     * The ID of the approval: `apr_` and 26 characters.
     */
    id: string;
    /**
     * The `operationId` of an operation that may need a second person.
     */
    operation: ApprovableOperation;
    /**
     * The parameters in the path of the operation, by their names.
     */
    params: ApprovalPathParameters;
    /**
     * `pending`: waits for a second person; `approved`: was done; `declined` by a second person; `canceled` by the person who asked; `expired`: was not decided within a day.
     */
    state: ApprovalState;
    /**
     * Time until which it waits for a second person.
     */
    expires_at: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time when it was decided or ended otherwise; absent while it is pending.
     */
    decided_at?: string;
    /**
     * The person who asked.
     */
    requested_by: string;
    /**
     * The person who approved or declined it.
     */
    decided_by?: string;
};

/**
 * The delivery of `approval.expired`.
 */
export type ApprovalExpiredDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'approval.expired';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'approval.expired';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: ApprovalEventData;
};

/**
 * Why the operation was refused when it was approved.
 */
export type ApprovalFailure = {
    /**
     * The code, as an error has it.
     */
    code: string;
    /**
     * The message, as an error has it.
     */
    message: string;
};

/**
 * A page of a list, in `data`.
 */
export type ApprovalPage = {
    /**
     * The requested resource.
     */
    data: Array<Approval>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The parameters in the path of the operation, by their names.
 */
export type ApprovalPathParameters = {
    [key: string]: string;
};

/**
 * A request that a second person is to approve.
 */
export type ApprovalRequest = {
    /**
     * The `operationId` of an operation that may need a second person.
     */
    operation: ApprovableOperation;
    /**
     * The parameters in the path of the operation, by their names, such as `id`.
     */
    params?: {
        [key: string]: string;
    };
    /**
     * The body of the request, as the operation takes it. It is judged as the operation judges it.
     */
    body?: {
        [key: string]: unknown;
    };
    /**
     * The `If-Match` header of the request, where the operation takes one.
     */
    if_match?: string;
    /**
     * The reason, on one line. The second person sees it, and the events of the operation have it.
     */
    reason: string;
};

/**
 * The delivery of `approval.requested`.
 */
export type ApprovalRequestedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'approval.requested';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'approval.requested';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: ApprovalEventData;
};

/**
 * `pending`: waits for a second person; `approved`: was done; `declined` by a second person; `canceled` by the person who asked; `expired`: was not decided within a day.
 */
export type ApprovalState = 'pending' | 'approved' | 'declined' | 'canceled' | 'expired';

/**
 * The kind of actor.
 */
export type AuditActorType = 'api_key' | 'customer' | 'license' | 'license_holder' | 'oidc_subject' | 'person' | 'system';

/**
 * A person or API key, by name and roles as they were then.
 */
export type Author = {
    /**
     * The kind of author.
     */
    type: 'api_key' | 'person';
    /**
     * The ID of the person or API key.
     */
    id: string;
    /**
     * The name of the author at that time; absent for the admin token.
     */
    name?: string;
    /**
     * The roles of the person at that time; absent for an API key.
     */
    roles?: Array<string>;
};

/**
 * A connection to an account at a payment provider.
 */
export type BillingConnection = {
    /**
     * The ID of the billing connection: `bcn_` and 26 characters.
     */
    id: string;
    /**
     * The payment provider of a connection.
     */
    provider: BillingProvider;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * Whether it has a secret to verify events with. Without one, every event is refused.
     */
    has_secret: boolean;
    /**
     * Whether it has an API key of the provider, to read purchases with.
     */
    has_api_key: boolean;
    /**
     * The licenses that the purchases of a connection become.
     */
    mapping: BillingMapping;
    /**
     * The login page of the provider's own portal for customers, over https. It is shown with their purchases. It is the same for all of them: Stripe, Paddle and others ask for the address there.
     */
    customer_portal_url?: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
    /**
     * The path of the events of this connection. Give the provider the address of this service with it.
     */
    events_path: string;
    /**
     * Time at which the last event was received.
     */
    last_event_at?: string;
    /**
     * Only in the response to a change of the mapping: how many licenses were sold while their prices were mapped otherwise. `sold_before` says what becomes of them.
     */
    sold_otherwise?: number;
};

/**
 * The response, with the result in `data`.
 */
export type BillingConnectionAnswer = {
    /**
     * The requested resource.
     */
    data: BillingConnection;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A connection to create.
 */
export type BillingConnectionCreateRequest = {
    /**
     * The payment provider of a connection.
     */
    provider: BillingProvider;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * The secret that the provider signs its events with, for example `whsec_…` of Stripe or `pdl_…` of Paddle; for Chargebee, the `user:password` of the webhook. It is stored encrypted and never shown.
     */
    secret?: string;
    /**
     * An API key of the provider that may read, to reconcile with. FastSpring: `user:password`; Chargebee: `site:key`. Keys of the provider's test mode are for the test environment, and others for the live one. It is stored encrypted and never shown.
     */
    api_key?: string;
    /**
     * The login page of the provider's own portal for customers, over https. It is shown with their purchases. It is the same for all of them: Stripe, Paddle and others ask for the address there.
     */
    customer_portal_url?: string;
    /**
     * The policies that the prices of a provider become licenses under.
     */
    mapping?: BillingMappingRequest;
};

/**
 * The delivery of `billing_connection.created`.
 */
export type BillingConnectionCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'billing_connection.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'billing_connection.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: BillingConnectionEventData;
};

/**
 * The delivery of `billing_connection.deleted`.
 */
export type BillingConnectionDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'billing_connection.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'billing_connection.deleted';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: BillingConnectionEventData;
};

/**
 * The connection as the event left it.
 */
export type BillingConnectionEventData = {
    /**
     * The ID of the billing connection: `bcn_` and 26 characters.
     */
    id: string;
    /**
     * The payment provider of a connection.
     */
    provider: BillingProvider;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * Whether it has a secret to verify events with. Without one, every event is refused.
     */
    has_secret: boolean;
    /**
     * Whether it has an API key of the provider, to read purchases with.
     */
    has_api_key: boolean;
    /**
     * The licenses that the purchases of a connection become.
     */
    mapping: BillingMapping;
    /**
     * The login page of the provider's own portal for customers, over https. It is shown with their purchases. It is the same for all of them: Stripe, Paddle and others ask for the address there.
     */
    customer_portal_url?: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * A page of a list, in `data`.
 */
export type BillingConnectionPage = {
    /**
     * The requested resource.
     */
    data: Array<BillingConnection>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `billing_connection.secret_rotated`.
 */
export type BillingConnectionSecretRotatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'billing_connection.secret_rotated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'billing_connection.secret_rotated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: BillingConnectionEventData;
};

/**
 * Changes of a connection. Omitted fields stay as they are; a mapping is replaced as a whole.
 */
export type BillingConnectionUpdateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name?: string;
    /**
     * The secret that the provider signs its events with, for example `whsec_…` of Stripe or `pdl_…` of Paddle; for Chargebee, the `user:password` of the webhook. It is stored encrypted and never shown.
     */
    secret?: string;
    /**
     * How long the previous secret is accepted after a new `secret`, in seconds. Default: a day.
     */
    secret_overlap_seconds?: number;
    /**
     * An API key of the provider that may read, to reconcile with. FastSpring: `user:password`; Chargebee: `site:key`. Keys of the provider's test mode are for the test environment, and others for the live one. It is stored encrypted and never shown. The empty string removes it.
     */
    api_key?: string;
    /**
     * The login page of the provider's own portal for customers, over https. It is shown with their purchases. It is the same for all of them: Stripe, Paddle and others ask for the address there. The empty string removes it.
     */
    customer_portal_url?: string;
    /**
     * The policies that the prices of a provider become licenses under.
     */
    mapping?: BillingMappingRequest;
    /**
     * With a new `mapping`, the licenses that were sold while their prices were mapped otherwise: `keep` them, the default, and map new purchases alone; or have all of them become what is mapped now, each with its next `renewal`, or `now`.
     */
    sold_before?: 'keep' | 'renewal' | 'now';
    /**
     * `true` returns what would happen, but changes and stores nothing. An Idempotency-Key is ignored.
     */
    dry_run?: boolean;
};

/**
 * The delivery of `billing_connection.updated`.
 */
export type BillingConnectionUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'billing_connection.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'billing_connection.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: BillingConnectionEventData;
};

/**
 * Events of a payment provider were stored.
 */
export type BillingEventsReceived = {
    /**
     * How many events were stored.
     */
    received: number;
    /**
     * How many events were known already.
     */
    repeated: number;
};

/**
 * The response, with the result in `data`.
 */
export type BillingEventsReceivedAnswer = {
    /**
     * The requested resource.
     */
    data: BillingEventsReceived;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The licenses that the purchases of a connection become.
 */
export type BillingMapping = {
    /**
     * The license that each price becomes, at most 500 entries.
     */
    prices: Array<PriceMapping>;
    /**
     * The units of metered features that prices become, at most 500 entries. A price may have entries here and in `prices`: then it sells a license and its units.
     */
    units?: Array<UnitMapping>;
    /**
     * A price without an entry: `hold` it until there is one, the default, or `ignore` it.
     */
    unmapped?: 'hold' | 'ignore';
    /**
     * Licenses after a partial refund: `keep` them, the default, or `end` them as after a full one.
     */
    partial_refund?: 'keep' | 'end';
    /**
     * Licenses while the payments of a subscription are not collected: `keep` them, the default, or `suspend` them.
     */
    paused_collection?: 'keep' | 'suspend';
    /**
     * Licenses while a payment is disputed: `suspend` them, the default, or `keep` them. A dispute that was lost ends them; one about a part of the payment counts as a partial refund.
     */
    open_dispute?: 'suspend' | 'keep';
    /**
     * A second purchase of a customer: `continue` the license of a subscription of the same product that has ended or is not renewed, the default, or `issue` another one.
     */
    bought_again?: 'continue' | 'issue';
};

/**
 * The policies that the prices of a provider become licenses under.
 */
export type BillingMappingRequest = {
    /**
     * The policy for each price, at most 500 entries.
     */
    prices: Array<PriceMappingRequest>;
    /**
     * The units of metered features that prices become, at most 500 entries.
     */
    units?: Array<UnitMappingRequest>;
    /**
     * A price without an entry: `hold` it until there is one, the default, or `ignore` it.
     */
    unmapped?: 'hold' | 'ignore';
    /**
     * Licenses after a partial refund: `keep` them, the default, or `end` them as after a full one.
     */
    partial_refund?: 'keep' | 'end';
    /**
     * Licenses while the payments of a subscription are not collected: `keep` them, the default, or `suspend` them.
     */
    paused_collection?: 'keep' | 'suspend';
    /**
     * Licenses while a payment is disputed: `suspend` them, the default, or `keep` them. A dispute that was lost ends them; one about a part of the payment counts as a partial refund.
     */
    open_dispute?: 'suspend' | 'keep';
    /**
     * A second purchase of a customer: `continue` the license of a subscription of the same product that has ended or is not renewed, the default, or `issue` another one.
     */
    bought_again?: 'continue' | 'issue';
};

/**
 * The payment provider of a connection.
 */
export type BillingProvider = 'stripe' | 'paddle' | 'lemon_squeezy' | 'fastspring' | 'chargebee';

/**
 * The vendor's own name, color and logo.
 */
export type Brand = {
    /**
     * The vendor's own name, in place of Countersign.
     */
    name?: string;
    /**
     * The color of the brand: `#` and six hexadecimal digits.
     */
    accent?: string;
    /**
     * The logo; absent without one.
     */
    logo?: BrandLogo;
    /**
     * Where customers can ask: an email address or a URL. The portal and the mails name it.
     */
    support_contact?: string;
    /**
     * Where licenses are renewed. The portal and the mails about the end of a license link to it.
     */
    renewal_url?: string;
};

/**
 * The logo of the vendor.
 */
export type BrandLogo = {
    /**
     * The format.
     */
    content_type: 'image/png' | 'image/jpeg' | 'image/webp';
    /**
     * The size of the file, in bytes.
     */
    bytes: number;
    /**
     * The width, in pixels.
     */
    width: number;
    /**
     * The height, in pixels.
     */
    height: number;
    /**
     * The public path of the image. It changes with the image.
     */
    path: string;
};

/**
 * Unused units of the quota of an earlier period.
 */
export type CarriedQuota = {
    /**
     * The number of units.
     */
    amount: number;
    /**
     * The end of the period that they were left from.
     */
    starts_at: string;
    /**
     * The time when they end.
     */
    expires_at: string;
};

/**
 * A custom field value that was taken away.
 */
export type ClearedCustomFieldValue = {
    /**
     * The ID of the custom field: `fld_` and 26 characters.
     */
    definition_id: string;
    /**
     * The code of the custom field.
     */
    code: string;
    /**
     * Always `true`: the value was removed.
     */
    cleared: true;
};

/**
 * The new time of the clock, as `now` or as `advance`.
 */
export type ClockMoveRequest = {
    /**
     * The new time of the clock. It must not be earlier than the current one.
     */
    now?: string;
    /**
     * The time to advance the clock by. Alternative: `now`.
     */
    advance?: string;
};

/**
 * The clock after the move, and how many events happened on the way.
 */
export type ClockMoved = {
    /**
     * The time of the clock now.
     */
    now: string;
    /**
     * How many events happened between the old time and the new one.
     */
    events: number;
};

/**
 * The response, with the result in `data`.
 */
export type ClockMovedAnswer = {
    /**
     * The requested resource.
     */
    data: ClockMoved;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The components of a device, and which of them are others than before.
 */
export type ComponentsChangedEventData = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The device as it is now.
     */
    device: Device;
    /**
     * The current components: their hashes, by name.
     */
    components: {
        [key: string]: string;
    };
    /**
     * The names of the components that are others than before, that came or that went.
     */
    changed: Array<string>;
    /**
     * The SHA-256 of the binding key that the device had before, in hex; absent when it kept it.
     */
    previous_fingerprint_hash?: string;
};

/**
 * Usage of a metered feature by a device.
 */
export type ConsumeLicenseRequest = {
    /**
     * Identifies this machine; your app computes it. Surrounding spaces are ignored. Required unless `is_container` is true.
     */
    fingerprint?: string;
    /**
     * The name of the machine.
     */
    hostname?: string;
    /**
     * The operating system.
     */
    os?: string;
    /**
     * Hashes of what the machine is made of, by names such as `board`, `disk` or `network`: at most 8, of up to 32 lower-case letters, digits, `_` and `-`. Where the terms have `component_match`, activate and checkout know a device of the license by them whose fingerprint has changed; without it they are not stored.
     */
    components?: DeviceComponents;
    /**
     * Whether the machine is virtual; a policy may refuse virtual machines. Default: `false`.
     */
    is_vm?: boolean;
    /**
     * Whether the app runs in a container. A container is identified by `cluster_id`, `namespace`, `pod_name` and `container_id`; at least one is required.
     */
    is_container?: boolean;
    /**
     * The ID of the container in its runtime.
     */
    container_id?: string;
    /**
     * The cluster that the container runs in.
     */
    cluster_id?: string;
    /**
     * The namespace that the container runs in.
     */
    namespace?: string;
    /**
     * The pod that the container belongs to.
     */
    pod_name?: string;
    /**
     * The version of the app, in the vendor's format. The response then includes whether the license covers it.
     */
    app_version?: string;
    /**
     * The code, or a former code, of the product that the app belongs to. A license of another product is refused. The response names the product by this code.
     */
    product_code?: string;
    /**
     * The `user_token` of the person who is signed in. Required if the license has users (`max_users`); without them it has no effect.
     */
    user_token?: string;
    /**
     * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Alternative: the header x-nonce.
     */
    nonce?: string;
    /**
     * The code of the feature to consume.
     */
    feature_code: string;
    /**
     * Amount to consume. Default: 1. If less is left, the request is refused and consumes nothing. 0 is for a feature whose `meter` is `max` or `last` alone.
     */
    amount?: number;
    /**
     * Your ID of this usage event. It counts once per license and feature, without a time limit, so you can safely retry.
     */
    event_id: string;
    /**
     * Properties of the usage event by which usage is grouped, such as the model or the region: at most 8, by names of up to 32 lower-case letters, digits, `_` and `-`, with values of up to 128 characters. They stay with the event, so keep personal data out of them.
     */
    dimensions?: UsageDimensions;
};

/**
 * A number that is counted exactly up to a limit.
 */
export type CountedUpTo = {
    /**
     * The number, or the limit up to which it is counted.
     */
    count: number;
    /**
     * Whether there are more than were counted.
     */
    has_more: boolean;
};

/**
 * The delivery of `custom_field.created`.
 */
export type CustomFieldCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'custom_field.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'custom_field.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: CustomFieldDefinition;
};

/**
 * A field that you add to licenses or customers.
 */
export type CustomFieldDefinition = {
    /**
     * The ID of the custom field: `fld_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * The type of the resource.
     */
    resource_type: CustomFieldResourceType;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * The type of the values of a custom field.
     */
    value_type: CustomFieldValueType;
    /**
     * Whether a value, once set, can be changed but not cleared. Default: `false`.
     */
    is_required: boolean;
    /**
     * The values of an enum: at most 100, each up to 255 characters. Other types have none.
     */
    enum_options: Array<string>;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Whether signed responses and offline files have the values of licenses as `custom_fields`, for apps. At most 20 fields of a product; their texts have 1 to 255 printable ASCII characters without <>&"\ and the backtick.
     */
    is_signed?: boolean;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type CustomFieldDefinitionAnswer = {
    /**
     * The requested resource.
     */
    data: CustomFieldDefinition;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A custom field to define.
 */
export type CustomFieldDefinitionCreateRequest = {
    /**
     * The type of resource that a custom field belongs to.
     */
    resource_type: CustomFieldResourceType;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * The type of the values of a custom field.
     */
    value_type: CustomFieldValueType;
    /**
     * Whether a value, once set, can be changed but not cleared. Default: `false`.
     */
    is_required?: boolean;
    /**
     * The values of an enum: at most 100, each up to 255 characters. Other types have none.
     */
    enum_options?: Array<string>;
    /**
     * Whether signed responses and offline files have the values of licenses as `custom_fields`, for apps. At most 20 fields of a product; their texts have 1 to 255 printable ASCII characters without <>&"\ and the backtick.
     */
    is_signed?: boolean;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * A page of a list, in `data`.
 */
export type CustomFieldDefinitionPage = {
    /**
     * The requested resource.
     */
    data: Array<CustomFieldDefinition>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Changes of a custom field. Omitted fields stay as they are.
 */
export type CustomFieldDefinitionUpdateRequest = {
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code?: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name?: string;
    /**
     * Whether a value, once set, can be changed but not cleared. Default: `false`.
     */
    is_required?: boolean;
    /**
     * The values of an enum: at most 100, each up to 255 characters. Other types have none.
     */
    enum_options?: Array<string>;
    /**
     * Whether signed responses and offline files have the values of licenses as `custom_fields`, for apps. At most 20 fields of a product; their texts have 1 to 255 printable ASCII characters without <>&"\ and the backtick.
     */
    is_signed?: boolean;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * The delivery of `custom_field.deleted`.
 */
export type CustomFieldDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'custom_field.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'custom_field.deleted';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: CustomFieldDefinition;
};

/**
 * The type of resource that a custom field belongs to.
 */
export type CustomFieldResourceType = 'license' | 'customer';

/**
 * The delivery of `custom_field.updated`.
 */
export type CustomFieldUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'custom_field.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'custom_field.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: CustomFieldDefinition;
};

/**
 * The value of a custom field of one license or customer, in the field that its type names.
 */
export type CustomFieldValue = {
    /**
     * The ID of the custom field: `fld_` and 26 characters.
     */
    definition_id: string;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * The type of the resource.
     */
    resource_type: CustomFieldResourceType;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * The type of the values of a custom field.
     */
    value_type: CustomFieldValueType;
    /**
     * Whether a value, once set, can be changed but not cleared. Default: `false`.
     */
    is_required: boolean;
    /**
     * The values of an enum: at most 100, each up to 255 characters. Other types have none.
     */
    enum_options: Array<string>;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * The ID of the resource.
     */
    resource_id: string;
    /**
     * The value of a field of type `string`, up to 4,096 characters.
     */
    string_value?: string;
    /**
     * The value of a field of type `integer`.
     */
    integer_value?: number;
    /**
     * The value of a field of type `boolean`.
     */
    boolean_value?: boolean;
    /**
     * The value of a field of type `datetime`.
     */
    datetime_value?: string;
    /**
     * The value of a field of type `enum`: one of its options.
     */
    enum_value?: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type CustomFieldValueAnswer = {
    /**
     * The requested resource.
     */
    data: CustomFieldValue;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A page of a list, in `data`.
 */
export type CustomFieldValuePage = {
    /**
     * The requested resource.
     */
    data: Array<CustomFieldValue>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The type of the values of a custom field.
 */
export type CustomFieldValueType = 'string' | 'integer' | 'boolean' | 'datetime' | 'enum';

/**
 * Exactly one value: the field that the `value_type` of the custom field names, or `clear: true`.
 */
export type CustomFieldValueUpsertRequest = {
    /**
     * `true` removes the value. Excludes the value fields; refused for a required custom field.
     */
    clear?: boolean;
    /**
     * The value of a field of type `string`, up to 4,096 characters.
     */
    string_value?: string;
    /**
     * The value of a field of type `integer`.
     */
    integer_value?: number;
    /**
     * The value of a field of type `boolean`.
     */
    boolean_value?: boolean;
    /**
     * The value of a field of type `datetime`.
     */
    datetime_value?: string;
    /**
     * The value of a field of type `enum`: one of its options.
     */
    enum_value?: string;
};

/**
 * A customer.
 */
export type Customer = {
    /**
     * The ID of the customer: `cus_` and 26 characters.
     */
    id: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code: string;
    /**
     * The email address, at most 320 characters.
     */
    email?: string;
    /**
     * The language of mails to the customer. Absent: `mail_language` of the settings, or else English.
     */
    language?: MailLanguage;
    /**
     * The billing system that knows the customer, for example `stripe`. Send both or neither.
     */
    external_system?: string;
    /**
     * The ID of the customer in that system; unique together with `external_system`.
     */
    external_id?: string;
    /**
     * The customer that this one belongs to, such as the group of a company.
     */
    parent_id?: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type CustomerAnswer = {
    /**
     * The requested resource.
     */
    data: Customer;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A customer to create.
 */
export type CustomerCreateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code: string;
    /**
     * The email address, at most 320 characters.
     */
    email?: string;
    /**
     * The language of mails to the customer. Default: `mail_language` of the settings, or else English.
     */
    language?: MailLanguage;
    /**
     * The billing system that knows the customer, for example `stripe`. Send both or neither.
     */
    external_system?: string;
    /**
     * The ID of the customer in that system; unique together with `external_system`.
     */
    external_id?: string;
    /**
     * The customer that this one belongs to, such as the group of a company. The licenses of this customer share the pools of that one.
     */
    parent_id?: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * The delivery of `customer.created`.
 */
export type CustomerCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'customer.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'customer.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: CustomerEventData;
};

/**
 * The delivery of `customer.deleted`.
 */
export type CustomerDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'customer.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'customer.deleted';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: CustomerEventData;
};

/**
 * The delivery of `customer.erased`.
 */
export type CustomerErasedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'customer.erased';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'customer.erased';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: CustomerEventData;
};

/**
 * The result of an erasure.
 */
export type CustomerErasure = {
    /**
     * A customer.
     */
    customer: Customer;
    /**
     * Events that lost their personal values; their hashes, and every proof of them, stay as they are.
     */
    events: number;
    /**
     * Exports that contained the customer's name or address. They have expired; their digests remain.
     */
    exports: number;
    /**
     * Licenses that lost the customer's name or email address.
     */
    licenses: number;
    /**
     * Devices that lost their name, hostname or network address.
     */
    devices: number;
    /**
     * Users of the licenses who lost their name, address and account.
     */
    users: number;
    /**
     * Custom field values of the customer and of the licenses that were deleted.
     */
    custom_field_values: number;
    /**
     * Notes about the customer and the licenses that were deleted.
     */
    notes: number;
    /**
     * Jobs that lost their reason and what their filter says of the customer.
     */
    jobs: number;
    /**
     * Activities that lost the reason that was given.
     */
    reasons: number;
};

/**
 * The response, with the result in `data`.
 */
export type CustomerErasureAnswer = {
    /**
     * The requested resource.
     */
    data: CustomerErasure;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The customer as the event left it; personal values that were erased since are absent.
 */
export type CustomerEventData = {
    /**
     * The ID of the customer: `cus_` and 26 characters.
     */
    id: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name?: string;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code: string;
    /**
     * The email address, at most 320 characters.
     */
    email?: string;
    /**
     * The language of mails to the customer. Absent: `mail_language` of the settings, or else English.
     */
    language?: MailLanguage;
    /**
     * The billing system that knows the customer, for example `stripe`. Send both or neither.
     */
    external_system?: string;
    /**
     * The ID of the customer in that system; unique together with `external_system`.
     */
    external_id?: string;
    /**
     * The customer that this one belongs to, such as the group of a company.
     */
    parent_id?: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
    /**
     * The custom field value that was set or cleared; absent for other changes.
     */
    custom_field?: CustomFieldValue | ClearedCustomFieldValue;
};

/**
 * A mail to a customer was not sent, and is not tried again.
 */
export type CustomerMailFailedEventData = {
    /**
     * The ID of the customer: `cus_` and 26 characters.
     */
    customer_id: string;
    /**
     * The occasion of a mail to a customer: one that a policy switches on, or `portal_link`, by which a customer who asked for it, or whom you sent it to, signs in to the portal. By `user_sign_in` a user of a license signs in to an app. `license_transfer` offers a license to the address that its owner named in the portal. `license_continued` says that a license continues in the place of a new one whose key was mailed before, and no longer works.
     */
    kind: MailKind;
    /**
     * The address of the recipient; absent in `license_transfer`, whose recipient is no customer yet, in a mail to who owned the license before, and once it was erased.
     */
    recipient?: string;
    /**
     * Number of attempts to send the mail.
     */
    attempts: number;
    /**
     * The last reply of the mail server; absent where `recipient` is, and without one.
     */
    reply?: string;
    /**
     * `refused`: the mail server permanently refused the address or the mail. `gave_up`: no attempt of three days succeeded. `bounced`, `opted_out`, `suppressed`: the address is suppressed, because the mailbox was refused before, because the recipient takes no notices, or by hand; nothing was sent. `recipient_changed`, `key_changed`, `license_ended`: the license got another address or another key, or was revoked or suspended, before the mail was sent. `outdated`: what the mail was to say no longer holds, such as the expiry of a license that was renewed, or a link that is over.
     */
    reason: MailFailure;
};

/**
 * A mail server accepted a mail to a customer. The event does not have its text.
 */
export type CustomerMailSentEventData = {
    /**
     * The ID of the customer: `cus_` and 26 characters.
     */
    customer_id: string;
    /**
     * The occasion of a mail to a customer: one that a policy switches on, or `portal_link`, by which a customer who asked for it, or whom you sent it to, signs in to the portal. By `user_sign_in` a user of a license signs in to an app. `license_transfer` offers a license to the address that its owner named in the portal. `license_continued` says that a license continues in the place of a new one whose key was mailed before, and no longer works.
     */
    kind: MailKind;
    /**
     * The address of the recipient; absent in `license_transfer`, whose recipient is no customer yet, in a mail to who owned the license before, and once it was erased.
     */
    recipient?: string;
    /**
     * Number of attempts to send the mail.
     */
    attempts: number;
    /**
     * The last reply of the mail server; absent where `recipient` is, and without one.
     */
    reply?: string;
};

/**
 * A page of a list, in `data`.
 */
export type CustomerPage = {
    /**
     * The requested resource.
     */
    data: Array<Customer>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `customer.pool_given`.
 */
export type CustomerPoolGivenDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'customer.pool_given';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'customer.pool_given';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Pool;
};

/**
 * The delivery of `customer.pool_revoked`.
 */
export type CustomerPoolRevokedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'customer.pool_revoked';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'customer.pool_revoked';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Pool;
};

/**
 * The delivery of `customer.portal_link_created`.
 */
export type CustomerPortalLinkCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'customer.portal_link_created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'customer.portal_link_created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: PortalLinkEventData;
};

/**
 * The delivery of `customer.portal_link_failed`.
 */
export type CustomerPortalLinkFailedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'customer.portal_link_failed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'customer.portal_link_failed';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: CustomerMailFailedEventData;
};

/**
 * The delivery of `customer.portal_link_mailed`.
 */
export type CustomerPortalLinkMailedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'customer.portal_link_mailed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'customer.portal_link_mailed';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: CustomerMailSentEventData;
};

/**
 * A customer to create or to change. Omitted fields of one that exists stay as they are.
 */
export type CustomerPutRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * The code, unique among customers. Default for a customer that is created: its `id`.
     */
    code?: string;
    /**
     * The email address. The empty string clears it.
     */
    email?: string;
    /**
     * The language of mails to the customer. `null`: `mail_language` of the settings, or else English.
     */
    language?: MailLanguage | null;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * The licenses and the usage of a customer.
 */
export type CustomerSummaryReport = {
    /**
     * Identifies the format of the report. It changes with every incompatible change of the format.
     */
    schema: 'countersign/report/customer-summary/v1';
    /**
     * The type of report.
     */
    report_kind: 'customer-summary';
    /**
     * The filters as applied, with all defaults.
     */
    filters: {
        /**
         * The customer of the report.
         */
        customer_id: string;
        /**
         * Start of the window, inclusive.
         */
        from: string;
        /**
         * End of the window, exclusive.
         */
        to: string;
        /**
         * The products in the report, if the API key is limited to products.
         */
        product_ids?: Array<string>;
    };
    /**
     * The totals of the report.
     */
    summary: {
        /**
         * The customer.
         */
        customer: {
            /**
             * The ID of the customer: `cus_` and 26 characters.
             */
            id: string;
            /**
             * The display name, 1 to 255 characters; at least one of them is visible.
             */
            name: string;
            /**
             * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
             */
            code: string;
            /**
             * The email address, at most 320 characters.
             */
            email?: string;
            /**
             * Time of the creation.
             */
            created_at: string;
        };
        /**
         * Number of licenses.
         */
        licenses: number;
        /**
         * Number of licenses in each status.
         */
        license_statuses: Array<{
            /**
             * `grace_period` is after the expiration and still works; `expired` no longer works. `suspended` can be reinstated; `revoked` is permanent.
             */
            status: LicenseStatus;
            /**
             * The number of them.
             */
            count: number;
        }>;
        /**
         * Number of devices that have a seat on the customer's licenses now.
         */
        active_devices: number;
        /**
         * Number of orders.
         */
        orders: number;
        /**
         * Number of subscriptions.
         */
        subscriptions: number;
        /**
         * Number of usage events.
         */
        uses: number;
        /**
         * Sum of the usage events; of a feature with a `meter`, by how much they changed what is measured.
         */
        amount: number;
        /**
         * How much of the amount is overage; absent if none is.
         */
        overage?: number;
        /**
         * Time of the first usage event.
         */
        first_at?: string;
        /**
         * Time of the last usage event.
         */
        last_at?: string;
        /**
         * The feature of all usage, whose amounts add up; absent without usage, with usage of several features, and of buckets of an hour.
         */
        feature_code?: string;
    };
    /**
     * The rows.
     */
    rows: Array<{
        /**
         * The ID of the license: `lic_` and 26 characters.
         */
        license_id: string;
        /**
         * A part of the license key that identifies it, never the whole key.
         */
        key: string;
        /**
         * The ID of the product: `prod_` and 26 characters.
         */
        product_id: string;
        /**
         * The name of the product.
         */
        product_name: string;
        /**
         * `grace_period` is after the expiration and still works; `expired` no longer works. `suspended` can be reinstated; `revoked` is permanent.
         */
        status: LicenseStatus;
        /**
         * `former`: the customer used the license in the window and it is another's now.
         */
        ownership: 'current' | 'former';
        /**
         * Time of the end; absent if it never ends.
         */
        expires_at?: string;
        /**
         * Number of devices that have a seat now.
         */
        active_device_count: number;
        /**
         * Number of usage events.
         */
        uses: number;
        /**
         * Sum of the usage events; of a feature with a `meter`, by how much they changed what is measured.
         */
        amount: number;
        /**
         * How much of the amount is overage; absent if none is.
         */
        overage?: number;
        /**
         * Time of the first usage event.
         */
        first_at?: string;
        /**
         * Time of the last usage event.
         */
        last_at?: string;
    }>;
    /**
     * Number of rows; an export has them all.
     */
    total_rows: number;
    /**
     * Whether there are more rows than in this response.
     */
    truncated: boolean;
};

/**
 * The response, with the result in `data`.
 */
export type CustomerSummaryReportAnswer = {
    /**
     * The requested resource.
     */
    data: CustomerSummaryReport;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Changes of a customer. Omitted fields stay as they are.
 */
export type CustomerUpdateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name?: string;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code?: string;
    /**
     * The email address. The empty string clears it.
     */
    email?: string;
    /**
     * The language of mails to the customer. `null`: `mail_language` of the settings, or else English.
     */
    language?: MailLanguage | null;
    /**
     * The customer that this one belongs to, such as the group of a company. The licenses of this customer share the pools of that one. `null` removes it.
     */
    parent_id?: string | null;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * The delivery of `customer.updated`.
 */
export type CustomerUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'customer.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'customer.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: CustomerEventData;
};

/**
 * A signed response: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type DeactivationAnswer = {
    /**
     * The requested resource.
     */
    data: DeactivationResponseData;
    /**
     * An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The license after the device released its seat.
 */
export type DeactivationResponseData = {
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The current status.
     */
    status: string;
    /**
     * Permanent, for a limited time, by subscription, as a trial, or by usage.
     */
    license_type: LicenseType;
    /**
     * Increases with every change of what the license grants.
     */
    entitlement_version: number;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * The code of the product. A response repeats the code of the request, even if the product has a new one.
     */
    product_code: string;
    /**
     * The code of the policy.
     */
    policy_code: string;
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    device_id: string;
    /**
     * The user who is signed in; absent if the license has no users.
     */
    user_id?: string;
    /**
     * The SHA-256 of the device's binding key, in hex. Compare it with your own.
     */
    fingerprint_hash: string;
    /**
     * Time of the signature.
     */
    issued_at: string;
    /**
     * Time until which the response may be relied on without another check.
     */
    valid_until: string;
    /**
     * Time of the end; absent if it never ends.
     */
    expires_at?: string;
    /**
     * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Alternative: the header x-nonce.
     */
    nonce?: string;
};

/**
 * The term that decided, and its source.
 */
export type DecidingTerm = {
    /**
     * The rule of the effective policy, or the field of the license, device or feature, that decided.
     */
    name: string;
    /**
     * The value; absent if there is no value.
     */
    value?: string | number | boolean;
    /**
     * How much of the quota was added with `add_credits`, whatever the source of the quota.
     */
    credits?: number;
    /**
     * How much is left of grants; included in the value.
     */
    granted_remaining?: number;
    /**
     * The time when the next of the grants ends.
     */
    next_grant_expires_at?: string;
    /**
     * How much of the pools of its customer and those above the license may still use; included in the value.
     */
    pool_remaining?: number;
    /**
     * The source of the term.
     */
    from: 'policy' | 'override' | 'license' | 'subscription' | 'device' | 'lease';
};

/**
 * All retries of a delivery failed.
 */
export type DeliveryExhaustedEventData = {
    /**
     * The ID of the webhook endpoint: `whk_` and 26 characters.
     */
    webhook_id: string;
    /**
     * The ID of the event: `evt_` and 26 characters.
     */
    event_id: string;
    /**
     * The event type: `<family>.<past participle>`.
     */
    event_type: EventKind;
    /**
     * The sequence number of the event in the feed.
     */
    event_sequence: number;
    /**
     * Number of attempts of the delivery.
     */
    attempts: number;
    /**
     * How the last attempt ended.
     */
    last_outcome: string;
};

/**
 * A machine or a container that a license is bound to.
 */
export type Device = {
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * Whether a binding identifies a machine or a container.
     */
    binding_kind: DeviceBindingKind;
    /**
     * Distinguishes this device from the others of the license.
     */
    binding_key: string;
    /**
     * The fingerprint that identifies the machine.
     */
    fingerprint?: string;
    /**
     * The name that the customer gave the device in the portal.
     */
    name?: string;
    /**
     * The name of the machine.
     */
    hostname?: string;
    /**
     * The operating system, as the device named it last.
     */
    os?: string;
    /**
     * The version of the app that the device named last.
     */
    app_version?: string;
    /**
     * Time when the device first named this version, unless it named another since.
     */
    app_version_since?: string;
    /**
     * The network address of the caller.
     */
    ip_address?: string;
    /**
     * Whether the machine is virtual; a policy may refuse virtual machines. Default: `false`.
     */
    is_vm: boolean;
    /**
     * Whether the device is a container.
     */
    is_container: boolean;
    /**
     * The ID of the container in its runtime.
     */
    container_id?: string;
    /**
     * The cluster that the container runs in.
     */
    cluster_id?: string;
    /**
     * The namespace that the container runs in.
     */
    namespace?: string;
    /**
     * The pod that the container belongs to.
     */
    pod_name?: string;
    /**
     * `active` has a seat. `deactivated` released it, `reset` was freed by an operator or the holder of the key, `expired` lost it after inactivity. These may activate again; `blacklisted` may not.
     */
    status: DeviceStatus;
    /**
     * Time when the device was first seen.
     */
    first_seen_at: string;
    /**
     * Time of the last request of the device.
     */
    last_seen_at: string;
    /**
     * Time when the device last validated.
     */
    last_validated_at?: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
    /**
     * The names of the components that it was last activated with, where the terms have `component_match`.
     */
    components?: Array<string>;
    /**
     * When its components were named, or last were others than before.
     */
    components_changed_at?: string;
    /**
     * Time until which its seat stays taken even if the device is released: its offline files and envelopes are valid until then. Only under `hold_offline_seats`, and in responses alone.
     */
    seat_held_until?: string;
};

/**
 * The response, with the result in `data`.
 */
export type DeviceAnswer = {
    /**
     * The requested resource.
     */
    data: Device;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Whether a binding identifies a machine or a container.
 */
export type DeviceBindingKind = 'hardware' | 'container';

/**
 * The delivery of `device.blacklisted`.
 */
export type DeviceBlacklistedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'device.blacklisted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'device.blacklisted';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Device;
};

/**
 * Hashes of what the machine is made of, by names such as `board`, `disk` or `network`: at most 8, of up to 32 lower-case letters, digits, `_` and `-`. Where the terms have `component_match`, activate and checkout know a device of the license by them whose fingerprint has changed; without it they are not stored.
 */
export type DeviceComponents = {
    [key: string]: string;
};

/**
 * The delivery of `device.components_changed`.
 */
export type DeviceComponentsChangedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'device.components_changed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'device.components_changed';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: ComponentsChangedEventData;
};

/**
 * The delivery of `device.expired`.
 */
export type DeviceExpiredDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'device.expired';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'device.expired';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Device;
};

/**
 * A page of a list, in `data`.
 */
export type DevicePage = {
    /**
     * The requested resource.
     */
    data: Array<Device>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `device.renamed`.
 */
export type DeviceRenamedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'device.renamed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'device.renamed';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Device;
};

/**
 * The delivery of `device.reset`.
 */
export type DeviceResetDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'device.reset';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'device.reset';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Device;
};

/**
 * The reason to free a seat although its device may still run offline.
 */
export type DeviceSeatFreeRequest = {
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason: string;
};

/**
 * `active` has a seat. `deactivated` released it, `reset` was freed by an operator or the holder of the key, `expired` lost it after inactivity. These may activate again; `blacklisted` may not.
 */
export type DeviceStatus = 'active' | 'deactivated' | 'blacklisted' | 'reset' | 'expired';

/**
 * A license that ends soon.
 */
export type EndingLicense = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The name of the product.
     */
    product: string;
    /**
     * The name of the policy.
     */
    policy: string;
    /**
     * The name of the customer, or the name or email address on the license.
     */
    owner?: string;
    /**
     * Time when the license expires.
     */
    expires_at: string;
};

/**
 * A key that verifies, as the keys sign it.
 */
export type EndorsedKey = {
    /**
     * The ID of the signing key.
     */
    kid: string;
    /**
     * The algorithm: Ed25519 (RFC 8032).
     */
    algorithm: 'Ed25519';
    /**
     * The public key, 32 bytes in base64.
     */
    public_key: string;
    /**
     * Time of the creation.
     */
    created_at: string;
};

/**
 * The list of keys that the keys sign.
 */
export type EndorsedKeyList = {
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * Distinguishes it from everything else that is signed.
     */
    type: 'signing_keys';
    /**
     * When a key was made, retired or revoked last.
     */
    issued_at: string;
    /**
     * The keys that verify, as in `data`.
     */
    keys: Array<EndorsedKey>;
    /**
     * The keys that were revoked.
     */
    revoked: Array<EndorsedRevokedKey>;
};

/**
 * A key that was revoked, as the keys sign it.
 */
export type EndorsedRevokedKey = {
    /**
     * The ID of the signing key.
     */
    kid: string;
    /**
     * The algorithm: Ed25519 (RFC 8032).
     */
    algorithm: 'Ed25519';
    /**
     * The public key, 32 bytes in base64.
     */
    public_key: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the revocation.
     */
    revoked_at: string;
};

/**
 * A signed response: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type EntitlementAnswer = {
    /**
     * The requested resource.
     */
    data: RuntimeEntitlementResponseData;
    /**
     * An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The environment that the token belongs to.
 */
export type Environment = {
    /**
     * The name: `live`, or `test`.
     */
    name: 'live' | 'test';
    /**
     * The time of its clock.
     */
    now: string;
    /**
     * Whether the clock differs from real time. The clock of `live` never does.
     */
    clock_moved: boolean;
    /**
     * The environments of this service. `test` is absent where it is turned off.
     */
    available: Array<'live' | 'test'>;
};

/**
 * The response, with the result in `data`.
 */
export type EnvironmentAnswer = {
    /**
     * The requested resource.
     */
    data: Environment;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The log continues after a restore.
 */
export type EpochStartedEventData = {
    /**
     * The epoch of the log: 1 until the log was restored to an earlier state.
     */
    epoch: number;
    /**
     * The first line of its checkpoints.
     */
    origin: string;
    /**
     * The sequence number of the first event of the epoch.
     */
    first_sequence: number;
    /**
     * Of the epoch that the log was restored to.
     */
    previous_origin: string;
    /**
     * The last event that was restored: what the epoch before had after it is lost.
     */
    restored_sequence: number;
    /**
     * The `hash` of that event; zeros without one.
     */
    restored_hash: string;
    /**
     * The reason.
     */
    reason: string;
    /**
     * The state of the log that the witness knew. Events of it that are not in the log are lost.
     */
    witness?: LogWitnessed;
};

/**
 * Error code, for programs. The meaning of a code never changes; new codes may be added.
 */
export type ErrorCode = 'INVALID_JSON' | 'UNKNOWN_FIELD' | 'INVALID_QUERY' | 'INVALID_CURSOR' | 'INVALID_HEADER' | 'IDEMPOTENCY_KEY_REQUIRED' | 'UNAUTHENTICATED' | 'TOKEN_EXPIRED' | 'TOKEN_REVOKED' | 'TOKEN_IP_DENIED' | 'PERSON_MISMATCH' | 'LICENSE_KEY_INVALID' | 'TOKEN_SCOPE_DENIED' | 'TOKEN_PRODUCT_DENIED' | 'APPROVAL_REQUIRED' | 'LICENSE_INACTIVE' | 'LICENSE_EXPIRED' | 'DEVICE_BLACKLISTED' | 'ACTIVATION_LIMIT_EXCEEDED' | 'FLOATING_LIMIT_EXCEEDED' | 'FEATURE_NOT_ENTITLED' | 'FEATURE_QUOTA_EXCEEDED' | 'TRIAL_USED' | 'REFUND_NOT_ALLOWED' | 'USER_SIGN_IN_REQUIRED' | 'USER_NOT_ALLOWED' | 'USER_LIMIT_EXCEEDED' | 'USER_DEVICE_LIMIT_EXCEEDED' | 'ID_TOKEN_INVALID' | 'MAILBOX_NOT_PROVEN' | 'VM_NOT_ALLOWED' | 'CONTAINER_NOT_ALLOWED' | 'OFFLINE_NOT_ALLOWED' | 'SELF_SERVICE_NOT_ALLOWED' | 'SELF_SERVICE_LIMIT_EXCEEDED' | 'PRODUCT_MISMATCH' | 'NOT_FOUND' | 'ROUTE_NOT_FOUND' | 'DEVICE_NOT_ACTIVATED' | 'LEASE_NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'STATE_CONFLICT' | 'IN_USE' | 'CURSOR_AHEAD' | 'CURSOR_BEHIND' | 'IDEMPOTENCY_CONFLICT' | 'IDEMPOTENCY_IN_FLIGHT' | 'LEASE_EXPIRED' | 'REQUEST_TIMEOUT' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'RANGE_NOT_SATISFIABLE' | 'VALIDATION_ERROR' | 'HEADERS_TOO_LARGE' | 'RATE_LIMITED' | 'INTERNAL' | 'UNAVAILABLE';

/**
 * Every failure of every operation.
 */
export type ErrorEnvelope = {
    /**
     * The error.
     */
    error: ErrorObject;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The error.
 */
export type ErrorObject = {
    /**
     * Error code, for programs. The meaning of a code never changes; new codes may be added.
     */
    code: ErrorCode;
    /**
     * Error message, for people. The wording may change.
     */
    message: string;
    /**
     * More about this one case, such as the scope that is missing or what still refers to a resource.
     */
    detail?: string;
    /**
     * The invalid fields of the request, at most 20.
     */
    fields?: Array<FieldFinding>;
    /**
     * Where the code is explained.
     */
    doc_url: string;
};

/**
 * An event of the feed.
 */
export type Event = {
    /**
     * The ID of the event: `evt_` and 26 characters.
     */
    id: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The position in the feed: 1, 2, 3, ... without gaps.
     */
    sequence: number;
    /**
     * The event type: `<family>.<past participle>`.
     */
    event_type: EventKind;
    /**
     * The kind of actor.
     */
    actor_type: AuditActorType;
    /**
     * The actor: the ID of the API key, of the person or of the license; `system` for the service.
     */
    actor_id: string;
    /**
     * The type of the resource.
     */
    resource_type: string;
    /**
     * The ID of the resource.
     */
    resource_id?: string;
    /**
     * The license that the event is about: the resource, or the license of the device, floating seat, note or file. Absent where it is about none, and in older events.
     */
    license_id?: string;
    /**
     * The previous event of this license; sequence 0 and 64 zeros for its first. Present with `license_id`.
     */
    previous_of_license?: LicenseLink;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * The resource as the event left it.
     */
    data: {
        [key: string]: unknown;
    };
    /**
     * The ID of the request. Include it when you contact support.
     */
    request_id?: string;
    /**
     * The network address of the caller.
     */
    ip_address?: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * JSON Pointer to base64(SHA-256(salt || canonical JSON of the value)) for each personal value.
     */
    commitments?: {
        [key: string]: string;
    };
    /**
     * JSON Pointer to the base64 salt of each personal value that has not been erased.
     */
    salts?: {
        [key: string]: string;
    };
    /**
     * The `hash` of the previous event; 64 zeros for the first event.
     */
    previous_hash: string;
    /**
     * SHA-256 of `previous_hash` and the leaf hash of the event, 64 hexadecimal digits.
     */
    hash: string;
};

/**
 * The signed root of the tree over the first events.
 */
export type EventCheckpoint = {
    /**
     * The name of the log: the first line of the note. It never changes.
     */
    origin: string;
    /**
     * The checkpoint covers the events from sequence 1 to this one.
     */
    tree_size: number;
    /**
     * 64 hexadecimal digits.
     */
    root_hash: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * The signing key.
     */
    kid: string;
    /**
     * The signed note (C2SP signed-note and tlog-checkpoint) that transparency-log tools read, with the signatures of witnesses.
     */
    note: string;
    /**
     * The key that verifies the note, as tools for signed notes and witnesses take it (C2SP signed-note, vkey).
     */
    verifier_key?: string;
    /**
     * The witnesses whose signatures the note has.
     */
    cosignatures?: Array<EventCosignature>;
    /**
     * The events up to this sequence are covered by the newest checkpoint that enough witnesses have signed.
     */
    cosigned_tree_size?: number;
};

/**
 * The response, with the result in `data`.
 */
export type EventCheckpointAnswer = {
    /**
     * The requested resource.
     */
    data: EventCheckpoint;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Proof that a smaller log is the beginning of a larger one (RFC 6962).
 */
export type EventConsistencyProof = {
    /**
     * The smaller tree size.
     */
    from: number;
    /**
     * The larger tree size.
     */
    to: number;
    /**
     * 64 hexadecimal digits.
     */
    from_root_hash: string;
    /**
     * 64 hexadecimal digits.
     */
    to_root_hash: string;
    /**
     * 64 hexadecimal digits each, in RFC 6962 order.
     */
    hashes: Array<string>;
};

/**
 * The response, with the result in `data`.
 */
export type EventConsistencyProofAnswer = {
    /**
     * The requested resource.
     */
    data: EventConsistencyProof;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The signature of a witness on a checkpoint.
 */
export type EventCosignature = {
    /**
     * The name of the witness and the ID of its key, `<name>+<key id>`.
     */
    witness: string;
    /**
     * When the witness signed, by its own clock.
     */
    cosigned_at: string;
};

/**
 * Proof that an event is in the log (RFC 6962).
 */
export type EventInclusionProof = {
    /**
     * The ID of the event: `evt_` and 26 characters.
     */
    event_id: string;
    /**
     * The position in the feed: 1, 2, 3, ... without gaps.
     */
    sequence: number;
    /**
     * `sequence` - 1: leaf indexes start at 0.
     */
    leaf_index: number;
    /**
     * 64 hexadecimal digits.
     */
    leaf_hash: string;
    /**
     * Number of events that the tree covers.
     */
    tree_size: number;
    /**
     * 64 hexadecimal digits.
     */
    root_hash: string;
    /**
     * 64 hexadecimal digits each, in RFC 6962 order.
     */
    hashes: Array<string>;
    /**
     * The checkpoint of this size, if there is one.
     */
    checkpoint?: EventCheckpoint;
    /**
     * The same up to this checkpoint as a text that other tools verify (C2SP tlog-proof), with the leaf of the event as its extra data.
     */
    tlog_proof?: string;
};

/**
 * The response, with the result in `data`.
 */
export type EventInclusionProofAnswer = {
    /**
     * The requested resource.
     */
    data: EventInclusionProof;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The event type: `<family>.<past participle>`.
 */
export type EventKind = 'product.created' | 'product.updated' | 'product.deleted' | 'policy.created' | 'policy.updated' | 'policy.deleted' | 'policy.feature_assigned' | 'policy.feature_removed' | 'feature.created' | 'feature.updated' | 'feature.deleted' | 'version.created' | 'version.updated' | 'version.deleted' | 'customer.created' | 'customer.updated' | 'customer.deleted' | 'customer.erased' | 'customer.pool_given' | 'customer.pool_revoked' | 'customer.portal_link_created' | 'customer.portal_link_mailed' | 'customer.portal_link_failed' | 'order.created' | 'order.updated' | 'order.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'billing_connection.created' | 'billing_connection.updated' | 'billing_connection.secret_rotated' | 'billing_connection.deleted' | 'purchase.done' | 'purchase.waiting' | 'purchase.failed' | 'custom_field.created' | 'custom_field.updated' | 'custom_field.deleted' | 'job.created' | 'job.done' | 'job.stopped' | 'job.failed' | 'note.created' | 'note.updated' | 'note.deleted' | 'license.created' | 'license.updated' | 'license.started' | 'license.activated' | 'license.deactivated' | 'license.suspended' | 'license.reinstated' | 'license.revoked' | 'license.renewed' | 'license.policy_changed' | 'license.transferred' | 'license.key_rotated' | 'license.grace_started' | 'license.expiring' | 'license.expired' | 'license.feature_assigned' | 'license.feature_removed' | 'license.usage_recorded' | 'license.usage_reset' | 'license.quota_reached' | 'license.quota_threshold' | 'license.grant_given' | 'license.grant_revoked' | 'license.overage_started' | 'license.transfer_requested' | 'license.transfer_canceled' | 'license.user_invited' | 'license.user_joined' | 'license.user_removed' | 'license.user_device_changed' | 'mail.sent' | 'mail.failed' | 'device.reset' | 'device.blacklisted' | 'device.expired' | 'device.components_changed' | 'device.renamed' | 'lease.checked_out' | 'lease.checked_in' | 'lease.expired' | 'offline.issued' | 'offline_file.issued' | 'offline_file.revoked' | 'api_key.created' | 'api_key.updated' | 'api_key.revoked' | 'api_key.rotated' | 'api_key.signed_in' | 'person.created' | 'person.updated' | 'person.removed' | 'person.reinstated' | 'person.invited' | 'session.opened' | 'session.ended' | 'session.refused' | 'passkey.created' | 'passkey.updated' | 'passkey.deleted' | 'role.created' | 'role.updated' | 'role.deleted' | 'role.second_look_changed' | 'approval.requested' | 'approval.approved' | 'approval.declined' | 'approval.canceled' | 'approval.expired' | 'settings.updated' | 'mail_template.updated' | 'mail_template.reset' | 'mail_suppression.created' | 'mail_suppression.lifted' | 'publishable_key.created' | 'publishable_key.revoked' | 'signing_key.created' | 'signing_key.retired' | 'signing_key.revoked' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.secret_rotated' | 'webhook.skipped' | 'webhook.delivery_exhausted' | 'report_export.created' | 'report_export.ready' | 'report_export.failed' | 'report_export.downloaded' | 'log.epoch_started' | 'log.key_introduced' | 'log.dropped';

/**
 * A page of a list, in `data`.
 */
export type EventPage = {
    /**
     * The requested resource.
     */
    data: Array<Event>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * An event type, or a whole family such as `license.*`.
 */
export type EventSubscription = 'product.*' | 'policy.*' | 'feature.*' | 'version.*' | 'customer.*' | 'order.*' | 'subscription.*' | 'billing_connection.*' | 'purchase.*' | 'custom_field.*' | 'job.*' | 'note.*' | 'license.*' | 'mail.*' | 'device.*' | 'lease.*' | 'offline.*' | 'offline_file.*' | 'api_key.*' | 'person.*' | 'session.*' | 'passkey.*' | 'role.*' | 'approval.*' | 'settings.*' | 'mail_template.*' | 'mail_suppression.*' | 'publishable_key.*' | 'signing_key.*' | 'webhook.*' | 'report_export.*' | 'log.*' | 'product.created' | 'product.updated' | 'product.deleted' | 'policy.created' | 'policy.updated' | 'policy.deleted' | 'policy.feature_assigned' | 'policy.feature_removed' | 'feature.created' | 'feature.updated' | 'feature.deleted' | 'version.created' | 'version.updated' | 'version.deleted' | 'customer.created' | 'customer.updated' | 'customer.deleted' | 'customer.erased' | 'customer.pool_given' | 'customer.pool_revoked' | 'customer.portal_link_created' | 'customer.portal_link_mailed' | 'customer.portal_link_failed' | 'order.created' | 'order.updated' | 'order.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'billing_connection.created' | 'billing_connection.updated' | 'billing_connection.secret_rotated' | 'billing_connection.deleted' | 'purchase.done' | 'purchase.waiting' | 'purchase.failed' | 'custom_field.created' | 'custom_field.updated' | 'custom_field.deleted' | 'job.created' | 'job.done' | 'job.stopped' | 'job.failed' | 'note.created' | 'note.updated' | 'note.deleted' | 'license.created' | 'license.updated' | 'license.started' | 'license.activated' | 'license.deactivated' | 'license.suspended' | 'license.reinstated' | 'license.revoked' | 'license.renewed' | 'license.policy_changed' | 'license.transferred' | 'license.key_rotated' | 'license.grace_started' | 'license.expiring' | 'license.expired' | 'license.feature_assigned' | 'license.feature_removed' | 'license.usage_recorded' | 'license.usage_reset' | 'license.quota_reached' | 'license.quota_threshold' | 'license.grant_given' | 'license.grant_revoked' | 'license.overage_started' | 'license.transfer_requested' | 'license.transfer_canceled' | 'license.user_invited' | 'license.user_joined' | 'license.user_removed' | 'license.user_device_changed' | 'mail.sent' | 'mail.failed' | 'device.reset' | 'device.blacklisted' | 'device.expired' | 'device.components_changed' | 'device.renamed' | 'lease.checked_out' | 'lease.checked_in' | 'lease.expired' | 'offline.issued' | 'offline_file.issued' | 'offline_file.revoked' | 'api_key.created' | 'api_key.updated' | 'api_key.revoked' | 'api_key.rotated' | 'api_key.signed_in' | 'person.created' | 'person.updated' | 'person.removed' | 'person.reinstated' | 'person.invited' | 'session.opened' | 'session.ended' | 'session.refused' | 'passkey.created' | 'passkey.updated' | 'passkey.deleted' | 'role.created' | 'role.updated' | 'role.deleted' | 'role.second_look_changed' | 'approval.requested' | 'approval.approved' | 'approval.declined' | 'approval.canceled' | 'approval.expired' | 'settings.updated' | 'mail_template.updated' | 'mail_template.reset' | 'mail_suppression.created' | 'mail_suppression.lifted' | 'publishable_key.created' | 'publishable_key.revoked' | 'signing_key.created' | 'signing_key.retired' | 'signing_key.revoked' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.secret_rotated' | 'webhook.skipped' | 'webhook.delivery_exhausted' | 'report_export.created' | 'report_export.ready' | 'report_export.failed' | 'report_export.downloaded' | 'log.epoch_started' | 'log.key_introduced' | 'log.dropped';

/**
 * A type of events, or all types of a family: `license.*`.
 */
export type EventTypeFilter = 'product.*' | 'policy.*' | 'feature.*' | 'version.*' | 'customer.*' | 'order.*' | 'subscription.*' | 'billing_connection.*' | 'purchase.*' | 'custom_field.*' | 'job.*' | 'note.*' | 'license.*' | 'mail.*' | 'device.*' | 'lease.*' | 'offline.*' | 'offline_file.*' | 'api_key.*' | 'person.*' | 'session.*' | 'passkey.*' | 'role.*' | 'approval.*' | 'settings.*' | 'mail_template.*' | 'mail_suppression.*' | 'publishable_key.*' | 'signing_key.*' | 'webhook.*' | 'report_export.*' | 'log.*' | 'product.created' | 'product.updated' | 'product.deleted' | 'policy.created' | 'policy.updated' | 'policy.deleted' | 'policy.feature_assigned' | 'policy.feature_removed' | 'feature.created' | 'feature.updated' | 'feature.deleted' | 'version.created' | 'version.updated' | 'version.deleted' | 'customer.created' | 'customer.updated' | 'customer.deleted' | 'customer.erased' | 'customer.pool_given' | 'customer.pool_revoked' | 'customer.portal_link_created' | 'customer.portal_link_mailed' | 'customer.portal_link_failed' | 'order.created' | 'order.updated' | 'order.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'billing_connection.created' | 'billing_connection.updated' | 'billing_connection.secret_rotated' | 'billing_connection.deleted' | 'purchase.done' | 'purchase.waiting' | 'purchase.failed' | 'custom_field.created' | 'custom_field.updated' | 'custom_field.deleted' | 'job.created' | 'job.done' | 'job.stopped' | 'job.failed' | 'note.created' | 'note.updated' | 'note.deleted' | 'license.created' | 'license.updated' | 'license.started' | 'license.activated' | 'license.deactivated' | 'license.suspended' | 'license.reinstated' | 'license.revoked' | 'license.renewed' | 'license.policy_changed' | 'license.transferred' | 'license.key_rotated' | 'license.grace_started' | 'license.expiring' | 'license.expired' | 'license.feature_assigned' | 'license.feature_removed' | 'license.usage_recorded' | 'license.usage_reset' | 'license.quota_reached' | 'license.quota_threshold' | 'license.grant_given' | 'license.grant_revoked' | 'license.overage_started' | 'license.transfer_requested' | 'license.transfer_canceled' | 'license.user_invited' | 'license.user_joined' | 'license.user_removed' | 'license.user_device_changed' | 'mail.sent' | 'mail.failed' | 'device.reset' | 'device.blacklisted' | 'device.expired' | 'device.components_changed' | 'device.renamed' | 'lease.checked_out' | 'lease.checked_in' | 'lease.expired' | 'offline.issued' | 'offline_file.issued' | 'offline_file.revoked' | 'api_key.created' | 'api_key.updated' | 'api_key.revoked' | 'api_key.rotated' | 'api_key.signed_in' | 'person.created' | 'person.updated' | 'person.removed' | 'person.reinstated' | 'person.invited' | 'session.opened' | 'session.ended' | 'session.refused' | 'passkey.created' | 'passkey.updated' | 'passkey.deleted' | 'role.created' | 'role.updated' | 'role.deleted' | 'role.second_look_changed' | 'approval.requested' | 'approval.approved' | 'approval.declined' | 'approval.canceled' | 'approval.expired' | 'settings.updated' | 'mail_template.updated' | 'mail_template.reset' | 'mail_suppression.created' | 'mail_suppression.lifted' | 'publishable_key.created' | 'publishable_key.revoked' | 'signing_key.created' | 'signing_key.retired' | 'signing_key.revoked' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.secret_rotated' | 'webhook.skipped' | 'webhook.delivery_exhausted' | 'report_export.created' | 'report_export.ready' | 'report_export.failed' | 'report_export.downloaded' | 'log.epoch_started' | 'log.key_introduced' | 'log.dropped';

/**
 * A webhook endpoint to which nothing can be delivered.
 */
export type FailingEndpoint = {
    /**
     * The ID of the webhook endpoint: `whk_` and 26 characters.
     */
    webhook_id: string;
    /**
     * The name of the endpoint.
     */
    name: string;
    /**
     * Time since which every delivery has failed.
     */
    failing_since: string;
};

/**
 * Something that a license can grant, such as a module or a quota.
 */
export type Feature = {
    /**
     * The ID of the feature: `feat_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * The type of the feature's values; absent if it has none.
     */
    value_type?: FeatureValueType;
    /**
     * The texts that a value of an `enum` or `list` may have.
     */
    enum_options?: Array<string>;
    /**
     * How many decimal places the amounts of the feature have, up to 6. Amounts, quotas and counts of it are whole numbers of the smallest step everywhere: with 2, an amount of 150 is 1.50. Absent: none.
     */
    decimals?: number;
    /**
     * The quantity that the quota of the feature limits in its period, or, without one, in all. `sum`: the amounts of the usage events together. `max`: the largest of them, such as a peak of seats. `last`: the latest one, such as the storage in use. `unique`: how many values `meter_dimension` has had, such as active users. Absent: `sum`.
     */
    meter?: 'max' | 'last' | 'unique';
    /**
     * The dimension whose values a `unique` meter counts.
     */
    meter_dimension?: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Time when the feature was archived; absent while it is not.
     */
    archived_at?: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type FeatureAnswer = {
    /**
     * The requested resource.
     */
    data: Feature;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The balance of a metered feature of a license: its remaining units, by what they are left of.
 */
export type FeatureBalance = {
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * The ID of the feature: `feat_` and 26 characters.
     */
    feature_id: string;
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * How many decimal places the amounts of the feature have, up to 6. Amounts, quotas and counts of it are whole numbers of the smallest step everywhere: with 2, an amount of 150 is 1.50. Absent: none.
     */
    decimals?: number;
    /**
     * Whether the license may use the feature: it is switched on, and has not ended.
     */
    enabled: boolean;
    /**
     * `true`: the feature has no quota; usage is counted, and `remaining` is absent. `false`: `remaining` is what is left, and 0 is nothing.
     */
    unlimited: boolean;
    /**
     * Usage: of the running period, where the quota has one.
     */
    used: number;
    /**
     * Total usage.
     */
    total_consumptions: number;
    /**
     * The quota, with grants and pools.
     */
    max_consumptions?: number;
    /**
     * The units that the license may still use, of quota, grants and pools together.
     */
    remaining?: number;
    /**
     * The overage: usage above the quota.
     */
    over?: number;
    /**
     * How much of that is left of the quota itself.
     */
    quota_remaining?: number;
    /**
     * The grants that units are left of, in the order in which they are used. Absent where the license never had one.
     */
    grants?: Array<GrantLeft>;
    /**
     * The open pools of the feature that the license shares, in the order in which they are used. Absent if it shares no pool.
     */
    pools?: Array<PoolLeft>;
    /**
     * How much of them this license may still use.
     */
    pool_remaining?: number;
    /**
     * The period after which the quota resets. Without it, the quota never resets.
     */
    period?: QuotaPeriod;
    /**
     * The time of the next reset of the quota.
     */
    period_ends_at?: string;
};

/**
 * A feature to create.
 */
export type FeatureCreateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code: string;
    /**
     * The type of the feature's values, which policies and licenses set and signed responses carry. Default: none.
     */
    value_type?: FeatureValueType;
    /**
     * The texts that a value may have: required for an `enum`, allowed for a `list`.
     */
    enum_options?: Array<string>;
    /**
     * How many decimal places the amounts of the feature have, up to 6. Amounts, quotas and counts of it are whole numbers of the smallest step everywhere: with 2, an amount of 150 is 1.50. It stays as it is. Default: 0.
     */
    decimals?: number;
    /**
     * The quantity that the quota of the feature limits in its period, or, without one, in all. `sum`: the amounts of the usage events together. `max`: the largest of them, such as a peak of seats. `last`: the latest one, such as the storage in use. `unique`: how many values `meter_dimension` has had, such as active users. It stays as it is. Default: `sum`.
     */
    meter?: FeatureMeter;
    /**
     * The dimension whose values a `unique` meter counts; required for it alone.
     */
    meter_dimension?: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * The delivery of `feature.created`.
 */
export type FeatureCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'feature.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'feature.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Feature;
};

/**
 * The delivery of `feature.deleted`.
 */
export type FeatureDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'feature.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'feature.deleted';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Feature;
};

/**
 * A feature of the license, before and after the change.
 */
export type FeatureDifference = {
    /**
     * Always `feature`.
     */
    kind: 'feature';
    /**
     * The ID of the feature: `feat_` and 26 characters.
     */
    feature_id: string;
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * `gained`: the license may use the feature now. `lost`: it could before, but not now. `changed`: it has another quota or value.
     */
    change: 'gained' | 'lost' | 'changed';
    /**
     * The feature before the change; absent if the license did not have it.
     */
    before?: FeatureTerms;
    /**
     * The feature after the change; absent if the license no longer has it.
     */
    after?: FeatureTerms;
};

/**
 * A feature as the license grants it.
 */
export type FeatureEntitlement = {
    /**
     * The code of the feature.
     */
    code: string;
    /**
     * Whether the license may use the feature. Default: `true`.
     */
    enabled: boolean;
    /**
     * A value for the app, of the feature's `value_type`: `true` or `false`, a whole number, a text of 1 to 255 printable ASCII characters without <>&"\ and the backtick, or up to 100 such texts.
     */
    value?: FeatureValue;
    /**
     * How many decimal places the amounts of the feature have, up to 6. Amounts, quotas and counts of it are whole numbers of the smallest step everywhere: with 2, an amount of 150 is 1.50. Absent: none.
     */
    decimals?: number;
    /**
     * The quantity that the quota of the feature limits in its period, or, without one, in all. `sum`: the amounts of the usage events together. `max`: the largest of them, such as a peak of seats. `last`: the latest one, such as the storage in use. `unique`: how many values `meter_dimension` has had, such as active users. Absent: `sum`.
     */
    meter?: 'max' | 'last' | 'unique';
    /**
     * The total amount that may be used; absent if usage is not limited.
     */
    quota?: number;
    /**
     * How much of the quota is used.
     */
    consumed?: number;
    /**
     * How much of the quota is left.
     */
    remaining?: number;
    /**
     * The overage: consumption above the quota.
     */
    over?: number;
    /**
     * How much is left of grants; included in `quota` and `remaining`.
     */
    granted_remaining?: number;
    /**
     * The time when the next of the grants ends.
     */
    next_grant_expires_at?: string;
    /**
     * How much of the pools of its customer and those above the license may still use; included in `quota` and `remaining`.
     */
    pool_remaining?: number;
    /**
     * The period after which the quota resets.
     */
    period?: QuotaPeriod;
    /**
     * The time of the next reset of the quota; `consumed` and `remaining` apply to the period until then.
     */
    period_ends_at?: string;
};

/**
 * The quantity that the quota of the feature limits in its period, or, without one, in all. `sum`: the amounts of the usage events together. `max`: the largest of them, such as a peak of seats. `last`: the latest one, such as the storage in use. `unique`: how many values `meter_dimension` has had, such as active users. It stays as it is. Default: `sum`.
 */
export type FeatureMeter = 'sum' | 'max' | 'last' | 'unique';

/**
 * A page of a list, in `data`.
 */
export type FeaturePage = {
    /**
     * The requested resource.
     */
    data: Array<Feature>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A feature as the license has it, and its quota.
 */
export type FeatureTerms = {
    /**
     * Whether the license may use the feature.
     */
    enabled: boolean;
    /**
     * A value for the app, of the feature's `value_type`: `true` or `false`, a whole number, a text of 1 to 255 printable ASCII characters without <>&"\ and the backtick, or up to 100 such texts.
     */
    value?: FeatureValue;
    /**
     * The quota. Without it, usage is counted but not limited.
     */
    max_consumptions?: number;
    /**
     * When a quota resets, in UTC: each `day`, `week` (from Monday), `month` or `year` of the calendar; each month of the license from its start; or each period of its subscription.
     */
    period?: QuotaPeriod;
    /**
     * Usage above the quota: `deny`, `allow`, or a limit such as `10%`.
     */
    overage?: string;
};

/**
 * Changes of a feature. Omitted fields stay as they are.
 */
export type FeatureUpdateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name?: string;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code?: string;
    /**
     * The type of the feature's values, which policies and licenses set and signed responses carry. Default: none.
     */
    value_type?: FeatureValueType;
    /**
     * The texts that a value may have: required for an `enum`, allowed for a `list`.
     */
    enum_options?: Array<string>;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * `true` archives the feature: it can no longer be assigned. `false` restores it.
     */
    is_archived?: boolean;
};

/**
 * The delivery of `feature.updated`.
 */
export type FeatureUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'feature.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'feature.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Feature;
};

/**
 * A value for the app, of the feature's `value_type`: `true` or `false`, a whole number, a text of 1 to 255 printable ASCII characters without <>&"\ and the backtick, or up to 100 such texts.
 */
export type FeatureValue = boolean | number | string | Array<string>;

/**
 * The type of a feature's values. A `list` has texts, which are of its options where there are any.
 */
export type FeatureValueType = 'boolean' | 'integer' | 'string' | 'enum' | 'list';

/**
 * The error of one field of a request.
 */
export type FieldFinding = {
    /**
     * The field: names and indexes joined by dots, for example `licenses.3.expires_at`.
     */
    path: string;
    /**
     * The kind of error, for programs.
     */
    code: string;
    /**
     * The message for people. The wording may change.
     */
    message: string;
};

/**
 * A rule of the effective policy, and its source.
 */
export type FlagTerm = {
    /**
     * The value.
     */
    value: boolean;
    /**
     * The source of the rule.
     */
    from: TermSource;
};

/**
 * A signed response: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type FloatingCheckoutAnswer = {
    /**
     * The requested resource.
     */
    data: FloatingCheckoutResponseData;
    /**
     * An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The device that asks for a floating seat, and optionally its process.
 */
export type FloatingCheckoutRequest = {
    /**
     * Identifies this machine; your app computes it. Surrounding spaces are ignored. Required unless `is_container` is true.
     */
    fingerprint?: string;
    /**
     * The name of the machine.
     */
    hostname?: string;
    /**
     * The operating system.
     */
    os?: string;
    /**
     * Hashes of what the machine is made of, by names such as `board`, `disk` or `network`: at most 8, of up to 32 lower-case letters, digits, `_` and `-`. Where the terms have `component_match`, activate and checkout know a device of the license by them whose fingerprint has changed; without it they are not stored.
     */
    components?: DeviceComponents;
    /**
     * Whether the machine is virtual; a policy may refuse virtual machines. Default: `false`.
     */
    is_vm?: boolean;
    /**
     * Whether the app runs in a container. A container is identified by `cluster_id`, `namespace`, `pod_name` and `container_id`; at least one is required.
     */
    is_container?: boolean;
    /**
     * The ID of the container in its runtime.
     */
    container_id?: string;
    /**
     * The cluster that the container runs in.
     */
    cluster_id?: string;
    /**
     * The namespace that the container runs in.
     */
    namespace?: string;
    /**
     * The pod that the container belongs to.
     */
    pod_name?: string;
    /**
     * The version of the app, in the vendor's format. The response then includes whether the license covers it.
     */
    app_version?: string;
    /**
     * The code, or a former code, of the product that the app belongs to. A license of another product is refused. The response names the product by this code.
     */
    product_code?: string;
    /**
     * The `user_token` of the person who is signed in. Required if the license has users (`max_users`); without them it has no effect.
     */
    user_token?: string;
    /**
     * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Alternative: the header x-nonce.
     */
    nonce?: string;
    /**
     * Identifies this process among those of the device, for example a random ID that it generates at startup. If the terms count processes (`lease_unit`), the seat belongs to the process with this name; otherwise it has no effect.
     */
    process_id?: string;
};

/**
 * A floating seat that was checked out, and what it grants.
 */
export type FloatingCheckoutResponseData = {
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The current status.
     */
    status: string;
    /**
     * Permanent, for a limited time, by subscription, as a trial, or by usage.
     */
    license_type: LicenseType;
    /**
     * Increases with every change of what the license grants.
     */
    entitlement_version: number;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * The code of the product. A response repeats the code of the request, even if the product has a new one.
     */
    product_code: string;
    /**
     * The code of the policy.
     */
    policy_code: string;
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    device_id: string;
    /**
     * The user who is signed in; absent if the license has no users.
     */
    user_id?: string;
    /**
     * The SHA-256 of the device's binding key, in hex. Compare it with your own.
     */
    fingerprint_hash: string;
    /**
     * Time of the signature.
     */
    issued_at: string;
    /**
     * Time until which the response may be relied on without another check.
     */
    valid_until: string;
    /**
     * Time of the end; absent if it never ends.
     */
    expires_at?: string;
    /**
     * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Alternative: the header x-nonce.
     */
    nonce?: string;
    /**
     * The token for heartbeats and the checkin. Each heartbeat returns a new one: use the newest.
     */
    lease_token: string;
    /**
     * Time when the seat becomes free without a heartbeat.
     */
    lease_expires_at: string;
    /**
     * `process` if each process of a device takes its seat; absent if the device takes one.
     */
    lease_unit?: LeaseUnit;
    /**
     * The features that the license grants.
     */
    features: Array<FeatureEntitlement>;
    /**
     * The values of the signed custom fields of the license, by the code of the field; a time as text.
     */
    custom_fields?: SignedCustomFields;
    /**
     * Whether the license covers the version of the app. It only informs and refuses nothing.
     */
    version_eligibility?: VersionEligibility;
    /**
     * How far the license is above its limit. Present if the terms allow overage and there is some.
     */
    overage?: Overage;
};

/**
 * A signed response: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type FloatingEntitlementAnswer = {
    /**
     * The requested resource.
     */
    data: FloatingLeaseResponseData;
    /**
     * An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A floating seat, as management sees it.
 */
export type FloatingLease = {
    /**
     * The ID of the floating seat: `lease_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    device_id: string;
    /**
     * The product of the seat, if it is a further product of the license.
     */
    product_id?: string;
    /**
     * The process that holds the seat, where each process has one and it gave its name.
     */
    process_id?: string;
    /**
     * `active` is in use. The other values name how the seat ended; `released` means by an operator.
     */
    status: LeaseStatus;
    /**
     * Time when the seat was checked out.
     */
    checked_out_at: string;
    /**
     * Time of the last heartbeat of the holder.
     */
    last_heartbeat_at?: string;
    /**
     * Time when the seat becomes free without a heartbeat.
     */
    expires_at: string;
    /**
     * Time when the seat became free; absent while it is in use.
     */
    ended_at?: string;
};

/**
 * The response, with the result in `data`.
 */
export type FloatingLeaseAnswer = {
    /**
     * The requested resource.
     */
    data: FloatingLease;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The floating seat as the event left it.
 */
export type FloatingLeaseEventData = {
    /**
     * The ID of the floating seat: `lease_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    device_id: string;
    /**
     * The product of the seat, if it is a further product of the license.
     */
    product_id?: string;
    /**
     * The process that holds the seat, where each process has one and it gave its name.
     */
    process_id?: string;
    /**
     * `active` is in use. The other values name how the seat ended; `released` means by an operator.
     */
    status: LeaseStatus;
    /**
     * Time when the seat was checked out.
     */
    checked_out_at: string;
    /**
     * Time of the last heartbeat of the holder.
     */
    last_heartbeat_at?: string;
    /**
     * Time when the seat becomes free without a heartbeat.
     */
    expires_at: string;
    /**
     * Time when the seat became free; absent while it is in use.
     */
    ended_at?: string;
    /**
     * A machine or a container that a license is bound to.
     */
    device?: Device;
};

/**
 * A page of a list, in `data`.
 */
export type FloatingLeasePage = {
    /**
     * The requested resource.
     */
    data: Array<FloatingLease>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A floating seat, identified by its newest token.
 */
export type FloatingLeaseRequest = {
    /**
     * The token for heartbeats and the checkin. Each heartbeat returns a new one: use the newest.
     */
    lease_token: string;
    /**
     * The `user_token` of the person who is signed in. Required for a heartbeat if the license has users.
     */
    user_token?: string;
    /**
     * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Alternative: the header x-nonce.
     */
    nonce?: string;
};

/**
 * A floating seat after a heartbeat or a checkin.
 */
export type FloatingLeaseResponseData = {
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The current status.
     */
    status: string;
    /**
     * Permanent, for a limited time, by subscription, as a trial, or by usage.
     */
    license_type: LicenseType;
    /**
     * Increases with every change of what the license grants.
     */
    entitlement_version: number;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * The code of the product. A response repeats the code of the request, even if the product has a new one.
     */
    product_code: string;
    /**
     * The code of the policy.
     */
    policy_code: string;
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    device_id: string;
    /**
     * The user who is signed in; absent if the license has no users.
     */
    user_id?: string;
    /**
     * The SHA-256 of the device's binding key, in hex. Compare it with your own.
     */
    fingerprint_hash: string;
    /**
     * Time of the signature.
     */
    issued_at: string;
    /**
     * Time until which the response may be relied on without another check.
     */
    valid_until: string;
    /**
     * Time of the end; absent if it never ends.
     */
    expires_at?: string;
    /**
     * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Alternative: the header x-nonce.
     */
    nonce?: string;
    /**
     * The token for heartbeats and the checkin. Each heartbeat returns a new one: use the newest.
     */
    lease_token?: string;
    /**
     * Time when the seat becomes free without a heartbeat.
     */
    lease_expires_at: string;
    /**
     * `process` if each process of a device takes its seat; absent if the device takes one.
     */
    lease_unit?: LeaseUnit;
    /**
     * The features that the license grants.
     */
    features?: Array<FeatureEntitlement>;
    /**
     * The values of the signed custom fields of the license, by the code of the field; a time as text.
     */
    custom_fields?: SignedCustomFields;
    /**
     * Whether the license covers the version of the app. It only informs and refuses nothing.
     */
    version_eligibility?: VersionEligibility;
};

/**
 * Why the purchase would fail.
 */
export type ForeseenFailure = {
    /**
     * The reason, for programs.
     */
    code: string;
    /**
     * The reason, for people.
     */
    message: string;
};

/**
 * Units of a metered feature that would be given.
 */
export type ForeseenUnits = {
    /**
     * The ID of the feature: `feat_` and 26 characters.
     */
    feature_id: string;
    /**
     * The number of units.
     */
    amount: number;
    /**
     * The owner that they would have.
     */
    to: 'license' | 'customer';
};

/**
 * When apps last used a former code.
 */
export type FormerCodeUse = {
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code: string;
    /**
     * When the product got another code.
     */
    since: string;
    /**
     * Time when an app last sent the code, accurate to a minute. Absent if no app has sent it since.
     */
    last_asked_at?: string;
};

/**
 * Why the units were given: a `purchase`, such as a credit pack; a `gift`; or a `correction`, which has a reason and may take units away.
 */
export type GivenGrantSource = 'purchase' | 'gift' | 'correction';

/**
 * Units of a metered feature that a license has in addition to its quota, such as a credit pack.
 */
export type Grant = {
    /**
     * The ID of the grant: `grant_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The ID of the feature: `feat_` and 26 characters.
     */
    feature_id: string;
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * How many decimal places the amounts of the feature have, up to 6. Amounts, quotas and counts of it are whole numbers of the smallest step everywhere: with 2, an amount of 150 is 1.50. Absent: none.
     */
    decimals?: number;
    /**
     * The number of units; negative for a correction that takes units away.
     */
    amount: number;
    /**
     * How many of them are used.
     */
    used: number;
    /**
     * How many of them are left. 0 once the grant has ended or is revoked, and of a negative correction.
     */
    remaining: number;
    /**
     * The time from which the units can be used.
     */
    starts_at: string;
    /**
     * The time when the grant ends; absent if it does not end.
     */
    expires_at?: string;
    /**
     * Of two grants that end at the same time, the one with the lower priority is used first. The quota itself has 100.
     */
    priority: number;
    /**
     * Why the units were given: a `purchase`, such as a credit pack; a `gift`; or a `correction`, which has a reason and may take units away. A `rollover` has unused units of an earlier period of the quota.
     */
    source: GrantSource;
    /**
     * Your name of the grant, unique in the license.
     */
    reference?: string;
    /**
     * The time of the revocation; absent if the grant is not revoked.
     */
    revoked_at?: string;
    /**
     * Time of the creation.
     */
    created_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type GrantAnswer = {
    /**
     * The requested resource.
     */
    data: Grant;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Units to give to a license. Send either `feature_id` or `feature_code`. A correction requires a `reason`.
 */
export type GrantCreateRequest = {
    /**
     * The ID of the feature. Send either this or `feature_code`.
     */
    feature_id?: string;
    /**
     * The code of the feature. Send either this or `feature_id`.
     */
    feature_code?: string;
    /**
     * The number of units. A correction may take units away: then it is negative.
     */
    amount: number;
    /**
     * The time from which the units can be used. Default: now.
     */
    starts_at?: string;
    /**
     * The time when the grant ends. Default: it does not end; a negative correction ends with the period of the quota, and needs an end without one.
     */
    expires_at?: string;
    /**
     * Of two grants that end at the same time, the one with the lower priority is used first. The quota itself has 100. Default: 100.
     */
    priority?: number;
    /**
     * Why the units were given: a `purchase`, such as a credit pack; a `gift`; or a `correction`, which has a reason and may take units away.
     */
    source?: GivenGrantSource;
    /**
     * Your name of the grant, such as the number of the order. Repeating a request with it returns the grant that is there, so that a repeated webhook grants once.
     */
    reference?: string;
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason?: string;
};

/**
 * A grant of the license, with its remaining units.
 */
export type GrantLeft = {
    /**
     * The ID of the grant. Absent for unused units of an earlier period that are no grant yet.
     */
    grant_id?: string;
    /**
     * How many units of it are left.
     */
    remaining: number;
    /**
     * The time when it ends; absent if it does not end.
     */
    expires_at?: string;
};

/**
 * A page of a list, in `data`.
 */
export type GrantPage = {
    /**
     * The requested resource.
     */
    data: Array<Grant>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Why the units were given: a `purchase`, such as a credit pack; a `gift`; or a `correction`, which has a reason and may take units away. A `rollover` has unused units of an earlier period of the quota.
 */
export type GrantSource = 'purchase' | 'gift' | 'correction' | 'rollover';

/**
 * The response, with the result in `data`.
 */
export type HealthAnswer = {
    /**
     * The requested resource.
     */
    data: HealthData;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The process responds.
 */
export type HealthData = {
    /**
     * Always `ok`: the process responds.
     */
    status: 'ok';
};

/**
 * An invitation, as it is shown to its bearer. Looking at it does not spend it.
 */
export type InvitationShown = {
    /**
     * The name of the invited person.
     */
    person_name: string;
    /**
     * The name of the person who made the invitation; absent if an API key did.
     */
    invited_by?: string;
    /**
     * The names of the roles that the person has.
     */
    roles: Array<string>;
    /**
     * Whether the person can link a passkey, or an account at the identity provider, with it: its maker had `admin`.
     */
    links_account: boolean;
    /**
     * Time when the invitation stops working.
     */
    expires_at: string;
    /**
     * Options to create a passkey by; absent if the invitation cannot add one.
     */
    passkey?: PasskeyCreation;
};

/**
 * The response, with the result in `data`.
 */
export type InvitationShownAnswer = {
    /**
     * The requested resource.
     */
    data: InvitationShown;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * An action on many licenses, done one by one.
 */
export type Job = {
    /**
     * The ID of the job: `job_` and 26 characters.
     */
    id: string;
    /**
     * The action on each license, which is that of the operation on a single license.
     */
    action: LicenseJobAction;
    /**
     * The licenses of a job.
     */
    selection: JobSelection;
    /**
     * The parameters of the action, as they were sent.
     */
    parameters: JobParameters;
    /**
     * The reason that was given.
     */
    reason?: string;
    /**
     * The author of the job. Each license is changed in this name, while the rights last.
     */
    author: Author;
    /**
     * `running`; `done`: every license was tried; `stopped` before its end; `failed`: the author lost the right to it.
     */
    state: JobState;
    /**
     * Why the job ended before its end; absent otherwise.
     */
    failure?: JobFailure;
    /**
     * The job whose failed licenses this one tries again.
     */
    repeats?: string;
    /**
     * The job that tries the failed licenses of this one again.
     */
    repeated_by?: string;
    /**
     * Number of licenses.
     */
    total: number;
    /**
     * Number of licenses that were changed.
     */
    done: number;
    /**
     * Number of licenses that there was nothing to do for.
     */
    skipped: number;
    /**
     * Number of licenses that could not be changed.
     */
    failed: number;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time when the job ended; absent while it runs.
     */
    ended_at?: string;
};

/**
 * The response, with the result in `data`.
 */
export type JobAnswer = {
    /**
     * The requested resource.
     */
    data: Job;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `job.created`.
 */
export type JobCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'job.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'job.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: JobEventData;
};

/**
 * The delivery of `job.done`.
 */
export type JobDoneDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'job.done';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'job.done';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: JobEventData;
};

/**
 * A job, without its selection.
 */
export type JobEventData = {
    /**
     * The ID of the job: `job_` and 26 characters.
     */
    id: string;
    /**
     * The action on each license, which is that of the operation on a single license.
     */
    action: LicenseJobAction;
    /**
     * `running`; `done`: every license was tried; `stopped` before its end; `failed`: the author lost the right to it.
     */
    state: JobState;
    /**
     * Number of licenses.
     */
    total: number;
    /**
     * Number of licenses that were changed.
     */
    done: number;
    /**
     * Number of licenses that there was nothing to do for.
     */
    skipped: number;
    /**
     * Number of licenses that could not be changed.
     */
    failed: number;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time when the job ended; absent while it runs.
     */
    ended_at?: string;
};

/**
 * The delivery of `job.failed`.
 */
export type JobFailedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'job.failed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'job.failed';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: JobEventData;
};

/**
 * Why something was not done.
 */
export type JobFailure = {
    /**
     * The code, as an error has it.
     */
    code: string;
    /**
     * The message, as an error has it.
     */
    message: string;
};

/**
 * Filters of the list of licenses.
 */
export type JobFilter = {
    /**
     * Only licenses of this product.
     */
    product_id?: string;
    /**
     * Only licenses under this policy.
     */
    policy_id?: string;
    /**
     * Only licenses of this customer.
     */
    customer_id?: string;
    /**
     * Only licenses that come from this order.
     */
    order_id?: string;
    /**
     * Only licenses that this subscription pays for.
     */
    subscription_id?: string;
    /**
     * Only licenses of this purchase.
     */
    purchase_id?: string;
    /**
     * Only licenses with this status.
     */
    status?: LicenseStatus;
    /**
     * Only licenses that expire before this time.
     */
    expires_before?: string;
    /**
     * Only licenses that expire after this time.
     */
    expires_after?: string;
    /**
     * Only licenses with this email address, or of a customer with it.
     */
    customer_email?: string;
    /**
     * Only licenses whose key ends with these four characters.
     */
    key_last4?: string;
    /**
     * Only licenses that were used on the device with this fingerprint.
     */
    device_fingerprint?: string;
    /**
     * Only licenses with this tag.
     */
    tag?: string;
    /**
     * Only licenses with a device that has a seat and runs this version of the app; `1.x` is any that begins with `1.`.
     */
    app_version?: string;
    /**
     * Only licenses with a device that has a seat and whose system begins with this text; not case-sensitive.
     */
    os?: string;
    /**
     * A text, as `q` of the list takes it.
     */
    q?: string;
};

/**
 * A reason why licenses would not be changed.
 */
export type JobForeseen = {
    /**
     * The outcome of these licenses.
     */
    outcome: 'skipped' | 'failed';
    /**
     * The code, as an error has it.
     */
    code: string;
    /**
     * The message, as an error has it.
     */
    message: string;
    /**
     * Number of licenses of which this is so.
     */
    licenses: number;
};

/**
 * A page of a list, in `data`.
 */
export type JobPage = {
    /**
     * The requested resource.
     */
    data: Array<Job>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The parameters of a job, as they were sent.
 */
export type JobParameters = {
    /**
     * For `renew`: how far.
     */
    renew?: JobRenewal;
    /**
     * For `change_policy`: the policy, and how to treat devices and features.
     */
    change_policy?: JobPolicyChange;
    /**
     * For `tag` and `untag`: the tags.
     */
    tags?: Array<string>;
};

/**
 * The new policy of each license.
 */
export type JobPolicyChange = {
    /**
     * The policy that the license is under from now on.
     */
    policy_id: string;
    /**
     * Devices, floating seats and users above the new limits: `refuse` the change, the default; `keep` them until they are released; or `reset_newest`, which resets the newest devices, releases the newest floating seats and removes the newest users.
     */
    devices?: 'refuse' | 'keep' | 'reset_newest';
    /**
     * Recorded usage: `keep`, the default, or `restart` from zero.
     */
    counters?: 'keep' | 'restart';
    /**
     * When the license ends: as it does now (`keep`, the default), or as one that is issued now under the new policy (`policy`): by its duration from now, with its subscription, or never.
     */
    expiry?: 'keep' | 'policy';
    /**
     * The overrides of the license: `keep`, the default, or `drop`.
     */
    overrides?: 'keep' | 'drop';
};

/**
 * The foreseen outcome of a job. Each license was tried, and nothing was kept.
 */
export type JobPreview = {
    /**
     * Number of licenses that the selection has now.
     */
    matched: number;
    /**
     * Number of them that were tried: all, or the first 500.
     */
    judged: number;
    /**
     * Number of these that would be changed.
     */
    done: number;
    /**
     * Number of these that there would be nothing to do for.
     */
    skipped: number;
    /**
     * Number of these that could not be changed.
     */
    failed: number;
    /**
     * Number of these that a purchase pays for, where the action changes what a purchase says: each change stays until the purchase says something else about the same thing.
     */
    of_purchases: number;
    /**
     * Why licenses would be skipped or fail, the most frequent first.
     */
    reasons: Array<JobForeseen>;
};

/**
 * How far to extend each license.
 */
export type JobRenewal = {
    /**
     * The new end of each license.
     */
    expires_at?: string;
    /**
     * Days of the UTC calendar. They count from the expiration time if that is in the future, otherwise from now. Send either this or `expires_at`.
     */
    extend_by_days?: number;
    /**
     * Where the extension starts: at the `expiry` of the license, even if it is in the past, or `now`. Default: the expiry if it is in the future, otherwise now.
     */
    renew_from?: 'expiry' | 'now';
};

/**
 * One license of a job.
 */
export type JobRow = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The name of the owner of the license, or of its customer, as it is now.
     */
    owner?: string;
    /**
     * The outcome of one license of a job.
     */
    outcome: JobRowOutcome;
    /**
     * Why the license was skipped or failed.
     */
    failure?: JobFailure;
};

/**
 * The outcome of one license of a job.
 */
export type JobRowOutcome = 'pending' | 'done' | 'skipped' | 'failed';

/**
 * A page of a list, in `data`.
 */
export type JobRowPage = {
    /**
     * The requested resource.
     */
    data: Array<JobRow>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The licenses of a job.
 */
export type JobSelection = {
    /**
     * The IDs of the licenses, if the job was asked for by ID.
     */
    ids?: Array<string>;
    /**
     * The filters that the licenses matched when the job was asked for.
     */
    filter?: JobFilter;
};

/**
 * `running`; `done`: every license was tried; `stopped` before its end; `failed`: the author lost the right to it.
 */
export type JobState = 'running' | 'done' | 'stopped' | 'failed';

/**
 * The delivery of `job.stopped`.
 */
export type JobStoppedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'job.stopped';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'job.stopped';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: JobEventData;
};

/**
 * The keys that verify runtime responses, as a JSON Web Key Set (RFC 7517, RFC 8037).
 */
export type JsonWebKeySet = {
    /**
     * The keys.
     */
    keys: Array<{
        /**
         * The type of the key.
         */
        kty: 'OKP';
        /**
         * The curve.
         */
        crv: 'Ed25519';
        /**
         * The purpose of the key.
         */
        use: 'sig';
        /**
         * The algorithm; always the same.
         */
        alg: 'EdDSA';
        /**
         * The ID of the signing key.
         */
        kid: string;
        /**
         * The public key, base64url.
         */
        x: string;
    }>;
};

/**
 * The list of keys, signed by the keys: `data` in canonical bytes (RFC 8785).
 */
export type KeyEndorsement = {
    /**
     * The list of keys that the keys sign.
     */
    data: EndorsedKeyList;
    /**
     * One of each key of which the service has the private half, the retired and revoked ones too.
     */
    signatures: Array<Signature>;
};

/**
 * The delivery of `lease.checked_in`.
 */
export type LeaseCheckedInDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'lease.checked_in';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'lease.checked_in';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: FloatingLeaseEventData;
};

/**
 * The delivery of `lease.checked_out`.
 */
export type LeaseCheckedOutDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'lease.checked_out';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'lease.checked_out';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: FloatingLeaseEventData;
};

/**
 * The delivery of `lease.expired`.
 */
export type LeaseExpiredDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'lease.expired';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'lease.expired';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: FloatingLeaseEventData;
};

/**
 * `active` is in use. The other values name how the seat ended; `released` means by an operator.
 */
export type LeaseStatus = 'active' | 'checked_in' | 'released' | 'expired' | 'deactivated' | 'reset' | 'blacklisted' | 'transferred' | 'revoked';

/**
 * The unit of one floating seat: a device, or each process on it.
 */
export type LeaseUnit = 'device' | 'process';

/**
 * The right of a customer to use a product under a policy.
 */
export type License = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * Further products that the license covers under its key, in addition to `product_id`.
     */
    product_ids?: Array<string>;
    /**
     * The ID of the policy: `pol_` and 26 characters.
     */
    policy_id: string;
    /**
     * The ID of the customer: `cus_` and 26 characters.
     */
    customer_id?: string;
    /**
     * The ID of the order: `ord_` and 26 characters.
     */
    order_id?: string;
    /**
     * The ID of the subscription: `sub_` and 26 characters.
     */
    subscription_id?: string;
    /**
     * The current status, on the service's clock.
     */
    status: LicenseStatus;
    /**
     * The beginning of the license key, at most eight characters; empty for a key of 12 characters or fewer.
     */
    license_key_prefix: string;
    /**
     * The last four characters of the license key.
     */
    license_key_last4: string;
    /**
     * The email address of the owner, at most 320 characters.
     */
    customer_email?: string;
    /**
     * The name of the owner, at most 255 characters.
     */
    customer_name?: string;
    /**
     * Number of devices that have a seat now.
     */
    active_device_count: number;
    /**
     * How often a device took a seat, in total.
     */
    times_activated: number;
    /**
     * How often the license was transferred to another owner.
     */
    times_transferred: number;
    /**
     * Total usage.
     */
    total_consumptions: number;
    /**
     * Increases with every change of what the license grants.
     */
    entitlement_version: number;
    /**
     * Time from which the license works; absent if it works at once.
     */
    starts_at?: string;
    /**
     * Time when the license expires; absent if it never expires.
     */
    expires_at?: string;
    /**
     * The date from which the terms of the license count, so that a short month does not shorten later ones; absent while they count from the start of the license.
     */
    term_anchor?: string;
    /**
     * Versions released until this time are covered; absent if all versions are. Only for perpetual licenses.
     */
    maintenance_expires_at?: string;
    /**
     * There while the license waits for its first activation, which starts it.
     */
    awaits_activation?: boolean;
    /**
     * Time until which a license that waits for its first activation can be started; absent if there is no limit.
     */
    activate_before?: string;
    /**
     * There while the license follows its subscription.
     */
    follows_subscription?: boolean;
    /**
     * There while the license is suspended because its subscription is paused, by no person.
     */
    suspended_by?: 'subscription';
    /**
     * There while the license has no grace, because its subscription was canceled.
     */
    ends_without_grace?: boolean;
    /**
     * Overrides: rules of this license that replace those of its policy.
     */
    overrides?: LicenseOverrides;
    /**
     * The identity provider at which the users of the license sign in.
     */
    trusted_issuer?: TrustedIssuer;
    /**
     * The effective policy of the license: the current rules of its policy, replaced by its overrides.
     */
    terms?: LicenseTerms;
    /**
     * The names behind the IDs in a license.
     */
    names?: LicenseNames;
    /**
     * The tags of the license; absent if it has none.
     */
    tags?: Array<string>;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * The delivery of `license.activated`.
 */
export type LicenseActivatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.activated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.activated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseEventData;
};

/**
 * The response, with the result in `data`.
 */
export type LicenseAnswer = {
    /**
     * The requested resource.
     */
    data: License;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Everything that happened to a license.
 */
export type LicenseAuditReport = {
    /**
     * Identifies the format of the report. It changes with every incompatible change of the format.
     */
    schema: 'countersign/report/license-audit/v1';
    /**
     * The type of report.
     */
    report_kind: 'license-audit';
    /**
     * The filters as applied, with all defaults.
     */
    filters: {
        /**
         * The license of the report.
         */
        license_id: string;
        /**
         * Start of the window, inclusive.
         */
        from: string;
        /**
         * End of the window, exclusive.
         */
        to: string;
        /**
         * The products in the report, if the API key is limited to products.
         */
        product_ids?: Array<string>;
    };
    /**
     * The totals of the report.
     */
    summary: {
        /**
         * The license.
         */
        license: {
            /**
             * The ID of the license: `lic_` and 26 characters.
             */
            id: string;
            /**
             * The ID of the product: `prod_` and 26 characters.
             */
            product_id: string;
            /**
             * The ID of the customer: `cus_` and 26 characters.
             */
            customer_id?: string;
            /**
             * The ID of the order: `ord_` and 26 characters.
             */
            order_id?: string;
            /**
             * The ID of the subscription: `sub_` and 26 characters.
             */
            subscription_id?: string;
            /**
             * Time of the creation.
             */
            created_at: string;
            /**
             * The ID of the policy: `pol_` and 26 characters.
             */
            policy_id: string;
            /**
             * `grace_period` is after the expiration and still works; `expired` no longer works. `suspended` can be reinstated; `revoked` is permanent.
             */
            status: LicenseStatus;
            /**
             * The beginning of the license key, at most eight characters; empty for a key of 12 characters or fewer.
             */
            license_key_prefix: string;
            /**
             * The last four characters of the license key.
             */
            license_key_last4: string;
            /**
             * Number of devices that have a seat now.
             */
            active_device_count: number;
            /**
             * How often a device took a seat, in total.
             */
            times_activated: number;
            /**
             * How often the license was transferred to another owner.
             */
            times_transferred: number;
            /**
             * Total usage.
             */
            total_consumptions: number;
            /**
             * Time from which the license works; absent if it works at once.
             */
            starts_at?: string;
            /**
             * Time of the end; absent if it never ends.
             */
            expires_at?: string;
        };
        /**
         * Number of activities in the window.
         */
        activities: number;
        /**
         * How often each action occurred with each result in the window.
         */
        actions: Array<{
            /**
             * The action, or what the refused request asked for.
             */
            action: string;
            /**
             * The result.
             */
            result_class: string;
            /**
             * The number of them.
             */
            count: number;
        }>;
        /**
         * The usage of each feature in the window.
         */
        features: Array<{
            /**
             * The code of the feature.
             */
            feature_code: string;
            /**
             * Number of usage events.
             */
            uses: number;
            /**
             * Sum of the usage events; of a feature with a `meter`, by how much they changed what is measured.
             */
            amount: number;
            /**
             * How much of the amount is overage; absent if none is.
             */
            overage?: number;
            /**
             * Time of the first usage event.
             */
            first_at?: string;
            /**
             * Time of the last usage event.
             */
            last_at?: string;
        }>;
    };
    /**
     * The rows.
     */
    rows: Array<{
        /**
         * Time when it happened.
         */
        occurred_at: string;
        /**
         * The action, or what the refused request asked for.
         */
        action: string;
        /**
         * The result.
         */
        result_class: string;
        /**
         * The error code of a refusal.
         */
        code?: string;
        /**
         * The kind of actor.
         */
        actor_type: string;
        /**
         * The actor: the ID of the API key or of the license, or the subject of the person; `system` for the service.
         */
        actor_id: string;
        /**
         * The ID of the device: `dev_` and 26 characters.
         */
        device_id?: string;
        /**
         * The code of the feature.
         */
        feature_code?: string;
        /**
         * Amount used.
         */
        amount?: number;
        /**
         * The ID of the request. Include it when you contact support.
         */
        request_id?: string;
        /**
         * The ID of the activity.
         */
        id: string;
        /**
         * The event of the feed; absent for a refusal.
         */
        audit_event_id?: string;
        /**
         * Why, as the person said who did it.
         */
        reason?: string;
    }>;
    /**
     * Number of rows; an export has them all.
     */
    total_rows: number;
    /**
     * Whether there are more rows than in this response.
     */
    truncated: boolean;
};

/**
 * The response, with the result in `data`.
 */
export type LicenseAuditReportAnswer = {
    /**
     * The requested resource.
     */
    data: LicenseAuditReport;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The balances of a license of a customer, by feature.
 */
export type LicenseBalance = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The status of the license. Only with `active` and `grace_period` the balances can be used.
     */
    status: LicenseStatus;
    /**
     * By the codes of the features. A feature that the license does not have is no entry.
     */
    balances: Array<FeatureBalance>;
};

/**
 * A page of a list, in `data`.
 */
export type LicenseBalancePage = {
    /**
     * The requested resource.
     */
    data: Array<LicenseBalance>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The response, with the result in `data`.
 */
export type LicenseBulkCreateAnswer = {
    /**
     * The requested resource.
     */
    data: LicenseBulkCreateResponse;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Licenses to create in one request.
 */
export type LicenseBulkCreateRequest = {
    /**
     * `all_or_nothing`, the default, refuses the request if any row is invalid and lists every finding. `per_row` creates the valid rows.
     */
    mode?: 'all_or_nothing' | 'per_row';
    /**
     * The fields of LicenseCreateRequest but `customer`. `product_id` and `policy_id` may be in the row or in `defaults`. A field of the row overrides the default. A `license_key` may be in one row only.
     */
    defaults?: LicenseBulkRow;
    /**
     * `true` returns what would happen, but changes and stores nothing. An Idempotency-Key is ignored.
     */
    dry_run?: boolean;
    /**
     * The licenses to create, 1 to 1,000. With `mode: per_row`, an invalid row fails alone.
     */
    licenses: Array<LicenseBulkRow>;
};

/**
 * The result of each row.
 */
export type LicenseBulkCreateResponse = {
    /**
     * How many licenses were created; with `dry_run`, how many would be.
     */
    created: number;
    /**
     * Number of refused rows.
     */
    refused: number;
    /**
     * In the order of the rows; with `dry_run`, the refused ones alone.
     */
    results: Array<LicenseBulkCreated | LicenseBulkRefused>;
};

/**
 * A row whose license was created.
 */
export type LicenseBulkCreated = {
    /**
     * The position of the row in the request, from 0.
     */
    index: number;
    /**
     * The right of a customer to use a product under a policy.
     */
    license: License;
    /**
     * Shown this once; only a keyed hash is stored.
     */
    license_key: string;
};

/**
 * A row that was refused.
 */
export type LicenseBulkRefused = {
    /**
     * The position of the row in the request, from 0.
     */
    index: number;
    /**
     * The error.
     */
    error: {
        /**
         * `NOT_FOUND` if the row refers to something that does not exist, otherwise `VALIDATION_ERROR`. An unknown field is `VALIDATION_ERROR` too, unlike in a single create, where it is `UNKNOWN_FIELD`.
         */
        code: 'VALIDATION_ERROR' | 'NOT_FOUND';
        /**
         * The message for people. The wording may change.
         */
        message: string;
        /**
         * The invalid fields of the row, at most 20. After 1,000 in one response, each further row has only its first one.
         */
        fields: Array<FieldFinding>;
    };
};

/**
 * The fields of LicenseCreateRequest but `customer`. `product_id` and `policy_id` may be in the row or in `defaults`. A field of the row overrides the default. A `license_key` may be in one row only.
 */
export type LicenseBulkRow = {
    /**
     * Further products that the license covers under its key. An app that sends the `product_code` of one is accepted for that product.
     */
    product_ids?: Array<string>;
    /**
     * The ID of the customer.
     */
    customer_id?: string;
    /**
     * The ID of the order.
     */
    order_id?: string;
    /**
     * The ID of the subscription.
     */
    subscription_id?: string;
    /**
     * The email address of the owner, at most 320 characters.
     */
    customer_email?: string;
    /**
     * The name of the owner, at most 255 characters.
     */
    customer_name?: string;
    /**
     * Time from which the license works. Default: at once.
     */
    starts_at?: string;
    /**
     * Time when the license expires, after `starts_at`. Omit for a license that never expires.
     */
    expires_at?: string;
    /**
     * Versions released until this time are covered; absent if all versions are. Only for perpetual licenses.
     */
    maintenance_expires_at?: string;
    /**
     * Time until which a license that starts with its first activation can be started. Default: any time.
     */
    activate_before?: string;
    /**
     * Whether the license follows its subscription. Default: the rule of the policy.
     */
    follows_subscription?: boolean;
    /**
     * Overrides: rules of this license that replace those of its policy. Omitted rules stay as they are; `null` removes one.
     */
    overrides?: LicenseOverridesRequest;
    /**
     * The identity provider at which the users of the license sign in.
     */
    trusted_issuer?: TrustedIssuerRequest;
    /**
     * `suspended` or `revoked` for a license that another system had disabled. Its event follows the one of the creation. Default: `active`.
     */
    status?: 'active' | 'suspended' | 'revoked';
    /**
     * At most 20 tags. One that comes twice counts once.
     */
    tags?: Array<string>;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * The license key, for customers who keep a key from another system: 8 to 1,000 visible ASCII characters, case-sensitive. No license may have or have had it. A key that looks like one of this service, such as one that starts with `CS-`, must be valid. Default: a new key.
     */
    license_key?: string;
    /**
     * The ID of the product.
     */
    product_id?: string;
    /**
     * The ID of the policy.
     */
    policy_id?: string;
};

/**
 * The response, with the result in `data`.
 */
export type LicenseCreateAnswer = {
    /**
     * The requested resource.
     */
    data: LicenseCreateResponse;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A license to issue.
 */
export type LicenseCreateRequest = {
    /**
     * The ID of the product.
     */
    product_id: string;
    /**
     * Further products that the license covers under its key. An app that sends the `product_code` of one is accepted for that product.
     */
    product_ids?: Array<string>;
    /**
     * The ID of the policy.
     */
    policy_id: string;
    /**
     * The ID of the customer.
     */
    customer_id?: string;
    /**
     * Finds or creates the customer in the same write, instead of `customer_id`. Also needs the scope `customer:write`.
     */
    customer?: {
        /**
         * The display name, 1 to 255 characters; at least one of them is visible.
         */
        name: string;
        /**
         * The email address, at most 320 characters; not case-sensitive.
         */
        email: string;
        /**
         * The language of mails to a customer who is created; one who exists keeps theirs.
         */
        language?: MailLanguage;
    };
    /**
     * The ID of the order.
     */
    order_id?: string;
    /**
     * The ID of the subscription.
     */
    subscription_id?: string;
    /**
     * The email address of the owner, at most 320 characters.
     */
    customer_email?: string;
    /**
     * The name of the owner, at most 255 characters.
     */
    customer_name?: string;
    /**
     * Time from which the license works. Default: at once.
     */
    starts_at?: string;
    /**
     * Time when the license expires, after `starts_at`. Omit for a license that never expires.
     */
    expires_at?: string;
    /**
     * Versions released until this time are covered; absent if all versions are. Only for perpetual licenses.
     */
    maintenance_expires_at?: string;
    /**
     * Time until which a license that starts with its first activation can be started. Default: any time.
     */
    activate_before?: string;
    /**
     * Whether the license follows its subscription. Default: the rule of the policy.
     */
    follows_subscription?: boolean;
    /**
     * Overrides: rules of this license that replace those of its policy. Omitted rules stay as they are; `null` removes one.
     */
    overrides?: LicenseOverridesRequest;
    /**
     * The identity provider at which the users of the license sign in.
     */
    trusted_issuer?: TrustedIssuerRequest;
    /**
     * `suspended` or `revoked` for a license that another system had disabled. Its event follows the one of the creation. Default: `active`.
     */
    status?: 'active' | 'suspended' | 'revoked';
    /**
     * At most 20 tags. One that comes twice counts once.
     */
    tags?: Array<string>;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * The license key, for customers who keep a key from another system: 8 to 1,000 visible ASCII characters, case-sensitive. No license may have or have had it. A key that looks like one of this service, such as one that starts with `CS-`, must be valid. Default: a new key.
     */
    license_key?: string;
};

/**
 * A new license with its key, which is shown only this once.
 */
export type LicenseCreateResponse = {
    /**
     * The right of a customer to use a product under a policy.
     */
    license: License;
    /**
     * Shown this once; only a keyed hash is stored.
     */
    license_key: string;
};

/**
 * The delivery of `license.created`.
 */
export type LicenseCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseEventData;
};

/**
 * The delivery of `license.deactivated`.
 */
export type LicenseDeactivatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.deactivated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.deactivated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseEventData;
};

/**
 * The license as the event left it, with the device that took or gave back a seat.
 */
export type LicenseEventData = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * Further products that the license covers under its key, in addition to `product_id`.
     */
    product_ids?: Array<string>;
    /**
     * The ID of the policy: `pol_` and 26 characters.
     */
    policy_id: string;
    /**
     * The ID of the customer: `cus_` and 26 characters.
     */
    customer_id?: string;
    /**
     * The ID of the order: `ord_` and 26 characters.
     */
    order_id?: string;
    /**
     * The ID of the subscription: `sub_` and 26 characters.
     */
    subscription_id?: string;
    /**
     * The current status, on the service's clock.
     */
    status: LicenseStatus;
    /**
     * The beginning of the license key, at most eight characters; empty for a key of 12 characters or fewer.
     */
    license_key_prefix: string;
    /**
     * The last four characters of the license key.
     */
    license_key_last4: string;
    /**
     * The email address of the owner, at most 320 characters.
     */
    customer_email?: string;
    /**
     * The name of the owner, at most 255 characters.
     */
    customer_name?: string;
    /**
     * Number of devices that have a seat now.
     */
    active_device_count: number;
    /**
     * How often a device took a seat, in total.
     */
    times_activated: number;
    /**
     * How often the license was transferred to another owner.
     */
    times_transferred: number;
    /**
     * Total usage.
     */
    total_consumptions: number;
    /**
     * Increases with every change of what the license grants.
     */
    entitlement_version: number;
    /**
     * Time from which the license works; absent if it works at once.
     */
    starts_at?: string;
    /**
     * Time when the license expires; absent if it never expires.
     */
    expires_at?: string;
    /**
     * The date from which the terms of the license count, so that a short month does not shorten later ones; absent while they count from the start of the license.
     */
    term_anchor?: string;
    /**
     * Versions released until this time are covered; absent if all versions are. Only for perpetual licenses.
     */
    maintenance_expires_at?: string;
    /**
     * There while the license waits for its first activation, which starts it.
     */
    awaits_activation?: boolean;
    /**
     * Time until which a license that waits for its first activation can be started; absent if there is no limit.
     */
    activate_before?: string;
    /**
     * There while the license follows its subscription.
     */
    follows_subscription?: boolean;
    /**
     * There while the license is suspended because its subscription is paused, by no person.
     */
    suspended_by?: 'subscription';
    /**
     * There while the license has no grace, because its subscription was canceled.
     */
    ends_without_grace?: boolean;
    /**
     * Overrides: rules of this license that replace those of its policy.
     */
    overrides?: LicenseOverrides;
    /**
     * The identity provider at which the users of the license sign in.
     */
    trusted_issuer?: TrustedIssuer;
    /**
     * The effective policy of the license: the current rules of its policy, replaced by its overrides.
     */
    terms?: LicenseTerms;
    /**
     * The names behind the IDs in a license.
     */
    names?: LicenseNames;
    /**
     * The tags of the license; absent if it has none.
     */
    tags?: Array<string>;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
    /**
     * The custom field value that was set or cleared; absent for other changes.
     */
    custom_field?: CustomFieldValue | ClearedCustomFieldValue;
    /**
     * A machine or a container that a license is bound to.
     */
    device?: Device;
};

/**
 * Events of one license with proofs to one checkpoint.
 */
export type LicenseEvents = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The events, oldest first. Each names the previous event of the license.
     */
    events: Array<ProvenEvent>;
    /**
     * The signed root of the tree over the first events.
     */
    checkpoint: EventCheckpoint;
    /**
     * The `cursor` of the next page; absent on the last one that the checkpoint covers.
     */
    next_cursor?: string;
};

/**
 * The response, with the result in `data`.
 */
export type LicenseEventsAnswer = {
    /**
     * The requested resource.
     */
    data: LicenseEvents;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `license.expired`.
 */
export type LicenseExpiredDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.expired';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.expired';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseEventData;
};

/**
 * The delivery of `license.expiring`.
 */
export type LicenseExpiringDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.expiring';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.expiring';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseEventData;
};

/**
 * A runtime call to judge without making it.
 */
export type LicenseExplainRequest = {
    /**
     * The operation. Default: `validate`.
     */
    operation?: RuntimeOperation;
    /**
     * The device that would call. If omitted, device rules are not checked.
     */
    binding?: RuntimeBindingRequest;
    /**
     * The device whose seat activate would take when none is free.
     */
    take_seat_of?: string;
    /**
     * The process that checkout would be for.
     */
    process_id?: string;
    /**
     * The usage of consume.
     */
    feature_code?: string;
    /**
     * Amount that consume would use. Default: 1.
     */
    amount?: number;
    /**
     * The time to check for. Default: now. For a past time, the state is rebuilt from the event log; for a future time, only the clock moves.
     */
    at?: string;
};

/**
 * The result of a runtime call, and its reasons.
 */
export type LicenseExplanation = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * An operation of the runtime API.
     */
    operation: RuntimeOperation;
    /**
     * The time for which the call was judged.
     */
    at: string;
    /**
     * Where the state comes from: the tables, or the event log as of `at`.
     */
    source: 'current' | 'log';
    /**
     * Whether the call would be granted.
     */
    is_allowed: boolean;
    /**
     * The state of the license at the time `at`.
     */
    status: LicenseStatus;
    /**
     * The rule that refuses the call; absent if it is allowed.
     */
    deciding_rule?: string;
    /**
     * Every finding in order of rank; empty when allowed.
     */
    findings: Array<LicenseFinding>;
    /**
     * The rules that could be checked with the given fields.
     */
    judged: Array<'license' | 'device' | 'feature'>;
    /**
     * As its last event before `at` left it, or as it is.
     */
    license: License;
    /**
     * As it stood.
     */
    policy: Policy;
    /**
     * The effective policy, with the source of each rule.
     */
    terms: LicenseTerms;
    /**
     * A machine or a container that a license is bound to.
     */
    device?: Device;
};

/**
 * The response, with the result in `data`.
 */
export type LicenseExplanationAnswer = {
    /**
     * The requested resource.
     */
    data: LicenseExplanation;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A feature of one license.
 */
export type LicenseFeature = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The ID of the feature: `feat_` and 26 characters.
     */
    feature_id: string;
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * The name of the feature.
     */
    feature_name: string;
    /**
     * Whether the license may use the feature. Default: `true`.
     */
    enabled: boolean;
    /**
     * A value for the app, of the feature's `value_type`: `true` or `false`, a whole number, a text of 1 to 255 printable ASCII characters without <>&"\ and the backtick, or up to 100 such texts.
     */
    value?: FeatureValue;
    /**
     * Whose value it is; there with `value`.
     */
    value_from?: 'policy' | 'license';
    /**
     * How many decimal places the amounts of the feature have, up to 6. Amounts, quotas and counts of it are whole numbers of the smallest step everywhere: with 2, an amount of 150 is 1.50. Absent: none.
     */
    decimals?: number;
    /**
     * The quantity that the quota of the feature limits in its period, or, without one, in all. `sum`: the amounts of the usage events together. `max`: the largest of them, such as a peak of seats. `last`: the latest one, such as the storage in use. `unique`: how many values `meter_dimension` has had, such as active users. Absent: `sum`.
     */
    meter?: 'max' | 'last' | 'unique';
    /**
     * The dimension whose values a `unique` meter counts.
     */
    meter_dimension?: string;
    /**
     * The quota. Without it, usage is counted but not limited.
     */
    max_consumptions?: number;
    /**
     * Credits added to the quota with `add_credits`; included in `max_consumptions`. If the quota has a period, they end with it.
     */
    credits?: number;
    /**
     * When the period began that the credits are for; absent without a period.
     */
    credits_start?: string;
    /**
     * Whose quota the credits are added to; there with `credits`.
     */
    quota_from?: 'policy' | 'license';
    /**
     * How much is left of grants; included in `max_consumptions` and `remaining`.
     */
    granted_remaining?: number;
    /**
     * The time when the next of the grants ends.
     */
    next_grant_expires_at?: string;
    /**
     * How much of the pools of its customer and those above the license may still use; included in the quota and `remaining`.
     */
    pool_remaining?: number;
    /**
     * Unused units of earlier periods that can still be used; included in `granted_remaining`. The next usage event or change of the license lists them as grants.
     */
    carried?: Array<CarriedQuota>;
    /**
     * Total usage.
     */
    total_consumptions: number;
    /**
     * How much of the total usage grants served.
     */
    granted_consumptions?: number;
    /**
     * How much of the quota is left.
     */
    remaining?: number;
    /**
     * The overage: usage above the quota.
     */
    over?: number;
    /**
     * The period after which the quota resets. Without it, the quota never resets.
     */
    period?: QuotaPeriod;
    /**
     * When the period of the quota began.
     */
    period_start?: string;
    /**
     * Usage in that period.
     */
    period_consumptions?: number;
    /**
     * How much of the usage in that period grants served.
     */
    granted_period_consumptions?: number;
    /**
     * The time of the next reset of the quota.
     */
    period_ends_at?: string;
    /**
     * Overage of the quota: `deny`, the default; `allow`; or a limit above the quota, such as `10%`.
     */
    overage?: string;
    /**
     * Thresholds of the license, in place of the policy's. Percentages of the quota.
     */
    quota_thresholds?: Array<number>;
    /**
     * Thresholds of the license, in place of the policy's. Numbers of units left.
     */
    remaining_thresholds?: Array<number>;
    /**
     * The source: the `policy`, or `both` the policy and an assignment. The fields that the assignment sets take precedence.
     */
    from?: 'policy' | 'both';
    /**
     * Time when the feature ends; absent if it lasts as long as the license.
     */
    expires_at?: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
};

/**
 * The response, with the result in `data`.
 */
export type LicenseFeatureAnswer = {
    /**
     * The requested resource.
     */
    data: LicenseFeature;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A feature to assign to a license. If it is assigned already, omitted fields keep their values.
 */
export type LicenseFeatureAssignRequest = {
    /**
     * The ID of the feature.
     */
    feature_id: string;
    /**
     * Whether the license may use the feature. Default: `true`.
     */
    enabled?: boolean;
    /**
     * The value for the app, in place of the policy's, of the feature's `value_type`. `null` removes it, and the policy's applies.
     */
    value?: boolean | number | string | Array<string> | null;
    /**
     * The quota. Without it, usage is counted but not limited.
     */
    max_consumptions?: number;
    /**
     * The period after which the quota resets. Without it, the quota never resets.
     */
    period?: QuotaPeriod;
    /**
     * Overage of the quota: `deny`, the default; `allow`; or a limit above the quota, such as `10%`.
     */
    overage?: string;
    /**
     * Percentages of the quota at which the event `license.quota_threshold` tells, in place of the policy's. `null` removes them, and the policy's apply.
     */
    quota_thresholds?: Array<number> | null;
    /**
     * Numbers of units left at which the event tells, in place of the policy's. `null` removes them, and the policy's apply.
     */
    remaining_thresholds?: Array<number> | null;
    /**
     * Time when the feature ends. `null` removes it, and the end of the policy's feature applies.
     */
    expires_at?: string | null;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * The delivery of `license.feature_assigned`.
 */
export type LicenseFeatureAssignedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.feature_assigned';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.feature_assigned';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseFeature;
};

/**
 * A page of a list, in `data`.
 */
export type LicenseFeaturePage = {
    /**
     * The requested resource.
     */
    data: Array<LicenseFeature>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `license.feature_removed`.
 */
export type LicenseFeatureRemovedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.feature_removed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.feature_removed';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseFeature;
};

/**
 * A correction of one metered feature. Send either `feature_id` or `feature_code`, and at least one change. A new quota is set first, then the credits are added.
 */
export type LicenseFeatureUsageResetRequest = {
    /**
     * The ID of the feature. Send either this or `feature_code`.
     */
    feature_id?: string;
    /**
     * The code of the feature. Send either this or `feature_id`.
     */
    feature_code?: string;
    /**
     * Amount to add to the quota. With a quota period, it counts for the current period only. Send an Idempotency-Key, so that a retry counts once.
     */
    add_credits?: number;
    /**
     * The new quota, set before `add_credits` is added.
     */
    max_consumptions?: number;
    /**
     * The new usage that counts against the quota: of the running period, where the quota has one; the total usage then changes by as much.
     */
    total_consumptions?: number;
    /**
     * `true` sets the usage that counts against the quota to 0: of the running period, where the quota has one. Usage of earlier periods stays in the total.
     */
    reset_consumed?: boolean;
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason?: string;
};

/**
 * A rule that refuses the call.
 */
export type LicenseFinding = {
    /**
     * 1 is the finding that decides.
     */
    rank: number;
    /**
     * The stable name of the rule.
     */
    rule: string;
    /**
     * The error code of the response if this rule decides.
     */
    code: string;
    /**
     * The message for people. The wording may change.
     */
    message: string;
    /**
     * More about this case.
     */
    detail?: string;
    /**
     * The term that decided, and its source.
     */
    term: DecidingTerm;
};

/**
 * The delivery of `license.grace_started`.
 */
export type LicenseGraceStartedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.grace_started';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.grace_started';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseEventData;
};

/**
 * The delivery of `license.grant_given`.
 */
export type LicenseGrantGivenDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.grant_given';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.grant_given';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Grant;
};

/**
 * The delivery of `license.grant_revoked`.
 */
export type LicenseGrantRevokedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.grant_revoked';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.grant_revoked';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Grant;
};

/**
 * The action on each license, which is that of the operation on a single license.
 */
export type LicenseJobAction = 'suspend' | 'reinstate' | 'renew' | 'change_policy' | 'tag' | 'untag' | 'revoke';

/**
 * The response, with the result in `data`.
 */
export type LicenseJobAnswer = {
    /**
     * The requested resource.
     */
    data: LicenseJobResponse;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Filters of the list of licenses. Without any, all licenses match.
 */
export type LicenseJobFilter = {
    /**
     * Only licenses of this product.
     */
    product_id?: string;
    /**
     * Only licenses under this policy.
     */
    policy_id?: string;
    /**
     * Only licenses of this customer.
     */
    customer_id?: string;
    /**
     * Only licenses that come from this order.
     */
    order_id?: string;
    /**
     * Only licenses that this subscription pays for.
     */
    subscription_id?: string;
    /**
     * Only licenses of this purchase.
     */
    purchase_id?: string;
    /**
     * Only licenses with this status.
     */
    status?: LicenseStatus;
    /**
     * Only licenses that expire before this time.
     */
    expires_before?: string;
    /**
     * Only licenses that expire after this time.
     */
    expires_after?: string;
    /**
     * Only licenses with this email address, or of a customer with it.
     */
    customer_email?: string;
    /**
     * Only licenses whose key ends with these four characters.
     */
    key_last4?: string;
    /**
     * Only licenses that were used on the device with this fingerprint.
     */
    device_fingerprint?: string;
    /**
     * Only licenses with this tag.
     */
    tag?: string;
    /**
     * Only licenses with a device that has a seat and runs this version of the app; `1.x` is any that begins with `1.`.
     */
    app_version?: string;
    /**
     * Only licenses with a device that has a seat and whose system begins with this text; not case-sensitive.
     */
    os?: string;
    /**
     * A text, as `q` of the list takes it.
     */
    q?: string;
};

/**
 * The new policy of each license, and how to treat its devices and features.
 */
export type LicenseJobPolicyChange = {
    /**
     * The policy that the license is under from now on.
     */
    policy_id: string;
    /**
     * Devices, floating seats and users above the new limits: `refuse` the change, the default; `keep` them until they are released; or `reset_newest`, which resets the newest devices, releases the newest floating seats and removes the newest users.
     */
    devices?: 'refuse' | 'keep' | 'reset_newest';
    /**
     * Recorded usage: `keep`, the default, or `restart` from zero.
     */
    counters?: 'keep' | 'restart';
    /**
     * When the license ends: as it does now (`keep`, the default), or as one that is issued now under the new policy (`policy`): by its duration from now, with its subscription, or never.
     */
    expiry?: 'keep' | 'policy';
    /**
     * The overrides of the license: `keep`, the default, or `drop`.
     */
    overrides?: 'keep' | 'drop';
};

/**
 * How far to extend each license, as for a single license.
 */
export type LicenseJobRenewal = {
    /**
     * The new expiration time. Send either this or `extend_by_days`.
     */
    expires_at?: string;
    /**
     * Days of the UTC calendar. They count from the expiration time if that is in the future, otherwise from now. Send either this or `expires_at`.
     */
    extend_by_days?: number;
    /**
     * Where the extension starts: at the `expiry` of the license, even if it is in the past, or `now`. Default: the expiry if it is in the future, otherwise now.
     */
    renew_from?: 'expiry' | 'now';
};

/**
 * An action, and the licenses that it is for.
 */
export type LicenseJobRequest = {
    /**
     * The action on each license, which is that of the operation on a single license.
     */
    action: LicenseJobAction;
    /**
     * The licenses of a job: `ids`, or all that match a `filter` now.
     */
    selection: {
        /**
         * The IDs of the licenses, at most 5,000. Send either this or `filter`.
         */
        ids?: Array<string>;
        /**
         * The licenses that match now. The service resolves it when the job is asked for.
         */
        filter?: LicenseJobFilter;
    };
    /**
     * For `renew`: how far. Without it, each license gets a further term of its duration.
     */
    renew?: LicenseJobRenewal;
    /**
     * For `change_policy`: the policy, and how to treat devices and features.
     */
    change_policy?: LicenseJobPolicyChange;
    /**
     * For `tag` and `untag`: the tags.
     */
    tags?: Array<string>;
    /**
     * The number of licenses that a dry run found. If the selection has another number now, it is STATE_CONFLICT.
     */
    expected_total?: number;
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason?: string;
    /**
     * `true` returns what would happen, but changes and stores nothing. An Idempotency-Key is ignored.
     */
    dry_run?: boolean;
};

/**
 * The job, or what it would do.
 */
export type LicenseJobResponse = {
    /**
     * The job; absent for a dry run.
     */
    job?: Job;
    /**
     * The foreseen outcome; only for a dry run.
     */
    preview?: JobPreview;
};

/**
 * The response, with the result in `data`.
 */
export type LicenseKeyRotateAnswer = {
    /**
     * The requested resource.
     */
    data: LicenseKeyRotateResponse;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * How long the previous key continues to work.
 */
export type LicenseKeyRotateRequest = {
    /**
     * How long the previous key continues to work. Default: 1440, a day; 0 disables every older key at once.
     */
    overlap_minutes?: number;
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason?: string;
    /**
     * `true` returns what would happen, but changes and stores nothing. An Idempotency-Key is ignored.
     */
    dry_run?: boolean;
};

/**
 * The license with its new key, which is shown only this once.
 */
export type LicenseKeyRotateResponse = {
    /**
     * The right of a customer to use a product under a policy.
     */
    license: License;
    /**
     * Shown this once; only a keyed hash is stored. Empty in a dry run, which makes no key.
     */
    license_key: string;
    /**
     * Time until which the previous key works.
     */
    previous_key_expires_at: string;
};

/**
 * The delivery of `license.key_rotated`.
 */
export type LicenseKeyRotatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.key_rotated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.key_rotated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseEventData;
};

/**
 * The previous event of a license.
 */
export type LicenseLink = {
    /**
     * The `hash` of that event, 64 hexadecimal digits.
     */
    hash: string;
    /**
     * The `sequence` of that event; 0 before the first one.
     */
    sequence: number;
};

/**
 * The key of the license to find.
 */
export type LicenseLookupRequest = {
    /**
     * As people type and paste it. In a key that this service made, case, spaces and dashes are forgiven, and the sentence or the mail around it.
     */
    license_key: string;
};

/**
 * The names behind the IDs in a license.
 */
export type LicenseNames = {
    /**
     * The name of the product.
     */
    product: string;
    /**
     * The name of the policy.
     */
    policy: string;
    /**
     * The name of the customer, which may differ from the `customer_name` of the license.
     */
    customer?: string;
    /**
     * The ID of the order in the external system.
     */
    order?: string;
    /**
     * The ID of the subscription in the external system.
     */
    subscription?: string;
    /**
     * The ID of the purchase that the license was issued for, or taken over by.
     */
    purchase?: string;
};

/**
 * The delivery of `license.overage_started`.
 */
export type LicenseOverageStartedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.overage_started';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.overage_started';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: OverageStartedEventData;
};

/**
 * Overrides: rules of this license that replace those of its policy.
 */
export type LicenseOverrides = {
    /**
     * Device limit: how many devices may have a seat at the same time. Default: 1; 0 allows none.
     */
    max_activations?: number;
    /**
     * Minutes without a heartbeat after which a floating seat becomes free. Default: 10.
     */
    floating_timeout_minutes?: number;
    /**
     * Days after the expiration in which the license still works. Default: 0.
     */
    grace_period_days?: number;
    /**
     * Minutes that an app should wait between checks. Default: 1440, a day.
     */
    validation_interval_minutes?: number;
    /**
     * Tells apps to send heartbeats; your app enforces it. Default: `false`.
     */
    require_heartbeat?: boolean;
    /**
     * Whether devices may get an envelope for offline use. Default: `true`.
     */
    allow_offline_activation?: boolean;
    /**
     * Offline duration: days for which an envelope for offline use is valid. Default: 30.
     */
    offline_grace_days?: number;
    /**
     * Whether the license may be used in virtual machines. Default: `true`.
     */
    allow_vm?: boolean;
    /**
     * Whether the license may be used in containers. Default: `true`.
     */
    allow_container?: boolean;
    /**
     * How often the license may be transferred to another owner. Default: 3. Setting the first owner, or the same owner again, does not count.
     */
    max_transfers?: number;
    /**
     * How many floating seats may be in use at the same time. Without it, the license has none.
     */
    max_floating_users?: number;
    /**
     * How many containers may have a seat at the same time. Without it, `max_activations` applies.
     */
    max_container_instances?: number;
    /**
     * How long a license works, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` if the request omits it.
     */
    duration?: string;
    /**
     * How long a perpetual license covers new versions. Sets `maintenance_expires_at`.
     */
    maintenance_duration?: string;
    /**
     * Device overage: `deny`, the default; `allow`; or a limit above the device limit, such as `10%`.
     */
    activation_overage?: string;
    /**
     * Floating seat overage: `deny`, the default; `allow`; or a limit above the floating seats, such as `10%`.
     */
    floating_overage?: string;
    /**
     * The unit of one floating seat: a `device`, the default, or each `process` on it, which sends its `process_id`.
     */
    lease_unit?: LeaseUnit;
    /**
     * How many `components` must match: `any`, `most`, `all`, or a number.
     */
    component_match?: 'any' | 'most' | 'all' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8';
    /**
     * Whether the holder of the license key may free the seats of other devices, and in the portal name devices, change the key and invite users.
     */
    self_service?: boolean;
    /**
     * Self-service reset limit: how many seats of other devices may be freed in each `self_service_period`.
     */
    max_self_service_resets?: number;
    /**
     * The period in UTC of the self-service reset limit. Default: `month`.
     */
    self_service_period?: 'day' | 'week' | 'month' | 'year';
    /**
     * Whether the owner of the license may transfer it to another email address in the portal. Default: `false`.
     */
    self_service_transfer?: boolean;
    /**
     * How many days a file for an air-gapped machine is valid. Default: `offline_grace_days`.
     */
    offline_file_days?: number;
    /**
     * Whether the seat of a released device stays taken until its offline files and envelopes have ended. Default: `false`.
     */
    hold_offline_seats?: boolean;
    /**
     * Refund window: how many minutes after a usage event the device that made it may refund it. Without it, apps may not refund.
     */
    refund_window_minutes?: number;
    /**
     * User limit: how many people may have a seat at the same time. Apps then sign people in. Without it, the license has no users.
     */
    max_users?: number;
    /**
     * On how many devices one user may use the license at the same time. Without it, `max_activations` alone limits devices.
     */
    max_devices_per_user?: number;
};

/**
 * Overrides: rules of this license that replace those of its policy. Omitted rules stay as they are; `null` removes one.
 */
export type LicenseOverridesRequest = {
    /**
     * Device limit: how many devices may have a seat at the same time. Default: 1; 0 allows none. `null` clears it.
     */
    max_activations?: number | null;
    /**
     * Minutes without a heartbeat after which a floating seat becomes free. Default: 10. `null` clears it.
     */
    floating_timeout_minutes?: number | null;
    /**
     * Days after the expiration in which the license still works. Default: 0. `null` clears it.
     */
    grace_period_days?: number | null;
    /**
     * Minutes that an app should wait between checks. Default: 1440, a day. `null` clears it.
     */
    validation_interval_minutes?: number | null;
    /**
     * Tells apps to send heartbeats; your app enforces it. Default: `false`. `null` clears it.
     */
    require_heartbeat?: boolean | null;
    /**
     * Whether devices may get an envelope for offline use. Default: `true`. `null` clears it.
     */
    allow_offline_activation?: boolean | null;
    /**
     * Offline duration: days for which an envelope for offline use is valid. Default: 30. `null` clears it.
     */
    offline_grace_days?: number | null;
    /**
     * Whether the license may be used in virtual machines. Default: `true`. `null` clears it.
     */
    allow_vm?: boolean | null;
    /**
     * Whether the license may be used in containers. Default: `true`. `null` clears it.
     */
    allow_container?: boolean | null;
    /**
     * How often the license may be transferred to another owner. Default: 3. Setting the first owner, or the same owner again, does not count. `null` clears it.
     */
    max_transfers?: number | null;
    /**
     * How many floating seats may be in use at the same time. Without it, the license has none. `null` clears it.
     */
    max_floating_users?: number | null;
    /**
     * How many containers may have a seat at the same time. Without it, `max_activations` applies. `null` clears it.
     */
    max_container_instances?: number | null;
    /**
     * How long a license works, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` if the request omits it. `null` clears it.
     */
    duration?: string | null;
    /**
     * How long a perpetual license covers new versions. Sets `maintenance_expires_at`. `null` clears it.
     */
    maintenance_duration?: string | null;
    /**
     * Device overage: `deny`, the default; `allow`; or a limit above the device limit, such as `10%`. `null` clears it.
     */
    activation_overage?: string | null;
    /**
     * Floating seat overage: `deny`, the default; `allow`; or a limit above the floating seats, such as `10%`. `null` clears it.
     */
    floating_overage?: string | null;
    /**
     * The unit of one floating seat: a `device`, the default, or each `process` on it, which sends its `process_id`. `null` clears it.
     */
    lease_unit?: LeaseUnit | null;
    /**
     * How many `components` must match: `any`, `most`, `all`, or a number. `null` clears it.
     */
    component_match?: 'any' | 'most' | 'all' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | null;
    /**
     * Whether the holder of the license key may free the seats of other devices, and in the portal name devices, change the key and invite users. `null` clears it.
     */
    self_service?: boolean | null;
    /**
     * Self-service reset limit: how many seats of other devices may be freed in each `self_service_period`. `null` clears it.
     */
    max_self_service_resets?: number | null;
    /**
     * The period in UTC of the self-service reset limit. Default: `month`. `null` clears it.
     */
    self_service_period?: 'day' | 'week' | 'month' | 'year' | null;
    /**
     * Whether the owner of the license may transfer it to another email address in the portal. Default: `false`. `null` clears it.
     */
    self_service_transfer?: boolean | null;
    /**
     * How many days a file for an air-gapped machine is valid. Default: `offline_grace_days`. `null` clears it.
     */
    offline_file_days?: number | null;
    /**
     * Whether the seat of a released device stays taken until its offline files and envelopes have ended. Default: `false`. `null` clears it.
     */
    hold_offline_seats?: boolean | null;
    /**
     * Refund window: how many minutes after a usage event the device that made it may refund it. Without it, apps may not refund. `null` clears it.
     */
    refund_window_minutes?: number | null;
    /**
     * User limit: how many people may have a seat at the same time. Apps then sign people in. Without it, the license has no users. `null` clears it.
     */
    max_users?: number | null;
    /**
     * On how many devices one user may use the license at the same time. Without it, `max_activations` alone limits devices. `null` clears it.
     */
    max_devices_per_user?: number | null;
};

/**
 * A page of a list, in `data`.
 */
export type LicensePage = {
    /**
     * The requested resource.
     */
    data: Array<License>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The response, with the result in `data`.
 */
export type LicensePolicyChangeAnswer = {
    /**
     * The requested resource.
     */
    data: LicensePolicyChangeResponse;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The new policy of a license, and how to treat its devices and features.
 */
export type LicensePolicyChangeRequest = {
    /**
     * The policy that the license is under from now on.
     */
    policy_id: string;
    /**
     * The order that the license comes from. If it has a subscription, the license takes that over.
     */
    order_id?: string;
    /**
     * The subscription that pays for the license. A license that follows its subscription follows this one at once.
     */
    subscription_id?: string;
    /**
     * Devices, floating seats and users above the new limits: `refuse` the change, the default; `keep` them until they are released; or `reset_newest`, which resets the newest devices, releases the newest floating seats and removes the newest users.
     */
    devices?: 'refuse' | 'keep' | 'reset_newest';
    /**
     * Devices that are reset with the change, so that others stay: at most 1,000. One without a seat is ignored. The seats that are left are judged by `devices`.
     */
    reset_device_ids?: Array<string>;
    /**
     * Recorded usage: `keep`, the default, or `restart` from zero.
     */
    counters?: 'keep' | 'restart';
    /**
     * When the license ends: as it does now (`keep`, the default), or as one that is issued now under the new policy (`policy`): by its duration from now, with its subscription, or never.
     */
    expiry?: 'keep' | 'policy';
    /**
     * The overrides of the license: `keep`, the default, or `drop`.
     */
    overrides?: 'keep' | 'drop';
    /**
     * `true` returns what the change would do, and changes nothing. Default: `false`.
     */
    dry_run?: boolean;
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason?: string;
};

/**
 * The license under its new policy, with all differences.
 */
export type LicensePolicyChangeResponse = {
    /**
     * The right of a customer to use a product under a policy.
     */
    license: License;
    /**
     * All differences: rules, fields of the license, features, counters, then released seats.
     */
    changes: Array<ValueDifference | FeatureDifference | SeatDifference>;
};

/**
 * The delivery of `license.policy_changed`.
 */
export type LicensePolicyChangedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.policy_changed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.policy_changed';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseEventData;
};

/**
 * The delivery of `license.quota_reached`.
 */
export type LicenseQuotaReachedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.quota_reached';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.quota_reached';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: UsageEventData;
};

/**
 * The delivery of `license.quota_threshold`.
 */
export type LicenseQuotaThresholdDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.quota_threshold';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.quota_threshold';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: QuotaThresholdEventData;
};

/**
 * The delivery of `license.reinstated`.
 */
export type LicenseReinstatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.reinstated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.reinstated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseEventData;
};

/**
 * How far to extend the license: either `expires_at` or `extend_by_days`.
 */
export type LicenseRenewRequest = {
    /**
     * The new expiration time. Send either this or `extend_by_days`.
     */
    expires_at?: string;
    /**
     * Days of the UTC calendar. They count from the expiration time if that is in the future, otherwise from now. Send either this or `expires_at`.
     */
    extend_by_days?: number;
    /**
     * The order that paid for the renewal; recorded only in the event.
     */
    order_id?: string;
    /**
     * The subscription that was renewed; recorded only in the event.
     */
    subscription_id?: string;
    /**
     * Where the extension starts: at the `expiry` of the license, even if it is in the past, or `now`. Default: the expiry if it is in the future, otherwise now.
     */
    renew_from?: 'expiry' | 'now';
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason?: string;
};

/**
 * The delivery of `license.renewed`.
 */
export type LicenseRenewedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.renewed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.renewed';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseEventData;
};

/**
 * The delivery of `license.revoked`.
 */
export type LicenseRevokedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.revoked';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.revoked';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseEventData;
};

/**
 * The response, with the result in `data`.
 */
export type LicenseSearchAnswer = {
    /**
     * The requested resource.
     */
    data: LicenseSearchResponse;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The text to search for, and the maximum number of results.
 */
export type LicenseSearchRequest = {
    /**
     * The whole license key, as typed or pasted, or a text for `q` of the list.
     */
    text: string;
    /**
     * Maximum number of licenses in the response. Default: 10.
     */
    limit?: number;
};

/**
 * The licenses that match the text.
 */
export type LicenseSearchResponse = {
    /**
     * The licenses, each with `names`. For a license key, the license that has it or had it.
     */
    licenses: Array<License>;
    /**
     * Whether more licenses match than the response includes.
     */
    has_more: boolean;
};

/**
 * The delivery of `license.started`.
 */
export type LicenseStartedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.started';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.started';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseEventData;
};

/**
 * `grace_period` is after the expiration and still works; `expired` no longer works. `suspended` can be reinstated; `revoked` is permanent.
 */
export type LicenseStatus = 'active' | 'suspended' | 'expired' | 'revoked' | 'grace_period';

/**
 * The delivery of `license.suspended`.
 */
export type LicenseSuspendedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.suspended';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.suspended';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseEventData;
};

/**
 * The effective policy of the license: the current rules of its policy, replaced by its overrides.
 */
export type LicenseTerms = {
    /**
     * Device limit: how many devices may have a seat at the same time. Default: 1; 0 allows none.
     */
    max_activations?: NumberTerm;
    /**
     * How many floating seats may be in use at the same time. Without it, the license has none.
     */
    max_floating_users?: NumberTerm;
    /**
     * How many containers may have a seat at the same time. Without it, `max_activations` applies.
     */
    max_container_instances?: NumberTerm;
    /**
     * Minutes without a heartbeat after which a floating seat becomes free. Default: 10.
     */
    floating_timeout_minutes?: NumberTerm;
    /**
     * Days after the expiration in which the license still works. Default: 0.
     */
    grace_period_days?: NumberTerm;
    /**
     * Minutes that an app should wait between checks. Default: 1440, a day.
     */
    validation_interval_minutes?: NumberTerm;
    /**
     * Tells apps to send heartbeats; your app enforces it. Default: `false`.
     */
    require_heartbeat?: FlagTerm;
    /**
     * Whether devices may get an envelope for offline use. Default: `true`.
     */
    allow_offline_activation?: FlagTerm;
    /**
     * Offline duration: days for which an envelope for offline use is valid. Default: 30.
     */
    offline_grace_days?: NumberTerm;
    /**
     * Whether the license may be used in virtual machines. Default: `true`.
     */
    allow_vm?: FlagTerm;
    /**
     * Whether the license may be used in containers. Default: `true`.
     */
    allow_container?: FlagTerm;
    /**
     * How often the license may be transferred to another owner. Default: 3. Setting the first owner, or the same owner again, does not count.
     */
    max_transfers?: NumberTerm;
    /**
     * How long a license works, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` if the request omits it.
     */
    duration?: TextTerm;
    /**
     * When durations start: at the `creation`, the default, or at the first activation, which starts the license.
     */
    expiry_basis?: TextTerm;
    /**
     * How long a perpetual license covers new versions. Sets `maintenance_expires_at`.
     */
    maintenance_duration?: TextTerm;
    /**
     * Device overage: `deny`, the default; `allow`; or a limit above the device limit, such as `10%`.
     */
    activation_overage?: TextTerm;
    /**
     * Floating seat overage: `deny`, the default; `allow`; or a limit above the floating seats, such as `10%`.
     */
    floating_overage?: TextTerm;
    /**
     * The unit of one floating seat: a `device`, the default, or each `process` on it, which sends its `process_id`.
     */
    lease_unit?: TextTerm;
    /**
     * Whether licenses expire, have a grace period and are suspended together with their subscription.
     */
    follows_subscription?: FlagTerm;
    /**
     * How many `components` must match: `any`, `most`, `all`, or a number.
     */
    component_match?: TextTerm;
    /**
     * Whether the holder of the license key may free the seats of other devices, and in the portal name devices, change the key and invite users.
     */
    self_service?: FlagTerm;
    /**
     * Self-service reset limit: how many seats of other devices may be freed in each `self_service_period`.
     */
    max_self_service_resets?: NumberTerm;
    /**
     * The period in UTC of the self-service reset limit. Default: `month`.
     */
    self_service_period?: TextTerm;
    /**
     * Whether the owner of the license may transfer it to another email address in the portal. Default: `false`.
     */
    self_service_transfer?: FlagTerm;
    /**
     * How many days a file for an air-gapped machine is valid. Default: `offline_grace_days`.
     */
    offline_file_days?: NumberTerm;
    /**
     * Whether the seat of a released device stays taken until its offline files and envelopes have ended. Default: `false`.
     */
    hold_offline_seats?: FlagTerm;
    /**
     * Refund window: how many minutes after a usage event the device that made it may refund it. Without it, apps may not refund.
     */
    refund_window_minutes?: NumberTerm;
    /**
     * User limit: how many people may have a seat at the same time. Apps then sign people in. Without it, the license has no users.
     */
    max_users?: NumberTerm;
    /**
     * On how many devices one user may use the license at the same time. Without it, `max_activations` alone limits devices.
     */
    max_devices_per_user?: NumberTerm;
};

/**
 * The delivery of `license.transfer_canceled`.
 */
export type LicenseTransferCanceledDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.transfer_canceled';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.transfer_canceled';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: TransferCanceledEventData;
};

/**
 * The new owner of the license: at least one field. Omitted fields stay as they are.
 */
export type LicenseTransferRequest = {
    /**
     * The ID of the new owner. The empty string removes the customer from the license.
     */
    customer_id?: string;
    /**
     * The email address of the new owner. The empty string clears it.
     */
    customer_email?: string;
    /**
     * The name of the new owner. The empty string clears it.
     */
    customer_name?: string;
    /**
     * `true` frees every seat. Default: `false`.
     */
    reset_devices?: boolean;
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason?: string;
};

/**
 * The delivery of `license.transfer_requested`.
 */
export type LicenseTransferRequestedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.transfer_requested';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.transfer_requested';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: TransferRequestedEventData;
};

/**
 * The delivery of `license.transferred`.
 */
export type LicenseTransferredDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.transferred';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.transferred';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseEventData;
};

/**
 * Permanent, for a limited time, by subscription, as a trial, or by usage.
 */
export type LicenseType = 'perpetual' | 'time_limited' | 'subscription' | 'trial' | 'consumption';

/**
 * Changes of a license. Omitted fields stay as they are.
 */
export type LicenseUpdateRequest = {
    /**
     * The first customer of a license that has none, which is no transfer. A license of another customer is handed over by `POST /api/v1/licenses/{id}/transfer`.
     */
    customer_id?: string;
    /**
     * The order that the license comes from. If it has a subscription, the license takes that over.
     */
    order_id?: string;
    /**
     * The subscription that pays for the license. A license that follows its subscription follows this one at once.
     */
    subscription_id?: string;
    /**
     * The email address of the owner. The empty string clears it.
     */
    customer_email?: string;
    /**
     * The name of the owner. The empty string clears it.
     */
    customer_name?: string;
    /**
     * The new start time. `null` removes it.
     */
    starts_at?: string | null;
    /**
     * The new expiration time. `null` removes it.
     */
    expires_at?: string | null;
    /**
     * The new end of maintenance. `null` removes it.
     */
    maintenance_expires_at?: string | null;
    /**
     * Further products that the license covers under its key. An app that sends the `product_code` of one is accepted for that product.
     */
    product_ids?: Array<string> | null;
    /**
     * Whether the license follows its subscription. With `true`, it takes over the state of the subscription at once.
     */
    follows_subscription?: boolean;
    /**
     * Changes of the overrides of the license. `null` removes all of them.
     */
    overrides?: LicenseOverridesRequest | null;
    /**
     * The identity provider at which the users of the license sign in.
     */
    trusted_issuer?: TrustedIssuerRequest | null;
    /**
     * Users whose accounts are at an issuer that `trusted_issuer` replaces. `by_verified_address`, the default: each keeps the seat, and the first account with the user's address, verified, is the user's; who has no address loses the seat. `end`: all of them lose their seats. `dry_run` says whom it concerns, as warnings.
     */
    carry_users?: 'by_verified_address' | 'end';
    /**
     * The tags from now on, all of them. `null` or an empty list removes them.
     */
    tags?: Array<string> | null;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * `true` returns what would happen, but changes and stores nothing. An Idempotency-Key is ignored.
     */
    dry_run?: boolean;
};

/**
 * The delivery of `license.updated`.
 */
export type LicenseUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseEventData;
};

/**
 * The delivery of `license.usage_recorded`.
 */
export type LicenseUsageRecordedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.usage_recorded';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.usage_recorded';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: UsageEventData;
};

/**
 * The delivery of `license.usage_reset`.
 */
export type LicenseUsageResetDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.usage_reset';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.usage_reset';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseFeature;
};

/**
 * A person who uses a license, or is invited to.
 */
export type LicenseUser = {
    /**
     * The ID of the user: `usr_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * `invited` has not signed in yet and holds no seat. `active` has a seat. `removed` has lost it, or the invitation.
     */
    status: LicenseUserStatus;
    /**
     * The email address that was invited, in lower case, or that the identity provider verified.
     */
    email?: string;
    /**
     * The user's name.
     */
    name?: string;
    /**
     * The identity provider of the account.
     */
    issuer?: string;
    /**
     * The account at the identity provider.
     */
    subject?: string;
    /**
     * Why a user is removed: by management (`removed`), which only a new invitation lifts; by a change of policy to fewer users (`reduced`); because the license was transferred (`transferred`); or because its customer or the user was erased (`erased`).
     */
    removed_because?: LicenseUserRemoval;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * The time of the first sign-in, which took the seat.
     */
    joined_at?: string;
    /**
     * The time of the last sign-in.
     */
    last_seen_at?: string;
    /**
     * The time when the user was removed.
     */
    removed_at?: string;
};

/**
 * The response, with the result in `data`.
 */
export type LicenseUserAnswer = {
    /**
     * The requested resource.
     */
    data: LicenseUser;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `license.user_device_changed`.
 */
export type LicenseUserDeviceChangedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.user_device_changed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.user_device_changed';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseUserDeviceEventData;
};

/**
 * The user who activated a device, or took a floating seat on it, and was not the last one to do so.
 */
export type LicenseUserDeviceEventData = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The user whose device it is from now on.
     */
    user_id: string;
    /**
     * The device.
     */
    device_id: string;
};

/**
 * The result of the erasure of a user.
 */
export type LicenseUserErasure = {
    /**
     * A person who uses a license, or is invited to.
     */
    user: LicenseUser;
    /**
     * Events that lost their personal values; their hashes, and every proof of them, stay as they are.
     */
    events: number;
    /**
     * Exports that contained a reason that was erased. They have expired; their digests remain.
     */
    exports: number;
    /**
     * Devices of the user that lost their name, hostname or network address.
     */
    devices: number;
    /**
     * Activities that lost the reason that was given.
     */
    reasons: number;
};

/**
 * The response, with the result in `data`.
 */
export type LicenseUserErasureAnswer = {
    /**
     * The requested resource.
     */
    data: LicenseUserErasure;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Whether the invitation is mailed to its address. Default: `mail` where `mails` of the policy names `user_invited`, else `none`.
 */
export type LicenseUserInviteDelivery = 'mail' | 'none';

/**
 * A person to invite: by an email address, or by the issuer and the subject of an account.
 */
export type LicenseUserInviteRequest = {
    /**
     * The email address of the person. The first account with this address, verified, takes it up.
     */
    email?: string;
    /**
     * The identity provider of the account. Needs `subject`.
     */
    issuer?: string;
    /**
     * The account at the identity provider. Needs `issuer`.
     */
    subject?: string;
    /**
     * The user's name.
     */
    name?: string;
    /**
     * Whether the invitation is mailed to its address. Default: `mail` where `mails` of the policy names `user_invited`, else `none`.
     */
    delivery?: LicenseUserInviteDelivery;
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason?: string;
};

/**
 * The delivery of `license.user_invited`.
 */
export type LicenseUserInvitedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.user_invited';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.user_invited';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseUser;
};

/**
 * The delivery of `license.user_joined`.
 */
export type LicenseUserJoinedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.user_joined';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.user_joined';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseUser;
};

/**
 * A page of a list, in `data`.
 */
export type LicenseUserPage = {
    /**
     * The requested resource.
     */
    data: Array<LicenseUser>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Why a user is removed: by management (`removed`), which only a new invitation lifts; by a change of policy to fewer users (`reduced`); because the license was transferred (`transferred`); or because its customer or the user was erased (`erased`).
 */
export type LicenseUserRemoval = 'removed' | 'reduced' | 'transferred' | 'erased';

/**
 * The delivery of `license.user_removed`.
 */
export type LicenseUserRemovedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'license.user_removed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.user_removed';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LicenseUser;
};

/**
 * `invited` has not signed in yet and holds no seat. `active` has a seat. `removed` has lost it, or the invitation.
 */
export type LicenseUserStatus = 'invited' | 'active' | 'removed';

/**
 * A named filter, order and choice of columns of the list of licenses.
 */
export type LicenseView = {
    /**
     * The ID of the saved view: `view_` and 26 characters.
     */
    id: string;
    /**
     * The name of the view, up to 60 characters; at least one of them is visible.
     */
    name: string;
    /**
     * The filters of the list.
     */
    filter: JobFilter;
    /**
     * Only licenses that expire within so many days from when the view is opened; with it, the filter has no time of expiry.
     */
    expires_within_days?: number;
    /**
     * The order, as the list takes it. Default: newest first.
     */
    order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc' | 'expires_asc' | 'expires_desc' | 'owner_asc' | 'owner_desc' | 'product_asc' | 'product_desc';
    /**
     * The columns, by the names that the caller has for them, at most 20. Default: those of the caller.
     */
    columns?: Array<string>;
    /**
     * Whether all callers see the view, or only its author.
     */
    is_shared: boolean;
    /**
     * Whether the caller saved the view, and may change it.
     */
    is_own: boolean;
    /**
     * The author was removed, revoked, or has expired: callers with `license:write` may change or delete the view.
     */
    is_left?: true;
    /**
     * The author of the view.
     */
    author: Author;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type LicenseViewAnswer = {
    /**
     * The requested resource.
     */
    data: LicenseView;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A page of a list, in `data`.
 */
export type LicenseViewPage = {
    /**
     * The requested resource.
     */
    data: Array<LicenseView>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A view of the list of licenses.
 */
export type LicenseViewRequest = {
    /**
     * The name of the view, up to 60 characters; at least one of them is visible.
     */
    name: string;
    /**
     * The filters of the list. Default: none, so that all licenses match.
     */
    filter?: LicenseJobFilter;
    /**
     * Only licenses that expire within so many days from when the view is opened; with it, the filter has no time of expiry.
     */
    expires_within_days?: number;
    /**
     * The order, as the list takes it. Default: newest first.
     */
    order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc' | 'expires_asc' | 'expires_desc' | 'owner_asc' | 'owner_desc' | 'product_asc' | 'product_desc';
    /**
     * The columns, by the names that the caller has for them, at most 20. Default: those of the caller.
     */
    columns?: Array<string>;
    /**
     * Whether all callers see the view, which also needs `license:write`. Default: `false`.
     */
    is_shared?: boolean;
};

/**
 * The licenses that match filters, as they are now.
 */
export type LicensesReport = {
    /**
     * Identifies the format of the report. It changes with every incompatible change of the format.
     */
    schema: 'countersign/report/licenses/v1';
    /**
     * The type of report.
     */
    report_kind: 'licenses';
    /**
     * The filters as applied, with all defaults.
     */
    filters: {
        /**
         * Only what belongs to this product.
         */
        product_id?: string;
        /**
         * Only what belongs to this policy.
         */
        policy_id?: string;
        /**
         * Only what belongs to this customer.
         */
        customer_id?: string;
        /**
         * Only what belongs to this order.
         */
        order_id?: string;
        /**
         * Only what belongs to this subscription.
         */
        subscription_id?: string;
        /**
         * Only licenses with this status.
         */
        status?: LicenseStatus;
        /**
         * Only licenses that expire before this time.
         */
        expires_before?: string;
        /**
         * Only licenses that expire after this time.
         */
        expires_after?: string;
        /**
         * Only licenses with this tag.
         */
        tag?: string;
        /**
         * Only licenses with a device that has a seat and runs this version of the app; `1.x` is any that begins with `1.`.
         */
        app_version?: string;
        /**
         * Only licenses with a device that has a seat and whose system begins with this text; not case-sensitive.
         */
        os?: string;
        /**
         * The order of the rows, as the list of licenses takes it. Default: newest first.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc' | 'expires_asc' | 'expires_desc' | 'owner_asc' | 'owner_desc' | 'product_asc' | 'product_desc';
        /**
         * The products in the report, if the API key is limited to products.
         */
        product_ids?: Array<string>;
    };
    /**
     * The totals of the report.
     */
    summary: {
        /**
         * Number of licenses.
         */
        licenses: number;
        /**
         * Number of licenses with each status.
         */
        statuses: Array<{
            /**
             * `grace_period` is after the expiration and still works; `expired` no longer works. `suspended` can be reinstated; `revoked` is permanent.
             */
            status: LicenseStatus;
            /**
             * The number of them.
             */
            count: number;
        }>;
    };
    /**
     * The rows.
     */
    rows: Array<{
        /**
         * The ID of the license: `lic_` and 26 characters.
         */
        id: string;
        /**
         * `grace_period` is after the expiration and still works; `expired` no longer works. `suspended` can be reinstated; `revoked` is permanent.
         */
        status: LicenseStatus;
        /**
         * The name of the owner: that of the license, or else of its customer.
         */
        owner?: string;
        /**
         * The email address of the license.
         */
        email?: string;
        /**
         * The name of the product.
         */
        product_name: string;
        /**
         * The name of the policy.
         */
        policy_name: string;
        /**
         * The beginning and the end of the license key.
         */
        key: string;
        /**
         * Time when the license was issued.
         */
        issued_at: string;
        /**
         * Time when the license expires; absent if it never expires.
         */
        expires_at?: string;
        /**
         * Number of devices that have a seat.
         */
        active_device_count: number;
        /**
         * The tags, separated by commas.
         */
        tags?: string;
        /**
         * The ID of the customer: `cus_` and 26 characters.
         */
        customer_id?: string;
    }>;
    /**
     * Number of rows; an export has them all.
     */
    total_rows: number;
    /**
     * Whether there are more rows than in this response.
     */
    truncated: boolean;
};

/**
 * The response, with the result in `data`.
 */
export type LicensesReportAnswer = {
    /**
     * The requested resource.
     */
    data: LicensesReport;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `log.dropped`.
 */
export type LogDroppedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'log.dropped';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'log.dropped';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LogDroppedEventData;
};

/**
 * The oldest events were archived and dropped.
 */
export type LogDroppedEventData = {
    /**
     * The `sequence` of the last event that was archived and dropped.
     */
    dropped_sequence: number;
    /**
     * The `hash` of the last dropped event.
     */
    dropped_hash: string;
    /**
     * The signed root of the tree over the first events.
     */
    checkpoint: EventCheckpoint;
};

/**
 * An epoch of the event log. The first one has only its origin.
 */
export type LogEpoch = {
    /**
     * The epoch of the log: 1 until the log was restored to an earlier state.
     */
    epoch: number;
    /**
     * The first line of its checkpoints.
     */
    origin: string;
    /**
     * The sequence number of the first event of the epoch.
     */
    first_sequence: number;
    /**
     * Of the epoch that the log was restored to.
     */
    previous_origin?: string;
    /**
     * The last event that was restored: what the epoch before had after it is lost.
     */
    restored_sequence?: number;
    /**
     * The `hash` of that event; zeros without one.
     */
    restored_hash?: string;
    /**
     * The reason.
     */
    reason?: string;
    /**
     * The state of the log that the witness knew. Events of it that are not in the log are lost.
     */
    witness?: LogWitnessed;
    /**
     * Start time of the epoch.
     */
    started_at?: string;
};

/**
 * A whole list, in `data`.
 */
export type LogEpochList = {
    /**
     * The requested resource.
     */
    data: Array<LogEpoch>;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `log.epoch_started`.
 */
export type LogEpochStartedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'log.epoch_started';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'log.epoch_started';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: EpochStartedEventData;
};

/**
 * The previous key, which also signs the first checkpoint that covers this event.
 */
export type LogKeyBefore = {
    /**
     * The ID of the signing key.
     */
    kid: string;
    /**
     * The key for checkpoints of this log, as tools for signed notes and witnesses take it (C2SP signed-note, vkey).
     */
    verifier_key: string;
};

/**
 * The delivery of `log.key_introduced`.
 */
export type LogKeyIntroducedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'log.key_introduced';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'log.key_introduced';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: LogKeyIntroducedEventData;
};

/**
 * A key that signs the checkpoints of the log from now on, introduced by the previous key.
 */
export type LogKeyIntroducedEventData = {
    /**
     * The log, as the first line of its checkpoints names it.
     */
    origin: string;
    /**
     * The ID of the signing key.
     */
    kid: string;
    /**
     * The key for checkpoints of this log, as tools for signed notes and witnesses take it (C2SP signed-note, vkey).
     */
    verifier_key: string;
    /**
     * The previous key.
     */
    introduced_by: LogKeyBefore;
};

/**
 * The state of the log that the witness knew.
 */
export type LogWitnessed = {
    /**
     * The name of the log: the first line of its checkpoints.
     */
    origin: string;
    /**
     * The minimum number of events that the log had.
     */
    tree_size: number;
    /**
     * 64 hexadecimal digits.
     */
    root_hash: string;
};

/**
 * The delivery of `mail.failed`.
 */
export type MailFailedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'mail.failed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'mail.failed';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: MailFailedEventData;
};

/**
 * A mail to the owner of a license was not sent, and is not tried again.
 */
export type MailFailedEventData = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The occasion of a mail to a customer: one that a policy switches on, or `portal_link`, by which a customer who asked for it, or whom you sent it to, signs in to the portal. By `user_sign_in` a user of a license signs in to an app. `license_transfer` offers a license to the address that its owner named in the portal. `license_continued` says that a license continues in the place of a new one whose key was mailed before, and no longer works.
     */
    kind: MailKind;
    /**
     * The address of the recipient; absent in `license_transfer`, whose recipient is no customer yet, in a mail to who owned the license before, and once it was erased.
     */
    recipient?: string;
    /**
     * Number of attempts to send the mail.
     */
    attempts: number;
    /**
     * The last reply of the mail server; absent where `recipient` is, and without one.
     */
    reply?: string;
    /**
     * `refused`: the mail server permanently refused the address or the mail. `gave_up`: no attempt of three days succeeded. `bounced`, `opted_out`, `suppressed`: the address is suppressed, because the mailbox was refused before, because the recipient takes no notices, or by hand; nothing was sent. `recipient_changed`, `key_changed`, `license_ended`: the license got another address or another key, or was revoked or suspended, before the mail was sent. `outdated`: what the mail was to say no longer holds, such as the expiry of a license that was renewed, or a link that is over.
     */
    reason: MailFailure;
};

/**
 * `refused`: the mail server permanently refused the address or the mail. `gave_up`: no attempt of three days succeeded. `bounced`, `opted_out`, `suppressed`: the address is suppressed, because the mailbox was refused before, because the recipient takes no notices, or by hand; nothing was sent. `recipient_changed`, `key_changed`, `license_ended`: the license got another address or another key, or was revoked or suspended, before the mail was sent. `outdated`: what the mail was to say no longer holds, such as the expiry of a license that was renewed, or a link that is over.
 */
export type MailFailure = 'refused' | 'gave_up' | 'bounced' | 'opted_out' | 'suppressed' | 'recipient_changed' | 'key_changed' | 'license_ended' | 'outdated';

/**
 * The occasion of a mail to a customer: one that a policy switches on, or `portal_link`, by which a customer who asked for it, or whom you sent it to, signs in to the portal. By `user_sign_in` a user of a license signs in to an app. `license_transfer` offers a license to the address that its owner named in the portal. `license_continued` says that a license continues in the place of a new one whose key was mailed before, and no longer works.
 */
export type MailKind = 'license_issued' | 'key_changed' | 'license_expiring' | 'license_expired' | 'quota_threshold' | 'device_added' | 'payment_failed' | 'user_invited' | 'portal_link' | 'user_sign_in' | 'license_transfer' | 'license_continued';

/**
 * A kind of mail, and the variables of its templates.
 */
export type MailKindSummary = {
    /**
     * The occasion of a mail to a customer: one that a policy switches on, or `portal_link`, by which a customer who asked for it, or whom you sent it to, signs in to the portal. By `user_sign_in` a user of a license signs in to an app. `license_transfer` offers a license to the address that its owner named in the portal. `license_continued` says that a license continues in the place of a new one whose key was mailed before, and no longer works.
     */
    kind: MailKind;
    /**
     * The variables of its templates.
     */
    variables: Array<MailVariable>;
    /**
     * The languages with a template of the vendor.
     */
    own_languages: Array<MailLanguage>;
};

/**
 * A whole list, in `data`.
 */
export type MailKindSummaryList = {
    /**
     * The requested resource.
     */
    data: Array<MailKindSummary>;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A language in which mails to customers are written: English (`en`), German (`de`), French (`fr`), Spanish (`es`) or Japanese (`ja`).
 */
export type MailLanguage = 'en' | 'de' | 'fr' | 'es' | 'ja';

/**
 * A mail as it would be. Of a license key it shows the last characters at most.
 */
export type MailPreview = {
    /**
     * The subject.
     */
    subject: string;
    /**
     * The mail as text.
     */
    text: string;
    /**
     * The mail as HTML: a whole document, without scripts.
     */
    html: string;
};

/**
 * The response, with the result in `data`.
 */
export type MailPreviewAnswer = {
    /**
     * The requested resource.
     */
    data: MailPreview;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A template that is tried, and nothing is stored.
 */
export type MailPreviewRequest = {
    /**
     * A subject to try. Omitted: as the template is.
     */
    subject?: string;
    /**
     * A body to try. Omitted: as the template is.
     */
    body?: string;
    /**
     * The license that it is about. Omitted: samples.
     */
    license_id?: string;
};

/**
 * A refusal of the mail server that is about your server, sender or domain, and not about a mailbox.
 */
export type MailRefusal = {
    /**
     * How many mails wait for it to be mended.
     */
    queued: number;
    /**
     * The last reply to one of them.
     */
    last_reply: string;
};

/**
 * The outcome of a sample.
 */
export type MailSample = {
    /**
     * The address of the caller.
     */
    recipient: string;
    /**
     * Whether the mail server took it.
     */
    is_accepted: boolean;
    /**
     * The reply of the mail server, or what went wrong.
     */
    reply: string;
};

/**
 * The response, with the result in `data`.
 */
export type MailSampleAnswer = {
    /**
     * The requested resource.
     */
    data: MailSample;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A template that is tried in a mail to the caller.
 */
export type MailSampleRequest = {
    /**
     * A subject to try. Omitted: as the template is.
     */
    subject?: string;
    /**
     * A body to try. Omitted: as the template is.
     */
    body?: string;
};

/**
 * The delivery of `mail.sent`.
 */
export type MailSentDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'mail.sent';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'mail.sent';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: MailSentEventData;
};

/**
 * A mail server accepted a mail to the owner of a license. The event does not have its text.
 */
export type MailSentEventData = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The occasion of a mail to a customer: one that a policy switches on, or `portal_link`, by which a customer who asked for it, or whom you sent it to, signs in to the portal. By `user_sign_in` a user of a license signs in to an app. `license_transfer` offers a license to the address that its owner named in the portal. `license_continued` says that a license continues in the place of a new one whose key was mailed before, and no longer works.
     */
    kind: MailKind;
    /**
     * The address of the recipient; absent in `license_transfer`, whose recipient is no customer yet, in a mail to who owned the license before, and once it was erased.
     */
    recipient?: string;
    /**
     * Number of attempts to send the mail.
     */
    attempts: number;
    /**
     * The last reply of the mail server; absent where `recipient` is, and without one.
     */
    reply?: string;
};

/**
 * How mails to customers are sent. It is read from the environment of the process, and changed there.
 */
export type MailSettings = {
    /**
     * Whether mails are sent: `COUNTERSIGN_SMTP_URL` is set, and in the test environment `COUNTERSIGN_MAIL_TEST_ADDRESSES`. Without it no mail is queued.
     */
    is_configured: boolean;
    /**
     * Whether the portal of this environment is on: `COUNTERSIGN_PORTAL` is set, and it is the live one. With mails, customers get links into it.
     */
    is_portal_on: boolean;
    /**
     * The sender: `COUNTERSIGN_MAIL_FROM`.
     */
    from?: string;
    /**
     * The only addresses that get mails of this environment: `COUNTERSIGN_MAIL_TEST_ADDRESSES`. Absent in the live environment.
     */
    only_to?: Array<string>;
    /**
     * Mails that were not sent yet.
     */
    queued: number;
    /**
     * When the oldest of them was queued.
     */
    oldest_queued_at?: string;
    /**
     * The last reply about one of them, or what went wrong.
     */
    last_reply?: string;
    /**
     * Present while mails wait because the mail server refuses you: they are sent once it is mended, within three days.
     */
    refused?: MailRefusal;
};

/**
 * The response, with the result in `data`.
 */
export type MailSettingsAnswer = {
    /**
     * The requested resource.
     */
    data: MailSettings;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * An address that gets no mails, or no notices.
 */
export type MailSuppression = {
    /**
     * The ID of the suppression: `sup_` and 26 characters.
     */
    id: string;
    /**
     * `bounced`: a mail server permanently refused the mailbox. `opted_out`: the recipient takes no notices. `by_hand`: the vendor sends nothing there.
     */
    reason: MailSuppressionReason;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * The address; absent once its customer was erased, and where it was changed before its owner unsubscribed. It stays suppressed by a keyed digest.
     */
    address?: string;
    /**
     * The reply of the mail server; absent without one, or once it was erased.
     */
    reply?: string;
    /**
     * The author of a suppression.
     */
    created_by: MailSuppressionAuthor;
    /**
     * The mails that are not sent.
     */
    covers: MailSuppressionCoverage;
};

/**
 * The response, with the result in `data`.
 */
export type MailSuppressionAnswer = {
    /**
     * The requested resource.
     */
    data: MailSuppression;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The author of a suppression.
 */
export type MailSuppressionAuthor = {
    /**
     * Whether an API key, the customer, a person or the service did it.
     */
    type: 'api_key' | 'customer' | 'person' | 'system';
    /**
     * The ID of the API key, customer or person; of a license without a customer, its ID.
     */
    id: string;
};

/**
 * The reach of a suppression. `everything`: no mail is sent. `notices`: no notice is. A mail that its recipient asks for, such as one with a license key, is no notice.
 */
export type MailSuppressionCoverage = 'everything' | 'notices';

/**
 * An address that is to get no mails, or no notices.
 */
export type MailSuppressionCreateRequest = {
    /**
     * The address, at most 320 characters; not case-sensitive.
     */
    address: string;
    /**
     * Default: `by_hand`. The others are for lists that are brought along.
     */
    reason?: MailSuppressionReason;
};

/**
 * The delivery of `mail_suppression.created`.
 */
export type MailSuppressionCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'mail_suppression.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'mail_suppression.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: MailSuppressionEventData;
};

/**
 * A suppression. The event does not have the address: GET /api/v1/settings/mail/suppressions/{id} tells it.
 */
export type MailSuppressionEventData = {
    /**
     * The ID of the suppression: `sup_` and 26 characters.
     */
    id: string;
    /**
     * `bounced`: a mail server permanently refused the mailbox. `opted_out`: the recipient takes no notices. `by_hand`: the vendor sends nothing there.
     */
    reason: MailSuppressionReason;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * The mails that are not sent.
     */
    covers: MailSuppressionCoverage;
};

/**
 * The delivery of `mail_suppression.lifted`.
 */
export type MailSuppressionLiftedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'mail_suppression.lifted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'mail_suppression.lifted';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: MailSuppressionEventData;
};

/**
 * A page of a list, in `data`.
 */
export type MailSuppressionPage = {
    /**
     * The requested resource.
     */
    data: Array<MailSuppression>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * `bounced`: a mail server permanently refused the mailbox. `opted_out`: the recipient takes no notices. `by_hand`: the vendor sends nothing there.
 */
export type MailSuppressionReason = 'bounced' | 'opted_out' | 'by_hand';

/**
 * The template of a kind of mail in a language.
 */
export type MailTemplate = {
    /**
     * The occasion of a mail to a customer: one that a policy switches on, or `portal_link`, by which a customer who asked for it, or whom you sent it to, signs in to the portal. By `user_sign_in` a user of a license signs in to an app. `license_transfer` offers a license to the address that its owner named in the portal. `license_continued` says that a license continues in the place of a new one whose key was mailed before, and no longer works.
     */
    kind: MailKind;
    /**
     * A language in which mails to customers are written: English (`en`), German (`de`), French (`fr`), Spanish (`es`) or Japanese (`ja`).
     */
    language: MailLanguage;
    /**
     * The subject, in Liquid: one line, at most 200 characters.
     */
    subject: string;
    /**
     * The body, in Liquid, of paragraphs with empty lines between them: at most 8,000 characters. Text and HTML are made from it. Bold words, code, links and lists are written as in Markdown.
     */
    body: string;
    /**
     * Whether it is the vendor's own. Otherwise it is the one that ships.
     */
    is_own: boolean;
    /**
     * When the vendor's own template was last changed.
     */
    updated_at?: string;
};

/**
 * The response, with the result in `data`.
 */
export type MailTemplateAnswer = {
    /**
     * The requested resource.
     */
    data: MailTemplate;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The vendor's own template of a kind of mail in a language, as the event left it.
 */
export type MailTemplateEventData = {
    /**
     * The occasion of a mail to a customer: one that a policy switches on, or `portal_link`, by which a customer who asked for it, or whom you sent it to, signs in to the portal. By `user_sign_in` a user of a license signs in to an app. `license_transfer` offers a license to the address that its owner named in the portal. `license_continued` says that a license continues in the place of a new one whose key was mailed before, and no longer works.
     */
    kind: MailKind;
    /**
     * A language in which mails to customers are written: English (`en`), German (`de`), French (`fr`), Spanish (`es`) or Japanese (`ja`).
     */
    language: MailLanguage;
    /**
     * The subject; absent where the template that ships is used again.
     */
    subject?: string;
    /**
     * The body; absent where the template that ships is used again.
     */
    body?: string;
    /**
     * Time of the change.
     */
    updated_at?: string;
};

/**
 * The vendor's own template. It has to render with every set of samples.
 */
export type MailTemplatePutRequest = {
    /**
     * The subject, in Liquid: one line, at most 200 characters.
     */
    subject: string;
    /**
     * The body, in Liquid, of paragraphs with empty lines between them: at most 8,000 characters. Text and HTML are made from it. Bold words, code, links and lists are written as in Markdown.
     */
    body: string;
};

/**
 * The delivery of `mail_template.reset`.
 */
export type MailTemplateResetDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'mail_template.reset';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'mail_template.reset';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: MailTemplateEventData;
};

/**
 * The delivery of `mail_template.updated`.
 */
export type MailTemplateUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'mail_template.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'mail_template.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: MailTemplateEventData;
};

/**
 * A variable of a mail.
 */
export type MailVariable = {
    /**
     * The name, as a template writes it between `{{` and `}}`.
     */
    name: string;
    /**
     * The type. Numbers and dates are written as the language of the mail writes them, dates in UTC.
     */
    type: 'text' | 'number' | 'date';
    /**
     * The meaning.
     */
    description: string;
    /**
     * Whether a mail may lack it. A template then asks for it by `if`, or names a `default`.
     */
    is_optional: boolean;
    /**
     * The value in previews, as English writes it.
     */
    sample: string;
};

/**
 * A right of an API key. `admin` allows everything, and a write scope includes reading.
 */
export type ManagementScope = 'admin' | 'product:read' | 'product:write' | 'license:read' | 'license:write' | 'customer:read' | 'customer:write' | 'people:read' | 'people:write' | 'device:write' | 'event:read' | 'ops:read' | 'report:read' | 'report:export' | 'webhook:write';

/**
 * The ID of the provider that is compared: that of a `price`, a `variant`, a `product` or a `payment_link`, or a value of the purchase's `metadata`.
 */
export type MatchedBy = 'price' | 'variant' | 'product' | 'payment_link' | 'metadata';

/**
 * A note about a license or a customer, for colleagues. Apps and customers do not see it.
 */
export type Note = {
    /**
     * The ID of the note: `note_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id?: string;
    /**
     * The customer, or the customer of the license when the note was written.
     */
    customer_id?: string;
    /**
     * The text, up to 2,000 characters.
     */
    text: string;
    /**
     * The author of the note.
     */
    author: Author;
    /**
     * Whether the caller wrote the note, and may change and delete it.
     */
    is_own: boolean;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type NoteAnswer = {
    /**
     * The requested resource.
     */
    data: Note;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `note.created`.
 */
export type NoteCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'note.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'note.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: NoteEventData;
};

/**
 * The delivery of `note.deleted`.
 */
export type NoteDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'note.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'note.deleted';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: NoteEventData;
};

/**
 * A note, without its text and its author, who is the actor of the event.
 */
export type NoteEventData = {
    /**
     * The ID of the note: `note_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id?: string;
    /**
     * The customer, or the customer of the license when the note was written.
     */
    customer_id?: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * A page of a list, in `data`.
 */
export type NotePage = {
    /**
     * The requested resource.
     */
    data: Array<Note>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The text of a note.
 */
export type NoteRequest = {
    /**
     * The text, up to 2,000 characters.
     */
    text: string;
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason?: string;
};

/**
 * The delivery of `note.updated`.
 */
export type NoteUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'note.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'note.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: NoteEventData;
};

/**
 * A rule of the effective policy, and its source.
 */
export type NumberTerm = {
    /**
     * The value.
     */
    value: number;
    /**
     * The source of the rule.
     */
    from: TermSource;
};

/**
 * A signed entitlement for one offline device, encrypted under the license key.
 */
export type OfflineEnvelope = {
    /**
     * The ID of the signing key.
     */
    kid: string;
    /**
     * The HKDF salt, 32 bytes in base64.
     */
    salt: string;
    /**
     * The AES-GCM nonce, 12 bytes in base64.
     */
    nonce: string;
    /**
     * Base64 of the AES-256-GCM encryption of `{"data": entitlement, "signature": signature}`, under a key derived from the license key.
     */
    ciphertext: string;
};

/**
 * The response, with the result in `data`.
 */
export type OfflineEnvelopeAnswer = {
    /**
     * The requested resource.
     */
    data: OfflineEnvelope;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A file for a machine without a network, without its content.
 */
export type OfflineFile = {
    /**
     * The ID of the offline file: `ofl_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The device that the file was issued for.
     */
    device_id: string;
    /**
     * The SHA-256 of the device's binding key, in hex. Compare it with your own.
     */
    fingerprint_hash: string;
    /**
     * Increases with each envelope of the device. A device accepts no lower number than it has seen.
     */
    offline_counter: number;
    /**
     * `active`: the app may run with it. `expired`: past its `valid_until`. `revoked`: listed in the revocation list.
     */
    status: OfflineFileStatus;
    /**
     * Time of the signature.
     */
    issued_at: string;
    /**
     * Time until which the response may be relied on without another check.
     */
    valid_until: string;
    /**
     * When it was revoked; absent while it is not.
     */
    revoked_at?: string;
};

/**
 * The response, with the result in `data`.
 */
export type OfflineFileAnswer = {
    /**
     * The requested resource.
     */
    data: OfflineFile;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The content of the file: an offline envelope and the device that it is encrypted for.
 */
export type OfflineFileContent = {
    /**
     * The device that the envelope is sealed for.
     */
    device_id: string;
    /**
     * The ID of the signing key.
     */
    kid: string;
    /**
     * The HKDF salt, 32 bytes in base64.
     */
    salt: string;
    /**
     * The AES-GCM nonce, 12 bytes in base64.
     */
    nonce: string;
    /**
     * Base64 of the AES-256-GCM encryption of `{"data": entitlement, "signature": signature}`, under a key derived from the license key.
     */
    ciphertext: string;
};

/**
 * The response, with the result in `data`.
 */
export type OfflineFileCreateAnswer = {
    /**
     * The requested resource.
     */
    data: OfflineFileCreateResponse;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The machine that the file is for, and the key to encrypt it under.
 */
export type OfflineFileCreateRequest = {
    /**
     * The fingerprint of the machine, as the app on it shows it and the customer sends it.
     */
    fingerprint: string;
    /**
     * The name of the machine.
     */
    hostname?: string;
    /**
     * The operating system.
     */
    os?: string;
    /**
     * The version of the app, in the vendor's format. The response then includes whether the license covers it.
     */
    app_version?: string;
    /**
     * The code of the product that the file is for, which the file then names; also a former one, for an app that was built with it. By default the code of today, of the license's first product.
     */
    product_code?: string;
    /**
     * The license key that the file is encrypted under. It is not stored.
     */
    license_key: string;
};

/**
 * A new offline file with its content, which is shown only this once.
 */
export type OfflineFileCreateResponse = {
    /**
     * The file as the list shows it.
     */
    file: OfflineFile;
    /**
     * The content to write into the file, as JSON. It is shown only this once and not stored.
     */
    lic: OfflineFileContent;
    /**
     * A name for the file.
     */
    file_name: string;
};

/**
 * The delivery of `offline_file.issued`.
 */
export type OfflineFileIssuedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'offline_file.issued';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'offline_file.issued';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: OfflineFile;
};

/**
 * A page of a list, in `data`.
 */
export type OfflineFilePage = {
    /**
     * The requested resource.
     */
    data: Array<OfflineFile>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `offline_file.revoked`.
 */
export type OfflineFileRevokedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'offline_file.revoked';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'offline_file.revoked';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: OfflineFile;
};

/**
 * `active`: the app may run with it. `expired`: past its `valid_until`. `revoked`: listed in the revocation list.
 */
export type OfflineFileStatus = 'active' | 'expired' | 'revoked';

/**
 * The delivery of `offline.issued`.
 */
export type OfflineIssuedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'offline.issued';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'offline.issued';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: OfflineIssuedEventData;
};

/**
 * An envelope for offline use was issued.
 */
export type OfflineIssuedEventData = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    device_id: string;
    /**
     * The ID of the signing key.
     */
    kid: string;
    /**
     * Increases with each envelope of the device. A device accepts no lower number than it has seen.
     */
    offline_counter: number;
    /**
     * Time of the signature.
     */
    issued_at: string;
    /**
     * Time until which the response may be relied on without another check.
     */
    valid_until: string;
};

/**
 * An OpenAPI 3.1 document.
 */
export type OpenApiDocument = {
    [key: string]: unknown;
};

/**
 * A purchase in a billing system. Licenses can refer to it.
 */
export type Order = {
    /**
     * The ID of the order: `ord_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * The ID of the customer: `cus_` and 26 characters.
     */
    customer_id?: string;
    /**
     * The ID of the subscription: `sub_` and 26 characters.
     */
    subscription_id?: string;
    /**
     * The billing system that the record comes from, for example `stripe`.
     */
    external_system: string;
    /**
     * The ID in that system; unique together with `external_system` within the product.
     */
    external_id: string;
    /**
     * The status of the order in its billing system. It has no effect on licenses.
     */
    status: OrderStatus;
    /**
     * Start of the paid period. Send both dates or neither.
     */
    period_start?: string;
    /**
     * End of the paid period. Send both dates or neither.
     */
    period_end?: string;
    /**
     * How many were bought, for example seats.
     */
    quantity?: number;
    /**
     * Time at which what was bought ended, for example of a refund.
     */
    ended_at?: string;
    /**
     * Time of the last change in the billing system, by its own clock.
     */
    source_updated_at?: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type OrderAnswer = {
    /**
     * The requested resource.
     */
    data: Order;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * An order to record.
 */
export type OrderCreateRequest = {
    /**
     * The ID of the customer.
     */
    customer_id?: string;
    /**
     * The ID of the subscription.
     */
    subscription_id?: string;
    /**
     * The billing system that the record comes from, for example `stripe`.
     */
    external_system: string;
    /**
     * The ID in that system; unique together with `external_system` within the product.
     */
    external_id: string;
    /**
     * The status of the order in its billing system. It has no effect on licenses.
     */
    status: OrderStatus;
    /**
     * Start of the paid period. Send both dates or neither.
     */
    period_start?: string;
    /**
     * End of the paid period. Send both dates or neither.
     */
    period_end?: string;
    /**
     * How many were bought, for example seats.
     */
    quantity?: number;
    /**
     * Time at which what was bought ended, for example of a refund.
     */
    ended_at?: string;
    /**
     * Time of the change in the billing system, by its clock: the `created` of its event. A change that is older than the stored one is ignored, with the warning SOURCE_OUTDATED, so events may arrive in any order. Send the whole record with it. Without it, every change is applied. At most a day ahead of the service.
     */
    source_updated_at?: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * The delivery of `order.created`.
 */
export type OrderCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'order.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'order.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Order;
};

/**
 * The delivery of `order.deleted`.
 */
export type OrderDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'order.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'order.deleted';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Order;
};

/**
 * A page of a list, in `data`.
 */
export type OrderPage = {
    /**
     * The requested resource.
     */
    data: Array<Order>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * An order to create, or to change into what is sent. Of one that exists, an omitted `customer_id`, `subscription_id`, `source_updated_at` or `metadata` stays as it is. All other omitted fields are removed.
 */
export type OrderPutRequest = {
    /**
     * The ID of the customer.
     */
    customer_id?: string;
    /**
     * The ID of the subscription.
     */
    subscription_id?: string;
    /**
     * The status of the order in its billing system. It has no effect on licenses.
     */
    status: OrderStatus;
    /**
     * Start of the paid period. Send both dates or neither. `null` removes it.
     */
    period_start?: string | null;
    /**
     * End of the paid period. Send both dates or neither. `null` removes it.
     */
    period_end?: string | null;
    /**
     * How many were bought, for example seats. `null` removes it.
     */
    quantity?: number | null;
    /**
     * Time at which what was bought ended, for example of a refund. `null` removes it.
     */
    ended_at?: string | null;
    /**
     * Time of the change in the billing system, by its clock: the `created` of its event. A change that is older than the stored one is ignored, with the warning SOURCE_OUTDATED, so events may arrive in any order. Send the whole record with it. Without it, every change is applied. At most a day ahead of the service.
     */
    source_updated_at?: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * The status of the order in its billing system. It has no effect on licenses.
 */
export type OrderStatus = 'pending' | 'paid' | 'fulfilled' | 'canceled' | 'refunded' | 'partially_refunded' | 'disputed';

/**
 * Changes of an order. Omitted fields stay as they are.
 */
export type OrderUpdateRequest = {
    /**
     * The ID of the customer. The empty string removes the link.
     */
    customer_id?: string;
    /**
     * The ID of the subscription. The empty string removes the link.
     */
    subscription_id?: string;
    /**
     * The billing system that the record comes from, for example `stripe`.
     */
    external_system?: string;
    /**
     * The ID in that system; unique together with `external_system` within the product.
     */
    external_id?: string;
    /**
     * The status of the order in its billing system. It has no effect on licenses.
     */
    status?: OrderStatus;
    /**
     * Start of the paid period. Send both dates or neither. `null` removes it.
     */
    period_start?: string | null;
    /**
     * End of the paid period. Send both dates or neither. `null` removes it.
     */
    period_end?: string | null;
    /**
     * How many were bought, for example seats. `null` removes it.
     */
    quantity?: number | null;
    /**
     * Time at which what was bought ended, for example of a refund. `null` removes it.
     */
    ended_at?: string | null;
    /**
     * Time of the change in the billing system, by its clock: the `created` of its event. A change that is older than the stored one is ignored, with the warning SOURCE_OUTDATED, so events may arrive in any order. Send the whole record with it. Without it, every change is applied. At most a day ahead of the service.
     */
    source_updated_at?: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * The delivery of `order.updated`.
 */
export type OrderUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'order.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'order.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Order;
};

/**
 * How far the license is above its limit. Present if the terms allow overage and there is some.
 */
export type Overage = {
    /**
     * The limit of the terms.
     */
    limit: number;
    /**
     * Current usage, including this call.
     */
    used: number;
    /**
     * Usage above the limit.
     */
    over: number;
};

/**
 * A license exceeded one of its limits and continues to work.
 */
export type OverageStartedEventData = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    device_id?: string;
    /**
     * Which limit it was: that of activation seats, of floating seats, or a feature's quota.
     */
    limit_of: 'activations' | 'floating' | 'feature';
    /**
     * The code of the feature.
     */
    feature_code?: string;
    /**
     * The overage rule: `allow`, or a percentage.
     */
    overage: string;
    /**
     * The limit of the terms.
     */
    limit: number;
    /**
     * Current usage, including this call.
     */
    used: number;
    /**
     * Usage above the limit.
     */
    over: number;
    /**
     * The time of the next reset of the quota.
     */
    period_ends_at?: string;
};

/**
 * The figures that matter today. A part that the caller may not see is absent.
 */
export type Overview = {
    /**
     * Start of the window.
     */
    from: string;
    /**
     * End of the window.
     */
    to: string;
    /**
     * The days of the window that have any figure, in their order.
     */
    days: Array<OverviewDay>;
    /**
     * Licenses issued in the window.
     */
    issued: number;
    /**
     * Activations in the window.
     */
    activations: number;
    /**
     * Refused requests in the window.
     */
    refusals: number;
    /**
     * Refusals by reason, the most frequent first; at most ten.
     */
    refusals_by_code: Array<OverviewRefusals>;
    /**
     * Features whose quota was reached, the most frequent first; at most ten.
     */
    quotas_reached: Array<OverviewQuota>;
    /**
     * A number that is counted exactly up to a limit.
     */
    active_licenses: CountedUpTo;
    /**
     * A number that is counted exactly up to a limit.
     */
    ending_licenses?: CountedUpTo;
    /**
     * The first licenses that end within 30 days; absent for callers without `license:read`.
     */
    ending?: Array<EndingLicense>;
    /**
     * Endpoints whose deliveries fail; absent for callers without `webhook:write`.
     */
    failing_endpoints?: Array<FailingEndpoint>;
    /**
     * A number that is counted exactly up to a limit.
     */
    waiting_purchases?: CountedUpTo;
    /**
     * A number that is counted exactly up to a limit.
     */
    late_mails?: CountedUpTo;
};

/**
 * The response, with the result in `data`.
 */
export type OverviewAnswer = {
    /**
     * The requested resource.
     */
    data: Overview;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The figures of a day.
 */
export type OverviewDay = {
    /**
     * When the day begins, in UTC.
     */
    day: string;
    /**
     * Licenses issued.
     */
    issued: number;
    /**
     * Activations of devices.
     */
    activations: number;
    /**
     * Refused requests.
     */
    refusals: number;
    /**
     * Licenses in force at the end of the day, counted back from today by what was issued, expired and revoked since; absent where today's are not counted exactly.
     */
    active_licenses?: number;
};

/**
 * A feature whose quota was reached.
 */
export type OverviewQuota = {
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id?: string;
    /**
     * How often its quota was reached.
     */
    count: number;
};

/**
 * Refused requests of one reason.
 */
export type OverviewRefusals = {
    /**
     * The error code.
     */
    code: string;
    /**
     * Number of requests that were refused with it.
     */
    count: number;
};

/**
 * A device of the license, as the holder of the license key sees it.
 */
export type OwnDevice = {
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    id: string;
    /**
     * The name that the customer gave it, else the hostname, if the app sent it.
     */
    name?: string;
    /**
     * Whether a binding identifies a machine or a container.
     */
    binding_kind: DeviceBindingKind;
    /**
     * `active` has a seat. `deactivated` released it, `reset` was freed by an operator or the holder of the key, `expired` lost it after inactivity. These may activate again; `blacklisted` may not.
     */
    status: DeviceStatus;
    /**
     * Time of the last request of the device.
     */
    last_seen_at: string;
    /**
     * Time until which its seat stays taken even if the device is released, because it can run offline.
     */
    seat_held_until?: string;
    /**
     * Whether it is the device that the request names in `device_id`; absent when it names none.
     */
    is_this?: boolean;
};

/**
 * The response, with the result in `data`.
 */
export type OwnDeviceAnswer = {
    /**
     * The requested resource.
     */
    data: OwnDevice;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A page of a list, in `data`.
 */
export type OwnDevicePage = {
    /**
     * The requested resource.
     */
    data: Array<OwnDevice>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A refund of a usage event by the app that made it.
 */
export type OwnUsageRefund = {
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * Your ID of the usage event.
     */
    event_id: string;
    /**
     * The amount of the refund.
     */
    amount: number;
    /**
     * How much of the usage event is refunded by now.
     */
    refunded: number;
};

/**
 * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
 */
export type PageInfo = {
    /**
     * Pass it as `cursor` to get the next page; `null` on the last page.
     */
    next_cursor: string | null;
    /**
     * Whether there is another page.
     */
    has_more: boolean;
    /**
     * How many entries match, counted to 1,000, if `include_total` asks for it.
     */
    total?: CountedUpTo;
};

/**
 * A passkey, by which a person signs in.
 */
export type Passkey = {
    /**
     * The ID of the passkey: `pky_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the person: `per_` and 26 characters.
     */
    person_id: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * Whether the passkey can be on several devices of the person.
     */
    is_synced: boolean;
    /**
     * Time of the last sign-in with it; absent until the first.
     */
    last_used_at?: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * An algorithm, by the name that COSE registers: `EdDSA` is -8, `ES256` is -7 and `RS256` is -257.
 */
export type PasskeyAlgorithm = 'EdDSA' | 'ES256' | 'RS256';

/**
 * The response, with the result in `data`.
 */
export type PasskeyAnswer = {
    /**
     * The requested resource.
     */
    data: Passkey;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Options to sign in by (`navigator.credentials.get`): any passkey of the host, with user verification.
 */
export type PasskeyChallenge = {
    /**
     * The challenge, in base64url. It is good once.
     */
    challenge: string;
    /**
     * The host name that the passkey is for.
     */
    rp_id: string;
    /**
     * How long the browser may ask, in milliseconds.
     */
    timeout_ms: number;
    /**
     * Time until which the response must have been sent.
     */
    expires_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type PasskeyChallengeAnswer = {
    /**
     * The requested resource.
     */
    data: PasskeyChallenge;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A passkey that a browser has created.
 */
export type PasskeyCreateRequest = {
    /**
     * The name of the passkey. Default: `Passkey`.
     */
    name?: string;
    /**
     * The ID of the credential: `rawId`, in base64url.
     */
    credential: string;
    /**
     * `response.clientDataJSON`, in base64url.
     */
    client_data: string;
    /**
     * `response.attestationObject`, in base64url.
     */
    attestation_object: string;
    /**
     * `response.getTransports()`: how the authenticator is reached.
     */
    transports?: Array<string>;
};

/**
 * The delivery of `passkey.created`.
 */
export type PasskeyCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'passkey.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'passkey.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: PasskeyEventData;
};

/**
 * Options to create a passkey by (`navigator.credentials.create`): discoverable, with user verification, without attestation.
 */
export type PasskeyCreation = {
    /**
     * The challenge, in base64url. It is good once.
     */
    challenge: string;
    /**
     * The host name that the passkey is for.
     */
    rp_id: string;
    /**
     * The handle of the person, in base64url.
     */
    user_id: string;
    /**
     * The name of the account in the browser.
     */
    user_name: string;
    /**
     * The name of the person.
     */
    user_display_name: string;
    /**
     * The algorithms that the service takes, the best first.
     */
    algorithms: Array<PasskeyAlgorithm>;
    /**
     * The passkeys that the person has, so that no authenticator gets a second one.
     */
    exclude: Array<PasskeyDescriptor>;
    /**
     * How long the browser may ask, in milliseconds.
     */
    timeout_ms: number;
    /**
     * Time until which the response must have been sent.
     */
    expires_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type PasskeyCreationAnswer = {
    /**
     * The requested resource.
     */
    data: PasskeyCreation;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `passkey.deleted`.
 */
export type PasskeyDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'passkey.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'passkey.deleted';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: PasskeyEventData;
};

/**
 * A passkey that the person has already.
 */
export type PasskeyDescriptor = {
    /**
     * The ID of the credential, in base64url.
     */
    id: string;
    /**
     * How the authenticator is reached, as the browser said.
     */
    transports: Array<string>;
};

/**
 * The passkey as the event left it; a name that was erased since is absent.
 */
export type PasskeyEventData = {
    /**
     * The ID of the passkey: `pky_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the person: `per_` and 26 characters.
     */
    person_id: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name?: string;
    /**
     * Whether the passkey can be on several devices of the person.
     */
    is_synced: boolean;
    /**
     * Time of the last sign-in with it; absent until the first.
     */
    last_used_at?: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * A page of a list, in `data`.
 */
export type PasskeyPage = {
    /**
     * The requested resource.
     */
    data: Array<Passkey>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A challenge as a passkey has signed it.
 */
export type PasskeySignInRequest = {
    /**
     * The ID of the credential: `rawId`, in base64url.
     */
    credential: string;
    /**
     * `response.clientDataJSON`, in base64url.
     */
    client_data: string;
    /**
     * `response.authenticatorData`, in base64url.
     */
    authenticator_data: string;
    /**
     * `response.signature`, in base64url.
     */
    signature: string;
    /**
     * `response.userHandle`, in base64url: whose passkey it is. Some authenticators leave it out or empty; then the credential says it.
     */
    user_handle?: string;
};

/**
 * The new name of a passkey.
 */
export type PasskeyUpdateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible. It is one line.
     */
    name: string;
};

/**
 * The delivery of `passkey.updated`.
 */
export type PasskeyUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'passkey.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'passkey.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: PasskeyEventData;
};

/**
 * A person who works with the service, and the roles of this person.
 */
export type Person = {
    /**
     * The ID of the person: `per_` and 26 characters.
     */
    id: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * The email address. It is for messages, and identifies no one.
     */
    email?: string;
    /**
     * The IDs of the roles of the person.
     */
    roles: Array<string>;
    /**
     * The roles among these that came by a claim of the identity provider, and follow it at each sign-in.
     */
    claimed_roles: Array<string>;
    /**
     * `invited`: has no way to sign in yet. `active`: has one. `removed`: may no longer do anything.
     */
    status: PersonStatus;
    /**
     * The accounts by which the person is recognized.
     */
    identities: Array<PersonIdentity>;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type PersonAnswer = {
    /**
     * The requested resource.
     */
    data: Person;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A person to add.
 */
export type PersonCreateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible. It is one line.
     */
    name: string;
    /**
     * The email address. It is for messages, and identifies no one.
     */
    email?: string;
    /**
     * All roles of the person, never with more rights than the caller has.
     */
    roles?: Array<string>;
    /**
     * All accounts by which the person is recognized. One account is of one person.
     */
    identities?: Array<PersonIdentityRequest>;
};

/**
 * The delivery of `person.created`.
 */
export type PersonCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'person.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'person.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: PersonEventData;
};

/**
 * The person as the event left it; personal values that were erased since are absent.
 */
export type PersonEventData = {
    /**
     * The ID of the person: `per_` and 26 characters.
     */
    id: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name?: string;
    /**
     * The email address. It is for messages, and identifies no one.
     */
    email?: string;
    /**
     * The IDs of the roles of the person.
     */
    roles: Array<string>;
    /**
     * The roles among these that came by a claim of the identity provider, and follow it at each sign-in.
     */
    claimed_roles: Array<string>;
    /**
     * `invited`: has no way to sign in yet. `active`: has one. `removed`: may no longer do anything.
     */
    status: PersonStatus;
    /**
     * The accounts by which the person is recognized.
     */
    identities?: Array<PersonIdentity>;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * An account at an identity provider, by which a person is recognized.
 */
export type PersonIdentity = {
    /**
     * The issuer, exactly as the provider names itself in `iss`.
     */
    issuer: string;
    /**
     * The account there: `sub` of its ID tokens.
     */
    subject: string;
};

/**
 * An account at an identity provider that is to identify a person.
 */
export type PersonIdentityRequest = {
    /**
     * The issuer, exactly as the provider names itself in `iss`.
     */
    issuer: string;
    /**
     * The account there: `sub` of its ID tokens.
     */
    subject: string;
};

/**
 * An invitation, by which a person signs in once.
 */
export type PersonInvitation = {
    /**
     * The ID of the person: `per_` and 26 characters.
     */
    person_id: string;
    /**
     * Shown this once. It is good for one sign-in; only a keyed hash is stored.
     */
    invitation: string;
    /**
     * Whether the invitation may link a passkey, or an account at the identity provider, to the person: its maker had `admin`.
     */
    links_account: boolean;
    /**
     * Time when the invitation stops working.
     */
    expires_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type PersonInvitationAnswer = {
    /**
     * The requested resource.
     */
    data: PersonInvitation;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `person.invited`.
 */
export type PersonInvitedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'person.invited';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'person.invited';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: PersonEventData;
};

/**
 * A page of a list, in `data`.
 */
export type PersonPage = {
    /**
     * The requested resource.
     */
    data: Array<Person>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `person.reinstated`.
 */
export type PersonReinstatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'person.reinstated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'person.reinstated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: PersonEventData;
};

/**
 * The delivery of `person.removed`.
 */
export type PersonRemovedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'person.removed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'person.removed';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: PersonEventData;
};

/**
 * `invited`: has no way to sign in yet. `active`: has one. `removed`: may no longer do anything.
 */
export type PersonStatus = 'invited' | 'active' | 'removed';

/**
 * Changes of a person. Omitted fields stay as they are; `roles` and `identities` replace those before.
 */
export type PersonUpdateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible. It is one line.
     */
    name?: string;
    /**
     * The email address. The empty string clears it.
     */
    email?: string;
    /**
     * All roles of the person, never with more rights than the caller has.
     */
    roles?: Array<string>;
    /**
     * All accounts by which the person is recognized. One account is of one person.
     */
    identities?: Array<PersonIdentityRequest>;
};

/**
 * The delivery of `person.updated`.
 */
export type PersonUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'person.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'person.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: PersonEventData;
};

/**
 * The rules that licenses are issued under.
 */
export type Policy = {
    /**
     * The ID of the policy: `pol_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code: string;
    /**
     * Permanent, for a limited time, by subscription, as a trial, or by usage.
     */
    license_type: LicenseType;
    /**
     * Device limit: how many devices may have a seat at the same time. Default: 1; 0 allows none.
     */
    max_activations: number;
    /**
     * Minutes without a heartbeat after which a floating seat becomes free. Default: 10.
     */
    floating_timeout_minutes: number;
    /**
     * Days after the expiration in which the license still works. Default: 0.
     */
    grace_period_days: number;
    /**
     * Minutes that an app should wait between checks. Default: 1440, a day.
     */
    validation_interval_minutes: number;
    /**
     * Tells apps to send heartbeats; your app enforces it. Default: `false`.
     */
    require_heartbeat: boolean;
    /**
     * Whether devices may get an envelope for offline use. Default: `true`.
     */
    allow_offline_activation: boolean;
    /**
     * Offline duration: days for which an envelope for offline use is valid. Default: 30.
     */
    offline_grace_days: number;
    /**
     * Whether the license may be used in virtual machines. Default: `true`.
     */
    allow_vm: boolean;
    /**
     * Whether the license may be used in containers. Default: `true`.
     */
    allow_container: boolean;
    /**
     * How often the license may be transferred to another owner. Default: 3. Setting the first owner, or the same owner again, does not count.
     */
    max_transfers: number;
    /**
     * How many floating seats may be in use at the same time. Without it, the license has none.
     */
    max_floating_users?: number;
    /**
     * How many containers may have a seat at the same time. Without it, `max_activations` applies.
     */
    max_container_instances?: number;
    /**
     * How long a license works, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` if the request omits it.
     */
    duration?: string;
    /**
     * When durations start: at the `creation`, the default, or at the first activation, which starts the license.
     */
    expiry_basis?: 'creation' | 'first_activation';
    /**
     * How long a perpetual license covers new versions. Sets `maintenance_expires_at`.
     */
    maintenance_duration?: string;
    /**
     * Device overage: `deny`, the default; `allow`; or a limit above the device limit, such as `10%`.
     */
    activation_overage?: string;
    /**
     * Floating seat overage: `deny`, the default; `allow`; or a limit above the floating seats, such as `10%`.
     */
    floating_overage?: string;
    /**
     * The unit of one floating seat: a `device`, the default, or each `process` on it, which sends its `process_id`.
     */
    lease_unit?: LeaseUnit;
    /**
     * Whether licenses expire, have a grace period and are suspended together with their subscription.
     */
    follows_subscription?: boolean;
    /**
     * How many `components` must match: `any`, `most`, `all`, or a number.
     */
    component_match?: 'any' | 'most' | 'all' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8';
    /**
     * Whether the holder of the license key may free the seats of other devices, and in the portal name devices, change the key and invite users.
     */
    self_service?: boolean;
    /**
     * Self-service reset limit: how many seats of other devices may be freed in each `self_service_period`.
     */
    max_self_service_resets?: number;
    /**
     * The period in UTC of the self-service reset limit. Default: `month`.
     */
    self_service_period?: 'day' | 'week' | 'month' | 'year';
    /**
     * Whether the owner of the license may transfer it to another email address in the portal. Default: `false`.
     */
    self_service_transfer?: boolean;
    /**
     * How many days a file for an air-gapped machine is valid. Default: `offline_grace_days`.
     */
    offline_file_days?: number;
    /**
     * Whether the seat of a released device stays taken until its offline files and envelopes have ended. Default: `false`.
     */
    hold_offline_seats?: boolean;
    /**
     * Refund window: how many minutes after a usage event the device that made it may refund it. Without it, apps may not refund.
     */
    refund_window_minutes?: number;
    /**
     * User limit: how many people may have a seat at the same time. Apps then sign people in. Without it, the license has no users.
     */
    max_users?: number;
    /**
     * On how many devices one user may use the license at the same time. Without it, `max_activations` alone limits devices.
     */
    max_devices_per_user?: number;
    /**
     * The mails that the service sends to the owners of licenses under the policy. Absent: none.
     */
    mails?: Array<PolicyMailKind>;
    /**
     * How many days before its expiry a license is announced as expiring, by the event `license.expiring` and by the mail `license_expiring`. Absent: the event 7 days before, and the mail 30, 7 and 1 days before.
     */
    expiring_days?: Array<number>;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
    /**
     * The counts of a policy.
     */
    counts?: PolicyCounts;
};

/**
 * The response, with the result in `data`.
 */
export type PolicyAnswer = {
    /**
     * The requested resource.
     */
    data: Policy;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Changes of a policy, as `PATCH` takes them, and of quotas of its features. Omitted fields stay as they are.
 */
export type PolicyChangeRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name?: string;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code?: string;
    /**
     * Permanent, for a limited time, by subscription, as a trial, or by usage.
     */
    license_type?: LicenseType;
    /**
     * Device limit: how many devices may have a seat at the same time. Default: 1; 0 allows none.
     */
    max_activations?: number;
    /**
     * Minutes without a heartbeat after which a floating seat becomes free. Default: 10.
     */
    floating_timeout_minutes?: number;
    /**
     * Days after the expiration in which the license still works. Default: 0.
     */
    grace_period_days?: number;
    /**
     * Minutes that an app should wait between checks. Default: 1440, a day.
     */
    validation_interval_minutes?: number;
    /**
     * Tells apps to send heartbeats; your app enforces it. Default: `false`.
     */
    require_heartbeat?: boolean;
    /**
     * Whether devices may get an envelope for offline use. Default: `true`.
     */
    allow_offline_activation?: boolean;
    /**
     * Offline duration: days for which an envelope for offline use is valid. Default: 30.
     */
    offline_grace_days?: number;
    /**
     * Whether the license may be used in virtual machines. Default: `true`.
     */
    allow_vm?: boolean;
    /**
     * Whether the license may be used in containers. Default: `true`.
     */
    allow_container?: boolean;
    /**
     * How often the license may be transferred to another owner. Default: 3. Setting the first owner, or the same owner again, does not count.
     */
    max_transfers?: number;
    /**
     * How many floating seats may be in use at the same time. Without it, the license has none. `null` clears it.
     */
    max_floating_users?: number | null;
    /**
     * How many containers may have a seat at the same time. Without it, `max_activations` applies. `null` clears it.
     */
    max_container_instances?: number | null;
    /**
     * How long a license works, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` if the request omits it. `null` clears it.
     */
    duration?: string | null;
    /**
     * When durations start: at the `creation`, the default, or at the first activation, which starts the license. `null` clears it.
     */
    expiry_basis?: 'creation' | 'first_activation' | null;
    /**
     * How long a perpetual license covers new versions. Sets `maintenance_expires_at`. `null` clears it.
     */
    maintenance_duration?: string | null;
    /**
     * Device overage: `deny`, the default; `allow`; or a limit above the device limit, such as `10%`. `null` clears it.
     */
    activation_overage?: string | null;
    /**
     * Floating seat overage: `deny`, the default; `allow`; or a limit above the floating seats, such as `10%`. `null` clears it.
     */
    floating_overage?: string | null;
    /**
     * The unit of one floating seat: a `device`, the default, or each `process` on it, which sends its `process_id`. `null` clears it.
     */
    lease_unit?: LeaseUnit | null;
    /**
     * Whether licenses expire, have a grace period and are suspended together with their subscription. `null` clears it.
     */
    follows_subscription?: boolean | null;
    /**
     * How many `components` must match: `any`, `most`, `all`, or a number. `null` clears it.
     */
    component_match?: 'any' | 'most' | 'all' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | null;
    /**
     * Whether the holder of the license key may free the seats of other devices, and in the portal name devices, change the key and invite users. `null` clears it.
     */
    self_service?: boolean | null;
    /**
     * Self-service reset limit: how many seats of other devices may be freed in each `self_service_period`. `null` clears it.
     */
    max_self_service_resets?: number | null;
    /**
     * The period in UTC of the self-service reset limit. Default: `month`. `null` clears it.
     */
    self_service_period?: 'day' | 'week' | 'month' | 'year' | null;
    /**
     * Whether the owner of the license may transfer it to another email address in the portal. Default: `false`. `null` clears it.
     */
    self_service_transfer?: boolean | null;
    /**
     * How many days a file for an air-gapped machine is valid. Default: `offline_grace_days`. `null` clears it.
     */
    offline_file_days?: number | null;
    /**
     * Whether the seat of a released device stays taken until its offline files and envelopes have ended. Default: `false`. `null` clears it.
     */
    hold_offline_seats?: boolean | null;
    /**
     * Refund window: how many minutes after a usage event the device that made it may refund it. Without it, apps may not refund. `null` clears it.
     */
    refund_window_minutes?: number | null;
    /**
     * User limit: how many people may have a seat at the same time. Apps then sign people in. Without it, the license has no users. `null` clears it.
     */
    max_users?: number | null;
    /**
     * On how many devices one user may use the license at the same time. Without it, `max_activations` alone limits devices. `null` clears it.
     */
    max_devices_per_user?: number | null;
    /**
     * The mails that the service sends to the owners of licenses under the policy. Absent: none. Needs COUNTERSIGN_SMTP_URL. Bulk requests and imports send none. `null` clears it.
     */
    mails?: Array<PolicyMailKind> | null;
    /**
     * How many days before its expiry a license is announced as expiring, by the event `license.expiring` and by the mail `license_expiring`. Absent: the event 7 days before, and the mail 30, 7 and 1 days before. Up to 10 days. `null` clears it.
     */
    expiring_days?: Array<number> | null;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * Other quotas of features that the policy grants, each once.
     */
    features?: Array<PolicyQuotaChangeRequest>;
};

/**
 * The counts of a policy.
 */
export type PolicyCounts = {
    /**
     * Licenses under the policy, counted to 1,000.
     */
    licenses: CountedUpTo;
};

/**
 * A policy to create. Omitted fields have their defaults.
 */
export type PolicyCreateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code: string;
    /**
     * Permanent, for a limited time, by subscription, as a trial, or by usage.
     */
    license_type: LicenseType;
    /**
     * Device limit: how many devices may have a seat at the same time. Default: 1; 0 allows none.
     */
    max_activations?: number;
    /**
     * Minutes without a heartbeat after which a floating seat becomes free. Default: 10.
     */
    floating_timeout_minutes?: number;
    /**
     * Days after the expiration in which the license still works. Default: 0.
     */
    grace_period_days?: number;
    /**
     * Minutes that an app should wait between checks. Default: 1440, a day.
     */
    validation_interval_minutes?: number;
    /**
     * Tells apps to send heartbeats; your app enforces it. Default: `false`.
     */
    require_heartbeat?: boolean;
    /**
     * Whether devices may get an envelope for offline use. Default: `true`.
     */
    allow_offline_activation?: boolean;
    /**
     * Offline duration: days for which an envelope for offline use is valid. Default: 30.
     */
    offline_grace_days?: number;
    /**
     * Whether the license may be used in virtual machines. Default: `true`.
     */
    allow_vm?: boolean;
    /**
     * Whether the license may be used in containers. Default: `true`.
     */
    allow_container?: boolean;
    /**
     * How often the license may be transferred to another owner. Default: 3. Setting the first owner, or the same owner again, does not count.
     */
    max_transfers?: number;
    /**
     * How many floating seats may be in use at the same time. Without it, the license has none. `null` clears it.
     */
    max_floating_users?: number | null;
    /**
     * How many containers may have a seat at the same time. Without it, `max_activations` applies. `null` clears it.
     */
    max_container_instances?: number | null;
    /**
     * How long a license works, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` if the request omits it. `null` clears it.
     */
    duration?: string | null;
    /**
     * When durations start: at the `creation`, the default, or at the first activation, which starts the license. `null` clears it.
     */
    expiry_basis?: 'creation' | 'first_activation' | null;
    /**
     * How long a perpetual license covers new versions. Sets `maintenance_expires_at`. `null` clears it.
     */
    maintenance_duration?: string | null;
    /**
     * Device overage: `deny`, the default; `allow`; or a limit above the device limit, such as `10%`. `null` clears it.
     */
    activation_overage?: string | null;
    /**
     * Floating seat overage: `deny`, the default; `allow`; or a limit above the floating seats, such as `10%`. `null` clears it.
     */
    floating_overage?: string | null;
    /**
     * The unit of one floating seat: a `device`, the default, or each `process` on it, which sends its `process_id`. `null` clears it.
     */
    lease_unit?: LeaseUnit | null;
    /**
     * Whether licenses expire, have a grace period and are suspended together with their subscription. `null` clears it.
     */
    follows_subscription?: boolean | null;
    /**
     * How many `components` must match: `any`, `most`, `all`, or a number. `null` clears it.
     */
    component_match?: 'any' | 'most' | 'all' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | null;
    /**
     * Whether the holder of the license key may free the seats of other devices, and in the portal name devices, change the key and invite users. `null` clears it.
     */
    self_service?: boolean | null;
    /**
     * Self-service reset limit: how many seats of other devices may be freed in each `self_service_period`. `null` clears it.
     */
    max_self_service_resets?: number | null;
    /**
     * The period in UTC of the self-service reset limit. Default: `month`. `null` clears it.
     */
    self_service_period?: 'day' | 'week' | 'month' | 'year' | null;
    /**
     * Whether the owner of the license may transfer it to another email address in the portal. Default: `false`. `null` clears it.
     */
    self_service_transfer?: boolean | null;
    /**
     * How many days a file for an air-gapped machine is valid. Default: `offline_grace_days`. `null` clears it.
     */
    offline_file_days?: number | null;
    /**
     * Whether the seat of a released device stays taken until its offline files and envelopes have ended. Default: `false`. `null` clears it.
     */
    hold_offline_seats?: boolean | null;
    /**
     * Refund window: how many minutes after a usage event the device that made it may refund it. Without it, apps may not refund. `null` clears it.
     */
    refund_window_minutes?: number | null;
    /**
     * User limit: how many people may have a seat at the same time. Apps then sign people in. Without it, the license has no users. `null` clears it.
     */
    max_users?: number | null;
    /**
     * On how many devices one user may use the license at the same time. Without it, `max_activations` alone limits devices. `null` clears it.
     */
    max_devices_per_user?: number | null;
    /**
     * The mails that the service sends to the owners of licenses under the policy. Absent: none. Needs COUNTERSIGN_SMTP_URL. Bulk requests and imports send none. `null` clears it.
     */
    mails?: Array<PolicyMailKind> | null;
    /**
     * How many days before its expiry a license is announced as expiring, by the event `license.expiring` and by the mail `license_expiring`. Absent: the event 7 days before, and the mail 30, 7 and 1 days before. Up to 10 days. `null` clears it.
     */
    expiring_days?: Array<number> | null;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * `true` responds with the policy as it would be, and what the request would do in `dry_run`; nothing is written. Default: `false`.
     */
    dry_run?: boolean;
};

/**
 * The delivery of `policy.created`.
 */
export type PolicyCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'policy.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'policy.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Policy;
};

/**
 * The delivery of `policy.deleted`.
 */
export type PolicyDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'policy.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'policy.deleted';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Policy;
};

/**
 * The effect that a request with `dry_run` would have.
 */
export type PolicyDryRun = {
    /**
     * Errors that the request would be refused for: rules that contradict each other. Empty if it would be carried out.
     */
    findings: Array<FieldFinding>;
    /**
     * The licenses that a change of the policy would reach.
     */
    reach: PolicyReach;
    /**
     * Responses to an app under the policy, for a new license. Empty while there are findings.
     */
    preview: Array<PolicyPreview>;
};

/**
 * A feature that a policy grants to each of its licenses.
 */
export type PolicyFeature = {
    /**
     * The ID of the policy: `pol_` and 26 characters.
     */
    policy_id: string;
    /**
     * The ID of the feature: `feat_` and 26 characters.
     */
    feature_id: string;
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * The name of the feature.
     */
    feature_name: string;
    /**
     * Whether the license may use the feature. Default: `true`.
     */
    enabled: boolean;
    /**
     * A value for the app, of the feature's `value_type`: `true` or `false`, a whole number, a text of 1 to 255 printable ASCII characters without <>&"\ and the backtick, or up to 100 such texts.
     */
    value?: FeatureValue;
    /**
     * How many decimal places the amounts of the feature have, up to 6. Amounts, quotas and counts of it are whole numbers of the smallest step everywhere: with 2, an amount of 150 is 1.50. Absent: none.
     */
    decimals?: number;
    /**
     * The quantity that the quota of the feature limits in its period, or, without one, in all. `sum`: the amounts of the usage events together. `max`: the largest of them, such as a peak of seats. `last`: the latest one, such as the storage in use. `unique`: how many values `meter_dimension` has had, such as active users. Absent: `sum`.
     */
    meter?: 'max' | 'last' | 'unique';
    /**
     * The dimension whose values a `unique` meter counts.
     */
    meter_dimension?: string;
    /**
     * The quota. Without it, usage is counted but not limited.
     */
    max_consumptions?: number;
    /**
     * The period after which the quota resets. Without it, the quota never resets.
     */
    period?: QuotaPeriod;
    /**
     * Overage of the quota: `deny`, the default; `allow`; or a limit above the quota, such as `10%`.
     */
    overage?: string;
    /**
     * Percentages of the quota, such as 50, 80 and 100. When usage reaches one, the event `license.quota_threshold` tells. Default: none.
     */
    quota_thresholds?: Array<number>;
    /**
     * Numbers of units, such as 100 and 10. When no more are left of the quota and its grants together, the event `license.quota_threshold` tells. Default: none.
     */
    remaining_thresholds?: Array<number>;
    /**
     * How much of the quota that is unused at the end of a period can be used later: at most `cap` units of each period, for `periods` more. Default: none. Needs a `period` other than `subscription`.
     */
    rollover?: QuotaRollover;
    /**
     * How long after its start a license has the feature, ISO 8601. Without it, as long as the license.
     */
    expires_after?: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
};

/**
 * The response, with the result in `data`.
 */
export type PolicyFeatureAnswer = {
    /**
     * The requested resource.
     */
    data: PolicyFeature;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A feature to assign to a policy. If it is assigned already, omitted fields keep their values; `null` clears one.
 */
export type PolicyFeatureAssignRequest = {
    /**
     * The ID of the feature.
     */
    feature_id: string;
    /**
     * Whether the license may use the feature. Default: `true`.
     */
    enabled?: boolean;
    /**
     * The value for the app, of the feature's `value_type`. `null` removes it.
     */
    value?: boolean | number | string | Array<string> | null;
    /**
     * The quota. Without it, usage is counted but not limited.
     */
    max_consumptions?: number | null;
    /**
     * The period after which the quota resets. Without it, the quota never resets.
     */
    period?: QuotaPeriod | null;
    /**
     * Overage of the quota: `deny`, the default; `allow`; or a limit above the quota, such as `10%`.
     */
    overage?: string | null;
    /**
     * Percentages of the quota, such as 50, 80 and 100. When usage reaches one, the event `license.quota_threshold` tells. Default: none.
     */
    quota_thresholds?: Array<number> | null;
    /**
     * Numbers of units, such as 100 and 10. When no more are left of the quota and its grants together, the event `license.quota_threshold` tells. Default: none.
     */
    remaining_thresholds?: Array<number> | null;
    /**
     * How much of the quota that is unused at the end of a period can be used later: at most `cap` units of each period, for `periods` more. Default: none. Needs a `period` other than `subscription`.
     */
    rollover?: QuotaRolloverRequest | null;
    /**
     * How long after its start a license has the feature, ISO 8601. Without it, as long as the license.
     */
    expires_after?: string | null;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * The delivery of `policy.feature_assigned`.
 */
export type PolicyFeatureAssignedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'policy.feature_assigned';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'policy.feature_assigned';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: PolicyFeature;
};

/**
 * A page of a list, in `data`.
 */
export type PolicyFeaturePage = {
    /**
     * The requested resource.
     */
    data: Array<PolicyFeature>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `policy.feature_removed`.
 */
export type PolicyFeatureRemovedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'policy.feature_removed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'policy.feature_removed';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: PolicyFeature;
};

/**
 * The occasion of a mail to a customer. `license_issued`: a license was issued; the mail has its key. `key_changed`: the key was rotated; the mail has the new one. `license_expiring`: the license expires in as many days as `expiring_days` says, and follows no subscription that renews by itself. `license_expired`: the license expired, or entered its grace period. `quota_threshold`: usage reached a threshold of a quota. `device_added`: a device took a seat for the first time. `payment_failed`: the subscription of the license is past due. `user_invited`: a person was invited to use the license by an email address, to which the mail goes.
 */
export type PolicyMailKind = 'license_issued' | 'key_changed' | 'license_expiring' | 'license_expired' | 'quota_threshold' | 'device_added' | 'payment_failed' | 'user_invited';

/**
 * A page of a list, in `data`.
 */
export type PolicyPage = {
    /**
     * The requested resource.
     */
    data: Array<Policy>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The response to an app under the policy in one situation.
 */
export type PolicyPreview = {
    /**
     * The call that is judged: the activation of a `first_device`, and of one more than the device limit (`device_beyond_limit`); a validation when the license ends (`after_end`), and when its grace period ends (`after_grace`); an envelope for `offline` use; the first activation in a `virtual_machine`, and in a `container`. Those about an end are absent for a license that never ends.
     */
    situation: 'first_device' | 'device_beyond_limit' | 'after_end' | 'after_grace' | 'offline' | 'virtual_machine' | 'container';
    /**
     * An operation of the runtime API.
     */
    operation: RuntimeOperation;
    /**
     * The time for which the call was judged.
     */
    at: string;
    /**
     * Whether the call would be granted.
     */
    is_allowed: boolean;
    /**
     * The state of the license at the time `at`.
     */
    status: LicenseStatus;
    /**
     * Every finding in order of rank; empty when allowed.
     */
    findings: Array<LicenseFinding>;
};

/**
 * Another quota of a feature that the policy grants. Omitted fields stay as they are; `null` clears one.
 */
export type PolicyQuotaChangeRequest = {
    /**
     * The ID of the feature.
     */
    feature_id: string;
    /**
     * The quota. Without it, usage is counted but not limited.
     */
    max_consumptions?: number | null;
    /**
     * Overage of the quota: `deny`, the default; `allow`; or a limit above the quota, such as `10%`.
     */
    overage?: string | null;
};

/**
 * The licenses that a change of the policy would reach.
 */
export type PolicyReach = {
    /**
     * How many licenses are under the policy, without revoked ones. At most the newest 10,000 licenses are counted.
     */
    licenses: number;
    /**
     * Whether the policy has no more licenses than those that were counted.
     */
    is_complete: boolean;
    /**
     * The rules that would change; empty for a new policy.
     */
    changes: Array<PolicyRuleChange>;
};

/**
 * How calls of the past would have been decided under a changed policy.
 */
export type PolicyRehearsal = {
    /**
     * The ID of the policy: `pol_` and 26 characters.
     */
    policy_id: string;
    /**
     * Start of the window.
     */
    from: string;
    /**
     * End of the window.
     */
    to: string;
    /**
     * Calls before this time were not recorded, or are deleted. Activations are known from the events.
     */
    recorded_from: string;
    /**
     * The rules that would change.
     */
    rules: Array<RehearsedRule>;
    /**
     * How many licenses were rehearsed: those that are under the policy now, at most 1,000 in a response.
     */
    licenses: number;
    /**
     * The recorded calls: activations and deactivations, `validate`, `check` and `consume`, and those about floating seats.
     */
    calls: {
        /**
         * How many calls.
         */
        all: number;
        /**
         * How many would be granted as they were, or refused as they were.
         */
        same: number;
        /**
         * How many would be refused that were granted.
         */
        refused: number;
        /**
         * How many would be granted that were refused.
         */
        granted: number;
        /**
         * How many are not known.
         */
        unknown: number;
    };
    /**
     * Calls that would be refused, by the error code of the refusal.
     */
    refused: Array<RehearsedCode>;
    /**
     * Calls that would be granted, by the error code that they were refused with.
     */
    granted: Array<RehearsedCode>;
    /**
     * Calls that are not known, by reason.
     */
    unknown: Array<RehearsedUnknown>;
    /**
     * The licenses with calls that would be decided differently, in the order of IDs.
     */
    affected: Array<RehearsedLicense>;
    /**
     * More licenses follow: repeat the request with this as `after`, and add the numbers up. Absent at the end.
     */
    next_after?: string;
};

/**
 * The response, with the result in `data`.
 */
export type PolicyRehearsalAnswer = {
    /**
     * The requested resource.
     */
    data: PolicyRehearsal;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A change of a policy to try on the calls of a window of time.
 */
export type PolicyRehearsalRequest = {
    /**
     * The change, as for `PATCH /api/v1/policies/{id}`, and of quotas.
     */
    change: PolicyChangeRequest;
    /**
     * Start of the window, rounded down to the hour. Default: 30 days before `to`; at most 92 days before it.
     */
    from?: string;
    /**
     * End of the window, rounded up to the hour. Default: now.
     */
    to?: string;
    /**
     * Continues after this license: `next_after` of the response before.
     */
    after?: string;
};

/**
 * A rule that would change, and how many licenses it would not change for.
 */
export type PolicyRuleChange = {
    /**
     * The name of the rule.
     */
    name: string;
    /**
     * The value as it is; absent if there is no value.
     */
    before?: string | number | boolean;
    /**
     * The value as it would be; absent if there would be no value.
     */
    after?: string | number | boolean;
    /**
     * How many of the licenses have an override of the rule, and keep it.
     */
    overridden: number;
    /**
     * How many of the licenses use more than is served under the new value: they keep what they use, and new seats are refused. Only for the limits of devices, containers, floating seats and users, and for their overage.
     */
    beyond?: number;
};

/**
 * Changes of a policy. Omitted fields stay as they are.
 */
export type PolicyUpdateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name?: string;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code?: string;
    /**
     * Permanent, for a limited time, by subscription, as a trial, or by usage.
     */
    license_type?: LicenseType;
    /**
     * Device limit: how many devices may have a seat at the same time. Default: 1; 0 allows none.
     */
    max_activations?: number;
    /**
     * Minutes without a heartbeat after which a floating seat becomes free. Default: 10.
     */
    floating_timeout_minutes?: number;
    /**
     * Days after the expiration in which the license still works. Default: 0.
     */
    grace_period_days?: number;
    /**
     * Minutes that an app should wait between checks. Default: 1440, a day.
     */
    validation_interval_minutes?: number;
    /**
     * Tells apps to send heartbeats; your app enforces it. Default: `false`.
     */
    require_heartbeat?: boolean;
    /**
     * Whether devices may get an envelope for offline use. Default: `true`.
     */
    allow_offline_activation?: boolean;
    /**
     * Offline duration: days for which an envelope for offline use is valid. Default: 30.
     */
    offline_grace_days?: number;
    /**
     * Whether the license may be used in virtual machines. Default: `true`.
     */
    allow_vm?: boolean;
    /**
     * Whether the license may be used in containers. Default: `true`.
     */
    allow_container?: boolean;
    /**
     * How often the license may be transferred to another owner. Default: 3. Setting the first owner, or the same owner again, does not count.
     */
    max_transfers?: number;
    /**
     * How many floating seats may be in use at the same time. Without it, the license has none. `null` clears it.
     */
    max_floating_users?: number | null;
    /**
     * How many containers may have a seat at the same time. Without it, `max_activations` applies. `null` clears it.
     */
    max_container_instances?: number | null;
    /**
     * How long a license works, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` if the request omits it. `null` clears it.
     */
    duration?: string | null;
    /**
     * When durations start: at the `creation`, the default, or at the first activation, which starts the license. `null` clears it.
     */
    expiry_basis?: 'creation' | 'first_activation' | null;
    /**
     * How long a perpetual license covers new versions. Sets `maintenance_expires_at`. `null` clears it.
     */
    maintenance_duration?: string | null;
    /**
     * Device overage: `deny`, the default; `allow`; or a limit above the device limit, such as `10%`. `null` clears it.
     */
    activation_overage?: string | null;
    /**
     * Floating seat overage: `deny`, the default; `allow`; or a limit above the floating seats, such as `10%`. `null` clears it.
     */
    floating_overage?: string | null;
    /**
     * The unit of one floating seat: a `device`, the default, or each `process` on it, which sends its `process_id`. `null` clears it.
     */
    lease_unit?: LeaseUnit | null;
    /**
     * Whether licenses expire, have a grace period and are suspended together with their subscription. `null` clears it.
     */
    follows_subscription?: boolean | null;
    /**
     * How many `components` must match: `any`, `most`, `all`, or a number. `null` clears it.
     */
    component_match?: 'any' | 'most' | 'all' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | null;
    /**
     * Whether the holder of the license key may free the seats of other devices, and in the portal name devices, change the key and invite users. `null` clears it.
     */
    self_service?: boolean | null;
    /**
     * Self-service reset limit: how many seats of other devices may be freed in each `self_service_period`. `null` clears it.
     */
    max_self_service_resets?: number | null;
    /**
     * The period in UTC of the self-service reset limit. Default: `month`. `null` clears it.
     */
    self_service_period?: 'day' | 'week' | 'month' | 'year' | null;
    /**
     * Whether the owner of the license may transfer it to another email address in the portal. Default: `false`. `null` clears it.
     */
    self_service_transfer?: boolean | null;
    /**
     * How many days a file for an air-gapped machine is valid. Default: `offline_grace_days`. `null` clears it.
     */
    offline_file_days?: number | null;
    /**
     * Whether the seat of a released device stays taken until its offline files and envelopes have ended. Default: `false`. `null` clears it.
     */
    hold_offline_seats?: boolean | null;
    /**
     * Refund window: how many minutes after a usage event the device that made it may refund it. Without it, apps may not refund. `null` clears it.
     */
    refund_window_minutes?: number | null;
    /**
     * User limit: how many people may have a seat at the same time. Apps then sign people in. Without it, the license has no users. `null` clears it.
     */
    max_users?: number | null;
    /**
     * On how many devices one user may use the license at the same time. Without it, `max_activations` alone limits devices. `null` clears it.
     */
    max_devices_per_user?: number | null;
    /**
     * The mails that the service sends to the owners of licenses under the policy. Absent: none. Needs COUNTERSIGN_SMTP_URL. Bulk requests and imports send none. `null` clears it.
     */
    mails?: Array<PolicyMailKind> | null;
    /**
     * How many days before its expiry a license is announced as expiring, by the event `license.expiring` and by the mail `license_expiring`. Absent: the event 7 days before, and the mail 30, 7 and 1 days before. Up to 10 days. `null` clears it.
     */
    expiring_days?: Array<number> | null;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * `true` responds with the policy as it would be, and what the request would do in `dry_run`; nothing is written. Default: `false`.
     */
    dry_run?: boolean;
};

/**
 * The delivery of `policy.updated`.
 */
export type PolicyUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'policy.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'policy.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Policy;
};

/**
 * The policy as it is now, or as it would be after a request with `dry_run`.
 */
export type PolicyWritten = {
    /**
     * The ID of the policy: `pol_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code: string;
    /**
     * Permanent, for a limited time, by subscription, as a trial, or by usage.
     */
    license_type: LicenseType;
    /**
     * Device limit: how many devices may have a seat at the same time. Default: 1; 0 allows none.
     */
    max_activations: number;
    /**
     * Minutes without a heartbeat after which a floating seat becomes free. Default: 10.
     */
    floating_timeout_minutes: number;
    /**
     * Days after the expiration in which the license still works. Default: 0.
     */
    grace_period_days: number;
    /**
     * Minutes that an app should wait between checks. Default: 1440, a day.
     */
    validation_interval_minutes: number;
    /**
     * Tells apps to send heartbeats; your app enforces it. Default: `false`.
     */
    require_heartbeat: boolean;
    /**
     * Whether devices may get an envelope for offline use. Default: `true`.
     */
    allow_offline_activation: boolean;
    /**
     * Offline duration: days for which an envelope for offline use is valid. Default: 30.
     */
    offline_grace_days: number;
    /**
     * Whether the license may be used in virtual machines. Default: `true`.
     */
    allow_vm: boolean;
    /**
     * Whether the license may be used in containers. Default: `true`.
     */
    allow_container: boolean;
    /**
     * How often the license may be transferred to another owner. Default: 3. Setting the first owner, or the same owner again, does not count.
     */
    max_transfers: number;
    /**
     * How many floating seats may be in use at the same time. Without it, the license has none.
     */
    max_floating_users?: number;
    /**
     * How many containers may have a seat at the same time. Without it, `max_activations` applies.
     */
    max_container_instances?: number;
    /**
     * How long a license works, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` if the request omits it.
     */
    duration?: string;
    /**
     * When durations start: at the `creation`, the default, or at the first activation, which starts the license.
     */
    expiry_basis?: 'creation' | 'first_activation';
    /**
     * How long a perpetual license covers new versions. Sets `maintenance_expires_at`.
     */
    maintenance_duration?: string;
    /**
     * Device overage: `deny`, the default; `allow`; or a limit above the device limit, such as `10%`.
     */
    activation_overage?: string;
    /**
     * Floating seat overage: `deny`, the default; `allow`; or a limit above the floating seats, such as `10%`.
     */
    floating_overage?: string;
    /**
     * The unit of one floating seat: a `device`, the default, or each `process` on it, which sends its `process_id`.
     */
    lease_unit?: LeaseUnit;
    /**
     * Whether licenses expire, have a grace period and are suspended together with their subscription.
     */
    follows_subscription?: boolean;
    /**
     * How many `components` must match: `any`, `most`, `all`, or a number.
     */
    component_match?: 'any' | 'most' | 'all' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8';
    /**
     * Whether the holder of the license key may free the seats of other devices, and in the portal name devices, change the key and invite users.
     */
    self_service?: boolean;
    /**
     * Self-service reset limit: how many seats of other devices may be freed in each `self_service_period`.
     */
    max_self_service_resets?: number;
    /**
     * The period in UTC of the self-service reset limit. Default: `month`.
     */
    self_service_period?: 'day' | 'week' | 'month' | 'year';
    /**
     * Whether the owner of the license may transfer it to another email address in the portal. Default: `false`.
     */
    self_service_transfer?: boolean;
    /**
     * How many days a file for an air-gapped machine is valid. Default: `offline_grace_days`.
     */
    offline_file_days?: number;
    /**
     * Whether the seat of a released device stays taken until its offline files and envelopes have ended. Default: `false`.
     */
    hold_offline_seats?: boolean;
    /**
     * Refund window: how many minutes after a usage event the device that made it may refund it. Without it, apps may not refund.
     */
    refund_window_minutes?: number;
    /**
     * User limit: how many people may have a seat at the same time. Apps then sign people in. Without it, the license has no users.
     */
    max_users?: number;
    /**
     * On how many devices one user may use the license at the same time. Without it, `max_activations` alone limits devices.
     */
    max_devices_per_user?: number;
    /**
     * The mails that the service sends to the owners of licenses under the policy. Absent: none.
     */
    mails?: Array<PolicyMailKind>;
    /**
     * How many days before its expiry a license is announced as expiring, by the event `license.expiring` and by the mail `license_expiring`. Absent: the event 7 days before, and the mail 30, 7 and 1 days before.
     */
    expiring_days?: Array<number>;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
    /**
     * The counts of a policy.
     */
    counts?: PolicyCounts;
    /**
     * Only for a request with `dry_run`: nothing was written.
     */
    dry_run?: PolicyDryRun;
};

/**
 * The response, with the result in `data`.
 */
export type PolicyWrittenAnswer = {
    /**
     * The requested resource.
     */
    data: PolicyWritten;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Units of a metered feature that a customer owns. Its licenses, and those of customers that belong to it, share them in addition to their own.
 */
export type Pool = {
    /**
     * The ID of the pool: `pool_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the customer: `cus_` and 26 characters.
     */
    customer_id: string;
    /**
     * The ID of the feature: `feat_` and 26 characters.
     */
    feature_id: string;
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * How many decimal places the amounts of the feature have, up to 6. Amounts, quotas and counts of it are whole numbers of the smallest step everywhere: with 2, an amount of 150 is 1.50. Absent: none.
     */
    decimals?: number;
    /**
     * The number of units.
     */
    amount: number;
    /**
     * How many of them are used, by all licenses.
     */
    used: number;
    /**
     * How many of them are left. 0 once the pool has ended or is revoked.
     */
    remaining: number;
    /**
     * The most that one license takes of the pool. Without it, as much as there is.
     */
    max_per_license?: number;
    /**
     * The time from which the units can be used.
     */
    starts_at: string;
    /**
     * The time when the pool ends; absent if it does not end.
     */
    expires_at?: string;
    /**
     * Of two pools that end at the same time, the one with the lower priority is used first.
     */
    priority: number;
    /**
     * Your name of the pool, unique in the customer.
     */
    reference?: string;
    /**
     * The time of the revocation; absent if the pool is not revoked.
     */
    revoked_at?: string;
    /**
     * Time of the creation.
     */
    created_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type PoolAnswer = {
    /**
     * The requested resource.
     */
    data: Pool;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Units to give to a customer, for its licenses to share.
 */
export type PoolCreateRequest = {
    /**
     * The ID of the feature.
     */
    feature_id: string;
    /**
     * The number of units.
     */
    amount: number;
    /**
     * The most that one license takes of the pool. Without it, as much as there is.
     */
    max_per_license?: number;
    /**
     * The time from which the units can be used. Default: now.
     */
    starts_at?: string;
    /**
     * The time when the pool ends. Default: it does not end.
     */
    expires_at?: string;
    /**
     * Of two pools that end at the same time, the one with the lower priority is used first. Default: 100.
     */
    priority?: number;
    /**
     * Your name of the pool, such as the number of the order. Repeating a request with it returns the pool that is there, so that a repeated webhook gives once.
     */
    reference?: string;
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason?: string;
};

/**
 * A pool that the license shares, with its remaining units.
 */
export type PoolLeft = {
    /**
     * The ID of the pool: `pool_` and 26 characters.
     */
    pool_id: string;
    /**
     * How many units of it are left, for all licenses that share it.
     */
    remaining: number;
    /**
     * The time when it ends; absent if it does not end.
     */
    expires_at?: string;
};

/**
 * A page of a list, in `data`.
 */
export type PoolPage = {
    /**
     * The requested resource.
     */
    data: Array<Pool>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A link by which a customer signs in to the portal, once.
 */
export type PortalLink = {
    /**
     * The ID of the customer: `cus_` and 26 characters.
     */
    customer_id: string;
    /**
     * How a link reaches the customer. `mail`: in a mail to the address of the customer. `response`: in the response to this request alone, for you to hand over.
     */
    delivery: PortalLinkDelivery;
    /**
     * The address that the mail goes to; absent where no mail was asked for.
     */
    recipient?: string;
    /**
     * The link, which is shown only now; absent where it is mailed.
     */
    url?: string;
    /**
     * The end of the link: 15 minutes after it was made, or when it was used, or when a newer one was made. The 15 minutes of a mailed one begin when the mail server takes the mail, which may wait two hours.
     */
    expires_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type PortalLinkAnswer = {
    /**
     * The requested resource.
     */
    data: PortalLink;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * How a link into the portal reaches a customer.
 */
export type PortalLinkCreateRequest = {
    /**
     * How the link reaches the customer. Default: `mail`. `response` also needs the scope `license:write`, since who has the link may change license keys.
     */
    delivery?: PortalLinkDelivery;
};

/**
 * How a link reaches the customer. `mail`: in a mail to the address of the customer. `response`: in the response to this request alone, for you to hand over.
 */
export type PortalLinkDelivery = 'mail' | 'response';

/**
 * A link into the portal was made for a customer.
 */
export type PortalLinkEventData = {
    /**
     * The ID of the customer: `cus_` and 26 characters.
     */
    customer_id: string;
    /**
     * How a link reaches the customer. `mail`: in a mail to the address of the customer. `response`: in the response to this request alone, for you to hand over.
     */
    delivery: PortalLinkDelivery;
    /**
     * The end of the link, if it is not used before.
     */
    expires_at: string;
};

/**
 * The license that a price becomes.
 */
export type PriceMapping = {
    /**
     * The ID of the provider that is compared: that of a `price`, a `variant`, a `product` or a `payment_link`, or a value of the purchase's `metadata`.
     */
    by: MatchedBy;
    /**
     * The ID in the provider's system; of metadata, `key=value`.
     */
    value: string;
    /**
     * The name of the price, for people.
     */
    name?: string;
    /**
     * The policy that a license is issued under.
     */
    policy_id: string;
    /**
     * The meaning of the quantity. Default: `none`.
     */
    quantity?: QuantityMeaning;
};

/**
 * The policy for a price, and the meaning of its quantity.
 */
export type PriceMappingRequest = {
    /**
     * The ID of the provider that is compared: that of a `price`, a `variant`, a `product` or a `payment_link`, or a value of the purchase's `metadata`.
     */
    by: MatchedBy;
    /**
     * The ID in the provider's system; of metadata, `key=value`.
     */
    value: string;
    /**
     * The name of the price, for people.
     */
    name?: string;
    /**
     * The policy that a license is issued under.
     */
    policy_id: string;
    /**
     * The meaning of the quantity. Default: `none`.
     */
    quantity?: QuantityMeaning;
};

/**
 * A product that you sell licenses for.
 */
export type Product = {
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    id: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code: string;
    /**
     * Former codes of the product, newest first. They are aliases: an app that sends one is accepted. Absent if there are no former codes.
     */
    former_codes?: Array<string>;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
    /**
     * When apps last sent each of the `former_codes`. Check it before you retire one. Not in events.
     */
    former_code_uses?: Array<FormerCodeUse>;
    /**
     * The counts of a product.
     */
    counts?: ProductCounts;
};

/**
 * The response, with the result in `data`.
 */
export type ProductAnswer = {
    /**
     * The requested resource.
     */
    data: Product;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The counts of a product.
 */
export type ProductCounts = {
    /**
     * Number of policies.
     */
    policies: number;
    /**
     * Licenses, counted to 1,000. Absent for callers without `license:read`.
     */
    licenses?: CountedUpTo;
    /**
     * Licenses with a device that was seen within the last 30 days, counted to 1,000 among the 5,000 newest. Absent for callers without `license:read`.
     */
    licenses_in_use?: CountedUpTo;
    /**
     * The version that was released last; absent for a product without versions.
     */
    newest_version?: string;
};

/**
 * A product to create.
 */
export type ProductCreateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
     */
    code: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * The delivery of `product.created`.
 */
export type ProductCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'product.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'product.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Product;
};

/**
 * The delivery of `product.deleted`.
 */
export type ProductDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'product.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'product.deleted';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Product;
};

/**
 * The ID of the product: `prod_` and 26 characters. Later IDs sort after earlier ones.
 */
export type ProductId = string;

/**
 * A page of a list, in `data`.
 */
export type ProductPage = {
    /**
     * The requested resource.
     */
    data: Array<Product>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Changes of a product. Omitted fields stay as they are.
 */
export type ProductUpdateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name?: string;
    /**
     * A new code. The previous code stays an alias in `former_codes`, so that installed apps continue to work.
     */
    code?: string;
    /**
     * The former codes that stay aliases: some of those of the product, or none. Requests with a removed code are refused with PRODUCT_MISMATCH. Cannot be combined with a new `code`.
     */
    former_codes?: Array<string>;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * The delivery of `product.updated`.
 */
export type ProductUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'product.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'product.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Product;
};

/**
 * A version in the catalog of a product.
 */
export type ProductVersion = {
    /**
     * The ID of the version: `ver_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * The version, as apps send it in `app_version`.
     */
    version: string;
    /**
     * Release time of the version. Default: now.
     */
    released_at: string;
    /**
     * Links to the version, in the order in which customers see them: in the portal, where their license covers the version. Absent without any.
     */
    links?: Array<ProductVersionLink>;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type ProductVersionAnswer = {
    /**
     * The requested resource.
     */
    data: ProductVersion;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A version to add to the catalog of a product.
 */
export type ProductVersionCreateRequest = {
    /**
     * The version, as apps send it in `app_version`.
     */
    version: string;
    /**
     * Release time of the version. Default: now.
     */
    released_at?: string;
    /**
     * Links to the version, in the order in which customers see them: in the portal, where their license covers the version.
     */
    links?: Array<ProductVersionLinkRequest>;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * A place from which customers get the version.
 */
export type ProductVersionLink = {
    /**
     * The name of the link as customers see it, such as a platform.
     */
    label: string;
    /**
     * The address, over https. It is no secret: customers may pass it on.
     */
    url: string;
    /**
     * The SHA-256 of the file, in lower-case hex, for customers who compare it.
     */
    sha256?: string;
};

/**
 * A place from which customers get the version.
 */
export type ProductVersionLinkRequest = {
    /**
     * The name of the link as customers see it, such as a platform.
     */
    label: string;
    /**
     * The address, over https. It is no secret: customers may pass it on.
     */
    url: string;
    /**
     * The SHA-256 of the file, in lower-case hex, for customers who compare it.
     */
    sha256?: string;
};

/**
 * A page of a list, in `data`.
 */
export type ProductVersionPage = {
    /**
     * The requested resource.
     */
    data: Array<ProductVersion>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Changes of a version. Omitted fields stay as they are.
 */
export type ProductVersionUpdateRequest = {
    /**
     * The version, as apps send it in `app_version`.
     */
    version?: string;
    /**
     * Release time of the version. Default: now.
     */
    released_at?: string;
    /**
     * Links to the version, in the order in which customers see them: in the portal, where their license covers the version. They replace those that were there; an empty list takes them away.
     */
    links?: Array<ProductVersionLinkRequest>;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * An event with its audit path (RFC 6962): its leaf index is `sequence` - 1.
 */
export type ProvenEvent = {
    /**
     * An event of the feed.
     */
    event: Event;
    /**
     * 64 hexadecimal digits each, in RFC 6962 order.
     */
    hashes: Array<string>;
};

/**
 * A key that verifies signatures of the service (Ed25519, RFC 8032).
 */
export type PublicKey = {
    /**
     * The ID of the signing key.
     */
    kid: string;
    /**
     * The algorithm: Ed25519 (RFC 8032).
     */
    algorithm: 'Ed25519';
    /**
     * The public key, 32 bytes in base64.
     */
    public_key: string;
    /**
     * The current status.
     */
    status: 'active' | 'retired';
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * `true` if the key signs the list of keys (`endorsement`). An app that ships this key accepts new keys only from a list that one of its keys signed.
     */
    endorses?: boolean;
};

/**
 * The published keys, in `data`.
 */
export type PublicKeyList = {
    /**
     * The requested resource.
     */
    data: Array<PublicKey>;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
    /**
     * Keys that were revoked, if there are any: for checkpoints alone that were kept from before.
     */
    revoked?: Array<RevokedKey>;
    /**
     * The list of keys, signed by the keys: `data` in canonical bytes (RFC 8785).
     */
    endorsement?: KeyEndorsement;
};

/**
 * A key that is part of an app and only opens trials. It is not a secret.
 */
export type PublishableKey = {
    /**
     * The ID of the publishable key: `pub_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * The policy that trials are opened under.
     */
    policy_id: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * The key that the app sends. It is not a secret and is always shown.
     */
    key: string;
    /**
     * When it was revoked; absent while it works.
     */
    revoked_at?: string;
    /**
     * Time of the creation.
     */
    created_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type PublishableKeyAnswer = {
    /**
     * The requested resource.
     */
    data: PublishableKey;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A publishable key to create.
 */
export type PublishableKeyCreateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible. It is one line.
     */
    name: string;
    /**
     * A policy of the product, of `license_type` `trial` and with a `duration`.
     */
    policy_id: string;
};

/**
 * The delivery of `publishable_key.created`.
 */
export type PublishableKeyCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'publishable_key.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'publishable_key.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: PublishableKey;
};

/**
 * A page of a list, in `data`.
 */
export type PublishableKeyPage = {
    /**
     * The requested resource.
     */
    data: Array<PublishableKey>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `publishable_key.revoked`.
 */
export type PublishableKeyRevokedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'publishable_key.revoked';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'publishable_key.revoked';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: PublishableKey;
};

/**
 * A purchase at a payment provider, and the licenses that were issued for it.
 */
export type Purchase = {
    /**
     * The ID of the purchase: `pur_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the billing connection: `bcn_` and 26 characters.
     */
    connection_id: string;
    /**
     * The payment provider of a connection.
     */
    provider: BillingProvider;
    /**
     * Whether it is paid again and again, or once.
     */
    kind: 'subscription' | 'order';
    /**
     * The ID of the subscription or order at the provider.
     */
    external_id: string;
    /**
     * `new`: its events are being read. `done`: its licenses are as they should be. `waiting`: something of it cannot be done yet, for the reasons in `holds`. `failed`: it could not be done, for the reason in `failure`, and is tried again.
     */
    status: PurchaseStatus;
    /**
     * The state of the purchase, such as `active`, `past_due` or `paid`.
     */
    state?: string;
    /**
     * The state in the provider's words.
     */
    said?: string;
    /**
     * The items that were bought.
     */
    items: Array<PurchaseItem>;
    /**
     * The payer, as the provider names them.
     */
    payer: PurchasePayer;
    /**
     * The customer who pays. The licenses may belong to another one.
     */
    customer_id?: string;
    /**
     * End of the current period.
     */
    period_end?: string;
    /**
     * Time until which it is paid.
     */
    paid_through?: string;
    /**
     * Time at which it is going to end.
     */
    cancel_at?: string;
    /**
     * Time at which it ended.
     */
    ended_at?: string;
    /**
     * Whether the current payment was refunded.
     */
    refund: 'none' | 'partial' | 'full';
    /**
     * Whether a payment is disputed.
     */
    dispute: 'none' | 'open' | 'lost';
    /**
     * Whether its events leave open which of them is the last, or do not name all items. A reconciliation resolves it.
     */
    is_ambiguous: boolean;
    /**
     * The reasons why something of the purchase is not done yet.
     */
    holds: Array<PurchaseHold>;
    /**
     * Why a purchase could not be done.
     */
    failure?: PurchaseFailure;
    /**
     * How often it failed in a row.
     */
    attempts: number;
    /**
     * Time of the next attempt.
     */
    next_attempt_at?: string;
    /**
     * Time at which it was last read at the provider; absent if the connection has no API key, or it was never read.
     */
    read_at?: string;
    /**
     * Why the purchase was not read at its provider before its last look. Its events alone decided.
     */
    read_failure?: PurchaseReadFailure;
    /**
     * The licenses that were issued for it.
     */
    licenses: Array<PurchaseLicense>;
    /**
     * The units of metered features that were given for it; absent without any.
     */
    units?: Array<PurchaseUnits>;
    /**
     * Time of its last event, by the provider's clock.
     */
    last_event_at?: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type PurchaseAnswer = {
    /**
     * The requested resource.
     */
    data: Purchase;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `purchase.done`.
 */
export type PurchaseDoneDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'purchase.done';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'purchase.done';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: PurchaseEventData;
};

/**
 * An event of the payment provider about a purchase.
 */
export type PurchaseEvent = {
    /**
     * The ID of the event at the provider.
     */
    id: string;
    /**
     * The type of the event in the provider's words.
     */
    type: string;
    /**
     * Time of the event, by the provider's clock.
     */
    occurred_at: string;
    /**
     * Time at which it was received.
     */
    received_at: string;
    /**
     * The version of the provider's API that wrote it.
     */
    api_version?: string;
};

/**
 * The purchase as the event left it.
 */
export type PurchaseEventData = {
    /**
     * The ID of the purchase: `pur_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the billing connection: `bcn_` and 26 characters.
     */
    connection_id: string;
    /**
     * The payment provider of a connection.
     */
    provider: BillingProvider;
    /**
     * Whether it is paid again and again, or once.
     */
    kind: 'subscription' | 'order';
    /**
     * The ID of the subscription or order at the provider.
     */
    external_id: string;
    /**
     * `new`: its events are being read. `done`: its licenses are as they should be. `waiting`: something of it cannot be done yet, for the reasons in `holds`. `failed`: it could not be done, for the reason in `failure`, and is tried again.
     */
    status: PurchaseStatus;
    /**
     * The state of the purchase, such as `active`, `past_due` or `paid`.
     */
    state?: string;
    /**
     * The reasons why something of the purchase is not done yet.
     */
    holds: Array<PurchaseHold>;
    /**
     * Why a purchase could not be done.
     */
    failure?: PurchaseFailure;
    /**
     * The IDs of its licenses.
     */
    license_ids: Array<string>;
};

/**
 * The delivery of `purchase.failed`.
 */
export type PurchaseFailedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'purchase.failed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'purchase.failed';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: PurchaseEventData;
};

/**
 * Why a purchase could not be done.
 */
export type PurchaseFailure = {
    /**
     * The error code.
     */
    code: string;
    /**
     * The reason, for people.
     */
    message: string;
};

/**
 * Why something of a purchase waits.
 */
export type PurchaseHold = {
    /**
     * The reason, for programs.
     */
    code: string;
    /**
     * The reason, for people.
     */
    message: string;
    /**
     * The ID of the price, variant or product at the provider.
     */
    price?: string;
    /**
     * The name of the item at the provider.
     */
    name?: string;
};

/**
 * An item of a purchase.
 */
export type PurchaseItem = {
    /**
     * Number of the item within the purchase. An upgrade keeps it.
     */
    slot: number;
    /**
     * The ID of the price at the provider.
     */
    price?: string;
    /**
     * The ID of the variant at the provider.
     */
    variant?: string;
    /**
     * The ID of the product at the provider.
     */
    product?: string;
    /**
     * The name of the item at the provider.
     */
    name?: string;
    /**
     * How many were bought.
     */
    quantity: number;
    /**
     * Time at which the item was removed from the purchase.
     */
    dropped_at?: string;
};

/**
 * A license that was issued for a purchase.
 */
export type PurchaseLicense = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The item that the license is for.
     */
    item: string;
    /**
     * Number of the license, where the quantity is a number of licenses; otherwise 0.
     */
    index: number;
    /**
     * Why the purchase suspended the license; absent while it did not.
     */
    stopped?: string;
    /**
     * `true` if a later purchase of the same customer took over the license.
     */
    adopted?: boolean;
};

/**
 * A note about a purchase that changes nothing.
 */
export type PurchaseNote = {
    /**
     * The note, for programs.
     */
    note: string;
    /**
     * Time, by the provider's clock.
     */
    at: string;
    /**
     * More about it.
     */
    detail?: string;
    /**
     * The ID of the event at the provider.
     */
    event_id: string;
};

/**
 * A decision about the licenses of a purchase that belong to another owner than who pays.
 */
export type PurchaseOwnerRequest = {
    /**
     * `follow` transfers the licenses to the customer who pays. `issue` leaves them to their owner until the end of what is paid, and issues others to the customer who pays. `keep` leaves them to their owner, for whom the customer pays.
     */
    owner: 'follow' | 'issue' | 'keep';
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason?: string;
};

/**
 * A page of a list, in `data`.
 */
export type PurchasePage = {
    /**
     * The requested resource.
     */
    data: Array<Purchase>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The payer, as the provider names them.
 */
export type PurchasePayer = {
    /**
     * The ID of the customer at the provider.
     */
    id?: string;
    /**
     * The email address.
     */
    email?: string;
    /**
     * The name.
     */
    name?: string;
};

/**
 * Why the purchase was not read at its provider before its last look. Its events alone decided.
 */
export type PurchaseReadFailure = {
    /**
     * The reason, for programs.
     */
    code: string;
    /**
     * The reason, for people.
     */
    message: string;
};

/**
 * The state of a purchase at its provider: of a subscription its status, and of what is paid once `pending`, `failed` or `paid`.
 */
export type PurchaseState = 'future' | 'incomplete' | 'trialing' | 'active' | 'past_due' | 'unpaid' | 'paused' | 'incomplete_expired' | 'canceled' | 'pending' | 'failed' | 'paid';

/**
 * `new`: its events are being read. `done`: its licenses are as they should be. `waiting`: something of it cannot be done yet, for the reasons in `holds`. `failed`: it could not be done, for the reason in `failure`, and is tried again.
 */
export type PurchaseStatus = 'new' | 'done' | 'waiting' | 'failed';

/**
 * Units of a metered feature that were given for a payment.
 */
export type PurchaseUnits = {
    /**
     * The ID of the grant of the license, or of the pool of the customer.
     */
    grant_id: string;
    /**
     * The license that has the units; absent if the customer has them.
     */
    license_id?: string;
    /**
     * The customer who has the units; absent if a license has them.
     */
    customer_id?: string;
    /**
     * The ID of the feature: `feat_` and 26 characters.
     */
    feature_id: string;
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * The number of units that were given.
     */
    amount: number;
    /**
     * The ID of what was paid at the provider: of the invoice, the payment, the order or the subscription.
     */
    paid_by: string;
    /**
     * `true` if they were revoked because the payment was refunded. Used units stay used.
     */
    revoked?: boolean;
};

/**
 * The delivery of `purchase.waiting`.
 */
export type PurchaseWaitingDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'purchase.waiting';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'purchase.waiting';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: PurchaseEventData;
};

/**
 * A purchase with the events that it was read from.
 */
export type PurchaseWithEvents = {
    /**
     * The ID of the purchase: `pur_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the billing connection: `bcn_` and 26 characters.
     */
    connection_id: string;
    /**
     * The payment provider of a connection.
     */
    provider: BillingProvider;
    /**
     * Whether it is paid again and again, or once.
     */
    kind: 'subscription' | 'order';
    /**
     * The ID of the subscription or order at the provider.
     */
    external_id: string;
    /**
     * `new`: its events are being read. `done`: its licenses are as they should be. `waiting`: something of it cannot be done yet, for the reasons in `holds`. `failed`: it could not be done, for the reason in `failure`, and is tried again.
     */
    status: PurchaseStatus;
    /**
     * The state of the purchase, such as `active`, `past_due` or `paid`.
     */
    state?: string;
    /**
     * The state in the provider's words.
     */
    said?: string;
    /**
     * The items that were bought.
     */
    items: Array<PurchaseItem>;
    /**
     * The payer, as the provider names them.
     */
    payer: PurchasePayer;
    /**
     * The customer who pays. The licenses may belong to another one.
     */
    customer_id?: string;
    /**
     * End of the current period.
     */
    period_end?: string;
    /**
     * Time until which it is paid.
     */
    paid_through?: string;
    /**
     * Time at which it is going to end.
     */
    cancel_at?: string;
    /**
     * Time at which it ended.
     */
    ended_at?: string;
    /**
     * Whether the current payment was refunded.
     */
    refund: 'none' | 'partial' | 'full';
    /**
     * Whether a payment is disputed.
     */
    dispute: 'none' | 'open' | 'lost';
    /**
     * Whether its events leave open which of them is the last, or do not name all items. A reconciliation resolves it.
     */
    is_ambiguous: boolean;
    /**
     * The reasons why something of the purchase is not done yet.
     */
    holds: Array<PurchaseHold>;
    /**
     * Why a purchase could not be done.
     */
    failure?: PurchaseFailure;
    /**
     * How often it failed in a row.
     */
    attempts: number;
    /**
     * Time of the next attempt.
     */
    next_attempt_at?: string;
    /**
     * Time at which it was last read at the provider; absent if the connection has no API key, or it was never read.
     */
    read_at?: string;
    /**
     * Why the purchase was not read at its provider before its last look. Its events alone decided.
     */
    read_failure?: PurchaseReadFailure;
    /**
     * The licenses that were issued for it.
     */
    licenses: Array<PurchaseLicense>;
    /**
     * The units of metered features that were given for it; absent without any.
     */
    units?: Array<PurchaseUnits>;
    /**
     * Time of its last event, by the provider's clock.
     */
    last_event_at?: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
    /**
     * The last 500 events of the purchase, in the order of the provider's clock.
     */
    events: Array<PurchaseEvent>;
    /**
     * Notes about the purchase that change nothing.
     */
    notes: Array<PurchaseNote>;
};

/**
 * The response, with the result in `data`.
 */
export type PurchaseWithEventsAnswer = {
    /**
     * The requested resource.
     */
    data: PurchaseWithEvents;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The purchases at payment providers, and what they give.
 */
export type PurchasesReport = {
    /**
     * Identifies the format of the report. It changes with every incompatible change of the format.
     */
    schema: 'countersign/report/purchases/v1';
    /**
     * The type of report.
     */
    report_kind: 'purchases';
    /**
     * The filters as applied, with all defaults.
     */
    filters: {
        /**
         * Start of the window, inclusive.
         */
        from: string;
        /**
         * End of the window, exclusive.
         */
        to: string;
        /**
         * Only what belongs to this billing connection.
         */
        connection_id?: string;
        /**
         * Only purchases with this status.
         */
        status?: PurchaseStatus;
        /**
         * Only purchases in this state.
         */
        state?: PurchaseState;
        /**
         * Only what belongs to this product.
         */
        product_id?: string;
        /**
         * Only what belongs to this customer.
         */
        customer_id?: string;
        /**
         * The products in the report, if the API key is limited to products.
         */
        product_ids?: Array<string>;
    };
    /**
     * The totals of the report.
     */
    summary: {
        /**
         * Number of purchases.
         */
        purchases: number;
        /**
         * Number of licenses that they give.
         */
        licenses: number;
        /**
         * Number of purchases in each state; without `state`, those that have none yet.
         */
        states: Array<{
            /**
             * The state of a purchase at its provider: of a subscription its status, and of what is paid once `pending`, `failed` or `paid`.
             */
            state?: PurchaseState;
            /**
             * The number of them.
             */
            count: number;
        }>;
        /**
         * Number of purchases with each status.
         */
        statuses: Array<{
            /**
             * `new`: its events are being read. `done`: its licenses are as they should be. `waiting`: something of it cannot be done yet, for the reasons in `holds`. `failed`: it could not be done, for the reason in `failure`, and is tried again.
             */
            status: PurchaseStatus;
            /**
             * The number of them.
             */
            count: number;
        }>;
    };
    /**
     * The rows.
     */
    rows: Array<{
        /**
         * Time at which the purchase began.
         */
        began_at: string;
        /**
         * The products of its licenses, separated by commas.
         */
        product_name?: string;
        /**
         * The policies of its licenses, separated by commas.
         */
        policy_name?: string;
        /**
         * How many were bought, over all items that were not removed.
         */
        quantity: number;
        /**
         * Number of licenses that it gives. One that a later purchase took over counts there.
         */
        licenses: number;
        /**
         * The state of a purchase at its provider: of a subscription its status, and of what is paid once `pending`, `failed` or `paid`.
         */
        state?: PurchaseState;
        /**
         * `new`: its events are being read. `done`: its licenses are as they should be. `waiting`: something of it cannot be done yet, for the reasons in `holds`. `failed`: it could not be done, for the reason in `failure`, and is tried again.
         */
        status: PurchaseStatus;
        /**
         * Whether the current payment was refunded.
         */
        refund: 'none' | 'partial' | 'full';
        /**
         * Whether a payment is disputed.
         */
        dispute: 'none' | 'open' | 'lost';
        /**
         * The amount of the last payment, in the provider's unit of the currency.
         */
        paid?: string;
        /**
         * The amount of all refunds, in the provider's unit of the currency.
         */
        refunded?: string;
        /**
         * The currency of the amounts, as the provider writes it.
         */
        currency?: string;
        /**
         * Time until which it is paid.
         */
        paid_through?: string;
        /**
         * Time at which it ended, or is going to end.
         */
        ends_at?: string;
        /**
         * The payment provider of a connection.
         */
        provider: BillingProvider;
        /**
         * The display name, 1 to 255 characters; at least one of them is visible.
         */
        connection_name: string;
        /**
         * The ID of the subscription or order at the provider.
         */
        external_id: string;
        /**
         * The ID of the customer at the provider. Omitted while the purchase has no customer.
         */
        payer_id?: string;
        /**
         * The ID of the customer: `cus_` and 26 characters.
         */
        customer_id?: string;
        /**
         * The IDs of its licenses, separated by spaces, at most 100.
         */
        license_ids?: string;
        /**
         * The ID of the purchase: `pur_` and 26 characters.
         */
        id: string;
    }>;
    /**
     * Number of rows; an export has them all.
     */
    total_rows: number;
    /**
     * Whether there are more rows than in this response.
     */
    truncated: boolean;
};

/**
 * The response, with the result in `data`.
 */
export type PurchasesReportAnswer = {
    /**
     * The requested resource.
     */
    data: PurchasesReport;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The meaning of the quantity that was bought: the device limit of the license (`seats`), its floating seats (`floating_seats`), its seats for people (`users`), as many `licenses`, or nothing (`none`).
 */
export type QuantityMeaning = 'seats' | 'floating_seats' | 'users' | 'licenses' | 'none';

/**
 * When a quota resets, in UTC: each `day`, `week` (from Monday), `month` or `year` of the calendar; each month of the license from its start; or each period of its subscription.
 */
export type QuotaPeriod = 'day' | 'week' | 'month' | 'year' | 'license_month' | 'subscription';

/**
 * How much of the quota that is unused at the end of a period can be used later: at most `cap` units of each period, for `periods` more. Default: none. Needs a `period` other than `subscription`.
 */
export type QuotaRollover = {
    /**
     * The most units that are carried from one period.
     */
    cap: number;
    /**
     * For how many periods after it they can be used.
     */
    periods: number;
};

/**
 * How much of the quota that is unused at the end of a period can be used later: at most `cap` units of each period, for `periods` more. Default: none. Needs a `period` other than `subscription`.
 */
export type QuotaRolloverRequest = {
    /**
     * The most units that are carried from one period.
     */
    cap: number;
    /**
     * For how many periods after it they can be used.
     */
    periods: number;
};

/**
 * A license has used a share of a quota, or has no more units left, that its policy names.
 */
export type QuotaThresholdEventData = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    device_id?: string;
    /**
     * The ID of the feature: `feat_` and 26 characters.
     */
    feature_id: string;
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * The percentage of `quota_thresholds` that was reached.
     */
    percentage?: number;
    /**
     * The units of `remaining_thresholds` that were reached. Either this or `percentage`.
     */
    remaining_threshold?: number;
    /**
     * How many decimal places the amounts of the feature have, up to 6. Amounts, quotas and counts of it are whole numbers of the smallest step everywhere: with 2, an amount of 150 is 1.50. Absent: none.
     */
    decimals?: number;
    /**
     * The quota, with grants.
     */
    max_consumptions: number;
    /**
     * Current usage, including this call.
     */
    used: number;
    /**
     * How much of the quota is left.
     */
    remaining: number;
    /**
     * The period after which the quota resets.
     */
    period?: QuotaPeriod;
    /**
     * When the period of the quota began.
     */
    period_start?: string;
    /**
     * The time of the next reset of the quota.
     */
    period_ends_at?: string;
};

/**
 * The response, with the result in `data`.
 */
export type ReadyAnswer = {
    /**
     * The requested resource.
     */
    data: ReadyData;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Whether this node accepts traffic.
 */
export type ReadyData = {
    /**
     * Whether this node accepts traffic.
     */
    status: 'ready' | 'not_ready';
    /**
     * State of the database: `ok` or `unavailable`.
     */
    db: string;
    /**
     * `starting`, `ready`, or `draining` before the service stops.
     */
    phase: 'starting' | 'ready' | 'draining';
    /**
     * The reason why it is not ready, if `phase` and `db` do not show it. While it is ready: the disk of the embedded database is nearly full.
     */
    reason?: string;
};

/**
 * The reason for the action. The reason and the whole body are optional.
 */
export type ReasonRequest = {
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason?: string;
};

/**
 * An action that can require a reason, by the kind of its event.
 */
export type ReasonedAction = 'license.suspended' | 'license.reinstated' | 'license.revoked' | 'license.renewed' | 'license.transferred' | 'license.policy_changed' | 'license.key_rotated' | 'license.usage_reset' | 'device.reset' | 'device.blacklisted' | 'lease.checked_in' | 'customer.erased' | 'api_key.revoked' | 'person.removed';

/**
 * A comparison of the purchases of a connection with those of its payment provider.
 */
export type Reconciliation = {
    /**
     * The ID of the reconciliation: `rcn_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the billing connection: `bcn_` and 26 characters.
     */
    connection_id: string;
    /**
     * Whether differences are reported and not fixed.
     */
    dry_run: boolean;
    /**
     * `queued`: it waits for its turn, or for the provider. `running`: the lists of the provider are read. `done`: all of them were read. `failed`: it ended early, for the reason in `failure`.
     */
    status: ReconciliationStatus;
    /**
     * How many pages of the provider's lists were read so far.
     */
    pages: number;
    /**
     * How many purchases were the same here.
     */
    same: number;
    /**
     * How many purchases were not known here.
     */
    missing: number;
    /**
     * How many purchases were other ones here.
     */
    differs: number;
    /**
     * How many purchases are known here, and not in the lists of the provider.
     */
    unknown: number;
    /**
     * Why a reconciliation ended early, or waits.
     */
    failure?: ReconciliationFailure;
    /**
     * Time of the next attempt, where it waits for the provider.
     */
    next_attempt_at?: string;
    /**
     * The ID of the API key that requested it.
     */
    created_by: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
    /**
     * Time at which it ended.
     */
    finished_at?: string;
};

/**
 * The response, with the result in `data`.
 */
export type ReconciliationAnswer = {
    /**
     * The requested resource.
     */
    data: Reconciliation;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A reconciliation to run.
 */
export type ReconciliationCreateRequest = {
    /**
     * `true` reports differences and fixes none, and says of each purchase that is missing what would become of it. Default: `false`.
     */
    dry_run?: boolean;
};

/**
 * Why a reconciliation ended early, or waits.
 */
export type ReconciliationFailure = {
    /**
     * The reason, for programs.
     */
    code: string;
    /**
     * The reason, for people.
     */
    message: string;
};

/**
 * A purchase that was another one here than at its provider.
 */
export type ReconciliationFinding = {
    /**
     * `missing`: the provider has a purchase that was not known here. `differs`: it was another one here, in `fields`. `unknown`: it is known here, and not in the lists of the provider; nothing is changed for that.
     */
    finding: ReconciliationFindingKind;
    /**
     * Whether it is paid again and again, or once.
     */
    kind: 'subscription' | 'order';
    /**
     * The ID of the subscription or order at the provider.
     */
    external_id: string;
    /**
     * The ID of the purchase: `pur_` and 26 characters.
     */
    purchase_id?: string;
    /**
     * The fields of the purchase that differed.
     */
    fields: Array<string>;
    /**
     * The outcome that a dry run foresees of a purchase.
     */
    foreseen?: ReconciliationForeseen;
};

/**
 * `missing`: the provider has a purchase that was not known here. `differs`: it was another one here, in `fields`. `unknown`: it is known here, and not in the lists of the provider; nothing is changed for that.
 */
export type ReconciliationFindingKind = 'missing' | 'differs' | 'unknown';

/**
 * The outcome that a dry run foresees of a purchase.
 */
export type ReconciliationForeseen = {
    /**
     * `takes_over`: licenses that are there become those of the purchase. `issues`: it gets new licenses. `doubles`: it gets new licenses, although the customer has others of the product that work and that no purchase pays for. `waits`: for what `holds` says. `fails`: for the reason in `failure`. `nothing`: no license follows from it.
     */
    outcome: ReconciliationOutcome;
    /**
     * The licenses that it would take over; of `doubles`, those that the customer has already, at most 20.
     */
    license_ids: Array<string>;
    /**
     * How many licenses it would get.
     */
    issued: number;
    /**
     * The units that it would give; absent without any.
     */
    units?: Array<ForeseenUnits>;
    /**
     * The reasons why it would wait.
     */
    holds: Array<PurchaseHold>;
    /**
     * Why the purchase would fail.
     */
    failure?: ForeseenFailure;
};

/**
 * Only of a dry run that has found purchases which are not known here: how many have each outcome.
 */
export type ReconciliationForeseenCounts = {
    /**
     * How many purchases have the outcome `takes_over`.
     */
    takes_over: number;
    /**
     * How many purchases have the outcome `issues`.
     */
    issues: number;
    /**
     * How many purchases have the outcome `doubles`.
     */
    doubles: number;
    /**
     * How many purchases have the outcome `waits`.
     */
    waits: number;
    /**
     * How many purchases have the outcome `fails`.
     */
    fails: number;
    /**
     * How many purchases have the outcome `nothing`.
     */
    nothing: number;
};

/**
 * A whole list, in `data`.
 */
export type ReconciliationList = {
    /**
     * The requested resource.
     */
    data: Array<Reconciliation>;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * `takes_over`: licenses that are there become those of the purchase. `issues`: it gets new licenses. `doubles`: it gets new licenses, although the customer has others of the product that work and that no purchase pays for. `waits`: for what `holds` says. `fails`: for the reason in `failure`. `nothing`: no license follows from it.
 */
export type ReconciliationOutcome = 'takes_over' | 'issues' | 'doubles' | 'waits' | 'fails' | 'nothing';

/**
 * `queued`: it waits for its turn, or for the provider. `running`: the lists of the provider are read. `done`: all of them were read. `failed`: it ended early, for the reason in `failure`.
 */
export type ReconciliationStatus = 'queued' | 'running' | 'done' | 'failed';

/**
 * A comparison of the purchases of a connection with those of its payment provider, and what it found.
 */
export type ReconciliationWithFindings = {
    /**
     * The ID of the reconciliation: `rcn_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the billing connection: `bcn_` and 26 characters.
     */
    connection_id: string;
    /**
     * Whether differences are reported and not fixed.
     */
    dry_run: boolean;
    /**
     * `queued`: it waits for its turn, or for the provider. `running`: the lists of the provider are read. `done`: all of them were read. `failed`: it ended early, for the reason in `failure`.
     */
    status: ReconciliationStatus;
    /**
     * How many pages of the provider's lists were read so far.
     */
    pages: number;
    /**
     * How many purchases were the same here.
     */
    same: number;
    /**
     * How many purchases were not known here.
     */
    missing: number;
    /**
     * How many purchases were other ones here.
     */
    differs: number;
    /**
     * How many purchases are known here, and not in the lists of the provider.
     */
    unknown: number;
    /**
     * Why a reconciliation ended early, or waits.
     */
    failure?: ReconciliationFailure;
    /**
     * Time of the next attempt, where it waits for the provider.
     */
    next_attempt_at?: string;
    /**
     * The ID of the API key that requested it.
     */
    created_by: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
    /**
     * Time at which it ended.
     */
    finished_at?: string;
    /**
     * Only of a dry run that has found purchases which are not known here: how many have each outcome.
     */
    foreseen?: ReconciliationForeseenCounts;
    /**
     * The findings, at most 500, in the order of the IDs; of more, those first that would double a license, wait or fail.
     */
    findings: Array<ReconciliationFinding>;
};

/**
 * The response, with the result in `data`.
 */
export type ReconciliationWithFindingsAnswer = {
    /**
     * The requested resource.
     */
    data: ReconciliationWithFindings;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A signed response: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type RefundAnswer = {
    /**
     * The requested resource.
     */
    data: RuntimeRefundResponseData;
    /**
     * An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A usage event of this device to refund, whole or in part.
 */
export type RefundOwnUsageRequest = {
    /**
     * Identifies this machine; your app computes it. Surrounding spaces are ignored. Required unless `is_container` is true.
     */
    fingerprint?: string;
    /**
     * The name of the machine.
     */
    hostname?: string;
    /**
     * The operating system.
     */
    os?: string;
    /**
     * Hashes of what the machine is made of, by names such as `board`, `disk` or `network`: at most 8, of up to 32 lower-case letters, digits, `_` and `-`. Where the terms have `component_match`, activate and checkout know a device of the license by them whose fingerprint has changed; without it they are not stored.
     */
    components?: DeviceComponents;
    /**
     * Whether the machine is virtual; a policy may refuse virtual machines. Default: `false`.
     */
    is_vm?: boolean;
    /**
     * Whether the app runs in a container. A container is identified by `cluster_id`, `namespace`, `pod_name` and `container_id`; at least one is required.
     */
    is_container?: boolean;
    /**
     * The ID of the container in its runtime.
     */
    container_id?: string;
    /**
     * The cluster that the container runs in.
     */
    cluster_id?: string;
    /**
     * The namespace that the container runs in.
     */
    namespace?: string;
    /**
     * The pod that the container belongs to.
     */
    pod_name?: string;
    /**
     * The version of the app, in the vendor's format. The response then includes whether the license covers it.
     */
    app_version?: string;
    /**
     * The code, or a former code, of the product that the app belongs to. A license of another product is refused. The response names the product by this code.
     */
    product_code?: string;
    /**
     * The `user_token` of the person who is signed in. Required if the license has users (`max_users`); without them it has no effect.
     */
    user_token?: string;
    /**
     * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Alternative: the header x-nonce.
     */
    nonce?: string;
    /**
     * The code of the feature that was consumed.
     */
    feature_code: string;
    /**
     * Your ID of the usage event to refund.
     */
    event_id: string;
    /**
     * How much to refund. Default: all that is not refunded yet.
     */
    amount?: number;
};

/**
 * The decision of the service about a request of an app, and the request that it is bound to.
 */
export type RefusalStatement = {
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The type.
     */
    type: 'refusal';
    /**
     * The `code` of the error.
     */
    code: string;
    /**
     * The `detail` of the error.
     */
    detail?: string;
    /**
     * The license; absent if the key is unknown.
     */
    license_id?: string;
    /**
     * SHA-256, in hex, of the license key as it was sent; of a trial, of the publishable key.
     */
    credential_hash: string;
    /**
     * The device of the request, as responses identify it; absent if the request has none.
     */
    fingerprint_hash?: string;
    /**
     * The nonce of the request.
     */
    nonce?: string;
    /**
     * SHA-256, in hex, of: the method, a space, the path with its query, a line feed, and the body as sent.
     */
    request_hash: string;
    /**
     * Time of the signature.
     */
    issued_at: string;
};

/**
 * The way in that was tried: as `SignInMethod`, or a `token` in the console.
 */
export type RefusedSignInMethod = 'invitation' | 'openid_connect' | 'passkey' | 'token';

/**
 * Why it is not known how calls would be decided. `not_recorded`: the service did not record calls then. `between`: the calls are between two of the same hour that would be decided differently. `earlier_call`: an earlier call about a seat of the license is not known. `floating_seats`: the records do not name the holder of such a seat, because processes or people hold them, or it would have become free at just that time. `users`: the license has those, and it is not recorded who was signed in, several were, or people may have had a seat who asked in vain. `many_calls`: the license has too many records. `many_devices`: the devices are too many for records of each. `not_reproduced`: the records do not explain the response, for example because a seat was taken from another device. `start`: the license would start at another time. `usage`: another amount of a quota would be left, which may decide either way.
 */
export type RehearsalUnknownReason = 'not_recorded' | 'between' | 'earlier_call' | 'floating_seats' | 'many_calls' | 'many_devices' | 'not_reproduced' | 'start' | 'usage' | 'users';

/**
 * Calls that would be decided differently, by error code.
 */
export type RehearsedCode = {
    /**
     * The error code: of the refusal that would be new, or of the one that there was.
     */
    code: string;
    /**
     * How many licenses.
     */
    licenses: number;
    /**
     * How many devices.
     */
    devices: number;
    /**
     * How many calls.
     */
    calls: number;
};

/**
 * A license with calls that would be decided differently.
 */
export type RehearsedLicense = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * How many devices would be refused or granted calls.
     */
    devices: number;
    /**
     * How many calls would be refused that were granted.
     */
    refused: number;
    /**
     * How many calls would be granted that were refused.
     */
    granted: number;
    /**
     * How many calls are not known.
     */
    unknown: number;
    /**
     * The error codes of these calls.
     */
    codes: Array<string>;
};

/**
 * A rule that would change.
 */
export type RehearsedRule = {
    /**
     * The name of the rule.
     */
    name: string;
    /**
     * The feature whose quota it is about; absent of a rule of the policy.
     */
    feature_code?: string;
    /**
     * The value as it is; absent if there is no value.
     */
    before?: string | number | boolean;
    /**
     * The value as it would be; absent if there would be no value.
     */
    after?: string | number | boolean;
    /**
     * Whether the rehearsal applies it. Other rules decide none of the recorded calls, or nothing that the records say.
     */
    is_rehearsed: boolean;
};

/**
 * Calls of which it is not known how they would be decided.
 */
export type RehearsedUnknown = {
    /**
     * Why it is not known how calls would be decided. `not_recorded`: the service did not record calls then. `between`: the calls are between two of the same hour that would be decided differently. `earlier_call`: an earlier call about a seat of the license is not known. `floating_seats`: the records do not name the holder of such a seat, because processes or people hold them, or it would have become free at just that time. `users`: the license has those, and it is not recorded who was signed in, several were, or people may have had a seat who asked in vain. `many_calls`: the license has too many records. `many_devices`: the devices are too many for records of each. `not_reproduced`: the records do not explain the response, for example because a seat was taken from another device. `start`: the license would start at another time. `usage`: another amount of a quota would be left, which may decide either way.
     */
    reason: RehearsalUnknownReason;
    /**
     * How many licenses.
     */
    licenses: number;
    /**
     * How many devices; absent if that is not known.
     */
    devices?: number;
    /**
     * How many calls; absent if that is not known.
     */
    calls?: number;
};

/**
 * The length of a bucket: an hour, a day, a week from Monday, a month or a year, all in UTC.
 */
export type ReportBucket = '1h' | '1d' | '1w' | '1mo' | '1y';

/**
 * A report exported to a signed file.
 */
export type ReportExport = {
    /**
     * The ID of the export: `rptx_` and 26 characters. Later IDs sort after earlier ones.
     */
    id: ReportExportId;
    /**
     * Which report.
     */
    report_kind: ReportKind;
    /**
     * The format of the download.
     */
    format: ReportFormat;
    /**
     * Only a ready export can be downloaded; of an expired one the digests and the manifest are left.
     */
    status: ReportExportStatus;
    /**
     * The filters of the request. Defaults are filled in when the data is read.
     */
    filters: {
        [key: string]: unknown;
    };
    /**
     * The products in the report, if the API key that created it was limited to products. Absent: all products.
     */
    product_ids?: Array<ProductId>;
    /**
     * The time zone of the request.
     */
    time_zone?: string;
    /**
     * The progress of the export.
     */
    progress: {
        /**
         * Rows written so far.
         */
        rows: number;
        /**
         * Number of rows, once they are counted.
         */
        total?: number;
    };
    /**
     * The sequence number of the last event that the report includes.
     */
    as_of_sequence?: number;
    /**
     * The newest signed checkpoint of the event feed.
     */
    checkpoint?: ReportExportCheckpoint;
    /**
     * SHA-256 of the frozen snapshot.
     */
    digest?: string;
    /**
     * SHA-256 of the file.
     */
    artifact_digest?: string;
    /**
     * Bytes of the file.
     */
    artifact_size?: number;
    /**
     * The media type of the file.
     */
    content_type: string;
    /**
     * The name of the downloaded file.
     */
    file_name: string;
    /**
     * Why an export failed.
     */
    failure?: ReportExportFailure;
    /**
     * The ID of the API key that requested it.
     */
    created_by: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
    /**
     * Time of the data in the report.
     */
    frozen_at?: string;
    /**
     * Time when the file was ready.
     */
    ready_at?: string;
    /**
     * Time when the file is removed. The digests and the manifest remain.
     */
    expires_at?: string;
    /**
     * Why the file is gone: its time was over, or a customer whose name or address it held was erased.
     */
    expired_reason?: ReportExportExpiredReason;
    /**
     * URL of the file; the download needs an API key.
     */
    download_url: string;
};

/**
 * The response, with the result in `data`.
 */
export type ReportExportAnswer = {
    /**
     * The requested resource.
     */
    data: ReportExport;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The newest signed checkpoint of the event feed.
 */
export type ReportExportCheckpoint = {
    /**
     * Number of events that the tree covers.
     */
    tree_size: number;
    /**
     * The root of the tree, 64 hexadecimal digits.
     */
    root_hash: string;
};

/**
 * A report to export to a signed file.
 */
export type ReportExportCreateRequest = {
    /**
     * Which report.
     */
    report_kind: ReportKind;
    /**
     * The format of the download. Default: `json`.
     */
    format?: ReportFormat;
    /**
     * The reader's time zone, by its IANA name. PDF files show times in it instead of UTC, and CSV files get an additional column for each time. Windows and buckets do not change.
     */
    time_zone?: string;
    /**
     * The query parameters of the report, without `limit` and `cursor`: an export has every row.
     */
    filters?: {
        [key: string]: unknown;
    };
};

/**
 * The delivery of `report_export.created`.
 */
export type ReportExportCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'report_export.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'report_export.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: ReportExport;
};

/**
 * The delivery of `report_export.downloaded`.
 */
export type ReportExportDownloadedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'report_export.downloaded';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'report_export.downloaded';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: ReportExport;
};

/**
 * Why the file is gone: its time was over, or a customer whose name or address it held was erased.
 */
export type ReportExportExpiredReason = 'retention' | 'customer_erased';

/**
 * The delivery of `report_export.failed`.
 */
export type ReportExportFailedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'report_export.failed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'report_export.failed';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: ReportExport;
};

/**
 * Why an export failed.
 */
export type ReportExportFailure = {
    /**
     * The cause of the failure, for programs.
     */
    code: string;
    /**
     * The message for people. The wording may change.
     */
    message: string;
};

/**
 * The ID of the export: `rptx_` and 26 characters. Later IDs sort after earlier ones.
 */
export type ReportExportId = string;

/**
 * The statement about an export that the service signed.
 */
export type ReportExportManifest = {
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * Identifies the format of this object. It changes with every incompatible change of the format.
     */
    schema: 'countersign/export-manifest/v1';
    /**
     * The ID of the export: `rptx_` and 26 characters. Later IDs sort after earlier ones.
     */
    export_id: ReportExportId;
    /**
     * Which report.
     */
    report_kind: ReportKind;
    /**
     * The format of the download.
     */
    format: ReportFormat;
    /**
     * The name of the downloaded file.
     */
    file_name: string;
    /**
     * The media type of the file.
     */
    content_type: string;
    /**
     * The rows.
     */
    rows: number;
    /**
     * Sequence number of the last event that the report includes.
     */
    as_of_sequence: number;
    /**
     * The newest signed checkpoint of the event feed.
     */
    checkpoint?: ReportExportCheckpoint;
    /**
     * Time of the data in the report.
     */
    frozen_at: string;
    /**
     * `sha256:` and the SHA-256 of the snapshot, in hex.
     */
    digest: string;
    /**
     * Size of the snapshot in bytes.
     */
    snapshot_size: number;
    /**
     * Signs `digest`; printed in the footer of a PDF.
     */
    seal: Signature;
    /**
     * `sha256:` and the SHA-256 of the file, in hex.
     */
    artifact_digest: string;
    /**
     * Size of the file in bytes.
     */
    artifact_size: number;
};

/**
 * A signed response: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type ReportExportManifestAnswer = {
    /**
     * The requested resource.
     */
    data: ReportExportManifest;
    /**
     * An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A page of a list, in `data`.
 */
export type ReportExportPage = {
    /**
     * The requested resource.
     */
    data: Array<ReportExport>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `report_export.ready`.
 */
export type ReportExportReadyDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'report_export.ready';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'report_export.ready';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: ReportExport;
};

/**
 * Only a ready export can be downloaded; of an expired one the digests and the manifest are left.
 */
export type ReportExportStatus = 'queued' | 'running' | 'ready' | 'failed' | 'expired';

/**
 * The format of the download.
 */
export type ReportFormat = 'json' | 'csv' | 'pdf';

/**
 * Which report.
 */
export type ReportKind = 'usage-summary' | 'usage-ledger' | 'license-audit' | 'customer-summary' | 'subscription-settlement' | 'purchases' | 'licenses' | 'statement' | 'adoption' | 'rehearsal';

/**
 * A usage event that counts.
 */
export type ReportedUseCounted = {
    /**
     * The position of the row in the request, from 0.
     */
    index: number;
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The ID of the feature: `feat_` and 26 characters.
     */
    feature_id: string;
    /**
     * Your ID of the usage event.
     */
    event_id: string;
    /**
     * Amount of the usage event.
     */
    amount: number;
    /**
     * How much of the amount is overage.
     */
    over_quota?: number;
    /**
     * The time of the use, by which reports count it.
     */
    used_at: string;
    /**
     * When the period of the quota began that it counts in; absent without a period.
     */
    period_start?: string;
    /**
     * Whether it had been counted before; absent if this request counted it.
     */
    repeated?: true;
};

/**
 * A usage event that was refused, and counts nothing.
 */
export type ReportedUseRefused = {
    /**
     * The position of the row in the request, from 0.
     */
    index: number;
    /**
     * The error, as of a request that reports this usage event alone.
     */
    error: {
        /**
         * Error code, for programs. The meaning of a code never changes; new codes may be added.
         */
        code: ErrorCode;
        /**
         * The message for people. The wording may change.
         */
        message: string;
        /**
         * More about this case.
         */
        detail?: string;
        /**
         * The invalid fields of the row.
         */
        fields?: Array<FieldFinding>;
    };
};

/**
 * A usage event. Send exactly one of `license_id`, `license_key` and `customer_id`.
 */
export type ReportedUseRequest = {
    /**
     * The ID of the license.
     */
    license_id?: string;
    /**
     * The license key, in place of the ID.
     */
    license_key?: string;
    /**
     * The ID of the customer, in place of a license: exactly one license of the customer must grant the feature at that time.
     */
    customer_id?: string;
    /**
     * The code, or a former code, of the product that was used. A license of another product is refused.
     */
    product_code?: string;
    /**
     * The code of the feature that was used.
     */
    feature_code: string;
    /**
     * Amount that was used. Default: 1. If less is left, the row is refused and counts nothing. 0 is for a feature whose `meter` is `max` or `last` alone.
     */
    amount?: number;
    /**
     * Your ID of this usage event. It counts once per license and feature, without a time limit, also if an app consumes it.
     */
    event_id: string;
    /**
     * The time of the use, which decides its period. Default: now. Up to 7 days ago; see `late_uses`.
     */
    used_at?: string;
    /**
     * Properties of the usage event by which usage is grouped, such as the model or the region: at most 8, by names of up to 32 lower-case letters, digits, `_` and `-`, with values of up to 128 characters. They stay with the event, so keep personal data out of them.
     */
    dimensions?: UsageDimensions;
};

/**
 * About the response itself.
 */
export type ResponseMeta = {
    /**
     * The ID of the request. Include it when you contact support.
     */
    request_id: string;
    /**
     * Time of the response, on the service's clock.
     */
    timestamp: string;
    /**
     * Omitted if empty.
     */
    warnings?: Array<ResponseWarning>;
    /**
     * Of a refusal that decides about the license of an app.
     */
    refusal?: SignedRefusal;
};

/**
 * A warning: the request succeeded, but the result may not be what you want.
 */
export type ResponseWarning = {
    /**
     * The kind of warning, for programs.
     */
    code: string;
    /**
     * The message for people. The wording may change.
     */
    message: string;
    /**
     * The field or parameter of the warning.
     */
    field?: string;
};

/**
 * Keys, licenses and files that must no longer be trusted, for machines without a network.
 */
export type RevocationList = {
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * Increases with every revocation.
     */
    number: number;
    /**
     * Time of the signature.
     */
    issued_at: string;
    /**
     * Time by which there is a newer list.
     */
    next_update: string;
    /**
     * Time until which the response may be relied on without another check.
     */
    valid_until: string;
    /**
     * The IDs of the revoked licenses.
     */
    revoked_license_ids: Array<string>;
    /**
     * The IDs of the signing keys that must not be trusted.
     */
    revoked_kids: Array<string>;
    /**
     * The IDs of the revoked offline files; absent if no file is revoked. A file has its ID as `offline_file_id`.
     */
    revoked_offline_files?: Array<string>;
};

/**
 * A signed response: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type RevocationListAnswer = {
    /**
     * The requested resource.
     */
    data: RevocationList;
    /**
     * An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A revoked key. Trust nothing that it signed, except checkpoints that you stored before the revocation.
 */
export type RevokedKey = {
    /**
     * The ID of the signing key.
     */
    kid: string;
    /**
     * The algorithm: Ed25519 (RFC 8032).
     */
    algorithm: 'Ed25519';
    /**
     * The public key, 32 bytes in base64.
     */
    public_key: string;
    /**
     * The current status.
     */
    status: 'revoked';
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the revocation.
     */
    revoked_at: string;
};

/**
 * A set of scopes that people are given together.
 */
export type Role = {
    /**
     * The ID of the role: `role_` and 26 characters, or the name of a built-in role such as `owner`.
     */
    id: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * The purpose of the role.
     */
    description?: string;
    /**
     * The rights of the role. `admin` allows everything.
     */
    scopes: Array<ManagementScope>;
    /**
     * The products that the role is limited to; absent if there is no limit.
     */
    product_ids?: Array<ProductId>;
    /**
     * The actions that people with the role need a second person for; absent if they need no other.
     */
    second_look?: Array<SecondLookAction>;
    /**
     * Whether the role is one of the five built-in roles, of which only `second_look` can be changed.
     */
    is_built_in: boolean;
    /**
     * Time of the creation.
     */
    created_at?: string;
    /**
     * Time of the last change.
     */
    updated_at?: string;
};

/**
 * The response, with the result in `data`.
 */
export type RoleAnswer = {
    /**
     * The requested resource.
     */
    data: Role;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A role to create.
 */
export type RoleCreateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible. It is one line.
     */
    name: string;
    /**
     * The purpose of the role, up to 1,000 characters. The empty string clears it.
     */
    description?: string;
    /**
     * The rights of the role, never more than the caller has.
     */
    scopes: Array<ManagementScope>;
    /**
     * The products that the role is limited to. `null`: no limit. This is the default.
     */
    product_ids?: Array<ProductId> | null;
    /**
     * The actions that people with the role need a second person for. The empty list: none, which is the default.
     */
    second_look?: Array<SecondLookAction>;
};

/**
 * The delivery of `role.created`.
 */
export type RoleCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'role.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'role.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Role;
};

/**
 * The delivery of `role.deleted`.
 */
export type RoleDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'role.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'role.deleted';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Role;
};

/**
 * A page of a list, in `data`.
 */
export type RolePage = {
    /**
     * The requested resource.
     */
    data: Array<Role>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `role.second_look_changed`.
 */
export type RoleSecondLookChangedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'role.second_look_changed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'role.second_look_changed';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Role;
};

/**
 * Changes of a role. Omitted fields stay as they are.
 */
export type RoleUpdateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible. It is one line.
     */
    name?: string;
    /**
     * The purpose of the role, up to 1,000 characters. The empty string clears it.
     */
    description?: string;
    /**
     * The rights of the role, never more than the caller has.
     */
    scopes?: Array<ManagementScope>;
    /**
     * The products that the role is limited to. `null`: no limit.
     */
    product_ids?: Array<ProductId> | null;
    /**
     * The actions that people with the role need a second person for. The empty list: none, which is the default.
     */
    second_look?: Array<SecondLookAction>;
};

/**
 * The delivery of `role.updated`.
 */
export type RoleUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'role.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'role.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Role;
};

/**
 * The device that asks. `fingerprint` identifies a machine. With `is_container: true`, at least one of `cluster_id`, `namespace`, `pod_name` and `container_id` identifies a container.
 */
export type RuntimeBindingRequest = {
    /**
     * Identifies this machine; your app computes it. Surrounding spaces are ignored. Required unless `is_container` is true.
     */
    fingerprint?: string;
    /**
     * The name of the machine.
     */
    hostname?: string;
    /**
     * The operating system.
     */
    os?: string;
    /**
     * Hashes of what the machine is made of, by names such as `board`, `disk` or `network`: at most 8, of up to 32 lower-case letters, digits, `_` and `-`. Where the terms have `component_match`, activate and checkout know a device of the license by them whose fingerprint has changed; without it they are not stored.
     */
    components?: DeviceComponents;
    /**
     * Whether the machine is virtual; a policy may refuse virtual machines. Default: `false`.
     */
    is_vm?: boolean;
    /**
     * Whether the app runs in a container. A container is identified by `cluster_id`, `namespace`, `pod_name` and `container_id`; at least one is required.
     */
    is_container?: boolean;
    /**
     * The ID of the container in its runtime.
     */
    container_id?: string;
    /**
     * The cluster that the container runs in.
     */
    cluster_id?: string;
    /**
     * The namespace that the container runs in.
     */
    namespace?: string;
    /**
     * The pod that the container belongs to.
     */
    pod_name?: string;
    /**
     * The version of the app, in the vendor's format. The response then includes whether the license covers it.
     */
    app_version?: string;
    /**
     * The code, or a former code, of the product that the app belongs to. A license of another product is refused. The response names the product by this code.
     */
    product_code?: string;
    /**
     * The `user_token` of the person who is signed in. Required if the license has users (`max_users`); without them it has no effect.
     */
    user_token?: string;
    /**
     * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Alternative: the header x-nonce.
     */
    nonce?: string;
};

/**
 * The entitlement of this device, and how long the response is valid.
 */
export type RuntimeEntitlementResponseData = {
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The current status.
     */
    status: string;
    /**
     * Permanent, for a limited time, by subscription, as a trial, or by usage.
     */
    license_type: LicenseType;
    /**
     * Increases with every change of what the license grants.
     */
    entitlement_version: number;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * The code of the product. A response repeats the code of the request, even if the product has a new one.
     */
    product_code: string;
    /**
     * The code of the policy.
     */
    policy_code: string;
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    device_id: string;
    /**
     * The user who is signed in; absent if the license has no users.
     */
    user_id?: string;
    /**
     * The SHA-256 of the device's binding key, in hex. Compare it with your own.
     */
    fingerprint_hash: string;
    /**
     * Time of the signature.
     */
    issued_at: string;
    /**
     * Time until which the response may be relied on without another check.
     */
    valid_until: string;
    /**
     * Time of the end; absent if it never ends.
     */
    expires_at?: string;
    /**
     * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Alternative: the header x-nonce.
     */
    nonce?: string;
    /**
     * Time when the app should check again.
     */
    next_check_at: string;
    /**
     * The features that the license grants.
     */
    features: Array<FeatureEntitlement>;
    /**
     * The values of the signed custom fields of the license, by the code of the field; a time as text.
     */
    custom_fields?: SignedCustomFields;
    /**
     * Whether the license covers the version of the app. It only informs and refuses nothing.
     */
    version_eligibility?: VersionEligibility;
    /**
     * How far the license is above its limit. Present if the terms allow overage and there is some.
     */
    overage?: Overage;
};

/**
 * An operation of the runtime API.
 */
export type RuntimeOperation = 'activate' | 'validate' | 'check' | 'consume' | 'refund' | 'deactivate' | 'offline' | 'checkout' | 'heartbeat' | 'checkin';

/**
 * The entitlement of this device after the refund, and what was refunded.
 */
export type RuntimeRefundResponseData = {
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The current status.
     */
    status: string;
    /**
     * Permanent, for a limited time, by subscription, as a trial, or by usage.
     */
    license_type: LicenseType;
    /**
     * Increases with every change of what the license grants.
     */
    entitlement_version: number;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * The code of the product. A response repeats the code of the request, even if the product has a new one.
     */
    product_code: string;
    /**
     * The code of the policy.
     */
    policy_code: string;
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    device_id: string;
    /**
     * The user who is signed in; absent if the license has no users.
     */
    user_id?: string;
    /**
     * The SHA-256 of the device's binding key, in hex. Compare it with your own.
     */
    fingerprint_hash: string;
    /**
     * Time of the signature.
     */
    issued_at: string;
    /**
     * Time until which the response may be relied on without another check.
     */
    valid_until: string;
    /**
     * Time of the end; absent if it never ends.
     */
    expires_at?: string;
    /**
     * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Alternative: the header x-nonce.
     */
    nonce?: string;
    /**
     * Time when the app should check again.
     */
    next_check_at: string;
    /**
     * The features that the license grants.
     */
    features: Array<FeatureEntitlement>;
    /**
     * The values of the signed custom fields of the license, by the code of the field; a time as text.
     */
    custom_fields?: SignedCustomFields;
    /**
     * Whether the license covers the version of the app. It only informs and refuses nothing.
     */
    version_eligibility?: VersionEligibility;
    /**
     * How far the license is above its limit. Present if the terms allow overage and there is some.
     */
    overage?: Overage;
    /**
     * The refund.
     */
    refund: OwnUsageRefund;
};

/**
 * The entitlement of the trial for this device, with the key of its license.
 */
export type RuntimeTrialResponseData = {
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The current status.
     */
    status: string;
    /**
     * Permanent, for a limited time, by subscription, as a trial, or by usage.
     */
    license_type: LicenseType;
    /**
     * Increases with every change of what the license grants.
     */
    entitlement_version: number;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * The code of the product. A response repeats the code of the request, even if the product has a new one.
     */
    product_code: string;
    /**
     * The code of the policy.
     */
    policy_code: string;
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    device_id: string;
    /**
     * The user who is signed in; absent if the license has no users.
     */
    user_id?: string;
    /**
     * The SHA-256 of the device's binding key, in hex. Compare it with your own.
     */
    fingerprint_hash: string;
    /**
     * Time of the signature.
     */
    issued_at: string;
    /**
     * Time until which the response may be relied on without another check.
     */
    valid_until: string;
    /**
     * Time of the end; absent if it never ends.
     */
    expires_at?: string;
    /**
     * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Alternative: the header x-nonce.
     */
    nonce?: string;
    /**
     * Time when the app should check again.
     */
    next_check_at: string;
    /**
     * The features that the license grants.
     */
    features: Array<FeatureEntitlement>;
    /**
     * The values of the signed custom fields of the license, by the code of the field; a time as text.
     */
    custom_fields?: SignedCustomFields;
    /**
     * Whether the license covers the version of the app. It only informs and refuses nothing.
     */
    version_eligibility?: VersionEligibility;
    /**
     * How far the license is above its limit. Present if the terms allow overage and there is some.
     */
    overage?: Overage;
    /**
     * The key of the trial license, for all other runtime calls. A repeated request shows it again while the license is a trial. Absent once it was rotated by management.
     */
    license_key?: string;
};

/**
 * The people who can give a scope.
 */
export type ScopeGranters = {
    /**
     * The scope that was asked about.
     */
    scope: ManagementScope;
    /**
     * The people by name, at most 10. Empty: only an API key can give it.
     */
    names: Array<string>;
    /**
     * Whether more people can give it than are named.
     */
    has_more: boolean;
};

/**
 * The response, with the result in `data`.
 */
export type ScopeGrantersAnswer = {
    /**
     * The requested resource.
     */
    data: ScopeGranters;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A seat above the new limit that is released.
 */
export type SeatDifference = {
    /**
     * The kind of seat: the activation of a `device`, a floating `lease`, or that of a `user`.
     */
    kind: 'device' | 'lease' | 'user';
    /**
     * The device that is reset, the lease that is released, or the user who is removed.
     */
    id: string;
};

/**
 * An action that may need a second person. `revoke_license` is also for jobs that revoke. `rotate_license_key` is also for another owner of a license and another address of its owner. `erase_customer` is also for erasing a user of a license. `change_people` is for adding, inviting and removing people and for passkeys of others, and `change_roles` for creating, changing and deleting roles.
 */
export type SecondLookAction = 'revoke_license' | 'rotate_license_key' | 'erase_customer' | 'rotate_signing_key' | 'revoke_signing_key' | 'rotate_webhook_secret' | 'create_api_key' | 'rotate_api_key' | 'change_people' | 'change_roles';

/**
 * Settings of the environment.
 */
export type ServiceSettings = {
    /**
     * The actions that are refused without a `reason`, for every caller and in jobs.
     */
    required_reasons: Array<ReasonedAction>;
    /**
     * The usual reasons for actions on licenses.
     */
    suggested_reasons: Array<string>;
    /**
     * The vendor's own name, in place of Countersign.
     */
    brand_name?: string;
    /**
     * The color of the brand: `#` and six hexadecimal digits.
     */
    brand_accent?: string;
    /**
     * The logo; absent without one.
     */
    brand_logo?: BrandLogo;
    /**
     * Where customers can ask: an email address or a URL. The portal and the mails name it.
     */
    support_contact?: string;
    /**
     * Where licenses are renewed. The portal and the mails about the end of a license link to it.
     */
    renewal_url?: string;
    /**
     * The language of mails to customers who have none. Absent: English.
     */
    mail_language?: MailLanguage;
    /**
     * Time of the last change; absent if nothing was ever changed.
     */
    updated_at?: string;
};

/**
 * The response, with the result in `data`.
 */
export type ServiceSettingsAnswer = {
    /**
     * The requested resource.
     */
    data: ServiceSettings;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Changes of the settings. Omitted fields stay as they are.
 */
export type ServiceSettingsUpdateRequest = {
    /**
     * The actions that are refused without a `reason`, for every caller and in jobs.
     */
    required_reasons?: Array<ReasonedAction>;
    /**
     * The reasons to suggest, at most 12 of at most 60 characters each. `null`: those of the start.
     */
    suggested_reasons?: Array<string> | null;
    /**
     * The name to show, of at most 60 characters. `null`: Countersign.
     */
    brand_name?: string | null;
    /**
     * The color, such as `#3b5bdb`. `null`: that of Countersign.
     */
    brand_accent?: string | null;
    /**
     * A PNG, JPEG or WebP in base64, of at most 32 KiB and 1,024 pixels a side; no SVG. `null` removes it.
     */
    brand_logo?: string | null;
    /**
     * Where customers can ask: an email address, or a URL that begins with https://. `null` removes it.
     */
    support_contact?: string | null;
    /**
     * Where licenses are renewed: a URL that begins with https://. `null` removes it.
     */
    renewal_url?: string | null;
    /**
     * The language of mails to customers who have none. `null`: English.
     */
    mail_language?: MailLanguage | null;
};

/**
 * A person who is signed in.
 */
export type Session = {
    /**
     * The ID of the session: `ses_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the person: `per_` and 26 characters.
     */
    person_id: string;
    /**
     * How the person signed in: by an `invitation`, at the identity provider (`openid_connect`), or with a `passkey`.
     */
    sign_in_method: SignInMethod;
    /**
     * Whether the request was made in this session.
     */
    is_current: boolean;
    /**
     * The network address that the session was opened from.
     */
    ip_address?: string;
    /**
     * The browser that opened the session, as it names itself.
     */
    user_agent?: string;
    /**
     * Time of the last request, at most a minute late.
     */
    last_used_at: string;
    /**
     * Time when the session ends at the latest.
     */
    expires_at: string;
    /**
     * Time of the creation.
     */
    created_at: string;
};

/**
 * The delivery of `session.ended`.
 */
export type SessionEndedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'session.ended';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'session.ended';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: SessionEventData;
};

/**
 * The response, with the result in `data`.
 */
export type SessionEventAnswer = {
    /**
     * The requested resource.
     */
    data: SessionEventData;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A session of a person.
 */
export type SessionEventData = {
    /**
     * The ID of the session: `ses_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the person: `per_` and 26 characters.
     */
    person_id: string;
    /**
     * How the person signed in: by an `invitation`, at the identity provider (`openid_connect`), or with a `passkey`.
     */
    sign_in_method: SignInMethod;
    /**
     * Time when the session ends at the latest.
     */
    expires_at: string;
    /**
     * Time of the creation.
     */
    created_at: string;
};

/**
 * The delivery of `session.opened`.
 */
export type SessionOpenedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'session.opened';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'session.opened';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: SessionEventData;
};

/**
 * A page of a list, in `data`.
 */
export type SessionPage = {
    /**
     * The requested resource.
     */
    data: Array<Session>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `session.refused`.
 */
export type SessionRefusedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'session.refused';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'session.refused';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: SignInRefusedEventData;
};

/**
 * The settings as the event left them. Absent: as at first.
 */
export type SettingsEventData = {
    /**
     * The actions that are refused without a `reason`, for every caller and in jobs.
     */
    required_reasons?: Array<ReasonedAction>;
    /**
     * The usual reasons for actions on licenses.
     */
    suggested_reasons?: Array<string>;
    /**
     * The vendor's own name, in place of Countersign.
     */
    brand_name?: string;
    /**
     * The color of the brand: `#` and six hexadecimal digits.
     */
    brand_accent?: string;
    /**
     * The logo; absent without one.
     */
    brand_logo?: BrandLogo;
    /**
     * Where customers can ask: an email address or a URL. The portal and the mails name it.
     */
    support_contact?: string;
    /**
     * Where licenses are renewed. The portal and the mails about the end of a license link to it.
     */
    renewal_url?: string;
    /**
     * The language of mails to customers who have none. Absent: English.
     */
    mail_language?: MailLanguage;
    /**
     * Time of the last change; absent if nothing was ever changed.
     */
    updated_at?: string;
};

/**
 * The delivery of `settings.updated`.
 */
export type SettingsUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'settings.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'settings.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: SettingsEventData;
};

/**
 * How the rows of a settlement are grouped.
 */
export type SettlementGroup = 'license_id' | 'feature_code';

/**
 * A role that a value in a claim gives.
 */
export type SignInClaimRole = {
    /**
     * The claim of the identity provider.
     */
    claim: string;
    /**
     * The value that gives the role.
     */
    value: string;
    /**
     * The ID of the role.
     */
    role: string;
};

/**
 * How the person signed in: by an `invitation`, at the identity provider (`openid_connect`), or with a `passkey`.
 */
export type SignInMethod = 'invitation' | 'openid_connect' | 'passkey';

/**
 * The identity provider of the service.
 */
export type SignInProvider = {
    /**
     * The issuer, as it is configured.
     */
    issuer: string;
};

/**
 * The identity provider, as it is configured.
 */
export type SignInProviderSettings = {
    /**
     * The issuer: `COUNTERSIGN_OIDC_ISSUER`.
     */
    issuer: string;
    /**
     * The client that this service is there: `COUNTERSIGN_OIDC_CLIENT_ID`.
     */
    client_id: string;
    /**
     * The address that the provider must send browsers back to. Allow it there.
     */
    redirect_uri: string;
    /**
     * Which claims give which roles: `COUNTERSIGN_OIDC_ROLES`.
     */
    roles: Array<SignInClaimRole>;
    /**
     * The claims of these that the provider omits where they are empty, so that an account without one has no role by it: `COUNTERSIGN_OIDC_EMPTY_CLAIMS`.
     */
    empty_claims: Array<string>;
    /**
     * Whether signing out also ends the session at the provider: `COUNTERSIGN_OIDC_SIGN_OUT`.
     */
    signs_out_at_provider: boolean;
    /**
     * The address that the provider sends browsers back to that have signed out. Allow it there.
     */
    post_logout_redirect_uri: string;
    /**
     * The address where the provider tells that a session has ended. Set it there, if the provider has back-channel logout.
     */
    backchannel_logout_uri: string;
};

/**
 * A sign-in that was refused.
 */
export type SignInRefusedEventData = {
    /**
     * The way in that was tried: as `SignInMethod`, or a `token` in the console.
     */
    sign_in_method: RefusedSignInMethod;
    /**
     * The reason of the refusal, as the sign-in page showed it.
     */
    reason: string;
    /**
     * Refusals from the same network since the last event, which have none of their own.
     */
    unrecorded?: number;
};

/**
 * A sign-in of a person, from a page of the service.
 */
export type SignInRequest = {
    /**
     * The invitation that the person was given.
     */
    invitation: string;
};

/**
 * How people sign in. It is read from the environment of the process, and changed there.
 */
export type SignInSettings = {
    /**
     * The identity provider; absent if none is configured.
     */
    openid_connect?: SignInProviderSettings;
    /**
     * Whether people sign in with passkeys.
     */
    passkeys: boolean;
    /**
     * Why they do not, in words; absent where they do.
     */
    passkeys_problem?: string;
    /**
     * The most hours of a session: `COUNTERSIGN_SESSION_HOURS`.
     */
    session_hours: number;
    /**
     * The minutes without a request after which a session ends: `COUNTERSIGN_SESSION_IDLE_MINUTES`.
     */
    session_idle_minutes: number;
};

/**
 * The response, with the result in `data`.
 */
export type SignInSettingsAnswer = {
    /**
     * The requested resource.
     */
    data: SignInSettings;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A sign-in to begin at the identity provider.
 */
export type SignInStartRequest = {
    /**
     * The invitation that the sign-in spends: it links the account to the invited person.
     */
    invitation?: string;
    /**
     * The page of the console that the sign-in ends at, as a path that begins with `/console`. This is the default.
     */
    return_to?: string;
};

/**
 * A sign-in that was begun at the identity provider.
 */
export type SignInStarted = {
    /**
     * The address at the identity provider to send the browser to.
     */
    authorization_url: string;
    /**
     * Time until which the provider must have sent the browser back.
     */
    expires_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type SignInStartedAnswer = {
    /**
     * The requested resource.
     */
    data: SignInStarted;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A test of the identity provider: all that a sign-in asks there without a person. Whether it allows the redirect address shows only at a sign-in.
 */
export type SignInTest = {
    /**
     * The issuer that was asked.
     */
    issuer: string;
    /**
     * Whether it describes itself as a sign-in needs it, has keys, and takes the client and its secret.
     */
    works: boolean;
    /**
     * The problem, in words; absent if it works.
     */
    problem?: string;
};

/**
 * The response, with the result in `data`.
 */
export type SignInTestAnswer = {
    /**
     * The requested resource.
     */
    data: SignInTest;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The ways to sign in.
 */
export type SignInWays = {
    /**
     * The identity provider; absent if none is configured.
     */
    openid_connect?: SignInProvider;
    /**
     * Whether people sign in with passkeys.
     */
    passkeys: boolean;
    /**
     * Why they do not, in words; absent where they do.
     */
    passkeys_problem?: string;
    /**
     * `true` if this browser has a session that has not ended, which its pages use; absent if it has none.
     */
    signed_in?: boolean;
    /**
     * The vendor's own name, color and logo; absent if none is set.
     */
    brand?: Brand;
    /**
     * Whether the console takes an API key or the admin token. It always does.
     */
    admin_token: boolean;
};

/**
 * The response, with the result in `data`.
 */
export type SignInWaysAnswer = {
    /**
     * The requested resource.
     */
    data: SignInWays;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`.
 */
export type Signature = {
    /**
     * The algorithm; always the same.
     */
    alg: 'Ed25519';
    /**
     * The algorithm: Ed25519 (RFC 8032).
     */
    algorithm: 'Ed25519';
    /**
     * The ID of the signing key.
     */
    kid: string;
    /**
     * The signature, 64 bytes in base64.
     */
    value: string;
};

/**
 * The values of the signed custom fields of the license, by the code of the field; a time as text.
 */
export type SignedCustomFields = {
    [key: string]: string | number | boolean;
};

/**
 * A session that its person has ended.
 */
export type SignedOut = {
    /**
     * The address at the identity provider to send the browser to, which ends the session there and comes back; absent if the browser need not go there.
     */
    provider_url?: string;
};

/**
 * The response, with the result in `data`.
 */
export type SignedOutAnswer = {
    /**
     * The requested resource.
     */
    data: SignedOut;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The verdict of a refused request of an app, signed: `data` in canonical bytes (RFC 8785).
 */
export type SignedRefusal = {
    /**
     * The decision of the service about a request of an app, and the request that it is bound to.
     */
    data: RefusalStatement;
    /**
     * An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
};

/**
 * A signing key, as management sees it. The private key never leaves the service.
 */
export type SigningKey = {
    /**
     * The ID of the signing key.
     */
    kid: string;
    /**
     * The algorithm: Ed25519 (RFC 8032).
     */
    algorithm: 'Ed25519';
    /**
     * The public key, 32 bytes in base64.
     */
    public_key: string;
    /**
     * The current status.
     */
    status: 'active' | 'retired' | 'revoked';
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time when the next key replaced this one.
     */
    retired_at?: string;
    /**
     * Time of the revocation.
     */
    revoked_at?: string;
};

/**
 * The response, with the result in `data`.
 */
export type SigningKeyAnswer = {
    /**
     * The requested resource.
     */
    data: SigningKey;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `signing_key.created`.
 */
export type SigningKeyCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'signing_key.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'signing_key.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: SigningKey;
};

/**
 * A page of a list, in `data`.
 */
export type SigningKeyPage = {
    /**
     * The requested resource.
     */
    data: Array<SigningKey>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `signing_key.retired`.
 */
export type SigningKeyRetiredDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'signing_key.retired';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'signing_key.retired';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: SigningKey;
};

/**
 * The delivery of `signing_key.revoked`.
 */
export type SigningKeyRevokedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'signing_key.revoked';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'signing_key.revoked';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: SigningKey;
};

/**
 * The grants and the usage of a customer or a license, to the unit.
 */
export type StatementReport = {
    /**
     * Identifies the format of the report. It changes with every incompatible change of the format.
     */
    schema: 'countersign/report/statement/v1';
    /**
     * The type of report.
     */
    report_kind: 'statement';
    /**
     * The filters as applied, with all defaults.
     */
    filters: {
        /**
         * The customer whose licenses the statement is about. Send either this or `license_id`.
         */
        customer_id?: string;
        /**
         * The license that the statement is about. Send either this or `customer_id`.
         */
        license_id?: string;
        /**
         * Start of the window, inclusive.
         */
        from: string;
        /**
         * End of the window, exclusive.
         */
        to: string;
        /**
         * Only this feature.
         */
        feature_code?: string;
        /**
         * Adds `groups`: the usage by a dimension of usage events.
         */
        group_by?: string;
        /**
         * The products in the report, if the API key is limited to products.
         */
        product_ids?: Array<string>;
    };
    /**
     * The totals of the report.
     */
    summary: {
        /**
         * The customer; absent in the statement of a license.
         */
        customer?: {
            /**
             * The ID of the customer: `cus_` and 26 characters.
             */
            id: string;
            /**
             * The display name, 1 to 255 characters; at least one of them is visible.
             */
            name: string;
            /**
             * A short name for programs, unique in its scope: up to 128 letters, digits, and characters of `._:-`.
             */
            code: string;
            /**
             * The email address, at most 320 characters.
             */
            email?: string;
            /**
             * Time of the creation.
             */
            created_at: string;
        };
        /**
         * The license; absent in the statement of a customer.
         */
        license?: {
            /**
             * The ID of the license: `lic_` and 26 characters.
             */
            id: string;
            /**
             * The ID of the product: `prod_` and 26 characters.
             */
            product_id: string;
            /**
             * The ID of the policy: `pol_` and 26 characters.
             */
            policy_id: string;
            /**
             * The ID of the customer: `cus_` and 26 characters.
             */
            customer_id?: string;
            /**
             * The beginning of the license key, at most eight characters.
             */
            license_key_prefix: string;
            /**
             * The last four characters of the license key.
             */
            license_key_last4: string;
        };
        /**
         * Number of licenses: those that the customer has now, or the one.
         */
        licenses: number;
        /**
         * The sums of each feature.
         */
        features: Array<{
            /**
             * The ID of the product: `prod_` and 26 characters.
             */
            product_id: string;
            /**
             * The code of the feature.
             */
            feature_code: string;
            /**
             * How many decimal places the amounts of the feature have, up to 6. Amounts, quotas and counts of it are whole numbers of the smallest step everywhere: with 2, an amount of 150 is 1.50. Absent: none.
             */
            decimals?: number;
            /**
             * The units that grants had left when the window began. Grants that begin later count.
             */
            opening: number;
            /**
             * Units of purchases and gifts that were given.
             */
            given: number;
            /**
             * Units that were carried over from an earlier period.
             */
            carried: number;
            /**
             * Units of corrections; negative if they took units away.
             */
            corrected: number;
            /**
             * Units that refunds returned to grants.
             */
            refunded: number;
            /**
             * Units of grants that were used.
             */
            used: number;
            /**
             * Units that ended unused. The end of a correction that took units away counts negative.
             */
            ended: number;
            /**
             * Units that were left of grants when they were revoked.
             */
            revoked: number;
            /**
             * The units that grants have left when the window ends: `opening` + `given` + `carried` + `corrected` + `refunded` - `used` - `ended` - `revoked`.
             */
            closing: number;
            /**
             * Number of usage events.
             */
            uses: number;
            /**
             * Sum of the usage events: what the quota served, what grants and pools served, and overage.
             */
            amount: number;
            /**
             * How much of the amount the quota itself served.
             */
            within_quota: number;
            /**
             * How much of the amount pools of the customer and of those above it served.
             */
            from_pools: number;
            /**
             * How much of the amount is overage; absent if none is.
             */
            overage?: number;
            /**
             * Sum of the corrections of the usage, refunds included; negative if they reduced it.
             */
            adjusted: number;
        }>;
        /**
         * With `group_by`, the usage by that dimension: at most 1,000 groups, those with the highest amounts.
         */
        groups?: Array<{
            /**
             * The ID of the product: `prod_` and 26 characters.
             */
            product_id: string;
            /**
             * The code of the feature.
             */
            feature_code: string;
            /**
             * How many decimal places the amounts of the feature have, up to 6. Amounts, quotas and counts of it are whole numbers of the smallest step everywhere: with 2, an amount of 150 is 1.50. Absent: none.
             */
            decimals?: number;
            /**
             * The value of the dimension; absent for usage without it.
             */
            group?: string;
            /**
             * Number of usage events.
             */
            uses: number;
            /**
             * Sum of the usage events.
             */
            amount: number;
            /**
             * How much of the amount is overage; absent if none is.
             */
            overage?: number;
        }>;
        /**
         * With `group_by`, the number of groups.
         */
        total_groups?: number;
    };
    /**
     * The rows.
     */
    rows: Array<{
        /**
         * The ID of the license: `lic_` and 26 characters.
         */
        license_id: string;
        /**
         * A part of the license key that identifies it, never the whole key.
         */
        key: string;
        /**
         * The ID of the product: `prod_` and 26 characters.
         */
        product_id: string;
        /**
         * The code of the feature.
         */
        feature_code: string;
        /**
         * How many decimal places the amounts of the feature have, up to 6. Amounts, quotas and counts of it are whole numbers of the smallest step everywhere: with 2, an amount of 150 is 1.50. Absent: none.
         */
        decimals?: number;
        /**
         * The units that grants had left when the window began. Grants that begin later count.
         */
        opening: number;
        /**
         * Units of purchases and gifts that were given.
         */
        given: number;
        /**
         * Units that were carried over from an earlier period.
         */
        carried: number;
        /**
         * Units of corrections; negative if they took units away.
         */
        corrected: number;
        /**
         * Units that refunds returned to grants.
         */
        refunded: number;
        /**
         * Units of grants that were used.
         */
        used: number;
        /**
         * Units that ended unused. The end of a correction that took units away counts negative.
         */
        ended: number;
        /**
         * Units that were left of grants when they were revoked.
         */
        revoked: number;
        /**
         * The units that grants have left when the window ends: `opening` + `given` + `carried` + `corrected` + `refunded` - `used` - `ended` - `revoked`.
         */
        closing: number;
        /**
         * Number of usage events.
         */
        uses: number;
        /**
         * Sum of the usage events: what the quota served, what grants and pools served, and overage.
         */
        amount: number;
        /**
         * How much of the amount the quota itself served.
         */
        within_quota: number;
        /**
         * How much of the amount pools of the customer and of those above it served.
         */
        from_pools: number;
        /**
         * How much of the amount is overage; absent if none is.
         */
        overage?: number;
        /**
         * Sum of the corrections of the usage, refunds included; negative if they reduced it.
         */
        adjusted: number;
    }>;
    /**
     * Number of rows; an export has them all.
     */
    total_rows: number;
    /**
     * Whether there are more rows than in this response.
     */
    truncated: boolean;
};

/**
 * The response, with the result in `data`.
 */
export type StatementReportAnswer = {
    /**
     * The requested resource.
     */
    data: StatementReport;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A recurring contract in a billing system. Licenses can refer to it.
 */
export type Subscription = {
    /**
     * The ID of the subscription: `sub_` and 26 characters.
     */
    id: string;
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id: string;
    /**
     * The ID of the customer: `cus_` and 26 characters.
     */
    customer_id?: string;
    /**
     * The billing system that the record comes from, for example `stripe`.
     */
    external_system: string;
    /**
     * The ID in that system; unique together with `external_system` within the product.
     */
    external_id: string;
    /**
     * The status of the subscription in its billing system. It only affects licenses that follow their subscription.
     */
    status: SubscriptionStatus;
    /**
     * Start of the paid period.
     */
    current_period_start: string;
    /**
     * End of the paid period; not before its start.
     */
    current_period_end: string;
    /**
     * Whether the subscription ends with the current period instead of being renewed. Default: `false`.
     */
    cancel_at_period_end: boolean;
    /**
     * Time of the cancellation. Only a subscription with the `status` `canceled` has it.
     */
    canceled_at?: string;
    /**
     * Time at which a canceled subscription ended. Licenses that follow it end then, and not with the period. Only a subscription with the `status` `canceled` or `incomplete_expired` has it.
     */
    ended_at?: string;
    /**
     * How many were bought, for example seats.
     */
    quantity?: number;
    /**
     * Time of the last change in the billing system, by its own clock.
     */
    source_updated_at?: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type SubscriptionAnswer = {
    /**
     * The requested resource.
     */
    data: Subscription;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A subscription to record.
 */
export type SubscriptionCreateRequest = {
    /**
     * The ID of the customer.
     */
    customer_id?: string;
    /**
     * The billing system that the record comes from, for example `stripe`.
     */
    external_system: string;
    /**
     * The ID in that system; unique together with `external_system` within the product.
     */
    external_id: string;
    /**
     * The status of the subscription in its billing system. It only affects licenses that follow their subscription.
     */
    status: SubscriptionStatus;
    /**
     * Start of the paid period.
     */
    current_period_start: string;
    /**
     * End of the paid period; not before its start.
     */
    current_period_end: string;
    /**
     * Whether the subscription ends with the current period instead of being renewed. Default: `false`.
     */
    cancel_at_period_end?: boolean;
    /**
     * Time of the cancellation. Only a subscription with the `status` `canceled` has it.
     */
    canceled_at?: string;
    /**
     * Time at which a canceled subscription ended. Licenses that follow it end then, and not with the period. Only a subscription with the `status` `canceled` or `incomplete_expired` has it.
     */
    ended_at?: string;
    /**
     * How many were bought, for example seats.
     */
    quantity?: number;
    /**
     * Time of the change in the billing system, by its clock: the `created` of its event. A change that is older than the stored one is ignored, with the warning SOURCE_OUTDATED, so events may arrive in any order. Send the whole record with it. Without it, every change is applied. At most a day ahead of the service.
     */
    source_updated_at?: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * The delivery of `subscription.created`.
 */
export type SubscriptionCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'subscription.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'subscription.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Subscription;
};

/**
 * The delivery of `subscription.deleted`.
 */
export type SubscriptionDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'subscription.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'subscription.deleted';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Subscription;
};

/**
 * A page of a list, in `data`.
 */
export type SubscriptionPage = {
    /**
     * The requested resource.
     */
    data: Array<Subscription>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A subscription to create, or to change into what is sent. Of one that exists, an omitted `customer_id`, `source_updated_at` or `metadata` stays as it is. All other omitted fields are removed.
 */
export type SubscriptionPutRequest = {
    /**
     * The ID of the customer.
     */
    customer_id?: string;
    /**
     * The status of the subscription in its billing system. It only affects licenses that follow their subscription.
     */
    status: SubscriptionStatus;
    /**
     * Start of the paid period.
     */
    current_period_start: string;
    /**
     * End of the paid period; not before its start.
     */
    current_period_end: string;
    /**
     * Whether the subscription ends with the current period instead of being renewed. Default: `false`.
     */
    cancel_at_period_end?: boolean;
    /**
     * Time of the cancellation. Only a subscription with the `status` `canceled` has it. `null` removes it.
     */
    canceled_at?: string | null;
    /**
     * Time at which a canceled subscription ended. Licenses that follow it end then, and not with the period. Only a subscription with the `status` `canceled` or `incomplete_expired` has it. `null` removes it.
     */
    ended_at?: string | null;
    /**
     * How many were bought, for example seats. `null` removes it.
     */
    quantity?: number | null;
    /**
     * Time of the change in the billing system, by its clock: the `created` of its event. A change that is older than the stored one is ignored, with the warning SOURCE_OUTDATED, so events may arrive in any order. Send the whole record with it. Without it, every change is applied. At most a day ahead of the service.
     */
    source_updated_at?: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * The usage on the licenses of a subscription or an order.
 */
export type SubscriptionSettlementReport = {
    /**
     * Identifies the format of the report. It changes with every incompatible change of the format.
     */
    schema: 'countersign/report/subscription-settlement/v1';
    /**
     * The type of report.
     */
    report_kind: 'subscription-settlement';
    /**
     * The filters as applied, with all defaults.
     */
    filters: {
        /**
         * The subscription to settle. Send either this or `order_id`.
         */
        subscription_id?: string;
        /**
         * The order to settle. Send either this or `subscription_id`.
         */
        order_id?: string;
        /**
         * Start of the window, inclusive.
         */
        from: string;
        /**
         * End of the window, exclusive.
         */
        to: string;
        /**
         * How rows are grouped. Default: by feature.
         */
        group_by?: SettlementGroup;
        /**
         * The products in the report, if the API key is limited to products.
         */
        product_ids?: Array<string>;
    };
    /**
     * The totals of the report.
     */
    summary: {
        /**
         * The subscription or the order.
         */
        subject: {
            /**
             * The type.
             */
            type: 'subscription' | 'order';
            /**
             * The ID of the subscription or the order.
             */
            id: string;
            /**
             * The ID of the product: `prod_` and 26 characters.
             */
            product_id: string;
            /**
             * The ID of the customer: `cus_` and 26 characters.
             */
            customer_id?: string;
            /**
             * The ID of the subscription: `sub_` and 26 characters.
             */
            subscription_id?: string;
            /**
             * The billing system that the record comes from, for example `stripe`.
             */
            external_system: string;
            /**
             * The ID in that system; unique together with `external_system` within the product.
             */
            external_id: string;
            /**
             * The current status.
             */
            status: string;
            /**
             * Start of the paid period. Send both dates or neither.
             */
            period_start?: string;
            /**
             * End of the paid period. Send both dates or neither.
             */
            period_end?: string;
        };
        /**
         * Number of licenses.
         */
        licenses: number;
        /**
         * Number of license renewals in the window.
         */
        renewals: number;
        /**
         * The sum of the corrections in the window.
         */
        adjusted: number;
        /**
         * Number of usage events.
         */
        uses: number;
        /**
         * Sum of the usage events; of a feature with a `meter`, by how much they changed what is measured.
         */
        amount: number;
        /**
         * How much of the amount is overage; absent if none is.
         */
        overage?: number;
        /**
         * Time of the first usage event.
         */
        first_at?: string;
        /**
         * Time of the last usage event.
         */
        last_at?: string;
        /**
         * The feature of all usage, whose amounts add up; absent without usage, with usage of several features, and of buckets of an hour.
         */
        feature_code?: string;
    };
    /**
     * The rows.
     */
    rows: Array<{
        /**
         * The value of `group_by`.
         */
        group: string;
        /**
         * The display name of the group.
         */
        label?: string;
        /**
         * Number of usage events.
         */
        uses: number;
        /**
         * Sum of the usage events; of a feature with a `meter`, by how much they changed what is measured.
         */
        amount: number;
        /**
         * How much of the amount is overage; absent if none is.
         */
        overage?: number;
        /**
         * Time of the first usage event.
         */
        first_at?: string;
        /**
         * Time of the last usage event.
         */
        last_at?: string;
        /**
         * Sum of the corrections in the window; negative if they reduced the usage.
         */
        adjusted: number;
    }>;
    /**
     * Number of rows; an export has them all.
     */
    total_rows: number;
    /**
     * Whether there are more rows than in this response.
     */
    truncated: boolean;
};

/**
 * The response, with the result in `data`.
 */
export type SubscriptionSettlementReportAnswer = {
    /**
     * The requested resource.
     */
    data: SubscriptionSettlementReport;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The status of the subscription in its billing system. It only affects licenses that follow their subscription.
 */
export type SubscriptionStatus = 'trialing' | 'active' | 'past_due' | 'paused' | 'canceled' | 'unpaid' | 'disputed' | 'incomplete' | 'incomplete_expired';

/**
 * Changes of a subscription. Omitted fields stay as they are.
 */
export type SubscriptionUpdateRequest = {
    /**
     * The ID of the customer. The empty string removes the link.
     */
    customer_id?: string;
    /**
     * The billing system that the record comes from, for example `stripe`.
     */
    external_system?: string;
    /**
     * The ID in that system; unique together with `external_system` within the product.
     */
    external_id?: string;
    /**
     * The status of the subscription in its billing system. It only affects licenses that follow their subscription.
     */
    status?: SubscriptionStatus;
    /**
     * Start of the paid period.
     */
    current_period_start?: string;
    /**
     * End of the paid period; not before its start.
     */
    current_period_end?: string;
    /**
     * Whether the subscription ends with the current period instead of being renewed. Default: `false`.
     */
    cancel_at_period_end?: boolean;
    /**
     * Time of the cancellation. Only a subscription with the `status` `canceled` has it. `null` removes it.
     */
    canceled_at?: string | null;
    /**
     * Time at which a canceled subscription ended. Licenses that follow it end then, and not with the period. Only a subscription with the `status` `canceled` or `incomplete_expired` has it. `null` removes it.
     */
    ended_at?: string | null;
    /**
     * How many were bought, for example seats. `null` removes it.
     */
    quantity?: number | null;
    /**
     * Time of the change in the billing system, by its clock: the `created` of its event. A change that is older than the stored one is ignored, with the warning SOURCE_OUTDATED, so events may arrive in any order. Send the whole record with it. Without it, every change is applied. At most a day ahead of the service.
     */
    source_updated_at?: string;
    /**
     * Your own JSON object, at most 16 KiB and 32 levels deep. The service stores it and does not read it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * The delivery of `subscription.updated`.
 */
export type SubscriptionUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'subscription.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'subscription.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: Subscription;
};

/**
 * The source of the rule.
 */
export type TermSource = 'policy' | 'override' | 'license' | 'subscription';

/**
 * A rule of the effective policy, and its source.
 */
export type TextTerm = {
    /**
     * The value.
     */
    value: string;
    /**
     * The source of the rule.
     */
    from: TermSource;
};

/**
 * The properties of a management token that its bearer may read.
 */
export type TokenIdentity = {
    /**
     * `management_key` was made by `POST /api/v1/api-keys`. `bootstrap` is the token of the installation. `person` is signed in.
     */
    kind: 'bootstrap' | 'management_key' | 'person';
    /**
     * As events and activities name it in `actor_id`; `bootstrap` for that token.
     */
    id: string;
    /**
     * The name of the key or of the person. The bootstrap token has none.
     */
    name?: string;
    /**
     * The beginning of the token. Absent for the bootstrap token.
     */
    key_prefix?: string;
    /**
     * The scopes of the token. `admin` allows everything.
     */
    scopes: Array<ManagementScope>;
    /**
     * Network ranges from which the key may be used, such as `192.0.2.0/24`. Empty: any address.
     */
    allowed_cidrs: Array<string>;
    /**
     * The products that the key is limited to; absent if there is no limit.
     */
    product_ids?: Array<ProductId>;
    /**
     * The tag of a reseller: the key sees and changes only licenses that have it, and gives it to those that it issues. Absent if the key is not a reseller's.
     */
    license_tag?: string;
    /**
     * How many licenses with `license_tag` the products of the key may have before the key issues no more. Revoked ones do not count. Absent if there is no such limit.
     */
    max_licenses?: number;
    /**
     * The actions that the roles of the person need a second person for; absent if they need no other.
     */
    second_look?: Array<SecondLookAction>;
    /**
     * When the token stops to work; absent if never.
     */
    expires_at?: string;
    /**
     * Time of the last use of the key, at most a minute late; absent if it was never used.
     */
    last_used_at?: string;
    /**
     * When the key was created. Absent for the bootstrap token.
     */
    created_at?: string;
};

/**
 * The response, with the result in `data`.
 */
export type TokenIdentityAnswer = {
    /**
     * The requested resource.
     */
    data: TokenIdentity;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The admin token was replaced.
 */
export type TokenRotatedEventData = {
    /**
     * The token that was replaced.
     */
    id: string;
};

/**
 * The admin token signed in to the console.
 */
export type TokenSignedInEventData = {
    /**
     * The token that signed in.
     */
    id: string;
};

/**
 * A customer canceled a transfer that was not accepted yet.
 */
export type TransferCanceledEventData = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
};

/**
 * A customer asked to transfer a license. The event does not have the address of the new owner.
 */
export type TransferRequestedEventData = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * Time until which the new owner can accept, unless the request is canceled or replaced before.
     */
    expires_at: string;
};

/**
 * A signed response: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type TrialAnswer = {
    /**
     * The requested resource.
     */
    data: RuntimeTrialResponseData;
    /**
     * An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The identity provider at which the users of the license sign in.
 */
export type TrustedIssuer = {
    /**
     * The identity provider (OpenID Connect), as its ID tokens name it in `iss`.
     */
    issuer: string;
    /**
     * The client ID of your app at the identity provider, as ID tokens name it in `aud`.
     */
    audience: string;
    /**
     * The accounts that may take a seat: those of people who are `invited`, or those of `anyone` at the issuer. A public issuer has accounts of all people.
     */
    admits: TrustedIssuerAdmission;
};

/**
 * The accounts that may take a seat: those of people who are `invited`, or those of `anyone` at the issuer. A public issuer has accounts of all people.
 */
export type TrustedIssuerAdmission = 'invited' | 'anyone';

/**
 * The identity provider at which the users of the license sign in.
 */
export type TrustedIssuerRequest = {
    /**
     * The identity provider (OpenID Connect), as its ID tokens name it in `iss`. It begins with `https://`.
     */
    issuer: string;
    /**
     * The client ID of your app at the identity provider, as ID tokens name it in `aud`.
     */
    audience: string;
    /**
     * The accounts of the issuer that may take a seat. Default: `invited`.
     */
    admits?: TrustedIssuerAdmission;
};

/**
 * The units of a metered feature that a price becomes.
 */
export type UnitMapping = {
    /**
     * The ID of the provider that is compared: that of a `price`, a `variant`, a `product` or a `payment_link`, or a value of the purchase's `metadata`.
     */
    by: MatchedBy;
    /**
     * The ID in the provider's system; of metadata, `key=value`.
     */
    value: string;
    /**
     * The name of the price, for people.
     */
    name?: string;
    /**
     * The metered feature whose units are sold.
     */
    feature_id: string;
    /**
     * How many units one of the quantity gives.
     */
    amount: number;
    /**
     * The owner of the units. Default: `license`.
     */
    to?: UnitOwner;
    /**
     * Of a pool, the most that one license takes of it; without effect on units of a license.
     */
    max_per_license?: number;
    /**
     * Whether the units end with the period that they were paid for. A one-time purchase has no period. Default: `false`.
     */
    ends_with_period?: boolean;
    /**
     * Of units that end at the same time, those with the lower priority are used first. Default: 100.
     */
    priority?: number;
    /**
     * How long the units can be used after the payment, such as `P1Y`; it outranks `ends_with_period`. Default: they do not end.
     */
    expires_after?: string;
    /**
     * The time from which payments give units; earlier ones give none. A purchase that had waited for the entry gives them in any case.
     */
    since?: string;
};

/**
 * The units of a metered feature that a price becomes.
 */
export type UnitMappingRequest = {
    /**
     * The ID of the provider that is compared: that of a `price`, a `variant`, a `product` or a `payment_link`, or a value of the purchase's `metadata`.
     */
    by: MatchedBy;
    /**
     * The ID in the provider's system; of metadata, `key=value`.
     */
    value: string;
    /**
     * The name of the price, for people.
     */
    name?: string;
    /**
     * The metered feature whose units are sold.
     */
    feature_id: string;
    /**
     * How many units one of the quantity gives.
     */
    amount: number;
    /**
     * The owner of the units. Default: `license`.
     */
    to?: UnitOwner;
    /**
     * Of a pool, the most that one license takes of it; without effect on units of a license.
     */
    max_per_license?: number;
    /**
     * Whether the units end with the period that they were paid for. A one-time purchase has no period. Default: `false`.
     */
    ends_with_period?: boolean;
    /**
     * Of units that end at the same time, those with the lower priority are used first. Default: 100.
     */
    priority?: number;
    /**
     * How long the units can be used after the payment, such as `P1Y`; it outranks `ends_with_period`. Default: they do not end.
     */
    expires_after?: string;
    /**
     * The time from which payments give units; earlier ones give none. A purchase that had waited for the entry gives them in any case. Default: when the entry was added. Set an earlier time to give units for payments of before.
     */
    since?: string;
};

/**
 * The owner of units: a `license`, as a grant, or the `customer`, as a pool that its licenses share.
 */
export type UnitOwner = 'license' | 'customer';

/**
 * Units of a grant, or of a pool of the customer.
 */
export type UnitsOfGrant = {
    /**
     * The ID of the grant: `grant_` and 26 characters.
     */
    grant_id: string;
    /**
     * The number of units.
     */
    amount: number;
};

/**
 * A price without an entry in the mapping, for which purchases wait.
 */
export type UnmappedPrice = {
    /**
     * The ID of the billing connection: `bcn_` and 26 characters.
     */
    connection_id: string;
    /**
     * The payment provider of a connection.
     */
    provider: BillingProvider;
    /**
     * The ID of the price, variant or product at the provider.
     */
    price: string;
    /**
     * The name of the item at the provider.
     */
    name?: string;
    /**
     * How many purchases wait for it.
     */
    purchases: number;
    /**
     * Time since which the first of them waits.
     */
    since: string;
};

/**
 * A whole list, in `data`.
 */
export type UnmappedPriceList = {
    /**
     * The requested resource.
     */
    data: Array<UnmappedPrice>;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Properties of the usage event by which usage is grouped, such as the model or the region: at most 8, by names of up to 32 lower-case letters, digits, `_` and `-`, with values of up to 128 characters. They stay with the event, so keep personal data out of them.
 */
export type UsageDimensions = {
    [key: string]: string;
};

/**
 * A usage event.
 */
export type UsageEventData = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    device_id?: string;
    /**
     * The ID of the feature: `feat_` and 26 characters.
     */
    feature_id: string;
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * The caller's ID of the usage event.
     */
    event_id: string;
    /**
     * Amount of this usage event: at least 1, but where the feature has a `meter`. There it is by how much the usage event changed what is measured: 0 if it did not, less than 0 if it lowered it.
     */
    amount: number;
    /**
     * The amount as it was sent, of a feature with a `meter`.
     */
    measured?: number;
    /**
     * How many decimal places the amounts of the feature have, up to 6. Amounts, quotas and counts of it are whole numbers of the smallest step everywhere: with 2, an amount of 150 is 1.50. Absent: none.
     */
    decimals?: number;
    /**
     * Total usage.
     */
    total_consumptions: number;
    /**
     * The quota. Without it, usage is counted but not limited.
     */
    max_consumptions?: number;
    /**
     * How much of the quota is left.
     */
    remaining?: number;
    /**
     * How much of the amount is overage.
     */
    over_quota?: number;
    /**
     * The same as `over_quota`, by its former name.
     */
    overage?: number;
    /**
     * The period after which the quota resets.
     */
    period?: QuotaPeriod;
    /**
     * When the period of the quota began.
     */
    period_start?: string;
    /**
     * Usage in the period.
     */
    period_consumptions?: number;
    /**
     * The time of the next reset of the quota.
     */
    period_ends_at?: string;
    /**
     * Units of grants that the usage event used; the rest is of the quota, or overage.
     */
    grants?: Array<UnitsOfGrant>;
    /**
     * How much of the total usage grants served.
     */
    granted_consumptions?: number;
    /**
     * How much of the usage in the period grants served.
     */
    granted_period_consumptions?: number;
    /**
     * The dimensions of the usage event; absent where it has none.
     */
    dimensions?: {
        [key: string]: string;
    };
    /**
     * The time of the use, of a usage event that a backend reported; otherwise that of the event.
     */
    used_at?: string;
    /**
     * `true` if the period of the usage event had been over: the counter of the running period stays as it is.
     */
    is_late?: boolean;
};

/**
 * How usage is grouped.
 */
export type UsageGroup = 'product_id' | 'customer_id' | 'license_id' | 'order_id' | 'subscription_id' | 'feature_code';

/**
 * Usage, a correction, or the end of the counter because the license lost the feature.
 */
export type UsageLedgerAction = 'license.usage_recorded' | 'license.usage_reset' | 'license.feature_removed';

/**
 * A usage event, or a correction of the usage.
 */
export type UsageLedgerEntry = {
    /**
     * The ID of the event of the audit-backed feed.
     */
    id: string;
    /**
     * Time when it happened.
     */
    occurred_at: string;
    /**
     * Usage, a correction, or the end of the counter because the license lost the feature.
     */
    action: UsageLedgerAction;
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The ID of the feature: `feat_` and 26 characters.
     */
    feature_id: string;
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * By how much the total changed; only corrections, and usage events of a feature with a `meter`, may take away.
     */
    amount: number;
    /**
     * The amount of the usage event as it was sent, of a feature with a `meter`.
     */
    measured?: number;
    /**
     * Of this feature of the license, after the entry.
     */
    total_consumptions: number;
    /**
     * The quota after a correction.
     */
    max_consumptions?: number;
    /**
     * The ID of the device: `dev_` and 26 characters.
     */
    device_id?: string;
    /**
     * The caller's ID of the usage event.
     */
    event_id?: string;
    /**
     * How much of the amount is overage.
     */
    overage?: number;
    /**
     * The dimensions of the usage event; absent where it has none.
     */
    dimensions?: {
        [key: string]: string;
    };
    /**
     * The ID of the product: `prod_` and 26 characters.
     */
    product_id?: string;
    /**
     * The ID of the customer: `cus_` and 26 characters.
     */
    customer_id?: string;
    /**
     * The ID of the order: `ord_` and 26 characters.
     */
    order_id?: string;
    /**
     * The ID of the subscription: `sub_` and 26 characters.
     */
    subscription_id?: string;
    /**
     * The ID of the request. Include it when you contact support.
     */
    request_id?: string;
};

/**
 * A page of a list, in `data`.
 */
export type UsageLedgerEntryPage = {
    /**
     * The requested resource.
     */
    data: Array<UsageLedgerEntry>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A signed response: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type UsageReceiptAnswer = {
    /**
     * The requested resource.
     */
    data: UsageReceiptResponseData;
    /**
     * An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Proof that a usage event is in the log (RFC 6962). The leaf index is `sequence` of the leaf - 1.
 */
export type UsageReceiptResponseData = {
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The type and its version.
     */
    schema: 'countersign/receipt/v1';
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The code of the feature that was consumed.
     */
    feature_code: string;
    /**
     * Your ID of the usage event.
     */
    event_id: string;
    /**
     * The event as the log has it: canonical JSON (RFC 8785), whose UTF-8 bytes the tree hashes. Personal values are commitments.
     */
    leaf: string;
    /**
     * 64 hexadecimal digits each, in RFC 6962 order.
     */
    hashes: Array<string>;
    /**
     * The signed note (C2SP signed-note and tlog-checkpoint) that transparency-log tools read, with the signatures of witnesses.
     */
    note: string;
    /**
     * `leaf`, `hashes` and `note` as a text that other tools verify by itself (C2SP tlog-proof).
     */
    tlog_proof?: string;
    /**
     * Time of the signature.
     */
    issued_at: string;
    /**
     * The nonce of the request.
     */
    nonce?: string;
};

/**
 * The refund of a usage event, and the feature as it left it.
 */
export type UsageRefund = {
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The ID of the feature: `feat_` and 26 characters.
     */
    feature_id: string;
    /**
     * The caller's ID of the usage event.
     */
    event_id: string;
    /**
     * The amount of the refund.
     */
    amount: number;
    /**
     * How much of the usage event is refunded by now.
     */
    refunded: number;
    /**
     * Units that were returned to grants; the rest was returned to the quota.
     */
    grants?: Array<UnitsOfGrant>;
    /**
     * A feature of one license.
     */
    feature: LicenseFeature;
};

/**
 * The response, with the result in `data`.
 */
export type UsageRefundAnswer = {
    /**
     * The requested resource.
     */
    data: UsageRefund;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The usage event to refund, whole or in part. Send either `feature_id` or `feature_code`.
 */
export type UsageRefundRequest = {
    /**
     * The ID of the feature. Send either this or `feature_code`.
     */
    feature_id?: string;
    /**
     * The code of the feature. Send either this or `feature_id`.
     */
    feature_code?: string;
    /**
     * The caller's ID of the usage event.
     */
    event_id: string;
    /**
     * How much to refund. Default: all that is not refunded yet.
     */
    amount?: number;
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason?: string;
};

/**
 * The response, with the result in `data`.
 */
export type UsageReportAnswer = {
    /**
     * The requested resource.
     */
    data: UsageReportResponse;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Usage events that a backend reports.
 */
export type UsageReportRequest = {
    /**
     * The treatment of a usage event that is too late for its own period: more than 7 days old, or of a period that is no longer known. `refuse`, the default, refuses it; `count_now` counts it in the running period.
     */
    late_uses?: 'refuse' | 'count_now';
    /**
     * `true` returns what would happen, but changes and stores nothing. An Idempotency-Key is ignored.
     */
    dry_run?: boolean;
    /**
     * The usage events, 1 to 1,000. Each is counted or refused by itself.
     */
    uses: Array<ReportedUseRequest>;
};

/**
 * The result of each usage event.
 */
export type UsageReportResponse = {
    /**
     * How many usage events were counted; with `dry_run`, how many would be.
     */
    counted: number;
    /**
     * How many had been counted before.
     */
    repeated: number;
    /**
     * How many were refused.
     */
    refused: number;
    /**
     * In the order of the rows.
     */
    results: Array<ReportedUseCounted | ReportedUseRefused>;
};

/**
 * Metered usage, added up.
 */
export type UsageSummaryReport = {
    /**
     * Identifies the format of the report. It changes with every incompatible change of the format.
     */
    schema: 'countersign/report/usage-summary/v1';
    /**
     * The type of report.
     */
    report_kind: 'usage-summary';
    /**
     * The filters as applied, with all defaults.
     */
    filters: {
        /**
         * Start of the window, inclusive.
         */
        from: string;
        /**
         * End of the window, exclusive.
         */
        to: string;
        /**
         * How rows are grouped: by a property of the license, or by a dimension of usage events. Default: not grouped.
         */
        group_by?: UsageGroup | string;
        /**
         * Adds up over hours, days, weeks, months or years of UTC. Default: over the whole window.
         */
        bucket?: ReportBucket;
        /**
         * Only what belongs to this product.
         */
        product_id?: string;
        /**
         * Only what belongs to this customer.
         */
        customer_id?: string;
        /**
         * Only what belongs to this license.
         */
        license_id?: string;
        /**
         * Only what belongs to this order.
         */
        order_id?: string;
        /**
         * Only what belongs to this subscription.
         */
        subscription_id?: string;
        /**
         * Only this feature.
         */
        feature_code?: string;
        /**
         * The products in the report, if the API key is limited to products.
         */
        product_ids?: Array<string>;
    };
    /**
     * The totals of the report.
     */
    summary: {
        /**
         * Number of usage events.
         */
        uses: number;
        /**
         * Sum of the usage events; of a feature with a `meter`, by how much they changed what is measured.
         */
        amount: number;
        /**
         * How much of the amount is overage; absent if none is.
         */
        overage?: number;
        /**
         * Time of the first usage event.
         */
        first_at?: string;
        /**
         * Time of the last usage event.
         */
        last_at?: string;
        /**
         * The feature of all usage, whose amounts add up; absent without usage, with usage of several features, and of buckets of an hour.
         */
        feature_code?: string;
    };
    /**
     * The rows.
     */
    rows: Array<{
        /**
         * Where the bucket starts.
         */
        bucket?: string;
        /**
         * The value of `group_by`; absent for usage without one.
         */
        group?: string;
        /**
         * A name of the group, for people.
         */
        label?: string;
        /**
         * Number of usage events.
         */
        uses: number;
        /**
         * Sum of the usage events; of a feature with a `meter`, by how much they changed what is measured.
         */
        amount: number;
        /**
         * How much of the amount is overage; absent if none is.
         */
        overage?: number;
        /**
         * Time of the first usage event.
         */
        first_at?: string;
        /**
         * Time of the last usage event.
         */
        last_at?: string;
    }>;
    /**
     * Number of rows; an export has them all.
     */
    total_rows: number;
    /**
     * Whether there are more rows than in this response.
     */
    truncated: boolean;
    /**
     * The amount in every bucket of the window, including those without usage.
     */
    series?: Array<{
        /**
         * Start of the bucket, or the length of buckets, in UTC.
         */
        bucket: string;
        /**
         * The value.
         */
        value: number;
    }>;
};

/**
 * The response, with the result in `data`.
 */
export type UsageSummaryReportAnswer = {
    /**
     * The requested resource.
     */
    data: UsageSummaryReport;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A signed response: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type UserIssuerAnswer = {
    /**
     * The requested resource.
     */
    data: UserIssuerResponseData;
    /**
     * An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The identity provider at which the users of the license sign in.
 */
export type UserIssuerResponseData = {
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The identity provider (OpenID Connect), as its ID tokens name it in `iss`.
     */
    issuer: string;
    /**
     * The client ID of your app at the identity provider, as ID tokens name it in `aud`.
     */
    audience: string;
    /**
     * Time of the signature.
     */
    issued_at: string;
    /**
     * Time until which the response may be used.
     */
    valid_until: string;
    /**
     * The nonce of the request.
     */
    nonce?: string;
};

/**
 * A signed response: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type UserMailSignInAnswer = {
    /**
     * The requested resource.
     */
    data: UserMailSignInResponseData;
    /**
     * An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A person who signs in by a mail to his or her address.
 */
export type UserMailSignInRequest = {
    /**
     * The email address that was invited.
     */
    email: string;
    /**
     * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Alternative: the header x-nonce.
     */
    nonce?: string;
};

/**
 * A sign-in by mail that has begun. It says nothing about whether the address is invited.
 */
export type UserMailSignInResponseData = {
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The secret of this sign-in, for `mail_sign_in_token`. Keep it in memory: code and link of the mail work with it alone.
     */
    sign_in_token: string;
    /**
     * Four characters to show to the person. The mail and the page of its link show the same, if they are about this sign-in.
     */
    reference: string;
    /**
     * Time of the signature.
     */
    issued_at: string;
    /**
     * Time until which the code and the link work.
     */
    valid_until: string;
    /**
     * The nonce of the request.
     */
    nonce?: string;
};

/**
 * A signed response: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type UserSignInAnswer = {
    /**
     * The requested resource.
     */
    data: UserSignInResponseData;
    /**
     * An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A person to sign in: by an ID token, by a mail, or by a renewal.
 */
export type UserSignInRequest = {
    /**
     * The ID token (OpenID Connect) that the identity provider of the license gave your app.
     */
    id_token?: string;
    /**
     * The `nonce` that your app had asked for. With it, the ID token must have it.
     */
    id_token_nonce?: string;
    /**
     * The `sign_in_token` of a sign-in by mail, in the place of `id_token`. Needs `fingerprint`.
     */
    mail_sign_in_token?: string;
    /**
     * The code of the mail, as the person typed it. Without it, the person must have confirmed the link in the mail.
     */
    mail_code?: string;
    /**
     * The `renewal_token` of an earlier sign-in by mail, in the place of `id_token`. Needs the same `fingerprint`.
     */
    renewal_token?: string;
    /**
     * The fingerprint of the machine, to which the `renewal_token` is bound.
     */
    fingerprint?: string;
    /**
     * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Alternative: the header x-nonce.
     */
    nonce?: string;
};

/**
 * The user who is signed in.
 */
export type UserSignInResponseData = {
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The ID of the license: `lic_` and 26 characters.
     */
    license_id: string;
    /**
     * The ID of the user: `usr_` and 26 characters.
     */
    user_id: string;
    /**
     * The email address of the user.
     */
    user_email?: string;
    /**
     * The name of the user.
     */
    user_name?: string;
    /**
     * The credential of the user for other calls. Keep it as you keep a password. It ends when the user is removed.
     */
    user_token: string;
    /**
     * After a sign-in by mail: signs the person in again on this machine without a mail. Keep it as you keep a password.
     */
    renewal_token?: string;
    /**
     * Time until which the `renewal_token` is good.
     */
    renewal_until?: string;
    /**
     * Time of the signature.
     */
    issued_at: string;
    /**
     * Time until which the `user_token` is good. Sign in before with a fresh ID token, or with the `renewal_token`.
     */
    valid_until: string;
    /**
     * The nonce of the request.
     */
    nonce?: string;
};

/**
 * A value of the license that is another one.
 */
export type ValueDifference = {
    /**
     * A rule of the effective policy (`term`), a field of the `license`, or a `counter` that restarts.
     */
    kind: 'term' | 'license' | 'counter';
    /**
     * The name of the rule or field, or the code of the metered feature.
     */
    name: string;
    /**
     * The previous value; absent if there was no value.
     */
    before?: string | number | boolean;
    /**
     * The new value; absent if there is no value.
     */
    after?: string | number | boolean;
};

/**
 * The delivery of `version.created`.
 */
export type VersionCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'version.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'version.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: ProductVersion;
};

/**
 * The delivery of `version.deleted`.
 */
export type VersionDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'version.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'version.deleted';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: ProductVersion;
};

/**
 * Whether the license covers the version of the app. It only informs and refuses nothing.
 */
export type VersionEligibility = {
    /**
     * The version of the app, in the vendor's format. The response then includes whether the license covers it.
     */
    app_version: string;
    /**
     * Whether the license covers this version. The app decides how to react.
     */
    is_entitled: boolean;
    /**
     * Whether the version could be judged: the product has a catalog of versions and the license has an end of maintenance.
     */
    enforced: boolean;
    /**
     * Release time of the version; absent if the catalog does not list it.
     */
    released_at?: string;
    /**
     * Versions released until this time are covered.
     */
    eligible_through?: string;
};

/**
 * The delivery of `version.updated`.
 */
export type VersionUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'version.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'version.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: ProductVersion;
};

/**
 * The delivery of `webhook.created`.
 */
export type WebhookCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'webhook.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'webhook.created';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: WebhookEndpointInEvent;
};

/**
 * The delivery of `webhook.deleted`.
 */
export type WebhookDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'webhook.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'webhook.deleted';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: WebhookEndpointInEvent;
};

/**
 * The delivery of `webhook.delivery_exhausted`.
 */
export type WebhookDeliveryExhaustedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'webhook.delivery_exhausted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'webhook.delivery_exhausted';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: DeliveryExhaustedEventData;
};

/**
 * The delivery of `webhook.disabled`.
 */
export type WebhookDisabledDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'webhook.disabled';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'webhook.disabled';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: WebhookEndpointInEvent;
};

/**
 * `gone`: the receiver responded with 410. `requested_by_receiver`: it responded with `webhook-delivery: disable`. `failing`: nothing was delivered for 120 hours and at least 10 deliveries failed.
 */
export type WebhookDisabledReason = 'gone' | 'requested_by_receiver' | 'failing';

/**
 * An endpoint that receives events.
 */
export type WebhookEndpoint = {
    /**
     * The ID of the webhook endpoint: `whk_` and 26 characters.
     */
    id: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * The endpoint URL: https, with an address outside the operator's network.
     */
    url: string;
    /**
     * The beginning of the secret, to recognize it by.
     */
    secret_prefix: string;
    /**
     * The event types, or families such as `license.*`, that the endpoint receives. Empty: all.
     */
    event_types: Array<string>;
    /**
     * The custom headers of deliveries, if there are any. Their values are never shown.
     */
    header_names?: Array<string>;
    /**
     * `true` if deliveries arrive in order; otherwise absent.
     */
    ordered?: boolean;
    /**
     * Whether the endpoint receives events.
     */
    is_active: boolean;
    /**
     * The current status.
     */
    status: 'active' | 'paused' | 'disabled';
    /**
     * `gone`: the receiver responded with 410. `requested_by_receiver`: it responded with `webhook-delivery: disable`. `failing`: nothing was delivered for 120 hours and at least 10 deliveries failed.
     */
    disabled_reason?: WebhookDisabledReason;
    /**
     * Time when the service disabled the endpoint.
     */
    disabled_at?: string;
    /**
     * Time since which every delivery has failed; absent while deliveries succeed.
     */
    failing_since?: string;
    /**
     * Time of the last delivery with a 2xx response.
     */
    last_delivery_at?: string;
    /**
     * The result of the last attempt to deliver to an endpoint.
     */
    last_outcome?: WebhookLastOutcome;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * The response, with the result in `data`.
 */
export type WebhookEndpointAnswer = {
    /**
     * The requested resource.
     */
    data: WebhookEndpoint;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * A webhook endpoint to create.
 */
export type WebhookEndpointCreateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * https; plain http only for addresses that the operator has allowed, and for names that have such addresses alone.
     */
    url: string;
    /**
     * Event types, or families such as `license.*`. An empty list means every event.
     */
    event_types?: Array<EventSubscription>;
    /**
     * 16 to 128 printable characters. After the prefix `whsec_`, padded standard base64: the decoded part is the key of the Standard Webhooks headers. Without the prefix, the key is the UTF-8 bytes.
     */
    secret?: string;
    /**
     * Headers of each delivery in addition to those of the service: at most 8, such as the key that an API gateway asks for. Stored as secrets are, and never shown again: `header_names` says which there are. Those of the connection, of the delivery (`webhook-*`, `svix-*`, `X-Service-*`) and of traces are refused.
     */
    headers?: WebhookRequestHeaders;
    /**
     * `true`: one delivery at a time, in the order of `sequence`; each one waits until the previous one was accepted. A failed delivery is retried at least every five minutes, without a limit, and the later ones wait.
     */
    ordered?: boolean;
    /**
     * `false` creates the endpoint paused. Default: `true`.
     */
    is_active?: boolean;
};

/**
 * An endpoint as events show it: only the origin of its URL.
 */
export type WebhookEndpointInEvent = {
    /**
     * The ID of the webhook endpoint: `whk_` and 26 characters.
     */
    id: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * The origin of the URL: scheme, host and port. Path and query may contain a secret of the receiver and are shown as `***`. The endpoint itself shows them.
     */
    url: string;
    /**
     * The beginning of the secret, to recognize it by.
     */
    secret_prefix: string;
    /**
     * The event types, or families such as `license.*`, that the endpoint receives. Empty: all.
     */
    event_types: Array<string>;
    /**
     * The custom headers of deliveries, if there are any. Their values are never shown.
     */
    header_names?: Array<string>;
    /**
     * `true` if deliveries arrive in order; otherwise absent.
     */
    ordered?: boolean;
    /**
     * Whether the endpoint receives events.
     */
    is_active: boolean;
    /**
     * The current status.
     */
    status: 'active' | 'paused' | 'disabled';
    /**
     * `gone`: the receiver responded with 410. `requested_by_receiver`: it responded with `webhook-delivery: disable`. `failing`: nothing was delivered for 120 hours and at least 10 deliveries failed.
     */
    disabled_reason?: WebhookDisabledReason;
    /**
     * Time when the service disabled the endpoint.
     */
    disabled_at?: string;
    /**
     * Time since which every delivery has failed; absent while deliveries succeed.
     */
    failing_since?: string;
    /**
     * Time of the last delivery with a 2xx response.
     */
    last_delivery_at?: string;
    /**
     * Time of the creation.
     */
    created_at: string;
    /**
     * Time of the last change.
     */
    updated_at: string;
};

/**
 * A page of a list, in `data`.
 */
export type WebhookEndpointPage = {
    /**
     * The requested resource.
     */
    data: Array<WebhookEndpoint>;
    /**
     * The position in a list. A cursor is opaque and valid only with the filters that it was issued for.
     */
    page_info: PageInfo;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * An endpoint that skipped its pending events, and the events that it will not receive.
 */
export type WebhookEndpointResumed = {
    /**
     * An endpoint that receives events.
     */
    webhook: WebhookEndpoint;
    /**
     * Number of pending events and retries that the endpoint receives and that were skipped.
     */
    skipped_events: number;
};

/**
 * The response, with the result in `data`.
 */
export type WebhookEndpointResumedAnswer = {
    /**
     * The requested resource.
     */
    data: WebhookEndpointResumed;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The response, with the result in `data`.
 */
export type WebhookEndpointUpdateAnswer = {
    /**
     * The requested resource.
     */
    data: WebhookEndpointUpdateResponse;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * Changes of a webhook endpoint. Omitted fields stay as they are.
 */
export type WebhookEndpointUpdateRequest = {
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name?: string;
    /**
     * https; plain http only for addresses that the operator has allowed, and for names that have such addresses alone.
     */
    url?: string;
    /**
     * Event types, or families such as `license.*`. An empty list means every event.
     */
    event_types?: Array<EventSubscription>;
    /**
     * 16 to 128 printable characters. After the prefix `whsec_`, padded standard base64: the decoded part is the key of the Standard Webhooks headers. Without the prefix, the key is the UTF-8 bytes.
     */
    secret?: string;
    /**
     * Excludes `secret`.
     */
    rotate_secret?: boolean;
    /**
     * How long previous secrets continue to sign. Default: a day. Set 0 if they are compromised. Without a new secret, it shortens the time of secrets that were replaced before.
     */
    secret_overlap_seconds?: number;
    /**
     * Headers to set, and with `null` to remove; the others stay. An endpoint has at most 8, such as the key that an API gateway asks for. Stored as secrets are, and never shown again: `header_names` says which there are. Those of the connection, of the delivery (`webhook-*`, `svix-*`, `X-Service-*`) and of traces are refused.
     */
    headers?: WebhookRequestHeadersChange;
    /**
     * `true`: one delivery at a time, in the order of `sequence`; each one waits until the previous one was accepted. A failed delivery is retried at least every five minutes, without a limit, and the later ones wait.
     */
    ordered?: boolean;
    /**
     * `false` pauses the endpoint. `true` resumes it at the next pending event.
     */
    is_active?: boolean;
    /**
     * The reason, on one line, for the audit. The events of the request have it in `metadata.reason_given`, and their activities show it. It is erased together with the events of the customer.
     */
    reason?: string;
};

/**
 * With the secret when it was given or rotated, otherwise the endpoint alone.
 */
export type WebhookEndpointUpdateResponse = WebhookEndpointWithSecret | WebhookEndpoint;

/**
 * An endpoint with its newest secret, which is shown only this once.
 */
export type WebhookEndpointWithSecret = {
    /**
     * An endpoint that receives events.
     */
    webhook: WebhookEndpoint;
    /**
     * The signing secret of deliveries. It is shown only this once.
     */
    secret: string;
};

/**
 * The response, with the result in `data`.
 */
export type WebhookEndpointWithSecretAnswer = {
    /**
     * The requested resource.
     */
    data: WebhookEndpointWithSecret;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The state of the deliveries of all endpoints.
 */
export type WebhookHealth = {
    /**
     * The current status.
     */
    status: 'ok' | 'degraded' | 'down';
    /**
     * Why it is not ok, for people.
     */
    reasons: Array<string>;
    /**
     * Time when these figures were read.
     */
    as_of: string;
    /**
     * The head of the feed.
     */
    feed_sequence: number;
    /**
     * Events that have no place in the feed yet.
     */
    unsequenced: number;
    /**
     * Age of the oldest event that has no place in the feed yet.
     */
    feed_lag_seconds: number;
    /**
     * Events after the cursors of active endpoints that are behind, including events of other types.
     */
    backlog: number;
    /**
     * Seconds for which the oldest undelivered event has been pending.
     */
    oldest_undelivered_seconds?: number;
    /**
     * Seconds for which the oldest retry has been due.
     */
    oldest_overdue_retry_seconds?: number;
    /**
     * Number of deliveries that are pending for their next attempt.
     */
    retries_pending: number;
    /**
     * Deliveries for which all retries failed.
     */
    exhausted: number;
    /**
     * Number of endpoints in each state.
     */
    lanes: {
        /**
         * Number of endpoints that receive events.
         */
        active: number;
        /**
         * Number of endpoints whose last attempts failed.
         */
        failing: number;
        /**
         * Number of endpoints that get only probes now, because they did not respond.
         */
        breaker_open: number;
        /**
         * Number of paused endpoints.
         */
        paused: number;
        /**
         * Number of endpoints that the service disabled.
         */
        disabled: number;
    };
    /**
     * Latency is from the commit of the event to the 2xx of the receiver, at most a quarter too high.
     */
    last_5m: WebhookHealthWindow;
    /**
     * Latency is from the commit of the event to the 2xx of the receiver, at most a quarter too high.
     */
    last_1h: WebhookHealthWindow;
    /**
     * The attempts of `last_1h` per minute, oldest first, at most 60. Minutes without attempts are omitted.
     */
    minutes: Array<WebhookHealthMinute>;
    /**
     * Up to ten endpoints with the most trouble.
     */
    worst: Array<WebhookHealthLane>;
};

/**
 * The response, with the result in `data`.
 */
export type WebhookHealthAnswer = {
    /**
     * The requested resource.
     */
    data: WebhookHealth;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The state of the deliveries to one endpoint.
 */
export type WebhookHealthLane = {
    /**
     * The ID of the webhook endpoint: `whk_` and 26 characters.
     */
    webhook_id: string;
    /**
     * The display name, 1 to 255 characters; at least one of them is visible.
     */
    name: string;
    /**
     * The state of the deliveries to the endpoint.
     */
    state: 'active' | 'failing' | 'breaker_open' | 'paused' | 'disabled';
    /**
     * Number of events that are pending for the endpoint.
     */
    backlog: number;
    /**
     * Number of deliveries that are pending for their next attempt.
     */
    retries_pending: number;
    /**
     * Number of failed attempts since the last successful one.
     */
    consecutive_failures: number;
    /**
     * Number of deliveries for which all retries failed.
     */
    exhausted: number;
    /**
     * Seconds for which the oldest undelivered event has been pending.
     */
    oldest_undelivered_seconds?: number;
    /**
     * Time since which every delivery has failed; absent while deliveries succeed.
     */
    failing_since?: string;
    /**
     * How the last attempt ended.
     */
    last_outcome?: string;
};

/**
 * The results of the attempts in one minute.
 */
export type WebhookHealthMinute = {
    /**
     * When the minute began.
     */
    minute: string;
    /**
     * Number of deliveries with a 2xx response.
     */
    delivered: number;
    /**
     * Number of attempts without a 2xx response.
     */
    failed_attempts: number;
};

/**
 * Latency is from the commit of the event to the 2xx of the receiver, at most a quarter too high.
 */
export type WebhookHealthWindow = {
    /**
     * Number of deliveries with a 2xx response.
     */
    delivered: number;
    /**
     * Number of attempts without a 2xx response.
     */
    failed_attempts: number;
    /**
     * Share of attempts that delivered, 0 to 1.
     */
    success_rate?: number;
    /**
     * Median delivery latency in milliseconds.
     */
    p50_ms?: number;
    /**
     * 95th percentile of the delivery latency in milliseconds.
     */
    p95_ms?: number;
    /**
     * 99th percentile of the delivery latency in milliseconds.
     */
    p99_ms?: number;
};

/**
 * The result of the last attempt to deliver to an endpoint.
 */
export type WebhookLastOutcome = {
    /**
     * Time when the attempt ended.
     */
    at: string;
    /**
     * `delivered`: 2xx. `throttled`: 429, or 503 with Retry-After. The receiver requests a slower pace; not counted as an attempt. `dropped`: `webhook-delivery: abort-message`. `gone`: 410, or `webhook-delivery: disable`. `redirected`: 3xx; redirects are not followed. `rejected`: any other status below 500. `server_error`: 500 or higher. `dns`: the name does not resolve. `address_not_allowed`: the address is not allowed. `connect`: no connection. `tls`: the handshake failed, or the certificate is invalid. `timeout`: no response in time. `reset`: the connection broke before the response. `protocol`: no HTTP/1.1 response within the limits.
     */
    class: WebhookOutcomeClass;
    /**
     * The status of the response, if there was one.
     */
    status?: number;
    /**
     * Where a redirect leads, its path masked: set `url` to what is there.
     */
    location?: string;
    /**
     * The first thing to check, if the response shows which side is misconfigured.
     */
    advice?: string;
    /**
     * Earliest time of the next attempt, if one is pending: a retry, a probe of an endpoint that does not respond, or the end of the wait that the receiver requested.
     */
    next_attempt_at?: string;
};

/**
 * `delivered`: 2xx. `throttled`: 429, or 503 with Retry-After. The receiver requests a slower pace; not counted as an attempt. `dropped`: `webhook-delivery: abort-message`. `gone`: 410, or `webhook-delivery: disable`. `redirected`: 3xx; redirects are not followed. `rejected`: any other status below 500. `server_error`: 500 or higher. `dns`: the name does not resolve. `address_not_allowed`: the address is not allowed. `connect`: no connection. `tls`: the handshake failed, or the certificate is invalid. `timeout`: no response in time. `reset`: the connection broke before the response. `protocol`: no HTTP/1.1 response within the limits.
 */
export type WebhookOutcomeClass = 'delivered' | 'throttled' | 'dropped' | 'gone' | 'redirected' | 'rejected' | 'server_error' | 'dns' | 'address_not_allowed' | 'connect' | 'tls' | 'timeout' | 'reset' | 'protocol';

/**
 * Headers of each delivery in addition to those of the service: at most 8, such as the key that an API gateway asks for. Stored as secrets are, and never shown again: `header_names` says which there are. Those of the connection, of the delivery (`webhook-*`, `svix-*`, `X-Service-*`) and of traces are refused.
 */
export type WebhookRequestHeaders = {
    [key: string]: string;
};

/**
 * Headers to set, and with `null` to remove; the others stay. An endpoint has at most 8, such as the key that an API gateway asks for. Stored as secrets are, and never shown again: `header_names` says which there are. Those of the connection, of the delivery (`webhook-*`, `svix-*`, `X-Service-*`) and of traces are refused.
 */
export type WebhookRequestHeadersChange = {
    [key: string]: string | null;
};

/**
 * The delivery of `webhook.secret_rotated`.
 */
export type WebhookSecretRotatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'webhook.secret_rotated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'webhook.secret_rotated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: WebhookEndpointInEvent;
};

/**
 * The delivery of `webhook.skipped`.
 */
export type WebhookSkippedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'webhook.skipped';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'webhook.skipped';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: WebhookSkippedEventData;
};

/**
 * Pending events of an endpoint were skipped.
 */
export type WebhookSkippedEventData = {
    /**
     * The ID of the webhook endpoint: `whk_` and 26 characters.
     */
    webhook_id: string;
    /**
     * Number of events that the endpoint receives and that were skipped.
     */
    skipped_events: number;
    /**
     * Up to here everything was settled, but for what was retried.
     */
    after_sequence: number;
    /**
     * The end of the feed when it went on.
     */
    up_to_sequence: number;
};

/**
 * The delivery of `webhook.test`.
 */
export type WebhookTestDelivery = {
    /**
     * The id of the test. The feed does not have it.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'webhook.test';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'webhook.test';
    /**
     * The end of the feed; a test has no position.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: WebhookEndpointInEvent;
};

/**
 * The result of a test of an endpoint.
 */
export type WebhookTestResult = {
    /**
     * The `id` in the body that was sent. The feed does not have it.
     */
    event_id: string;
    /**
     * `X-Service-Delivery-ID` of the test.
     */
    delivery_id: string;
    /**
     * `delivered`: 2xx. `throttled`: 429, or 503 with Retry-After. The receiver requests a slower pace; not counted as an attempt. `dropped`: `webhook-delivery: abort-message`. `gone`: 410, or `webhook-delivery: disable`. `redirected`: 3xx; redirects are not followed. `rejected`: any other status below 500. `server_error`: 500 or higher. `dns`: the name does not resolve. `address_not_allowed`: the address is not allowed. `connect`: no connection. `tls`: the handshake failed, or the certificate is invalid. `timeout`: no response in time. `reset`: the connection broke before the response. `protocol`: no HTTP/1.1 response within the limits.
     */
    class: WebhookOutcomeClass;
    /**
     * The status of the response, if there was one.
     */
    status?: number;
    /**
     * Where a redirect leads, its path masked: set `url` to what is there.
     */
    location?: string;
    /**
     * The first thing to check, if the response shows which side is misconfigured.
     */
    advice?: string;
    /**
     * How long the attempt took, in milliseconds: 15 seconds at most.
     */
    duration_ms: number;
};

/**
 * The response, with the result in `data`.
 */
export type WebhookTestResultAnswer = {
    /**
     * The requested resource.
     */
    data: WebhookTestResult;
    /**
     * About the response itself.
     */
    meta: ResponseMeta;
};

/**
 * The delivery of `webhook.updated`.
 */
export type WebhookUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * The event type.
     */
    type: 'webhook.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'webhook.updated';
    /**
     * The position in the feed, as `X-Service-Event-Sequence`.
     */
    sequence: number;
    /**
     * The epoch of `sequence`: 1 until the log is restored. Signed, unlike the header of the same name.
     */
    epoch?: number;
    /**
     * When it happened.
     */
    created_at: string;
    /**
     * `test` in everything of the test environment; absent in the live one. An app for customers must not run on it.
     */
    environment?: 'test';
    /**
     * The resource after the event.
     */
    data: WebhookEndpointInEvent;
};

/**
 * The ID of the API key. An unknown ID is 404.
 */
export type ApiKeyId = string;

/**
 * Only licenses with a device that has a seat and runs this version of the app; `1.x` is any that begins with `1.`.
 */
export type AppVersion = string;

/**
 * Only devices with this version of the app; `1.x` is any that begins with `1.`.
 */
export type AppVersionOfListLicenseDevices = string;

/**
 * The ID of the approval. An unknown ID is 404.
 */
export type ApprovalId = string;

/**
 * The ID of the billing connection. An unknown ID is 404.
 */
export type BillingConnectionId = string;

/**
 * Only what belongs to this billing connection.
 */
export type ConnectionId = string;

/**
 * Only what was created at this time or later.
 */
export type CreatedFrom = string;

/**
 * Only what was created before this time.
 */
export type CreatedTo = string;

/**
 * `next_cursor` of the previous page, with the same filters. Omit for the first page.
 */
export type Cursor = string;

/**
 * The ID of the custom field. An unknown ID is 404.
 */
export type CustomFieldId = string;

/**
 * The ID of the customer. An unknown ID is 404.
 */
export type CustomerId = string;

/**
 * Only what belongs to this customer.
 */
export type CustomerIdOfListPurchases = string;

/**
 * The ID of the device. An unknown ID is 404.
 */
export type DeviceId = string;

/**
 * Only licenses that expire after this time.
 */
export type ExpiresAfter = string;

/**
 * Only licenses that expire before this time.
 */
export type ExpiresBefore = string;

/**
 * Only the record with this ID in its billing system.
 */
export type ExternalId = string;

/**
 * The ID of the record in the billing system.
 */
export type ExternalIdOfPutSubscription = string;

/**
 * Only records of this billing system.
 */
export type ExternalSystem = string;

/**
 * The billing system.
 */
export type ExternalSystemOfPutSubscription = string;

/**
 * Only this feature.
 */
export type FeatureCode = string;

/**
 * The ID of the feature. An unknown ID is 404.
 */
export type FeatureId = string;

/**
 * The ID of the feature. An unknown ID is 404.
 */
export type FeatureIdOfRemovePolicyFeature = string;

/**
 * Start of the window, inclusive.
 */
export type From = string;

/**
 * The ID of the grant. An unknown ID is 404.
 */
export type GrantId = string;

/**
 * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
 */
export type IdempotencyKey = string;

/**
 * Accepted and ignored: every request runs again.
 */
export type IdempotencyKeyIgnored = string;

/**
 * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
 */
export type IdempotencyKeyRequired = string;

/**
 * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours. A retry that would be refused by then is refused. A nonce is part of the request.
 */
export type IdempotencyKeyRequiredRuntime = string;

/**
 * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours. A retry that would be refused by then is refused. A nonce is part of the request.
 */
export type IdempotencyKeyRuntime = string;

/**
 * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
 */
export type IfMatch = string;

/**
 * The `ETag` that you have. The response is 304 if it has not changed (RFC 9110 section 13.1.2).
 */
export type IfNoneMatch = string;

/**
 * The `ETag` of the part that you have. If the file has changed, `Range` is ignored (RFC 9110 section 13.1.5).
 */
export type IfRange = string;

/**
 * `true` adds `counts`: what belongs to it. Default: `false`.
 */
export type IncludeCounts = boolean;

/**
 * `true` adds the names behind the IDs, as `names`. Default: `false`.
 */
export type IncludeNames = boolean;

/**
 * `true` adds `total` to `page_info`: how many entries match, counted to 1,000. Ask for it with the first page. Default: `false`.
 */
export type IncludeTotal = boolean;

/**
 * The ID of the job. An unknown ID is 404.
 */
export type JobId = string;

/**
 * The ID of the license. An unknown ID is 404.
 */
export type LicenseId = string;

/**
 * Only what belongs to this license.
 */
export type LicenseIdOfListPurchases = string;

/**
 * The ID of the user. An unknown ID is 404.
 */
export type LicenseUserId = string;

/**
 * The ID of the saved view. An unknown ID is 404.
 */
export type LicenseViewId = string;

/**
 * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
 */
export type Limit = number;

/**
 * The epoch of the log, from 1: a number that `GET /api/v1/events/epochs` lists.
 */
export type LogEpoch2 = string;

/**
 * The index in elements of three digits, of which all but the last begin with `x`, and `.p/<W>` for the first `W` of 256: `x001/x234/067`, `000.p/42`. Its slashes are sent as they are, or encoded.
 */
export type LogTile = string;

/**
 * The kind of the mail.
 */
export type MailKind2 = string;

/**
 * The language of the mail.
 */
export type MailLanguage2 = string;

/**
 * The ID of the suppression. An unknown ID is 404.
 */
export type MailSuppressionId = string;

/**
 * The ID of the note. An unknown ID is 404.
 */
export type NoteId = string;

/**
 * `desc`, the default, starts with the newest; `asc` with the oldest.
 */
export type Order2 = 'desc' | 'asc';

/**
 * Only what belongs to this order.
 */
export type OrderId = string;

/**
 * The ID of the order. An unknown ID is 404.
 */
export type OrderIdOfGetOrder = string;

/**
 * By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
 */
export type OrderOfListProducts = 'desc' | 'asc' | 'updated_desc' | 'updated_asc';

/**
 * Only licenses with a device that has a seat and whose system begins with this text; not case-sensitive.
 */
export type Os = string;

/**
 * Only devices whose system begins with this text; not case-sensitive.
 */
export type OsOfListLicenseDevices = string;

/**
 * The ID of the passkey. An unknown ID is 404.
 */
export type PasskeyId = string;

/**
 * The ID of the person. An unknown ID is 404.
 */
export type PersonId = string;

/**
 * Only what belongs to this person.
 */
export type PersonIdOfListSessions = string;

/**
 * The ID of the policy. An unknown ID is 404.
 */
export type PolicyId = string;

/**
 * Only what belongs to this policy.
 */
export type PolicyIdOfListLicenses = string;

/**
 * The ID of the policy. An unknown ID is 404.
 */
export type PolicyIdOfListPolicyFeatures = string;

/**
 * The ID of the pool. An unknown ID is 404.
 */
export type PoolId = string;

/**
 * The ID of the product. An unknown ID is 404.
 */
export type ProductId2 = string;

/**
 * Only what belongs to this product.
 */
export type ProductIdOfListProducts = string;

/**
 * The ID of the version. An unknown ID is 404.
 */
export type ProductVersionId = string;

/**
 * The ID of the purchase. An unknown ID is 404.
 */
export type PurchaseId = string;

/**
 * One range of bytes (RFC 9110 section 14.2). For several ranges, the response is the whole file.
 */
export type Range = string;

/**
 * The ID of the export. An unknown ID is 404.
 */
export type ReportExportId2 = string;

/**
 * The ID of the role. An unknown ID is 404.
 */
export type RoleId = string;

/**
 * The size of the tree, which is the `sequence` of its last event. Default: that of the latest checkpoint.
 */
export type Size = number;

/**
 * Only purchases with this status.
 */
export type Status = PurchaseStatus;

/**
 * Only licenses with this status.
 */
export type StatusOfListLicenses = LicenseStatus;

/**
 * Only what belongs to this subscription.
 */
export type SubscriptionId = string;

/**
 * The ID of the subscription. An unknown ID is 404.
 */
export type SubscriptionIdOfGetSubscription = string;

/**
 * Only licenses with this tag.
 */
export type Tag = string;

/**
 * End of the window, exclusive. Default: now.
 */
export type To = string;

/**
 * Only what changed at this time or later; without `order`, the latest change comes first. To follow changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is returned again.
 */
export type UpdatedFrom = string;

/**
 * The ID of the webhook endpoint. An unknown ID is 404.
 */
export type WebhookEndpointId = string;

/**
 * The same as `nonce` in the body, which takes precedence. The signed response repeats it, so that an old response cannot be replayed to you. Omit it rather than send it empty.
 */
export type XNonce = string;

/**
 * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Omit it rather than send it empty.
 */
export type XNonceOfGetUserIssuer = string;

/**
 * The `user_token` of the person who is signed in, if the license has users. Without it, only devices without a user are listed and released, and receipts are refused.
 */
export type XuserToken = string;

/**
 * `t=<unix seconds>` and one `v1=<hex>` for each live secret: HMAC-SHA-256 over `<t>.<delivery id>.<raw body>`. Verify the bytes as they arrived, before any JSON parsing, and refuse a `t` that is not within five minutes.
 */
export type XServiceSignature = string;

/**
 * The delivery: the same on every attempt. Drop those that you have seen.
 */
export type XServiceDeliveryId = string;

/**
 * The position of the event in the feed, by which you find gaps.
 */
export type XServiceEventSequence = number;

/**
 * The epoch of that position: 1 until the log is restored. Not signed; the `epoch` in the body is.
 */
export type XServiceEventEpoch = number;

/**
 * The event type, as `type` in the body.
 */
export type XServiceEventType = string;

/**
 * The same as `X-Service-Delivery-ID` (Standard Webhooks).
 */
export type WebhookId = string;

/**
 * Unix seconds (Standard Webhooks).
 */
export type WebhookTimestamp = string;

/**
 * `v1,<base64>` for each live secret, separated by spaces, over `<delivery id>.<unix seconds>.<raw body>` (Standard Webhooks).
 */
export type WebhookSignature = string;

/**
 * The span of this attempt (W3C Trace Context), if the service is traced. Not signed.
 */
export type Traceparent = string;

export type ListProductsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what changed at this time or later; without `order`, the latest change comes first. To follow changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is returned again.
         */
        updated_from?: string;
        /**
         * `true` adds `total` to `page_info`: how many entries match, counted to 1,000. Ask for it with the first page. Default: `false`.
         */
        include_total?: boolean;
        /**
         * Only what belongs to this product.
         */
        product_id?: string;
        /**
         * `true` adds `counts`: what belongs to it. Default: `false`.
         */
        include_counts?: boolean;
    };
    url: '/api/v1/products';
};

export type ListProductsResponses = {
    /**
     * As asked.
     */
    200: ProductPage;
};

export type ListProductsResponse = ListProductsResponses[keyof ListProductsResponses];

export type CreateProductData = {
    body: ProductCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/products';
};

export type CreateProductResponses = {
    /**
     * Created.
     */
    201: ProductAnswer;
};

export type CreateProductResponse = CreateProductResponses[keyof CreateProductResponses];

export type DeleteProductData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}';
};

export type DeleteProductResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DeleteProductResponse = DeleteProductResponses[keyof DeleteProductResponses];

export type GetProductData = {
    body?: never;
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}';
};

export type GetProductResponses = {
    /**
     * As asked.
     */
    200: ProductAnswer;
};

export type GetProductResponse = GetProductResponses[keyof GetProductResponses];

export type UpdateProductData = {
    body: ProductUpdateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}';
};

export type UpdateProductResponses = {
    /**
     * Done.
     */
    200: ProductAnswer;
};

export type UpdateProductResponse = UpdateProductResponses[keyof UpdateProductResponses];

export type ListProductVersionsData = {
    body?: never;
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what changed at this time or later; without `order`, the latest change comes first. To follow changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is returned again.
         */
        updated_from?: string;
        /**
         * `true` adds `total` to `page_info`: how many entries match, counted to 1,000. Ask for it with the first page. Default: `false`.
         */
        include_total?: boolean;
    };
    url: '/api/v1/products/{id}/versions';
};

export type ListProductVersionsResponses = {
    /**
     * As asked.
     */
    200: ProductVersionPage;
};

export type ListProductVersionsResponse = ListProductVersionsResponses[keyof ListProductVersionsResponses];

export type CreateProductVersionData = {
    body: ProductVersionCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/versions';
};

export type CreateProductVersionResponses = {
    /**
     * Created.
     */
    201: ProductVersionAnswer;
};

export type CreateProductVersionResponse = CreateProductVersionResponses[keyof CreateProductVersionResponses];

export type DeleteProductVersionData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the version. An unknown ID is 404.
         */
        version_id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/versions/{version_id}';
};

export type DeleteProductVersionResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DeleteProductVersionResponse = DeleteProductVersionResponses[keyof DeleteProductVersionResponses];

export type GetProductVersionData = {
    body?: never;
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the version. An unknown ID is 404.
         */
        version_id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/versions/{version_id}';
};

export type GetProductVersionResponses = {
    /**
     * As asked.
     */
    200: ProductVersionAnswer;
};

export type GetProductVersionResponse = GetProductVersionResponses[keyof GetProductVersionResponses];

export type UpdateProductVersionData = {
    body: ProductVersionUpdateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the version. An unknown ID is 404.
         */
        version_id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/versions/{version_id}';
};

export type UpdateProductVersionResponses = {
    /**
     * Done.
     */
    200: ProductVersionAnswer;
};

export type UpdateProductVersionResponse = UpdateProductVersionResponses[keyof UpdateProductVersionResponses];

export type ListProductCustomFieldDefinitionsData = {
    body?: never;
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what changed at this time or later; without `order`, the latest change comes first. To follow changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is returned again.
         */
        updated_from?: string;
        /**
         * `true` adds `total` to `page_info`: how many entries match, counted to 1,000. Ask for it with the first page. Default: `false`.
         */
        include_total?: boolean;
    };
    url: '/api/v1/products/{id}/custom-fields';
};

export type ListProductCustomFieldDefinitionsResponses = {
    /**
     * As asked.
     */
    200: CustomFieldDefinitionPage;
};

export type ListProductCustomFieldDefinitionsResponse = ListProductCustomFieldDefinitionsResponses[keyof ListProductCustomFieldDefinitionsResponses];

export type CreateProductCustomFieldDefinitionData = {
    body: CustomFieldDefinitionCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/custom-fields';
};

export type CreateProductCustomFieldDefinitionResponses = {
    /**
     * Created.
     */
    201: CustomFieldDefinitionAnswer;
};

export type CreateProductCustomFieldDefinitionResponse = CreateProductCustomFieldDefinitionResponses[keyof CreateProductCustomFieldDefinitionResponses];

export type DeleteProductCustomFieldDefinitionData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the custom field. An unknown ID is 404.
         */
        field_id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/custom-fields/{field_id}';
};

export type DeleteProductCustomFieldDefinitionResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DeleteProductCustomFieldDefinitionResponse = DeleteProductCustomFieldDefinitionResponses[keyof DeleteProductCustomFieldDefinitionResponses];

export type GetProductCustomFieldDefinitionData = {
    body?: never;
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the custom field. An unknown ID is 404.
         */
        field_id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/custom-fields/{field_id}';
};

export type GetProductCustomFieldDefinitionResponses = {
    /**
     * As asked.
     */
    200: CustomFieldDefinitionAnswer;
};

export type GetProductCustomFieldDefinitionResponse = GetProductCustomFieldDefinitionResponses[keyof GetProductCustomFieldDefinitionResponses];

export type UpdateProductCustomFieldDefinitionData = {
    body: CustomFieldDefinitionUpdateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the custom field. An unknown ID is 404.
         */
        field_id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/custom-fields/{field_id}';
};

export type UpdateProductCustomFieldDefinitionResponses = {
    /**
     * Done.
     */
    200: CustomFieldDefinitionAnswer;
};

export type UpdateProductCustomFieldDefinitionResponse = UpdateProductCustomFieldDefinitionResponses[keyof UpdateProductCustomFieldDefinitionResponses];

export type ListCustomerCustomFieldValuesData = {
    body?: never;
    path: {
        /**
         * The ID of the customer. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
    };
    url: '/api/v1/customers/{id}/custom-fields';
};

export type ListCustomerCustomFieldValuesResponses = {
    /**
     * As asked.
     */
    200: CustomFieldValuePage;
};

export type ListCustomerCustomFieldValuesResponse = ListCustomerCustomFieldValuesResponses[keyof ListCustomerCustomFieldValuesResponses];

export type UpsertCustomerCustomFieldValueData = {
    body: CustomFieldValueUpsertRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the customer. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the custom field. An unknown ID is 404.
         */
        field_id: string;
    };
    query?: never;
    url: '/api/v1/customers/{id}/custom-fields/{field_id}';
};

export type UpsertCustomerCustomFieldValueResponses = {
    /**
     * Done.
     */
    200: CustomFieldValueAnswer;
    /**
     * Done. There is no body.
     */
    204: void;
};

export type UpsertCustomerCustomFieldValueResponse = UpsertCustomerCustomFieldValueResponses[keyof UpsertCustomerCustomFieldValueResponses];

export type ListLicenseCustomFieldValuesData = {
    body?: never;
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
    };
    url: '/api/v1/licenses/{id}/custom-fields';
};

export type ListLicenseCustomFieldValuesResponses = {
    /**
     * As asked.
     */
    200: CustomFieldValuePage;
};

export type ListLicenseCustomFieldValuesResponse = ListLicenseCustomFieldValuesResponses[keyof ListLicenseCustomFieldValuesResponses];

export type UpsertLicenseCustomFieldValueData = {
    body: CustomFieldValueUpsertRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the custom field. An unknown ID is 404.
         */
        field_id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/custom-fields/{field_id}';
};

export type UpsertLicenseCustomFieldValueResponses = {
    /**
     * Done.
     */
    200: CustomFieldValueAnswer;
    /**
     * Done. There is no body.
     */
    204: void;
};

export type UpsertLicenseCustomFieldValueResponse = UpsertLicenseCustomFieldValueResponses[keyof UpsertLicenseCustomFieldValueResponses];

export type ListPoliciesByProductData = {
    body?: never;
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what changed at this time or later; without `order`, the latest change comes first. To follow changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is returned again.
         */
        updated_from?: string;
        /**
         * `true` adds `total` to `page_info`: how many entries match, counted to 1,000. Ask for it with the first page. Default: `false`.
         */
        include_total?: boolean;
        /**
         * `true` adds `counts`: what belongs to it. Default: `false`.
         */
        include_counts?: boolean;
    };
    url: '/api/v1/products/{id}/policies';
};

export type ListPoliciesByProductResponses = {
    /**
     * As asked.
     */
    200: PolicyPage;
};

export type ListPoliciesByProductResponse = ListPoliciesByProductResponses[keyof ListPoliciesByProductResponses];

export type CreatePolicyData = {
    body: PolicyCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/policies';
};

export type CreatePolicyResponses = {
    /**
     * Created.
     */
    201: PolicyWrittenAnswer;
};

export type CreatePolicyResponse = CreatePolicyResponses[keyof CreatePolicyResponses];

export type DeletePolicyData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the policy. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/policies/{id}';
};

export type DeletePolicyResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DeletePolicyResponse = DeletePolicyResponses[keyof DeletePolicyResponses];

export type GetPolicyData = {
    body?: never;
    path: {
        /**
         * The ID of the policy. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/policies/{id}';
};

export type GetPolicyResponses = {
    /**
     * As asked.
     */
    200: PolicyAnswer;
};

export type GetPolicyResponse = GetPolicyResponses[keyof GetPolicyResponses];

export type UpdatePolicyData = {
    body: PolicyUpdateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the policy. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/policies/{id}';
};

export type UpdatePolicyResponses = {
    /**
     * Done.
     */
    200: PolicyWrittenAnswer;
};

export type UpdatePolicyResponse = UpdatePolicyResponses[keyof UpdatePolicyResponses];

export type RehearsePolicyData = {
    body: PolicyRehearsalRequest;
    headers?: {
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the policy. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/policies/{id}/rehearse';
};

export type RehearsePolicyResponses = {
    /**
     * Done.
     */
    200: PolicyRehearsalAnswer;
};

export type RehearsePolicyResponse = RehearsePolicyResponses[keyof RehearsePolicyResponses];

export type ListPolicyFeaturesData = {
    body?: never;
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the policy. An unknown ID is 404.
         */
        policy_id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
    };
    url: '/api/v1/products/{id}/policies/{policy_id}/features';
};

export type ListPolicyFeaturesResponses = {
    /**
     * As asked.
     */
    200: PolicyFeaturePage;
};

export type ListPolicyFeaturesResponse = ListPolicyFeaturesResponses[keyof ListPolicyFeaturesResponses];

export type AssignPolicyFeatureData = {
    body: PolicyFeatureAssignRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the policy. An unknown ID is 404.
         */
        policy_id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/policies/{policy_id}/features';
};

export type AssignPolicyFeatureResponses = {
    /**
     * Done.
     */
    200: PolicyFeatureAnswer;
};

export type AssignPolicyFeatureResponse = AssignPolicyFeatureResponses[keyof AssignPolicyFeatureResponses];

export type RemovePolicyFeatureData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the policy. An unknown ID is 404.
         */
        policy_id: string;
        /**
         * The ID of the feature. An unknown ID is 404.
         */
        feature_id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/policies/{policy_id}/features/{feature_id}';
};

export type RemovePolicyFeatureResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type RemovePolicyFeatureResponse = RemovePolicyFeatureResponses[keyof RemovePolicyFeatureResponses];

export type ListFeaturesByProductData = {
    body?: never;
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what changed at this time or later; without `order`, the latest change comes first. To follow changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is returned again.
         */
        updated_from?: string;
        /**
         * `true` adds `total` to `page_info`: how many entries match, counted to 1,000. Ask for it with the first page. Default: `false`.
         */
        include_total?: boolean;
        /**
         * `true` returns only archived features, `false` only the others. Default: all.
         */
        is_archived?: boolean;
    };
    url: '/api/v1/products/{id}/features';
};

export type ListFeaturesByProductResponses = {
    /**
     * As asked.
     */
    200: FeaturePage;
};

export type ListFeaturesByProductResponse = ListFeaturesByProductResponses[keyof ListFeaturesByProductResponses];

export type CreateFeatureData = {
    body: FeatureCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/features';
};

export type CreateFeatureResponses = {
    /**
     * Created.
     */
    201: FeatureAnswer;
};

export type CreateFeatureResponse = CreateFeatureResponses[keyof CreateFeatureResponses];

export type DeleteFeatureData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the feature. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/features/{id}';
};

export type DeleteFeatureResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DeleteFeatureResponse = DeleteFeatureResponses[keyof DeleteFeatureResponses];

export type GetFeatureData = {
    body?: never;
    path: {
        /**
         * The ID of the feature. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/features/{id}';
};

export type GetFeatureResponses = {
    /**
     * As asked.
     */
    200: FeatureAnswer;
};

export type GetFeatureResponse = GetFeatureResponses[keyof GetFeatureResponses];

export type UpdateFeatureData = {
    body: FeatureUpdateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the feature. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/features/{id}';
};

export type UpdateFeatureResponses = {
    /**
     * Done.
     */
    200: FeatureAnswer;
};

export type UpdateFeatureResponse = UpdateFeatureResponses[keyof UpdateFeatureResponses];

export type ListLicenseFeaturesData = {
    body?: never;
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
    };
    url: '/api/v1/licenses/{id}/features';
};

export type ListLicenseFeaturesResponses = {
    /**
     * As asked.
     */
    200: LicenseFeaturePage;
};

export type ListLicenseFeaturesResponse = ListLicenseFeaturesResponses[keyof ListLicenseFeaturesResponses];

export type AssignLicenseFeatureData = {
    body: LicenseFeatureAssignRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/features';
};

export type AssignLicenseFeatureResponses = {
    /**
     * Done.
     */
    200: LicenseFeatureAnswer;
};

export type AssignLicenseFeatureResponse = AssignLicenseFeatureResponses[keyof AssignLicenseFeatureResponses];

export type RemoveLicenseFeatureData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the feature. An unknown ID is 404.
         */
        feature_id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/features/{feature_id}';
};

export type RemoveLicenseFeatureResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type RemoveLicenseFeatureResponse = RemoveLicenseFeatureResponses[keyof RemoveLicenseFeatureResponses];

export type ResetLicenseUsageData = {
    body: LicenseFeatureUsageResetRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/usage/reset';
};

export type ResetLicenseUsageResponses = {
    /**
     * Done.
     */
    200: LicenseFeatureAnswer;
};

export type ResetLicenseUsageResponse = ResetLicenseUsageResponses[keyof ResetLicenseUsageResponses];

export type ListCustomersData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`. By the name, where upper and lower case and accents are alike: `name_asc` and `name_desc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc' | 'name_asc' | 'name_desc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what changed at this time or later; without `order`, the latest change comes first. To follow changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is returned again.
         */
        updated_from?: string;
        /**
         * `true` adds `total` to `page_info`: how many entries match, counted to 1,000. Ask for it with the first page. Default: `false`.
         */
        include_total?: boolean;
        /**
         * Only customers with this email address; not case-sensitive. In a URL, write its `+` as `%2B`, as clients do.
         */
        email?: string;
        /**
         * Only customers whose name starts with this; not case-sensitive.
         */
        name?: string;
        /**
         * Only the customer with this code.
         */
        code?: string;
        /**
         * Only records of this billing system.
         */
        external_system?: string;
        /**
         * Only the record with this ID in its billing system.
         */
        external_id?: string;
        /**
         * Only customers that belong to this one.
         */
        parent_id?: string;
        /**
         * Only customers with a license of this product.
         */
        product_id?: string;
        /**
         * Only customers with a device that has a seat and runs this version of the app; `1.x` is any that begins with `1.`.
         */
        app_version?: string;
        /**
         * Only customers with a device that has a seat and whose system begins with this text; not case-sensitive.
         */
        os?: string;
        /**
         * The ID, the code or the ID in a billing system; the start of the name or email address, or of words of theirs in any order, where letters with and without accents are alike; or a text in the metadata.
         */
        q?: string;
    };
    url: '/api/v1/customers';
};

export type ListCustomersResponses = {
    /**
     * As asked.
     */
    200: CustomerPage;
};

export type ListCustomersResponse = ListCustomersResponses[keyof ListCustomersResponses];

export type CreateCustomerData = {
    body: CustomerCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/customers';
};

export type CreateCustomerResponses = {
    /**
     * Created.
     */
    201: CustomerAnswer;
};

export type CreateCustomerResponse = CreateCustomerResponses[keyof CreateCustomerResponses];

export type DeleteCustomerData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the customer. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/customers/{id}';
};

export type DeleteCustomerResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DeleteCustomerResponse = DeleteCustomerResponses[keyof DeleteCustomerResponses];

export type GetCustomerData = {
    body?: never;
    path: {
        /**
         * The ID of the customer. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/customers/{id}';
};

export type GetCustomerResponses = {
    /**
     * As asked.
     */
    200: CustomerAnswer;
};

export type GetCustomerResponse = GetCustomerResponses[keyof GetCustomerResponses];

export type UpdateCustomerData = {
    body: CustomerUpdateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the customer. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/customers/{id}';
};

export type UpdateCustomerResponses = {
    /**
     * Done.
     */
    200: CustomerAnswer;
};

export type UpdateCustomerResponse = UpdateCustomerResponses[keyof UpdateCustomerResponses];

export type CreatePortalLinkData = {
    body: PortalLinkCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the customer. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/customers/{id}/portal-links';
};

export type CreatePortalLinkResponses = {
    /**
     * Done.
     */
    200: PortalLinkAnswer;
};

export type CreatePortalLinkResponse = CreatePortalLinkResponses[keyof CreatePortalLinkResponses];

export type PutCustomerData = {
    body: CustomerPutRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The billing system.
         */
        system: string;
        /**
         * The ID of the record in the billing system.
         */
        external_id: string;
    };
    query?: never;
    url: '/api/v1/customers-by-external-id/{system}/{external_id}';
};

export type PutCustomerResponses = {
    /**
     * Done.
     */
    200: CustomerAnswer;
};

export type PutCustomerResponse = PutCustomerResponses[keyof PutCustomerResponses];

export type ListCustomerNotesData = {
    body?: never;
    path: {
        /**
         * The ID of the customer. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
    };
    url: '/api/v1/customers/{id}/notes';
};

export type ListCustomerNotesResponses = {
    /**
     * As asked.
     */
    200: NotePage;
};

export type ListCustomerNotesResponse = ListCustomerNotesResponses[keyof ListCustomerNotesResponses];

export type CreateCustomerNoteData = {
    body: NoteRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the customer. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/customers/{id}/notes';
};

export type CreateCustomerNoteResponses = {
    /**
     * Created.
     */
    201: NoteAnswer;
};

export type CreateCustomerNoteResponse = CreateCustomerNoteResponses[keyof CreateCustomerNoteResponses];

export type DeleteCustomerNoteData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the customer. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the note. An unknown ID is 404.
         */
        note_id: string;
    };
    query?: never;
    url: '/api/v1/customers/{id}/notes/{note_id}';
};

export type DeleteCustomerNoteResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DeleteCustomerNoteResponse = DeleteCustomerNoteResponses[keyof DeleteCustomerNoteResponses];

export type UpdateCustomerNoteData = {
    body: NoteRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the customer. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the note. An unknown ID is 404.
         */
        note_id: string;
    };
    query?: never;
    url: '/api/v1/customers/{id}/notes/{note_id}';
};

export type UpdateCustomerNoteResponses = {
    /**
     * Done.
     */
    200: NoteAnswer;
};

export type UpdateCustomerNoteResponse = UpdateCustomerNoteResponses[keyof UpdateCustomerNoteResponses];

export type EraseCustomerData = {
    body?: ActionRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the customer. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/customers/{id}/erase';
};

export type EraseCustomerResponses = {
    /**
     * Done.
     */
    200: CustomerErasureAnswer;
};

export type EraseCustomerResponse = EraseCustomerResponses[keyof EraseCustomerResponses];

export type ListCustomerBalancesData = {
    body?: never;
    path: {
        /**
         * The ID of the customer. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * Only balances of features with this code.
         */
        feature_code?: string;
    };
    url: '/api/v1/customers/{id}/balances';
};

export type ListCustomerBalancesResponses = {
    /**
     * As asked.
     */
    200: LicenseBalancePage;
};

export type ListCustomerBalancesResponse = ListCustomerBalancesResponses[keyof ListCustomerBalancesResponses];

export type ListCustomerPoolsData = {
    body?: never;
    path: {
        /**
         * The ID of the customer. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
    };
    url: '/api/v1/customers/{id}/pools';
};

export type ListCustomerPoolsResponses = {
    /**
     * As asked.
     */
    200: PoolPage;
};

export type ListCustomerPoolsResponse = ListCustomerPoolsResponses[keyof ListCustomerPoolsResponses];

export type CreateCustomerPoolData = {
    body: PoolCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the customer. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/customers/{id}/pools';
};

export type CreateCustomerPoolResponses = {
    /**
     * Created.
     */
    201: PoolAnswer;
};

export type CreateCustomerPoolResponse = CreateCustomerPoolResponses[keyof CreateCustomerPoolResponses];

export type GetCustomerPoolData = {
    body?: never;
    path: {
        /**
         * The ID of the customer. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the pool. An unknown ID is 404.
         */
        pool_id: string;
    };
    query?: never;
    url: '/api/v1/customers/{id}/pools/{pool_id}';
};

export type GetCustomerPoolResponses = {
    /**
     * As asked.
     */
    200: PoolAnswer;
};

export type GetCustomerPoolResponse = GetCustomerPoolResponses[keyof GetCustomerPoolResponses];

export type RevokeCustomerPoolData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the customer. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the pool. An unknown ID is 404.
         */
        pool_id: string;
    };
    query?: never;
    url: '/api/v1/customers/{id}/pools/{pool_id}/revoke';
};

export type RevokeCustomerPoolResponses = {
    /**
     * Done.
     */
    200: PoolAnswer;
};

export type RevokeCustomerPoolResponse = RevokeCustomerPoolResponses[keyof RevokeCustomerPoolResponses];

export type ListLicensesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`. By the end, where a license that never expires ends last: `expires_asc` and `expires_desc`. By the owner, who is the name or else the customer or else the email address of the license: `owner_asc` and `owner_desc`. By the name of the product: `product_asc` and `product_desc`. Upper and lower case and accents are alike.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc' | 'expires_asc' | 'expires_desc' | 'owner_asc' | 'owner_desc' | 'product_asc' | 'product_desc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what changed at this time or later; without `order`, the latest change comes first. To follow changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is returned again.
         */
        updated_from?: string;
        /**
         * `true` adds `total` to `page_info`: how many entries match, counted to 1,000. Ask for it with the first page. Default: `false`.
         */
        include_total?: boolean;
        /**
         * Only what belongs to this product.
         */
        product_id?: string;
        /**
         * Only what belongs to this policy.
         */
        policy_id?: string;
        /**
         * Only what belongs to this customer.
         */
        customer_id?: string;
        /**
         * Only what belongs to this order.
         */
        order_id?: string;
        /**
         * Only what belongs to this subscription.
         */
        subscription_id?: string;
        /**
         * Only what belongs to this purchase.
         */
        purchase_id?: string;
        /**
         * Only licenses with this status.
         */
        status?: LicenseStatus;
        /**
         * Only licenses that expire before this time.
         */
        expires_before?: string;
        /**
         * Only licenses that expire after this time.
         */
        expires_after?: string;
        /**
         * Only licenses with this email address, or of a customer with it; not case-sensitive. In a URL, write its `+` as `%2B`, as clients do.
         */
        customer_email?: string;
        /**
         * Only licenses whose key ends with these four characters.
         */
        key_last4?: string;
        /**
         * Only licenses with this tag.
         */
        tag?: string;
        /**
         * Only licenses that were used on the device with this fingerprint.
         */
        device_fingerprint?: string;
        /**
         * Only licenses with a device that has a seat and runs this version of the app; `1.x` is any that begins with `1.`.
         */
        app_version?: string;
        /**
         * Only licenses with a device that has a seat and whose system begins with this text; not case-sensitive.
         */
        os?: string;
        /**
         * The ID of the license or of its customer, order, subscription or device; the ID of the customer, order or subscription in its billing system; the last four characters of the key; a device fingerprint; the code of the customer; the start of the owner's name or email address, or of words of theirs in any order, where letters with and without accents are alike; or a text in the metadata. To find a license by its whole key, use `lookupLicense`: a key does not belong in a URL.
         */
        q?: string;
        /**
         * `true` adds the names behind the IDs, as `names`. Default: `false`.
         */
        include_names?: boolean;
    };
    url: '/api/v1/licenses';
};

export type ListLicensesResponses = {
    /**
     * As asked.
     */
    200: LicensePage;
};

export type ListLicensesResponse = ListLicensesResponses[keyof ListLicensesResponses];

export type CreateLicenseData = {
    body: LicenseCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/licenses';
};

export type CreateLicenseResponses = {
    /**
     * Created.
     */
    201: LicenseCreateAnswer;
};

export type CreateLicenseResponse = CreateLicenseResponses[keyof CreateLicenseResponses];

export type GetLicenseData = {
    body?: never;
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * `true` adds the effective policy, as `terms`. Default: `false`.
         */
        include_terms?: boolean;
        /**
         * `true` adds the names behind the IDs, as `names`. Default: `false`.
         */
        include_names?: boolean;
    };
    url: '/api/v1/licenses/{id}';
};

export type GetLicenseResponses = {
    /**
     * As asked.
     */
    200: LicenseAnswer;
};

export type GetLicenseResponse = GetLicenseResponses[keyof GetLicenseResponses];

export type UpdateLicenseData = {
    body: LicenseUpdateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}';
};

export type UpdateLicenseResponses = {
    /**
     * Done.
     */
    200: LicenseAnswer;
};

export type UpdateLicenseResponse = UpdateLicenseResponses[keyof UpdateLicenseResponses];

export type SuspendLicenseData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/suspend';
};

export type SuspendLicenseResponses = {
    /**
     * Done.
     */
    200: LicenseAnswer;
};

export type SuspendLicenseResponse = SuspendLicenseResponses[keyof SuspendLicenseResponses];

export type ReinstateLicenseData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/reinstate';
};

export type ReinstateLicenseResponses = {
    /**
     * Done.
     */
    200: LicenseAnswer;
};

export type ReinstateLicenseResponse = ReinstateLicenseResponses[keyof ReinstateLicenseResponses];

export type RevokeLicenseData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/revoke';
};

export type RevokeLicenseResponses = {
    /**
     * Done.
     */
    200: LicenseAnswer;
};

export type RevokeLicenseResponse = RevokeLicenseResponses[keyof RevokeLicenseResponses];

export type RenewLicenseData = {
    body: LicenseRenewRequest;
    headers: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key': string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/renew';
};

export type RenewLicenseResponses = {
    /**
     * Done.
     */
    200: LicenseAnswer;
};

export type RenewLicenseResponse = RenewLicenseResponses[keyof RenewLicenseResponses];

export type TransferLicenseData = {
    body: LicenseTransferRequest;
    headers: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key': string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/transfer';
};

export type TransferLicenseResponses = {
    /**
     * Done.
     */
    200: LicenseAnswer;
};

export type TransferLicenseResponse = TransferLicenseResponses[keyof TransferLicenseResponses];

export type ChangeLicensePolicyData = {
    body: LicensePolicyChangeRequest;
    headers: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key': string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/change-policy';
};

export type ChangeLicensePolicyResponses = {
    /**
     * Done.
     */
    200: LicensePolicyChangeAnswer;
};

export type ChangeLicensePolicyResponse = ChangeLicensePolicyResponses[keyof ChangeLicensePolicyResponses];

export type RotateLicenseKeyData = {
    body: LicenseKeyRotateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/rotate-key';
};

export type RotateLicenseKeyResponses = {
    /**
     * Done.
     */
    200: LicenseKeyRotateAnswer;
};

export type RotateLicenseKeyResponse = RotateLicenseKeyResponses[keyof RotateLicenseKeyResponses];

export type LookupLicenseData = {
    body: LicenseLookupRequest;
    headers?: {
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/licenses/lookup';
};

export type LookupLicenseResponses = {
    /**
     * Done.
     */
    200: LicenseAnswer;
};

export type LookupLicenseResponse = LookupLicenseResponses[keyof LookupLicenseResponses];

export type SearchLicensesData = {
    body: LicenseSearchRequest;
    headers?: {
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/licenses/search';
};

export type SearchLicensesResponses = {
    /**
     * Done.
     */
    200: LicenseSearchAnswer;
};

export type SearchLicensesResponse = SearchLicensesResponses[keyof SearchLicensesResponses];

export type CreateLicensesData = {
    body: LicenseBulkCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/licenses/bulk';
};

export type CreateLicensesResponses = {
    /**
     * Done.
     */
    200: LicenseBulkCreateAnswer;
};

export type CreateLicensesResponse = CreateLicensesResponses[keyof CreateLicensesResponses];

export type ExplainLicenseData = {
    body: LicenseExplainRequest;
    headers?: {
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/explain';
};

export type ExplainLicenseResponses = {
    /**
     * Done.
     */
    200: LicenseExplanationAnswer;
};

export type ExplainLicenseResponse = ExplainLicenseResponses[keyof ExplainLicenseResponses];

export type ListLicenseGrantsData = {
    body?: never;
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only grants of this feature.
         */
        feature_id?: string;
    };
    url: '/api/v1/licenses/{id}/grants';
};

export type ListLicenseGrantsResponses = {
    /**
     * As asked.
     */
    200: GrantPage;
};

export type ListLicenseGrantsResponse = ListLicenseGrantsResponses[keyof ListLicenseGrantsResponses];

export type CreateLicenseGrantData = {
    body: GrantCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/grants';
};

export type CreateLicenseGrantResponses = {
    /**
     * Created.
     */
    201: GrantAnswer;
};

export type CreateLicenseGrantResponse = CreateLicenseGrantResponses[keyof CreateLicenseGrantResponses];

export type GetLicenseGrantData = {
    body?: never;
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the grant. An unknown ID is 404.
         */
        grant_id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/grants/{grant_id}';
};

export type GetLicenseGrantResponses = {
    /**
     * As asked.
     */
    200: GrantAnswer;
};

export type GetLicenseGrantResponse = GetLicenseGrantResponses[keyof GetLicenseGrantResponses];

export type RevokeLicenseGrantData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the grant. An unknown ID is 404.
         */
        grant_id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/grants/{grant_id}/revoke';
};

export type RevokeLicenseGrantResponses = {
    /**
     * Done.
     */
    200: GrantAnswer;
};

export type RevokeLicenseGrantResponse = RevokeLicenseGrantResponses[keyof RevokeLicenseGrantResponses];

export type RefundLicenseUsageData = {
    body: UsageRefundRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/usage/refund';
};

export type RefundLicenseUsageResponses = {
    /**
     * Done.
     */
    200: UsageRefundAnswer;
};

export type RefundLicenseUsageResponse = RefundLicenseUsageResponses[keyof RefundLicenseUsageResponses];

export type ListLicenseUsersData = {
    body?: never;
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only users with this status.
         */
        status?: LicenseUserStatus;
        /**
         * Only users whose name or address contains this text; not case-sensitive.
         */
        q?: string;
    };
    url: '/api/v1/licenses/{id}/users';
};

export type ListLicenseUsersResponses = {
    /**
     * As asked.
     */
    200: LicenseUserPage;
};

export type ListLicenseUsersResponse = ListLicenseUsersResponses[keyof ListLicenseUsersResponses];

export type InviteLicenseUserData = {
    body: LicenseUserInviteRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/users';
};

export type InviteLicenseUserResponses = {
    /**
     * Created.
     */
    201: LicenseUserAnswer;
};

export type InviteLicenseUserResponse = InviteLicenseUserResponses[keyof InviteLicenseUserResponses];

export type GetLicenseUserData = {
    body?: never;
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the user. An unknown ID is 404.
         */
        user_id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/users/{user_id}';
};

export type GetLicenseUserResponses = {
    /**
     * As asked.
     */
    200: LicenseUserAnswer;
};

export type GetLicenseUserResponse = GetLicenseUserResponses[keyof GetLicenseUserResponses];

export type RemoveLicenseUserData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the user. An unknown ID is 404.
         */
        user_id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/users/{user_id}/remove';
};

export type RemoveLicenseUserResponses = {
    /**
     * Done.
     */
    200: LicenseUserAnswer;
};

export type RemoveLicenseUserResponse = RemoveLicenseUserResponses[keyof RemoveLicenseUserResponses];

export type EraseLicenseUserData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the user. An unknown ID is 404.
         */
        user_id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/users/{user_id}/erase';
};

export type EraseLicenseUserResponses = {
    /**
     * Done.
     */
    200: LicenseUserErasureAnswer;
};

export type EraseLicenseUserResponse = EraseLicenseUserResponses[keyof EraseLicenseUserResponses];

export type ReportUsageData = {
    body: UsageReportRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/usage';
};

export type ReportUsageResponses = {
    /**
     * Done.
     */
    200: UsageReportAnswer;
};

export type ReportUsageResponse = ReportUsageResponses[keyof ReportUsageResponses];

export type ListLicenseNotesData = {
    body?: never;
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
    };
    url: '/api/v1/licenses/{id}/notes';
};

export type ListLicenseNotesResponses = {
    /**
     * As asked.
     */
    200: NotePage;
};

export type ListLicenseNotesResponse = ListLicenseNotesResponses[keyof ListLicenseNotesResponses];

export type CreateLicenseNoteData = {
    body: NoteRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/notes';
};

export type CreateLicenseNoteResponses = {
    /**
     * Created.
     */
    201: NoteAnswer;
};

export type CreateLicenseNoteResponse = CreateLicenseNoteResponses[keyof CreateLicenseNoteResponses];

export type DeleteLicenseNoteData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the note. An unknown ID is 404.
         */
        note_id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/notes/{note_id}';
};

export type DeleteLicenseNoteResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DeleteLicenseNoteResponse = DeleteLicenseNoteResponses[keyof DeleteLicenseNoteResponses];

export type UpdateLicenseNoteData = {
    body: NoteRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the note. An unknown ID is 404.
         */
        note_id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/notes/{note_id}';
};

export type UpdateLicenseNoteResponses = {
    /**
     * Done.
     */
    200: NoteAnswer;
};

export type UpdateLicenseNoteResponse = UpdateLicenseNoteResponses[keyof UpdateLicenseNoteResponses];

export type ListLicenseViewsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
    };
    url: '/api/v1/license-views';
};

export type ListLicenseViewsResponses = {
    /**
     * As asked.
     */
    200: LicenseViewPage;
};

export type ListLicenseViewsResponse = ListLicenseViewsResponses[keyof ListLicenseViewsResponses];

export type CreateLicenseViewData = {
    body: LicenseViewRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license-views';
};

export type CreateLicenseViewResponses = {
    /**
     * Created.
     */
    201: LicenseViewAnswer;
};

export type CreateLicenseViewResponse = CreateLicenseViewResponses[keyof CreateLicenseViewResponses];

export type DeleteLicenseViewData = {
    body?: never;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the saved view. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/license-views/{id}';
};

export type DeleteLicenseViewResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DeleteLicenseViewResponse = DeleteLicenseViewResponses[keyof DeleteLicenseViewResponses];

export type UpdateLicenseViewData = {
    body: LicenseViewRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the saved view. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/license-views/{id}';
};

export type UpdateLicenseViewResponses = {
    /**
     * Done.
     */
    200: LicenseViewAnswer;
};

export type UpdateLicenseViewResponse = UpdateLicenseViewResponses[keyof UpdateLicenseViewResponses];

export type CreateLicenseJobData = {
    body: LicenseJobRequest;
    headers: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key': string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/licenses/jobs';
};

export type CreateLicenseJobResponses = {
    /**
     * Created.
     */
    201: LicenseJobAnswer;
};

export type CreateLicenseJobResponse = CreateLicenseJobResponses[keyof CreateLicenseJobResponses];

export type ListJobsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
    };
    url: '/api/v1/jobs';
};

export type ListJobsResponses = {
    /**
     * As asked.
     */
    200: JobPage;
};

export type ListJobsResponse = ListJobsResponses[keyof ListJobsResponses];

export type GetJobData = {
    body?: never;
    path: {
        /**
         * The ID of the job. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/jobs/{id}';
};

export type GetJobResponses = {
    /**
     * As asked.
     */
    200: JobAnswer;
};

export type GetJobResponse = GetJobResponses[keyof GetJobResponses];

export type ListJobRowsData = {
    body?: never;
    path: {
        /**
         * The ID of the job. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * Only licenses with this outcome.
         */
        outcome?: JobRowOutcome;
    };
    url: '/api/v1/jobs/{id}/rows';
};

export type ListJobRowsResponses = {
    /**
     * As asked.
     */
    200: JobRowPage;
};

export type ListJobRowsResponse = ListJobRowsResponses[keyof ListJobRowsResponses];

export type StopJobData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the job. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/jobs/{id}/stop';
};

export type StopJobResponses = {
    /**
     * Done.
     */
    200: JobAnswer;
};

export type StopJobResponse = StopJobResponses[keyof StopJobResponses];

export type RetryJobData = {
    body?: ReasonRequest;
    headers: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key': string;
    };
    path: {
        /**
         * The ID of the job. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/jobs/{id}/retry';
};

export type RetryJobResponses = {
    /**
     * Created.
     */
    201: JobAnswer;
};

export type RetryJobResponse = RetryJobResponses[keyof RetryJobResponses];

export type ListLicenseDevicesData = {
    body?: never;
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what changed at this time or later; without `order`, the latest change comes first. To follow changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is returned again.
         */
        updated_from?: string;
        /**
         * Only devices with this status.
         */
        status?: DeviceStatus;
        /**
         * Only devices whose name, hostname, pod or fingerprint contains this text; not case-sensitive.
         */
        q?: string;
        /**
         * Only devices with this version of the app; `1.x` is any that begins with `1.`.
         */
        app_version?: string;
        /**
         * Only devices whose system begins with this text; not case-sensitive.
         */
        os?: string;
    };
    url: '/api/v1/licenses/{id}/devices';
};

export type ListLicenseDevicesResponses = {
    /**
     * As asked.
     */
    200: DevicePage;
};

export type ListLicenseDevicesResponse = ListLicenseDevicesResponses[keyof ListLicenseDevicesResponses];

export type GetLicenseDeviceData = {
    body?: never;
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the device. An unknown ID is 404.
         */
        device_id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/devices/{device_id}';
};

export type GetLicenseDeviceResponses = {
    /**
     * As asked.
     */
    200: DeviceAnswer;
};

export type GetLicenseDeviceResponse = GetLicenseDeviceResponses[keyof GetLicenseDeviceResponses];

export type ResetLicenseDeviceData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the device. An unknown ID is 404.
         */
        device_id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/devices/{device_id}/reset';
};

export type ResetLicenseDeviceResponses = {
    /**
     * Done.
     */
    200: DeviceAnswer;
};

export type ResetLicenseDeviceResponse = ResetLicenseDeviceResponses[keyof ResetLicenseDeviceResponses];

export type FreeLicenseDeviceSeatData = {
    body: DeviceSeatFreeRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the device. An unknown ID is 404.
         */
        device_id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/devices/{device_id}/free-seat';
};

export type FreeLicenseDeviceSeatResponses = {
    /**
     * Done.
     */
    200: DeviceAnswer;
};

export type FreeLicenseDeviceSeatResponse = FreeLicenseDeviceSeatResponses[keyof FreeLicenseDeviceSeatResponses];

export type BlacklistLicenseDeviceData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the device. An unknown ID is 404.
         */
        device_id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/devices/{device_id}/blacklist';
};

export type BlacklistLicenseDeviceResponses = {
    /**
     * Done.
     */
    200: DeviceAnswer;
};

export type BlacklistLicenseDeviceResponse = BlacklistLicenseDeviceResponses[keyof BlacklistLicenseDeviceResponses];

export type ListOfflineFilesData = {
    body?: never;
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
    };
    url: '/api/v1/licenses/{id}/offline-files';
};

export type ListOfflineFilesResponses = {
    /**
     * As asked.
     */
    200: OfflineFilePage;
};

export type ListOfflineFilesResponse = ListOfflineFilesResponses[keyof ListOfflineFilesResponses];

export type IssueOfflineFileData = {
    body: OfflineFileCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/offline-files';
};

export type IssueOfflineFileResponses = {
    /**
     * Created.
     */
    201: OfflineFileCreateAnswer;
};

export type IssueOfflineFileResponse = IssueOfflineFileResponses[keyof IssueOfflineFileResponses];

export type RevokeOfflineFileData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the offline file. An unknown ID is 404.
         */
        file_id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/offline-files/{file_id}/revoke';
};

export type RevokeOfflineFileResponses = {
    /**
     * Done.
     */
    200: OfflineFileAnswer;
};

export type RevokeOfflineFileResponse = RevokeOfflineFileResponses[keyof RevokeOfflineFileResponses];

export type ListLicenseLeasesData = {
    body?: never;
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * `true` returns only seats that are in use now, `false` only those that ended. Default: all.
         */
        is_live?: boolean;
    };
    url: '/api/v1/licenses/{id}/leases';
};

export type ListLicenseLeasesResponses = {
    /**
     * As asked.
     */
    200: FloatingLeasePage;
};

export type ListLicenseLeasesResponse = ListLicenseLeasesResponses[keyof ListLicenseLeasesResponses];

export type ReleaseLicenseLeaseData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the license. An unknown ID is 404.
         */
        id: string;
        /**
         * The ID of the floating seat. An unknown ID is 404.
         */
        lease_id: string;
    };
    query?: never;
    url: '/api/v1/licenses/{id}/leases/{lease_id}/release';
};

export type ReleaseLicenseLeaseResponses = {
    /**
     * Done.
     */
    200: FloatingLeaseAnswer;
};

export type ReleaseLicenseLeaseResponse = ReleaseLicenseLeaseResponses[keyof ReleaseLicenseLeaseResponses];

export type GetUserIssuerData = {
    body?: never;
    headers?: {
        /**
         * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Omit it rather than send it empty.
         */
        'x-nonce'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/users/issuer';
};

export type GetUserIssuerResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: UserIssuerAnswer;
};

export type GetUserIssuerResponse = GetUserIssuerResponses[keyof GetUserIssuerResponses];

export type BeginUserMailSignInData = {
    body: UserMailSignInRequest;
    headers?: {
        /**
         * The same as `nonce` in the body, which takes precedence. The signed response repeats it, so that an old response cannot be replayed to you. Omit it rather than send it empty.
         */
        'x-nonce'?: string;
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/users/mail-sign-ins';
};

export type BeginUserMailSignInResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: UserMailSignInAnswer;
};

export type BeginUserMailSignInResponse = BeginUserMailSignInResponses[keyof BeginUserMailSignInResponses];

export type SignInLicenseUserData = {
    body: UserSignInRequest;
    headers?: {
        /**
         * The same as `nonce` in the body, which takes precedence. The signed response repeats it, so that an old response cannot be replayed to you. Omit it rather than send it empty.
         */
        'x-nonce'?: string;
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/users/sign-in';
};

export type SignInLicenseUserResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: UserSignInAnswer;
};

export type SignInLicenseUserResponse = SignInLicenseUserResponses[keyof SignInLicenseUserResponses];

export type GetUsageReceiptData = {
    body?: never;
    headers?: {
        /**
         * 8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. Omit it rather than send it empty.
         */
        'x-nonce'?: string;
        /**
         * The `user_token` of the person who is signed in, if the license has users. Without it, only devices without a user are listed and released, and receipts are refused.
         */
        'x-user-token'?: string;
    };
    path?: never;
    query: {
        /**
         * Your ID of the usage event, as `consume` named it.
         */
        event_id: string;
        /**
         * The code of the feature. Required where you counted the same `event_id` for several features.
         */
        feature_code?: string;
    };
    url: '/api/v1/license/receipt';
};

export type GetUsageReceiptResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: UsageReceiptAnswer;
};

export type GetUsageReceiptResponse = GetUsageReceiptResponses[keyof GetUsageReceiptResponses];

export type ActivateLicenseData = {
    body: ActivateLicenseRequest;
    headers: {
        /**
         * The same as `nonce` in the body, which takes precedence. The signed response repeats it, so that an old response cannot be replayed to you. Omit it rather than send it empty.
         */
        'x-nonce'?: string;
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours. A retry that would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key': string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/activate';
};

export type ActivateLicenseResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: EntitlementAnswer;
};

export type ActivateLicenseResponse = ActivateLicenseResponses[keyof ActivateLicenseResponses];

export type ValidateLicenseData = {
    body: RuntimeBindingRequest;
    headers?: {
        /**
         * The same as `nonce` in the body, which takes precedence. The signed response repeats it, so that an old response cannot be replayed to you. Omit it rather than send it empty.
         */
        'x-nonce'?: string;
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/validate';
};

export type ValidateLicenseResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: EntitlementAnswer;
};

export type ValidateLicenseResponse = ValidateLicenseResponses[keyof ValidateLicenseResponses];

export type CheckLicenseData = {
    body: RuntimeBindingRequest;
    headers?: {
        /**
         * The same as `nonce` in the body, which takes precedence. The signed response repeats it, so that an old response cannot be replayed to you. Omit it rather than send it empty.
         */
        'x-nonce'?: string;
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/check';
};

export type CheckLicenseResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: EntitlementAnswer;
};

export type CheckLicenseResponse = CheckLicenseResponses[keyof CheckLicenseResponses];

export type ConsumeLicenseData = {
    body: ConsumeLicenseRequest;
    headers: {
        /**
         * The same as `nonce` in the body, which takes precedence. The signed response repeats it, so that an old response cannot be replayed to you. Omit it rather than send it empty.
         */
        'x-nonce'?: string;
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours. A retry that would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key': string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/consume';
};

export type ConsumeLicenseResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: EntitlementAnswer;
};

export type ConsumeLicenseResponse = ConsumeLicenseResponses[keyof ConsumeLicenseResponses];

export type RefundOwnUsageData = {
    body: RefundOwnUsageRequest;
    headers: {
        /**
         * The same as `nonce` in the body, which takes precedence. The signed response repeats it, so that an old response cannot be replayed to you. Omit it rather than send it empty.
         */
        'x-nonce'?: string;
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours. A retry that would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key': string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/usage/refund';
};

export type RefundOwnUsageResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: RefundAnswer;
};

export type RefundOwnUsageResponse = RefundOwnUsageResponses[keyof RefundOwnUsageResponses];

export type DeactivateLicenseData = {
    body: RuntimeBindingRequest;
    headers: {
        /**
         * The same as `nonce` in the body, which takes precedence. The signed response repeats it, so that an old response cannot be replayed to you. Omit it rather than send it empty.
         */
        'x-nonce'?: string;
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours. A retry that would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key': string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/deactivate';
};

export type DeactivateLicenseResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: DeactivationAnswer;
};

export type DeactivateLicenseResponse = DeactivateLicenseResponses[keyof DeactivateLicenseResponses];

export type CheckoutFloatingLicenseData = {
    body: FloatingCheckoutRequest;
    headers: {
        /**
         * The same as `nonce` in the body, which takes precedence. The signed response repeats it, so that an old response cannot be replayed to you. Omit it rather than send it empty.
         */
        'x-nonce'?: string;
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours. A retry that would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key': string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/floating/checkout';
};

export type CheckoutFloatingLicenseResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: FloatingCheckoutAnswer;
};

export type CheckoutFloatingLicenseResponse = CheckoutFloatingLicenseResponses[keyof CheckoutFloatingLicenseResponses];

export type HeartbeatFloatingLicenseData = {
    body: FloatingLeaseRequest;
    headers?: {
        /**
         * The same as `nonce` in the body, which takes precedence. The signed response repeats it, so that an old response cannot be replayed to you. Omit it rather than send it empty.
         */
        'x-nonce'?: string;
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours. A retry that would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/floating/heartbeat';
};

export type HeartbeatFloatingLicenseResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: FloatingEntitlementAnswer;
};

export type HeartbeatFloatingLicenseResponse = HeartbeatFloatingLicenseResponses[keyof HeartbeatFloatingLicenseResponses];

export type CheckinFloatingLicenseData = {
    body: FloatingLeaseRequest;
    headers: {
        /**
         * The same as `nonce` in the body, which takes precedence. The signed response repeats it, so that an old response cannot be replayed to you. Omit it rather than send it empty.
         */
        'x-nonce'?: string;
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours. A retry that would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key': string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/floating/checkin';
};

export type CheckinFloatingLicenseResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: FloatingEntitlementAnswer;
};

export type CheckinFloatingLicenseResponse = CheckinFloatingLicenseResponses[keyof CheckinFloatingLicenseResponses];

export type ListOwnDevicesData = {
    body?: never;
    headers?: {
        /**
         * The `user_token` of the person who is signed in, if the license has users. Without it, only devices without a user are listed and released, and receipts are refused.
         */
        'x-user-token'?: string;
    };
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * The ID of the device that asks, from any of its signed responses. Each entry then has `is_this`.
         */
        device_id?: string;
    };
    url: '/api/v1/license/devices';
};

export type ListOwnDevicesResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: OwnDevicePage;
};

export type ListOwnDevicesResponse = ListOwnDevicesResponses[keyof ListOwnDevicesResponses];

export type ReleaseOwnDeviceData = {
    body?: never;
    headers: {
        /**
         * The `user_token` of the person who is signed in, if the license has users. Without it, only devices without a user are listed and released, and receipts are refused.
         */
        'x-user-token'?: string;
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours. A retry that would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key': string;
    };
    path: {
        /**
         * The ID of the device. An unknown ID is 404.
         */
        device_id: string;
    };
    query?: never;
    url: '/api/v1/license/devices/{device_id}/release';
};

export type ReleaseOwnDeviceResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: OwnDeviceAnswer;
};

export type ReleaseOwnDeviceResponse = ReleaseOwnDeviceResponses[keyof ReleaseOwnDeviceResponses];

export type IssueOfflineLicenseData = {
    body: RuntimeBindingRequest;
    headers?: {
        /**
         * The same as `nonce` in the body, which takes precedence. The signed response repeats it, so that an old response cannot be replayed to you. Omit it rather than send it empty.
         */
        'x-nonce'?: string;
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours. A retry that would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/offline';
};

export type IssueOfflineLicenseResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: OfflineEnvelopeAnswer;
};

export type IssueOfflineLicenseResponse = IssueOfflineLicenseResponses[keyof IssueOfflineLicenseResponses];

export type GetRevocationListData = {
    body?: never;
    headers?: {
        /**
         * The `ETag` that you have. The response is 304 if it has not changed (RFC 9110 section 13.1.2).
         */
        'if-none-match'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/revocations';
};

export type GetRevocationListResponses = {
    /**
     * As asked.
     */
    200: RevocationListAnswer;
};

export type GetRevocationListResponse = GetRevocationListResponses[keyof GetRevocationListResponses];

export type OpenTrialData = {
    body: RuntimeBindingRequest;
    headers?: {
        /**
         * The same as `nonce` in the body, which takes precedence. The signed response repeats it, so that an old response cannot be replayed to you. Omit it rather than send it empty.
         */
        'x-nonce'?: string;
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/trials';
};

export type OpenTrialResponses = {
    /**
     * Granted. If there is a `signature`, it covers `data`.
     */
    200: TrialAnswer;
    /**
     * Created.
     */
    201: TrialAnswer;
};

export type OpenTrialResponse = OpenTrialResponses[keyof OpenTrialResponses];

export type ListProductSubscriptionsData = {
    body?: never;
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what changed at this time or later; without `order`, the latest change comes first. To follow changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is returned again.
         */
        updated_from?: string;
        /**
         * `true` adds `total` to `page_info`: how many entries match, counted to 1,000. Ask for it with the first page. Default: `false`.
         */
        include_total?: boolean;
        /**
         * Only records of this billing system.
         */
        external_system?: string;
        /**
         * Only the record with this ID in its billing system.
         */
        external_id?: string;
    };
    url: '/api/v1/products/{id}/subscriptions';
};

export type ListProductSubscriptionsResponses = {
    /**
     * As asked.
     */
    200: SubscriptionPage;
};

export type ListProductSubscriptionsResponse = ListProductSubscriptionsResponses[keyof ListProductSubscriptionsResponses];

export type CreateSubscriptionData = {
    body: SubscriptionCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/subscriptions';
};

export type CreateSubscriptionResponses = {
    /**
     * Created.
     */
    201: SubscriptionAnswer;
};

export type CreateSubscriptionResponse = CreateSubscriptionResponses[keyof CreateSubscriptionResponses];

export type DeleteSubscriptionData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the subscription. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/subscriptions/{id}';
};

export type DeleteSubscriptionResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DeleteSubscriptionResponse = DeleteSubscriptionResponses[keyof DeleteSubscriptionResponses];

export type GetSubscriptionData = {
    body?: never;
    path: {
        /**
         * The ID of the subscription. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/subscriptions/{id}';
};

export type GetSubscriptionResponses = {
    /**
     * As asked.
     */
    200: SubscriptionAnswer;
};

export type GetSubscriptionResponse = GetSubscriptionResponses[keyof GetSubscriptionResponses];

export type UpdateSubscriptionData = {
    body: SubscriptionUpdateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the subscription. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/subscriptions/{id}';
};

export type UpdateSubscriptionResponses = {
    /**
     * Done.
     */
    200: SubscriptionAnswer;
};

export type UpdateSubscriptionResponse = UpdateSubscriptionResponses[keyof UpdateSubscriptionResponses];

export type ListProductOrdersData = {
    body?: never;
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what changed at this time or later; without `order`, the latest change comes first. To follow changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is returned again.
         */
        updated_from?: string;
        /**
         * `true` adds `total` to `page_info`: how many entries match, counted to 1,000. Ask for it with the first page. Default: `false`.
         */
        include_total?: boolean;
        /**
         * Only records of this billing system.
         */
        external_system?: string;
        /**
         * Only the record with this ID in its billing system.
         */
        external_id?: string;
    };
    url: '/api/v1/products/{id}/orders';
};

export type ListProductOrdersResponses = {
    /**
     * As asked.
     */
    200: OrderPage;
};

export type ListProductOrdersResponse = ListProductOrdersResponses[keyof ListProductOrdersResponses];

export type CreateOrderData = {
    body: OrderCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/orders';
};

export type CreateOrderResponses = {
    /**
     * Created.
     */
    201: OrderAnswer;
};

export type CreateOrderResponse = CreateOrderResponses[keyof CreateOrderResponses];

export type DeleteOrderData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the order. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/orders/{id}';
};

export type DeleteOrderResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DeleteOrderResponse = DeleteOrderResponses[keyof DeleteOrderResponses];

export type GetOrderData = {
    body?: never;
    path: {
        /**
         * The ID of the order. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/orders/{id}';
};

export type GetOrderResponses = {
    /**
     * As asked.
     */
    200: OrderAnswer;
};

export type GetOrderResponse = GetOrderResponses[keyof GetOrderResponses];

export type UpdateOrderData = {
    body: OrderUpdateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the order. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/orders/{id}';
};

export type UpdateOrderResponses = {
    /**
     * Done.
     */
    200: OrderAnswer;
};

export type UpdateOrderResponse = UpdateOrderResponses[keyof UpdateOrderResponses];

export type PutSubscriptionData = {
    body: SubscriptionPutRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
        /**
         * The billing system.
         */
        system: string;
        /**
         * The ID of the record in the billing system.
         */
        external_id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/subscriptions/by-external-id/{system}/{external_id}';
};

export type PutSubscriptionResponses = {
    /**
     * Done.
     */
    200: SubscriptionAnswer;
};

export type PutSubscriptionResponse = PutSubscriptionResponses[keyof PutSubscriptionResponses];

export type PutOrderData = {
    body: OrderPutRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
        /**
         * The billing system.
         */
        system: string;
        /**
         * The ID of the record in the billing system.
         */
        external_id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/orders/by-external-id/{system}/{external_id}';
};

export type PutOrderResponses = {
    /**
     * Done.
     */
    200: OrderAnswer;
};

export type PutOrderResponse = PutOrderResponses[keyof PutOrderResponses];

export type ListBillingConnectionsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what changed at this time or later; without `order`, the latest change comes first. To follow changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is returned again.
         */
        updated_from?: string;
    };
    url: '/api/v1/billing/connections';
};

export type ListBillingConnectionsResponses = {
    /**
     * As asked.
     */
    200: BillingConnectionPage;
};

export type ListBillingConnectionsResponse = ListBillingConnectionsResponses[keyof ListBillingConnectionsResponses];

export type CreateBillingConnectionData = {
    body: BillingConnectionCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/billing/connections';
};

export type CreateBillingConnectionResponses = {
    /**
     * Created.
     */
    201: BillingConnectionAnswer;
};

export type CreateBillingConnectionResponse = CreateBillingConnectionResponses[keyof CreateBillingConnectionResponses];

export type DeleteBillingConnectionData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the billing connection. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/billing/connections/{id}';
};

export type DeleteBillingConnectionResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DeleteBillingConnectionResponse = DeleteBillingConnectionResponses[keyof DeleteBillingConnectionResponses];

export type GetBillingConnectionData = {
    body?: never;
    path: {
        /**
         * The ID of the billing connection. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/billing/connections/{id}';
};

export type GetBillingConnectionResponses = {
    /**
     * As asked.
     */
    200: BillingConnectionAnswer;
};

export type GetBillingConnectionResponse = GetBillingConnectionResponses[keyof GetBillingConnectionResponses];

export type UpdateBillingConnectionData = {
    body: BillingConnectionUpdateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the billing connection. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/billing/connections/{id}';
};

export type UpdateBillingConnectionResponses = {
    /**
     * Done.
     */
    200: BillingConnectionAnswer;
};

export type UpdateBillingConnectionResponse = UpdateBillingConnectionResponses[keyof UpdateBillingConnectionResponses];

export type ListPurchasesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what changed at this time or later; without `order`, the latest change comes first. To follow changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is returned again.
         */
        updated_from?: string;
        /**
         * Only purchases with this status.
         */
        status?: PurchaseStatus;
        /**
         * Only what belongs to this billing connection.
         */
        connection_id?: string;
        /**
         * Only what belongs to this customer.
         */
        customer_id?: string;
        /**
         * Only what belongs to this license.
         */
        license_id?: string;
        /**
         * Only the purchase with this ID of a subscription or order at the provider.
         */
        external_id?: string;
        /**
         * The ID of the purchase, of one of its licenses, or of the subscription or order at the provider; or the start of the payer's email address.
         */
        q?: string;
    };
    url: '/api/v1/billing/purchases';
};

export type ListPurchasesResponses = {
    /**
     * As asked.
     */
    200: PurchasePage;
};

export type ListPurchasesResponse = ListPurchasesResponses[keyof ListPurchasesResponses];

export type GetPurchaseData = {
    body?: never;
    path: {
        /**
         * The ID of the purchase. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/billing/purchases/{id}';
};

export type GetPurchaseResponses = {
    /**
     * As asked.
     */
    200: PurchaseWithEventsAnswer;
};

export type GetPurchaseResponse = GetPurchaseResponses[keyof GetPurchaseResponses];

export type RetryPurchaseData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the purchase. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/billing/purchases/{id}/retry';
};

export type RetryPurchaseResponses = {
    /**
     * Done.
     */
    200: PurchaseAnswer;
};

export type RetryPurchaseResponse = RetryPurchaseResponses[keyof RetryPurchaseResponses];

export type DecidePurchaseOwnerData = {
    body: PurchaseOwnerRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the purchase. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/billing/purchases/{id}/owner';
};

export type DecidePurchaseOwnerResponses = {
    /**
     * Done.
     */
    200: PurchaseAnswer;
};

export type DecidePurchaseOwnerResponse = DecidePurchaseOwnerResponses[keyof DecidePurchaseOwnerResponses];

export type ListUnmappedPricesData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/v1/billing/unmapped-prices';
};

export type ListUnmappedPricesResponses = {
    /**
     * As asked.
     */
    200: UnmappedPriceList;
};

export type ListUnmappedPricesResponse = ListUnmappedPricesResponses[keyof ListUnmappedPricesResponses];

export type ReconcileBillingConnectionData = {
    body: ReconciliationCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the billing connection. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/billing/connections/{id}/reconcile';
};

export type ReconcileBillingConnectionResponses = {
    /**
     * Created.
     */
    201: ReconciliationAnswer;
};

export type ReconcileBillingConnectionResponse = ReconcileBillingConnectionResponses[keyof ReconcileBillingConnectionResponses];

export type ListReconciliationsData = {
    body?: never;
    path: {
        /**
         * The ID of the billing connection. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/billing/connections/{id}/reconciliations';
};

export type ListReconciliationsResponses = {
    /**
     * As asked.
     */
    200: ReconciliationList;
};

export type ListReconciliationsResponse = ListReconciliationsResponses[keyof ListReconciliationsResponses];

export type GetReconciliationData = {
    body?: never;
    path: {
        /**
         * The ID of the reconciliation. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/billing/reconciliations/{id}';
};

export type GetReconciliationResponses = {
    /**
     * As asked.
     */
    200: ReconciliationWithFindingsAnswer;
};

export type GetReconciliationResponse = GetReconciliationResponses[keyof GetReconciliationResponses];

export type ReceiveBillingEventsData = {
    body?: never;
    path: {
        /**
         * The ID of the billing connection. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/billing/connections/{id}/events';
};

export type ReceiveBillingEventsResponses = {
    /**
     * Done.
     */
    200: BillingEventsReceivedAnswer;
};

export type ReceiveBillingEventsResponse = ReceiveBillingEventsResponses[keyof ReceiveBillingEventsResponses];

export type ListWebhookEndpointsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what changed at this time or later; without `order`, the latest change comes first. To follow changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is returned again.
         */
        updated_from?: string;
    };
    url: '/api/v1/webhooks';
};

export type ListWebhookEndpointsResponses = {
    /**
     * As asked.
     */
    200: WebhookEndpointPage;
};

export type ListWebhookEndpointsResponse = ListWebhookEndpointsResponses[keyof ListWebhookEndpointsResponses];

export type CreateWebhookEndpointData = {
    body: WebhookEndpointCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/webhooks';
};

export type CreateWebhookEndpointResponses = {
    /**
     * Created.
     */
    201: WebhookEndpointWithSecretAnswer;
};

export type CreateWebhookEndpointResponse = CreateWebhookEndpointResponses[keyof CreateWebhookEndpointResponses];

export type DeleteWebhookEndpointData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the webhook endpoint. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/webhooks/{id}';
};

export type DeleteWebhookEndpointResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DeleteWebhookEndpointResponse = DeleteWebhookEndpointResponses[keyof DeleteWebhookEndpointResponses];

export type GetWebhookEndpointData = {
    body?: never;
    path: {
        /**
         * The ID of the webhook endpoint. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/webhooks/{id}';
};

export type GetWebhookEndpointResponses = {
    /**
     * As asked.
     */
    200: WebhookEndpointAnswer;
};

export type GetWebhookEndpointResponse = GetWebhookEndpointResponses[keyof GetWebhookEndpointResponses];

export type UpdateWebhookEndpointData = {
    body: WebhookEndpointUpdateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the webhook endpoint. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/webhooks/{id}';
};

export type UpdateWebhookEndpointResponses = {
    /**
     * Done.
     */
    200: WebhookEndpointUpdateAnswer;
};

export type UpdateWebhookEndpointResponse = UpdateWebhookEndpointResponses[keyof UpdateWebhookEndpointResponses];

export type ResumeWebhookEndpointFromNowData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the webhook endpoint. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/webhooks/{id}/resume-from-now';
};

export type ResumeWebhookEndpointFromNowResponses = {
    /**
     * Done.
     */
    200: WebhookEndpointResumedAnswer;
};

export type ResumeWebhookEndpointFromNowResponse = ResumeWebhookEndpointFromNowResponses[keyof ResumeWebhookEndpointFromNowResponses];

export type TestWebhookEndpointData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the webhook endpoint. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/webhooks/{id}/test';
};

export type TestWebhookEndpointResponses = {
    /**
     * Done.
     */
    200: WebhookTestResultAnswer;
};

export type TestWebhookEndpointResponse = TestWebhookEndpointResponses[keyof TestWebhookEndpointResponses];

export type GetWebhookHealthData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/v1/ops/webhook-health';
};

export type GetWebhookHealthResponses = {
    /**
     * As asked.
     */
    200: WebhookHealthAnswer;
};

export type GetWebhookHealthResponse = GetWebhookHealthResponses[keyof GetWebhookHealthResponses];

export type ListEventsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, or the last `sequence` that you have. Omit to start at the beginning of the feed.
         */
        cursor?: number;
        /**
         * `asc`, the default, starts with the oldest event; `desc` with the newest.
         */
        order?: 'asc' | 'desc';
        /**
         * Only events of this type or of this family, such as `license.*`.
         */
        event_type?: EventTypeFilter;
        /**
         * Only events of resources of this type.
         */
        resource_type?: 'product' | 'policy' | 'feature' | 'version' | 'customer' | 'order' | 'subscription' | 'billing_connection' | 'purchase' | 'custom_field' | 'job' | 'note' | 'license' | 'device' | 'lease' | 'offline_file' | 'api_key' | 'person' | 'session' | 'passkey' | 'role' | 'approval' | 'settings' | 'mail_template' | 'mail_suppression' | 'publishable_key' | 'signing_key' | 'webhook' | 'report_export' | 'log';
        /**
         * Only events of the resource with this ID.
         */
        resource_id?: string;
        /**
         * Only events by this kind of actor.
         */
        actor_type?: AuditActorType;
        /**
         * Only events about this license: of the license, and of its devices, floating seats, notes and files as far as they name it in `license_id`.
         */
        license_id?: string;
    };
    url: '/api/v1/events';
};

export type ListEventsResponses = {
    /**
     * As asked.
     */
    200: EventPage;
};

export type ListEventsResponse = ListEventsResponses[keyof ListEventsResponses];

export type ListEventEpochsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/v1/events/epochs';
};

export type ListEventEpochsResponses = {
    /**
     * As asked.
     */
    200: LogEpochList;
};

export type ListEventEpochsResponse = ListEventEpochsResponses[keyof ListEventEpochsResponses];

export type GetEventCheckpointData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The size of the tree, which is the `sequence` of its last event. Default: that of the latest checkpoint.
         */
        size?: number;
        /**
         * `true`: only checkpoints that enough of the service's witnesses have signed. Default: `false`.
         */
        cosigned?: boolean;
    };
    url: '/api/v1/events/checkpoint';
};

export type GetEventCheckpointResponses = {
    /**
     * As asked.
     */
    200: EventCheckpointAnswer;
};

export type GetEventCheckpointResponse = GetEventCheckpointResponses[keyof GetEventCheckpointResponses];

export type GetEventConsistencyData = {
    body?: never;
    path?: never;
    query: {
        /**
         * The smaller tree size.
         */
        from: number;
        /**
         * The larger tree size. Default: that of the latest checkpoint.
         */
        to?: number;
    };
    url: '/api/v1/events/consistency';
};

export type GetEventConsistencyResponses = {
    /**
     * As asked.
     */
    200: EventConsistencyProofAnswer;
};

export type GetEventConsistencyResponse = GetEventConsistencyResponses[keyof GetEventConsistencyResponses];

export type GetEventChainData = {
    body?: never;
    path?: never;
    query: {
        /**
         * The license.
         */
        license_id: string;
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page. Omit to start at the beginning.
         */
        cursor?: number;
        /**
         * Prove the events in the first checkpoint that covers so many: with `tree_size` of the first page, all pages are proven in one. Default: the latest checkpoint.
         */
        size?: number;
    };
    url: '/api/v1/events/chain';
};

export type GetEventChainResponses = {
    /**
     * As asked.
     */
    200: LicenseEventsAnswer;
};

export type GetEventChainResponse = GetEventChainResponses[keyof GetEventChainResponses];

export type GetEventProofData = {
    body?: never;
    path: {
        /**
         * The ID of the event. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The size of the tree, which is the `sequence` of its last event. Default: that of the latest checkpoint.
         */
        size?: number;
    };
    url: '/api/v1/events/{id}/proof';
};

export type GetEventProofResponses = {
    /**
     * As asked.
     */
    200: EventInclusionProofAnswer;
};

export type GetEventProofResponse = GetEventProofResponses[keyof GetEventProofResponses];

export type GetEventLogCheckpointData = {
    body?: never;
    path: {
        /**
         * The epoch of the log, from 1: a number that `GET /api/v1/events/epochs` lists.
         */
        epoch: string;
    };
    query?: never;
    url: '/api/v1/log/{epoch}/checkpoint';
};

export type GetEventLogCheckpointResponses = {
    /**
     * As asked.
     */
    200: string;
};

export type GetEventLogCheckpointResponse = GetEventLogCheckpointResponses[keyof GetEventLogCheckpointResponses];

export type GetEventLogEntriesData = {
    body?: never;
    path: {
        /**
         * The epoch of the log, from 1: a number that `GET /api/v1/events/epochs` lists.
         */
        epoch: string;
        /**
         * The index in elements of three digits, of which all but the last begin with `x`, and `.p/<W>` for the first `W` of 256: `x001/x234/067`, `000.p/42`. Its slashes are sent as they are, or encoded.
         */
        tile: string;
    };
    query?: never;
    url: '/api/v1/log/{epoch}/tile/entries/{tile}';
};

export type GetEventLogEntriesResponses = {
    /**
     * The bytes of the file.
     */
    200: Blob | File;
};

export type GetEventLogEntriesResponse = GetEventLogEntriesResponses[keyof GetEventLogEntriesResponses];

export type GetEventLogTileData = {
    body?: never;
    path: {
        /**
         * The epoch of the log, from 1: a number that `GET /api/v1/events/epochs` lists.
         */
        epoch: string;
        /**
         * The level of the tile, from 0, the hashes of leaves, to 63.
         */
        level: string;
        /**
         * The index in elements of three digits, of which all but the last begin with `x`, and `.p/<W>` for the first `W` of 256: `x001/x234/067`, `000.p/42`. Its slashes are sent as they are, or encoded.
         */
        tile: string;
    };
    query?: never;
    url: '/api/v1/log/{epoch}/tile/{level}/{tile}';
};

export type GetEventLogTileResponses = {
    /**
     * The bytes of the file.
     */
    200: Blob | File;
};

export type GetEventLogTileResponse = GetEventLogTileResponses[keyof GetEventLogTileResponses];

export type ListActivitiesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * Start of the window, inclusive.
         */
        from?: string;
        /**
         * End of the window, exclusive. Default: now.
         */
        to?: string;
        /**
         * Only entries of this action.
         */
        action?: ActivityAction;
        /**
         * Only entries from this source.
         */
        source?: ActivitySource;
        /**
         * Only what belongs to this product.
         */
        product_id?: string;
        /**
         * Only what belongs to this customer.
         */
        customer_id?: string;
        /**
         * Only what belongs to this license.
         */
        license_id?: string;
        /**
         * Only what belongs to this order.
         */
        order_id?: string;
        /**
         * Only what belongs to this subscription.
         */
        subscription_id?: string;
        /**
         * Only this feature.
         */
        feature_code?: string;
        /**
         * Only entries of this request.
         */
        request_id?: string;
        /**
         * Only entries with this result.
         */
        result_class?: ActivityResult;
        /**
         * Only entries with this HTTP status.
         */
        status_code?: number;
        /**
         * Only entries of actors of this kind.
         */
        actor_type?: AuditActorType;
        /**
         * Only entries of this actor: its ID, `bootstrap` for the admin token, `countersign` for the service or `cli` for the command line.
         */
        actor_id?: string;
        /**
         * Only entries about resources of this type.
         */
        resource_type?: 'product' | 'policy' | 'feature' | 'version' | 'customer' | 'order' | 'subscription' | 'billing_connection' | 'purchase' | 'custom_field' | 'job' | 'note' | 'license' | 'device' | 'lease' | 'offline_file' | 'api_key' | 'person' | 'session' | 'passkey' | 'role' | 'approval' | 'settings' | 'mail_template' | 'mail_suppression' | 'publishable_key' | 'signing_key' | 'webhook' | 'report_export' | 'log';
        /**
         * Only entries about this resource.
         */
        resource_id?: string;
        /**
         * `true` adds the actor by name and roles, and the names behind the IDs. Default: `false`.
         */
        include_names?: boolean;
        /**
         * `true` adds what each entry changed, as `changes`. Default: `false`.
         */
        include_changes?: boolean;
    };
    url: '/api/v1/activities';
};

export type ListActivitiesResponses = {
    /**
     * As asked.
     */
    200: ActivityPage;
};

export type ListActivitiesResponse = ListActivitiesResponses[keyof ListActivitiesResponses];

export type GetActivityData = {
    body?: never;
    path: {
        /**
         * The ID of the activity. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/activities/{id}';
};

export type GetActivityResponses = {
    /**
     * As asked.
     */
    200: ActivityRecordAnswer;
};

export type GetActivityResponse = GetActivityResponses[keyof GetActivityResponses];

export type GetOverviewData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Start of the window, inclusive.
         */
        from?: string;
        /**
         * End of the window, exclusive. Default: now.
         */
        to?: string;
    };
    url: '/api/v1/overview';
};

export type GetOverviewResponses = {
    /**
     * As asked.
     */
    200: OverviewAnswer;
};

export type GetOverviewResponse = GetOverviewResponses[keyof GetOverviewResponses];

export type GetUsageSummaryData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Start of the window, inclusive.
         */
        from?: string;
        /**
         * End of the window, exclusive. Default: now.
         */
        to?: string;
        /**
         * How rows are grouped: by a property of the license, or by a dimension of usage events. Default: not grouped.
         */
        group_by?: UsageGroup | string;
        /**
         * Adds up over hours, days, weeks, months or years of UTC. Default: over the whole window.
         */
        bucket?: ReportBucket;
        /**
         * Only what belongs to this product.
         */
        product_id?: string;
        /**
         * Only what belongs to this customer.
         */
        customer_id?: string;
        /**
         * Only what belongs to this license.
         */
        license_id?: string;
        /**
         * Only what belongs to this order.
         */
        order_id?: string;
        /**
         * Only what belongs to this subscription.
         */
        subscription_id?: string;
        /**
         * Only this feature.
         */
        feature_code?: string;
    };
    url: '/api/v1/reports/usage-summary';
};

export type GetUsageSummaryResponses = {
    /**
     * As asked.
     */
    200: UsageSummaryReportAnswer;
};

export type GetUsageSummaryResponse = GetUsageSummaryResponses[keyof GetUsageSummaryResponses];

export type ListUsageLedgerData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * Start of the window, inclusive.
         */
        from?: string;
        /**
         * End of the window, exclusive. Default: now.
         */
        to?: string;
        /**
         * Only entries of this action.
         */
        action?: UsageLedgerAction;
        /**
         * Only what belongs to this product.
         */
        product_id?: string;
        /**
         * Only what belongs to this customer.
         */
        customer_id?: string;
        /**
         * Only what belongs to this license.
         */
        license_id?: string;
        /**
         * Only what belongs to this order.
         */
        order_id?: string;
        /**
         * Only what belongs to this subscription.
         */
        subscription_id?: string;
        /**
         * Only this feature.
         */
        feature_code?: string;
    };
    url: '/api/v1/reports/usage-ledger';
};

export type ListUsageLedgerResponses = {
    /**
     * As asked.
     */
    200: UsageLedgerEntryPage;
};

export type ListUsageLedgerResponse = ListUsageLedgerResponses[keyof ListUsageLedgerResponses];

export type GetLicenseAuditData = {
    body?: never;
    path?: never;
    query: {
        /**
         * The license of the report.
         */
        license_id: string;
        /**
         * Start of the window, inclusive.
         */
        from?: string;
        /**
         * End of the window, exclusive. Default: now.
         */
        to?: string;
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
    };
    url: '/api/v1/reports/license-audit';
};

export type GetLicenseAuditResponses = {
    /**
     * As asked.
     */
    200: LicenseAuditReportAnswer;
};

export type GetLicenseAuditResponse = GetLicenseAuditResponses[keyof GetLicenseAuditResponses];

export type GetCustomerSummaryData = {
    body?: never;
    path?: never;
    query: {
        /**
         * The customer of the report.
         */
        customer_id: string;
        /**
         * Start of the window, inclusive.
         */
        from?: string;
        /**
         * End of the window, exclusive. Default: now.
         */
        to?: string;
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
    };
    url: '/api/v1/reports/customer-summary';
};

export type GetCustomerSummaryResponses = {
    /**
     * As asked.
     */
    200: CustomerSummaryReportAnswer;
};

export type GetCustomerSummaryResponse = GetCustomerSummaryResponses[keyof GetCustomerSummaryResponses];

export type GetSubscriptionSettlementData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The subscription to settle. Send either this or `order_id`.
         */
        subscription_id?: string;
        /**
         * The order to settle. Send either this or `subscription_id`.
         */
        order_id?: string;
        /**
         * Start of the window, inclusive.
         */
        from?: string;
        /**
         * End of the window, exclusive. Default: now.
         */
        to?: string;
        /**
         * How rows are grouped. Default: by feature.
         */
        group_by?: SettlementGroup;
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
    };
    url: '/api/v1/reports/subscription-settlement';
};

export type GetSubscriptionSettlementResponses = {
    /**
     * As asked.
     */
    200: SubscriptionSettlementReportAnswer;
};

export type GetSubscriptionSettlementResponse = GetSubscriptionSettlementResponses[keyof GetSubscriptionSettlementResponses];

export type GetPurchasesReportData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Start of the window, inclusive.
         */
        from?: string;
        /**
         * End of the window, exclusive. Default: now.
         */
        to?: string;
        /**
         * Only what belongs to this billing connection.
         */
        connection_id?: string;
        /**
         * Only purchases with this status.
         */
        status?: PurchaseStatus;
        /**
         * Only purchases in this state.
         */
        state?: PurchaseState;
        /**
         * Only what belongs to this product.
         */
        product_id?: string;
        /**
         * Only what belongs to this customer.
         */
        customer_id?: string;
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
    };
    url: '/api/v1/reports/purchases';
};

export type GetPurchasesReportResponses = {
    /**
     * As asked.
     */
    200: PurchasesReportAnswer;
};

export type GetPurchasesReportResponse = GetPurchasesReportResponses[keyof GetPurchasesReportResponses];

export type GetLicensesReportData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only what belongs to this product.
         */
        product_id?: string;
        /**
         * Only what belongs to this policy.
         */
        policy_id?: string;
        /**
         * Only what belongs to this customer.
         */
        customer_id?: string;
        /**
         * Only what belongs to this order.
         */
        order_id?: string;
        /**
         * Only what belongs to this subscription.
         */
        subscription_id?: string;
        /**
         * Only licenses with this status.
         */
        status?: LicenseStatus;
        /**
         * Only licenses that expire before this time.
         */
        expires_before?: string;
        /**
         * Only licenses that expire after this time.
         */
        expires_after?: string;
        /**
         * Only licenses with this tag.
         */
        tag?: string;
        /**
         * Only licenses with a device that has a seat and runs this version of the app; `1.x` is any that begins with `1.`.
         */
        app_version?: string;
        /**
         * Only licenses with a device that has a seat and whose system begins with this text; not case-sensitive.
         */
        os?: string;
        /**
         * The order of the rows, as the list of licenses takes it. Default: newest first.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc' | 'expires_asc' | 'expires_desc' | 'owner_asc' | 'owner_desc' | 'product_asc' | 'product_desc';
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
    };
    url: '/api/v1/reports/licenses';
};

export type GetLicensesReportResponses = {
    /**
     * As asked.
     */
    200: LicensesReportAnswer;
};

export type GetLicensesReportResponse = GetLicensesReportResponses[keyof GetLicensesReportResponses];

export type GetAdoptionReportData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only what belongs to this product.
         */
        product_id?: string;
        /**
         * Only what belongs to this policy.
         */
        policy_id?: string;
        /**
         * Only what belongs to this customer.
         */
        customer_id?: string;
        /**
         * Only devices with this version of the app; `1.x` is any that begins with `1.`.
         */
        app_version?: string;
        /**
         * Only devices whose system begins with this text; not case-sensitive.
         */
        os?: string;
        /**
         * `license_id` has a row for each license, too. Default: not grouped.
         */
        group_by?: AdoptionGroup;
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
    };
    url: '/api/v1/reports/adoption';
};

export type GetAdoptionReportResponses = {
    /**
     * As asked.
     */
    200: AdoptionReportAnswer;
};

export type GetAdoptionReportResponse = GetAdoptionReportResponses[keyof GetAdoptionReportResponses];

export type GetStatementData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The customer whose licenses the statement is about. Send either this or `license_id`.
         */
        customer_id?: string;
        /**
         * The license that the statement is about. Send either this or `customer_id`.
         */
        license_id?: string;
        /**
         * Start of the window, inclusive.
         */
        from?: string;
        /**
         * End of the window, exclusive. Default: now.
         */
        to?: string;
        /**
         * Only this feature.
         */
        feature_code?: string;
        /**
         * Adds `groups`: the usage by a dimension of usage events.
         */
        group_by?: string;
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
    };
    url: '/api/v1/reports/statement';
};

export type GetStatementResponses = {
    /**
     * As asked.
     */
    200: StatementReportAnswer;
};

export type GetStatementResponse = GetStatementResponses[keyof GetStatementResponses];

export type ListReportExportsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what changed at this time or later; without `order`, the latest change comes first. To follow changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is returned again.
         */
        updated_from?: string;
        /**
         * Only exports of this report.
         */
        report_kind?: ReportKind;
        /**
         * Only exports in this format.
         */
        format?: ReportFormat;
        /**
         * Only exports with this status.
         */
        status?: ReportExportStatus;
    };
    url: '/api/v1/reports/exports';
};

export type ListReportExportsResponses = {
    /**
     * As asked.
     */
    200: ReportExportPage;
};

export type ListReportExportsResponse = ListReportExportsResponses[keyof ListReportExportsResponses];

export type CreateReportExportData = {
    body: ReportExportCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/reports/exports';
};

export type CreateReportExportResponses = {
    /**
     * Created.
     */
    201: ReportExportAnswer;
};

export type CreateReportExportResponse = CreateReportExportResponses[keyof CreateReportExportResponses];

export type GetReportExportData = {
    body?: never;
    path: {
        /**
         * The ID of the export. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/reports/exports/{id}';
};

export type GetReportExportResponses = {
    /**
     * As asked.
     */
    200: ReportExportAnswer;
};

export type GetReportExportResponse = GetReportExportResponses[keyof GetReportExportResponses];

export type RetryReportExportData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the export. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/reports/exports/{id}/retry';
};

export type RetryReportExportResponses = {
    /**
     * Done.
     */
    200: ReportExportAnswer;
};

export type RetryReportExportResponse = RetryReportExportResponses[keyof RetryReportExportResponses];

export type DownloadReportExportData = {
    body?: never;
    headers?: {
        /**
         * One range of bytes (RFC 9110 section 14.2). For several ranges, the response is the whole file.
         */
        range?: string;
        /**
         * The `ETag` that you have. The response is 304 if it has not changed (RFC 9110 section 13.1.2).
         */
        'if-none-match'?: string;
        /**
         * The `ETag` of the part that you have. If the file has changed, `Range` is ignored (RFC 9110 section 13.1.5).
         */
        'if-range'?: string;
    };
    path: {
        /**
         * The ID of the export. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/reports/exports/{id}/download';
};

export type DownloadReportExportResponses = {
    /**
     * The report, as canonical JSON (RFC 8785).
     */
    200: {
        [key: string]: unknown;
    };
    /**
     * The report, as canonical JSON (RFC 8785).
     */
    206: {
        [key: string]: unknown;
    };
};

export type DownloadReportExportResponse = DownloadReportExportResponses[keyof DownloadReportExportResponses];

export type DownloadReportExportSnapshotData = {
    body?: never;
    headers?: {
        /**
         * One range of bytes (RFC 9110 section 14.2). For several ranges, the response is the whole file.
         */
        range?: string;
        /**
         * The `ETag` that you have. The response is 304 if it has not changed (RFC 9110 section 13.1.2).
         */
        'if-none-match'?: string;
        /**
         * The `ETag` of the part that you have. If the file has changed, `Range` is ignored (RFC 9110 section 13.1.5).
         */
        'if-range'?: string;
    };
    path: {
        /**
         * The ID of the export. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/reports/exports/{id}/snapshot';
};

export type DownloadReportExportSnapshotResponses = {
    /**
     * The report, as canonical JSON (RFC 8785).
     */
    200: {
        [key: string]: unknown;
    };
    /**
     * The report, as canonical JSON (RFC 8785).
     */
    206: {
        [key: string]: unknown;
    };
};

export type DownloadReportExportSnapshotResponse = DownloadReportExportSnapshotResponses[keyof DownloadReportExportSnapshotResponses];

export type DownloadReportExportArchiveData = {
    body?: never;
    headers?: {
        /**
         * One range of bytes (RFC 9110 section 14.2). For several ranges, the response is the whole file.
         */
        range?: string;
        /**
         * The `ETag` that you have. The response is 304 if it has not changed (RFC 9110 section 13.1.2).
         */
        'if-none-match'?: string;
        /**
         * The `ETag` of the part that you have. If the file has changed, `Range` is ignored (RFC 9110 section 13.1.5).
         */
        'if-range'?: string;
    };
    path: {
        /**
         * The ID of the export. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/reports/exports/{id}/archive';
};

export type DownloadReportExportArchiveResponses = {
    /**
     * The bytes of the file.
     */
    200: Blob | File;
    /**
     * The bytes of the file.
     */
    206: Blob | File;
};

export type DownloadReportExportArchiveResponse = DownloadReportExportArchiveResponses[keyof DownloadReportExportArchiveResponses];

export type GetReportExportManifestData = {
    body?: never;
    path: {
        /**
         * The ID of the export. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/reports/exports/{id}/manifest';
};

export type GetReportExportManifestResponses = {
    /**
     * As asked.
     */
    200: ReportExportManifestAnswer;
};

export type GetReportExportManifestResponse = GetReportExportManifestResponses[keyof GetReportExportManifestResponses];

export type ListPeopleData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * By creation: `desc`, the default, starts with the newest; `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what changed at this time or later; without `order`, the latest change comes first. To follow changes, use `order=updated_asc` from the last `updated_at` that you have. The entry with this time is returned again.
         */
        updated_from?: string;
        /**
         * A part of the name or of the email address, in any case.
         */
        q?: string;
        /**
         * Only people with this status.
         */
        status?: PersonStatus;
    };
    url: '/api/v1/people';
};

export type ListPeopleResponses = {
    /**
     * As asked.
     */
    200: PersonPage;
};

export type ListPeopleResponse = ListPeopleResponses[keyof ListPeopleResponses];

export type CreatePersonData = {
    body: PersonCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/people';
};

export type CreatePersonResponses = {
    /**
     * Created.
     */
    201: PersonAnswer;
};

export type CreatePersonResponse = CreatePersonResponses[keyof CreatePersonResponses];

export type ListScopeGrantersData = {
    body?: never;
    path?: never;
    query: {
        /**
         * The missing scope.
         */
        scope: 'admin' | 'product:read' | 'product:write' | 'license:read' | 'license:write' | 'customer:read' | 'customer:write' | 'people:read' | 'people:write' | 'device:write' | 'event:read' | 'ops:read' | 'report:read' | 'report:export' | 'webhook:write';
    };
    url: '/api/v1/people/granters';
};

export type ListScopeGrantersResponses = {
    /**
     * As asked.
     */
    200: ScopeGrantersAnswer;
};

export type ListScopeGrantersResponse = ListScopeGrantersResponses[keyof ListScopeGrantersResponses];

export type RemovePersonData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the person. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/people/{id}';
};

export type RemovePersonResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type RemovePersonResponse = RemovePersonResponses[keyof RemovePersonResponses];

export type GetPersonData = {
    body?: never;
    path: {
        /**
         * The ID of the person. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/people/{id}';
};

export type GetPersonResponses = {
    /**
     * As asked.
     */
    200: PersonAnswer;
};

export type GetPersonResponse = GetPersonResponses[keyof GetPersonResponses];

export type UpdatePersonData = {
    body: PersonUpdateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the person. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/people/{id}';
};

export type UpdatePersonResponses = {
    /**
     * Done.
     */
    200: PersonAnswer;
};

export type UpdatePersonResponse = UpdatePersonResponses[keyof UpdatePersonResponses];

export type ReinstatePersonData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the person. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/people/{id}/reinstate';
};

export type ReinstatePersonResponses = {
    /**
     * Done.
     */
    200: PersonAnswer;
};

export type ReinstatePersonResponse = ReinstatePersonResponses[keyof ReinstatePersonResponses];

export type InvitePersonData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the person. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/people/{id}/invite';
};

export type InvitePersonResponses = {
    /**
     * Done.
     */
    200: PersonInvitationAnswer;
};

export type InvitePersonResponse = InvitePersonResponses[keyof InvitePersonResponses];

export type ListRolesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
    };
    url: '/api/v1/roles';
};

export type ListRolesResponses = {
    /**
     * As asked.
     */
    200: RolePage;
};

export type ListRolesResponse = ListRolesResponses[keyof ListRolesResponses];

export type CreateRoleData = {
    body: RoleCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/roles';
};

export type CreateRoleResponses = {
    /**
     * Created.
     */
    201: RoleAnswer;
};

export type CreateRoleResponse = CreateRoleResponses[keyof CreateRoleResponses];

export type DeleteRoleData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the role. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/roles/{id}';
};

export type DeleteRoleResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DeleteRoleResponse = DeleteRoleResponses[keyof DeleteRoleResponses];

export type GetRoleData = {
    body?: never;
    path: {
        /**
         * The ID of the role. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/roles/{id}';
};

export type GetRoleResponses = {
    /**
     * As asked.
     */
    200: RoleAnswer;
};

export type GetRoleResponse = GetRoleResponses[keyof GetRoleResponses];

export type UpdateRoleData = {
    body: RoleUpdateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The ID of the role. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/roles/{id}';
};

export type UpdateRoleResponses = {
    /**
     * Done.
     */
    200: RoleAnswer;
};

export type UpdateRoleResponse = UpdateRoleResponses[keyof UpdateRoleResponses];

export type ListApprovalsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only requests in this state.
         */
        state?: ApprovalState;
        /**
         * Only requests about this license or customer.
         */
        resource_id?: string;
        /**
         * `true`: only requests that wait for the decision of the caller.
         */
        awaiting_me?: boolean;
    };
    url: '/api/v1/approvals';
};

export type ListApprovalsResponses = {
    /**
     * As asked.
     */
    200: ApprovalPage;
};

export type ListApprovalsResponse = ListApprovalsResponses[keyof ListApprovalsResponses];

export type RequestApprovalData = {
    body: ApprovalRequest;
    headers?: {
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/approvals';
};

export type RequestApprovalResponses = {
    /**
     * Created.
     */
    201: ApprovalAnswer;
};

export type RequestApprovalResponse = RequestApprovalResponses[keyof RequestApprovalResponses];

export type GetApprovalData = {
    body?: never;
    path: {
        /**
         * The ID of the approval. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/approvals/{id}';
};

export type GetApprovalResponses = {
    /**
     * As asked.
     */
    200: ApprovalAnswer;
};

export type GetApprovalResponse = GetApprovalResponses[keyof GetApprovalResponses];

export type ApproveApprovalData = {
    body: ApprovalDecisionRequest;
    headers?: {
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the approval. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/approvals/{id}/approve';
};

export type ApproveApprovalResponses = {
    /**
     * Done.
     */
    200: ApprovalAnswer;
};

export type ApproveApprovalResponse = ApproveApprovalResponses[keyof ApproveApprovalResponses];

export type DeclineApprovalData = {
    body: ApprovalDecisionRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the approval. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/approvals/{id}/decline';
};

export type DeclineApprovalResponses = {
    /**
     * Done.
     */
    200: ApprovalAnswer;
};

export type DeclineApprovalResponse = DeclineApprovalResponses[keyof DeclineApprovalResponses];

export type CancelApprovalData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the approval. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/approvals/{id}/cancel';
};

export type CancelApprovalResponses = {
    /**
     * Done.
     */
    200: ApprovalAnswer;
};

export type CancelApprovalResponse = CancelApprovalResponses[keyof CancelApprovalResponses];

export type ListSessionsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what belongs to this person.
         */
        person_id?: string;
    };
    url: '/api/v1/sessions';
};

export type ListSessionsResponses = {
    /**
     * As asked.
     */
    200: SessionPage;
};

export type ListSessionsResponse = ListSessionsResponses[keyof ListSessionsResponses];

export type EndSessionData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the session. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/sessions/{id}';
};

export type EndSessionResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type EndSessionResponse = EndSessionResponses[keyof EndSessionResponses];

export type NoteAdminSignInData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/sign-in/admin-token';
};

export type NoteAdminSignInResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type NoteAdminSignInResponse = NoteAdminSignInResponses[keyof NoteAdminSignInResponses];

export type GetSignInWaysData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/v1/sign-in';
};

export type GetSignInWaysResponses = {
    /**
     * As asked.
     */
    200: SignInWaysAnswer;
};

export type GetSignInWaysResponse = GetSignInWaysResponses[keyof GetSignInWaysResponses];

export type SignInData = {
    body: SignInRequest;
    path?: never;
    query?: never;
    url: '/api/v1/sign-in';
};

export type SignInResponses = {
    /**
     * Created.
     */
    201: SessionEventAnswer;
};

export type SignInResponse = SignInResponses[keyof SignInResponses];

export type BeginSignInData = {
    body: SignInStartRequest;
    path?: never;
    query?: never;
    url: '/api/v1/sign-in/oidc';
};

export type BeginSignInResponses = {
    /**
     * Created.
     */
    201: SignInStartedAnswer;
};

export type BeginSignInResponse = BeginSignInResponses[keyof BeginSignInResponses];

export type SignOutData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/v1/sign-out';
};

export type SignOutResponses = {
    /**
     * Done.
     */
    200: SignedOutAnswer;
};

export type SignOutResponse = SignOutResponses[keyof SignOutResponses];

export type BeginPasskeySignInData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/v1/sign-in/passkey';
};

export type BeginPasskeySignInResponses = {
    /**
     * Created.
     */
    201: PasskeyChallengeAnswer;
};

export type BeginPasskeySignInResponse = BeginPasskeySignInResponses[keyof BeginPasskeySignInResponses];

export type FinishPasskeySignInData = {
    body: PasskeySignInRequest;
    path?: never;
    query?: never;
    url: '/api/v1/sign-in/passkey/finish';
};

export type FinishPasskeySignInResponses = {
    /**
     * Created.
     */
    201: SessionEventAnswer;
};

export type FinishPasskeySignInResponse = FinishPasskeySignInResponses[keyof FinishPasskeySignInResponses];

export type ShowInvitationData = {
    body: SignInRequest;
    path?: never;
    query?: never;
    url: '/api/v1/sign-in/invitation';
};

export type ShowInvitationResponses = {
    /**
     * Done.
     */
    200: InvitationShownAnswer;
};

export type ShowInvitationResponse = ShowInvitationResponses[keyof ShowInvitationResponses];

export type JoinWithPasskeyData = {
    body: PasskeyCreateRequest;
    path?: never;
    query?: never;
    url: '/api/v1/sign-in/invitation/passkey';
};

export type JoinWithPasskeyResponses = {
    /**
     * Created.
     */
    201: SessionEventAnswer;
};

export type JoinWithPasskeyResponse = JoinWithPasskeyResponses[keyof JoinWithPasskeyResponses];

export type ListPasskeysData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only what belongs to this person.
         */
        person_id?: string;
    };
    url: '/api/v1/passkeys';
};

export type ListPasskeysResponses = {
    /**
     * As asked.
     */
    200: PasskeyPage;
};

export type ListPasskeysResponse = ListPasskeysResponses[keyof ListPasskeysResponses];

export type CreatePasskeyData = {
    body: PasskeyCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/passkeys';
};

export type CreatePasskeyResponses = {
    /**
     * Created.
     */
    201: PasskeyAnswer;
};

export type CreatePasskeyResponse = CreatePasskeyResponses[keyof CreatePasskeyResponses];

export type BeginPasskeyData = {
    body?: never;
    headers?: {
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/passkeys/begin';
};

export type BeginPasskeyResponses = {
    /**
     * Created.
     */
    201: PasskeyCreationAnswer;
};

export type BeginPasskeyResponse = BeginPasskeyResponses[keyof BeginPasskeyResponses];

export type RenamePasskeyData = {
    body: PasskeyUpdateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the passkey. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/passkeys/{id}/rename';
};

export type RenamePasskeyResponses = {
    /**
     * Done.
     */
    200: PasskeyAnswer;
};

export type RenamePasskeyResponse = RenamePasskeyResponses[keyof RenamePasskeyResponses];

export type DeletePasskeyData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the passkey. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/passkeys/{id}';
};

export type DeletePasskeyResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DeletePasskeyResponse = DeletePasskeyResponses[keyof DeletePasskeyResponses];

export type ListApiKeysData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * A part of the name in any case, the ID of the key, or the beginning of its token.
         */
        q?: string;
        /**
         * Only keys that this person or key created, or a key of theirs did.
         */
        created_by?: string;
        /**
         * Only keys that work, or only those that do not.
         */
        is_active?: boolean;
    };
    url: '/api/v1/api-keys';
};

export type ListApiKeysResponses = {
    /**
     * As asked.
     */
    200: ApiKeyPage;
};

export type ListApiKeysResponse = ListApiKeysResponses[keyof ListApiKeysResponses];

export type CreateApiKeyData = {
    body: ApiKeyCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/api-keys';
};

export type CreateApiKeyResponses = {
    /**
     * Created.
     */
    201: ApiKeyCreateAnswer;
};

export type CreateApiKeyResponse = CreateApiKeyResponses[keyof CreateApiKeyResponses];

export type RevokeApiKeyData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the API key. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/api-keys/{id}';
};

export type RevokeApiKeyResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type RevokeApiKeyResponse = RevokeApiKeyResponses[keyof RevokeApiKeyResponses];

export type GetApiKeyData = {
    body?: never;
    path: {
        /**
         * The ID of the API key. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/api-keys/{id}';
};

export type GetApiKeyResponses = {
    /**
     * As asked.
     */
    200: ApiKeyAnswer;
};

export type GetApiKeyResponse = GetApiKeyResponses[keyof GetApiKeyResponses];

export type RotateApiKeyData = {
    body: ApiKeyRotateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the API key. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/api-keys/{id}/rotate';
};

export type RotateApiKeyResponses = {
    /**
     * Created.
     */
    201: ApiKeyRotateAnswer;
};

export type RotateApiKeyResponse = RotateApiKeyResponses[keyof RotateApiKeyResponses];

export type GetWhoamiData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/v1/whoami';
};

export type GetWhoamiResponses = {
    /**
     * As asked.
     */
    200: TokenIdentityAnswer;
};

export type GetWhoamiResponse = GetWhoamiResponses[keyof GetWhoamiResponses];

export type ListPublishableKeysData = {
    body?: never;
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
    };
    url: '/api/v1/products/{id}/publishable-keys';
};

export type ListPublishableKeysResponses = {
    /**
     * As asked.
     */
    200: PublishableKeyPage;
};

export type ListPublishableKeysResponse = ListPublishableKeysResponses[keyof ListPublishableKeysResponses];

export type CreatePublishableKeyData = {
    body: PublishableKeyCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the product. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/products/{id}/publishable-keys';
};

export type CreatePublishableKeyResponses = {
    /**
     * Created.
     */
    201: PublishableKeyAnswer;
};

export type CreatePublishableKeyResponse = CreatePublishableKeyResponses[keyof CreatePublishableKeyResponses];

export type RevokePublishableKeyData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the publishable key. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/publishable-keys/{id}';
};

export type RevokePublishableKeyResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type RevokePublishableKeyResponse = RevokePublishableKeyResponses[keyof RevokePublishableKeyResponses];

export type ListMailKindsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/v1/settings/mail/kinds';
};

export type ListMailKindsResponses = {
    /**
     * As asked.
     */
    200: MailKindSummaryList;
};

export type ListMailKindsResponse = ListMailKindsResponses[keyof ListMailKindsResponses];

export type ResetMailTemplateData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The kind of the mail.
         */
        kind: string;
        /**
         * The language of the mail.
         */
        language: string;
    };
    query?: never;
    url: '/api/v1/settings/mail/templates/{kind}/{language}';
};

export type ResetMailTemplateResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type ResetMailTemplateResponse = ResetMailTemplateResponses[keyof ResetMailTemplateResponses];

export type GetMailTemplateData = {
    body?: never;
    path: {
        /**
         * The kind of the mail.
         */
        kind: string;
        /**
         * The language of the mail.
         */
        language: string;
    };
    query?: never;
    url: '/api/v1/settings/mail/templates/{kind}/{language}';
};

export type GetMailTemplateResponses = {
    /**
     * As asked.
     */
    200: MailTemplateAnswer;
};

export type GetMailTemplateResponse = GetMailTemplateResponses[keyof GetMailTemplateResponses];

export type PutMailTemplateData = {
    body: MailTemplatePutRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The kind of the mail.
         */
        kind: string;
        /**
         * The language of the mail.
         */
        language: string;
    };
    query?: never;
    url: '/api/v1/settings/mail/templates/{kind}/{language}';
};

export type PutMailTemplateResponses = {
    /**
     * Done.
     */
    200: MailTemplateAnswer;
};

export type PutMailTemplateResponse = PutMailTemplateResponses[keyof PutMailTemplateResponses];

export type PreviewMailTemplateData = {
    body: MailPreviewRequest;
    headers?: {
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The kind of the mail.
         */
        kind: string;
        /**
         * The language of the mail.
         */
        language: string;
    };
    query?: never;
    url: '/api/v1/settings/mail/templates/{kind}/{language}/preview';
};

export type PreviewMailTemplateResponses = {
    /**
     * Done.
     */
    200: MailPreviewAnswer;
};

export type PreviewMailTemplateResponse = PreviewMailTemplateResponses[keyof PreviewMailTemplateResponses];

export type SendMailSampleData = {
    body: MailSampleRequest;
    headers?: {
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The kind of the mail.
         */
        kind: string;
        /**
         * The language of the mail.
         */
        language: string;
    };
    query?: never;
    url: '/api/v1/settings/mail/templates/{kind}/{language}/sample';
};

export type SendMailSampleResponses = {
    /**
     * Done.
     */
    200: MailSampleAnswer;
};

export type SendMailSampleResponse = SendMailSampleResponses[keyof SendMailSampleResponses];

export type ListMailSuppressionsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
        /**
         * Only this address; not case-sensitive. It finds addresses that were erased, too.
         */
        address?: string;
        /**
         * Only addresses that are suppressed for this reason.
         */
        reason?: MailSuppressionReason;
    };
    url: '/api/v1/settings/mail/suppressions';
};

export type ListMailSuppressionsResponses = {
    /**
     * As asked.
     */
    200: MailSuppressionPage;
};

export type ListMailSuppressionsResponse = ListMailSuppressionsResponses[keyof ListMailSuppressionsResponses];

export type CreateMailSuppressionData = {
    body: MailSuppressionCreateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/settings/mail/suppressions';
};

export type CreateMailSuppressionResponses = {
    /**
     * Created.
     */
    201: MailSuppressionAnswer;
};

export type CreateMailSuppressionResponse = CreateMailSuppressionResponses[keyof CreateMailSuppressionResponses];

export type DeleteMailSuppressionData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the suppression. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/settings/mail/suppressions/{id}';
};

export type DeleteMailSuppressionResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DeleteMailSuppressionResponse = DeleteMailSuppressionResponses[keyof DeleteMailSuppressionResponses];

export type GetMailSuppressionData = {
    body?: never;
    path: {
        /**
         * The ID of the suppression. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/settings/mail/suppressions/{id}';
};

export type GetMailSuppressionResponses = {
    /**
     * As asked.
     */
    200: MailSuppressionAnswer;
};

export type GetMailSuppressionResponse = GetMailSuppressionResponses[keyof GetMailSuppressionResponses];

export type ListSigningKeysData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * The maximum number of entries of a page. Default: 50; more than 200 counts as 200.
         */
        limit?: number;
        /**
         * `next_cursor` of the previous page, with the same filters. Omit for the first page.
         */
        cursor?: string;
        /**
         * `desc`, the default, starts with the newest; `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what was created at this time or later.
         */
        created_from?: string;
        /**
         * Only what was created before this time.
         */
        created_to?: string;
    };
    url: '/api/v1/signing-keys';
};

export type ListSigningKeysResponses = {
    /**
     * As asked.
     */
    200: SigningKeyPage;
};

export type ListSigningKeysResponse = ListSigningKeysResponses[keyof ListSigningKeysResponses];

export type RotateSigningKeyData = {
    body?: ActionRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/signing-keys/rotate';
};

export type RotateSigningKeyResponses = {
    /**
     * Done.
     */
    200: SigningKeyAnswer;
    /**
     * Created.
     */
    201: SigningKeyAnswer;
};

export type RotateSigningKeyResponse = RotateSigningKeyResponses[keyof RotateSigningKeyResponses];

export type RevokeSigningKeyData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The ID of the signing key. An unknown ID is 404.
         */
        id: string;
    };
    query?: never;
    url: '/api/v1/signing-keys/{id}/revoke';
};

export type RevokeSigningKeyResponses = {
    /**
     * Done.
     */
    200: SigningKeyAnswer;
};

export type RevokeSigningKeyResponse = RevokeSigningKeyResponses[keyof RevokeSigningKeyResponses];

export type GetEnvironmentData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/v1/environment';
};

export type GetEnvironmentResponses = {
    /**
     * As asked.
     */
    200: EnvironmentAnswer;
};

export type GetEnvironmentResponse = GetEnvironmentResponses[keyof GetEnvironmentResponses];

export type MoveEnvironmentClockData = {
    body: ClockMoveRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/environment/clock';
};

export type MoveEnvironmentClockResponses = {
    /**
     * Done.
     */
    200: ClockMovedAnswer;
};

export type MoveEnvironmentClockResponse = MoveEnvironmentClockResponses[keyof MoveEnvironmentClockResponses];

export type ResetEnvironmentData = {
    body?: never;
    headers?: {
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/environment/reset';
};

export type ResetEnvironmentResponses = {
    /**
     * Done.
     */
    200: EnvironmentAnswer;
};

export type ResetEnvironmentResponse = ResetEnvironmentResponses[keyof ResetEnvironmentResponses];

export type GetSettingsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/v1/settings';
};

export type GetSettingsResponses = {
    /**
     * As asked.
     */
    200: ServiceSettingsAnswer;
};

export type GetSettingsResponse = GetSettingsResponses[keyof GetSettingsResponses];

export type UpdateSettingsData = {
    body: ServiceSettingsUpdateRequest;
    headers?: {
        /**
         * Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.
         */
        'If-Match'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/settings';
};

export type UpdateSettingsResponses = {
    /**
     * Done.
     */
    200: ServiceSettingsAnswer;
};

export type UpdateSettingsResponse = UpdateSettingsResponses[keyof UpdateSettingsResponses];

export type GetSignInSettingsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/v1/settings/sign-in';
};

export type GetSignInSettingsResponses = {
    /**
     * As asked.
     */
    200: SignInSettingsAnswer;
};

export type GetSignInSettingsResponse = GetSignInSettingsResponses[keyof GetSignInSettingsResponses];

export type GetMailSettingsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/api/v1/settings/mail';
};

export type GetMailSettingsResponses = {
    /**
     * As asked.
     */
    200: MailSettingsAnswer;
};

export type GetMailSettingsResponse = GetMailSettingsResponses[keyof GetMailSettingsResponses];

export type TestSignInData = {
    body?: never;
    headers?: {
        /**
         * Accepted and ignored: every request runs again.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/settings/sign-in/test';
};

export type TestSignInResponses = {
    /**
     * Done.
     */
    200: SignInTestAnswer;
};

export type TestSignInResponse = TestSignInResponses[keyof TestSignInResponses];

export type HealthData2 = {
    body?: never;
    path?: never;
    query?: never;
    url: '/health';
};

export type HealthResponses = {
    /**
     * As asked.
     */
    200: HealthAnswer;
};

export type HealthResponse = HealthResponses[keyof HealthResponses];

export type HealthzData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/healthz';
};

export type HealthzResponses = {
    /**
     * As asked.
     */
    200: HealthAnswer;
};

export type HealthzResponse = HealthzResponses[keyof HealthzResponses];

export type ReadyzData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/readyz';
};

export type ReadyzResponses = {
    /**
     * As asked.
     */
    200: ReadyAnswer;
};

export type ReadyzResponse = ReadyzResponses[keyof ReadyzResponses];

export type GetMetricsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/metrics';
};

export type GetMetricsResponses = {
    /**
     * As asked.
     */
    200: string;
};

export type GetMetricsResponse = GetMetricsResponses[keyof GetMetricsResponses];

export type ListPublicKeysData = {
    body?: never;
    headers?: {
        /**
         * The `ETag` that you have. The response is 304 if it has not changed (RFC 9110 section 13.1.2).
         */
        'if-none-match'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/system/public-keys';
};

export type ListPublicKeysResponses = {
    /**
     * As asked.
     */
    200: PublicKeyList;
};

export type ListPublicKeysResponse = ListPublicKeysResponses[keyof ListPublicKeysResponses];

export type GetJsonWebKeySetData = {
    body?: never;
    headers?: {
        /**
         * The `ETag` that you have. The response is 304 if it has not changed (RFC 9110 section 13.1.2).
         */
        'if-none-match'?: string;
    };
    path?: never;
    query?: never;
    url: '/.well-known/jwks.json';
};

export type GetJsonWebKeySetResponses = {
    /**
     * As asked.
     */
    200: JsonWebKeySet;
};

export type GetJsonWebKeySetResponse = GetJsonWebKeySetResponses[keyof GetJsonWebKeySetResponses];

export type GetOpenApiData = {
    body?: never;
    headers?: {
        /**
         * The `ETag` that you have. The response is 304 if it has not changed (RFC 9110 section 13.1.2).
         */
        'if-none-match'?: string;
    };
    path?: never;
    query?: never;
    url: '/openapi.yaml';
};

export type GetOpenApiResponses = {
    /**
     * As asked.
     */
    200: string;
};

export type GetOpenApiResponse = GetOpenApiResponses[keyof GetOpenApiResponses];

export type GetOpenApiJsonData = {
    body?: never;
    headers?: {
        /**
         * The `ETag` that you have. The response is 304 if it has not changed (RFC 9110 section 13.1.2).
         */
        'if-none-match'?: string;
    };
    path?: never;
    query?: never;
    url: '/openapi.json';
};

export type GetOpenApiJsonResponses = {
    /**
     * As asked.
     */
    200: OpenApiDocument;
};

export type GetOpenApiJsonResponse = GetOpenApiJsonResponses[keyof GetOpenApiJsonResponses];

export type GetLlmsTextData = {
    body?: never;
    headers?: {
        /**
         * The `ETag` that you have. The response is 304 if it has not changed (RFC 9110 section 13.1.2).
         */
        'if-none-match'?: string;
    };
    path?: never;
    query?: never;
    url: '/llms.txt';
};

export type GetLlmsTextResponses = {
    /**
     * As asked.
     */
    200: string;
};

export type GetLlmsTextResponse = GetLlmsTextResponses[keyof GetLlmsTextResponses];

export type GetLlmsFullTextData = {
    body?: never;
    headers?: {
        /**
         * The `ETag` that you have. The response is 304 if it has not changed (RFC 9110 section 13.1.2).
         */
        'if-none-match'?: string;
    };
    path?: never;
    query?: never;
    url: '/llms-full.txt';
};

export type GetLlmsFullTextResponses = {
    /**
     * As asked.
     */
    200: string;
};

export type GetLlmsFullTextResponse = GetLlmsFullTextResponses[keyof GetLlmsFullTextResponses];

export type GetErrorReferenceData = {
    body?: never;
    headers?: {
        /**
         * The `ETag` that you have. The response is 304 if it has not changed (RFC 9110 section 13.1.2).
         */
        'if-none-match'?: string;
    };
    path?: never;
    query?: never;
    url: '/docs/errors';
};

export type GetErrorReferenceResponses = {
    /**
     * As asked.
     */
    200: string;
};

export type GetErrorReferenceResponse = GetErrorReferenceResponses[keyof GetErrorReferenceResponses];

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnProductCreatedWebhookPayload = ProductCreatedDelivery;

export type OnProductCreatedWebhookRequest = {
    body: OnProductCreatedWebhookPayload;
    key: 'product.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnProductUpdatedWebhookPayload = ProductUpdatedDelivery;

export type OnProductUpdatedWebhookRequest = {
    body: OnProductUpdatedWebhookPayload;
    key: 'product.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnProductDeletedWebhookPayload = ProductDeletedDelivery;

export type OnProductDeletedWebhookRequest = {
    body: OnProductDeletedWebhookPayload;
    key: 'product.deleted';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPolicyCreatedWebhookPayload = PolicyCreatedDelivery;

export type OnPolicyCreatedWebhookRequest = {
    body: OnPolicyCreatedWebhookPayload;
    key: 'policy.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPolicyUpdatedWebhookPayload = PolicyUpdatedDelivery;

export type OnPolicyUpdatedWebhookRequest = {
    body: OnPolicyUpdatedWebhookPayload;
    key: 'policy.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPolicyDeletedWebhookPayload = PolicyDeletedDelivery;

export type OnPolicyDeletedWebhookRequest = {
    body: OnPolicyDeletedWebhookPayload;
    key: 'policy.deleted';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPolicyFeatureAssignedWebhookPayload = PolicyFeatureAssignedDelivery;

export type OnPolicyFeatureAssignedWebhookRequest = {
    body: OnPolicyFeatureAssignedWebhookPayload;
    key: 'policy.feature_assigned';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPolicyFeatureRemovedWebhookPayload = PolicyFeatureRemovedDelivery;

export type OnPolicyFeatureRemovedWebhookRequest = {
    body: OnPolicyFeatureRemovedWebhookPayload;
    key: 'policy.feature_removed';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnFeatureCreatedWebhookPayload = FeatureCreatedDelivery;

export type OnFeatureCreatedWebhookRequest = {
    body: OnFeatureCreatedWebhookPayload;
    key: 'feature.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnFeatureUpdatedWebhookPayload = FeatureUpdatedDelivery;

export type OnFeatureUpdatedWebhookRequest = {
    body: OnFeatureUpdatedWebhookPayload;
    key: 'feature.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnFeatureDeletedWebhookPayload = FeatureDeletedDelivery;

export type OnFeatureDeletedWebhookRequest = {
    body: OnFeatureDeletedWebhookPayload;
    key: 'feature.deleted';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnVersionCreatedWebhookPayload = VersionCreatedDelivery;

export type OnVersionCreatedWebhookRequest = {
    body: OnVersionCreatedWebhookPayload;
    key: 'version.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnVersionUpdatedWebhookPayload = VersionUpdatedDelivery;

export type OnVersionUpdatedWebhookRequest = {
    body: OnVersionUpdatedWebhookPayload;
    key: 'version.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnVersionDeletedWebhookPayload = VersionDeletedDelivery;

export type OnVersionDeletedWebhookRequest = {
    body: OnVersionDeletedWebhookPayload;
    key: 'version.deleted';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnCustomerCreatedWebhookPayload = CustomerCreatedDelivery;

export type OnCustomerCreatedWebhookRequest = {
    body: OnCustomerCreatedWebhookPayload;
    key: 'customer.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnCustomerUpdatedWebhookPayload = CustomerUpdatedDelivery;

export type OnCustomerUpdatedWebhookRequest = {
    body: OnCustomerUpdatedWebhookPayload;
    key: 'customer.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnCustomerDeletedWebhookPayload = CustomerDeletedDelivery;

export type OnCustomerDeletedWebhookRequest = {
    body: OnCustomerDeletedWebhookPayload;
    key: 'customer.deleted';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnCustomerErasedWebhookPayload = CustomerErasedDelivery;

export type OnCustomerErasedWebhookRequest = {
    body: OnCustomerErasedWebhookPayload;
    key: 'customer.erased';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnCustomerPoolGivenWebhookPayload = CustomerPoolGivenDelivery;

export type OnCustomerPoolGivenWebhookRequest = {
    body: OnCustomerPoolGivenWebhookPayload;
    key: 'customer.pool_given';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnCustomerPoolRevokedWebhookPayload = CustomerPoolRevokedDelivery;

export type OnCustomerPoolRevokedWebhookRequest = {
    body: OnCustomerPoolRevokedWebhookPayload;
    key: 'customer.pool_revoked';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnCustomerPortalLinkCreatedWebhookPayload = CustomerPortalLinkCreatedDelivery;

export type OnCustomerPortalLinkCreatedWebhookRequest = {
    body: OnCustomerPortalLinkCreatedWebhookPayload;
    key: 'customer.portal_link_created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnCustomerPortalLinkMailedWebhookPayload = CustomerPortalLinkMailedDelivery;

export type OnCustomerPortalLinkMailedWebhookRequest = {
    body: OnCustomerPortalLinkMailedWebhookPayload;
    key: 'customer.portal_link_mailed';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnCustomerPortalLinkFailedWebhookPayload = CustomerPortalLinkFailedDelivery;

export type OnCustomerPortalLinkFailedWebhookRequest = {
    body: OnCustomerPortalLinkFailedWebhookPayload;
    key: 'customer.portal_link_failed';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnOrderCreatedWebhookPayload = OrderCreatedDelivery;

export type OnOrderCreatedWebhookRequest = {
    body: OnOrderCreatedWebhookPayload;
    key: 'order.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnOrderUpdatedWebhookPayload = OrderUpdatedDelivery;

export type OnOrderUpdatedWebhookRequest = {
    body: OnOrderUpdatedWebhookPayload;
    key: 'order.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnOrderDeletedWebhookPayload = OrderDeletedDelivery;

export type OnOrderDeletedWebhookRequest = {
    body: OnOrderDeletedWebhookPayload;
    key: 'order.deleted';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnSubscriptionCreatedWebhookPayload = SubscriptionCreatedDelivery;

export type OnSubscriptionCreatedWebhookRequest = {
    body: OnSubscriptionCreatedWebhookPayload;
    key: 'subscription.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnSubscriptionUpdatedWebhookPayload = SubscriptionUpdatedDelivery;

export type OnSubscriptionUpdatedWebhookRequest = {
    body: OnSubscriptionUpdatedWebhookPayload;
    key: 'subscription.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnSubscriptionDeletedWebhookPayload = SubscriptionDeletedDelivery;

export type OnSubscriptionDeletedWebhookRequest = {
    body: OnSubscriptionDeletedWebhookPayload;
    key: 'subscription.deleted';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnBillingConnectionCreatedWebhookPayload = BillingConnectionCreatedDelivery;

export type OnBillingConnectionCreatedWebhookRequest = {
    body: OnBillingConnectionCreatedWebhookPayload;
    key: 'billing_connection.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnBillingConnectionUpdatedWebhookPayload = BillingConnectionUpdatedDelivery;

export type OnBillingConnectionUpdatedWebhookRequest = {
    body: OnBillingConnectionUpdatedWebhookPayload;
    key: 'billing_connection.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnBillingConnectionSecretRotatedWebhookPayload = BillingConnectionSecretRotatedDelivery;

export type OnBillingConnectionSecretRotatedWebhookRequest = {
    body: OnBillingConnectionSecretRotatedWebhookPayload;
    key: 'billing_connection.secret_rotated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnBillingConnectionDeletedWebhookPayload = BillingConnectionDeletedDelivery;

export type OnBillingConnectionDeletedWebhookRequest = {
    body: OnBillingConnectionDeletedWebhookPayload;
    key: 'billing_connection.deleted';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPurchaseDoneWebhookPayload = PurchaseDoneDelivery;

export type OnPurchaseDoneWebhookRequest = {
    body: OnPurchaseDoneWebhookPayload;
    key: 'purchase.done';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPurchaseWaitingWebhookPayload = PurchaseWaitingDelivery;

export type OnPurchaseWaitingWebhookRequest = {
    body: OnPurchaseWaitingWebhookPayload;
    key: 'purchase.waiting';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPurchaseFailedWebhookPayload = PurchaseFailedDelivery;

export type OnPurchaseFailedWebhookRequest = {
    body: OnPurchaseFailedWebhookPayload;
    key: 'purchase.failed';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnCustomFieldCreatedWebhookPayload = CustomFieldCreatedDelivery;

export type OnCustomFieldCreatedWebhookRequest = {
    body: OnCustomFieldCreatedWebhookPayload;
    key: 'custom_field.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnCustomFieldUpdatedWebhookPayload = CustomFieldUpdatedDelivery;

export type OnCustomFieldUpdatedWebhookRequest = {
    body: OnCustomFieldUpdatedWebhookPayload;
    key: 'custom_field.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnCustomFieldDeletedWebhookPayload = CustomFieldDeletedDelivery;

export type OnCustomFieldDeletedWebhookRequest = {
    body: OnCustomFieldDeletedWebhookPayload;
    key: 'custom_field.deleted';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnJobCreatedWebhookPayload = JobCreatedDelivery;

export type OnJobCreatedWebhookRequest = {
    body: OnJobCreatedWebhookPayload;
    key: 'job.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnJobDoneWebhookPayload = JobDoneDelivery;

export type OnJobDoneWebhookRequest = {
    body: OnJobDoneWebhookPayload;
    key: 'job.done';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnJobStoppedWebhookPayload = JobStoppedDelivery;

export type OnJobStoppedWebhookRequest = {
    body: OnJobStoppedWebhookPayload;
    key: 'job.stopped';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnJobFailedWebhookPayload = JobFailedDelivery;

export type OnJobFailedWebhookRequest = {
    body: OnJobFailedWebhookPayload;
    key: 'job.failed';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnNoteCreatedWebhookPayload = NoteCreatedDelivery;

export type OnNoteCreatedWebhookRequest = {
    body: OnNoteCreatedWebhookPayload;
    key: 'note.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnNoteUpdatedWebhookPayload = NoteUpdatedDelivery;

export type OnNoteUpdatedWebhookRequest = {
    body: OnNoteUpdatedWebhookPayload;
    key: 'note.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnNoteDeletedWebhookPayload = NoteDeletedDelivery;

export type OnNoteDeletedWebhookRequest = {
    body: OnNoteDeletedWebhookPayload;
    key: 'note.deleted';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseCreatedWebhookPayload = LicenseCreatedDelivery;

export type OnLicenseCreatedWebhookRequest = {
    body: OnLicenseCreatedWebhookPayload;
    key: 'license.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseUpdatedWebhookPayload = LicenseUpdatedDelivery;

export type OnLicenseUpdatedWebhookRequest = {
    body: OnLicenseUpdatedWebhookPayload;
    key: 'license.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseStartedWebhookPayload = LicenseStartedDelivery;

export type OnLicenseStartedWebhookRequest = {
    body: OnLicenseStartedWebhookPayload;
    key: 'license.started';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseActivatedWebhookPayload = LicenseActivatedDelivery;

export type OnLicenseActivatedWebhookRequest = {
    body: OnLicenseActivatedWebhookPayload;
    key: 'license.activated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseDeactivatedWebhookPayload = LicenseDeactivatedDelivery;

export type OnLicenseDeactivatedWebhookRequest = {
    body: OnLicenseDeactivatedWebhookPayload;
    key: 'license.deactivated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseSuspendedWebhookPayload = LicenseSuspendedDelivery;

export type OnLicenseSuspendedWebhookRequest = {
    body: OnLicenseSuspendedWebhookPayload;
    key: 'license.suspended';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseReinstatedWebhookPayload = LicenseReinstatedDelivery;

export type OnLicenseReinstatedWebhookRequest = {
    body: OnLicenseReinstatedWebhookPayload;
    key: 'license.reinstated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseRevokedWebhookPayload = LicenseRevokedDelivery;

export type OnLicenseRevokedWebhookRequest = {
    body: OnLicenseRevokedWebhookPayload;
    key: 'license.revoked';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseRenewedWebhookPayload = LicenseRenewedDelivery;

export type OnLicenseRenewedWebhookRequest = {
    body: OnLicenseRenewedWebhookPayload;
    key: 'license.renewed';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicensePolicyChangedWebhookPayload = LicensePolicyChangedDelivery;

export type OnLicensePolicyChangedWebhookRequest = {
    body: OnLicensePolicyChangedWebhookPayload;
    key: 'license.policy_changed';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseTransferredWebhookPayload = LicenseTransferredDelivery;

export type OnLicenseTransferredWebhookRequest = {
    body: OnLicenseTransferredWebhookPayload;
    key: 'license.transferred';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseKeyRotatedWebhookPayload = LicenseKeyRotatedDelivery;

export type OnLicenseKeyRotatedWebhookRequest = {
    body: OnLicenseKeyRotatedWebhookPayload;
    key: 'license.key_rotated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseGraceStartedWebhookPayload = LicenseGraceStartedDelivery;

export type OnLicenseGraceStartedWebhookRequest = {
    body: OnLicenseGraceStartedWebhookPayload;
    key: 'license.grace_started';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseExpiringWebhookPayload = LicenseExpiringDelivery;

export type OnLicenseExpiringWebhookRequest = {
    body: OnLicenseExpiringWebhookPayload;
    key: 'license.expiring';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseExpiredWebhookPayload = LicenseExpiredDelivery;

export type OnLicenseExpiredWebhookRequest = {
    body: OnLicenseExpiredWebhookPayload;
    key: 'license.expired';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseFeatureAssignedWebhookPayload = LicenseFeatureAssignedDelivery;

export type OnLicenseFeatureAssignedWebhookRequest = {
    body: OnLicenseFeatureAssignedWebhookPayload;
    key: 'license.feature_assigned';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseFeatureRemovedWebhookPayload = LicenseFeatureRemovedDelivery;

export type OnLicenseFeatureRemovedWebhookRequest = {
    body: OnLicenseFeatureRemovedWebhookPayload;
    key: 'license.feature_removed';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseUsageRecordedWebhookPayload = LicenseUsageRecordedDelivery;

export type OnLicenseUsageRecordedWebhookRequest = {
    body: OnLicenseUsageRecordedWebhookPayload;
    key: 'license.usage_recorded';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseUsageResetWebhookPayload = LicenseUsageResetDelivery;

export type OnLicenseUsageResetWebhookRequest = {
    body: OnLicenseUsageResetWebhookPayload;
    key: 'license.usage_reset';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseQuotaReachedWebhookPayload = LicenseQuotaReachedDelivery;

export type OnLicenseQuotaReachedWebhookRequest = {
    body: OnLicenseQuotaReachedWebhookPayload;
    key: 'license.quota_reached';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseQuotaThresholdWebhookPayload = LicenseQuotaThresholdDelivery;

export type OnLicenseQuotaThresholdWebhookRequest = {
    body: OnLicenseQuotaThresholdWebhookPayload;
    key: 'license.quota_threshold';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseGrantGivenWebhookPayload = LicenseGrantGivenDelivery;

export type OnLicenseGrantGivenWebhookRequest = {
    body: OnLicenseGrantGivenWebhookPayload;
    key: 'license.grant_given';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseGrantRevokedWebhookPayload = LicenseGrantRevokedDelivery;

export type OnLicenseGrantRevokedWebhookRequest = {
    body: OnLicenseGrantRevokedWebhookPayload;
    key: 'license.grant_revoked';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseOverageStartedWebhookPayload = LicenseOverageStartedDelivery;

export type OnLicenseOverageStartedWebhookRequest = {
    body: OnLicenseOverageStartedWebhookPayload;
    key: 'license.overage_started';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseTransferRequestedWebhookPayload = LicenseTransferRequestedDelivery;

export type OnLicenseTransferRequestedWebhookRequest = {
    body: OnLicenseTransferRequestedWebhookPayload;
    key: 'license.transfer_requested';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseTransferCanceledWebhookPayload = LicenseTransferCanceledDelivery;

export type OnLicenseTransferCanceledWebhookRequest = {
    body: OnLicenseTransferCanceledWebhookPayload;
    key: 'license.transfer_canceled';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseUserInvitedWebhookPayload = LicenseUserInvitedDelivery;

export type OnLicenseUserInvitedWebhookRequest = {
    body: OnLicenseUserInvitedWebhookPayload;
    key: 'license.user_invited';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseUserJoinedWebhookPayload = LicenseUserJoinedDelivery;

export type OnLicenseUserJoinedWebhookRequest = {
    body: OnLicenseUserJoinedWebhookPayload;
    key: 'license.user_joined';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseUserRemovedWebhookPayload = LicenseUserRemovedDelivery;

export type OnLicenseUserRemovedWebhookRequest = {
    body: OnLicenseUserRemovedWebhookPayload;
    key: 'license.user_removed';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLicenseUserDeviceChangedWebhookPayload = LicenseUserDeviceChangedDelivery;

export type OnLicenseUserDeviceChangedWebhookRequest = {
    body: OnLicenseUserDeviceChangedWebhookPayload;
    key: 'license.user_device_changed';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnMailSentWebhookPayload = MailSentDelivery;

export type OnMailSentWebhookRequest = {
    body: OnMailSentWebhookPayload;
    key: 'mail.sent';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnMailFailedWebhookPayload = MailFailedDelivery;

export type OnMailFailedWebhookRequest = {
    body: OnMailFailedWebhookPayload;
    key: 'mail.failed';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnDeviceResetWebhookPayload = DeviceResetDelivery;

export type OnDeviceResetWebhookRequest = {
    body: OnDeviceResetWebhookPayload;
    key: 'device.reset';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnDeviceBlacklistedWebhookPayload = DeviceBlacklistedDelivery;

export type OnDeviceBlacklistedWebhookRequest = {
    body: OnDeviceBlacklistedWebhookPayload;
    key: 'device.blacklisted';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnDeviceExpiredWebhookPayload = DeviceExpiredDelivery;

export type OnDeviceExpiredWebhookRequest = {
    body: OnDeviceExpiredWebhookPayload;
    key: 'device.expired';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnDeviceComponentsChangedWebhookPayload = DeviceComponentsChangedDelivery;

export type OnDeviceComponentsChangedWebhookRequest = {
    body: OnDeviceComponentsChangedWebhookPayload;
    key: 'device.components_changed';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnDeviceRenamedWebhookPayload = DeviceRenamedDelivery;

export type OnDeviceRenamedWebhookRequest = {
    body: OnDeviceRenamedWebhookPayload;
    key: 'device.renamed';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLeaseCheckedOutWebhookPayload = LeaseCheckedOutDelivery;

export type OnLeaseCheckedOutWebhookRequest = {
    body: OnLeaseCheckedOutWebhookPayload;
    key: 'lease.checked_out';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLeaseCheckedInWebhookPayload = LeaseCheckedInDelivery;

export type OnLeaseCheckedInWebhookRequest = {
    body: OnLeaseCheckedInWebhookPayload;
    key: 'lease.checked_in';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLeaseExpiredWebhookPayload = LeaseExpiredDelivery;

export type OnLeaseExpiredWebhookRequest = {
    body: OnLeaseExpiredWebhookPayload;
    key: 'lease.expired';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnOfflineIssuedWebhookPayload = OfflineIssuedDelivery;

export type OnOfflineIssuedWebhookRequest = {
    body: OnOfflineIssuedWebhookPayload;
    key: 'offline.issued';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnOfflineFileIssuedWebhookPayload = OfflineFileIssuedDelivery;

export type OnOfflineFileIssuedWebhookRequest = {
    body: OnOfflineFileIssuedWebhookPayload;
    key: 'offline_file.issued';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnOfflineFileRevokedWebhookPayload = OfflineFileRevokedDelivery;

export type OnOfflineFileRevokedWebhookRequest = {
    body: OnOfflineFileRevokedWebhookPayload;
    key: 'offline_file.revoked';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnApiKeyCreatedWebhookPayload = ApiKeyCreatedDelivery;

export type OnApiKeyCreatedWebhookRequest = {
    body: OnApiKeyCreatedWebhookPayload;
    key: 'api_key.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnApiKeyUpdatedWebhookPayload = ApiKeyUpdatedDelivery;

export type OnApiKeyUpdatedWebhookRequest = {
    body: OnApiKeyUpdatedWebhookPayload;
    key: 'api_key.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnApiKeyRevokedWebhookPayload = ApiKeyRevokedDelivery;

export type OnApiKeyRevokedWebhookRequest = {
    body: OnApiKeyRevokedWebhookPayload;
    key: 'api_key.revoked';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnApiKeyRotatedWebhookPayload = ApiKeyRotatedDelivery;

export type OnApiKeyRotatedWebhookRequest = {
    body: OnApiKeyRotatedWebhookPayload;
    key: 'api_key.rotated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnApiKeySignedInWebhookPayload = ApiKeySignedInDelivery;

export type OnApiKeySignedInWebhookRequest = {
    body: OnApiKeySignedInWebhookPayload;
    key: 'api_key.signed_in';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPersonCreatedWebhookPayload = PersonCreatedDelivery;

export type OnPersonCreatedWebhookRequest = {
    body: OnPersonCreatedWebhookPayload;
    key: 'person.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPersonUpdatedWebhookPayload = PersonUpdatedDelivery;

export type OnPersonUpdatedWebhookRequest = {
    body: OnPersonUpdatedWebhookPayload;
    key: 'person.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPersonRemovedWebhookPayload = PersonRemovedDelivery;

export type OnPersonRemovedWebhookRequest = {
    body: OnPersonRemovedWebhookPayload;
    key: 'person.removed';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPersonReinstatedWebhookPayload = PersonReinstatedDelivery;

export type OnPersonReinstatedWebhookRequest = {
    body: OnPersonReinstatedWebhookPayload;
    key: 'person.reinstated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPersonInvitedWebhookPayload = PersonInvitedDelivery;

export type OnPersonInvitedWebhookRequest = {
    body: OnPersonInvitedWebhookPayload;
    key: 'person.invited';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnSessionOpenedWebhookPayload = SessionOpenedDelivery;

export type OnSessionOpenedWebhookRequest = {
    body: OnSessionOpenedWebhookPayload;
    key: 'session.opened';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnSessionEndedWebhookPayload = SessionEndedDelivery;

export type OnSessionEndedWebhookRequest = {
    body: OnSessionEndedWebhookPayload;
    key: 'session.ended';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnSessionRefusedWebhookPayload = SessionRefusedDelivery;

export type OnSessionRefusedWebhookRequest = {
    body: OnSessionRefusedWebhookPayload;
    key: 'session.refused';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPasskeyCreatedWebhookPayload = PasskeyCreatedDelivery;

export type OnPasskeyCreatedWebhookRequest = {
    body: OnPasskeyCreatedWebhookPayload;
    key: 'passkey.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPasskeyUpdatedWebhookPayload = PasskeyUpdatedDelivery;

export type OnPasskeyUpdatedWebhookRequest = {
    body: OnPasskeyUpdatedWebhookPayload;
    key: 'passkey.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPasskeyDeletedWebhookPayload = PasskeyDeletedDelivery;

export type OnPasskeyDeletedWebhookRequest = {
    body: OnPasskeyDeletedWebhookPayload;
    key: 'passkey.deleted';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnRoleCreatedWebhookPayload = RoleCreatedDelivery;

export type OnRoleCreatedWebhookRequest = {
    body: OnRoleCreatedWebhookPayload;
    key: 'role.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnRoleUpdatedWebhookPayload = RoleUpdatedDelivery;

export type OnRoleUpdatedWebhookRequest = {
    body: OnRoleUpdatedWebhookPayload;
    key: 'role.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnRoleDeletedWebhookPayload = RoleDeletedDelivery;

export type OnRoleDeletedWebhookRequest = {
    body: OnRoleDeletedWebhookPayload;
    key: 'role.deleted';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnRoleSecondLookChangedWebhookPayload = RoleSecondLookChangedDelivery;

export type OnRoleSecondLookChangedWebhookRequest = {
    body: OnRoleSecondLookChangedWebhookPayload;
    key: 'role.second_look_changed';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnApprovalRequestedWebhookPayload = ApprovalRequestedDelivery;

export type OnApprovalRequestedWebhookRequest = {
    body: OnApprovalRequestedWebhookPayload;
    key: 'approval.requested';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnApprovalApprovedWebhookPayload = ApprovalApprovedDelivery;

export type OnApprovalApprovedWebhookRequest = {
    body: OnApprovalApprovedWebhookPayload;
    key: 'approval.approved';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnApprovalDeclinedWebhookPayload = ApprovalDeclinedDelivery;

export type OnApprovalDeclinedWebhookRequest = {
    body: OnApprovalDeclinedWebhookPayload;
    key: 'approval.declined';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnApprovalCanceledWebhookPayload = ApprovalCanceledDelivery;

export type OnApprovalCanceledWebhookRequest = {
    body: OnApprovalCanceledWebhookPayload;
    key: 'approval.canceled';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnApprovalExpiredWebhookPayload = ApprovalExpiredDelivery;

export type OnApprovalExpiredWebhookRequest = {
    body: OnApprovalExpiredWebhookPayload;
    key: 'approval.expired';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnSettingsUpdatedWebhookPayload = SettingsUpdatedDelivery;

export type OnSettingsUpdatedWebhookRequest = {
    body: OnSettingsUpdatedWebhookPayload;
    key: 'settings.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnMailTemplateUpdatedWebhookPayload = MailTemplateUpdatedDelivery;

export type OnMailTemplateUpdatedWebhookRequest = {
    body: OnMailTemplateUpdatedWebhookPayload;
    key: 'mail_template.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnMailTemplateResetWebhookPayload = MailTemplateResetDelivery;

export type OnMailTemplateResetWebhookRequest = {
    body: OnMailTemplateResetWebhookPayload;
    key: 'mail_template.reset';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnMailSuppressionCreatedWebhookPayload = MailSuppressionCreatedDelivery;

export type OnMailSuppressionCreatedWebhookRequest = {
    body: OnMailSuppressionCreatedWebhookPayload;
    key: 'mail_suppression.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnMailSuppressionLiftedWebhookPayload = MailSuppressionLiftedDelivery;

export type OnMailSuppressionLiftedWebhookRequest = {
    body: OnMailSuppressionLiftedWebhookPayload;
    key: 'mail_suppression.lifted';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPublishableKeyCreatedWebhookPayload = PublishableKeyCreatedDelivery;

export type OnPublishableKeyCreatedWebhookRequest = {
    body: OnPublishableKeyCreatedWebhookPayload;
    key: 'publishable_key.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnPublishableKeyRevokedWebhookPayload = PublishableKeyRevokedDelivery;

export type OnPublishableKeyRevokedWebhookRequest = {
    body: OnPublishableKeyRevokedWebhookPayload;
    key: 'publishable_key.revoked';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnSigningKeyCreatedWebhookPayload = SigningKeyCreatedDelivery;

export type OnSigningKeyCreatedWebhookRequest = {
    body: OnSigningKeyCreatedWebhookPayload;
    key: 'signing_key.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnSigningKeyRetiredWebhookPayload = SigningKeyRetiredDelivery;

export type OnSigningKeyRetiredWebhookRequest = {
    body: OnSigningKeyRetiredWebhookPayload;
    key: 'signing_key.retired';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnSigningKeyRevokedWebhookPayload = SigningKeyRevokedDelivery;

export type OnSigningKeyRevokedWebhookRequest = {
    body: OnSigningKeyRevokedWebhookPayload;
    key: 'signing_key.revoked';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnWebhookCreatedWebhookPayload = WebhookCreatedDelivery;

export type OnWebhookCreatedWebhookRequest = {
    body: OnWebhookCreatedWebhookPayload;
    key: 'webhook.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnWebhookUpdatedWebhookPayload = WebhookUpdatedDelivery;

export type OnWebhookUpdatedWebhookRequest = {
    body: OnWebhookUpdatedWebhookPayload;
    key: 'webhook.updated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnWebhookDeletedWebhookPayload = WebhookDeletedDelivery;

export type OnWebhookDeletedWebhookRequest = {
    body: OnWebhookDeletedWebhookPayload;
    key: 'webhook.deleted';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnWebhookDisabledWebhookPayload = WebhookDisabledDelivery;

export type OnWebhookDisabledWebhookRequest = {
    body: OnWebhookDisabledWebhookPayload;
    key: 'webhook.disabled';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnWebhookSecretRotatedWebhookPayload = WebhookSecretRotatedDelivery;

export type OnWebhookSecretRotatedWebhookRequest = {
    body: OnWebhookSecretRotatedWebhookPayload;
    key: 'webhook.secret_rotated';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnWebhookSkippedWebhookPayload = WebhookSkippedDelivery;

export type OnWebhookSkippedWebhookRequest = {
    body: OnWebhookSkippedWebhookPayload;
    key: 'webhook.skipped';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnWebhookDeliveryExhaustedWebhookPayload = WebhookDeliveryExhaustedDelivery;

export type OnWebhookDeliveryExhaustedWebhookRequest = {
    body: OnWebhookDeliveryExhaustedWebhookPayload;
    key: 'webhook.delivery_exhausted';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnReportExportCreatedWebhookPayload = ReportExportCreatedDelivery;

export type OnReportExportCreatedWebhookRequest = {
    body: OnReportExportCreatedWebhookPayload;
    key: 'report_export.created';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnReportExportReadyWebhookPayload = ReportExportReadyDelivery;

export type OnReportExportReadyWebhookRequest = {
    body: OnReportExportReadyWebhookPayload;
    key: 'report_export.ready';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnReportExportFailedWebhookPayload = ReportExportFailedDelivery;

export type OnReportExportFailedWebhookRequest = {
    body: OnReportExportFailedWebhookPayload;
    key: 'report_export.failed';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnReportExportDownloadedWebhookPayload = ReportExportDownloadedDelivery;

export type OnReportExportDownloadedWebhookRequest = {
    body: OnReportExportDownloadedWebhookPayload;
    key: 'report_export.downloaded';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLogEpochStartedWebhookPayload = LogEpochStartedDelivery;

export type OnLogEpochStartedWebhookRequest = {
    body: OnLogEpochStartedWebhookPayload;
    key: 'log.epoch_started';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLogKeyIntroducedWebhookPayload = LogKeyIntroducedDelivery;

export type OnLogKeyIntroducedWebhookRequest = {
    body: OnLogKeyIntroducedWebhookPayload;
    key: 'log.key_introduced';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnLogDroppedWebhookPayload = LogDroppedDelivery;

export type OnLogDroppedWebhookRequest = {
    body: OnLogDroppedWebhookPayload;
    key: 'log.dropped';
    path?: never;
    query?: never;
};

/**
 * Canonical JSON (RFC 8785), signed as it is.
 */
export type OnWebhookTestWebhookPayload = WebhookTestDelivery;

export type OnWebhookTestWebhookRequest = {
    body: OnWebhookTestWebhookPayload;
    key: 'webhook.test';
    path?: never;
    query?: never;
};

