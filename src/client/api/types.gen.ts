// Made from the OpenAPI document by build/clientContract.ts (npm run client:contract). Change that, not this.

export type ClientOptions = {
    baseUrl: 'https://licenses.example.com' | (string & {});
};

export type Webhooks = OnProductCreatedWebhookRequest | OnProductUpdatedWebhookRequest | OnProductDeletedWebhookRequest | OnPolicyCreatedWebhookRequest | OnPolicyUpdatedWebhookRequest | OnPolicyDeletedWebhookRequest | OnPolicyFeatureAssignedWebhookRequest | OnPolicyFeatureRemovedWebhookRequest | OnFeatureCreatedWebhookRequest | OnFeatureUpdatedWebhookRequest | OnFeatureDeletedWebhookRequest | OnVersionCreatedWebhookRequest | OnVersionUpdatedWebhookRequest | OnVersionDeletedWebhookRequest | OnCustomerCreatedWebhookRequest | OnCustomerUpdatedWebhookRequest | OnCustomerDeletedWebhookRequest | OnCustomerErasedWebhookRequest | OnOrderCreatedWebhookRequest | OnOrderUpdatedWebhookRequest | OnOrderDeletedWebhookRequest | OnSubscriptionCreatedWebhookRequest | OnSubscriptionUpdatedWebhookRequest | OnSubscriptionDeletedWebhookRequest | OnCustomFieldCreatedWebhookRequest | OnCustomFieldUpdatedWebhookRequest | OnCustomFieldDeletedWebhookRequest | OnLicenseCreatedWebhookRequest | OnLicenseUpdatedWebhookRequest | OnLicenseStartedWebhookRequest | OnLicenseActivatedWebhookRequest | OnLicenseDeactivatedWebhookRequest | OnLicenseSuspendedWebhookRequest | OnLicenseReinstatedWebhookRequest | OnLicenseRevokedWebhookRequest | OnLicenseRenewedWebhookRequest | OnLicensePolicyChangedWebhookRequest | OnLicenseTransferredWebhookRequest | OnLicenseKeyRotatedWebhookRequest | OnLicenseGraceStartedWebhookRequest | OnLicenseExpiringWebhookRequest | OnLicenseExpiredWebhookRequest | OnLicenseFeatureAssignedWebhookRequest | OnLicenseFeatureRemovedWebhookRequest | OnLicenseUsageRecordedWebhookRequest | OnLicenseUsageResetWebhookRequest | OnLicenseQuotaReachedWebhookRequest | OnLicenseOverageStartedWebhookRequest | OnDeviceResetWebhookRequest | OnDeviceBlacklistedWebhookRequest | OnDeviceExpiredWebhookRequest | OnDeviceComponentsChangedWebhookRequest | OnLeaseCheckedOutWebhookRequest | OnLeaseCheckedInWebhookRequest | OnLeaseExpiredWebhookRequest | OnOfflineIssuedWebhookRequest | OnOfflineFileIssuedWebhookRequest | OnOfflineFileRevokedWebhookRequest | OnApiKeyCreatedWebhookRequest | OnApiKeyRevokedWebhookRequest | OnApiKeyRotatedWebhookRequest | OnPublishableKeyCreatedWebhookRequest | OnPublishableKeyRevokedWebhookRequest | OnSigningKeyCreatedWebhookRequest | OnSigningKeyRetiredWebhookRequest | OnSigningKeyRevokedWebhookRequest | OnWebhookCreatedWebhookRequest | OnWebhookUpdatedWebhookRequest | OnWebhookDeletedWebhookRequest | OnWebhookDisabledWebhookRequest | OnWebhookSecretRotatedWebhookRequest | OnWebhookSkippedWebhookRequest | OnWebhookDeliveryExhaustedWebhookRequest | OnReportExportCreatedWebhookRequest | OnReportExportReadyWebhookRequest | OnReportExportFailedWebhookRequest | OnReportExportDownloadedWebhookRequest | OnLogEpochStartedWebhookRequest | OnLogDroppedWebhookRequest | OnWebhookTestWebhookRequest;

/**
 * A management key, without its token.
 */
export type ApiKey = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * The beginning of the token, to recognise it by.
     */
    key_prefix: string;
    /**
     * What the key may do. Left out: `admin`, but never more than the key that creates it.
     */
    scopes: Array<ManagementScope>;
    /**
     * Network ranges that the key may be used from, such as `192.0.2.0/24`. Empty: from anywhere.
     */
    allowed_cidrs: Array<string>;
    /**
     * The products that the key is limited to; absent where it may do all.
     */
    product_ids?: Array<ProductId>;
    /**
     * Whether the key works: neither revoked nor expired.
     */
    is_active: boolean;
    /**
     * When it ends; without it, never.
     */
    expires_at?: string;
    /**
     * When the key was last used, at most a minute late; absent if never.
     */
    last_used_at?: string;
    /**
     * When it came into being.
     */
    created_at: string;
};

/**
 * What was asked for, in `data`.
 */
export type ApiKeyAnswer = {
    /**
     * What was asked for.
     */
    data: ApiKey;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What was asked for, in `data`.
 */
export type ApiKeyCreateAnswer = {
    /**
     * What was asked for.
     */
    data: ApiKeyCreateResponse;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A management key to create.
 */
export type ApiKeyCreateRequest = {
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * What the key may do. Left out: `admin`, but never more than the key that creates it.
     */
    scopes?: Array<ManagementScope>;
    /**
     * Network ranges that the key may be used from, such as `192.0.2.0/24`. Empty: from anywhere.
     */
    allowed_cidrs?: Array<string>;
    /**
     * When the key stops working, in the future; without it, never.
     */
    expires_at?: string;
    /**
     * The products that the key is limited to; null or left out, all of them.
     */
    product_ids?: Array<ProductId> | null;
};

/**
 * A new management key with its token, which is shown only this once.
 */
export type ApiKeyCreateResponse = {
    /**
     * The new key.
     */
    api_key: ApiKey;
    /**
     * Shown this once; only a keyed hash is stored.
     */
    token: string;
};

/**
 * A page of a list, in `data`.
 */
export type ApiKeyPage = {
    /**
     * What was asked for.
     */
    data: Array<ApiKey>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * Why it is done, and whether it is only asked about; may be left out, and so may the whole body.
 */
export type ActionRequest = {
    /**
     * Why, for whoever reads it later, on one line. It stands in `metadata.reason_given` of the events that the request causes and in their activities, and is erased with the events of the customer that they are about.
     */
    reason?: string;
    /**
     * `true` answers what would happen. Nothing is changed or stored, and an Idempotency-Key is ignored.
     */
    dry_run?: boolean;
};

/**
 * Who asks for a seat, named as in every runtime request, and whose seat it may take when none is free.
 */
export type ActivateLicenseRequest = {
    /**
     * What tells this machine from others; your app computes it. Blanks around it do not count. Needed unless `is_container` is true.
     */
    fingerprint?: string;
    /**
     * The name of the machine, for people.
     */
    hostname?: string;
    /**
     * The operating system, for people.
     */
    os?: string;
    /**
     * Hashes of what the machine is made of, by which activate and checkout know it when its fingerprint has changed.
     */
    components?: DeviceComponents;
    /**
     * Whether it is a virtual machine; a policy may refuse those. `false` by default.
     */
    is_vm?: boolean;
    /**
     * Whether it runs in a container. Then it is told apart by `cluster_id`, `namespace`, `pod_name` and `container_id`, of which at least one is needed.
     */
    is_container?: boolean;
    /**
     * The container, as its runtime names it.
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
     * The version of the app that asks, as its vendor writes it. The answer then says whether it is covered.
     */
    app_version?: string;
    /**
     * The code of the product that asks, or one that it had before: a license of another product is refused, and the answer names the product by this code.
     */
    product_code?: string;
    /**
     * 8 to 128 characters of your choice that stand in the signed answer, so that no old answer can be replayed to you. Also as the header x-nonce.
     */
    nonce?: string;
    /**
     * The id of another device of the license, whose seat this device takes when none is free. Needs `self_service` in the terms, and counts against `max_self_service_resets` if the seat was needed.
     */
    take_seat_of?: string;
};

/**
 * Who did what to which license, when, and with what outcome.
 */
export type Activity = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * When it happened.
     */
    occurred_at: string;
    /**
     * What was done, or what the refused request asked for.
     */
    action: ActivityAction;
    /**
     * Through which door it came.
     */
    source: ActivitySource;
    /**
     * What kind of actor it was.
     */
    actor_type: AuditActorType;
    /**
     * Who acted: the id of the management key, of the license, or the subject of the person; `system` for the service.
     */
    actor_id: string;
    /**
     * How it ended.
     */
    result_class: ActivityResult;
    /**
     * Of the answer; what the service did of itself has none.
     */
    status_code?: number;
    /**
     * The error code of a refusal.
     */
    code?: string;
    /**
     * What kind of resource it is about.
     */
    resource_type?: string;
    /**
     * The id of the resource that it is about.
     */
    resource_id?: string;
    /**
     * The id of the product.
     */
    product_id?: string;
    /**
     * Whose it was at that time.
     */
    customer_id?: string;
    /**
     * The id of the license.
     */
    license_id?: string;
    /**
     * The id of the order that it came from.
     */
    order_id?: string;
    /**
     * The id of the subscription that it belongs to.
     */
    subscription_id?: string;
    /**
     * The id of the device.
     */
    device_id?: string;
    /**
     * The code of the feature.
     */
    feature_code?: string;
    /**
     * What a metered use counted.
     */
    amount?: number;
    /**
     * The id of the request. Quote it when you ask for help.
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
};

/**
 * A kind of event. A refusal has the kind that the request would have caused, or one of license.validated, license.checked, lease.extended, webhook.tested, which leave no event when they succeed.
 */
export type ActivityAction = 'product.created' | 'product.updated' | 'product.deleted' | 'policy.created' | 'policy.updated' | 'policy.deleted' | 'policy.feature_assigned' | 'policy.feature_removed' | 'feature.created' | 'feature.updated' | 'feature.deleted' | 'version.created' | 'version.updated' | 'version.deleted' | 'customer.created' | 'customer.updated' | 'customer.deleted' | 'customer.erased' | 'order.created' | 'order.updated' | 'order.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'custom_field.created' | 'custom_field.updated' | 'custom_field.deleted' | 'license.created' | 'license.updated' | 'license.started' | 'license.activated' | 'license.deactivated' | 'license.suspended' | 'license.reinstated' | 'license.revoked' | 'license.renewed' | 'license.policy_changed' | 'license.transferred' | 'license.key_rotated' | 'license.grace_started' | 'license.expiring' | 'license.expired' | 'license.feature_assigned' | 'license.feature_removed' | 'license.usage_recorded' | 'license.usage_reset' | 'license.quota_reached' | 'license.overage_started' | 'device.reset' | 'device.blacklisted' | 'device.expired' | 'device.components_changed' | 'lease.checked_out' | 'lease.checked_in' | 'lease.expired' | 'offline.issued' | 'offline_file.issued' | 'offline_file.revoked' | 'api_key.created' | 'api_key.revoked' | 'api_key.rotated' | 'publishable_key.created' | 'publishable_key.revoked' | 'signing_key.created' | 'signing_key.retired' | 'signing_key.revoked' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.secret_rotated' | 'webhook.skipped' | 'webhook.delivery_exhausted' | 'report_export.created' | 'report_export.ready' | 'report_export.failed' | 'report_export.downloaded' | 'log.epoch_started' | 'log.dropped' | 'license.validated' | 'license.checked' | 'lease.extended' | 'webhook.tested';

/**
 * A page of a list, in `data`.
 */
export type ActivityPage = {
    /**
     * What was asked for.
     */
    data: Array<Activity>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * `refused`: answered with the error in `code`, and nothing changed. `failed`: the service's own work did not succeed.
 */
export type ActivityResult = 'success' | 'refused' | 'failed';

/**
 * `management`: with a management key. `runtime`: with a license key. `system`: the service itself.
 */
export type ActivitySource = 'management' | 'runtime' | 'system';

/**
 * What is delivered for `api_key.created`.
 */
export type ApiKeyCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'api_key.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'api_key.created';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: ApiKey;
};

/**
 * What is delivered for `api_key.revoked`.
 */
export type ApiKeyRevokedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'api_key.revoked';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'api_key.revoked';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: ApiKey;
};

/**
 * What is delivered for `api_key.rotated`.
 */
export type ApiKeyRotatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'api_key.rotated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'api_key.rotated';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: TokenRotatedEventData;
};

/**
 * Who acted.
 */
export type AuditActorType = 'api_key' | 'license' | 'oidc_subject' | 'system';

/**
 * A custom field value that was taken away.
 */
export type ClearedCustomFieldValue = {
    /**
     * The id of the custom field.
     */
    definition_id: string;
    /**
     * The code of the field.
     */
    code: string;
    /**
     * The value was taken away.
     */
    cleared: true;
};

/**
 * The components of a device, and which of them are others than before.
 */
export type ComponentsChangedEventData = {
    /**
     * The id of the license.
     */
    license_id: string;
    /**
     * The device as it is now.
     */
    device: Device;
    /**
     * Its components as they are now: their hashes, by their names.
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
 * A metered use, by a device that is named as in every runtime request.
 */
export type ConsumeLicenseRequest = {
    /**
     * What tells this machine from others; your app computes it. Blanks around it do not count. Needed unless `is_container` is true.
     */
    fingerprint?: string;
    /**
     * The name of the machine, for people.
     */
    hostname?: string;
    /**
     * The operating system, for people.
     */
    os?: string;
    /**
     * Hashes of what the machine is made of, by which activate and checkout know it when its fingerprint has changed.
     */
    components?: DeviceComponents;
    /**
     * Whether it is a virtual machine; a policy may refuse those. `false` by default.
     */
    is_vm?: boolean;
    /**
     * Whether it runs in a container. Then it is told apart by `cluster_id`, `namespace`, `pod_name` and `container_id`, of which at least one is needed.
     */
    is_container?: boolean;
    /**
     * The container, as its runtime names it.
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
     * The version of the app that asks, as its vendor writes it. The answer then says whether it is covered.
     */
    app_version?: string;
    /**
     * The code of the product that asks, or one that it had before: a license of another product is refused, and the answer names the product by this code.
     */
    product_code?: string;
    /**
     * 8 to 128 characters of your choice that stand in the signed answer, so that no old answer can be replayed to you. Also as the header x-nonce.
     */
    nonce?: string;
    /**
     * The code of the feature that is used.
     */
    feature_code: string;
    /**
     * How much is used up; 1 when left out. More than what is left is refused, and nothing is taken.
     */
    amount?: number;
    /**
     * Your own id of this use. It counts once per license and feature, for ever: repeat it as often as you like.
     */
    event_id: string;
};

/**
 * What is delivered for `custom_field.created`.
 */
export type CustomFieldCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'custom_field.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'custom_field.created';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: CustomFieldDefinition;
};

/**
 * A member that you add to licenses or customers, for people and back offices.
 */
export type CustomFieldDefinition = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * The id of the product.
     */
    product_id: string;
    /**
     * What kind of resource it is about.
     */
    resource_type: CustomFieldResourceType;
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
     */
    code: string;
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * What kind of value the field takes. It never changes.
     */
    value_type: CustomFieldValueType;
    /**
     * Whether a value that was set can be changed and not cleared. `false` by default.
     */
    is_required: boolean;
    /**
     * The values that an enum takes, at most 100 of up to 255 characters; other types have none.
     */
    enum_options: Array<string>;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When it last changed.
     */
    updated_at: string;
};

/**
 * What was asked for, in `data`.
 */
export type CustomFieldDefinitionAnswer = {
    /**
     * What was asked for.
     */
    data: CustomFieldDefinition;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A custom field to define.
 */
export type CustomFieldDefinitionCreateRequest = {
    /**
     * What kind of resource it is about.
     */
    resource_type: CustomFieldResourceType;
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
     */
    code: string;
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * What kind of value the field takes. It never changes.
     */
    value_type: CustomFieldValueType;
    /**
     * Whether a value that was set can be changed and not cleared. `false` by default.
     */
    is_required?: boolean;
    /**
     * The values that an enum takes, at most 100 of up to 255 characters; other types have none.
     */
    enum_options?: Array<string>;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
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
     * What was asked for.
     */
    data: Array<CustomFieldDefinition>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What to change of a custom field. Members left out stay as they are.
 */
export type CustomFieldDefinitionUpdateRequest = {
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
     */
    code?: string;
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name?: string;
    /**
     * Whether a value that was set can be changed and not cleared. `false` by default.
     */
    is_required?: boolean;
    /**
     * The values that an enum takes, at most 100 of up to 255 characters; other types have none.
     */
    enum_options?: Array<string>;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * What is delivered for `custom_field.deleted`.
 */
export type CustomFieldDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'custom_field.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'custom_field.deleted';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: CustomFieldDefinition;
};

/**
 * What a custom field belongs to.
 */
export type CustomFieldResourceType = 'license' | 'customer';

/**
 * What is delivered for `custom_field.updated`.
 */
export type CustomFieldUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'custom_field.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'custom_field.updated';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: CustomFieldDefinition;
};

/**
 * What one license or customer has in a custom field, in the one member that its type names.
 */
export type CustomFieldValue = {
    /**
     * The id of the custom field.
     */
    definition_id: string;
    /**
     * The id of the product.
     */
    product_id: string;
    /**
     * What kind of resource it is about.
     */
    resource_type: CustomFieldResourceType;
    /**
     * The code of the field.
     */
    code: string;
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * What kind of value the field takes. It never changes.
     */
    value_type: CustomFieldValueType;
    /**
     * Whether a value that was set can be changed and not cleared. `false` by default.
     */
    is_required: boolean;
    /**
     * The values that an enum takes, at most 100 of up to 255 characters; other types have none.
     */
    enum_options: Array<string>;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * The id of the resource that it is about.
     */
    resource_id: string;
    /**
     * The value, if the field is a text; at most 4,096 characters.
     */
    string_value?: string;
    /**
     * The value, if the field is an integer.
     */
    integer_value?: number;
    /**
     * The value, if the field is a boolean.
     */
    boolean_value?: boolean;
    /**
     * The value, if the field is a date and time.
     */
    datetime_value?: string;
    /**
     * The value, if the field is an enum: one of its options.
     */
    enum_value?: string;
    /**
     * When it last changed.
     */
    updated_at: string;
};

/**
 * What was asked for, in `data`.
 */
export type CustomFieldValueAnswer = {
    /**
     * What was asked for.
     */
    data: CustomFieldValue;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A page of a list, in `data`.
 */
export type CustomFieldValuePage = {
    /**
     * What was asked for.
     */
    data: Array<CustomFieldValue>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What kind of value a custom field takes.
 */
export type CustomFieldValueType = 'string' | 'integer' | 'boolean' | 'datetime' | 'enum';

/**
 * Exactly one of the value members, which is the one that the field's `value_type` names, or `clear: true`.
 */
export type CustomFieldValueUpsertRequest = {
    /**
     * `true` takes the value away. It excludes the value members, and is refused on a required field.
     */
    clear?: boolean;
    /**
     * The value, if the field is a text; at most 4,096 characters.
     */
    string_value?: string;
    /**
     * The value, if the field is an integer.
     */
    integer_value?: number;
    /**
     * The value, if the field is a boolean.
     */
    boolean_value?: boolean;
    /**
     * The value, if the field is a date and time.
     */
    datetime_value?: string;
    /**
     * The value, if the field is an enum: one of its options.
     */
    enum_value?: string;
};

/**
 * Who you sell to.
 */
export type Customer = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
     */
    code: string;
    /**
     * The e-mail address, at most 320 characters.
     */
    email?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When it last changed.
     */
    updated_at: string;
};

/**
 * What was asked for, in `data`.
 */
export type CustomerAnswer = {
    /**
     * What was asked for.
     */
    data: Customer;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A customer to create.
 */
export type CustomerCreateRequest = {
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
     */
    code: string;
    /**
     * The e-mail address, at most 320 characters.
     */
    email?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * What is delivered for `customer.created`.
 */
export type CustomerCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'customer.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'customer.created';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: CustomerEventData;
};

/**
 * What is delivered for `customer.deleted`.
 */
export type CustomerDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'customer.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'customer.deleted';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: CustomerEventData;
};

/**
 * What is delivered for `customer.erased`.
 */
export type CustomerErasedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'customer.erased';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'customer.erased';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: CustomerEventData;
};

/**
 * What an erasure left, and how much it took.
 */
export type CustomerErasure = {
    /**
     * The customer.
     */
    customer: Customer;
    /**
     * Events that lost their personal values; their hashes, and every proof of them, stay as they are.
     */
    events: number;
    /**
     * Frozen exports that held the customer's name or address and so expired; their digests are left.
     */
    exports: number;
};

/**
 * What was asked for, in `data`.
 */
export type CustomerErasureAnswer = {
    /**
     * What was asked for.
     */
    data: CustomerErasure;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * The customer as the event left it; personal values that were erased since are absent.
 */
export type CustomerEventData = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name?: string;
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
     */
    code: string;
    /**
     * The e-mail address, at most 320 characters.
     */
    email?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When it last changed.
     */
    updated_at: string;
    /**
     * The custom field value that was set or cleared, when that is what changed.
     */
    custom_field?: CustomFieldValue | ClearedCustomFieldValue;
};

/**
 * A page of a list, in `data`.
 */
export type CustomerPage = {
    /**
     * What was asked for.
     */
    data: Array<Customer>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What a customer has and used.
 */
export type CustomerSummaryReport = {
    /**
     * Changes when a reader of the report would have to change.
     */
    schema: 'countersign/report/customer-summary/v1';
    /**
     * Which report it is.
     */
    report_kind: 'customer-summary';
    /**
     * The filters as they were applied, with what was left out filled in.
     */
    filters: {
        /**
         * The id of the customer that it belongs to.
         */
        customer_id: string;
        /**
         * Where the window starts; the instant itself belongs to it.
         */
        from: string;
        /**
         * Where the window ends; the instant itself does not belong to it.
         */
        to: string;
        /**
         * The products that the report tells of: those that the management key is limited to.
         */
        product_ids?: Array<string>;
    };
    /**
     * The report in a few figures.
     */
    summary: {
        /**
         * The customer.
         */
        customer: {
            /**
             * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
             */
            id: string;
            /**
             * A name for people, 1 to 255 characters, of which at least one can be seen.
             */
            name: string;
            /**
             * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
             */
            code: string;
            /**
             * The e-mail address, at most 320 characters.
             */
            email?: string;
            /**
             * When it came into being.
             */
            created_at: string;
        };
        /**
         * How many licenses there are.
         */
        licenses: number;
        /**
         * How many licenses have which status.
         */
        license_statuses: Array<{
            /**
             * How it stands.
             */
            status: LicenseStatus;
            /**
             * How many.
             */
            count: number;
        }>;
        /**
         * How many devices hold a seat on the customer's licenses now.
         */
        active_devices: number;
        /**
         * How many orders there are.
         */
        orders: number;
        /**
         * How many subscriptions there are.
         */
        subscriptions: number;
        /**
         * How many times it was used.
         */
        uses: number;
        /**
         * How much was used, summed up.
         */
        amount: number;
        /**
         * How much of the amount lies over quotas; absent where none does.
         */
        overage?: number;
        /**
         * The first use.
         */
        first_at?: string;
        /**
         * The last use.
         */
        last_at?: string;
    };
    /**
     * The rows, or how many there are.
     */
    rows: Array<{
        /**
         * The id of the license.
         */
        license_id: string;
        /**
         * What tells the license key from others, not the key.
         */
        key: string;
        /**
         * The id of the product.
         */
        product_id: string;
        /**
         * The name of the product.
         */
        product_name: string;
        /**
         * How it stands.
         */
        status: LicenseStatus;
        /**
         * `former`: the customer used the license in the window and it is another's now.
         */
        ownership: 'current' | 'former';
        /**
         * When it ends; without it, never.
         */
        expires_at?: string;
        /**
         * How many devices hold a seat now.
         */
        active_device_count: number;
        /**
         * How many times it was used.
         */
        uses: number;
        /**
         * How much was used, summed up.
         */
        amount: number;
        /**
         * How much of the amount lies over quotas; absent where none does.
         */
        overage?: number;
        /**
         * The first use.
         */
        first_at?: string;
        /**
         * The last use.
         */
        last_at?: string;
    }>;
    /**
     * How many rows there are; an export has them all.
     */
    total_rows: number;
    /**
     * Whether there are more rows than these.
     */
    truncated: boolean;
};

/**
 * What was asked for, in `data`.
 */
export type CustomerSummaryReportAnswer = {
    /**
     * What was asked for.
     */
    data: CustomerSummaryReport;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What to change of a customer. Members left out stay as they are.
 */
export type CustomerUpdateRequest = {
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name?: string;
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
     */
    code?: string;
    /**
     * The e-mail address; the empty string clears it.
     */
    email?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * What is delivered for `customer.updated`.
 */
export type CustomerUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'customer.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'customer.updated';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: CustomerEventData;
};

/**
 * A signed answer: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type DeactivationAnswer = {
    /**
     * What was asked for.
     */
    data: DeactivationResponseData;
    /**
     * The signature over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What was left when the device gave its seat back.
 */
export type DeactivationResponseData = {
    /**
     * The id of the license.
     */
    license_id: string;
    /**
     * How it stands.
     */
    status: string;
    /**
     * What is sold: for ever, for a time, by subscription, to try, or by use.
     */
    license_type: LicenseType;
    /**
     * Grows with every change of what the license grants.
     */
    entitlement_version: number;
    /**
     * The id of the product.
     */
    product_id: string;
    /**
     * The code of the product. In an answer it is the one that the request named, also if the product has another by now.
     */
    product_code: string;
    /**
     * The code of the policy.
     */
    policy_code: string;
    /**
     * The id of the device.
     */
    device_id: string;
    /**
     * The SHA-256 of the device's binding key, in hex: compare it with your own.
     */
    fingerprint_hash: string;
    /**
     * When this was signed.
     */
    issued_at: string;
    /**
     * Until when the answer may be relied on without asking again.
     */
    valid_until: string;
    /**
     * When it ends; without it, never.
     */
    expires_at?: string;
    /**
     * 8 to 128 characters of your choice that stand in the signed answer, so that no old answer can be replayed to you. Also as the header x-nonce.
     */
    nonce?: string;
};

/**
 * The term that decided, and where it comes from.
 */
export type DecidingTerm = {
    /**
     * The rule of the terms, or the member of the license, device or feature, that decided.
     */
    name: string;
    /**
     * What it says; absent where nothing is said.
     */
    value?: string | number | boolean;
    /**
     * How much of a quota was added with `add_credits`, whoever it comes from.
     */
    credits?: number;
    /**
     * Where it comes from.
     */
    from: 'policy' | 'override' | 'license' | 'subscription' | 'device' | 'lease';
};

/**
 * A delivery was given up after its last attempt.
 */
export type DeliveryExhaustedEventData = {
    /**
     * The id of the endpoint.
     */
    webhook_id: string;
    /**
     * The id of the event.
     */
    event_id: string;
    /**
     * What happened.
     */
    event_type: EventKind;
    /**
     * The position of the event in the feed.
     */
    event_sequence: number;
    /**
     * How often the delivery was tried.
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
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * The id of the license.
     */
    license_id: string;
    /**
     * What the binding names: a machine or a container.
     */
    binding_kind: DeviceBindingKind;
    /**
     * What tells this device from the others of the license.
     */
    binding_key: string;
    /**
     * What the machine was told from others by.
     */
    fingerprint?: string;
    /**
     * The name of the machine, for people.
     */
    hostname?: string;
    /**
     * The operating system, for people.
     */
    os?: string;
    /**
     * The network address that the request came from.
     */
    ip_address?: string;
    /**
     * Whether it is a virtual machine; a policy may refuse those. `false` by default.
     */
    is_vm: boolean;
    /**
     * Whether it runs in a container.
     */
    is_container: boolean;
    /**
     * The container, as its runtime names it.
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
     * How it stands.
     */
    status: DeviceStatus;
    /**
     * When the device was first seen.
     */
    first_seen_at: string;
    /**
     * When the device last asked anything.
     */
    last_seen_at: string;
    /**
     * When the device last validated.
     */
    last_validated_at?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When it last changed.
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
};

/**
 * What was asked for, in `data`.
 */
export type DeviceAnswer = {
    /**
     * What was asked for.
     */
    data: Device;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What a binding names: a machine, or a container.
 */
export type DeviceBindingKind = 'hardware' | 'container';

/**
 * What is delivered for `device.blacklisted`.
 */
export type DeviceBlacklistedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'device.blacklisted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'device.blacklisted';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
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
 * What is delivered for `device.components_changed`.
 */
export type DeviceComponentsChangedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'device.components_changed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'device.components_changed';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: ComponentsChangedEventData;
};

/**
 * What is delivered for `device.expired`.
 */
export type DeviceExpiredDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'device.expired';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'device.expired';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Device;
};

/**
 * A page of a list, in `data`.
 */
export type DevicePage = {
    /**
     * What was asked for.
     */
    data: Array<Device>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What is delivered for `device.reset`.
 */
export type DeviceResetDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'device.reset';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'device.reset';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Device;
};

/**
 * `active` holds a seat. `deactivated` gave it back, `reset` was freed by an operator or by the holder of the key, `expired` lost it for being idle; all may come back. `blacklisted` may not.
 */
export type DeviceStatus = 'active' | 'deactivated' | 'blacklisted' | 'reset' | 'expired';

/**
 * A key that verifies, as the keys sign it.
 */
export type EndorsedKey = {
    /**
     * The id of the signing key.
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
     * When it came into being.
     */
    created_at: string;
};

/**
 * What the keys sign of their list.
 */
export type EndorsedKeyList = {
    /**
     * Tells it from everything else that is signed.
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
     * The id of the signing key.
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
     * When it came into being.
     */
    created_at: string;
    /**
     * When it was revoked.
     */
    revoked_at: string;
};

/**
 * A signed answer: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type EntitlementAnswer = {
    /**
     * What was asked for.
     */
    data: RuntimeEntitlementResponseData;
    /**
     * The signature over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * The log goes on after a restore.
 */
export type EpochStartedEventData = {
    /**
     * The epoch of the log: 1 until it was restored to an earlier state.
     */
    epoch: number;
    /**
     * The first line of its checkpoints.
     */
    origin: string;
    /**
     * Of its first event, which says that it began.
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
     * The `hash` of that event; zeros when there is none.
     */
    restored_hash: string;
    /**
     * Why.
     */
    reason: string;
    /**
     * What a witness knew of the log.
     */
    witness?: LogWitnessed;
};

/**
 * Error code, for programs. The meaning of a code never changes; new codes may be added.
 */
export type ErrorCode = 'INVALID_JSON' | 'UNKNOWN_FIELD' | 'INVALID_QUERY' | 'INVALID_CURSOR' | 'INVALID_HEADER' | 'IDEMPOTENCY_KEY_REQUIRED' | 'UNAUTHENTICATED' | 'TOKEN_EXPIRED' | 'TOKEN_REVOKED' | 'TOKEN_IP_DENIED' | 'LICENSE_KEY_INVALID' | 'TOKEN_SCOPE_DENIED' | 'TOKEN_PRODUCT_DENIED' | 'LICENSE_INACTIVE' | 'LICENSE_EXPIRED' | 'DEVICE_BLACKLISTED' | 'ACTIVATION_LIMIT_EXCEEDED' | 'FLOATING_LIMIT_EXCEEDED' | 'FEATURE_NOT_ENTITLED' | 'FEATURE_QUOTA_EXCEEDED' | 'TRIAL_USED' | 'VM_NOT_ALLOWED' | 'CONTAINER_NOT_ALLOWED' | 'OFFLINE_NOT_ALLOWED' | 'SELF_SERVICE_NOT_ALLOWED' | 'SELF_SERVICE_LIMIT_EXCEEDED' | 'PRODUCT_MISMATCH' | 'NOT_FOUND' | 'ROUTE_NOT_FOUND' | 'DEVICE_NOT_ACTIVATED' | 'LEASE_NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'STATE_CONFLICT' | 'IN_USE' | 'CURSOR_AHEAD' | 'CURSOR_BEHIND' | 'IDEMPOTENCY_CONFLICT' | 'IDEMPOTENCY_IN_FLIGHT' | 'LEASE_EXPIRED' | 'REQUEST_TIMEOUT' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'RANGE_NOT_SATISFIABLE' | 'VALIDATION_ERROR' | 'HEADERS_TOO_LARGE' | 'RATE_LIMITED' | 'INTERNAL' | 'UNAVAILABLE';

/**
 * Every failure of every operation.
 */
export type ErrorEnvelope = {
    /**
     * What went wrong.
     */
    error: ErrorObject;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * The error.
 */
export type ErrorObject = {
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
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
     * Every member of the request that is wrong, at most 20.
     */
    fields?: Array<FieldFinding>;
    /**
     * Where the code is explained.
     */
    doc_url: string;
};

/**
 * A record of the audit-backed feed.
 */
export type Event = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * The position in the feed: 1, 2, 3, ... without gaps.
     */
    sequence: number;
    /**
     * What happened.
     */
    event_type: EventKind;
    /**
     * What kind of actor it was.
     */
    actor_type: AuditActorType;
    /**
     * Who acted: the id of the management key, of the license, or the subject of the person; `system` for the service.
     */
    actor_id: string;
    /**
     * What kind of resource it is about.
     */
    resource_type: string;
    /**
     * The id of the resource that it is about.
     */
    resource_id?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
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
     * The id of the request. Quote it when you ask for help.
     */
    request_id?: string;
    /**
     * The network address that the request came from.
     */
    ip_address?: string;
    /**
     * When it came into being.
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
     * The `hash` of the event before; 64 zeros for the first.
     */
    previous_hash: string;
    /**
     * SHA-256 of `previous_hash` and the event's leaf hash, 64 hexadecimal digits.
     */
    hash: string;
};

/**
 * The root of the tree over the first events, signed.
 */
export type EventCheckpoint = {
    /**
     * Which log this is: the first line of the note, fixed for ever.
     */
    origin: string;
    /**
     * It covers the events with sequence 1 to this.
     */
    tree_size: number;
    /**
     * 64 hexadecimal digits.
     */
    root_hash: string;
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * The signing key.
     */
    kid: string;
    /**
     * The signed note (C2SP signed-note and tlog-checkpoint) that transparency-log tools read.
     */
    note: string;
};

/**
 * What was asked for, in `data`.
 */
export type EventCheckpointAnswer = {
    /**
     * What was asked for.
     */
    data: EventCheckpoint;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * That the log of one size begins the log of another (RFC 6962).
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
 * What was asked for, in `data`.
 */
export type EventConsistencyProofAnswer = {
    /**
     * What was asked for.
     */
    data: EventConsistencyProof;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * That an event is in the log (RFC 6962).
 */
export type EventInclusionProof = {
    /**
     * The id of the event.
     */
    event_id: string;
    /**
     * The position in the feed: 1, 2, 3, ... without gaps.
     */
    sequence: number;
    /**
     * `sequence` - 1: leaves are counted from 0.
     */
    leaf_index: number;
    /**
     * 64 hexadecimal digits.
     */
    leaf_hash: string;
    /**
     * How many events the tree covers.
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
};

/**
 * What was asked for, in `data`.
 */
export type EventInclusionProofAnswer = {
    /**
     * What was asked for.
     */
    data: EventInclusionProof;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What happened: `<family>.<past participle>`.
 */
export type EventKind = 'product.created' | 'product.updated' | 'product.deleted' | 'policy.created' | 'policy.updated' | 'policy.deleted' | 'policy.feature_assigned' | 'policy.feature_removed' | 'feature.created' | 'feature.updated' | 'feature.deleted' | 'version.created' | 'version.updated' | 'version.deleted' | 'customer.created' | 'customer.updated' | 'customer.deleted' | 'customer.erased' | 'order.created' | 'order.updated' | 'order.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'custom_field.created' | 'custom_field.updated' | 'custom_field.deleted' | 'license.created' | 'license.updated' | 'license.started' | 'license.activated' | 'license.deactivated' | 'license.suspended' | 'license.reinstated' | 'license.revoked' | 'license.renewed' | 'license.policy_changed' | 'license.transferred' | 'license.key_rotated' | 'license.grace_started' | 'license.expiring' | 'license.expired' | 'license.feature_assigned' | 'license.feature_removed' | 'license.usage_recorded' | 'license.usage_reset' | 'license.quota_reached' | 'license.overage_started' | 'device.reset' | 'device.blacklisted' | 'device.expired' | 'device.components_changed' | 'lease.checked_out' | 'lease.checked_in' | 'lease.expired' | 'offline.issued' | 'offline_file.issued' | 'offline_file.revoked' | 'api_key.created' | 'api_key.revoked' | 'api_key.rotated' | 'publishable_key.created' | 'publishable_key.revoked' | 'signing_key.created' | 'signing_key.retired' | 'signing_key.revoked' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.secret_rotated' | 'webhook.skipped' | 'webhook.delivery_exhausted' | 'report_export.created' | 'report_export.ready' | 'report_export.failed' | 'report_export.downloaded' | 'log.epoch_started' | 'log.dropped';

/**
 * A page of a list, in `data`.
 */
export type EventPage = {
    /**
     * What was asked for.
     */
    data: Array<Event>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * An event kind, or a whole family such as `license.*`.
 */
export type EventSubscription = 'product.*' | 'policy.*' | 'feature.*' | 'version.*' | 'customer.*' | 'order.*' | 'subscription.*' | 'custom_field.*' | 'license.*' | 'device.*' | 'lease.*' | 'offline.*' | 'offline_file.*' | 'api_key.*' | 'publishable_key.*' | 'signing_key.*' | 'webhook.*' | 'report_export.*' | 'log.*' | 'product.created' | 'product.updated' | 'product.deleted' | 'policy.created' | 'policy.updated' | 'policy.deleted' | 'policy.feature_assigned' | 'policy.feature_removed' | 'feature.created' | 'feature.updated' | 'feature.deleted' | 'version.created' | 'version.updated' | 'version.deleted' | 'customer.created' | 'customer.updated' | 'customer.deleted' | 'customer.erased' | 'order.created' | 'order.updated' | 'order.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'custom_field.created' | 'custom_field.updated' | 'custom_field.deleted' | 'license.created' | 'license.updated' | 'license.started' | 'license.activated' | 'license.deactivated' | 'license.suspended' | 'license.reinstated' | 'license.revoked' | 'license.renewed' | 'license.policy_changed' | 'license.transferred' | 'license.key_rotated' | 'license.grace_started' | 'license.expiring' | 'license.expired' | 'license.feature_assigned' | 'license.feature_removed' | 'license.usage_recorded' | 'license.usage_reset' | 'license.quota_reached' | 'license.overage_started' | 'device.reset' | 'device.blacklisted' | 'device.expired' | 'device.components_changed' | 'lease.checked_out' | 'lease.checked_in' | 'lease.expired' | 'offline.issued' | 'offline_file.issued' | 'offline_file.revoked' | 'api_key.created' | 'api_key.revoked' | 'api_key.rotated' | 'publishable_key.created' | 'publishable_key.revoked' | 'signing_key.created' | 'signing_key.retired' | 'signing_key.revoked' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.secret_rotated' | 'webhook.skipped' | 'webhook.delivery_exhausted' | 'report_export.created' | 'report_export.ready' | 'report_export.failed' | 'report_export.downloaded' | 'log.epoch_started' | 'log.dropped';

/**
 * Something that a license can grant, such as a module or a quota.
 */
export type Feature = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * The id of the product.
     */
    product_id: string;
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
     */
    code: string;
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Since when the feature is archived; absent while it is not.
     */
    archived_at?: string;
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When it last changed.
     */
    updated_at: string;
};

/**
 * What was asked for, in `data`.
 */
export type FeatureAnswer = {
    /**
     * What was asked for.
     */
    data: Feature;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A feature to create.
 */
export type FeatureCreateRequest = {
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
     */
    code: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * What is delivered for `feature.created`.
 */
export type FeatureCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'feature.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'feature.created';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Feature;
};

/**
 * What is delivered for `feature.deleted`.
 */
export type FeatureDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'feature.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'feature.deleted';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Feature;
};

/**
 * A feature of the license, before and after the change.
 */
export type FeatureDifference = {
    /**
     * That it is a feature.
     */
    kind: 'feature';
    /**
     * The id of the feature.
     */
    feature_id: string;
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * Whether the license may use the feature now and could not before (`gained`), could and may not any more (`lost`), or has another quota of it (`changed`).
     */
    change: 'gained' | 'lost' | 'changed';
    /**
     * How the license had the feature; absent where it had it not.
     */
    before?: FeatureTerms;
    /**
     * How the license has the feature now; absent where it has it no more.
     */
    after?: FeatureTerms;
};

/**
 * What a license grants of a feature.
 */
export type FeatureEntitlement = {
    /**
     * The code of the feature.
     */
    code: string;
    /**
     * Whether the license may use the feature. `true` when left out of an assignment.
     */
    enabled: boolean;
    /**
     * How much may be used in all; without it the use is not limited.
     */
    quota?: number;
    /**
     * How much of the quota is used up.
     */
    consumed?: number;
    /**
     * How much of the quota is left.
     */
    remaining?: number;
    /**
     * How far what is consumed lies over the quota.
     */
    over?: number;
    /**
     * When the quota starts again.
     */
    period?: QuotaPeriod;
    /**
     * When the quota starts again next; `consumed` and `remaining` are of the period until then.
     */
    period_ends_at?: string;
};

/**
 * A page of a list, in `data`.
 */
export type FeaturePage = {
    /**
     * What was asked for.
     */
    data: Array<Feature>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A feature as the license has it, and its quota.
 */
export type FeatureTerms = {
    /**
     * Whether the license may use the feature. `true` when left out of an assignment.
     */
    enabled: boolean;
    /**
     * The quota; without it the use is counted and not limited.
     */
    max_consumptions?: number;
    /**
     * When a quota starts again, in UTC: with the day, the week (from Monday), the month or the year of the calendar, with each month of the license from its start, or with each period of its subscription.
     */
    period?: QuotaPeriod;
    /**
     * How far the license is over its limit, where its terms serve beyond it.
     */
    overage?: string;
};

/**
 * What to change of a feature. Members left out stay as they are.
 */
export type FeatureUpdateRequest = {
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name?: string;
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
     */
    code?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * `true` archives the feature: nobody can be given it any more. `false` brings it back.
     */
    is_archived?: boolean;
};

/**
 * What is delivered for `feature.updated`.
 */
export type FeatureUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'feature.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'feature.updated';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Feature;
};

/**
 * What is wrong with one member of a request.
 */
export type FieldFinding = {
    /**
     * Which member: names and indexes joined with dots, for example `licenses.3.expires_at`.
     */
    path: string;
    /**
     * What is wrong with the member, for programs.
     */
    code: string;
    /**
     * What it is about, for people. The wording may change.
     */
    message: string;
};

/**
 * A rule that is in force, and where it comes from.
 */
export type FlagTerm = {
    /**
     * The value.
     */
    value: boolean;
    /**
     * Where the window starts; the instant itself belongs to it.
     */
    from: TermSource;
};

/**
 * A signed answer: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type FloatingCheckoutAnswer = {
    /**
     * What was asked for.
     */
    data: FloatingCheckoutResponseData;
    /**
     * The signature over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * Who asks for a floating seat: the device, and which of its processes.
 */
export type FloatingCheckoutRequest = {
    /**
     * What tells this machine from others; your app computes it. Blanks around it do not count. Needed unless `is_container` is true.
     */
    fingerprint?: string;
    /**
     * The name of the machine, for people.
     */
    hostname?: string;
    /**
     * The operating system, for people.
     */
    os?: string;
    /**
     * Hashes of what the machine is made of, by which activate and checkout know it when its fingerprint has changed.
     */
    components?: DeviceComponents;
    /**
     * Whether it is a virtual machine; a policy may refuse those. `false` by default.
     */
    is_vm?: boolean;
    /**
     * Whether it runs in a container. Then it is told apart by `cluster_id`, `namespace`, `pod_name` and `container_id`, of which at least one is needed.
     */
    is_container?: boolean;
    /**
     * The container, as its runtime names it.
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
     * The version of the app that asks, as its vendor writes it. The answer then says whether it is covered.
     */
    app_version?: string;
    /**
     * The code of the product that asks, or one that it had before: a license of another product is refused, and the answer names the product by this code.
     */
    product_code?: string;
    /**
     * 8 to 128 characters of your choice that stand in the signed answer, so that no old answer can be replayed to you. Also as the header x-nonce.
     */
    nonce?: string;
    /**
     * What this process is called among those of the device, such as a random id that it made at its start. Where the terms give each process a seat (`lease_unit`), the seat is of the process with this name; otherwise it changes nothing.
     */
    process_id?: string;
};

/**
 * A floating seat that was taken, and what it entitles to.
 */
export type FloatingCheckoutResponseData = {
    /**
     * The id of the license.
     */
    license_id: string;
    /**
     * How it stands.
     */
    status: string;
    /**
     * What is sold: for ever, for a time, by subscription, to try, or by use.
     */
    license_type: LicenseType;
    /**
     * Grows with every change of what the license grants.
     */
    entitlement_version: number;
    /**
     * The id of the product.
     */
    product_id: string;
    /**
     * The code of the product. In an answer it is the one that the request named, also if the product has another by now.
     */
    product_code: string;
    /**
     * The code of the policy.
     */
    policy_code: string;
    /**
     * The id of the device.
     */
    device_id: string;
    /**
     * The SHA-256 of the device's binding key, in hex: compare it with your own.
     */
    fingerprint_hash: string;
    /**
     * When this was signed.
     */
    issued_at: string;
    /**
     * Until when the answer may be relied on without asking again.
     */
    valid_until: string;
    /**
     * When it ends; without it, never.
     */
    expires_at?: string;
    /**
     * 8 to 128 characters of your choice that stand in the signed answer, so that no old answer can be replayed to you. Also as the header x-nonce.
     */
    nonce?: string;
    /**
     * What the seat is kept and given back with. Each heartbeat answers a new one; use the newest.
     */
    lease_token: string;
    /**
     * When the seat becomes free without a heartbeat.
     */
    lease_expires_at: string;
    /**
     * `process` where each process of a device takes a seat of its own; absent where the device takes one.
     */
    lease_unit?: LeaseUnit;
    /**
     * What the license grants, feature by feature.
     */
    features: Array<FeatureEntitlement>;
    /**
     * Whether the license covers the version that asks. Only in answers to requests with `app_version`.
     */
    version_eligibility?: VersionEligibility;
    /**
     * How far the license is over its limit, where its terms serve beyond it.
     */
    overage?: Overage;
};

/**
 * A signed answer: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type FloatingEntitlementAnswer = {
    /**
     * What was asked for.
     */
    data: FloatingLeaseResponseData;
    /**
     * The signature over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A floating seat, as management sees it.
 */
export type FloatingLease = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * The id of the license.
     */
    license_id: string;
    /**
     * The id of the device.
     */
    device_id: string;
    /**
     * The product that the seat was taken for, where it is a further one of the license.
     */
    product_id?: string;
    /**
     * The process that holds the seat, where each process has one and it gave its name.
     */
    process_id?: string;
    /**
     * How it stands.
     */
    status: LeaseStatus;
    /**
     * When the seat was taken.
     */
    checked_out_at: string;
    /**
     * When the holder last said that it is there.
     */
    last_heartbeat_at?: string;
    /**
     * When the seat becomes free without a heartbeat.
     */
    expires_at: string;
    /**
     * When the seat became free; absent while it is held.
     */
    ended_at?: string;
};

/**
 * What was asked for, in `data`.
 */
export type FloatingLeaseAnswer = {
    /**
     * What was asked for.
     */
    data: FloatingLease;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * The floating seat as the event left it.
 */
export type FloatingLeaseEventData = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * The id of the license.
     */
    license_id: string;
    /**
     * The id of the device.
     */
    device_id: string;
    /**
     * The product that the seat was taken for, where it is a further one of the license.
     */
    product_id?: string;
    /**
     * The process that holds the seat, where each process has one and it gave its name.
     */
    process_id?: string;
    /**
     * How it stands.
     */
    status: LeaseStatus;
    /**
     * When the seat was taken.
     */
    checked_out_at: string;
    /**
     * When the holder last said that it is there.
     */
    last_heartbeat_at?: string;
    /**
     * When it ends; without it, never.
     */
    expires_at: string;
    /**
     * When the seat became free; absent while it is held.
     */
    ended_at?: string;
    /**
     * The device.
     */
    device?: Device;
};

/**
 * A page of a list, in `data`.
 */
export type FloatingLeasePage = {
    /**
     * What was asked for.
     */
    data: Array<FloatingLease>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A floating seat, named by its newest token.
 */
export type FloatingLeaseRequest = {
    /**
     * What the seat is kept and given back with. Each heartbeat answers a new one; use the newest.
     */
    lease_token: string;
    /**
     * 8 to 128 characters of your choice that stand in the signed answer, so that no old answer can be replayed to you. Also as the header x-nonce.
     */
    nonce?: string;
};

/**
 * A floating seat as a heartbeat or a checkin left it.
 */
export type FloatingLeaseResponseData = {
    /**
     * The id of the license.
     */
    license_id: string;
    /**
     * How it stands.
     */
    status: string;
    /**
     * What is sold: for ever, for a time, by subscription, to try, or by use.
     */
    license_type: LicenseType;
    /**
     * Grows with every change of what the license grants.
     */
    entitlement_version: number;
    /**
     * The id of the product.
     */
    product_id: string;
    /**
     * The code of the product. In an answer it is the one that the request named, also if the product has another by now.
     */
    product_code: string;
    /**
     * The code of the policy.
     */
    policy_code: string;
    /**
     * The id of the device.
     */
    device_id: string;
    /**
     * The SHA-256 of the device's binding key, in hex: compare it with your own.
     */
    fingerprint_hash: string;
    /**
     * When this was signed.
     */
    issued_at: string;
    /**
     * Until when the answer may be relied on without asking again.
     */
    valid_until: string;
    /**
     * When it ends; without it, never.
     */
    expires_at?: string;
    /**
     * 8 to 128 characters of your choice that stand in the signed answer, so that no old answer can be replayed to you. Also as the header x-nonce.
     */
    nonce?: string;
    /**
     * What the seat is kept and given back with. Each heartbeat answers a new one; use the newest.
     */
    lease_token?: string;
    /**
     * When the seat becomes free without a heartbeat.
     */
    lease_expires_at: string;
    /**
     * `process` where each process of a device takes a seat of its own; absent where the device takes one.
     */
    lease_unit?: LeaseUnit;
    /**
     * What the license grants, feature by feature.
     */
    features?: Array<FeatureEntitlement>;
    /**
     * Whether the license covers the version that asks. Only in answers to requests with `app_version`.
     */
    version_eligibility?: VersionEligibility;
};

/**
 * When apps last asked by a former code.
 */
export type FormerCodeUse = {
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
     */
    code: string;
    /**
     * When the product got another code.
     */
    since: string;
    /**
     * When an app last asked by the code, to about a minute. Absent where none has since.
     */
    last_asked_at?: string;
};

/**
 * What was asked for, in `data`.
 */
export type HealthAnswer = {
    /**
     * What was asked for.
     */
    data: HealthData;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * The process answers.
 */
export type HealthData = {
    /**
     * Always `ok`: the process answers.
     */
    status: 'ok';
};

/**
 * The keys that verify runtime answers, as a JSON Web Key Set (RFC 7517, RFC 8037).
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
         * What the key is for.
         */
        use: 'sig';
        /**
         * The algorithm, always the same.
         */
        alg: 'EdDSA';
        /**
         * The id of the signing key.
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
     * What was asked for.
     */
    data: EndorsedKeyList;
    /**
     * One of each key of which the service has the private half, the retired and revoked ones too.
     */
    signatures: Array<Signature>;
};

/**
 * What is delivered for `lease.checked_in`.
 */
export type LeaseCheckedInDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'lease.checked_in';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'lease.checked_in';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: FloatingLeaseEventData;
};

/**
 * What is delivered for `lease.checked_out`.
 */
export type LeaseCheckedOutDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'lease.checked_out';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'lease.checked_out';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: FloatingLeaseEventData;
};

/**
 * What is delivered for `lease.expired`.
 */
export type LeaseExpiredDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'lease.expired';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'lease.expired';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: FloatingLeaseEventData;
};

/**
 * `active` holds a seat. The others say what ended it; `released` is by an operator.
 */
export type LeaseStatus = 'active' | 'checked_in' | 'released' | 'expired' | 'deactivated' | 'reset' | 'blacklisted' | 'transferred' | 'revoked';

/**
 * What takes one floating seat: a device, or each process on it.
 */
export type LeaseUnit = 'device' | 'process';

/**
 * The right of a customer to use a product under a policy.
 */
export type License = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * The id of the product.
     */
    product_id: string;
    /**
     * Further products that the license carries under its key, beside `product_id`.
     */
    product_ids?: Array<string>;
    /**
     * The id of the policy, which has the rules.
     */
    policy_id: string;
    /**
     * The id of the customer that it belongs to.
     */
    customer_id?: string;
    /**
     * The id of the order that it came from.
     */
    order_id?: string;
    /**
     * The id of the subscription that it belongs to.
     */
    subscription_id?: string;
    /**
     * How the license stands at this moment, on the service's clock.
     */
    status: LicenseStatus;
    /**
     * The beginning of the license key, at most eight characters; empty for a key of 12 or fewer.
     */
    license_key_prefix: string;
    /**
     * The last four characters of the license key.
     */
    license_key_last4: string;
    /**
     * The e-mail address of the owner, for people; at most 320 characters.
     */
    customer_email?: string;
    /**
     * The name of the owner, for people; at most 255 characters.
     */
    customer_name?: string;
    /**
     * How many devices hold a seat now.
     */
    active_device_count: number;
    /**
     * How often a device took a seat, over all time.
     */
    times_activated: number;
    /**
     * How often the license was handed to another owner.
     */
    times_transferred: number;
    /**
     * How much was used in all.
     */
    total_consumptions: number;
    /**
     * Grows with every change of what the license grants.
     */
    entitlement_version: number;
    /**
     * From when on the license serves; without it, at once.
     */
    starts_at?: string;
    /**
     * When it ends; without it, never.
     */
    expires_at?: string;
    /**
     * What the terms of the license count from, so that a short month shortens no later one; absent while they count from its start.
     */
    term_anchor?: string;
    /**
     * Until when new versions of the product are covered; without it, all versions are. Only of perpetual licenses.
     */
    maintenance_expires_at?: string;
    /**
     * There while the license waits for its first activation, which starts it.
     */
    awaits_activation?: boolean;
    /**
     * Until when a license that waits for its first activation can be started; absent when at any time.
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
     * The rules that the license has of its own, instead of those of its policy.
     */
    overrides?: LicenseOverrides;
    /**
     * The rules that are in force for this license: those of its policy as it is now, overlaid by its overrides.
     */
    terms?: LicenseTerms;
    /**
     * What the ids in the license stand for; there when `include_names` asks for it.
     */
    names?: LicenseNames;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When it last changed.
     */
    updated_at: string;
};

/**
 * What is delivered for `license.activated`.
 */
export type LicenseActivatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.activated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.activated';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseEventData;
};

/**
 * What was asked for, in `data`.
 */
export type LicenseAnswer = {
    /**
     * What was asked for.
     */
    data: License;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What happened to a license.
 */
export type LicenseAuditReport = {
    /**
     * Changes when a reader of the report would have to change.
     */
    schema: 'countersign/report/license-audit/v1';
    /**
     * Which report it is.
     */
    report_kind: 'license-audit';
    /**
     * The filters as they were applied, with what was left out filled in.
     */
    filters: {
        /**
         * The id of the license.
         */
        license_id: string;
        /**
         * Where the window starts; the instant itself belongs to it.
         */
        from: string;
        /**
         * Where the window ends; the instant itself does not belong to it.
         */
        to: string;
        /**
         * The products that the report tells of: those that the management key is limited to.
         */
        product_ids?: Array<string>;
    };
    /**
     * The report in a few figures.
     */
    summary: {
        /**
         * The license.
         */
        license: {
            /**
             * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
             */
            id: string;
            /**
             * The id of the product.
             */
            product_id: string;
            /**
             * The id of the customer that it belongs to.
             */
            customer_id?: string;
            /**
             * The id of the order that it came from.
             */
            order_id?: string;
            /**
             * The id of the subscription that it belongs to.
             */
            subscription_id?: string;
            /**
             * When it came into being.
             */
            created_at: string;
            /**
             * The id of the policy, which has the rules.
             */
            policy_id: string;
            /**
             * How it stands.
             */
            status: LicenseStatus;
            /**
             * The beginning of the license key, at most eight characters; empty for a key of 12 or fewer.
             */
            license_key_prefix: string;
            /**
             * The last four characters of the license key.
             */
            license_key_last4: string;
            /**
             * How many devices hold a seat now.
             */
            active_device_count: number;
            /**
             * How often a device took a seat, over all time.
             */
            times_activated: number;
            /**
             * How often the license was handed to another owner.
             */
            times_transferred: number;
            /**
             * How much was used in all.
             */
            total_consumptions: number;
            /**
             * From when on the license serves; without it, at once.
             */
            starts_at?: string;
            /**
             * When it ends; without it, never.
             */
            expires_at?: string;
        };
        /**
         * How many activities there are in the window.
         */
        activities: number;
        /**
         * How often each action ended how, within the window.
         */
        actions: Array<{
            /**
             * What was done, or what the refused request asked for.
             */
            action: string;
            /**
             * How it ended.
             */
            result_class: string;
            /**
             * How many.
             */
            count: number;
        }>;
        /**
         * What was used of each feature within the window.
         */
        features: Array<{
            /**
             * The code of the feature.
             */
            feature_code: string;
            /**
             * How many times it was used.
             */
            uses: number;
            /**
             * How much was used.
             */
            amount: number;
            /**
             * How much of the amount lies over quotas; absent where none does.
             */
            overage?: number;
            /**
             * The first use.
             */
            first_at?: string;
            /**
             * The last use.
             */
            last_at?: string;
        }>;
    };
    /**
     * The rows, or how many there are.
     */
    rows: Array<{
        /**
         * When it happened.
         */
        occurred_at: string;
        /**
         * What was done, or what the refused request asked for.
         */
        action: string;
        /**
         * How it ended.
         */
        result_class: string;
        /**
         * The error code of a refusal.
         */
        code?: string;
        /**
         * What kind of actor it was.
         */
        actor_type: string;
        /**
         * Who acted: the id of the management key, of the license, or the subject of the person; `system` for the service.
         */
        actor_id: string;
        /**
         * The id of the device.
         */
        device_id?: string;
        /**
         * The code of the feature.
         */
        feature_code?: string;
        /**
         * How much was used.
         */
        amount?: number;
        /**
         * The id of the request. Quote it when you ask for help.
         */
        request_id?: string;
        /**
         * The id of the activity.
         */
        id: string;
        /**
         * The event of the audit-backed feed; a refusal has none.
         */
        audit_event_id?: string;
        /**
         * Why, as the person said who did it.
         */
        reason?: string;
    }>;
    /**
     * How many rows there are; an export has them all.
     */
    total_rows: number;
    /**
     * Whether there are more rows than these.
     */
    truncated: boolean;
};

/**
 * What was asked for, in `data`.
 */
export type LicenseAuditReportAnswer = {
    /**
     * What was asked for.
     */
    data: LicenseAuditReport;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What was asked for, in `data`.
 */
export type LicenseBulkCreateAnswer = {
    /**
     * What was asked for.
     */
    data: LicenseBulkCreateResponse;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * Licenses to create in one call.
 */
export type LicenseBulkCreateRequest = {
    /**
     * `all_or_nothing` (when left out) refuses the call if any row is not valid and names every finding; `per_row` creates the rows that are.
     */
    mode?: 'all_or_nothing' | 'per_row';
    /**
     * What all rows have in common; where a row has the member too, that of the row counts.
     */
    defaults?: LicenseBulkRow;
    /**
     * `true` answers what would happen. Nothing is changed or stored, and an Idempotency-Key is ignored.
     */
    dry_run?: boolean;
    /**
     * The licenses to create, 1 to 1,000. With `mode: per_row`, whatever is wrong with a row is answered of it alone.
     */
    licenses: Array<LicenseBulkRow>;
};

/**
 * What became of each row.
 */
export type LicenseBulkCreateResponse = {
    /**
     * How many licenses were created; with `dry_run`, how many would be.
     */
    created: number;
    /**
     * How many rows were refused.
     */
    refused: number;
    /**
     * In the order of the rows; with `dry_run`, the refused ones alone.
     */
    results: Array<LicenseBulkCreated | LicenseBulkRefused>;
};

/**
 * A row that was created.
 */
export type LicenseBulkCreated = {
    /**
     * The position of the row in the request, from 0.
     */
    index: number;
    /**
     * The license.
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
     * What went wrong.
     */
    error: {
        /**
         * `NOT_FOUND` where the row names something that does not exist, otherwise `VALIDATION_ERROR`, also for a member that there is not, of which a single create says `UNKNOWN_FIELD`.
         */
        code: 'VALIDATION_ERROR' | 'NOT_FOUND';
        /**
         * What it is about, for people. The wording may change.
         */
        message: string;
        /**
         * What is wrong with the row, at most 20. Once an answer names 1,000 in all, a further row has its first one alone.
         */
        fields: Array<FieldFinding>;
    };
};

/**
 * The members of LicenseCreateRequest. `product_id` and `policy_id` may stand in the row or in `defaults`; where a member stands in both, that of the row counts. A `license_key` serves one row.
 */
export type LicenseBulkRow = {
    /**
     * The id of the product.
     */
    product_id?: string;
    /**
     * Further products that the license carries under its key: an app that says which it is with `product_code` is answered for that product.
     */
    product_ids?: Array<string>;
    /**
     * The id of the policy, which has the rules.
     */
    policy_id?: string;
    /**
     * The id of the customer that it belongs to.
     */
    customer_id?: string;
    /**
     * The id of the order that it came from.
     */
    order_id?: string;
    /**
     * The id of the subscription that it belongs to.
     */
    subscription_id?: string;
    /**
     * The e-mail address of the owner, for people; at most 320 characters.
     */
    customer_email?: string;
    /**
     * The name of the owner, for people; at most 255 characters.
     */
    customer_name?: string;
    /**
     * From when on the license serves; without it, at once.
     */
    starts_at?: string;
    /**
     * When it ends; without it, never.
     */
    expires_at?: string;
    /**
     * Until when new versions of the product are covered; without it, all versions are. Only of perpetual licenses.
     */
    maintenance_expires_at?: string;
    /**
     * Until when a license can be started that starts with its first activation; at any time by default.
     */
    activate_before?: string;
    /**
     * Whether the license follows its subscription; as the policy says when left out.
     */
    follows_subscription?: boolean;
    /**
     * The rules that the license has of its own, instead of those of its policy.
     */
    overrides?: LicenseOverridesRequest;
    /**
     * `suspended` or `revoked` for a license that another system had taken out of force: it is so from its first instant on, and the event of that follows the one of its creation. `active` when left out.
     */
    status?: 'active' | 'suspended' | 'revoked';
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * The key of the license, for customers who keep the key that another system gave them: 8 to 1,000 visible ASCII characters that no license has or had; each counts, and so does its case. What looks like a key of this service, such as all that begins with `CS-`, must be one. Left out, the service makes one.
     */
    license_key?: string;
};

/**
 * What was asked for, in `data`.
 */
export type LicenseCreateAnswer = {
    /**
     * What was asked for.
     */
    data: LicenseCreateResponse;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A license to issue.
 */
export type LicenseCreateRequest = {
    /**
     * The id of the product.
     */
    product_id: string;
    /**
     * Further products that the license carries under its key: an app that says which it is with `product_code` is answered for that product.
     */
    product_ids?: Array<string>;
    /**
     * The id of the policy, which has the rules.
     */
    policy_id: string;
    /**
     * The id of the customer that it belongs to.
     */
    customer_id?: string;
    /**
     * The id of the order that it came from.
     */
    order_id?: string;
    /**
     * The id of the subscription that it belongs to.
     */
    subscription_id?: string;
    /**
     * The e-mail address of the owner, for people; at most 320 characters.
     */
    customer_email?: string;
    /**
     * The name of the owner, for people; at most 255 characters.
     */
    customer_name?: string;
    /**
     * From when on the license serves; without it, at once.
     */
    starts_at?: string;
    /**
     * When the license expires, after `starts_at`; without it, never.
     */
    expires_at?: string;
    /**
     * Until when new versions of the product are covered; without it, all versions are. Only of perpetual licenses.
     */
    maintenance_expires_at?: string;
    /**
     * Until when a license can be started that starts with its first activation; at any time by default.
     */
    activate_before?: string;
    /**
     * Whether the license follows its subscription; as the policy says when left out.
     */
    follows_subscription?: boolean;
    /**
     * The rules that the license has of its own, instead of those of its policy.
     */
    overrides?: LicenseOverridesRequest;
    /**
     * `suspended` or `revoked` for a license that another system had taken out of force: it is so from its first instant on, and the event of that follows the one of its creation. `active` when left out.
     */
    status?: 'active' | 'suspended' | 'revoked';
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
    /**
     * The key of the license, for customers who keep the key that another system gave them: 8 to 1,000 visible ASCII characters that no license has or had; each counts, and so does its case. What looks like a key of this service, such as all that begins with `CS-`, must be one. Left out, the service makes one.
     */
    license_key?: string;
};

/**
 * A new license with its key, which is shown only this once.
 */
export type LicenseCreateResponse = {
    /**
     * The license.
     */
    license: License;
    /**
     * Shown this once; only a keyed hash is stored.
     */
    license_key: string;
};

/**
 * What is delivered for `license.created`.
 */
export type LicenseCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.created';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseEventData;
};

/**
 * What is delivered for `license.deactivated`.
 */
export type LicenseDeactivatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.deactivated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.deactivated';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseEventData;
};

/**
 * The license as the event left it, with the device that took or gave back a seat.
 */
export type LicenseEventData = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * The id of the product.
     */
    product_id: string;
    /**
     * Further products that the license carries under its key, beside `product_id`.
     */
    product_ids?: Array<string>;
    /**
     * The id of the policy, which has the rules.
     */
    policy_id: string;
    /**
     * The id of the customer that it belongs to.
     */
    customer_id?: string;
    /**
     * The id of the order that it came from.
     */
    order_id?: string;
    /**
     * The id of the subscription that it belongs to.
     */
    subscription_id?: string;
    /**
     * How it stands.
     */
    status: LicenseStatus;
    /**
     * The beginning of the license key, at most eight characters; empty for a key of 12 or fewer.
     */
    license_key_prefix: string;
    /**
     * The last four characters of the license key.
     */
    license_key_last4: string;
    /**
     * The e-mail address of the owner, for people; at most 320 characters.
     */
    customer_email?: string;
    /**
     * The name of the owner, for people; at most 255 characters.
     */
    customer_name?: string;
    /**
     * How many devices hold a seat now.
     */
    active_device_count: number;
    /**
     * How often a device took a seat, over all time.
     */
    times_activated: number;
    /**
     * How often the license was handed to another owner.
     */
    times_transferred: number;
    /**
     * How much was used in all.
     */
    total_consumptions: number;
    /**
     * Grows with every change of what the license grants.
     */
    entitlement_version: number;
    /**
     * From when on the license serves; without it, at once.
     */
    starts_at?: string;
    /**
     * When it ends; without it, never.
     */
    expires_at?: string;
    /**
     * What the terms of the license count from, so that a short month shortens no later one; absent while they count from its start.
     */
    term_anchor?: string;
    /**
     * Until when new versions of the product are covered; without it, all versions are. Only of perpetual licenses.
     */
    maintenance_expires_at?: string;
    /**
     * There while the license waits for its first activation, which starts it.
     */
    awaits_activation?: boolean;
    /**
     * Until when a license that waits for its first activation can be started; absent when at any time.
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
     * The rules that the license has of its own, instead of those of its policy.
     */
    overrides?: LicenseOverrides;
    /**
     * The rules that are in force for this license: those of its policy as it is now, overlaid by its overrides.
     */
    terms?: LicenseTerms;
    /**
     * What the ids in the license stand for; there when `include_names` asks for it.
     */
    names?: LicenseNames;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When it last changed.
     */
    updated_at: string;
    /**
     * The custom field value that was set or cleared, when that is what changed.
     */
    custom_field?: CustomFieldValue | ClearedCustomFieldValue;
    /**
     * The device.
     */
    device?: Device;
};

/**
 * What is delivered for `license.expired`.
 */
export type LicenseExpiredDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.expired';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.expired';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseEventData;
};

/**
 * What is delivered for `license.expiring`.
 */
export type LicenseExpiringDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.expiring';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.expiring';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseEventData;
};

/**
 * A runtime call that is judged and not made.
 */
export type LicenseExplainRequest = {
    /**
     * validate when left out.
     */
    operation?: RuntimeOperation;
    /**
     * Who would ask. Without it, the rules about devices are not judged.
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
     * What consume would use.
     */
    feature_code?: string;
    /**
     * How much consume would use up; 1 when left out.
     */
    amount?: number;
    /**
     * The instant to judge at; now when left out. In the past, the state is rebuilt from the event log; in the future, only the clock moves.
     */
    at?: string;
};

/**
 * How a runtime call would be answered, and why.
 */
export type LicenseExplanation = {
    /**
     * The id of the license.
     */
    license_id: string;
    /**
     * The runtime operation that is explained.
     */
    operation: RuntimeOperation;
    /**
     * The instant that was judged at.
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
     * At the instant `at`.
     */
    status: LicenseStatus;
    /**
     * The rule that refuses the call; absent when it is allowed.
     */
    deciding_rule?: string;
    /**
     * Every finding in order of rank; empty when allowed.
     */
    findings: Array<LicenseFinding>;
    /**
     * What the rules could judge with what was given.
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
     * The rules that were in force, each with where it comes from.
     */
    terms: LicenseTerms;
    /**
     * The device.
     */
    device?: Device;
};

/**
 * What was asked for, in `data`.
 */
export type LicenseExplanationAnswer = {
    /**
     * What was asked for.
     */
    data: LicenseExplanation;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A feature as one license has it.
 */
export type LicenseFeature = {
    /**
     * The id of the license.
     */
    license_id: string;
    /**
     * The id of the feature.
     */
    feature_id: string;
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * The name of the feature, for people.
     */
    feature_name: string;
    /**
     * Whether the license may use the feature. `true` when left out of an assignment.
     */
    enabled: boolean;
    /**
     * The quota; without it the use is counted and not limited.
     */
    max_consumptions?: number;
    /**
     * What was added to the quota with `add_credits`, and is in `max_consumptions`. With a period it ends with that.
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
     * How much was used in all.
     */
    total_consumptions: number;
    /**
     * How much of the quota is left.
     */
    remaining?: number;
    /**
     * How far what was used lies over the quota.
     */
    over?: number;
    /**
     * When the quota starts again. Without it, never.
     */
    period?: QuotaPeriod;
    /**
     * When the period of the quota began.
     */
    period_start?: string;
    /**
     * What was used in that period.
     */
    period_consumptions?: number;
    /**
     * When the quota starts again next.
     */
    period_ends_at?: string;
    /**
     * Beyond the quota: `deny`, the default; `allow`; or so much more, such as `10%`.
     */
    overage?: string;
    /**
     * Who grants it: the `policy`, or `both` it and an assignment, which wins where it says something.
     */
    from?: 'policy' | 'both';
    /**
     * Until when the license has the feature; without it, as long as the license.
     */
    expires_at?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata: {
        [key: string]: unknown;
    };
};

/**
 * What was asked for, in `data`.
 */
export type LicenseFeatureAnswer = {
    /**
     * What was asked for.
     */
    data: LicenseFeature;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A feature to give to a license. Members left out keep their value on a repeat.
 */
export type LicenseFeatureAssignRequest = {
    /**
     * The id of the feature.
     */
    feature_id: string;
    /**
     * Whether the license may use the feature. `true` when left out of an assignment.
     */
    enabled?: boolean;
    /**
     * The quota; without it the use is counted and not limited.
     */
    max_consumptions?: number;
    /**
     * When the quota starts again. Without it, never.
     */
    period?: QuotaPeriod;
    /**
     * Beyond the quota: `deny`, the default; `allow`; or so much more, such as `10%`.
     */
    overage?: string;
    /**
     * Until when the license has the feature; `null` takes such an end away, and the policy's is in force.
     */
    expires_at?: string | null;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * What is delivered for `license.feature_assigned`.
 */
export type LicenseFeatureAssignedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.feature_assigned';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.feature_assigned';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseFeature;
};

/**
 * A page of a list, in `data`.
 */
export type LicenseFeaturePage = {
    /**
     * What was asked for.
     */
    data: Array<LicenseFeature>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What is delivered for `license.feature_removed`.
 */
export type LicenseFeatureRemovedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.feature_removed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.feature_removed';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseFeature;
};

/**
 * A correction of one metered feature: exactly one of `feature_id` and `feature_code`, and at least one change. A new quota is set first, then the credits are added to it.
 */
export type LicenseFeatureUsageResetRequest = {
    /**
     * The id of the feature. Exactly one of this and `feature_code`.
     */
    feature_id?: string;
    /**
     * The code of the feature. Exactly one of this and `feature_id`.
     */
    feature_code?: string;
    /**
     * What is added to the quota; with a period, for the running one alone. Send an Idempotency-Key with it, so that a retry counts once.
     */
    add_credits?: number;
    /**
     * The new quota, before `add_credits` is added.
     */
    max_consumptions?: number;
    /**
     * The total of what was used, as it shall be from now on.
     */
    total_consumptions?: number;
    /**
     * `true` sets the total of what was used to 0.
     */
    reset_consumed?: boolean;
    /**
     * Why, for whoever reads it later, on one line. It stands in `metadata.reason_given` of the events that the request causes and in their activities, and is erased with the events of the customer that they are about.
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
     * The error code that the call is answered with when this decides.
     */
    code: string;
    /**
     * What it is about, for people. The wording may change.
     */
    message: string;
    /**
     * More about this case.
     */
    detail?: string;
    /**
     * The term that the rule went by, and where it comes from.
     */
    term: DecidingTerm;
};

/**
 * What is delivered for `license.grace_started`.
 */
export type LicenseGraceStartedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.grace_started';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.grace_started';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseEventData;
};

/**
 * What was asked for, in `data`.
 */
export type LicenseKeyRotateAnswer = {
    /**
     * What was asked for.
     */
    data: LicenseKeyRotateResponse;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * How long the key that is replaced goes on working.
 */
export type LicenseKeyRotateRequest = {
    /**
     * How long the replaced key goes on working; 1440 when left out, 0 ends every older key at once.
     */
    overlap_minutes?: number;
    /**
     * Why, for whoever reads it later, on one line. It stands in `metadata.reason_given` of the events that the request causes and in their activities, and is erased with the events of the customer that they are about.
     */
    reason?: string;
    /**
     * `true` answers what would happen. Nothing is changed or stored, and an Idempotency-Key is ignored.
     */
    dry_run?: boolean;
};

/**
 * The license with its new key, which is shown only this once.
 */
export type LicenseKeyRotateResponse = {
    /**
     * The license.
     */
    license: License;
    /**
     * Shown this once; only a keyed hash is stored. Empty in a dry run, which makes no key.
     */
    license_key: string;
    /**
     * Until when the replaced key works.
     */
    previous_key_expires_at: string;
};

/**
 * What is delivered for `license.key_rotated`.
 */
export type LicenseKeyRotatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.key_rotated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.key_rotated';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseEventData;
};

/**
 * The key of the license that is looked for.
 */
export type LicenseLookupRequest = {
    /**
     * As people type and paste it. In a key that this service made, case, spaces and dashes are forgiven, and the sentence or the mail around it.
     */
    license_key: string;
};

/**
 * What the ids in a license stand for.
 */
export type LicenseNames = {
    /**
     * The name of its product.
     */
    product: string;
    /**
     * The name of its policy.
     */
    policy: string;
    /**
     * The name of its customer, which may differ from the license's own `customer_name`.
     */
    customer?: string;
    /**
     * The id of its order in the system it came from.
     */
    order?: string;
    /**
     * The id of its subscription in the system it came from.
     */
    subscription?: string;
};

/**
 * What is delivered for `license.overage_started`.
 */
export type LicenseOverageStartedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.overage_started';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.overage_started';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: OverageStartedEventData;
};

/**
 * Rules of this license alone, instead of its policy's by the same names.
 */
export type LicenseOverrides = {
    /**
     * How many devices may hold a seat at once. 1 by default; 0 admits none.
     */
    max_activations?: number;
    /**
     * Minutes without a heartbeat after which a floating seat becomes free. 10 by default.
     */
    floating_timeout_minutes?: number;
    /**
     * Days after the expiry in which the license still serves. 0 by default.
     */
    grace_period_days?: number;
    /**
     * How many minutes an app should wait before it asks again. 1440, a day, by default.
     */
    validation_interval_minutes?: number;
    /**
     * Tells apps to keep asking; your app acts on it. `false` by default.
     */
    require_heartbeat?: boolean;
    /**
     * Whether devices may get an envelope for use without a network. `true` by default.
     */
    allow_offline_activation?: boolean;
    /**
     * Days that an envelope for use without a network is good for. 30 by default.
     */
    offline_grace_days?: number;
    /**
     * Whether the license may be used in virtual machines. `true` by default.
     */
    allow_vm?: boolean;
    /**
     * Whether the license may be used in containers. `true` by default.
     */
    allow_container?: boolean;
    /**
     * How often the license may be handed to another owner, 3 by default. Naming the first owner, or again the same, is no transfer.
     */
    max_transfers?: number;
    /**
     * How many floating seats may be held at once; without it, none are sold. `null` clears it.
     */
    max_floating_users?: number;
    /**
     * How many containers may hold a seat at once; without it, as many as `max_activations` says. `null` clears it.
     */
    max_container_instances?: number;
    /**
     * How long a license serves, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` where it is left out.
     */
    duration?: string;
    /**
     * How long a perpetual license covers new versions. Sets `maintenance_expires_at`.
     */
    maintenance_duration?: string;
    /**
     * Beyond the activation seats: `deny`, the default; `allow`; or so much more, such as `10%`.
     */
    activation_overage?: string;
    /**
     * Beyond the floating seats: `deny`, the default; `allow`; or so much more, such as `10%`.
     */
    floating_overage?: string;
    /**
     * What takes one floating seat: a `device`, the default, or each `process` on it, which names itself by `process_id`.
     */
    lease_unit?: LeaseUnit;
    /**
     * How many `components` must match: `any`, `most`, `all`, or a number.
     */
    component_match?: 'any' | 'most' | 'all' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8';
    /**
     * Whether the holder of the key may give seats of devices back.
     */
    self_service?: boolean;
    /**
     * How many seats of others may be given back in a `self_service_period`.
     */
    max_self_service_resets?: number;
    /**
     * The period in UTC that `max_self_service_resets` counts in; `month` by default.
     */
    self_service_period?: 'day' | 'week' | 'month' | 'year';
    /**
     * How many days a file for an air-gapped machine is good for; `offline_grace_days` by default.
     */
    offline_file_days?: number;
};

/**
 * Rules of this license alone. Those left out stay as they are; `null` takes one away.
 */
export type LicenseOverridesRequest = {
    /**
     * How many devices may hold a seat at once. 1 by default; 0 admits none.
     */
    max_activations?: number | null;
    /**
     * Minutes without a heartbeat after which a floating seat becomes free. 10 by default.
     */
    floating_timeout_minutes?: number | null;
    /**
     * Days after the expiry in which the license still serves. 0 by default.
     */
    grace_period_days?: number | null;
    /**
     * How many minutes an app should wait before it asks again. 1440, a day, by default.
     */
    validation_interval_minutes?: number | null;
    /**
     * Tells apps to keep asking; your app acts on it. `false` by default.
     */
    require_heartbeat?: boolean | null;
    /**
     * Whether devices may get an envelope for use without a network. `true` by default.
     */
    allow_offline_activation?: boolean | null;
    /**
     * Days that an envelope for use without a network is good for. 30 by default.
     */
    offline_grace_days?: number | null;
    /**
     * Whether the license may be used in virtual machines. `true` by default.
     */
    allow_vm?: boolean | null;
    /**
     * Whether the license may be used in containers. `true` by default.
     */
    allow_container?: boolean | null;
    /**
     * How often the license may be handed to another owner, 3 by default. Naming the first owner, or again the same, is no transfer.
     */
    max_transfers?: number | null;
    /**
     * How many floating seats may be held at once; without it, none are sold. `null` clears it.
     */
    max_floating_users?: number | null;
    /**
     * How many containers may hold a seat at once; without it, as many as `max_activations` says. `null` clears it.
     */
    max_container_instances?: number | null;
    /**
     * How long a license serves, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` where it is left out.
     */
    duration?: string | null;
    /**
     * How long a perpetual license covers new versions. Sets `maintenance_expires_at`.
     */
    maintenance_duration?: string | null;
    /**
     * Beyond the activation seats: `deny`, the default; `allow`; or so much more, such as `10%`.
     */
    activation_overage?: string | null;
    /**
     * Beyond the floating seats: `deny`, the default; `allow`; or so much more, such as `10%`.
     */
    floating_overage?: string | null;
    /**
     * What takes one floating seat: a `device`, the default, or each `process` on it, which names itself by `process_id`.
     */
    lease_unit?: LeaseUnit | null;
    /**
     * How many `components` must match: `any`, `most`, `all`, or a number.
     */
    component_match?: 'any' | 'most' | 'all' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | null;
    /**
     * Whether the holder of the key may give seats of devices back.
     */
    self_service?: boolean | null;
    /**
     * How many seats of others may be given back in a `self_service_period`.
     */
    max_self_service_resets?: number | null;
    /**
     * The period in UTC that `max_self_service_resets` counts in; `month` by default.
     */
    self_service_period?: 'day' | 'week' | 'month' | 'year' | null;
    /**
     * How many days a file for an air-gapped machine is good for; `offline_grace_days` by default.
     */
    offline_file_days?: number | null;
};

/**
 * A page of a list, in `data`.
 */
export type LicensePage = {
    /**
     * What was asked for.
     */
    data: Array<License>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What was asked for, in `data`.
 */
export type LicensePolicyChangeAnswer = {
    /**
     * What was asked for.
     */
    data: LicensePolicyChangeResponse;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * The policy that a license is to be under, and what becomes of what it has.
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
     * What happens to devices and floating seats beyond what the new terms serve: `refuse` the change, the default; `keep` them, until they are given back; or reset the newest devices and release the newest leases.
     */
    devices?: 'refuse' | 'keep' | 'reset_newest';
    /**
     * What happens to what was counted of features: `keep`, the default, or `restart` from zero.
     */
    counters?: 'keep' | 'restart';
    /**
     * When the license ends: as it does now (`keep`, the default), or as one that is issued now under the new policy (`policy`): by its duration from now, with its subscription, or never.
     */
    expiry?: 'keep' | 'policy';
    /**
     * Whether the rules that the license has of its own stay in force: `keep`, the default, or `drop`.
     */
    overrides?: 'keep' | 'drop';
    /**
     * Answers what the change would do, and changes nothing. `false` by default.
     */
    dry_run?: boolean;
    /**
     * Why, for whoever reads it later, on one line. It stands in `metadata.reason_given` of the events that the request causes and in their activities, and is erased with the events of the customer that they are about.
     */
    reason?: string;
};

/**
 * The license under its new policy, and all that is different.
 */
export type LicensePolicyChangeResponse = {
    /**
     * The license.
     */
    license: License;
    /**
     * What is different from before: rules, members of the license, features, counters, then seats given back.
     */
    changes: Array<ValueDifference | FeatureDifference | SeatDifference>;
};

/**
 * What is delivered for `license.policy_changed`.
 */
export type LicensePolicyChangedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.policy_changed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.policy_changed';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseEventData;
};

/**
 * What is delivered for `license.quota_reached`.
 */
export type LicenseQuotaReachedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.quota_reached';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.quota_reached';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: UsageEventData;
};

/**
 * What is delivered for `license.reinstated`.
 */
export type LicenseReinstatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.reinstated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.reinstated';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseEventData;
};

/**
 * How long a license is extended: exactly one of `expires_at` and `extend_by_days`.
 */
export type LicenseRenewRequest = {
    /**
     * The new expiry. Exactly one of this and `extend_by_days`.
     */
    expires_at?: string;
    /**
     * Days of the UTC calendar, counted from the expiry while that lies ahead, otherwise from now. Exactly one of this and `expires_at`.
     */
    extend_by_days?: number;
    /**
     * The order that paid for the renewal; it stands in the event only.
     */
    order_id?: string;
    /**
     * The subscription that was renewed; it stands in the event only.
     */
    subscription_id?: string;
    /**
     * What the extension counts from: the license's `expiry`, even if that is over, or `now`. Left out, it is the expiry while that lies ahead, and otherwise now.
     */
    renew_from?: 'expiry' | 'now';
    /**
     * Why, for whoever reads it later, on one line. It stands in `metadata.reason_given` of the events that the request causes and in their activities, and is erased with the events of the customer that they are about.
     */
    reason?: string;
};

/**
 * What is delivered for `license.renewed`.
 */
export type LicenseRenewedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.renewed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.renewed';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseEventData;
};

/**
 * What is delivered for `license.revoked`.
 */
export type LicenseRevokedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.revoked';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.revoked';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseEventData;
};

/**
 * What was asked for, in `data`.
 */
export type LicenseSearchAnswer = {
    /**
     * What was asked for.
     */
    data: LicenseSearchResponse;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What a person knows of a license, and how many are to be found.
 */
export type LicenseSearchRequest = {
    /**
     * What a person knows of a license: its whole key, as typed or pasted, or what `q` of the list takes.
     */
    text: string;
    /**
     * How many licenses are answered at most; 10 when left out.
     */
    limit?: number;
};

/**
 * The licenses that a text is about.
 */
export type LicenseSearchResponse = {
    /**
     * The licenses, each with `names`; the one that has, or had, the key where the text is one.
     */
    licenses: Array<License>;
    /**
     * Whether more licenses fit than are answered.
     */
    has_more: boolean;
};

/**
 * What is delivered for `license.started`.
 */
export type LicenseStartedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.started';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.started';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseEventData;
};

/**
 * `grace_period` is after the expiry and still serves, `expired` no longer. `suspended` can be reinstated, `revoked` is for good.
 */
export type LicenseStatus = 'active' | 'suspended' | 'expired' | 'revoked' | 'grace_period';

/**
 * What is delivered for `license.suspended`.
 */
export type LicenseSuspendedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.suspended';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.suspended';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseEventData;
};

/**
 * The rules that are in force for a license, each with where it comes from.
 */
export type LicenseTerms = {
    /**
     * How many devices may hold a seat at once. 1 by default; 0 admits none.
     */
    max_activations?: NumberTerm;
    /**
     * How many floating seats may be held at once; without it, none are sold. `null` clears it.
     */
    max_floating_users?: NumberTerm;
    /**
     * How many containers may hold a seat at once; without it, as many as `max_activations` says. `null` clears it.
     */
    max_container_instances?: NumberTerm;
    /**
     * Minutes without a heartbeat after which a floating seat becomes free. 10 by default.
     */
    floating_timeout_minutes?: NumberTerm;
    /**
     * Days after the expiry in which the license still serves. 0 by default.
     */
    grace_period_days?: NumberTerm;
    /**
     * How many minutes an app should wait before it asks again. 1440, a day, by default.
     */
    validation_interval_minutes?: NumberTerm;
    /**
     * Tells apps to keep asking; your app acts on it. `false` by default.
     */
    require_heartbeat?: FlagTerm;
    /**
     * Whether devices may get an envelope for use without a network. `true` by default.
     */
    allow_offline_activation?: FlagTerm;
    /**
     * Days that an envelope for use without a network is good for. 30 by default.
     */
    offline_grace_days?: NumberTerm;
    /**
     * Whether the license may be used in virtual machines. `true` by default.
     */
    allow_vm?: FlagTerm;
    /**
     * Whether the license may be used in containers. `true` by default.
     */
    allow_container?: FlagTerm;
    /**
     * How often the license may be handed to another owner, 3 by default. Naming the first owner, or again the same, is no transfer.
     */
    max_transfers?: NumberTerm;
    /**
     * How long a license serves, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` where it is left out.
     */
    duration?: TextTerm;
    /**
     * What durations count from: `creation`, the default, or the first activation, which starts the license.
     */
    expiry_basis?: TextTerm;
    /**
     * How long a perpetual license covers new versions. Sets `maintenance_expires_at`.
     */
    maintenance_duration?: TextTerm;
    /**
     * Beyond the activation seats: `deny`, the default; `allow`; or so much more, such as `10%`.
     */
    activation_overage?: TextTerm;
    /**
     * Beyond the floating seats: `deny`, the default; `allow`; or so much more, such as `10%`.
     */
    floating_overage?: TextTerm;
    /**
     * What takes one floating seat: a `device`, the default, or each `process` on it, which names itself by `process_id`.
     */
    lease_unit?: TextTerm;
    /**
     * Whether licenses end, are in grace and are suspended with their subscription.
     */
    follows_subscription?: FlagTerm;
    /**
     * How many `components` must match: `any`, `most`, `all`, or a number.
     */
    component_match?: TextTerm;
    /**
     * Whether the holder of the key may give seats of devices back.
     */
    self_service?: FlagTerm;
    /**
     * How many seats of others may be given back in a `self_service_period`.
     */
    max_self_service_resets?: NumberTerm;
    /**
     * The period in UTC that `max_self_service_resets` counts in; `month` by default.
     */
    self_service_period?: TextTerm;
    /**
     * How many days a file for an air-gapped machine is good for; `offline_grace_days` by default.
     */
    offline_file_days?: NumberTerm;
};

/**
 * Who owns the license from now on: at least one member. What is left out stays as it is.
 */
export type LicenseTransferRequest = {
    /**
     * The new owner; the empty string leaves the license without a customer.
     */
    customer_id?: string;
    /**
     * The e-mail address of the new owner; the empty string clears it.
     */
    customer_email?: string;
    /**
     * The name of the new owner; the empty string clears it.
     */
    customer_name?: string;
    /**
     * `true` frees every seat. `false` by default.
     */
    reset_devices?: boolean;
    /**
     * Why, for whoever reads it later, on one line. It stands in `metadata.reason_given` of the events that the request causes and in their activities, and is erased with the events of the customer that they are about.
     */
    reason?: string;
};

/**
 * What is delivered for `license.transferred`.
 */
export type LicenseTransferredDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.transferred';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.transferred';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseEventData;
};

/**
 * What is sold: for ever, for a time, by subscription, to try, or by use.
 */
export type LicenseType = 'perpetual' | 'time_limited' | 'subscription' | 'trial' | 'consumption';

/**
 * What to change of a license. Members left out stay as they are.
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
     * The e-mail address of the owner; the empty string clears it.
     */
    customer_email?: string;
    /**
     * The name of the owner; the empty string clears it.
     */
    customer_name?: string;
    /**
     * From when on the license serves; `null` clears it.
     */
    starts_at?: string | null;
    /**
     * The new expiry; `null` clears it.
     */
    expires_at?: string | null;
    /**
     * Until when new versions are covered; `null` clears it.
     */
    maintenance_expires_at?: string | null;
    /**
     * Further products that the license carries under its key: an app that says which it is with `product_code` is answered for that product.
     */
    product_ids?: Array<string> | null;
    /**
     * Whether the license follows its subscription. From `true` on, it is at once as the subscription says.
     */
    follows_subscription?: boolean;
    /**
     * What changes of the license's own rules; `null` takes all of them away.
     */
    overrides?: LicenseOverridesRequest | null;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * What is delivered for `license.updated`.
 */
export type LicenseUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.updated';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseEventData;
};

/**
 * What is delivered for `license.usage_recorded`.
 */
export type LicenseUsageRecordedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.usage_recorded';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.usage_recorded';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: UsageEventData;
};

/**
 * What is delivered for `license.usage_reset`.
 */
export type LicenseUsageResetDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'license.usage_reset';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'license.usage_reset';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LicenseFeature;
};

/**
 * What is delivered for `log.dropped`.
 */
export type LogDroppedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'log.dropped';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'log.dropped';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: LogDroppedEventData;
};

/**
 * The oldest events were archived and dropped.
 */
export type LogDroppedEventData = {
    /**
     * The last event that was archived and dropped.
     */
    dropped_sequence: number;
    /**
     * The `hash` of the last event that was dropped.
     */
    dropped_hash: string;
    /**
     * The signed checkpoint of the event feed that covers it.
     */
    checkpoint: EventCheckpoint;
};

/**
 * An epoch of the event log. The first one has no more than its origin.
 */
export type LogEpoch = {
    /**
     * The epoch of the log: 1 until it was restored to an earlier state.
     */
    epoch: number;
    /**
     * The first line of its checkpoints.
     */
    origin: string;
    /**
     * Of its first event, which says that it began.
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
     * The `hash` of that event; zeros when there is none.
     */
    restored_hash?: string;
    /**
     * Why.
     */
    reason?: string;
    /**
     * What a witness knew of the log.
     */
    witness?: LogWitnessed;
    /**
     * When the epoch began.
     */
    started_at?: string;
};

/**
 * A whole list, in `data`.
 */
export type LogEpochList = {
    /**
     * What was asked for.
     */
    data: Array<LogEpoch>;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What is delivered for `log.epoch_started`.
 */
export type LogEpochStartedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'log.epoch_started';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'log.epoch_started';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: EpochStartedEventData;
};

/**
 * What the witness knew: what of it is not in the log is lost.
 */
export type LogWitnessed = {
    /**
     * Which log it is: the first line of its checkpoints.
     */
    origin: string;
    /**
     * The log had at least so many events.
     */
    tree_size: number;
    /**
     * 64 hexadecimal digits.
     */
    root_hash: string;
};

/**
 * What a management key may do. `admin` may do everything, and who may write something may read it.
 */
export type ManagementScope = 'admin' | 'product:read' | 'product:write' | 'license:read' | 'license:write' | 'customer:read' | 'customer:write' | 'device:write' | 'event:read' | 'ops:read' | 'report:read' | 'report:export' | 'webhook:write';

/**
 * A rule that is in force, and where it comes from.
 */
export type NumberTerm = {
    /**
     * The value.
     */
    value: number;
    /**
     * Where the window starts; the instant itself belongs to it.
     */
    from: TermSource;
};

/**
 * A signed entitlement for one device without a network, encrypted under the license key.
 */
export type OfflineEnvelope = {
    /**
     * The id of the signing key.
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
     * The sealed text, base64: AES-256-GCM of `{"data": entitlement, "signature": signature}` under a key made from the license key.
     */
    ciphertext: string;
};

/**
 * What was asked for, in `data`.
 */
export type OfflineEnvelopeAnswer = {
    /**
     * What was asked for.
     */
    data: OfflineEnvelope;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A file for a machine without a network, without what is in it.
 */
export type OfflineFile = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * The id of the license.
     */
    license_id: string;
    /**
     * The device that the file was issued for.
     */
    device_id: string;
    /**
     * The SHA-256 of the device's binding key, in hex: compare it with your own.
     */
    fingerprint_hash: string;
    /**
     * Grows with each envelope of the device; a device takes no lower one than it has seen.
     */
    offline_counter: number;
    /**
     * How it stands.
     */
    status: OfflineFileStatus;
    /**
     * When this was signed.
     */
    issued_at: string;
    /**
     * Until when the answer may be relied on without asking again.
     */
    valid_until: string;
    /**
     * When it was revoked; absent while it is not.
     */
    revoked_at?: string;
};

/**
 * What was asked for, in `data`.
 */
export type OfflineFileAnswer = {
    /**
     * What was asked for.
     */
    data: OfflineFile;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What stands in the file: an offline envelope with the device that it is sealed for.
 */
export type OfflineFileContent = {
    /**
     * The device that the envelope is sealed for.
     */
    device_id: string;
    /**
     * The id of the signing key.
     */
    kid: string;
    /**
     * The HKDF salt, 32 bytes in base64.
     */
    salt: string;
    /**
     * 8 to 128 characters of your choice that stand in the signed answer, so that no old answer can be replayed to you. Also as the header x-nonce.
     */
    nonce: string;
    /**
     * The sealed text, base64: AES-256-GCM of `{"data": entitlement, "signature": signature}` under a key made from the license key.
     */
    ciphertext: string;
};

/**
 * What was asked for, in `data`.
 */
export type OfflineFileCreateAnswer = {
    /**
     * What was asked for.
     */
    data: OfflineFileCreateResponse;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * The machine that a file is issued for, and the key that it is encrypted under.
 */
export type OfflineFileCreateRequest = {
    /**
     * What tells this machine from others; your app computes it. Blanks around it do not count. Needed unless `is_container` is true.
     */
    fingerprint: string;
    /**
     * The name of the machine, for people.
     */
    hostname?: string;
    /**
     * The operating system, for people.
     */
    os?: string;
    /**
     * The version of the app that asks, as its vendor writes it. The answer then says whether it is covered.
     */
    app_version?: string;
    /**
     * The code of the product that the file is for, which the file then names; also a former one, for an app that was built with it. By default the code of today, of the license's first product.
     */
    product_code?: string;
    /**
     * The key of the license, which the file is encrypted under. It is not stored.
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
     * What to write into the file, as JSON. It is shown this once, and not kept.
     */
    lic: OfflineFileContent;
    /**
     * A name for the file.
     */
    file_name: string;
};

/**
 * What is delivered for `offline_file.issued`.
 */
export type OfflineFileIssuedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'offline_file.issued';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'offline_file.issued';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: OfflineFile;
};

/**
 * A page of a list, in `data`.
 */
export type OfflineFilePage = {
    /**
     * What was asked for.
     */
    data: Array<OfflineFile>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What is delivered for `offline_file.revoked`.
 */
export type OfflineFileRevokedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'offline_file.revoked';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'offline_file.revoked';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: OfflineFile;
};

/**
 * `active`: the machine may run on it. `expired`: past its `valid_until`. `revoked`: it stands in the revocation list.
 */
export type OfflineFileStatus = 'active' | 'expired' | 'revoked';

/**
 * What is delivered for `offline.issued`.
 */
export type OfflineIssuedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'offline.issued';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'offline.issued';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: OfflineIssuedEventData;
};

/**
 * An envelope for use without a network was issued.
 */
export type OfflineIssuedEventData = {
    /**
     * The id of the license.
     */
    license_id: string;
    /**
     * The id of the device.
     */
    device_id: string;
    /**
     * The id of the signing key.
     */
    kid: string;
    /**
     * Grows with each envelope of the device; a device takes no lower one than it has seen.
     */
    offline_counter: number;
    /**
     * When this was signed.
     */
    issued_at: string;
    /**
     * Until when the answer may be relied on without asking again.
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
 * A purchase in a billing system, mirrored here so that licenses can be traced to it.
 */
export type Order = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * The id of the product.
     */
    product_id: string;
    /**
     * The id of the customer that it belongs to.
     */
    customer_id?: string;
    /**
     * The id of the subscription that it belongs to.
     */
    subscription_id?: string;
    /**
     * The billing system that it comes from, for example `stripe`.
     */
    external_system: string;
    /**
     * The id that it has there; unique together with `external_system` within the product.
     */
    external_id: string;
    /**
     * How it stands.
     */
    status: OrderStatus;
    /**
     * When the period that was paid for starts; both dates or none.
     */
    period_start?: string;
    /**
     * When the period that was paid for ends; both dates or none.
     */
    period_end?: string;
    /**
     * When the billing system changed the record, by its own clock: the `created` of its event. What is older than what is stored changes nothing and is answered with the warning SOURCE_OUTDATED, so that events may come in any order. Send the whole record with it, as the event shows it: of a part, the rest would be lost. Left out, a change is made whatever is stored. At most a day ahead of the service.
     */
    source_updated_at?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When it last changed.
     */
    updated_at: string;
};

/**
 * What was asked for, in `data`.
 */
export type OrderAnswer = {
    /**
     * What was asked for.
     */
    data: Order;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * An order to record.
 */
export type OrderCreateRequest = {
    /**
     * The id of the customer that it belongs to.
     */
    customer_id?: string;
    /**
     * The id of the subscription that it belongs to.
     */
    subscription_id?: string;
    /**
     * The billing system that it comes from, for example `stripe`.
     */
    external_system: string;
    /**
     * The id that it has there; unique together with `external_system` within the product.
     */
    external_id: string;
    /**
     * How it stands.
     */
    status: OrderStatus;
    /**
     * When the period that was paid for starts; both dates or none.
     */
    period_start?: string;
    /**
     * When the period that was paid for ends; both dates or none.
     */
    period_end?: string;
    /**
     * When the billing system changed the record, by its own clock: the `created` of its event. What is older than what is stored changes nothing and is answered with the warning SOURCE_OUTDATED, so that events may come in any order. Send the whole record with it, as the event shows it: of a part, the rest would be lost. Left out, a change is made whatever is stored. At most a day ahead of the service.
     */
    source_updated_at?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * What is delivered for `order.created`.
 */
export type OrderCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'order.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'order.created';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Order;
};

/**
 * What is delivered for `order.deleted`.
 */
export type OrderDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'order.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'order.deleted';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Order;
};

/**
 * A page of a list, in `data`.
 */
export type OrderPage = {
    /**
     * What was asked for.
     */
    data: Array<Order>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * How the order stands in its billing system. Nothing follows from it here.
 */
export type OrderStatus = 'pending' | 'paid' | 'fulfilled' | 'canceled' | 'refunded';

/**
 * What to change of an order. Members left out stay as they are.
 */
export type OrderUpdateRequest = {
    /**
     * The customer; the empty string clears the link.
     */
    customer_id?: string;
    /**
     * The subscription; the empty string clears the link.
     */
    subscription_id?: string;
    /**
     * The billing system that it comes from, for example `stripe`.
     */
    external_system?: string;
    /**
     * The id that it has there; unique together with `external_system` within the product.
     */
    external_id?: string;
    /**
     * How it stands.
     */
    status?: OrderStatus;
    /**
     * When the period that was paid for starts; both dates or none.
     */
    period_start?: string;
    /**
     * When the period that was paid for ends; both dates or none.
     */
    period_end?: string;
    /**
     * When the billing system changed the record, by its own clock: the `created` of its event. What is older than what is stored changes nothing and is answered with the warning SOURCE_OUTDATED, so that events may come in any order. Send the whole record with it, as the event shows it: of a part, the rest would be lost. Left out, a change is made whatever is stored. At most a day ahead of the service.
     */
    source_updated_at?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * What is delivered for `order.updated`.
 */
export type OrderUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'order.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'order.updated';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Order;
};

/**
 * How far the license is over its limit. There when the terms serve beyond it, and it is.
 */
export type Overage = {
    /**
     * What the terms include.
     */
    limit: number;
    /**
     * What is used, this call included.
     */
    used: number;
    /**
     * How far what is used lies over the limit.
     */
    over: number;
};

/**
 * A license crossed one of its limits, and goes on being served.
 */
export type OverageStartedEventData = {
    /**
     * The id of the license.
     */
    license_id: string;
    /**
     * The id of the device.
     */
    device_id: string;
    /**
     * Which limit it was: that of activation seats, of floating seats, or a feature's quota.
     */
    limit_of: 'activations' | 'floating' | 'feature';
    /**
     * The code of the feature.
     */
    feature_code?: string;
    /**
     * What the terms say of this: `allow`, or a percentage.
     */
    overage: string;
    /**
     * What the terms include.
     */
    limit: number;
    /**
     * What is used, this call included.
     */
    used: number;
    /**
     * How far what is used lies over the limit.
     */
    over: number;
    /**
     * When the quota starts again next.
     */
    period_ends_at?: string;
};

/**
 * A device of the license, as whoever has the license key sees it.
 */
export type OwnDevice = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * Its hostname, if the app told it.
     */
    name?: string;
    /**
     * What the binding names: a machine or a container.
     */
    binding_kind: DeviceBindingKind;
    /**
     * How it stands.
     */
    status: DeviceStatus;
    /**
     * When the device last asked anything.
     */
    last_seen_at: string;
    /**
     * Whether it is the device that the request names in `device_id`; absent when it names none.
     */
    is_this?: boolean;
};

/**
 * What was asked for, in `data`.
 */
export type OwnDeviceAnswer = {
    /**
     * What was asked for.
     */
    data: OwnDevice;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A page of a list, in `data`.
 */
export type OwnDevicePage = {
    /**
     * What was asked for.
     */
    data: Array<OwnDevice>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * Where a list goes on. A cursor is opaque, and valid only with the filters that it was issued for.
 */
export type PageInfo = {
    /**
     * Pass it back as `cursor` for the next page; `null` at the end.
     */
    next_cursor: string | null;
    /**
     * Whether there is another page.
     */
    has_more: boolean;
};

/**
 * The rules that licenses are issued under.
 */
export type Policy = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * The id of the product.
     */
    product_id: string;
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
     */
    code: string;
    /**
     * What is sold: for ever, for a time, by subscription, to try, or by use.
     */
    license_type: LicenseType;
    /**
     * How many devices may hold a seat at once. 1 by default; 0 admits none.
     */
    max_activations: number;
    /**
     * Minutes without a heartbeat after which a floating seat becomes free. 10 by default.
     */
    floating_timeout_minutes: number;
    /**
     * Days after the expiry in which the license still serves. 0 by default.
     */
    grace_period_days: number;
    /**
     * How many minutes an app should wait before it asks again. 1440, a day, by default.
     */
    validation_interval_minutes: number;
    /**
     * Tells apps to keep asking; your app acts on it. `false` by default.
     */
    require_heartbeat: boolean;
    /**
     * Whether devices may get an envelope for use without a network. `true` by default.
     */
    allow_offline_activation: boolean;
    /**
     * Days that an envelope for use without a network is good for. 30 by default.
     */
    offline_grace_days: number;
    /**
     * Whether the license may be used in virtual machines. `true` by default.
     */
    allow_vm: boolean;
    /**
     * Whether the license may be used in containers. `true` by default.
     */
    allow_container: boolean;
    /**
     * How often the license may be handed to another owner, 3 by default. Naming the first owner, or again the same, is no transfer.
     */
    max_transfers: number;
    /**
     * How many floating seats may be held at once; without it, none are sold. `null` clears it.
     */
    max_floating_users?: number;
    /**
     * How many containers may hold a seat at once; without it, as many as `max_activations` says. `null` clears it.
     */
    max_container_instances?: number;
    /**
     * How long a license serves, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` where it is left out.
     */
    duration?: string;
    /**
     * What durations count from: `creation`, the default, or the first activation, which starts the license.
     */
    expiry_basis?: 'creation' | 'first_activation';
    /**
     * How long a perpetual license covers new versions. Sets `maintenance_expires_at`.
     */
    maintenance_duration?: string;
    /**
     * Beyond the activation seats: `deny`, the default; `allow`; or so much more, such as `10%`.
     */
    activation_overage?: string;
    /**
     * Beyond the floating seats: `deny`, the default; `allow`; or so much more, such as `10%`.
     */
    floating_overage?: string;
    /**
     * What takes one floating seat: a `device`, the default, or each `process` on it, which names itself by `process_id`.
     */
    lease_unit?: LeaseUnit;
    /**
     * Whether licenses end, are in grace and are suspended with their subscription.
     */
    follows_subscription?: boolean;
    /**
     * How many `components` must match: `any`, `most`, `all`, or a number.
     */
    component_match?: 'any' | 'most' | 'all' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8';
    /**
     * Whether the holder of the key may give seats of devices back.
     */
    self_service?: boolean;
    /**
     * How many seats of others may be given back in a `self_service_period`.
     */
    max_self_service_resets?: number;
    /**
     * The period in UTC that `max_self_service_resets` counts in; `month` by default.
     */
    self_service_period?: 'day' | 'week' | 'month' | 'year';
    /**
     * How many days a file for an air-gapped machine is good for; `offline_grace_days` by default.
     */
    offline_file_days?: number;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When it last changed.
     */
    updated_at: string;
};

/**
 * What was asked for, in `data`.
 */
export type PolicyAnswer = {
    /**
     * What was asked for.
     */
    data: Policy;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A policy to create. Members left out take their defaults.
 */
export type PolicyCreateRequest = {
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
     */
    code: string;
    /**
     * What is sold: for ever, for a time, by subscription, to try, or by use.
     */
    license_type: LicenseType;
    /**
     * How many devices may hold a seat at once. 1 by default; 0 admits none.
     */
    max_activations?: number;
    /**
     * Minutes without a heartbeat after which a floating seat becomes free. 10 by default.
     */
    floating_timeout_minutes?: number;
    /**
     * Days after the expiry in which the license still serves. 0 by default.
     */
    grace_period_days?: number;
    /**
     * How many minutes an app should wait before it asks again. 1440, a day, by default.
     */
    validation_interval_minutes?: number;
    /**
     * Tells apps to keep asking; your app acts on it. `false` by default.
     */
    require_heartbeat?: boolean;
    /**
     * Whether devices may get an envelope for use without a network. `true` by default.
     */
    allow_offline_activation?: boolean;
    /**
     * Days that an envelope for use without a network is good for. 30 by default.
     */
    offline_grace_days?: number;
    /**
     * Whether the license may be used in virtual machines. `true` by default.
     */
    allow_vm?: boolean;
    /**
     * Whether the license may be used in containers. `true` by default.
     */
    allow_container?: boolean;
    /**
     * How often the license may be handed to another owner, 3 by default. Naming the first owner, or again the same, is no transfer.
     */
    max_transfers?: number;
    /**
     * How many floating seats may be held at once; without it, none are sold. `null` clears it.
     */
    max_floating_users?: number | null;
    /**
     * How many containers may hold a seat at once; without it, as many as `max_activations` says. `null` clears it.
     */
    max_container_instances?: number | null;
    /**
     * How long a license serves, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` where it is left out.
     */
    duration?: string | null;
    /**
     * What durations count from: `creation`, the default, or the first activation, which starts the license.
     */
    expiry_basis?: 'creation' | 'first_activation' | null;
    /**
     * How long a perpetual license covers new versions. Sets `maintenance_expires_at`.
     */
    maintenance_duration?: string | null;
    /**
     * Beyond the activation seats: `deny`, the default; `allow`; or so much more, such as `10%`.
     */
    activation_overage?: string | null;
    /**
     * Beyond the floating seats: `deny`, the default; `allow`; or so much more, such as `10%`.
     */
    floating_overage?: string | null;
    /**
     * What takes one floating seat: a `device`, the default, or each `process` on it, which names itself by `process_id`.
     */
    lease_unit?: LeaseUnit | null;
    /**
     * Whether licenses end, are in grace and are suspended with their subscription.
     */
    follows_subscription?: boolean | null;
    /**
     * How many `components` must match: `any`, `most`, `all`, or a number.
     */
    component_match?: 'any' | 'most' | 'all' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | null;
    /**
     * Whether the holder of the key may give seats of devices back.
     */
    self_service?: boolean | null;
    /**
     * How many seats of others may be given back in a `self_service_period`.
     */
    max_self_service_resets?: number | null;
    /**
     * The period in UTC that `max_self_service_resets` counts in; `month` by default.
     */
    self_service_period?: 'day' | 'week' | 'month' | 'year' | null;
    /**
     * How many days a file for an air-gapped machine is good for; `offline_grace_days` by default.
     */
    offline_file_days?: number | null;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * What is delivered for `policy.created`.
 */
export type PolicyCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'policy.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'policy.created';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Policy;
};

/**
 * What is delivered for `policy.deleted`.
 */
export type PolicyDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'policy.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'policy.deleted';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Policy;
};

/**
 * A feature as a policy grants it to every license under it.
 */
export type PolicyFeature = {
    /**
     * The id of the policy, which has the rules.
     */
    policy_id: string;
    /**
     * The id of the feature.
     */
    feature_id: string;
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * The name of the feature, for people.
     */
    feature_name: string;
    /**
     * Whether the license may use the feature. `true` when left out of an assignment.
     */
    enabled: boolean;
    /**
     * The quota; without it the use is counted and not limited.
     */
    max_consumptions?: number;
    /**
     * When the quota starts again. Without it, never.
     */
    period?: QuotaPeriod;
    /**
     * Beyond the quota: `deny`, the default; `allow`; or so much more, such as `10%`.
     */
    overage?: string;
    /**
     * How long after its start a license has the feature, ISO 8601. Without it, as long as the license.
     */
    expires_after?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata: {
        [key: string]: unknown;
    };
};

/**
 * What was asked for, in `data`.
 */
export type PolicyFeatureAnswer = {
    /**
     * What was asked for.
     */
    data: PolicyFeature;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A feature to give to a policy. Members left out keep their value on a repeat, `null` takes one away.
 */
export type PolicyFeatureAssignRequest = {
    /**
     * The id of the feature.
     */
    feature_id: string;
    /**
     * Whether the license may use the feature. `true` when left out of an assignment.
     */
    enabled?: boolean;
    /**
     * The quota; without it the use is counted and not limited.
     */
    max_consumptions?: number | null;
    /**
     * When the quota starts again. Without it, never.
     */
    period?: QuotaPeriod | null;
    /**
     * Beyond the quota: `deny`, the default; `allow`; or so much more, such as `10%`.
     */
    overage?: string | null;
    /**
     * How long after its start a license has the feature, ISO 8601. Without it, as long as the license.
     */
    expires_after?: string | null;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * What is delivered for `policy.feature_assigned`.
 */
export type PolicyFeatureAssignedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'policy.feature_assigned';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'policy.feature_assigned';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: PolicyFeature;
};

/**
 * A page of a list, in `data`.
 */
export type PolicyFeaturePage = {
    /**
     * What was asked for.
     */
    data: Array<PolicyFeature>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What is delivered for `policy.feature_removed`.
 */
export type PolicyFeatureRemovedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'policy.feature_removed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'policy.feature_removed';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: PolicyFeature;
};

/**
 * A page of a list, in `data`.
 */
export type PolicyPage = {
    /**
     * What was asked for.
     */
    data: Array<Policy>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What to change of a policy. Members left out stay as they are.
 */
export type PolicyUpdateRequest = {
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name?: string;
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
     */
    code?: string;
    /**
     * What is sold: for ever, for a time, by subscription, to try, or by use.
     */
    license_type?: LicenseType;
    /**
     * How many devices may hold a seat at once. 1 by default; 0 admits none.
     */
    max_activations?: number;
    /**
     * Minutes without a heartbeat after which a floating seat becomes free. 10 by default.
     */
    floating_timeout_minutes?: number;
    /**
     * Days after the expiry in which the license still serves. 0 by default.
     */
    grace_period_days?: number;
    /**
     * How many minutes an app should wait before it asks again. 1440, a day, by default.
     */
    validation_interval_minutes?: number;
    /**
     * Tells apps to keep asking; your app acts on it. `false` by default.
     */
    require_heartbeat?: boolean;
    /**
     * Whether devices may get an envelope for use without a network. `true` by default.
     */
    allow_offline_activation?: boolean;
    /**
     * Days that an envelope for use without a network is good for. 30 by default.
     */
    offline_grace_days?: number;
    /**
     * Whether the license may be used in virtual machines. `true` by default.
     */
    allow_vm?: boolean;
    /**
     * Whether the license may be used in containers. `true` by default.
     */
    allow_container?: boolean;
    /**
     * How often the license may be handed to another owner, 3 by default. Naming the first owner, or again the same, is no transfer.
     */
    max_transfers?: number;
    /**
     * How many floating seats may be held at once; without it, none are sold. `null` clears it.
     */
    max_floating_users?: number | null;
    /**
     * How many containers may hold a seat at once; without it, as many as `max_activations` says. `null` clears it.
     */
    max_container_instances?: number | null;
    /**
     * How long a license serves, ISO 8601 in UTC: `P14D`, `P1Y`. Sets `expires_at` where it is left out.
     */
    duration?: string | null;
    /**
     * What durations count from: `creation`, the default, or the first activation, which starts the license.
     */
    expiry_basis?: 'creation' | 'first_activation' | null;
    /**
     * How long a perpetual license covers new versions. Sets `maintenance_expires_at`.
     */
    maintenance_duration?: string | null;
    /**
     * Beyond the activation seats: `deny`, the default; `allow`; or so much more, such as `10%`.
     */
    activation_overage?: string | null;
    /**
     * Beyond the floating seats: `deny`, the default; `allow`; or so much more, such as `10%`.
     */
    floating_overage?: string | null;
    /**
     * What takes one floating seat: a `device`, the default, or each `process` on it, which names itself by `process_id`.
     */
    lease_unit?: LeaseUnit | null;
    /**
     * Whether licenses end, are in grace and are suspended with their subscription.
     */
    follows_subscription?: boolean | null;
    /**
     * How many `components` must match: `any`, `most`, `all`, or a number.
     */
    component_match?: 'any' | 'most' | 'all' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | null;
    /**
     * Whether the holder of the key may give seats of devices back.
     */
    self_service?: boolean | null;
    /**
     * How many seats of others may be given back in a `self_service_period`.
     */
    max_self_service_resets?: number | null;
    /**
     * The period in UTC that `max_self_service_resets` counts in; `month` by default.
     */
    self_service_period?: 'day' | 'week' | 'month' | 'year' | null;
    /**
     * How many days a file for an air-gapped machine is good for; `offline_grace_days` by default.
     */
    offline_file_days?: number | null;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * What is delivered for `policy.updated`.
 */
export type PolicyUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'policy.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'policy.updated';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Policy;
};

/**
 * What you sell licenses for.
 */
export type Product = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
     */
    code: string;
    /**
     * The codes that the product had before, the newest first. They are aliases: an app that asks by one is answered by it. Absent where there is none.
     */
    former_codes?: Array<string>;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When it last changed.
     */
    updated_at: string;
    /**
     * When apps last asked by each of `former_codes`: what to look at before one is retired. It is not in events.
     */
    former_code_uses?: Array<FormerCodeUse>;
};

/**
 * What was asked for, in `data`.
 */
export type ProductAnswer = {
    /**
     * What was asked for.
     */
    data: Product;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A product to create.
 */
export type ProductCreateRequest = {
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * A short name of yours for programs: letters, digits and `.`, `_`, `:`, `-`; unique in its scope, at most 128 characters.
     */
    code: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * What is delivered for `product.created`.
 */
export type ProductCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'product.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'product.created';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Product;
};

/**
 * What is delivered for `product.deleted`.
 */
export type ProductDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'product.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'product.deleted';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Product;
};

/**
 * Identifier: `prod_` and 26 characters; later ids sort after earlier ones.
 */
export type ProductId = string;

/**
 * A page of a list, in `data`.
 */
export type ProductPage = {
    /**
     * What was asked for.
     */
    data: Array<Product>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What to change of a product. Members left out stay as they are.
 */
export type ProductUpdateRequest = {
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name?: string;
    /**
     * A new code. The code of before stays an alias in `former_codes`, so that installed apps go on.
     */
    code?: string;
    /**
     * Those former codes that stay aliases: some of the product's, or none. Apps that ask by one that is left out are refused with PRODUCT_MISMATCH from then on. Not together with a new `code`.
     */
    former_codes?: Array<string>;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * What is delivered for `product.updated`.
 */
export type ProductUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'product.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'product.updated';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Product;
};

/**
 * A version in the catalogue of a product.
 */
export type ProductVersion = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * The id of the product.
     */
    product_id: string;
    /**
     * The version, as apps send it in `app_version`.
     */
    version: string;
    /**
     * When the version was released; now by default.
     */
    released_at: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When it last changed.
     */
    updated_at: string;
};

/**
 * What was asked for, in `data`.
 */
export type ProductVersionAnswer = {
    /**
     * What was asked for.
     */
    data: ProductVersion;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A version to add to a product's catalogue.
 */
export type ProductVersionCreateRequest = {
    /**
     * The version, as apps send it in `app_version`.
     */
    version: string;
    /**
     * When the version was released; now by default.
     */
    released_at?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * A page of a list, in `data`.
 */
export type ProductVersionPage = {
    /**
     * What was asked for.
     */
    data: Array<ProductVersion>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What to change of a version. Members left out stay as they are.
 */
export type ProductVersionUpdateRequest = {
    /**
     * The version, as apps send it in `app_version`.
     */
    version?: string;
    /**
     * When the version was released; now by default.
     */
    released_at?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * A key that verifies signatures of the service (Ed25519, RFC 8032).
 */
export type PublicKey = {
    /**
     * The id of the signing key.
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
     * How it stands.
     */
    status: 'active' | 'retired';
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * True of a key that signs the list of keys (`endorsement`). An app that ships it as it is listed takes over no key from a list that no key of its own has signed.
     */
    endorses?: boolean;
};

/**
 * The published keys, in `data`.
 */
export type PublicKeyList = {
    /**
     * What was asked for.
     */
    data: Array<PublicKey>;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
    /**
     * Keys that were revoked, if there are any: for checkpoints alone that were kept from before.
     */
    revoked?: Array<RevokedKey>;
    /**
     * The same list as the keys sign it; absent from a service of a version before.
     */
    endorsement?: KeyEndorsement;
};

/**
 * A key that stands in an app and opens trials, and nothing else. It is no secret.
 */
export type PublishableKey = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * The id of the product.
     */
    product_id: string;
    /**
     * The policy that trials are opened under.
     */
    policy_id: string;
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * What the app sends. It is no secret, and shown whenever it is asked for.
     */
    key: string;
    /**
     * When it was revoked; absent while it works.
     */
    revoked_at?: string;
    /**
     * When it came into being.
     */
    created_at: string;
};

/**
 * What was asked for, in `data`.
 */
export type PublishableKeyAnswer = {
    /**
     * What was asked for.
     */
    data: PublishableKey;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A publishable key to create.
 */
export type PublishableKeyCreateRequest = {
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * A policy of the product, of `license_type` `trial` and with a `duration`.
     */
    policy_id: string;
};

/**
 * What is delivered for `publishable_key.created`.
 */
export type PublishableKeyCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'publishable_key.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'publishable_key.created';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: PublishableKey;
};

/**
 * A page of a list, in `data`.
 */
export type PublishableKeyPage = {
    /**
     * What was asked for.
     */
    data: Array<PublishableKey>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What is delivered for `publishable_key.revoked`.
 */
export type PublishableKeyRevokedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'publishable_key.revoked';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'publishable_key.revoked';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: PublishableKey;
};

/**
 * When a quota starts again, in UTC.
 */
export type QuotaPeriod = 'day' | 'week' | 'month' | 'year' | 'license_month' | 'subscription';

/**
 * What was asked for, in `data`.
 */
export type ReadyAnswer = {
    /**
     * What was asked for.
     */
    data: ReadyData;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * Whether requests should be sent here.
 */
export type ReadyData = {
    /**
     * Whether requests should be sent here.
     */
    status: 'ready' | 'not_ready';
    /**
     * Whether the database answers: `ok` or `unavailable`.
     */
    db: string;
    /**
     * What the service does: starting, ready, or draining before it stops.
     */
    phase: 'starting' | 'ready' | 'draining';
    /**
     * Why it is not ready, where `phase` and `db` do not say it; or, while it is, that the disk of the embedded database is nearly full.
     */
    reason?: string;
};

/**
 * Why it is done; may be left out, and so may the whole body.
 */
export type ReasonRequest = {
    /**
     * Why, for whoever reads it later, on one line. It stands in `metadata.reason_given` of the events that the request causes and in their activities, and is erased with the events of the customer that they are about.
     */
    reason?: string;
};

/**
 * What the service decided about a request of an app, and what that is bound to.
 */
export type RefusalStatement = {
    /**
     * What it is.
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
     * The license; left out where the key is unknown.
     */
    license_id?: string;
    /**
     * SHA-256, in hex, of the license key as it was sent; of a trial, of the publishable key.
     */
    credential_hash: string;
    /**
     * The device that the request names, as answers name it; left out where it names none.
     */
    fingerprint_hash?: string;
    /**
     * The nonce of the request.
     */
    nonce?: string;
    /**
     * SHA-256, in hex, of the method, a space, the path with its query, a line feed, and the body as it was sent.
     */
    request_hash: string;
    /**
     * When this was signed.
     */
    issued_at: string;
};

/**
 * How long a bucket of time is: an hour, a day, a week from Monday, a month or a year. Buckets start with those of UTC.
 */
export type ReportBucket = '1h' | '1d' | '1w' | '1mo' | '1y';

/**
 * A report frozen into a file.
 */
export type ReportExport = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: ReportExportId;
    /**
     * Which report it is.
     */
    report_kind: ReportKind;
    /**
     * What is downloaded.
     */
    format: ReportFormat;
    /**
     * How it stands.
     */
    status: ReportExportStatus;
    /**
     * As they were given; what was left out is filled in when it is frozen.
     */
    filters: {
        [key: string]: unknown;
    };
    /**
     * The products that it tells of: those that the key is limited to that made it. Absent: all of them.
     */
    product_ids?: Array<ProductId>;
    /**
     * As it was asked for.
     */
    time_zone?: string;
    /**
     * How far the work is.
     */
    progress: {
        /**
         * Rows written so far.
         */
        rows: number;
        /**
         * Rows there are, once counted.
         */
        total?: number;
    };
    /**
     * What the report counts and lists is what the events of the feed up to this one tell.
     */
    as_of_sequence?: number;
    /**
     * The signed checkpoint of the event feed that covers it.
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
     * The name that the file is downloaded under.
     */
    file_name: string;
    /**
     * Why it failed; only a failed export has it.
     */
    failure?: ReportExportFailure;
    /**
     * The id of the management key that asked for it.
     */
    created_by: string;
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When it last changed.
     */
    updated_at: string;
    /**
     * When the report was frozen.
     */
    frozen_at?: string;
    /**
     * When the file was ready.
     */
    ready_at?: string;
    /**
     * When the file is removed; the digests and the manifest stay.
     */
    expires_at?: string;
    /**
     * Why the file is no longer there.
     */
    expired_reason?: ReportExportExpiredReason;
    /**
     * Where the file is downloaded from, with a management key.
     */
    download_url: string;
};

/**
 * What was asked for, in `data`.
 */
export type ReportExportAnswer = {
    /**
     * What was asked for.
     */
    data: ReportExport;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * The newest signed checkpoint of the event feed.
 */
export type ReportExportCheckpoint = {
    /**
     * How many events the tree covers.
     */
    tree_size: number;
    /**
     * The root of the tree, 64 hexadecimal digits.
     */
    root_hash: string;
};

/**
 * A report to freeze into a file.
 */
export type ReportExportCreateRequest = {
    /**
     * Which report it is.
     */
    report_kind: ReportKind;
    /**
     * What is downloaded; json when left out.
     */
    format?: ReportFormat;
    /**
     * The time zone of the reader.
     */
    time_zone?: string;
    /**
     * The query parameters of the report of this kind, but for `limit` and `cursor`: an export has every row.
     */
    filters?: {
        [key: string]: unknown;
    };
};

/**
 * What is delivered for `report_export.created`.
 */
export type ReportExportCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'report_export.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'report_export.created';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: ReportExport;
};

/**
 * What is delivered for `report_export.downloaded`.
 */
export type ReportExportDownloadedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'report_export.downloaded';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'report_export.downloaded';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: ReportExport;
};

/**
 * Why the file is gone: its time was over, or a customer whose name or address it held was erased.
 */
export type ReportExportExpiredReason = 'retention' | 'customer_erased';

/**
 * What is delivered for `report_export.failed`.
 */
export type ReportExportFailedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'report_export.failed';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'report_export.failed';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: ReportExport;
};

/**
 * Why an export failed.
 */
export type ReportExportFailure = {
    /**
     * Why it failed, for programs.
     */
    code: string;
    /**
     * What it is about, for people. The wording may change.
     */
    message: string;
};

/**
 * Identifier: `rptx_` and 26 characters; later ids sort after earlier ones.
 */
export type ReportExportId = string;

/**
 * What the service signed about an export.
 */
export type ReportExportManifest = {
    /**
     * Names the form of this object; it changes when a reader would have to change.
     */
    schema: 'countersign/export-manifest/v1';
    /**
     * The id of the export.
     */
    export_id: ReportExportId;
    /**
     * Which report it is.
     */
    report_kind: ReportKind;
    /**
     * What is downloaded.
     */
    format: ReportFormat;
    /**
     * The name that the file is downloaded under.
     */
    file_name: string;
    /**
     * The media type of the file.
     */
    content_type: string;
    /**
     * The rows, or how many there are.
     */
    rows: number;
    /**
     * The report tells what the events of the feed up to this one tell.
     */
    as_of_sequence: number;
    /**
     * The signed checkpoint of the event feed that covers it.
     */
    checkpoint?: ReportExportCheckpoint;
    /**
     * When the report was frozen.
     */
    frozen_at: string;
    /**
     * `sha256:` and the SHA-256 of the frozen snapshot, in hex.
     */
    digest: string;
    /**
     * Size of the frozen snapshot in bytes.
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
 * A signed answer: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type ReportExportManifestAnswer = {
    /**
     * What was asked for.
     */
    data: ReportExportManifest;
    /**
     * The signature over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A page of a list, in `data`.
 */
export type ReportExportPage = {
    /**
     * What was asked for.
     */
    data: Array<ReportExport>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What is delivered for `report_export.ready`.
 */
export type ReportExportReadyDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'report_export.ready';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'report_export.ready';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: ReportExport;
};

/**
 * Only a ready export can be downloaded; of an expired one the digests and the manifest are left.
 */
export type ReportExportStatus = 'queued' | 'running' | 'ready' | 'failed' | 'expired';

/**
 * The format of a file.
 */
export type ReportFormat = 'json' | 'csv' | 'pdf';

/**
 * Which report.
 */
export type ReportKind = 'usage-summary' | 'usage-ledger' | 'license-audit' | 'customer-summary' | 'subscription-settlement';

/**
 * About the answer itself.
 */
export type ResponseMeta = {
    /**
     * The id of the request. Quote it when you ask for help.
     */
    request_id: string;
    /**
     * When the answer was made, on the service's clock.
     */
    timestamp: string;
    /**
     * Omitted if empty.
     */
    warnings?: Array<ResponseWarning>;
    /**
     * The signed verdict, of a refusal that decides about the license of an app.
     */
    refusal?: SignedRefusal;
};

/**
 * Something that was done as asked and is likely not what you want.
 */
export type ResponseWarning = {
    /**
     * What the warning is about, for programs.
     */
    code: string;
    /**
     * What it is about, for people. The wording may change.
     */
    message: string;
    /**
     * The member or parameter that it is about.
     */
    field?: string;
};

/**
 * What may no longer be trusted, for machines that cannot ask.
 */
export type RevocationList = {
    /**
     * Grows with every revocation.
     */
    number: number;
    /**
     * When this was signed.
     */
    issued_at: string;
    /**
     * When there is a new list at the latest.
     */
    next_update: string;
    /**
     * Until when the answer may be relied on without asking again.
     */
    valid_until: string;
    /**
     * The ids of the licenses that must not run.
     */
    revoked_license_ids: Array<string>;
    /**
     * The ids of the signing keys that must not be trusted.
     */
    revoked_kids: Array<string>;
    /**
     * The ids of the revoked offline files; absent when there is none. A file carries its id as `offline_file_id`.
     */
    revoked_offline_files?: Array<string>;
};

/**
 * A signed answer: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type RevocationListAnswer = {
    /**
     * What was asked for.
     */
    data: RevocationList;
    /**
     * The signature over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A key that was revoked: nothing that it signed may be trusted but checkpoints that were kept from before.
 */
export type RevokedKey = {
    /**
     * The id of the signing key.
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
     * How it stands.
     */
    status: 'revoked';
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When it was revoked.
     */
    revoked_at: string;
};

/**
 * Who asks: `fingerprint` names a machine; with `is_container: true`, at least one of `cluster_id`, `namespace`, `pod_name` and `container_id` names a container.
 */
export type RuntimeBindingRequest = {
    /**
     * What tells this machine from others; your app computes it. Blanks around it do not count. Needed unless `is_container` is true.
     */
    fingerprint?: string;
    /**
     * The name of the machine, for people.
     */
    hostname?: string;
    /**
     * The operating system, for people.
     */
    os?: string;
    /**
     * Hashes of what the machine is made of, by which activate and checkout know it when its fingerprint has changed.
     */
    components?: DeviceComponents;
    /**
     * Whether it is a virtual machine; a policy may refuse those. `false` by default.
     */
    is_vm?: boolean;
    /**
     * Whether it runs in a container. Then it is told apart by `cluster_id`, `namespace`, `pod_name` and `container_id`, of which at least one is needed.
     */
    is_container?: boolean;
    /**
     * The container, as its runtime names it.
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
     * The version of the app that asks, as its vendor writes it. The answer then says whether it is covered.
     */
    app_version?: string;
    /**
     * The code of the product that asks, or one that it had before: a license of another product is refused, and the answer names the product by this code.
     */
    product_code?: string;
    /**
     * 8 to 128 characters of your choice that stand in the signed answer, so that no old answer can be replayed to you. Also as the header x-nonce.
     */
    nonce?: string;
};

/**
 * What the license grants to this device, and for how long the answer is good.
 */
export type RuntimeEntitlementResponseData = {
    /**
     * The id of the license.
     */
    license_id: string;
    /**
     * How it stands.
     */
    status: string;
    /**
     * What is sold: for ever, for a time, by subscription, to try, or by use.
     */
    license_type: LicenseType;
    /**
     * Grows with every change of what the license grants.
     */
    entitlement_version: number;
    /**
     * The id of the product.
     */
    product_id: string;
    /**
     * The code of the product. In an answer it is the one that the request named, also if the product has another by now.
     */
    product_code: string;
    /**
     * The code of the policy.
     */
    policy_code: string;
    /**
     * The id of the device.
     */
    device_id: string;
    /**
     * The SHA-256 of the device's binding key, in hex: compare it with your own.
     */
    fingerprint_hash: string;
    /**
     * When this was signed.
     */
    issued_at: string;
    /**
     * Until when the answer may be relied on without asking again.
     */
    valid_until: string;
    /**
     * When it ends; without it, never.
     */
    expires_at?: string;
    /**
     * 8 to 128 characters of your choice that stand in the signed answer, so that no old answer can be replayed to you. Also as the header x-nonce.
     */
    nonce?: string;
    /**
     * When the app should ask again.
     */
    next_check_at: string;
    /**
     * What the license grants, feature by feature.
     */
    features: Array<FeatureEntitlement>;
    /**
     * Whether the license covers the version that asks. Only in answers to requests with `app_version`.
     */
    version_eligibility?: VersionEligibility;
    /**
     * How far the license is over its limit, where its terms serve beyond it.
     */
    overage?: Overage;
};

/**
 * A call of the runtime API.
 */
export type RuntimeOperation = 'activate' | 'validate' | 'check' | 'consume' | 'deactivate' | 'offline' | 'checkout' | 'heartbeat' | 'checkin';

/**
 * What the trial grants to this device, with the key of its license.
 */
export type RuntimeTrialResponseData = {
    /**
     * The id of the license.
     */
    license_id: string;
    /**
     * How it stands.
     */
    status: string;
    /**
     * What is sold: for ever, for a time, by subscription, to try, or by use.
     */
    license_type: LicenseType;
    /**
     * Grows with every change of what the license grants.
     */
    entitlement_version: number;
    /**
     * The id of the product.
     */
    product_id: string;
    /**
     * The code of the product. In an answer it is the one that the request named, also if the product has another by now.
     */
    product_code: string;
    /**
     * The code of the policy.
     */
    policy_code: string;
    /**
     * The id of the device.
     */
    device_id: string;
    /**
     * The SHA-256 of the device's binding key, in hex: compare it with your own.
     */
    fingerprint_hash: string;
    /**
     * When this was signed.
     */
    issued_at: string;
    /**
     * Until when the answer may be relied on without asking again.
     */
    valid_until: string;
    /**
     * When it ends; without it, never.
     */
    expires_at?: string;
    /**
     * 8 to 128 characters of your choice that stand in the signed answer, so that no old answer can be replayed to you. Also as the header x-nonce.
     */
    nonce?: string;
    /**
     * When the app should ask again.
     */
    next_check_at: string;
    /**
     * What the license grants, feature by feature.
     */
    features: Array<FeatureEntitlement>;
    /**
     * Whether the license covers the version that asks. Only in answers to requests with `app_version`.
     */
    version_eligibility?: VersionEligibility;
    /**
     * How far the license is over its limit, where its terms serve beyond it.
     */
    overage?: Overage;
    /**
     * The key of the trial's license, for every other runtime call. Shown again at a repeat, as long as the license is a trial; absent once management has replaced it.
     */
    license_key?: string;
};

/**
 * A seat beyond the new limit that is given back.
 */
export type SeatDifference = {
    /**
     * Which seat is given back: the activation of a `device`, or a floating `lease`.
     */
    kind: 'device' | 'lease';
    /**
     * The device that is reset, or the lease that is released.
     */
    id: string;
};

/**
 * What a settlement is grouped by.
 */
export type SettlementGroup = 'license_id' | 'feature_code';

/**
 * An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`.
 */
export type Signature = {
    /**
     * The algorithm, always the same.
     */
    alg: 'Ed25519';
    /**
     * The algorithm: Ed25519 (RFC 8032).
     */
    algorithm: 'Ed25519';
    /**
     * The id of the signing key.
     */
    kid: string;
    /**
     * The signature, 64 bytes in base64.
     */
    value: string;
};

/**
 * Of a refusal that decides about the license of an app.
 */
export type SignedRefusal = {
    /**
     * What was asked for.
     */
    data: RefusalStatement;
    /**
     * The signature over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
};

/**
 * A signing key, as management sees it. The private half never leaves the service.
 */
export type SigningKey = {
    /**
     * The id of the signing key.
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
     * How it stands.
     */
    status: 'active' | 'retired' | 'revoked';
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When the next key took its place.
     */
    retired_at?: string;
    /**
     * When it was revoked.
     */
    revoked_at?: string;
};

/**
 * What was asked for, in `data`.
 */
export type SigningKeyAnswer = {
    /**
     * What was asked for.
     */
    data: SigningKey;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What is delivered for `signing_key.created`.
 */
export type SigningKeyCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'signing_key.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'signing_key.created';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: SigningKey;
};

/**
 * A page of a list, in `data`.
 */
export type SigningKeyPage = {
    /**
     * What was asked for.
     */
    data: Array<SigningKey>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What is delivered for `signing_key.retired`.
 */
export type SigningKeyRetiredDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'signing_key.retired';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'signing_key.retired';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: SigningKey;
};

/**
 * What is delivered for `signing_key.revoked`.
 */
export type SigningKeyRevokedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'signing_key.revoked';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'signing_key.revoked';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: SigningKey;
};

/**
 * A recurring contract in a billing system, mirrored here so that licenses can be traced to it.
 */
export type Subscription = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * The id of the product.
     */
    product_id: string;
    /**
     * The id of the customer that it belongs to.
     */
    customer_id?: string;
    /**
     * The billing system that it comes from, for example `stripe`.
     */
    external_system: string;
    /**
     * The id that it has there; unique together with `external_system` within the product.
     */
    external_id: string;
    /**
     * How it stands.
     */
    status: SubscriptionStatus;
    /**
     * When the period that is paid for started.
     */
    current_period_start: string;
    /**
     * When the period that is paid for ends; not before it starts.
     */
    current_period_end: string;
    /**
     * Whether it ends with the current period instead of being renewed. `false` by default.
     */
    cancel_at_period_end: boolean;
    /**
     * When it was canceled. Only a subscription whose `status` is `canceled` has it.
     */
    canceled_at?: string;
    /**
     * When the billing system changed the record, by its own clock: the `created` of its event. What is older than what is stored changes nothing and is answered with the warning SOURCE_OUTDATED, so that events may come in any order. Send the whole record with it, as the event shows it: of a part, the rest would be lost. Left out, a change is made whatever is stored. At most a day ahead of the service.
     */
    source_updated_at?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When it last changed.
     */
    updated_at: string;
};

/**
 * What was asked for, in `data`.
 */
export type SubscriptionAnswer = {
    /**
     * What was asked for.
     */
    data: Subscription;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A subscription to record.
 */
export type SubscriptionCreateRequest = {
    /**
     * The id of the customer that it belongs to.
     */
    customer_id?: string;
    /**
     * The billing system that it comes from, for example `stripe`.
     */
    external_system: string;
    /**
     * The id that it has there; unique together with `external_system` within the product.
     */
    external_id: string;
    /**
     * How it stands.
     */
    status: SubscriptionStatus;
    /**
     * When the period that is paid for started.
     */
    current_period_start: string;
    /**
     * When the period that is paid for ends; not before it starts.
     */
    current_period_end: string;
    /**
     * Whether it ends with the current period instead of being renewed. `false` by default.
     */
    cancel_at_period_end?: boolean;
    /**
     * When it was canceled. Only a subscription whose `status` is `canceled` has it.
     */
    canceled_at?: string;
    /**
     * When the billing system changed the record, by its own clock: the `created` of its event. What is older than what is stored changes nothing and is answered with the warning SOURCE_OUTDATED, so that events may come in any order. Send the whole record with it, as the event shows it: of a part, the rest would be lost. Left out, a change is made whatever is stored. At most a day ahead of the service.
     */
    source_updated_at?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * What is delivered for `subscription.created`.
 */
export type SubscriptionCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'subscription.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'subscription.created';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Subscription;
};

/**
 * What is delivered for `subscription.deleted`.
 */
export type SubscriptionDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'subscription.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'subscription.deleted';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Subscription;
};

/**
 * A page of a list, in `data`.
 */
export type SubscriptionPage = {
    /**
     * What was asked for.
     */
    data: Array<Subscription>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What was used on the licenses of a subscription or an order.
 */
export type SubscriptionSettlementReport = {
    /**
     * Changes when a reader of the report would have to change.
     */
    schema: 'countersign/report/subscription-settlement/v1';
    /**
     * Which report it is.
     */
    report_kind: 'subscription-settlement';
    /**
     * The filters as they were applied, with what was left out filled in.
     */
    filters: {
        /**
         * The id of the subscription that it belongs to.
         */
        subscription_id?: string;
        /**
         * The id of the order that it came from.
         */
        order_id?: string;
        /**
         * Where the window starts; the instant itself belongs to it.
         */
        from: string;
        /**
         * Where the window ends; the instant itself does not belong to it.
         */
        to: string;
        /**
         * What rows are grouped by.
         */
        group_by?: SettlementGroup;
        /**
         * The products that the report tells of: those that the management key is limited to.
         */
        product_ids?: Array<string>;
    };
    /**
     * The report in a few figures.
     */
    summary: {
        /**
         * The subscription or the order.
         */
        subject: {
            /**
             * What it is.
             */
            type: 'subscription' | 'order';
            /**
             * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
             */
            id: string;
            /**
             * The id of the product.
             */
            product_id: string;
            /**
             * The id of the customer that it belongs to.
             */
            customer_id?: string;
            /**
             * The id of the subscription that it belongs to.
             */
            subscription_id?: string;
            /**
             * The billing system that it comes from, for example `stripe`.
             */
            external_system: string;
            /**
             * The id that it has there; unique together with `external_system` within the product.
             */
            external_id: string;
            /**
             * How it stands.
             */
            status: string;
            /**
             * When the period that was paid for starts; both dates or none.
             */
            period_start?: string;
            /**
             * When the period that was paid for ends; both dates or none.
             */
            period_end?: string;
        };
        /**
         * How many licenses there are.
         */
        licenses: number;
        /**
         * How often licenses were renewed in the window.
         */
        renewals: number;
        /**
         * The sum of the corrections in the window.
         */
        adjusted: number;
        /**
         * How many times it was used.
         */
        uses: number;
        /**
         * How much was used, summed up.
         */
        amount: number;
        /**
         * How much of the amount lies over quotas; absent where none does.
         */
        overage?: number;
        /**
         * The first use.
         */
        first_at?: string;
        /**
         * The last use.
         */
        last_at?: string;
    };
    /**
     * The rows, or how many there are.
     */
    rows: Array<{
        /**
         * What `group_by` names.
         */
        group: string;
        /**
         * A name of the group, for people.
         */
        label?: string;
        /**
         * How many times it was used.
         */
        uses: number;
        /**
         * How much was used, summed up.
         */
        amount: number;
        /**
         * How much of the amount lies over quotas; absent where none does.
         */
        overage?: number;
        /**
         * The first use.
         */
        first_at?: string;
        /**
         * The last use.
         */
        last_at?: string;
        /**
         * The sum of the corrections in the window; negative where they took away.
         */
        adjusted: number;
    }>;
    /**
     * How many rows there are; an export has them all.
     */
    total_rows: number;
    /**
     * Whether there are more rows than these.
     */
    truncated: boolean;
};

/**
 * What was asked for, in `data`.
 */
export type SubscriptionSettlementReportAnswer = {
    /**
     * What was asked for.
     */
    data: SubscriptionSettlementReport;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * How the subscription stands in its billing system. Nothing follows from it here.
 */
export type SubscriptionStatus = 'trialing' | 'active' | 'past_due' | 'paused' | 'canceled';

/**
 * What to change of a subscription. Members left out stay as they are.
 */
export type SubscriptionUpdateRequest = {
    /**
     * The customer; the empty string clears the link.
     */
    customer_id?: string;
    /**
     * The billing system that it comes from, for example `stripe`.
     */
    external_system?: string;
    /**
     * The id that it has there; unique together with `external_system` within the product.
     */
    external_id?: string;
    /**
     * How it stands.
     */
    status?: SubscriptionStatus;
    /**
     * When the period that is paid for started.
     */
    current_period_start?: string;
    /**
     * When the period that is paid for ends; not before it starts.
     */
    current_period_end?: string;
    /**
     * Whether it ends with the current period instead of being renewed. `false` by default.
     */
    cancel_at_period_end?: boolean;
    /**
     * When it was canceled. Only a subscription whose `status` is `canceled` has it.
     */
    canceled_at?: string;
    /**
     * When the billing system changed the record, by its own clock: the `created` of its event. What is older than what is stored changes nothing and is answered with the warning SOURCE_OUTDATED, so that events may come in any order. Send the whole record with it, as the event shows it: of a part, the rest would be lost. Left out, a change is made whatever is stored. At most a day ahead of the service.
     */
    source_updated_at?: string;
    /**
     * A JSON object of your own, at most 16 KiB and 32 levels deep. The service stores it and reads nothing in it.
     */
    metadata?: {
        [key: string]: unknown;
    };
};

/**
 * What is delivered for `subscription.updated`.
 */
export type SubscriptionUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'subscription.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'subscription.updated';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: Subscription;
};

/**
 * Where the term comes from.
 */
export type TermSource = 'policy' | 'override' | 'license' | 'subscription';

/**
 * A rule that is in force, and where it comes from.
 */
export type TextTerm = {
    /**
     * The value.
     */
    value: string;
    /**
     * Where the window starts; the instant itself belongs to it.
     */
    from: TermSource;
};

/**
 * What a management token is, as its bearer may know.
 */
export type TokenIdentity = {
    /**
     * `management_key` was made by `POST /api/v1/api-keys`. `bootstrap` is the token of the installation.
     */
    kind: 'bootstrap' | 'management_key';
    /**
     * As events and activities name it in `actor_id`; `bootstrap` for that token.
     */
    id: string;
    /**
     * The name that the key was given. The bootstrap token has none.
     */
    name?: string;
    /**
     * The beginning of the token. Absent for the bootstrap token.
     */
    key_prefix?: string;
    /**
     * What the token may do. `admin` may do everything.
     */
    scopes: Array<ManagementScope>;
    /**
     * Network ranges that the key may be used from, such as `192.0.2.0/24`. Empty: from anywhere.
     */
    allowed_cidrs: Array<string>;
    /**
     * The products that the key is limited to; absent where it may do all.
     */
    product_ids?: Array<ProductId>;
    /**
     * When the token stops to work; absent if never.
     */
    expires_at?: string;
    /**
     * When the key was last used, at most a minute late; absent if never.
     */
    last_used_at?: string;
    /**
     * When the key was created. Absent for the bootstrap token.
     */
    created_at?: string;
};

/**
 * What was asked for, in `data`.
 */
export type TokenIdentityAnswer = {
    /**
     * What was asked for.
     */
    data: TokenIdentity;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * The admin token was replaced.
 */
export type TokenRotatedEventData = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
};

/**
 * A signed answer: `signature` covers the canonical JSON (RFC 8785) of `data`.
 */
export type TrialAnswer = {
    /**
     * What was asked for.
     */
    data: RuntimeTrialResponseData;
    /**
     * The signature over the canonical JSON (RFC 8785) of `data`.
     */
    signature: Signature;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A metered use.
 */
export type UsageEventData = {
    /**
     * The id of the license.
     */
    license_id: string;
    /**
     * The id of the device.
     */
    device_id: string;
    /**
     * The id of the feature.
     */
    feature_id: string;
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * The caller's own id of the use.
     */
    event_id: string;
    /**
     * How much was used, summed up.
     */
    amount: number;
    /**
     * How much was used in all.
     */
    total_consumptions: number;
    /**
     * The quota; without it the use is counted and not limited.
     */
    max_consumptions?: number;
    /**
     * How much of the quota is left.
     */
    remaining?: number;
    /**
     * How much of the amount lies over the quota.
     */
    over_quota?: number;
    /**
     * The same as `over_quota`, by its former name.
     */
    overage?: number;
    /**
     * When the quota starts again.
     */
    period?: QuotaPeriod;
    /**
     * When the period of the quota began.
     */
    period_start?: string;
    /**
     * What was used in the period.
     */
    period_consumptions?: number;
    /**
     * When the quota starts again next.
     */
    period_ends_at?: string;
};

/**
 * What use is grouped by.
 */
export type UsageGroup = 'product_id' | 'customer_id' | 'license_id' | 'order_id' | 'subscription_id' | 'feature_code';

/**
 * A use, a correction of it, or its end because the license lost the feature.
 */
export type UsageLedgerAction = 'license.usage_recorded' | 'license.usage_reset' | 'license.feature_removed';

/**
 * A metered use, or a correction of what was used.
 */
export type UsageLedgerEntry = {
    /**
     * The id of the event of the audit-backed feed.
     */
    id: string;
    /**
     * When it happened.
     */
    occurred_at: string;
    /**
     * What was done, or what the refused request asked for.
     */
    action: UsageLedgerAction;
    /**
     * The id of the license.
     */
    license_id: string;
    /**
     * The id of the feature.
     */
    feature_id: string;
    /**
     * The code of the feature.
     */
    feature_code: string;
    /**
     * By how much the total changed; only corrections may take away.
     */
    amount: number;
    /**
     * Of this feature of the license, after the entry.
     */
    total_consumptions: number;
    /**
     * The quota after a correction.
     */
    max_consumptions?: number;
    /**
     * The id of the device.
     */
    device_id?: string;
    /**
     * The caller's own id of the use.
     */
    event_id?: string;
    /**
     * How much of the amount lies over the quota.
     */
    overage?: number;
    /**
     * The id of the product.
     */
    product_id?: string;
    /**
     * The id of the customer that it belongs to.
     */
    customer_id?: string;
    /**
     * The id of the order that it came from.
     */
    order_id?: string;
    /**
     * The id of the subscription that it belongs to.
     */
    subscription_id?: string;
    /**
     * The id of the request. Quote it when you ask for help.
     */
    request_id?: string;
};

/**
 * A page of a list, in `data`.
 */
export type UsageLedgerEntryPage = {
    /**
     * What was asked for.
     */
    data: Array<UsageLedgerEntry>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * Metered use, added up.
 */
export type UsageSummaryReport = {
    /**
     * Changes when a reader of the report would have to change.
     */
    schema: 'countersign/report/usage-summary/v1';
    /**
     * Which report it is.
     */
    report_kind: 'usage-summary';
    /**
     * The filters as they were applied, with what was left out filled in.
     */
    filters: {
        /**
         * Where the window starts; the instant itself belongs to it.
         */
        from: string;
        /**
         * Where the window ends; the instant itself does not belong to it.
         */
        to: string;
        /**
         * What rows are grouped by.
         */
        group_by?: UsageGroup;
        /**
         * Where the bucket of time starts, or how long buckets are, in UTC.
         */
        bucket?: ReportBucket;
        /**
         * The id of the product.
         */
        product_id?: string;
        /**
         * The id of the customer that it belongs to.
         */
        customer_id?: string;
        /**
         * The id of the license.
         */
        license_id?: string;
        /**
         * The id of the order that it came from.
         */
        order_id?: string;
        /**
         * The id of the subscription that it belongs to.
         */
        subscription_id?: string;
        /**
         * The code of the feature.
         */
        feature_code?: string;
        /**
         * The products that the report tells of: those that the management key is limited to.
         */
        product_ids?: Array<string>;
    };
    /**
     * The report in a few figures.
     */
    summary: {
        /**
         * How many times it was used.
         */
        uses: number;
        /**
         * How much was used, summed up.
         */
        amount: number;
        /**
         * How much of the amount lies over quotas; absent where none does.
         */
        overage?: number;
        /**
         * The first use.
         */
        first_at?: string;
        /**
         * The last use.
         */
        last_at?: string;
    };
    /**
     * The rows, or how many there are.
     */
    rows: Array<{
        /**
         * Where the bucket starts.
         */
        bucket?: string;
        /**
         * What `group_by` names; absent for use that has none.
         */
        group?: string;
        /**
         * A name of the group, for people.
         */
        label?: string;
        /**
         * How many times it was used.
         */
        uses: number;
        /**
         * How much was used, summed up.
         */
        amount: number;
        /**
         * How much of the amount lies over quotas; absent where none does.
         */
        overage?: number;
        /**
         * The first use.
         */
        first_at?: string;
        /**
         * The last use.
         */
        last_at?: string;
    }>;
    /**
     * How many rows there are; an export has them all.
     */
    total_rows: number;
    /**
     * Whether there are more rows than these.
     */
    truncated: boolean;
    /**
     * The amount in every bucket of the window, those without use included.
     */
    series?: Array<{
        /**
         * Where the bucket of time starts, or how long buckets are, in UTC.
         */
        bucket: string;
        /**
         * The value.
         */
        value: number;
    }>;
};

/**
 * What was asked for, in `data`.
 */
export type UsageSummaryReportAnswer = {
    /**
     * What was asked for.
     */
    data: UsageSummaryReport;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A value of the license that is another one.
 */
export type ValueDifference = {
    /**
     * Whether it is a rule of the terms (`term`), a member of the `license`, or a `counter` that starts again.
     */
    kind: 'term' | 'license' | 'counter';
    /**
     * The name of the rule or member, or the code of the counted feature.
     */
    name: string;
    /**
     * What it was; absent where it was not there.
     */
    before?: string | number | boolean;
    /**
     * What it is now; absent where it is gone.
     */
    after?: string | number | boolean;
};

/**
 * What is delivered for `version.created`.
 */
export type VersionCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'version.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'version.created';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: ProductVersion;
};

/**
 * What is delivered for `version.deleted`.
 */
export type VersionDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'version.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'version.deleted';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: ProductVersion;
};

/**
 * Whether the license covers the version that asks. It informs and refuses nothing.
 */
export type VersionEligibility = {
    /**
     * The version of the app that asks, as its vendor writes it. The answer then says whether it is covered.
     */
    app_version: string;
    /**
     * Whether the license covers this version. The app decides what to do about it.
     */
    is_entitled: boolean;
    /**
     * Whether there was something to hold the version against: a catalogue, and an end of maintenance.
     */
    enforced: boolean;
    /**
     * When the version was released; now by default.
     */
    released_at?: string;
    /**
     * Versions that were released by then are covered.
     */
    eligible_through?: string;
};

/**
 * What is delivered for `version.updated`.
 */
export type VersionUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'version.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'version.updated';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: ProductVersion;
};

/**
 * What is delivered for `webhook.created`.
 */
export type WebhookCreatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'webhook.created';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'webhook.created';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: WebhookEndpointInEvent;
};

/**
 * What is delivered for `webhook.deleted`.
 */
export type WebhookDeletedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'webhook.deleted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'webhook.deleted';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: WebhookEndpointInEvent;
};

/**
 * What is delivered for `webhook.delivery_exhausted`.
 */
export type WebhookDeliveryExhaustedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'webhook.delivery_exhausted';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'webhook.delivery_exhausted';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: DeliveryExhaustedEventData;
};

/**
 * What is delivered for `webhook.disabled`.
 */
export type WebhookDisabledDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'webhook.disabled';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'webhook.disabled';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: WebhookEndpointInEvent;
};

/**
 * `gone`: the receiver answered 410. `requested_by_receiver`: it answered `webhook-delivery: disable`. `failing`: nothing was delivered for 120 hours and at least 10 deliveries failed.
 */
export type WebhookDisabledReason = 'gone' | 'requested_by_receiver' | 'failing';

/**
 * Where events are delivered.
 */
export type WebhookEndpoint = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * Where deliveries are sent: https, and no address inside your operator's network.
     */
    url: string;
    /**
     * The beginning of the secret, to recognise it by.
     */
    secret_prefix: string;
    /**
     * The event kinds, or families such as `license.*`, that it receives. Empty: all.
     */
    event_types: Array<string>;
    /**
     * The headers of the receiver's own that deliveries have, where there are any. Their values are never shown.
     */
    header_names?: Array<string>;
    /**
     * `true` where deliveries arrive in order; otherwise it is left out.
     */
    ordered?: boolean;
    /**
     * Whether it is in use.
     */
    is_active: boolean;
    /**
     * How it stands.
     */
    status: 'active' | 'paused' | 'disabled';
    /**
     * Why the service gave the endpoint up.
     */
    disabled_reason?: WebhookDisabledReason;
    /**
     * When the service gave the endpoint up.
     */
    disabled_at?: string;
    /**
     * Since when nothing could be delivered; absent while deliveries succeed.
     */
    failing_since?: string;
    /**
     * When a delivery was last answered 2xx.
     */
    last_delivery_at?: string;
    /**
     * How the last attempt ended.
     */
    last_outcome?: WebhookLastOutcome;
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When it last changed.
     */
    updated_at: string;
};

/**
 * What was asked for, in `data`.
 */
export type WebhookEndpointAnswer = {
    /**
     * What was asked for.
     */
    data: WebhookEndpoint;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * A webhook endpoint to create.
 */
export type WebhookEndpointCreateRequest = {
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * https; plain http only for addresses that the operator has allowed, and for names that have such addresses alone.
     */
    url: string;
    /**
     * Event kinds, or families such as `license.*`. An empty list takes every event.
     */
    event_types?: Array<EventSubscription>;
    /**
     * 16 to 128 printable characters. Behind `whsec_` stands padded standard base64, and the decoded part is the key of the Standard Webhooks headers; of anything else it is its UTF-8 bytes.
     */
    secret?: string;
    /**
     * Headers of the receiver's own, by name.
     */
    headers?: WebhookRequestHeaders;
    /**
     * `true`: one delivery at a time, in the order of `sequence`, and none before the one before it was accepted. One that fails holds up all after it, is tried again at least every five minutes, and is never given up.
     */
    ordered?: boolean;
    /**
     * `false` creates it paused. `true` by default.
     */
    is_active?: boolean;
};

/**
 * An endpoint as events tell of it: of its URL only the origin.
 */
export type WebhookEndpointInEvent = {
    /**
     * Its id, which never changes: a prefix of its type and 26 characters. Later ids sort after earlier ones.
     */
    id: string;
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * Where it leads: scheme, host and port. Path and query may hold a secret of the receiver, and stand as `***`. The endpoint itself shows them.
     */
    url: string;
    /**
     * The beginning of the secret, to recognise it by.
     */
    secret_prefix: string;
    /**
     * The event kinds, or families such as `license.*`, that it receives. Empty: all.
     */
    event_types: Array<string>;
    /**
     * The headers of the receiver's own that deliveries have, where there are any. Their values are never shown.
     */
    header_names?: Array<string>;
    /**
     * `true` where deliveries arrive in order; otherwise it is left out.
     */
    ordered?: boolean;
    /**
     * Whether it is in use.
     */
    is_active: boolean;
    /**
     * How it stands.
     */
    status: 'active' | 'paused' | 'disabled';
    /**
     * Why the service gave the endpoint up.
     */
    disabled_reason?: WebhookDisabledReason;
    /**
     * When the service gave the endpoint up.
     */
    disabled_at?: string;
    /**
     * Since when nothing could be delivered; absent while deliveries succeed.
     */
    failing_since?: string;
    /**
     * When a delivery was last answered 2xx.
     */
    last_delivery_at?: string;
    /**
     * When it came into being.
     */
    created_at: string;
    /**
     * When it last changed.
     */
    updated_at: string;
};

/**
 * A page of a list, in `data`.
 */
export type WebhookEndpointPage = {
    /**
     * What was asked for.
     */
    data: Array<WebhookEndpoint>;
    /**
     * Where the list goes on.
     */
    page_info: PageInfo;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * An endpoint that goes on from now, and what it is not sent any more.
 */
export type WebhookEndpointResumed = {
    /**
     * The endpoint.
     */
    webhook: WebhookEndpoint;
    /**
     * How many events it took and is not sent any more: those that waited, and those to be tried again.
     */
    skipped_events: number;
};

/**
 * What was asked for, in `data`.
 */
export type WebhookEndpointResumedAnswer = {
    /**
     * What was asked for.
     */
    data: WebhookEndpointResumed;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What was asked for, in `data`.
 */
export type WebhookEndpointUpdateAnswer = {
    /**
     * What was asked for.
     */
    data: WebhookEndpointUpdateResponse;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What to change of a webhook endpoint. Members left out stay as they are.
 */
export type WebhookEndpointUpdateRequest = {
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name?: string;
    /**
     * https; plain http only for addresses that the operator has allowed, and for names that have such addresses alone.
     */
    url?: string;
    /**
     * Event kinds, or families such as `license.*`. An empty list takes every event.
     */
    event_types?: Array<EventSubscription>;
    /**
     * 16 to 128 printable characters. Behind `whsec_` stands padded standard base64, and the decoded part is the key of the Standard Webhooks headers; of anything else it is its UTF-8 bytes.
     */
    secret?: string;
    /**
     * Excludes `secret`.
     */
    rotate_secret?: boolean;
    /**
     * How long the secrets before this one go on signing; default one day, 0 when they are compromised. Without a new secret it shortens the time of those that have been replaced.
     */
    secret_overlap_seconds?: number;
    /**
     * Headers of the receiver's own, by name.
     */
    headers?: WebhookRequestHeadersChange;
    /**
     * `true`: one delivery at a time, in the order of `sequence`, and none before the one before it was accepted. One that fails holds up all after it, is tried again at least every five minutes, and is never given up.
     */
    ordered?: boolean;
    /**
     * `false` pauses it, `true` resumes where it stopped.
     */
    is_active?: boolean;
    /**
     * Why, for whoever reads it later, on one line. It stands in `metadata.reason_given` of the events that the request causes and in their activities, and is erased with the events of the customer that they are about.
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
     * The endpoint.
     */
    webhook: WebhookEndpoint;
    /**
     * What deliveries are signed with. It is shown only this once.
     */
    secret: string;
};

/**
 * What was asked for, in `data`.
 */
export type WebhookEndpointWithSecretAnswer = {
    /**
     * What was asked for.
     */
    data: WebhookEndpointWithSecret;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * How deliveries are doing, over all endpoints.
 */
export type WebhookHealth = {
    /**
     * How it stands.
     */
    status: 'ok' | 'degraded' | 'down';
    /**
     * Why it is not ok, for people.
     */
    reasons: Array<string>;
    /**
     * When these figures were read.
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
     * Events after the cursors of active lanes that are behind, those of other kinds included.
     */
    backlog: number;
    /**
     * For how many seconds the oldest event has been waiting to be delivered.
     */
    oldest_undelivered_seconds?: number;
    /**
     * For how many seconds the oldest retry has been due.
     */
    oldest_overdue_retry_seconds?: number;
    /**
     * How many deliveries wait for their next attempt.
     */
    retries_pending: number;
    /**
     * Deliveries that were given up after the last attempt.
     */
    exhausted: number;
    /**
     * How many endpoints are in which state.
     */
    lanes: {
        /**
         * How many endpoints receive events and answer.
         */
        active: number;
        /**
         * How many endpoints failed their last attempts.
         */
        failing: number;
        /**
         * How many endpoints are only probed now, because they did not answer.
         */
        breaker_open: number;
        /**
         * How many endpoints are paused.
         */
        paused: number;
        /**
         * How many endpoints the service has given up.
         */
        disabled: number;
    };
    /**
     * The last five minutes.
     */
    last_5m: WebhookHealthWindow;
    /**
     * The last hour.
     */
    last_1h: WebhookHealthWindow;
    /**
     * The attempts of `last_1h` by the minute, oldest first, at most 60. A minute without any is left out.
     */
    minutes: Array<WebhookHealthMinute>;
    /**
     * Up to ten endpoints with the most trouble.
     */
    worst: Array<WebhookHealthLane>;
};

/**
 * What was asked for, in `data`.
 */
export type WebhookHealthAnswer = {
    /**
     * What was asked for.
     */
    data: WebhookHealth;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * How deliveries to one endpoint are doing.
 */
export type WebhookHealthLane = {
    /**
     * The id of the endpoint.
     */
    webhook_id: string;
    /**
     * A name for people, 1 to 255 characters, of which at least one can be seen.
     */
    name: string;
    /**
     * How deliveries to it are going.
     */
    state: 'active' | 'failing' | 'breaker_open' | 'paused' | 'disabled';
    /**
     * How many events wait for the endpoint.
     */
    backlog: number;
    /**
     * How many deliveries wait for their next attempt.
     */
    retries_pending: number;
    /**
     * How many attempts failed since one succeeded.
     */
    consecutive_failures: number;
    /**
     * How many deliveries were given up after their last attempt.
     */
    exhausted: number;
    /**
     * For how many seconds the oldest event has been waiting to be delivered.
     */
    oldest_undelivered_seconds?: number;
    /**
     * Since when nothing could be delivered; absent while deliveries succeed.
     */
    failing_since?: string;
    /**
     * How the last attempt ended.
     */
    last_outcome?: string;
};

/**
 * What came of the attempts of one minute.
 */
export type WebhookHealthMinute = {
    /**
     * When the minute began.
     */
    minute: string;
    /**
     * How many deliveries were answered 2xx.
     */
    delivered: number;
    /**
     * How many attempts were not answered 2xx.
     */
    failed_attempts: number;
};

/**
 * Latency is from the commit of the event to the 2xx of the receiver, at most a quarter too high.
 */
export type WebhookHealthWindow = {
    /**
     * How many deliveries were answered 2xx.
     */
    delivered: number;
    /**
     * How many attempts were not answered 2xx.
     */
    failed_attempts: number;
    /**
     * Share of attempts that delivered, 0 to 1.
     */
    success_rate?: number;
    /**
     * Half of the deliveries took at most so many milliseconds.
     */
    p50_ms?: number;
    /**
     * 95 % of the deliveries took at most so many milliseconds.
     */
    p95_ms?: number;
    /**
     * 99 % of the deliveries took at most so many milliseconds.
     */
    p99_ms?: number;
};

/**
 * How the last attempt to deliver to an endpoint ended.
 */
export type WebhookLastOutcome = {
    /**
     * When the attempt ended.
     */
    at: string;
    /**
     * What it came to, in a word.
     */
    class: WebhookOutcomeClass;
    /**
     * The status of the answer, if there was one.
     */
    status?: number;
    /**
     * Where a redirect leads, its path masked: set `url` to what is there.
     */
    location?: string;
    /**
     * What to look at first, for people, where the answer says which side is configured wrongly.
     */
    advice?: string;
    /**
     * When the next attempt may be made, where one waits: for a retry, for the probe of an endpoint that does not answer, or for as long as the receiver asked.
     */
    next_attempt_at?: string;
};

/**
 * `delivered`: 2xx. `throttled`: 429, or 503 with Retry-After: the receiver asks for a slower pace, which counts as no attempt. `dropped`: `webhook-delivery: abort-message`. `gone`: 410, or `webhook-delivery: disable`. `redirected`: 3xx, which is not followed. `rejected`: any other status below 500. `server_error`: 500 and above. `dns`: the name does not resolve. `address_not_allowed`: it leads to an address that is not connected to. `connect`: no connection. `tls`: the handshake failed, or the certificate is not valid. `timeout`: no answer in time. `reset`: the connection broke before an answer. `protocol`: no HTTP/1.1 answer within the limits.
 */
export type WebhookOutcomeClass = 'delivered' | 'throttled' | 'dropped' | 'gone' | 'redirected' | 'rejected' | 'server_error' | 'dns' | 'address_not_allowed' | 'connect' | 'tls' | 'timeout' | 'reset' | 'protocol';

/**
 * Headers that each delivery has beside its own: at most 8, such as the key that an API gateway asks for. Stored as secrets are, and never shown again: `header_names` says which there are. Those of the connection, of the delivery (`webhook-*`, `svix-*`, `X-Service-*`) and of traces are refused.
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
 * What is delivered for `webhook.secret_rotated`.
 */
export type WebhookSecretRotatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'webhook.secret_rotated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'webhook.secret_rotated';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: WebhookEndpointInEvent;
};

/**
 * What is delivered for `webhook.skipped`.
 */
export type WebhookSkippedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'webhook.skipped';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'webhook.skipped';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: WebhookSkippedEventData;
};

/**
 * What waited for an endpoint is not sent any more.
 */
export type WebhookSkippedEventData = {
    /**
     * The id of the endpoint.
     */
    webhook_id: string;
    /**
     * How many events it took and is not sent any more.
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
 * What is delivered for `webhook.test`.
 */
export type WebhookTestDelivery = {
    /**
     * The id of the test. The feed does not have it.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'webhook.test';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'webhook.test';
    /**
     * Where the feed ends; a test has no place of its own.
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
     * What it happened to, as the event left it.
     */
    data: WebhookEndpointInEvent;
};

/**
 * What came of a test of an endpoint.
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
     * What it came to, in a word.
     */
    class: WebhookOutcomeClass;
    /**
     * The status of the answer, if there was one.
     */
    status?: number;
    /**
     * Where a redirect leads, its path masked: set `url` to what is there.
     */
    location?: string;
    /**
     * What to look at first, for people, where the answer says which side is configured wrongly.
     */
    advice?: string;
    /**
     * How long the attempt took, in milliseconds: 15 seconds at most.
     */
    duration_ms: number;
};

/**
 * What was asked for, in `data`.
 */
export type WebhookTestResultAnswer = {
    /**
     * What was asked for.
     */
    data: WebhookTestResult;
    /**
     * About the answer itself.
     */
    meta: ResponseMeta;
};

/**
 * What is delivered for `webhook.updated`.
 */
export type WebhookUpdatedDelivery = {
    /**
     * The id of the event. The feed lists it under the same id.
     */
    id: string;
    /**
     * What happened.
     */
    type: 'webhook.updated';
    /**
     * The same as `type`, as the feed calls it.
     */
    event_type: 'webhook.updated';
    /**
     * Its place in the feed, as `X-Service-Event-Sequence`.
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
     * What it happened to, as the event left it.
     */
    data: WebhookEndpointInEvent;
};

/**
 * The id of the management key. One that does not exist is 404.
 */
export type ApiKeyId = string;

/**
 * Only what came into being at this instant or later.
 */
export type CreatedFrom = string;

/**
 * Only what came into being before this instant.
 */
export type CreatedTo = string;

/**
 * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
 */
export type Cursor = string;

/**
 * The id of the custom field. One that does not exist is 404.
 */
export type CustomFieldId = string;

/**
 * The id of the customer. One that does not exist is 404.
 */
export type CustomerId = string;

/**
 * The id of the device. One that does not exist is 404.
 */
export type DeviceId = string;

/**
 * Only of this feature.
 */
export type FeatureCode = string;

/**
 * The id of the feature. One that does not exist is 404.
 */
export type FeatureId = string;

/**
 * Where the window starts; the instant itself belongs to it.
 */
export type From = string;

/**
 * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
 */
export type IdempotencyKey = string;

/**
 * Accepted and ignored: every request is answered anew.
 */
export type IdempotencyKeyIgnored = string;

/**
 * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
 */
export type IdempotencyKeyRequired = string;

/**
 * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours. What would be refused by then is refused. A nonce is part of the request.
 */
export type IdempotencyKeyRequiredRuntime = string;

/**
 * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours. What would be refused by then is refused. A nonce is part of the request.
 */
export type IdempotencyKeyRuntime = string;

/**
 * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
 */
export type IfMatch = string;

/**
 * The `ETag` that you have: 304 while it is the same (RFC 9110 section 13.1.2).
 */
export type IfNoneMatch = string;

/**
 * The `ETag` of what you have: if the file is another one, `Range` is ignored (RFC 9110 section 13.1.5).
 */
export type IfRange = string;

/**
 * `true` adds what the ids in a license stand for, as `names`. Left out: they are not shown.
 */
export type IncludeNames = boolean;

/**
 * The id of the license. One that does not exist is 404.
 */
export type LicenseId = string;

/**
 * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
 */
export type Limit = number;

/**
 * By creation: `desc`, by default, begins with the newest, `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
 */
export type Order2 = 'desc' | 'asc' | 'updated_desc' | 'updated_asc';

/**
 * Only what came from this order.
 */
export type OrderId = string;

/**
 * The id of the policy. One that does not exist is 404.
 */
export type PolicyId = string;

/**
 * The id of the product. One that does not exist is 404.
 */
export type ProductId2 = string;

/**
 * The id of the version. One that does not exist is 404.
 */
export type ProductVersionId = string;

/**
 * One range of bytes (RFC 9110 section 14).
 */
export type Range = string;

/**
 * The id of the export. One that does not exist is 404.
 */
export type ReportExportId2 = string;

/**
 * The size of the tree, which is the `sequence` of its last event. Left out: that of the latest checkpoint.
 */
export type Size = number;

/**
 * Only what belongs to this subscription.
 */
export type SubscriptionId = string;

/**
 * Where the window ends; the instant itself does not belong to it. Left out: now.
 */
export type To = string;

/**
 * Only what changed at this instant or later; without `order`, what changed last comes first. To follow changes, ask with `order=updated_asc` from the last `updated_at` that you have, and expect that entry once more.
 */
export type UpdatedFrom = string;

/**
 * The id of the webhook endpoint. One that does not exist is 404.
 */
export type WebhookEndpointId = string;

/**
 * The same as `nonce` in the body, which goes before it: it stands in the signed answer, so that no old answer can be replayed to you. Leave it out rather than empty.
 */
export type XNonce = string;

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
 * The epoch of that position: 1 until the log is restored. It is not signed; `epoch` in the body is.
 */
export type XServiceEventEpoch = number;

/**
 * The event kind, as `type` in the body.
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
 * The span of this attempt (W3C Trace Context), where the service is traced. It is not signed.
 */
export type Traceparent = string;

export type ListProductsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * By creation: `desc`, by default, begins with the newest, `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what came into being at this instant or later.
         */
        created_from?: string;
        /**
         * Only what came into being before this instant.
         */
        created_to?: string;
        /**
         * Only what changed at this instant or later; without `order`, what changed last comes first. To follow changes, ask with `order=updated_asc` from the last `updated_at` that you have, and expect that entry once more.
         */
        updated_from?: string;
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the product. One that does not exist is 404.
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
         * The id of the product. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the product. One that does not exist is 404.
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
         * The id of the product. One that does not exist is 404.
         */
        id: string;
    };
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * By creation: `desc`, by default, begins with the newest, `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what came into being at this instant or later.
         */
        created_from?: string;
        /**
         * Only what came into being before this instant.
         */
        created_to?: string;
        /**
         * Only what changed at this instant or later; without `order`, what changed last comes first. To follow changes, ask with `order=updated_asc` from the last `updated_at` that you have, and expect that entry once more.
         */
        updated_from?: string;
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the product. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the product. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the version. One that does not exist is 404.
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
         * The id of the product. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the version. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the product. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the version. One that does not exist is 404.
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
         * The id of the product. One that does not exist is 404.
         */
        id: string;
    };
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * By creation: `desc`, by default, begins with the newest, `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what came into being at this instant or later.
         */
        created_from?: string;
        /**
         * Only what came into being before this instant.
         */
        created_to?: string;
        /**
         * Only what changed at this instant or later; without `order`, what changed last comes first. To follow changes, ask with `order=updated_asc` from the last `updated_at` that you have, and expect that entry once more.
         */
        updated_from?: string;
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the product. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the product. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the custom field. One that does not exist is 404.
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
         * The id of the product. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the custom field. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the product. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the custom field. One that does not exist is 404.
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
         * The id of the customer. One that does not exist is 404.
         */
        id: string;
    };
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the customer. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the custom field. One that does not exist is 404.
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
         * The id of the license. One that does not exist is 404.
         */
        id: string;
    };
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the custom field. One that does not exist is 404.
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
         * The id of the product. One that does not exist is 404.
         */
        id: string;
    };
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * By creation: `desc`, by default, begins with the newest, `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what came into being at this instant or later.
         */
        created_from?: string;
        /**
         * Only what came into being before this instant.
         */
        created_to?: string;
        /**
         * Only what changed at this instant or later; without `order`, what changed last comes first. To follow changes, ask with `order=updated_asc` from the last `updated_at` that you have, and expect that entry once more.
         */
        updated_from?: string;
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the product. One that does not exist is 404.
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
    201: PolicyAnswer;
};

export type CreatePolicyResponse = CreatePolicyResponses[keyof CreatePolicyResponses];

export type DeletePolicyData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the policy. One that does not exist is 404.
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
         * The id of the policy. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the policy. One that does not exist is 404.
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
    200: PolicyAnswer;
};

export type UpdatePolicyResponse = UpdatePolicyResponses[keyof UpdatePolicyResponses];

export type ListPolicyFeaturesData = {
    body?: never;
    path: {
        /**
         * The id of the product. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the policy. One that does not exist is 404.
         */
        policy_id: string;
    };
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the product. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the policy. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the product. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the policy. One that does not exist is 404.
         */
        policy_id: string;
        /**
         * The id of the feature. One that does not exist is 404.
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
         * The id of the product. One that does not exist is 404.
         */
        id: string;
    };
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * By creation: `desc`, by default, begins with the newest, `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what came into being at this instant or later.
         */
        created_from?: string;
        /**
         * Only what came into being before this instant.
         */
        created_to?: string;
        /**
         * Only what changed at this instant or later; without `order`, what changed last comes first. To follow changes, ask with `order=updated_asc` from the last `updated_at` that you have, and expect that entry once more.
         */
        updated_from?: string;
        /**
         * `true` for the archived features alone, `false` for the others alone. Left out: all.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the product. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the feature. One that does not exist is 404.
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
         * The id of the feature. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the feature. One that does not exist is 404.
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
         * The id of the license. One that does not exist is 404.
         */
        id: string;
    };
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the feature. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
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
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * By creation: `desc`, by default, begins with the newest, `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what came into being at this instant or later.
         */
        created_from?: string;
        /**
         * Only what came into being before this instant.
         */
        created_to?: string;
        /**
         * Only what changed at this instant or later; without `order`, what changed last comes first. To follow changes, ask with `order=updated_asc` from the last `updated_at` that you have, and expect that entry once more.
         */
        updated_from?: string;
        /**
         * Only customers with this e-mail address. Upper and lower case are alike. In a URL its `+` is `%2B`, as clients write it.
         */
        email?: string;
        /**
         * Only customers whose name begins with this. Upper and lower case are alike.
         */
        name?: string;
        /**
         * Only the one with this code.
         */
        code?: string;
        /**
         * What a person knows: an id, a code, or how the name or the e-mail address begins.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the customer. One that does not exist is 404.
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
         * The id of the customer. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the customer. One that does not exist is 404.
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

export type EraseCustomerData = {
    body?: ActionRequest;
    headers?: {
        /**
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the customer. One that does not exist is 404.
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

export type ListLicensesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * By creation: `desc`, by default, begins with the newest, `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what came into being at this instant or later.
         */
        created_from?: string;
        /**
         * Only what came into being before this instant.
         */
        created_to?: string;
        /**
         * Only what changed at this instant or later; without `order`, what changed last comes first. To follow changes, ask with `order=updated_asc` from the last `updated_at` that you have, and expect that entry once more.
         */
        updated_from?: string;
        /**
         * Only of this product.
         */
        product_id?: string;
        /**
         * Only licenses under this policy.
         */
        policy_id?: string;
        /**
         * Only what belongs to this customer.
         */
        customer_id?: string;
        /**
         * Only what came from this order.
         */
        order_id?: string;
        /**
         * Only what belongs to this subscription.
         */
        subscription_id?: string;
        /**
         * Only those that stand like this.
         */
        status?: LicenseStatus;
        /**
         * Only licenses that expire before this instant.
         */
        expires_before?: string;
        /**
         * Only licenses that expire after this instant.
         */
        expires_after?: string;
        /**
         * Only licenses of this e-mail address: their own, or that of their customer. Upper and lower case are alike. In a URL its `+` is `%2B`, as clients write it.
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
         * What a person knows: the id of the license, its customer, order, subscription or device, the last four characters of the key, the fingerprint of a device, the code of the customer, or how the name or the e-mail address of the owner begins. A whole license key belongs into `lookupLicense`, not into an address.
         */
        q?: string;
        /**
         * `true` adds what the ids in a license stand for, as `names`. Left out: they are not shown.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
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
         * The id of the license. One that does not exist is 404.
         */
        id: string;
    };
    query?: {
        /**
         * `true` adds the rules that are in force, as `terms`. Left out: they are not shown.
         */
        include_terms?: boolean;
        /**
         * `true` adds what the ids in a license stand for, as `names`. Left out: they are not shown.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key': string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key': string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key': string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
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
         * Accepted and ignored: every request is answered anew.
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
         * Accepted and ignored: every request is answered anew.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
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
         * Accepted and ignored: every request is answered anew.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
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

export type ListLicenseDevicesData = {
    body?: never;
    path: {
        /**
         * The id of the license. One that does not exist is 404.
         */
        id: string;
    };
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * By creation: `desc`, by default, begins with the newest, `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what came into being at this instant or later.
         */
        created_from?: string;
        /**
         * Only what came into being before this instant.
         */
        created_to?: string;
        /**
         * Only what changed at this instant or later; without `order`, what changed last comes first. To follow changes, ask with `order=updated_asc` from the last `updated_at` that you have, and expect that entry once more.
         */
        updated_from?: string;
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
         * The id of the license. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the device. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the device. One that does not exist is 404.
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

export type BlacklistLicenseDeviceData = {
    body?: ReasonRequest;
    headers?: {
        /**
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the device. One that does not exist is 404.
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
         * The id of the license. One that does not exist is 404.
         */
        id: string;
    };
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * `desc`, by default, begins with the newest, `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what came into being at this instant or later.
         */
        created_from?: string;
        /**
         * Only what came into being before this instant.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the offline file. One that does not exist is 404.
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
         * The id of the license. One that does not exist is 404.
         */
        id: string;
    };
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * `desc`, by default, begins with the newest, `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * `true` for the seats that are held at this moment, `false` for those that ended. Left out: all.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the license. One that does not exist is 404.
         */
        id: string;
        /**
         * The id of the floating lease. One that does not exist is 404.
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

export type ActivateLicenseData = {
    body: ActivateLicenseRequest;
    headers: {
        /**
         * The same as `nonce` in the body, which goes before it: it stands in the signed answer, so that no old answer can be replayed to you. Leave it out rather than empty.
         */
        'x-nonce'?: string;
        /**
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours. What would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key': string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/activate';
};

export type ActivateLicenseResponses = {
    /**
     * Granted. Where there is a `signature`, it covers `data`.
     */
    200: EntitlementAnswer;
};

export type ActivateLicenseResponse = ActivateLicenseResponses[keyof ActivateLicenseResponses];

export type ValidateLicenseData = {
    body: RuntimeBindingRequest;
    headers?: {
        /**
         * The same as `nonce` in the body, which goes before it: it stands in the signed answer, so that no old answer can be replayed to you. Leave it out rather than empty.
         */
        'x-nonce'?: string;
        /**
         * Accepted and ignored: every request is answered anew.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/validate';
};

export type ValidateLicenseResponses = {
    /**
     * Granted. Where there is a `signature`, it covers `data`.
     */
    200: EntitlementAnswer;
};

export type ValidateLicenseResponse = ValidateLicenseResponses[keyof ValidateLicenseResponses];

export type CheckLicenseData = {
    body: RuntimeBindingRequest;
    headers?: {
        /**
         * The same as `nonce` in the body, which goes before it: it stands in the signed answer, so that no old answer can be replayed to you. Leave it out rather than empty.
         */
        'x-nonce'?: string;
        /**
         * Accepted and ignored: every request is answered anew.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/check';
};

export type CheckLicenseResponses = {
    /**
     * Granted. Where there is a `signature`, it covers `data`.
     */
    200: EntitlementAnswer;
};

export type CheckLicenseResponse = CheckLicenseResponses[keyof CheckLicenseResponses];

export type ConsumeLicenseData = {
    body: ConsumeLicenseRequest;
    headers: {
        /**
         * The same as `nonce` in the body, which goes before it: it stands in the signed answer, so that no old answer can be replayed to you. Leave it out rather than empty.
         */
        'x-nonce'?: string;
        /**
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours. What would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key': string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/consume';
};

export type ConsumeLicenseResponses = {
    /**
     * Granted. Where there is a `signature`, it covers `data`.
     */
    200: EntitlementAnswer;
};

export type ConsumeLicenseResponse = ConsumeLicenseResponses[keyof ConsumeLicenseResponses];

export type DeactivateLicenseData = {
    body: RuntimeBindingRequest;
    headers: {
        /**
         * The same as `nonce` in the body, which goes before it: it stands in the signed answer, so that no old answer can be replayed to you. Leave it out rather than empty.
         */
        'x-nonce'?: string;
        /**
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours. What would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key': string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/deactivate';
};

export type DeactivateLicenseResponses = {
    /**
     * Granted. Where there is a `signature`, it covers `data`.
     */
    200: DeactivationAnswer;
};

export type DeactivateLicenseResponse = DeactivateLicenseResponses[keyof DeactivateLicenseResponses];

export type CheckoutFloatingLicenseData = {
    body: FloatingCheckoutRequest;
    headers: {
        /**
         * The same as `nonce` in the body, which goes before it: it stands in the signed answer, so that no old answer can be replayed to you. Leave it out rather than empty.
         */
        'x-nonce'?: string;
        /**
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours. What would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key': string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/floating/checkout';
};

export type CheckoutFloatingLicenseResponses = {
    /**
     * Granted. Where there is a `signature`, it covers `data`.
     */
    200: FloatingCheckoutAnswer;
};

export type CheckoutFloatingLicenseResponse = CheckoutFloatingLicenseResponses[keyof CheckoutFloatingLicenseResponses];

export type HeartbeatFloatingLicenseData = {
    body: FloatingLeaseRequest;
    headers?: {
        /**
         * The same as `nonce` in the body, which goes before it: it stands in the signed answer, so that no old answer can be replayed to you. Leave it out rather than empty.
         */
        'x-nonce'?: string;
        /**
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours. What would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/floating/heartbeat';
};

export type HeartbeatFloatingLicenseResponses = {
    /**
     * Granted. Where there is a `signature`, it covers `data`.
     */
    200: FloatingEntitlementAnswer;
};

export type HeartbeatFloatingLicenseResponse = HeartbeatFloatingLicenseResponses[keyof HeartbeatFloatingLicenseResponses];

export type CheckinFloatingLicenseData = {
    body: FloatingLeaseRequest;
    headers: {
        /**
         * The same as `nonce` in the body, which goes before it: it stands in the signed answer, so that no old answer can be replayed to you. Leave it out rather than empty.
         */
        'x-nonce'?: string;
        /**
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours. What would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key': string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/floating/checkin';
};

export type CheckinFloatingLicenseResponses = {
    /**
     * Granted. Where there is a `signature`, it covers `data`.
     */
    200: FloatingEntitlementAnswer;
};

export type CheckinFloatingLicenseResponse = CheckinFloatingLicenseResponses[keyof CheckinFloatingLicenseResponses];

export type ListOwnDevicesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * `desc`, by default, begins with the newest, `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * The id of the device that asks, from any signed answer to it; then each entry says `is_this`.
         */
        device_id?: string;
    };
    url: '/api/v1/license/devices';
};

export type ListOwnDevicesResponses = {
    /**
     * Granted. Where there is a `signature`, it covers `data`.
     */
    200: OwnDevicePage;
};

export type ListOwnDevicesResponse = ListOwnDevicesResponses[keyof ListOwnDevicesResponses];

export type ReleaseOwnDeviceData = {
    body?: never;
    headers: {
        /**
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours. What would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key': string;
    };
    path: {
        /**
         * The id of the device. One that does not exist is 404.
         */
        device_id: string;
    };
    query?: never;
    url: '/api/v1/license/devices/{device_id}/release';
};

export type ReleaseOwnDeviceResponses = {
    /**
     * Granted. Where there is a `signature`, it covers `data`.
     */
    200: OwnDeviceAnswer;
};

export type ReleaseOwnDeviceResponse = ReleaseOwnDeviceResponses[keyof ReleaseOwnDeviceResponses];

export type IssueOfflineLicenseData = {
    body: RuntimeBindingRequest;
    headers?: {
        /**
         * The same as `nonce` in the body, which goes before it: it stands in the signed answer, so that no old answer can be replayed to you. Leave it out rather than empty.
         */
        'x-nonce'?: string;
        /**
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours. What would be refused by then is refused. A nonce is part of the request.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/offline';
};

export type IssueOfflineLicenseResponses = {
    /**
     * Granted. Where there is a `signature`, it covers `data`.
     */
    200: OfflineEnvelopeAnswer;
};

export type IssueOfflineLicenseResponse = IssueOfflineLicenseResponses[keyof IssueOfflineLicenseResponses];

export type GetRevocationListData = {
    body?: never;
    headers?: {
        /**
         * The `ETag` that you have: 304 while it is the same (RFC 9110 section 13.1.2).
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
         * The same as `nonce` in the body, which goes before it: it stands in the signed answer, so that no old answer can be replayed to you. Leave it out rather than empty.
         */
        'x-nonce'?: string;
        /**
         * Accepted and ignored: every request is answered anew.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/api/v1/license/trials';
};

export type OpenTrialResponses = {
    /**
     * Granted. Where there is a `signature`, it covers `data`.
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
         * The id of the product. One that does not exist is 404.
         */
        id: string;
    };
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * By creation: `desc`, by default, begins with the newest, `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what came into being at this instant or later.
         */
        created_from?: string;
        /**
         * Only what came into being before this instant.
         */
        created_to?: string;
        /**
         * Only what changed at this instant or later; without `order`, what changed last comes first. To follow changes, ask with `order=updated_asc` from the last `updated_at` that you have, and expect that entry once more.
         */
        updated_from?: string;
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the product. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the subscription. One that does not exist is 404.
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
         * The id of the subscription. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the subscription. One that does not exist is 404.
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
         * The id of the product. One that does not exist is 404.
         */
        id: string;
    };
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * By creation: `desc`, by default, begins with the newest, `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what came into being at this instant or later.
         */
        created_from?: string;
        /**
         * Only what came into being before this instant.
         */
        created_to?: string;
        /**
         * Only what changed at this instant or later; without `order`, what changed last comes first. To follow changes, ask with `order=updated_asc` from the last `updated_at` that you have, and expect that entry once more.
         */
        updated_from?: string;
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the product. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the order. One that does not exist is 404.
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
         * The id of the order. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the order. One that does not exist is 404.
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

export type ListWebhookEndpointsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * By creation: `desc`, by default, begins with the newest, `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what came into being at this instant or later.
         */
        created_from?: string;
        /**
         * Only what came into being before this instant.
         */
        created_to?: string;
        /**
         * Only what changed at this instant or later; without `order`, what changed last comes first. To follow changes, ask with `order=updated_asc` from the last `updated_at` that you have, and expect that entry once more.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the webhook endpoint. One that does not exist is 404.
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
         * The id of the webhook endpoint. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
        /**
         * The `ETag` that the resource had when you read it: when it has another by now, the answer is 412 PRECONDITION_FAILED and nothing is changed (RFC 9110 section 13.1.1). Several may be named, separated by commas; `*` stands for any.
         */
        'If-Match'?: string;
    };
    path: {
        /**
         * The id of the webhook endpoint. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the webhook endpoint. One that does not exist is 404.
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
         * Accepted and ignored: every request is answered anew.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the webhook endpoint. One that does not exist is 404.
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
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * The position after which to go on: `next_cursor` of the page before, or the last `sequence` that you have. Left out: from the beginning of the feed.
         */
        cursor?: number;
        /**
         * `asc`, by default, begins with the oldest event, `desc` with the newest.
         */
        order?: 'asc' | 'desc';
        /**
         * Only events of this kind, or of this family: `license.*`.
         */
        event_type?: 'product.*' | 'policy.*' | 'feature.*' | 'version.*' | 'customer.*' | 'order.*' | 'subscription.*' | 'custom_field.*' | 'license.*' | 'device.*' | 'lease.*' | 'offline.*' | 'offline_file.*' | 'api_key.*' | 'publishable_key.*' | 'signing_key.*' | 'webhook.*' | 'report_export.*' | 'log.*' | 'product.created' | 'product.updated' | 'product.deleted' | 'policy.created' | 'policy.updated' | 'policy.deleted' | 'policy.feature_assigned' | 'policy.feature_removed' | 'feature.created' | 'feature.updated' | 'feature.deleted' | 'version.created' | 'version.updated' | 'version.deleted' | 'customer.created' | 'customer.updated' | 'customer.deleted' | 'customer.erased' | 'order.created' | 'order.updated' | 'order.deleted' | 'subscription.created' | 'subscription.updated' | 'subscription.deleted' | 'custom_field.created' | 'custom_field.updated' | 'custom_field.deleted' | 'license.created' | 'license.updated' | 'license.started' | 'license.activated' | 'license.deactivated' | 'license.suspended' | 'license.reinstated' | 'license.revoked' | 'license.renewed' | 'license.policy_changed' | 'license.transferred' | 'license.key_rotated' | 'license.grace_started' | 'license.expiring' | 'license.expired' | 'license.feature_assigned' | 'license.feature_removed' | 'license.usage_recorded' | 'license.usage_reset' | 'license.quota_reached' | 'license.overage_started' | 'device.reset' | 'device.blacklisted' | 'device.expired' | 'device.components_changed' | 'lease.checked_out' | 'lease.checked_in' | 'lease.expired' | 'offline.issued' | 'offline_file.issued' | 'offline_file.revoked' | 'api_key.created' | 'api_key.revoked' | 'api_key.rotated' | 'publishable_key.created' | 'publishable_key.revoked' | 'signing_key.created' | 'signing_key.retired' | 'signing_key.revoked' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.secret_rotated' | 'webhook.skipped' | 'webhook.delivery_exhausted' | 'report_export.created' | 'report_export.ready' | 'report_export.failed' | 'report_export.downloaded' | 'log.epoch_started' | 'log.dropped';
        /**
         * Only what is about this kind of resource.
         */
        resource_type?: 'product' | 'policy' | 'feature' | 'version' | 'customer' | 'order' | 'subscription' | 'custom_field' | 'license' | 'device' | 'lease' | 'offline_file' | 'api_key' | 'publishable_key' | 'signing_key' | 'webhook' | 'report_export' | 'log';
        /**
         * Only what is about the resource with this id.
         */
        resource_id?: string;
        /**
         * Only what this kind of actor did.
         */
        actor_type?: AuditActorType;
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
         * The size of the tree, which is the `sequence` of its last event. Left out: that of the latest checkpoint.
         */
        size?: number;
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
         * The larger tree size. Left out: that of the latest checkpoint.
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

export type GetEventProofData = {
    body?: never;
    path: {
        /**
         * The id of the event. One that does not exist is 404.
         */
        id: string;
    };
    query?: {
        /**
         * The size of the tree, which is the `sequence` of its last event. Left out: that of the latest checkpoint.
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

export type ListActivitiesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * Where the window starts; the instant itself belongs to it.
         */
        from?: string;
        /**
         * Where the window ends; the instant itself does not belong to it. Left out: now.
         */
        to?: string;
        /**
         * Only entries of this action.
         */
        action?: ActivityAction;
        /**
         * Only what came through this door.
         */
        source?: ActivitySource;
        /**
         * Only of this product.
         */
        product_id?: string;
        /**
         * Only what belongs to this customer.
         */
        customer_id?: string;
        /**
         * Only what is about this license.
         */
        license_id?: string;
        /**
         * Only what came from this order.
         */
        order_id?: string;
        /**
         * Only what belongs to this subscription.
         */
        subscription_id?: string;
        /**
         * Only of this feature.
         */
        feature_code?: string;
        /**
         * Only what this request did.
         */
        request_id?: string;
        /**
         * Only what ended like this.
         */
        result_class?: ActivityResult;
        /**
         * Only what was answered with this HTTP status.
         */
        status_code?: number;
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

export type GetUsageSummaryData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Where the window starts; the instant itself belongs to it.
         */
        from?: string;
        /**
         * Where the window ends; the instant itself does not belong to it. Left out: now.
         */
        to?: string;
        /**
         * What rows are grouped by.
         */
        group_by?: UsageGroup;
        /**
         * Adds up over hours, days, weeks, months or years of UTC. Left out: over the whole window.
         */
        bucket?: ReportBucket;
        /**
         * Only of this product.
         */
        product_id?: string;
        /**
         * Only what belongs to this customer.
         */
        customer_id?: string;
        /**
         * Only what is about this license.
         */
        license_id?: string;
        /**
         * Only what came from this order.
         */
        order_id?: string;
        /**
         * Only what belongs to this subscription.
         */
        subscription_id?: string;
        /**
         * Only of this feature.
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
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * Where the window starts; the instant itself belongs to it.
         */
        from?: string;
        /**
         * Where the window ends; the instant itself does not belong to it. Left out: now.
         */
        to?: string;
        /**
         * Only entries of this action.
         */
        action?: UsageLedgerAction;
        /**
         * Only of this product.
         */
        product_id?: string;
        /**
         * Only what belongs to this customer.
         */
        customer_id?: string;
        /**
         * Only what is about this license.
         */
        license_id?: string;
        /**
         * Only what came from this order.
         */
        order_id?: string;
        /**
         * Only what belongs to this subscription.
         */
        subscription_id?: string;
        /**
         * Only of this feature.
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
         * The license that the report is about.
         */
        license_id: string;
        /**
         * Where the window starts; the instant itself belongs to it.
         */
        from?: string;
        /**
         * Where the window ends; the instant itself does not belong to it. Left out: now.
         */
        to?: string;
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
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
         * The customer that the report is about.
         */
        customer_id: string;
        /**
         * Where the window starts; the instant itself belongs to it.
         */
        from?: string;
        /**
         * Where the window ends; the instant itself does not belong to it. Left out: now.
         */
        to?: string;
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
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
         * The subscription that is settled. Exactly one of this and `order_id`.
         */
        subscription_id?: string;
        /**
         * The order that is settled. Exactly one of this and `subscription_id`.
         */
        order_id?: string;
        /**
         * Where the window starts; the instant itself belongs to it.
         */
        from?: string;
        /**
         * Where the window ends; the instant itself does not belong to it. Left out: now.
         */
        to?: string;
        /**
         * What rows are grouped by. Left out: by feature.
         */
        group_by?: SettlementGroup;
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
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

export type ListReportExportsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * By creation: `desc`, by default, begins with the newest, `asc` with the oldest. By the last change: `updated_desc` and `updated_asc`.
         */
        order?: 'desc' | 'asc' | 'updated_desc' | 'updated_asc';
        /**
         * Only what came into being at this instant or later.
         */
        created_from?: string;
        /**
         * Only what came into being before this instant.
         */
        created_to?: string;
        /**
         * Only what changed at this instant or later; without `order`, what changed last comes first. To follow changes, ask with `order=updated_asc` from the last `updated_at` that you have, and expect that entry once more.
         */
        updated_from?: string;
        /**
         * Only exports of this report.
         */
        report_kind?: ReportKind;
        /**
         * What is downloaded.
         */
        format?: ReportFormat;
        /**
         * Only those that stand like this.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
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
         * The id of the export. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the export. One that does not exist is 404.
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
         * One range of bytes (RFC 9110 section 14).
         */
        range?: string;
        /**
         * The `ETag` that you have: 304 while it is the same (RFC 9110 section 13.1.2).
         */
        'if-none-match'?: string;
        /**
         * The `ETag` of what you have: if the file is another one, `Range` is ignored (RFC 9110 section 13.1.5).
         */
        'if-range'?: string;
    };
    path: {
        /**
         * The id of the export. One that does not exist is 404.
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
         * One range of bytes (RFC 9110 section 14).
         */
        range?: string;
        /**
         * The `ETag` that you have: 304 while it is the same (RFC 9110 section 13.1.2).
         */
        'if-none-match'?: string;
        /**
         * The `ETag` of what you have: if the file is another one, `Range` is ignored (RFC 9110 section 13.1.5).
         */
        'if-range'?: string;
    };
    path: {
        /**
         * The id of the export. One that does not exist is 404.
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

export type GetReportExportManifestData = {
    body?: never;
    path: {
        /**
         * The id of the export. One that does not exist is 404.
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

export type ListApiKeysData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * `desc`, by default, begins with the newest, `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what came into being at this instant or later.
         */
        created_from?: string;
        /**
         * Only what came into being before this instant.
         */
        created_to?: string;
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the management key. One that does not exist is 404.
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
         * The id of the management key. One that does not exist is 404.
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
         * The id of the product. One that does not exist is 404.
         */
        id: string;
    };
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * `desc`, by default, begins with the newest, `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what came into being at this instant or later.
         */
        created_from?: string;
        /**
         * Only what came into being before this instant.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the product. One that does not exist is 404.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the publishable key. One that does not exist is 404.
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

export type ListSigningKeysData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * How many entries a page has at most. 50 by default; more than 200 is taken as 200.
         */
        limit?: number;
        /**
         * Where to go on: `next_cursor` of the page before, with the same filters. Left out: from the beginning.
         */
        cursor?: string;
        /**
         * `desc`, by default, begins with the newest, `asc` with the oldest.
         */
        order?: 'desc' | 'asc';
        /**
         * Only what came into being at this instant or later.
         */
        created_from?: string;
        /**
         * Only what came into being before this instant.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
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
         * Makes a retry safe: the first answer is stored with its effect and replayed byte for byte for at least 24 hours.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The id of the signing key. One that does not exist is 404.
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
         * The `ETag` that you have: 304 while it is the same (RFC 9110 section 13.1.2).
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
         * The `ETag` that you have: 304 while it is the same (RFC 9110 section 13.1.2).
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
         * The `ETag` that you have: 304 while it is the same (RFC 9110 section 13.1.2).
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
         * The `ETag` that you have: 304 while it is the same (RFC 9110 section 13.1.2).
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
         * The `ETag` that you have: 304 while it is the same (RFC 9110 section 13.1.2).
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
         * The `ETag` that you have: 304 while it is the same (RFC 9110 section 13.1.2).
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
         * The `ETag` that you have: 304 while it is the same (RFC 9110 section 13.1.2).
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

